"""The best answer span, against a search through every start and end."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bertcore.errors import BertcoreError
from bertcore.tasks.features.decode import Answer, BestSpans, best_over_windows, best_spans

HALVES = st.integers(-40, 40).map(lambda number: number / 2)  # sums are exact, and scores tie now and then


def every_span(
    starts: list[float], ends: list[float], inside: list[bool], longest: int
) -> dict[tuple[int, int], float]:
    places = range(len(starts))
    return {
        (start, end): starts[start] + ends[end]
        for start in places
        for end in places
        if inside[start] and inside[end] and start <= end and end - start + 1 <= longest
    }


class TestBestSpans:
    @settings(max_examples=80, deadline=None)
    @given(data=st.data(), longest=st.integers(1, 12))
    def test_against_every_span(self, data: st.DataObject, longest: int) -> None:
        shape = (data.draw(st.integers(1, 3)), data.draw(st.integers(1, 9)))
        starts, ends = (data.draw(arrays.arrays(np.float32, shape, elements=HALVES)) for _ in range(2))
        inside = data.draw(arrays.arrays(np.bool_, shape))
        found = best_spans(*(torch.from_numpy(part) for part in (starts, ends, inside)), max_answer_tokens=longest)
        assert [part.shape for part in found] == [shape[:1]] * 4
        for row in range(shape[0]):
            spans = every_span(starts[row].tolist(), ends[row].tolist(), inside[row].tolist(), longest)
            place = int(found.start[row]), int(found.end[row])
            assert float(found.score[row]) == max(spans.values(), default=-math.inf)
            assert spans[place] == found.score[row] if spans else place == (-1, -1)
        assert found.no_answer.tolist() == (starts[:, 0] + ends[:, 0]).tolist()

    def test_a_case_by_hand(self) -> None:
        """The best start stands behind the best end, and the best pair in order is longer than allowed."""
        starts = torch.tensor([[9.0, 8.0, 3.0, 0.0, 0.0, 7.0]])
        ends = torch.tensor([[9.0, 0.0, 2.0, 1.0, 9.0, 0.0]])
        passage = torch.tensor([[False, True, True, True, True, True]])
        assert tuple(part.tolist() for part in best_spans(starts, ends, passage)[:3]) == ([1], [4], [17.0])
        short = best_spans(starts, ends, passage, max_answer_tokens=3)
        assert tuple(part.tolist() for part in short) == ([2], [4], [12.0], [18.0])

    def test_half_precision_scores_are_added_in_float32(self) -> None:
        starts, ends = torch.tensor([[256.0, 0.0]]).bfloat16(), torch.tensor([[1.0, 0.0]]).bfloat16()
        found = best_spans(starts, ends, torch.ones(1, 2, dtype=torch.bool))
        assert found.score.item() == found.no_answer.item() == 257.0  # bfloat16 has no 257

    def test_a_window_without_a_passage(self) -> None:
        found = best_spans(torch.zeros(2, 4), torch.zeros(2, 4), torch.zeros(2, 4, dtype=torch.bool))
        assert (found.start == -1).all()
        assert (found.end == -1).all()
        assert (found.score == -math.inf).all()

    def test_bad_wishes(self) -> None:
        logits, inside = torch.zeros(1, 3), torch.ones(1, 3, dtype=torch.bool)
        with pytest.raises(BertcoreError, match="longest answer is set to 0 tokens"):
            best_spans(logits, logits, inside, max_answer_tokens=0)


def windows(scores: list[float], no_answer: list[float]) -> BestSpans:
    """One best span per window: window w's is tokens 10 w + 5 to 10 w + 6."""
    start = torch.arange(len(scores)) * 10 + 5
    return BestSpans(start, start + 1, torch.tensor(scores), torch.tensor(no_answer))


class TestWindows:
    def test_the_best_window_answers(self) -> None:
        found = best_over_windows(windows([3.0, 7.5, 5.0], [9.0, 8.0, 20.0]))
        assert found == Answer(window=1, start=15, end=16, score=7.5, no_answer=8.0)

    @pytest.mark.parametrize(
        ("threshold", "answers"), [(0.0, False), (0.4, False), (0.5, True), (2.0, True), (-1.0, False)]
    )
    def test_no_answer_only_above_the_threshold(self, threshold: float, answers: bool) -> None:
        """The lowest no-answer score is 8, the best span's 7.5: a difference of exactly 0.5 still answers."""
        found = best_over_windows(windows([3.0, 7.5, 5.0], [9.0, 8.0, 20.0]), threshold=threshold)
        assert (found.score, found.no_answer) == (7.5, 8.0)
        assert (found.window, found.start, found.end) == ((1, 15, 16) if answers else (None, -1, -1))

    def test_equal_scores_go_to_the_first_window(self) -> None:
        assert best_over_windows(windows([1.0, 4.0, 4.0], [0.0, 0.0, 0.0])).window == 1

    @pytest.mark.parametrize("threshold", [None, 0.0, 1e9])
    def test_no_passage_in_any_window(self, threshold: float | None) -> None:
        found = best_over_windows(windows([-math.inf, -math.inf], [1.0, 2.0]), threshold=threshold)
        assert found == Answer(None, -1, -1, -math.inf, 1.0)

    def test_windows_of_one_example_out_of_a_batch(self) -> None:
        torch.manual_seed(0)
        starts, ends, inside = torch.randn(5, 12), torch.randn(5, 12), torch.rand(5, 12) > 0.2
        spans = best_spans(starts, ends, inside, max_answer_tokens=4)
        found = best_over_windows(spans.rows(1, 4))
        scores = {
            (row - 1, *place): score
            for row in (1, 2, 3)
            for place, score in every_span(starts[row].tolist(), ends[row].tolist(), inside[row].tolist(), 4).items()
        }
        assert (found.window, found.start, found.end) == max(scores, key=scores.__getitem__)
        assert found.no_answer == pytest.approx((starts[:, 0] + ends[:, 0])[1:4].min().item())

    def test_without_a_window(self) -> None:
        with pytest.raises(ValueError, match="no window"):
            best_over_windows(windows([], []))
