"""What comes back from the model: plain NumPy results, frozen, handed from the worker to the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from bertcore.analysis.half_precision import HalfPrecision

from ..look import say
from .baseline import Baseline
from .model_info import ModelInfo
from .token_units import TokenView, Units
from .what_if import NOTHING_CHANGED, WhatIf

if TYPE_CHECKING:
    import numpy as np

    from bertcore.analysis.align import Alignment
    from bertcore.analysis.predict import NextSentence, SentenceOrder, WordGuess, WordRank
    from bertcore.analysis.trace import Trace
    from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

WORDS_PER_MASK = 10


@dataclass(frozen=True)
class ModelInput:
    """What the model reads of one text (S), for the analyses."""

    input_ids: tuple[int, ...]
    segments: tuple[int, ...]
    positions: tuple[int, ...] | None = None  # None: each token's own


@dataclass(frozen=True, eq=False)
class ReadingRequest:
    """What the model is to read; frozen, so that typing on changes nothing under way."""

    model: ModelInfo  # the model whose vocabulary these ids are of
    encoding: Encoding
    input_ids: tuple[int, ...]  # (S), masks put in
    masked: tuple[int, ...]  # positions to predict
    by_hand: frozenset[int]  # those of them whose own word is in the text
    what_if: WhatIf = NOTHING_CHANGED  # what is changed inside
    baseline: Baseline | None = None  # what a person has chosen to compare it with

    @property
    def segments(self) -> list[int]:
        """Segments as the model reads them (S): all 0 where it does not tell A from B by them."""
        if not self.model.has_segments:
            return [0] * len(self.encoding)
        return self.what_if.segments_for(self.encoding.segments)

    @property
    def positions(self) -> list[int] | None:
        """Positions as the model reads them (S); None: each token's own."""
        return self.what_if.positions_for(len(self.encoding))

    @property
    def model_input(self) -> ModelInput:
        positions = self.positions
        return ModelInput(self.input_ids, tuple(self.segments), None if positions is None else tuple(positions))


@dataclass(frozen=True, eq=False)
class MaskReading:
    """The model's words for one masked position."""

    position: int
    words: list[WordGuess]  # most likely first
    was: WordGuess | None  # the word that stands in the text; None where the mask itself was typed
    rank: WordRank | None  # where that word stands among the model's guesses


@dataclass(frozen=True, eq=False)
class Reading:
    """One forward pass and what was read off it."""

    request: ReadingRequest
    trace: Trace
    thumbnails: np.ndarray  # (L,N,T,T), T <= 64: every head, made smaller by the highest value of each block
    masks: list[MaskReading]
    next_sentence: NextSentence | None  # None: no second sentence, or no head for it
    sentence_order: SentenceOrder | None  # the same
    replaced: np.ndarray | None  # (S) probability that each token was replaced; None: no head for it
    forward_ms: float
    task_logits: Mapping[str, np.ndarray] = field(default_factory=dict)  # of heads for a task (`passes.task_logits`)
    unchanged: Reading | None = None  # the same text with nothing changed inside; None where nothing is changed
    baseline: Reading | None = None  # what it is compared with: what a person has chosen, else `unchanged`
    baseline_problem: str = ""  # why what was chosen could not be read: a sentence
    other_text: Reading | None = None  # that was chosen as baseline, or that something is swapped in from

    @property
    def plain(self) -> Reading:
        """The reading of the same text in the model as it is, nothing changed inside."""
        return self.unchanged or self

    @property
    def is_in_half_precision(self) -> bool:
        """Of a baseline whose arrays would take too much memory (`compute/reader.py`)."""
        return isinstance(self.trace.attentions, HalfPrecision)

    @cached_property
    def alignment(self) -> Alignment | None:
        """Which of the baseline's tokens each token is compared with; None without a baseline."""
        from bertcore.analysis.align import align

        return None if self.baseline is None else align(self.encoding, self.baseline.encoding)

    def units(self, view: TokenView) -> Units:
        """What rows and columns stand for in this view; the same object each time."""
        if view not in self._units:
            self._units[view] = Units(self.encoding, self.shown_tokens, self.request.masked, view)
        return self._units[view]

    def places_in_baseline(self, view: TokenView) -> list[int | None]:
        """(U) the baseline's unit that each of ours is compared with, by its first token that has a counterpart."""
        units, alignment = self.units(view), self.alignment
        if self.baseline is None or alignment is None:
            return [None] * len(units)
        theirs, other = self.baseline.units(view), alignment.other_positions
        first = (next((other[at] for at in members if other[at] is not None), None) for members in units.members)
        return [None if position is None else theirs.unit_of(position) for position in first]

    @cached_property
    def _units(self) -> dict[TokenView, Units]:
        return {}

    @property
    def encoding(self) -> Encoding:
        return self.request.encoding

    @property
    def shown_tokens(self) -> list[str]:
        """Tokens as a person should see them (S), the model's mask where one was put in."""
        masked, mask = self.request.by_hand, self.request.model.tokenizer.mask_token or ""
        return [mask if i in masked else token for i, token in enumerate(self.encoding.labels)]

    def mask_name(self, position: int) -> str:
        """A mask and its place, as every room names it: "[MASK] (7)"."""
        return f"{self.request.model.tokenizer.mask_token or ''} ({position})"

    @property
    def special_names(self) -> list[str]:
        """What the model calls the special tokens around this text, each once: [CLS], [SEP] or <s>, </s>."""
        parts = zip(self.encoding.labels, self.encoding.parts, strict=True)
        return list(dict.fromkeys(token for token, part in parts if part == "special"))


def masked_positions(encoding: Encoding, tokenizer: Tokenizer, by_hand: frozenset[int]) -> tuple[int, ...]:
    """Positions the model reads as masks: masked by hand, or typed."""
    typed = {i for i, token_id in enumerate(encoding.ids) if token_id == tokenizer.mask_id}
    return tuple(sorted(typed | by_hand))


def masked_ids(encoding: Encoding, tokenizer: Tokenizer, by_hand: frozenset[int]) -> list[int]:
    """Token ids as the model reads them (S), masks put in."""
    mask_id = tokenizer.mask_id
    if mask_id is None or not by_hand:
        return list(encoding.ids)
    return [mask_id if i in by_hand else token for i, token in enumerate(encoding.ids)]


def request_for(
    model: ModelInfo,
    encoding: Encoding,
    by_hand: frozenset[int],
    what_if: WhatIf = NOTHING_CHANGED,
    baseline: Baseline | None = None,
) -> ReadingRequest:
    """by_hand: positions that are masked."""
    ids = tuple(masked_ids(encoding, model.tokenizer, by_hand))
    masked = masked_positions(encoding, model.tokenizer, by_hand)
    return ReadingRequest(model, encoding, ids, masked, by_hand, what_if, baseline)


def mask_readings(traced: Trace, request: ReadingRequest) -> list[MaskReading]:
    """The words for each masked position, as far as the model predicts words."""
    from bertcore.analysis.predict import WordGuess, top_words, word_rank

    if traced.mlm_logits is None or traced.mlm_positions is None:
        return []
    tokenizer, readings = request.model.tokenizer, []
    for position, row in zip(traced.mlm_positions, traced.mlm_logits, strict=True):
        words = [replace(guess, token=tokenizer.label(guess.id)) for guess in top_words(row, tokenizer, WORDS_PER_MASK)]
        was = rank = None
        if int(position) in request.by_hand:
            token_id = request.encoding.ids[position]
            rank = word_rank(row, token_id)
            was = WordGuess(request.encoding.labels[position], token_id, rank.probability)
        readings.append(MaskReading(int(position), words, was, rank))
    return readings


def word_to_mask(reading: Reading, selected: int) -> int | None:
    """The selected token, or the first word where that is a special token; None where there is no word."""
    parts = reading.encoding.parts
    words = [i for i, part in enumerate(parts) if part != "special"]
    return selected if selected in words else next(iter(words), None)


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
    from bertcore.tokenizer.tokenizer import same_word

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
