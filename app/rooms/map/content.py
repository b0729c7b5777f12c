"""What the map shows, as plain data: words, values and answers, without places or painting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...state.token_units import KINDS

if TYPE_CHECKING:
    import numpy as np

    from bertcore.analysis.predict import WordGuess

    from ...compute.feed_forward import FeedForwardActivity
    from ...state.readings import Reading
    from ...state.verdicts import Verdict
    from ...widgets.head_sheet import HeadSheet
    from .compared import ComparedLines

EMBEDDINGS = ("token", "segment", "position", "sum")


@dataclass(frozen=True)
class Caption:
    """Words at a place of the picture."""

    title: str
    text: str
    link: str = ""  # the room that it leads to


@dataclass(frozen=True)
class Word:
    """As it was typed, and the tokens it is made of."""

    text: str
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """What the followed line says: after each layer, and in the end."""

    position: int
    color: str = "accent"  # of the line, a name in the theme
    title: str = ""
    guesses: Sequence[WordGuess] = ()  # the likeliest after each stage (L+1); none while they are not known
    words: Sequence[tuple[str, float]] = ()  # in the end, likeliest first
    guesses_before: Sequence[WordGuess] = ()  # of the baseline, after each of its stages
    words_before: Sequence[float | None] = ()  # the baseline's probability of each of `words`
    is_earlier: bool = False  # the baseline: see `baseline_names.is_earlier`
    reason: str = ""  # why there are no words

    def guess_before(self, stage: int) -> WordGuess | None:
        """The baseline's after a stage, where it is another one; with other layers only the last is compared."""
        last = len(self.guesses) - 1
        if not self.guesses_before or (len(self.guesses_before) != len(self.guesses) and stage != last):
            return None
        before = self.guesses_before[-1 if stage == last else stage]
        return None if before.token == self.guesses[stage].token else before


@dataclass
class Content:
    """All that is painted for one reading."""

    reading: Reading
    sheet: HeadSheet
    words: dict[int, Word]  # by the position of each of its tokens
    kinds: list[str]  # (S) names of colours
    title: Caption = field(default_factory=lambda: Caption("", ""))
    captions: Mapping[str, Caption] = field(default_factory=dict)  # by the name of the section
    pair: Caption = field(default_factory=lambda: Caption("", ""))  # the question about A and B; why it has no answer
    verdict: Verdict | None = None
    compared: ComparedLines | None = None  # where the lines show how far they are from the baseline's
    activity: FeedForwardActivity | None = None
    activity_rows: list[int] = field(default_factory=list)  # the positions it is of


def kinds_of(reading: Reading) -> list[str]:
    """The colour of each token, by its name in the theme (S)."""
    masked = set(reading.request.masked)
    return ["mask" if i in masked else KINDS[part] for i, part in enumerate(reading.encoding.parts)]


def embedding(reading: Reading, name: str) -> np.ndarray | None:
    """(S,E) of "token", "segment", "position" or "sum"; None where the model has none."""
    trace = reading.trace
    vectors = {
        "token": trace.token_embeddings,
        "segment": trace.segment_embeddings,
        "position": trace.position_embeddings,
        "sum": trace.embedding_sum,
    }
    return vectors[name]
