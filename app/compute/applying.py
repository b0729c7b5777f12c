"""Typed text for a model that was taught a task, and what it says of it: plain data."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from app.state.model_info import ModelInfo
    from bertcore.tasks.examples import Example
    from bertcore.tasks.features.predictions import Prediction


@dataclass(frozen=True, eq=False)
class ApplyRequest:
    """What was typed, as `bertcore.tasks.inference.predict.as_example` takes it."""

    model: ModelInfo
    text_a: str
    text_b: str | None


@dataclass(frozen=True, eq=False)
class Applied:
    """The model's answer; where there is none, `problem` says why in a sentence."""

    request: ApplyRequest
    example: Example | None = None
    prediction: Prediction | None = None
    problem: str = ""
    took_ms: float = 0.0


def applied(request: ApplyRequest, run: Callable[[str, str | None], tuple[Example, Prediction]]) -> Applied:
    """Gives A and B to the model. Where they are no example of its task, the answer is a sentence that says why."""
    started = time.perf_counter()
    try:
        example, prediction = run(request.text_a, request.text_b)
    except BertcoreError as error:
        return Applied(request, problem=str(error))
    return Applied(request, example, prediction, took_ms=(time.perf_counter() - started) * 1000)
