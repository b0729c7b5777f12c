"""What a long text took is given back once it is gone and nothing has happened for a while."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.shell import spare_memory
from app.shell.spare_memory import SpareMemory
from benchmarks.left_over import memory

BLOCK_BYTES, BLOCKS, MIB = 64 << 10, 1600, 1 << 20  # 100 MiB in pieces that glibc keeps in its heap


class Something(QObject):
    changed = Signal(str, object)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's heap is asked")
def test_free_memory_is_given_back_after_the_last_change(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare_memory, "QUIET_MS", 50)
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
    qtbot.waitUntil(lambda: full - (memory() or full) > 80, timeout=20_000)
    spare.close()
    assert kept.any()


def test_each_change_puts_it_off(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    something = Something()
    spare, given = SpareMemory(something, [something.changed]), []
    monkeypatch.setattr(spare, "_trim", given.append)
    something.changed.emit("kind", None)
    assert spare._quiet.isActive() and given == []
    spare._quiet.timeout.emit()
    assert given == [0]
    spare.close()
    assert not spare._quiet.isActive()
