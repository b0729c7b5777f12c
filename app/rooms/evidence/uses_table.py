"""Words where they stand, one line each, with the word in the middle: the eye reads down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHeaderView

from ...look import numbers
from ...look.say import say
from ...widgets.table import Column, Table
from .view import OpenedRow

if TYPE_CHECKING:
    from bertcore.evidence.nearest import Use

AROUND = 60  # characters on both sides


class UsesTable(Table):
    """`row_opened` gives the use of a line, by a double click; `opened_use` what all rooms show then."""

    def __init__(self, name: str, number: str = "") -> None:
        """number: what the number behind each line is; empty: a cosine."""
        super().__init__(name)
        self._uses: Sequence[Use] | None = None
        self._columns = [
            Column("", lambda use: use.before[-AROUND:], is_number=True),
            Column("", lambda use: use.word, is_strong=lambda _use: True, color=lambda _use: "accent"),
            Column("", lambda use: use.after[:AROUND], tip=lambda use: use.before + use.word + use.after),
            Column(number or say("cosine"), lambda use: numbers.decimal(use.value), is_number=True),
            Column(say("from"), lambda use: place_text(use.place), color=lambda _use: "muted"),
        ]

    def show_uses(self, uses: Sequence[Use]) -> None:
        """A person's place in the list stays while nothing is another."""
        if uses is self._uses:
            return
        self._uses = uses
        self.set_rows(uses, self._columns)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for side in (0, 2):
            header.setSectionResizeMode(side, QHeaderView.ResizeMode.Stretch)


def place_text(place: str) -> str:
    """ "stories.txt, line 3", in the language of the window."""
    file, line, number = place.rpartition("line ")
    return f"{file}{say('line {number}', number=number)}" if line else place


def opened_use(use: Use) -> OpenedRow:
    """Its sentence for all rooms, with the word selected."""
    begin = len(use.before)
    return OpenedRow(use.before + use.word + use.after, chosen=(begin, begin + len(use.word)))
