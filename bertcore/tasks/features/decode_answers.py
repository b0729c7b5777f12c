"""From the logits of all windows to one answer for each question."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch

from bertcore.model.spans import BestSpans, best_over_windows, best_spans
from bertcore.tasks.features.decode import Outputs
from bertcore.tasks.features.kinds import SpanFeatures
from bertcore.tasks.features.predictions import AnswerPrediction, Prediction


def decode_answers(
    features: SpanFeatures, outputs: Outputs, max_answer_tokens: int = 30, no_answer_above: float | None = None
) -> list[Prediction]:
    """Logits (B,S,2) of each batch of windows: the best span of all windows of a passage, as its text.

    With `no_answer_above` (SQuAD 2.0) there is none where the no-answer score is higher than the span's by more.
    Raises ValueError where a window's logits are missing.
    """
    count = len(features.ids)
    places = torch.full((2, count, 1), -1)
    best = BestSpans(places[0], places[1], torch.zeros(count, 1), torch.zeros(count))
    seen = np.zeros(count, dtype=bool)
    for units, output in outputs:
        logits = torch.as_tensor(output).float().cpu()
        in_passage = torch.from_numpy(features.in_passage(units, logits.shape[1]))
        start, end = logits.unbind(-1)
        found = best_spans(start, end, in_passage, max_answer_tokens=max_answer_tokens)
        for column, part in zip(best, found, strict=True):
            column[torch.from_numpy(units)] = part
        seen[units] = True
    if not seen.all():
        raise ValueError(f"no logits for {int((~seen).sum())} of {count} windows")
    ends = np.searchsorted(features.example_of, np.arange(len(features.examples) + 1)).tolist()
    return [_answer(features, best, first, end, no_answer_above) for first, end in pairwise(ends)]


def _answer(
    features: SpanFeatures, best: BestSpans, first: int, end: int, no_answer_above: float | None
) -> AnswerPrediction:
    """Of the example whose windows are first, first + 1 ... end - 1."""
    found = best_over_windows(best.rows(first, end), threshold=no_answer_above)
    if found.window is None:
        return AnswerPrediction("", -1, -1, found.score, found.no_answer)
    text, begin, stop = features.text(first + found.window, found.start, found.end)
    return AnswerPrediction(text, begin, stop, found.score, found.no_answer)
