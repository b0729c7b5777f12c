"""Random typing, clicking and switching for some seconds (`make soak` takes ten minutes), and whether it is watched."""

import gc
import logging
import mmap
import threading
import warnings
from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.banner import Banner
from benchmarks.left_over import Complaints, left_over, take_census
from bertcore.locations import TINY
from tests.end_to_end.shell import run_python

SECONDS = 4
MOST_MEMORY = 1.25  # so short a time says little of memory; ten minutes are held to 1.10


def test_some_seconds_of_random_use_leave_nothing_behind():
    # the smaller model: a walk opens every view of Evidence, which reads hundreds of sentences
    given = ("--minutes", str(SECONDS / 60), "--seed", "4", "--walks", "1", "--most-memory", str(MOST_MEMORY))
    given += ("--model", TINY)
    done = run_python("-m", "benchmarks.random_use", *given)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.endswith("Nothing went wrong and nothing is left over.\n")
    assert done.stderr == ""
    actions = int(done.stdout.split(" actions: ")[0].split("\n")[-1])
    assert actions >= 1, done.stdout


def test_a_timer_a_thread_and_a_widget_that_stay_are_named(qtbot):
    start = take_census()
    timer, label, end_it = QTimer(), QLabel(), threading.Event()
    timer.start(60_000)
    thread = threading.Thread(target=end_it.wait, name="one that stays")
    thread.start()
    try:
        found = left_over(start, take_census())
    finally:
        end_it.set()
        thread.join()
    said = " | ".join(found)
    assert "threads left over: one that stays" in said
    assert "timers left over: 1 of NoneType" in said
    assert "running timers left over: 1 of NoneType" in said
    assert "widgets left over: 1 of QLabel" in said
    timer.stop()
    label.deleteLater()
    del timer, label


def test_what_keeps_a_dead_widget_is_named(qtbot):
    """A connection of something without a parent to a function that knows the widget: Python cannot see the circle."""
    gc.collect()
    start = take_census()

    def make():
        holder, banner, inside = QWidget(), Banner(), Banner()
        inside.setParent(holder)
        banner.shown_changed.connect(lambda shown: (banner, inside))
        holder.deleteLater()

    make()

    def is_named():  # what earlier tests left may go now, and is named beside it
        shells = [line for line in left_over(start, take_census()) if line.startswith("shells of what is gone")]
        return any("1 of Banner" in line for line in shells)

    qtbot.waitUntil(is_named, timeout=120_000)


def test_memory_that_grew_is_named(qtbot):
    start = take_census()
    if start.memory is None:
        pytest.skip("this system does not tell")
    assert left_over(start, replace(start, memory=start.memory * 1.09)) == []
    (said,) = left_over(start, replace(start, memory=start.memory * 1.11))
    assert said.startswith("memory grew from")
    # pages of its own: a bytearray may lie in memory that an earlier test gave back to the heap, and nothing grows
    with mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as kept:
        for _ in range(64):
            kept.write(b"x" * (1 << 20))
        grown = take_census().memory
    assert grown is not None and grown - start.memory > 55


def test_every_kind_of_complaint_is_heard(qtbot):
    with warnings.catch_warnings(), closing(Complaints()) as complaints:
        qWarning("a warning of Qt")
        logging.getLogger("somewhere").warning("a warning in the log")
        warnings.warn("a warning of Python", RuntimeWarning, stacklevel=1)
    assert [line.split(":")[0] for line in complaints.said] == ["Qt", "log", "RuntimeWarning"]
