"""Collections, what evidence is gathered over: sentences, pairs with a wanted and an unwanted word, a treebank.

They come from a file or from typed lines; each row knows its place there, and a collection its SHA-256, so that two
figures can be known to be of the same text.
"""

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import MinimalPair, read_minimal_pairs
from bertcore.limits import MOST_LISTED_TEXTS
from bertcore.tasks.readers.lines import layout_suffix, line_of, numbered_lines, refuse
from bertcore.tasks.readers.tables import read_rows
from bertcore.tokenizer.special_tokens import MASK

R = TypeVar("R", bound="Sentence")
MOST_ROWS = 100_000
MOST_WORDS = 512  # of one sentence
_PLACE = re.compile(r"[\[{]([^\[\]{}|]*(?:\|[^\[\]{}|]*)+)[\]}]")  # [MASK] has no bar
_COLUMNS = ("text", "other", "wanted", "against")


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


@dataclass(frozen=True)
class Collection(Generic[R]):
    """Rows of one kind. `left_out` says what of the file is not among them, and why."""

    name: str
    rows: tuple[R, ...]
    sha256: str
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)


def read_sentences(file: Path) -> Collection[Sentence]:
    """A sentence on each line. Raises BertcoreError for a file that cannot be read or has none."""
    rows = [Sentence(line.strip(), line_of(file, number)) for number, line in numbered_lines(file) if line.strip()]
    return _collection(file.name, rows, "a sentence on each line", [row.text for row in rows])


def read_pairs(file: Path) -> Collection[Pair]:
    """Pairs from a table with the columns text, wanted, against and other; from templates, one on each line of a .txt;
    or from minimal pairs (ours, and BLiMP's) that differ in one word, which is masked.

    Raises BertcoreError, in a sentence that names the line, for a file that has no such pairs.
    """
    suffix = layout_suffix(file)
    if suffix == ".txt":
        return typed_pairs(((line_of(file, number), line) for number, line in numbered_lines(file)), file.name)
    rows = list(itertools.islice(read_rows(file), MOST_ROWS + 1))
    if rows and suffix in (".jsonl", ".ndjson") and {"good", "sentence_good"} & set(rows[0].fields):
        return _of_minimal_pairs(file, read_minimal_pairs(file))
    found = []
    for row in rows:
        text, wanted, against = (row.text(column) for column in ("text", "wanted", "against"))
        found.append(_pair(text, wanted, against, str(row.fields.get("other") or "").strip(), row.place))
    return _collection(file.name, found, f"rows with the columns {', '.join(_COLUMNS)}", map(repr, found))


def typed_pairs(lines: Iterable[tuple[str, str]], name: str = "typed") -> Collection[Pair]:
    """(place, line) each: every line is a template, and stands for all combinations of its alternatives.

        The [author/authors|pilot/pilots] that the [guards|boys] like [smiles/smile].

    Alternatives have a bar between them; a word and the one in its place in the other text, a slash. The last place is
    the word asked about, wanted and unwanted. Square and curly brackets are the same.
    Raises BertcoreError for a line that is no such template.
    """
    rows: list[Pair] = []
    for place, line in lines:
        if line.strip():
            rows += itertools.islice(_expanded(line.strip(), place), MOST_LISTED_TEXTS + 1)
            if len(rows) > MOST_LISTED_TEXTS:
                raise BertcoreError(f"{place}: this makes more than {MOST_LISTED_TEXTS:,} pairs; give fewer choices.")
    return _collection(name, rows, "a template on each line", map(repr, rows))


def read_treebank(file: Path) -> Collection[Tree]:
    """CoNLL-U (https://universaldependencies.org/format.html): ten columns with tabs between, a blank line after each
    sentence. Words that stand for several (1-2) and empty nodes (1.1) are left out.

    Raises BertcoreError, in a sentence that names the line, for a file that is none, and for a sentence that depends on
    itself in a circle.
    """
    trees: list[Tree] = []
    long = 0
    for begins, lines in _blocks(file):
        tree = _tree(file, begins, lines)
        if tree is not None and len(tree.words) > MOST_WORDS:
            long += 1
        elif tree is not None:
            trees.append(tree)
    left = (f"{long:,} sentences of more than {MOST_WORDS} words",) if long else ()
    return _collection(file.name, trees, "sentences in CoNLL-U", map(repr, trees), left)


def _collection(
    name: str, rows: Sequence[R], expected: str, contents: Iterable[str], left_out: tuple[str, ...] = ()
) -> Collection[R]:
    if not rows:
        raise BertcoreError(f"{name} has nothing to gather evidence over; expected {expected}.")
    if len(rows) > MOST_ROWS:
        raise BertcoreError(f"{name} has more than {MOST_ROWS:,} rows; take fewer of them.")
    digest = hashlib.sha256()
    for each in contents:
        digest.update(each.encode("utf-8", "replace") + b"\n")
    return Collection(name, tuple(rows), digest.hexdigest(), left_out)


def _pair(text: str, wanted: str, against: str, other: str, place: str) -> Pair:
    for each in filter(None, (text, other)):
        if each.count(MASK) != 1:
            raise refuse(place, f"a text with one {MASK}", each)
    if wanted == against:
        raise BertcoreError(f"{place}: the wanted and the unwanted word are the same, {wanted!r}.")
    return Pair(text, place, wanted, against, other)


def _expanded(line: str, place: str) -> Iterator[Pair]:
    parts = _PLACE.split(re.sub(r"[\[{]([^\[\]{}|/]+/[^\[\]{}|/]+)[\]}]", r"[\1|]", line))
    *places, asked = [[one for one in part.split("|") if one] for part in parts[1::2]] or [[]]
    words = asked[0].split("/") if len(asked) == 1 else asked
    if len(words) != 2:
        raise BertcoreError(f"{place}: expected the wanted and the unwanted word in the last brackets, [smiles/smile].")
    for choice in itertools.product(*places):
        sides = [[one.partition("/")[0] for one in choice], [one.partition("/")[2] or one for one in choice]]
        text, other = ("".join(_alternate(parts[::2], [*side, MASK])) for side in sides)
        yield _pair(text, words[0].strip(), words[1].strip(), other if other != text else "", place)


def _alternate(around: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    for before, word in itertools.zip_longest(around, words, fillvalue=""):
        yield before
        yield word


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
    said = (f"{left:,} pairs that differ in more than one word",) if left else ()
    return _collection(file.name, rows, "pairs that differ in one word", map(repr, rows), said)


def _blocks(file: Path) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The number of the first line of each sentence, and its lines without comments."""
    block: list[tuple[int, str]] = []
    for number, line in itertools.chain(numbered_lines(file), [(0, "")]):
        if line.strip() and not line.startswith("#"):
            block.append((number, line))
        elif not line.strip() and block:
            yield block[0][0], block
            block = []


def _tree(file: Path, begins: int, lines: Sequence[tuple[int, str]]) -> Tree | None:
    rows: list[tuple[str, int, str, str, bool, str]] = []
    joined = False  # inside a word that stands for several
    until = 0
    for number, line in lines:
        cells = line.split("\t")
        place = line_of(file, number)
        if len(cells) != 10:
            raise refuse(place, "ten columns with tabs between them (CoNLL-U)", line)
        if re.fullmatch(r"\d+-\d+", cells[0]):
            until, joined = int(cells[0].partition("-")[2]), "SpaceAfter=No" in cells[9]
            continue
        if re.fullmatch(r"\d+\.\d+", cells[0]):
            continue
        if cells[0] != str(len(rows) + 1) or not re.fullmatch(r"\d{1,6}", cells[6]):
            raise refuse(place, f"word {len(rows) + 1} and the number of the word that it depends on", line)
        glued = joined if until == len(rows) + 1 else until > len(rows) + 1 or "SpaceAfter=No" in cells[9]
        rows.append((cells[1], int(cells[6]) - 1, cells[7].partition(":")[0], cells[3], glued, place))
    if not rows:
        return None
    words, heads, relations, tags, is_joined, places = zip(*rows, strict=True)
    for head, place in zip(heads, places, strict=True):
        if head >= len(rows):
            raise refuse(place, f"a word of this sentence, 1 to {len(rows)}, to depend on", head + 1)
    _check_no_circle(heads, places)
    text = "".join(word + " " * (not glued) for word, glued in zip(words, is_joined, strict=True)).rstrip()
    return Tree(text, line_of(file, begins), words, heads, relations, tags, is_joined)


def _check_no_circle(heads: Sequence[int], places: Sequence[str]) -> None:
    done: set[int] = {-1}
    for start in range(len(heads)):
        path: list[int] = []
        at = start
        while at not in done:
            if at in path:
                raise BertcoreError(f"{places[at]}: this word depends on itself, by way of others.")
            path.append(at)
            at = heads[at]
        done.update(path)
