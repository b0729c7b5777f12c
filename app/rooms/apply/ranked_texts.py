"""Texts of any length with a bar below each: endings that were ranked, sentences with their scores."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme

BAR_PX, GAP_PX, NUMBER_PX, MARK_PX = 9, 14, 52, 24
_FLAGS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)


@dataclass(frozen=True)
class RankedText:
    """`mark` stands before the text: its number; what the model chooses is bold and has the stronger bar."""

    text: str
    number: str
    fraction: float
    mark: str
    is_chosen: bool = False


class RankedTexts(QWidget):
    """As tall as its texts need."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.rows: list[RankedText] = []
        self._tops: list[tuple[float, float]] = []  # of each row: its top, the height of its text
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_rows(self, rows: list[RankedText]) -> None:
        self.rows = rows
        self.setAccessibleDescription("; ".join(f"{row.mark} {row.text} {row.number}" for row in rows))
        self._lay_out()

    def _lay_out(self) -> None:
        self._tops, y = [], 0.0
        width = max(self.width() - theme.px(MARK_PX), 40)
        for row in self.rows:
            metrics = QFontMetrics(theme.font(13, medium=row.is_chosen))
            height = metrics.boundingRect(QRect(0, 0, width, 100_000), _FLAGS, row.text).height()
            self._tops.append((y, float(height)))
            y += height + theme.px(BAR_PX + GAP_PX + 4)
        self.setFixedHeight(max(round(y), 1))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(260), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for row, (top, height) in zip(self.rows, self._tops, strict=True):
            self._paint_row(painter, row, top, height)

    def _paint_row(self, painter: QPainter, row: RankedText, top: float, height: float) -> None:
        left = theme.px(MARK_PX)
        painter.setFont(theme.font(13, medium=row.is_chosen))
        painter.setPen(theme.color("ink" if row.is_chosen else "muted"))
        painter.drawText(QRectF(0, top, left, height), _FLAGS, row.mark)
        painter.setPen(theme.color("ink"))
        painter.drawText(QRectF(left, top, self.width() - left, height), _FLAGS, row.text)
        y, bar = top + height + theme.px(4), theme.px(BAR_PX)
        longest = max(self.width() - left - theme.px(NUMBER_PX), 10)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(QRectF(left, y, longest, bar), 3, 3)
        painter.setBrush(theme.color("bar_strong" if row.is_chosen else "bar"))
        painter.drawRoundedRect(QRectF(left, y, max(longest * min(max(row.fraction, 0), 1), 2), bar), 3, 3)
        painter.setFont(theme.font(12, bold=row.is_chosen))
        painter.setPen(theme.color("ink" if row.is_chosen else "muted"))
        number = QRectF(left + longest + theme.px(8), y - theme.px(5), theme.px(NUMBER_PX), bar + theme.px(10))
        painter.drawText(number, Qt.AlignmentFlag.AlignVCenter, row.number)
