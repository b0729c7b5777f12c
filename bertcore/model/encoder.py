"""One encoder layer, and the stack of them."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.attention import SelfAttention, combine_masks
from bertcore.model.fast import Dropout, Linear
from bertcore.model.hooks import Hook, identity

ACTIVATION: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
    "tanh": torch.tanh,
}


class EncoderLayer(nn.Module):
    """Attention, then feed-forward; what each of them makes is added to the residual stream.

    post-norm (the paper)   x = LayerNorm(x + Sublayer(x))
    pre-norm                x = x + Sublayer(LayerNorm(x))
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward_in = Linear(config.hidden_size, config.intermediate_size)
        self.feed_forward_out = Linear(config.intermediate_size, config.hidden_size)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.activation = ACTIVATION[config.hidden_act]
        self.dropout = Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden: Tensor,
        bias: Tensor | None = None,
        causal: bool = False,
        rows: Tensor | None = None,
        hook: Hook = identity,
        name: str = "layer",
    ) -> Tensor:
        """(B,S,H) -> (B,S,H); with `rows` (R), indices into B*S, only those rows come out: (R,H)."""
        stream = hidden if rows is None else hidden.flatten(0, 1)[rows]  # (B,S,H) -> (R,H)
        read = self.attention_norm(hidden) if self.pre_norm else hidden
        added = self.attention(read, bias, causal, rows, hook, f"{name}.attention")
        stream = stream + added if self.pre_norm else self.attention_norm(stream + added)
        stream = hook(f"{name}.middle", stream)

        read = self.feed_forward_norm(stream) if self.pre_norm else stream
        added = self.feed_forward(read, hook, f"{name}.feed_forward")
        stream = stream + added if self.pre_norm else self.feed_forward_norm(stream + added)
        return hook(f"{name}.output", stream)

    def feed_forward(self, hidden: Tensor, hook: Hook = identity, name: str = "feed_forward") -> Tensor:
        """Each token for itself: (...,H) -> what is added to it (...,H)."""
        inner = self.feed_forward_in(hook(f"{name}.input", hidden))  # (...,I)
        inner = self.activation(hook(f"{name}.before_activation", inner))
        inner = hook(f"{name}.activation", inner)
        return hook(f"{name}.output", self.dropout(self.feed_forward_out(inner)))


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
        rows: Tensor | None = None,
        hook: Hook = identity,
        first: int = 0,
    ) -> Tensor:
        """(B,S,H) -> (B,S,H), or (R,H) where the last layer's `rows` are chosen.

        `bias` hides tokens, such as padding, and `causal` what stands behind a token; see `SelfAttention`.
        `first` is the layer to begin with: `hidden` is then what enters that layer.
        """
        bias, causal = combine_masks(bias, causal)  # here, so that the layers need not
        for index in range(first, self.depth):
            is_last = index == self.depth - 1
            hidden = self.layer(index)(hidden, bias, causal, rows if is_last else None, hook, f"layer.{index}")
        return hidden if self.final_norm is None else hook("encoder.normed", self.final_norm(hidden))

    def layer(self, index: int) -> EncoderLayer:
        """The parameters that layer `index` (from 0) computes with."""
        layer = self.layers[index * len(self.layers) // self.depth]
        assert isinstance(layer, EncoderLayer)
        return layer
