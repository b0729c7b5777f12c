"""One encoder layer, and the stack of them (post-norm, as in the paper)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.attention import SelfAttention
from bertcore.model.dropout import Dropout
from bertcore.model.tap import Tap

ACTIVATION: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
}


class EncoderLayer(nn.Module):
    """Attention, then feed-forward; each is added to the residual stream and followed by LayerNorm."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward_in = nn.Linear(config.hidden_size, config.intermediate_size)
        self.feed_forward_out = nn.Linear(config.intermediate_size, config.hidden_size)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = Dropout(config.hidden_dropout_prob)
        self.activation = ACTIVATION[config.hidden_act]

    def forward(
        self, hidden: Tensor, bias: Tensor | None, causal: bool, tap: Tap | None, name: str, rows: Tensor | None = None
    ) -> Tensor:
        """(B,S,H) -> (B,S,H); with `rows` (R), indices into B*S, only those rows come out: (R,H)."""
        context = self.attention(hidden, bias, causal, tap, f"{name}.attention")
        if rows is not None:
            width = hidden.shape[-1]
            context, hidden = context.view(-1, width)[rows], hidden.reshape(-1, width)[rows]  # (B,S,H) -> (R,H)
        mixed = self.dropout(self.attention.output(context))
        if tap is not None:
            mixed = tap(f"{name}.attention.output", mixed)
        hidden = self.attention_norm(hidden + mixed)
        if tap is not None:
            hidden = tap(f"{name}.attention.normed", hidden)
        inner = self.activation(self.feed_forward_in(hidden))
        if tap is not None:
            inner = tap(f"{name}.feed_forward.activation", inner)
        added = self.dropout(self.feed_forward_out(inner))
        if tap is not None:
            added = tap(f"{name}.feed_forward.output", added)
        output: Tensor = self.feed_forward_norm(hidden + added)
        return output if tap is None else tap(f"{name}.output", output)


class Encoder(nn.Module):
    """L layers, one after the other."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.depth = config.num_hidden_layers
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_hidden_layers))

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
        return hidden

    def layer(self, index: int) -> EncoderLayer:
        """The parameters that layer `index` (from 0) computes with."""
        layer = self.layers[index]
        assert isinstance(layer, EncoderLayer)
        return layer
