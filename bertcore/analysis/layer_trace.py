"""One text through one layer: every tensor on the way, and the weights that they were computed with.

S tokens, H hidden, N heads, D head size, I feed-forward width. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor, nn

    from bertcore.model.bert import Bert
    from bertcore.model.hooks import Changes

Floats = NDArray[np.float32]
POINTS = {  # field of LayerTrace -> hook point after layer.{i}
    "attention_input": "attention.input",
    "query": "attention.query",
    "key": "attention.key",
    "value": "attention.value",
    "scores": "attention.scores",
    "probs": "attention.probs",
    "context": "attention.context_heads",
    "attention_output": "attention.output",
    "middle": "middle",
    "feed_forward_input": "feed_forward.input",
    "before_activation": "feed_forward.before_activation",
    "activation": "feed_forward.activation",
    "feed_forward_output": "feed_forward.output",
    "leaving": "output",
}


@dataclass(frozen=True, eq=False)
class Affine:
    """A linear layer's weight (out, in) and bias (out), or a LayerNorm's scale and shift (H)."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, eq=False)
class LayerTrace:
    """Everything that passed in one layer for one text, and the weights it was computed with."""

    layer: int
    pre_norm: bool
    hidden_act: str
    epsilon: float  # of LayerNorm
    entering: Floats  # (S,H)
    attention_input: Floats  # (S,H)
    query: Floats  # (N,S,D)
    key: Floats  # (N,S,D)
    value: Floats  # (N,S,D)
    scores: Floats  # (N,S,S) divided by sqrt(D)
    probs: Floats  # (N,S,S)
    context: Floats  # (N,S,D)
    attention_output: Floats  # (S,H)
    middle: Floats  # (S,H)
    feed_forward_input: Floats  # (S,H)
    before_activation: Floats  # (S,I)
    activation: Floats  # (S,I)
    feed_forward_output: Floats  # (S,H)
    leaving: Floats  # (S,H)
    normed: Floats | None  # (S,H) after the model's last LayerNorm: pre-norm, last layer only
    weights: dict[str, Affine]


def trace_layer(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    position_ids: Sequence[int] | None = None,
    *,
    layer: int,
    changes: Changes | None = None,
    entering: NDArray | None = None,
) -> LayerTrace:
    """One text through one layer, every tensor on the way kept.

    `entering` (S,H), what enters the layer (a trace has it), saves the layers before it; it goes without `changes`.
    Raises BertcoreError for a layer that the model does not have, and as `trace` does.
    """
    import torch

    from bertcore.analysis.interventions import check_layers
    from bertcore.analysis.passes import as_text, changed
    from bertcore.model.hooks import Recorder, hidden_points

    check_layers([layer], model.config)
    before = hidden_points(layer)[layer]
    here = {name: f"layer.{layer}.{point}" for name, point in POINTS.items()}
    record = Recorder(lambda name: name in (before, "encoder.final_norm", *here.values()))
    text = as_text(model, input_ids, segment_ids, position_ids)
    with torch.inference_mode():
        if entering is None or changes:
            with changed(model, changes, record) as hook:
                text.hidden(model, hook=hook)
            hidden = record[before]
        else:
            hidden = torch.from_numpy(entering)[None].to(model.embeddings.token.weight)
            leaving = model.encoder.layer(layer)(hidden, hook=record.at(f"layer.{layer}"))
            if model.encoder.final_norm is not None and layer == model.config.num_hidden_layers - 1:
                record("encoder.final_norm", model.encoder.final_norm(leaving))
    is_last = layer == model.config.num_hidden_layers - 1 and "encoder.final_norm" in record
    return LayerTrace(
        layer=layer,
        pre_norm=model.config.norm == "pre",
        hidden_act=model.config.hidden_act,
        epsilon=model.config.layer_norm_eps,
        entering=_numpy(hidden[0]),
        **{name: _numpy(record[point][0]) for name, point in here.items()},
        normed=_numpy(record["encoder.final_norm"][0]) if is_last else None,
        weights=_weights(model, layer),
    )


def _weights(model: Bert, layer: int) -> dict[str, Affine]:
    own = model.encoder.layer(layer)
    modules: dict[str, nn.Module | None] = {
        "query_key_value": own.attention.query_key_value,
        "output": own.attention.output,
        "attention_norm": own.attention_norm,
        "feed_forward_in": own.feed_forward_in,
        "feed_forward_out": own.feed_forward_out,
        "feed_forward_norm": own.feed_forward_norm,
        "final_norm": model.encoder.final_norm,
    }
    return {
        name: Affine(_numpy(module.weight), _numpy(module.bias))  # type: ignore[arg-type]
        for name, module in modules.items()
        if module is not None
    }


def _numpy(tensor: Tensor) -> Floats:
    """Without a copy where the model is on the CPU in single precision."""
    array: Floats = tensor.detach().float().cpu().numpy()
    return array
