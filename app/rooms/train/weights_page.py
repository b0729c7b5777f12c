"""What training does to the weights: how far each part moves in a step, and whether that is as it should be."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.runs.diagnosis import LARGE, size_of_updates
from bertcore.runs.run_metrics import SlowStep, Update

from ...look import numbers
from ...look.say import say
from ...runs.health_sentences import share_of_weights
from ...widgets.card import label, set_role
from ...widgets.layouts import vbox
from .slow_picture import SlowPicture
from .updates_picture import UpdatesPicture


class WeightsPage(QWidget):
    """Shows the newest measured step, or the one under the mouse."""

    batch_requested = Signal(int)  # of this step

    def __init__(self) -> None:
        super().__init__()
        self._updates: list[Update] = []
        self.verdict = label("", "strong", wrap=True)
        self.picture = UpdatesPicture()
        self.picture.hovered.connect(self._on_picture_hovered)
        self.about = label("", "muted")
        self.slow_title = label("", "strong", wrap=True)
        self.slow = SlowPicture()
        self.slow_about = label("", "muted")
        self.slow.clicked.connect(self._on_slow_clicked)
        self.slow.hovered.connect(self._on_slow_hovered)
        vbox(
            self.slow_title, self.slow, self.slow_about, 4, self.verdict, (self.picture, 1), self.about,
            parent=self, gap_px=8,
        )  # fmt: skip
        self.show_slow_steps([])

    def show_updates(self, updates: list[Update]) -> None:
        """All of the run, by step."""
        if len(updates) == len(self._updates) and updates[-1:] == self._updates[-1:]:
            return
        self._updates = list(updates)
        self.picture.set_updates(self._updates)
        self._show_verdict()
        self._show_step()

    def show_slow_steps(self, steps: list[SlowStep]) -> None:
        """All that the run has taken in slow motion, by step."""
        for part in (self.slow_title, self.slow, self.slow_about):
            part.setVisible(bool(steps))
        self.slow.set_steps(steps)
        lower = sum(step.after < step.before for step in steps)
        text = say("Slow motion: {lower} of %n step(s) lowered the loss on their own batch.", n=len(steps))
        self.slow_title.setText(text.format(lower=numbers.count(lower)))
        self._on_slow_hovered()

    def _on_slow_hovered(self, _cell: object = None) -> None:
        step = self.slow.shown
        if step is not None:
            text = say("Step {step}: the loss on its batch went from {before} to {after}. Click to see the batch.")
            before, after = numbers.decimal(step.before, 3), numbers.decimal(step.after, 3)
            self.slow_about.setText(text.format(step=numbers.count(step.step), before=before, after=after))

    def _on_slow_clicked(self, index: int) -> None:
        self.batch_requested.emit(self.slow.steps[index].step)

    def _show_verdict(self) -> None:
        ratios = np.array([max(update.ratio.values()) for update in self._updates])
        kind = size_of_updates((np.array([update.step for update in self._updates]), ratios))
        most = share_of_weights(float(ratios.max(initial=0.0)))
        words = {
            "usual": say("Normal: no step has moved any part by more than {most}. Healthy runs stay below {limit}."),
            "large": say(
                "Too far: up to {most} in a step; healthy runs stay below {limit}. Try a tenth of the learning rate."
            ),
            "small": say("It hardly moves: at most {most} in a step. Try ten times the learning rate."),
            "": say("Too few steps so far to say whether this is usual."),
        }[kind]
        self.verdict.setText(words.format(most=most, limit=share_of_weights(LARGE)))
        set_role(self.verdict, "error" if kind in ("large", "small") else "strong")

    def _on_picture_hovered(self, _cell: object) -> None:
        self._show_step()

    def _show_step(self) -> None:
        """Whose numbers stand beside the picture."""
        if self._updates:
            text = say("At step {step}. Gradient: how hard the loss pulls on the part, before clipping.")
            self.about.setText(text.format(step=numbers.count(self.picture.shown.step)))
