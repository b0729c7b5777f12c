"""How much of each token reaches another one: in a head, by the length of what is added; through all layers.

Rollout and flow (Abnar and Zuidema 2020) follow the residual stream: a layer is the graph A' = r I + (1 - r) mean over
heads of A, with r = 0.5, rows summing to 1. L layers, N heads, S tokens, D head size. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, no_progress

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from bertcore.model.bert import Bert

RESIDUAL = 0.5  # fraction of a layer's output that is taken to come from the token itself
_UNIT = 2**30  # capacity 1; scipy counts in 32-bit integers, and no flow is larger than what leaves one token: 1


def attention_norms(model: Bert, attentions: NDArray, values: NDArray) -> NDArray[np.float64]:
    """How long each vector is that a head takes from one token to another: ||a f(x)||, (L,N,S,S), row: who looks.

    Kobayashi et al. 2020 ("Attention is Not Only a Weight", section 3): f(x) = (x W_V + b_V) W_O is what the weight a
    is put on; where it is short, a large weight moves little. `attentions` (L,N,S,S) and `values` (L,N,S,D) as in a
    trace.
    """
    lengths = np.empty(values.shape[:3])  # (L,N,S)
    for layer, own in enumerate(values.astype(np.float64)):
        output = model.encoder.layer(layer).attention.output.weight.detach().cpu().double().numpy()  # (H,H)
        heads = output.reshape(len(output), *own.shape[::2])  # (H,H) -> (H,N,D)
        lengths[layer] = np.sqrt(np.einsum("nsd,hnd,hne,nse->ns", own, heads, heads, own, optimize=True).clip(min=0))
    return attentions * lengths[:, :, None, :]


def residual_attention(attentions: NDArray) -> NDArray[np.float64]:
    """(L,N,S,S) -> (L,S,S): heads averaged, the residual connection put in."""
    mean = np.asarray(attentions, dtype=np.float64).mean(axis=1)
    return RESIDUAL * np.eye(mean.shape[-1]) + (1 - RESIDUAL) * mean


def without(
    attentions: NDArray, heads_off: Collection[tuple[int, int]] = (), layers_off: Collection[int] = ()
) -> NDArray:
    """Attention (L,N,S,S) as it counts where heads or layers are switched off: what adds nothing to a token leaves it
    with what it had, as if each token looked at itself alone."""
    if not heads_off and not layers_off:
        return attentions
    counted = attentions.copy()
    itself = np.eye(attentions.shape[-1], dtype=attentions.dtype)
    counted[list(layers_off)] = itself
    for layer, head in heads_off:
        counted[layer, head] = itself
    return counted


def rollout(attentions: NDArray) -> NDArray[np.float64]:
    """Attention rollout (section 3.1): (L,N,S,S) -> (L,S,S), R_1 = A'_1, R_l = A'_l R_(l-1).

    Row: a token after layer l; column: a token of the input; rows sum to 1.
    """
    rolled = residual_attention(attentions)
    for layer in range(1, len(rolled)):
        rolled[layer] = rolled[layer] @ rolled[layer - 1]
    return rolled


def attention_flow(
    attentions: NDArray, outputs: Sequence[int], layers: int | None = None, progress: ReportProgress = no_progress
) -> NDArray[np.float64]:
    """Attention flow (section 3.2): (L,N,S,S) -> (R,S) for the R tokens `outputs` after the first `layers` (all).

    Entry (r,s) is the maximum flow from output r down to input s, through edges of capacity A'. Each entry is a problem
    of its own, so rows need not sum to 1. Capacities are rounded to 2^-30, so an entry is off by at most 2^-31 per edge
    of its minimum cut: 12 layers of 32 tokens have 12 x 32 x 32 edges, so by 6e-6 at the very most.
    """
    from scipy.sparse.csgraph import maximum_flow  # 0.1 s of the start of a window that may never ask for it

    graph = residual_attention(attentions)[:layers]
    length = graph.shape[-1]
    if not all(0 <= output < length for output in outputs):
        raise BertcoreError(f"Attention flow starts at a token of the text, 0 to {length - 1}.")
    network = _network(graph)
    top = len(graph) * length
    flows = np.empty((len(outputs), length))
    for r, output in enumerate(outputs):
        for token in range(length):
            flows[r, token] = maximum_flow(network, top + output, token).flow_value / _UNIT
        progress((r + 1) / len(outputs))
    return flows


def _network(graph: NDArray[np.float64]) -> csr_array:
    """Nodes l*S + s, the token s after layer l (0: the input); edges lead from each layer to the one below."""
    from scipy.sparse import csr_array

    layers, length, _ = graph.shape
    layer, row, column = np.nonzero(np.rint(graph * _UNIT))
    capacities = np.rint(graph[layer, row, column] * _UNIT).astype(np.int32)
    size = (layers + 1) * length
    return csr_array((capacities, ((layer + 1) * length + row, layer * length + column)), shape=(size, size))
