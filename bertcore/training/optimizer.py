"""AdamW with the paper's settings, or Muon; the learning-rate schedules; the optimiser's state as plain tensors."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

ADAM_EPS, ADAM_BETAS = 1e-6, (0.9, 0.999)  # google-research/bert, optimization.py
MOMENTUM, ITERATIONS = 0.95, 5
COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic whose iteration drives singular values towards 1 (Jordan)
RMS_OF_ADAMW = 0.2  # root mean square of AdamW's steps in units of the rate (Liu et al.)
FUSED = "query_key_value"  # three matrices stored as one: each is made orthogonal by itself


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
    return warmup_stable_decay(fraction, peak, warm_up_share, 0.0)


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


class Muon(torch.optim.AdamW):
    """Muon for the matrices inside the layers: every direction of a step counts alike, however small its gradient.

    Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks". Steps are as long as AdamW's would be
    (Liu et al. 2025, "Muon is Scalable for LLM Training", section 2.2), so that its learning rates and weight decay
    serve. It is AdamW except for groups whose "matrices" says how many matrices each of their parameters (M*R,C) holds:
    embeddings, heads, biases and LayerNorm hold none.

    torch.optim.Muon computes in bf16, which CPUs without it emulate at a hundredth of the speed; here the number format
    is a group's "products" (bf16 is exact enough: Jordan), and matrices of one shape are computed together.
    """

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        assert closure is None
        groups = self.param_groups
        self.param_groups = [group for group in groups if not group.get("matrices")]
        try:
            super().step()
        finally:
            self.param_groups = groups
        for group in groups:
            if group.get("matrices"):
                self._step_matrices(group)

    def _step_matrices(self, group: dict[str, Any]) -> None:
        by_shape: dict[torch.Size, list[tuple[Tensor, Tensor]]] = {}  # (matrix, its step), wide ones lying
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            direction = self._direction(parameter)
            count = group["matrices"]
            for matrix, step in zip(parameter.chunk(count), direction.chunk(count), strict=True):
                pair = (matrix, step) if matrix.shape[0] <= matrix.shape[1] else (matrix.T, step.T)
                by_shape.setdefault(pair[0].shape, []).append(pair)
        for shape, pairs in by_shape.items():
            steps = orthogonal(
                torch.stack([step for _, step in pairs]).to(group.get("products", torch.float32))
            ).float()
            length = group["lr"] * RMS_OF_ADAMW * max(shape) ** 0.5
            for (matrix, _), step in zip(pairs, steps, strict=True):
                matrix.sub_(step, alpha=length)

    def _direction(self, parameter: Tensor) -> Tensor:
        """The gradient looked ahead with Nesterov's momentum."""
        gradient, state = parameter.grad, self.state[parameter]
        assert gradient is not None
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(parameter)
        momentum: Tensor = state["momentum"].lerp_(gradient, 1 - MOMENTUM)
        return gradient.lerp(momentum, MOMENTUM)


def orthogonal(matrices: Tensor) -> Tensor:
    """(N,R,C) with R <= C -> the same singular vectors, singular values between some 0.7 and 1.2 (Newton-Schulz)."""
    a, b, c = COEFFICIENTS
    x = matrices / matrices.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(ITERATIONS):
        gram = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x


def takes_matrix(name: str, parameter: nn.Parameter) -> int:
    """How many matrices of a hidden layer this parameter holds; 0 where it is for AdamW."""
    if parameter.ndim != 2 or ".layers." not in name:
        return 0
    return 3 if FUSED in name else 1
