"""What the window costs while Train is open on a run at work, what holds its event loop, and opening a long run.

Processor time, which other programs on the machine change less than the clock. The runs are written by a process of
their own, in the run format and as often as a small model's run is; nothing is trained, so nothing else is measured.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import Row

WATCHED_S, LISTED, AT_WORK = 15.0, 100, 3
SHARE, HELD_MS, OPENED_S = 0.03, 50.0, 1.0
LONG_STEPS, LOGGED_EVERY = 100_000, 10  # steps of a long run, one in ten of which the training loop logs
STEPS_PER_S, LINES_PER_S = 38, 2  # of a tiny model on two cores
CONFIG = {"kind": "pretrain", "name": "run", "preset": "tiny", "data": {"corpus": ["stories.txt"]}}


def rows() -> list[Row]:
    found = []
    for name, arguments in (("open", ()), ("minimised", ("minimised",))):
        measured = _measured(["one", *arguments])
        what = f"processor time of the window and its worker beside a run, Train {name}, share of one core"
        share = measured["share"]
        found.append(Row(what, f"{share:.1%}", f"{SHARE:.0%}", share / SHARE, "<= 1.0", share <= SHARE))
    held, opened = _measured(["three"])["held_ms"], _measured(["long"])
    what = f"event loop held, longest, {AT_WORK} runs at work and {LISTED} listed, processor time"
    found.append(Row(what, f"{held:.0f} ms", f"{HELD_MS:.0f} ms", held / HELD_MS, "<= 1.0", held <= HELD_MS))
    for name, s in opened.items():
        found.append(
            Row(f"{name}, processor time", f"{s:.2f} s", f"{OPENED_S:g} s", s / OPENED_S, "<= 1.0", s <= OPENED_S)
        )
    return found


def _measured(arguments: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "BERTSCOPE_HOME": home}
        command = [sys.executable, "-m", "benchmarks.watching_runs", *arguments]
        child = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return measured


# --- runs that somebody trains, as far as a reader of their folders can see


def line(step: int) -> dict[str, Any]:
    loss = 3 + 5 * math.exp(-step / 4000) + 0.2 * math.sin(step)
    return {
        "kind": "train",
        "step": step,
        "loss": loss + 0.6,
        "mlm_loss": loss,
        "mlm_accuracy": 0.6 - 0.05 * loss,
        "next_word_loss": None,
        "next_word_accuracy": None,
        "nsp_loss": 0.6,
        "nsp_accuracy": 0.6,
        "learning_rate": 3e-3,
        "gradient_norm": 1.5 + 0.1 * math.cos(step),
        "tok_per_s": 39000 + 500 * math.sin(step),
        "tokens": 1024 * step,
        "phase": "masked",
        "elapsed_s": step / STEPS_PER_S,
        "memory_mib": 520.0,
        "cores": 1.1,
    }


def write_runs(folder: Path, names: list[str]) -> None:
    """All at work at once, until this process is ended."""
    from contextlib import ExitStack

    from bertcore.runs.run_folder import RunFolder

    runs, step = [RunFolder.create(folder / name, CONFIG) for name in names], 0
    with ExitStack() as locks:
        for run in runs:
            locks.enter_context(run.acquire())
            run.append_metric({"kind": "phase", "step": 1, "phase": "masked"})
        while True:
            step += STEPS_PER_S // LINES_PER_S
            for run in runs:
                run.append_metric(line(step))
                progress = {"step": step, "fraction": 0.1, "elapsed_s": step / STEPS_PER_S, "remaining_s": 300.0}
                run.write_status(state="running", pid=os.getpid(), **progress)
            time.sleep(1 / LINES_PER_S)


def write_finished(folder: Path, steps: int, every: int) -> None:
    from bertcore.runs.run_folder import RunFolder

    run = RunFolder.create(folder, CONFIG)
    with run.acquire():
        run.append_metric({"kind": "phase", "step": 1, "phase": "masked"})
        for step in range(every, steps + 1, every):
            run.append_metric(line(step))
        run.write_status(state="done", step=steps, fraction=1.0, elapsed_s=steps / STEPS_PER_S)


# --- the window, in a process of its own


def _watch(kind: str, minimised: bool) -> dict[str, Any]:
    from app.rooms.train.room import TrainRoom
    from app.shell.services import Services
    from app.shell.window import Window
    from benchmarks.offscreen import offscreen_app, wait
    from benchmarks.typing_in_window import Heartbeat
    from bertcore.locations import runs_folder

    if kind == "long":
        write_finished(runs_folder() / "long", LONG_STEPS, LOGGED_EVERY)
    for number in range(LISTED if kind == "three" else 0):
        write_finished(runs_folder() / f"listed-{number}", 200, LOGGED_EVERY)
    services = Services(offscreen_app(), remembers=False)
    window = Window(services)
    window.resize(1440, 900)
    window.show()
    wait(lambda: window.state.reading is not None)
    if kind == "long":
        return _open_long(window, wait)
    names = ["at-work-1"] if kind == "one" else [f"at-work-{number}" for number in range(AT_WORK)]
    command = [sys.executable, "-m", "benchmarks.watching_runs", "write", str(runs_folder()), *names]
    with subprocess.Popen(command) as writer:
        try:
            room = window.open_room("train")
            assert isinstance(room, TrainRoom)
            wait(lambda: sum(run.status.state == "running" for run in services.runs.runs) == len(names))
            services.runs.select(runs_folder().resolve() / names[0])
            _rest(5.0)  # what opening the room has made is collected, and the snapshots' words are there
            if minimised:
                window.showMinimized()
            heartbeat = Heartbeat(time.thread_time)
            if kind == "three":
                heartbeat.start()
            before, began = time.process_time(), time.monotonic()
            _rest(WATCHED_S)
            share = (time.process_time() - before) / (time.monotonic() - began)
            heartbeat.stop()
        finally:
            writer.kill()
    window.close()
    services.close()
    return {"share": share, "held_ms": heartbeat.longest_ms}


def _open_long(window: Any, wait: Any) -> dict[str, Any]:
    from bertcore.locations import runs_folder

    began = time.thread_time()
    room = window.open_room("train")
    wait(lambda: all(plot.is_loaded for plot in room.view.curves.plots))
    opened = time.thread_time() - began
    services = window.services
    services.runs.select(services.runs.runs[-1].path)
    _rest(1.0)
    began = time.thread_time()
    services.runs.select(runs_folder().resolve() / "long")
    wait(lambda: len(room.view.curves.plot_of("loss_masked").points("loss_masked")[0]) == LONG_STEPS // LOGGED_EVERY)
    long = time.thread_time() - began
    window.close()
    services.close()
    return {"Train opened for the first time": opened, f"a run of {LONG_STEPS:,} steps opened": long}


def _rest(seconds: float) -> None:
    """Without asking for anything at each turn of the event loop, as `wait` does."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write_runs(Path(sys.argv[2]), sys.argv[3:])
    else:
        print(json.dumps(_watch(sys.argv[1], "minimised" in sys.argv)))
