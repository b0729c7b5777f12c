"""Below the tokens, in every exploring room: what the masked word could be, and whether B follows A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from ..look import numbers, theme
from ..look.say import say
from ..state.verdicts import verdict_of
from .charts.pointer import ARROWS, PointerWidget

if TYPE_CHECKING:
    from ..state.readings import MaskReading, Reading
    from ..state.selection import Selection
MOST_WORDS = 3
HEIGHT_PX, FULL_BAR_PX, LEAST_BAR_PX = 20, 90, 3
WORDS, VERDICT = "words", "verdict"


@dataclass(frozen=True)
class Prediction:
    """What the line says; of one mask, though there may be several."""

    title: str = ""  # "[MASK] could be"
    words: tuple[tuple[str, float], ...] = ()  # word, probability; most likely first
    hint: str = ""  # in the place of words
    verdict: tuple[str, str, str] | None = None  # claim, answer, its colour: "B follows A", "94% (yes)", "good_text"

    @property
    def sentence(self) -> str:
        """All of it, for screen readers."""
        words = ", ".join(f"{word} {numbers.percent(share)}" for word, share in self.words)
        verdict = f"{self.verdict[0]}: {self.verdict[1]}" if self.verdict else ""
        return ". ".join(part for part in (f"{self.title} {words}".strip() or self.hint, verdict) if part)


def prediction_of(reading: Reading, selection: Selection) -> Prediction:
    """Of the selected mask, else of the first."""
    title, hint = "", ""
    words: tuple[tuple[str, float], ...] = ()
    mask = mask_of(reading, selection)
    if mask is not None:
        token, count = reading.request.model.tokenizer.mask_token or "", len(reading.masks)
        title = say("{mask} could be", mask=token)
        if count > 1:
            title = say("{mask} could be", mask=reading.mask_name(mask.position))
        words = tuple((word.token, word.probability) for word in mask.words[:MOST_WORDS])
    elif "mlm" in reading.request.model.output_heads:
        hint = say("Double-click a token to mask it: the model then guesses the word.")
        if not theme.is_projector():  # there the chips have no numbers
            numbered = say("Below each token: its position · its number in the vocabulary.")
            hint = f"{hint} {numbered}"
    return Prediction(title, words, hint, _verdict(reading))


def mask_of(reading: Reading, selection: Selection) -> MaskReading | None:
    """The mask that is looked at: the one that was clicked, else the first."""
    pinned = [mask for mask in reading.masks if mask.position == selection.pinned]
    return next(iter([*pinned, *reading.masks]), None)


def _verdict(reading: Reading) -> tuple[str, str, str] | None:
    verdict = verdict_of(reading)
    if verdict is None:
        return None
    color = {"verdict": "good_text", "verdict-no": "bad_text"}.get(verdict.role, "muted")
    return verdict.claim, verdict.short, color


class PredictionLine(PointerWidget):
    """A click on it asks for the room Predict."""

    def __init__(self) -> None:
        super().__init__(say("What the mask could be"))
        self.prediction = Prediction()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(say("Click to see all predictions"))

    def show_prediction(self, prediction: Prediction) -> None:
        if prediction != self.prediction:
            self.prediction = prediction
            self.setAccessibleDescription(prediction.sentence)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def cell_at(self, point: QPointF) -> str | None:
        if self.prediction.verdict and point.x() >= self.width() - self._verdict_width():
            return VERDICT
        return WORDS if self.prediction.title or self.prediction.hint else None

    def cell_after(self, cell: str | None, key: int) -> str | None:
        if key not in ARROWS or ARROWS[key][0]:
            return None
        return VERDICT if ARROWS[key][1] > 0 and self.prediction.verdict else WORDS

    def selected_cell(self) -> str:
        return WORDS

    def _verdict_width(self) -> float:
        if self.prediction.verdict is None:
            return 0.0
        claim, answer, _ = self.prediction.verdict
        plain, bold = QFontMetricsF(theme.font(12)), QFontMetricsF(theme.font(12, bold=True))
        return plain.horizontalAdvance(f"{claim}: ") + bold.horizontalAdvance(answer) + theme.px(12)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        if self.hovered_cell is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            width = self._verdict_width()
            left = QRectF(0, 0, self.width() - width, self.height())
            right = QRectF(self.width() - width, 0, width, self.height())
            painter.drawRoundedRect(right if self.hovered_cell == VERDICT else left, theme.px(5), theme.px(5))
        if self.prediction.verdict is not None:
            self._paint_verdict(painter, *self.prediction.verdict)
        end = self.width() - self._verdict_width() - theme.px(14)
        if self.prediction.words:
            self._paint_words(painter, end)
        else:
            theme.draw_text(painter, QRectF(theme.px(2), 0, end, self.height()), self.prediction.hint, "muted")

    def _paint_words(self, painter: QPainter, end: float) -> None:
        """As many as there is room for; the bars are as long as the probabilities, the longest fills its place."""
        x = self._text(painter, theme.px(2), self.prediction.title, "mask", 12, bold=True) + theme.px(16)
        longest = max(self.prediction.words[0][1], 0.01)
        for i, (word, share) in enumerate(self.prediction.words):
            number, full = numbers.percent(share), theme.px(FULL_BAR_PX)
            bold, plain = QFontMetricsF(theme.font(13, bold=True)), QFontMetricsF(theme.font(12))
            bar = max(full * share / longest, theme.px(LEAST_BAR_PX))
            needs = bold.horizontalAdvance(word) + bar + plain.horizontalAdvance(number) + theme.px(14)
            if x + needs > end:
                return
            x = self._text(painter, x, word, "ink", 13, bold=True) + theme.px(7)
            height = theme.px(8)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("mask" if i == 0 else "bar"))
            painter.drawRoundedRect(QRectF(x, (self.height() - height) / 2, bar, height), 2, 2)
            x = self._text(painter, x + bar + theme.px(7), number, "muted", 12) + theme.px(22)

    def _paint_verdict(self, painter: QPainter, claim: str, answer: str, color: str) -> None:
        x = self.width() - self._verdict_width() + theme.px(6)
        x = self._text(painter, x, f"{claim}: ", "muted", 12)
        self._text(painter, x, answer, color, 12, bold=True)

    def _text(self, painter: QPainter, x: float, text: str, color: str, size: float, *, bold: bool = False) -> float:
        """Where the text ends."""
        font = theme.font(size, bold=bold)
        width = QFontMetricsF(font).horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(theme.color(color))
        painter.drawText(QRectF(x, 0, width + 1, self.height()), theme.LEFT, text)
        return x + width
