"""The input embedding of a reading beside that of its baseline: one token's lengths, and the difference of the sums."""

from dataclasses import dataclass

import numpy as np

from ...look.say import say
from ...state.baseline_names import baseline_name, reason_in_words
from ...state.readings import Reading
from ...state.token_units import Units
from ...state.what_if import Swap
from .embedding_parts import EmbeddingPart, Length, lengths_at


@dataclass(frozen=True, eq=False)
class BaselineToken:
    """What a token is compared with."""

    label: str
    lengths: list[Length]
    length_after: float  # L2, of what goes into the first layer


def compared_reading(reading: Reading) -> Reading | None:
    """The baseline, unless that is the model unchanged and what is changed comes after the embeddings."""
    what_if, baseline = reading.request.what_if, reading.baseline
    has_same_input = not (what_if.dropped or what_if.segments or what_if.positions or _is_at_embeddings(what_if.swap))
    return None if baseline is reading.unchanged and has_same_input else baseline


def _is_at_embeddings(swap: Swap | None) -> bool:
    return swap is not None and swap.part == "state" and not swap.row


def baseline_token(reading: Reading, units: Units, unit: int) -> BaselineToken | None:
    """The baseline's, in the same token view; None where it has no counterpart, or nothing is compared."""
    baseline = compared_reading(reading)
    place = reading.places_in_baseline(units.view)[unit]
    if baseline is None or place is None:
        return None
    theirs = baseline.units(units.view)
    after = baseline.trace.embeddings[theirs.members[place]].mean(axis=0, dtype=np.float64)
    return BaselineToken(theirs.labels[place], lengths_at(baseline, theirs, place), float(np.linalg.norm(after)))


def sum_difference(reading: Reading, units: Units) -> EmbeddingPart | None:
    """Our sum minus the baseline's (U,E), NaN where a token has no counterpart; or why there is none.

    None where nothing is compared.
    """
    baseline, alignment = compared_reading(reading), reading.alignment
    if baseline is None or alignment is None:
        return None
    name = say("difference")
    ours = units.vectors(reading.trace.embedding_sum)
    theirs = baseline.units(units.view).vectors(baseline.trace.embedding_sum)
    if alignment.reason is not None:
        return EmbeddingPart(name, "", None, reason_in_words(alignment.reason))
    if ours.shape[1] != theirs.shape[1]:
        sentence = say("A vector has {ours} numbers here and {theirs} with {baseline}, so they cannot be subtracted.")
        named = {"ours": ours.shape[1], "theirs": theirs.shape[1], "baseline": baseline_name(reading)}
        return EmbeddingPart(name, "", None, sentence.format(**named))
    values = np.full_like(ours, np.nan)
    for unit, place in enumerate(reading.places_in_baseline(units.view)):
        if place is not None:
            values[unit] = ours[unit] - theirs[place]
    return EmbeddingPart(name, "", values)
