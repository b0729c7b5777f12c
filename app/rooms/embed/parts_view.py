"""View "Overview": token, segment and position vectors add up, LayerNorm makes them even; one token closely."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QAction, QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout

from app.figures.figure import Figure
from app.look import theme
from app.rooms.embed import figures
from app.rooms.embed.below import BelowCard
from app.rooms.embed.change_card import ChangeCard
from app.rooms.embed.changes import moved
from app.rooms.embed.map_picture import EMPTY, Points
from app.rooms.embed.parts import ADDENDS, addends_of, color_limit, parts_of
from app.rooms.embed.strips import Strips
from app.rooms.embed.token_card import TokenCard
from app.rooms.embed.view import EmbedView
from app.widgets.card import GAP_PX, Card, label
from app.widgets.controls import MenuButton
from app.widgets.raster import ColorBar
from bertcore.analysis.vectors import pca

if TYPE_CHECKING:
    from app.rooms.embed.room import EmbedRoom
    from app.state.readings import Reading, Step
    from app.state.token_units import Units
    from bertcore.analysis.nearest import Measure, NearWord
    from bertcore.checkpoint.checkpoint import Checkpoint

NEAR_WORDS = 12
POSITIONS = 128  # the table is compared in steps of so many
KEPT_MEASURE = "embed.measure"  # what a window built anew finds in the state


class PartsView(EmbedView):
    """Strips above, similarities below, the token that is looked at on the right."""

    def __init__(self, room: EmbedRoom) -> None:
        super().__init__(room)
        self.strips = Strips()
        self.scale, self.last_scale = ColorBar(signed=True), ColorBar(signed=True)
        self.scale_name, self.last_scale_name = label("token to sum", "muted"), label("", "muted")
        self.strips_card = Card("Input embedding, piece by piece")
        self.menu = MenuButton("Parts", self._fill_parts, "Leave a part out of the sum")
        self.token, self.change = TokenCard(), ChangeCard()
        self.below = BelowCard(self._below_figure)
        self.measure: Measure = "distance" if room.state.kept.get(KEPT_MEASURE) == "distance" else "cosine"
        self.near = self.add_question("embed.near", self._show_near)
        self._tables_asked: tuple[object, int] | None = None
        self._swap_from: int | None = None
        self._lay_out()
        state = room.state
        self.strips.hovered.connect(self._on_strips_hovered)
        self.strips.clicked.connect(self.focus_unit)
        self.below.map.clicked.connect(self.focus_unit)
        self.below.told.connect(room.hover_text_changed)
        self.token.measure_chosen.connect(self._on_token_measure_chosen)
        self.change.segment_moved.connect(self._on_change_segment_moved)
        self.change.swap_switched.connect(self._on_change_swap_switched)
        state.focus_changed.connect(self._on_state_focus_changed)
        state.encoding_changed.connect(self._stop_swapping)

    def draw_reading(self, reading: Reading) -> None:
        units = self.units
        self._draw_strips(reading, units)
        self.change.draw(reading, self.room.current)
        size = -(-len(reading.encoding) // POSITIONS) * POSITIONS
        model = reading.request.model
        if self._tables_asked != (model, size):
            self._tables_asked = (model, size)
            self.room.asked.emit("tables", size)
        if units is None:
            self.below.map.set_points(EMPTY)
        else:
            vectors = units.vectors(reading.trace.embedding_sum)
            self.work_out("embed.map", lambda: (reading, units, pca(vectors)), len(units))
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        units = self.units
        self.change.draw_focus(reading, self.room.current)
        if units is None:
            self.near.forget()
            self.token.draw_nothing()
            return
        unit = self.unit
        self.token.draw(reading, units, unit)
        self.strips.set_row(unit)
        self.below.map.set_current(unit)
        self._ask_near(tuple(reading.request.input_ids[i] for i in units.members[unit]))

    def show_answer(self, kind: str, answer: Any) -> None:
        super().show_answer(kind, answer)
        if kind == "tables":
            model = self.room.state.model
            self.below.show_tables(answer, model.missing.get("segments", "") if model else "")
        elif kind == "embed.map" and answer[1] is self.units:
            self._show_map(*answer)

    def leave(self) -> None:
        super().leave()
        self._stop_swapping()

    def hideEvent(self, event: QHideEvent) -> None:
        """A click in another room is none for this one."""
        super().hideEvent(event)
        self._stop_swapping()

    def _draw_strips(self, reading: Reading, units: Units | None) -> None:
        parts = parts_of(reading, units) if units is not None else []
        addends = [part.values for part in parts if part.is_addend and part.values is not None]
        limit = color_limit(addends) if addends else 1.0
        last = parts[-1] if parts else None
        has_last = last is not None and last.values is not None
        last_limit = color_limit([last.values]) if last is not None and last.values is not None else 1.0
        self.strips.set_parts(parts, limit, last_limit)
        self.scale.set_range(-limit, limit)
        self.last_scale.set_range(-last_limit, last_limit)
        self.last_scale_name.setText(last.name.splitlines()[-1] if last is not None else "")
        for widget in (self.last_scale_name, self.last_scale):
            widget.setVisible(has_last)
        width, after = reading.trace.embedding_sum.shape[1], reading.trace.embeddings.shape[1]
        columns = (
            f"{width:,} numbers, {after:,} once projected"
            if width != after
            else f"the {width:,} numbers of each vector"
        )
        self.strips_card.set_hint(f"rows: tokens · columns: {columns}{self.merged_note()}")

    def _ask_near(self, ids: tuple[int, ...]) -> None:
        by, finder = self.measure, self.room.finder

        def answer(checkpoint: Checkpoint, _step: Step) -> tuple[Measure, list[NearWord]]:
            return by, finder.words_of(checkpoint).near(ids, NEAR_WORDS, by)

        self.near.want((self.room.state.model, ids, by), answer, pause_ms=0)

    def _show_near(self, found: tuple[Measure, list[NearWord]]) -> None:
        model = self.room.state.model
        if model is not None:
            self.token.show_words(found[1], found[0], [model.tokenizer.label(word.token_id) for word in found[1]])

    def _show_map(self, reading: Reading, units: Units, found: Any) -> None:
        hints = [f"{name} at position {at}" for name, at in zip(units.labels, units.first_positions, strict=True)]
        self.below.map.set_points(Points(found.points, units.labels, units.kinds, hints))
        self.below.map.set_current(self.unit)
        self.below.map_text.setText(f"PCA of the sum · {found.kept:.0%} of the variance")

    # What if.

    def _fill_parts(self, menu: QMenu) -> None:
        reading, what_if = self.room.state.reading, self.room.state.what_if
        for name in ADDENDS:
            action = QAction(f"{name} embedding", menu)
            action.setCheckable(True)
            action.setChecked(name not in what_if.dropped)
            action.setEnabled(reading is not None and addends_of(reading)[name] is not None)
            action.toggled.connect(partial(self.room.set_part, name))
            menu.addAction(action)

    def _on_change_segment_moved(self) -> None:
        state = self.room.state
        if state.encoding is not None:
            state.set_what_if(moved(state.what_if, state.encoding, [self.room.current]))

    def _on_change_swap_switched(self, is_on: bool) -> None:
        first = self.room.current
        if self.room.state.reading is None or not is_on:
            self._stop_swapping()
            return
        self.room.state.set_focus(first)  # so that letting it go is heard
        self._swap_from = first
        self.change.show_waiting(True)

    def _on_state_focus_changed(self) -> None:
        """The other token has been clicked, or Escape has let go of the first."""
        state, first = self.room.state, self._swap_from
        if first is None or state.focus == first:
            return
        self._stop_swapping()
        if state.focus is not None:
            state.set_what_if(state.what_if.swapped(first, state.focus))

    def _stop_swapping(self) -> None:
        self._swap_from = None
        self.change.show_waiting(False)

    def _on_token_measure_chosen(self, measure: str) -> None:
        self.measure = "distance" if measure == "distance" else "cosine"
        self.room.state.kept[KEPT_MEASURE] = self.measure
        if self.room.state.reading is not None:
            self.draw_focus(self.room.state.reading)

    def _on_strips_hovered(self, spot: tuple[int, int, int] | None) -> None:
        units = self.units
        if spot is None or units is None:
            self.room.hover_text_changed.emit("")
        else:
            number, row, column = spot
            part = self.strips.parts[number]
            if part.values is not None and row < len(units):
                where = f"{part.words} of {units.labels[row]} ({units.first_positions[row]})"
                self.room.hover_text_changed.emit(f"{where}, dimension {column}: {part.values[row, column]:.5g}")
        self.hover_unit(spot[1] if spot else None)

    # Figures.

    def _strips_figure(self) -> Figure | None:
        numbers = figures.strips_numbers(self.strips.parts, self.units.labels if self.units else [])
        widgets = [self.strips, self.scale_name, self.scale, self.last_scale_name, self.last_scale]
        hint = "rows: tokens · columns: the numbers of each"
        return self.room.figure("Input embedding", widgets, numbers, hint=hint)

    def _token_figure(self) -> Figure | None:
        numbers = figures.token_numbers(self.token.lengths, self.token.words)
        settings = f"nearest words by {self.measure}"
        return self.room.figure(f"“{self.token.title}”", self.token.widgets, numbers, token=True, settings=settings)

    def _below_figure(self, kind: str) -> Figure | None:
        below, room = self.below, self.room
        if kind == "map":
            points, hint = below.map.points, below.map_text.text()
            numbers = figures.map_numbers(points.places, points.names)
            return room.figure("Map of this text", [below.map], numbers, hint=hint) if points.names else None
        if below.tables is None:
            return None
        if kind == "positions":
            hint = f"rows and columns: positions, {below.positions_text.text()}"
            numbers = figures.positions_numbers(below.tables)
            return room.figure("Positions", [below.positions, below.cosine_scale], numbers, hint=hint)
        if below.tables.segments is None:
            return None
        hint = f"columns: dimensions · {below.segments_text.text()}"
        numbers = figures.segments_numbers(below.tables.segments)
        return room.figure("Segments A and B", [below.segments, below.segment_scale], numbers, hint=hint)

    def _lay_out(self) -> None:
        self.strips_card.add_to_header(self.menu)
        self.strips_card.set_figure(self._strips_figure)
        scales = QHBoxLayout()
        scales.setSpacing(theme.px(4))
        for widget in (self.scale_name, self.scale, self.last_scale_name, self.last_scale):
            scales.addWidget(widget)
        scales.addStretch(1)
        self.strips_card.body.addWidget(self.strips, 1)
        self.strips_card.body.addLayout(scales)
        self.token.set_figure(self._token_figure, "the token that is looked at")
        row, left, right = QHBoxLayout(self), QVBoxLayout(), QVBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        for layout in (row, left, right):
            layout.setSpacing(theme.px(GAP_PX))
        left.addWidget(self.strips_card, 11)
        left.addWidget(self.below, 9)
        right.addWidget(self.token, 1)
        right.addWidget(self.change)
        row.addLayout(left, 1)
        row.addLayout(right)
