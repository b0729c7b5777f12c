"""The words for a mask beside those of the baseline: probability and rank, before and now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..look.say import say
from .readings import MaskReading, Reading

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess
    from bertcore.tokenizer.tokenizer import Tokenizer


@dataclass(frozen=True)
class WordChange:
    """One of our words, as the baseline has it."""

    baseline_id: int
    probability: float
    rank: int  # 1: the likeliest


@dataclass(frozen=True)
class ComparedMask:
    """What the baseline predicts for the same mask."""

    position: int  # in the baseline's text
    words: list[WordGuess]  # the baseline's, likeliest first
    changes: dict[int, WordChange]  # by our token id; words that its vocabulary lacks are left out


def compared_mask(reading: Reading, mask: MaskReading) -> ComparedMask | str | None:
    """A sentence where there is nothing to compare, None without a baseline."""
    from bertcore.analysis.predict import softmax

    baseline = reading.baseline
    if baseline is None:
        return None
    theirs = baseline_mask(reading, mask)
    logits = baseline.trace.mlm_logits
    if "mlm" not in baseline.request.model.output_heads or logits is None:
        return say("{model} cannot predict words.", model=baseline.request.model.name)
    if theirs is None:
        return say("The other text has no mask here.")
    row = softmax(logits[baseline.masks.index(theirs)])
    vocabularies = reading.request.model.tokenizer, baseline.request.model.tokenizer
    changes = {}
    for word in (*mask.words, *([mask.was] if mask.was else [])):
        baseline_id = same_word(*vocabularies, word.id)
        if baseline_id is not None and baseline_id < len(row):
            probability = float(row[baseline_id])
            changes[word.id] = WordChange(baseline_id, probability, int((row > probability).sum()) + 1)
    return ComparedMask(theirs.position, theirs.words, changes)


def baseline_mask(reading: Reading, mask: MaskReading) -> MaskReading | None:
    """The baseline's mask in the same place; where both texts have as many, the one of the same number."""
    baseline, alignment = reading.baseline, reading.alignment
    if baseline is None or alignment is None:
        return None
    by_position = {each.position: each for each in baseline.masks}
    place = alignment.other_positions[mask.position]
    if place in by_position:
        return by_position[place]
    return baseline.masks[reading.masks.index(mask)] if len(baseline.masks) == len(reading.masks) else None


def same_word(ours: Tokenizer, theirs: Tokenizer, token_id: int) -> int | None:
    """The id of a token in another vocabulary; None where that has it not, or only in pieces."""
    if ours.kind == theirs.kind:
        return theirs.id(ours.word(token_id))
    word = ours.label(token_id)
    if word.startswith("##"):  # a piece inside a word has no name in the other kinds
        return None
    encoding = theirs.encode(word.removeprefix("·"))
    ids = [each for each, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]
    return ids[0] if len(ids) == 1 and ids[0] != theirs.unk_id else None
