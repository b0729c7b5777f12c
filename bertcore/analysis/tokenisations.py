"""The same text tokenised by two vocabularies: where they split it alike, and where not. Importable without torch."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bertcore.errors import BertcoreError
from bertcore.locations import NAMED
from bertcore.resolve_model import resolve_model
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer


@dataclass(frozen=True)
class Piece:
    """One token of the text."""

    label: str  # as a person should see it
    position: int  # in its encoding
    start: int  # characters [start, end) in the text of its part
    end: int
    is_unknown: bool


@dataclass(frozen=True)
class Span:
    """The shortest piece of text that begins and ends a token in both tokenisations: a word, mostly."""

    part: Literal["a", "b"]
    first: tuple[Piece, ...]
    second: tuple[Piece, ...]

    @property
    def is_same(self) -> bool:
        """Whether both split it alike, whatever they call the pieces."""
        return [(one.start, one.end) for one in self.first] == [(one.start, one.end) for one in self.second]


@dataclass(frozen=True)
class TokenCounts:
    """How one vocabulary splits the text, as far as both go."""

    tokens: int  # with the special ones
    pieces: int  # of the words: neither special nor punctuation alone
    unknown: int
    words: int  # of the text, as spaces separate them, with at least one letter or digit

    @property
    def pieces_per_word(self) -> float:
        """Called fertility (Rust et al. 2021)."""
        return self.pieces / self.words if self.words else 0.0


@dataclass(frozen=True, eq=False)
class TwoTokenisations:
    spans: list[Span]  # in the order of the text, A before B
    first: TokenCounts
    second: TokenCounts
    differing: int  # words, counted as in TokenCounts, that are split in different ways
    is_whole: bool  # False: the text was too long for one of them, and what lies behind is not compared


def vocabulary_of(reference: str | Path) -> Tokenizer:
    """The vocabulary of a checkpoint folder, a run folder, one that ships, or a hub id that has been fetched before.

    Raises BertcoreError where there is none; nothing is downloaded.
    """
    is_here = str(reference) in NAMED or os.path.exists(Path(reference).expanduser())
    return Tokenizer.from_folder(resolve_model(reference) if is_here else _fetched_before(str(reference)))


def compare_tokenisations(first: Encoding, second: Encoding) -> TwoTokenisations:
    """Raises BertcoreError where they are not of the same text."""
    if (first.text_a, first.text_b) != (second.text_a, second.text_b):
        raise BertcoreError("Two vocabularies can only be compared on the same text.")
    spans: list[Span] = []
    words, differing, pieces = 0, 0, [0, 0]
    parts: tuple[tuple[Literal["a", "b"], str], ...] = (("a", first.text_a), ("b", first.text_b or ""))
    for part, text in parts:
        tokenisations = [_pieces(encoding, part) for encoding in (first, second)]
        ends = [max((piece.end for piece in pieces), default=0) for pieces in tokenisations]
        end = min(ends) if first.dropped or second.dropped else len(text)
        one, other = ([piece for piece in pieces if piece.end <= end] for pieces in tokenisations)
        spans += (here := _spans(part, one, other, end))
        begins = [piece.start for span in here if not span.is_same for piece in (*span.first, *span.second)]
        places = [match.span() for match in re.finditer(r"\S+", text[:end]) if _is_word(match[0])]
        differing += sum(any(left <= begin < right for begin in begins) for left, right in places)
        words += len(places)
        for i, found in enumerate((one, other)):
            pieces[i] += sum(_is_word(text[piece.start : piece.end]) for piece in found)
    return TwoTokenisations(
        spans,
        _counts(first, [piece for span in spans for piece in span.first], pieces[0], words),
        _counts(second, [piece for span in spans for piece in span.second], pieces[1], words),
        differing,
        not (first.dropped or second.dropped),
    )


def lacking(tokenizer: Tokenizer, words: Iterable[str]) -> list[str]:
    """Why words are unknown: the characters in them that the vocabulary lacks, each once. A word of which it has every
    character is there itself: whole words are its tokens, or the word is too long to be cut."""
    found: dict[str, None] = {}
    for word in words:
        letters = [each for each in word if tokenizer.unk_id in tokenizer.encode_batch_ids([each])[0]]
        found.update(dict.fromkeys(letters if len(letters) in range(1, max(len(word), 2)) else [word]))
    return list(found)


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _counts(encoding: Encoding, tokens: Sequence[Piece], pieces: int, words: int) -> TokenCounts:
    specials = encoding.parts.count("special")
    return TokenCounts(len(tokens) + specials, pieces, sum(token.is_unknown for token in tokens), words)


def _pieces(encoding: Encoding, part: str) -> list[Piece]:
    unknown = set(encoding.unknown)
    return [
        Piece(encoding.labels[i], i, *encoding.offsets[i], i in unknown)
        for i, found in enumerate(encoding.parts)
        if found == part
    ]


def _spans(part: Literal["a", "b"], first: list[Piece], second: list[Piece], end: int) -> list[Span]:
    """Pieces that overlap belong together; `end` is the length of the text that is compared."""
    inside = [False] * (end + 1)  # places inside a token of one of the two
    for piece in (*first, *second):
        inside[piece.start + 1 : piece.end] = [True] * max(piece.end - piece.start - 1, 0)
    begins = [0] * (end + 1)  # of each place, where its span begins
    for place in range(1, end + 1):
        begins[place] = begins[place - 1] if inside[place] else place
    found: dict[int, tuple[list[Piece], list[Piece]]] = {}
    for number, pieces in enumerate((first, second)):
        for piece in pieces:
            found.setdefault(begins[piece.start], ([], []))[number].append(piece)
    return [Span(part, tuple(one), tuple(other)) for _, (one, other) in sorted(found.items())]


def _fetched_before(hub_id: str) -> Path:
    from bertcore.resolve_model import on_this_machine

    found = on_this_machine(hub_id)
    if found is None:
        raise BertcoreError(f"{hub_id} is not on this machine; open it once as a model, then compare.")
    return found
