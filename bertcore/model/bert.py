"""One model for the whole family: embeddings, encoder, pooler, and the heads that a checkpoint has."""

from __future__ import annotations

from collections.abc import Callable, Collection

import torch
from torch import Tensor, nn

from bertcore.config import BertConfig
from bertcore.model.attention import causal_bias, padding_bias
from bertcore.model.crf import LinearChainCrf
from bertcore.model.embeddings import Embeddings, FixedTable, sinusoidal_table
from bertcore.model.encoder import Encoder
from bertcore.model.heads import (
    MaskedWordHead,
    Pooler,
    ReplacedTokenHead,
    SentencePairHead,
    SequenceHead,
    TokenHead,
)
from bertcore.model.tap import Tap
from bertcore.tag_schemes import legal_moves

# Every head, by the name of its task
HEADS = {
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
TASKS = ("mlm", "nsp")  # what BERT is pretrained with


class MissingHeadError(RuntimeError):
    """The model was asked for something that it has no head for."""


class Bert(nn.Module):
    """One model of the BERT family, for training and for looking.

    `tasks` names its heads (keys of HEADS); `pooler` None means: as the family has it. A part that is absent is None,
    and asking for its result is an error. A CRF works on the tagger's scores, so "crf" brings "tag" along.
    """

    mlm: MaskedWordHead | None
    nsp: SentencePairHead | None
    sop: SentencePairHead | None
    rtd: ReplacedTokenHead | None
    classify: SequenceHead | None
    choice: SequenceHead | None
    tag: TokenHead | None
    crf: LinearChainCrf | None
    span: TokenHead | None
    summarise: TokenHead | None

    def __init__(self, config: BertConfig, tasks: Collection[str] = TASKS, pooler: bool | None = None) -> None:
        super().__init__()
        unknown = sorted(set(tasks) - set(HEADS))
        if unknown:
            raise ValueError(f"there is no head {', '.join(unknown)}; choose from {', '.join(HEADS)}")
        has_pooler = config.family.pooler if pooler is None else pooler
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config)
        self.pooler = Pooler(config) if has_pooler else None
        wanted = {*tasks, *(["tag"] if "crf" in tasks else [])}
        for task in HEADS:
            setattr(self, task, make_head(config, task) if task in wanted else None)

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(task for task in HEADS if getattr(self, task) is not None)

    def forward(
        self,
        input_ids: Tensor,
        segment_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        *,
        causal: bool = False,
        rows: Tensor | None = None,
        tap: Tap | None = None,
    ) -> Tensor:
        """Ids (B,S) -> hidden states of the last layer (B,S,H).

        attention_mask (B,S) is 1 for real tokens, 0 for padding; None where there is no padding. `causal` lets a token
        look only at itself and what stands before it. `rows` (R), indices into B*S, gives only those rows of the last
        layer, (R,H), and saves the rest of its work. With a tap every step is computed openly and passes by it.
        Positions count from 0 in every family.
        """
        if rows is not None and tap is not None:
            raise ValueError("rows saves work that a tap would want to see: give one or the other")
        hidden = self.embeddings(input_ids, segment_ids, position_ids, tap)
        bias = None if attention_mask is None else padding_bias(attention_mask, hidden)
        if causal and bias is not None:
            # the lower of both, not the sum: two lowest finite numbers would add up to minus infinity
            bias = torch.minimum(bias, causal_bias(input_ids.shape[1], hidden))  # (B,1,S,S)
        output: Tensor = self.encoder(hidden, bias, causal, tap, rows)
        return output

    def pool(self, first: Tensor, tap: Tap | None = None) -> Tensor:
        """Hidden states of [CLS] (B,H) -> (B,H)."""
        if self.pooler is None:
            raise MissingHeadError("this model has no pooler")
        pooled: Tensor = self.pooler(first)
        return pooled if tap is None else tap("pooler.output", pooled)

    def mlm_logits(self, hidden: Tensor, tap: Tap | None = None) -> Tensor:
        """Hidden states (..., H) -> logits over the vocabulary (..., V)."""
        logits: Tensor = self._head("mlm")(hidden, self.embeddings.token.weight)
        return logits if tap is None else tap("mlm.logits", logits)

    def nsp_logits(self, pooled: Tensor, tap: Tap | None = None) -> Tensor:
        """Pooled [CLS] (B,H) -> (B,2): B follows A, B does not."""
        return self._logits("nsp", pooled, tap)

    def sop_logits(self, pooled: Tensor, tap: Tap | None = None) -> Tensor:
        """Pooled [CLS] (B,H) -> (B,2): the two parts are in order, they are swapped."""
        return self._logits("sop", pooled, tap)

    def rtd_logits(self, hidden: Tensor, tap: Tap | None = None) -> Tensor:
        """Hidden states (B,S,H) -> (B,S), above 0 where the token seems replaced."""
        return self._logits("rtd", hidden, tap)

    def classify_logits(self, first: Tensor, tap: Tap | None = None) -> Tensor:
        """Last hidden states of [CLS] (B,H) -> (B,K)."""
        return self._logits("classify", self._sequence_input("classify", first), tap)

    def choice_logits(self, first: Tensor, choices: int, tap: Tap | None = None) -> Tensor:
        """Last hidden states of [CLS] (B*C,H), the choices of one question on end -> (B,C)."""
        scores = self._head("choice")(self._sequence_input("choice", first)).view(-1, choices)  # (B*C,1) -> (B,C)
        return scores if tap is None else tap("choice.logits", scores)

    def tag_logits(self, hidden: Tensor, tap: Tap | None = None) -> Tensor:
        """Hidden states (B,S,H) -> (B,S,K)."""
        return self._logits("tag", hidden, tap)

    def tag_log_likelihood(self, scores: Tensor, labels: Tensor) -> Tensor:
        """Tagger's scores (B,S,K) and labels (B,S), -100 where a token has none -> log-likelihoods of the CRF (B)."""
        mask = labels >= 0
        likelihoods: Tensor = self._crf().log_likelihood(scores.float(), labels.clamp(min=0), mask)
        return likelihoods

    def best_tags(self, scores: Tensor, labelled: Tensor) -> list[list[int]]:
        """Tagger's scores (B,S,K), mask (B,S) of the tokens that have a label -> the likeliest legal sequences."""
        tags: list[list[int]] = self._crf().decode(scores.float(), labelled.bool())
        return tags

    def span_logits(self, hidden: Tensor, tap: Tap | None = None) -> tuple[Tensor, Tensor]:
        """Hidden states (B,S,H) -> scores of each token as the answer's first and last, 2 x (B,S)."""
        start, end = self._logits("span", hidden, tap).unbind(-1)  # (B,S,2) -> 2 x (B,S)
        return start, end

    def sentence_logits(self, firsts: Tensor, tap: Tap | None = None) -> Tensor:
        """Hidden states of the [CLS] before each sentence (...,H) -> its score for the summary (...)."""
        return self._logits("summarise", firsts, tap).squeeze(-1)

    def _crf(self) -> LinearChainCrf:
        crf = self._head("crf")
        assert isinstance(crf, LinearChainCrf)
        return crf

    def _logits(self, task: str, read: Tensor, tap: Tap | None) -> Tensor:
        logits: Tensor = self._head(task)(read)
        return logits if tap is None else tap(f"{task}.logits", logits)

    def _sequence_input(self, task: str, first: Tensor) -> Tensor:
        head = self._head(task)
        assert isinstance(head, SequenceHead)
        return self.pool(first) if head.reads_pooled and self.pooler is not None else first

    def _head(self, task: str) -> nn.Module:
        head = getattr(self, task)
        if head is None:
            raise MissingHeadError(f"this model has no {HEADS[task]} head")
        assert isinstance(head, nn.Module)
        return head


def make_head(config: BertConfig, task: str) -> nn.Module:
    """A head (a key of HEADS), its weights as torch draws them."""
    labels = config.label_count
    makers: dict[str, Callable[[], nn.Module]] = {
        "mlm": lambda: MaskedWordHead(config),
        "nsp": lambda: SentencePairHead(config),
        "sop": lambda: SentencePairHead(config),
        "rtd": lambda: ReplacedTokenHead(config),
        "classify": lambda: SequenceHead(config, labels, config.classifier_hidden),
        "choice": lambda: SequenceHead(config, 1, config.family.choice_hidden),
        "tag": lambda: TokenHead(config, labels),
        "crf": lambda: LinearChainCrf(labels, legal_moves(config.labels) if config.labels else None),
        "span": lambda: TokenHead(config, 2, dropout=0.0),
        "summarise": lambda: TokenHead(config, 1),
    }
    return makers[task]()


def initialise(model: Bert, generator: torch.Generator) -> None:
    """Fresh weights: normal with the config's standard deviation, biases 0, LayerNorm 1 and 0; [PAD]'s row is 0.

    Sinusoidal position tables begin as waves (and stay so where they are fixed).
    """
    config = model.config
    initialise_part(model, config.initializer_range, generator)
    with torch.no_grad():
        model.embeddings.token.weight[config.pad_token_id].zero_()
        if config.positions == "sinusoidal_start":
            table = model.embeddings.position.weight
            table.copy_(sinusoidal_table(*table.shape))


def initialise_part(part: nn.Module, std: float, generator: torch.Generator) -> None:
    """Fresh weights for one part of a model, a new head for instance."""
    with torch.no_grad():
        for module in part.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                module.weight.normal_(0.0, std, generator=generator)
            if isinstance(module, nn.Linear) and module.bias is not None:
                module.bias.zero_()
            if isinstance(module, nn.LayerNorm):
                module.weight.fill_(1.0)
                module.bias.zero_()
            if isinstance(module, LinearChainCrf):
                module.reset_parameters()
            if isinstance(module, FixedTable):
                module.weight.copy_(sinusoidal_table(*module.weight.shape))
            if isinstance(module, MaskedWordHead):
                module.bias.zero_()
