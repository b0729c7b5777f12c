"""View "Paths": where each token goes from layer to layer, in one plane for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QVBoxLayout

from app.figures.figure import Axis, Figure, Numbers
from app.rooms.layers.path_picture import PathPicture
from app.rooms.layers.view import LayersView, note, stage_labels
from app.widgets.card import Card

if TYPE_CHECKING:
    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading
    from app.state.token_units import Units
    from bertcore.analysis.hidden_states import Paths

KIND = "layers.paths"
NOTE = (
    "A line is one token, from the embeddings through all layers; its dot stands where the slider is. "
    "Leave out the special tokens to spread the others."
)


class PathsView(LayersView):
    """One large picture; the slider moves all dots along their lines."""

    stages = "all"

    def __init__(self, room: LayersRoom) -> None:
        super().__init__(room)
        self.picture = PathPicture()
        self._card = Card("Path of each token")
        self._card.set_figure(self._figure)
        self._card.body.addWidget(self.picture, 1)
        self._card.body.addWidget(note(NOTE))
        self._drawn: object = None  # what the picture is of: request and view
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._card)
        self.picture.chosen.connect(self.focus_unit)
        self.picture.hovered.connect(self._on_picture_hovered)

    def draw_reading(self, reading: Reading) -> None:
        view = self.room.state.token_view
        units, states = reading.units(view), reading.trace.hidden_states

        def answer() -> tuple[object, Units, Paths | None]:
            import numpy as np

            from bertcore.analysis.hidden_states import paths

            if not len(units):
                return (reading.request, view), units, None
            return (reading.request, view), units, paths(np.stack([units.vectors(one) for one in states]))

        self.room.ask_soon(lambda: self.room.asked.emit(KIND, answer))
        self.draw_stage(reading)

    def draw_focus(self, reading: Reading) -> None:
        if self._drawn == (reading.request, self.room.state.token_view):
            self.picture.set_current(self.unit)

    def draw_stage(self, reading: Reading) -> None:
        self.picture.set_stage(self.room.stage)

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind != KIND:
            return
        drawn, units, found = answer
        reading = self.room.state.reading
        if reading is None or drawn != (reading.request, self.room.state.token_view):
            return
        self._drawn = drawn
        if found is None:
            self.picture.set_paths(self.picture.points[:, :0], [], [])
            return
        self.picture.set_paths(found.points, units.labels, units.kinds)
        self.picture.set_current(self.unit)
        x, y = found.share
        self._card.set_hint(f"PCA over all layers · across: {x:.0%} of the variance, up: {y:.0%}{self.merged_note()}")

    def _figure(self) -> Figure | None:
        points, units = self.picture.points, self.room.units
        if units is None or points.shape[1] != len(units) or not len(units):
            return None
        axes = (
            Axis("layer", stage_labels(len(points))),
            Axis("token", units.labels),
            Axis("component", ["1", "2"]),
        )
        hint = self._card.hint
        numbers = {"place": Numbers(points, axes)}
        return self.room.figure("Path of each token", [self.picture], numbers, hint=hint, token=True, settings=hint)

    def _on_picture_hovered(self, unit: int | None) -> None:
        units = self.room.units
        told = unit is not None and units is not None and unit < len(units)
        self.room.hover_text_changed.emit(f"the path of {units.labels[unit]}" if told else "")  # type: ignore[union-attr, index]
        self.hover_unit(unit)
