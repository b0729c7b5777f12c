"""View "Hidden states": how long each is after each layer, and how alike the tokens are after one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QHBoxLayout

from app.compute.geometry import cosines
from app.figures.figure import Axis, Figure, Numbers
from app.look import theme
from app.rooms.layers.heat_grid import HeatGrid, Labels
from app.rooms.layers.view import LayersView, stage_labels, stage_name
from app.widgets.card import GAP_PX, Card

if TYPE_CHECKING:
    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading

LENGTHS_HINT = "rows: tokens · columns: layers"
LEAST_SPREAD = 0.001  # of the longest: a LayerNorm leaves all vectors equally long, up to rounding


class HiddenView(LayersView):
    """Lengths on the left, cosines of the slider's stage on the right."""

    stages = "all"

    def __init__(self, room: LayersRoom) -> None:
        super().__init__(room)
        self.lengths = HeatGrid("Length of each hidden state: rows are tokens, columns layers")
        self.cosines = HeatGrid("Cosine of every two tokens", square=True, signed=True, tilted=True)
        self._lengths_card, self._cosines_card = Card("Length of each hidden state"), Card("How alike are the tokens?")
        self._lengths_card.set_figure(self._lengths_figure)
        self._cosines_card.set_figure(self._cosines_figure)
        self._lengths_card.body.addWidget(self.lengths, 1)
        self._cosines_card.body.addWidget(self.cosines, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(self._lengths_card, 2)
        row.addWidget(self._cosines_card, 3)
        self.lengths.hovered.connect(self._on_lengths_hovered)
        self.lengths.chosen.connect(self._on_lengths_chosen)
        self.cosines.hovered.connect(self._on_cosines_hovered)
        self.cosines.chosen.connect(lambda row, _column: self.focus_unit(row))

    def draw_reading(self, reading: Reading) -> None:
        from bertcore.analysis.hidden_states import lengths

        units = reading.units(self.room.state.token_view)
        states = reading.trace.hidden_states
        by_layer = [
            lengths(units.vectors(one)[None])[0] for one in states
        ]  # one layer at a time: words are merged in f64
        values = np.ascontiguousarray(np.stack(by_layer, axis=1)) if len(units) else np.zeros((0, 0))  # (U,L+1)
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        if high - low < LEAST_SPREAD * high:
            low = 0.0
        rows = Labels(units.labels, units.kinds)
        self.lengths.set_grid(values, rows, Labels(stage_labels(len(states))), low, high)
        self._lengths_card.set_hint(f"L2 norm · {LENGTHS_HINT}{self._last_note(reading)}{self.merged_note()}")
        self._draw_cosines(reading)
        self.draw_focus(reading)

    def draw_stage(self, reading: Reading) -> None:
        self._draw_cosines(reading)
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        self.lengths.set_selected(self.unit, self.room.stage)
        self.cosines.set_selected(self.unit)

    def _draw_cosines(self, reading: Reading) -> None:
        units, stage = reading.units(self.room.state.token_view), self.room.stage
        vectors = units.vectors(reading.trace.hidden_states[stage])
        labels = Labels(units.labels, units.kinds)
        self.cosines.set_grid(cosines(vectors) if len(units) else np.zeros((0, 0)), labels, labels, -1, 1)
        self._cosines_card.set_hint(f"cosine of every two, {stage_name(stage)}{self.merged_note()}")

    def _last_note(self, reading: Reading) -> str:
        is_pre = reading.request.model.config.norm == "pre"
        return " · the last after the model’s last LayerNorm" if is_pre else ""

    def _lengths_figure(self) -> Figure | None:
        values, units = self.lengths.values, self.room.units
        if values is None or units is None:
            return None
        axes = Axis("token", units.labels), Axis("layer", stage_labels(values.shape[1]))
        numbers = {"length": Numbers(values, axes)}
        return self.room.figure(
            "Length of each hidden state", [self.lengths], numbers, hint=f"L2 norm · {LENGTHS_HINT}"
        )

    def _cosines_figure(self) -> Figure | None:
        values, units = self.cosines.values, self.room.units
        if values is None or units is None:
            return None
        stage = stage_name(self.room.stage)
        numbers = {"cosine": Numbers(values, (Axis("token", units.labels), Axis("other token", units.labels)))}
        return self.room.figure("How alike are the tokens?", [self.cosines], numbers, hint=stage, settings=stage)

    def _on_lengths_hovered(self, spot: tuple[int, int] | None) -> None:
        values, units = self.lengths.values, self.room.units
        if spot is None or values is None or units is None:
            self.room.hover_text_changed.emit("")
        else:
            row, stage = spot
            self.room.hover_text_changed.emit(
                f"{units.labels[row]}, {stage_name(stage)}: length {values[row, stage]:.4f}"
            )
        self.hover_unit(spot[0] if spot else None)

    def _on_lengths_chosen(self, row: int, stage: int) -> None:
        self.focus_unit(row)
        self.room.set_stage(stage)

    def _on_cosines_hovered(self, spot: tuple[int, int] | None) -> None:
        values, units = self.cosines.values, self.room.units
        if spot is None or values is None or units is None:
            self.room.hover_text_changed.emit("")
        else:
            row, column = spot
            pair = f"{units.labels[row]} and {units.labels[column]}"
            self.room.hover_text_changed.emit(
                f"{pair}, {stage_name(self.room.stage)}: cosine {values[row, column]:.4f}"
            )
        self.hover_unit(spot[0] if spot else None)
