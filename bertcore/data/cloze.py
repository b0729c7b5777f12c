"""Sentences with one word missing, and what belongs there: a JSON object on each line of a file. No torch."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.files import content_of
from bertcore.json_text import parse_object
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer, word_ids_at


@dataclass(frozen=True)
class ClozeSentence:
    text: str  # with one [MASK]
    answers: tuple[str, ...]  # equally right; the first is the one that a person would say
    category: str


def read_cloze(file: Path) -> list[ClozeSentence]:
    """Raises BertcoreError for a file that is no cloze set."""
    found = []
    for place, record in records(lines_of(file), text=str, answers=list, category=str):
        sentence = ClozeSentence(record["text"], tuple(map(str, record["answers"])), record["category"])
        if sentence.text.count(MASK) != 1 or not sentence.answers:
            raise BertcoreError(f"{place}: expected a text with one {MASK} and at least one answer.")
        found.append(sentence)
    return found


def accepted_ids(sentence: ClozeSentence, encoding: Encoding, position: int, tokenizer: Tokenizer) -> list[int]:
    """Of the answers that are one token in place of the mask, at `position`: a longer one cannot be guessed."""
    found: list[int] = []
    for answer in sentence.answers:
        with suppress(BertcoreError):  # the vocabulary lacks its letters
            ids = word_ids_at(answer, tokenizer, encoding, position)
            found += ids if len(ids) == 1 else []
    return found


def lines_of(file: Path) -> list[tuple[str, str]]:
    """Each line after its place, as messages name it. Raises BertcoreError for a file that cannot be read, or is
    empty."""
    try:
        lines = content_of(file, advice="choose another one").decode().split("\n")  # other ends may stand in a text
    except UnicodeDecodeError as error:
        raise BertcoreError(f"The file {file} cannot be read: {error}.") from None
    if not any(line.strip() for line in lines):
        raise BertcoreError(f"The file {file} is empty.")
    return [(f"The file {file}, line {number}", line) for number, line in enumerate(lines, 1)]


def records(lines: Iterable[tuple[str, str]], **fields: type) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place of each line and the JSON object on it; empty lines are left out.

    Raises BertcoreError for a line without one, or without one of the fields.
    """
    for place, line in lines:
        if not line.strip():
            continue
        record = parse_object(line, place)
        wrong = [name for name, kind in fields.items() if not isinstance(record.get(name), kind)]
        if wrong:
            raise BertcoreError(f"{place}: expected the field {wrong[0]!r} as {fields[wrong[0]].__name__}.")
        yield place, record
