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
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_layers, check_numbers
from bertcore.model.hooks import Changes, Hook, HookFunction, hidden_points

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.analysis.passes import Text
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


@dataclass(frozen=True, eq=False)
class PushedWords:
    """What a neuron's output weights do to words, as the token table says: (word, dot product), most extreme first."""

    up: list[tuple[str, float]]
    down: list[tuple[str, float]]
    output_length: float  # L2 norm of the output weights: what an activation of 1 adds


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
    model: Bert,
    text: Text,
    layer: int,
    neuron: int,
    *,
    members: Members | None = None,
    changes: Changes | None = None,
) -> Floats:
    """One neuron's activation for each unit of the text: (U).

    Raises BertcoreError for a layer or neuron that the model does not have.
    """
    _check_neuron(model, layer, neuron)
    units, columns = _units(members, text), list[Floats]()

    def keep(name: str, value: Tensor) -> Tensor:
        if name == f"layer.{layer}.feed_forward.activation":
            columns.append(units(value[..., neuron, None])[:, 0].cpu().numpy())
        return value

    _run(model, text, changes, keep)
    return columns[0]


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
    order = np.argsort(scores, kind="stable")
    special = set(tokenizer.special_ids)
    words = [int(i) for i in order if int(i) not in special and int(i) <= tokenizer.largest_id]

    def named(ids: Sequence[int]) -> list[tuple[str, float]]:
        return [(tokenizer.label(i), float(scores[i])) for i in ids]

    return PushedWords(named(words[::-1][:k]), named(words[:k]), float(written.norm()))


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
