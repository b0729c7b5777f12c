"""View "Overview": token, segment and position vectors add up, LayerNorm evens them out; one token in detail."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from bertcore.analysis.vectors import Pca, pca

from ...compute.embedding import Tables, compare_tables, near_words
from ...figures.figure import Axis, Figure, Numbers, joined, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import where_compared
from ...state.token_units import TokenView, Units
from ...widgets.card import GAP_PX, Card, Hint, label, scrolled
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.raster import ColorBar
from ...widgets.controls import MenuButton
from ...widgets.figure_button import FigureButton, Provider
from ...widgets.flow_layout import FlowLayout
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import Item, fill, hbox, vbox
from ...widgets.scatter import Points, Scatter
from ..view import View
from .changes import ChangeCard
from .embedding_parts import ADDENDS, addends_of, color_limit, compared_reading, parts_of, sum_difference
from .strips import Strips
from .token_card import TokenCard

if TYPE_CHECKING:
    from bertcore.analysis.vectors import NearestBy, NearWord
    from bertcore.tokenizer.tokenizer import Encoding

    from ...compute.question import ReportOrCancel
    from ...state.readings import Reading
    from ...state.selection import Selection

LEAST_PX = (130, 118)  # of the smaller pictures, with the numbers along their sides
MOST_SEGMENTS_PX = 118
NEAR_WORDS = 12
POSITIONS = 128  # the position table is compared in steps of this many
MANY_TOKENS = 128  # from here on the map takes too long to be drawn anew at each key


def map_of_sums(reading: Reading, view: TokenView, _progress: ReportOrCancel) -> Pca:
    return pca(reading.units(view).vectors(reading.trace.embedding_sum))


class PartsView(View):
    """Strips above, similarities below, the selected token on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.strips, self.token, self.change, self.pictures = Strips(), TokenCard(), ChangeCard(), PicturesCard()
        self.scale, self.last_scale = (ColorBar(signed=True, width_px=200) for _ in range(2))
        self.scale_name, self.last_scale_name = label("", "muted"), label("", "muted")
        explain("component", self.strips, self.scale, self.last_scale)
        intro = say(
            "Row: a token. Column: one of its numbers; red is above zero, blue below. The sum is the strips above it, "
            "added number by number: all that the model knows before its first layer."
        )
        self.strips_card = Card(say("How the input vectors add up"), intro=intro)
        self.menu = MenuButton(say("Parts"), self._fill_parts, say("Leave a part out of the sum"))
        self.measure: NearestBy = "cosine"
        self._swap_from: int | None = None
        self._encoding: Encoding | None = None  # on show
        self._lay_out()
        self.near = self.add_question(self._on_near_answered)
        self.map = self.add_question(self._on_map_answered)
        self.tables = self.add_question(self._on_tables_answered)
        self.add_token_menu(self.strips, lambda cell: self.first_position(cell[1]))
        self.add_token_menu(self.pictures.map)
        for picture in (self.pictures.positions, self.pictures.segments):
            self.add_token_menu(picture, lambda _cell: None)
        self.strips.hovered.connect(self._on_strips_hovered)
        self.strips.clicked.connect(lambda cell: self.click_unit(cell[1]))
        self.pictures.map.clicked.connect(self.click_unit)
        self.pictures.map.hovered.connect(self._on_map_hovered)
        self.pictures.hover_text_changed.connect(self.hover_text_changed)
        self.token.measure_clicked.connect(self._on_token_measure_clicked)
        self.change.segment_clicked.connect(self._on_change_segment_clicked)
        self.change.swap_clicked.connect(self._on_change_swap_clicked)

    def _lay_out(self) -> None:
        scales, holder, side = FlowLayout(14), QWidget(), QWidget()
        holder.setLayout(scales)
        for pair in ((self.scale_name, self.scale), (self.last_scale_name, self.last_scale)):
            together = QWidget()
            hbox(*pair, parent=together, gap_px=4)
            scales.addWidget(together)
        self.strips_card.add_to_header(self.menu)
        self.strips_card.set_figure(self._strips_figure)
        fill(self.strips_card.body, (self.strips, 1), holder)
        self.pictures.set_figures(self._positions_figure, self._segments_figure, self._map_figure)
        self.token.set_figure(self._token_figure, say("the selected token"))
        vbox((self.token, 1), self.change, parent=side, gap_px=GAP_PX)
        right = folded_on_projector(side, say("The selected token"))
        if theme.is_projector():  # one or the other
            pictures = folded_on_projector(self.pictures, say("Positions and segments"))
            pictures.tab.toggled.connect(self.strips_card.setHidden)
            hbox((self.strips_card, 1), (pictures, 1), right, parent=self, gap_px=GAP_PX)
        else:
            left = vbox((self.strips_card, 11), (self.pictures, 9), gap_px=GAP_PX)
            hbox((left, 1), right, parent=self, gap_px=GAP_PX)

    def restore(self, kept: Any) -> None:
        self.measure = kept

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if reading.encoding is not self._encoding:
            self._encoding = reading.encoding
            self._stop_swapping()
        units, model = selection.units(reading), reading.request.model
        self._show_strips(reading, units)
        self.change.show_reading(reading, selection.position)
        count = -(-len(reading.encoding) // POSITIONS) * POSITIONS
        self.tables.ask_model(model, compare_tables, count, pause_ms=0)
        if len(units):
            pause_ms = self.pause_ms if len(units) >= MANY_TOKENS else 0
            self.map.ask(map_of_sums, reading, selection.token_view, pause_ms=pause_ms)
        else:
            self.map.clear()
            self.pictures.show_map(None, units)
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self._swap_from is not None and selection.pinned != self._swap_from:
            self._swap_with(selection.pinned)
        self.change.show_position(reading, selection.position)
        units, unit = selection.units(reading), selection.unit(reading)
        if unit is None:
            self.near.clear()
            self.token.clear()
            return
        self.token.show_unit(reading, units, unit)
        self.strips.set_row(unit)
        if self.map.answer is not None:
            self.pictures.map.set_selected([unit])
        ids = tuple(reading.request.input_ids[i] for i in units.members[unit])
        self.near.ask_model(reading.request.model, near_words, ids, NEAR_WORDS, self.measure, pause_ms=0)

    def leave(self) -> None:
        """A click in another room is none for this one."""
        super().leave()
        self._stop_swapping()

    def _show_strips(self, reading: Reading, units: Units) -> None:
        parts = parts_of(reading, units) if len(units) else []
        addends, others = ([part.values for part in parts if part.is_addend is one] for one in (True, False))
        limit, last_limit = (color_limit([one for one in each if one is not None]) for each in (addends, others))
        difference = sum_difference(reading, units) if parts and self.selection.wants_difference else None
        self.strips.set_parts(parts if difference is None else [*parts, difference], limit, last_limit)
        is_drawn = difference is not None and difference.values is not None
        names = say("token, segment, position, sum")
        self.scale_name.setText(say("token, segment, position, sum, difference") if is_drawn else names)
        self.scale.set_range(-limit, limit)
        self.last_scale.set_range(-last_limit, last_limit)
        self.last_scale_name.setText(parts[-1].name if parts else "")
        for widget in (self.last_scale_name, self.last_scale):
            widget.setVisible(any(one is not None for one in others))
        width, after = (numbers.count(one.shape[1]) for one in (reading.trace.embedding_sum, reading.trace.embeddings))
        columns = say("columns: the {width} numbers of each vector", width=width)
        if width != after:
            columns = say("columns: {width} numbers, {after} after the projection", width=width, after=after)
        minus = say("difference: the sum now minus that {there}", there=where_compared(reading))
        is_same = reading.baseline is not None and compared_reading(reading) is None
        later = say("your change comes later and cannot change the embeddings") if is_same else ""
        self.strips_card.set_hint(joined(columns, self.selection.token_view.vectors_note, minus if is_drawn else later))

    def _on_near_answered(self, words: list[NearWord]) -> None:
        if self.reading is not None:
            named = self.reading.request.model.tokenizer.label
            self.token.show_words(words, self.measure, [named(word.token_id) for word in words])

    def _on_map_answered(self, plane: Pca) -> None:
        if self.reading is not None:
            self.pictures.show_map(plane, self.selection.units(self.reading))
            self.pictures.map.set_selected([self.selection.unit(self.reading) or 0])

    def _on_tables_answered(self, tables: Tables) -> None:
        if self.reading is not None:
            self.pictures.show_tables(tables, self.reading.request.model.missing.get("segments", ""))

    # What if.

    def _fill_parts(self, menu: QMenu) -> None:
        if self.reading is None:
            return
        names = say("Token embedding"), say("Segment embedding"), say("Position embedding")
        for key, name in zip(ADDENDS, names, strict=True):
            action = QAction(name, menu)
            action.setCheckable(True)
            action.setChecked(key not in self.reading.request.what_if.dropped)
            action.setEnabled(addends_of(self.reading)[key] is not None)
            action.toggled.connect(partial(self._on_part_toggled, key))
            menu.addAction(action)

    def _on_part_toggled(self, key: str, is_in: bool) -> None:
        self.what_if_edited.emit(lambda what_if: what_if.with_dropped(key, not is_in))

    def _on_change_segment_clicked(self) -> None:
        if self.reading is not None:
            segments, positions = self.reading.encoding.segments, [self.selection.position]
            self.what_if_edited.emit(lambda what_if: what_if.with_other_segment(positions, segments))

    def _on_change_swap_clicked(self, is_on: bool) -> None:
        self._stop_swapping()
        if self.reading is not None and is_on:
            first = self.selection.position
            self.position_clicked.emit(first)  # pinned, so that Esc has something to unpin
            self._swap_from = first
            self.change.show_waiting(True)

    def _swap_with(self, other: int | None) -> None:
        """other: the token that was clicked; None where Esc was pressed."""
        first = self._swap_from
        self._stop_swapping()
        if first is not None and other is not None:
            self.what_if_edited.emit(lambda what_if: what_if.swapped(first, other))

    def _stop_swapping(self) -> None:
        self._swap_from = None
        self.change.show_waiting(False)

    def _on_token_measure_clicked(self, measure: NearestBy) -> None:
        self.measure = measure
        self.kept_changed.emit(measure)
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)

    def _on_strips_hovered(self, cell: tuple[int, int, int] | None) -> None:
        text = ""
        if cell is not None and self.reading is not None:
            (number, row, column), units = cell, self.selection.units(self.reading)
            part = self.strips.parts[number]
            if part.values is not None and row < len(units):
                value, token = float(part.values[row, column]), units.labels[row]
                text = say("{token} has no counterpart in the baseline", token=token)
                if not np.isnan(value):
                    text = say(
                        "{part} of {token} ({position}), dimension {dimension}: {value}",
                        part=part.name,
                        token=token,
                        position=units.first_positions[row],
                        dimension=column,
                        value=numbers.number(value, 5),
                    )
        self.hover_text_changed.emit(text)
        self.hover_unit(cell[1] if cell else None)

    def _on_map_hovered(self, unit: int | None) -> None:
        units = self.selection.units(self.reading) if self.reading is not None else None
        text = ""
        if unit is not None and units is not None and unit < len(units):
            text = say("{token} at position {position}", token=units.labels[unit], position=units.first_positions[unit])
        self.hover_text_changed.emit(text)

    # Figures.

    def _strips_figure(self) -> Figure | None:
        if self.reading is None:
            return None
        axes = Axis("token", self.selection.units(self.reading).labels), Axis("dimension")
        arrays = {part.name: Numbers(part.values, axes) for part in self.strips.parts if part.values is not None}
        widgets = [self.strips, self.scale_name, self.scale, self.last_scale_name, self.last_scale]
        hint = say("rows: tokens · columns: the numbers of each vector")
        return self.figure(self.strips_card.title, widgets, arrays, hint=hint)

    def _token_figure(self) -> Figure | None:
        lengths, words = self.token.lengths, self.token.words
        shares, names = {one.key: one.share for one in lengths if one.share is not None}, [word.word for word in words]
        arrays = {
            "length": numbers_of("part", [one.key for one in lengths], [one.length for one in lengths]),
            "share": numbers_of("part", list(shares), list(shares.values())),
            "cosine": numbers_of("word", names, [word.cosine for word in words]),
            "distance": numbers_of("word", names, [word.distance for word in words]),
        }
        settings = say("nearest words by cosine") if self.measure == "cosine" else say("nearest words by distance")
        return self.figure(f"“{self.token.title}”", self.token.widgets, arrays, token=True, settings=settings)

    def _positions_figure(self) -> Figure | None:
        card, tables = self.pictures, self.tables.answer
        if tables is None:
            return None
        arrays = {"cosine": Numbers(tables.position_cosines, (Axis("position"), Axis("other position")))}
        hint = joined(say("rows and columns: positions"), card.positions_hint.text())
        return self.figure(say("Positions"), [card.positions, card.cosine_scale], arrays, hint=hint)

    def _segments_figure(self) -> Figure | None:
        card, tables = self.pictures, self.tables.answer
        if tables is None or tables.segments is None:
            return None
        arrays = {"segment": Numbers(tables.segments, (Axis("segment", ("A", "B")), Axis("dimension")))}
        hint = joined(say("columns: dimensions"), card.segments_hint.text())
        return self.figure(say("Segments A and B"), [card.segments, card.segment_scale], arrays, hint=hint)

    def _map_figure(self) -> Figure | None:
        points = self.pictures.map.points
        if self.map.answer is None or not points.names:
            return None
        arrays = {"place": Numbers(points.places, (Axis("token", points.names), Axis("component", ("1", "2"))))}
        return self.figure(say("Map of this text"), [self.pictures.map], arrays, hint=self.pictures.map_hint.text())


class PicturesCard(Card):
    """Three pictures side by side: what the tables of positions and segments say, and a map of the text."""

    hover_text_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        name = say("Cosine similarity of each pair of position vectors")
        self.positions = LabelledGrid(name, square=True, signed=True, scale=False)
        self.segments = LabelledGrid(say("The vectors of segment A and segment B"), signed=True, scale=False)
        self.map = Scatter(say("Map of this text"))
        self.positions_hint, self.segments_hint, self.map_hint = Hint(), Hint(), Hint()
        self.cosine_scale, self.segment_scale = (ColorBar(signed=True, width_px=120) for _ in range(2))
        self.cosine_scale.set_range(-1, 1)
        explain("cosine", self.positions, self.cosine_scale)
        explain("component", self.segments, self.segment_scale)
        self.no_segments = label("", "muted", wrap=True)
        self.no_segments.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Scrolls where it must: a height that follows from its width would squeeze the strips above.
        self._no_segments_area = scrolled(self.no_segments)
        for grid in (self.positions, self.segments):
            grid.setMinimumSize(*map(theme.px, LEAST_PX))
            grid.hovered.connect(partial(self._on_grid_hovered, grid))
            grid.clicked.connect(partial(self._on_grid_clicked, grid))
        self.segments.setMaximumHeight(theme.px(MOST_SEGMENTS_PX))

    def set_figures(self, positions: Provider, segments: Provider, text_map: Provider) -> None:
        """What the save buttons of the three pictures give."""
        below: list[Item] = [self.segment_scale, self._no_segments_area, None]
        columns: tuple[tuple[str, Hint, QWidget, Provider, int, list[Item]], ...] = (
            (say("Positions"), self.positions_hint, self.positions, positions, 10, [self.cosine_scale]),
            (say("Segments"), self.segments_hint, self.segments, segments, 13, below),
            (say("Map of this text"), self.map_hint, self.map, text_map, 25, []),
        )
        row = hbox(gap_px=22)
        for title, hint, picture, figure, stretch, words in columns:
            head = hbox((label(title, "title"), 1), FigureButton(figure, picture, title))
            row.addLayout(vbox(vbox(head, hint, gap_px=0), (picture, 1), *words, gap_px=6), stretch)
        self.body.addLayout(row, 1)

    def show_tables(self, tables: Tables, no_segments: str) -> None:
        """no_segments: why there are none, where there are none."""
        places, segments = Labels([str(place) for place in range(len(tables.position_cosines))]), tables.segments
        self.positions.set_grid(tables.position_cosines, places, places, -1, 1)
        self.positions_hint.setText(say("Red: alike vectors"))
        self.no_segments.setText(no_segments)
        self._no_segments_area.setVisible(segments is None)
        for widget in (self.segments, self.segment_scale):
            widget.setVisible(segments is not None)
        self.segments_hint.setText("")
        if segments is None:
            return
        limit = float(np.abs(segments).max()) or 1.0
        dimensions = Labels([str(dimension) for dimension in range(segments.shape[1])])
        self.segments.set_grid(segments, Labels("AB", ["segment_a", "segment_b"]), dimensions, -limit, limit)
        self.segment_scale.set_range(-limit, limit)
        cosine, distance = numbers.decimal(tables.segment_cosine), numbers.decimal(tables.segment_distance)
        self.segments_hint.setText(say("Cosine {cosine}, A and B", cosine=cosine))
        more = say("The vectors of A and B: cosine {cosine}, distance {distance}", cosine=cosine, distance=distance)
        self.segments_hint.setToolTip(f"{self.segments_hint.text()}\n{more}")

    def show_map(self, plane: Pca | None, units: Units) -> None:
        """None: there is nothing to show."""
        self.map.set_points(Points() if plane is None else Points(plane.points, units.labels, units.kinds))
        near = say("Near tokens are alike: PCA shows {share} of the differences.")
        self.map_hint.setText("" if plane is None else near.format(share=numbers.percent(plane.kept)))

    def _on_grid_hovered(self, grid: LabelledGrid, cell: tuple[int, int] | None) -> None:
        text = ""
        if cell is not None and grid.values is not None:
            value = numbers.decimal(float(grid.values[cell]), 4)
            row, column = grid.rows.texts[cell[0]], grid.columns.texts[cell[1]]
            text = say("positions {first} and {second}: cosine {cosine}", first=row, second=column, cosine=value)
            if grid is self.segments:
                text = say(
                    "segment {segment}, dimension {dimension}: {value}", segment=row, dimension=column, value=value
                )
        self.hover_text_changed.emit(text)

    def _on_grid_clicked(self, grid: LabelledGrid, cell: tuple[int, int], *_: object) -> None:
        grid.set_selected(*cell)
        self._on_grid_hovered(grid, cell)
