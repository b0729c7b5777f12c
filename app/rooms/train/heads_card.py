"""The card beside a run that answers questions: the heads of its newest snapshot, and how they looked before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout

from ...compute.over_time import Heads, heads_over_time
from ...compute.question import Question
from ...look import numbers, theme
from ...look.say import say
from ...runs.run_info import RunInfo
from ...widgets.card import Card, label
from ...widgets.layouts import fill
from .heads_picture import HeadsPicture

EARLIER = 3  # snapshots before the newest that are shown
EVEN_FROM = 100  # steps: up to here they are close together, from here on even in the logarithm

Snapshot = tuple[int, Path]


def milestones(snapshots: Sequence[Snapshot], count: int) -> list[Snapshot]:
    """At most `count`: the first, the last, and those between that are nearest to even distances in log(100 + step)."""
    if len(snapshots) <= count:
        return list(snapshots)
    places = [math.log(EVEN_FROM + step) for step, _ in snapshots]
    wanted = [places[0] + (places[-1] - places[0]) * number / (count - 1) for number in range(count)]
    nearest = {min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted}
    return [snapshots[i] for i in sorted(nearest)]


class HeadsCard(Card):
    """Asks the worker for a few snapshots at a time, the newest first."""

    question_requested = Signal(object)  # Question
    head_chosen = Signal(int, int)  # layer, head, from 0

    def __init__(self) -> None:
        super().__init__()
        self.set_title(say("Its attention"))
        self.set_intro(
            say(
                "Row: the token that looks. Column: what it looks at. Both in the order of the text. Stronger colour: "
                "more."
            )
        )
        self._snapshots: list[Snapshot] = []
        self._text = ""
        self._step: int | None = None  # up to which snapshots are shown; None: all
        self._known: dict[Path, Heads | None] = {}  # None: asked for, and the snapshot was gone
        self._asked: Path | None = None  # the snapshot that the question is about
        self._question: Question[dict[Path, Heads]] = Question(self, self._on_question_answered)
        self._question.requested.connect(self.question_requested)
        self._question.status_changed.connect(self._on_question_status_changed)
        self.now_label = label("", "strong", wrap=True)
        self.now = HeadsPicture(with_names=True)
        self._before_label = label(say("Before"), "strong")
        self.before = [HeadsPicture(with_names=False) for _ in range(EARLIER)]
        self.before_labels = [label("", "muted") for _ in range(EARLIER)]
        self._problem = label("", "error", wrap=True)
        self._none = label(say("The first picture appears when the run has begun."), "muted", wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(8))
        grid.setVerticalSpacing(theme.px(2))
        for column, (picture, words) in enumerate(zip(self.before, self.before_labels, strict=True)):
            grid.addWidget(words, 0, column)
            grid.addWidget(picture, 1, column)
            grid.setColumnStretch(column, 1)
        fill(self.body, self._none, self._problem, self.now_label, self.now, 4, self._before_label, grid, None)
        for picture in (self.now, *self.before):
            picture.chosen.connect(self.head_chosen)
        self._draw()

    @property
    def shown(self) -> list[Snapshot]:
        """The snapshots on show, the oldest first."""
        reached = [one for one in self._snapshots if self._step is None or one[0] <= self._step]
        return milestones(reached, EARLIER + 1) if not theme.is_projector() else reached[-1:]

    def show_run(self, _info: RunInfo | None) -> None:
        """Another run: nothing is known of its snapshots, nor what they read."""
        self._known, self._step, self._text = {}, None, ""
        self._question.clear()
        self._draw()

    def show_snapshots(self, snapshots: list[Snapshot]) -> None:
        self._snapshots = snapshots
        self._known = {path: heads for path, heads in self._known.items() if path in {path for _, path in snapshots}}
        self._draw()
        self._ask()

    def show_text(self, text: str) -> None:
        """Another text that the heads read."""
        if text != self._text:
            self._text, self._known = text, {}
            self._question.clear()
            self._ask()

    def show_step(self, step: int | None) -> None:
        """As the model was at this step; None: the newest."""
        if step != self._step:
            self._step = step
            self._draw()
            self._ask()

    def _draw(self) -> None:
        ready = [(step, heads) for step, path in self.shown if (heads := self._known.get(path)) is not None]
        newest = ready[-1] if ready else None
        for widget in (self.now_label, self.now):
            widget.setVisible(newest is not None)
        self._none.setVisible(newest is None and not self._problem.text())
        if newest is not None:
            text = say("At step {step}")
            if self._step is not None and newest[0] < self._step:
                text = say("At step {step}, last saved before {shown}")
            self.now_label.setText(text.format(step=numbers.count(newest[0]), shown=numbers.count(self._step)))
            self.now.show_heads(newest[1])
        earlier = ready[:-1]
        self._before_label.setVisible(bool(earlier))
        for number, (picture, words) in enumerate(zip(self.before, self.before_labels, strict=True)):
            is_there = number < len(earlier)
            words.setVisible(is_there)
            picture.setVisible(is_there)
            if is_there:
                words.setText(say("step {step}", step=numbers.count(earlier[number][0])))
                picture.show_heads(earlier[number][1])

    def _ask(self) -> None:
        """One snapshot at a time, so that the worker stays free for someone who types."""
        missing = next((path for _, path in reversed(self.shown) if path not in self._known), None)
        if missing is None or not self._text or not self.isVisible() or self._question.is_running:
            return
        self._asked = missing
        self._question.ask(heads_over_time, (missing,), self._text, pause_ms=0)

    def _on_question_answered(self, heads: dict[Path, Heads]) -> None:
        assert self._asked is not None
        self._known[self._asked] = heads.get(self._asked)
        self._draw()
        self._ask()

    def _on_question_status_changed(self) -> None:
        self._problem.setText(self._question.sentence)
        self._problem.setVisible(bool(self._question.sentence))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._question.cancel()
