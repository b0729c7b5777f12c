"""Collections, what evidence is gathered over: sentences, pairs with a wanted and an unwanted word, a treebank.

They come from a file or from typed lines; each row knows its place there, and a collection its SHA-256, so that two
figures can be known to be of the same text.
"""

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice, product, zip_longest
from pathlib import Path
from typing import Any, Generic, TypeVar

from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import MinimalPair, read_minimal_pairs
from bertcore.limits import MOST_LISTED_TEXTS, TASK_FILE_BYTES, TASK_LINES
from bertcore.tasks.kinds.texts import LABEL_COLUMNS, TEXT_COLUMNS
from bertcore.tasks.readers.lines import layout_suffix, line_of, numbered_lines, refuse
from bertcore.tasks.readers.tables import TABLES, Row, read_rows
from bertcore.tokenizer.special_tokens import MASK

R = TypeVar("R", bound="Sentence")
Source = Path | Sequence[str]  # a file, or lines
MOST_ROWS = 1_000_000  # in memory; of sentences some 400 MB
MOST_WORDS = 512  # of one sentence
_PLACE = re.compile(r"[\[{]([^\[\]{}]*[|/][^\[\]{}]*)[\]}]")  # [MASK] has neither bar nor slash


@dataclass(frozen=True)
class Sentence:
    text: str
    place: str  # where it is from, for messages: "texts.txt, line 3"


@dataclass(frozen=True)
class Pair(Sentence):
    """A text with one [MASK], for which the model is asked how much likelier `wanted` is than `against`.

    `other` is the text in which it is the other way round; empty where there is none, and nothing can be swapped in.
    """

    wanted: str
    against: str
    other: str = ""


@dataclass(frozen=True)
class Tree(Sentence):
    """A sentence in words, each with the word that it depends on (Universal Dependencies)."""

    words: tuple[str, ...]  # (W)
    heads: tuple[int, ...]  # (W) number of the word that it depends on, from 0; -1 for the root
    relations: tuple[str, ...]  # (W) such as "nsubj", without a subtype
    tags: tuple[str, ...]  # (W) universal part of speech
    is_joined: tuple[bool, ...]  # (W) no space after it

    @property
    def spans(self) -> list[tuple[int, int]]:
        """(W) where each word stands in the text: its first character, and the one after its last."""
        sizes = [len(word) + (not joined) for word, joined in zip(self.words, self.is_joined, strict=True)]
        return [(at, at + len(word)) for word, at in zip(self.words, accumulate(sizes, initial=0), strict=False)]


@dataclass(frozen=True)
class Document(Sentence):
    labels: tuple[str, ...] = ()  # none: they are not known


@dataclass(frozen=True)
class Collection(Generic[R]):
    """Rows of one kind. `left_out` says what of the file is not among them, and why."""

    name: str
    rows: Sequence[R]
    sha256: str  # of what the rows say, wherever they stand
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, rows: Iterable[int]) -> "Collection[R]":
        """Some of its rows, under the same name and SHA-256."""
        return replace(self, rows=tuple(self.rows[row] for row in rows))

    def first(self, count: int) -> "Collection[R]":
        """The first rows, with a SHA-256 of their own; all, where there are no more."""
        digest = hashlib.sha256(f"{self.sha256} {count}".encode()).hexdigest()
        return self if len(self) <= count else replace(self, rows=self.rows[:count], sha256=digest)


class SomeRows(Sequence[R]):
    """Rows of which only some were kept, under the numbers that they have among all."""

    def __init__(self, kept: Mapping[int, R], rows: int) -> None:
        self._kept, self._rows = kept, rows

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, row: Any) -> Any:
        return self._kept[row]


def read_sentences(source: Source, keeps: Callable[[int], bool] | None = None) -> Collection[Sentence]:
    """A sentence on each line; of a table those in the column "text" or "sentence", of a treebank (.conllu) its own.

    keeps: which rows stay in memory, where not all do. A text may then be as long as one likes.
    Raises BertcoreError for a file that cannot be read or has none.
    """
    name, lines = _lines(source, math.inf)
    if isinstance(source, Path) and layout_suffix(source) == ".conllu":
        return _collection(name, read_treebank(source).rows, "sentences", keeps=keeps)
    if isinstance(source, Path) and layout_suffix(source) in TABLES and layout_suffix(source) != ".txt":
        rows = ((row, "text" if "text" in row.fields else "sentence") for row in read_rows(source))
        lines = ((row.place, row.text(column)) for row, column in rows)
    found = (Sentence(line.strip(), place) for place, line in lines if line.strip())
    return _collection(name, found, "a sentence on each line", keeps=keeps)


def read_documents(source: Source) -> Collection[Document]:
    """A document on each line; of a table its column of texts, with labels where it has them, several with ; between.

    Raises BertcoreError for a file that cannot be read or has none.
    """
    name, lines = _lines(source)
    found: Iterable[Document] = (Document(line.strip(), place) for place, line in lines if line.strip())
    if isinstance(source, Path) and layout_suffix(source) in TABLES and layout_suffix(source) != ".txt":
        found = map(_document, islice(read_rows(source), MOST_ROWS + 1))
    return _collection(name, found, "a document on each line, or rows with a column of texts")


def _document(row: Row) -> Document:
    text = next((name for name in TEXT_COLUMNS if name in row.fields), TEXT_COLUMNS[0])
    said = next((row.fields[name] for name in LABEL_COLUMNS if name in row.fields), None)
    labels = said if isinstance(said, list) else [] if said is None else str(said).split(";")
    return Document(row.text(text), row.place, tuple(label for each in labels if (label := str(each).strip())))


def read_pairs(source: Source) -> Collection[Pair]:
    """Pairs from a table with the columns text, wanted, against and other; from templates (`typed_pairs`), one on each
    line of a .txt; or from minimal pairs (ours, and BLiMP's) that differ in one word, which is masked.

    Raises BertcoreError, in a sentence that names the line, for a file that has no such pairs.
    """
    if not isinstance(source, Path) or layout_suffix(source) == ".txt":
        name, lines = _lines(source)
        return typed_pairs(lines, name)
    rows = list(islice(read_rows(source), MOST_ROWS + 1))
    if rows and {"good", "sentence_good"} & set(rows[0].fields):
        return _of_minimal_pairs(source, read_minimal_pairs(source))
    found = []
    for row in rows:
        text, wanted, against = (row.text(column) for column in ("text", "wanted", "against"))
        found.append(_pair(text, wanted, against, str(row.fields.get("other") or "").strip(), row.place))
    return _collection(source.name, found, "rows with the columns text, wanted, against and other")


def typed_pairs(lines: Iterable[tuple[str, str]], name: str = "typed") -> Collection[Pair]:
    """(place, line) each: every line is a template, and stands for all combinations of its alternatives.

        The [author/authors|pilot/pilots] that the [guards|boys] like [smiles/smile].

    Alternatives have a bar between them; a word and the one in its place in the other text, a slash. The last place is
    the word asked about, wanted and unwanted. Square and curly brackets are the same.
    Raises BertcoreError for a line that is no such template.
    """
    rows: list[Pair] = []
    for place, line in lines:
        rows += islice(_expanded(line.strip(), place), MOST_LISTED_TEXTS + 1) if line.strip() else ()
        if len(rows) > MOST_LISTED_TEXTS:
            raise BertcoreError(f"{place}: this makes more than {MOST_LISTED_TEXTS:,} pairs; give fewer choices.")
    return _collection(name, rows, "a template on each line")


def read_treebank(source: Source) -> Collection[Tree]:
    """CoNLL-U (https://universaldependencies.org/format.html): ten columns with tabs between, a blank line after each
    sentence. Words that stand for several (1-2) and empty nodes (1.1) are left out.

    Raises BertcoreError, in a sentence that names the line, for a file that is none, and for a sentence that depends on
    itself in a circle.
    """
    name, lines = _lines(source)
    blocks: list[list[tuple[str, str]]] = [[]]
    for place, line in lines:
        if not line.strip():
            blocks.append([])
        elif not line.startswith("#"):
            blocks[-1].append((place, line))
    long = sum(len(block) > MOST_WORDS for block in blocks)
    trees = [tree for tree in (_tree(block) for block in blocks if len(block) <= MOST_WORDS) if tree is not None]
    left = (f"{long:,} sentences of more than {MOST_WORDS} words",) if long else ()
    return _collection(name, trees, "sentences in CoNLL-U", left)


def _lines(source: Source, most: float = TASK_LINES) -> tuple[str, Iterable[tuple[str, str]]]:
    """The name of the collection, and its lines with their places."""
    if isinstance(source, Path):
        lines = numbered_lines(source, most=most, most_bytes=max(most, TASK_FILE_BYTES))
        return source.name, ((line_of(source, number), line) for number, line in lines)
    return "typed", ((f"line {number}", line) for number, line in enumerate(source, 1))


def _collection(
    name: str,
    rows: Iterable[R],
    expected: str,
    left_out: tuple[str, ...] = (),
    keeps: Callable[[int], bool] | None = None,
) -> Collection[R]:
    digest, kept, count = hashlib.sha256(), dict[int, R](), 0
    for count, row in enumerate(rows, 1):
        digest.update(repr([value for key, value in vars(row).items() if key != "place"]).encode("utf-8", "replace"))
        if keeps is None or keeps(count - 1):
            kept[count - 1] = row
            if len(kept) > MOST_ROWS:
                raise BertcoreError(f"{name} has more than {MOST_ROWS:,} rows; take fewer, or share them (--shard).")
    if not count:
        why = f" ({'; '.join(left_out)} left out)" if left_out else ""
        raise BertcoreError(f"{name} has nothing to gather evidence over{why}; expected {expected}.")
    found = tuple(kept.values()) if keeps is None else SomeRows(kept, count)
    return Collection(name, found, digest.hexdigest(), left_out)


def _pair(text: str, wanted: str, against: str, other: str, place: str) -> Pair:
    for each in filter(None, (text, other)):
        if each.count(MASK) != 1:
            raise refuse(place, f"a text with one {MASK}", each)
    if wanted == against:
        raise BertcoreError(f"{place}: the wanted and the unwanted word are the same, {wanted!r}.")
    return Pair(text, place, wanted, against, other)


def _expanded(line: str, place: str) -> Iterator[Pair]:
    parts = _PLACE.split(line)  # what stands around the places, and in them, in turn
    *places, asked = [each.split("|") for each in parts[1::2]] or [[""]]
    words = [word.strip() for word in (asked if len(asked) > 1 else asked[0].split("/"))]
    if len(words) != 2 or not all(words):
        raise BertcoreError(f"{place}: expected the wanted and the unwanted word in the last brackets, [smiles/smile].")
    for choice in product(*places):
        both = [(own, other or own) for own, _, other in (each.partition("/") for each in choice)]
        sides = ([*(side[number] for side in both), MASK] for number in (0, 1))
        text, other = ("".join(chain(*zip_longest(parts[::2], side, fillvalue=""))) for side in sides)
        yield _pair(text, words[0], words[1], other if other != text else "", place)


def _of_minimal_pairs(file: Path, pairs: Sequence[MinimalPair]) -> Collection[Pair]:
    """The word in which they differ is masked; there is no other text."""
    rows = []
    for number, pair in enumerate(pairs, 1):
        good, bad = (re.findall(r"\w+|[^\w\s]|\s+", text) for text in (pair.good, pair.bad))
        differ = [at for at, (one, two) in enumerate(zip(good, bad, strict=False)) if one != two]
        if len(good) == len(bad) and len(differ) == 1:
            text = "".join([*good[: differ[0]], MASK, *good[differ[0] + 1 :]])
            rows.append(Pair(text, f"{file.name}, pair {number}", good[differ[0]], bad[differ[0]]))
    left = len(pairs) - len(rows)
    why = (f"{left:,} pairs that differ in more than one word",) if left else ()
    return _collection(file.name, rows, "pairs that differ in one word", why)


def _tree(lines: Sequence[tuple[str, str]]) -> Tree | None:
    """A sentence from its lines, with their places; None where there is no word on them."""
    rows, spans = list[tuple[str, int, str, str, bool]](), list[tuple[int, int, str, bool]]()
    places: list[str] = []
    for place, line in lines:
        cells = line.split("\t")
        if len(cells) != 10:
            raise refuse(place, "ten columns with tabs between them (CoNLL-U)", line)
        is_joined = "SpaceAfter=No" in cells[9]
        if span := re.fullmatch(r"(\d{1,6})-(\d{1,6})", cells[0]):
            spans.append((int(span[1]) - 1, int(span[2]) - 1, cells[1], is_joined))
        elif not re.fullmatch(r"\d+\.\d+", cells[0]):
            if cells[0] != str(len(rows) + 1) or not re.fullmatch(r"\d{1,6}", cells[6]):
                raise refuse(place, f"word {len(rows) + 1} and the number of the word that it depends on", line)
            rows.append((cells[1], int(cells[6]) - 1, cells[7].partition(":")[0], cells[3], is_joined))
            places.append(place)
    if not rows:
        return None
    words, heads, relations, tags, own = zip(*rows, strict=True)
    joined = list(own)
    for first, last, written, is_joined in spans:
        spells = "".join(words[first : last + 1]) == written  # "don't" of do and n't; not "du" of de and le
        for at in range(first, min(last + 1, len(rows))):
            joined[at] = is_joined if at == last else spells
    for start, head in enumerate(heads):
        if head >= len(rows):
            raise refuse(places[start], f"a word of this sentence, 1 to {len(rows)}, to depend on", head + 1)
        at = start
        for _ in rows:
            at = heads[at] if at >= 0 else at
        if at >= 0:
            raise BertcoreError(f"{places[at]}: this word depends on itself, by way of others.")
    text = "".join(word + " " * (not glued) for word, glued in zip(words, joined, strict=True)).rstrip()
    return Tree(text, places[0], words, heads, relations, tags, tuple(joined))
