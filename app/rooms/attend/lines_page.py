"""The page Lines: two columns of tokens, and lines for what one or several heads connect."""

from __future__ import annotations

import html

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

from app.figures.figure import Axis, Numbers
from app.look import theme
from app.rooms.attend.lines_view import HEAD_COLORS, STYLES, LinesView, Strand
from app.rooms.attend.links import between, strongest_links
from app.rooms.attend.number_field import NumberField
from app.rooms.attend.page import Drawn, Page
from app.rooms.attend.shown import Choice, Head, Shown
from app.widgets.card import label, scrolled
from app.widgets.controls import Choice as DropDown

ALL, A_TO_B, B_TO_A, WITHIN = FILTERS = ("All tokens", "A → B", "B → A", "Within A, within B")
TOP_SHARE, LEAST = LIMITS = ("Top share", "Stronger than")
MOST_LINES = 1500  # of one head: beyond that nobody tells them apart
DASHES = {Qt.PenStyle.SolidLine: "━━", Qt.PenStyle.DashLine: "╍╍", Qt.PenStyle.DotLine: "┈┈"}
HINT = "left looks at right · thicker: more attention"


class LinesPage(Page):
    """Up to six of the chosen heads, each in a colour and a kind of line of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.view = LinesView()
        self.filter, self.limit = DropDown("Which tokens are connected"), DropDown("Which lines are drawn")
        self.filter.addItems(FILTERS)
        self.limit.addItems(LIMITS)
        self.percent = NumberField("Share of the attention, or least weight, in percent", 0, 100, step=5, unit=" %")
        self._percents = {TOP_SHARE: 60.0, LEAST: 20.0}
        self.percent.set_value(self._percents[TOP_SHARE])
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.legend.setAccessibleName("Which colour is which head")
        for widget in (self.filter, self.limit, self.percent):
            self.controls.addWidget(widget)
        self.controls.addStretch(1)
        self._why_empty = label("", "muted", wrap=True)
        self.body.addWidget(self._why_empty)
        self.body.addWidget(scrolled(self.view), 1)
        self.body.addWidget(self.legend)
        self.filter.currentIndexChanged.connect(lambda _index: self.redraw())
        self.limit.currentTextChanged.connect(self._on_limit_changed)
        self.percent.value_changed.connect(self._on_percent_changed)
        self.view.hovered.connect(self._on_view_hovered)
        self.view.clicked.connect(self._on_view_clicked)

    def draw_all(self, shown: Shown, choice: Choice) -> None:
        heads = choice.heads[::-1][: len(HEAD_COLORS)][::-1]  # the newest
        several = f"{len(heads)} heads" if len(heads) > 1 else shown.name_of(choice)
        self.titled.emit(several, HINT)
        strands = [self._strand(shown, head, number) for number, head in enumerate(heads)]
        self.view.set_strands(strands, shown.units.labels, shown.units.kinds)
        self.view.set_row(shown.row_of(choice.position))
        self._show_legend(strands, len(choice.heads))
        needs_b = self.filter.currentText() in (A_TO_B, B_TO_A) and "b" not in shown.parts
        self._why_empty.setText("There is no sentence B; type one to see what connects the two." if needs_b else "")
        self._why_empty.setVisible(needs_b)

    def draw_row(self, shown: Shown, choice: Choice) -> None:
        self.choice = choice
        self.view.set_row(shown.row_of(choice.position))

    def drawn(self) -> Drawn | None:
        if not self.view.strands or self.shown is None:
            return None
        numbers = {}
        for strand in self.view.strands:
            size = len(self.shown.units)
            values = np.zeros((size, size), dtype=np.float32)
            values[strand.links.rows, strand.links.columns] = strand.links.weights
            axes = Axis("looks", self.shown.units.labels), Axis("is looked at", self.shown.units.labels)
            numbers[f"layer {strand.head[0] + 1} head {strand.head[1] + 1}"] = Numbers(values, axes)
        settings = f"{self.filter.currentText()} · {self.limit.currentText().lower()} {self.percent.value:.0f} %"
        return Drawn([self.view, self.legend], numbers, settings, head=len(self.view.strands) == 1)

    def _strand(self, shown: Shown, head: Head, number: int) -> Strand:
        by_share = self.limit.currentText() == TOP_SHARE
        limit = self.percent.value / 100
        links = strongest_links(
            shown.head(*head),
            among=self._among(shown),
            least=0.0 if by_share else limit,
            share=limit if by_share else None,
            most=MOST_LINES,
        )
        return Strand(head, links, HEAD_COLORS[number], STYLES[number])

    def _among(self, shown: Shown) -> np.ndarray | None:
        """(U,U) which pairs of tokens the filter lets through."""
        chosen = self.filter.currentText()
        if chosen == ALL:
            return None
        if chosen == WITHIN:
            within: np.ndarray = between(shown.parts, "a", "a") | between(shown.parts, "b", "b")
            return within
        return between(shown.parts, "a", "b") if chosen == A_TO_B else between(shown.parts, "b", "a")

    def _show_legend(self, strands: list[Strand], chosen: int) -> None:
        texts = []
        for strand in strands:
            color = theme.color(strand.color).name()
            links = strand.links
            drawn = f"{len(links.weights):,} lines" if links.fitting != 1 else "1 line"
            if len(links.weights) < links.fitting:
                drawn = f"the strongest {len(links.weights):,} of {links.fitting:,} lines"
            is_off = self.shown is not None and strand.head in self.shown.off
            name = f"{strand.head[0] + 1}·{strand.head[1] + 1}{' off' if is_off else ''}"
            dash = DASHES.get(strand.style, "┅┅")
            texts.append(
                f'<span style="color:{color}"><b>{dash}</b></span> <b>{name}</b>: {html.escape(drawn)} '
                f"hold {links.share:.0%}"
            )
        said = "&nbsp;&nbsp; ".join(texts) + " of the attention asked about"
        if chosen > len(strands):
            said += f" · the last {len(strands)} of {chosen} chosen heads"
        elif chosen == 1:
            said += " · Ctrl+click more heads to compare"
        self.legend.setText(said)

    def changeEvent(self, event: QEvent) -> None:
        """The legend's colours stand in its text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.view.strands and self.choice is not None:
            self._show_legend(self.view.strands, len(self.choice.heads))

    def _on_limit_changed(self, limit: str) -> None:
        self.percent.set_value(self._percents[limit])
        self.redraw()

    def _on_percent_changed(self, percent: float) -> None:
        self._percents[self.limit.currentText()] = percent
        self.redraw()

    def _on_view_hovered(self, row: int | None) -> None:
        if self.shown is not None:
            self.hovered.emit(None if row is None else self.shown.units.first_positions[row])

    def _on_view_clicked(self, row: int) -> None:
        if self.shown is not None:
            position = self.shown.units.first_positions[row]
            self.picked.emit(position, -1)
