"""Which words decided: each token's share in one prediction, by three methods side by side."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError

from ...compute.head_questions import HeadTarget, mask_at, odds, own_target, targets_of, why_no_target
from ...compute.word_questions import attribution_of
from ...figures.figure import Figure, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...state.contrast import NO_CONTRAST
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, label, tip
from ...widgets.charts.raster import ColorBar
from ...widgets.contrast_fields import ContrastFields
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.heat_tokens import HeatToken, HeatTokens
from ...widgets.layouts import fill, hbox
from ...widgets.progress_line import ProgressLine
from .view import PredictView, mask_name, mask_token, scrolled_column

if TYPE_CHECKING:
    from bertcore.analysis.attribution import Attribution, Method

    from ...compute.question import Question
    from ...state.token_units import Units
FIELDS_PX = 330
LEAST_PX = 150  # where the window is lower, the whole room scrolls
METHOD_TEXTS: dict[Method, tuple[str, str]] = {
    "integrated_gradients": (
        mark("Integrated gradients"),
        mark("Starts with every word masked and brings them all back, little by little: how much does each word add?"),
    ),
    "gradient_x_input": (
        mark("Gradient × input"),
        mark("A quick estimate: if this word counted a little less, how much less likely would the answer be?"),
    ),
    "leave_one_out": (
        mark("Leave one out"),
        mark("Masks one word at a time: how much less likely is the answer without it?"),
    ),
}

PLACES = {  # heads that have several answers to ask about
    "classify": mark("Class"),
    "tag": mark("Tag"),
    "span": mark("Answer"),
}


class AttributionView(PredictView):
    """The prediction to ask about on top, a card for each method below."""

    def __init__(self) -> None:
        super().__init__()
        self.cards: dict[Method, MethodCard] = {method: MethodCard(method) for method in METHOD_TEXTS}
        self.questions_by_method: dict[Method, Question[Attribution]] = {
            method: self.add_question(card.show_attribution, card.line) for method, card in self.cards.items()
        }
        self.place = Choice(say("The mask or output head to explain"))
        self.word = Choice(say("The word, class or tag to explain"))
        for choice in (self.place, self.word):
            choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self._groups: list[tuple[str, list[HeadTarget]]] = []  # name and predictions of each place
        self._picked: HeadTarget | None = None  # what the person chose
        self._own: HeadTarget | None = None  # what the person typed
        self.fields = ContrastFields()
        self.fields.edited.connect(self.contrast_edited)
        self.fields.setMaximumWidth(theme.px(FIELDS_PX))
        self._clicked: int | None = None  # the token that was clicked last, as far as it was followed
        self.note = label("", "muted", wrap=True)
        self._build()
        self.place.activated.connect(self._on_place_activated)
        self.word.activated.connect(self._on_word_activated)
        for card in self.cards.values():
            card.tokens.clicked.connect(self.click_unit)
            card.tokens.hovered.connect(self.hover_unit)
            self.add_token_menu(card.tokens)
            card.hover_text_changed.connect(self.hover_text_changed)

    @property
    def target(self) -> HeadTarget | None:
        """What is asked about."""
        return self._groups[self.place.currentIndex()][1][self.word.currentIndex()] if self._groups else None

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._clicked = selection.pinned
        self._find_targets(reading, selection)
        if self._groups:
            self.show_content()
            self._fill_places()
            self._ask(reading)
            self._show_current(reading, selection)
        elif "mlm" in reading.request.model.output_heads:
            self.check_masks(reading)
        else:
            self.show_nothing(say("No predictions"), why_no_target(reading))

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another mask, or another token with a tag of its own, may have been clicked."""
        self._show_current(reading, selection)
        clicked = selection.pinned
        if clicked == self._clicked or not self._groups:  # the mouse alone has moved: what was chosen stays
            return
        self._clicked = clicked
        if clicked in [mask.position for mask in self.masks] and self._picked_position() != clicked:
            self._picked = None
        self._find_targets(reading, selection)
        self._fill_places()
        self._ask(reading)

    def _find_targets(self, reading: Reading, selection: Selection) -> None:
        """What can be asked about; the words that were typed come first."""
        self._groups = grouped_targets(reading.plain, _clicked_word(reading, selection), reading.other_text)
        self._own, problem = None, ""
        self.fields.setVisible(bool(self.masks))
        if not self.masks:
            return
        mask = mask_at(reading.plain, self._picked_position() or self.masks[self.mask_number].position)
        assert mask is not None
        try:
            self._own = own = own_target(reading.plain, mask.position, selection.contrast)
        except BertcoreError as error:
            own, problem = None, str(error)
        if own is not None:
            targets = self._groups[[one.position for one in reading.plain.masks].index(mask.position)][1]
            targets[:] = [own, *(one for one in targets if one.target != own.target)]
        self.fields.show_contrast(selection.contrast, (mask.words[0].token, ""), problem)

    def _show_current(self, reading: Reading, selection: Selection) -> None:
        for card in self.cards.values():
            card.tokens.set_current(selection.units(reading).unit_of(selection.position))

    def _ask(self, reading: Reading) -> None:
        target = self.target
        if target is None:
            return
        first, second = target.answers
        if target.is_score:
            unit = say("Change in the score.")
        elif target.is_contrast and numbers.is_technical():
            unit = say("Change in ln p of “{first}” − ln p of “{second}”, in nats.")
            unit = unit.format(first=first, second=second)
        elif target.is_contrast:
            unit = say("+0.7 on a word: it doubles the odds of “{first}” against “{second}”; −0.7 halves them.")
            unit = unit.format(first=first, second=second)
        elif numbers.is_technical():
            unit = say("Change in the log-probability (ln p), in nats: +1 nat makes it 2.7 times as likely.")
        else:
            unit = say("+0.7 on a word: it makes the answer about twice as likely; −0.7: half as likely.")
        colors = say("Each card has its own scale, symmetric around 0.")
        note = f"{unit} {colors}"
        if reading.masks:
            masked = say("A {mask} is hidden already, so two of the methods give it 0.")
            note = f"{note} {masked.format(mask=mask_token(reading))}"
        if reading.unchanged is not None:
            note += " " + say("Computed for the model without your changes.")
        self.note.setText(note)
        if theme.is_projector():
            for card in self.cards.values():
                card.scale.setToolTip(tip(note))
        plain, units = reading.plain.request, self.selection.units(reading)
        for method, card in self.cards.items():
            question = self.questions_by_method[method]
            question.ask_model(plain.model, attribution_of, plain.model_input, target, method, pause_ms=self.pause_ms)
            card.set_units(units, target)
            card.show_attribution(question.answer)

    def _fill_places(self) -> None:
        """What the person chose stays where it is still there, or its head; else the mask that is looked at."""
        names = [name for name, _ in self._groups]
        if names != [self.place.itemText(i) for i in range(self.place.count())]:
            self.place.clear()
            self.place.addItems(names)
        picked, groups = self._own or self._picked, [[one.target for one in targets] for _, targets in self._groups]
        place, word = min(self.mask_number, len(names) - 1), 0
        if picked is not None:
            heads = [group[0].head for group in groups]
            found = [(i, group.index(picked.target)) for i, group in enumerate(groups) if picked.target in group]
            if picked.target.head != "mlm" and picked.target.head in heads:
                found.append((heads.index(picked.target.head), 0))
            place, word = next(iter(found), (place, word))
        self.place.setCurrentIndex(place)
        self._fill_words(word)

    def _picked_position(self) -> int | None:
        """Of the mask that a person chose in the list."""
        target = None if self._picked is None else self._picked.target
        return target.position if target is not None and target.head == "mlm" else None

    def _fill_words(self, index: int) -> None:
        words = [target.label + target.note for target in self._groups[self.place.currentIndex()][1]]
        if words != [self.word.itemText(i) for i in range(self.word.count())]:
            self.word.clear()
            self.word.addItems(words)
        self.word.setCurrentIndex(index)
        self.word.setVisible(len(words) > 1)

    def _build(self) -> None:
        why = label(say("Why this prediction:"), "muted")
        self.column.addLayout(hbox(why, self.place, self.word, self.fields, None, gap_px=8))
        row = hbox(gap_px=GAP_PX)
        first, *others = self.cards.values()
        for card in self.cards.values():
            card.set_figure(partial(self._figure, card))
        beside = QWidget()
        hbox(*((card, 1) for card in others), parent=beside, gap_px=GAP_PX)
        fill(row, (first, 1), (folded_on_projector(beside, say("Other methods")), len(others)))
        self.column.addLayout(row, 1)
        self.column.addWidget(self.note)
        if theme.is_projector():  # then it is the tool tip of the colours
            self.note.hide()

    def _figure(self, card: MethodCard) -> Figure | None:
        if card.attribution is None or card.units is None or card.target is None:
            return None
        target, unit = card.target, self._unit(card.target)
        arrays = {unit: numbers_of("token", card.units.labels, np.array(card.scores))}
        of = say("of “{word}” at {position}") if target.target.head == "mlm" else say("of “{word}”")
        of = of.format(word=target.label, position=target.target.position)
        hint = f"{target.label if target.is_contrast else of} · {unit}"
        summary = card.summary.text().replace("\n", " ")  # stands in the caption, which goes with the numbers, too
        return self.figure(card.title, [card.tokens, card.scale], arrays, hint=hint, settings=summary, plain=True)

    def _unit(self, target: HeadTarget) -> str:
        if target.is_contrast:
            return say("share of the log odds, in nats")
        return say("share of the score") if target.is_score else say("share of the log-probability, in nats")

    def _on_place_activated(self, index: int) -> None:
        self._fill_words(0)
        self._pick(self._groups[index][1][0])

    def _on_word_activated(self, index: int) -> None:
        self._pick(self._groups[self.place.currentIndex()][1][index])

    def _pick(self, target: HeadTarget) -> None:
        """By hand, in place of the words that were typed."""
        if target == self._own:
            return
        self._picked, self._own = target, None
        if self.reading is not None:
            self._ask(self.reading)
        self.contrast_edited.emit(NO_CONTRAST)


class MethodCard(Card):
    """The text, each token as strongly coloured as its share, and what the shares add up to."""

    hover_text_changed = Signal(str)

    def __init__(self, method: Method) -> None:
        name, meaning = (say(text) for text in METHOD_TEXTS[method])
        super().__init__(name, intro=meaning)
        self.units: Units | None = None
        self.target: HeadTarget | None = None
        self.attribution: Attribution | None = None
        self.scores: list[float] = []  # (U) as they are shown
        self.line = ProgressLine()
        self.tokens = HeatTokens(say("{method}: share of each token", method=name), signed=True)
        self.summary = label("", "muted", wrap=True)
        self.scale = ColorBar(signed=True, width_px=180)
        explain("share", self.tokens, self.scale)
        area = scrolled_column(self.tokens, self.summary, least_px=LEAST_PX)
        fill(self.body, self.scale, self.line, (area, 1))
        self.tokens.hovered.connect(self._on_tokens_hovered)

    def set_units(self, units: Units, target: HeadTarget) -> None:
        """What is coloured: tokens or words; target: the prediction that they have a share in."""
        self.units, self.target = units, target

    def show_attribution(self, attribution: Attribution | None) -> None:
        """None: not known yet."""
        self.attribution, units = attribution, self.units
        if units is None:
            return
        for widget in (self.summary, self.scale):
            widget.setVisible(attribution is not None)
        self.scores = [] if attribution is None else units.sums(attribution.scores).tolist()  # (U)
        limit = max((abs(score) for score in self.scores), default=0.0) or 1.0
        digits = 2 if limit >= 0.1 else 4
        self.scale.set_range(-limit, limit)
        self.tokens.set_tokens(
            [
                HeatToken(
                    token,
                    self.scores[i] / limit if self.scores else None,
                    numbers.signed(self.scores[i], digits) if self.scores else "",
                    is_quiet=units.kinds[i] == "special",
                )
                for i, token in enumerate(units.labels)
            ]
        )
        self.summary.setText("" if attribution is None else self._summary(attribution))

    def _summary(self, found: Attribution) -> str:
        """What the shares add up to, and how far the sum is from what it should be."""
        is_score = self.target is not None and self.target.is_score
        is_contrast = self.target is not None and self.target.is_contrast
        if not is_score and not numbers.is_technical():
            return self._plain_summary(found)
        if found.baseline is None or found.completeness_error is None:
            sentence = (
                say("Score with this text: {value}.")
                if is_score
                else say("Log odds with this text: {value} nats.")
                if is_contrast
                else say("Log-probability with this text: {value} nats.")
            )
            return sentence.format(value=numbers.signed(found.value, 3))
        change, error = found.value - found.baseline, numbers.signed(found.completeness_error, 4)
        if change:
            share = abs(found.completeness_error / change)
            error = say("{error} ({share} of it)", error=error, share=numbers.percent(share))
        if is_score:
            begin = say("Score: {value} with this text, {baseline} with every word masked.")
        elif is_contrast:
            begin = say("Log odds: {value} nats with this text, {baseline} with every word masked.")
        else:
            begin = say("Log-probability: {value} nats with this text, {baseline} with every word masked.")
        sum_ = say(
            "The tokens’ shares add up to {sum}, the change is {change}: completeness error {error}.",
            sum=numbers.signed(float(found.scores.sum()), 3),
            change=numbers.signed(change, 3),
            error=error,
        )
        baseline = numbers.signed(found.baseline, 3)
        return f"{begin.format(value=numbers.signed(found.value, 3), baseline=baseline)} {sum_}"

    def _plain_summary(self, found: Attribution) -> str:
        """The same as probabilities, or odds."""
        if self.target is not None and self.target.is_contrast:
            now = odds(self.target, found.value)
            if found.baseline is None:
                return say("With this text {now}.", now=now)
            return say(
                "With this text {now}; with every word masked {then}. The numbers show how much each word adds to the "
                "difference.",
                now=now,
                then=odds(self.target, found.baseline),
            )
        now = numbers.percent(math.exp(found.value), fine=found.baseline is not None)
        if found.baseline is None:
            return say("Probability with this text: {now}.", now=now)
        return say(
            "Probability: {now} with this text, {then} with every word masked. The numbers show how much each word "
            "adds to the difference.",
            now=now,
            then=numbers.percent(math.exp(found.baseline), fine=True),
        )

    def _on_tokens_hovered(self, unit: int | None) -> None:
        text = ""
        if unit is not None and unit < len(self.scores):
            is_score = self.target is not None and self.target.is_score
            is_plain = is_score or not numbers.is_technical()
            text = say("{token}: {value} · {method}") if is_plain else say("{token}: {value} nats · {method}")
            text = text.format(
                token=self.tokens.tokens[unit].token,
                value=numbers.signed(self.scores[unit], 5),
                method=self.title,
            )
        self.hover_text_changed.emit(text)


def grouped_targets(
    reading: Reading, position: int, other: Reading | None = None
) -> list[tuple[str, list[HeadTarget]]]:
    """What can be asked about, by place: masks with their words, heads with their answers, tags of `position`."""
    groups: list[tuple[str, list[HeadTarget]]] = []
    for mask in reading.masks:
        words = {word.id: word for word in (*mask.words, *([mask.was] if mask.was else []))}
        targets = [HeadTarget(word.token, Target("mlm", word.id, mask.position)) for word in words.values()]
        groups.append((mask_name(reading, mask), targets))
    by_head: dict[str, list[HeadTarget]] = {}
    for target in targets_of(reading, position, other):
        by_head.setdefault(target.target.head, []).append(target)
    for head, targets in by_head.items():
        if head != "mlm":
            name = say(PLACES[head]) if head in PLACES else targets[0].label
            groups.append((name, targets))
    return groups


def _clicked_word(reading: Reading, selection: Selection) -> int:
    """The token that was clicked last; before any click the first word."""
    first = min(1, len(reading.encoding) - 1)
    return first if selection.pinned is None else selection.pinned
