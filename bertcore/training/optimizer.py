"""AdamW with the paper's settings, or Muon; the learning-rate schedules; the optimiser's state as plain tensors."""

import torch
from torch import Tensor, nn

from bertcore.training.muon import Muon, takes_matrix

ADAM_EPS, ADAM_BETAS = 1e-6, (0.9, 0.999)  # google-research/bert, optimization.py


def make_optimizer(
    model: nn.Module,
    learning_rate: float,
    weight_decay: float,
    layer_decay: float = 1.0,
    kind: str = "adamw",
    products: torch.dtype = torch.float32,
) -> torch.optim.AdamW:
    """Fused AdamW, with kind "muon" Muon for the layers' matrices; tables decay too, biases and LayerNorm do not.

    With `layer_decay` below 1 each layer learns more slowly than the one above it, by that factor, embeddings slowest
    (Howard and Ruder 2018, section 3.2); a group's "rate_share" says its part of the learning rate. `products`: the
    number format that Muon multiplies its matrices in.
    """
    depths = {name: depth_of(name, model) for name, _ in model.named_parameters()} if layer_decay != 1.0 else {}
    top = max(depths.values(), default=0)
    groups: dict[tuple[int, bool, int], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            matrices = takes_matrix(name, parameter) if kind == "muon" else 0
            groups.setdefault((top - depths.get(name, top), parameter.ndim < 2, matrices), []).append(parameter)
    return (Muon if kind == "muon" else torch.optim.AdamW)(
        [
            {
                "params": parameters,
                "weight_decay": 0.0 if plain else weight_decay,
                "rate_share": layer_decay**below,
                "matrices": matrices,
                "products": products,
            }
            for (below, plain, matrices), parameters in sorted(groups.items(), key=lambda item: item[0])
        ],
        lr=learning_rate,
        betas=ADAM_BETAS,
        eps=ADAM_EPS,
        fused=True,
    )


def depth_of(name: str, model: nn.Module) -> int:
    """Where in the model a parameter stands: 0 embeddings, 1 the first set of layer parameters ..., last the heads."""
    if name.startswith("embeddings."):
        return 0
    if name.startswith(_LAYERS):
        return int(name.removeprefix(_LAYERS).split(".")[0]) + 1
    return 1 + max(depth_of(other, model) for other, _ in model.named_parameters() if other.startswith(_LAYERS))


def linear_rate(fraction: float, peak: float, warm_up_share: float) -> float:
    """Linear rise over the first `warm_up_share` of the budget, then linear fall to zero at its end."""
    return warmup_stable_decay(fraction, peak, warm_up_share, 1.0 - warm_up_share)


def warmup_stable_decay(fraction: float, peak: float, warm_up_share: float, fall_share: float) -> float:
    """A linear rise, the peak, and a linear fall to zero over the last `fall_share` of the budget.

    While the rate stands at its peak a run can be given a longer budget (Hu et al. 2024, "MiniCPM", section 4).
    """
    rise = fraction / warm_up_share if warm_up_share > 0 else 1.0
    fall = max(0.0, 1.0 - fraction) / fall_share if fall_share > 0 else 1.0
    return peak * min(1.0, rise, fall)


def slanted_rate(fraction: float, peak: float, warm_up_share: float) -> float:
    """A short rise and a long fall that ends at a 32nd of the peak (Howard and Ruder 2018, section 3.2)."""
    return peak * (1 + linear_rate(fraction, 1.0, warm_up_share) * (_SLANT - 1)) / _SLANT


def constant_rate(fraction: float, peak: float, warm_up_share: float) -> float:
    """A linear rise, then the peak to the end."""
    return peak * min(1.0, fraction / warm_up_share) if warm_up_share > 0 else peak


_SLANT = 32
_LAYERS = "encoder.layers."
SCHEDULES = {"linear": linear_rate, "slanted": slanted_rate, "constant": constant_rate}


def optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """The optimiser's moments by parameter name, for a safetensors file."""
    return {
        f"{name}/{key}": value.detach().cpu().clone()
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Put back what `optimizer_tensors` gave."""
    parameters = dict(model.named_parameters())
    for key, value in tensors.items():
        name, _, field = key.rpartition("/")
        parameter = parameters[name]
        optimizer.state[parameter][field] = value.to(parameter.device)  # the step too: fused kernels read it there
