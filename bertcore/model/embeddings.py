"""Token + segment + position -> LayerNorm (Devlin et al. 2019, figure 2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bertcore.config import BertConfig
from bertcore.model.dropout import Dropout
from bertcore.model.tap import Tap


class Embeddings(nn.Module):
    """Three tables that are added up, then LayerNorm and dropout."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.token = _table(config.vocab_size, config.hidden_size)
        self.segment = _table(config.type_vocab_size, config.hidden_size)
        self.position = _table(config.max_position_embeddings, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids: Tensor, segment_ids: Tensor, position_ids: Tensor | None, tap: Tap | None) -> Tensor:
        """Ids (B,S), positions (B,S), (S) or None for 0..S-1 -> (B,S,H)."""
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=input_ids.device)
        token = self.token(input_ids)
        segment = self.segment(segment_ids)
        position = self.position(position_ids).expand_as(token)  # (S,H) -> (B,S,H) without copying
        if tap is not None:
            token = tap("embeddings.token", token)
            segment = tap("embeddings.segment", segment)
            position = tap("embeddings.position", position)
        total = token + segment + position
        if tap is not None:
            total = tap("embeddings.sum", total)
        output: Tensor = self.dropout(self.norm(total))
        return output if tap is None else tap("embeddings.output", output)


def _table(rows: int, width: int) -> nn.Embedding:
    """(rows, width), zero until weights are loaded or `initialise` draws them.

    torch would draw normal numbers here; on the meta device, where checkpoints are opened, that alone makes it import
    its compiler: 830 modules, one to three seconds.
    """
    return nn.Embedding.from_pretrained(torch.zeros(rows, width), freeze=False)
