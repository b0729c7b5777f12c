"""The room Attend with a long text: 512 tokens, 144 heads (12 layers x 12 heads of size 64), offscreen.

Its reading is made once; what is measured is what the window's thread does: the first picture, another head, a frame of
zooming or moving, and the memory that one trace keeps.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from benchmarks.offscreen import open_window, wait
from benchmarks.timing import Row

if TYPE_CHECKING:
    from app.rooms.attend.matrix_view import AttentionGrid
    from app.rooms.attend.room import AttendRoom
    from app.shell.window import Window
    from app.state.explore_state import ExploreState

TOKENS, HEADS, FRAMES = 512, 144, 60
HEAD_MS, FRAME_MS, TRACE_MB = 20.0, 1000 / 50, 300.0


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, open_window(str(_long_model(Path(folder) / "base"))) as window:
        wait(lambda: not window.services.inference.is_busy)
        return _measure(window)


def _measure(window: Window) -> list[Row]:
    from app.rooms.attend.room import AttendRoom

    state = window.state
    room = window.open_room("attend")
    assert isinstance(room, AttendRoom)
    state.set_text("cat " * TOKENS, "")
    wait(lambda: state.reading is not None and len(state.reading.encoding) == TOKENS)
    reading = state.reading
    assert reading is not None and reading.trace.attentions.shape[:2] == (12, 12)
    started = time.perf_counter()
    room.draw_reading(reading)
    window.repaint()
    first_ms = (time.perf_counter() - started) * 1000
    wait(lambda: not window.services.inference.is_busy)  # kinds of heads
    trace_mb = sum(array.nbytes for array in reading.trace.arrays().values()) / 1e6
    named = f"one trace, {TOKENS} tokens x {HEADS} heads"
    return [
        _limit("first picture of a reading", first_ms, reading.forward_ms * 0.5, "forward x 0.5"),
        _limit("another head", _heads_ms(state), HEAD_MS),
        _limit("a frame of zooming", _zoom_ms(room), FRAME_MS),
        _limit("a frame of moving", _move_ms(room), FRAME_MS),
        Row(named, f"{trace_mb:.0f} MB", f"{TRACE_MB:.0f} MB", trace_mb / TRACE_MB, "<= 1.0", trace_mb <= TRACE_MB),
    ]


def _heads_ms(state: ExploreState) -> float:
    """From the choice to the last widget painted."""
    from PySide6.QtWidgets import QApplication

    times = []
    for number in range(FRAMES):
        started = time.perf_counter()
        state.set_head(*divmod((number * 37 + 1) % HEADS, 12))
        QApplication.processEvents()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def _grid(room: AttendRoom) -> AttentionGrid:
    from app.rooms.attend.matrix_view import MatrixView

    assert isinstance(room.view, MatrixView)
    return room.view.grid


def _zoom_ms(room: AttendRoom) -> float:
    view = _grid(room)
    assert view.zoom is not None
    times = []
    for number in range(FRAMES):
        view.zoom.zoom(1 if number % 20 < 10 else -1, 0.4, 0.6)
        times.append(_milliseconds(view.repaint))
    return statistics.median(times)


def _move_ms(room: AttendRoom) -> float:
    view = _grid(room)
    assert view.zoom is not None
    view.zoom.show_whole()
    view.zoom.zoom(6, 0.5, 0.5)
    times = []
    for number in range(FRAMES):
        view.zoom.move(3 if number % 20 < 10 else -3, 2)
        times.append(_milliseconds(view.repaint))
    return statistics.median(times)


def _limit(what: str, ms: float, limit_ms: float, asked: str = "<= 1.0") -> Row:
    named = f"{what}, {TOKENS} tokens x {HEADS} heads"
    return Row(named, f"{ms:.1f} ms", f"{limit_ms:.0f} ms", ms / limit_ms, asked, ms <= limit_ms)


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _long_model(folder: Path) -> Path:
    """A random model of BERT-base's shape with a small vocabulary."""
    import torch

    from bertcore.checkpoint.checkpoint import save_checkpoint
    from bertcore.config import BertConfig
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Tokenizer

    tokenizer = Tokenizer.train(["cat dog sat on the mat"] * 50, 60)
    config = BertConfig(vocab_size=tokenizer.vocab_size, max_position_embeddings=TOKENS)
    model = Bert(config, ("mlm", "nsp"), generator=torch.Generator().manual_seed(1))
    save_checkpoint(model, tokenizer, folder, name="base")
    return folder
