"""Multi-head self-attention: torch's fused kernel for speed, or the same formula step by step for looking."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.fast import Dropout, Linear
from bertcore.model.hooks import Hook, identity

_OPENLY_UP_TO = 256  # tokens


class SelfAttention(nn.Module):
    """Scaled dot-product attention over N heads (Vaswani et al. 2017, section 3.2): softmax(Q K^T / sqrt(D)) V."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.heads, self.head_size = config.num_attention_heads, config.head_size
        self.query_key_value = Linear(config.hidden_size, 3 * config.hidden_size)  # of all heads, in one product
        self.output = Linear(config.hidden_size, config.hidden_size)
        self.probs_dropout = Dropout(config.attention_probs_dropout_prob)
        self.output_dropout = Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden: Tensor,
        bias: Tensor | None = None,
        causal: bool = False,
        rows: Tensor | None = None,
        hook: Hook = identity,
        name: str = "attention",
    ) -> Tensor:
        """Hidden states (B,S,H) -> what attention adds to them (B,S,H), or to those `rows` of B*S alone: (R,H).

        `bias`, (B,1,1,S) or (B,1,S,S), is added to the scores; None where nothing is hidden. `causal` hides from each
        token what stands behind it, also where there is a bias.
        """
        bias, causal = combine_masks(bias, causal)
        batch, length, width = hidden.shape
        fused = self.query_key_value(hook(f"{name}.input", hidden))  # (B,S,3H)
        fused = fused.view(batch, length, 3, self.heads, self.head_size)  # (B,S,3H) -> (B,S,3,N,D)
        query, key, value = (each.transpose(1, 2) for each in fused.unbind(2))  # (B,S,3,N,D) -> 3 x (B,N,S,D)
        if hook is identity and not self._openly_is_faster(hidden):
            dropout = self.probs_dropout.p if self.training else 0.0
            context = F.scaled_dot_product_attention(query, key, value, bias, dropout, causal)
        else:
            context = self._step_by_step(query, key, value, bias, causal, hook, name)
        context = context.transpose(1, 2).reshape(batch, length, width)  # (B,N,S,D) -> (B,S,H)
        if rows is not None:
            context = context.flatten(0, 1)[rows]  # (B,S,H) -> (R,H)
        return hook(f"{name}.output", self.output_dropout(self.output(context)))

    def _step_by_step(
        self, query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, causal: bool, hook: Hook, name: str
    ) -> Tensor:
        """Q, K and V (B,N,S,D) -> the heads' context vectors (B,N,S,D)."""
        query, key, value = query.contiguous(), key.contiguous(), value.contiguous()
        query, key, value = hook(f"{name}.query", query), hook(f"{name}.key", key), hook(f"{name}.value", value)
        # (B,N,S,S), row: the token that looks; scaled in place, as nothing here is larger
        scores = (query @ key.transpose(-1, -2)).mul_(1 / math.sqrt(self.head_size))
        if causal:
            bias = causal_bias(scores.shape[-1], scores)
        if bias is not None:
            scores = scores + bias
        scores = hook(f"{name}.scores", scores)
        probs = hook(f"{name}.probs", scores.softmax(dim=-1))
        return hook(f"{name}.context_heads", self.probs_dropout(probs) @ value)

    def _openly_is_faster(self, hidden: Tensor) -> bool:
        """In training on a CPU: torch's kernel has no fast way for dropout there, and its backward pass is slow.

        Forward and backward took 26 ms with it and 5 ms openly (bf16, 32 x 128 tokens, 4 heads), 15 and 10 ms in fp32.
        From some 256 tokens on the kernel is as fast, and it does not keep the (B,N,S,S) probabilities.
        """
        if hidden.device.type != "cpu" or not torch.is_grad_enabled():
            return False
        return hidden.shape[1] <= _OPENLY_UP_TO or (self.training and self.probs_dropout.p > 0)


def combine_masks(bias: Tensor | None, causal: bool) -> tuple[Tensor | None, bool]:
    """What hides tokens, said once: a bias, or `causal`, for which torch's kernel has a way of its own."""
    if bias is None or not causal:
        return bias, causal
    # the lower of both, not the sum: two lowest finite numbers would add up to minus infinity
    return torch.minimum(bias, causal_bias(bias.shape[-1], bias)), False  # (B,1,S,S)


def padding_bias(attention_mask: Tensor, like: Tensor) -> Tensor:
    """Mask (B,S), 1 for real tokens -> (B,1,1,S), 0 for real tokens and the lowest finite number for padding."""
    bias = torch.zeros(attention_mask.shape, dtype=like.dtype, device=like.device)
    return bias.masked_fill(attention_mask == 0, torch.finfo(like.dtype).min)[:, None, None, :]


def causal_bias(length: int, like: Tensor) -> Tensor:
    """(S,S) with the lowest finite number where a token would look at a later one."""
    lowest = torch.finfo(like.dtype).min
    return torch.full((length, length), lowest, dtype=like.dtype, device=like.device).triu(1)
