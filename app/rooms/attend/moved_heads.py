"""The panel Moved: how far each head is from the baseline's, as a map and as a list."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal

from ...compute.question import Question
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...widgets.card import label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.layouts import fill
from ...widgets.progress_line import ProgressLine
from .attentions import Head, head_name
from .compared_attentions import Moved, compared, moved_heads
from .view import AttendView

MOST_BARS = 6
MAP_PX = 150  # its height


class MovedView(AttendView):
    """A click on a square or a bar selects the head. The squares are for models of more heads than bars."""

    most_moved_found = Signal(int, int)  # layer, head: drawn as the first bar

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.question: Question[Moved] = self.add_question(lambda _answer: self.redraw(), self.line)
        self.map = LabelledGrid(say("How far each head moved: rows are layers, columns are heads"), square=True)
        self.map.setFixedHeight(theme.px(MAP_PX))
        self.bars = BarList(say("Heads that moved most"), clickable=True)
        self.heads: list[Head] = []  # of the bars
        self._sentence = label("", "muted", wrap=True)
        self.try_it = self.offer_of_texts()
        explain("divergence", self.map, self.bars)
        self.body.setSpacing(theme.px(7))
        fill(self.body, self.line, self._sentence, self.try_it, self.bars, self.map, None)
        self.bars.clicked.connect(lambda row: self.head_clicked.emit(*self.heads[row]))
        self.map.clicked.connect(lambda cell: self.head_clicked.emit(*cell))
        self.map.hovered.connect(self.head_hovered)

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def draw(self) -> None:
        both = compared(self.attentions)
        if both is None or both.alignment.reason is not None:
            self.question.clear()
            self._show(
                None,
                say("Compare with another model, step or text first: the menu is at the top.")
                if both is None
                else both.problem,
            )
            return
        self.question.ask(moved_heads, *self.attentions.given, pause_ms=self.pause_ms)
        moved = self.question.answer
        self._show(moved, "" if moved is None else self._meaning(moved))

    def _drawn_for(self) -> tuple[object, ...]:
        return self.head

    def _meaning(self, moved: Moved) -> str:
        mean = numbers.decimal(float(moved.divergences.mean()), 3)
        if moved.layers is None:
            return say("0: no change, 1: entirely different tokens. Average {mean}.", mean=mean)
        return say("Beside each the most similar head of the other model. 0: the same, 1: nothing in common.")

    def _show(self, moved: Moved | None, sentence: str) -> None:
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))
        self.try_it.setVisible(self.attentions.reading.baseline is None)
        for widget in (self.bars, self.map):
            widget.setVisible(moved is not None)
        if moved is None:
            return
        values, highest = moved.divergences, float(moved.divergences.max()) or 1.0
        order = np.argsort(-values, axis=None, kind="stable")[:MOST_BARS].tolist()
        self.heads = [divmod(flat, values.shape[1]) for flat in order]
        self.bars.set_bars([self._bar(moved, spot, highest) for spot in self.heads])
        layers, heads = (Labels([str(i + 1) for i in range(size)]) for size in values.shape)
        self.map.setVisible(values.size > MOST_BARS)
        self.map.set_grid(values.astype(np.float32), layers, heads, 0.0, highest)
        self.map.set_selected(*self.head)
        if moved.divergences.any():
            self.most_moved_found.emit(*self.heads[0])

    def _bar(self, moved: Moved, spot: Head, highest: float) -> Bar:
        value = float(moved.divergences[spot])
        note = "" if moved.layers is None else f"~ {head_name(*moved.baseline_head(spot))}"
        color = "bar_strong" if spot == self.head else "bar"
        return Bar(head_name(*spot), numbers.decimal(value, 3), value / highest, color, note=note)
