"""One thread for all that torch computes. For each kind of job only the newest waits; each job is reported once.

A long job calls `step` between its parts: what is more urgent runs there and then, on the same thread, so that typing
goes on; and a job that nobody wants any more ends there.
"""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Job = TypeVar("Job")


class UnwantedError(Exception):
    """Raised inside a job that was cancelled, that was asked for anew, or whose model is not open any more."""


class Worker(Generic[Job]):
    """Jobs come in on any thread. A job is data, with a number by which it is reported: nothing else waits with it."""

    def __init__(
        self,
        first: tuple[str, ...],
        run: Callable[[str, int, Job], Any],
        report: Callable[[int, Any, BaseException | None], None],
    ) -> None:
        """first: the kinds that come before all others, in this order. run: does a job (kind, number, job).

        report: gets a job's result, or what went wrong: UnwantedError where it was cut short or never began. Both are
        called on the worker's thread; `report` also where a job that waits is dropped.
        """
        self._first, self._do, self._report = first, run, report
        self._waiting: dict[str, tuple[int, Job]] = {}
        self._running: list[str] = []  # kinds, the innermost last
        self._unwanted: set[str] = set()  # kinds of running jobs that shall end
        self._unreported = 0  # reported, or still running, and not yet `acknowledge`d
        self._changed = threading.Condition()
        self.is_closing = False
        self.thread = threading.Thread(target=self._run_jobs, name="inference", daemon=True)
        self.thread.start()

    @property
    def is_busy(self) -> bool:
        """True while anything waits, runs, or is not yet acknowledged."""
        with self._changed:
            return self._unreported > 0 or bool(self._waiting)

    def post(self, kind: str, number: int, job: Job) -> None:
        """The newest of its kind goes to the end of the line, in place of the one before."""
        self.cancel(kind)
        with self._changed:
            if not self.is_closing:
                self._waiting[kind] = number, job
                self._changed.notify()

    def cancel(self, kind: str) -> None:
        """What waits is dropped; what runs goes no farther than its next `step`."""
        with self._changed:
            self._unwanted |= {kind} & set(self._running)
            dropped = self._waiting.pop(kind, None)
            self._unreported += dropped is not None
        if dropped is not None:
            self._report(dropped[0], None, UnwantedError())

    def expect(self) -> None:
        """Something outside the worker will be reported too: it counts as busy until `acknowledge`."""
        with self._changed:
            self._unreported += 1

    def acknowledge(self) -> None:
        """One report has reached the window."""
        with self._changed:
            self._unreported -= 1

    def step(self, kind: str) -> None:
        """Called by a running job of this kind. Raises UnwantedError where it shall end."""
        while self._run_next(self._first):
            pass
        with self._changed:
            if self.is_closing or kind in self._unwanted:
                raise UnwantedError

    def stop(self) -> None:
        """Tells the thread to end, after the part of a job that it is at; what still waits is dropped."""
        with self._changed:
            self.is_closing = True
            self._waiting.clear()
            self._changed.notify()

    def join(self, timeout_s: float) -> bool:
        """Waits for the thread to end; False where it has not."""
        self.thread.join(timeout_s)
        return not self.thread.is_alive()

    def _run_jobs(self) -> None:
        while not self.is_closing:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self.is_closing)
            self._run_next(None)

    def _run_next(self, kinds: tuple[str, ...] | None) -> bool:
        """The most urgent job, which is held no longer than it runs; with `kinds`, only of those. False: none waits."""
        with self._changed:
            waiting = [kind for kind in self._first if kind in self._waiting]
            if kinds is None and not waiting:
                waiting = list(self._waiting)
            if not waiting or self.is_closing:
                return False
            self._unreported += 1
            taken = self._waiting.pop(waiting[0])
        self._run(waiting[0], *taken)
        return True

    def _run(self, kind: str, number: int, job: Job) -> None:
        with self._changed:
            self._running.append(kind)
            self._unwanted.discard(kind)
        result, problem = None, None
        try:
            result = self._do(kind, number, job)
        except BaseException as error:  # whatever it is, a library's panic too: the worker goes on, the person is told
            problem = error
        with self._changed:
            self._running.pop()
        self._report(number, result, problem)
