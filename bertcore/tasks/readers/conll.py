"""Columns as in CoNLL-2003: a word a line, a blank line between sentences, the tag in one of the columns.

Tags in IOB1, as CoNLL-2003 has them, are given as BIO: the same entities, and what models are trained on nowadays.
Source: Tjong Kim Sang and De Meulder 2003.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bertcore.errors import BertcoreError
from bertcore.tag_schemes import Scheme, convert_tags, detect_scheme
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.readers.lines import label_text, layout_suffix, line_of, numbered_lines, refuse
from bertcore.tasks.readers.tables import read_rows, text_in
from bertcore.tasks.spec import Contents, Request

DOCUMENT_START = "-DOCSTART-"
_SPACES = re.compile(r"[ \t]+")  # not str.split(), which parts words at other spaces too
_WITH_LISTS = (".jsonl", ".ndjson", ".parquet")


class Sentence(NamedTuple):
    places: Sequence[str]  # of each word, or one for all
    words: list[str]
    tags: list[str] | None

    def place(self, word: int) -> str:
        return self.places[min(word, len(self.places) - 1)]


def read_tagged(request: Request) -> Contents:
    """Sentences in words with a tag each: the layout "conll". A JSONL or Parquet file has lists of words and tags."""
    has_lists = layout_suffix(request.file) in _WITH_LISTS
    sentences = list(_listed(request) if has_lists else _in_columns(request))
    if not sentences:
        raise BertcoreError(f"The file {request.file} has no sentences; it needs a word and its tag in each line.")
    tags = {tag for sentence in sentences for tag in sentence.tags or ()}
    scheme = request.spec.scheme or _scheme_to_give(request.known_labels or tags)
    odd = {tag for tag in tags if tag != "O" and detect_scheme([tag]) == "none"} if scheme != "none" else set()
    for sentence in sentences if odd else ():
        for word, tag in enumerate(sentence.tags or ()):
            if tag in odd:
                raise refuse(sentence.place(word), "a tag such as O, B-PER or I-PER", tag)
    labels = request.known_labels or complete_labels(tags, scheme)
    if request.needs_labels and len(labels) < 2:
        raise BertcoreError(f"{request.file.name} has fewer than two different tags; name their column with --label.")
    examples = [_example(request, sentence, scheme) for sentence in sentences]
    written = detect_scheme(tags, [sentence.tags for sentence in sentences if sentence.tags])
    is_same = "none" in (written, scheme) or written == scheme
    notes = () if is_same else (f"Tags written as {written} are given as {scheme}: the same entities.",)
    return Contents(examples, labels, scheme=scheme, notes=notes)


def complete_labels(tags: Iterable[str], scheme: Scheme) -> tuple[str, ...]:
    """The labels to choose from: "O", then beginning and inside of each type, also where one of them never occurred."""
    if scheme == "none":
        return tuple(sorted(set(tags)))
    letters = "BIES" if scheme == "IOBES" else "BI"
    kinds = sorted({tag[1:] for tag in tags if tag != "O"})  # "-PER", or "" where the tags name no type
    return ("O", *(letter + kind for kind in kinds for letter in letters))


def _scheme_to_give(tags: Iterable[str]) -> Scheme:
    """That of most tags, so that one misspelt tag is found out and does not turn entities into plain labels."""
    like_entities = {tag for tag in tags if tag == "O" or detect_scheme([tag]) != "none"}
    plain = set(tags) - like_entities
    if len(plain) >= len(like_entities - {"O"}):
        return "none"
    return "IOBES" if detect_scheme(like_entities) == "IOBES" else "BIO"


def _example(request: Request, sentence: Sentence, scheme: Scheme) -> TaggedExample:
    if sentence.tags is None:
        return TaggedExample(tuple(sentence.words))
    tags = sentence.tags if scheme == "none" else convert_tags(sentence.tags, scheme)
    for word, tag in enumerate(tags):
        request.check_known(sentence.place(word), tag)
    return TaggedExample(tuple(sentence.words), tuple(tags))


def _in_columns(request: Request) -> Iterator[Sentence]:
    """Sentences of a file in columns. All lines must have as many columns as the first."""
    places: list[str] = []
    words: list[str] = []
    tags: list[str] = []
    columns: tuple[int, int | None] | None = None
    count = 0
    for number, cells in _cells(request.file):
        place = line_of(request.file, number)
        if cells and columns is None:
            count, columns = len(cells), _chosen(request, place, cells)
        if cells and len(cells) != count:
            raise refuse(place, f"{count} columns, as in the lines before", " ".join(cells))
        if cells and columns and cells[0] != DOCUMENT_START:
            places.append(place)
            words.append(text_in(place, "the word", cells[columns[0]]))
            if columns[1] is not None:
                tags.append(sys.intern(request.spec.name_of(cells[columns[1]])))
        elif words and columns:
            yield Sentence(places, words, tags if columns[1] is not None else None)
            places, words, tags = [], [], []


def _cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Columns of each line, none for a blank one; and a blank one at the end."""
    number = 0
    for number, line in numbered_lines(file):
        yield number, _SPACES.split(line.strip(" \t")) if line.strip() else []
    yield number + 1, []


def _chosen(request: Request, place: str, cells: list[str]) -> tuple[int, int | None]:
    """Which columns, from 0, hold the word and the tag: as a person numbered them from 1, or as the task has them."""
    word = _number(request, request.columns.get("text", "1"), "--text")
    tag = _number(request, request.columns.get("label", str(request.spec.tag_column or max(2, len(cells)))), "--label")
    if len(cells) == 1 and not request.needs_labels:
        return 0, None
    if max(word, tag) > len(cells):
        raise refuse(place, f"{max(word, tag)} columns or more, separated by spaces or tabs", " ".join(cells))
    return word - 1, tag - 1


def _number(request: Request, text: str, flag: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise BertcoreError(
            f"The columns of {request.file.name} are numbered from 1, not named like '{text}'; see {flag}."
        )
    return int(text)


def _listed(request: Request) -> Iterator[Sentence]:
    """Sentences of a JSONL or Parquet file: a list of words and a list of tags in each row."""
    columns: tuple[str | None, str | None] | None = None
    for row in read_rows(request.file):
        available = list(row.fields)
        columns = columns or (
            request.column("text", available),
            request.column("label", available, request.needs_labels),
        )
        words = row.fields.get(columns[0] or "")
        if not isinstance(words, list) or not words:
            raise refuse(row.place, f"a list of words ('{columns[0]}')", words)
        tags = row.fields.get(columns[1]) if columns[1] else None
        yield Sentence(
            [row.place], [text_in(row.place, "a word", word) for word in words], _tags(row.place, tags, words)
        )


def _tags(place: str, tags: object, words: list[object]) -> list[str] | None:
    if tags is None:
        return None
    texts = [label_text(tag) for tag in tags] if isinstance(tags, list) else []
    if len(texts) != len(words) or None in texts:
        raise refuse(place, f"a list of {len(words)} tags, one for each word", tags)
    return [text for text in texts if text is not None]
