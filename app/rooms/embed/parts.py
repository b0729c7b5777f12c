"""What the strips of the room Embed show: the parts of the input embedding that this model has, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.readings import Reading
    from app.state import ModelInfo

# The scale reaches to the value that this share of all values lies within: a few outliers would pale all the rest.
WITHIN = 0.99


@dataclass(frozen=True, eq=False)
class Part:
    """One strip, or the sentence that stands in its place."""

    name: str
    mark: str  # what leads on to the next strip: "+", "=", "norm" or ""
    values: np.ndarray | None  # (S, columns)
    reason: str = ""  # where there are no values
    is_addend: bool = True  # token, segment, position and their sum share a colour scale
    note: str = ""  # small, below the name: how many columns, where not all strips have the same


def parts_of(reading: Reading) -> list[Part]:
    """Token, segment, position, their sum, and what becomes of the sum before the first layer."""
    trace, model = reading.trace, reading.request.model
    width, after = trace.embedding_sum.shape[1], trace.embeddings.shape[1]
    note = f"{width:,} columns" if width != after else ""
    parts = [
        Part("token", "+", trace.token_embeddings, note=note),
        _segment_part(reading, note),
        Part("position", "=", trace.position_embeddings, note=note),
        Part("sum", "norm" if has_last(model) else "", trace.embedding_sum, note=note),
    ]
    if has_last(model):
        values = trace.embeddings
        parts.append(Part(last_name(model), "", values, is_addend=False, note=f"{after:,} columns" if note else ""))
    else:
        reason = "There is no LayerNorm here: a pre-norm model has it inside each layer, so the sum goes in as it is."
        parts.append(Part("LayerNorm", "", None, reason, is_addend=False))
    return parts


def _segment_part(reading: Reading, note: str) -> Part:
    segments, reason = reading.trace.segment_embeddings, reading.request.model.missing.get("segments")
    if reason is None:
        return Part("segment", "+", segments, note=note)
    if segments is not None:  # one vector for all tokens: no picture, but part of the sum
        reason += " Its vector, the same for every token, is part of the sum."
    return Part("segment", "" if segments is None else "+", None, reason)


def has_last(model: ModelInfo) -> bool:
    """Whether anything happens to the sum before the first layer."""
    return model.config.norm == "post" or model.config.projects_embeddings


def last_name(model: ModelInfo) -> str:
    """What the sum has gone through, a line for each."""
    steps = ["LayerNorm"] if model.config.norm == "post" else []
    return ",\n".join([*steps, "projection"] if model.config.projects_embeddings else steps)


def lengths_at(reading: Reading, position: int) -> list[tuple[str, float]]:
    """Length (L2) of each addend and of the sum at one token; a segment vector that all tokens share is one of them."""
    trace = reading.trace
    named = {
        "token": trace.token_embeddings,
        "segment": trace.segment_embeddings,
        "position": trace.position_embeddings,
        "sum": trace.embedding_sum,
    }
    return [(name, float(np.linalg.norm(part[position]))) for name, part in named.items() if part is not None]


def color_limit(parts: list[np.ndarray]) -> float:
    """The value at the ends of a scale around zero that all `parts` share."""
    sizes = np.abs(np.concatenate([part.ravel()[:: max(part.size // 20_000, 1)] for part in parts]))
    place = min(int(len(sizes) * WITHIN), len(sizes) - 1)
    return float(np.partition(sizes, place)[place]) or 1.0
