"""Flow, likeness and whole words: cases worked out by hand, and brute force."""

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine

from bertcore.analysis.attention_heads import classify_heads, find_heads, head_facts
from bertcore.analysis.flow import attention_flow, residual_attention, rollout, without
from bertcore.analysis.merging import merge_encoding, merge_matrix, merge_vectors, sum_scores, word_groups
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import cosines, pca
from bertcore.errors import BertcoreError
from tests.engine.family_models import PAIR, SHAPES, TOKENIZER, family_model, segments_for


def random_attention(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(shape[-1], 0.4), size=shape[:-1])


class TestRollout:
    def test_two_layers_by_hand(self) -> None:
        first, second = np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[1.0, 0.0], [1.0, 0.0]])
        found = rollout(np.stack([first, second])[:, None])
        assert found[0] == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.75]]))
        # row 1: half of itself after layer 1, half of token 0 after layer 1
        assert found[1] == pytest.approx(np.array([[0.5, 0.5], [0.375, 0.625]]))

    @given(seed=st.integers(0, 100))
    def test_it_counts_all_paths(self, seed: int) -> None:
        attentions = random_attention(3, 2, 3, 3, seed=seed)
        layers = attentions.mean(axis=1) * 0.5 + 0.5 * np.eye(3)
        paths = np.zeros((3, 3))
        for top, high, low, end in itertools.product(range(3), repeat=4):
            paths[top, end] += layers[2, top, high] * layers[1, high, low] * layers[0, low, end]
        found = rollout(attentions)
        assert found[2] == pytest.approx(paths)
        assert found.sum(axis=-1) == pytest.approx(np.ones((3, 3)))


class TestFlow:
    def test_two_layers_by_hand(self) -> None:
        first, second = np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[1.0, 0.0], [1.0, 0.0]])
        found = attention_flow(np.stack([first, second])[:, None], [0, 1])
        # output 0 reaches only node 0, whose edges carry 0.5 and 0.5; output 1 sends 0.5 to each node
        assert found == pytest.approx(np.array([[0.5, 0.5], [0.75, 1.0]]), abs=1e-8)

    def test_one_layer_is_its_attention(self) -> None:
        attentions = random_attention(3, 2, 5, 5)
        found = attention_flow(attentions, [4, 0], layers=1)
        assert found == pytest.approx(residual_attention(attentions)[0][[4, 0]], abs=1e-8)

    @given(seed=st.integers(0, 30))
    def test_the_smallest_cut_is_the_largest_flow(self, seed: int) -> None:
        attentions = random_attention(2, 2, 3, 3, seed=seed)
        graph = residual_attention(attentions)
        found = attention_flow(attentions, [1])[0]
        for sink in range(3):
            cuts = []
            for source_side in itertools.product([False, True], repeat=3):  # the nodes of the middle layer
                side = np.array(source_side)
                cuts.append(graph[1][1, ~side].sum() + graph[0][side, sink].sum())
            assert found[sink] == pytest.approx(min(cuts), abs=1e-8)

    def test_what_is_off_is_left_out(self) -> None:
        """By hand: of two heads one is off, and of three layers the last."""
        attentions = np.zeros((3, 2, 2, 2))
        attentions[:] = [[0.0, 1.0], [1.0, 0.0]]
        counted = without(attentions, heads_off={(0, 1)}, layers_off={2})
        assert rollout(counted)[0] == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))
        assert np.array_equal(rollout(counted)[2], rollout(counted)[1])
        assert attentions[0, 1, 0, 1] == 1 and without(attentions) is attentions

    def test_no_such_token_is_a_sentence(self) -> None:
        with pytest.raises(BertcoreError, match="0 to 2"):
            attention_flow(random_attention(1, 1, 3, 3), [3])


class TestCosines:
    @pytest.mark.parametrize("family", SHAPES)
    def test_tokens_layer_by_layer(self, family: str) -> None:
        model = family_model(family)
        states = trace(model, PAIR.ids, segments_for(model)).hidden_states
        found = cosines(states)
        assert found.shape == (4, 13, 13)
        for layer, i, j in [(0, 0, 1), (2, 5, 12), (3, 7, 3)]:
            assert found[layer, i, j] == pytest.approx(1 - cosine(states[layer, i], states[layer, j]), abs=1e-6)
        assert np.diagonal(found, axis1=1, axis2=2) == pytest.approx(np.ones((4, 13)))

    def test_a_vector_of_zeros_is_like_nothing(self) -> None:
        assert cosines(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [[0, 0], [0, pytest.approx(1)]]


class TestPca:
    @given(seed=st.integers(0, 50))
    def test_against_the_covariance(self, seed: int) -> None:
        points = np.random.default_rng(seed).normal(size=(9, 4)) * [5, 3, 1, 0.5]
        found = pca(points, k=4)
        values, vectors = np.linalg.eigh(np.cov(points.T))
        assert found.explained_variance_ratio == pytest.approx(
            values[::-1] / values.sum()
        ) and found.kept == pytest.approx(1)
        expected = (points - points.mean(axis=0)) @ vectors[:, ::-1]
        assert np.abs(found.points) == pytest.approx(np.abs(expected), abs=1e-6)  # a component's sign is free

    def test_one_point_has_no_direction(self) -> None:
        found = pca(np.array([[1.0, 2.0]]))
        assert (
            found.explained_variance_ratio.tolist() == [0, 0] and found.points.tolist() == [[0, 0]] and found.kept == 1
        )


class TestMerging:
    GROUPS = (0, 1, 1, 2)

    def test_columns_are_added_and_rows_averaged(self) -> None:
        matrix = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.0, 0.0], [0.1, 0.0, 0.3, 0.6], [0.0, 0.25, 0.25, 0.5]])
        assert merge_matrix(matrix, self.GROUPS) == pytest.approx(
            np.array([[0.1, 0.5, 0.4], [0.3, 0.4, 0.3], [0.0, 0.5, 0.5]])
        )

    def test_vectors_are_averaged_and_scores_added(self) -> None:
        vectors = np.array([[1.0, 0.0], [2.0, 4.0], [4.0, 8.0], [0.0, 1.0]])
        assert merge_vectors(vectors, self.GROUPS).tolist() == [[1, 0], [3, 6], [0, 1]]
        assert sum_scores(np.array([1.0, 2.0, 3.0, 4.0]), self.GROUPS).tolist() == [1, 5, 4]

    def test_rows_of_every_head_go_on_summing_to_one(self) -> None:
        merged = merge_matrix(random_attention(3, 2, 6, 6), (0, 1, 1, 1, 2, 3))
        assert merged.shape == (3, 2, 4, 4) and merged.sum(axis=-1) == pytest.approx(np.ones((3, 2, 4)))

    def test_no_word_of_several_pieces_nothing_changes(self) -> None:
        matrix = random_attention(4, 4)
        assert merge_matrix(matrix, range(4)) == pytest.approx(matrix)

    def test_a_number_left_out_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="gaps"):
            merge_matrix(np.eye(3), (0, 2, 2))

    def test_whole_words_of_a_pair(self) -> None:
        encoding = TOKENIZER.encode("The Comfortable cat", "it was comfortable")
        groups = word_groups(encoding)
        # [CLS] the comfort ##able cat [SEP] it was comfort ##able [SEP]
        assert groups == [0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 8]
        merged = merge_encoding(encoding, groups)
        assert len(merged.labels) == len(merged.tokens) == len(merged.ids)
        assert merged.tokens == ["[CLS]", "the", "comfortable", "cat", "[SEP]", "it", "was", "comfortable", "[SEP]"]
        assert merged.parts == ["special", "a", "a", "a", "special", "b", "b", "b", "special"]
        assert merged.segments == [0, 0, 0, 0, 0, 1, 1, 1, 1] and merged.positions == list(range(9))
        assert merged.text_a[slice(*merged.offsets[2])] == "Comfortable"
        assert len(merged) == len(merged.words) == len(merged.ids) == 9
        assert word_groups(merged) == list(range(9))

    def test_facts_of_merged_attention(self) -> None:
        encoding = TOKENIZER.encode("cat comfortable")  # [CLS] cat comfort ##able [SEP]
        attention = np.eye(5)[[0, 3, 1, 1, 4]]
        groups = word_groups(encoding)
        merged, words = merge_matrix(attention, groups), merge_encoding(encoding, groups)
        assert classify_heads(attention[None], encoding)[0].kind == "mixed"
        assert head_facts(merged, words).mean_distance_tokens == pytest.approx((0 + 1 + 1 + 0) / 4)
        assert classify_heads(merged[None], words)[0].scores["next token"] == pytest.approx(0.5)

    def test_unknown_words_stay_unknown(self) -> None:
        encoding = TOKENIZER.encode("cat 日 comfortable")
        groups = word_groups(encoding)
        assert merge_encoding(encoding, groups).unknown == [2]

    def test_what_is_looked_for_is_found_in_words(self) -> None:
        encoding = TOKENIZER.encode("comfortable cat")  # [CLS] comfort ##able cat [SEP]
        groups = word_groups(encoding)
        attention = np.eye(5)[[0, 3, 3, 3, 4]][None, None]  # the first word looks at the second
        merged = np.stack([[merge_matrix(attention[0, 0], groups)]])
        found = find_heads("attn(comfortable -> cat) > 0.9", merged, merge_encoding(encoding, groups))
        assert [(match.layer, match.head) for match in found.matches] == [(0, 0)]


def test_words_of_a_long_text_are_found_at_once() -> None:
    """On the window's thread: a look back at all former words for each would take hours here."""
    encoding: Any = SimpleNamespace(words=[None, *(number // 2 for number in range(1_000_000)), None])
    groups = word_groups(encoding)
    assert groups == [0, *(1 + number // 2 for number in range(1_000_000)), 500_001]
