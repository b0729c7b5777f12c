"""The whole BERT family in one file: from ids to hidden states, and from these to the logits of each head.

Dimensions, in every module of this package:

    B batch            H hidden size      E width of the embedding tables, H in most models
    S sequence         N attention heads  V vocabulary
    L layers           D head size, H/N   K labels     C choices
    R chosen tokens    I feed-forward width, mostly 4H

A forward pass (Devlin et al. 2019, figures 1 and 2; Vaswani et al. 2017, section 3):

    ids (B,S)  --Embeddings-->  x (B,S,H)  --L x Layer-->  x (B,S,H)  --a head-->  logits

A layer has two sublayers: self-attention, the only place where tokens exchange information, and a feed-forward network,
which is applied to each token separately. Each is wrapped in a residual connection and a LayerNorm.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.hooks import NO_HOOK, Hook, HookFunction
from bertcore.model.output_heads import (
    HEAD_TITLES,
    LinearChainCrf,
    MaskedWordHead,
    Pooler,
    ReplacedTokenHead,
    SentencePairHead,
    SequenceHead,
    TokenHead,
    make_head,
)
from bertcore.model.torch_parts import ACTIVATION, Dropout, Embedding, Linear, fused_attention_is_faster

PRETRAINING = ("mlm", "nsp")  # the heads that BERT is pretrained with


class Embeddings(nn.Module):
    """Token + segment + position, of width E, then LayerNorm and dropout; a projection to width H where E differs.

    `segment` is None in models without segments, `norm` in pre-norm models, `projection` where E is H.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width = config.embedding_width
        self.token = Embedding(config.vocab_size, width)
        self.segment = Embedding(config.type_vocab_size, width) if config.type_vocab_size else None
        position_type = SinusoidalEmbedding if config.positions == "sinusoidal_fixed" else Embedding
        self.position = position_type(config.max_position_embeddings, width)
        self.position_offset = config.position_offset  # RoBERTa's table begins with rows that no token gets
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps) if config.norm == "post" else None
        self.dropout = Dropout(config.hidden_dropout_prob)
        self.projection = Linear(width, config.hidden_size) if config.projects_embeddings else None

    def forward(
        self, ids: Tensor, segments: Tensor | None = None, positions: Tensor | None = None, hook: Hook = NO_HOOK
    ) -> Tensor:
        """Ids (B,S), segments (B,S) or None for 0, positions (B,S), (S) or None for 0..S-1 -> (B,S,H)."""
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device)
        x = hook("embeddings.token", self.token(ids))  # (B,S,E)
        if self.segment is not None:
            segment = self.segment(torch.zeros_like(ids) if segments is None else segments)
            x = x + hook("embeddings.segment", segment)
        position = self.position(positions + self.position_offset).expand_as(x)  # (S,E) or (B,S,E) -> (B,S,E), no copy
        x = hook("embeddings.sum", x + hook("embeddings.position", position))
        x = self.dropout(x if self.norm is None else self.norm(x))
        if self.projection is not None:
            x = self.projection(hook("embeddings.before_projection", x))  # (B,S,E) -> (B,S,H)
        return hook("embeddings.output", x)


class SinusoidalEmbedding(nn.Module):
    """Sines and cosines of growing wavelength (Vaswani et al. 2017, section 3.5), (positions, E); never trained."""

    weight: Tensor

    def __init__(self, positions: int, width: int) -> None:
        super().__init__()
        self.register_buffer("weight", sinusoidal_table(positions, width))

    def forward(self, positions: Tensor) -> Tensor:
        return F.embedding(positions, self.weight)


def sinusoidal_table(positions: int, width: int) -> Tensor:
    """(positions, width): sin(p / 10000^(2i/E)) in even columns, the cosine in odd ones; double precision inside."""
    position = torch.arange(positions, dtype=torch.float64)[:, None]
    column = torch.arange(width, dtype=torch.float64)
    angle = position / 10_000.0 ** (2 * (column // 2) / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@dataclass(frozen=True, eq=False)
class Mask:
    """Which tokens each token may attend to: never padding and, if causal, no later token. `Mask.of`
    combines the two.

    added: goes onto the scores, 0 or the lowest finite number: (B,1,1,S), or (B,1,S,S) where it is causal as well.
    is_causal: causal and nothing else, for which torch's fused kernel has a faster path; it accepts only one of
        the two.
    """

    added: Tensor | None = None
    is_causal: bool = False

    def __post_init__(self) -> None:
        if self.added is not None and self.is_causal:
            raise ValueError("a mask is added or is_causal, not both: Mask.of puts them together")

    @classmethod
    def of(cls, attention_mask: Tensor | None, causal: bool, like: Tensor) -> "Mask":
        """attention_mask (B,S): 1 for real tokens, 0 for padding. dtype and device are those of `like`."""
        if attention_mask is None:
            return cls(None, causal)
        zeros = torch.zeros(attention_mask.shape, dtype=like.dtype, device=like.device)
        # finite, as the softmax of a row of minus infinities is NaN
        padding = zeros.masked_fill(attention_mask == 0, torch.finfo(like.dtype).min)[:, None, None, :]
        # the lower of both, not their sum, which would be minus infinity
        return cls(torch.minimum(padding, causal_mask(padding)) if causal else padding)

    def add_to(self, scores: Tensor) -> Tensor:
        """Scores (B,N,S,S) -> the same shape, hugely negative where attention is forbidden."""
        added = causal_mask(scores) if self.is_causal else self.added
        return scores if added is None else scores + added


NO_MASK = Mask()


def causal_mask(like: Tensor) -> Tensor:
    """For scores (...,S): (S,S), 0, and the lowest finite number where a token would attend to a later one."""
    length, lowest = like.shape[-1], torch.finfo(like.dtype).min
    return torch.full((length, length), lowest, dtype=like.dtype, device=like.device).triu(1)


class SelfAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2): softmax(Q K^T / sqrt(D)) V for N heads, then `project`.

    `forward` stops before the output projection, so that the last layer can drop tokens that no head reads; `project`
    works token by token.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.num_heads, self.head_size = config.num_attention_heads, config.head_size
        self.query_key_value = Linear(config.hidden_size, 3 * config.hidden_size)  # of all heads, in one product
        self.output = Linear(config.hidden_size, config.hidden_size)
        self.probs_dropout = Dropout(config.attention_probs_dropout_prob)
        self.output_dropout = Dropout(config.hidden_dropout_prob)

    def forward(self, x: Tensor, mask: Mask = NO_MASK, hook: Hook = NO_HOOK) -> Tensor:
        """Hidden states (B,S,H) -> context vectors of all heads, side by side (B,S,H)."""
        qkv = self.query_key_value(hook("attention.input", x))  # (B,S,3H)
        qkv = qkv.unflatten(-1, (3, self.num_heads, self.head_size))  # (B,S,3H) -> (B,S,3,N,D)
        query, key, value = (each.transpose(1, 2) for each in qkv.unbind(2))  # (B,S,3,N,D) -> 3 x (B,N,S,D)
        if hook is NO_HOOK and fused_attention_is_faster(x, self.probs_dropout):
            context = F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=mask.added,
                dropout_p=self.probs_dropout.p if self.training else 0.0,
                is_causal=mask.is_causal,
            )
        else:  # the same formula; a hook sees each of its steps, contiguous in memory
            query = hook("attention.query", query.contiguous())
            key = hook("attention.key", key.contiguous())
            value = hook("attention.value", value.contiguous())
            # (B,N,S,S), a row for each token that attends; scaled in place to avoid a second copy
            scores = (query @ key.transpose(-1, -2)).mul_(1 / math.sqrt(self.head_size))
            scores = hook("attention.scores", mask.add_to(scores))
            probs = hook("attention.probs", scores.softmax(dim=-1))
            context = hook("attention.context_heads", self.probs_dropout(probs) @ value)  # (B,N,S,D)
        return context.transpose(1, 2).flatten(2)  # (B,N,S,D) -> (B,S,H)

    def project(self, context: Tensor, hook: Hook = NO_HOOK) -> Tensor:
        """What attention adds to the residual stream: context vectors (...,H) -> (...,H)."""
        return hook("attention.output", self.output_dropout(self.output(context)))


class Layer(nn.Module):
    """One encoder layer. Its two kinds differ in where they normalise."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward_in = Linear(config.hidden_size, config.intermediate_size)
        self.feed_forward_out = Linear(config.intermediate_size, config.hidden_size)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.activation = ACTIVATION[config.hidden_act]
        self.dropout = Dropout(config.hidden_dropout_prob)

    def feed_forward(self, x: Tensor, hook: Hook = NO_HOOK) -> Tensor:
        """What the feed-forward network adds to the residual stream: (...,H) -> (...,H)."""
        inner = self.feed_forward_in(hook("feed_forward.input", x))  # (...,H) -> (...,I)
        inner = self.activation(hook("feed_forward.before_activation", inner))
        inner = hook("feed_forward.activation", inner)
        return hook("feed_forward.output", self.dropout(self.feed_forward_out(inner)))


class PostNormLayer(Layer):
    """The paper's: x = LayerNorm(x + Sublayer(x))."""

    def forward(self, x: Tensor, mask: Mask = NO_MASK, rows: Tensor | None = None, hook: Hook = NO_HOOK) -> Tensor:
        """Hidden states (B,S,H) -> (B,S,H), or those of the `rows` alone (R,H)."""
        x, context = select(rows, x, self.attention(x, mask, hook))
        x = self.attention_norm(x + self.attention.project(context, hook))
        x = hook("middle", x)
        x = self.feed_forward_norm(x + self.feed_forward(x, hook))
        return hook("output", x)


class PreNormLayer(Layer):
    """x = x + Sublayer(LayerNorm(x)): easier to train when deep (Xiong et al. 2020)."""

    def forward(self, x: Tensor, mask: Mask = NO_MASK, rows: Tensor | None = None, hook: Hook = NO_HOOK) -> Tensor:
        """Hidden states (B,S,H) -> (B,S,H), or those of the `rows` alone (R,H)."""
        x, context = select(rows, x, self.attention(self.attention_norm(x), mask, hook))
        x = x + self.attention.project(context, hook)
        x = hook("middle", x)
        x = x + self.feed_forward(self.feed_forward_norm(x), hook)
        return hook("output", x)


def select(rows: Tensor | None, x: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
    """Both (B,S,H) -> those `rows` (R) of B*S that a head will read: (R,H); None for all."""
    if rows is None:
        return x, context
    return x.flatten(0, 1)[rows], context.flatten(0, 1)[rows]  # (B,S,H) -> (B*S,H) -> (R,H)


class Encoder(nn.Module):
    """L layers, one after the other. Where layers share parameters (ALBERT) there are fewer sets of them than layers.

    `final_norm` follows the last layer of a pre-norm model; it is None otherwise.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.depth = config.num_hidden_layers
        kind = PreNormLayer if config.norm == "pre" else PostNormLayer
        self.layers = nn.ModuleList(kind(config) for _ in range(config.layer_groups))
        self.final_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) if kind is PreNormLayer else None

    def forward(
        self, x: Tensor, mask: Mask = NO_MASK, rows: Tensor | None = None, hook: Hook = NO_HOOK, start: int = 0
    ) -> Tensor:
        """Runs layers `start` (from 0) to L-1 on (B,S,H), the input of the first of them -> (B,S,H).

        With `rows` (R), indices into B*S, the last layer computes these alone: (R,H).
        """
        for index in range(start, self.depth):
            is_last = index == self.depth - 1
            x = self.layer(index)(x, mask, rows if is_last else None, hook.at(f"layer.{index}"))
        return x if self.final_norm is None else hook("encoder.final_norm", self.final_norm(x))

    def layer(self, index: int) -> Layer:
        """The module that runs layer `index`: its own (BERT), or its group's (ALBERT: one group for all layers)."""
        layer = self.layers[index * len(self.layers) // self.depth]
        assert isinstance(layer, Layer)
        return layer


class MissingHeadError(RuntimeError):
    """The model was asked for something that it has no head for."""


class Bert(nn.Module):
    """One model of the BERT family, for training and for inspection.

    `output_heads` are keys of HEAD_TITLES; without `pooler` the family decides whether there is one. An absent part is
    None, and asking for its result is an error. A CRF works on the tagger's scores, so "crf" brings "tag" along.
    Weights are drawn from `generator`; on the meta device they are left out, to be loaded from a checkpoint.
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
        wanted = set(output_heads)
        if "crf" in wanted:
            wanted.add("tag")
        for head in HEAD_TITLES:
            setattr(self, head, make_head(config, head) if head in wanted else None)
        if not self.embeddings.token.weight.is_meta:
            initialise(self, config.initializer_range, generator)
            with torch.no_grad():
                self.embeddings.token.weight[config.pad_token_id].zero_()
                if config.positions == "sinusoidal_start":
                    self.embeddings.position.weight.copy_(sinusoidal_table(*self.embeddings.position.weight.shape))

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
        hook: HookFunction = NO_HOOK,
    ) -> Tensor:
        """Ids (B,S) -> hidden states of the last layer (B,S,H).

        attention_mask (B,S) is 1 for real tokens, 0 for padding; None where there is no padding. `causal` lets a token
        attend only to itself and earlier ones, as in next-word prediction. With `rows` (R), indices into B*S, the last
        layer computes only those tokens, (R,H). A hook, or any function of (point, tensor), sees every step and may
        replace it. Positions count from 0 in every family.
        """
        if rows is not None and hook is not NO_HOOK:
            raise ValueError("rows saves work that a hook would want to see: give one or the other")
        hook = hook if isinstance(hook, Hook) else Hook(hook)
        x = self.embeddings(input_ids, segment_ids, position_ids, hook)  # (B,S,H)
        return self.encoder(x, Mask.of(attention_mask, causal, x), rows, hook)

    def pool(self, first: Tensor, hook: HookFunction = NO_HOOK) -> Tensor:
        """Hidden states of [CLS] (B,H) -> (B,H)."""
        if self.pooler is None:
            raise MissingHeadError("this model has no pooler")
        return hook("pooler.output", self.pooler(first))

    def logits(self, head: str, hidden: Tensor, hook: HookFunction = NO_HOOK) -> Tensor:
        """Logits of one head, from hidden states of the last layer (...,H), which the caller chooses.

        Raises MissingHeadError where the model has no such head. Of any token: mlm, words (...,V); rtd, above 0 where
        it seems replaced (...); tag, labels (...,K); span, whether the answer starts and ends there (...,2). Of [CLS]:
        nsp, B follows A, B does not (...,2); sop, in order, swapped (...,2); classify, labels or a number (...,K);
        choice and summarise, a score (...,1).
        """
        module = getattr(self, head)
        if module is None:
            raise MissingHeadError(f"this model has no {HEAD_TITLES[head]} head")
        can_read_pooled = isinstance(module, SequenceHead) and module.reads_pooled and self.pooler is not None
        if isinstance(module, SentencePairHead) or can_read_pooled:
            hidden = self.pool(hidden, hook)
        tied = (self.embeddings.token.weight,) if head == "mlm" else ()  # its output matrix is the token table
        return hook(f"{head}.logits", module(hidden, *tied))

    def mlm_logits(self, hidden: Tensor, hook: HookFunction = NO_HOOK) -> Tensor:
        """Hidden states (...,H) -> logits over the vocabulary (...,V)."""
        return self.logits("mlm", hidden, hook)

    @property
    def pair_head(self) -> Literal["nsp", "sop"] | None:
        """Which head judges pairs: next sentence, else sentence order; None where the model has neither."""
        return "nsp" if self.nsp is not None else "sop" if self.sop is not None else None


@torch.no_grad()
def initialise(part: nn.Module, std: float, generator: torch.Generator | None = None) -> None:
    """Fresh weights for a model or a part of it, such as a new head: matrices and tables normal, biases 0.

    LayerNorms, CRFs and sinusoidal tables have theirs from when they are made.
    """
    for module in part.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.normal_(0.0, std, generator=generator)
        if isinstance(module, nn.Linear):
            module.bias.zero_()
