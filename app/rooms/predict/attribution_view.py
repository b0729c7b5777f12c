"""Which words decided: each token's share in one prediction, by two methods; with technical words three."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QLayout

from bertcore.analysis.targets import Target

from ...compute.head_questions import HeadTarget, targets_of
from ...compute.question import Job
from ...compute.word_questions import attribution_of
from ...figures.figure import Numbers
from ...figures.values import Values, tokens
from ...look import mark, numbers, say, theme
from ...state import Reading, Selection
from ...widgets.card import GAP_PX, label, show_text, tip
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox, held, vbox
from ...widgets.target_choice import TargetChoice, Targets
from ..pictures import Tokens
from .predict_sentences import agreement, share_sentence, share_unit, shares_note, shares_summary
from .view import PredictView

if TYPE_CHECKING:
    from bertcore.analysis.effects import Method

FIELDS_PX = 330
ESTIMATE: Method = "gradient_x_input"  # quick and rough: it often contradicts the others


def _method(method: Method, title: str, name: str, intro: str) -> Tokens:
    of: dict[str, Any] = {"scale_px": 180, "least_px": 150, "is_compared": False}
    of["python"] = f'm.attribute(a, b, method="{method}", target={{view.targets.target.target!r}}).scores'
    return Tokens(key=method, title=title, name=name, intro=intro, number="share", asks=method, **of)


class AttributionView(PredictView):
    """The prediction to ask about on top, a card for each method below."""

    pictures = (
        _method(
            "leave_one_out",
            mark("Leave one out"),
            mark("Leave one out: share of each token"),
            mark("Masks one word at a time: how much less likely is the answer without it?"),
        ),
        _method(
            "integrated_gradients",
            mark("Integrated gradients"),
            mark("Integrated gradients: share of each token"),
            mark(
                "Starts with every word masked and brings them all back, little by little: how much does each word add?"
            ),
        ),
        _method(
            ESTIMATE,
            mark("Gradient × input"),
            mark("Gradient × input: share of each token"),
            mark("A quick estimate: if this word counted a little less, how much less likely would the answer be?"),
        ),
    )
    _clicked: int | None = None  # the token that was clicked last, as far as it was followed

    def lay_out(self) -> QLayout:
        self.targets, self.choice = Targets(self), TargetChoice(across=True)
        self.choice.use(self.targets)
        self.choice.fields.setMaximumWidth(theme.px(FIELDS_PX))
        self.targets.chosen.connect(self.redraw)
        self.targets.contrast_edited.connect(self.contrast_edited)
        self.note, self.finding = label("", "muted", wrap=True), label("", "strong", wrap=True)
        self.summaries = {key: label("", "muted", wrap=True) for key in self.cards}
        for key, card in self.cards.items():
            self.columns[key].addWidget(self.summaries[key])
            card.body.insertWidget(1, self.own_line(self.asked[key]))
        cards: list[Any] = [(card, 1) for card in self.cards.values()]
        top = hbox(label(say("Why this prediction:"), "muted"), self.choice, None, gap_px=8)
        if theme.is_projector():
            self.note.hide()  # then it is the tool tip of the colours
            others = folding_on_projector(held(hbox(*cards[1:], gap_px=GAP_PX)), say("Other methods"))
            cards[1:] = [(others, len(cards) - 1)]
        return vbox(top, self.finding, (hbox(*cards, gap_px=GAP_PX), 1), self.note, gap_px=GAP_PX)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        if self.targets.target is not None:
            return None
        if "mlm" in reading.request.model.output_heads:
            return super().nothing(reading, selection)
        self.offer_mask(reading, selection)
        return say("No predictions"), self.targets.problem

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._clicked, clicked, plain = selection.pinned, selection.pinned, reading.plain
        position = min(1 if clicked is None else clicked, len(reading.encoding) - 1)
        at = self.masks[self.mask_number].position if self.masks else position
        targets = targets_here(plain, position, reading.other_text)
        self.targets.set_targets(plain, at, selection.contrast, targets)
        super().show_reading(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another mask, or another token with a tag of its own, may have been clicked."""
        clicked = selection.pinned
        if clicked == self._clicked:  # the mouse alone has moved: what was chosen stays
            super().show_selection(reading, selection)
            return
        if clicked in [mask.position for mask in self.masks]:
            self.targets.is_picked = False
        self.show_reading(reading, selection)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        plain, target = reading.plain.request, self.targets.target
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
        target = self.targets.target
        if target is None:
            return
        self.cards[ESTIMATE].setVisible(numbers.is_technical())
        shown = [self.shown[key] for key in self.cards if not self.cards[key].isHidden()]
        show_text(self.finding, "" if theme.is_projector() else agreement(shown))
        note = shares_note(target, reading)
        self.note.setText(note)
        for key, summary in self.summaries.items():
            found = self.answer_of(key, reading)
            show_text(summary, "" if found is None else shares_summary(target, found))
            self.scales[key].setToolTip(tip(note) if theme.is_projector() else "")

    def sentence(self, key: str, row: int, column: int | None) -> str:
        shown, target = self.shown[key], self.targets.target
        if target is None or np.isnan(shown.array[row]):
            return ""
        return share_sentence(target, shown.rows.name(row), shown.array[row], self.cards[key].title)

    def caption(self, key: str) -> dict[str, Any]:
        target, summary = self.targets.target, self.summaries[key].text().replace("\n", " ")
        assert target is not None
        hint = f"{target.label} · {share_unit(target)}"
        return {"hint": hint, "settings": summary, "plain": True}

    def numbers(self, key: str) -> dict[str, Numbers]:
        target, shown = self.targets.target, self.shown[key]
        return {} if target is None else {share_unit(target): Numbers(shown.array, shown.axes)}


def targets_here(reading: Reading, position: int, other: Reading | None = None) -> list[HeadTarget]:
    """What can be asked about: the words at each mask, likeliest first; what other heads predict, as `targets_of`."""
    words = []
    for mask in reading.masks:
        own, own_note = mask.was, say(", the word in the text")
        for word in {word.id: word for word in (*mask.words, *([own] if own else []))}.values():
            name = say("{word} at {position}", word=word.token, position=mask.position)
            note = own_note if own is not None and word.id == own.id else ""
            words.append(HeadTarget(name, Target("mlm", word.id, mask.position), note))
    return [*words, *(one for one in targets_of(reading, position, other) if one.target.head != "mlm")]
