"""BERTscope as `python -m app` starts it, which also writes down what its window shows: `... FILE [ARGUMENTS]`.

FILE gets JSON, moved into place, each time something has changed. Places are in pixels of the screen.
"""

import faulthandler
import json
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QApplication, QToolTip

import app.shell.window
from app import __main__
from app.look import theme
from app.widgets.command_list import Palette
from app.widgets.room_rail import RoomButton

EVERY_MS = 20
CELL = 3, 5  # row and column of the matrix whose place is written down


class ReportingWindow(app.shell.window.Window):
    """A timer looks at the window; nothing else is different."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._written = ""
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._write)
        self._timer.start(EVERY_MS)

    def _write(self):
        text = json.dumps(what_is_shown(self))
        if text != self._written:
            self._written = text
            part = FILE.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            os.replace(part, FILE)


def what_is_shown(window):
    state, frame, field = window.state, window.frame, window.frame.strip.field
    focused = QApplication.focusWidget()
    palette = next((found for found in window.findChildren(Palette) if not found.isHidden()), None)
    return {
        "window": int(window.winId()),
        "is_active": window.isActiveWindow(),
        "keyboard": focused.accessibleName() if focused else None,
        "a": frame.sentences.a.text(),
        "b": frame.sentences.b.text(),
        "chips": [chip.token for chip in field.chips],
        "masked": list(state.all_masked),
        "focus": state.focus,
        "hover": state.hover,
        "room": window.room_key,
        "theme": theme.active().name,
        "tip": QToolTip.text() if QToolTip.isVisible() else "",
        "palette": None if palette is None else [entry.title for entry in palette.shown],
        "undo": window.commands["edit.undo"].text(),
        "is_read": window.is_settled(),
        "banner": frame.banner.text if frame.banner.isVisible() else "",
        "places": {
            "a": _middle(frame.sentences.a),
            "chips": [_place(field, QPointF(field.rect_of(i).center())) for i in range(len(field.chips))],
            "rooms": {button.room_key: _middle(button) for button in frame.rail.findChildren(RoomButton)},
        },
        **_in_room(frame.room),
    }


def _in_room(room):
    """What the open room shows, of the rooms that are looked at closely."""
    name = type(room).__name__
    if name == "PredictRoom" and room.is_drawn:
        return {
            "guesses": {
                card.position: [(word.token, word.probability) for word in card.words]
                for card in room.words_view.shown_cards
            }
        }
    if name == "AttendRoom" and room.is_drawn:
        view = room.get_view("matrix").grid
        shown = {
            "matrix": [[round(float(value), 4) for value in row] for row in view.values],
            "readout": room.view.readout.text(),
            "seen_cells": view.zoom.span,
            "head": [room.state.layer, room.state.head],
        }
        return {**shown, "cell": _cell(view)} if len(view.rows.texts) > max(CELL) else shown
    return {}


def _cell(view):
    return _place(view, view.cell_rect(*CELL).center())


def _middle(widget):
    return _place(widget, QPointF(widget.rect().center()))


def _place(widget, point):
    there = widget.mapToGlobal(point).toPoint()
    return [there.x(), there.y()]


if __name__ == "__main__":
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)  # says where every thread is
    FILE = Path(sys.argv[1])
    app.shell.window.Window = ReportingWindow
    sys.exit(__main__.main(sys.argv[2:]))
