"""One encoder layer, and the stack of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.attention import SelfAttention
from bertcore.model.dropout import Dropout
from bertcore.model.linear import Linear
from bertcore.model.tap import Tap

ACTIVATION: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
    "tanh": torch.tanh,
}


class EncoderLayer(nn.Module):
    """Attention, then feed-forward; each is added to the residual stream.

    LayerNorm follows each sum, as in the paper, or stands before each sublayer (pre-norm).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward_in = Linear(config.hidden_size, config.intermediate_size)
        self.feed_forward_out = Linear(config.intermediate_size, config.hidden_size)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = Dropout(config.hidden_dropout_prob)
        self.activation = ACTIVATION[config.hidden_act]
        self.pre_norm = config.norm == "pre"

    def forward(
        self, hidden: Tensor, bias: Tensor | None, causal: bool, tap: Tap | None, name: str, rows: Tensor | None = None
    ) -> Tensor:
        """(B,S,H) -> (B,S,H); with `rows` (R), indices into B*S, only those rows come out: (R,H)."""
        read = self.attention_norm(hidden) if self.pre_norm else hidden
        if tap is not None:
            read = tap(f"{name}.attention.input", read)
        context = self.attention(read, bias, causal, tap, f"{name}.attention")
        if rows is not None:
            width = hidden.shape[-1]
            context, hidden = context.view(-1, width)[rows], hidden.reshape(-1, width)[rows]  # (B,S,H) -> (R,H)
        mixed = self.dropout(self.attention.output(context))
        if tap is not None:
            mixed = tap(f"{name}.attention.output", mixed)
        hidden = hidden + mixed if self.pre_norm else self.attention_norm(hidden + mixed)
        if tap is not None:
            hidden = tap(f"{name}.middle", hidden)
        read = self.feed_forward_norm(hidden) if self.pre_norm else hidden
        if tap is not None:
            read = tap(f"{name}.feed_forward.input", read)
        inner = self.feed_forward_in(read)
        if tap is not None:
            inner = tap(f"{name}.feed_forward.before_activation", inner)
        inner = self.activation(inner)
        if tap is not None:
            inner = tap(f"{name}.feed_forward.activation", inner)
        added = self.dropout(self.feed_forward_out(inner))
        if tap is not None:
            added = tap(f"{name}.feed_forward.output", added)
        output: Tensor = hidden + added if self.pre_norm else self.feed_forward_norm(hidden + added)
        return output if tap is None else tap(f"{name}.output", output)


class Encoder(nn.Module):
    """L layers, one after the other; where layers share parameters (ALBERT) there are fewer sets of them than layers.

    `final_norm` follows the last layer of a pre-norm model; it is None otherwise.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.depth = config.num_hidden_layers
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.layer_groups))
        pre_norm = config.norm == "pre"
        self.final_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) if pre_norm else None

    def forward(
        self,
        hidden: Tensor,
        bias: Tensor | None = None,
        causal: bool = False,
        tap: Tap | None = None,
        rows: Tensor | None = None,
        first: int = 0,
    ) -> Tensor:
        """(B,S,H) -> (B,S,H), or (R,H) where the last layer's `rows` are chosen.

        `first` is the layer to begin with: `hidden` is then what enters that layer.
        """
        last = self.depth - 1
        for index in range(first, self.depth):
            hidden = self.layer(index)(hidden, bias, causal, tap, f"layer.{index}", rows if index == last else None)
        if self.final_norm is None:
            return hidden
        output: Tensor = self.final_norm(hidden)
        return output if tap is None else tap("encoder.normed", output)

    def layer(self, index: int) -> EncoderLayer:
        """The parameters that layer `index` (from 0) computes with."""
        layer = self.layers[index * len(self.layers) // self.depth]
        assert isinstance(layer, EncoderLayer)
        return layer
