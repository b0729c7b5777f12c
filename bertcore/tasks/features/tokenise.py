"""Many texts to tokens at once, on all cores: what `Tokenizer.encode` makes of each, piece by piece."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.tasks.features.ragged import Ragged
from bertcore.tokenizer.special_tokens import Part
from bertcore.tokenizer.tokenizer import MASK, MAX_CHARACTERS, Encoding, Tokenizer, fit_pair

AT_ONCE = 1_000  # examples handed to the library in one go: enough for all cores, little to keep in memory
_NO_LIMIT = 10**9


class Pieces(NamedTuple):
    """The tokens of one text, without special ones."""

    ids: list[int]
    offsets: list[tuple[int, int]]  # characters [start, end) in the text; may begin with the space before a word


def text_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Token ids of each text. Raises BertcoreError, with the text, for one that is not valid Unicode."""
    different = list(dict.fromkeys(texts))  # passages and beginnings come many times
    plain = [text for text in different if not _is_special(text)]
    try:
        found = dict(zip(plain, tokenizer.encode_batch_ids(plain), strict=True))
    except Exception:  # the library does not say which text it was
        found = {text: _one(tokenizer, text).ids for text in plain}
    return [found[text] if text in found else _one(tokenizer, text).ids for text in texts]


def text_pieces(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Pieces]:
    """The same with the characters that each token stands for."""
    different = list(dict.fromkeys(texts))
    plain = [text for text in different if not _is_special(text)]
    try:
        raw = tokenizer.raw.encode_batch(plain, add_special_tokens=False)
        found = {text: Pieces(encoding.ids, encoding.offsets) for text, encoding in zip(plain, raw, strict=True)}
    except Exception:
        found = {}
    for text in different:
        if text not in found:
            found[text] = _one(tokenizer, text)
    return [found[text] for text in texts]


def _is_special(text: str) -> bool:
    """Whether `Tokenizer.encode` changes the text before the library sees it: a typed mask, a text without end."""
    return MASK in text or len(text) > MAX_CHARACTERS


def _one(tokenizer: Tokenizer, text: str) -> Pieces:
    try:
        encoding = tokenizer.encode(text, max_length=_NO_LIMIT)
    except BertcoreError as error:
        shown = text[:60].encode("utf-8", "replace").decode()
        raise BertcoreError(f"A text of the task cannot be tokenised (“{shown}”): {error}") from None
    of_text = [place for place, part in enumerate(encoding.parts) if part == "a"]
    return Pieces([encoding.ids[place] for place in of_text], [encoding.offsets[place] for place in of_text])


class Layout(NamedTuple):
    """What stands before, between and after the tokens of A and B; `between` is empty around one text."""

    before: list[int]
    between: list[int]
    after: list[int]
    segments: tuple[bytes, bytes, bytes, bytes, bytes]  # of before, a token of A, between, a token of B, after
    specials: int  # number of special tokens


@dataclass(frozen=True)
class Frame:
    """How a vocabulary's family frames one text, and two."""

    single: Layout
    pair: Layout

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Frame:
        """Read off an example; A stands before B in every family."""
        sep = tokenizer.special.names["sep"]  # a text that surely leaves a token
        return cls(_layout(tokenizer.encode(sep)), _layout(tokenizer.encode(sep, sep)))

    def specials(self, pair: bool) -> int:
        """Number of special tokens."""
        return (self.pair if pair else self.single).specials

    def framed(self, a: list[int], b: list[int] | None) -> tuple[list[int], bytes]:
        """Ids and segments of a sequence."""
        if b is None:
            before, _, after, segments, _ = self.single
            return [*before, *a, *after], segments[0] + segments[1] * len(a) + segments[4]
        before, between, after, segments, _ = self.pair
        of_parts = segments[1] * len(a) + segments[2] + segments[3] * len(b)
        return [*before, *a, *between, *b, *after], segments[0] + of_parts + segments[4]

    def fitted(self, a: list[int], b: list[int] | None, max_length: int) -> tuple[list[int], bytes, int]:
        """Ids and segments of a sequence of at most `max_length` tokens, and how many were cut off."""
        length_a, length_b = len(a), 0 if b is None else len(b)
        room = max(0, max_length - (self.single if b is None else self.pair).specials)
        if length_a + length_b <= room:
            return *self.framed(a, b), 0
        keep_a, keep_b = fit_pair(length_a, length_b, room)
        framed = self.framed(a[:keep_a], None if b is None else b[:keep_b])
        return *framed, length_a + length_b - keep_a - keep_b


class SequenceWriter:
    """Takes sequences one by one and keeps them packed."""

    def __init__(self) -> None:
        self._ids, self._segments, self._starts = array("i"), bytearray(), array("q", [0])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, ids: list[int], segments: bytes | bytearray) -> None:
        self._ids.extend(ids)
        self._segments += segments
        self._starts.append(len(self._ids))

    def done(self) -> tuple[Ragged, Ragged]:
        """Ids (32 bits) and segments (8 bits) of all sequences."""
        starts = np.array(self._starts, dtype=np.int64)
        segments = np.frombuffer(bytes(self._segments), dtype=np.uint8)
        return Ragged(np.array(self._ids, dtype=np.int32), starts), Ragged(segments, starts)


def portions(count: int) -> Iterator[range]:
    """0, 1 ... count - 1 in portions of AT_ONCE."""
    return (range(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE))


def _layout(encoding: Encoding) -> Layout:
    parts = encoding.parts
    start_a, end_a = parts.index("a"), _last(parts, "a") + 1
    start_b, end_b = (parts.index("b"), _last(parts, "b") + 1) if "b" in parts else (end_a, end_a)
    ids, segments = encoding.ids, encoding.segments
    runs = (slice(0, start_a), slice(start_a, start_a + 1), slice(end_a, start_b), slice(start_b, start_b + 1))
    first, of_a, middle, of_b, last = (bytes(segments[run]) for run in (*runs, slice(end_b, None)))
    specials = parts.count("special")
    return Layout(ids[:start_a], ids[end_a:start_b], ids[end_b:], (first, of_a, middle, of_b, last), specials)


def _last(parts: Sequence[Part], part: Part) -> int:
    return len(parts) - 1 - parts[::-1].index(part)
