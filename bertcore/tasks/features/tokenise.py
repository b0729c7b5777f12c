"""Many texts to tokens at once, on all cores: what `Tokenizer.encode` makes of each, piece by piece."""

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertcore.data.text import in_portions
from bertcore.errors import BertcoreError
from bertcore.tasks.features.kinds import Ragged
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import MAX_CHARACTERS, Tokenizer

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
        by_text: dict[str, list[int]] = {}
        for portion in in_portions(plain):
            by_text.update(zip(portion, tokenizer.encode_batch_ids(portion), strict=True))
    except Exception:  # the library does not say which text it was
        by_text = {text: _one(tokenizer, text).ids for text in plain}
    return [by_text[text] if text in by_text else _one(tokenizer, text).ids for text in texts]


def text_pieces(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Pieces]:
    """The same with the characters that each token stands for."""
    different = list(dict.fromkeys(texts))
    plain = [text for text in different if not _is_special(text)]
    by_text: dict[str, Pieces] = {}
    try:
        for portion in in_portions(plain):
            raw = tokenizer.raw.encode_batch(portion, add_special_tokens=False)
            pieces = (Pieces(encoding.ids, encoding.offsets) for encoding in raw)
            by_text.update(zip(portion, pieces, strict=True))
    except Exception:
        by_text = {}
    for text in different:
        if text not in by_text:
            by_text[text] = _one(tokenizer, text)
    return [by_text[text] for text in texts]


def _is_special(text: str) -> bool:
    """Whether `Tokenizer.encode` changes the text before the library sees it: a typed mask, a text without end."""
    return MASK in text or len(text) > MAX_CHARACTERS


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
        self._cut = array("q")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, ids: list[int], segments: bytes | bytearray, cut: int = 0) -> None:
        """`cut`: tokens that the sequence had no room for."""
        self._ids.extend(ids)
        self._segments += segments
        self._starts.append(len(self._ids))
        self._cut.append(cut)

    def done(self) -> tuple[Ragged, Ragged, NDArray[np.int64]]:
        """Ids (32 bits) and segments (8 bits) of all sequences, and how many tokens each had no room for."""
        starts = np.array(self._starts, dtype=np.int64)
        segments = np.frombuffer(bytes(self._segments), dtype=np.uint8)
        ids = Ragged(np.array(self._ids, dtype=np.int32), starts)
        return ids, Ragged(segments, starts), np.array(self._cut, dtype=np.int64)


def portions(count: int) -> Iterator[range]:
    """0, 1 ... count - 1 in portions of AT_ONCE."""
    return (range(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE))
