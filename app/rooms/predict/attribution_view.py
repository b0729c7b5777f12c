"""Which words decided: each token's share in one prediction, by three methods side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QLayout, QWidget

from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError

from ...compute.head_questions import HeadTarget, mask_at, own_target, targets_of, why_no_target
from ...compute.question import Job
from ...compute.word_questions import attribution_of
from ...figures.figure import Numbers
from ...figures.values import Values, tokens
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.selection import NO_CONTRAST
from ...widgets.card import GAP_PX, label, show_text, tip
from ...widgets.contrast_fields import ContrastFields
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import hbox, vbox
from ..pictures import Tokens
from .predict_sentences import mask_name, share_sentence, share_unit, shares_note, shares_summary
from .view import PredictView

if TYPE_CHECKING:
    from bertcore.analysis.effects import Method

    from ...state.readings import Reading
    from ...state.selection import Selection

FIELDS_PX = 330
PLACES = {"classify": mark("Class"), "tag": mark("Tag"), "span": mark("Answer")}  # heads with several answers
Group = tuple[str, list[HeadTarget]]  # a place, and the predictions there


def _method(method: Method, title: str, name: str, intro: str) -> Tokens:
    size: dict[str, Any] = {"scale_px": 180, "least_px": 150}
    return Tokens(
        key=method, title=title, name=name, intro=intro, number="share", asks=method, is_compared=False, **size
    )


class AttributionView(PredictView):
    """The prediction to ask about on top, a card for each method below."""

    pictures = (
        _method(
            "integrated_gradients",
            mark("Integrated gradients"),
            mark("Integrated gradients: share of each token"),
            mark(
                "Starts with every word masked and brings them all back, little by little: how much does each word add?"
            ),
        ),
        _method(
            "gradient_x_input",
            mark("Gradient × input"),
            mark("Gradient × input: share of each token"),
            mark("A quick estimate: if this word counted a little less, how much less likely would the answer be?"),
        ),
        _method(
            "leave_one_out",
            mark("Leave one out"),
            mark("Leave one out: share of each token"),
            mark("Masks one word at a time: how much less likely is the answer without it?"),
        ),
    )
    groups: tuple[Group, ...] = ()
    _picked: HeadTarget | None = None  # what a person chose
    _own: HeadTarget | None = None  # what a person typed
    _clicked: int | None = None  # the token that was clicked last, as far as it was followed

    def lay_out(self) -> QLayout:
        self.place = Choice(say("The mask or output head to explain"))
        self.word = Choice(say("The word, class or tag to explain"))
        for choice in (self.place, self.word):
            choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.place.activated.connect(lambda index: self._pick(self.groups[index][1][0]))
        self.word.activated.connect(lambda index: self._pick(self.groups[self.place.currentIndex()][1][index]))
        self.fields, self.note = ContrastFields(), label("", "muted", wrap=True)
        self.fields.setMaximumWidth(theme.px(FIELDS_PX))
        self.fields.edited.connect(self.contrast_edited)
        self.summaries = {key: label("", "muted", wrap=True) for key in self.cards}
        for key, card in self.cards.items():
            self.columns[key].addWidget(self.summaries[key])
            card.body.insertWidget(1, self.own_line(self.asked[key]))
        first, *others = self.cards.values()
        beside = QWidget()
        hbox(*((card, 1) for card in others), parent=beside, gap_px=GAP_PX)
        folded = folded_on_projector(beside, say("Other methods"))
        top = hbox(label(say("Why this prediction:"), "muted"), self.place, self.word, self.fields, None, gap_px=8)
        self.note.setHidden(theme.is_projector())  # then it is the tool tip of the colours
        return vbox(top, (hbox((first, 1), (folded, len(others)), gap_px=GAP_PX), 1), self.note, gap_px=GAP_PX)

    @property
    def target(self) -> HeadTarget | None:
        """What is asked about."""
        return self.groups[self.place.currentIndex()][1][self.word.currentIndex()] if self.groups else None

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        if self.groups or "mlm" in reading.request.model.output_heads:
            return None if self.groups else super().nothing(reading, selection)
        self.offer_mask(reading, selection)
        return say("No predictions"), why_no_target(reading)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._clicked = selection.pinned
        self._find_targets(reading, selection)
        super().show_reading(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another mask, or another token with a tag of its own, may have been clicked."""
        clicked = selection.pinned
        if clicked == self._clicked or not self.groups:  # the mouse alone has moved: what was chosen stays
            super().show_selection(reading, selection)
            return
        if clicked in [mask.position for mask in self.masks] and self._picked_position != clicked:
            self._picked = None
        self.show_reading(reading, selection)

    @property
    def _picked_position(self) -> int | None:
        """Of the mask that a person chose in the list."""
        picked = None if self._picked is None else self._picked.target
        return picked.position if picked is not None and picked.head == "mlm" else None

    def _find_targets(self, reading: Reading, selection: Selection) -> None:
        """What can be asked about; the words that were typed come first."""
        plain, position = reading.plain, 1 if selection.pinned is None else selection.pinned
        groups = grouped_targets(plain, min(position, len(reading.encoding) - 1), reading.other_text)
        own, problem, at = None, "", self._picked_position
        if self.masks:
            mask = mask_at(plain, self.masks[self.mask_number].position if at is None else at)
            assert mask is not None
            try:
                own = own_target(plain, mask.position, selection.contrast)
            except BertcoreError as error:
                problem = str(error)
            if own is not None:
                targets = groups[[one.position for one in plain.masks].index(mask.position)][1]
                targets[:] = [own, *(one for one in targets if one.target != own.target)]
            self.fields.show_contrast(selection.contrast, (mask.words[0].token, ""), problem)
        self.fields.setVisible(bool(self.masks))
        self.groups, self._own = tuple(groups), own
        self._show_targets()

    def _show_targets(self) -> None:
        """What the person chose stays where it is still there, or its head; else the mask that is looked at."""
        groups = [[one.target for one in targets] for _, targets in self.groups]
        picked, place, word = self._own or self._picked, min(self.mask_number, len(groups) - 1), 0
        if picked is not None:
            heads = [group[0].head for group in groups]
            found = [(i, group.index(picked.target)) for i, group in enumerate(groups) if picked.target in group]
            if picked.target.head != "mlm" and picked.target.head in heads:
                found.append((heads.index(picked.target.head), 0))
            place, word = next(iter(found), (place, word))
        words = [target.label + target.note for target in self.groups[place][1]] if groups else []
        _show_items(self.place, [name for name, _ in self.groups], place)
        _show_items(self.word, words, word)
        self.word.setVisible(len(words) > 1)

    def _pick(self, target: HeadTarget) -> None:
        """By hand, in place of the words that were typed."""
        if target != self._own:
            self._picked, self._own = target, None
            self._show_targets()
            self.redraw()
            self.contrast_edited.emit(NO_CONTRAST)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        plain, target = reading.plain.request, self.target
        return None if target is None else Job(attribution_of, (plain.model_input, target, asks), (plain.model,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        units, found = selection.units(reading), self.answer_of(key, reading)
        if found is None:
            return Values(np.full(len(units), np.nan), tokens(units))
        shares = units.sums(found.scores)
        limit = float(np.abs(shares).max(initial=0.0)) or 1.0
        texts = [[numbers.signed(one, 2 if limit >= 0.1 else 4)] for one in shares.tolist()]
        return Values(shares, tokens(units), low=-limit, high=limit, texts=texts)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        target = self.target
        if target is None:
            return
        note = shares_note(target, reading)
        self.note.setText(note)
        for key, summary in self.summaries.items():
            found = self.answer_of(key, reading)
            show_text(summary, "" if found is None else shares_summary(target, found))
            self.scales[key].setToolTip(tip(note) if theme.is_projector() else "")

    def sentence(self, key: str, row: int, column: int | None) -> str:
        share, name = self.shown[key].array[row], self.shown[key].rows.name(row)
        is_known = self.target is not None and np.isfinite(share)
        return share_sentence(self.target, name, share, self.cards[key].title) if is_known else ""  # type: ignore[arg-type]

    def caption(self, key: str) -> dict[str, Any]:
        target, summary = self.target, self.summaries[key].text().replace("\n", " ")
        assert target is not None
        of = say("of “{word}”", word=target.label)
        if target.target.head == "mlm":
            of = say("of “{word}” at {position}", word=target.label, position=target.target.position)
        hint = f"{target.label if target.is_contrast else of} · {share_unit(target)}"
        return {"hint": hint, "settings": summary, "plain": True}

    def numbers(self, key: str) -> dict[str, Numbers]:
        return {share_unit(self.target): Numbers(self.shown[key].array, self.shown[key].axes)} if self.target else {}


def grouped_targets(reading: Reading, position: int, other: Reading | None = None) -> list[Group]:
    """What can be asked about, by place: masks with their words, heads with their answers, tags of `position`."""
    groups: list[Group] = []
    for mask in reading.masks:
        words = {word.id: word for word in (*mask.words, *([mask.was] if mask.was else []))}
        targets = [HeadTarget(word.token, Target("mlm", word.id, mask.position)) for word in words.values()]
        groups.append((mask_name(reading, mask), targets))
    by_head: dict[str, list[HeadTarget]] = {}
    for target in targets_of(reading, position, other):
        if target.target.head != "mlm":
            by_head.setdefault(target.target.head, []).append(target)
    named = (say(PLACES[head]) if head in PLACES else targets[0].label for head, targets in by_head.items())
    return [*groups, *zip(named, by_head.values(), strict=True)]


def _show_items(choice: Choice, items: list[str], index: int) -> None:
    """Fills a list where it is another one, so that an open one stays."""
    if items != [choice.itemText(i) for i in range(choice.count())]:
        choice.clear()
        choice.addItems(items)
    choice.setCurrentIndex(index)
