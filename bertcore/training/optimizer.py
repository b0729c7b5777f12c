"""AdamW with the paper's settings, the learning-rate schedule, and the optimiser's state as plain tensors."""

from __future__ import annotations

import torch
from torch import Tensor, nn

ADAM_EPS, ADAM_BETAS = 1e-6, (0.9, 0.999)  # google-research/bert, optimization.py


def make_optimizer(model: nn.Module, learning_rate: float, weight_decay: float) -> torch.optim.AdamW:
    """Fused AdamW; matrices and tables decay, biases and LayerNorm do not."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=learning_rate, betas=ADAM_BETAS, eps=ADAM_EPS, fused=True)


def learning_rate_at(fraction: float, peak: float, warm_up_share: float) -> float:
    """Linear rise over the first `warm_up_share` of the budget, then linear fall to zero at its end."""
    if warm_up_share > 0 and fraction < warm_up_share:
        return peak * fraction / warm_up_share
    return peak * max(0.0, 1.0 - fraction) / (1.0 - warm_up_share)


def optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """The optimiser's moments by parameter name, for a safetensors file."""
    state = {}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            state[f"{name}/{key}"] = value.detach().cpu().clone()
    return state


def restore_optimizer(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Put back what `optimizer_tensors` gave."""
    parameters = dict(model.named_parameters())
    for key, value in tensors.items():
        name, _, field = key.rpartition("/")
        parameter = parameters[name]
        optimizer.state[parameter][field] = value if field == "step" else value.to(parameter.device)
