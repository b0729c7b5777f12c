"""A sweep for the tour: run folders with what fifteen real runs measured (assets/evaluation/sweep.json)."""

from __future__ import annotations

from pathlib import Path

from bertcore.files import read_json
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.sweep_results import SweepPlace, write_place
from bertcore.training.finetune_options import FinetuneOptions

from ..runs.run_info import RunInfo, newest_held_out, read_run

RECORDED = assets() / "evaluation" / "sweep.json"
ID = "recorded"


def recorded_sweep(folder: Path, done: int | None = None) -> list[RunInfo]:
    """Its runs, as the room lists them; done: how many are, and the next one is halfway. None: all of them."""
    recorded = read_json(RECORDED)
    name, runs = str(recorded["name"]), list(recorded["runs"])
    found = []
    for number, values in enumerate(runs, start=1):
        rate, seed, lines = values["learning_rate"], values["seed"], values["held_out"]
        options = FinetuneOptions(name=f"{name} rate {rate:g} seed {seed}")
        options = options.with_changes(task="sst2", learning_rate=rate, seed=seed, epochs=2.0)
        run = RunFolder.create(folder / f"run-{number}", options.to_dict())
        write_place(run.path, SweepPlace(ID, name, number, len(runs)))
        status = RunStatus("done", step=lines[-1]["step"], fraction=1.0, elapsed_s=20.0)
        if done is not None and number > done:
            is_at_work, steps = number == done + 1, lines[-1]["step"]
            lines = lines[: len(lines) // 2] if is_at_work else []
            at_work = RunStatus("running", steps // 2, total_steps=steps, fraction=0.5, remaining_s=10.0)
            status = at_work if lines else _WAITING
        for line in lines:
            run.append_metric({"kind": "held_out", **line})
        found.append(read_run(run.path, status, newest_held_out(run.path)))
    return found[::-1]  # as they are listed: the newest first


_WAITING = RunStatus("waiting")
