"""A sentence in large type, with the model's first word in the place of the [MASK]."""

from collections.abc import Iterator

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy

from bertcore.tokenizer.special_tokens import MASK

from ....look import theme
from ....widgets.charts.drawing import Box, Drawing, Shape, Words

LARGEST_PX, SMALLEST_PX, PADDING_PX, HEIGHT_PX = 25.0, 13.0, 8, 44
TICK = "✓"


class GuessedSentence(Drawing):
    """The word is on purple while it is wrong, on green and with a tick once it is right."""

    def __init__(self) -> None:
        super().__init__("")
        self.text, self.guess, self.is_right = "", "", False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_guess(self, text: str, guess: str = "", is_right: bool = False) -> None:
        """text: with one [MASK], or without for a plain sentence; without a guess the mask itself is shown."""
        self.text, self.guess, self.is_right = text, guess or MASK, is_right
        self.setAccessibleName(text.replace(MASK, self.guess))
        self.redraw()

    def sizeHint(self) -> QSize:
        return QSize(0, theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def shapes(self) -> Iterator[Shape]:
        before, mask, after = self.text.partition(MASK)
        word = f"{self.guess} {TICK}" if mask and self.is_right else self.guess if mask else ""
        padding = theme.px(PADDING_PX) if word else 0

        def widths(size_px: float) -> tuple[float, float, float]:
            plain, bold = (QFontMetricsF(theme.font(size_px, bold=is_bold)) for is_bold in (False, True))
            chip = bold.horizontalAdvance(word) + 2 * padding
            return plain.horizontalAdvance(before), chip, plain.horizontalAdvance(after)

        needs = max(sum(widths(LARGEST_PX)) + theme.px(4), 1.0)
        size_px = max(SMALLEST_PX, min(LARGEST_PX, LARGEST_PX * self.width() / needs))  # as large as it fits
        start, chip, end = widths(size_px)
        yield Words(QRectF(0, 0, start + 2, self.height()), before, size_px=size_px)
        if word:
            line_px = QFontMetricsF(theme.font(size_px, bold=True)).height()
            box = QRectF(start, 0, chip, min(line_px + theme.px(8), self.height()))
            box.moveTop((self.height() - box.height()) / 2)
            tint, ink = ("good_tint", "good_text") if self.is_right else ("mask_tint", "mask")
            yield Box(box.adjusted(1, 0.5, -1, -0.5), tint, "line", radius_px=theme.px(7))
            yield Words(QRectF(start + padding, 0, chip + 2, self.height()), word, ink, size_px, bold=True)
        yield Words(QRectF(start + chip, 0, end + 2, self.height()), after, size_px=size_px)
