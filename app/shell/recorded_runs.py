"""Runs for the tour: one that is done, and two that were made ill on purpose (assets/evaluation/ill_runs.json)."""

from __future__ import annotations

import shutil
from pathlib import Path

from bertcore.files import read_json
from bertcore.locations import TINY, assets
from bertcore.runs.run_folder import RunFolder

RECORDED = assets() / "evaluation" / "ill_runs.json"


def recorded_runs(folder: Path) -> dict[str, Path]:
    """By how they ended: "warning" (a hundred times the learning rate that suits it), "failed", and "finished", a copy
    of the tiny model's run where it ships."""
    found = {}
    for name, recorded in read_json(RECORDED).items():
        run = RunFolder.create(folder / name, recorded["config"])
        for line in recorded["metrics"]:
            run.append_metric(line)
        for line in recorded["log"]:
            run.log(line.partition("  ")[2])
        run.write_status(**recorded["status"])
        found[name] = run.path
    shipped = assets() / "runs" / TINY
    if (shipped / "snapshots").is_dir():
        found["finished"] = Path(shutil.copytree(shipped, folder / "finished"))
    return found
