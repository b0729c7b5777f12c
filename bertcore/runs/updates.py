"""What a run logs of the sizes of its updates, and of its steps in slow motion, as plain data. No torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_PARTS, MOST_UPDATES = 200, 5000


@dataclass(frozen=True)
class Update:
    """By part of the model: the norm of its gradient before clipping, and the length of its update over that of its
    weights."""

    step: int
    gradient: Mapping[str, float]
    ratio: Mapping[str, float]


def read_update(step: int, line: Mapping[str, Any]) -> Update | None:
    """None where the line is damaged."""
    gradient, ratio = _numbers(line.get("gradient")), _numbers(line.get("ratio"))
    if not ratio or set(gradient) != set(ratio):
        return None
    return Update(step, gradient, ratio)


@dataclass(frozen=True)
class SlowStep:
    """A step in slow motion: the loss on its own batch before and after it, in nats."""

    step: int
    before: float
    after: float
    learning_rate: float
    gradient_norm: float


def read_slow_step(step: int, line: Mapping[str, Any]) -> SlowStep | None:
    """None where the line is damaged."""
    names = ("loss_before", "loss_after", "learning_rate", "gradient_norm")
    found = _numbers({name: line.get(name) for name in names})
    return SlowStep(step, *(found[name] for name in names)) if len(found) == len(names) else None


def _numbers(values: Any) -> dict[str, float]:
    if not isinstance(values, dict) or len(values) > MOST_PARTS:
        return {}
    known = {name: value for name, value in values.items() if isinstance(value, int | float)}
    return {str(name)[:60]: float(value) for name, value in known.items() if math.isfinite(value) and value >= 0}


def parts_of(updates: Sequence[Update]) -> list[str]:
    """Embeddings first, then the layers, then the heads: as a text passes through the model."""
    names = {name for update in updates for name in update.ratio}

    def place(name: str) -> tuple[int, int, str]:
        first, _, rest = name.partition(".")
        number = rest.partition(".")[0]
        layer = int(number) if number.isdecimal() else 0
        return {"embeddings": 0, "encoder": 1, "layers": 1, "heads": 3}.get(first, 2), layer, name

    return sorted(names, key=place)
