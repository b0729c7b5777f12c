"""Garbage is collected on the window's thread only, and free memory goes back to the system.

Python collects on whichever thread happens to allocate. A QObject that belongs to the window and is collected on the
worker's thread brings the process down, timers above all.

glibc keeps what large arrays leave behind: after a text of 512 tokens some 150 MB, for as long as the window is open.
And it keeps more where each thread has a heap of its own: here one makes the arrays and another lets them go.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, SignalInstance

FIRST_COLLECTED_MS, COLLECT_EVERY_MS = 3000, 500  # while the first model is opened there is much to look through
M_ARENA_MAX = -8  # of malloc.h
QUIET_MS = 2000  # after the last change: giving back takes 10 to 20 ms, which nobody who types shall feel


class GarbageCollector(QObject):
    """Takes over from Python's own collector for good, with its thresholds.

    After `close` nothing is collected: threads may live until the process ends, and Python's own would run on any.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=FIRST_COLLECTED_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """What is due, the young objects above all."""
        self._timer.setInterval(COLLECT_EVERY_MS)
        due = [count > threshold for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[0]:
            gc.collect(2 if due[2] else 1 if due[1] else 0)

    def close(self) -> None:
        self._timer.stop()


class SpareMemory(QObject):
    """Does nothing where the C library has no `malloc_trim`."""

    def __init__(self, parent: QObject, changes: Sequence[SignalInstance]) -> None:
        """changes: after these there may be something to give back."""
        super().__init__(parent)
        self._trim = _glibc("malloc_trim")
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self.give_back)
        for change in changes:
            change.connect(lambda *_: self._quiet.start())

    @property
    def is_waiting(self) -> bool:
        """Something has changed, and it has not been quiet for long enough since."""
        return self._quiet.isActive()

    def give_back(self) -> None:
        if self._trim is not None:
            self._trim(0)

    def close(self) -> None:
        self._quiet.stop()


def share_one_heap() -> None:
    """All threads that are started from now on allocate in the same one."""
    mallopt = _glibc("mallopt")
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)


def _glibc(name: str) -> Callable[..., int] | None:
    """A function of the C library, where it is glibc."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
