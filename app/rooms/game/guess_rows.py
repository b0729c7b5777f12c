"""Up to five guesses one below the other, the right one marked; of the class as words, of the model with bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from ...look import numbers, theme
from ...look.icons import paint_icon
from ...widgets.wrapped import WrappedBoxes
from .game import GUESSES

ROW_PX, LEAST_ROW_PX = 50, 24  # at most and at least
TYPE_SHARE = 0.6  # of a row's height
LEAST_FULL = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability


@dataclass(frozen=True)
class GuessRow:
    word: str
    share: float | None = None  # the probability that the model gives it; None: the class said it
    is_right: bool = False


class GuessRows(WrappedBoxes):
    """Each row is a box as wide as there is room, and as high as five of them can be."""

    gap_px = line_gap_px = 0.0
    grows = True

    def __init__(self, name: str) -> None:
        super().__init__(name, ROW_PX, Qt.FocusPolicy.NoFocus)
        self.rows: list[GuessRow] = []

    def set_rows(self, rows: Sequence[GuessRow]) -> None:
        self.rows = list(rows)
        said = (row.word if row.share is None else f"{row.word} {numbers.percent(row.share)}" for row in rows)
        self.setAccessibleDescription(", ".join(said))
        self.lay_out()

    def lay_out(self) -> None:
        height = min(self.height() / GUESSES, theme.px(ROW_PX))
        self.boxes = [QRectF(0, number * height, self.width(), height) for number in range(len(self.rows))]
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(240), GUESSES * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), GUESSES * theme.px(LEAST_ROW_PX))

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        row, size_px = self.rows[number], box.height() * TYPE_SHARE / theme.scale()
        ink, side, gap = "good_text" if row.is_right else "ink", box.height() * 0.5, box.height() * 0.28
        tick = QRectF(box.x() + gap / 2, box.center().y() - side / 2, side, side)
        painter.setPen(Qt.PenStyle.NoPen)
        if row.is_right:
            painter.setBrush(theme.color("good_tint"))
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), theme.px(6), theme.px(6))
            paint_icon(painter, "check", tick, theme.color("good_text"))
        x, widest = tick.right() + gap, max(_width(each.word, size_px) for each in self.rows)
        column = min(widest, self.width() * 0.45) if row.share is not None else box.right() - x
        words = QRectF(x, box.y(), column + 1, box.height())
        theme.draw_text(painter, words, row.word, ink, size_px, bold=row.is_right)
        if row.share is None:
            return
        left, number_width = x + column + gap, _width("99.9%", size_px * 0.8) + gap
        full = max(box.right() - left - number_width - gap, 1.0)
        longest = max(*(each.share or 0.0 for each in self.rows), LEAST_FULL)
        top, length = box.center().y() - box.height() * 0.2, max(full * row.share / longest, 2)
        bar = QRectF(left, top, length, box.height() * 0.4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("good" if row.is_right else "bar"))
        painter.drawRoundedRect(bar, 3, 3)
        behind = QRectF(bar.right() + gap, box.y(), number_width, box.height())
        theme.draw_text(painter, behind, numbers.percent(row.share), "muted", size_px * 0.8)


def _width(text: str, size_px: float) -> float:
    return QFontMetricsF(theme.font(size_px, bold=True)).horizontalAdvance(text)
