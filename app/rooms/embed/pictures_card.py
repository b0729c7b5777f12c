"""Below the strips: which positions are similar, how the segments differ, and a map of the text."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.compute.embedding import Tables
from app.look import numbers, theme
from app.state.token_units import Units
from app.widgets.card import Card, Hint, label, scrolled
from app.widgets.figure_button import FigureButton, Provider
from app.widgets.labelled_grid import LabelledGrid, Labels
from app.widgets.layouts import hbox, vbox
from app.widgets.raster import ColorBar
from app.widgets.scatter import Points, Scatter
from bertcore.analysis.vectors import Pca

LEAST_PX = (130, 118)  # of the smaller pictures, with the numbers along their sides
MOST_SEGMENTS_PX = 118


class PicturesCard(Card):
    """Three pictures side by side."""

    hover_text_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.tables: Tables | None = None
        self.positions = LabelledGrid(
            self.tr("Cosine similarity of each pair of position vectors"), square=True, signed=True, scale=False
        )
        self.segments = LabelledGrid(self.tr("The vectors of segment A and segment B"), signed=True, scale=False)
        self.map = Scatter(self.tr("Map of this text"))
        self.positions_hint, self.segments_hint, self.map_hint = Hint(), Hint(), Hint()
        self.cosine_scale, self.segment_scale = (ColorBar(signed=True, width_px=180) for _ in range(2))
        self.cosine_scale.set_range(-1, 1)
        self.no_segments = label("", "muted", wrap=True)
        self.no_segments.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Scrolls where it must: a height that follows from its width would squeeze the strips above.
        self._no_segments_area = scrolled(self.no_segments)
        for grid in (self.positions, self.segments):
            grid.setMinimumSize(*(theme.px(side) for side in LEAST_PX))
        self.segments.setMaximumHeight(theme.px(MOST_SEGMENTS_PX))
        self.positions.hovered.connect(self._on_positions_hovered)
        self.positions.clicked.connect(self._on_positions_clicked)
        self.segments.hovered.connect(self._on_segments_hovered)
        self.segments.clicked.connect(self._on_segments_clicked)

    def set_figures(self, positions: Provider, segments: Provider, text_map: Provider) -> None:
        """What the save buttons of the three pictures give."""
        row = hbox(gap_px=22)
        below: Sequence[QWidget]
        for title, hint, picture, figure, stretch, below in (
            (self.tr("Positions"), self.positions_hint, self.positions, positions, 10, [self.cosine_scale]),
            (
                self.tr("Segments"),
                self.segments_hint,
                self.segments,
                segments,
                13,
                [self.segment_scale, self._no_segments_area],
            ),
            (self.tr("Map of this text"), self.map_hint, self.map, text_map, 25, []),
        ):
            row.addLayout(_column(title, hint, picture, figure, below), stretch)
        self.body.addLayout(row, 1)

    def show_tables(self, tables: Tables, no_segments: str) -> None:
        """no_segments: why there are none, where there are none."""
        self.tables = tables
        places = Labels([str(place) for place in range(len(tables.position_cosines))])
        self.positions.set_grid(tables.position_cosines, places, places, -1, 1)
        self.positions_hint.setText(self.tr("cosine, 0–{last}").format(last=len(tables.position_cosines) - 1))
        self.no_segments.setText(no_segments)
        has_segments = tables.segments is not None
        self._no_segments_area.setVisible(not has_segments)
        for widget in (self.segments, self.segment_scale):
            widget.setVisible(has_segments)
        self.segments_hint.setText("")
        if tables.segments is None:
            return
        limit = float(np.abs(tables.segments).max()) or 1.0
        dimensions = Labels([str(dimension) for dimension in range(tables.segments.shape[1])])
        kinds = Labels(["A", "B"], ["segment_a", "segment_b"])
        self.segments.set_grid(tables.segments, kinds, dimensions, -limit, limit)
        self.segment_scale.set_range(-limit, limit)
        self.segments_hint.setText(
            self.tr("cosine {cosine} · distance {distance}").format(
                cosine=numbers.decimal(tables.segment_cosine), distance=numbers.decimal(tables.segment_distance)
            )
        )

    def show_map(self, plane: Pca, units: Units) -> None:
        self.map.set_points(Points(plane.points, units.labels, units.kinds))
        self.map_hint.setText(
            self.tr("PCA of the sum · {share} of the variance").format(share=numbers.percent(plane.kept))
        )

    def clear_map(self) -> None:
        self.map.set_points(Points())
        self.map_hint.setText("")

    def _on_positions_hovered(self, cell: tuple[int, int] | None) -> None:
        text = ""
        if cell is not None and self.tables is not None:
            text = self.tr("positions {first} and {second}: cosine {cosine}").format(
                first=cell[0], second=cell[1], cosine=numbers.decimal(float(self.tables.position_cosines[cell]), 4)
            )
        self.hover_text_changed.emit(text)

    def _on_positions_clicked(self, cell: tuple[int, int]) -> None:
        self.positions.set_selected(*cell)
        self._on_positions_hovered(cell)

    def _on_segments_hovered(self, cell: tuple[int, int] | None) -> None:
        text = ""
        if cell is not None and self.tables is not None and self.tables.segments is not None:
            text = self.tr("segment {segment}, dimension {dimension}: {value}").format(
                segment="AB"[cell[0]], dimension=cell[1], value=numbers.decimal(float(self.tables.segments[cell]), 4)
            )
        self.hover_text_changed.emit(text)

    def _on_segments_clicked(self, cell: tuple[int, int]) -> None:
        self.segments.set_selected(*cell)
        self._on_segments_hovered(cell)


def _column(title: str, hint: Hint, picture: QWidget, figure: Provider, below: Sequence[QWidget]) -> QVBoxLayout:
    head = hbox(label(title, "title"), (hint, 1), FigureButton(figure, picture, title))
    column = vbox(head, (picture, 1), *below, gap_px=6)
    if len(below) > 1:
        column.addStretch(1)
    return column
