"""Numbers and states of a run in short plain words."""

from __future__ import annotations

from typing import Any

from app.state.task_info import metric_name
from bertcore.runs.run_folder import RunStatus

_THIN = "\u2009"  # thin space, before a unit: 12 s


def count(number: int) -> str:
    return f"{number:,}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}{_THIN}%"


def loss(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def score(value: float | None) -> str:
    """A metric as papers write it: 0.812."""
    return "–" if value is None else f"{value:.3f}".replace("-", "\u2212")


def per_second(tokens: float | None) -> str:
    """13.7 k; plain below a thousand."""
    if tokens is None:
        return "–"
    return f"{tokens / 1000:.1f}{_THIN}k" if tokens >= 1000 else f"{tokens:.0f}"


def duration(seconds: float | None) -> str:
    """ "40 s", "14 min", "2 h 5 min"."""
    if seconds is None:
        return "–"
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f}{_THIN}s"
    if minutes < 60:
        return f"{minutes}{_THIN}min"
    return f"{minutes // 60}{_THIN}h {minutes % 60}{_THIN}min"


def megabytes(size_bytes: int) -> str:
    size_mb = size_bytes / 1e6
    return f"{size_mb:.0f}{_THIN}MB" if size_mb >= 10 else f"{size_mb:.1f}{_THIN}MB"


def state_line(status: RunStatus, held_out: dict[str, Any] | None = None, metrics: tuple[str, ...] = ()) -> str:
    """How a run stands, in one line: "running · 61 % · 14 min left"; `metrics` are its task's, the main one first."""
    if status.state == "running":
        left = f" · {duration(status.remaining_s)} left" if status.remaining_s is not None else ""
        return f"running · {percent(status.fraction)}{left}"
    if status.state == "paused":
        return f"paused at step {count(status.step)}"
    if status.state in ("done", "stopped") and not status.message:
        measured = _measured(held_out or {}, metrics)
        return f"{status.state} · {measured}" if metrics and measured else _ended(status, measured)
    return f"{status.state} · {status.message}" if status.message else status.state


def _ended(status: RunStatus, measured: str) -> str:
    return f"{status.state} at step {count(status.step)}" + (f" · {measured}" if measured else "")


def _measured(held_out: dict[str, Any], metrics: tuple[str, ...]) -> str:
    found = next((name for name in metrics if isinstance(held_out.get(name), int | float)), None)
    if found is not None:
        return f"{metric_name(found)} {score(held_out[found])}"
    accuracy = held_out.get("mlm_accuracy")
    return f"{percent(accuracy)} right" if isinstance(accuracy, int | float) else ""
