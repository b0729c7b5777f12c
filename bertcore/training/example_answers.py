"""What a checkpoint makes of a batch of examples: its answers beside the right ones, and where they are read off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.model.bert import Bert
from bertcore.model.torch_parts import evaluation_mode
from bertcore.tasks.kinds.base import UnitAnswer
from bertcore.tasks.predict import batch_logits, unit_losses
from bertcore.training.drawn_examples import DrawnExamples


@dataclass(frozen=True, eq=False)
class BatchAnswers:
    """`loss` is what training minimises, the mean over what is counted; `losses` (B,S) are those of the places, NaN
    elsewhere."""

    loss: float
    units: tuple[UnitAnswer, ...]
    losses: NDArray[np.float32]

    @property
    def right(self) -> int | None:
        """How many units are wholly right; None for numbers."""
        found = [unit.is_right for unit in self.units]
        return None if None in found else sum(map(bool, found))


@torch.inference_mode()
def example_answers(model: Bert, drawn: DrawnExamples, token: Callable[[int], str]) -> BatchAnswers:
    """In fp32 and without dropout; `token` is how a token id is written."""
    features, kind = drawn.features, drawn.features.kind
    with evaluation_mode(model):
        found = batch_logits(model, drawn.batch)
        loss = float(kind.loss(model, found, drawn.batch))
    logits = kind.split(features, drawn.units, found.double().numpy())
    units = [
        kind.unit_answer(features, unit, row, of_labels, model.crf, token).moved(rows.start)
        for unit, row, of_labels, rows in zip(
            drawn.units.tolist(), logits, unit_losses(features, drawn.units, logits), drawn.rows, strict=True
        )
    ]
    losses = np.full(drawn.ids.shape, np.nan, dtype=np.float32)
    for place in (place for unit in units for place in unit.places):
        before = losses[place.row, place.position]  # an answer of one token begins and ends at it
        losses[place.row, place.position] = place.loss if np.isnan(before) else (before + place.loss) / 2
    return BatchAnswers(loss, tuple(units), losses)
