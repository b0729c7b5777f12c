"""The worker's thread: what is urgent cuts in, what is unwanted ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from app.compute.worker import Worker

WAIT_S = 10


class Told:
    """What was reported, in order."""

    def __init__(self) -> None:
        self.reports: list[tuple[str, Any]] = []
        self.worker: Worker | None = None

    def __call__(self, kind: str, result: Any, problem: BaseException | None) -> None:
        self.reports.append((kind, problem or result))
        assert self.worker is not None
        self.worker.taken_in()


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def worker(told: Told) -> Iterator[Worker]:
    made = told.worker = Worker(told, ("read",))
    yield made
    made.close(WAIT_S)
    assert not made.thread.is_alive()


def wait(worker: Worker) -> None:
    ended = threading.Event()
    for _ in range(2000):
        if not worker.is_busy:
            return
        ended.wait(0.005)
    raise AssertionError("the worker is still busy")


def test_a_long_job_lets_urgent_ones_cut_in(worker: Worker, told: Told) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        assert go_on.wait(WAIT_S)
        worker.step("map")
        return "map is done"

    worker.post("map", long)
    assert begun.wait(WAIT_S)
    worker.post("other", lambda: "other")
    worker.post("read", lambda: "text")
    go_on.set()
    wait(worker)
    assert told.reports == [("read", "text"), ("map", "map is done"), ("other", "other")]


def test_a_cancelled_job_ends_at_its_next_step_and_gives_nothing(worker: Worker, told: Told) -> None:
    begun, go_on, beyond = threading.Event(), threading.Event(), []

    def long() -> str:
        begun.set()
        assert go_on.wait(WAIT_S)
        worker.step("map")
        beyond.append(1)
        return "never"

    worker.post("map", long)
    assert begun.wait(WAIT_S)
    worker.cancel("map")
    go_on.set()
    wait(worker)
    assert not beyond and told.reports == [("map", None)]


def test_asked_anew_the_old_job_ends_and_the_new_one_answers(worker: Worker, told: Told) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def old() -> str:
        begun.set()
        assert go_on.wait(WAIT_S)
        worker.step("map")
        return "old"

    worker.post("map", old)
    assert begun.wait(WAIT_S)
    worker.post("map", lambda: "new")
    go_on.set()
    wait(worker)
    assert told.reports == [("map", None), ("map", "new")]


class PanicException(BaseException):
    """As a library written in Rust raises it: it ended the thread, and every model after it opened for ever."""


@pytest.mark.parametrize("problem", [ValueError("no"), PanicException("index out of bounds")])
def test_what_goes_wrong_is_reported_and_the_worker_goes_on(worker: Worker, told: Told, problem: BaseException) -> None:
    def broken() -> None:
        raise problem

    worker.post("one", broken)
    wait(worker)
    worker.post("two", lambda: 2)
    wait(worker)
    assert told.reports == [("one", problem), ("two", 2)]


def test_closing_ends_a_long_job_at_its_next_step(told: Told) -> None:
    worker = told.worker = Worker(told, ())
    begun, closing = threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        for _ in range(2000):
            worker.step("map")
            closing.wait(0.005)
        return "never"

    worker.post("map", long)
    assert begun.wait(WAIT_S)
    worker.close(WAIT_S)
    assert not worker.thread.is_alive() and told.reports == [("map", None)]
