"""Two words that a person wants to have compared at a mask."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Contrast:
    """Why `wanted`, and not `against`? As typed; empty for what the model guesses first, or for no other word."""

    wanted: str = ""
    against: str = ""

    def __bool__(self) -> bool:
        """Whether a word was typed at all."""
        return bool(self.wanted or self.against)


NO_CONTRAST = Contrast()
