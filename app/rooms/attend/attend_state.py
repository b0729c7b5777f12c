"""What the views of the room Attend share: the attention on show, the selected heads, the prediction to explain."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from ...compute.head_questions import targets_of
from ...look import mark, say
from ...state import Selection, WhatIf, head_name
from ...widgets.context_menu import Entry
from ...widgets.target_choice import Targets
from .attentions import Attentions, Descriptions, Head, head_title
from .sentences import hovered_head


class AttendState(QObject):
    """Of the room alone; what all rooms share is in `state/explore_state.py`."""

    head_chosen = Signal(int, int)  # layer, head: to be on show
    column_chosen = Signal()
    edited = Signal(object)  # Callable[[WhatIf], WhatIf]: a person changes something inside the model
    described = Signal()  # `descriptions` are there

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.attentions: Attentions | None = None  # on show; None while nothing is
        self.descriptions: Descriptions = {}  # of all its heads; empty until they are computed
        self.effects: np.ndarray | None = None  # (L,N) of each head on the prediction, while they are drawn
        self.heads: tuple[Head, ...] = ()  # in the order of clicks, the one on show among them
        self.column: int | None = None  # the position whose weight is asked about; None: the highest
        self.targets = Targets(self)

    def set_attentions(self, attentions: Attentions, selection: Selection) -> None:
        """Another reading: heads and a column that it has not are selected no more."""
        self.attentions = attentions
        self.heads = tuple(head for head in self.heads if attentions.has(head))
        if self.column is not None and self.column >= len(attentions.reading.encoding):
            self.column = None
        self.show_head(selection)
        self.set_targets(selection)

    def show_head(self, selection: Selection) -> None:
        """The head on show is among the selected ones, or the only one."""
        if (selection.layer, selection.head) not in self.heads:
            self.heads = ((selection.layer, selection.head),)

    def set_targets(self, selection: Selection) -> None:
        """What can be asked about, in the model with nothing changed inside, with the tags of the pinned token."""
        assert self.attentions is not None
        reading = self.attentions.reading
        position = min(1 if selection.pinned is None else selection.pinned, len(reading.encoding) - 1)
        targets = targets_of(reading.plain, position, reading.other_text)
        self.targets.set_targets(reading.plain, position, selection.contrast, targets)

    def choose(self, *heads: Head) -> None:
        """All of these; the first is the one on show."""
        if heads:
            self.heads = tuple(dict.fromkeys(heads))
            self.head_chosen.emit(*heads[0])

    def toggle(self, head: Head) -> None:
        """One more, or one less; the last one stays."""
        others = tuple(one for one in self.heads if one != head)
        heads = others if len(others) < len(self.heads) else (*others, head)
        if heads:
            self.heads = heads
            self.head_chosen.emit(*heads[-1])

    def choose_column(self, column: int) -> None:
        """column: a position."""
        self.column = column
        self.column_chosen.emit()

    def edit_weight(self, head: Head, row: int, column: int, weight: float) -> None:
        """row, column: units of the reading on show."""
        if self.attentions is not None:
            self.column = self.attentions.units.members[column][0]
            self.edited.emit(self.attentions.with_weight(head, row, column, weight))

    def about(self, head: Head | None) -> str:
        """What is said of a head under the mouse."""
        if head is None or self.attentions is None:
            return ""
        effect = None if self.effects is None else float(self.effects[head])
        return hovered_head(self.attentions, head, self.descriptions.get(head), self.targets.target, effect)

    def entries(self, head: Head) -> list[Entry]:
        """What can be done with a head, for the menu of a right click."""
        assert self.attentions is not None
        title, name = head_title(*head), head_name(*head)
        is_off, is_selected = head in self.attentions.reading.request.what_if.heads_off, head in self.heads
        switch = mark("Switch head {head} on again") if is_off else mark("Switch head {head} off")
        compare = mark("Remove it from the comparison") if is_selected else mark("Compare it with the selected heads")
        switched: Callable[[WhatIf], WhatIf] = lambda what_if: what_if.with_head(*head, not is_off)  # noqa: E731
        return [
            (say("Select {head}", head=title), lambda: self.choose(head)),
            (say(compare), lambda: self.toggle(head)),
            None,
            (say(switch, head=name), lambda: self.edited.emit(switched)),
            (say("Copy its name"), lambda: QApplication.clipboard().setText(title)),
        ]
