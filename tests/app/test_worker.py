"""The worker's thread: what is urgent cuts in, what is unwanted ends."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.compute.worker import UnwantedError, Worker

WAIT_S = 120


class Noted:
    """A worker, and what was reported of its jobs, in order."""

    def __init__(self, first: tuple[str, ...] = ("read",)) -> None:
        self.worker = Worker[Callable[[], Any]](first, lambda _kind, _number, job: job(), self._report)
        self.kinds: list[str] = []  # by the number of the job
        self.reports: list[tuple[str, Any]] = []

    def post(self, kind: str, job: Callable[[], Any]) -> None:
        self.kinds.append(kind)
        self.worker.post(kind, len(self.kinds) - 1, job)

    def post_long(self, kind: str, result: str) -> threading.Event:
        """A job that is at work until the event is set, then looks whether it is still wanted."""
        begun, go_on = threading.Event(), threading.Event()

        def long() -> str:
            begun.set()
            assert go_on.wait(WAIT_S)
            self.worker.step(kind)
            return result

        self.post(kind, long)
        assert begun.wait(WAIT_S)
        return go_on

    def _report(self, number: int, result: Any, problem: BaseException | None) -> None:
        self.reports.append((self.kinds[number], problem or result))
        self.worker.acknowledge()


@pytest.fixture
def noted() -> Iterator[Noted]:
    made = Noted()
    yield made
    made.worker.stop()
    assert made.worker.join(WAIT_S)


def wait(worker: Worker) -> None:
    ended = threading.Event()
    while worker.is_busy:
        ended.wait(0.005)


def test_a_long_job_lets_urgent_ones_cut_in(noted: Noted) -> None:
    go_on = noted.post_long("map", "map is done")
    noted.post("other", lambda: "other")
    noted.post("read", lambda: "text")
    go_on.set()
    wait(noted.worker)
    assert noted.reports == [("read", "text"), ("map", "map is done"), ("other", "other")]


def test_a_cancelled_job_ends_at_its_next_step_and_gives_nothing(noted: Noted) -> None:
    go_on = noted.post_long("map", "never")
    noted.worker.cancel("map")
    go_on.set()
    wait(noted.worker)
    [(kind, problem)] = noted.reports
    assert kind == "map" and isinstance(problem, UnwantedError)


def test_asked_anew_the_old_job_ends_and_the_new_one_answers(noted: Noted) -> None:
    go_on = noted.post_long("map", "old")
    noted.post("map", lambda: "new")
    go_on.set()
    wait(noted.worker)
    (_, problem), new = noted.reports
    assert isinstance(problem, UnwantedError) and new == ("map", "new")


class PanicException(BaseException):
    """As a library written in Rust raises it: it ended the thread, and every model after it opened for ever."""


@pytest.mark.parametrize("problem", [ValueError("no"), PanicException("index out of bounds")])
def test_what_goes_wrong_is_reported_and_the_worker_goes_on(noted: Noted, problem: BaseException) -> None:
    def broken() -> None:
        raise problem

    noted.post("one", broken)
    wait(noted.worker)
    noted.post("two", lambda: 2)
    wait(noted.worker)
    assert noted.reports == [("one", problem), ("two", 2)]


def test_stopping_ends_a_long_job_at_its_next_step() -> None:
    noted = Noted(())
    begun, closing = threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        while True:
            noted.worker.step("map")
            closing.wait(0.005)

    noted.post("map", long)
    assert begun.wait(WAIT_S)
    noted.worker.stop()
    assert noted.worker.join(WAIT_S) and isinstance(noted.reports[0][1], UnwantedError)
