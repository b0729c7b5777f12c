"""What needs a longer text than A and B: the answer in a passage, endings to choose from, sentences to pick."""

from __future__ import annotations

from app.compute.applying import Applied
from app.figures.figure import Figure, Numbers, numbers_of
from app.look import theme
from app.rooms.apply.classes import NumberScale, number_text, share_text
from app.rooms.apply.editor import find_in_order
from app.rooms.apply.panel import RESULT_PX, EditorPanel
from app.rooms.apply.ranked import RankedText, RankedTexts
from app.state.model_info import ModelInfo
from app.state.state import ExploreState
from app.widgets.card import Card, label, scrolled, set_role
from bertcore.tasks.examples import AnswerExample, ChoiceExample, SummaryExample
from bertcore.tasks.features.predictions import AnswerPrediction, ChoicePrediction, SummaryPrediction

NO_ANSWER = "No answer"
WIDEST_LEAD = 10.0  # of scores; what lies further apart stands at the end of the scale


class AnswerPanel(EditorPanel):
    """A passage, the answer marked in it, and its score against that of "no answer"."""

    reads = "A is the question; the passage is typed at the left."

    def __init__(self, state: ExploreState, model: ModelInfo) -> None:
        super().__init__(state, model, "The passage", "the answer is marked in it", "Type or paste the passage here")
        self._card = Card("Its answer")
        self._answer = label("", "answer", wrap=True)
        self._scores = label("", "muted", wrap=True)
        self.scale = NumberScale("no answer", "answer")
        for widget in (self._problem, self._answer, self.scale, self._scores):
            self._card.body.addWidget(widget)
        self._card.body.addStretch(1)
        self._card.set_figure(self._figure)
        self._card.setFixedWidth(theme.column_px(RESULT_PX))
        self.row.addWidget(self._card)
        self.scale.hide()

    def _figure(self) -> Figure | None:
        return self.figure("Its answer", [self._answer, self.scale, self._scores], _answer_numbers)

    @property
    def answer(self) -> str:
        return self._answer.text()

    @property
    def scores(self) -> str:
        return self._scores.text()

    def typed(self) -> tuple[str, str | None]:
        return self.state.text_a, self.text or None

    def missing(self) -> str:
        if not self.text.strip():
            return "There is no passage yet: type or paste one at the left."
        return "" if self.state.text_a.strip() else "Type the question in A."

    def show_applied(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, AnswerPrediction) and isinstance(example, AnswerExample)
        self._answer.setText(prediction.text or NO_ANSWER)
        set_role(self._answer, "answer" if prediction.text else "verdict-unsure")
        lead = prediction.score - prediction.no_answer_score
        self.scale.set_value(lead, -WIDEST_LEAD, WIDEST_LEAD)
        self.scale.show()
        told = (
            f"Score of the best span {number_text(prediction.score)}, of “no answer” "
            f"{number_text(prediction.no_answer_score)}: {number_text(abs(lead))} "
            f"{'more' if lead >= 0 else 'less'}."
        )
        always = (
            ""
            if self.model.config.no_answer
            else " It was taught passages that hold the answer, so it always gives one."
        )
        self._scores.setText(told + always)
        if self.is_current(example.passage):
            self.editor.set_marks([(prediction.start, prediction.end)] if prediction.text else [])

    def clear(self) -> None:
        super().clear()
        self._answer.setText("")
        self._scores.setText("")
        self.scale.hide()


class ChoicesPanel(EditorPanel):
    """Endings, one on each line, and the order in which the model would choose them."""

    reads = "A is the beginning; the endings are typed at the left."

    def __init__(self, state: ExploreState, model: ModelInfo) -> None:
        super().__init__(state, model, "The endings", "one on each line", "An ending\nAnother ending")
        self._card = Card("Its choice", "the bars add up to 1")
        self.ranked = RankedTexts("Endings, the likeliest first")
        self._card.body.addWidget(self._problem)
        self._card.body.addWidget(scrolled(self.ranked), 1)
        self._card.set_figure(lambda: self.figure("Its choice", [self.ranked], _choice_numbers))
        self.row.addWidget(self._card, 1)

    def typed(self) -> tuple[str, str | None]:
        return self.state.text_a, self.text or None

    def missing(self) -> str:
        if sum(bool(line.strip()) for line in self.text.splitlines()) < 2:
            return "There is nothing to choose from yet: write two or more endings at the left, one on each line."
        return "" if self.state.text_a.strip() else "Type the beginning in A."

    def show_applied(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, ChoicePrediction) and isinstance(example, ChoiceExample)
        shares = prediction.probabilities
        order = sorted(range(len(shares)), key=lambda place: -shares[place])
        self.ranked.set_rows(
            [
                RankedText(
                    example.endings[place],
                    share_text(shares[place]),
                    shares[place],
                    f"{rank}.",
                    place == prediction.choice,
                )
                for rank, place in enumerate(order, start=1)
            ]
        )

    def clear(self) -> None:
        super().clear()
        self.ranked.set_rows([])


class SummaryPanel(EditorPanel):
    """A document, the sentences that sum it up marked in it, and every sentence's score."""

    reads = "It reads the text at the left; A and B play no part."

    def __init__(self, state: ExploreState, model: ModelInfo) -> None:
        super().__init__(state, model, "The text", "the picked sentences are marked in it", "Type or paste a text here")
        self._card = Card("Its sentences")
        self.ranked = RankedTexts("Sentences in the order of the text, the picked ones ticked")
        self._note = label("", "muted", wrap=True)
        for widget in (self._problem, self._note):
            self._card.body.addWidget(widget)
        self._card.body.addWidget(scrolled(self.ranked), 1)
        self._card.set_figure(lambda: self.figure("Its sentences", [self.ranked], _summary_numbers))
        self.row.addWidget(self._card, 1)

    def typed(self) -> tuple[str, str | None]:
        return self.text, None

    def missing(self) -> str:
        return "" if self.text.strip() else "There is no text yet: type or paste one at the left."

    def show_applied(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, SummaryPrediction) and isinstance(example, SummaryExample)
        chosen = set(prediction.chosen)
        self._card.set_hint(f"{len(chosen)} of {len(example.sentences)} picked")
        self.ranked.set_rows(
            [
                RankedText(
                    example.sentences[i], share_text(share), share, "✓" if i in chosen else f"{i + 1}", i in chosen
                )
                for i, share in enumerate(prediction.probabilities)
            ]
        )
        unread = len(example.sentences) - len(prediction.probabilities)
        self._note.setText(f"The last {unread} sentences were not read: the text is too long for the model.")
        self._note.setVisible(unread > 0)
        if self.is_current(applied.request.text_a):
            places = find_in_order(self.text, example.sentences)
            self.editor.set_marks([place for i in prediction.chosen if (place := places[i]) is not None])

    def clear(self) -> None:
        super().clear()
        self.ranked.set_rows([])
        self._card.set_hint("")
        self._note.hide()


def _answer_numbers(applied: Applied) -> dict[str, Numbers]:
    said = applied.prediction
    assert isinstance(said, AnswerPrediction)
    return {"score": numbers_of("answer", [said.text or NO_ANSWER, NO_ANSWER], [said.score, said.no_answer_score])}


def _choice_numbers(applied: Applied) -> dict[str, Numbers]:
    prediction, example = applied.prediction, applied.example
    assert isinstance(prediction, ChoicePrediction) and isinstance(example, ChoiceExample)
    return {"probability": numbers_of("ending", example.endings, prediction.probabilities)}


def _summary_numbers(applied: Applied) -> dict[str, Numbers]:
    prediction, example = applied.prediction, applied.example
    assert isinstance(prediction, SummaryPrediction) and isinstance(example, SummaryExample)
    read = example.sentences[: len(prediction.probabilities)]
    return {"score": numbers_of("sentence", read, prediction.probabilities)}
