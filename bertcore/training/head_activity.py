"""Whether attention heads tell tokens apart: a head that gives every token the same weights reads nothing."""

import torch
from torch import Tensor

from bertcore.model.bert import Bert
from bertcore.model.hooks import Recorder
from bertcore.model.torch_parts import evaluation_mode

SEQUENCES = 8  # that are read for it: a few milliseconds in a small model
_DECIMALS = 4


@torch.no_grad()
def head_activity(
    model: Bert, ids: Tensor, segments: Tensor | None, mask: Tensor | None
) -> dict[str, list[list[float]]]:
    """For each layer and head (L,N), means over the real tokens of some sequences, both 0..1.

    "varies": half the distance (sum of absolute differences) between a token's attention weights and the mean weights
    of its sequence; 0 where all tokens have the same. "even": the entropy of the weights as a share of the largest
    possible; 1 where all tokens get the same.
    All (B,S); `mask` is 1 for real tokens, None where all are.
    """
    recorder = Recorder(lambda name: name.endswith(".attention.probs"))
    with evaluation_mode(model):
        model(ids, segments, mask, hook=recorder)
    layers = [recorder[f"layer.{i}.attention.probs"].float() for i in range(model.config.num_hidden_layers)]
    real = torch.ones_like(layers[0][:, 0, 0]) if mask is None else mask.reshape(-1, mask.shape[-1]).float()  # (B,S)
    numbers = [_of_layer(probs, real) for probs in layers]
    return {
        name: [[round(value, _DECIMALS) for value in layer[at].tolist()] for layer in numbers]
        for at, name in enumerate(("varies", "even"))
    }


def _of_layer(probs: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """probs (B,N,S,S), rows the tokens that look; real (B,S) -> "varies" and "even" (N) each."""
    looking = real[:, None, :, None]  # (B,1,S,1)
    tokens = real.sum(dim=1).clamp(min=2.0)  # (B)
    mean = (probs * looking).sum(dim=2, keepdim=True) / tokens[:, None, None, None]  # (B,N,1,S)
    distance = 0.5 * (probs - mean).abs().sum(dim=-1)  # (B,N,S)
    entropy = -(probs * probs.clamp(min=1e-12).log()).sum(dim=-1) / tokens.log()[:, None, None]  # (B,N,S)
    of_tokens = real[:, None]  # (B,1,S)
    count = real.sum()
    return (distance * of_tokens).sum(dim=(0, 2)) / count, (entropy * of_tokens).sum(dim=(0, 2)) / count
