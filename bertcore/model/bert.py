"""One model for the whole family: embeddings, encoder, pooler, and the heads that a checkpoint has.

Dimensions, in every module of this package:

    B batch        H hidden size      E width of the embedding tables, H in most models
    S sequence     N heads            V vocabulary
    L layers       D head size, H/N   K labels     C choices
    R chosen rows  I feed-forward width, 4H in every published BERT

A forward pass (Devlin et al. 2019, figures 1 and 2; Vaswani et al. 2017):

    ids (B,S)  --Embeddings-->  (B,S,H)  --L x EncoderLayer-->  (B,S,H)  --a head-->  logits
"""

from collections.abc import Collection
from typing import Any, Literal

import torch
from torch import Tensor, nn

from bertcore.config import BertConfig
from bertcore.model.attention import padding_bias
from bertcore.model.crf import LinearChainCrf
from bertcore.model.embeddings import Embeddings, sinusoidal_table
from bertcore.model.encoder import Encoder
from bertcore.model.hooks import Hook, identity
from bertcore.model.output_heads import (
    HEAD_TITLES,
    MaskedWordHead,
    Pooler,
    ReplacedTokenHead,
    SentencePairHead,
    SequenceHead,
    TokenHead,
    make_head,
)

PRETRAINING = ("mlm", "nsp")  # the heads that BERT is pretrained with


class MissingHeadError(RuntimeError):
    """The model was asked for something that it has no head for."""


class Bert(nn.Module):
    """One model of the BERT family, for training and for looking.

    `output_heads` are keys of HEAD_TITLES; `pooler` None means: as the family has it. A part that is absent is None,
    and asking for its result is an error. A CRF works on the tagger's scores, so "crf" brings "tag" along.
    It comes with fresh weights, drawn from `generator`; on the meta device, for weights from a file, with none.
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

    def __init__(
        self,
        config: BertConfig,
        output_heads: Collection[str] = PRETRAINING,
        pooler: bool | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        unknown = sorted(set(output_heads) - set(HEAD_TITLES))
        if unknown:
            raise ValueError(f"there is no head {', '.join(unknown)}; choose from {', '.join(HEAD_TITLES)}")
        has_pooler = config.family.pooler if pooler is None else pooler
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config)
        self.pooler = Pooler(config) if has_pooler else None
        wanted = {*output_heads, *(["tag"] if "crf" in output_heads else [])}
        for head in HEAD_TITLES:
            setattr(self, head, make_head(config, head) if head in wanted else None)
        if not self.embeddings.token.weight.is_meta:
            self._initialise(generator)

    @property
    def output_heads(self) -> tuple[str, ...]:
        return tuple(head for head in HEAD_TITLES if getattr(self, head) is not None)

    def forward(
        self,
        input_ids: Tensor,
        segment_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        *,
        causal: bool = False,
        rows: Tensor | None = None,
        hook: Hook = identity,
    ) -> Tensor:
        """Ids (B,S) -> hidden states of the last layer (B,S,H).

        attention_mask (B,S) is 1 for real tokens, 0 for padding; None where there is no padding. `causal` lets a token
        look only at itself and what stands before it. `rows` (R), indices into B*S, gives only those rows of the last
        layer, (R,H), and saves the rest of its work. With a hook every step is computed openly and passes by it.
        Positions count from 0 in every family.
        """
        if rows is not None and hook is not identity:
            raise ValueError("rows saves work that a hook would want to see: give one or the other")
        hidden = self.embeddings(input_ids, segment_ids, position_ids, hook)  # (B,S,H)
        bias = None if attention_mask is None else padding_bias(attention_mask, hidden)  # (B,1,1,S)
        return self.encoder(hidden, bias, causal, rows, hook)

    def pool(self, first: Tensor, hook: Hook = identity) -> Tensor:
        """Hidden states of [CLS] (B,H) -> (B,H)."""
        if self.pooler is None:
            raise MissingHeadError("this model has no pooler")
        return hook("pooler.output", self.pooler(first))

    def mlm_logits(self, hidden: Tensor, hook: Hook = identity) -> Tensor:
        """Hidden states (...,H) -> logits over the vocabulary (...,V)."""
        return hook("mlm.logits", self._head("mlm")(hidden, self.embeddings.token.weight))

    def nsp_logits(self, pooled: Tensor, hook: Hook = identity) -> Tensor:
        """Pooled [CLS] (B,H) -> (B,2): B follows A, B does not."""
        return hook("nsp.logits", self._head("nsp")(pooled))

    def sop_logits(self, pooled: Tensor, hook: Hook = identity) -> Tensor:
        """Pooled [CLS] (B,H) -> (B,2): the two parts are in order, they are swapped."""
        return hook("sop.logits", self._head("sop")(pooled))

    @property
    def pair_head(self) -> Literal["nsp", "sop"] | None:
        """Which head judges pairs: next sentence, else sentence order; None where the model has neither."""
        return "nsp" if self.nsp is not None else "sop" if self.sop is not None else None

    def pair_logits(self, pooled: Tensor) -> Tensor:
        """Pooled [CLS] (B,H) -> (B,2), of the `pair_head`."""
        return self.nsp_logits(pooled) if self.pair_head == "nsp" else self.sop_logits(pooled)

    def rtd_logits(self, hidden: Tensor, hook: Hook = identity) -> Tensor:
        """Hidden states (B,S,H) -> (B,S), above 0 where the token seems replaced."""
        return hook("rtd.logits", self._head("rtd")(hidden))

    def classify_logits(self, first: Tensor, hook: Hook = identity) -> Tensor:
        """Last hidden states of [CLS] (B,H) -> (B,K)."""
        return hook("classify.logits", self._sequence_scores("classify", first, hook))

    def choice_logits(self, first: Tensor, choices: int, hook: Hook = identity) -> Tensor:
        """Last hidden states of [CLS] (B*C,H), the choices of one question on end -> (B,C)."""
        scores = self._sequence_scores("choice", first, hook)
        return hook("choice.logits", scores.view(-1, choices))  # (B*C,1) -> (B,C)

    def tag_logits(self, hidden: Tensor, hook: Hook = identity) -> Tensor:
        """Hidden states (B,S,H) -> (B,S,K)."""
        return hook("tag.logits", self._head("tag")(hidden))

    def tag_log_likelihood(self, scores: Tensor, labels: Tensor) -> Tensor:
        """Tagger's scores (B,S,K) and labels (B,S), -100 where a token has none -> log-likelihoods of the CRF (B)."""
        mask = labels >= 0
        return self._head("crf").log_likelihood(scores.float(), labels.clamp(min=0), mask)

    def best_tags(self, scores: Tensor, labelled: Tensor) -> list[list[int]]:
        """Tagger's scores (B,S,K), mask (B,S) of the tokens that have a label -> the likeliest legal sequences."""
        return self._head("crf").decode(scores.float(), labelled.bool())

    def span_logits(self, hidden: Tensor, hook: Hook = identity) -> tuple[Tensor, Tensor]:
        """Hidden states (B,S,H) -> scores of each token as the answer's first and last, 2 x (B,S)."""
        start, end = hook("span.logits", self._head("span")(hidden)).unbind(-1)  # (B,S,2) -> 2 x (B,S)
        return start, end

    def sentence_logits(self, firsts: Tensor, hook: Hook = identity) -> Tensor:
        """Hidden states of the [CLS] before each sentence (...,H) -> its score for the summary (...)."""
        return hook("summarise.logits", self._head("summarise")(firsts)).squeeze(-1)  # (...,1) -> (...)

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator | None) -> None:
        initialise(self, self.config.initializer_range, generator)
        tokens, positions = self.embeddings.token.weight, self.embeddings.position.weight
        tokens[self.config.pad_token_id].zero_()
        if self.config.positions == "sinusoidal_start":
            positions.copy_(sinusoidal_table(*positions.shape))

    def _sequence_scores(self, name: str, first: Tensor, hook: Hook) -> Tensor:
        head = self._head(name)
        return head(self.pool(first, hook) if head.reads_pooled and self.pooler is not None else first)

    def _head(self, name: str) -> Any:
        head = getattr(self, name)
        if head is None:
            raise MissingHeadError(f"this model has no {HEAD_TITLES[name]} head")
        return head


@torch.no_grad()
def initialise(part: nn.Module, std: float, generator: torch.Generator | None = None) -> None:
    """Fresh weights for a model or a part of it, such as a new head: matrices and tables normal, biases 0.

    LayerNorms, CRFs and tables of waves have theirs from when they are made.
    """
    for module in part.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.normal_(0.0, std, generator=generator)
        if isinstance(module, nn.Linear):
            module.bias.zero_()
