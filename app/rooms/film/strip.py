"""The widget with the film strip: a column for each snapshot; the one under the pointer is shown large."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, theme
from ...look.say import say
from ...widgets.charts.drawing import Drawing, Shape
from ...widgets.charts.pointer import ARROWS
from .picture import Film, FilmPainter

Cell = tuple[int, ...]  # (snapshot) by index, or (layer, head) of the large picture


class FilmStrip(Drawing):
    """A click is on a column or on a head of the large picture."""

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("Film strip: a column for each snapshot, from the first step to the last"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.film = Film((), {})
        self._painter: FilmPainter | None = None

    def show_film(self, film: Film) -> None:
        self.film, self._painter = film, None
        said = (self._described(index) for index in sorted(film.frames))
        self.setAccessibleDescription(". ".join(said))
        self.update()

    @property
    def painter(self) -> FilmPainter:
        """For the size of the widget."""
        if self._painter is None or (self._painter.width, self._painter.height) != (self.width(), self.height()):
            self._painter = FilmPainter(self.film, self.width(), self.height())
        return self._painter

    def _described(self, index: int) -> str:
        frame = self.film.frames[index]
        guesses = self.film.guesses(frame)
        step = say("step {step}", step=numbers.count(frame.step))
        if guesses is None:
            return step
        share = "" if guesses.best_share is None else numbers.percent(guesses.best_share)
        return f"{step}: {guesses.best} {share}".strip()

    def cell_at(self, point: QPointF) -> Cell | None:
        if not self.film.snapshots:
            return None
        column = self.painter.plan.column_at(point.x(), point.y())
        if column is not None:
            return (column,)
        for layer, row in enumerate(self.painter.large_cells()):
            for head, box in enumerate(row):
                if box.contains(point):
                    return layer, head
        return None

    def cell_after(self, cell: Cell | None, key: int) -> Cell | None:
        if key not in ARROWS or not self.film.snapshots:
            return None
        shown = self.painter.plan.shown
        at = shown.index(cell[0]) if cell is not None and len(cell) == 1 and cell[0] in shown else None
        step = sum(ARROWS[key])
        return (shown[min(max((-1 if at is None and step > 0 else at or 0) + step, 0), len(shown) - 1)],)

    def selected_cell(self) -> Cell | None:
        return (self.film.now,) if self.film.now in self.painter.plan.shown else None

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(270))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(900), theme.px(520))

    def overlay(self) -> Iterator[Shape]:
        """All of it: what is under the pointer is large."""
        if self.film.snapshots:
            yield self

    def paint(self, painter: QPainter) -> None:
        pointed = self.hovered_cell
        hovered = pointed[0] if pointed is not None and len(pointed) == 1 else None
        is_ready = hovered is not None and hovered in self.film.frames
        self.painter.paint(painter, hovered if is_ready else None, hovered)

    def shapes(self) -> Iterator[Shape]:
        return iter(())
