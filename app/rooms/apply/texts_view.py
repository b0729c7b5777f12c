"""What needs a longer text than A and B: the answer in a passage, endings to choose from, sentences to pick."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from bertcore.tasks.kinds.base import USUAL, Decoding
from bertcore.tasks.kinds.choice import ChoiceExample, ChoicePrediction
from bertcore.tasks.kinds.span import AnswerExample, AnswerPrediction
from bertcore.tasks.kinds.summarise import SummaryExample, SummaryPrediction

from ...figures.figure import numbers_of
from ...look import mark, numbers, say, theme
from ...state import ModelInfo, Reading
from ...widgets.card import label, scrolled, set_role, show_text
from ...widgets.charts.scale import NumberScale, ShareBar
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import fill, hbox, vbox
from .view import EditorView, Span

RESULT_PX = 340
MOST_ANSWER_TOKENS = 512
BAR_PX, GAP_PX, NUMBER_PX, MARK_PX = 11, 10, 52, 24
WIDEST_LEAD = 10.0  # of scores; what lies further apart stands at the end of the scale


@dataclass(frozen=True)
class RankedText:
    """`mark` stands before the text: its number; what the model chooses is bold and has the stronger bar."""

    text: str
    share: float
    mark: str
    is_chosen: bool = False


class RankedTexts(QWidget):
    """Texts, each with a bar and a number below it. The widgets of a row are kept for the next rows."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.rows: list[RankedText] = []
        self._lines: list[RankedLine] = []
        self._column = vbox(gap_px=GAP_PX)
        vbox(self._column, None, parent=self)

    def set_rows(self, rows: Sequence[RankedText]) -> None:
        self.rows = list(rows)
        while len(self._lines) < len(rows):
            self._lines.append(RankedLine())
            self._column.addWidget(self._lines[-1])
        for number, line in enumerate(self._lines):
            line.setVisible(number < len(rows))
            if number < len(rows):
                line.show_row(rows[number])


class RankedLine(QWidget):
    """One of them."""

    def __init__(self) -> None:
        super().__init__()
        self._mark, self._text, self._bar, self._share = label(), label(wrap=True), ShareBar(), label()
        self._mark.setFixedWidth(theme.px(MARK_PX))
        self._share.setFixedWidth(theme.px(NUMBER_PX))
        self._bar.setFixedHeight(theme.px(BAR_PX))
        self._mark.setAlignment(Qt.AlignmentFlag.AlignTop)
        bar = hbox((self._bar, 1), self._share, gap_px=8)
        hbox(self._mark, (vbox(self._text, bar, gap_px=2), 1), parent=self, gap_px=0)

    def show_row(self, row: RankedText) -> None:
        number, weight = numbers.probability(row.share), QFont.Weight.Medium if row.is_chosen else QFont.Weight.Normal
        for words, shown in ((self._mark, row.mark), (self._text, row.text), (self._share, number)):
            font = words.font()
            font.setWeight(weight)
            words.setFont(font)
            words.setText(shown)
            set_role(words, "" if row.is_chosen or words is self._text else "muted")
        self._bar.set_share(min(max(row.share, 0.0), 1.0), row.text, "bar_strong" if row.is_chosen else "bar")


class AnswerView(EditorView):
    """A passage, the answer marked in it, and its score against that of "no answer"."""

    title, python = mark("Predicted answer"), "[said.score, said.no_answer_score]"
    intro = mark("It cannot write, only copy from the passage. Ask something that is not in there.")
    reads = mark("A is the question; the passage is typed on the left.")
    editor_title, editor_hint = mark("The passage"), mark("with the answer marked")
    placeholder = mark("Type or paste the passage here")

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        self.answer, self.scores = label("", "answer", wrap=True), label("", "muted", wrap=True)
        self.scale = NumberScale(say("no answer"), say("answer", meaning="noun"))
        self.longest = NumberBox(say("Longest answer, in tokens"), 1, MOST_ANSWER_TOKENS, step=1)
        self.longest.show_value(USUAL.max_answer_tokens)
        self.longest.valueChanged.connect(self._on_longest_changed)
        how = hbox(label(say("Longest answer"), "muted"), self.longest, label(say("tokens"), "muted"), None)
        fill(self.result, self.answer, self.changed, self.scale, self.scores, 6, how, None)
        self.save_button(self.answer, self.scale, self.scores)
        self.card.setFixedWidth(theme.column_px(RESULT_PX))
        self.row.addWidget(self.card)

    def _on_longest_changed(self, tokens: float) -> None:
        self.decoding = Decoding(max_answer_tokens=round(tokens))
        self.ask_again()

    def missing(self, reading: Reading) -> str:
        if not self.text.strip():
            return say("There is no passage yet: type or paste one on the left.")
        return "" if reading.encoding.text_a.strip() else say("Type the question in A.")

    def show_answer(self, example: AnswerExample, prediction: AnswerPrediction) -> None:
        score, no_answer = prediction.score, prediction.no_answer_score
        names = [prediction.text or say("No answer"), say("No answer")]
        self.numbers = {"score": numbers_of("answer", names, [score, no_answer])}
        self.answer.setText(names[0])
        set_role(self.answer, "answer" if prediction.text else "verdict-unsure")
        self.scale.set_value(score - no_answer, -WIDEST_LEAD, WIDEST_LEAD)
        scores = mark("The best span scores {score}, “no answer” {no_answer}, {lead} more.")
        if score >= no_answer:
            scores = mark("The best span scores {score}, “no answer” {no_answer}: a lead of {lead}.")
        best, none, lead = map(numbers.decimal, (score, no_answer, abs(score - no_answer)))
        scores = say(scores, score=best, no_answer=none, lead=lead)
        if not self.model.config.no_answer:
            scores += " " + say("Every passage it was trained on contains the answer, so it always gives one.")
        self.scores.setText(scores)
        if example.passage == self.text:
            self.show_marks([(prediction.start, prediction.end)] if prediction.text else [])

    def brief(self, example: AnswerExample, prediction: AnswerPrediction) -> str:
        return prediction.text or say("No answer")


class ChoicesView(EditorView):
    """Endings, one on each line, and the order in which the model would choose them."""

    title, python = mark("Predicted ending"), "[*said.probabilities]"
    intro = mark("How likely the model finds each ending; together they make 100%. Write one that fools it.")
    reads = mark("A is the beginning; the endings are typed on the left.")
    editor_title, editor_hint = mark("The endings"), mark("one per line")
    placeholder = mark("An ending\nAnother ending")

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        self.ranked = RankedTexts(say("Endings, most likely first"))
        fill(self.result, self.changed, (scrolled(self.ranked), 1))
        self.save_button(self.ranked)
        self.row.addWidget(self.card, 1)

    def missing(self, reading: Reading) -> str:
        if sum(bool(line.strip()) for line in self.text.splitlines()) < 2:
            return say("There is nothing to choose from yet: type two or more endings on the left, one per line.")
        return "" if reading.encoding.text_a.strip() else say("Type the beginning in A.")

    def show_answer(self, example: ChoiceExample, prediction: ChoicePrediction) -> None:
        shares, endings = prediction.probabilities, example.endings
        self.numbers = {"probability": numbers_of("ending", endings, shares)}
        order = enumerate(sorted(range(len(shares)), key=lambda place: -shares[place]), start=1)
        rows = [RankedText(endings[at], shares[at], f"{rank}.", at == prediction.choice) for rank, at in order]
        self.ranked.set_rows(rows)

    def brief(self, example: ChoiceExample, prediction: ChoicePrediction) -> str:
        choice = prediction.choice
        return f"{example.endings[choice]} {numbers.probability(prediction.probabilities[choice])}"


class SummaryView(EditorView):
    """A document, the sentences that sum it up marked in it, and every sentence's score."""

    title, python = mark("Picked sentences"), "[*said.probabilities]"
    intro = mark("The longer a bar, the more the sentence matters. Would you have picked the same?")
    reads = mark("It reads the text on the left and ignores A and B.")
    editor_title, editor_hint = mark("The text"), mark("with the picked sentences marked")
    placeholder = mark("Type or paste a text here")

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        self.ranked, self.note = RankedTexts(say("Sentences in text order")), label("", "muted", wrap=True)
        self.length = NumberBox(say("Length of the summary"), 1, 100, step=1)
        self.length.show_value(USUAL.sentences)
        self.length.valueChanged.connect(self._on_length_changed)
        units = {False: say("sentences"), True: say("% of the sentences")}
        self.unit = Choice(say("What the length of the summary counts"), units, self._on_length_changed)
        how = hbox(label(say("At most"), "muted"), self.length, self.unit, None)
        fill(self.result, how, self.changed, self.note, (scrolled(self.ranked), 1))
        self.save_button(self.ranked)
        self.row.addWidget(self.card, 1)

    def _on_length_changed(self) -> None:
        number = round(self.length.value())
        self.decoding = Decoding(ratio=number / 100) if self.unit.currentData() else Decoding(sentences=number)
        self.ask_again()

    def missing(self, reading: Reading) -> str:
        return "" if self.text.strip() else say("There is no text yet: type or paste one on the left.")

    def show_answer(self, example: SummaryExample, prediction: SummaryPrediction) -> None:
        sentences, chosen, shares = example.sentences, set(prediction.chosen), prediction.probabilities
        self.numbers = {"score": numbers_of("sentence", sentences[: len(shares)], shares)}
        picked = say("{picked} of {all} sentences picked", picked=len(chosen), all=len(sentences))
        self.card.set_hint(picked)
        rows = [RankedText(sentences[i], share, f"{i + 1}", i in chosen) for i, share in enumerate(shares)]
        self.ranked.set_rows(rows)
        unread = len(sentences) - len(shares)
        cut = say("The last %n sentence(s) were not read: the text is too long.", n=unread)
        show_text(self.note, cut if unread > 0 else "")
        if self.applied is not None and self.applied.request.text_a == self.text:
            places = find_in_order(self.text, sentences)
            self.show_marks([place for i in prediction.chosen if (place := places[i]) is not None])

    def brief(self, example: SummaryExample, prediction: SummaryPrediction) -> str:
        return ", ".join(str(place + 1) for place in prediction.chosen)


def find_in_order(text: str, pieces: Sequence[str]) -> list[Span | None]:
    """Where each piece stands in the text, one after the other; None for one that does not."""
    spans: list[Span | None] = []
    begin = 0
    for piece in pieces:
        start = text.find(piece, begin)
        spans.append(None if start < 0 else (start, start + len(piece)))
        begin = begin if start < 0 else start + len(piece)
    return spans
