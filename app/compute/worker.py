"""One thread for all that torch computes. For each kind of job only the newest waits; all that completes is reported.

A long job calls `step` between its parts: what is more urgent runs there and then, on the same thread, so that typing
goes on; and a job that nobody wants any more ends there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

Job = Callable[[], Any]
Report = Callable[[str, Any, BaseException | None], None]  # kind, result, what went wrong


class UnwantedError(Exception):
    """Raised inside a long job that was cancelled, or asked anew with something else."""


class Worker:
    """Jobs come in on any thread; `report` is called on the worker's."""

    def __init__(self, report: Report, first: tuple[str, ...]) -> None:
        """first: the kinds that come before all others, in this order."""
        self._report, self._first = report, first
        self._waiting: dict[str, Job] = {}
        self._running: list[str] = []  # kinds, the innermost last
        self._unwanted: set[str] = set()  # kinds of running jobs that shall end
        self._unreported = 0  # taken, and not yet said to be `taken_in`
        self._changed = threading.Condition()
        self._closing = False
        self.thread = threading.Thread(target=self._work, name="inference", daemon=True)
        self.thread.start()

    @property
    def is_busy(self) -> bool:
        """True while anything waits, runs, or is not yet taken in."""
        with self._changed:
            return self._unreported > 0 or bool(self._waiting)

    @property
    def is_closing(self) -> bool:
        return self._closing

    def post(self, kind: str, job: Job) -> None:
        """The newest of its kind goes to the end of the line, in place of the one before."""
        with self._changed:
            if self._closing:
                return
            self._waiting.pop(kind, None)
            self._waiting[kind] = job
            self._unwanted |= {kind} & set(self._running)
            self._changed.notify()

    def cancel(self, kind: str) -> None:
        """Neither waits nor goes on beyond its next `step`; nothing is reported."""
        with self._changed:
            self._waiting.pop(kind, None)
            self._unwanted |= {kind} & set(self._running)

    def expect(self) -> None:
        """Something outside the worker will be reported too: it counts as busy until `taken_in`."""
        with self._changed:
            self._unreported += 1

    def taken_in(self) -> None:
        """One report has reached the window."""
        with self._changed:
            self._unreported -= 1

    def step(self, kind: str) -> None:
        """Called by a running job of this kind. Raises UnwantedError where it shall end."""
        while (urgent := self._take(self._first)) is not None:
            self._run(*urgent)
        with self._changed:
            if self._closing or kind in self._unwanted:
                raise UnwantedError

    def close(self, timeout_s: float) -> None:
        """Ends the thread; what still waits is dropped."""
        with self._changed:
            self._closing = True
            self._waiting.clear()
            self._changed.notify()
        self.thread.join(timeout_s)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closing:
                    self._changed.wait()
                if self._closing:
                    return
            taken = self._take(None)
            if taken is not None:
                self._run(*taken)

    def _take(self, kinds: tuple[str, ...] | None) -> tuple[str, Job] | None:
        """The most urgent job; with `kinds`, only of those."""
        with self._changed:
            found = [kind for kind in self._first if kind in self._waiting]
            if kinds is None and not found:
                found = list(self._waiting)
            if not found or self._closing:
                return None
            self._unreported += 1
            return found[0], self._waiting.pop(found[0])

    def _run(self, kind: str, job: Job) -> None:
        with self._changed:
            self._running.append(kind)
            self._unwanted.discard(kind)
        result, problem = None, None
        try:
            result = job()
        except UnwantedError:
            pass
        except BaseException as error:  # whatever it is, a library's panic too: the worker goes on, the person is told
            problem = error
        with self._changed:
            self._running.pop()
        self._report(kind, result, problem)
