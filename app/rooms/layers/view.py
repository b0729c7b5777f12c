"""What the room's views share. A view draws while it is on show; what it asks of the model carries what it was for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.look import theme
from app.state.token_units import KINDS
from app.widgets.card import label

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLabel

    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading

MERGED = "whole words: the mean over their pieces"


class LayersView(QWidget):
    """One of the room's views. `stages` says what the slider chooses there.

    "all": the embeddings and every layer; "layers": a layer; "": nothing, the view shows all layers side by side.
    """

    stages = ""

    def __init__(self, room: LayersRoom) -> None:
        super().__init__()
        self.room = room

    def draw_reading(self, reading: Reading) -> None:
        """Everything anew."""
        raise NotImplementedError

    def draw_focus(self, reading: Reading) -> None:
        """Another token is looked at."""

    def draw_stage(self, reading: Reading) -> None:
        """Another layer or head is looked at."""

    def show_answer(self, kind: str, answer: Any) -> None:
        """What the model says to an earlier question."""

    def show_progress(self, kind: str, share: float) -> None:
        """How far the answer is, 0..1."""

    @property
    def unit(self) -> int | None:
        """The unit that is looked at: the current token's, or the first where that one is not shown."""
        units = self.room.units
        if units is None or not len(units):
            return None
        return units.unit_of(self.room.current) or 0

    def focus_unit(self, unit: int) -> None:
        """Chooses a unit's first token for all rooms."""
        units = self.room.units
        if units is not None and 0 <= unit < len(units):
            self.room.state.set_focus(units.first_positions[unit])

    def hover_unit(self, unit: int | None) -> None:
        units = self.room.units
        is_there = units is not None and unit is not None and unit < len(units)
        self.room.state.set_hover(units.first_positions[unit] if is_there else None)  # type: ignore[union-attr, index]

    def merged_note(self) -> str:
        """What a hint has to add where pieces are shown as words."""
        return f" · {MERGED}" if self.room.state.token_view.words else ""


def stage_name(stage: int) -> str:
    """0 is what enters the first layer."""
    return f"after layer {stage}" if stage else "embeddings"


def stage_labels(count: int) -> list[str]:
    """Column heads for `count` stages."""
    return ["emb.", *(str(stage) for stage in range(1, count))]


def kind_of(reading: Reading, position: int) -> str:
    """The colour name of one token."""
    return "mask" if position in reading.request.masked else KINDS[reading.encoding.parts[position]]


def note(text: str) -> QLabel:
    """Muted words under a picture, that may wrap."""
    made = label(text, "muted", wrap=True)
    made.setMinimumWidth(theme.px(60))
    return made
