"""Numbers as a picture: an 8-bit indexed QImage, one pixel a value, and the colour bar that says what it means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QWidget

from ...look import numbers, say, theme
from ..card import label, show_text
from ..layouts import hbox
from .drawing import Drawing, Shape, Words

Array = np.ndarray
# A scale reaches to the value that this share of all values lies within: a few outliers would pale all the rest.
WITHIN = 0.99


class Raster:
    """A matrix (R,C) as an image of C x R pixels on the sequential or the diverging scale.

    low, high: the values at the two ends of the colour scale; what lies beyond gets the end's colour.
    """

    def __init__(self, values: Array, low: float, high: float, *, signed: bool = False) -> None:
        self.values = values
        self.low, self.high = low, high
        self._signed = signed
        self._theme = ""
        rows, columns = values.shape
        span = high - low or 1.0
        levels = np.zeros((rows, (columns + 3) // 4 * 4), dtype=np.uint8)  # Qt wants lines of whole 4 bytes
        np.clip((values - low) * (255.0 / span) + 0.5, 0, 255, out=levels[:, :columns], casting="unsafe")
        raw = QImage(levels.tobytes(), columns, rows, levels.shape[1], QImage.Format.Format_Indexed8)
        self._levels = raw.copy()  # the copy owns its pixels
        self._image = QImage()

    @property
    def image(self) -> QImage:
        """The picture in the colours of the theme in use."""
        if self._theme != theme.active().name:
            self._theme = theme.active().name
            self._levels.setColorTable(theme.diverging_table() if self._signed else theme.sequential_table())
            # Qt scales 32-bit images some five times faster than indexed ones.
            self._image = self._levels.convertToFormat(QImage.Format.Format_RGB32)
        return self._image

    def paint(self, painter: QPainter, target: QRectF, source: QRectF | None = None) -> None:
        """Draws the picture, or a part of it in values (x, y, w, h), into `target`; one value stays one block."""
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(target, self.image, source or QRectF(self.image.rect()))


def paint_scale(painter: QPainter, bar: QRectF, *, signed: bool = False, upright: bool = False) -> None:
    """Draws a colour scale, low at the left (or at the bottom where it stands upright)."""
    _ramp(signed, upright).paint(painter, bar)
    painter.setPen(theme.color("line"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)


@cache
def _ramp(signed: bool, upright: bool) -> Raster:
    ramp = np.arange(256, dtype=np.float32)
    return Raster(np.ascontiguousarray(ramp[::-1, None] if upright else ramp[None, :]), 0, 255, signed=signed)


@dataclass(frozen=True)
class Heat:
    """A raster as one of the shapes of a drawing, or a part of it in values (x, y, w, h)."""

    rect: QRectF
    raster: Raster
    source: QRectF | None = None
    opacity: float = 1.0

    def paint(self, painter: QPainter) -> None:
        painter.setOpacity(self.opacity)
        self.raster.paint(painter, self.rect, self.source)
        painter.setOpacity(1)


class HeadSheet:
    """One image of (L*T) x (N*T) values: drawing from it is several times faster than from an image for each head."""

    def __init__(self, thumbnails: np.ndarray, *, same_scale: bool = False, limit: float = 0.0) -> None:
        """thumbnails (L,N,T,T). Every head is scaled to its own highest value; with `same_scale` all of them, and those
        of other sheets, have one scale from 0 to 1; with `limit` the values are signed, from -limit to limit."""
        self.thumbnails = thumbnails
        self.layers, self.heads, self.side, _ = thumbnails.shape
        highest = thumbnails.max(axis=(2, 3), keepdims=True)
        scaled = thumbnails if same_scale or limit else thumbnails / np.where(highest > 0, highest, 1)
        sheet = scaled.transpose(0, 2, 1, 3).reshape(self.layers * self.side, self.heads * self.side)  # (L*T, N*T)
        self._raster = Raster(sheet, -limit, limit, signed=True) if limit else Raster(sheet, 0, 1)

    def shape(self, cell: QRectF, layer: int, head: int, opacity: float = 1.0) -> Heat:
        """One head, which fills `cell`."""
        part = QRectF(head * self.side, layer * self.side, self.side, self.side)
        return Heat(cell, self._raster, part, opacity)

    def paint(self, painter: QPainter, cell: QRectF, layer: int, head: int) -> None:
        """Draws one head into `cell`."""
        self.shape(cell, layer, head).paint(painter)


def color_limit(parts: Sequence[Array]) -> float:
    """The value at the ends of a scale around zero that all `parts` share; 1 of none."""
    if not parts:
        return 1.0
    sizes = np.abs(np.concatenate([part.ravel()[:: max(part.size // 20_000, 1)] for part in parts]))
    place = min(int(len(sizes) * WITHIN), len(sizes) - 1)
    return float(np.partition(sizes, place)[place]) or 1.0


def two_digits(value: float) -> str:
    return numbers.number(value, 2)


class ColorBar(Drawing):
    """A colour scale with its range written at the ends; signed scales also say where zero is."""

    def __init__(self, *, signed: bool, width_px: int = 210) -> None:
        super().__init__("")
        self._signed = signed
        self._ends = (two_digits(-1.0 if signed else 0.0), two_digits(1.0))
        self.setFixedSize(theme.column_px(width_px), theme.px(16))
        self.setToolTip(say("Values outside the range take the colour at its end"))

    def set_range(
        self, low: float, high: float, write: Callable[[float], str] = two_digits, *, signed: bool | None = None
    ) -> None:
        """write: how the ends are written. signed: which of the two scales it is from now on; None leaves it."""
        self._signed = self._signed if signed is None else signed
        self._ends = write(low), write(high)
        self.setAccessibleName(say("Colour scale from {low} to {high}", low=self._ends[0], high=self._ends[1]))
        self.redraw()

    def shapes(self) -> Iterator[Shape]:
        metrics, rect = QFontMetrics(theme.font(11)), QRectF(self.rect())
        side = max(theme.px(12), *(metrics.horizontalAdvance(end) + 2 for end in self._ends))
        yield Words(QRectF(0, 0, side, rect.height()), self._ends[0], "muted", 11, align=theme.RIGHT)
        yield Words(rect.adjusted(rect.width() - side, 0, 0, 0), self._ends[1], "muted", 11)
        bar = rect.adjusted(side + 5, theme.px(4), -side - 5, -theme.px(4))
        yield _Ramp(bar, self._signed)


@dataclass(frozen=True)
class _Ramp:
    """The colours, with a line at zero where the scale is signed; its edges are as sharp as pixels are."""

    rect: QRectF
    signed: bool

    def paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        paint_scale(painter, self.rect, signed=self.signed)
        if self.signed:
            up, middle = QPointF(0, self.rect.height() / 2 + 2), self.rect.center()
            painter.setPen(theme.color("muted"))
            painter.drawLine(middle + up, middle - up)


class NamedScale(QWidget):
    """What colours show, and their scale."""

    def __init__(self, width_px: int) -> None:
        super().__init__()
        self.name, self.bar = label("", "muted"), ColorBar(signed=False, width_px=width_px)
        hbox(self.name, self.bar, None, parent=self, gap_px=8)

    def show_range(self, name: str, low: float, high: float, write: Callable[[float], str]) -> None:
        """name: what they show. write: how the ends are written. A scale that begins below zero is signed."""
        show_text(self.name, name)
        self.bar.set_range(low, high, write, signed=low < 0)
