"""How large a step's gradients and updates are in each part of the model: what to look at first when a run is ill."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

UPDATES = "updates"  # the kind of its lines in metrics.jsonl
_LAYERS = "encoder.layers."


def is_measured(step: int) -> bool:
    """Ever more seldom: an hour's run has a few hundred lines of this kind."""
    return step in (1, 2, 5) or step % (10 if step <= 200 else 50 if step <= 2000 else 250) == 0


def part_of(name: str) -> str:
    """Which part of the model a parameter is in: "embeddings", "layers.0.attention", "layers.0.feed_forward", "heads".

    A LayerNorm belongs to what it follows.
    """
    if name.startswith("embeddings."):
        return "embeddings"
    if not name.startswith(_LAYERS):
        return "heads" if not name.startswith("encoder.") else "encoder"
    number, block = name.removeprefix(_LAYERS).split(".")[:2]
    return f"layers.{number}.{'attention' if block.startswith('attention') else 'feed_forward'}"


class UpdateSizes:
    """Of one step: made when its gradients are there, finished when the weights have changed.

    It keeps a copy of the weights meanwhile.
    """

    def __init__(self, model: nn.Module, norm: Tensor, clip: float) -> None:
        """norm: of all gradients before they were clipped to `clip`."""
        self._parts: dict[str, list[nn.Parameter]] = {}
        for name, parameter in model.named_parameters():
            if parameter.grad is not None:
                self._parts.setdefault(part_of(name), []).append(parameter)
        scale = (norm / clip).clamp(min=1.0)
        self._gradients = [_norm([one.grad for one in part]) * scale for part in self._parts.values()]
        self._before = [[one.detach().clone() for one in part] for part in self._parts.values()]

    def finish(self) -> dict[str, dict[str, float]]:
        """By part: "gradient", its norm before clipping, and "ratio", the length of the update over that of the
        weights that it changed."""
        with torch.no_grad():
            updates = [
                _norm([one.detach() - old for one, old in zip(part, before, strict=True)])
                for part, before in zip(self._parts.values(), self._before, strict=True)
            ]
            weights = torch.stack([_norm(before) for before in self._before])
            ratios = torch.stack(updates) / weights.clamp(min=1e-12)
            numbers = torch.stack([torch.stack(self._gradients), ratios]).tolist()  # the only wait for a GPU
        names = list(self._parts)
        return {
            "gradient": dict(zip(names, numbers[0], strict=True)),
            "ratio": dict(zip(names, numbers[1], strict=True)),
        }


def _norm(tensors: Sequence[Tensor | None]) -> Tensor:
    return get_total_norm([one for one in tensors if one is not None])
