"""Slow motion: a run at work taken step by step, and what each step did to the loss of its own batch."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.runs.run_metrics import SlowStep

from ....look import numbers, theme
from ....look.say import say
from ....runs.run_state import RunState
from ....widgets.card import button, label
from ....widgets.layouts import hbox
from ....widgets.linked_text import LinkedText


class SlowMotion(QWidget):
    """Buttons, and the newest step in words. It is shown while a run that can be steered is looked at."""

    batch_requested = Signal(int)  # of this step
    weights_requested = Signal()

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._runs = state
        self._steps: list[SlowStep] = []
        self._is_awaiting = False  # a step was ordered and has not been heard of
        self._shows_batch = False
        one = say("Pause the run and train on one batch")
        ten = say("Pause the run and train on ten batches, one after the other")
        on = say("Let the run continue at full speed; slow motion does not change its result")
        self.one = button(say("One step"), partial(self._order, "step"), hint=one)
        self.ten = button(say("Ten steps"), partial(self._order, "ten_steps"), hint=ten)
        self.go_on = button(say("Full speed"), partial(self._order, "resume"), hint=on)
        batch = say("The batch that this step trained on")
        weights = say("How far this step moved each part of the model")
        self.to_batch = button(say("What went in"), self._on_to_batch_clicked, hint=batch)
        self.to_weights = button(say("What it did"), self.weights_requested.emit, hint=weights)
        self.words = LinkedText()
        title = label(say("Slow motion"), "strong")
        if theme.is_projector():
            title.hide()
        others = self.to_batch, self.to_weights
        hbox(title, self.one, self.ten, self.go_on, (self.words, 1), *others, parent=self, gap_px=8)

    @property
    def can_steer(self) -> bool:
        """Whether the run is at work, or waits."""
        return self._runs.run.status.state in ("running", "paused")

    def show_status(self) -> None:
        self._is_awaiting = self._is_awaiting and self.can_steer
        self._show()

    def show_steps(self, steps: list[SlowStep]) -> bool:
        """All that the run has taken in slow motion, by step. True where one was added while it is steered."""
        has_more = len(steps) > len(self._steps)
        self._is_awaiting = self._is_awaiting and len(steps) == len(self._steps)
        self._steps = list(steps)
        self._show()
        return has_more and self.can_steer

    def show_beside(self, *, batch: bool) -> None:
        """Whether it stands above the batch, or above the weights."""
        self._shows_batch = batch
        self._show()

    def _order(self, command: str) -> None:
        self._is_awaiting = command != "resume"
        self._show()
        self._runs.control_requested.emit(self._runs.run.path, command)

    def _on_to_batch_clicked(self) -> None:
        if self._steps:
            self.batch_requested.emit(self._steps[-1].step)

    def _show(self) -> None:
        is_paused, has_steps = self._runs.run.status.state == "paused", bool(self._steps)
        for made in (self.one, self.ten):
            made.setEnabled(not self._is_awaiting)
        self.go_on.setEnabled(is_paused)
        self.to_batch.setVisible(has_steps and not self._shows_batch)
        self.to_weights.setVisible(has_steps and self._shows_batch and not theme.is_projector())
        self.words.setText(
            step_sentence(self._steps[-1])
            if has_steps and is_paused
            else say("Take one step at a time and see how it changes the weights and the loss on its own batch.")
        )


def step_sentence(step: SlowStep) -> str:
    """The loss before and after, and how large the step was."""
    return say(
        "Step {step}. This batch: loss {before} before, {after} after. Learning rate {rate}, gradient norm {norm}.",
        step=numbers.count(step.step),
        before=numbers.decimal(step.before, 3),
        after=numbers.decimal(step.after, 3),
        rate=numbers.rate(step.learning_rate, 2),
        norm=numbers.number(step.gradient_norm, 2),
    )
