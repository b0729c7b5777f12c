"""Muon for the matrices inside the layers: every direction of a step counts alike, however small its gradient.

Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks". Steps are as long as AdamW's would be
(Liu et al. 2025, "Muon is Scalable for LLM Training", section 2.2), so that its learning rates and weight decay serve.
All that is no such matrix (embeddings, heads, biases, LayerNorm) learns by AdamW.

torch.optim.Muon computes in bf16, which CPUs without it emulate at a hundredth of the speed; here the number format is
the run's, and matrices of one shape are computed together.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM, ITERATIONS = 0.95, 5
COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic whose iteration drives singular values towards 1 (Jordan)
RMS_OF_ADAMW = 0.2  # root mean square of AdamW's steps in units of the rate (Liu et al.)
FUSED = "query_key_value"  # three matrices stored as one: each is made orthogonal by itself


class Muon(torch.optim.AdamW):
    """AdamW, except for groups whose "matrices" says how many matrices each of their parameters (M*R,C) holds.

    A group's "products" is the number format of the iteration: bf16 is exact enough for it (Jordan).
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
