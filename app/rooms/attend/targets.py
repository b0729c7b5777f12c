"""Which prediction to ask about: a list to choose from, the same in every place that asks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSizePolicy

from app.compute.head_questions import HeadTarget
from app.widgets.controls import Choice


class Targets(QObject):
    """The predictions of the reading, and the one that is chosen."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.all: list[HeadTarget] = []
        self.chosen: HeadTarget | None = None
        self.problem = ""  # why there is none
        self._is_picked = False  # by a person: then it stays as long as it is there
        self._boxes: list[TargetBox] = []

    def set_targets(self, targets: Sequence[HeadTarget], problem: str, position: int) -> None:
        """What a person chose stays where it is still there; else the mask at `position`, else the first."""
        self.all, self.problem = list(targets), problem
        picked = self.chosen if self._is_picked else None
        kept = [target for target in targets if picked is not None and target.target == picked.target]
        self._is_picked = bool(kept)
        here = [target for target in targets if target.target.head == "mlm" and target.target.position == position]
        self.chosen = next(iter([*kept, *here, *targets]), None)
        for box in self._boxes:
            box.show_targets()

    def choose(self, target: HeadTarget) -> None:
        self._is_picked = True
        if target != self.chosen:
            self.chosen = target
            for box in self._boxes:
                box.show_targets()
            self.changed.emit()

    def box(self) -> TargetBox:
        """A list to choose from, that follows."""
        made = TargetBox(self)
        self._boxes.append(made)
        return made


class TargetBox(Choice):
    """Hidden where there is nothing to choose."""

    def __init__(self, targets: Targets) -> None:
        super().__init__("The prediction to ask about")
        self.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self._targets = targets
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._on_activated)

    def show_targets(self) -> None:
        names = [target.label + target.note for target in self._targets.all]
        if names != [self.itemText(i) for i in range(self.count())]:
            self.clear()
            self.addItems(names)
        if self._targets.chosen is not None:
            self.setCurrentIndex(self._targets.all.index(self._targets.chosen))
        self.setEnabled(bool(names))

    def _on_activated(self, index: int) -> None:
        self._targets.choose(self._targets.all[index])
