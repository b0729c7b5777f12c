"""Beside the tokens: how all rooms show the text, and what it is compared with.

Below these, where something is changed inside the model: what.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from ..look.say import say
from .card import Hint, button, set_role
from .layouts import hbox, vbox


class ViewSwitches(QWidget):
    """Two switches, one above the other; while something is compared, two more beside them."""

    words_switched = Signal(bool)
    specials_switched = Signal(bool)
    difference_switched = Signal(bool)
    other_held = Signal(bool)  # the button is held down, or not any more

    def __init__(self) -> None:
        super().__init__()

        def switch(title: str, hint: str, checkable: bool = True) -> QPushButton:
            return button(title, look="small", hint=hint, checkable=checkable)

        self.words = switch(say("Whole words"), say("Show the pieces of a word as one"))
        self.specials = switch(say("Special tokens"), say("Show the special tokens"))
        self.difference = switch(say("Difference"), say("Show what differs, or both side by side (D)"))
        hint = say("Show only the baseline while this button or X is held")
        self.other = switch(say("Hold for baseline"), hint, checkable=False)
        self.words.toggled.connect(self.words_switched)
        self.specials.toggled.connect(self.specials_switched)
        self.difference.clicked.connect(self.difference_switched)
        self.other.pressed.connect(lambda: self.other_held.emit(True))
        self.other.released.connect(lambda: self.other_held.emit(False))
        self._comparing = QWidget()
        vbox(self.difference, self.other, parent=self._comparing, gap_px=4)
        hbox(self._comparing, vbox(self.words, self.specials, gap_px=4), parent=self, gap_px=6)
        self._comparing.hide()

    def show_view(self, words: bool, specials: bool) -> None:
        self.words.setChecked(words)
        self.specials.setChecked(specials)

    def show_baseline(self, has_baseline: bool, wants_difference: bool, shows_other: bool) -> None:
        self._comparing.setVisible(has_baseline)
        self.difference.setChecked(wants_difference)
        self.other.setDown(shows_other)


class WhatIfLine(QWidget):
    """Hidden where nothing is changed inside the model."""

    reset_requested = Signal()
    swap_ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._changes = Hint()
        set_role(self._changes, "strong")
        hint = say("The whole window shows this swap. Click or press Esc to end it")
        self.swap = button("", self.swap_ended.emit, look="small", hint=hint, checkable=True)
        self.swap.clicked.connect(lambda: self.swap.setChecked(True))  # it is on as long as it is there
        hint = say("Undo every change inside the model")
        self._reset = button(say("Reset"), self.reset_requested.emit, look="small", hint=hint)
        hbox((self._changes, 1), self._reset, self.swap, parent=self, gap_px=6)
        self.show_changes([])

    @property
    def text(self) -> str:
        """What is said to be changed; empty where nothing is."""
        return self._changes.text()

    def show_changes(self, changes: list[str], swap: str = "") -> None:
        """Each change in a few words; swap: what comes from another text, on a chip of its own."""
        self._changes.setText(say("What if:  {changes}", changes=" · ".join(changes)) if changes else "")
        self._reset.setVisible(bool(changes))
        self.swap.setText(say("Swapped in: {what}  ×", what=swap))
        self.swap.setChecked(True)
        self.swap.setVisible(bool(swap))
        self.setVisible(bool(changes or swap))
