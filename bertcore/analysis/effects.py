"""What a prediction rests on: tokens, by gradient, along a path from an empty text, or covered in turn; and what in the
model it hangs on: heads and links taken away, places patched from the pass over another text.

- Heads switched off one by one: Michel, Levy and Neubig 2019 ("Are Sixteen Heads Really Better than One?", 3.2).
- Attention says where a head looks, not whether it counts (Jain and Wallace 2019; Wiegreffe and Pinter 2019): so its
  gradient, and links taken away.
- Activation patching: one place gets what it had in the pass over another text, the model computes on from there, and
  the fraction of the difference that comes back says how much of it passes through that place (Meng et al. 2022,
  section 2.1; Wang et al. 2022; the maps of TransformerLens' patching.py).

What stands before a changed layer is the same in all variants, so that each starts from what enters that layer; all
variants of a layer are run in batches of at most `max_tokens` tokens, and `progress` is told the fraction done after
each. B batch, L layers, N heads, S tokens, H hidden, D head size.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.interventions import Change, PatchedPart, check_numbers, check_rows, put
from bertcore.analysis.passes import MAX_TOKENS, Batch, Text, as_doubles, changed, chunks, passing
from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes, Intervention, Recorder, hidden_points
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


SMALLEST_DIFFERENCE = 1e-3  # of the target between the texts: float32 errs by some 1e-6, and of less by percents


@dataclass(frozen=True)
class AttentionGradient:
    """What one layer's attention does to a number, to first order."""

    value: float  # the number itself
    attention: NDArray[np.float64]  # (N,S,S)
    gradient: NDArray[np.float64]  # (N,S,S) change of the number per unit of each weight


@dataclass(frozen=True, eq=False)
class PatchingMap:
    """The target for the text, for the other text, and for the text with one place patched from the other."""

    part: PatchedPart
    text: float
    other: float
    # "state": (L+1,S) after the embeddings and each layer; "attention", "feed-forward": (L,S); "head": (L,N)
    patched: NDArray[np.float64]  # where only some `columns` were patched, these alone
    columns: tuple[int, ...]  # the position, or head, of each column

    @property
    def fractions(self) -> NDArray[np.float64]:
        """(patched - text) / (other - text): 0 as in the text, 1 as in the other. They need not add up to 1."""
        return (self.patched - self.text) / (self.other - self.text)


@torch.inference_mode()
def head_effects(
    model: Bert,
    text: Text,
    target: Target,
    *,
    instead: Sequence[Tensor] | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> tuple[float, NDArray[np.float64]]:
    """The target, and its change when each head alone is switched off, (L,N): its context vectors are 0, or those of
    `instead`, for each layer (1,N,S,D) or for all tokens (1,N,1,D).

    Below 0 where the prediction suffers without the head, above 0 where it gains.
    """
    depth, heads = model.encoder.depth, model.config.num_attention_heads
    entering, intact = _record(model, text, target, hidden_points(depth)[:-1])
    without = np.empty((depth, heads))
    new = instead or [entering[0].new_zeros(1, heads, 1, 1)] * depth
    for layer, states in enumerate(entering):
        point = f"layer.{layer}.attention.context_heads"
        change = partial(_put, new[layer], None)
        for part, values in _variants(model, target, layer, states, range(heads), change, point, max_tokens):
            without[layer, part] = values
            progress((layer * heads + part.stop) / without.size)
    return intact, without - intact


@torch.inference_mode(False)  # a caller's may be on, and allows no gradients
def attention_gradient(model: Bert, text: Text, target: Target, layer: int) -> AttentionGradient:
    """Gradient of the target with respect to the attention weights of all heads of one layer (from 0).

    Each weight counts for itself: that a row sums to 1 is not held fixed, and nothing flows back through the softmax.
    """
    entering, point = passing(model, text, hidden_points(layer)[layer]), f"layer.{layer}.attention.probs"
    leaves: list[Tensor] = []

    def leaf(probs: Tensor) -> Tensor:
        leaves.append(probs.detach().requires_grad_())  # (1,N,S,S)
        return leaves[0]

    with torch.enable_grad():
        number = _target_from(model, target, layer, entering, {point: leaf})  # (1)
        (gradient,) = torch.autograd.grad(number.sum(), leaves[0])
    return AttentionGradient(float(number.detach()[0]), as_doubles(leaves[0][0]), as_doubles(gradient[0]))


@torch.inference_mode()
def link_effects(
    model: Bert,
    text: Text,
    target: Target,
    layer: int,
    head: int,
    row: int,
    columns: Sequence[int],
    *,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> NDArray[np.float64]:
    """Change of the target (C) when the token `row` no longer looks at each of C `columns`, one at a time.

    The rest of the row is scaled to sum to 1 again; where nothing is left, the row is 0.
    """
    entering, point = passing(model, text, hidden_points(layer)[layer]), f"layer.{layer}.attention.probs"
    effects = np.full(len(columns), -float(_target_from(model, target, layer, entering)[0]))
    change = partial(_without_links, head, row)
    for part, values in _variants(model, target, layer, entering, columns, change, point, max_tokens):
        effects[part] += values
        progress(part.stop / len(columns))
    return effects


@torch.inference_mode()
def patching_map(
    model: Bert,
    text: Text,
    other: Text,
    target: Target,
    part: PatchedPart = "state",
    *,
    position: int | None = None,
    columns: Sequence[int] | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> PatchingMap:
    """Every place in turn. `position` patches a head's output at one token only; absent, at all of them.

    `columns` are positions or heads; absent, all: of a long text a few tokens take a fraction of the time.
    Raises BertcoreError where the texts differ in length, or not enough in the target, and for columns not there.
    """
    check_patching(text, other, part, position)
    count = model.config.num_attention_heads if part == "head" else len(text)
    chosen = list(range(count) if columns is None else columns)
    if part == "head":
        check_numbers("head", chosen, count, "each layer of this model")
    else:
        check_rows(chosen, count)
    points = _points(model, part)
    entering, ours = _record(model, text, target, hidden_points(model.encoder.depth))
    theirs, aim = _record(model, other, target, points)
    if not abs(aim - ours) >= SMALLEST_DIFFERENCE:  # not a number either
        raise BertcoreError(
            f"Both texts give this prediction nearly the same score ({ours:.3f} and {aim:.3f}), so there is no "
            "difference to locate; choose another prediction, or texts that differ more."
        )
    patched = np.full((len(points), len(chosen)), ours)
    kept = [list(range(len(chosen))) for _ in points]  # the columns of each row that can change anything
    if part == "state":
        differ = [(old != new)[0].any(dim=-1).tolist() for old, new in zip(entering, theirs, strict=True)]  # (L+1,S)
        kept = [[k for k in row if here[chosen[k]]] for row, here in zip(kept, differ, strict=True)]
    total = max(sum(len(row) * (len(points) - number) for number, row in enumerate(kept)), 1)  # layers to compute
    done = 0
    for row, new in enumerate(theirs):
        variants, point = [chosen[k] for k in kept[row]], None if part == "state" else points[row]
        change = partial(_put, new, position)
        for batch, values in _variants(model, target, row, entering[row], variants, change, point, max_tokens):
            patched[row, kept[row][batch]] = values
            done += len(values) * (len(points) - row)
            progress(done / total)
    return PatchingMap(part, ours, aim, patched, tuple(chosen))


def patched_at(model: Bert, other: Text, part: PatchedPart, layer: int, column: int) -> Changes:
    """One cell of the map as changes for `trace` and others: what the model computes with this one place patched.

    `layer` is the row of the map. Raises BertcoreError for a cell that is not there.
    """
    points = _points(model, part)
    check_numbers("row", [layer], len(points), "the map")
    with torch.inference_mode():
        value = passing(model, other, points[layer])[0].float().cpu().numpy()
    if part == "head":
        check_numbers("head", [column], len(value), "each layer of this model")
    else:
        check_rows([column], len(other))
    return {points[layer]: put((column,), value[column])}


def check_patching(text: Text, other: Text, part: PatchedPart = "state", position: int | None = None) -> None:
    """Raises BertcoreError where the texts cannot be patched, or there is no such part or position."""
    if part not in get_args(PatchedPart):
        raise BertcoreError(f"There is no part {part!r}; choose one of {', '.join(get_args(PatchedPart))}.")
    if len(text) != len(other):
        raise BertcoreError(
            f"The texts have {len(text):,} and {len(other):,} tokens; patching puts each token's state in place of the "
            "one at the same position, so write two texts of the same number of tokens."
        )
    if position is not None:
        if part != "head":
            raise BertcoreError("A position can only be chosen for heads; the other parts are patched at each one.")
        check_rows([position], len(text))


def _points(model: Bert, part: PatchedPart) -> list[str]:
    """Where the rows of the map are patched."""
    depth = model.encoder.depth
    if part == "state":
        return hidden_points(depth)
    name = {"attention": "attention.output", "feed-forward": "feed_forward.output", "head": "attention.context_heads"}
    return [f"layer.{layer}.{name[part]}" for layer in range(depth)]


def _record(model: Bert, text: Text, target: Target, points: Sequence[str]) -> tuple[list[Tensor], float]:
    """What passes at the points, and the target."""
    target.check(len(text))  # before the pass
    record = Recorder(lambda name: name in points)
    value = float(target.of(model, text.hidden(model, hook=record)))
    return [record[point] for point in points], value


def _variants(
    model: Bert,
    target: Target,
    layer: int,
    entering: Tensor,
    variants: Sequence[int],
    change: Callable[[Sequence[int]], Change],
    point: str | None,
    max_tokens: int,
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Which of the variants are in a batch, and the target of each (B).

    All have the same states (1,S,H) enter the layer; `change` of a batch acts at a point of it, or on these states.
    """
    for part in chunks(len(variants), entering.shape[1], max_tokens):
        changed = change(variants[part])
        batch = entering.expand(part.stop - part.start, -1, -1)  # (B,S,H)
        numbers = (
            _target_from(model, target, layer, changed(batch))
            if point is None
            else _target_from(model, target, layer, batch, {point: changed})
        )
        yield part, as_doubles(numbers)


def _target_from(model: Bert, target: Target, layer: int, entering: Tensor, changes: Changes | None = None) -> Tensor:
    """The target (B) from what enters a layer (B,S,H), or leaves the last one; `changes` are made in that layer.

    It is computed for all tokens, as they may need them all; those behind it take the fast path.
    """
    target.check(entering.shape[1])
    if changes:
        entering = model.encoder.layer(layer)(entering, hook=Intervention(changes).at(f"layer.{layer}"))
        layer += 1
    if layer == model.encoder.depth or target.reads_all:
        return target.of(model, model.encoder(entering, start=layer))
    count, length = entering.shape[:2]
    rows = torch.arange(count, device=entering.device) * length + target.position
    return target.read(model, model.encoder(entering, rows=rows, start=layer))


def _put(new: Tensor, position: int | None, chosen: Sequence[int]) -> Change:
    """In variant b the token or head chosen[b] becomes as in `new` (1,S,H) or (1,N,S,D): at one position or at all."""
    at = (list(chosen), slice(None) if position is None else position)

    def changed(value: Tensor) -> Tensor:
        value = value.clone()  # (B,S,H) or (B,N,S,D)
        value[(range(len(chosen)), *at)] = new[(0, *at)]
        return value

    return changed


def _without_links(head: int, row: int, columns: Sequence[int]) -> Change:
    """In variant b the row does not look at columns[b]."""

    def changed(probs: Tensor) -> Tensor:
        probs = probs.clone()  # (B,N,S,S)
        rows = probs[:, head, row]  # (B,S)
        rows[range(len(columns)), list(columns)] = 0
        left = rows.sum(-1, keepdim=True)
        probs[:, head, row] = torch.where(left > 0, rows / left, 0)
        return probs

    return changed
