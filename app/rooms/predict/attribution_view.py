"""Which words decided: each token's share in one prediction, by three methods side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError

from ...compute.head_questions import HeadTarget, mask_at, own_target, targets_of, why_no_target
from ...compute.word_questions import attribution_of
from ...figures.figure import Figure, numbers_of
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.readings import Reading
from ...state.selection import NO_CONTRAST, Selection
from ...widgets.card import GAP_PX, label, tip
from ...widgets.charts.tokens import SharesCard
from ...widgets.contrast_fields import ContrastFields
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox
from .predict_sentences import mask_name, share_unit, shares_note, shares_summary
from .view import PredictView, scrolled_column

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution, Method

    from ...compute.question import Question

FIELDS_PX = 330
LEAST_PX = 150  # where the window is lower, the whole room scrolls
METHODS: dict[Method, tuple[str, str]] = {
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
PLACES = {"classify": mark("Class"), "tag": mark("Tag"), "span": mark("Answer")}  # heads with several answers


class AttributionView(PredictView):
    """The prediction to ask about on top, a card for each method below."""

    def __init__(self) -> None:
        super().__init__()
        self.cards: dict[Method, MethodCard] = {method: MethodCard(*METHODS[method]) for method in METHODS}
        self.questions_by_method: dict[Method, Question[Attribution]] = {
            method: self.add_question(card.show_attribution, card.line) for method, card in self.cards.items()
        }
        self.place = Choice(say("The mask or output head to explain"))
        self.word = Choice(say("The word, class or tag to explain"))
        self._groups: list[tuple[str, list[HeadTarget]]] = []  # name and predictions of each place
        self._picked: HeadTarget | None = None  # what the person chose
        self._own: HeadTarget | None = None  # what the person typed
        self.fields = ContrastFields()
        self._clicked: int | None = None  # the token that was clicked last, as far as it was followed
        self.note = label("", "muted", wrap=True)
        self._lay_out()
        self.fields.edited.connect(self.contrast_edited)
        self.place.activated.connect(lambda index: self._pick(self._groups[index][1][0]))
        self.word.activated.connect(lambda index: self._pick(self._groups[self.place.currentIndex()][1][index]))
        for card in self.cards.values():
            card.tokens.clicked.connect(self.click_unit)
            card.tokens.hovered.connect(self.hover_unit)
            self.add_token_menu(card.tokens)
            card.hover_text_changed.connect(self.hover_text_changed)
            card.set_figure(partial(self._figure, card))

    def _lay_out(self) -> None:
        for choice in (self.place, self.word):
            choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.fields.setMaximumWidth(theme.px(FIELDS_PX))
        why = label(say("Why this prediction:"), "muted")
        self.column.addLayout(hbox(why, self.place, self.word, self.fields, None, gap_px=8))
        first, *others = self.cards.values()
        beside = QWidget()
        hbox(*((card, 1) for card in others), parent=beside, gap_px=GAP_PX)
        folded = folded_on_projector(beside, say("Other methods"))
        fill(self.column, (hbox((first, 1), (folded, len(others)), gap_px=GAP_PX), 1), self.note)
        self.note.setHidden(theme.is_projector())  # then it is the tool tip of the colours

    @property
    def target(self) -> HeadTarget | None:
        """What is asked about."""
        return self._groups[self.place.currentIndex()][1][self.word.currentIndex()] if self._groups else None

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._clicked = selection.pinned
        self._find_targets(reading, selection)
        if self._groups:
            self.show_content()
            self._show_targets()
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
        self._show_targets()
        self._ask(reading)

    def _find_targets(self, reading: Reading, selection: Selection) -> None:
        """What can be asked about; the words that were typed come first."""
        first_word = min(1, len(reading.encoding) - 1)
        position = first_word if selection.pinned is None else selection.pinned
        self._groups = grouped_targets(reading.plain, position, reading.other_text)
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

    def _show_targets(self) -> None:
        """What the person chose stays where it is still there, or its head; else the mask that is looked at."""
        groups = [[one.target for one in targets] for _, targets in self._groups]
        picked, place, word = self._own or self._picked, min(self.mask_number, len(groups) - 1), 0
        if picked is not None:
            heads = [group[0].head for group in groups]
            found = [(i, group.index(picked.target)) for i, group in enumerate(groups) if picked.target in group]
            if picked.target.head != "mlm" and picked.target.head in heads:
                found.append((heads.index(picked.target.head), 0))
            place, word = next(iter(found), (place, word))
        words = [target.label + target.note for target in self._groups[place][1]]
        _show_items(self.place, [name for name, _ in self._groups], place)
        _show_items(self.word, words, word)
        self.word.setVisible(len(words) > 1)

    def _show_current(self, reading: Reading, selection: Selection) -> None:
        for card in self.cards.values():
            card.tokens.select(selection.units(reading).unit_of(selection.position))

    def _ask(self, reading: Reading) -> None:
        target = self.target
        if target is None:
            return
        note = shares_note(target, reading)
        self.note.setText(note)
        plain, units = reading.plain.request, self.selection.units(reading)
        for method, card in self.cards.items():
            if theme.is_projector():
                card.scale.setToolTip(tip(note))
            question = self.questions_by_method[method]
            question.ask_model(plain.model, attribution_of, plain.model_input, target, method, pause_ms=self.pause_ms)
            card.units, card.target = units, target
            card.show_attribution(question.answer)

    def _picked_position(self) -> int | None:
        """Of the mask that a person chose in the list."""
        target = None if self._picked is None else self._picked.target
        return target.position if target is not None and target.head == "mlm" else None

    def _pick(self, target: HeadTarget) -> None:
        """By hand, in place of the words that were typed."""
        if target == self._own:
            return
        self._picked, self._own = target, None
        if self.reading is not None:
            self._show_targets()
            self._ask(self.reading)
        self.contrast_edited.emit(NO_CONTRAST)

    def _figure(self, card: MethodCard) -> Figure | None:
        target, units = card.target, card.units
        if card.attribution is None or units is None or target is None:
            return None
        unit = share_unit(target)
        of = say("of “{word}” at {position}") if target.target.head == "mlm" else say("of “{word}”")
        of = target.label if target.is_contrast else of.format(word=target.label, position=target.target.position)
        arrays = {unit: numbers_of("token", units.labels, np.array(card.scores))}
        summary = card.summary.text().replace("\n", " ")  # stands in the caption, which goes with the numbers, too
        pictures = [card.tokens, card.scale]
        return self.figure(card.title, pictures, arrays, hint=f"{of} · {unit}", settings=summary, plain=True)


class MethodCard(SharesCard):
    """The shares by one method, and what they add up to."""

    hover_text_changed = Signal(str)

    def __init__(self, name: str, meaning: str) -> None:
        super().__init__(say(name), say("{method}: share of each token", method=say(name)), say(meaning))
        self.target: HeadTarget | None = None  # the prediction that they have a share in
        self.summary = label("", "muted", wrap=True)
        area = scrolled_column(self.tokens, self.summary, least_px=LEAST_PX)
        fill(self.body, self.scale, self.line, (area, 1))
        self.tokens.hovered.connect(self._on_tokens_hovered)

    def show_attribution(self, attribution: Attribution | None) -> None:
        super().show_attribution(attribution)
        self.summary.setVisible(attribution is not None)
        self.summary.setText(
            "" if attribution is None or self.target is None else shares_summary(self.target, attribution)
        )

    def _on_tokens_hovered(self, unit: int | None) -> None:
        text = ""
        if unit is not None and unit < len(self.scores) and self.target is not None:
            is_plain = self.target.is_score or not numbers.is_technical()
            text = say("{token}: {value} · {method}") if is_plain else say("{token}: {value} nats · {method}")
            value = numbers.signed(self.scores[unit], 5)
            text = text.format(token=self.tokens.tokens[unit].token, value=value, method=self.title)
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
            groups.append((say(PLACES[head]) if head in PLACES else targets[0].label, targets))
    return groups


def _show_items(choice: Choice, items: list[str], index: int) -> None:
    """Fills a list where it is another one, so that an open one stays."""
    if items != [choice.itemText(i) for i in range(choice.count())]:
        choice.clear()
        choice.addItems(items)
    choice.setCurrentIndex(index)
