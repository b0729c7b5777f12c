"""Brings in what draws curves, without holding up the window."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal

SLICE_S = 0.008  # of the window's thread at a time


class CurveLoader(QObject):
    """Imports pyqtgraph away from the window's thread: it takes half a second.

    PySide makes each of its classes when it is first asked for, and pyqtgraph asks for all of them. Made on one thread
    while the window's uses them, they have ended the program; so the window's thread makes them first, some at a time.
    """

    loaded = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names = _names_of_qt()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._make_some)

    def start(self) -> None:
        self._timer.start(0)

    def _make_some(self) -> None:
        ends = time.perf_counter() + SLICE_S
        for module, name in self._names:
            getattr(module, name)
            if time.perf_counter() > ends:
                return
        self._timer.stop()
        threading.Thread(target=self._work, name="pyqtgraph import", daemon=True).start()

    def _work(self) -> None:
        import app.widgets.curve_canvas  # noqa: F401

        with contextlib.suppress(RuntimeError):  # the window has been closed in the meantime
            self.loaded.emit()


def _names_of_qt() -> Iterator[tuple[ModuleType, str]]:
    """Of all that pyqtgraph asks of PySide."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            yield module, name
