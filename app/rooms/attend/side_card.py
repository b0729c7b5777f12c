"""The right card: what the token looks at, what if, and the facts of the head."""

import numpy as np
from PySide6.QtWidgets import QGridLayout, QWidget

from bertcore.analysis.attention_heads import HeadFacts, head_facts

from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import Selection, head_name
from ...state.baseline_names import beside, is_earlier
from ...widgets.card import AsHighAsNeeded, Card, label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.figure_button import Provider
from ...widgets.layouts import Item, show_if, vbox
from .attend_state import AttendState
from .attentions import Attentions, Head, kind_name
from .sentences import fact_names, fact_texts
from .view import PictureRow
from .what_if import WhatIfPanel

WIDTH_PX = 304
MOST_BARS = 8
FACTS = ("entropy", "distance", "a_to_b", "special")  # averages over all tokens, or over those of A; kinds of numbers


class SideCard(Card):
    """Its columns scroll where the window is low."""

    def __init__(self, shared: AttendState, figure: Provider) -> None:
        super().__init__("")
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.set_figure(figure, say("what the token looks at"))
        self.bars = BarList(say("What this token looks at"))
        explain("attention", self.bars)
        self.what_if = WhatIfPanel(shared)
        self.head_title, self.kind = label("", "title"), label("", "strong", wrap=True)
        self.row: np.ndarray | None = None  # (U) what is drawn as bars
        self.picture: PictureRow | None = None  # where they are not of the head
        self._shared = shared
        table = QWidget()
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(theme.px(6))
        grid.setHorizontalSpacing(theme.px(6))
        self.facts = [
            tuple(label("", role, wrap=role == "muted") for role in ("muted", "strong", "muted")) for _ in FACTS
        ]
        for line, (kind, row) in enumerate(zip(FACTS, self.facts, strict=True)):
            explain(kind, *row)  # its name, its number and the baseline's
            for column, widget in enumerate(row):
                grid.addWidget(widget, line, column)
        grid.addWidget(label(say("kind"), "muted"), len(FACTS), 0)
        grid.addWidget(self.kind, len(FACTS), 1, 1, 2)
        grid.setColumnStretch(2, 1)
        facts = AsHighAsNeeded(table)
        parts: list[Item] = [self.bars, 10, label(say("What if"), "title"), self.what_if, 10, self.head_title, facts]
        inside = vbox(*parts, None, gap_px=6, margins=(0, 0, theme.px(4), 0))
        self._of_head = self.head_title, facts, self.what_if.head_off, self.what_if.row_editor
        self.body.addWidget(scrolled(inside), 1)

    def show_head(self, selection: Selection) -> None:
        """The facts of the head, and its kind with the scores behind it."""
        attentions, head = self._shared.attentions, (selection.layer, selection.head)
        if attentions is None:
            return
        title = mark("Head {head} · off") if head in attentions.off else mark("Head {head}")
        self.head_title.setText(say(title, head=head_name(*head)))
        described = self._shared.descriptions.get(head)
        facts = _facts(attentions, head) if described is None else described.facts
        self._show_facts(attentions, head, facts)
        scores = {} if described is None else described.kind.scores
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        listed = (f"{kind_name(name, attentions.reading)} {numbers.percent(score)}" for name, score in ranked)
        self.kind.setText("…" if described is None else kind_name(described.kind.kind, attentions.reading))
        self.kind.setToolTip("\n".join(listed))

    def show_row(self, selection: Selection, picture: PictureRow | None = None) -> None:
        """What the token on show looks at. picture: what the large one says of it, where that is of several heads or
        layers."""
        attentions, head, position = self._shared.attentions, (selection.layer, selection.head), selection.position
        if attentions is None:
            return
        self.what_if.show_selection(attentions, selection)
        self.picture = picture
        show_if(picture is None, *self._of_head)  # beside numbers of several heads they are taken for theirs
        usual = say("The weights add up to 1. Click a token above for its numbers.")
        intro, kind = attentions.why_no_effect(*head) or usual, "attention"
        hint = say("where it looks in head {head}", head=head_name(*head))
        if picture is not None:
            intro, kind, hint = picture.about, picture.kind, picture.hint
        explain(kind, self.bars)
        if intro != self.intro:  # not at each move of the mouse
            self.set_intro(intro)
        units, row = attentions.units, attentions.units.unit_of(position)
        token = attentions.reading.shown_tokens[position] if row is None else units.labels[row]
        self.set_title(f"{token} ({position})")
        self.set_hint(say("is left out of this view") if row is None else hint)
        self.bars.setVisible(row is not None)
        self.row = None
        if row is not None:
            self.row = attentions.weights(*head)[row] if picture is None else picture.values
        if row is None or self.row is None:
            self.bars.set_bars([])
            return
        theirs, is_before = np.full(len(units), np.nan), is_earlier(attentions.reading)
        if picture is None and attentions.baseline is not None and attentions.can_subtract:
            theirs = attentions.placed(attentions.baseline.weights(*head))[row]
        order = np.argsort(-self.row, kind="stable")[:MOST_BARS].tolist()
        highest = float(self.row[order[0]]) or 1.0
        digits = 2 if 0.1 <= highest < 0.995 else 3
        bars = []
        for unit, weight, before in zip(order, self.row[order].tolist(), theirs[order].tolist(), strict=True):
            was = "" if np.isnan(before) else beside(numbers.decimal(before, digits), is_before)
            name, note = units.labels[unit], str(units.first_positions[unit])
            text = numbers.decimal(weight, digits)
            bars.append(Bar(name, text, weight / highest, "bar_strong", note=note, mark=was))
        self.bars.set_bars(bars)

    def _show_facts(self, attentions: Attentions, head: Head, facts: HeadFacts | None) -> None:
        """Beside them those of this head in the baseline, where that has it and the text is short."""
        baseline = attentions.baseline if attentions.can_subtract else None
        theirs = None if baseline is None else _facts(baseline, head)
        texts = ["…"] * len(FACTS) if facts is None else fact_texts(attentions, facts, units=True)
        before = [""] * len(FACTS)
        if baseline is not None and theirs is not None:
            is_before = is_earlier(attentions.reading)
            before = [text and beside(text, is_before) for text in fact_texts(baseline, theirs, units=False)]
        names = fact_names(attentions.reading.special_names)
        for kind, row, *shown in zip(FACTS, self.facts, names, texts, before, strict=True):
            for widget, text in zip(row, shown, strict=True):
                widget.setText(text)
                widget.setVisible(kind != "a_to_b" or attentions.encoding.text_b is not None)


def _facts(attentions: Attentions, head: Head) -> HeadFacts | None:
    """Of a short text at once; of a long one they come with the descriptions."""
    is_small = attentions.is_small and len(attentions.units)
    return head_facts(attentions.weights(*head), attentions.encoding) if is_small else None
