"""The best answer span, against a search through every start and end."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.span import best_span, no_answer_score

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
        length = data.draw(st.integers(1, 9))
        logits = data.draw(arrays.arrays(np.float32, (length, 2), elements=HALVES))
        inside = data.draw(arrays.arrays(np.bool_, length))
        found = best_span(logits, inside, longest)
        spans = every_span(*logits.T.tolist(), inside.tolist(), longest)
        assert found.score == max(spans.values(), default=-math.inf)
        assert spans[found[:2]] == found.score if spans else found[:2] == (-1, -1)
        assert no_answer_score(logits) == logits[0].sum()

    def test_a_case_by_hand(self) -> None:
        """The best start stands behind the best end, and the best pair in order is longer than allowed."""
        logits = np.array([[9.0, 8.0, 3.0, 0.0, 0.0, 7.0], [9.0, 0.0, 2.0, 1.0, 9.0, 0.0]]).T
        passage = np.array([False, True, True, True, True, True])
        assert best_span(logits, passage, 30) == (1, 4, 17.0)
        assert best_span(logits, passage, 3) == (2, 4, 12.0) and no_answer_score(logits) == 18.0

    def test_a_window_without_a_passage(self) -> None:
        assert best_span(np.zeros((4, 2)), np.zeros(4, dtype=bool), 30) == (-1, -1, -math.inf)

    def test_bad_wishes(self) -> None:
        with pytest.raises(BertcoreError, match="longest answer is set to 0 tokens"):
            best_span(np.zeros((3, 2)), np.ones(3, dtype=bool), 0)
