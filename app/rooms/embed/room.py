"""Room Embed: token, segment and position vectors add up; LayerNorm makes them even. One token looked at closely."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app import theme
from app.chips import part_name
from app.geometry import Tables, TextMap, map_of_text
from app.readings import Reading
from app.rooms.embed.parts import color_limit, has_last, last_name, lengths_at, parts_of
from app.rooms.embed.pictures import MapPicture, PositionPicture, SegmentPicture
from app.rooms.embed.strips import Strips
from app.rooms.explore import ExploreRoom
from app.state import ExploreState
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, Hint, label, scrolled
from app.widgets.raster import ColorBar

MOST_POSITIONS = 128
PART_COLORS = {"token": "curve_train", "segment": "curve_held_out", "position": "good", "sum": "muted"}


class EmbedRoom(ExploreRoom):
    """Strips above, similarities below, the token that is looked at on the right."""

    def __init__(self, state: ExploreState) -> None:
        self._strips = Strips()
        self._scale, self._last_scale = ColorBar(signed=True), ColorBar(signed=True)
        self._last_scale_name = label("", "muted")
        self._strips_card = Card("Input embedding, piece by piece")
        self._token_card = Card()
        self._norms = BarList("Length of each part")
        self._length_after = label("", "muted")
        self._nearest = BarList("Nearest words in the token table", stretch_to_px=30, may_cut=True)
        self._positions, self._segments, self._map = PositionPicture(), SegmentPicture(), MapPicture()
        self._positions_title, self._segments_text, self._map_title = (Hint() for _ in range(3))
        self._no_segments = label("", "muted", wrap=True)
        # Scrolls where it must: a height that follows from its width would squeeze the strips above.
        self._no_segments_area = scrolled(self._no_segments)
        self._cosine_scale, self._segment_scale = (ColorBar(signed=True, width_px=180) for _ in range(2))
        self._tables_asked: tuple[object, int] | None = None
        self._nearest_asked: tuple[object, int] | None = None
        super().__init__(state, self._build())
        self._strips.hovered.connect(self._on_strips_hovered)
        self._strips.clicked.connect(state.set_focus)
        self._map.clicked.connect(state.set_focus)
        for picture in (self._positions, self._map):
            picture.told.connect(self.hover_told)

    def draw_reading(self, reading: Reading) -> None:
        self._draw_strips(reading)
        trace = reading.trace
        size = max(len(reading.encoding), MOST_POSITIONS)
        if self._tables_asked != (self.state.model, size):
            self._tables_asked = (self.state.model, size)
            self.asked.emit("tables", size)
        self.asked.emit("map", lambda: (reading, map_of_text(trace.embedding_sum)))
        self.draw_focus(reading)

    def _draw_strips(self, reading: Reading) -> None:
        parts, trace = parts_of(reading), reading.trace
        addends = [part for part in parts if part.is_addend and part.values is not None]
        limit = color_limit([part.values for part in addends if part.values is not None])
        last_limit = color_limit([trace.embeddings])
        self._strips.set_parts(parts, limit, last_limit)
        self._scale.set_range(-limit, limit)
        self._last_scale.set_range(-last_limit, last_limit)
        last = parts[-1]
        self._last_scale_name.setText(last.name.splitlines()[-1])
        for widget in (self._last_scale_name, self._last_scale):
            widget.setVisible(last.values is not None)
        width, after = trace.embedding_sum.shape[1], trace.embeddings.shape[1]
        columns = (
            f"{width:,} numbers, {after:,} once projected"
            if width != after
            else f"the {width:,} numbers of each vector"
        )
        self._strips_card.set_hint(f"rows: tokens · columns: {columns}")

    def draw_focus(self, reading: Reading) -> None:
        position, model = self.current, reading.request.model
        lengths = lengths_at(reading, position)
        where = part_name(reading.encoding, position, model.has_segments)
        self._token_card.set_title(reading.shown_tokens[position])
        self._token_card.set_hint(f"token {position}{where} · id {reading.request.input_ids[position]}")
        longest = max(length for _, length in lengths) or 1.0
        self._norms.set_bars(
            [Bar(name, f"{length:.2f}", length / longest, PART_COLORS[name]) for name, length in lengths]
        )
        after = last_name(model).replace(",\n", " and ")
        length_after = float(np.linalg.norm(reading.trace.embeddings[position]))
        self._length_after.setText(f"after {after}: {length_after:.2f}")
        self._length_after.setVisible(has_last(model))
        self._strips.set_row(position)
        self._map.set_current(position)
        self._ask_nearest(reading.request.input_ids[position])

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind == "nearest":
            self._show_nearest(*answer)
        elif kind == "tables":
            self._show_tables(answer)
        elif kind == "map":
            self._show_map(*answer)

    def _build(self) -> QWidget:
        self._fill_strips_card()
        self._fill_token_card()
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.px(GAP_PX))
        grid.addWidget(self._strips_card, 0, 0)
        grid.addWidget(self._build_lower_card(), 1, 0)
        grid.addWidget(self._token_card, 0, 1, 2, 1)
        grid.setRowStretch(0, 63)
        grid.setRowStretch(1, 37)
        grid.setColumnStretch(0, 1)
        return content

    def _fill_strips_card(self) -> None:
        scales = QHBoxLayout()
        scales.setSpacing(theme.px(4))
        for widget in (label("token to sum", "muted"), self._scale, self._last_scale_name, self._last_scale):
            scales.addWidget(widget)
        scales.addStretch(1)
        self._strips_card.body.addWidget(self._strips, 1)
        self._strips_card.body.addLayout(scales)

    def _fill_token_card(self) -> None:
        body = self._token_card.body
        self._token_card.setFixedWidth(theme.column_px(310))
        body.addWidget(label("length (L2 norm) of each part", "muted"))
        body.addWidget(self._norms)
        body.addWidget(self._length_after)
        body.addSpacing(theme.px(10))
        body.addWidget(label("Nearest words in the token table", "title"))
        body.addWidget(label("cosine with its token vector", "muted"))
        body.addWidget(self._nearest, 1)

    def _build_lower_card(self) -> Card:
        card = Card()
        row = QHBoxLayout()
        row.setSpacing(theme.px(22))
        for title, hint, picture, scale, stretch in (
            ("Positions", self._positions_title, self._positions, self._cosine_scale, 10),
            ("Segments", self._segments_text, self._segments, self._segment_scale, 13),
            ("Map of this text", self._map_title, self._map, None, 25),
        ):
            column = QVBoxLayout()
            column.setSpacing(theme.px(6))
            head = QHBoxLayout()
            head.addWidget(label(title, "title"))
            head.addWidget(hint, 1)
            column.addLayout(head)
            column.addWidget(picture, 1)
            if scale is not None:
                column.addWidget(scale)
            if picture is self._segments:
                self._no_segments.setAlignment(Qt.AlignmentFlag.AlignTop)
                column.addWidget(self._no_segments_area, 1)
                column.addStretch(1)
            row.addLayout(column, stretch)
        card.body.addLayout(row, 1)
        return card

    def _ask_nearest(self, token_id: int) -> None:
        if self._nearest_asked != (self.state.model, token_id):
            self._nearest_asked = (self.state.model, token_id)
            self.asked.emit("nearest", token_id)

    def _show_nearest(self, token_id: int, words: list[tuple[str, float]]) -> None:
        if self._nearest_asked is None or token_id != self._nearest_asked[1]:
            return
        self._nearest.set_bars([Bar(word, f"{cosine:.2f}", cosine) for word, cosine in words])

    def _show_tables(self, tables: Tables) -> None:
        self._positions.set_tables(tables)
        self._positions_title.setText(f"cosine, 0–{len(tables.position_cosines) - 1}")
        self._no_segments.setText(self.state.model.missing.get("segments", "") if self.state.model else "")
        self._no_segments_area.setVisible(tables.segments is None)
        for widget in (self._segments, self._segment_scale):
            widget.setVisible(tables.segments is not None)
        if tables.segments is None:
            self._segments_text.setText("")
            return
        self._segments.set_segments(tables.segments)
        self._segment_scale.set_range(-self._segments.limit, self._segments.limit)
        self._segments_text.setText(f"cosine {tables.segment_cosine:.2f} · distance {tables.segment_distance:.2f}")

    def _show_map(self, reading: Reading, text_map: TextMap) -> None:
        kinds = {"special": "special", "a": "segment_a", "b": "segment_b"}
        self._map.set_map(text_map, reading.shown_tokens, [kinds[part] for part in reading.encoding.parts])
        self._map.set_current(self.current)
        self._map_title.setText(f"PCA of the sum · {text_map.share:.0%} of the variance")

    def _on_strips_hovered(self, spot: tuple[int, int, int] | None) -> None:
        reading = self.state.reading
        if spot is None or reading is None:
            self.state.set_hover(None)
            self.hover_told.emit("")
            return
        number, row, column = spot
        part = self._strips.parts[number]
        if part.values is not None:
            name, value = part.name.replace(",\n", " and "), part.values[row, column]
            self.hover_told.emit(f"{name} of {reading.shown_tokens[row]} ({row}), dimension {column}: {value:.4f}")
        self.state.set_hover(row)
