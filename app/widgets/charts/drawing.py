"""A picture as a list of shapes: they are computed when what they show or the size changes; painting only draws them.

class Board(Drawing):
    def shapes(self):
        yield Box(rect, "good", radius_px=3)
        yield Words(rect, "Anna", "muted", 11)

board.values_changed()      what it shows is another now, and may need another size
board.redraw()              or only looks otherwise
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent

from ...look import theme
from ...look.icons import paint_icon
from .pointer import Cell, PointerWidget

PALETTE_EVENTS = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.FontChange)
OUT_PX = 30  # that letters and frames may reach beyond their rectangle


@dataclass(frozen=True)
class Box:
    """A rectangle. Colours are names in the theme, or come from a colour scale; "" is none."""

    rect: QRectF
    fill: str | QColor = ""
    line: str = ""
    line_px: float = 1.0
    radius_px: float = 0.0
    dashed: bool = False

    def paint(self, painter: QPainter) -> None:
        pen = QPen(theme.color(self.line), self.line_px) if self.line else QPen(Qt.PenStyle.NoPen)
        if self.dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        fill = theme.color(self.fill) if isinstance(self.fill, str) and self.fill else self.fill
        painter.setBrush(fill or Qt.BrushStyle.NoBrush)
        if self.radius_px:
            painter.drawRoundedRect(self.rect, self.radius_px, self.radius_px)
        else:
            painter.drawRect(self.rect)


@dataclass(frozen=True)
class Line:
    start: QPointF
    end: QPointF
    color: str | QColor = "line"
    line_px: float = 1.0
    dashed: bool = False
    snaps: bool = True  # to whole pixels
    dotted: bool = False

    def paint(self, painter: QPainter) -> None:
        styles = Qt.PenStyle
        style = styles.DashLine if self.dashed else styles.DotLine if self.dotted else styles.SolidLine
        color = theme.color(self.color) if isinstance(self.color, str) else self.color
        painter.setPen(QPen(color, self.line_px, style))
        if self.snaps:
            painter.drawLine(self.start.toPoint(), self.end.toPoint())
        else:
            painter.drawLine(self.start, self.end)


@dataclass(frozen=True)
class Words:
    """Words on one line, which end in … where there is no room for all of them; or on as many lines as they need."""

    rect: QRectF
    text: str
    color: str | QColor = "ink"
    size_px: float = 12.0
    bold: bool = False
    align: Qt.AlignmentFlag = theme.LEFT
    medium: bool = False
    wraps: bool = False

    def paint(self, painter: QPainter) -> None:
        look = {"bold": self.bold, "medium": self.medium}
        if not self.wraps:
            theme.draw_text(painter, self.rect, self.text, self.color, self.size_px, align=self.align, **look)
            return
        painter.setFont(theme.font(self.size_px, **look))
        painter.setPen(theme.color(self.color) if isinstance(self.color, str) else self.color)
        painter.drawText(self.rect, self.align | Qt.TextFlag.TextWordWrap, self.text)


@dataclass(frozen=True)
class Icon:
    rect: QRectF
    name: str
    color: str

    def paint(self, painter: QPainter) -> None:
        paint_icon(painter, self.name, self.rect, theme.color(self.color))


@dataclass(frozen=True)
class Path:
    """A line along a path, and what is in it."""

    path: QPainterPath
    pen: QPen
    fill: QColor | Qt.BrushStyle = Qt.BrushStyle.NoBrush

    def paint(self, painter: QPainter) -> None:
        painter.setPen(self.pen)
        painter.setBrush(self.fill)
        painter.drawPath(self.path)


@dataclass(frozen=True)
class Painted:
    """What paints itself."""

    paint: Callable[[QPainter], None]


class Shape(Protocol):
    """These, or what a picture has of its own; one with a `rect` is left out where that is not seen."""

    def paint(self, painter: QPainter) -> None: ...


class Drawing(PointerWidget):
    """Who derives says by `shapes` what is drawn."""

    def __init__(self, name: str, focus: Qt.FocusPolicy = Qt.FocusPolicy.NoFocus) -> None:
        super().__init__(name, focus)
        self._shapes: list[Shape] | None = None  # None: they have to be computed
        self._asked_for = QSize(), QSize()  # what the layout around was told last
        self.seen = QRectF()  # while it is painted: what has to be

    def lay_out(self) -> None:
        """Works out where things are, for the values and the size of now: what pointing at them needs as well."""

    def shapes(self) -> Iterator[Shape]:
        """In the order in which they are drawn."""
        return iter(())

    def overlay(self) -> Iterator[Shape]:
        """What is drawn above: what is selected, or pointed at."""
        return iter(())

    def values_changed(self) -> None:
        """What is shown is another now. The layout around hears of it where that needs another size."""
        self.lay_out()
        needs = self.minimumSizeHint(), self.sizeHint()
        if needs != self._asked_for:
            self._asked_for = needs
            self.updateGeometry()
        self.redraw()

    def redraw(self) -> None:
        """What is shown looks otherwise now."""
        self._shapes = None
        self.update()

    def cell_at(self, point: QPointF) -> Cell | None:
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()
        self.redraw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in PALETTE_EVENTS:
            self.redraw()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shapes is None:
            self._shapes = list(self.shapes())
        painter = theme.painter(self)
        self.seen = seen = QRectF(event.rect()).adjusted(-OUT_PX, -OUT_PX, OUT_PX, OUT_PX)
        for shape in (*self._shapes, *self.overlay()):
            rect = getattr(shape, "rect", seen)
            is_in_height = rect.top() <= seen.bottom() and rect.bottom() >= seen.top()
            if is_in_height and rect.left() <= seen.right() and rect.right() >= seen.left():
                shape.paint(painter)
