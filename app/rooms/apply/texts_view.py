"""What needs a longer text than A and B: the answer in a passage, endings to choose from, sentences to pick."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertcore.tasks.kinds.base import USUAL, Decoding, Example, Prediction
from bertcore.tasks.kinds.choice import ChoiceExample, ChoicePrediction
from bertcore.tasks.kinds.span import AnswerExample, AnswerPrediction
from bertcore.tasks.kinds.summarise import SummaryExample, SummaryPrediction

from ...compute.applying import Applied
from ...figures.figure import Numbers, numbers_of
from ...look import numbers, theme
from ...look.say import say
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...widgets.card import label, scrolled, set_role
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import fill, hbox
from .classes_view import NumberScale
from .view import RESULT_PX, EditorView, find_in_order

MOST_ANSWER_TOKENS = 512
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


WIDEST_LEAD = 10.0  # of scores; what lies further apart stands at the end of the scale


class AnswerView(EditorView):
    """A passage, the answer marked in it, and its score against that of "no answer"."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(
            model,
            say("Predicted answer"),
            say("The passage"),
            say("with the answer marked"),
            say("Type or paste the passage here"),
        )
        self.answer = label("", "answer", wrap=True)
        self.card.set_intro(say("It cannot write, only copy from the passage. Ask something that is not in there."))
        self.scores = label("", "muted", wrap=True)
        self.scale = NumberScale(say("no answer"), say("answer", meaning="noun"))
        self.longest = NumberBox(say("Longest answer, in tokens"), 1, MOST_ANSWER_TOKENS, step=1)
        self.longest.show_value(USUAL.max_answer_tokens)
        self.longest.valueChanged.connect(lambda _value: self.ask_again())
        how = hbox(label(say("Longest answer"), "muted"), self.longest, label(say("tokens"), "muted"), None)
        fill(self.card.body, self.answer, self._changed, self.scale, self.scores, 6, how, None)
        self.save_button([self.answer, self.scale, self.scores])
        self.card.setFixedWidth(theme.column_px(RESULT_PX))
        self.row.addWidget(self.card)
        self.scale.hide()

    @property
    def what_it_reads(self) -> str:
        return say("A is the question; the passage is typed on the left.")

    @property
    def decoding(self) -> Decoding:
        return Decoding(max_answer_tokens=round(self.longest.value()))

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        return reading.encoding.text_a, self.text

    def missing(self, reading: Reading) -> str:
        if not self.text.strip():
            return say("There is no passage yet: type or paste one on the left.")
        return "" if reading.encoding.text_a.strip() else say("Type the question in A.")

    def show_answer(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, AnswerPrediction) and isinstance(example, AnswerExample)
        self.answer.setText(prediction.text or say("No answer"))
        set_role(self.answer, "answer" if prediction.text else "verdict-unsure")
        lead = prediction.score - prediction.no_answer_score
        self.scale.set_value(lead, -WIDEST_LEAD, WIDEST_LEAD)
        self.scale.show()
        if lead >= 0:
            scores = say("The best span scores {score}, “no answer” {no_answer}: a lead of {lead}.")
        else:
            scores = say("The best span scores {score}, “no answer” {no_answer}, {lead} more.")
        scores = scores.format(
            score=numbers.decimal(prediction.score),
            no_answer=numbers.decimal(prediction.no_answer_score),
            lead=numbers.decimal(abs(lead)),
        )
        if not self.model.config.no_answer:
            scores += " " + say("Every passage it was trained on contains the answer, so it always gives one.")
        self.scores.setText(scores)
        if example.passage == self.text:
            self.editor.set_marks([(prediction.start, prediction.end)] if prediction.text else [])

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        found = applied.prediction
        assert isinstance(found, AnswerPrediction)
        no_answer = say("No answer")
        return {
            "score": numbers_of("answer", [found.text or no_answer, no_answer], [found.score, found.no_answer_score])
        }

    def brief(self, example: Example, prediction: Prediction) -> str:
        return super().brief(example, prediction) or say("No answer")

    def clear(self) -> None:
        super().clear()
        self.answer.setText("")
        self.scores.setText("")
        self.scale.hide()


class ChoicesView(EditorView):
    """Endings, one on each line, and the order in which the model would choose them."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(
            model,
            say("Predicted ending"),
            say("The endings"),
            say("one per line"),
            say("An ending\nAnother ending"),
        )
        self.card.set_intro(
            say("How likely the model finds each ending; together they make 100%. Write one that fools it.")
        )
        self.ranked = RankedTexts(say("Endings, most likely first"))
        fill(self.card.body, self._changed, (scrolled(self.ranked), 1))
        self.save_button([self.ranked])
        self.row.addWidget(self.card, 1)

    @property
    def what_it_reads(self) -> str:
        return say("A is the beginning; the endings are typed on the left.")

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        return reading.encoding.text_a, self.text

    def missing(self, reading: Reading) -> str:
        if sum(bool(line.strip()) for line in self.text.splitlines()) < 2:
            return say("There is nothing to choose from yet: type two or more endings on the left, one per line.")
        return "" if reading.encoding.text_a.strip() else say("Type the beginning in A.")

    def show_answer(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, ChoicePrediction) and isinstance(example, ChoiceExample)
        shares = prediction.probabilities
        order = sorted(range(len(shares)), key=lambda place: -shares[place])
        rows = []
        for rank, place in enumerate(order, start=1):
            share, is_chosen = shares[place], place == prediction.choice
            rows.append(RankedText(example.endings[place], numbers.probability(share), share, f"{rank}.", is_chosen))
        self.ranked.set_rows(rows)

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, ChoicePrediction) and isinstance(example, ChoiceExample)
        return {"probability": numbers_of("ending", example.endings, prediction.probabilities)}

    def brief(self, example: Example, prediction: Prediction) -> str:
        assert isinstance(prediction, ChoicePrediction) and isinstance(example, ChoiceExample)
        choice = prediction.choice
        return f"{example.endings[choice]} {numbers.probability(prediction.probabilities[choice])}"

    def clear(self) -> None:
        super().clear()
        self.ranked.set_rows([])


class SummaryView(EditorView):
    """A document, the sentences that sum it up marked in it, and every sentence's score."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(
            model,
            say("Picked sentences"),
            say("The text"),
            say("with the picked sentences marked"),
            say("Type or paste a text here"),
        )
        self.ranked = RankedTexts(say("Sentences in text order"))
        self.card.set_intro(say("The longer a bar, the more the sentence matters. Would you have picked the same?"))
        self._note = label("", "muted", wrap=True)
        self.length = NumberBox(say("Length of the summary"), 1, 100, step=1)
        self.length.show_value(USUAL.sentences)
        self.length.valueChanged.connect(lambda _value: self.ask_again())
        self.unit = Choice(say("What the length of the summary counts"))
        self.unit.addItem(say("sentences"), False)
        self.unit.addItem(say("% of the sentences"), True)
        self.unit.activated.connect(lambda _index: self.ask_again())
        how = hbox(label(say("At most"), "muted"), self.length, self.unit, None)
        fill(self.card.body, how, self._changed, self._note, (scrolled(self.ranked), 1))
        self.save_button([self.ranked])
        self.row.addWidget(self.card, 1)

    @property
    def what_it_reads(self) -> str:
        return say("It reads the text on the left and ignores A and B.")

    @property
    def decoding(self) -> Decoding:
        number = round(self.length.value())
        return Decoding(ratio=number / 100) if self.unit.currentData() else Decoding(sentences=number)

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        return self.text, None

    def missing(self, reading: Reading) -> str:
        return "" if self.text.strip() else say("There is no text yet: type or paste one on the left.")

    def show_answer(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, SummaryPrediction) and isinstance(example, SummaryExample)
        chosen = set(prediction.chosen)
        picked = say("{picked} of {all} sentences picked")
        self.card.set_hint(picked.format(picked=len(chosen), all=len(example.sentences)))
        self.ranked.set_rows(
            [
                RankedText(example.sentences[i], numbers.probability(share), share, f"{i + 1}", i in chosen)
                for i, share in enumerate(prediction.probabilities)
            ]
        )
        unread = len(example.sentences) - len(prediction.probabilities)
        self._note.setText(say("The last %n sentence(s) were not read: the text is too long.", n=unread))
        self._note.setVisible(unread > 0)
        if applied.request.text_a == self.text:
            places = find_in_order(self.text, example.sentences)
            self.editor.set_marks([place for i in prediction.chosen if (place := places[i]) is not None])

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, SummaryPrediction) and isinstance(example, SummaryExample)
        read = example.sentences[: len(prediction.probabilities)]
        return {"score": numbers_of("sentence", read, prediction.probabilities)}

    def brief(self, example: Example, prediction: Prediction) -> str:
        assert isinstance(prediction, SummaryPrediction)
        return ", ".join(str(place + 1) for place in prediction.chosen)

    def clear(self) -> None:
        super().clear()
        self.ranked.set_rows([])
        self.card.set_hint("")
        self._note.hide()
