"""The parts of the input embedding that a model has, in their order, and how much each contributes to a token."""

from dataclasses import dataclass

import numpy as np

from ...look.say import mark, say
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...state.token_units import Units

# The scale reaches to the value that this share of all values lies within: a few outliers would pale all the rest.
WITHIN = 0.99
ADDENDS = ("token", "segment", "position")
NAMES = {
    "token": mark("token"),
    "segment": mark("segment"),
    "position": mark("position"),
    "sum": mark("sum"),
}


@dataclass(frozen=True, eq=False)
class EmbeddingPart:
    """One strip, or the sentence that stands in its place."""

    name: str  # as it is shown
    mark: str  # what leads on to the next strip: "+", "=", "norm" or ""
    values: np.ndarray | None  # (U, columns)
    reason: str = ""  # where there are no values
    is_addend: bool = True  # token, segment, position and their sum share a colour scale
    note: str = ""  # small, below the name: how many columns, where not all strips have the same


def part_name(key: str) -> str:
    """key: of ADDENDS, or "sum"."""
    return say(NAMES[key])


def parts_of(reading: Reading, units: Units) -> list[EmbeddingPart]:
    """Token, segment, position, their sum, and what becomes of the sum before the first layer."""
    trace, model = reading.trace, reading.request.model
    width, after = trace.embedding_sum.shape[1], trace.embeddings.shape[1]

    def columns(count: int) -> str:
        return say("%n column(s)", n=count) if width != after else ""

    marks = {"token": "+", "segment": "+", "position": "="}
    parts = [_addend(reading, units, name, mark, columns(width)) for name, mark in marks.items()]
    mark = "norm" if has_last(model) else ""
    parts.append(EmbeddingPart(part_name("sum"), mark, units.vectors(trace.embedding_sum), note=columns(width)))
    if has_last(model):
        values = units.vectors(trace.embeddings)
        parts.append(EmbeddingPart(last_name(model), "", values, is_addend=False, note=columns(after)))
    else:
        reason = say("No LayerNorm here: a pre-norm model has one inside each layer, so the sum goes in unchanged.")
        parts.append(EmbeddingPart("LayerNorm", "", None, reason, is_addend=False))
    return parts


def _addend(reading: Reading, units: Units, name: str, mark: str, note: str) -> EmbeddingPart:
    values = addends_of(reading)[name]
    shown = part_name(name)
    if name in reading.request.what_if.dropped:
        return EmbeddingPart(shown, mark, None, say("Left out: it adds nothing to the sum."))
    reason = reading.request.model.missing.get("segments") if name == "segment" else None
    if reason is not None:  # one vector for all tokens: no picture, but part of the sum
        if values is not None:
            shared = say("Its vector, the same for every token, is part of the sum.")
            reason = f"{reason} {shared}"
        return EmbeddingPart(shown, "" if values is None else mark, None, reason)
    return EmbeddingPart(shown, mark, None if values is None else units.vectors(values), note=note)


def addends_of(reading: Reading) -> dict[str, np.ndarray | None]:
    """The vectors of each token (S,E) that are added up; a segment vector that all tokens share is one of them."""
    trace = reading.trace
    return dict(
        zip(ADDENDS, (trace.token_embeddings, trace.segment_embeddings, trace.position_embeddings), strict=True)
    )


def has_last(model: ModelInfo) -> bool:
    """Whether anything happens to the sum before the first layer."""
    return model.config.norm == "post" or model.config.projects_embeddings


def last_name(model: ModelInfo) -> str:
    """What the sum goes through before the first layer."""
    if not model.config.projects_embeddings:
        return "LayerNorm" if model.config.norm == "post" else ""
    if model.config.norm == "post":
        return say("LayerNorm and projection")
    return say("projection")


@dataclass(frozen=True)
class Length:
    """A part of one unit's vector."""

    key: str  # of ADDENDS, or "sum"
    length: float  # L2
    share: float | None  # of the sum, 1 in all; None for the sum itself


def lengths_at(reading: Reading, units: Units, unit: int) -> list[Length]:
    """Of each addend and of the sum. What is switched off is left out."""
    from bertcore.analysis.vectors import part_fractions

    dropped = reading.request.what_if.dropped
    members = units.members[unit]
    parts = {
        name: values[members].mean(axis=0, dtype=np.float64)
        for name, values in addends_of(reading).items()
        if values is not None and name not in dropped
    }
    shares = part_fractions(parts)
    total = reading.trace.embedding_sum[members].mean(axis=0, dtype=np.float64)
    found = [Length(name, float(np.linalg.norm(part)), float(shares[name])) for name, part in parts.items()]
    return [*found, Length("sum", float(np.linalg.norm(total)), None)]


def color_limit(parts: list[np.ndarray]) -> float:
    """The value at the ends of a scale around zero that all `parts` share."""
    sizes = np.abs(np.concatenate([part.ravel()[:: max(part.size // 20_000, 1)] for part in parts]))
    place = min(int(len(sizes) * WITHIN), len(sizes) - 1)
    return float(np.partition(sizes, place)[place]) or 1.0
