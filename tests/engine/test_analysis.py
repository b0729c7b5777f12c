"""Looking inside: what a trace holds, and the numbers drawn from it, against brute force and `transformers`."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bertcore.analysis.attention_heads import classify_heads, head_facts, row_entropy
from bertcore.analysis.predict import next_sentence, softmax, top_words, word_rank
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import NearestWords
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Encoding
from tests.engine.models import VOCABULARY, tiny_model, word_tokenizer

TOKENIZER = word_tokenizer()
PAIR = TOKENIZER.encode("The cat sat.", "It was comfortable!")  # 5 tokens of A with its [SEP], 12 in all
OTHER_FAMILIES = ("sentence_order_logits", "replaced_logits")


def kind_of(attention: np.ndarray, encoding: Encoding = PAIR) -> tuple[str, float]:
    found = classify_heads(attention[None], encoding)[0]
    return found.kind, found.score


class TestTrace:
    @pytest.mark.parametrize("shape", [{}, {"num_hidden_layers": 3, "num_attention_heads": 2, "hidden_size": 24}])
    def test_names_and_shapes(self, shape: dict[str, int]) -> None:
        model = tiny_model(**shape)
        config, length = model.config, len(PAIR)
        wide, layers = (length, config.hidden_size), config.num_hidden_layers
        split = (layers, config.num_attention_heads, length, config.head_size)
        result = trace(model, PAIR.ids, PAIR.segments).arrays()
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

    def test_it_says_what_it_was_asked(self) -> None:
        result = trace(tiny_model(), PAIR.ids, PAIR.segments)
        assert result.input_ids.tolist() == PAIR.ids
        assert result.segment_ids.tolist() == PAIR.segments
        assert result.position_ids.tolist() == PAIR.positions

    def test_embeddings_are_rows_of_the_tables_and_add_up(self) -> None:
        model = tiny_model()
        result = trace(model, PAIR.ids, PAIR.segments)
        tables = {name: getattr(model.embeddings, name).weight.numpy() for name in ("token", "segment", "position")}
        assert np.array_equal(result.token_embeddings, tables["token"][PAIR.ids])
        assert np.array_equal(result.segment_embeddings, tables["segment"][PAIR.segments])
        assert np.array_equal(result.position_embeddings, tables["position"][PAIR.positions])
        total = result.token_embeddings + result.segment_embeddings + result.position_embeddings
        assert np.abs(total - result.embedding_sum).max() <= 1e-6
        norm = model.embeddings.norm
        centred = total - total.mean(-1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + model.config.layer_norm_eps)
        expected = expected * norm.weight.numpy() + norm.bias.numpy()
        assert np.abs(expected - result.embeddings).max() <= 1e-5

    def test_attention_is_softmax_of_query_times_key(self) -> None:
        result = trace(tiny_model(), PAIR.ids, PAIR.segments)
        assert np.abs(result.attentions.sum(-1) - 1).max() <= 1e-6
        scores = np.einsum("lnqd,lnkd->lnqk", result.queries, result.keys) / math.sqrt(result.queries.shape[-1])
        assert np.abs(softmax(scores) - result.attentions).max() <= 1e-5

    def test_chosen_rows_of_words_are_those_of_all(self) -> None:
        model = tiny_model()
        everything = trace(model, PAIR.ids, PAIR.segments)
        some = trace(model, PAIR.ids, PAIR.segments, mlm_positions=[3, 0])
        assert some.mlm_positions.tolist() == [3, 0]
        assert np.allclose(some.mlm_logits, everything.mlm_logits[[3, 0]], atol=1e-5)
        none = trace(model, PAIR.ids, PAIR.segments, mlm_positions=[])
        assert none.mlm_logits is not None and none.mlm_logits.shape == (0, model.config.vocab_size)

    def test_positions_can_be_chosen(self) -> None:
        model = tiny_model()
        positions = list(reversed(PAIR.positions))
        result = trace(model, PAIR.ids, PAIR.segments, positions)
        assert result.position_ids.tolist() == positions
        assert np.array_equal(result.position_embeddings, model.embeddings.position.weight.numpy()[positions])

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

    def test_more_tokens_than_positions_is_a_sentence(self) -> None:
        with pytest.raises(BertcoreError, match="41 tokens.*40"):
            trace(tiny_model(), [5] * 41, [0] * 41)

    def test_a_pair_has_one_segment_where_the_model_has_one(self) -> None:
        model = tiny_model(type_vocab_size=1)
        found, plain = (trace(model, PAIR.ids, segments) for segments in (PAIR.segments, [0] * len(PAIR)))
        np.testing.assert_array_equal(found.hidden_states, plain.hidden_states)


class TestPredict:
    @given(
        logits=arrays.arrays(np.float32, len(VOCABULARY), elements=st.floats(-30, 30, width=32)), k=st.integers(1, 99)
    )
    def test_top_words_and_ranks_against_brute_force(self, logits: np.ndarray, k: int) -> None:
        exact = np.exp(logits.astype(np.longdouble) - logits.max())
        exact /= exact.sum()
        words = top_words(logits, TOKENIZER, k)
        assert len(words) == min(k, len(VOCABULARY))
        assert sorted(exact, reverse=True)[: len(words)] == pytest.approx([w.probability for w in words], abs=1e-9)
        assert len({w.id for w in words}) == len(words)
        for word in words:
            assert word.token == VOCABULARY[word.id] and word.probability == pytest.approx(float(exact[word.id]))
        for token_id in (0, 7, len(VOCABULARY) - 1):
            rank = word_rank(logits, token_id)
            assert rank.rank == 1 + sum(other > logits[token_id] for other in logits)
            assert rank.probability == pytest.approx(float(exact[token_id]))
            assert rank.surprise_bits == pytest.approx(-math.log2(exact[token_id]))

    def test_the_likeliest_word_has_rank_one_and_even_odds_one_bit(self) -> None:
        logits = np.full(len(VOCABULARY), -200.0)
        logits[[6, 9]] = 3.0
        assert word_rank(logits, 6).rank == word_rank(logits, 9).rank == 1
        assert word_rank(logits, 6).surprise_bits == pytest.approx(1.0)
        assert word_rank(logits, 0).rank == 3 and math.isfinite(word_rank(logits, 0).surprise_bits)

    @pytest.mark.parametrize(("logits", "is_next"), [((0, 0), 0.5), ((math.log(3), 0), 0.75), ((-900, 900), 0.0)])
    def test_next_sentence_says_first_logit_as_is_next(self, logits: tuple[float, float], is_next: float) -> None:
        verdict = next_sentence(np.array(logits))
        assert verdict.is_next == pytest.approx(is_next) and verdict.is_next + verdict.not_next == pytest.approx(1)


class TestHeads:
    def test_facts_of_attention_worked_out_by_hand(self) -> None:
        encoding = TOKENIZER.encode("cat", "dog")  # [CLS] cat [SEP] dog [SEP]
        attention = np.array(
            [
                [1.0, 0.0, 0.0, 0.0, 0.0],
                [0.25, 0.25, 0.0, 0.5, 0.0],
                [0.0, 0.0, 0.0, 0.0, 1.0],
                [0.2, 0.2, 0.2, 0.2, 0.2],
                [0.0, 0.5, 0.0, 0.5, 0.0],
            ]
        )
        facts = head_facts(attention, encoding)
        entropies = [0, 1.5 * math.log(2), 0, math.log(5), math.log(2)]
        distances = [0, 0.25 * 1 + 0.5 * 2, 2, 0.2 * (3 + 2 + 1 + 1), 0.5 * 3 + 0.5 * 1]
        special = [1, 0.25, 1, 0.6, 0]
        assert row_entropy(attention) == pytest.approx(entropies)
        assert facts.entropy_nats == pytest.approx(sum(entropies) / 5)
        assert facts.mean_distance_tokens == pytest.approx(sum(distances) / 5)
        assert facts.on_special == pytest.approx(sum(special) / 5)
        assert facts.a_to_b == pytest.approx(0.5)  # A is one token, and gives half to B's one token

    def test_without_a_second_sentence_there_is_no_a_to_b(self) -> None:
        encoding = TOKENIZER.encode("the cat")
        assert head_facts(np.full((4, 4), 0.25), encoding).a_to_b is None

    @pytest.mark.parametrize(
        ("kind", "attention"),
        [
            ("previous token", np.eye(12, k=-1) + np.eye(12)[[0]].T @ np.eye(12)[[0]]),
            ("next token", np.eye(12, k=1) + np.eye(12)[[11]].T @ np.eye(12)[[11]]),
            ("same token", np.eye(12)),
            ("[CLS]/[SEP] sink", np.tile(np.eye(12)[5], (12, 1))),
            ("[CLS]/[SEP] sink", np.tile(np.eye(12)[0], (12, 1))),
            ("broad", np.full((12, 12), 1 / 12)),
        ],
    )
    def test_pure_kinds_score_one(self, kind: str, attention: np.ndarray) -> None:
        assert np.allclose(attention.sum(-1), 1)
        found, score = kind_of(attention)
        assert found == kind
        # at the seams of the pair the neighbour is a special token, so only one pattern can be pure
        assert score == pytest.approx(1.0)

    def test_half_and_half_is_named_after_the_larger_half(self) -> None:
        mixed = 0.6 * np.eye(12) + 0.4 * np.roll(np.eye(12), 3, axis=1)
        assert kind_of(mixed) == ("same token", pytest.approx(0.6))

    def test_a_far_away_word_is_no_kind(self) -> None:
        column = np.tile(np.eye(12)[2], (12, 1))
        kind, score = kind_of(column)
        assert kind == "mixed" and score < 0.5

    def test_no_words_no_kind(self) -> None:
        encoding = TOKENIZER.encode(" ")
        assert kind_of(np.full((2, 2), 0.5), encoding) == ("mixed", 0.0)

    @given(seed=st.integers(0, 1000))
    def test_facts_stay_in_their_bounds(self, seed: int) -> None:
        attention = np.random.default_rng(seed).dirichlet(np.full(12, 0.3), size=12).astype(np.float32)
        facts, (kind, score) = head_facts(attention, PAIR), kind_of(attention)
        assert 0 <= facts.entropy_nats <= math.log(12) and 0 <= facts.mean_distance_tokens <= 11
        assert facts.a_to_b is not None and 0 <= facts.a_to_b <= 1 and 0 <= facts.on_special <= 1
        assert 0 <= score <= 1 + 1e-6 and isinstance(kind, str)


class TestNearest:
    def test_a_row_of_zeros_is_near_nothing_and_no_error(self) -> None:
        table = np.ones((len(VOCABULARY), 4), np.float32)
        table[8] = 0
        assert all(word.cosine == 0 for word in NearestWords(table, TOKENIZER).near([8], 3))
