"""Words for tokens, special tokens left out: the numbers against sums written out by hand."""

import numpy as np
import pytest

from app.state.token_units import MERGING, NO_SPECIALS, TokenView, Units
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.models import word_tokenizer

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def words() -> Tokenizer:
    return word_tokenizer()


def units(words: Tokenizer, view: TokenView, masked: tuple[int, ...] = ()) -> Units:
    encoding = words.encode("the comfortable cat", "dog sat")  # [CLS] the comfort ##able cat [SEP] dog sat [SEP]
    shown = ["[MASK]" if i in masked else label for i, label in enumerate(encoding.labels)]
    return Units(encoding, shown, masked, view)


def attention() -> np.ndarray:
    weights = RNG.random((2, 9, 9)).astype(np.float32)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_the_plain_view_is_the_tokens(words: Tokenizer) -> None:
    plain, weights = units(words, TokenView(), (4,)), attention()
    assert plain.labels == ["[CLS]", "the", "comfort", "##able", "[MASK]", "[SEP]", "dog", "sat", "[SEP]"]
    assert plain.kinds[3:7] == ["segment_a", "mask", "special", "segment_b"]
    assert plain.attention(weights) is weights and plain.view.notes == []


def test_whole_words_add_columns_and_average_rows(words: Tokenizer) -> None:
    merged, weights = units(words, TokenView(words=True)), attention()
    shown = merged.attention(weights)
    assert merged.labels == ["[CLS]", "the", "comfortable", "cat", "[SEP]", "dog", "sat", "[SEP]"]
    assert merged.first_positions == [0, 1, 2, 4, 5, 6, 7, 8]
    assert (merged.unit_of(2), merged.unit_of(3), merged.unit_of(4)) == (2, 2, 3)
    np.testing.assert_allclose(shown[:, 1, 2], weights[:, 1, 2] + weights[:, 1, 3], rtol=1e-5)
    np.testing.assert_allclose(shown[:, 2, 1], (weights[:, 2, 1] + weights[:, 3, 1]) / 2, rtol=1e-5)
    np.testing.assert_allclose(shown.sum(axis=-1), 1, rtol=1e-5)
    assert merged.view.notes == [MERGING]


def test_without_special_tokens_rows_are_scaled_to_one_again(words: Tokenizer) -> None:
    bare, weights = units(words, TokenView(specials=False)), attention()
    shown = bare.attention(weights)
    assert bare.labels == ["the", "comfort", "##able", "cat", "dog", "sat"] and bare.unit_of(0) is None
    row = weights[0, 6, [1, 2, 3, 4, 6, 7]]
    np.testing.assert_allclose(shown[0, 4], row / row.sum(), rtol=1e-5)
    assert bare.view.notes == [NO_SPECIALS]


def test_a_row_that_looks_at_special_tokens_alone_becomes_zeros(words: Tokenizer) -> None:
    weights = np.zeros((9, 9), dtype=np.float32)
    weights[:, 0] = 1
    shown = units(words, TokenView(specials=False)).attention(weights)
    assert not shown.any() and np.isfinite(shown).all()


def test_vectors_are_averaged_and_scores_added(words: Tokenizer) -> None:
    both = units(words, TokenView(words=True, specials=False))
    vectors, scores = RNG.random((9, 4)), RNG.random(9)
    assert both.labels == ["the", "comfortable", "cat", "dog", "sat"]
    np.testing.assert_allclose(both.vectors(vectors)[1], (vectors[2] + vectors[3]) / 2, rtol=1e-6)
    np.testing.assert_allclose(both.sums(scores), scores[[1, 2, 4, 6, 7]] + [0, scores[3], 0, 0, 0])


def test_nothing_but_special_tokens_leaves_nothing(words: Tokenizer) -> None:
    empty = Units(words.encode(""), ["[CLS]", "[SEP]"], (), TokenView(specials=False))
    assert len(empty) == 0 and empty.labels == [] and empty.attention(np.eye(2)).shape == (0, 0)
