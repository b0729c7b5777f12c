"""What is asked of the encoder: masked words, sentence pairs, replaced tokens, and the tasks of the papers.

B batch, S tokens, H hidden, E embedding width, V vocabulary, K labels, C choices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.dropout import Dropout
from bertcore.model.encoder import ACTIVATION
from bertcore.model.linear import Linear


class MaskedWordHead(nn.Module):
    """Transform, LayerNorm, then the token table again as output weights plus a bias per word."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.transform = Linear(config.hidden_size, config.embedding_width)
        self.norm = nn.LayerNorm(config.embedding_width, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.activation = ACTIVATION[config.family.mlm_activation or config.hidden_act]

    def forward(self, hidden: Tensor, token_table: Tensor) -> Tensor:
        """Hidden states (..., H) and the token table (V,E) -> logits (..., V)."""
        return F.linear(self.norm(self.activation(self.transform(hidden))), token_table, self.bias)


class Pooler(nn.Module):
    """A dense layer with tanh over the hidden state of [CLS]."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = Linear(config.hidden_size, config.hidden_size)

    def forward(self, first: Tensor) -> Tensor:
        """Hidden state of the first token (B,H) -> (B,H)."""
        return torch.tanh(self.dense(first))


class SentencePairHead(nn.Module):
    """Two logits from the pooled [CLS]. NSP: B follows A, it does not. SOP: in order, swapped."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.classify = Linear(config.hidden_size, 2)

    def forward(self, pooled: Tensor) -> Tensor:
        """(B,H) -> (B,2)."""
        logits: Tensor = self.classify(pooled)
        return logits


class ReplacedTokenHead(nn.Module):
    """ELECTRA's discriminator: one logit per token, above 0 where it judges the token replaced (Clark et al. 2020)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = Linear(config.hidden_size, config.hidden_size)
        self.output = Linear(config.hidden_size, 1)
        self.activation = ACTIVATION[config.hidden_act]

    def forward(self, hidden: Tensor) -> Tensor:
        """(B,S,H) -> (B,S)."""
        logits: Tensor = self.output(self.activation(self.dense(hidden)))
        return logits.squeeze(-1)


class SequenceHead(nn.Module):
    """Scores of a whole sequence, from its first token: K labels, one number, or one score of a choice.

    With a hidden layer it reads the first hidden state itself; without one it reads what the pooler made of it.
    """

    def __init__(self, config: BertConfig, outputs: int, hidden_activation: str | None) -> None:
        super().__init__()
        self.hidden = Linear(config.hidden_size, config.hidden_size) if hidden_activation else None
        self.output = Linear(config.hidden_size, outputs)
        self.activation = ACTIVATION[hidden_activation or "tanh"]
        self.dropout = Dropout(_head_dropout(config))

    @property
    def reads_pooled(self) -> bool:
        return self.hidden is None

    def forward(self, first: Tensor) -> Tensor:
        """First hidden state or pooled output (B,H) -> (B,K)."""
        if self.hidden is not None:
            first = self.activation(self.hidden(self.dropout(first)))
        logits: Tensor = self.output(self.dropout(first))
        return logits


class TokenHead(nn.Module):
    """Scores of each token: labels of a tagger (K), start and end of an answer (2), or a sentence's worth (1)."""

    def __init__(self, config: BertConfig, outputs: int, dropout: float | None = None) -> None:
        super().__init__()
        self.output = Linear(config.hidden_size, outputs)
        self.dropout = Dropout(_head_dropout(config) if dropout is None else dropout)

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., H) -> (..., K)."""
        logits: Tensor = self.output(self.dropout(hidden))
        return logits


def _head_dropout(config: BertConfig) -> float:
    return config.hidden_dropout_prob if config.classifier_dropout is None else config.classifier_dropout


def mean_of_tokens(hidden: Tensor, attention_mask: Tensor | None) -> Tensor:
    """Hidden states (B,S,H), mask (B,S) 1 for real tokens -> their mean (B,H): a sentence encoder's embedding."""
    if attention_mask is None:
        return hidden.mean(dim=1)
    weights = attention_mask.to(hidden.dtype)[:, :, None]
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)
