"""How often something that keeps changing is drawn: soon after it was asked for, then with a rest."""

import time

from PySide6.QtCore import QObject, QTimer, Signal

BURST_MS = 120  # what comes in a burst is drawn together
REST_MS = 1000  # from one drawing to the next, at least
MOST_REST_MS = 3000
SHARE = 0.01  # of a core for drawing, as far as that rest allows: where a drawing takes long, the rest is longer


class RedrawPace(QObject):
    """`due` says when to draw. A training run has the processor then, and not the picture of it."""

    due = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rests_until = 0.0  # of time.monotonic()
        self._began_s = 0.0  # of this thread's processor time
        self._is_drawing = False  # how long the rest is shows when it is painted
        self._is_asked_meanwhile = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timer_timeout)

    def request(self, rests: bool = True) -> None:
        """There is something new to draw. Any number of times; rests: it may wait until the rest is over."""
        if rests and self._is_drawing:
            self._is_asked_meanwhile = True
            return
        rest_ms = 1000 * (self._rests_until - time.monotonic()) if rests else 0
        wait_ms = max(BURST_MS, round(rest_ms))
        if not self._timer.isActive() or self._timer.remainingTime() > wait_ms:
            self._timer.start(wait_ms)

    def _on_timer_timeout(self) -> None:
        self._began_s = time.thread_time()
        self._is_drawing = True
        self.due.emit()
        QTimer.singleShot(0, self, self._on_painted)  # Qt paints before it looks at timers

    def _on_painted(self) -> None:
        cost_s = time.thread_time() - self._began_s
        rest_ms = min(max(REST_MS, 1000 * cost_s / SHARE), MOST_REST_MS)
        self._rests_until = time.monotonic() + rest_ms / 1000
        self._is_drawing = False
        if self._is_asked_meanwhile:
            self._is_asked_meanwhile = False
            self.request()
