"""What happened in a run, in words for its log. Importable without torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHARES = ("accuracy", "top5")  # names that end so are shares of 1
_MOST_NUMBERS = 6


def in_words(event: Mapping[str, Any]) -> str | None:
    """A line for a phase or a measurement; None for what is no news, as a single step."""
    if event["kind"] == "phase":
        return f"step {event['step']:,}: {event['message']}"
    if event["kind"] == "held_out":
        numbers = [f"{name.replace('_', ' ')} {_number(name, event[name])}" for name in _told(event)]
        return f"step {event['step']:,}, held out: {', '.join(numbers)}"
    return None


def of_state(before: str | None, now: str, step: int) -> str | None:
    """A line for a pause and its end; the log has other words for how a run begins and ends."""
    if now == "paused" and before != "paused":
        return f"paused at step {step:,}"
    if before == "paused" and now == "running":
        return f"goes on after the pause, from step {step:,}"
    return None


def _told(event: Mapping[str, Any]) -> list[str]:
    left_out = ("kind", "step", "tokens")
    names = [name for name, value in event.items() if name not in left_out and isinstance(value, float)]
    return names[:_MOST_NUMBERS]


def _number(name: str, value: float) -> str:
    return f"{value:.1%}" if name.endswith(_SHARES) else f"{value:.3f}"
