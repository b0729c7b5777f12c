"""Cycles that hold QObjects are collected on the window's thread; free memory goes back after a while."""

import gc
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, QTimer, Signal

from app.look import theme
from app.shell import garbage as window_memory
from app.shell.garbage import GarbageCollector, SpareMemory
from benchmarks.left_over import memory
from tests.app.conftest import wait_until

BLOCK_BYTES, BLOCKS, MIB = 64 << 10, 1600, 1 << 20  # 100 MiB in pieces that glibc keeps in its heap


class Cycle(QObject):
    collected_on: list[threading.Thread]

    def __init__(self) -> None:
        super().__init__()
        self.itself = self
        self.timer = QTimer(self)

    def __del__(self) -> None:
        Cycle.collected_on.append(threading.current_thread())


def test_a_thread_that_allocates_much_collects_nothing() -> None:
    owner, Cycle.collected_on = QObject(), []
    collector = GarbageCollector(owner)
    try:
        for _ in range(20):
            Cycle()
        kept: list[list[int]] = []
        thread = threading.Thread(target=lambda: kept.extend([] for _ in range(50_000)))
        thread.start()
        thread.join()
        assert Cycle.collected_on == []
        wait_until(lambda: len(Cycle.collected_on) == 20)
        assert set(Cycle.collected_on) == {threading.main_thread()}
    finally:
        collector.close()
    assert not gc.isenabled()  # a thread may outlive the window


def test_nothing_is_collected_while_qt_goes_through_all_widgets() -> None:
    """A widget freed in the middle of a change of theme would bring the program down."""
    seen: list[bool] = []

    def note(_: object) -> None:
        seen.append(gc.isenabled())

    was_on, before = gc.isenabled(), theme.active().name
    gc.enable()
    try:
        theme.apply(SimpleNamespace(setFont=note, setPalette=note, setStyleSheet=note), "dark")
        assert seen == [False] * 3 and gc.isenabled()
    finally:
        theme.apply(SimpleNamespace(setFont=note, setPalette=note, setStyleSheet=note), before)
        if not was_on:
            gc.disable()


class Something(QObject):
    changed = Signal(str, object)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's heap is asked")
def test_free_memory_is_given_back_after_the_last_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_memory, "QUIET_MS", 50)
    something = Something()
    spare = SpareMemory(something, [something.changed])
    blocks = [np.ones(BLOCK_BYTES, dtype=np.uint8) for _ in range(BLOCKS)]
    kept = blocks[-1].copy()  # above them all: without it glibc would give back by itself
    full = memory()
    del blocks
    freed = memory()
    if full is None or freed is None or full - freed > 20:
        pytest.skip("this C library keeps nothing, so there is nothing to give back")
    something.changed.emit("kind", None)
    wait_until(lambda: full - (memory() or full) > 80)
    spare.close()
    assert kept.any()


def test_each_change_puts_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    something = Something()
    monkeypatch.setattr(window_memory, "QUIET_MS", 100)
    given: list[bool] = []
    monkeypatch.setattr(SpareMemory, "give_back", lambda spare: given.append(spare.is_waiting))
    spare = SpareMemory(something, [something.changed])
    assert not spare.is_waiting
    something.changed.emit("kind", None)
    assert spare.is_waiting and given == []
    wait_until(lambda: given != [])
    assert given == [False]
    something.changed.emit("kind", None)
    spare.close()
    assert not spare.is_waiting
