"""Beside the tokens: how all rooms show the text. Below them, where something is changed inside the model: what."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from .card import Hint, button, set_role
from .layouts import hbox, vbox


class ViewSwitches(QWidget):
    """Two switches, one above the other."""

    words_switched = Signal(bool)
    specials_switched = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        words, specials = self.tr("Show the pieces of a word as one"), self.tr("Show the special tokens")
        self.words = button(self.tr("Whole words"), hint=words, checkable=True)
        self.specials = button(self.tr("Special tokens"), hint=specials, checkable=True)
        layout = vbox(parent=self, gap_px=4)
        for switch, signal in ((self.words, self.words_switched), (self.specials, self.specials_switched)):
            switch.setProperty("look", "small")
            switch.toggled.connect(signal)
            layout.addWidget(switch)

    def show_view(self, words: bool, specials: bool) -> None:
        self.words.setChecked(words)
        self.specials.setChecked(specials)


class WhatIfLine(QWidget):
    """Hidden where nothing is changed inside the model."""

    reset_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._changes = Hint()
        set_role(self._changes, "strong")
        hbox(
            (self._changes, 1),
            button(self.tr("Reset"), self.reset_requested.emit, hint=self.tr("Undo every change inside the model")),
            parent=self,
            gap_px=6,
        )
        self.show_changes([])

    @property
    def text(self) -> str:
        """What is said to be changed; empty where nothing is."""
        return self._changes.text()

    def show_changes(self, changes: list[str]) -> None:
        """Each change in a few words."""
        self._changes.setText(self.tr("What if:  {changes}").format(changes=" · ".join(changes)) if changes else "")
        self.setVisible(bool(changes))
