"""Output heads, which give the answers: masked words, sentence pairs, replaced tokens, and the tasks of the papers."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.crf import LinearChainCrf
from bertcore.model.torch_parts import ACTIVATION, Dropout, Linear
from bertcore.tag_schemes import allowed_transitions

# What people call each; in the order in which a model has them
HEAD_TITLES = {
    "mlm": "masked-word (MLM)",
    "nsp": "next-sentence (NSP)",
    "sop": "sentence-order (SOP)",
    "rtd": "replaced-token (RTD)",
    "classify": "classification",
    "choice": "multiple-choice",
    "tag": "tagging",
    "crf": "CRF",
    "span": "question-answering",
    "summarise": "summary",
}


class MaskedWordHead(nn.Module):
    """Transform, LayerNorm, then the token table again as output weights plus a bias per token of the vocabulary."""

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
        return self.classify(pooled)


class ReplacedTokenHead(nn.Module):
    """ELECTRA's discriminator: one logit per token, above 0 where it judges the token replaced (Clark et al. 2020)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = Linear(config.hidden_size, config.hidden_size)
        self.output = Linear(config.hidden_size, 1)
        self.activation = ACTIVATION[config.hidden_act]

    def forward(self, hidden: Tensor) -> Tensor:
        """(B,S,H) -> (B,S)."""
        return self.output(self.activation(self.dense(hidden))).squeeze(-1)  # (B,S,1) -> (B,S)


class SequenceHead(nn.Module):
    """Scores of a whole sequence, from its first token: K labels, one number, or one score of a choice.

    With a hidden layer it reads the first hidden state itself; without one it reads the pooler's output, or the first
    hidden state where there is no pooler.
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
        return self.output(self.dropout(first))


class TokenHead(nn.Module):
    """Scores of each token: labels of a tagger (K), start and end of an answer (2), how well a sentence fits (1)."""

    def __init__(self, config: BertConfig, outputs: int, dropout: float | None = None) -> None:
        super().__init__()
        self.output = Linear(config.hidden_size, outputs)
        self.dropout = Dropout(_head_dropout(config) if dropout is None else dropout)

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., H) -> (..., K)."""
        return self.output(self.dropout(hidden))


def _head_dropout(config: BertConfig) -> float:
    return config.hidden_dropout_prob if config.classifier_dropout is None else config.classifier_dropout


def make_head(config: BertConfig, head: str) -> nn.Module:
    """An output head, by its key of HEAD_TITLES; `initialise` draws its weights."""
    labels = config.label_count
    makers: dict[str, Callable[[], nn.Module]] = {
        "mlm": lambda: MaskedWordHead(config),
        "nsp": lambda: SentencePairHead(config),
        "sop": lambda: SentencePairHead(config),
        "rtd": lambda: ReplacedTokenHead(config),
        "classify": lambda: SequenceHead(config, labels, config.classifier_hidden),
        "choice": lambda: SequenceHead(config, 1, config.family.choice_hidden),
        "tag": lambda: TokenHead(config, labels),
        "crf": lambda: LinearChainCrf(labels, allowed_transitions(config.labels) if config.labels else None),
        "span": lambda: TokenHead(config, 2, dropout=0.0),
        "summarise": lambda: TokenHead(config, 1),
    }
    return makers[head]()
