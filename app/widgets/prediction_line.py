"""Below the tokens, in every exploring room: what the masked word could be, and whether B follows A."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy

from ..look import numbers, say, theme
from ..look.fitting import whole_parts
from ..state import Reading, Selection
from ..state.verdicts import verdict_of
from .charts.drawing import Box, Drawing, Shape, Words
from .charts.pointer import ARROWS

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
    title = hint = ""
    words: tuple[tuple[str, float], ...] = ()
    pinned = [mask for mask in reading.masks if mask.position == selection.pinned]
    mask = next(iter([*pinned, *reading.masks]), None)
    if mask is not None:
        token = reading.request.model.tokenizer.mask_token or ""
        title = say("{mask} could be", mask=reading.mask_name(mask.position) if len(reading.masks) > 1 else token)
        words = tuple((word.token, word.probability) for word in mask.words[:MOST_WORDS])
    elif "mlm" in reading.request.model.output_heads:
        hint = say("Double-click a token to mask it: the model then guesses the word.")
        if not theme.is_projector():  # there the chips have no numbers
            hint = f"{hint} {say('Below each token: its position · its number in the vocabulary.')}"
    verdict = verdict_of(reading)
    if verdict is None:
        return Prediction(title, words, hint)
    color = {"verdict": "good_text", "verdict-no": "bad_text"}.get(verdict.role, "muted")
    return Prediction(title, words, hint, (verdict.claim, verdict.short, color))


class PredictionLine(Drawing):
    """A click on it asks for the room Predict."""

    hint_px = least_px = (0, HEIGHT_PX)

    def __init__(self) -> None:
        super().__init__(say("What the mask could be"), Qt.FocusPolicy.TabFocus)
        self.prediction = Prediction()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(say("Click to see all predictions"))
        self.hovered.connect(lambda _cell: self.redraw())

    def show_prediction(self, prediction: Prediction) -> None:
        if prediction != self.prediction:
            self.prediction = prediction
            self.setAccessibleDescription(prediction.sentence)
            self.redraw()

    def cell_at(self, point: QPointF) -> str | None:
        if self.prediction.verdict and point.x() >= self._end:
            return VERDICT
        return WORDS if self.prediction.title or self.prediction.hint else None

    def cell_after(self, cell: str | None, key: int) -> str | None:
        if key not in ARROWS or ARROWS[key][0]:
            return None
        return VERDICT if ARROWS[key][1] > 0 and self.prediction.verdict else WORDS

    def selected_cell(self) -> str:
        return WORDS

    @property
    def _end(self) -> float:
        """Where the words end, and the verdict begins."""
        if self.prediction.verdict is None:
            return float(self.width())
        claim, answer, _ = self.prediction.verdict
        return self.width() - _advance(f"{claim}: ", 12) - _advance(answer, 12, bold=True) - theme.px(12)

    def shapes(self) -> Iterator[Shape]:
        end, height = self._end, self.height()
        if self.hovered_cell is not None:
            sides = {WORDS: QRectF(0, 0, end, height), VERDICT: QRectF(end, 0, self.width() - end, height)}
            yield Box(sides[self.hovered_cell], "hover", radius_px=theme.px(5))
        if self.prediction.verdict is not None:
            claim, answer, color = self.prediction.verdict
            words = self._words(end + theme.px(6), f"{claim}: ", "muted", 12)
            yield words
            yield self._words(words.rect.right() - 1, answer, color, 12, bold=True)
        if self.prediction.words:
            yield from self._guesses(end - theme.px(14))
        else:
            hint = whole_parts(self.prediction.hint, lambda part: _advance(part, 12) <= end - theme.px(14))
            yield Words(QRectF(theme.px(2), 0, end - theme.px(14), height), hint, "muted")

    def _guesses(self, end: float) -> Iterator[Shape]:
        """As many as there is room for; the bars are as long as the probabilities, the longest fills its place."""
        yield self._words(theme.px(2), self.prediction.title, "mask", 12, bold=True)
        x = theme.px(2) + _advance(self.prediction.title, 12, bold=True) + theme.px(16)
        longest, thick, color = max(self.prediction.words[0][1], 0.01), theme.px(8), "mask"
        for word, share in self.prediction.words:
            number, bar = numbers.percent(share), max(theme.px(FULL_BAR_PX) * share / longest, theme.px(LEAST_BAR_PX))
            left = x + _advance(word, 13, bold=True) + theme.px(7)
            right = left + bar + theme.px(7)
            if right + _advance(number, 12) > end:
                return
            yield self._words(x, word, "ink", 13, bold=True)
            yield Box(QRectF(left, (self.height() - thick) / 2, bar, thick), color, radius_px=2)
            yield self._words(right, number, "muted", 12)
            x, color = right + _advance(number, 12) + theme.px(22), "bar"

    def _words(self, x: float, text: str, color: str, size_px: float, *, bold: bool = False) -> Words:
        rect = QRectF(x, 0, _advance(text, size_px, bold=bold) + 1, self.height())
        return Words(rect, text, color, size_px, bold)


def _advance(text: str, size_px: float, *, bold: bool = False) -> float:
    return QFontMetricsF(theme.font(size_px, bold=bold)).horizontalAdvance(text)
