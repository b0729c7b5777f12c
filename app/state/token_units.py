"""What rows and columns of the pictures stand for: tokens or whole words, with or without the special tokens.

S tokens, U units: what is shown, a token or a word. A unit is named by its first token's position everywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bertcore.errors import shortened

from ..look import mark, say
from ..look.fitting import MOST_RUN
from ..look.say import isolated

if TYPE_CHECKING:
    import numpy as np

    from bertcore.tokenizer.tokenizer import Encoding

KINDS = {"special": "special", "a": "segment_a", "b": "segment_b"}  # part of the text -> colour
MERGING = mark("word pieces merged: columns summed, rows and vectors averaged")
NO_SPECIALS = mark("special tokens left out, rows rescaled to sum to 1")


@dataclass(frozen=True)
class TokenView:
    """How all rooms show the text."""

    words: bool = False  # a word's pieces merged into one
    specials: bool = True  # [CLS], [SEP] shown

    @property
    def notes(self) -> list[str]:
        """What a caption has to say of it."""
        notes = [*([MERGING] if self.words else []), *([] if self.specials else [NO_SPECIALS])]
        return [say(note) for note in notes]

    @property
    def vectors_note(self) -> str:
        """What the hint of a picture of vectors has to say of it; empty for tokens."""
        return say("words: the mean of their pieces") if self.words else ""


class Units:
    """The units of one text in one view, and numbers over tokens as numbers over units."""

    def __init__(self, encoding: Encoding, tokens: list[str], masked: tuple[int, ...], view: TokenView) -> None:
        """tokens (S): as they are shown, masks put in."""
        self.view, self._encoding, self._tokens, self._masked = view, encoding, tokens, set(masked)

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def members(self) -> list[list[int]]:
        """(U) the positions of the tokens of each unit, in order."""
        positions: dict[int, list[int]] = {}
        for position, group in enumerate(self._groups):
            positions.setdefault(group, []).append(position)
        return [positions[group] for group in self._kept]

    @cached_property
    def labels(self) -> list[str]:
        """(U) a word is written as its pieces, joined."""
        pieces = ([self._tokens[at] for at in unit] for unit in self.members)
        words = ("".join([first, *(piece.removeprefix("##") for piece in rest)]) for first, *rest in pieces)
        return [isolated(shortened(word, MOST_RUN)) for word in words]

    @cached_property
    def kinds(self) -> list[str]:
        """(U) the colour names of the labels: special, segment_a, segment_b, mask."""
        return [
            "mask" if self._masked.intersection(unit) else KINDS[self._encoding.parts[unit[0]]] for unit in self.members
        ]

    @property
    def first_positions(self) -> list[int]:
        """(U) the position that a unit goes by."""
        return [unit[0] for unit in self.members]

    def unit_of(self, position: int) -> int | None:
        """Which unit a token is part of; None where it is not shown."""
        return self._unit_of.get(position)

    def attention(self, weights: np.ndarray) -> np.ndarray:
        """(..., S,S) -> (..., U,U), rows still summing to 1."""
        import numpy as np

        if self._is_plain:
            return weights
        merged = weights
        if self.view.words:
            from bertcore.analysis.merging import merge_matrix

            merged = merge_matrix(weights, self._groups).astype(np.float32)
        if self.view.specials:
            return merged
        merged = merged[..., self._kept, :][..., self._kept]
        sums = merged.sum(axis=-1, keepdims=True)
        shown: np.ndarray = np.divide(merged, sums, out=np.zeros_like(merged), where=sums > 0)
        return shown

    def vectors(self, values: np.ndarray) -> np.ndarray:
        """(..., S,H) -> (..., U,H), the mean over a word's pieces."""
        import numpy as np

        if self._is_plain:
            return values
        if self.view.words:
            from bertcore.analysis.merging import merge_vectors

            values = merge_vectors(values, self._groups).astype(np.float32)
        return values[..., self._kept, :]

    def sums(self, scores: np.ndarray) -> np.ndarray:
        """(..., S) -> (..., U), what adds up over a word: surprise, attribution."""
        if self._is_plain:
            return scores
        if self.view.words:
            from bertcore.analysis.merging import sum_scores

            scores = sum_scores(scores, self._groups)
        return scores[..., self._kept]

    @property
    def _is_plain(self) -> bool:
        return self.view == TokenView()

    @cached_property
    def _groups(self) -> list[int]:
        """(S) which word each token is of, numbered from 0."""
        if not self.view.words:
            return list(range(len(self._encoding)))
        from bertcore.analysis.merging import word_groups

        return word_groups(self._encoding)

    @cached_property
    def _kept(self) -> list[int]:
        """(U) the words that are shown."""
        parts = self._encoding.parts
        shown = (
            group for group, part in zip(self._groups, parts, strict=True) if self.view.specials or part != "special"
        )
        return list(dict.fromkeys(shown))

    @cached_property
    def _unit_of(self) -> dict[int, int]:
        return {position: unit for unit, members in enumerate(self.members) for position in members}
