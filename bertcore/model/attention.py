"""Multi-head self-attention: a fast path, and a traced path over the same parameters."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.dropout import Dropout
from bertcore.model.linear import Linear
from bertcore.model.tap import Tap


class SelfAttention(nn.Module):
    """Scaled dot-product attention over N heads (Vaswani et al. 2017, section 3.2).

    Query, key and value come from one fused product. Without a tap the fused kernel of torch runs; with one the same
    formula is computed step by step, so that scores and probabilities exist to be looked at or replaced. Training with
    dropout on a CPU goes step by step too: torch's kernel has no fast way for it there.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.heads, self.head_size = config.num_attention_heads, config.head_size
        self.query_key_value = Linear(config.hidden_size, 3 * config.hidden_size)
        self.output = Linear(config.hidden_size, config.hidden_size)
        self.probs_dropout = Dropout(config.attention_probs_dropout_prob)

    def forward(self, hidden: Tensor, bias: Tensor | None, causal: bool, tap: Tap | None, name: str) -> Tensor:
        """Mix tokens: hidden (B,S,H), bias (B,1,1,S) or (B,1,S,S) added to the scores -> the heads' context (B,S,H).

        The output projection is `self.output`, left to the caller: the last layer needs it on some rows only.
        """
        batch, length, width = hidden.shape
        fused = self.query_key_value(hidden).view(batch, length, 3, self.heads, self.head_size)  # (B,S,3H)->(B,S,3,N,D)
        fused = fused.permute(2, 0, 3, 1, 4)  # (3,B,N,S,D)
        dropout = self.probs_dropout.p if self.training else 0.0
        if tap is None and (dropout == 0 or hidden.device.type != "cpu"):
            query, key, value = fused.unbind(0)  # 3 x (B,N,S,D)
            context = F.scaled_dot_product_attention(
                query, key, value, attn_mask=bias, dropout_p=dropout, is_causal=causal and bias is None
            )
        else:
            query, key, value = fused.contiguous().unbind(0)  # one copy here saves slower ones in each product
            context = self._step_by_step(query, key, value, bias, causal, tap or _untouched, name)
        return context.transpose(1, 2).reshape(batch, length, width)  # (B,N,S,D) -> (B,S,H)

    def _step_by_step(
        self, query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, causal: bool, tap: Tap, name: str
    ) -> Tensor:
        query, key, value = tap(f"{name}.query", query), tap(f"{name}.key", key), tap(f"{name}.value", value)
        scores = (query @ key.transpose(-1, -2)).mul_(1 / math.sqrt(self.head_size))  # (B,N,S,S)
        if bias is None and causal:
            bias = causal_bias(scores.shape[-1], scores)
        if bias is not None:
            scores = scores + bias
        scores = tap(f"{name}.scores", scores)
        probs = tap(f"{name}.probs", scores.softmax(dim=-1))
        return tap(f"{name}.context_heads", self.probs_dropout(probs) @ value)


def _untouched(name: str, value: Tensor) -> Tensor:
    """The tap of a pass that nobody looks at."""
    return value


def padding_bias(attention_mask: Tensor, like: Tensor) -> Tensor:
    """Mask (B,S), 1 for real tokens -> (B,1,1,S), 0 for real tokens and the lowest finite number for padding."""
    bias = torch.zeros(attention_mask.shape, dtype=like.dtype, device=like.device)
    return bias.masked_fill(attention_mask == 0, torch.finfo(like.dtype).min)[:, None, None, :]


def causal_bias(length: int, like: Tensor) -> Tensor:
    """(S,S) with the lowest finite number where a token would look at a later one."""
    lowest = torch.finfo(like.dtype).min
    return torch.full((length, length), lowest, dtype=like.dtype, device=like.device).triu(1)
