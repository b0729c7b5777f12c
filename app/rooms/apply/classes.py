"""Classes as bars, for one class and for several at once; and a number on its scale."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.compute.applying import Applied
from app.figures.figure import Figure, Numbers, numbers_of
from app.look import theme
from app.rooms.apply.panel import Panel
from app.state.model_info import ModelInfo
from app.state.state import ExploreState
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import Card, label
from bertcore.tasks.features.predictions import LabelPrediction, LabelSetPrediction, NumberPrediction

GIVEN_FROM = 0.5  # the probability from which on one of several labels is given
IN_ORDER = 8  # so few classes keep their places while someone types; more are sorted, the likeliest first
MOST_BARS = 14


class TextPanel(Panel):
    """A panel that reads A, or A and B."""

    @property
    def reads(self) -> str:  # type: ignore[override]
        if self.task.is_pair is None:
            return "It reads A, and B if there is one."
        return "It reads A and B." if self.task.is_pair else "It reads A; B plays no part."

    def typed(self) -> tuple[str, str | None]:
        return self.state.text_a, None if self.task.is_pair is False else self.state.text_b or None

    def missing(self) -> str:
        if self.task.is_pair and not self.state.text_b.strip():
            return "It was taught pairs of texts: type the second one in B."
        return super().missing()


class ClassesPanel(TextPanel):
    """The class in large, and a bar for each."""

    def __init__(self, state: ExploreState, model: ModelInfo) -> None:
        super().__init__(state, model)
        self._several = self.task.kind == "multilabel"
        hint = f"each by itself; from {GIVEN_FROM:.2f} on it is given" if self._several else "the bars add up to 1"
        self._card = Card("Its labels" if self._several else "Its class", hint)
        self._answer = label("", "answer", wrap=True)
        self._bars = BarList("Probability of each class", stretch_to_px=56)
        for widget in (self._problem, self._answer, self._bars):
            self._card.body.addWidget(widget)
        self._card.body.addStretch(1)
        self._card.set_figure(self._figure)
        self.row.addWidget(self._card, 1)

    def _figure(self) -> Figure | None:
        return self.figure(f"{self._answer.text()}", [self._bars], _class_numbers)

    @property
    def answer(self) -> str:
        return self._answer.text()

    @property
    def bars(self) -> list[Bar]:
        return self._bars.bars

    def show_applied(self, applied: Applied) -> None:
        prediction = applied.prediction
        assert isinstance(prediction, LabelPrediction | LabelSetPrediction)
        given = (prediction.label,) if isinstance(prediction, LabelPrediction) else prediction.labels
        self._answer.setText(", ".join(given) or "None of its labels")
        pairs = list(prediction.probabilities.items())
        if len(pairs) > IN_ORDER:
            pairs = sorted(pairs, key=lambda pair: -pair[1])[:MOST_BARS]
        self._bars.set_bars(
            [
                Bar(
                    name,
                    share_text(share),
                    share,
                    "good" if name in given else "bar",
                    name in given,
                    _mark(name, given),
                )
                for name, share in pairs
            ]
        )

    def clear(self) -> None:
        self._answer.setText("")
        self._bars.set_bars([])


class NumberPanel(TextPanel):
    """The number in large, and where it stands on its scale."""

    def __init__(self, state: ExploreState, model: ModelInfo) -> None:
        super().__init__(state, model)
        self._card = Card("How alike are A and B?" if self.task.is_pair else "Its number")
        self._answer, self.scale = label("", "answer"), NumberScale()
        self._note = label("", "muted", wrap=True)
        for widget in (self._problem, self._answer, self.scale, self._note):
            self._card.body.addWidget(widget)
        self._card.body.addStretch(1)
        self._card.set_figure(self._figure)
        self.row.addWidget(self._card, 1)
        self.scale.hide()

    def _figure(self) -> Figure | None:
        return self.figure(self._card.accessibleName(), [self._answer, self.scale, self._note], _number_numbers)

    @property
    def answer(self) -> str:
        return self._answer.text()

    def show_applied(self, applied: Applied) -> None:
        prediction, limits = applied.prediction, self.task.number_range
        assert isinstance(prediction, NumberPrediction)
        self._answer.setText(number_text(prediction.number))
        self.scale.setVisible(limits is not None)
        if limits is None:
            self._note.setText("Its scale is that of the numbers it learned from, which are not known here.")
            return
        self.scale.set_value(prediction.number, *limits)
        outside = not limits[0] <= prediction.number <= limits[1]
        beyond = (
            f"It lies outside of {limits[0]:g} to {limits[1]:g}: the model gives any number, and nothing cuts it off."
        )
        self._note.setText(beyond if outside else f"It learned numbers from {limits[0]:g} to {limits[1]:g}.")

    def clear(self) -> None:
        self._answer.setText("")
        self._note.setText("")
        self.scale.hide()


class NumberScale(QWidget):
    """A line from low to high with a handle at the value, and words at both ends."""

    def __init__(self, low_word: str = "", high_word: str = "") -> None:
        super().__init__()
        self._value, self._low, self._high = 0.0, 0.0, 1.0
        self._words = (low_word, high_word)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def value(self) -> float:
        return self._value

    def set_value(self, value: float, low: float, high: float) -> None:
        self._value, self._low, self._high = value, low, high
        self.setAccessibleName(f"{number_text(value)} on a scale from {low:g} to {high:g}")
        self.update()

    def x_of(self, value: float) -> float:
        """Where a value stands, in this widget's pixels; beyond the ends, at the end."""
        margin = theme.px(12)
        share = (value - self._low) / (self._high - self._low)
        return margin + (self.width() - 2 * margin) * min(max(share, 0.0), 1.0)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(240), theme.px(48))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        y, left, right, at = theme.px(14), self.x_of(self._low), self.x_of(self._high), self.x_of(self._value)
        painter.setPen(_thick("track"))
        painter.drawLine(QPointF(left, y), QPointF(right, y))
        start = self.x_of(0.0) if self._low <= 0 <= self._high else left
        painter.setPen(_thick("bar_strong"))
        painter.drawLine(QPointF(start, y), QPointF(at, y))
        painter.setPen(QPen(theme.color("card"), theme.px(2)))
        painter.setBrush(theme.color("accent"))
        painter.drawEllipse(QPointF(at, y), theme.px(9), theme.px(9))
        self._paint_ends(painter, left, right, start)

    def _paint_ends(self, painter: QPainter, left: float, right: float, zero: float) -> None:
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(11.5))
        line = QRectF(left - theme.px(8), theme.px(26), right - left + theme.px(16), theme.px(20))
        for value, word, side in (
            (self._low, self._words[0], Qt.AlignmentFlag.AlignLeft),
            (self._high, self._words[1], Qt.AlignmentFlag.AlignRight),
        ):
            painter.drawText(line, side, word or f"{value:.3g}".replace("-", "−"))
        if left < zero < right:
            around = QRectF(zero - theme.px(20), line.y(), theme.px(40), line.height())
            painter.drawText(around, Qt.AlignmentFlag.AlignHCenter, "0")


def _class_numbers(applied: Applied) -> dict[str, Numbers]:
    assert isinstance(applied.prediction, LabelPrediction | LabelSetPrediction)
    shares = applied.prediction.probabilities
    return {"probability": numbers_of("class", list(shares), list(shares.values()))}


def _number_numbers(applied: Applied) -> dict[str, Numbers]:
    assert isinstance(applied.prediction, NumberPrediction)
    return {"number": numbers_of("answer", ["number"], [applied.prediction.number])}


def _thick(color: str) -> QPen:
    pen = QPen(theme.color(color), theme.px(6))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    return pen


def share_text(share: float) -> str:
    """A probability in two digits; what would round to nothing or to certain is said as less or more than."""
    if 0.995 <= share < 1:
        return "> 0.99"
    return "< 0.01" if 0 < share < 0.005 else f"{share:.2f}"


def number_text(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _mark(name: str, given: tuple[str, ...]) -> str:
    return "✓" if name in given else ""
