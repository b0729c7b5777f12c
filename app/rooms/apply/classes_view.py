"""Classes as bars, for one class and for several at once; and a number on its scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertcore.tasks.kinds.base import Example, Prediction
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.multilabel import LabelSetPrediction
from bertcore.tasks.kinds.regress import NumberPrediction

from ...compute.applying import Applied
from ...compute.question import Question
from ...compute.word_questions import attribution_of
from ...figures.figure import Numbers, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside, is_earlier, unchanged_name
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.layouts import fill, vbox
from .view import ApplyView
from .words_card import WordsCard, class_target

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution

GIVEN_FROM = 0.5  # the probability from which on one of several labels is given
IN_ORDER = 8  # so few classes keep their places while someone types; more are sorted, the likeliest first
MOST_BARS = 14
BAR_PX, LEAST_BAR_PX = 40, 22  # a row's height, of few classes and of many
FEW = 4


class TextView(ApplyView):
    """A view of a model that reads A, or A and B."""

    @property
    def what_it_reads(self) -> str:
        if self.task.is_pair is None:
            return say("It reads A, and B if there is one.")
        return say("It reads A and B.") if self.task.is_pair else say("It reads A and ignores B.")

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        return reading.encoding.text_a, None if self.task.is_pair is False else reading.encoding.text_b

    def missing(self, reading: Reading) -> str:
        if self.task.is_pair and not (reading.encoding.text_b or "").strip():
            return say("It was fine-tuned on pairs of texts: type the second one in B.")
        return super().missing(reading)


class ClassesView(TextView):
    """The class in large, a bar for each, and below them which words decided."""

    def __init__(self, model: ModelInfo) -> None:
        several = model.task is not None and model.task.kind == "multilabel"
        super().__init__(model)
        if several:
            self.card.set_title(say("Predicted labels"))
            hint = say(
                "Each label is decided on its own: a text gets it if its probability is {least} or more. Change a "
                "word: which bars move?"
            )
            self.card.set_intro(hint.format(least=GIVEN_FROM))
        else:
            self.card.set_title(say("Predicted class"))
            self.card.set_intro(
                say(
                    "How sure the model is of each class; together they make 100%. Change one word: does the answer "
                    "change?"
                )
            )
        self.answer = label("", "answer", wrap=True)
        self.bars = BarList(say("Probability of each class"), stretch_to_px=56, of_whole=True)
        explain("own_probability" if self.task.kind == "multilabel" else "probability", self.bars)
        fill(self.card.body, self.answer, self._changed, (self.bars, 1))
        self.save_button([self.bars], self.answer.text)
        self.words = WordsCard()
        self.why: Question[Attribution] = self.add_question(self.words.show_attribution, self.words.line)
        self.words.tokens.clicked.connect(self.click_unit)
        self.words.tokens.hovered.connect(self.hover_unit)
        self.add_token_menu(self.words.tokens)
        self.row.addLayout(vbox(self.card, (self.words, 1), gap_px=GAP_PX), 1)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        super().show_reading(reading, selection)
        ignores_b = self.task.is_pair is False and bool((reading.encoding.text_b or "").strip())
        target = None if ignores_b or self.missing(reading) else class_target(reading)
        self.words.setVisible(target is not None)
        if target is None:
            self.why.clear()
            return
        model, text = reading.request.model, reading.plain.request.model_input
        self.why.ask_model(model, attribution_of, text, target, "leave_one_out")
        self.words.show_target(reading, selection.units(reading), target)
        self.words.show_attribution(self.why.answer)

    def show_answer(self, applied: Applied) -> None:
        prediction = applied.prediction
        assert isinstance(prediction, LabelPrediction | LabelSetPrediction)
        given = (prediction.label,) if isinstance(prediction, LabelPrediction) else prediction.labels
        self.answer.setText(", ".join(given) or say("None of the labels"))
        pairs = list(prediction.probabilities.items())
        if len(pairs) > IN_ORDER:
            pairs = sorted(pairs, key=lambda pair: -pair[1])[:MOST_BARS]
        before = _probabilities(applied.before)
        theirs = _probabilities(self.compared.prediction if self.compared is not None else None)
        is_older = self.reading is not None and is_earlier(self.reading)
        bars = []
        for name, share in pairs:
            marks = [
                beside(numbers.probability(others[name]), earlier)
                for others, earlier in ((before, True), (theirs, is_older))
                if name in others
            ]
            is_given, color = name in given, "bar_strong" if name in given else "bar"
            other = theirs.get(name, before.get(name))
            bars.append(Bar(name, numbers.probability(share), share, color, is_given, " · ".join(marks), before=other))
        self.bars.set_bars(bars)
        self.bars.setMinimumHeight(len(bars) * theme.px(BAR_PX if len(bars) <= FEW else LEAST_BAR_PX))
        line = say("the line across a bar: {baseline}")
        name = self.compared_name if theirs else unchanged_name() if before else ""
        self.card.set_hint(line.format(baseline=name) if name else "")

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        assert isinstance(applied.prediction, LabelPrediction | LabelSetPrediction)
        shares = applied.prediction.probabilities
        return {"probability": numbers_of("class", list(shares), list(shares.values()))}

    def brief(self, example: Example, prediction: Prediction) -> str:
        if isinstance(prediction, LabelPrediction):
            return f"{prediction.label} {numbers.probability(prediction.probabilities[prediction.label])}"
        assert isinstance(prediction, LabelSetPrediction)
        return ", ".join(prediction.labels) or say("None of the labels")

    def clear(self) -> None:
        self.answer.setText("")
        self.bars.set_bars([])
        self.card.set_hint("")


class NumberView(TextView):
    """The number in large, and where it stands on its scale."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        is_pair = self.task.is_pair
        self.card.set_title(say("How similar are A and B?") if is_pair else say("Predicted number"))
        self.card.set_intro(say("The number it gives your text. Change a word: which way does it move?"))
        self.answer, self.scale = label("", "answer"), NumberScale()
        self.note = label("", "muted", wrap=True)
        fill(self.card.body, self.answer, self._changed, self.scale, self.note, None)
        self.save_button([self.answer, self.scale, self.note])
        self.row.addWidget(self.card, 1)
        self.scale.hide()

    def show_answer(self, applied: Applied) -> None:
        prediction, limits = applied.prediction, self.task.number_range
        assert isinstance(prediction, NumberPrediction)
        self.answer.setText(numbers.decimal(prediction.number))
        self.scale.setVisible(limits is not None)
        if limits is None:
            self.note.setText(say("The scale is that of its training data, which is not known here."))
            return
        self.scale.set_value(prediction.number, *limits)
        if limits[0] <= prediction.number <= limits[1]:
            note = say("It was trained on numbers from {low} to {high}.")
        else:
            note = say("Outside {low} to {high}, the range it was trained on: nothing limits its output.")
        self.note.setText(note.format(low=numbers.number(limits[0]), high=numbers.number(limits[1])))

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        assert isinstance(applied.prediction, NumberPrediction)
        return {"number": numbers_of("answer", ["number"], [applied.prediction.number])}

    def brief(self, example: Example, prediction: Prediction) -> str:
        assert isinstance(prediction, NumberPrediction)
        return numbers.decimal(prediction.number)

    def clear(self) -> None:
        self.answer.setText("")
        self.note.setText("")
        self.scale.hide()


class NumberScale(QWidget):
    """A line from low to high with a handle at the value, and words at both ends."""

    def __init__(self, low_word: str = "", high_word: str = "") -> None:
        super().__init__()
        self.value, self._low, self._high = 0.0, 0.0, 1.0
        self._words = (low_word, high_word)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_value(self, value: float, low: float, high: float) -> None:
        self.value, self._low, self._high = value, low, high
        name = say("{value} on a scale from {low} to {high}")
        ends = {"low": numbers.number(low), "high": numbers.number(high)}
        self.setAccessibleName(name.format(value=numbers.decimal(value), **ends))
        self.update()

    def x_of(self, value: float) -> float:
        """Where a value stands, in this widget's pixels; beyond the ends, at the end."""
        margin = theme.px(12)
        share = (value - self._low) / (self._high - self._low)
        return margin + (self.width() - 2 * margin) * min(max(share, 0.0), 1.0)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(240), theme.px(48))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        y, left, right, at = theme.px(14), self.x_of(self._low), self.x_of(self._high), self.x_of(self.value)
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
            painter.drawText(line, side, word or numbers.number(value))
        if left < zero < right:
            around = QRectF(zero - theme.px(20), line.y(), theme.px(40), line.height())
            painter.drawText(around, Qt.AlignmentFlag.AlignHCenter, "0")


def _probabilities(prediction: Prediction | None) -> Mapping[str, float]:
    """Of each class; empty where there is no such answer."""
    return prediction.probabilities if isinstance(prediction, LabelPrediction | LabelSetPrediction) else {}


def _thick(color: str) -> QPen:
    pen = QPen(theme.color(color), theme.px(6))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    return pen
