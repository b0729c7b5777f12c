"""Numbers and states of a run in short plain words."""

from __future__ import annotations

from typing import Any

from bertcore.training.run_folder import RunStatus

_THIN = "\u2009"  # thin space: 12 204


def count(number: int) -> str:
    return f"{number:,}".replace(",", _THIN)


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}{_THIN}%"


def loss(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


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


def state_line(status: RunStatus, held_out: dict[str, Any] | None = None) -> str:
    """How a run stands, in one line: "running · 61 % · 14 min left"."""
    if status.state == "running":
        left = f" · {duration(status.remaining_s)} left" if status.remaining_s is not None else ""
        return f"running · {percent(status.fraction)}{left}"
    if status.state == "paused":
        return f"paused at step {count(status.step)}"
    if status.state in ("done", "stopped") and not status.message:
        return f"{status.state} at step {count(status.step)}{_right(held_out)}"
    return f"{status.state} · {status.message}" if status.message else status.state


def _right(held_out: dict[str, Any] | None) -> str:
    accuracy = (held_out or {}).get("mlm_accuracy")
    return f" · {percent(accuracy)} right" if isinstance(accuracy, int | float) else ""
