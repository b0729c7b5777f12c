"""What is asked of the encoder in pretraining: the masked word, and whether B follows A."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.encoder import ACTIVATION


class MaskedWordHead(nn.Module):
    """Transform, LayerNorm, then the token table again as output weights plus a bias per word."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.transform = nn.Linear(config.hidden_size, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.activation = ACTIVATION[config.hidden_act]

    def forward(self, hidden: Tensor, token_table: Tensor) -> Tensor:
        """Hidden states (..., H) and the token table (V,H) -> logits (..., V)."""
        return F.linear(self.norm(self.activation(self.transform(hidden))), token_table, self.bias)


class Pooler(nn.Module):
    """A dense layer with tanh over the hidden state of [CLS]."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, first: Tensor) -> Tensor:
        """Hidden state of the first token (B,H) -> (B,H)."""
        return torch.tanh(self.dense(first))


class NextSentenceHead(nn.Module):
    """Two logits from the pooled [CLS]: 0 = B follows A, 1 = it does not."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.classify = nn.Linear(config.hidden_size, 2)

    def forward(self, pooled: Tensor) -> Tensor:
        """(B,H) -> (B,2)."""
        logits: Tensor = self.classify(pooled)
        return logits
