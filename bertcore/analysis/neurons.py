"""Neurons of the feed-forward layers: which fire most for a token, where else one fires, and which words it pushes up.

A neuron's activation is a = act(w_in . m + b_in); it adds a * w_out to the residual stream (Geva et al. 2021, "Feed-
Forward Layers Are Key-Value Memories"). L layers, S tokens, U units (tokens, or words), I neurons of a layer, H hidden,
E width of the token table, V vocabulary. Layers and neurons count from 0. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_layers, check_numbers
from bertcore.model.hooks import Changes, Hook, Recorder

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Tokenizer

Floats = NDArray[np.float32]
Ids = Sequence[int]


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


def strongest_neurons(
    model: Bert,
    input_ids: Ids,
    segment_ids: Ids | None,
    position_ids: Ids | None = None,
    *,
    k: int = 20,
    members: Sequence[Sequence[int]] | None = None,
    changes: Changes | None = None,
) -> StrongestNeurons:
    """One pass over one text; of each layer's (S,I) activations only the k highest of each unit are kept.

    `members` (U), the tokens of each unit, averages their activations; None: every token by itself.
    Raises BertcoreError as `trace` does.
    """
    import torch

    from bertcore.analysis.passes import as_text, changed
    from bertcore.analysis.residual import membership

    text = as_text(model, input_ids, segment_ids, position_ids)
    best = _Best(k, None if members is None else membership(members, len(text), text.ids.device))
    with torch.inference_mode(), changed(model, changes, best) as hook:
        text.hidden(model, hook=hook)
    return best.strongest()


def neuron_activations(
    model: Bert,
    layer: int,
    neuron: int,
    input_ids: Ids,
    segment_ids: Ids | None,
    position_ids: Ids | None = None,
    *,
    members: Sequence[Sequence[int]] | None = None,
    changes: Changes | None = None,
) -> Floats:
    """One neuron's activation for each unit of the text: (U).

    Raises BertcoreError for a layer or neuron that the model does not have, and as `trace` does.
    """
    import torch

    from bertcore.analysis.passes import as_text, changed
    from bertcore.analysis.residual import membership

    _check_neuron(model, layer, neuron)
    point = f"layer.{layer}.feed_forward.activation"
    text, record = as_text(model, input_ids, segment_ids, position_ids), Recorder(lambda name: name == point)
    with torch.inference_mode():
        with changed(model, changes, record) as hook:
            text.hidden(model, hook=hook)
        column = record[point][0, :, neuron].float()  # (S)
        if members is not None:
            column = membership(members, len(text), column.device) @ column
    return column.cpu().numpy()


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


class _Best(Hook):
    """Keeps the highest activations of each unit, layer by layer."""

    def __init__(self, k: int, member: Tensor | None) -> None:
        self._k, self._member = k, member
        self._values: list[Tensor] = []
        self._neurons: list[Tensor] = []

    def __call__(self, name: str, value: Tensor) -> Tensor:
        if name.endswith(".feed_forward.activation"):
            activations = value[0].float()  # (S,I)
            if self._member is not None:
                activations = self._member.to(activations) @ activations  # (U,I)
            values, neurons = activations.topk(min(self._k, activations.shape[1]), dim=1)
            self._values.append(values)
            self._neurons.append(neurons)
        return value

    def strongest(self) -> StrongestNeurons:
        import torch

        per_layer = self._values[0].shape[1]
        values, neurons = torch.cat(self._values, dim=1), torch.cat(self._neurons, dim=1)  # (U, L x k)
        best, place = values.topk(min(self._k, values.shape[1]), dim=1)
        layers, chosen = place // per_layer, neurons.gather(1, place)
        return StrongestNeurons(layers.cpu().numpy(), chosen.cpu().numpy(), best.cpu().numpy())


def _check_neuron(model: Bert, layer: int, neuron: int) -> None:
    check_layers([layer], model.config)
    check_numbers("neuron", [neuron], model.config.intermediate_size, "each layer of this model")
