"""The parts of the input embedding that a model has, in their order, how much each contributes to a token, and the same
beside the baseline."""

from dataclasses import dataclass

import numpy as np

from ...look.say import mark, say
from ...state.baseline_names import baseline_name, reason_in_words
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...state.token_units import Units

# The scale reaches to the value that this share of all values lies within: a few outliers would pale all the rest.
WITHIN = 0.99
ADDENDS = ("token", "segment", "position")
NAMES = {"token": mark("token"), "segment": mark("segment"), "position": mark("position"), "sum": mark("sum")}


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
    columns, columns_after = (say("%n column(s)", n=n) if width != after else "" for n in (width, after))
    parts = [_addend(reading, units, name, mark, columns) for name, mark in zip(ADDENDS, ("+", "+", "="), strict=True)]
    mark = "norm" if last_name(model) else ""
    parts.append(EmbeddingPart(part_name("sum"), mark, units.vectors(trace.embedding_sum), note=columns))
    if name := last_name(model):
        values = units.vectors(trace.embeddings)
        return [*parts, EmbeddingPart(name, "", values, is_addend=False, note=columns_after)]
    reason = say("No LayerNorm here: a pre-norm model has one inside each layer, so the sum goes in unchanged.")
    return [*parts, EmbeddingPart("LayerNorm", "", None, reason, is_addend=False)]


def _addend(reading: Reading, units: Units, name: str, mark: str, note: str) -> EmbeddingPart:
    values, shown = addends_of(reading)[name], part_name(name)
    if name in reading.request.what_if.dropped:
        return EmbeddingPart(shown, mark, None, say("Left out: it adds nothing to the sum."))
    reason = reading.request.model.missing.get("segments") if name == "segment" else None
    if reason is not None and values is not None:  # one vector for all tokens: no picture, but part of the sum
        reason = f"{reason} {say('Its vector, the same for every token, is part of the sum.')}"
    if reason is not None:
        return EmbeddingPart(shown, "" if values is None else mark, None, reason)
    return EmbeddingPart(shown, mark, None if values is None else units.vectors(values), note=note)


def addends_of(reading: Reading) -> dict[str, np.ndarray | None]:
    """The vectors of each token (S,E) that are added up; a segment vector that all tokens share is one of them."""
    trace = reading.trace
    parts = trace.token_embeddings, trace.segment_embeddings, trace.position_embeddings
    return dict(zip(ADDENDS, parts, strict=True))


def last_name(model: ModelInfo) -> str:
    """What the sum goes through before the first layer; empty where that is nothing."""
    is_post = model.config.norm == "post"
    if not model.config.projects_embeddings:
        return "LayerNorm" if is_post else ""
    return say("LayerNorm and projection") if is_post else say("projection")


@dataclass(frozen=True)
class Length:
    """A part of one unit's vector."""

    key: str  # of ADDENDS, or "sum"
    length: float  # L2
    share: float | None  # of the sum, 1 in all; None for the sum itself


def lengths_at(reading: Reading, units: Units, unit: int) -> list[Length]:
    """Of each addend and of the sum. What is switched off is left out."""
    from bertcore.analysis.vectors import part_fractions

    dropped, members = reading.request.what_if.dropped, units.members[unit]
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
    """The value at the ends of a scale around zero that all `parts` share; 1 of none."""
    if not parts:
        return 1.0
    sizes = np.abs(np.concatenate([part.ravel()[:: max(part.size // 20_000, 1)] for part in parts]))
    place = min(int(len(sizes) * WITHIN), len(sizes) - 1)
    return float(np.partition(sizes, place)[place]) or 1.0


# Beside the baseline.


@dataclass(frozen=True, eq=False)
class BaselineToken:
    """What a token is compared with."""

    label: str
    lengths: list[Length]
    length_after: float  # L2, of what goes into the first layer


def compared_reading(reading: Reading) -> Reading | None:
    """The baseline, unless that is the model unchanged and what is changed comes after the embeddings."""
    what_if, swap = reading.request.what_if, reading.request.what_if.swap
    is_at_embeddings = swap is not None and swap.part == "state" and not swap.row
    has_same_input = not (what_if.dropped or what_if.segments or what_if.positions or is_at_embeddings)
    return None if reading.baseline is reading.unchanged and has_same_input else reading.baseline


def baseline_token(reading: Reading, units: Units, unit: int) -> BaselineToken | None:
    """The baseline's, in the same token view; None where it has no counterpart, or nothing is compared."""
    baseline, place = compared_reading(reading), reading.places_in_baseline(units.view)[unit]
    if baseline is None or place is None:
        return None
    theirs = baseline.units(units.view)
    after = baseline.trace.embeddings[theirs.members[place]].mean(axis=0, dtype=np.float64)
    return BaselineToken(theirs.labels[place], lengths_at(baseline, theirs, place), float(np.linalg.norm(after)))


def sum_difference(reading: Reading, units: Units) -> EmbeddingPart | None:
    """Our sum minus the baseline's (U,E), NaN where a token has no counterpart; or why there is none.

    None where nothing is compared.
    """
    baseline, alignment, name = compared_reading(reading), reading.alignment, say("difference")
    if baseline is None or alignment is None:
        return None
    if alignment.reason is not None:
        return EmbeddingPart(name, "", None, reason_in_words(alignment.reason))
    ours = units.vectors(reading.trace.embedding_sum)
    theirs = baseline.units(units.view).vectors(baseline.trace.embedding_sum)
    if ours.shape[1] != theirs.shape[1]:
        reason = say("A vector has {ours} numbers here and {theirs} with {baseline}, so they cannot be subtracted.")
        widths = {"ours": ours.shape[1], "theirs": theirs.shape[1]}
        return EmbeddingPart(name, "", None, reason.format(**widths, baseline=baseline_name(reading)))
    values = np.full_like(ours, np.nan)
    for unit, place in enumerate(reading.places_in_baseline(units.view)):
        if place is not None:
            values[unit] = ours[unit] - theirs[place]
    return EmbeddingPart(name, "", values)
