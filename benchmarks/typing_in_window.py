"""Types into the real window, offscreen, and prints what it measured as JSON: `python -m ... FOLDER PRESET [train]`.

With `train` a run trains meanwhile, the room Train stands built behind the others and follows it, and at the end Train
itself is on show for a while. Without, the bare forward pass of the same text is measured too, before and after.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.rooms.train.room import TrainRoom
from app.runs.process import RunCommand
from app.shell.services import Services
from app.shell.window import Window
from app.state.readings import Reading
from benchmarks.offscreen import open_window, wait
from bertcore.locations import sample_corpus
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions

TEXT_A = "The cat sat on the mat and the dog was happy to see him there."
TEXT_B = "It was very warm and the girl was glad of it too, she said."
ROOMS = ("embed", "attend", "predict", "layers")
KEYSTROKES = 60
FORWARDS = 20
WATCHED_S = 3.0  # Train on show while its run trains


class Heartbeat:
    """Notices how long the event loop was held between two turns, from `start` to `stop`, over all such stretches."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: in seconds; of the wall, or of the processor (time.thread_time) where other programs are at work."""
        self.longest_ms, self._last, self._clock = 0.0, 0.0, clock
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._last = self._clock()
        self._timer.start(1)

    def stop(self) -> None:
        if self._timer.isActive():
            self._beat()
            self._timer.stop()

    def _beat(self) -> None:
        now = self._clock()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1000)
        self._last = now


def main(folder: Path, preset: str, train: bool) -> None:
    model = random_checkpoint(folder / preset, preset)
    with open_window(str(model)) as window:
        forwards = [] if train else _forward_ms(model)
        if train:
            _start_training(window)
        heartbeat = Heartbeat()
        keystroke_ms = {room: _type(window, room, heartbeat) for room in ROOMS}
        if train:
            _watch_training(window, heartbeat)
            _stop_training(window.services)
    forwards += [] if train else _forward_ms(model)
    forward_ms = statistics.median(forwards) if forwards else None
    print(json.dumps({"keystroke_ms": keystroke_ms, "held_ms": heartbeat.longest_ms, "forward_ms": forward_ms}))


def _forward_ms(folder: Path) -> list[float]:
    """Milliseconds of single forward passes of the text that is typed at, nothing recorded."""
    import torch

    from bertcore.checkpoint.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(folder)
    encoding = checkpoint.tokenizer.encode(TEXT_A, TEXT_B)
    ids, segments = torch.tensor([encoding.ids]), torch.tensor([encoding.segments])
    times = []
    with torch.inference_mode():
        for _ in range(FORWARDS):
            started = time.perf_counter()
            checkpoint.model(ids, segments)
            times.append((time.perf_counter() - started) * 1000)
    return times[FORWARDS // 4 :]


def _type(window: Window, room: str, heartbeat: Heartbeat) -> tuple[float, float]:
    """Median and 95th percentile of the milliseconds from a key press to the room redrawn with its result."""
    state, inference = window.state, window.services.inference
    window.open_room(room)
    state.set_text(TEXT_A, TEXT_B)
    state.set_masks((3, 9))
    wait(lambda: _is_redrawn(window, None) and not inference.is_busy)
    QApplication.processEvents()
    heartbeat.start()
    times = key_times(window, KEYSTROKES)
    heartbeat.stop()
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def key_times(window: Window, presses: int) -> list[float]:
    """Milliseconds from each key press in A to the open room redrawn with its result."""
    state, field, times = window.state, window.frame.sentences.a, []
    field.setFocus()
    for number in range(presses):
        before = state.reading
        started = time.perf_counter()
        QTest.keyClick(field, Qt.Key.Key_Backspace if number % 2 else Qt.Key.Key_A)
        wait(lambda before=before: _is_redrawn(window, before))  # type: ignore[misc]
        QApplication.processEvents()
        times.append((time.perf_counter() - started) * 1000)
    return times


def _is_redrawn(window: Window, before: Reading | None) -> bool:
    """The room has drawn (it does so when a reading comes) a reading newer than `before` and of the text as it is."""
    reading = window.state.reading
    return reading is not None and reading is not before and reading.encoding is window.state.encoding


def _watch_training(window: Window, heartbeat: Heartbeat) -> None:
    """Train on show: curves, numbers and snapshots come in, with nobody typing."""
    window.open_room("train")
    QApplication.processEvents()
    heartbeat.start()
    ends = time.monotonic() + WATCHED_S
    wait(lambda: time.monotonic() > ends)
    heartbeat.stop()


def _start_training(window: Window) -> None:
    """Opens Train once, with its curves loaded, and starts a run there."""
    room, runs = window.open_room("train"), window.services.runs
    assert isinstance(room, TrainRoom)
    wait(lambda: all(plot.is_loaded for plot in room.view.curves.plots))
    options = PretrainOptions(
        name="bench",
        preset="tiny",
        data=DataOptions(corpus=(str(sample_corpus()),), vocab_size=2048),
        training=TrainingOptions(minutes=10.0),
    )
    runs.start(RunCommand(options))
    wait(lambda: any(run.status.state == "running" and run.status.step > 5 for run in runs.runs), timeout_s=120)


def _stop_training(services: Services) -> None:
    """Nothing of it is left at work beside the next measurement."""
    path = services.runs.selected
    assert path is not None
    services.runs.control(path, "stop")
    wait(lambda: not RunFolder(path).is_alive(), timeout_s=120)


def random_checkpoint(folder: Path, preset: str) -> Path:
    """A random checkpoint, so that the figures do not depend on which model ships."""
    import torch

    from benchmarks.peer import random_model
    from bertcore.checkpoint.checkpoint import save_checkpoint
    from bertcore.data.text import Documents
    from bertcore.tokenizer.tokenizer import Tokenizer

    torch.set_num_threads(1)
    if not folder.exists():
        texts = (paragraph for document in Documents([sample_corpus()]) for paragraph in document)
        tokenizer = Tokenizer.train(texts, 8192)
        save_checkpoint(random_model(preset, tokenizer.vocab_size, dropout=0.0), tokenizer, folder)
    return folder


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "train" in sys.argv[3:])
