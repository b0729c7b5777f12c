"""Many texts to tokens at once, on all cores, as `Tokenizer.encode` makes them; and sequences packed into arrays.

N sequences, T tokens of all together.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertcore.data.text import in_portions
from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import MAX_CHARACTERS, Tokenizer

T = TypeVar("T")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
AT_ONCE = 1_000  # examples handed to the library in one go: enough for all cores, little to keep in memory
_NO_LIMIT = 10**9


@dataclass(frozen=True)
class Ragged:
    """N rows on end: row i is values[starts[i] : starts[i + 1]]."""

    values: NDArray  # (T,...)
    starts: Ints  # (N+1), from 0 to T

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> NDArray:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def __iter__(self) -> Iterator[NDArray]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    def lengths_of(self, rows: Ints) -> Ints:
        lengths: Ints = self.starts[rows + 1] - self.starts[rows]
        return lengths

    def joined(self, rows: Ints) -> NDArray:
        """The values of some rows, one row after the other."""
        parts = [self[row] for row in rows]
        return np.concatenate(parts) if parts else self.values[:0]

    def padded(self, rows: Ints, fill: int) -> Ints:
        """Some rows as (len(rows), longest of them), `fill` behind their ends."""
        lengths = self.lengths_of(rows)
        table = np.full((len(rows), int(lengths.max(initial=0))), fill, dtype=np.int64)
        table[np.arange(table.shape[1]) < lengths[:, None]] = self.joined(rows)
        return table

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> Ragged:
        """Rows of whole numbers, 32 bits each."""
        values, starts = array("i"), array("q", [0])
        for row in rows:
            values.extend(row)
            starts.append(len(values))
        return cls(np.array(values, dtype=np.int32), np.array(starts, dtype=np.int64))


class Pieces(NamedTuple):
    """The tokens of one text, without special ones."""

    ids: list[int]
    offsets: list[tuple[int, int]]  # characters [start, end) in the text; may begin with the space before a word


def text_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Token ids of each text. Raises BertcoreError, with the text, for one that is not valid Unicode."""
    return _each_once(tokenizer, texts, tokenizer.encode_batch_ids, lambda pieces: pieces.ids)


def text_pieces(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Pieces]:
    """The same with the characters that each token stands for."""

    def encode(portion: list[str]) -> list[Pieces]:
        raw = tokenizer.raw.encode_batch(portion, add_special_tokens=False)
        return [Pieces(encoding.ids, encoding.offsets) for encoding in raw]

    return _each_once(tokenizer, texts, encode, lambda pieces: pieces)


def _each_once(
    tokenizer: Tokenizer, texts: Sequence[str], encode: Callable[[list[str]], list[T]], of_one: Callable[[Pieces], T]
) -> list[T]:
    """What `encode` makes of the texts, portion by portion; passages and beginnings come many times."""
    different = list(dict.fromkeys(texts))
    # the others `Tokenizer.encode` changes before the library sees them: a typed mask, a text without end
    plain = (text for text in different if MASK not in text and len(text) <= MAX_CHARACTERS)
    found: dict[str, T] = {}
    with suppress(Exception):  # the library does not say which text it was
        for portion in in_portions(plain):
            found.update(zip(portion, encode(portion), strict=True))
    found.update((text, of_one(_one(tokenizer, text))) for text in different if text not in found)
    return [found[text] for text in texts]


def _one(tokenizer: Tokenizer, text: str) -> Pieces:
    try:
        encoding = tokenizer.encode(text, max_length=_NO_LIMIT)
    except BertcoreError as error:
        excerpt = text[:60].encode("utf-8", "replace").decode()
        raise BertcoreError(f"A text of the task cannot be tokenised (“{excerpt}”): {error}") from None
    of_text = [place for place, part in enumerate(encoding.parts) if part == "a"]
    return Pieces([encoding.ids[place] for place in of_text], [encoding.offsets[place] for place in of_text])


class SequenceWriter:
    """Takes sequences one by one and keeps them packed."""

    def __init__(self) -> None:
        self._ids, self._segments, self._starts = array("i"), bytearray(), array("q", [0])
        self._cut, self._example_of = array("q"), array("q")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, example: int, ids: list[int], segments: bytes | bytearray, cut: int = 0) -> None:
        """A sequence of an example, given by number; `cut`: tokens that it had no room for."""
        self._ids.extend(ids)
        self._segments += segments
        self._starts.append(len(self._ids))
        self._cut.append(cut)
        self._example_of.append(example)

    def add_pairs(
        self, pairs: Iterable[tuple[int, str, str | None]], tokenizer: Tokenizer, max_length: int
    ) -> SequenceWriter:
        """Texts, or pairs of texts, cut to `max_length` tokens: the number of the example, A and perhaps B of each."""
        every = iter(pairs)
        while portion := list(islice(every, AT_ONCE)):
            of_a = text_ids(tokenizer, [a for _, a, _ in portion])
            of_b = iter(text_ids(tokenizer, [b for _, _, b in portion if b]))
            for (example, _, b), ids in zip(portion, of_a, strict=True):
                self.add(example, *tokenizer.framing.fitted(ids, next(of_b) if b else None, max_length))
        return self

    def done(self) -> dict[str, Any]:
        """Fields of Features, by name."""
        starts = np.array(self._starts, dtype=np.int64)
        segments = np.frombuffer(bytes(self._segments), dtype=np.uint8)
        return {
            "ids": Ragged(np.array(self._ids, dtype=np.int32), starts),
            "segments": Ragged(segments, starts),
            "cut": np.array(self._cut, dtype=np.int64),
            "example_of": np.array(self._example_of, dtype=np.int64),
        }


def portions(count: int, at_once: int = AT_ONCE) -> Iterator[range]:
    """0, 1 ... count - 1 in portions."""
    return (range(first, min(first + at_once, count)) for first in range(0, count, at_once))
