"""What the strips of the room Embed show: the parts of the input embedding that this model has, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.state.model_info import ModelInfo
    from app.state.readings import Reading
    from app.state.token_units import Units

# The scale reaches to the value that this share of all values lies within: a few outliers would pale all the rest.
WITHIN = 0.99
ADDENDS = ("token", "segment", "position")
OFF = "Switched off: it adds nothing to the sum."


@dataclass(frozen=True, eq=False)
class Part:
    """One strip, or the sentence that stands in its place."""

    name: str
    mark: str  # what leads on to the next strip: "+", "=", "norm" or ""
    values: np.ndarray | None  # (U, columns)
    reason: str = ""  # where there are no values
    is_addend: bool = True  # token, segment, position and their sum share a colour scale
    note: str = ""  # small, below the name: how many columns, where not all strips have the same

    @property
    def words(self) -> str:
        """The name in one line."""
        return self.name.replace(",\n", " and ")


def parts_of(reading: Reading, units: Units) -> list[Part]:
    """Token, segment, position, their sum, and what becomes of the sum before the first layer."""
    trace, model = reading.trace, reading.request.model
    width, after = trace.embedding_sum.shape[1], trace.embeddings.shape[1]
    note = f"{width:,} columns" if width != after else ""
    marks = {"token": "+", "segment": "+", "position": "="}
    parts = [_addend(reading, units, name, mark, note) for name, mark in marks.items()]
    parts.append(Part("sum", "norm" if has_last(model) else "", units.vectors(trace.embedding_sum), note=note))
    if has_last(model):
        values = units.vectors(trace.embeddings)
        parts.append(Part(last_name(model), "", values, is_addend=False, note=f"{after:,} columns" if note else ""))
    else:
        reason = "There is no LayerNorm here: a pre-norm model has it inside each layer, so the sum goes in as it is."
        parts.append(Part("LayerNorm", "", None, reason, is_addend=False))
    return parts


def _addend(reading: Reading, units: Units, name: str, mark: str, note: str) -> Part:
    values = addends_of(reading)[name]
    if name in reading.request.what_if.dropped:
        return Part(name, mark, None, OFF)
    reason = reading.request.model.missing.get("segments") if name == "segment" else None
    if reason is not None:  # one vector for all tokens: no picture, but part of the sum
        if values is not None:
            reason += " Its vector, the same for every token, is part of the sum."
        return Part(name, "" if values is None else mark, None, reason)
    return Part(name, mark, None if values is None else units.vectors(values), note=note)


def addends_of(reading: Reading) -> dict[str, np.ndarray | None]:
    """What is added up (S,E) each; a segment vector that all tokens share is one of them."""
    trace = reading.trace
    return dict(
        zip(ADDENDS, (trace.token_embeddings, trace.segment_embeddings, trace.position_embeddings), strict=True)
    )


def has_last(model: ModelInfo) -> bool:
    """Whether anything happens to the sum before the first layer."""
    return model.config.norm == "post" or model.config.projects_embeddings


def last_name(model: ModelInfo) -> str:
    """What the sum has gone through, a line for each."""
    steps = ["LayerNorm"] if model.config.norm == "post" else []
    return ",\n".join([*steps, "projection"] if model.config.projects_embeddings else steps)


@dataclass(frozen=True)
class Length:
    """A part of one unit's vector."""

    name: str
    length: float  # L2
    share: float | None  # of the sum, 1 in all; None for the sum itself


def lengths_at(reading: Reading, units: Units, unit: int) -> list[Length]:
    """Of each addend and of the sum. What is switched off is left out."""
    from bertcore.analysis.vectors import part_shares

    dropped = reading.request.what_if.dropped
    members = units.members[unit]
    parts = {
        name: values[members].mean(axis=0, dtype=np.float64)
        for name, values in addends_of(reading).items()
        if values is not None and name not in dropped
    }
    shares = part_shares(parts)
    total = reading.trace.embedding_sum[members].mean(axis=0, dtype=np.float64)
    found = [Length(name, float(np.linalg.norm(part)), float(shares[name])) for name, part in parts.items()]
    return [*found, Length("sum", float(np.linalg.norm(total)), None)]


def color_limit(parts: list[np.ndarray]) -> float:
    """The value at the ends of a scale around zero that all `parts` share."""
    sizes = np.abs(np.concatenate([part.ravel()[:: max(part.size // 20_000, 1)] for part in parts]))
    place = min(int(len(sizes) * WITHIN), len(sizes) - 1)
    return float(np.partition(sizes, place)[place]) or 1.0
