"""Training speed of a run started from the window, with Train open on its curves, against the same from the shell.

In turns, a process each; the median of each. Tokens per second come from metrics.jsonl, from the tenth second on,
without snapshots and measurements. Leave the machine alone meanwhile: the run takes all cores but one. The processor
time that a token takes says whether the two runs are the same; other programs change it little.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Row
from bertcore.locations import sample_corpus
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions

MINUTES, ROUNDS, LEAST = 0.75, 3, 0.97
MOST_PER_TOKEN = 1.03
FIRST_S = 10.0  # until then torch and the caches get warm


def rows() -> list[Row]:
    measured: dict[str, list[tuple[float, float]]] = {"window": [], "shell": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            for started_from, found in measured.items():
                found.append(_measured(started_from, Path(folder) / f"{started_from}-{number}"))
    medians = [[statistics.median(each) for each in zip(*found, strict=True)] for found in measured.values()]
    (window, window_us), (shell, shell_us) = medians
    what = f"of a run started from the window with Train open, tiny, {ROUNDS} x {MINUTES:g} minutes"
    ratio, cost = window / shell, window_us / shell_us
    return [
        Row(f"tokens/s {what}", f"{window:,.0f}", f"{shell:,.0f}", ratio, f">= {LEAST}", ratio >= LEAST),
        Row(
            f"processor time per token {what}",
            f"{window_us:.1f} µs",
            f"{shell_us:.1f} µs",
            cost,
            f"<= {MOST_PER_TOKEN}",
            cost <= MOST_PER_TOKEN,
        ),
    ]


def _measured(started_from: str, home: Path) -> tuple[float, float]:
    """Tokens per second, and microseconds of processor time per token."""
    environment = {**os.environ, "BERTSCOPE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    recipe = home / "recipe.json"
    recipe.parent.mkdir(parents=True)
    recipe.write_text(json.dumps(_options().to_dict()), encoding="utf-8")
    if started_from == "window":
        command = [sys.executable, "-m", "benchmarks.beside_window", str(recipe)]
    else:
        command = [
            sys.executable,
            "-m",
            "bertcore",
            "pretrain",
            "--recipe",
            str(recipe),
            "--out",
            str(home / "runs/run"),
        ]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run = next(folder for folder in (home / "runs").iterdir() if (folder / "metrics.jsonl").is_file())
    lines = [line for line in RunFolder(run).tail().read_new() if line["kind"] == "train"]
    warm = [line for line in lines if line["elapsed_s"] >= FIRST_S and line["tok_per_s"] and line["cores"]]
    per_token_us = statistics.median(1e6 * line["cores"] / line["tok_per_s"] for line in warm)
    return statistics.median(line["tok_per_s"] for line in warm), per_token_us


def _options() -> PretrainOptions:
    data = DataOptions(corpus=(str(sample_corpus()),))
    return PretrainOptions(name="run", preset="tiny", data=data, training=TrainingOptions(minutes=MINUTES))


def _train_from_window(recipe: Path) -> None:
    """The whole window, offscreen, on the page that a person would look at, until the run is over."""
    from PySide6.QtWidgets import QApplication

    from app.look import theme
    from app.rooms.train.room import TrainRoom
    from app.runs.process import RunCommand
    from app.shell.services import Services
    from app.shell.window import Window

    app = QApplication([])
    app.setStyle("Fusion")
    theme.register_fonts()
    theme.apply(app, "light")
    services = Services(app, remembers=False)
    window = Window(services)
    window.resize(1440, 900)
    window.show()
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    services.runs.start(RunCommand(PretrainOptions.from_file(recipe)))
    own = services.runs.selected

    def look() -> None:
        if any(run.path == own and not run.status.active for run in services.runs.runs):
            app.quit()

    services.runs.runs_changed.connect(look)
    app.exec()
    window.close()
    services.close()


if __name__ == "__main__":
    _train_from_window(Path(sys.argv[1]))
