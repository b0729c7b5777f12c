"""Classes as bars, for one class and for several at once; and a number on its scale; which words decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bertcore.tasks.kinds.base import Example
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.multilabel import LabelSetPrediction
from bertcore.tasks.kinds.regress import NumberPrediction

from ...compute.head_questions import HeadTarget, targets_of
from ...compute.question import Question
from ...compute.word_questions import attribution_of
from ...figures.figure import Figure, Numbers, joined, model_text, numbers_of, pair_text, picture_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside, is_earlier, unchanged_name
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import Units
from ...widgets.card import GAP_PX, label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.scale import NumberScale
from ...widgets.charts.tokens import SharesCard
from ...widgets.layouts import fill, vbox
from .view import AnyPrediction, ApplyView

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution

GIVEN_FROM = 0.5  # the probability from which on one of several labels is given
IN_ORDER = 8  # so few classes keep their places while someone types; more are sorted, the likeliest first
MOST_BARS = 14
BAR_PX, LEAST_BAR_PX = 40, 22  # a row's height, of few classes and of many
FEW = 4


class WordsCard(SharesCard):
    """The text with each word as strongly coloured as the class loses without it (`attribution.leave_one_out`)."""

    def __init__(self) -> None:
        super().__init__(say("Which words decided"), say("How much each word adds to the answer"))
        self._reading: Reading | None = None
        fill(self.body, self.scale, self.line, (scrolled(self.tokens), 1))
        self.set_figure(self._figure)

    def show_target(self, reading: Reading, units: Units, target: HeadTarget) -> None:
        """What is asked about: a class of the model as it is without changes inside."""
        self._reading, self.units = reading, units
        how = say(
            "Each word is masked in turn. Red: without it the model is less sure of “{label}”. Blue: surer. +0.7: half "
            "as likely without it."
        )
        changed = say("Computed for the model without your changes.") if reading.unchanged is not None else ""
        self.set_intro(f"{how.format(label=target.label)} {changed}".strip())

    def _figure(self) -> Figure | None:
        if self._reading is None or self.units is None or not self.scores:
            return None
        model, encoding = self._reading.request.model, self._reading.encoding
        caption = joined(model_text(model), pair_text(encoding.text_a, encoding.text_b), self.intro)
        shares = {"share": numbers_of("token", self.units.labels, self.scores)}
        return Figure(self.title, picture_of([self.tokens, self.scale]), shares, caption, model.name)


def class_target(reading: Reading) -> HeadTarget | None:
    """The likeliest class of the unchanged model; None where it reads no classes."""
    targets = targets_of(reading.plain, 0)
    return next((target for target in targets if target.target.head == "classify" and not target.is_score), None)


class TextView(ApplyView[Example, AnyPrediction]):
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


class ClassesView(TextView[LabelPrediction | LabelSetPrediction]):
    """The class in large, a bar for each, and below them which words decided."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        title, number = say("Predicted class"), "probability"
        intro = say(
            "How sure the model is of each class; together they make 100%. Change one word: does the answer change?"
        )
        if self.task.kind == "multilabel":
            title, number = say("Predicted labels"), "own_probability"
            intro = say(
                "Each label is decided on its own: a text gets it if its probability is {least} or more. Change a "
                "word: which bars move?",
                least=GIVEN_FROM,
            )
        self.card.set_title(title)
        self.card.set_intro(intro)
        self.answer = label("", "answer", wrap=True)
        self.bars = BarList(say("Probability of each class"), stretch_to_px=56, of_whole=True)
        explain(number, self.bars)
        fill(self.card.body, self.answer, self._changed, (self.bars, 1))
        self.save_button(self.bars, title=self.answer.text)
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

    def show_answer(self, example: Example, prediction: LabelPrediction | LabelSetPrediction) -> None:
        given = (prediction.label,) if isinstance(prediction, LabelPrediction) else prediction.labels
        self.answer.setText(", ".join(given) or say("None of the labels"))
        pairs = list(prediction.probabilities.items())
        if len(pairs) > IN_ORDER:
            pairs = sorted(pairs, key=lambda pair: -pair[1])[:MOST_BARS]
        before = _probabilities(self.applied.before if self.applied is not None else None)
        theirs = _probabilities(self.baseline.prediction if self.baseline is not None else None)
        others = (before, True), (theirs, self.reading is not None and is_earlier(self.reading))
        bars = []
        for name, share in pairs:
            marks = [beside(numbers.probability(one[name]), earlier) for one, earlier in others if name in one]
            color, is_given, other = "bar_strong" if name in given else "bar", name in given, before.get(name)
            text, mark = numbers.probability(share), " · ".join(marks)
            bars.append(Bar(name, text, share, color, is_given, mark, before=theirs.get(name, other)))
        self.bars.set_bars(bars)
        self.bars.setMinimumHeight(len(bars) * theme.px(BAR_PX if len(bars) <= FEW else LEAST_BAR_PX))
        name = self.baseline_name if theirs else unchanged_name() if before else ""
        self.card.set_hint(say("the line across a bar: {baseline}", baseline=name) if name else "")

    def figure_numbers(
        self, example: Example, prediction: LabelPrediction | LabelSetPrediction
    ) -> Mapping[str, Numbers]:
        shares = prediction.probabilities
        return {"probability": numbers_of("class", list(shares), list(shares.values()))}

    def brief(self, example: Example, prediction: LabelPrediction | LabelSetPrediction) -> str:
        if isinstance(prediction, LabelPrediction):
            return f"{prediction.label} {numbers.probability(prediction.probabilities[prediction.label])}"
        return ", ".join(prediction.labels) or say("None of the labels")

    def clear(self) -> None:
        self.answer.setText("")
        self.bars.set_bars([])
        self.card.set_hint("")


class NumberView(TextView[NumberPrediction]):
    """The number in large, and where it stands on its scale."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        is_pair = self.task.is_pair
        self.card.set_title(say("How similar are A and B?") if is_pair else say("Predicted number"))
        self.card.set_intro(say("The number it gives your text. Change a word: which way does it move?"))
        self.answer, self.scale, self.note = label("", "answer"), NumberScale(), label("", "muted", wrap=True)
        fill(self.card.body, self.answer, self._changed, self.scale, self.note, None)
        self.save_button(self.answer, self.scale, self.note)
        self.row.addWidget(self.card, 1)
        self.scale.hide()

    def show_answer(self, example: Example, prediction: NumberPrediction) -> None:
        limits, number = self.task.number_range, prediction.number
        self.answer.setText(numbers.decimal(number))
        self.scale.setVisible(limits is not None)
        if limits is None:
            self.note.setText(say("The scale is that of its training data, which is not known here."))
            return
        self.scale.set_value(number, *limits)
        note = say("Outside {low} to {high}, the range it was trained on: nothing limits its output.")
        if limits[0] <= number <= limits[1]:
            note = say("It was trained on numbers from {low} to {high}.")
        self.note.setText(note.format(low=numbers.number(limits[0]), high=numbers.number(limits[1])))

    def figure_numbers(self, example: Example, prediction: NumberPrediction) -> Mapping[str, Numbers]:
        return {"number": numbers_of("answer", ["number"], [prediction.number])}

    def brief(self, example: Example, prediction: NumberPrediction) -> str:
        return numbers.decimal(prediction.number)

    def clear(self) -> None:
        self.answer.setText("")
        self.note.setText("")
        self.scale.hide()


def _probabilities(prediction: Any) -> Mapping[str, float]:
    """Of each class; empty where there is no such answer."""
    return prediction.probabilities if isinstance(prediction, LabelPrediction | LabelSetPrediction) else {}
