"""Output heads, which give the answers: masked words, sentence pairs, replaced tokens, and the tasks of the papers."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.torch_parts import ACTIVATION, Dropout, Linear
from bertcore.tag_schemes import AllowedTransitions, all_transitions, allowed_transitions

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
        return F.linear(self.projected(hidden), token_table, self.bias)

    def projected(self, hidden: Tensor) -> Tensor:
        """What is compared with each row of the token table: (..., H) -> (..., E)."""
        return self.norm(self.activation(self.transform(hidden)))


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

    With the family's hidden layer it reads the first hidden state itself; without one it reads the pooler's output, or
    the first hidden state where there is no pooler. `layers` are further hidden layers behind that, of any width.
    """

    def __init__(
        self,
        config: BertConfig,
        outputs: int,
        hidden_activation: str | None,
        layers: int = 0,
        one_logit: bool = False,
    ) -> None:
        super().__init__()
        widths = [config.hidden_size, *[config.classifier_width] * layers]
        self.hidden = Linear(config.hidden_size, config.hidden_size) if hidden_activation else None
        self.layers = nn.ModuleList(map(Linear, widths, widths[1:]))
        self.output = Linear(widths[-1], outputs)
        self.activation = ACTIVATION[hidden_activation or "tanh"]
        self.layer_activation = ACTIVATION[config.classifier_activation]
        self.dropout = Dropout(_head_dropout(config))
        self.one_logit = one_logit

    @property
    def reads_pooled(self) -> bool:
        return self.hidden is None

    def forward(self, first: Tensor) -> Tensor:
        """First hidden state or pooled output (B,H) -> (B,K).

        One logit z is given as (0, z): its softmax is 1 - sigmoid(z) and sigmoid(z), its cross-entropy the binary one.
        """
        if self.hidden is not None:
            first = self.activation(self.hidden(self.dropout(first)))
        for layer in self.layers:
            first = self.layer_activation(layer(self.dropout(first)))  # (B,H) or (B,W) -> (B,W)
        scores = self.output(self.dropout(first))
        return F.pad(scores, (1, 0)) if self.one_logit else scores


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
        "classify": lambda: SequenceHead(
            config, config.classifier_outputs, config.classifier_hidden, config.classifier_layers, config.one_logit
        ),
        "choice": lambda: SequenceHead(config, 1, config.family.choice_hidden),
        "tag": lambda: TokenHead(config, labels),
        "crf": lambda: LinearChainCrf(labels, allowed_transitions(config.labels) if config.labels else None),
        "span": lambda: TokenHead(config, 2, dropout=0.0),
        "summarise": lambda: TokenHead(config, 1),
    }
    return makers[head]()


# Scores of forbidden transitions; not -inf, so that forbidden gold labels have a likelihood and gradients are finite.
_FORBIDDEN = -1e4  # likelihood: e to this is 0 beside any allowed path; float32 still keeps three decimals beside it
_NEVER = -1e30  # search: no emission outweighs it, 1e8 of them fit into float32


class _Chain(NamedTuple):
    """The labelled tokens of each row, moved together to its front."""

    emissions: Tensor  # (B,T,K), at least float32
    inside: Tensor  # (B,T) bool: the first so many of each row
    order: Tensor  # (B,T) where in the row each of them stood


class LinearChainCrf(nn.Module):
    """Scores of label sequences: emissions plus start, transitions and end.

    The mask (B,S) says which tokens carry a label, with any gaps: of a word in several pieces only the first one does.
    Unlabelled tokens are left out altogether, so a transition is from one labelled token to the next. A row without any
    has log-likelihood 0 and decodes to []. What is forbidden keeps a fixed, very low score whatever is learned.
    """

    start_allowed: Tensor
    transitions_allowed: Tensor
    end_allowed: Tensor

    def __init__(self, labels: int, allowed: AllowedTransitions | None = None) -> None:
        """`labels` is K; `allowed` None allows everything. Raises ValueError if it is not about K labels, or K is 0."""
        super().__init__()
        if labels < 1:
            raise ValueError("a CRF needs at least one label")
        # zeros prefer no sequence: each token stands for itself, as in a tagger without a CRF
        self.transitions = nn.Parameter(torch.zeros(labels, labels))  # [from, to]
        self.start = nn.Parameter(torch.zeros(labels))
        self.end = nn.Parameter(torch.zeros(labels))
        allowed = allowed or all_transitions(labels)
        if any(part.shape != array.shape for part, array in zip(self._parts(), allowed, strict=True)):
            raise ValueError(f"allowed transitions of {len(allowed.start)} labels do not fit a CRF of {labels}")
        # They follow from the labels, so no file holds them; from_numpy, to be real on a model built on "meta".
        for name, array in allowed._asdict().items():
            self.register_buffer(f"{name}_allowed", torch.from_numpy(array.copy()), persistent=False)

    def log_likelihood(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Log-probability of the gold labels: emissions (B,S,K), tags (B,S), mask (B,S) bool -> (B).

        Tags where the mask is off may be anything. Labels that break the scheme cost about 1e4 nats each time: the
        value stays finite and the gradient as it would be without them.
        """
        chain = _labelled_first(emissions, mask)
        if tags.shape != mask.shape:
            raise ValueError(f"tags of shape {tuple(tags.shape)} do not fit a mask of shape {tuple(mask.shape)}")
        gold = tags.gather(1, chain.order).masked_fill(~chain.inside, 0)
        return self._path_score(chain, gold) - self._log_partition(chain)

    @torch.no_grad()
    def decode(self, emissions: Tensor, mask: Tensor) -> list[list[int]]:
        """The best label sequence of each row (Viterbi 1967): a label per labelled token, in order.

        Always an allowed one where there is one; else one with the fewest forbidden transitions.
        """
        chain = _labelled_first(emissions, mask)
        start, transition, end = self._scores(_NEVER)
        best = start + chain.emissions[:, 0]  # (B,K) score of the best path that ends in each label
        stay = torch.arange(len(start), device=best.device).expand_as(best)
        came_from = []
        for place in range(1, chain.inside.shape[1]):
            score, source = (best[:, :, None] + transition).max(dim=1)
            inside = chain.inside[:, place, None]
            best = torch.where(inside, score + chain.emissions[:, place], best)
            came_from.append(torch.where(inside, source, stay))  # behind a row's end the path stands still
        label = (best + end).argmax(dim=1, keepdim=True)  # (B,1)
        path = [label]
        for source in reversed(came_from):
            label = source.gather(1, label)
            path.append(label)
        rows, lengths = torch.cat(path[::-1], dim=1).tolist(), chain.inside.sum(1).tolist()
        return [row[:length] for row, length in zip(rows, lengths, strict=True)]

    def marginals(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Probability of each label at each labelled token, over all sequences: (B,S,K); 0 where the mask is off.

        It is the gradient of the log-partition by the emissions. No gradient flows through the result.
        """
        with torch.inference_mode(False), torch.enable_grad():
            scores = emissions.detach().clone().requires_grad_()
            total = self._log_partition(_labelled_first(scores, mask.clone())).sum()
            return torch.autograd.grad(total, scores)[0]

    def _path_score(self, chain: _Chain, gold: Tensor) -> Tensor:
        """Score of one label sequence per row, gold (B,T) -> (B); 0 for a row without labels."""
        start, transition, end = self._scores(_FORBIDDEN)
        emitted = chain.emissions.gather(2, gold[:, :, None]).squeeze(2) * chain.inside  # (B,T)
        moved = transition[gold[:, :-1], gold[:, 1:]] * chain.inside[:, 1:]  # (B,T-1)
        last = chain.inside.sum(1, keepdim=True).clamp(min=1) - 1
        score = start[gold[:, 0]] + emitted.sum(1) + moved.sum(1) + end[gold.gather(1, last).squeeze(1)]
        return score.masked_fill(~chain.inside[:, 0], 0)

    def _log_partition(self, chain: _Chain) -> Tensor:
        """The forward algorithm in log space: (B); 0 for a row without labels."""
        start, transition, end = self._scores(_FORBIDDEN)
        total = start + chain.emissions[:, 0]  # (B,K) log-sum over all paths that end in each label
        for place in range(1, chain.inside.shape[1]):
            step = torch.logsumexp(total[:, :, None] + transition, dim=1) + chain.emissions[:, place]
            total = torch.where(chain.inside[:, place, None], step, total)
        return torch.logsumexp(total + end, dim=1).masked_fill(~chain.inside[:, 0], 0)

    def _scores(self, forbidden: float) -> tuple[Tensor, Tensor, Tensor]:
        """Start (K), transition (K,K) and end (K), with a fixed score for what is forbidden."""
        dtype = torch.promote_types(self.start.dtype, torch.float32)
        allowed = (self.start_allowed, self.transitions_allowed, self.end_allowed)
        start, transition, end = (
            part.to(dtype).masked_fill(~each, forbidden) for part, each in zip(self._parts(), allowed, strict=True)
        )
        return start, transition, end

    def _parts(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.start, self.transitions, self.end


def _labelled_first(emissions: Tensor, mask: Tensor) -> _Chain:
    """Leave out what carries no label; T is at least 1, so that rows without labels need no path of their own.

    Raises ValueError where the mask is not of these emissions: gathering would take the first rows without a word.
    """
    if emissions.ndim != 3 or mask.shape != emissions.shape[:2] or not mask.shape[1]:
        shapes = f"emissions of shape {tuple(emissions.shape)} do not fit a mask of shape {tuple(mask.shape)}"
        raise ValueError(f"{shapes}; they are (B,S,K) and (B,S)")
    lengths = mask.sum(1)
    most = max(1, int(lengths.max()))
    order = (~mask).byte().argsort(dim=1, stable=True)[:, :most]  # (B,T)
    inside = torch.arange(most, device=mask.device) < lengths[:, None]
    at_least_float = torch.promote_types(emissions.dtype, torch.float32)
    together = emissions.gather(1, order[:, :, None].expand(-1, -1, emissions.shape[2]))
    return _Chain(together.to(at_least_float), inside, order)
