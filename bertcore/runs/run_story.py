"""What a run's folder tells of the run, for its model card."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.files import read_json_or_empty
from bertcore.runs.environment import ENVIRONMENT_FILE
from bertcore.runs.model_card import table
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sources import SOURCES_FILE

MOST_FILES = 12  # that a card names one by one


@dataclass(frozen=True)
class RunStory:
    """One run, as its newest snapshot and its files have it."""

    snapshot: Path
    step: int
    tokens: int
    elapsed_s: float  # of training, pauses not counted
    done: bool  # by the budget or by patience; else someone stopped it
    fraction: float  # of the budget, 0..1
    phases: tuple[tuple[int, str], ...]  # (first step, name)
    held_out: dict[str, Any]  # the last measurement, with its step
    files: tuple[tuple[str, int | None], ...]  # base name and bytes of what it learned from
    starts: tuple[dict[str, Any], ...]  # environments: of the start and of each time it went on

    @classmethod
    def of(cls, folder: RunFolder, done: bool, steps: int | None, seconds: float | None) -> RunStory:
        """Of a folder with a snapshot; `steps` or `seconds` is the budget."""
        step, snapshot = folder.snapshots()[-1]
        lines = [line for line in folder.tail().read_new() if (line.get("step") or 0) <= step]
        by_kind = {
            kind: [line for line in lines if line.get("kind") == kind] for kind in ("train", "held_out", "phase")
        }
        trained = by_kind["train"][-1] if by_kind["train"] else {}
        elapsed_s = max(float(trained.get("elapsed_s") or 0.0), folder.status().elapsed_s)
        files = [each for each in _list_in(folder.path / SOURCES_FILE, "files") if "sha256" not in each]
        return cls(
            snapshot,
            step,
            int(read_json_or_empty(snapshot / "bertscope.json").get("tokens_seen") or 0),
            elapsed_s,
            done,
            min(1.0, step / steps if steps else elapsed_s / (seconds or 1.0)),
            tuple((line["step"], line["phase"]) for line in by_kind["phase"]),
            by_kind["held_out"][-1] if by_kind["held_out"] else {},
            tuple((Path(each["file"]).name, each.get("bytes")) for each in files),
            tuple(_list_in(folder.path / ENVIRONMENT_FILE, "starts")),
        )

    @property
    def ended(self) -> str:
        """Whether it came to the end of its budget, in a sentence."""
        if self.done and self.fraction < 1.0:
            return (
                f"The run ended early, at step {self.step:,} ({self.fraction:.0%} of its budget): the held-out numbers "
                "had not got better for a while."
            )
        if self.done:
            return f"The run was done at step {self.step:,}."
        return (
            f"**The run was stopped early, at step {self.step:,}: {self.fraction:.0%} of its budget.** The learning "
            "rate had not come down yet, so a finished run of this kind does better."
        )

    @property
    def files_table(self) -> str:
        rows: list[tuple[str, str]] = [(name, _size(size)) for name, size in self.files[:MOST_FILES]]
        if len(rest := self.files[MOST_FILES:]) > 0:
            rows.append((f"and {len(rest):,} more", _size(sum(size or 0 for _, size in rest))))
        return table(rows, ("file", "size"))

    @property
    def environment_table(self) -> str:
        if not self.starts:
            return "It was not written down."
        newest, packages = self.starts[-1], self.starts[-1].get("packages", {})
        gone_on = len(self.starts) - 1
        rows = [
            ("program", " ".join(f"{name} {version}" for name, version in packages.items() if version)),
            ("git revision", newest.get("git_revision")),
            ("Python", newest.get("python")),
            ("system", newest.get("system")),
            ("machine", f"{newest.get('processor')}, {newest.get('cores')} cores, {newest.get('memory_gib')} GiB"),
            ("computed on", f"{newest.get('device')}, {newest.get('threads')} threads"),
            ("began", self.starts[0].get("started_at")),
            ("went on", f"{gone_on} times, the last time {newest.get('started_at')}" if gone_on else "never stopped"),
        ]
        return table(rows)


def _size(size: int | None) -> str:
    if size is None:
        return "unknown"
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"


def _list_in(file: Path, name: str) -> list[dict[str, Any]]:
    values = read_json_or_empty(file).get(name)
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []
