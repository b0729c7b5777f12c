"""What is chosen in the room Attend alone: heads, the token they are asked about, and the prediction to ask about."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSizePolicy

from bertcore.errors import BertcoreError

from ...compute.head_questions import HeadTarget, mask_at, own_target, targets_of, why_no_target
from ...look.say import say
from ...state.contrast import NO_CONTRAST, Contrast
from ...state.readings import Reading
from ...widgets.contrast_fields import ContrastFields
from ...widgets.controls import Choice
from .attentions import Head


class Chosen(QObject):
    """Shared by all views of the room."""

    targets_changed = Signal()  # there are others, or another is chosen
    target_changed = Signal()  # a person has chosen another
    contrast_edited = Signal(object)  # Contrast: other words to ask about

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.heads: tuple[Head, ...] = ()  # in the order of choosing, the one on show among them
        self.column: int | None = None  # the position whose weight is asked about; None: the highest
        self.targets: list[HeadTarget] = []
        self.target: HeadTarget | None = None
        self.problem = ""  # why there is no target
        self.contrast = NO_CONTRAST  # as it was typed; where it can be asked about, it is the target
        self.contrast_problem = ""  # why it cannot
        self.first_guess = ""  # at the mask that it would be about; empty where there is none
        self._is_picked = False  # by a person: then it stays as long as it is there

    @property
    def target_name(self) -> str:
        """The prediction as it is named within a sentence."""
        if self.target is None:
            return say("the prediction")
        if self.target.is_contrast:
            return self.target.label  # it has quotation marks
        return say("“{prediction}”", prediction=self.target.label)

    def set_reading(self, reading: Reading, position: int, other: Reading | None, contrast: Contrast) -> None:
        """reading: nothing is changed inside the model. position: the token that was clicked. other: of another text.

        First come the words of `contrast`. What a person chose stays where it is still there; else the mask at
        `position`, else the first.
        """
        self.targets, self.problem = targets_of(reading, position, other), why_no_target(reading)
        mask = mask_at(reading, position)
        self.first_guess = "" if mask is None else mask.words[0].token
        own, self.contrast, self.contrast_problem = None, contrast, ""
        try:
            own = own_target(reading, position, contrast)
        except BertcoreError as error:
            self.contrast_problem = str(error)
        if own is not None:
            self.targets = [own, *(one for one in self.targets if one.target != own.target)]
            self.target, self._is_picked = own, False
            self.targets_changed.emit()
            return
        picked = self.target.target if self.target is not None and self._is_picked else None
        kept = [one for one in self.targets if one.target == picked]
        here = [one for one in self.targets if one.target.head == "mlm" and one.target.position == position]
        self._is_picked = bool(kept)
        self.target = next(iter([*kept, *here, *self.targets]), None)
        self.targets_changed.emit()

    def choose_target(self, target: HeadTarget) -> None:
        """By hand, in place of the words that were typed."""
        self._is_picked = True
        if target != self.target:
            self.target = target
            self.targets_changed.emit()
            self.target_changed.emit()
            self.contrast_edited.emit(NO_CONTRAST)


class TargetBox(Choice):
    """Which prediction to ask about: a list to choose from, the same in every place that asks."""

    def __init__(self) -> None:
        super().__init__()
        self.setToolTip(say("The prediction to explain"))
        self.setAccessibleName(say("The prediction to explain"))
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


class TargetFields(ContrastFields):
    """The words to ask about, for a prediction of a mask."""

    def follow(self, chosen: Chosen) -> None:
        chosen.targets_changed.connect(lambda: self._show(chosen))
        self.edited.connect(chosen.contrast_edited)
        self._show(chosen)

    def _show(self, chosen: Chosen) -> None:
        self.show_contrast(chosen.contrast, (chosen.first_guess, ""), chosen.contrast_problem)
        self.setVisible(bool(chosen.first_guess))


def named_heads(heads: Sequence[Head]) -> str:
    """ "1·2, 3·4" """
    return ", ".join(f"{layer + 1}·{head + 1}" for layer, head in heads)
