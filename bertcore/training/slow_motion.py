"""Slow motion: a paused run takes single steps, and says of each what it did to the loss of its own batch."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch import nn

from bertcore.model.evaluation_mode import evaluation_mode

SLOW_STEP = "slow_step"  # the kind of its lines in metrics.jsonl
STEPS = {"step": 1, "ten_steps": 10}  # how many a command takes


class SlowStep:
    """Of one step: made when its gradients are there, finished when the weights have changed.

    Both losses are of the whole batch, with the same masks, without dropout and in fp32. Nothing random is drawn, and
    gradients stay as they are: the weights become those of a step that nobody watches. `seconds`: what it has taken.
    """

    def __init__(self, model: nn.Module, batch_loss: Callable[[], float]) -> None:
        self.seconds = 0.0
        self._model, self._batch_loss = model, batch_loss
        self._before = self._measured()

    def finish(self) -> dict[str, float]:
        """In nats, as the loss that is trained on: "loss_before" and "loss_after"."""
        return {"loss_before": self._before, "loss_after": self._measured()}

    def _measured(self) -> float:
        started = time.perf_counter()
        try:
            with evaluation_mode(self._model), torch.no_grad():
                return self._batch_loss()
        finally:
            self.seconds += time.perf_counter() - started
