"""Below the strips: which positions are alike, how the segments differ, and a map of the text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.embed.map_picture import MapPicture
from app.rooms.embed.pictures import PositionPicture, SegmentPicture
from app.widgets.card import Card, Hint, label, scrolled
from app.widgets.figure_button import FigureButton
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.compute.geometry import Tables
    from app.figures.figure import Figure


class BelowCard(Card):
    """Three pictures side by side."""

    told = Signal(str)

    def __init__(self, figure: Callable[[str], Figure | None]) -> None:
        """figure: gives the figure of "positions", "segments" or "map"."""
        super().__init__()
        self.tables: Tables | None = None
        self.positions, self.segments, self.map = PositionPicture(), SegmentPicture(), MapPicture()
        self.positions_text, self.segments_text, self.map_text = Hint(), Hint(), Hint()
        self.cosine_scale, self.segment_scale = (ColorBar(signed=True, width_px=180) for _ in range(2))
        self.cosine_scale.set_range(-1, 1)
        self.no_segments = label("", "muted", wrap=True)
        self.no_segments.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Scrolls where it must: a height that follows from its width would squeeze the strips above.
        self._no_segments_area = scrolled(self.no_segments)
        for picture in (self.positions, self.segments, self.map):
            picture.told.connect(self.told)
        row = QHBoxLayout()
        row.setSpacing(theme.px(22))
        for column, stretch in (
            (self._column("Positions", "positions", self.positions_text, self.positions, figure), 10),
            (self._column("Segments", "segments", self.segments_text, self.segments, figure), 13),
            (self._column("Map of this text", "map", self.map_text, self.map, figure), 25),
        ):
            row.addLayout(column, stretch)
        self.body.addLayout(row, 1)

    def show_tables(self, tables: Tables, no_segments: str) -> None:
        """no_segments: why there are none, where there are none."""
        self.tables = tables
        self.positions.set_tables(tables)
        self.positions_text.setText(f"cosine, 0–{len(tables.position_cosines) - 1}")
        self.no_segments.setText(no_segments)
        has_segments = tables.segments is not None
        self._no_segments_area.setVisible(not has_segments)
        for widget in (self.segments, self.segment_scale):
            widget.setVisible(has_segments)
        self.segments_text.setText("")
        if tables.segments is not None:
            self.segments.set_segments(tables.segments)
            self.segment_scale.set_range(-self.segments.limit, self.segments.limit)
            text = f"cosine {tables.segment_cosine:.2f} · distance {tables.segment_distance:.2f}"
            self.segments_text.setText(text.replace("-", "−"))

    def _column(
        self, title: str, kind: str, hint: Hint, picture: QWidget, figure: Callable[[str], Figure | None]
    ) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(theme.px(6))
        head = QHBoxLayout()
        head.addWidget(label(title, "title"))
        head.addWidget(hint, 1)
        head.addWidget(FigureButton(partial(figure, kind), picture, title))
        column.addLayout(head)
        column.addWidget(picture, 1)
        if kind == "positions":
            column.addWidget(self.cosine_scale)
        elif kind == "segments":
            column.addWidget(self.segment_scale)
            column.addWidget(self._no_segments_area, 1)
            column.addStretch(1)
        return column
