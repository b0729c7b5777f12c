"""What the tour needs of runs: two that were made ill on purpose, a sweep as it was measured, one that is at work."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.runs.process import child_environment
from app.runs.run_info import RunInfo, newest_held_out, read_run
from bertcore.files import read_json
from bertcore.locations import TINY, assets, shipped_checkpoint
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.sweep_results import SweepPlace, write_place
from bertcore.training.finetune_options import FinetuneOptions

ILL_RUNS = assets() / "evaluation" / "ill_runs.json"
SWEEP_FILE = assets() / "evaluation" / "sweep.json"  # what fifteen real runs measured
SWEEP = "recorded"  # its id
SAMPLE = assets() / "tasks" / "names"


def recorded_runs(folder: Path) -> dict[str, Path]:
    """By how they ended: "warning" (a hundred times the learning rate that suits it), "failed", and "finished", a copy
    of the tiny model's run where it ships."""
    found = {}
    for name, recorded in read_json(ILL_RUNS).items():
        run = RunFolder.create(folder / name, recorded["config"])
        for line in recorded["metrics"]:
            run.append_metric(line)
        for line in recorded["log"]:
            run.log(line.partition("  ")[2])
        run.write_status(**recorded["status"])
        found[name] = run.path
    shipped = assets() / "runs" / TINY
    if (shipped / "snapshots").is_dir():
        copied = RunFolder(Path(shutil.copytree(shipped, folder / "finished")))
        shutil.copytree(shipped_checkpoint(TINY), copied.snapshot_path(copied.status().step))
        found["finished"] = copied.path
    return found


def recorded_sweep(folder: Path, done: int | None = None) -> list[RunInfo]:
    """Its runs, as the room lists them; done: how many are, and the next one is halfway. None: all of them."""
    recorded = read_json(SWEEP_FILE)
    name, runs = str(recorded["name"]), list(recorded["runs"])
    found = []
    for number, values in enumerate(runs, start=1):
        rate, seed, lines = values["learning_rate"], values["seed"], values["held_out"]
        options = FinetuneOptions(name=f"{name} rate {rate:g} seed {seed}")
        options = options.with_changes(task="sst2", learning_rate=rate, seed=seed, epochs=2.0)
        run = RunFolder.create(folder / f"run-{number}", options.to_dict())
        write_place(run.path, SweepPlace(SWEEP, name, number, len(runs)))
        status = RunStatus("done", step=lines[-1]["step"], fraction=1.0, elapsed_s=20.0)
        if done is not None and number > done:
            is_at_work, steps = number == done + 1, lines[-1]["step"]
            lines = lines[: len(lines) // 2] if is_at_work else []
            at_work = RunStatus("running", steps // 2, total_steps=steps, fraction=0.5, remaining_s=10.0)
            status = at_work if lines else RunStatus("waiting")
        for line in lines:
            run.append_metric({"kind": "held_out", **line})
        found.append(read_run(run.path, status, newest_held_out(run.path)))
    return found[::-1]  # as they are listed: the newest first


@contextmanager
def sample_run() -> Iterator[Path]:
    """The tiny model learns to find names in a sample file, for longer than a tour takes. The person's own runs do not
    learn of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        run = Path(home) / "names"
        settings = {"train": SAMPLE, "model": TINY, "name": run.name, "steps": 5000, "evaluations": 1, "threads": 1}
        flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "bertcore", "finetune", "conll2003", *flags, "--out", str(run)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**child_environment(), "BERTSCOPE_HOME": home},
        )
        try:
            yield run
        finally:
            child.terminate()
            child.wait()
