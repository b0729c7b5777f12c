"""Garbage is collected on the window's thread only.

Python collects on whichever thread happens to allocate. A QObject that belongs to the window and is collected on the
worker's thread brings the process down, timers above all.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500


@contextmanager
def kept() -> Iterator[None]:
    """No garbage is collected meanwhile: for Qt calls that walk over all widgets and run Python code for each."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class GarbageCollector(QObject):
    """Takes over from Python's own collector until `close`, with its thresholds."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)

    def collect(self) -> None:
        """What is due, the young objects above all."""
        due = [count > threshold for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[0]:
            gc.collect(2 if due[2] else 1 if due[1] else 0)

    def close(self) -> None:
        self._timer.stop()
        gc.enable()
