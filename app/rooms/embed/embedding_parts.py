"""The parts of the input embedding that a model has, in their order, how much each contributes to a token, and the same
beside the baseline."""

from dataclasses import dataclass

import numpy as np

from bertcore.analysis.vectors import Pca, part_fractions, pca

from ...compute.question import ReportOrCancel
from ...look import mark, say
from ...state import ModelInfo, Reading, TokenView, Units
from ...state.baseline_names import baseline_name, reason_in_words

MANY_TOKENS = 128  # from here on a map takes too long to be drawn anew at each key
ADDENDS = ("token", "segment", "position")
NAMES = {"token": mark("token"), "segment": mark("segment"), "position": mark("position"), "sum": mark("sum")}


@dataclass(frozen=True, eq=False)
class EmbeddingPart:
    """One strip, or the sentence that stands in its place."""

    name: str  # as it is shown
    mark: str = ""  # what leads on to the next strip: "+", "=", "↓" or ""
    values: np.ndarray | None = None  # (U, columns)
    reason: str = ""  # where there are no values
    is_addend: bool = True  # token, segment, position and their sum share a colour scale
    note: str = ""  # small, below the name: how many columns, where not all strips have the same


def parts_of(reading: Reading, units: Units) -> list[EmbeddingPart]:
    """Token, segment, position, their sum, and what becomes of the sum before the first layer."""
    trace, model, last = reading.trace, reading.request.model, last_name(reading.request.model)
    width, after = trace.embedding_sum.shape[1], trace.embeddings.shape[1]
    columns, columns_after = (say("%n column(s)", n=n) if width != after else "" for n in (width, after))
    parts = []
    for (key, values), sign in zip(addends_of(reading).items(), ("+", "+", "="), strict=True):
        name, reason = say(NAMES[key]), model.missing.get("segments") if key == "segment" else None
        if key in reading.request.what_if.dropped:
            part = EmbeddingPart(name, sign, None, say("Left out: it adds nothing to the sum."))
        elif reason is None:
            part = EmbeddingPart(name, sign, None if values is None else units.vectors(values), note=columns)
        elif values is None:
            part = EmbeddingPart(name, reason=reason)
        else:  # one vector for all tokens: no picture, but part of the sum
            is_in = say("Its vector, the same for every token, is part of the sum.")
            part = EmbeddingPart(name, sign, None, f"{reason} {is_in}")
        parts.append(part)
    parts.append(
        EmbeddingPart(say(NAMES["sum"]), "↓" if last else "", units.vectors(trace.embedding_sum), note=columns)
    )
    values = units.vectors(trace.embeddings) if last else None
    reason = say("No LayerNorm here: a pre-norm model has one inside each layer, so the sum goes in unchanged.")
    return [*parts, EmbeddingPart(last or "LayerNorm", "", values, reason, False, columns_after if last else "")]


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

    length: float  # L2
    share: float | None = None  # of the sum, 1 in all; None of the sum itself and what becomes of it


def lengths_at(reading: Reading, units: Units, unit: int) -> dict[str, Length]:
    """Of each addend, of "sum", and "after" what becomes of it. What is switched off is left out."""
    dropped, trace = reading.request.what_if.dropped, reading.trace

    def mean(values: np.ndarray) -> np.ndarray:
        found: np.ndarray = values[units.members[unit]].mean(axis=0, dtype=np.float64)
        return found

    added = addends_of(reading).items()
    parts = {key: mean(values) for key, values in added if values is not None and key not in dropped}
    shares, whole = part_fractions(parts), {"sum": mean(trace.embedding_sum), "after": mean(trace.embeddings)}
    of_sum = {key: float(share) for key, share in shares.items()}
    return {key: Length(float(np.linalg.norm(part)), of_sum.get(key)) for key, part in (parts | whole).items()}


def vectors_of(reading: Reading, shown: str) -> np.ndarray:
    """(S,E) of each token: the "sum", or its token vector."""
    return reading.trace.embedding_sum if shown == "sum" else reading.trace.token_embeddings


def map_of_text(
    reading: Reading, baseline: Reading | None, view: TokenView, shown: str, _progress: ReportOrCancel
) -> Pca:
    """A plane for the units of a reading, then those of the baseline."""
    readings = [reading] if baseline is None else [reading, baseline]
    return pca(np.concatenate([one.units(view).vectors(vectors_of(one, shown)) for one in readings]))  # (U,E)


# Beside the baseline.


def baseline_of(reading: Reading) -> Reading | None:
    """The baseline, unless that is the model unchanged and what is changed comes after the embeddings."""
    what_if, swap = reading.request.what_if, reading.request.what_if.swap
    is_at_embeddings = swap is not None and swap.part == "state" and not swap.row
    has_same_input = not (what_if.dropped or what_if.segments or what_if.positions or is_at_embeddings)
    return None if reading.baseline is reading.unchanged and has_same_input else reading.baseline


def baseline_unit(reading: Reading, units: Units, unit: int) -> tuple[Reading, Units, int] | None:
    """What a token is compared with, in the same token view; None where it has no counterpart, or there is none."""
    baseline, place = baseline_of(reading), reading.places_in_baseline(units.view)[unit]
    return None if baseline is None or place is None else (baseline, baseline.units(units.view), place)


def sum_difference(reading: Reading, units: Units) -> EmbeddingPart | None:
    """Our sum minus the baseline's (U,E), NaN where a token has no counterpart; or why there is none.

    None where nothing is compared.
    """
    baseline, alignment, name = baseline_of(reading), reading.alignment, say("difference")
    if baseline is None or alignment is None:
        return None
    if alignment.reason is not None:
        return EmbeddingPart(name, reason=reason_in_words(alignment.reason))
    ours = units.vectors(reading.trace.embedding_sum)
    minus = baseline.units(units.view).vectors(baseline.trace.embedding_sum)
    if ours.shape[1] != minus.shape[1]:
        reason = say(
            "A vector has {ours} numbers here and {theirs} with {baseline}, so they cannot be subtracted.",
            ours=ours.shape[1],
            theirs=minus.shape[1],
            baseline=baseline_name(reading),
        )
        return EmbeddingPart(name, reason=reason)
    values = np.full_like(ours, np.nan)
    for unit, place in enumerate(reading.places_in_baseline(units.view)):
        if place is not None:
            values[unit] = ours[unit] - minus[place]
    return EmbeddingPart(name, values=values)
