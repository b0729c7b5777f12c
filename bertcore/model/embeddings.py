"""Token + segment + position -> LayerNorm (Devlin et al. 2019, figure 2), for every family."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.dropout import Dropout
from bertcore.model.linear import Linear
from bertcore.model.tap import Tap


class Embeddings(nn.Module):
    """Three tables of width E that are added up, then LayerNorm and dropout; a matrix to width H where E differs.

    `segment` is None in models without segments, `norm` in pre-norm models, `projection` where E is H.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width = config.embedding_width
        self.token = _table(config.vocab_size, width)
        self.segment = _table(config.type_vocab_size, width) if config.type_vocab_size else None
        fixed = config.positions == "sinusoidal_fixed"
        self.position = (FixedTable if fixed else _table)(config.max_position_embeddings, width)
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps) if config.norm == "post" else None
        self.dropout = Dropout(config.hidden_dropout_prob)
        self.projection = Linear(width, config.hidden_size) if config.projects_embeddings else None
        self.position_offset = config.position_offset

    def forward(
        self, input_ids: Tensor, segment_ids: Tensor | None, position_ids: Tensor | None, tap: Tap | None
    ) -> Tensor:
        """Ids (B,S), segments (B,S) or None for 0, positions (B,S), (S) or None for 0..S-1 -> (B,S,H)."""
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=input_ids.device)
        token = self.token(input_ids)
        position = self.position(position_ids + self.position_offset).expand_as(token)  # (S,E) -> (B,S,E), no copy
        if tap is not None:
            token = tap("embeddings.token", token)
            position = tap("embeddings.position", position)
        total = token + position
        if self.segment is not None:
            segment = self.segment(torch.zeros_like(input_ids) if segment_ids is None else segment_ids)
            if tap is not None:
                segment = tap("embeddings.segment", segment)
            total = token + segment + position
        if tap is not None:
            total = tap("embeddings.sum", total)
        output: Tensor = self.dropout(total if self.norm is None else self.norm(total))
        if self.projection is not None:
            if tap is not None:
                output = tap("embeddings.before_projection", output)
            output = self.projection(output)
        return output if tap is None else tap("embeddings.output", output)


class FixedTable(nn.Module):
    """Sine and cosine waves of growing length (Vaswani et al. 2017, section 3.5), (rows, width); never trained."""

    weight: Tensor

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        self.register_buffer("weight", sinusoidal_table(rows, width))

    def forward(self, ids: Tensor) -> Tensor:
        return F.embedding(ids, self.weight)


def sinusoidal_table(rows: int, width: int) -> Tensor:
    """(rows, width): sin(p / 10000^(2i/E)) in even columns, the cosine in odd ones; double precision inside."""
    place = torch.arange(rows, dtype=torch.float64)[:, None]
    column = torch.arange(width, dtype=torch.float64)
    angle = place / 10_000.0 ** (2 * (column // 2) / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


def _table(rows: int, width: int) -> nn.Embedding:
    """(rows, width), zero until weights are loaded or `initialise` draws them.

    torch would draw normal numbers here; on the meta device, where checkpoints are opened, that alone makes it import
    its compiler: 830 modules, one to three seconds.
    """
    return nn.Embedding.from_pretrained(torch.zeros(rows, width), freeze=False)
