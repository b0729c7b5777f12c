"""What the views of the room Attend share: the attention on show, the selected heads, the prediction to explain."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from bertcore.errors import BertcoreError

from ...compute.head_questions import HeadTarget, mask_at, own_target, targets_of, why_no_target
from ...state.selection import NO_CONTRAST, Selection
from .attentions import Attentions, Descriptions, Head


class AttendState(QObject):
    """Of the room alone; what all rooms share is in `state/explore_state.py`."""

    targets_changed = Signal()  # there are others, or another is selected
    target_changed = Signal()  # a person has selected another
    contrast_edited = Signal(object)  # Contrast: other words to ask about
    described = Signal()  # `descriptions` are there

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.attentions: Attentions | None = None  # on show; None while nothing is
        self.descriptions: Descriptions = {}  # of all its heads; empty until they are computed
        self.heads: tuple[Head, ...] = ()  # in the order of clicks, the one on show among them
        self.column: int | None = None  # the position whose weight is asked about; None: the highest
        self.targets: list[HeadTarget] = []
        self.target: HeadTarget | None = None
        self.problem = ""  # why there is no target
        self.contrast = NO_CONTRAST  # as it was typed; where it can be asked about, it is the target
        self.contrast_problem = ""  # why it cannot
        self.first_guess = ""  # at the mask that it would be about; empty where there is none
        self._is_picked = False  # by a person: then it stays as long as it is there

    def set_attentions(self, attentions: Attentions, selection: Selection) -> None:
        """Another reading: heads and a column that it has not are selected no more."""
        self.attentions = attentions
        layers, heads = attentions.layers, attentions.heads
        self.heads = tuple(head for head in self.heads if head[0] < layers and head[1] < heads)
        if self.column is not None and self.column >= len(attentions.reading.encoding):
            self.column = None
        self.show_head(selection)
        self.set_targets(selection)

    def show_head(self, selection: Selection) -> None:
        """The head on show is among the selected ones, or the only one."""
        if (selection.layer, selection.head) not in self.heads:
            self.heads = ((selection.layer, selection.head),)

    def set_targets(self, selection: Selection) -> None:
        """What can be asked about, in the model with nothing changed inside, with the tags of the token clicked last.

        First come the words that were typed. What a person selected stays where it is still there; else the mask at
        that token, else the first.
        """
        assert self.attentions is not None
        reading, other = self.attentions.plain, self.attentions.reading.other_text
        position = min(1 if selection.pinned is None else selection.pinned, len(reading.encoding) - 1)
        self.targets, self.problem = targets_of(reading, position, other), why_no_target(reading)
        mask = mask_at(reading, position)
        self.first_guess = "" if mask is None else mask.words[0].token
        own, self.contrast, self.contrast_problem = None, selection.contrast, ""
        try:
            own = own_target(reading, position, selection.contrast)
        except BertcoreError as error:
            self.contrast_problem = str(error)
        if own is not None:
            self.targets = [own, *(one for one in self.targets if one.target != own.target)]
            self.target, self._is_picked = own, False
        else:
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
