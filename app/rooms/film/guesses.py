"""What one snapshot predicts, as plain data: words for a mask, or the answer of a fine-tuned model."""

from collections.abc import Sequence
from dataclasses import dataclass

WORDS = 5  # of each frame
NO_TAG = "O"  # of a word that belongs to nothing


@dataclass(frozen=True)
class Guesses:
    """At one position, or about the whole text."""

    position: int | None
    words: tuple[tuple[str, float | None], ...]  # word and its probability, where it has one; most likely first
    was: str = ""  # the word that was hidden; empty where the mask itself was typed

    @property
    def is_right(self) -> bool:
        return bool(self.was) and self.words[0][0] == self.was

    @property
    def best(self) -> str:
        return self.words[0][0]

    @property
    def best_share(self) -> float | None:
        return self.words[0][1]


def position_to_show(newest: Sequence[Guesses], selected: int | None) -> int | None:
    """The selected one where something is predicted there; else the first that is no mere absence of a tag."""
    positions = [guess.position for guess in newest]
    if selected in positions:
        return selected
    telling = [guess.position for guess in newest if guess.best != NO_TAG]
    return next(iter([*telling, *positions]), None)
