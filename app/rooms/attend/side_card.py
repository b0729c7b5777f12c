"""The right card: what the token looks at, the facts of the head, and what if."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.attend.kinds_list import kind_name
from app.rooms.attend.shown import Choice, Named, Shown
from app.rooms.attend.what_if_panel import WhatIfPanel
from app.state.what_if import WhatIf
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import Card, label, scrolled
from app.widgets.figure_button import Provider
from app.widgets.steady import Steady

if TYPE_CHECKING:
    from bertcore.analysis.heads import HeadFacts

WIDTH_PX = 272
MOST_BARS = 8
MOST_SCORES = 4
FACTS = ("entropy", "mean distance", "from A to B", "on special tokens")


class SideCard(Card):
    """Its columns scroll where the window is low."""

    def __init__(self, figure: Provider) -> None:
        super().__init__("Token")
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.set_figure(figure, "what the token looks at")
        self.bars = BarList("What this token looks at")
        self.facts = [label("", "strong") for _ in FACTS]
        self.special = label(FACTS[-1], "muted")  # the last fact's name: the special tokens by their own names
        self.kind = label("", "muted", wrap=True)
        self.what_if = WhatIfPanel()
        self._head_title = label("This head", "title")
        self.row: np.ndarray | None = None  # (U) what is drawn as bars
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, 0, theme.px(4), 0)
        layout.setSpacing(theme.px(6))
        layout.addWidget(self.bars)
        layout.addSpacing(theme.px(10))
        layout.addWidget(label("What if", "title"))
        layout.addWidget(self.what_if)
        layout.addSpacing(theme.px(10))
        layout.addWidget(self._head_title)
        layout.addWidget(Steady(self._build_facts()))
        layout.addWidget(Steady(self.kind))
        layout.addWidget(label("means over all tokens that look; “from A to B”: over those of A", "muted", wrap=True))
        layout.addStretch(1)
        self.body.addWidget(scrolled(inside), 1)

    def draw_head(self, shown: Shown, choice: Choice, named: Named, what_if: WhatIf) -> None:
        self.special.setText(f"on {', '.join(shown.reading.special_names) or FACTS[-1]}")
        self._head_title.setText("This head · off" if (choice.layer, choice.head) in shown.off else "This head")
        self.describe(shown, choice, named)
        self.draw_row(shown, choice, what_if)

    def draw_row(self, shown: Shown, choice: Choice, what_if: WhatIf) -> None:
        """What the token that looks looks at."""
        self.what_if.draw(shown, choice, what_if)
        row = shown.row_of(choice.position)
        self.set_title(shown.reading.shown_tokens[choice.position] if row is None else shown.units.labels[row])
        self.bars.setVisible(row is not None)
        if row is None:
            self.row = None
            self.set_hint("is left out in this view")
            return
        self.set_hint(f"token {choice.position} looks at")
        self.row = shown.head(choice.layer, choice.head)[row]  # (U)
        order = np.argsort(-self.row, kind="stable")[:MOST_BARS].tolist()
        highest = float(self.row[order[0]]) or 1.0
        digits = 2 if highest >= 0.1 else 3
        labels, first = shown.units.labels, shown.units.first_positions
        self.bars.set_bars(
            [
                Bar(
                    labels[i],
                    f"{self.row[i]:.{digits}f}",
                    float(self.row[i]) / highest,
                    "bar_strong",
                    note=str(first[i]),
                )
                for i in order
            ]
        )

    def describe(self, shown: Shown, choice: Choice, named: Named) -> None:
        """The facts of the head, its kind, and the scores behind it, best first."""
        described = named.get((choice.layer, choice.head))
        self._show_facts(shown, None if described is None else described.facts, choice)
        if described is None:
            self.kind.setText("kind: …\nscores: …")  # it keeps its place
            self.kind.setToolTip("")
            return
        kind = described.kind
        special = "/".join(shown.reading.special_names) or "special token"
        scores = sorted(kind.scores.items(), key=lambda item: -item[1])
        listed = [f"{kind_name(name, special)} {score:.2f}" for name, score in scores]
        self.kind.setText(f"kind: {kind_name(kind.kind, special)}\nscores: {', '.join(listed[:MOST_SCORES])}")
        self.kind.setToolTip("\n".join(listed))

    def _build_facts(self) -> QWidget:
        made = QWidget()
        grid = QGridLayout(made)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(theme.px(6))
        grid.setHorizontalSpacing(theme.px(6))
        for line, (name, value) in enumerate(zip(FACTS, self.facts, strict=True)):
            grid.addWidget(self.special if name == FACTS[-1] else label(name, "muted"), line, 0)
            grid.addWidget(value, line, 1)
        grid.setColumnStretch(1, 1)
        return made

    def _show_facts(self, shown: Shown, facts: HeadFacts | None, choice: Choice) -> None:
        """Where they are not known yet: at once in a short text, in a long one as soon as they are."""
        from bertcore.analysis.heads import head_facts

        if facts is None and shown.is_small and len(shown.units):
            facts = head_facts(shown.head(choice.layer, choice.head), shown.encoding)
        if facts is None:
            texts: tuple[str, ...] = ("…" if len(shown.units) else "–",) * len(FACTS)
        else:
            unit = "words" if shown.view.words else "tokens"
            texts = (
                f"{facts.entropy_nats:.2f} nats",
                f"{facts.mean_distance_tokens:.1f} {unit}",
                "no B" if facts.a_to_b is None else f"{facts.a_to_b:.2f}",
                f"{facts.on_special:.2f}" if shown.view.specials else "left out",
            )
        for value, text in zip(self.facts, texts, strict=True):
            value.setText(text)
