"""Gives memory that is free back to the system, when it has been quiet for a while.

glibc keeps what large arrays leave behind: after a text of 512 tokens some 150 MB, for as long as the window is open.
And it keeps more where each thread has a heap of its own: here one makes the arrays and another lets them go.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, SignalInstance

M_ARENA_MAX = -8  # of malloc.h
QUIET_MS = 2000  # after the last change: giving back takes 10 to 20 ms, which nobody who types shall feel


class SpareMemory(QObject):
    """Does nothing where the C library has no `malloc_trim`."""

    def __init__(self, parent: QObject, changes: Sequence[SignalInstance]) -> None:
        """changes: after these there may be something to give back."""
        super().__init__(parent)
        self._trim = _glibc("malloc_trim")
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(QUIET_MS)
        self._quiet.timeout.connect(self.give_back)
        for change in changes:
            change.connect(self._on_change)

    def give_back(self) -> None:
        if self._trim is not None:
            self._trim(0)

    def close(self) -> None:
        self._quiet.stop()

    def _on_change(self, *_: object) -> None:
        self._quiet.start()


def share_one_heap() -> None:
    """All threads that are started from now on allocate in the same one."""
    mallopt = _glibc("mallopt")
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)


def _glibc(name: str) -> Callable[..., int] | None:
    """A function of the C library, where it is glibc."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
