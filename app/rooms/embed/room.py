"""Room Embed: token, segment and position vectors add up; LayerNorm makes them even. One token looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app import theme
from app.geometry import Tables, TextMap, map_of_text
from app.readings import Reading
from app.rooms.embed.pictures import MapPicture, PositionPicture, SegmentPicture
from app.rooms.embed.strips import PARTS, Strips
from app.rooms.explore import ExploreRoom
from app.state import ExploreState
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, Hint, label
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from bertcore.analysis.trace import Trace

# The scale reaches to the value that this share of all values lies within: a few outliers would pale all the rest.
WITHIN = 0.99
MOST_POSITIONS = 128
PART_COLORS = ("curve_train", "curve_held_out", "good", "muted")


class EmbedRoom(ExploreRoom):
    """Strips above, similarities below, the token that is looked at on the right."""

    def __init__(self, state: ExploreState) -> None:
        self._strips = Strips()
        self._scale, self._norm_scale = ColorBar(signed=True), ColorBar(signed=True)
        self._strips_card = Card("Input embedding, piece by piece")
        self._token_card = Card()
        self._norms = BarList("Length of each part")
        self._norm_after = label("", "muted", wrap=True)
        self._nearest = BarList("Nearest words in the token table", stretch_to_px=30, may_cut=True)
        self._positions, self._segments, self._map = PositionPicture(), SegmentPicture(), MapPicture()
        self._positions_title, self._segments_text, self._map_title = (Hint() for _ in range(3))
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
        trace = reading.trace
        parts = parts_of(trace)
        limit, norm_limit = color_limit(parts[:4]), color_limit(parts[4:])
        self._strips.set_parts(parts, limit, norm_limit)
        self._scale.set_range(-limit, limit)
        self._norm_scale.set_range(-norm_limit, norm_limit)
        self._strips_card.set_hint(f"rows: tokens · columns: the {parts[0].shape[1]} numbers of each vector")
        size = max(len(reading.encoding), MOST_POSITIONS)
        if self._tables_asked != (self.state.model, size):
            self._tables_asked = (self.state.model, size)
            self.asked.emit("tables", size)
        self.asked.emit("map", lambda: (reading, map_of_text(trace.embedding_sum)))
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        position = self.current
        lengths = [float(np.linalg.norm(part[position])) for part in parts_of(reading.trace)]
        segment = "AB"[min(reading.encoding.segments[position], 1)]
        self._token_card.set_title(reading.shown_tokens[position])
        self._token_card.set_hint(f"token {position} · segment {segment} · id {reading.request.input_ids[position]}")
        longest = max(lengths[:4]) or 1.0
        self._norms.set_bars(
            [
                Bar(name, f"{length:.2f}", length / longest, color)
                for name, length, color in zip(PARTS[:4], lengths[:4], PART_COLORS, strict=True)
            ]
        )
        self._norm_after.setText(f"after LayerNorm: {lengths[4]:.2f}")
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
        for text, bar in (("token, segment, position, sum", self._scale), ("LayerNorm", self._norm_scale)):
            scales.addWidget(label(text, "muted"))
            scales.addWidget(bar)
        scales.addStretch(1)
        self._strips_card.body.addWidget(self._strips, 1)
        self._strips_card.body.addLayout(scales)

    def _fill_token_card(self) -> None:
        body = self._token_card.body
        self._token_card.setFixedWidth(theme.column_px(310))
        body.addWidget(label("length (L2 norm) of each part", "muted"))
        body.addWidget(self._norms)
        body.addWidget(self._norm_after)
        body.addSpacing(theme.px(10))
        body.addWidget(label("Nearest words in the token table", "title", wrap=True))
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
        self._segments.set_tables(tables)
        self._segment_scale.set_range(-self._segments.limit, self._segments.limit)
        self._positions_title.setText(f"cosine, 0–{len(tables.position_cosines) - 1}")
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
        part, row, column = spot
        value = self._strips.rasters[part].values[row, column]
        self.hover_told.emit(f"{PARTS[part]} of {reading.shown_tokens[row]} ({row}), dimension {column}: {value:.4f}")
        self.state.set_hover(row)


def parts_of(trace: Trace) -> list[np.ndarray]:
    """The five matrices (S,H) of the strips, in their order."""
    return [
        trace.token_embeddings,
        trace.segment_embeddings,
        trace.position_embeddings,
        trace.embedding_sum,
        trace.embeddings,
    ]


def color_limit(parts: list[np.ndarray]) -> float:
    """The value at the ends of a scale around zero that all `parts` share."""
    sizes = np.abs(np.concatenate([part.ravel()[:: max(part.size // 20_000, 1)] for part in parts]))
    place = min(int(len(sizes) * WITHIN), len(sizes) - 1)
    return float(np.partition(sizes, place)[place]) or 1.0
