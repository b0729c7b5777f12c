"""Up to five guesses one below the other, the right one marked; of the class as words, of the model with bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...look import numbers, theme
from ...look.icons import paint_icon
from .game import GUESSES

ROW_PX, LEAST_ROW_PX = 50, 24  # at most and at least
TYPE_SHARE = 0.6  # of a row's height
LEAST_FULL = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability


@dataclass(frozen=True)
class GuessRow:
    word: str
    share: float | None = None  # the probability that the model gives it; None: the class said it
    is_right: bool = False


class GuessRows(QWidget):
    def __init__(self, name: str) -> None:
        """name: for screen readers."""
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.rows: list[GuessRow] = []

    def set_rows(self, rows: Sequence[GuessRow]) -> None:
        self.rows = list(rows)
        said = [f"{row.word} {numbers.percent(row.share)}" if row.share is not None else row.word for row in rows]
        self.setAccessibleDescription(", ".join(said))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(240), GUESSES * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), GUESSES * theme.px(LEAST_ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        height = min(self.height() / GUESSES, theme.px(ROW_PX))
        size_px = height * TYPE_SHARE / theme.scale()
        widths = [_width(row.word, size_px) for row in self.rows]
        column = min(max(widths, default=0.0), self.width() * 0.45)
        for number, row in enumerate(self.rows):
            self._paint_row(painter, QRectF(0, number * height, self.width(), height), row, size_px, column)

    def _paint_row(self, painter: QPainter, box: QRectF, row: GuessRow, size_px: float, column: float) -> None:
        """column: how wide the words are."""
        if row.is_right:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("good_tint"))
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), theme.px(6), theme.px(6))
        side, gap = box.height() * 0.5, box.height() * 0.28
        tick = QRectF(box.x() + gap / 2, box.center().y() - side / 2, side, side)
        if row.is_right:
            paint_icon(painter, "check", tick, theme.color("good_text"))
        x = tick.right() + gap
        room = column if row.share is not None else box.right() - x
        ink = "good_text" if row.is_right else "ink"
        words = QRectF(x, box.y(), room + 1, box.height())
        theme.draw_text(painter, words, row.word, ink, size_px, bold=row.is_right)
        if row.share is None:
            return
        percent = numbers.percent(row.share)
        number_width = _width("99.9%", size_px * 0.8) + gap
        left = x + column + gap
        full = max(box.right() - left - number_width - gap, 1.0)
        longest = max(max((each.share or 0.0) for each in self.rows), LEAST_FULL)
        bar = QRectF(
            left, box.center().y() - box.height() * 0.2, max(full * row.share / longest, 2), box.height() * 0.4
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("good" if row.is_right else "bar"))
        painter.drawRoundedRect(bar, 3, 3)
        behind = QRectF(bar.right() + gap, box.y(), number_width, box.height())
        theme.draw_text(painter, behind, percent, "muted", size_px * 0.8)


def _width(text: str, size_px: float) -> float:
    return QFontMetricsF(theme.font(size_px, bold=True)).horizontalAdvance(text)
