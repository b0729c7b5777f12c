"""Parts of torch under torch's names, some of them made quicker. What they compute is torch's: skip this at first."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

ACTIVATION: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
    "tanh": torch.tanh,
}

_LEVELS = 2**8
_CHUNK = 2**18  # logits at a time: 1 MiB in fp32, half of a core's cache


class _Uninitialised:
    """Without torch's own starting weights, which would be thrown away: `initialise` draws BERT's, or a checkpoint has
    them. Until then they are whatever was in memory.

    Drawing them on the meta device, where checkpoints are opened, takes 0.1 s for a BERT-base, and of an embedding it
    makes torch import its compiler: 830 modules, one to three seconds.
    """

    def reset_parameters(self) -> None:
        pass


class Linear(_Uninitialised, nn.Linear):
    pass


class Embedding(_Uninitialised, nn.Embedding):
    pass


class Dropout(nn.Module):
    """Sets a share `p` of the values to zero in training and scales the others by 1 / (1 - p).

    torch draws one number per value, 11% of a training step of a small BERT on a CPU. Here each 64-bit number decides
    for eight values, so a pass drops a whole number of 256ths of them: for p = 0.1 sometimes 25, sometimes 26, 25.6 on
    average. On other devices torch's own runs.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, values: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return values
        if values.device.type != "cpu":
            return F.dropout(values, self.p)
        return values * _keep_factors(values, self.p)


def _keep_factors(like: Tensor, p: float) -> Tensor:
    """0 with probability `p`, else 1 / (1 - p); the shape and type of `like`, from torch's default generator."""
    dropped = torch.rand(()).add_(_LEVELS * p).floor_().clamp_(max=_LEVELS - 1)  # of 256
    count = like.numel()
    bits = torch.empty((count + 7) // 8, dtype=torch.int64).random_(-(2**63), None).view(torch.int8)[:count]
    # int8 is uniform over -128 .. 127. Compared in place, as bools cost more than all the rest.
    keep = bits.ge_((dropped - _LEVELS // 2).to(torch.int8)).view(like.shape)
    return keep.to(like.dtype).mul_(_LEVELS / (_LEVELS - dropped))


def fused_attention_is_faster(x: Tensor, dropout: Dropout) -> bool:
    """Whether attention over x (B,S,H) is faster in torch's fused kernel than step by step: not in training on a CPU.

    The kernel has no fast path for dropout there, and its backward pass is slow: forward and backward took 26 ms with
    it and 5 ms step by step (bf16, 32 x 128 tokens, 4 heads), 15 and 10 ms in fp32. From some 256 tokens on the kernel
    is as fast without dropout, and it does not keep the (B,N,S,S) probabilities.
    """
    if x.device.type != "cpu" or not torch.is_grad_enabled():
        return True
    return x.shape[1] > 256 and not (dropout.training and dropout.p > 0)


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Without dropout inside; afterwards in the mode it was in, also after an error.

    The one place that switches the mode of a model that may be training: what measures it in between, and is stopped
    or fails, must not leave the rest of the run without dropout.
    """
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)


def divided_cross_entropy(logits: Tensor, labels: Tensor, count: Tensor, ignored: int = -100) -> Tensor:
    """F.cross_entropy(logits.float(), labels, ignore_index=ignored, reduction="sum") / count.

    logits (R,V), labels (R), count (). torch's own writes the words' log-probabilities and their gradients into memory
    several times. Where the vocabulary is large, that is a fifth of a step in bf16 on a CPU.
    (F.linear_cross_entropy of torch 2.13, which makes the logits in chunks too, took ten times as long.) On other
    devices, and compiled, torch's own runs.
    """
    if logits.device.type != "cpu" or torch.compiler.is_compiling():
        return F.cross_entropy(logits.float(), labels, ignore_index=ignored, reduction="sum") / count
    loss: Tensor = _DividedCrossEntropy.apply(logits, labels, count, ignored)
    return loss


class _DividedCrossEntropy(torch.autograd.Function):
    """Some rows at a time, in fp32, while they are in the cache; the gradient is made on the same occasion.

    That is why the division is done here: outside, its backward pass would read and write all of the gradient again.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, labels: Tensor, count: Tensor, ignored: int) -> Tensor:
        shares = (labels != ignored)[:, None] / count  # (R,1), of each row in the loss
        chosen = labels.where(labels != ignored, 0)[:, None]  # (R,1)
        gradient = torch.empty_like(logits) if ctx.needs_input_grad[0] else logits  # (R,V)
        normalizers = []
        rows = max(1, _CHUNK // logits.shape[1])
        for part, label, share, out in zip(
            *(each.split(rows) for each in (logits, chosen, shares, gradient)), strict=True
        ):
            probs = part.to(torch.float32, copy=True)
            highest = probs.amax(1, keepdim=True)
            total = probs.sub_(highest).exp_().sum(1, keepdim=True)
            normalizers.append(highest + total.log())
            if ctx.needs_input_grad[0]:
                out.copy_(probs.mul_(share / total).scatter_add_(1, label, -share))
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(gradient)
        return ((torch.cat(normalizers) - logits.gather(1, chosen).float()) * shares).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        is_one = torch.equal(gradients[0], torch.ones_like(gradients[0]))
        return gradient if is_one else gradient * gradients[0], None, None, None
