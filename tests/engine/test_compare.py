"""Two passes side by side against scipy, the formulas written out, and cases whose answer is known."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from bertcore.analysis.align import Alignment, align
from bertcore.analysis.compare import (
    compared,
    linear_cka,
    matched_heads,
    moved_words,
    parameter_changes,
    state_similarity,
)
from bertcore.analysis.trace import trace
from bertcore.errors import BertcoreError
from tests.engine.models import tiny_model, word_tokenizer

RNG = np.random.default_rng(3)
OURS = RNG.dirichlet(np.full(6, 0.4), size=(2, 3, 6)).astype(np.float32)  # (L,N,S,S)
SHORTER = RNG.dirichlet(np.full(5, 0.4), size=(2, 3, 5)).astype(np.float32)
ALIGNMENT = Alignment((0, 1, None, None, 3, 4), 5)  # their token 2 has no counterpart
IDENTITY = Alignment(tuple(range(6)), 6)
NOTHING = Alignment((0, None), 2, "other_text")
TOKENIZER = word_tokenizer()


def divergence(first: np.ndarray, second: np.ndarray) -> float:
    """Of two heads (R,C), by scipy."""
    return float(np.mean(jensenshannon(first.astype(np.float64), second.astype(np.float64), base=2, axis=-1) ** 2))


def with_rest(attention: np.ndarray, kept: list[int]) -> np.ndarray:
    """(S,S) -> (P,P+1): the other tokens as one."""
    other = [i for i in range(len(attention)) if i not in kept]
    return np.column_stack([attention[np.ix_(kept, kept)], attention[np.ix_(kept, other)].sum(axis=1)])


class TestHeads:
    def test_of_the_same_tokens_it_is_scipys_divergence(self) -> None:
        theirs = RNG.dirichlet(np.full(6, 0.4), size=(2, 3, 6)).astype(np.float32)
        found = matched_heads(OURS, theirs, IDENTITY).divergences
        expected = [[divergence(OURS[i, j], theirs[i, j]) for j in range(3)] for i in range(2)]
        assert np.abs(found - expected).max() < 1e-6
        assert np.abs(matched_heads(OURS, OURS, IDENTITY).divergences).max() == 0

    def test_tokens_without_a_counterpart_count_together(self) -> None:
        found = matched_heads(OURS, SHORTER, ALIGNMENT).divergences
        for layer, head in np.ndindex(2, 3):
            ours = with_rest(OURS[layer, head], [0, 1, 4, 5])
            theirs = with_rest(SHORTER[layer, head], [0, 1, 3, 4])
            assert found[layer, head] == pytest.approx(divergence(ours, theirs), abs=1e-6)

    def test_what_is_compared_still_sums_to_one(self) -> None:
        ours, theirs = compared(OURS, SHORTER, ALIGNMENT)
        assert ours.shape == theirs.shape == (2, 3, 4, 5)
        assert np.abs(ours.sum(-1) - 1).max() < 1e-6 and (theirs >= 0).all()
        assert (compared(OURS, OURS, IDENTITY)[0][..., -1] == 0).all()

    def test_heads_in_another_order_are_found(self) -> None:
        shuffled = np.concatenate([OURS[::-1, [2, 0, 1]], OURS[:1]])  # a layer more: of equals, the first is found
        found = matched_heads(OURS, shuffled, IDENTITY)
        assert found.layers.tolist() == [[1, 1, 1], [0, 0, 0]]
        assert found.heads.tolist() == [[1, 2, 0], [1, 2, 0]]
        assert np.abs(found.divergences).max() < 1e-6

    def test_models_of_other_shapes(self) -> None:
        more = RNG.dirichlet(np.full(6, 0.4), size=(3, 5, 6)).astype(np.float32)
        more[2, 4] = OURS[0, 1]
        found = matched_heads(OURS, more, IDENTITY)
        assert (found.layers[0, 1], found.heads[0, 1]) == (2, 4)
        best = min(divergence(OURS[1, 2], head) for head in more.reshape(-1, 6, 6))
        assert found.divergences[1, 2] == pytest.approx(best, abs=1e-6)


class TestStates:
    def test_cosines_of_paired_tokens(self) -> None:
        ours, theirs = RNG.normal(size=(3, 6, 8)), RNG.normal(size=(3, 5, 8))
        theirs[1, 3] = 0
        found = state_similarity(ours, theirs, ALIGNMENT)
        assert found.shape == (3, 4)
        expected = ours[2, 4] @ theirs[2, 3] / np.linalg.norm(ours[2, 4]) / np.linalg.norm(theirs[2, 3])
        assert found[2, 2] == pytest.approx(expected)
        assert found[1, 2] == 0  # a vector without a direction
        with pytest.raises(BertcoreError, match="2 layers of width 8 and 2 layers of width 7"):
            state_similarity(ours, theirs[..., :7], ALIGNMENT)

    def test_cka_is_the_ratio_of_unbiased_hsic(self) -> None:
        """Song et al. 2012, equation 5, term by term."""

        def hsic(first: np.ndarray, second: np.ndarray) -> float:
            k, m = first @ first.T, second @ second.T
            n, one = len(k), np.ones(len(k))
            np.fill_diagonal(k, 0)
            np.fill_diagonal(m, 0)
            sums = (one @ k @ one) * (one @ m @ one) / ((n - 1) * (n - 2))
            return float((np.trace(k @ m) + sums - 2 / (n - 2) * (one @ k @ m @ one)) / (n * (n - 3)))

        ours, theirs = RNG.normal(size=(3, 6, 8)) + 1, RNG.normal(size=(2, 6, 4))
        theirs[1] = ours[1, :, :4]
        found = linear_cka(ours, theirs, IDENTITY)
        assert found.shape == (3, 2)
        for i, j in np.ndindex(3, 2):
            x, y = ours[i], theirs[j]
            assert found[i, j] == pytest.approx(hsic(x, y) / np.sqrt(hsic(x, x) * hsic(y, y)), abs=1e-9)

    def test_cka_ignores_rotation_scale_and_shift(self) -> None:
        ours = RNG.normal(size=(1, 6, 8))
        rotation = np.linalg.qr(RNG.normal(size=(8, 8)))[0]
        assert linear_cka(ours, 3 * ours @ rotation + 5, IDENTITY)[0, 0] == pytest.approx(1)

    def test_cka_of_few_tokens_of_random_vectors_is_low(self) -> None:
        ours, theirs = RNG.normal(size=(50, 6, 384)), RNG.normal(size=(50, 6, 384))
        assert abs(linear_cka(ours, theirs, IDENTITY).mean()) < 0.1

    def test_too_few_tokens_say_so(self) -> None:
        states = RNG.normal(size=(2, 3, 4))
        with pytest.raises(BertcoreError, match="needs 4 tokens that both texts have, and there are 3"):
            linear_cka(states, states, Alignment((0, 1, 2), 3))

    def test_nothing_to_compare_says_why(self) -> None:
        states = RNG.normal(size=(2, 2, 4))
        with pytest.raises(BertcoreError, match="no word in common"):
            state_similarity(states, states, NOTHING)
        with pytest.raises(BertcoreError, match="no word in common"):
            matched_heads(OURS[..., :2, :2], OURS[..., :2, :2], NOTHING)


def test_a_real_model_against_itself_with_one_word_replaced() -> None:
    model = tiny_model()
    encodings = [TOKENIZER.encode(text) for text in ("the cat sat on a mat", "the dog sat on a mat")]
    ours, theirs = (trace(model, encoding.ids, encoding.segments) for encoding in encodings)
    alignment = align(*encodings)
    cosines = state_similarity(ours.hidden_states, theirs.hidden_states, alignment)
    assert (cosines[0, [1, 3, 4]] == pytest.approx(1)) and cosines[0, 2] < 0.9  # only the word differs at the bottom
    assert (cosines[-1] < 1 - 1e-5).all()
    assert matched_heads(ours.attentions, theirs.attentions, alignment).divergences.min() > 0
    assert linear_cka(ours.hidden_states, ours.hidden_states, alignment).diagonal() == pytest.approx(1)


class TestParameters:
    def test_each_change_is_of_the_part_that_changed(self) -> None:
        before, after = tiny_model(), tiny_model()
        with torch.no_grad():
            after.encoder.layer(1).attention.query_key_value.weight[32:64] += 0.5  # the keys' matrix (H,H)
            after.embeddings.token.weight[7] += 2
            after.mlm.bias[0] += 3  # type: ignore[union-attr]
        changes = {(each.layer, each.part): each for each in parameter_changes(before, after)}
        changed = {place: each.change for place, each in changes.items() if each.change}
        expected = {(1, "key"): 0.5 * 32, (None, "token"): 2 * 32**0.5, (None, "word head"): 3}
        assert changed == pytest.approx(expected, rel=1e-6)
        assert sum(each.other_norm**2 for each in changes.values()) == pytest.approx(
            sum(float((p.double() ** 2).sum()) for name, p in before.named_parameters() if not name.startswith("nsp")),
            rel=1e-6,
        )
        token = changes[None, "token"]
        assert token.relative == token.change / token.other_norm

    def test_words_that_moved_come_farthest_first(self) -> None:
        before, after = tiny_model(), tiny_model()
        with torch.no_grad():
            after.embeddings.token.weight[7] *= -1
            after.embeddings.token.weight[9] *= 2
        words = moved_words(before, after, TOKENIZER)
        assert {word.id for word in words} == {7, 9}  # the others did not move
        assert words[0].distance >= words[1].distance
        by_id = {word.id: word for word in words}
        assert by_id[7].cosine == pytest.approx(-1) and by_id[9].cosine == pytest.approx(1)
        assert by_id[7].token == TOKENIZER.word(7)

    def test_shared_layers_are_listed_once(self) -> None:
        model = tiny_model(model_type="albert", num_hidden_groups=1)
        assert [each.layer for each in parameter_changes(model, model) if each.part == "query"] == [0]

    def test_other_shapes_say_what_differs(self) -> None:
        with pytest.raises(BertcoreError, match="one model has 2 layers, the other 3"):
            parameter_changes(tiny_model(), tiny_model(num_hidden_layers=3))
