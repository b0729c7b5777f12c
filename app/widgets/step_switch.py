"""In the title bar: how far the model has learned, in three steps, and a switch that follows a run at work."""

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ..look.say import say
from .card import button
from .layouts import hbox


class StepSwitch(QWidget):
    """Hidden where the model has one step only, and no run is at work."""

    stage_chosen = Signal(str)
    follow_switched = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        names = {
            "start": ("", ""),
            "half_trained": (say("Half-trained"), say("The model with half of what it learns behind it")),
            "trained": (say("Trained"), say("The model at the end of its training")),
        }
        self._starts = {
            "untrained": (say("Untrained"), say("The model before its first training step: all by chance")),
            "tuning": (
                say("Before fine-tuning"),
                say("The model that was fine-tuned, before the first step: it does not know the task yet"),
            ),
            "going_on": (
                say("Before this run"),
                say("The model that this run goes on training, before its first step"),
            ),
        }
        self.stages = {
            key: button(name, look="small", hint=hint, checkable=True) for key, (name, hint) in names.items()
        }
        self.follow = button(
            say("Follow the run"),
            look="small",
            hint=say("All pictures show the newest snapshot of the run, as soon as it is there"),
            checkable=True,
        )
        for key, made in self.stages.items():
            made.clicked.connect(lambda _checked=False, key=key: self.stage_chosen.emit(key))
        self.follow.clicked.connect(self.follow_switched)
        hbox(*self.stages.values(), self.follow, parent=self, gap_px=3)
        self.setAccessibleName(say("How far the model has learned"))
        self.show_steps((), "", "", can_follow=False, follows=False)

    def show_steps(
        self, stages: Collection[str], stage: str, begins_with: str, *, can_follow: bool, follows: bool
    ) -> None:
        """stages: those that there are; stage: the one that is open, empty for another step; begins_with: see
        `runs.stages.Steps`."""
        name, hint = self._starts.get(begins_with, self._starts["untrained"])
        self.stages["start"].setText(name)
        self.stages["start"].setToolTip(hint)
        for key, made in self.stages.items():
            made.setVisible(key in stages)
            made.setChecked(key == stage)
        self.follow.setVisible(can_follow)
        self.follow.setChecked(follows)
        self.setVisible(bool(stages) or can_follow)
