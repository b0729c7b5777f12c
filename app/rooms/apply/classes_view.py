"""Classes as bars, for one class and for several at once, with the words that decided; and a number on its scale."""

from collections.abc import Mapping
from typing import Any, ClassVar

from bertcore.tasks.kinds.base import Example
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.multilabel import LabelSetPrediction
from bertcore.tasks.kinds.regress import NumberPrediction

from ...compute.head_questions import HeadTarget, targets_of
from ...compute.question import Job
from ...compute.word_questions import attribution_of
from ...figures.figure import Figure, numbers_of
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import ModelInfo, Reading, Selection
from ...state.baseline_names import beside, is_earlier, unchanged_name
from ...widgets.card import GAP_PX, label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.scale import NumberScale
from ...widgets.charts.tokens import SharesCard
from ...widgets.layouts import fill, vbox
from .view import ApplyView

GIVEN_FROM = 0.5  # the probability from which on one of several labels is given
IN_ORDER = 8  # so few classes keep their places while someone types; more are sorted, the likeliest first
MOST_BARS = 14
BAR_PX, LEAST_BAR_PX = 40, 22  # a row's height, of few classes and of many
FEW = 4


class TextView(ApplyView):
    """A view of a model that reads A, or A and B."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        if self.task.is_pair is not False:
            both = mark("It reads A and B."), mark("It reads A, and B if there is one.")
            self.reads = both[self.task.is_pair is None]

    def missing(self, reading: Reading) -> str:
        if self.task.is_pair and not (reading.encoding.text_b or "").strip():
            return say("It was fine-tuned on pairs of texts: type the second one in B.")
        return super().missing(reading)


class ClassesView(TextView):
    """The class in large, a bar for each, and below them which words decided: how much the class loses without each."""

    python = "[*said.probabilities.values()]"

    asks: ClassVar[Mapping[str, bool]] = {"answer": True, "words": False}

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
        fill(self.result, self.answer, self.changed, (self.bars, 1))
        self.save_button(self.bars, title=self.answer.text)
        words = self.words = SharesCard(say("Which words decided"), say("How much each word adds to the answer"))
        fill(words.body, words.scale, words.line, (scrolled(words.tokens), 1))
        words.set_figure(self._figure_of_words)
        words.line.follow(self.asked["words"])
        words.tokens.clicked.connect(self.click_unit)
        words.tokens.hovered.connect(self.hover_unit)
        self.questions_with_own_line.append(self.asked["words"])
        self.add_token_menu(words.tokens)
        self.row.addLayout(vbox(self.card, (words, 1), gap_px=GAP_PX), 1)

    def _target(self, reading: Reading) -> HeadTarget | None:
        """The likeliest class of the unchanged model; None where it reads no classes, or not what was typed."""
        ignores_b = self.task.is_pair is False and bool((reading.encoding.text_b or "").strip())
        targets = [] if ignores_b or self.missing(reading) else targets_of(reading.plain, 0)
        return next((target for target in targets if target.target.head == "classify" and not target.is_score), None)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str | None:
        if asks != "words":
            return super().job(asks, reading, selection)
        target, text = self._target(reading), reading.plain.request.model_input
        asked = (text, target, "leave_one_out")
        return None if target is None else Job(attribution_of, asked, (reading.request.model,))

    def draw_answer(self, asks: str) -> None:
        super().draw_answer(asks)
        target = None if self.reading is None else self._target(self.reading)
        self.words.setVisible(target is not None)
        if self.reading is None or target is None:
            return
        how = say(
            "Each word is masked in turn. Red: without it the model is less sure of “{label}”. Blue: surer. +0.7: half "
            "as likely without it.",
            label=target.label,
        )
        changed = say("Computed for the model without your changes.") if self.reading.unchanged is not None else ""
        self.words.set_intro(f"{how} {changed}".strip())
        self.words.units = self.selection.units(self.reading)
        self.words.show_attribution(self.asked["words"].answer)

    def _figure_of_words(self) -> Figure | None:
        words = self.words
        if words.units is None or not words.scores:
            return None
        shares = {"share": numbers_of("token", words.units.labels, words.scores)}
        target = None if self.reading is None else self._target(self.reading)
        python = "" if target is None else f'm.attribute(a, b, method="leave_one_out", target={target.target!r}).scores'
        of = {"settings": words.intro, "python": python}
        return self.figure(words.title, [words.tokens, words.scale], shares, plain=True, **of)

    def show_answer(self, example: Example, prediction: LabelPrediction | LabelSetPrediction) -> None:
        given = (prediction.label,) if isinstance(prediction, LabelPrediction) else prediction.labels
        pairs = list(prediction.probabilities.items())
        self.answer.setText(", ".join(given) or say("None of the labels"))
        self.numbers = {"probability": numbers_of("class", *map(list, zip(*pairs, strict=True)))}
        if len(pairs) > IN_ORDER:
            pairs = sorted(pairs, key=lambda pair: -pair[1])[:MOST_BARS]
        unchanged = _probabilities(self.applied and self.applied.unchanged)
        baseline = _probabilities(self.baseline and self.baseline.prediction)
        both = (unchanged, True), (baseline, self.reading is not None and is_earlier(self.reading))
        bars = []
        for name, share in pairs:
            marks = [beside(numbers.probability(one[name]), earlier) for one, earlier in both if name in one]
            color, is_given, line = "bar_strong" if name in given else "bar", name in given, unchanged.get(name)
            text, behind = numbers.probability(share), " · ".join(marks)
            bars.append(Bar(name, text, share, color, is_given, behind, before=baseline.get(name, line)))
        self.bars.set_bars(bars)
        self.bars.setMinimumHeight(len(bars) * theme.px(BAR_PX if len(bars) <= FEW else LEAST_BAR_PX))
        name = self.baseline_name if baseline else unchanged_name() if unchanged else ""
        self.card.set_hint(say("the line across a bar: {baseline}", baseline=name) if name else "")

    def brief(self, example: Example, prediction: LabelPrediction | LabelSetPrediction) -> str:
        if isinstance(prediction, LabelPrediction):
            return f"{prediction.label} {numbers.probability(prediction.probabilities[prediction.label])}"
        return ", ".join(prediction.labels) or say("None of the labels")


class NumberView(TextView):
    """The number in large, and where it stands on its scale."""

    intro = mark("The number it gives your text. Change a word: which way does it move?")
    python = "[said.number]"

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        self.card.set_title(say("How similar are A and B?") if self.task.is_pair else say("Predicted number"))
        self.answer, self.scale, self.note = label("", "answer"), NumberScale(), label("", "muted", wrap=True)
        fill(self.result, self.answer, self.changed, self.scale, self.note, None)
        self.save_button(self.answer, self.scale, self.note)
        self.row.addWidget(self.card, 1)

    def show_answer(self, example: Example, prediction: NumberPrediction) -> None:
        limits, number = self.task.number_range, prediction.number
        self.numbers = {"number": numbers_of("answer", ["number"], [number])}
        self.answer.setText(self.brief(example, prediction))
        self.scale.setVisible(limits is not None)
        note = mark("The scale is that of its training data, which is not known here.")
        if limits is not None:
            self.scale.set_value(number, *limits)
            note = mark("Outside {low} to {high}, the range it was trained on: nothing limits its output.")
            if limits[0] <= number <= limits[1]:
                note = mark("It was trained on numbers from {low} to {high}.")
        low, high = map(numbers.number, limits or (0.0, 1.0))
        self.note.setText(say(note, low=low, high=high))

    def brief(self, example: Example, prediction: NumberPrediction) -> str:
        return numbers.decimal(prediction.number)


def _probabilities(prediction: Any) -> Mapping[str, float]:
    """Of each class; empty where there is no such answer."""
    return prediction.probabilities if isinstance(prediction, LabelPrediction | LabelSetPrediction) else {}
