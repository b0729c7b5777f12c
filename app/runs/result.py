"""What a run wrote at its end: how well it does on held-out examples, or how the student compares. No torch."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.state.task_info import EVALUATION_FILE

COMPARISON_FILE = "comparison.json"  # of a distillation: teacher and student side by side


@dataclass(frozen=True)
class HeldOutExample:
    """One example as the run wrote it down: its texts by name, the right answer and the one that was given."""

    texts: dict[str, Any]
    right: Any
    given: Any
    loss: float | None


@dataclass(frozen=True)
class RunResult:
    """`confusion` has the right labels as rows and the given ones as columns."""

    stamp: tuple[str, int, int]  # file, size and time: what this was read from
    metrics: dict[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    best: tuple[HeldOutExample, ...] = ()
    worst: tuple[HeldOutExample, ...] = ()
    sides: dict[str, dict[str, Any]] = field(default_factory=dict)  # "teacher" and "student"


def read_result(run: Path, known: RunResult | None = None) -> RunResult | None:
    """The result in a run folder; `known` itself where the file is still the one that this was read from.

    None while there is no such file; a damaged one counts as none.
    """
    for name in (EVALUATION_FILE, COMPARISON_FILE):
        try:
            about = (run / name).stat()
            stamp = (str(run / name), about.st_size, about.st_mtime_ns)
            if known is not None and known.stamp == stamp:
                return known
            values = json.loads((run / name).read_text(encoding="utf-8"))
            return _parsed(stamp, values)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return None


def _parsed(stamp: tuple[str, int, int], values: dict[str, Any]) -> RunResult:
    if "teacher" in values:
        return RunResult(stamp, sides={side: dict(values[side]) for side in ("teacher", "student")})
    return RunResult(
        stamp,
        metrics={name: float(value) for name, value in values["metrics"].items() if value is not None},
        labels=tuple(values.get("labels") or ()),
        confusion=tuple(tuple(int(count) for count in row) for row in values.get("confusion") or ()),
        best=_examples(values.get("best")),
        worst=_examples(values.get("worst")),
    )


def _examples(values: list[dict[str, Any]] | None) -> tuple[HeldOutExample, ...]:
    return tuple(
        HeldOutExample(dict(value["example"]), value.get("right"), value.get("given"), value.get("loss"))
        for value in values or ()
    )
