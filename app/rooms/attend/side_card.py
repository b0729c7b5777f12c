"""The right card: what the token looks at, what if, and the facts of the head."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QGridLayout, QWidget

from ...look import numbers, theme
from ...look.number_kinds import explain
from ...state.baseline_names import beside, is_earlier
from ...state.selection import Selection
from ...widgets.bar_list import Bar, BarList
from ...widgets.card import Card, Steady, label, scrolled
from ...widgets.figure_button import Provider
from ...widgets.layouts import fill, vbox
from .attentions import Attentions, Descriptions, Head, head_name, kind_name
from .compared_attentions import compared
from .what_if import WhatIfPanel

if TYPE_CHECKING:
    from bertcore.analysis.attention_heads import HeadFacts

WIDTH_PX = 304
MOST_BARS = 8
MOST_SCORES = 4


class SideCard(Card):
    """Its columns scroll where the window is low."""

    def __init__(self, figure: Provider) -> None:
        super().__init__("")
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.set_figure(figure, self.tr("what the token looks at"))
        self.set_intro(
            self.tr(
                "How much it looks at each token; together they add up to 1. Click another token above "
                "to see its numbers."
            )
        )
        self.bars = BarList(self.tr("What this token looks at"))
        explain("attention", self.bars)
        self.facts = [label("", "strong") for _ in range(4)]
        self.special = label("", "muted")  # the last fact's name: the special tokens by their own names
        self.facts_before = label("", "muted", wrap=True)  # of the baseline's head
        self.kind = label("", "muted", wrap=True)
        self.what_if = WhatIfPanel()
        self.head_title = label("", "title")
        self.row: np.ndarray | None = None  # (U) what is drawn as bars
        inside = QWidget()
        layout = vbox(self.bars, 10, parent=inside, gap_px=6, margins=(0, 0, theme.px(4), 0))
        fill(layout, label(self.tr("What if"), "title"), self.what_if, 10)
        fill(layout, self.head_title, Steady(self._build_facts()), self.facts_before, Steady(self.kind))
        note = self.tr("These are averages over all tokens; “from A to B” is the average over the tokens of A.")
        fill(layout, label(note, "muted", wrap=True), None)
        self.body.addWidget(scrolled(inside), 1)

    def show_head(self, attentions: Attentions, selection: Selection, descriptions: Descriptions) -> None:
        """The facts of the head, its kind, and the scores behind it, best first. descriptions: empty until computed."""
        reading, spot = attentions.reading, (selection.layer, selection.head)
        special = ", ".join(reading.special_names) or self.tr("special tokens")
        self.special.setText(self.tr("on {tokens}").format(tokens=special))
        self.head_title.setText(self.tr("This head · off") if spot in attentions.off else self.tr("This head"))
        self._show_facts_before(attentions, spot)
        described = descriptions.get(spot)
        self._show_facts(attentions, selection, None if described is None else described.facts)
        if described is None:
            self.kind.setText(self.tr("kind: …\nscores: …"))  # it keeps its place
            self.kind.setToolTip("")
            return
        kind = described.kind
        scores = sorted(kind.scores.items(), key=lambda item: -item[1])
        listed = [f"{kind_name(name, reading)} {numbers.decimal(score)}" for name, score in scores]
        text = self.tr("kind: {kind}\nscores: {scores}")
        self.kind.setText(text.format(kind=kind_name(kind.kind, reading), scores=", ".join(listed[:MOST_SCORES])))
        self.kind.setToolTip("\n".join(listed))

    def show_row(self, attentions: Attentions, selection: Selection, column: int | None) -> None:
        """What the token on show looks at. column: that is asked about."""
        self.what_if.show_selection(attentions, selection, column)
        units, position = attentions.units, selection.position
        row = units.unit_of(position)
        self.set_title(attentions.reading.shown_tokens[position] if row is None else units.labels[row])
        self.bars.setVisible(row is not None)
        if row is None:
            self.row = None
            self.set_hint(self.tr("is left out of this view"))
            return
        head = head_name(selection.layer, selection.head)
        self.set_hint(self.tr("in head {head}, token {position} looks at").format(head=head, position=position))
        self.row = attentions.weights(selection.layer, selection.head)[row]  # (U)
        both, before = compared(attentions), None
        if both is not None and not both.problem:
            before = both.before(selection.layer, selection.head)[row]
        order = np.argsort(-self.row, kind="stable")[:MOST_BARS].tolist()
        highest = float(self.row[order[0]]) or 1.0
        digits = 2 if highest >= 0.1 else 3
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
        kinds = ("entropy", "distance", "a_to_b", "special")
        names = [
            label(text, "muted") for text in (self.tr("entropy"), self.tr("mean distance"), self.tr("from A to B"))
        ]
        for line, (name, value, kind) in enumerate(zip([*names, self.special], self.facts, kinds, strict=True)):
            explain(kind, name, value)
            grid.addWidget(name, line, 0)
            grid.addWidget(value, line, 1)
        grid.setColumnStretch(1, 1)
        return made

    def _show_facts(self, attentions: Attentions, selection: Selection, facts: HeadFacts | None) -> None:
        """Where they are not known yet: at once in a short text, in a long one as soon as they are."""
        from bertcore.analysis.attention_heads import head_facts

        if facts is None and attentions.is_small:
            facts = head_facts(attentions.weights(selection.layer, selection.head), attentions.encoding)
        texts = ["…"] * len(self.facts) if facts is None else self._fact_texts(attentions, facts)
        for value, text in zip(self.facts, texts, strict=True):
            value.setText(text)

    def _show_facts_before(self, attentions: Attentions, spot: Head) -> None:
        """The same of this head in the baseline, where that has it and the text is short."""
        from bertcore.analysis.attention_heads import head_facts

        both = compared(attentions)
        is_shown = both is not None and not both.problem and attentions.is_small and len(both.theirs.units) > 0
        self.facts_before.setVisible(is_shown)
        if both is None or not is_shown:
            return
        facts = head_facts(both.theirs.weights(*spot), both.theirs.encoding)
        entropy, distance, a_to_b, special = self._fact_texts(both.theirs, facts)
        text = self.tr(
            "With {baseline}: entropy {entropy}, mean distance {distance}, A to B {a_to_b}, on {on} {special}."
        )
        self.facts_before.setText(
            text.format(
                baseline=both.name,
                entropy=entropy,
                distance=distance,
                a_to_b=a_to_b,
                on=", ".join(both.theirs.reading.special_names) or self.tr("special tokens"),
                special=special,
            )
        )

    def _fact_texts(self, attentions: Attentions, facts: HeadFacts) -> list[str]:
        view, distance = attentions.token_view, numbers.decimal(facts.mean_distance_tokens, 1)
        words = self.tr("{distance} words") if view.words else self.tr("{distance} tokens")
        return [
            numbers.entropy(facts.entropy_nats),
            words.format(distance=distance),
            self.tr("no B") if facts.a_to_b is None else numbers.decimal(facts.a_to_b),
            numbers.decimal(facts.on_special) if view.specials else self.tr("left out"),
        ]
