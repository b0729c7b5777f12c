"""The card beside a run that answers questions: the heads of its newest snapshot, and how they looked before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout

from ....compute.over_time import heads_over_time
from ....look import numbers, theme
from ....look.say import say
from ....runs.run_state import RunState
from ....widgets.card import label
from ....widgets.layouts import fill
from .card import SnapshotCard
from .heads_picture import HeadsPicture
from .lists import Snapshot

EARLIER = 3  # snapshots before the newest that are shown
EVEN_FROM = 100  # steps: up to here they are close together, from here on even in the logarithm


def milestones(snapshots: Sequence[Snapshot], count: int) -> list[Snapshot]:
    """At most `count`: the first, the last, and those between that are nearest to even distances in log(100 + step)."""
    if len(snapshots) <= count:
        return list(snapshots)
    places = [math.log(EVEN_FROM + step) for step, _ in snapshots]
    wanted = [places[0] + (places[-1] - places[0]) * number / (count - 1) for number in range(count)]
    nearest = {min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted}
    return [snapshots[i] for i in sorted(nearest)]


class HeadsCard(SnapshotCard):
    """The newest snapshot is asked about first."""

    head_chosen = Signal(int, int)  # layer, head, from 0

    def __init__(self, state: RunState) -> None:
        intro = say(
            "Row: the token that looks. Column: what it looks at. Both in the order of the text. Stronger colour: more."
        )
        super().__init__(state, say("Its attention"), intro)
        self._step: int | None = None  # up to which snapshots are shown; None: all
        self.now_label, self.now = label("", "strong", wrap=True), HeadsPicture(with_names=True)
        self._before_label = label(say("Before"), "strong")
        self.before = [HeadsPicture(with_names=False) for _ in range(EARLIER)]
        self.before_labels = [label("", "muted") for _ in range(EARLIER)]
        self._none = label(say("The first picture appears when the run has begun."), "muted", wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(8))
        grid.setVerticalSpacing(theme.px(2))
        for column, (picture, words) in enumerate(zip(self.before, self.before_labels, strict=True)):
            grid.addWidget(words, 0, column)
            grid.addWidget(picture, 1, column)
            grid.setColumnStretch(column, 1)
        fill(self.body, self._none, self.problem, self.now_label, self.now, 4, self._before_label, grid, None)
        for picture in (self.now, *self.before):
            picture.chosen.connect(self.head_chosen)
        self.draw()

    @property
    def shown(self) -> list[Snapshot]:
        """The snapshots on show, the oldest first."""
        reached = [one for one in self._state.snapshots if self._step is None or one[0] <= self._step]
        return milestones(reached, EARLIER + 1) if not theme.is_projector() else reached[-1:]

    def clear(self) -> None:
        """Another run reads another text, which comes next."""
        self._step, self._text = None, ""
        super().clear()

    def show_text(self, text: str) -> None:
        """Another text that the heads read; what is on show stays until they have."""
        if text != self._text:
            self._text, self._answers = text, {}
            self._question.clear()
            self._ask()

    def show_step(self, step: int | None) -> None:
        """As the model was at this step; None: the newest."""
        if step != self._step:
            self._step = step
            self.draw()
            self._ask()

    def wanted(self) -> Sequence[Path]:
        return [path for _, path in reversed(self.shown)] if self._text else []

    def ask_about(self, snapshots: tuple[Path, ...]) -> None:
        self._question.ask(heads_over_time, snapshots, self._text, pause_ms=0)

    def draw(self) -> None:
        ready = [(step, heads) for step, path in self.shown if (heads := self._answers.get(path)) is not None]
        for widget in (self.now_label, self.now):
            widget.setVisible(bool(ready))
        self._none.setVisible(not ready and not self.problem.text())
        if ready:
            step, heads = ready[-1]
            at, shown = numbers.count(step), numbers.count(self._step)
            is_before = self._step is not None and step < self._step
            self.now_label.setText(
                say("At step {step}, last saved before {shown}", step=at, shown=shown)
                if is_before
                else say("At step {step}", step=at)
            )
            self.now.show_heads(heads)
        self._before_label.setVisible(len(ready) > 1)
        for number, (picture, words) in enumerate(zip(self.before, self.before_labels, strict=True)):
            is_there = number < len(ready) - 1
            words.setVisible(is_there)
            picture.setVisible(is_there)
            if is_there:
                words.setText(say("step {step}", step=numbers.count(ready[number][0])))
                picture.show_heads(ready[number][1])
