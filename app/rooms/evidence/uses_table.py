"""Words where they stand, one line each, with the word in the middle: the eye reads down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...look import numbers
from ...look.say import say
from ...widgets.table import Column, Table
from .view import OpenedRow

if TYPE_CHECKING:
    from bertcore.evidence.nearest import Use

AROUND = 60  # characters on both sides


def uses_table(name: str, number: str = "") -> Table:
    """number: what the number behind each line is; empty: a cosine."""
    columns = (
        Column("", lambda use: use.before[-AROUND:], is_number=True, is_widest=True),
        Column("", lambda use: use.word, is_strong=lambda _use: True, color=lambda _use: "accent"),
        Column("", lambda use: use.after[:AROUND], lambda use: use.before + use.word + use.after, is_widest=True),
        Column(number or say("cosine"), lambda use: numbers.decimal(use.value), is_number=True),
        Column(say("from"), lambda use: place_text(use.place), color=lambda _use: "muted"),
    )
    return Table(name, columns)


def place_text(place: str) -> str:
    """ "stories.txt, line 3", in the language of the window."""
    file, line, number = place.rpartition("line ")
    return f"{file}{say('line {number}', number=number)}" if line else place


def opened_use(use: Use) -> OpenedRow:
    """Its sentence for all rooms, with the word selected."""
    begin = len(use.before)
    return OpenedRow(use.before + use.word + use.after, chosen=(begin, begin + len(use.word)))
