"""What a trace holds, and matrices drawn from it, by hand and by brute force: flow, likeness, whole words."""

import itertools
import math
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
from bertcore.analysis.predict import softmax
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import cosines
from bertcore.errors import BertcoreError
from tests.engine.family_models import PAIR, TOKENIZER
from tests.engine.models import tiny_model

OTHER_FAMILIES = ("sentence_order_logits", "replaced_logits")


class TestTrace:
    @pytest.mark.parametrize("shape", [{}, {"num_hidden_layers": 3, "num_attention_heads": 2, "hidden_size": 24}])
    def test_names_and_shapes(self, shape: dict[str, int]) -> None:
        model = tiny_model(**shape)
        config, length = model.config, len(PAIR)
        wide, layers = (length, config.hidden_size), config.num_hidden_layers
        split = (layers, config.num_attention_heads, length, config.head_size)
        traced = trace(model, PAIR.ids, PAIR.segments)
        result = traced.arrays()
        assert {name: array.shape for name, array in result.items()} == {
            **dict.fromkeys(("input_ids", "segment_ids", "position_ids", "mlm_positions"), (length,)),
            **dict.fromkeys(("token_embeddings", "segment_embeddings", "position_embeddings"), wide),
            **dict.fromkeys(("embedding_sum", "embeddings"), wide),
            **dict.fromkeys(("queries", "keys", "values"), split),
            "hidden_states": (layers + 1, *wide),
            "attentions": (layers, config.num_attention_heads, length, length),
            "pooled": (config.hidden_size,),
            "mlm_logits": (length, config.vocab_size),
            "next_sentence_logits": (2,),
        }
        assert all(array.dtype in (np.float32, np.int64) for array in result.values())
        assert traced.input_ids.tolist() == PAIR.ids and traced.segment_ids.tolist() == PAIR.segments
        assert np.abs(traced.attentions.sum(-1) - 1).max() <= 1e-6
        scores = np.einsum("lnqd,lnkd->lnqk", traced.queries, traced.keys) / math.sqrt(config.head_size)
        assert np.abs(softmax(scores) - traced.attentions).max() <= 1e-5

    @pytest.mark.parametrize("positions", [None, list(reversed(PAIR.positions))])
    def test_embeddings_are_rows_of_the_tables_and_add_up(self, positions: list[int] | None) -> None:
        model = tiny_model()
        result = trace(model, PAIR.ids, PAIR.segments, positions)
        assert result.position_ids.tolist() == (positions or PAIR.positions)
        tables = {name: getattr(model.embeddings, name).weight.numpy() for name in ("token", "segment", "position")}
        assert np.array_equal(result.token_embeddings, tables["token"][PAIR.ids])
        assert np.array_equal(result.segment_embeddings, tables["segment"][PAIR.segments])
        assert np.array_equal(result.position_embeddings, tables["position"][positions or PAIR.positions])
        total = result.token_embeddings + result.segment_embeddings + result.position_embeddings
        assert np.abs(total - result.embedding_sum).max() <= 1e-6
        norm = model.embeddings.norm
        centred = total - total.mean(-1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + model.config.layer_norm_eps)
        expected = expected * norm.weight.numpy() + norm.bias.numpy()
        assert np.abs(expected - result.embeddings).max() <= 1e-5

    def test_chosen_rows_of_words_are_those_of_all(self) -> None:
        model = tiny_model()
        everything = trace(model, PAIR.ids, PAIR.segments)
        some = trace(model, PAIR.ids, PAIR.segments, mlm_positions=[3, 0])
        assert some.mlm_positions.tolist() == [3, 0]
        assert np.allclose(some.mlm_logits, everything.mlm_logits[[3, 0]], atol=1e-5)
        none = trace(model, PAIR.ids, PAIR.segments, mlm_positions=[])
        assert none.mlm_logits is not None and none.mlm_logits.shape == (0, model.config.vocab_size)

    @pytest.mark.parametrize(
        ("tasks", "pooler", "absent"),
        [
            ((), False, {"pooled", "mlm_logits", "next_sentence_logits", *OTHER_FAMILIES}),
            ((), True, {"mlm_logits", "next_sentence_logits", *OTHER_FAMILIES}),
            (("mlm",), False, {"pooled", "next_sentence_logits", *OTHER_FAMILIES}),
        ],
    )
    def test_what_a_model_has_no_part_for_is_not_there(self, tasks: Any, pooler: bool, absent: set[str]) -> None:
        result = trace(tiny_model(tasks, pooler), PAIR.ids, PAIR.segments)
        assert {name for name in vars(result) if getattr(result, name) is None} == absent
        assert not absent & set(result.arrays())
        assert set(result.absent) == absent and all(sentence.endswith(".") for sentence in result.absent.values())


def random_attention(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(shape[-1], 0.4), size=shape[:-1])


class TestFlow:
    @given(seed=st.integers(0, 100))
    def test_rollout_counts_all_paths(self, seed: int) -> None:
        attentions = random_attention(3, 2, 3, 3, seed=seed)
        layers = attentions.mean(axis=1) * 0.5 + 0.5 * np.eye(3)
        paths = np.zeros((3, 3))
        for top, high, low, end in itertools.product(range(3), repeat=4):
            paths[top, end] += layers[2, top, high] * layers[1, high, low] * layers[0, low, end]
        found = rollout(attentions)
        assert found[2] == pytest.approx(paths)
        assert found.sum(axis=-1) == pytest.approx(np.ones((3, 3)))

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

    def test_one_layer_is_its_attention(self) -> None:
        attentions = random_attention(3, 2, 5, 5)
        expected = attentions[0].mean(axis=0) * 0.5 + 0.5 * np.eye(5)
        assert attention_flow(attentions, [4, 0], layers=1) == pytest.approx(expected[[4, 0]], abs=1e-8)
        with pytest.raises(BertcoreError, match="0 to 4"):
            attention_flow(attentions, [5])

    def test_what_is_off_is_left_out(self) -> None:
        """By hand: of two heads one is off, and of three layers the last."""
        attentions = np.zeros((3, 2, 2, 2))
        attentions[:] = [[0.0, 1.0], [1.0, 0.0]]
        counted = without(attentions, heads_off={(0, 1)}, layers_off={2})
        assert rollout(counted)[0] == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))
        assert np.array_equal(rollout(counted)[2], rollout(counted)[1])
        assert attentions[0, 1, 0, 1] == 1 and without(attentions) is attentions


def test_cosines_of_tokens_layer_by_layer() -> None:
    states = np.random.default_rng(0).normal(size=(4, 6, 8))
    states[3, 2] = 0  # like nothing
    found = cosines(states)
    for layer, i, j in itertools.product(range(4), range(6), range(6)):
        expected = 0 if layer == 3 and 2 in (i, j) else 1 - cosine(states[layer, i], states[layer, j])
        assert found[layer, i, j] == pytest.approx(expected, abs=1e-6)


class TestMerging:
    GROUPS = (0, 1, 1, 2)

    def test_columns_are_added_and_rows_averaged(self) -> None:
        matrix = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.0, 0.0], [0.1, 0.0, 0.3, 0.6], [0.0, 0.25, 0.25, 0.5]])
        merged = np.array([[0.1, 0.5, 0.4], [0.3, 0.4, 0.3], [0.0, 0.5, 0.5]])
        assert merge_matrix(matrix, self.GROUPS) == pytest.approx(merged)
        heads = merge_matrix(np.stack([[matrix, matrix[::-1]]] * 3), self.GROUPS)
        assert heads.shape == (3, 2, 3, 3) and heads[1, 0] == pytest.approx(merged)
        assert merge_matrix(matrix, range(4)) == pytest.approx(matrix)
        with pytest.raises(ValueError, match="gaps"):
            merge_matrix(np.eye(3), (0, 2, 2))
        vectors = np.array([[1.0, 0.0], [2.0, 4.0], [4.0, 8.0], [0.0, 1.0]])
        assert merge_vectors(vectors, self.GROUPS).tolist() == [[1, 0], [3, 6], [0, 1]]
        assert sum_scores(np.array([1.0, 2.0, 3.0, 4.0]), self.GROUPS).tolist() == [1, 5, 4]

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
        unknown = TOKENIZER.encode("cat 日 comfortable")
        assert merge_encoding(unknown, word_groups(unknown)).unknown == [2]

    def test_heads_of_merged_attention(self) -> None:
        encoding = TOKENIZER.encode("cat comfortable")  # [CLS] cat comfort ##able [SEP]
        attention = np.eye(5)[[0, 3, 1, 1, 4]]
        groups = word_groups(encoding)
        merged, words = merge_matrix(attention, groups), merge_encoding(encoding, groups)
        assert classify_heads(attention[None], encoding)[0].kind == "mixed"
        assert head_facts(merged, words).mean_distance_tokens == pytest.approx((0 + 1 + 1 + 0) / 4)
        assert classify_heads(merged[None], words)[0].scores["next token"] == pytest.approx(0.5)
        found = find_heads("attn(comfortable -> cat) > 0.9", merged[None, None], words)
        assert [(match.layer, match.head) for match in found.matches] == [(0, 0)]

    def test_words_of_a_long_text_are_found_at_once(self) -> None:
        """On the window's thread: a look back at all former words for each would take hours here."""
        encoding: Any = SimpleNamespace(words=[None, *(number // 2 for number in range(1_000_000)), None])
        groups = word_groups(encoding)
        assert groups == [0, *(1 + number // 2 for number in range(1_000_000)), 500_001]
