"""The map of heads against the plain divergence and against distances made by hand; links, edited rows, score steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from app.rooms.attend.score_steps import score_steps
from bertcore.analysis.attention_heads import compared_rows, divergence_between_heads, head_map, scaled_to_plane
from bertcore.analysis.links import between, strongest_links, with_weight
from bertcore.analysis.trace import trace
from tests.engine.models import tiny_model, word_tokenizer

RNG = np.random.default_rng(1)
ATTENTIONS = RNG.dirichlet(np.full(9, 0.4), size=(2, 3, 9)).astype(np.float32)
PAIR = word_tokenizer().encode("the cat sat.", "it was very comfortable!")


def head_divergence(attentions: np.ndarray) -> np.ndarray:
    """Every two heads by scipy: mean over rows."""
    heads = attentions.reshape(-1, *attentions.shape[2:])
    return np.array([[np.mean(jensenshannon(p, q, base=2, axis=-1) ** 2) for q in heads] for p in heads])


class TestMap:
    def test_divergence_is_that_of_scipy(self) -> None:
        found = divergence_between_heads(ATTENTIONS)
        assert np.abs(found - head_divergence(ATTENTIONS)).max() < 1e-6
        assert np.array_equal(found, found.T)

    def test_many_heads_are_compared_in_blocks(self) -> None:
        many = RNG.dirichlet(np.full(5, 0.4), size=(5, 8, 5)).astype(np.float32)
        assert np.abs(divergence_between_heads(many) - head_divergence(many)).max() < 1e-6

    def test_sampled_rows_are_all_that_is_compared(self) -> None:
        found = head_map(ATTENTIONS, most_values=15 * 9 * 3)  # 15 pairs of heads, 9 columns
        assert found.rows.tolist() == [0, 4, 8]
        only = np.stack([[head_divergence(ATTENTIONS[:, :, [row]].repeat(9, axis=2))] for row in found.rows])
        assert np.abs(found.divergence - only.mean(axis=0)[0]).max() < 1e-6

    def test_as_many_rows_as_fit(self) -> None:
        for heads, length in ((144, 128), (384, 512), (1, 1), (16, 32)):
            rows = compared_rows(heads, length, 10_000_000)
            assert 1 <= len(rows) <= length and len(set(rows.tolist())) == len(rows)
            assert len(rows) == 1 or heads * (heads - 1) // 2 * length * len(rows) <= 10_000_000

    def test_points_of_a_plane_keep_their_distances(self) -> None:
        flat = RNG.normal(size=(7, 2))
        squared = ((flat[:, None] - flat[None]) ** 2).sum(-1)
        points, share = scaled_to_plane(squared)
        assert np.abs(((points[:, None] - points[None]) ** 2).sum(-1) - squared).max() < 1e-9
        assert share.sum() == pytest.approx(1)

    @pytest.mark.parametrize("shape", [(1, 1, 3), (1, 2, 1), (2, 1, 4)])
    def test_few_heads_and_few_tokens(self, shape: tuple[int, int, int]) -> None:
        layers, heads, size = shape
        found = head_map(np.full((layers, heads, size, size), 1 / size, dtype=np.float32))
        assert found.points.shape == (layers, heads, 2) and np.abs(found.points).max() < 1e-6

    def test_progress_rises_to_the_end_and_may_stop_it(self) -> None:
        shares: list[float] = []
        head_map(ATTENTIONS, progress=shares.append)
        assert shares == sorted(shares) and shares[-1] > 0.9 and max(shares) <= 1

        def stop(share: float) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            head_map(ATTENTIONS, progress=stop)


class TestLinks:
    ATTENTION = np.array([[0.5, 0.3, 0.2], [0.0, 0.9, 0.1], [0.4, 0.4, 0.2]])

    def test_from_a_threshold_on(self) -> None:
        links = strongest_links(self.ATTENTION, least=0.4)
        pairs = list(zip(links.rows.tolist(), links.columns.tolist(), strict=True))
        assert pairs == [(1, 1), (0, 0), (2, 0), (2, 1)]
        assert links.weights.tolist() == [0.9, 0.5, 0.4, 0.4]
        assert links.share == pytest.approx(2.2 / 3)

    def test_of_each_row_the_fewest_that_hold_a_share(self) -> None:
        """A row that looks at many tokens has lines too, however strong those of the others are."""
        links = strongest_links(self.ATTENTION, share=0.5)
        pairs = list(zip(links.rows.tolist(), links.columns.tolist(), strict=True))
        assert pairs == [(1, 1), (0, 0), (2, 0), (2, 1)]
        even = np.array([[1.0, 0.0, 0.0, 0.0], [0.25] * 4, [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        links = strongest_links(even, share=0.6)
        assert np.count_nonzero(links.rows == 1) == 3
        assert strongest_links(self.ATTENTION, share=1.0).fitting == 8  # a weight of 0 is no link
        assert strongest_links(self.ATTENTION, share=0.0).fitting == 0

    def test_the_limit_says_what_it_leaves_out(self) -> None:
        links = strongest_links(self.ATTENTION, most=2)
        assert (len(links.weights), links.fitting) == (2, 8)
        own = strongest_links(self.ATTENTION, most=2, always=0)
        assert (own.rows.tolist(), own.weights.tolist()) == ([0, 0], [0.5, 0.3])

    def test_among_some_only(self) -> None:
        among = between(["a", "a", "b"], "a", "b")
        links = strongest_links(self.ATTENTION, among=among)
        assert list(zip(links.rows.tolist(), links.columns.tolist(), strict=True)) == [(0, 2), (1, 2)]
        assert links.share == pytest.approx(1)

    def test_nothing_to_connect(self) -> None:
        links = strongest_links(self.ATTENTION, among=np.zeros((3, 3), dtype=bool), share=0.5)
        assert len(links.weights) == 0 and links.share == 0


class TestEditedRow:
    def test_the_others_keep_their_proportions(self) -> None:
        assert with_weight(np.array([0.5, 0.3, 0.2]), [0], 0.8) == pytest.approx([0.8, 0.12, 0.08])
        assert with_weight(np.array([0.5, 0.3, 0.2]), [0, 1], 0.4) == pytest.approx([0.25, 0.15, 0.6])

    def test_where_nothing_was_all_get_the_same(self) -> None:
        assert with_weight(np.array([1.0, 0.0, 0.0]), [0], 0.5) == pytest.approx([0.5, 0.25, 0.25])
        assert with_weight(np.array([1.0, 0.0, 0.0]), [1, 2], 0.5) == pytest.approx([0.5, 0.25, 0.25])

    def test_only_within_some_columns(self) -> None:
        row = with_weight(np.array([0.4, 0.3, 0.1, 0.2]), [1], 0.5, within=[1, 2, 3])
        assert row == pytest.approx([0.4, 0.3, 0.1, 0.2])  # it holds half of the 0.6 already
        row = with_weight(np.array([0.4, 0.3, 0.1, 0.2]), [1], 1.0, within=[1, 2, 3])
        assert row == pytest.approx([0.4, 0.6, 0, 0])

    def test_no_weight_is_above_1(self) -> None:
        row = np.array([0.7000001, 0.3], dtype=np.float32)  # sums to a little more, as float32 does
        assert with_weight(row, [1], 1.0).tolist() == [0, 1]
        assert with_weight(row, [1], 0.0).tolist() == [1, 0]

    def test_one_token_keeps_all(self) -> None:
        assert with_weight(np.array([1.0]), [0], 0.2).tolist() == [1.0]

    @given(
        st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda row: sum(row) > 0.01),
        st.floats(-1, 2),
        st.integers(0, 5),
    )
    def test_rows_go_on_summing_to_1(self, values: list[float], weight: float, column: int) -> None:
        row = np.array(values) / sum(values)
        new = with_weight(row, [column % len(row)], weight)
        assert new.sum() == pytest.approx(1) and new.min() >= 0
        if len(row) > 1:
            assert new[column % len(row)] == pytest.approx(min(max(weight, 0), 1))


class TestScoreSteps:
    def test_each_step_follows_from_the_one_before_to_what_the_model_made(self) -> None:
        found = trace(tiny_model(), PAIR.ids, PAIR.segments)
        for layer, head, row, column in ((0, 1, 2, 3), (1, 3, 0, 11)):
            steps = score_steps(found.queries[layer, head, row], found.keys[layer, head], column)
            assert steps.products.sum() == steps.score == steps.scores[column]  # to the last bit
            by_hand = found.queries[layer, head, row].astype(float) @ found.keys[layer, head].T.astype(float)
            assert steps.scores == pytest.approx(by_hand, abs=1e-9)
            assert np.array_equal(steps.scaled, steps.scores / np.sqrt(8))
            assert np.array_equal(steps.masked, steps.scaled)
            assert np.abs(steps.weights - found.attentions[layer, head, row]).max() < 1e-6
            assert steps.weights.sum() == pytest.approx(1, abs=1e-12)

    def test_what_is_masked_gets_nothing(self) -> None:
        steps = score_steps(np.array([1.0, 2.0]), np.ones((3, 2)), 0, np.array([True, False, True]))
        assert steps.masked.tolist() == [3 / np.sqrt(2), -np.inf, 3 / np.sqrt(2)]
        assert steps.weights.tolist() == [0.5, 0, 0.5]
