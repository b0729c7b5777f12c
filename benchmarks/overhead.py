"""What a run does beside its steps: metrics, status, control and snapshots, as a share of its time.

A run of 4 x 256 on the sample stories for a minute, with everything at its defaults. Wall time from the first step to
the last, less the time in steps and in measurements on held-out text.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import Row
from bertcore.locations import sample_corpus
from bertcore.training.pretrain import start_or_resume
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions

MINUTES, ASKED = 1.0, 0.02


def rows() -> list[Row]:
    marks: list[tuple[float, float]] = []  # wall clock, seconds of training so far

    def watch(event: dict[str, Any]) -> None:
        if event["kind"] == "train":
            marks.append((time.perf_counter(), event["elapsed_s"]))

    options = PretrainOptions(
        preset="mini",
        data=DataOptions(corpus=(str(sample_corpus()),)),
        training=TrainingOptions(minutes=MINUTES, batch_size=32, threads=2, precision="fp32"),
    )
    with tempfile.TemporaryDirectory() as folder:
        start_or_resume(options, Path(folder) / "run", resume=False, on_event=watch)
    wall, training = (marks[-1][column] - marks[0][column] for column in (0, 1))
    share = 1 - training / wall
    what = f"metrics, snapshots and control of a run of {MINUTES:g} minute(s), mini"
    return [Row(what, f"{1000 * (wall - training):.0f} ms", f"{wall:.1f} s", share, f"<= {ASKED:.0%}", share <= ASKED)]
