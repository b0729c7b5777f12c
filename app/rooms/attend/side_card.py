"""The right card: what the token looks at, what if, and the facts of the head."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QGridLayout, QWidget

from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside, is_earlier
from ...state.selection import Selection
from ...widgets.card import Card, Steady, label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.figure_button import Provider
from ...widgets.layouts import fill, vbox
from .attentions import Attentions, Descriptions, Head, head_name, kind_name
from .compared_attentions import compared
from .view import PictureRow
from .what_if import WhatIfPanel

if TYPE_CHECKING:
    from bertcore.analysis.attention_heads import HeadFacts

WIDTH_PX = 304
MOST_BARS = 8
FACTS = ("entropy", "distance", "a_to_b", "special")  # averages over all tokens, or over those of A; kinds of numbers


class SideCard(Card):
    """Its columns scroll where the window is low."""

    def __init__(self, figure: Provider) -> None:
        super().__init__("")
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.set_figure(figure, say("what the token looks at"))
        self.bars = BarList(say("What this token looks at"))
        explain("attention", self.bars)
        self.facts = [label("", "strong") for _ in FACTS]
        self.facts_before = [label("", "muted") for _ in FACTS]  # of the baseline's head
        self._fact_names = [label("", "muted") for _ in FACTS]
        self.kind = label("", "strong", wrap=True)
        self.what_if = WhatIfPanel()
        self.head_title = label("", "title")
        self.row: np.ndarray | None = None  # (U) what is drawn as bars
        self.picture: PictureRow | None = None  # where they are not of the head
        inside = QWidget()
        layout = vbox(self.bars, 10, parent=inside, gap_px=6, margins=(0, 0, theme.px(4), 0))
        fill(layout, label(say("What if"), "title"), self.what_if, 10)
        fill(layout, self.head_title, Steady(self._build_facts()), None)
        self.body.addWidget(scrolled(inside), 1)

    def show_head(self, attentions: Attentions, selection: Selection, descriptions: Descriptions) -> None:
        """The facts of the head, and its kind with the scores behind it. descriptions: empty until computed."""
        reading, spot = attentions.reading, (selection.layer, selection.head)
        special = ", ".join(reading.special_names) or say("special tokens")
        spread = say("entropy") if numbers.is_technical() else say("looks at")
        last = say("on {tokens}", tokens=special)
        names = (spread, say("mean distance"), say("from A to B"), last)
        for name, text in zip(self._fact_names, names, strict=True):
            name.setText(text)
        title = say("Head {head} · off") if spot in attentions.off else say("Head {head}")
        self.head_title.setText(title.format(head=head_name(*spot)))
        described = descriptions.get(spot)
        self._show_facts(attentions, spot, None if described is None else described.facts)
        self._show_facts_before(attentions, spot)
        if described is None:
            self.kind.setText("…")
            self.kind.setToolTip("")
            return
        scores = sorted(described.kind.scores.items(), key=lambda item: -item[1])
        self.kind.setText(kind_name(described.kind.kind, reading))
        listed = (f"{kind_name(name, reading)} {numbers.percent(score)}" for name, score in scores)
        self.kind.setToolTip("\n".join(listed))

    def show_row(
        self, attentions: Attentions, selection: Selection, column: int | None, picture: PictureRow | None = None
    ) -> None:
        """What the token on show looks at. column: that is asked about. picture: what the large one says of it, where
        that is of several heads or layers."""
        self.what_if.show_selection(attentions, selection, column)
        self.picture = picture
        explain("attention" if picture is None else picture.kind, self.bars)
        usual = say("The weights add up to 1. Click a token above for its numbers.")
        why = attentions.why_no_effect(selection.layer, selection.head)
        intro = (why or usual) if picture is None else picture.about
        if intro != self.intro:  # not at each move of the mouse
            self.set_intro(intro)
        units, position = attentions.units, selection.position
        row = units.unit_of(position)
        token = attentions.reading.shown_tokens[position] if row is None else units.labels[row]
        self.set_title(f"{token} ({position})")
        self.bars.setVisible(row is not None)
        if row is None:
            self.row = None
            self.set_hint(say("is left out of this view"))
            return
        head = head_name(selection.layer, selection.head)
        of_head = say("where it looks in head {head}", head=head)
        self.set_hint(of_head if picture is None else picture.hint)
        self.row = attentions.weights(selection.layer, selection.head)[row] if picture is None else picture.values
        if self.row is None:
            self.bars.set_bars([])
            return
        both, before = compared(attentions), None
        if picture is None and both is not None and not both.problem:
            before = both.before(selection.layer, selection.head)[row]
        order = np.argsort(-self.row, kind="stable")[:MOST_BARS].tolist()
        highest = float(self.row[order[0]]) or 1.0
        digits = 2 if 0.1 <= highest < 0.995 else 3
        self.bars.set_bars([self._bar(attentions, i, highest, digits, before) for i in order])

    def _bar(self, attentions: Attentions, unit: int, highest: float, digits: int, before: np.ndarray | None) -> Bar:
        """before (U): in the baseline, NaN where that has no such unit."""
        assert self.row is not None
        weight, mark = float(self.row[unit]), ""
        if before is not None and not np.isnan(before[unit]):
            mark = beside(numbers.decimal(float(before[unit]), digits), is_earlier(attentions.reading))
        name, note = attentions.units.labels[unit], str(attentions.units.first_positions[unit])
        return Bar(name, numbers.decimal(weight, digits), weight / highest, "bar_strong", note=note, mark=mark)

    def _build_facts(self) -> QWidget:
        made = QWidget()
        grid = QGridLayout(made)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(theme.px(6))
        grid.setHorizontalSpacing(theme.px(6))
        for line, kind in enumerate(FACTS):
            row = (self._fact_names[line], self.facts[line], self.facts_before[line])
            explain(kind, *row)
            for column, widget in enumerate(row):
                grid.addWidget(widget, line, column)
        grid.addWidget(label(say("kind"), "muted"), len(FACTS), 0)
        grid.addWidget(self.kind, len(FACTS), 1, 1, 2)
        grid.setColumnStretch(2, 1)
        return made

    def _show_facts(self, attentions: Attentions, spot: Head, facts: HeadFacts | None) -> None:
        """Where they are not known yet: at once in a short text, in a long one as soon as they are."""
        from bertcore.analysis.attention_heads import head_facts

        if facts is None and attentions.is_small:
            facts = head_facts(attentions.weights(*spot), attentions.encoding)
        texts = ["…"] * len(self.facts) if facts is None else self._fact_texts(attentions, facts)
        for value, text in zip(self.facts, texts, strict=True):
            value.setText(text)
        has_b = attentions.encoding.text_b is not None
        for widget in (part[FACTS.index("a_to_b")] for part in (self._fact_names, self.facts, self.facts_before)):
            widget.setVisible(has_b)

    def _show_facts_before(self, attentions: Attentions, spot: Head) -> None:
        """The same of this head in the baseline, where that has it and the text is short."""
        from bertcore.analysis.attention_heads import head_facts

        both = compared(attentions)
        is_known = both is not None and not both.problem and attentions.is_small and len(both.baseline.units) > 0
        texts = [""] * len(FACTS)
        if both is not None and is_known:
            facts = head_facts(both.baseline.weights(*spot), both.baseline.encoding)
            texts = self._short_fact_texts(both.baseline, facts)
        for value, text in zip(self.facts_before, texts, strict=True):
            value.setText(beside(text, is_earlier(attentions.reading)) if text else "")

    def _short_fact_texts(self, attentions: Attentions, facts: HeadFacts) -> list[str]:
        """Without units; empty for what there is not."""
        nats = facts.entropy_nats
        return [
            numbers.decimal(nats) if numbers.is_technical() else numbers.decimal(math.exp(nats), 1),
            numbers.decimal(facts.mean_distance_tokens, 1),
            "" if facts.a_to_b is None else numbers.decimal(facts.a_to_b),
            numbers.decimal(facts.on_special) if attentions.token_view.specials else "",
        ]

    def _fact_texts(self, attentions: Attentions, facts: HeadFacts) -> list[str]:
        view, distance = attentions.token_view, numbers.decimal(facts.mean_distance_tokens, 1)
        words = say("{distance} words") if view.words else say("{distance} tokens")
        return [
            numbers.entropy(facts.entropy_nats),
            words.format(distance=distance),
            "" if facts.a_to_b is None else numbers.decimal(facts.a_to_b),
            numbers.decimal(facts.on_special) if view.specials else say("left out"),
        ]
