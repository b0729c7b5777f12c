"""What a person is looking at in a reading: which token, which head, as tokens or as words."""

from dataclasses import dataclass

from .readings import Reading
from .token_units import TokenView, Units

TOKENS = TokenView()


@dataclass(frozen=True)
class Contrast:
    """Why `wanted`, and not `against`? As typed; empty for what the model guesses first, or for no other word."""

    wanted: str = ""
    against: str = ""

    def __bool__(self) -> bool:
        """Whether a word was typed at all."""
        return bool(self.wanted or self.against)


NO_CONTRAST = Contrast()


@dataclass(frozen=True)
class Selection:
    """Positions, layers and heads count from 0."""

    position: int = 0  # the token on show: under the mouse, else pinned by a click, else the first word
    pinned: int | None = None  # the token that was clicked: for what takes too long to follow the mouse
    layer: int = 0
    head: int = 0
    token_view: TokenView = TOKENS
    hovered: int | None = None  # the token under the mouse
    at_embeddings: bool = False  # before the first layer, where a view has a place for that
    wants_difference: bool = False  # from the baseline, where there is one; else both are shown
    contrast: Contrast = NO_CONTRAST  # what is asked about at a mask, in every view that explains a prediction

    @property
    def stage(self) -> int:
        """Which hidden states are on show: 0 the embeddings, l those after layer l."""
        return 0 if self.at_embeddings else self.layer + 1

    def units(self, reading: Reading) -> Units:
        """What rows and columns stand for: tokens or words."""
        return reading.units(self.token_view)

    def unit(self, reading: Reading) -> int | None:
        """The unit on show, the first where that token is left out; None where there is no unit at all."""
        units = self.units(reading)
        return (units.unit_of(self.position) or 0) if len(units) else None
