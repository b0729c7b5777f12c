"""Which tokens a prediction rests on: by gradient, along a path from an empty text, or by covering each in turn.

S tokens, H hidden.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import MAX_TOKENS, Batch, Text, as_doubles, changed, chunks, passing
from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import Intervention
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import Tokenizer

GRADIENT_TOKENS = 1024  # in one batch with a backward pass
PATH_STEPS = 32  # nodes of the integral; its completeness error says whether they are enough
POINT = "embeddings.output"  # at their sum, before the LayerNorm that is blind to length, zero is a poor start
Method = Literal["integrated_gradients", "gradient_x_input", "leave_one_out"]


@dataclass(frozen=True)
class Attribution:
    """Each token's part in a number; positive: it supports it."""

    scores: NDArray[np.float64]  # (S)
    value: float  # the target for the text
    baseline: float | None = None  # the target for the baseline; None where the method has none
    completeness_error: float | None = None  # sum of scores - (value - baseline); 0 if the integral were exact


def attribute(
    model: Bert,
    tokenizer: Tokenizer,
    text: Text,
    target: Target,
    method: Method,
    *,
    cover: str | None = MASK,
    steps: int = PATH_STEPS,
    progress: ReportProgress = no_progress,
) -> Attribution:
    """By the method of that name below.

    A token is covered by `cover`: [MASK], or [PAD] where the vocabulary has no mask, or any other token.
    "integrated_gradients" starts from the same text with every word covered, with None from vectors of zeros, and takes
    that many `steps`. `progress` is told the fraction done after each batch.
    Raises BertcoreError for a token that the vocabulary does not have, and for no steps.
    """
    if steps < 1:
        raise BertcoreError(f"A path has 1 step or more, not {steps}.")
    cover_id = tokenizer.mask_id or tokenizer.pad_id if cover == MASK else tokenizer.id(cover or "")
    if cover_id is None and (cover is not None or method == "leave_one_out"):
        raise BertcoreError(f"There is no token {cover!r} to cover others with; choose one such as [MASK] or [PAD].")
    if method == "gradient_x_input":
        return gradient_x_input(model, text, target)
    if method == "leave_one_out":
        return leave_one_out(model, text, target, cover_id or 0, max_tokens=GRADIENT_TOKENS, progress=progress)
    kept = tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id
    baseline = None if cover_id is None else covered(text, cover_id, kept)
    return integrated_gradients(model, text, target, baseline=baseline, steps=steps, progress=progress)


@torch.inference_mode(False)  # a caller's may be on, and allows no gradients
def gradient_x_input(model: Bert, text: Text, target: Target) -> Attribution:
    """Sum over the embedding of x dF/dx, per token: what F would lose, to first order, if x shrank to 0.

    Shrikumar et al. 2016 ("Not Just a Black Box").
    """
    own = passing(model, text, POINT)
    values, gradient = _gradients(model, text, own, target)
    return Attribution(as_doubles((own * gradient).sum(-1)[0]), float(values[0]))


@torch.inference_mode(False)  # a caller's may be on, and allows no gradients
def integrated_gradients(
    model: Bert,
    text: Text,
    target: Target,
    *,
    baseline: Text | None = None,
    steps: int = PATH_STEPS,
    max_tokens: int = GRADIENT_TOKENS,
    progress: ReportProgress = no_progress,
) -> Attribution:
    """Sum over the embedding of (x - x') times the mean of dF/dx on the straight path from x' to x, per token.

    Sundararajan, Taly and Yan 2017, section 3, with Gauss-Legendre nodes for the integral. `baseline` is the text x'
    (see `covered`); None is x' = 0. The backward pass needs what every layer made: about 0.6 MB a token for BERT-base.
    """
    own = passing(model, text, POINT)
    empty = torch.zeros_like(own) if baseline is None else passing(model, baseline, POINT)
    nodes, weights = np.polynomial.legendre.leggauss(steps)  # on [-1,1]
    mean_gradient = torch.zeros_like(own)
    for part in chunks(steps, len(text), max_tokens):
        along = torch.tensor((nodes[part] + 1) / 2).to(own)[:, None, None]  # (B,1,1)
        _, gradients = _gradients(model, text, empty + along * (own - empty), target)
        mean_gradient += torch.einsum("b,bsh->sh", torch.tensor(weights[part] / 2).to(own), gradients)
        progress(part.stop / steps)
    scores = as_doubles(((own - empty) * mean_gradient).sum(-1)[0])
    value, start = (float(_gradients(model, text, end, target)[0][0]) for end in (own, empty))
    return Attribution(scores, value, start, float(scores.sum()) - (value - start))


def covered(text: Text, cover_id: int, keep_ids: Collection[int] = ()) -> Text:
    """A text without words: every token becomes `cover_id`, [PAD] or [MASK], but for those in `keep_ids`."""
    is_kept = torch.isin(text.ids, text.ids.new_tensor(list(keep_ids)))  # (S)
    return replace(text, ids=text.ids.where(is_kept, cover_id))


@torch.inference_mode()
def leave_one_out(
    model: Bert,
    text: Text,
    target: Target,
    cover_id: int,
    *,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> Attribution:
    """What the number loses when one token is covered by `cover_id` ([MASK]): F(text) - F(text without it).

    Li, Monroe and Jurafsky 2016 ("Understanding Neural Networks through Representation Erasure").
    """
    value = float(target.of(model, text.hidden(model)))
    lost = np.empty(len(text))
    for part in chunks(len(text), len(text), max_tokens):
        tokens = torch.arange(len(text), device=text.ids.device)
        batch = Batch.of([replace(text, ids=text.ids.where(tokens != at, cover_id)) for at in range(len(text))[part]])
        with changed(model, text.changes) as hook:
            hidden = batch.hidden(model, hook, None if target.reads_all else [target.position] * len(batch.lengths))
        lost[part] = value - as_doubles(target.read(model, hidden))
        progress(part.stop / len(text))
    return Attribution(lost, value)


def _gradients(model: Bert, text: Text, values: Tensor, target: Target) -> tuple[Tensor, Tensor]:
    """The target (B) for B variants of what passes at POINT (B,S,H), and its gradient there (B,S,H)."""
    with torch.enable_grad():
        leaf = values.detach().clone().requires_grad_()
        numbers = target.of(model, text.hidden(model, hook=Intervention({POINT: lambda _: leaf})))
        (gradient,) = torch.autograd.grad(numbers.sum(), leaf)  # the variants do not touch each other
    return numbers.detach(), gradient
