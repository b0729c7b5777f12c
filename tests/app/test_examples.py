"""The example pairs: what ships can be read, and what is wrong is refused."""

import pytest

from app.shell.rooms import ROOMS
from app.state.examples import _load_examples, load_examples, read_example
from bertcore.errors import BertcoreError
from bertcore.locations import GERMAN, TINY, tuned_models
from bertcore.tokenizer.text_spans import Place, positions_of
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.end_to_end.shell import run_python

NAMES = "bertscope-names"


def entry(**changes):
    text = {"title": "T", "a": "The cat saw the cat.", "b": None, "mask": [], "room": "attend"}
    return {**text, "look_for": "Look.", "happens": "It does.", "checks": [{"first": "cat"}], **changes}


@pytest.fixture(scope="module")
def tokenizer():
    texts = [text for example in load_examples() for text in (example.a, example.b) if text]
    return Tokenizer.train(texts, vocab_size=200, lowercase=True)


def test_examples_ship_with_different_titles_and_some_for_the_fine_tuned_models():
    examples = load_examples()
    assert len([example for example in examples if example.model is None]) >= 30
    assert {example.model for example in examples} == {None, TINY, GERMAN, *tuned_models()}
    assert len({example.title for example in examples}) == len(examples)
    assert {"embed", "attend", "predict", "layers"} <= {example.room for example in examples}
    assert {example.room for example in examples} <= {room.key for room in ROOMS}
    assert {example.b is None for example in examples} == {True, False}
    views = {room.key: room.view_keys for room in ROOMS}
    assert all(example.view in ("", *views[example.room]) for example in examples)


def test_an_example_of_a_model_that_is_not_there_is_left_out(monkeypatch):
    monkeypatch.setattr("app.state.examples.tuned_models", lambda: [NAMES])
    models = {example.model for example in _load_examples.__wrapped__("en")}  # not those it has kept
    assert models == {None, TINY, GERMAN, NAMES}


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.title)
def test_text_of_an_example_is_plain_and_says_what_to_look_for(example):
    given = (example.b, example.other)
    for text in (example.title, example.a, example.look_for, example.happens, *filter(None, given)):
        assert text == text.strip() != ""
        assert "[MASK]" not in text
    assert "?" in example.look_for  # asks; what the built-in model does stands behind it
    assert len(example.look_for) <= 140 and len(example.happens) <= 140


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.title)
def test_masked_positions_are_exactly_the_tokens_of_the_masked_words(example, tokenizer):
    encoding = tokenizer.encode(example.a, example.b)
    positions = positions_of(encoding, example.mask)
    masked = "".join(encoding.tokens[position].removeprefix("##") for position in positions)
    sentence = {"a": example.a, "b": example.b or ""}
    assert masked == "".join(sentence[word.part][word.start : word.stop].lower() for word in example.mask)


def test_a_word_is_found_as_a_whole_and_by_its_number():
    assert read_example(entry(mask=["a:cat"])).mask == (Place("a", 4, 7),)
    assert read_example(entry(mask=["a:cat#2"])).mask == (Place("a", 16, 19),)
    assert read_example(entry(b="A category or a cat?", mask=["b:cat"])).mask == (Place("b", 16, 19),)


def test_a_wrong_example_is_refused_with_a_sentence_that_names_it():
    masks = {"a:dog": "a:dog", "a:cat#3": "a:cat#3", "b:cat": "b:cat", "cat": "a:word"}
    for changes, says in (*(({"mask": [word]}, says) for word, says in masks.items()), ({"extra": 1}, "extra")):
        with pytest.raises(BertcoreError, match=says):
            read_example(entry(**changes))


def test_examples_need_neither_qt_nor_torch():
    code = (
        "import sys; from app.state.examples import load_examples; load_examples();"
        "sys.exit(any(name.partition('.')[0] in ('torch', 'PySide6') for name in sys.modules))"
    )
    assert run_python("-c", code).returncode == 0
