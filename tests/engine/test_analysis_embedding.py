"""Shares of the parts of an embedding, words near a word, and one text cut by two vocabularies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bertcore.analysis.tokenisations import TwoTokenisations, compare_tokenisations, vocabulary_of
from bertcore.analysis.vectors import NearestWords, lengths, part_fractions
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

WORDS = "the cat sat on the mat it was very comfortable a dog and bird ran home happy rug sofa"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train([WORDS] * 20, 200)


class TestShares:
    def test_a_hand_computed_case(self) -> None:
        """x = (3,4): the first part lies along one axis, the second along the other, 9/25 and 16/25."""
        shares = part_fractions({"token": np.array([[3.0, 0.0]]), "position": np.array([[0.0, 4.0]]), "segment": None})
        assert shares["token"] == pytest.approx([0.36]) and shares["position"] == pytest.approx([0.64])
        assert "segment" not in shares

    def test_they_add_up_and_may_be_negative(self) -> None:
        generator = np.random.default_rng(0)
        parts = {name: generator.normal(size=(9, 16)) for name in ("token", "segment", "position")}
        parts["segment"] = -0.5 * parts["token"]
        shares = part_fractions(parts)
        assert sum(shares.values()) == pytest.approx(np.ones(9))
        against = part_fractions({"token": np.array([[2.0, 0.0]]), "segment": np.array([[-1.0, 0.0]])})
        assert against["segment"] == pytest.approx([-1]) and against["token"] == pytest.approx([2])

    def test_a_sum_of_zero_has_no_shares(self) -> None:
        assert part_fractions({"token": np.ones((2, 3)), "position": -np.ones((2, 3))})["token"].tolist() == [0, 0]

    def test_lengths_are_the_roots_of_the_sums_of_squares(self) -> None:
        assert lengths(np.array([[3.0, 4.0], [0, 2]])).tolist() == [5, 2]


class TestNearWords:
    @pytest.mark.parametrize(("by", "metric"), [("cosine", "cosine"), ("distance", "euclidean")])
    def test_the_order_is_that_of_all_distances(self, tokenizer: Tokenizer, by: str, metric: str) -> None:
        generator = np.random.default_rng(1)
        size = generator.uniform(0.2, 3, size=(tokenizer.vocab_size, 1))  # so that the two orders differ
        table = (generator.normal(size=(tokenizer.vocab_size, 12)) * size).astype(np.float32)
        pieces = [30, 41]
        query = table[pieces].mean(axis=0, keepdims=True)
        far = cdist(query, table, metric)[0]
        far[[*pieces, *tokenizer.special_ids]] = np.inf
        found = NearestWords(table, tokenizer).near(pieces, 6, by)  # type: ignore[arg-type]
        assert [word.token_id for word in found] == np.argsort(far)[:6].tolist()
        assert [word.word for word in found] == [tokenizer.word(word.token_id) for word in found]
        values = [1 - word.cosine if by == "cosine" else word.distance for word in found]
        assert values == pytest.approx(np.sort(far)[:6], abs=1e-6)

    def test_rows_that_belong_to_no_token_are_no_words(self, tokenizer: Tokenizer) -> None:
        """A table may be larger than its vocabulary (decision 0006); short rows are near everything."""
        table = np.ones((tokenizer.vocab_size + 6, 4), dtype=np.float32)
        table[tokenizer.vocab_size :] = 0.999
        table[30] = 1.001
        found = NearestWords(table, tokenizer).near([30], 12, "distance")
        assert len(found) == 12 and all(word.token_id < tokenizer.vocab_size for word in found)

    def test_words_around_several_stand_there_once(self, tokenizer: Tokenizer) -> None:
        table = np.random.default_rng(2).normal(size=(tokenizer.vocab_size, 8)).astype(np.float32)
        words, steps = NearestWords(table, tokenizer), list[float]()
        around = words.around([[20], [21, 22]], 8, "cosine", steps.append)
        ids = [word.token_id for word in around.words]
        assert len(set(ids)) == len(ids) and not {20, 21, 22} & set(ids)
        assert steps == [0, 0.5]
        assert np.array_equal(around.vectors, table[ids])
        first = {word.token_id for word in words.near([20], 8)}
        assert [number == 0 for number in around.of] == [token_id in first for token_id in ids]


def handmade(text: str, cuts: list[tuple[int, int]], text_b: str | None = None) -> Encoding:
    """[CLS] pieces [SEP], all of A."""
    size = len(cuts) + 2
    tokens = ["[CLS]", *(text[start:end] for start, end in cuts), "[SEP]"]
    spans = [(0, 0), *cuts, (0, 0)]
    parts = ["special", *["a"] * len(cuts), "special"]
    zeros = [0] * size
    return Encoding(text, text_b, tokens, zeros, zeros, list(range(size)), spans, parts, labels=tokens)  # type: ignore[arg-type]


def pieces(both: TwoTokenisations) -> list[tuple[list[str], list[str]]]:
    return [([p.label for p in one.first], [p.label for p in one.second]) for one in both.spans]


class TestTwoTokenisations:
    def test_pieces_that_overlap_stand_together(self) -> None:
        first = handmade("abcd ef gh", [(0, 2), (2, 4), (5, 7), (8, 10)])
        second = handmade("abcd ef gh", [(0, 1), (1, 3), (3, 4), (5, 7), (8, 9), (9, 10)])
        found = compare_tokenisations(first, second)
        assert pieces(found) == [(["ab", "cd"], ["a", "bc", "d"]), (["ef"], ["ef"]), (["gh"], ["g", "h"])]
        assert [one.is_same for one in found.spans] == [False, True, False]
        assert (found.differing, found.is_whole) == (2, True)
        assert (found.first.tokens, found.first.pieces, found.second.pieces, found.first.words) == (6, 4, 6, 3)
        assert found.second.pieces_per_word == 2
        assert [piece.position for one in found.spans for piece in one.first] == [1, 2, 3, 4]

    def test_punctuation_is_no_piece_of_a_word(self) -> None:
        cuts = [(0, 2), (2, 3), (4, 5), (6, 7), (7, 8)]
        found = compare_tokenisations(handmade("ab. - c!", cuts), handmade("ab. - c!", cuts))
        assert (found.first.tokens, found.first.pieces, found.first.words) == (7, 2, 2)
        assert found.first.pieces_per_word == 1

    def test_what_only_one_of_them_cuts_off_is_a_difference(self) -> None:
        """A space by itself, of no characters; a sign that the other leaves out."""
        found = compare_tokenisations(
            handmade("a b!", [(0, 1), (2, 2), (2, 3)]), handmade("a b!", [(0, 1), (2, 3), (3, 4)])
        )
        assert pieces(found) == [(["a"], ["a"]), (["", "b"], ["b"]), ([], ["!"])]
        assert found.differing == 2

    def test_a_text_cut_short_is_compared_as_far_as_both_go(self) -> None:
        short = replace(handmade("ab cd ef", [(0, 2)]), dropped=2)
        found = compare_tokenisations(short, handmade("ab cd ef", [(0, 2), (3, 5), (6, 8)]))
        assert not found.is_whole and pieces(found) == [(["ab"], ["ab"])]
        assert (found.second.pieces, found.second.words) == (1, 1)

    def test_real_vocabularies(self, tokenizer: Tokenizer) -> None:
        letters = Tokenizer.train(["abcdefghijklmnopqrstuvwxyz"] * 2, 60)
        one, other = (each.encode("The cat zzz", "a dog") for each in (tokenizer, letters))
        found = compare_tokenisations(one, other)
        assert [stretch.part for stretch in found.spans] == ["a", "a", "a", "b", "b"]
        assert found.first.tokens == len(one) and found.second.tokens == len(other)
        assert found.first.unknown == len(one.unknown)
        assert all(p.start >= 0 for stretch in found.spans for p in stretch.first)

    def test_other_texts_are_an_error(self) -> None:
        with pytest.raises(BertcoreError, match="the same text"):
            compare_tokenisations(handmade("a", [(0, 1)]), handmade("b", [(0, 1)]))

    def test_a_vocabulary_comes_from_a_folder_and_never_from_the_network(
        self, tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tokenizer.save(tmp_path / "words")
        assert vocabulary_of(tmp_path / "words").vocab_size == tokenizer.vocab_size
        with pytest.raises(BertcoreError, match="open it once as a model"):
            vocabulary_of("nobody-of-this-name/no-model-at-all")
        with pytest.raises(BertcoreError):
            vocabulary_of(tmp_path)  # no vocabulary in it
