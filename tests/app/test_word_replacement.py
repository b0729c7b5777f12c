"""A clicked word in the text: what the model then reads is that word in that place, whatever the vocabulary's kind."""

import pytest
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import WordLevel

from app.state.explore_state import ExploreState, Written, replaced, written
from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_smiles
from tests.app.family_models import vocabulary

TEXT = "the cat sat on the mat."


def put(kind: str, old: str, new: str, text: str = TEXT) -> tuple[str, list[str]]:
    """The text after `new` was put where `old` stands, and its tokens; both as people see them."""
    tokenizer = vocabulary(kind)
    encoding = tokenizer.encode(text)
    labels = [tokenizer.label(i) for i in range(tokenizer.vocab_size)]
    after = replaced(text, encoding.offsets[encoding.labels.index(old)], written(tokenizer, labels.index(new)))
    return after, tokenizer.encode(after).labels


@pytest.mark.parametrize("kind", ["byte-level", "sentencepiece"])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("·cat", "·dog", "the dog sat on the mat."),
        ("·cat", "s", "thes sat on the mat."),
        (".", "·dog", "the cat sat on the mat dog"),
        (".", ",", "the cat sat on the mat,"),
    ],
)
def test_a_mark_is_a_space_and_none_is_glued(kind: str, old: str, new: str, expected: str) -> None:
    assert put(kind, old, new)[0] == expected


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("wordpiece", "cat", "dog"),
        ("wordpiece", ".", "dog"),
        ("wordpiece", "mat", "."),
        ("byte-level", "·cat", "·dog"),
        ("byte-level", ".", "·dog"),
        ("byte-level", "·cat", "."),
        ("byte-level", "the", "The"),
        ("sentencepiece", "·the", "·dog"),
        ("sentencepiece", "·mat", "·dog"),
        ("sentencepiece", "·cat", ","),
    ],
)
def test_the_model_then_reads_that_token_there_and_all_others_as_before(kind: str, old: str, new: str) -> None:
    before = vocabulary(kind).encode(TEXT).labels
    expected = list(before)
    expected[before.index(old)] = new
    assert put(kind, old, new)[1] == expected


def test_a_mask_and_the_space_before_it_go_together() -> None:
    for kind in ("byte-level", "sentencepiece", "wordpiece"):
        tokenizer = vocabulary(kind)
        state = ExploreState()
        state.set_text("the [MASK] sat.")
        state.set_tokenizer(tokenizer, 64)
        word = next(i for i in range(tokenizer.vocab_size) if tokenizer.label(i) in ("·dog", "dog"))
        state.insert_words([(2, word)])
        assert state.text_a == "the dog sat."
        assert state.encoding is not None and state.encoding.ids[2] == word


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("a cat b", "cat", Written("dog", "between words"), "a dog b"),
        ("a cat b", "cat", Written("s", "none"), "as b"),
        ("comfortable b", "able", Written("dog", "between words"), "comfort dog b"),
        ("comfortable b", "able", Written("s", "none"), "comforts b"),
        ("U.S", ".", Written("dog", "between words"), "U dog S"),
        ("well-known", "known", Written("dog", "between words"), "well-dog"),
    ],
)
def test_words_are_kept_apart_and_pieces_are_not(text: str, old: str, new: Written, expected: str) -> None:
    start = text.index(old)
    assert replaced(text, (start, start + len(old)), new) == expected


def test_atoms_are_put_in_without_any_space() -> None:
    raw = raw_from_smiles([*SPECIAL_TOKENS, "C", "O", "N", "(", ")", "="], "[UNK]")
    tokenizer = Tokenizer(raw, lowercase=False)
    nitrogen = tokenizer.id("N")
    assert isinstance(raw, RawTokenizer) and isinstance(raw.model, WordLevel) and nitrogen is not None
    assert replaced("CC(=O)O", (6, 7), written(tokenizer, nitrogen)) == "CC(=O)N"


def test_a_part_of_a_character_is_refused_in_a_sentence_and_the_mask_stays() -> None:
    tokenizer = vocabulary("byte-level")
    lone = next(i for i in range(tokenizer.vocab_size) if tokenizer.label(i) == "\\xE2")
    with pytest.raises(BertcoreError, match="cannot be typed"):
        written(tokenizer, lone)
    backslash = tokenizer.id("\\")
    assert backslash is not None and written(tokenizer, backslash).text == "\\"
    state, said = ExploreState(), []
    state.problem_found.connect(said.append)
    state.set_text(TEXT)
    state.set_tokenizer(tokenizer, 64)
    state.toggle_mask(2)
    state.insert_words([(2, lone)])
    assert state.text_a == TEXT and state.masked == {2} and len(said) == 1


def test_a_special_token_is_written_by_its_own_name() -> None:
    tokenizer = vocabulary("byte-level")
    assert replaced("the cat", (4, 7), written(tokenizer, tokenizer.sep_id)) == "the </s>"
