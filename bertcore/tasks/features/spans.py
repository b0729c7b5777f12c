"""Extractive question answering: the best span of the passage, from a score per token for start and for end.

Devlin et al. 2019, section 4.2 (SQuAD 1.1) and 4.3 (SQuAD 2.0: no answer is the span of [CLS] alone).
B batch of windows, S tokens, W longest answer in tokens, k spans wanted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from bertcore.errors import BertcoreError


class BestSpans(NamedTuple):
    """The k best spans of each row, best first. Where a row has fewer: score -inf, places -1."""

    start: Tensor  # (B,k) first token
    end: Tensor  # (B,k) last token, inclusive
    score: Tensor  # (B,k) start logit + end logit
    no_answer: Tensor  # (B) the same of the first token, [CLS] or <s>

    def rows(self, first: int, end: int) -> BestSpans:
        """Those of rows first, first + 1 ... end - 1, for instance all windows of one example."""
        return BestSpans(*(part[first:end] for part in self))


@dataclass(frozen=True)
class Answer:
    """The answer to one question. `window` None: no answer, and then `start` and `end` are -1."""

    window: int | None  # which of the windows, from 0
    start: int  # first token in that window
    end: int  # last token, inclusive
    score: float  # of the best span, also where it was not chosen; -inf if there is none
    no_answer: float  # the lowest no-answer score of all windows


def best_spans(
    start_logits: Tensor, end_logits: Tensor, in_passage: Tensor, *, max_answer_tokens: int = 30, k: int = 1
) -> BestSpans:
    """The k spans with the highest start + end logit: three times (B,S), `in_passage` bool.

    start <= end < start + max_answer_tokens, and both lie in the passage. All such spans are compared, where the
    paper's code looks at the 20 best starts and ends only. Spans that score alike come in no set order.
    Raises BertcoreError for a longest answer below one token, ValueError for k below 1.
    """
    if max_answer_tokens < 1:
        raise BertcoreError(f"The longest answer is set to {max_answer_tokens} tokens; it must be 1 or more.")
    if k < 1:
        raise ValueError(f"k is {k}: ask for at least one span")
    starts = start_logits.float().masked_fill(~in_passage, -math.inf)
    ends = end_logits.float().masked_fill(~in_passage, -math.inf)
    width = min(max_answer_tokens, ends.shape[1])
    # Row s of a window's band holds its ends s, s+1 ... s+W-1: B x S x W numbers instead of B x S x S.
    band = F.pad(ends, (0, width - 1), value=-math.inf).unfold(1, width, 1)  # (B,S,W), a view
    scores = (starts[:, :, None] + band).flatten(1)  # (B, S x W)
    score, place = scores.topk(min(k, scores.shape[1]), dim=1)
    score = F.pad(score, (0, k - score.shape[1]), value=-math.inf)
    place = F.pad(place, (0, k - place.shape[1]))
    is_span = score > -math.inf
    first = place // width
    no_answer = start_logits[:, 0].float() + end_logits[:, 0].float()
    return BestSpans(torch.where(is_span, first, -1), torch.where(is_span, first + place % width, -1), score, no_answer)


def best_over_windows(windows: BestSpans, *, threshold: float | None = None) -> Answer:
    """The answer to one question about a long passage that was cut into overlapping windows, one row each.

    The span with the highest score of all windows; on equal scores the first window's. With a `threshold` (SQuAD 2.0)
    there is no answer if the no-answer score minus the best span's is above it; without one (SQuAD 1.1), only if no
    window has a span. The no-answer score is the lowest over the windows: a question is unanswerable only if no window
    has its answer. Both rules are those of `write_predictions` in run_squad.py of google-research/bert. That code also
    drops starts that another window shows with more context around; here the same span counts in every window.
    Raises ValueError if there is no window.
    """
    if not len(windows.score):
        raise ValueError("there is no window to choose from")
    score, null = windows.score[:, 0].tolist(), min(windows.no_answer.tolist())
    window = max(range(len(score)), key=score.__getitem__)
    best = score[window]
    if best == -math.inf or (threshold is not None and null - best > threshold):
        return Answer(None, -1, -1, best, null)
    return Answer(window, int(windows.start[window, 0]), int(windows.end[window, 0]), best, null)
