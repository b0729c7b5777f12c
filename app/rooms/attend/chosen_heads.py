"""What is chosen in the room Attend alone: heads, the token they are asked about, and the prediction to ask about."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QSizePolicy

from ...compute.head_questions import HeadTarget, targets_of, why_no_target
from ...state.readings import Reading
from ...widgets.controls import Choice
from .attentions import Head


class Chosen(QObject):
    """Shared by all views of the room."""

    targets_changed = Signal()  # there are others, or another is chosen
    target_changed = Signal()  # a person has chosen another

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.heads: tuple[Head, ...] = ()  # in the order of choosing, the one on show among them
        self.column: int | None = None  # the position whose weight is asked about; None: the highest
        self.targets: list[HeadTarget] = []
        self.target: HeadTarget | None = None
        self.problem = ""  # why there is no target
        self._is_picked = False  # by a person: then it stays as long as it is there

    @property
    def target_name(self) -> str:
        """The prediction as it is named within a sentence."""
        if self.target is None:
            return QCoreApplication.translate("Chosen", "the prediction")
        return QCoreApplication.translate("Chosen", "“{prediction}”").format(prediction=self.target.label)

    def set_reading(self, reading: Reading, position: int, other: Reading | None) -> None:
        """reading: nothing is changed inside the model. position: the token that was clicked. other: of another text.

        What a person chose stays where it is still there; else the mask at `position`, else the first.
        """
        self.targets, self.problem = targets_of(reading, position, other), why_no_target(reading)
        picked = self.target.target if self.target is not None and self._is_picked else None
        kept = [one for one in self.targets if one.target == picked]
        here = [one for one in self.targets if one.target.head == "mlm" and one.target.position == position]
        self._is_picked = bool(kept)
        self.target = next(iter([*kept, *here, *self.targets]), None)
        self.targets_changed.emit()

    def choose_target(self, target: HeadTarget) -> None:
        self._is_picked = True
        if target != self.target:
            self.target = target
            self.targets_changed.emit()
            self.target_changed.emit()


class TargetBox(Choice):
    """Which prediction to ask about: a list to choose from, the same in every place that asks."""

    def __init__(self) -> None:
        super().__init__()
        self.setToolTip(self.tr("The prediction to explain"))
        self.setAccessibleName(self.tr("The prediction to explain"))
        self.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._chosen: Chosen | None = None
        self.activated.connect(self._on_activated)

    def follow(self, chosen: Chosen) -> None:
        self._chosen = chosen
        chosen.targets_changed.connect(self._show_targets)
        self._show_targets()

    def _show_targets(self) -> None:
        assert self._chosen is not None
        names = [target.label + target.note for target in self._chosen.targets]
        if names != [self.itemText(i) for i in range(self.count())]:
            self.clear()
            self.addItems(names)
        if self._chosen.target is not None:
            self.setCurrentIndex(self._chosen.targets.index(self._chosen.target))
        self.setEnabled(bool(names))

    def _on_activated(self, index: int) -> None:
        assert self._chosen is not None
        self._chosen.choose_target(self._chosen.targets[index])


def named_heads(heads: Sequence[Head]) -> str:
    """ "1·2, 3·4" """
    return ", ".join(f"{layer + 1}·{head + 1}" for layer, head in heads)
