"""BERT: embeddings, encoder, pooler, and the heads that a checkpoint has."""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor, nn

from bertcore.config import BertConfig
from bertcore.model.attention import causal_bias, padding_bias
from bertcore.model.embeddings import Embeddings
from bertcore.model.encoder import Encoder
from bertcore.model.heads import MaskedWordHead, NextSentenceHead, Pooler
from bertcore.model.tap import Tap

TASKS = ("mlm", "nsp")


class MissingHeadError(RuntimeError):
    """The model was asked for something that it has no head for."""


class Bert(nn.Module):
    """One BERT, for training and for looking.

    `tasks` names the heads it has: "mlm" (masked words) and "nsp" (next sentence); `pooler` may be absent in
    sentence encoders. A part that is absent is None, and asking for its result is an error.
    """

    def __init__(self, config: BertConfig, tasks: Collection[str] = TASKS, pooler: bool = True) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config)
        self.pooler = Pooler(config) if pooler else None
        self.mlm = MaskedWordHead(config) if "mlm" in tasks else None
        self.nsp = NextSentenceHead(config) if "nsp" in tasks else None

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(task for task in TASKS if getattr(self, task) is not None)

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
        """
        if rows is not None and tap is not None:
            raise ValueError("rows saves work that a tap would want to see: give one or the other")
        if segment_ids is None:
            segment_ids = torch.zeros_like(input_ids)
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
        if self.mlm is None:
            raise MissingHeadError("this model has no masked-word (MLM) head")
        logits: Tensor = self.mlm(hidden, self.embeddings.token.weight)
        return logits if tap is None else tap("mlm.logits", logits)

    def nsp_logits(self, pooled: Tensor, tap: Tap | None = None) -> Tensor:
        """Pooled [CLS] (B,H) -> (B,2): B follows A, B does not."""
        if self.nsp is None:
            raise MissingHeadError("this model has no next-sentence (NSP) head")
        logits: Tensor = self.nsp(pooled)
        return logits if tap is None else tap("nsp.logits", logits)


def initialise(model: Bert, generator: torch.Generator) -> None:
    """Fresh weights: normal with the config's standard deviation, biases 0, LayerNorm 1 and 0; [PAD]'s row is 0."""
    std = model.config.initializer_range
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                module.weight.normal_(0.0, std, generator=generator)
            if isinstance(module, nn.Linear) and module.bias is not None:
                module.bias.zero_()
            if isinstance(module, nn.LayerNorm):
                module.weight.fill_(1.0)
                module.bias.zero_()
        model.embeddings.token.weight[model.config.pad_token_id].zero_()
