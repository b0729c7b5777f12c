"""A sentence in large type, with the model's first word in the place of the [MASK]."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertcore.tokenizer.special_tokens import MASK

from ...look import theme

LARGEST_PX, SMALLEST_PX, PADDING_PX, HEIGHT_PX = 25.0, 13.0, 8, 44
TICK = "✓"


class GuessedSentence(QWidget):
    """The word is on purple while it is wrong, on green and with a tick once it is right."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.guess, self.is_right = "", "", False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_guess(self, text: str, guess: str = "", is_right: bool = False) -> None:
        """text: with one [MASK], or without for a plain sentence; without a guess the mask itself is shown."""
        self.text, self.guess, self.is_right = text, guess or MASK, is_right
        self.setAccessibleName(text.replace(MASK, self.guess))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _parts(self) -> tuple[str, str, str]:
        before, mask, after = self.text.partition(MASK)
        return before, f"{self.guess} {TICK}" if mask and self.is_right else self.guess if mask else "", after

    def _widths(self, size_px: float) -> list[float]:
        bold = QFontMetricsF(theme.font(size_px, bold=True))
        plain = QFontMetricsF(theme.font(size_px))
        before, word, after = self._parts()
        chip = bold.horizontalAdvance(word) + 2 * theme.px(PADDING_PX) if word else 0.0
        return [plain.horizontalAdvance(before), chip, plain.horizontalAdvance(after)]

    def _size_px(self) -> float:
        """As large as the sentence fits."""
        needs = sum(self._widths(LARGEST_PX)) + theme.px(4)
        return max(SMALLEST_PX, min(LARGEST_PX, LARGEST_PX * self.width() / max(needs, 1.0)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        size_px = self._size_px()
        before, word, after = self._parts()
        widths = self._widths(size_px)
        x = self._text(painter, 0.0, before, widths[0], size_px, "ink")
        if word:
            color = "good" if self.is_right else "mask"
            metrics = QFontMetricsF(theme.font(size_px, bold=True))
            box = QRectF(x, 0, widths[1], min(metrics.height() + theme.px(8), self.height()))
            box.moveTop((self.height() - box.height()) / 2)
            painter.setPen(theme.color("line"))
            painter.setBrush(theme.color(f"{color}_tint"))
            painter.drawRoundedRect(box.adjusted(1, 0.5, -1, -0.5), theme.px(7), theme.px(7))
            ink = "good_text" if self.is_right else "mask"
            self._text(painter, x + theme.px(PADDING_PX), word, widths[1], size_px, ink, bold=True)
            x += widths[1]
        self._text(painter, x, after, widths[2], size_px, "ink")

    def _text(
        self, painter: QPainter, x: float, text: str, width: float, size_px: float, color: str, *, bold: bool = False
    ) -> float:
        """Where the text ends."""
        painter.setFont(theme.font(size_px, bold=bold))
        painter.setPen(theme.color(color))
        painter.drawText(QRectF(x, 0, width + 2, self.height()), theme.LEFT, text)
        return x + width
