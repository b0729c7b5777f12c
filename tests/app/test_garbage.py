"""Cycles that hold QObjects are collected on the window's thread, whatever allocates."""

from __future__ import annotations

import gc
import threading
from types import SimpleNamespace

from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from app.look import theme
from app.shell.garbage import GarbageCollector


class Cycle(QObject):
    collected_on: list[threading.Thread]

    def __init__(self) -> None:
        super().__init__()
        self.itself = self
        self.timer = QTimer(self)

    def __del__(self) -> None:
        Cycle.collected_on.append(threading.current_thread())


def test_a_thread_that_allocates_much_collects_nothing(qtbot: QtBot) -> None:
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
        qtbot.waitUntil(lambda: len(Cycle.collected_on) == 20, timeout=20_000)
        assert set(Cycle.collected_on) == {threading.main_thread()}
    finally:
        collector.close()
    assert gc.isenabled()


def test_nothing_is_collected_while_qt_goes_through_all_widgets() -> None:
    """A widget freed in the middle of a change of theme would bring the program down."""
    seen: list[bool] = []

    def note(_: object) -> None:
        seen.append(gc.isenabled())

    was_on, before = gc.isenabled(), theme.active().name
    gc.enable()
    try:
        theme.apply(SimpleNamespace(setFont=note, setPalette=note, setStyleSheet=note), "dark")  # type: ignore[arg-type]
        assert seen == [False] * 3 and gc.isenabled()
    finally:
        theme.apply(SimpleNamespace(setFont=note, setPalette=note, setStyleSheet=note), before)  # type: ignore[arg-type]
        if not was_on:
            gc.disable()
