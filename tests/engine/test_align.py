"""Which tokens of two texts, or of one text in two vocabularies, are compared with each other."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.analysis.align import Alignment, align
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from tests.engine.models import VOCABULARY, word_tokenizer

WORDS = word_tokenizer()
# The same words and more of them: what WORDS has to spell is one token here
MORE = Tokenizer(raw_from_words((*VOCABULARY, "comfortable", "house"), lowercase=True), lowercase=True)
BYTES = Tokenizer.train(["a cat sat"], 300, lowercase=False, kind="bpe")


def is_identity(found: Alignment) -> bool:
    return found.other_positions == tuple(range(found.other_length))


def paired(ours: Encoding, theirs: Encoding) -> list[tuple[str, str]]:
    return [(ours.labels[i], theirs.labels[j]) for i, j in align(ours, theirs).pairs]


class TestOtherVocabulary:
    def test_the_same_text_is_the_identity(self) -> None:
        encoding = WORDS.encode("the cat sat.", "it was very comfortable!")
        found = align(encoding, encoding)
        assert is_identity(found) and found.reason is None and found.sentence is None
        assert found.pairs == tuple((i, i) for i in range(len(encoding)))

    def test_tokens_of_the_same_characters_are_paired(self) -> None:
        ours, theirs = WORDS.encode("a comfortable mat"), MORE.encode("a comfortable mat")
        assert "##able" in ours.tokens and "comfortable" in theirs.tokens
        assert paired(ours, theirs) == [("[CLS]", "[CLS]"), ("a", "a"), ("mat", "mat"), ("[SEP]", "[SEP]")]
        assert align(ours, theirs).other_positions == (0, 1, None, None, 3, 4)

    def test_special_tokens_are_paired_by_role(self) -> None:
        """RoBERTa has two between A and B, of which BERT has one; `<mask>` is what a typed [MASK] becomes."""
        ours, theirs = WORDS.encode("[MASK] a", "a"), BYTES.encode("[MASK] a", "a")
        assert paired(ours, theirs) == [
            ("[CLS]", "<s>"),
            ("[MASK]", "<mask>"),
            ("a", "·a"),
            ("[SEP]", "</s>"),
            ("a", "·a"),
            ("[SEP]", "</s>"),
        ]
        assert align(ours, theirs).other_positions == (0, 1, 2, 3, 5, 6)

    def test_nothing_in_common_says_why(self) -> None:
        found = align(WORDS.encode("comfortable"), MORE.encode("comfortable"))
        assert found.reason == "other_pieces" and found.sentence
        assert found.pairs == ((0, 0), (3, 2))  # [CLS] and [SEP]

    def test_bytes_of_one_letter_are_not_that_letter(self) -> None:
        """Both bytes of é have its characters: neither is the token é of another vocabulary."""
        letters, encoding = WORDS.encode("a é"), BYTES.encode("a é")
        assert encoding.offsets[-3:-1] == [letters.offsets[2]] * 2
        assert align(letters, encoding).other_positions == (0, 1, None, len(encoding) - 1)
        assert is_identity(align(encoding, encoding))


class TestOtherText:
    def test_a_word_replaced_by_another(self) -> None:
        ours, theirs = WORDS.encode("the cat sat on a mat."), WORDS.encode("the dog sat on a mat.")
        assert is_identity(align(ours, theirs)) and ("cat", "dog") in paired(ours, theirs)

    def test_a_word_more(self) -> None:
        ours, theirs = WORDS.encode("the cat sat."), WORDS.encode("the very cat sat.")
        assert align(ours, theirs).other_positions == (0, 1, 3, 4, 5, 6)
        assert align(theirs, ours).other_positions == (0, 1, None, 2, 3, 4, 5)
        assert align(ours, theirs).inverse() == align(theirs, ours)

    def test_a_word_replaced_by_one_of_more_pieces_has_no_counterpart(self) -> None:
        found = paired(WORDS.encode("the cat sat"), WORDS.encode("the comfortable sat"))
        assert found == [("[CLS]", "[CLS]"), ("the", "the"), ("sat", "sat"), ("[SEP]", "[SEP]")]

    def test_a_and_b_are_kept_apart(self) -> None:
        ours, theirs = WORDS.encode("the cat sat", "it was a mat"), WORDS.encode("it was a mat", "the cat sat")
        assert align(ours, theirs).reason == "other_text"
        assert paired(ours, theirs) == [("[CLS]", "[CLS]"), ("[SEP]", "[SEP]"), ("[SEP]", "[SEP]")]

    def test_without_b_its_tokens_have_no_counterpart(self) -> None:
        pair, single = WORDS.encode("the cat", "it sat"), WORDS.encode("the cat")
        assert align(pair, single).other_positions == (0, 1, 2, 3, None, None, None)
        assert align(single, pair).other_positions == (0, 1, 2, 3)

    def test_without_special_tokens(self) -> None:
        """As a view shows a text whose special tokens are hidden."""
        whole = WORDS.encode("the cat sat.", "it was")
        words = [at for at, part in enumerate(whole.parts) if part != "special"]
        lists = ("tokens", "ids", "segments", "positions", "offsets", "parts", "words", "labels")
        bare = replace(whole, **{name: [getattr(whole, name)[at] for at in words] for name in lists})
        assert align(bare, whole).other_positions == tuple(words)
        assert align(whole, bare).other_positions == (None, 0, 1, 2, 3, None, 4, 5, None)

    def test_texts_without_a_common_word_are_not_paired(self) -> None:
        """Not even their full stops, which say nothing."""
        found = align(WORDS.encode("the cat sat."), WORDS.encode("it was very!"))
        assert found.reason == "other_text" and found.pairs == ((0, 0), (5, 5))

    @pytest.mark.parametrize("texts", [("", "the cat"), ("the cat", ""), ("", "")])
    def test_an_empty_text_says_so(self, texts: tuple[str, str]) -> None:
        ours, theirs = (WORDS.encode(text) for text in texts)
        found = align(ours, theirs)
        assert found.reason == "no_text"
        assert paired(ours, theirs) == [("[CLS]", "[CLS]"), ("[SEP]", "[SEP]")]

    @given(st.lists(st.sampled_from(["the", "cat", "dog", "sat", "comfortable", "a", ".", "[MASK]"])), st.data())
    def test_pairs_are_in_order_and_of_one_part(self, words: list[str], data: st.DataObject) -> None:
        other = data.draw(st.lists(st.sampled_from([*words, "mat", "house"])))
        cut = data.draw(st.integers(0, len(words)))
        ours = WORDS.encode(" ".join(words[:cut]), " ".join(words[cut:]))
        theirs = MORE.encode(" ".join(other[:cut]), " ".join(other[cut:]))
        found = align(ours, theirs)
        assert len(found.other_positions) == len(ours) and found.other_length == len(theirs)
        assert [j for _, j in found.pairs] == sorted({j for _, j in found.pairs})
        assert all(ours.parts[i] == theirs.parts[j] for i, j in found.pairs)
        assert (found.reason is None) == any(ours.parts[i] != "special" for i, _ in found.pairs)
