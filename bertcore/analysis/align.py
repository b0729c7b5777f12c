"""Which token of one text stands for the same piece as a token of another. Importable without torch and NumPy.

The other may be the same text in another vocabulary, or another text. S our tokens, S' the other's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from bertcore.tokenizer.special_tokens import TextPart
from bertcore.tokenizer.tokenizer import Encoding

# Why no word has a partner
Reason = Literal["no_text", "other_text", "other_pieces"]

_SENTENCES: dict[Reason, str] = {
    "no_text": "One of the two texts is empty, so no tokens can be compared; write a sentence in both.",
    "other_text": "The two texts have no word in common, so their tokens cannot be compared one by one.",
    "other_pieces": "The two vocabularies split this text at different places, so no token has a counterpart.",
}


@dataclass(frozen=True)
class Alignment:
    """The other's token that each of ours is compared with. Special tokens may be paired where no word is."""

    other_positions: tuple[int | None, ...]  # (S) in the other's tokens; None: it has no counterpart
    other_length: int  # S'
    reason: Reason | None = None  # why no token of the text has a counterpart; None where one has

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """(our position, the other's), in the order of our text."""
        return tuple((ours, other) for ours, other in enumerate(self.other_positions) if other is not None)

    @property
    def sentence(self) -> str | None:
        """The reason as a sentence."""
        return None if self.reason is None else _SENTENCES[self.reason]


def align(ours: Encoding, other: Encoding) -> Alignment:
    """Pair the tokens of two encodings: A's with A's, B's with B's, special tokens by their role.

    Where both have the same text, tokens that cover the same characters are paired. Other texts are compared word by
    word (`difflib`): equal tokens are paired, and so are tokens between them that replace as many others, as in "king
    of England" and "king of France". Words that one of them lacks, or splits into other pieces, have no counterpart.
    """
    words: dict[int, int] = {}
    is_same_text = True
    for part, our_text, other_text in (("a", ours.text_a, other.text_a), ("b", ours.text_b, other.text_b)):
        rows, columns = _positions(ours, part), _positions(other, part)
        if our_text == other_text:
            words |= _by_key(_spans(ours, rows), _spans(other, columns))
        else:
            is_same_text = False
            words |= _by_difference(ours, rows, other, columns)
    pairs = _by_key(_roles(ours), _roles(other)) | words
    other_positions = tuple(pairs.get(position) for position in range(len(ours)))
    reason: Reason | None = None if words else "other_pieces" if is_same_text else "other_text"
    if not all(any(part != "special" for part in encoding.parts) for encoding in (ours, other)):
        reason = "no_text"
    return Alignment(other_positions, len(other), reason)


def _positions(encoding: Encoding, part: str) -> list[int]:
    return [position for position, each in enumerate(encoding.parts) if each == part]


def _by_key(ours: dict[Hashable, int], other: dict[Hashable, int]) -> dict[int, int]:
    """Our positions and the other's, of what has the same key in both."""
    return {ours[key]: other[key] for key in ours if key in other}


def _roles(encoding: Encoding) -> dict[Hashable, int]:
    """Special tokens: the first one opens the text; the others close A or B, counted, as RoBERTa has two between."""
    roles: dict[Hashable, int] = {}
    closed: TextPart = "special"  # the part that stands before the token: none at the beginning
    count: Counter[str] = Counter()
    for position, part in enumerate(encoding.parts):
        if part != "special":
            closed = part
        else:
            if closed == "special" and count["special"]:  # of an empty A
                closed = "a"
            roles[closed, count[closed]] = position
            count[closed] += 1
    return roles


def _spans(encoding: Encoding, rows: Sequence[int]) -> dict[Hashable, int]:
    """By the characters of each token, which of those with the same characters it is (the bytes of one letter), and how
    many these are."""
    total = Counter(encoding.offsets[row] for row in rows)
    seen: Counter[tuple[int, int]] = Counter()
    spans: dict[Hashable, int] = {}
    for row in rows:
        span = encoding.offsets[row]
        spans[span, seen[span], total[span]] = row
        seen[span] += 1
    return spans


def _by_difference(ours: Encoding, rows: Sequence[int], other: Encoding, columns: Sequence[int]) -> dict[int, int]:
    """Equal tokens, and those in between where as many replace as many; nothing where no word is equal."""
    written = _written(ours, rows)
    matcher = SequenceMatcher(None, written, _written(other, columns), autojunk=False)
    pairs: dict[int, int] = {}
    has_word = False
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        has_word |= kind == "equal" and any(map(str.isalnum, "".join(written[first:last])))
        if last - first == other_last - other_first:
            pairs |= zip(rows[first:last], columns[other_first:other_last], strict=True)
    return pairs if has_word else {}


def _written(encoding: Encoding, rows: Sequence[int]) -> list[str]:
    """Each token as it is in the text, in small letters: two vocabularies mark the pieces of a word differently."""
    texts = {"a": encoding.text_a, "b": encoding.text_b or ""}
    return [texts[encoding.parts[row]][slice(*encoding.offsets[row])].casefold() for row in rows]
