"""The residual stream: how much attention, feed-forward and each of its neurons add to it, layer by layer.

With x what enters a layer, Attn and FF its two sublayers and LN a LayerNorm,

    post-norm (the paper)    m = LN(x + Attn(x))        y = LN(m + FF(m))
    pre-norm                 m = x + Attn(LN(x))        y = m + FF(LN(m))

where y enters the next layer. "What attention adds" is Attn(...), "what feed-forward adds" is FF(...): the hook points
layer.{i}.attention.output and layer.{i}.feed_forward.output. In a pre-norm model the stream is the sum of all that was
added; in a post-norm model each LayerNorm gives it another length, so that lengths compare within one layer.

A neuron's activation is a = act(w_in . m + b_in); it adds a * w_out to the stream (Geva et al. 2021, "Feed-Forward
Layers Are Key-Value Memories").

`members` (U), the tokens of each unit (a word of several), averages vectors or activations over these; None: every
token by itself. `changes` act in the pass. L layers, S tokens, U units, H hidden, I neurons of a layer, E width of the
token table, V vocabulary. Layers and neurons count from 0. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import EMBEDDINGS, check_layers, check_numbers
from bertcore.errors import BertcoreError
from bertcore.model.hooks import Changes, Hook, HookFunction, hidden_points
from bertcore.table import Picture, Table, cells

if TYPE_CHECKING:
    from torch import Tensor, nn

    from bertcore.analysis.passes import Text
    from bertcore.analysis.targets import Target
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Tokenizer

Floats = NDArray[np.float32]
Members = Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """L2 lengths and cosines, each (L,U)."""

    entering: Floats  # length of x, what enters the layer
    attention: Floats  # length of what attention adds to x
    attention_cosine: Floats  # of that with x
    middle: Floats  # length of m, what feed-forward finds there
    feed_forward: Floats  # length of what feed-forward adds to m
    feed_forward_cosine: Floats  # of that with m


@dataclass(frozen=True, eq=False)
class StrongestNeurons:
    """For each unit the K neurons of all layers with the highest activation, highest first; each (U,K)."""

    layers: NDArray[np.int64]
    neurons: NDArray[np.int64]
    activations: Floats


@dataclass(frozen=True, eq=False, repr=False)
class PushedWords(Table):
    """What a neuron's output weights do to words, as the token table says: (word, dot product), most extreme first."""

    up: list[tuple[str, float]]
    down: list[tuple[str, float]]
    output_length: float  # L2 norm of the output weights: what an activation of 1 adds

    def rows(self) -> list[dict[str, Any]]:
        return [{"word": word, "product": product} for word, product in (*self.up, *self.down)]


@dataclass(frozen=True, eq=False, repr=False)
class LogitParts(Table):
    """What each part of the model adds to the logit of a word; all parts add up to it."""

    embeddings: dict[str, float]  # "token", "segment", "position"
    heads: NDArray[np.float64]  # (L,N)
    feed_forward: NDArray[np.float64]  # (L)
    biases: float  # of all linear layers and LayerNorms but feed-forward's
    logit: float  # what the model says
    error: float  # sum of all parts - logit: rounding

    def rows(self) -> list[dict[str, Any]]:
        """A row for each part; layer and head are None where it has none."""
        rows = [{"part": f"{name} embedding", "logit": value} for name, value in self.embeddings.items()]
        rows += [{"part": "biases", "logit": self.biases}]
        for layer, (heads, added) in enumerate(zip(self.heads.tolist(), self.feed_forward.tolist(), strict=True)):
            rows += [{"part": "head", "layer": layer, "head": head, "logit": value} for head, value in enumerate(heads)]
            rows += [{"part": "feed-forward", "layer": layer, "logit": added}]
        return [{"part": None, "layer": None, "head": None} | row for row in rows]

    def picture(self) -> Picture:
        """Heads and feed-forward layers as a map; what else there is, below it."""
        values = np.concatenate([self.heads, self.feed_forward[:, None]], axis=1)  # (L,N+1)
        layers, heads = [f"layer {layer}" for layer in range(len(values))], self.heads.shape[1]
        columns = [*(f"head {head}" for head in range(heads)), "feed-forward"]
        others = {**{f"{name} embedding": value for name, value in self.embeddings.items()}, "biases": self.biases}
        note = f"All parts add up to the logit, {self.logit:.2f}: "
        note += ", ".join(f"{name} {value:.2f}" for name, value in others.items()) + " and these."
        return Picture("Parts of a logit", cells(values, layers, columns, "", signed=True), note)


def residual_stream(
    model: Bert, text: Text, *, members: Members | None = None, changes: Changes | None = None
) -> ResidualStream:
    """One pass over one text; no more than (L,U) numbers are kept of it."""
    points, units = hidden_points(model.config.num_hidden_layers), _units(members, text)
    rows: dict[str, list[Tensor]] = {field: [] for field in ResidualStream.__dataclass_fields__}
    stream: Tensor  # (U,H) as it is just before something is added

    def measure(name: str, value: Tensor) -> Tensor:
        nonlocal stream
        if name.endswith(".middle") or name in points:
            stream = units(value)
        elif name.endswith(("attention.output", "feed_forward.output")):
            sublayer, added = name.split(".")[2], units(value)
            there, length = stream.norm(dim=-1), added.norm(dim=-1)  # (U)
            rows["entering" if sublayer == "attention" else "middle"].append(there)
            rows[sublayer].append(length)
            rows[f"{sublayer}_cosine"].append((stream * added).sum(dim=-1) / (there * length).clamp(min=1e-30))
        return value

    _run(model, text, changes, measure)
    return ResidualStream(**{field: np.stack([row.cpu().numpy() for row in kept]) for field, kept in rows.items()})


def strongest_neurons(
    model: Bert, text: Text, *, k: int = 20, members: Members | None = None, changes: Changes | None = None
) -> StrongestNeurons:
    """One pass over one text; of each layer's (S,I) activations only the k highest of each unit are kept."""
    units, best = _units(members, text), list[tuple[NDArray, NDArray]]()  # (U,k) each

    def keep(name: str, value: Tensor) -> Tensor:
        if name.endswith(".feed_forward.activation"):
            activations, neurons = units(value).topk(min(k, value.shape[-1]), dim=1)
            best.append((activations.cpu().numpy(), neurons.cpu().numpy()))
        return value

    _run(model, text, changes, keep)
    activations, neurons = (np.concatenate(each, axis=1) for each in zip(*best, strict=True))  # (U, L x k)
    order = np.argsort(-activations, axis=1, kind="stable")[:, :k]
    chosen = (np.take_along_axis(each, order, axis=1) for each in (neurons, activations))
    return StrongestNeurons(order // best[0][0].shape[1], *chosen)


def neuron_activations(
    model: Bert, text: Text, layer: int, neuron: int, *, members: Members | None = None, changes: Changes | None = None
) -> Floats:
    """One neuron's activation for each unit of the text: (U).

    Raises BertcoreError for a layer or neuron that the model does not have.
    """
    from bertcore.analysis.trace import activations

    _check_neuron(model, layer, neuron)
    point = f"layer.{layer}.feed_forward.activation"
    column = activations(model, text, [point], changes)[point][:, neuron]  # (S)
    return column if members is None else np.array([column[list(unit)].mean() for unit in members])


def logit_parts(model: Bert, text: Text, target: Target) -> LogitParts:
    """Direct logit attribution of a word at a position, perhaps against another one: which parts speak for it.

    Elhage et al. 2021 ("A Mathematical Framework for Transformer Circuits"); see `written_by_parts`.
    Raises BertcoreError where the target is no word, or the model has no MLM head.
    """
    import torch

    if target.head != "mlm" or model.mlm is None:
        raise BertcoreError("Only the logit of a word is divided among the parts of a model; name a word at a [MASK].")
    with torch.inference_mode():
        logit = float(replace(target, measure="logit").of(model, text.hidden(model)))
    words = [target.index] if target.against is None else [target.index, target.against]
    signs = np.array([1.0, -1.0])[: len(words)]
    direction, biases = (signs @ _array(each[words]) for each in (model.embeddings.token.weight, model.mlm.bias))
    written = {name: rows @ direction for name, rows in written_by_parts(model, text, target.position).items()}
    heads, feed_forward, biases = written.pop("heads"), written.pop("feed_forward"), biases + written.pop("biases")
    embeddings = {name: float(value) for name, value in written.items()}
    whole = sum(embeddings.values()) + biases + heads.sum() + feed_forward.sum()
    return LogitParts(embeddings, heads, feed_forward, float(biases), logit, float(whole - logit))


def written_by_parts(model: Bert, text: Text, position: int) -> dict[str, NDArray[np.float64]]:
    """What each part wrote at a position, as it meets the token table: its product with a word's row is that part's
    share of the logit.

    "token", "segment", "position" as far as there are such embeddings, and "biases": (E); "heads": (L,N,E);
    "feed_forward": (L,E). The last hidden state is the sum of what all parts wrote into the stream at this position.
    Each LayerNorm on the way, in post-norm models two a layer, is held fixed: it divides every part by the deviation of
    their sum, so that it is linear. So is the activation in the word head, which multiplies them by act(z) / z of their
    sum z. What a part does to other parts (a head that makes a later one look elsewhere) is not in it: that shows in
    `effects`. Needs an MLM head.
    """
    import torch

    from bertcore.analysis.trace import activations

    head, encoder = model.mlm, model.encoder
    assert head is not None
    with torch.inference_mode():
        z = head.transform(text.hidden(model)[0, position]).double()
        activated = head.activation(z)
    tables = [name for name in EMBEDDINGS if getattr(model.embeddings, name) is not None]
    inside = ("attention.context_heads", "attention.output", "middle", "feed_forward.output")
    stream = hidden_points(encoder.depth)
    points = [*stream, "embeddings.sum", *(f"embeddings.{name}" for name in tables)]
    points += [f"layer.{layer}.{part}" for layer in range(encoder.depth) for part in inside]
    seen = {name: value[..., position, :].astype(float) for name, value in activations(model, text, points).items()}
    rows = np.stack([np.zeros_like(seen["embeddings.sum"]), *(seen[f"embeddings.{name}"] for name in tables)])

    def linear(layer: nn.Linear) -> None:
        nonlocal rows
        rows = rows @ _array(layer.weight).T
        rows[0] += _array(layer.bias)  # the first row is that of all biases

    def norm(layer: nn.LayerNorm | None, whole: NDArray) -> None:
        nonlocal rows
        if layer is not None:
            rows = (rows - rows.mean(axis=1, keepdims=True)) * _array(layer.weight) / np.sqrt(whole.var() + layer.eps)
            rows[0] += _array(layer.bias)

    norm(model.embeddings.norm, seen["embeddings.sum"])
    if model.embeddings.projection is not None:
        linear(model.embeddings.projection)
    for index in range(encoder.depth):
        layer, is_post_norm = encoder.layer(index), encoder.final_norm is None
        context, attention, middle, added = (seen[f"layer.{index}.{part}"] for part in inside)
        output = layer.attention.output
        weight = _array(output.weight).reshape(-1, *context.shape)  # (H,N,D)
        rows = np.concatenate([rows, np.einsum("nd,hnd->nh", context, weight)])
        rows[0] += _array(output.bias)
        norm(layer.attention_norm if is_post_norm else None, seen[stream[index]] + attention)
        rows = np.concatenate([rows, added[None]])
        norm(layer.feed_forward_norm if is_post_norm else None, middle + added)
    norm(encoder.final_norm, seen[stream[-1]])
    linear(head.transform)
    rows *= _array(torch.where(z == 0, 0, activated / z))
    norm(head.norm, _array(activated))
    by_layer = rows[1 + len(tables) :].reshape(encoder.depth, -1, rows.shape[1])  # (L,N+1,E)
    embeddings = dict(zip(tables, rows[1:], strict=False))
    return {**embeddings, "biases": rows[0], "heads": by_layer[:, :-1], "feed_forward": by_layer[:, -1]}


def _array(tensor: Tensor) -> NDArray[np.float64]:
    return tensor.detach().cpu().double().numpy()


def pushed_words(model: Bert, tokenizer: Tokenizer, layer: int, neuron: int, k: int = 10) -> PushedWords:
    """The words whose row of the token table has the largest (and the lowest) dot product with the output weights.

    The MLM head stands between the stream and the words, and its transform is not linear; this leaves it out and takes
    the token table itself, as Geva et al. 2022 ("...Promoting Concepts in the Vocabulary Space") do. Where the table is
    narrower than the stream (ALBERT, small ELECTRA), its rows go through the embeddings' own projection first.
    Raises BertcoreError for a layer or neuron that the model does not have.
    """
    import torch

    _check_neuron(model, layer, neuron)
    with torch.inference_mode():
        written = model.encoder.layer(layer).feed_forward_out.weight[:, neuron].float()  # (H)
        projection = model.embeddings.projection
        direction = written if projection is None else projection.weight.float().T @ written  # (E)
        scores = (model.embeddings.token.weight.float() @ direction).cpu().numpy()  # (V)
    return most_pushed(scores, tokenizer, k, float(written.norm()))


def most_pushed(scores: NDArray, tokenizer: Tokenizer, k: int, length: float) -> PushedWords:
    """The words with the highest and the lowest scores (V), without special tokens. length: of the vector pushed."""
    order = np.argsort(scores, kind="stable")
    special = set(tokenizer.special_ids)
    words = [int(i) for i in order if int(i) not in special and int(i) <= tokenizer.largest_id]

    def named(ids: Sequence[int]) -> list[tuple[str, float]]:
        return [(tokenizer.label(i), float(scores[i])) for i in ids]

    return PushedWords(named(words[::-1][:k]), named(words[:k]), length)


def _run(model: Bert, text: Text, changes: Changes | None, look: HookFunction) -> None:
    """A pass in which `look` sees what the changes leave."""
    import torch

    from bertcore.analysis.passes import changed

    with torch.inference_mode(), changed(model, changes, Hook(look)) as hook:
        text.hidden(model, hook=hook)


def _units(members: Members | None, text: Text) -> Callable[[Tensor], Tensor]:
    """From vectors (1,S,D) to the mean over each unit's tokens (U,D), in float32."""
    if members is None:
        return lambda vectors: vectors[0].float()
    mean = text.ids.new_zeros(len(members), len(text)).float()  # (U,S), rows summing to 1
    for unit, positions in enumerate(members):
        mean[unit, list(positions)] = 1 / len(positions)
    return lambda vectors: mean @ vectors[0].float()


def _check_neuron(model: Bert, layer: int, neuron: int) -> None:
    check_layers([layer], model.config)
    check_numbers("neuron", [neuron], model.config.intermediate_size, "each layer of this model")
