"""Minimal pairs: a good sentence and one that differs in as little as possible and is wrong.

The one with the higher pseudo-log-likelihood is the one that a model prefers: the sum of ln p of each token, all others
seen (Salazar et al. 2020, "Masked Language Model Scoring"; the test is that of BLiMP, Warstadt et al. 2020).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertcore.analysis.words import surprise
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evaluation.estimates import Estimate, share
from bertcore.evaluation.sets import records
from bertcore.locations import assets


@dataclass(frozen=True)
class MinimalPair:
    phenomenon: str
    good: str
    bad: str


@dataclass(frozen=True)
class Preference:
    """How little a model expects each of the two, in bits over all their tokens."""

    pair: MinimalPair
    good_bits: float
    bad_bits: float
    good_tokens: int  # with the special ones
    bad_tokens: int

    @property
    def is_right(self) -> bool:
        return self.good_bits < self.bad_bits


@dataclass(frozen=True)
class MinimalPairs:
    preferences: tuple[Preference, ...]

    @property
    def right(self) -> Estimate:
        return share(np.array([preference.is_right for preference in self.preferences]))

    @property
    def of_different_length(self) -> int:
        """In how many pairs the two differ in tokens: the longer one has more to add up, whatever it says."""
        return sum(preference.good_tokens != preference.bad_tokens for preference in self.preferences)

    def by_phenomenon(self) -> dict[str, Estimate]:
        """In the order of the set."""
        names = dict.fromkeys(preference.pair.phenomenon for preference in self.preferences)
        return {
            name: share(np.array([p.is_right for p in self.preferences if p.pair.phenomenon == name])) for name in names
        }


def minimal_pairs_file() -> Path:
    """The set that ships with BERTscope."""
    return assets() / "evaluation" / "minimal_pairs.jsonl"


def read_minimal_pairs(file: Path) -> list[MinimalPair]:
    """Raises BertcoreError for a file that is no such set."""
    found = []
    for place, record in records(file, {"phenomenon": str, "good": str, "bad": str}):
        if record["good"] == record["bad"]:
            raise BertcoreError(f"{place}: both sentences are the same.")
        found.append(MinimalPair(record["phenomenon"], record["good"], record["bad"]))
    return found


def judge_minimal_pairs(checkpoint: Checkpoint, pairs: Sequence[MinimalPair]) -> MinimalPairs:
    """Raises BertcoreError where the model has no masked-word head or no mask."""
    return MinimalPairs(tuple(_preference(checkpoint, pair) for pair in pairs))


def _preference(checkpoint: Checkpoint, pair: MinimalPair) -> Preference:
    (good_bits, good_tokens), (bad_bits, bad_tokens) = (_measured(checkpoint, text) for text in (pair.good, pair.bad))
    return Preference(pair, good_bits, bad_bits, good_tokens, bad_tokens)


def _measured(checkpoint: Checkpoint, text: str) -> tuple[float, int]:
    """Bits and tokens."""
    tokenizer = checkpoint.tokenizer
    if tokenizer.mask_id is None:
        raise BertcoreError("This vocabulary has no mask, so no sentence can be scored by masking its words.")
    encoding = tokenizer.encode(text, max_length=checkpoint.config.max_length)
    return float(surprise(checkpoint.model, encoding, tokenizer.mask_id).bits.sum()), len(encoding)
