"""Garbage is collected on the window's thread only.

Python collects on whichever thread happens to allocate. A QObject that belongs to the window and is collected on the
worker's thread brings the process down, timers above all.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500


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
