"""One forward pass with everything kept."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import as_text, changed
from bertcore.analysis.predict import HeadOutputs, head_outputs
from bertcore.checkpoint.missing_parts import absent_arrays
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes, Recorder, hidden_points

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Trace(HeadOutputs):
    """What passed through the model for one text, up to what its heads say.

    L layers, N heads, S tokens, H hidden, E width of the embeddings (H in most), D head size, V vocabulary.
    What a model has no part for is None, and `absent` says why, by the array's name.
    """

    input_ids: NDArray[np.int64]  # (S)
    segment_ids: NDArray[np.int64]  # (S)
    position_ids: NDArray[np.int64]  # (S) counted from 0 in every family
    token_embeddings: Floats  # (S,E)
    segment_embeddings: Floats | None  # (S,E)
    position_embeddings: Floats  # (S,E)
    embedding_sum: Floats  # (S,E) the three added up
    embeddings: Floats  # (S,H) after LayerNorm, and after the projection where E is not H
    hidden_states: Floats  # (L+1,S,H) embeddings, then each layer's output; the last one normalised in every model
    attentions: Floats  # (L,N,S,S) row: the token that looks; column: what it looks at; rows sum to 1
    queries: Floats  # (L,N,S,D)
    keys: Floats  # (L,N,S,D)
    values: Floats  # (L,N,S,D)
    absent: dict[str, str]  # array -> why this model has none

    def arrays(self) -> dict[str, NDArray]:
        """All arrays that are there, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in named.items() if isinstance(array, np.ndarray)}


@torch.inference_mode()
def trace(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None = None,
    position_ids: Sequence[int] | None = None,
    *,
    mlm_positions: Sequence[int] | Literal["all"] = "all",
    changes: Changes | None = None,
) -> Trace:
    """Run one text (S tokens, at most the model's positions) and keep what passes.

    Absent, all segments are 0, and positions count from 0.
    `mlm_positions` says for which tokens the word logits are computed; each costs a row of V numbers.
    `changes` (hook point -> function of the tensor there) intervene; the trace then shows what they left.
    Raises BertcoreError where the model has too few positions, segments or words for the text, and for changes at a
    point that nothing passes. Where only the heads' answers are wanted, `predict_masks` takes a tenth of the memory.
    """
    text = as_text(model, input_ids, segment_ids, position_ids)
    record = Recorder(is_traced)
    rows = range(len(text)) if mlm_positions == "all" else mlm_positions
    with changed(model, changes, record) as hook:
        hidden = text.hidden(model, hook=hook)
        outputs = head_outputs(model, hidden, rows, hook)
    layers = range(model.config.num_hidden_layers)
    hidden_states = [record[name][0] for name in hidden_points(len(layers))]
    if model.encoder.final_norm is not None:
        hidden_states[-1] = hidden[0]

    def stacked(what: str) -> Floats:
        return _numpy(torch.stack([record[f"layer.{layer}.attention.{what}"][0] for layer in layers]))

    return Trace(
        input_ids=text.ids.cpu().numpy(),
        segment_ids=np.zeros(len(text), np.int64) if segment_ids is None else np.array(segment_ids, dtype=np.int64),
        position_ids=text.positions.cpu().numpy(),
        token_embeddings=_numpy(record["embeddings.token"][0]),
        segment_embeddings=_numpy(record["embeddings.segment"][0]) if model.embeddings.segment is not None else None,
        position_embeddings=_numpy(record["embeddings.position"][0]),
        embedding_sum=_numpy(record["embeddings.sum"][0]),
        embeddings=_numpy(record["embeddings.output"][0]),
        hidden_states=_numpy(torch.stack(hidden_states)),
        attentions=stacked("probs"),
        queries=stacked("query"),
        keys=stacked("key"),
        values=stacked("value"),
        **vars(outputs),
        absent=absent_arrays(model.config, model.output_heads, model.pooler is not None),
    )


def is_traced(point: str) -> bool:
    """Whether a trace keeps this hook point: embeddings, queries, keys, values, attention, and each layer's output."""
    is_layer_output = point.startswith("layer.") and point.count(".") == 2
    return point.startswith("embeddings.") or is_layer_output or point.endswith((".query", ".key", ".value", ".probs"))


def _numpy(tensor: Tensor) -> Floats:
    return tensor.float().cpu().contiguous().numpy()
