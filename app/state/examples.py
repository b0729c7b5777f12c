"""The example pairs that ship with BERTscope. No Qt, no torch.

`assets/examples.json` is a list of objects with these keys:

    title       what the Examples menu shows
    a, b        the two sentences; b may be null
    mask        words to mask, each as "a:word" or "b:word": the first place where this word stands in that sentence.
                "a:word#2" is the second place. All tokens of the word are masked.
    room        the room to look at it in: the key of one, see app.shell.rooms
    look_for    one or two plain sentences that ask: what to look at, what to compare
    happens     what the built-in model does here, in a sentence
    model       optional: the model that it is about, one of bertcore.locations.NAMED; else the built-in one
    passage     optional: the text that an answer is looked for in, in the room Apply
    other       optional: what a is compared with; b stays, and the same tokens are masked
    view        optional: the view to look at it in; else the first of the room
    checks      what `happens` claims, one object for each claim: tests/test_examples_hold.py holds the model to it

A translation, `assets/languages/<language>/examples.json`, is an object: each English title, question and answer, and
what it is in that language. The sentences stay as they are, for the model speaks English.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.files import read_json
from bertcore.locations import GERMAN, TINY, assets, tuned_models
from bertcore.tokenizer.text_spans import Place

from ..look import translated

_MASK = re.compile(r"(?P<part>[ab]):(?P<word>.+?)(?:#(?P<nth>[1-9]\d*))?")


@dataclass(frozen=True)
class Example:
    """A sentence pair, the words to mask in it, and what to look at."""

    title: str
    a: str
    b: str | None
    mask: tuple[Place, ...]  # of each word to mask
    room: str
    look_for: str
    happens: str
    checks: tuple[Mapping[str, Any], ...]
    model: str | None = None
    passage: str = ""
    other: str = ""
    view: str = ""


def load_examples() -> tuple[Example, ...]:
    """All example pairs, in the order of the menu and the language of the window.

    Those on fine-tuned models that are not there are left out.

    Raises BertcoreError where the file is not what this module's first lines say.
    """
    return _load_examples(translated.language())


@cache
def _load_examples(language: str) -> tuple[Example, ...]:
    entries = read_json(assets() / "examples.json", "install BERTscope again", kind=list)
    there = (None, TINY, GERMAN, *tuned_models())
    examples = tuple(example for example in map(read_example, entries) if example.model in there)
    words = translated.folder_of(language) / "examples.json"
    if not words.is_file():
        return examples
    translations: dict[str, str] = read_json(words, "install BERTscope again")

    def translated_texts(example: Example) -> dict[str, Any]:
        english = {name: getattr(example, name) for name in ("title", "look_for", "happens")}
        return {name: translations.get(text, text) for name, text in english.items()}

    return tuple(replace(example, **translated_texts(example)) for example in examples)


def read_example(entry: dict[str, Any]) -> Example:
    """One example from its JSON object. Raises BertcoreError for a wrong key or a word not there."""
    expected = {"title", "a", "b", "mask", "room", "look_for", "happens", "checks"}
    given = set(entry) - {"model", "passage", "other", "view"}
    if given != expected:
        wrong = ", ".join(sorted(given ^ expected))
        raise BertcoreError(f"The example {entry.get('title', '')!r} has missing or unknown keys: {wrong}.")
    mask = tuple(_find_word(entry, wanted) for wanted in entry["mask"])
    return Example(**(entry | {"mask": mask, "checks": tuple(entry["checks"])}))


def _find_word(entry: dict[str, Any], wanted: str) -> Place:
    """Where the word of "a:word#2" stands."""
    match = _MASK.fullmatch(wanted)
    if match is None:
        raise BertcoreError(f"The example {entry['title']!r} masks {wanted!r}; write a:word or b:word.")
    part, word, nth = match["part"], match["word"], int(match["nth"] or 1)
    places = list(re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", entry[part] or ""))
    if nth > len(places):
        raise BertcoreError(f"The example {entry['title']!r} masks {wanted!r}, but the word is not in that sentence.")
    return Place(part, *places[nth - 1].span())
