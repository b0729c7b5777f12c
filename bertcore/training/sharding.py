"""A model that is divided among processes (FSDP2), and the whole of it again for checkpoints.

Where nothing is divided, everything here does the plain thing.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor, nn

from bertcore.model.bert import Bert


def shard(model: Bert, device: torch.device, size: int) -> None:
    """Divide parameters, gradients and the optimiser's state among `size` processes: each layer, and what is left.

    A layer's parameters are brought together just before it computes, and let go after it.
    """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(device.type, (size,))
    for layer in model.encoder.layers:
        fully_shard(layer, mesh=mesh)
    # The heads compute outside `forward` with what the root holds, so it stays together until the step's end.
    fully_shard(model, mesh=mesh, reshard_after_forward=False)


def is_sharded(model: nn.Module) -> bool:
    return any(map(_is_divided, model.parameters()))


def _is_divided(value: Tensor) -> bool:
    """Whether it is a DTensor. Importing that takes a second; where nobody has, there is none."""
    module = sys.modules.get("torch.distributed.tensor")
    return module is not None and isinstance(value, module.DTensor)


def whole(value: Tensor) -> Tensor:
    """All of a tensor that is divided; every process has to ask for it."""
    divided: Any = value
    full: Tensor = divided.full_tensor() if _is_divided(value) else value
    return full


def like(value: Tensor, parameter: Tensor) -> Tensor:
    """A whole tensor divided as a parameter of its shape is."""
    if not _is_divided(parameter) or value.shape != parameter.shape:
        return value
    from torch.distributed.tensor import distribute_tensor

    divided: Any = parameter
    value = value.to(parameter.device)
    return distribute_tensor(value, divided.device_mesh, divided.placements, src_data_rank=None)


def load_weights(model: nn.Module, weights: dict[str, Tensor], strict: bool = True) -> None:
    """`load_state_dict` of whole tensors, whether the model is divided or not."""
    own = model.state_dict()
    model.load_state_dict({name: like(value, own.get(name, value)) for name, value in weights.items()}, strict=strict)


def whole_model(model: Bert, wanted: bool) -> Bert:
    """The same model undivided, on the CPU; not `wanted`, it only helps the other processes to put it together."""
    if not is_sharded(model):
        return model
    weights = {}
    for name, value in model.state_dict().items():
        full = whole(value)
        if wanted:
            weights[name] = full.cpu()
    with torch.device("meta"):
        undivided = Bert(model.config, model.tasks, model.pooler is not None)
    if wanted:
        undivided.load_state_dict(weights, assign=True)
    return undivided


def clip_gradients(model: nn.Module, longest: float) -> float:
    """Shorten the gradient of all parameters together to `longest`; returns how long it was."""
    return float(whole(nn.utils.clip_grad_norm_(model.parameters(), longest)))
