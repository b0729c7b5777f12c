"""Token + segment + position -> LayerNorm (Devlin et al. 2019, figure 2), for every family."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertcore.config import BertConfig
from bertcore.model.fast import Dropout, Embedding, Linear
from bertcore.model.hooks import Hook, identity


class Embeddings(nn.Module):
    """Three tables of width E that are added up, then LayerNorm and dropout; a matrix to width H where E differs.

    `segment` is None in models without segments, `norm` in pre-norm models, `projection` where E is H.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width = config.embedding_width
        self.token = Embedding(config.vocab_size, width)
        self.segment = Embedding(config.type_vocab_size, width) if config.type_vocab_size else None
        is_fixed = config.positions == "sinusoidal_fixed"
        self.position = (SinusoidalEmbedding if is_fixed else Embedding)(config.max_position_embeddings, width)
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps) if config.norm == "post" else None
        self.dropout = Dropout(config.hidden_dropout_prob)
        self.projection = Linear(width, config.hidden_size) if config.projects_embeddings else None
        self.position_offset = config.position_offset

    def forward(
        self,
        input_ids: Tensor,
        segment_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
        hook: Hook = identity,
    ) -> Tensor:
        """Ids (B,S), segments (B,S) or None for 0, positions (B,S), (S) or None for 0..S-1 -> (B,S,H)."""
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=input_ids.device)
        total = hook("embeddings.token", self.token(input_ids))  # (B,S,E)
        if self.segment is not None:
            segment = self.segment(torch.zeros_like(input_ids) if segment_ids is None else segment_ids)
            total = total + hook("embeddings.segment", segment)
        position = self.position(position_ids + self.position_offset).expand_as(total)  # (S,E) -> (B,S,E), no copy
        total = hook("embeddings.sum", total + hook("embeddings.position", position))
        hidden = self.dropout(total if self.norm is None else self.norm(total))
        if self.projection is not None:
            hidden = self.projection(hook("embeddings.before_projection", hidden))  # (B,S,E) -> (B,S,H)
        return hook("embeddings.output", hidden)


class SinusoidalEmbedding(nn.Module):
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
