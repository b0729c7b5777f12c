"""What the map shows and where each part leads, as plain data, without places or painting."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ...look.say import mark
from .plan import MapPart

if TYPE_CHECKING:
    import numpy as np

    from bertcore.analysis.predict import WordGuess

    from ...compute.feed_forward import FeedForwardActivity
    from ...state.readings import Reading
    from ...state.verdicts import Verdict
    from ...widgets.charts.raster import HeadSheet
    from .compared import ComparedLines

EMBEDDINGS = ("token", "segment", "position", "sum")


@dataclass(frozen=True)
class Caption:
    """Words at a place of the picture."""

    title: str
    text: str
    link: str = ""  # the room that it leads to


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
    words: dict[tuple[int, ...], str]  # as they were typed, by the positions of their tokens
    title: Caption = field(default_factory=lambda: Caption("", ""))
    captions: Mapping[str, Caption] = field(default_factory=dict)  # by the name of the section
    pair: Caption = field(default_factory=lambda: Caption("", ""))  # the question about A and B; why it has no answer
    verdict: Verdict | None = None
    compared: ComparedLines | None = None  # where the lines show how far they are from the baseline's
    activity: FeedForwardActivity | None = None
    activity_rows: list[int] = field(default_factory=list)  # the positions it is of


def embedding(reading: Reading, name: str) -> np.ndarray | None:
    """(S,E) of one of EMBEDDINGS; None where the model has none."""
    found: np.ndarray | None = getattr(reading.trace, "embedding_sum" if name == "sum" else f"{name}_embeddings")
    return found


class Door(NamedTuple):
    """Where a part leads."""

    room: str
    view: str


SECTIONS = {  # name -> title, room's name, where it leads
    "cut": (mark("Cut"), mark("Vocabulary"), Door("embed", "vocabularies")),
    "add": (mark("Add"), mark("Embed"), Door("embed", "parts")),
    "look": (mark("Look around"), mark("Attend"), Door("attend", "matrix")),
    "think": (mark("Think it over"), mark("Layers"), Door("layers", "neurons")),
    "answer": (mark("Answer"), mark("Predict"), Door("predict", "words")),
}
DOORS = {
    "word": Door("embed", "vocabularies"),
    "token": Door("embed", "parts"),
    "embedding": Door("embed", "parts"),
    "head": Door("attend", "matrix"),
    "attention_sum": Door("layers", "added"),
    "feed_forward": Door("layers", "neurons"),
    "feed_forward_sum": Door("layers", "added"),
    "layer": Door("layers", "steps"),
    "state": Door("layers", "hidden"),
    "answer": Door("predict", "words"),
    "verdict": Door("predict", "words"),
}


def door_of(part: MapPart, masked: Collection[int]) -> Door:
    """masked: positions; what a layer makes of a mask is shown in Predict."""
    if part.kind == "section":
        return SECTIONS[part.name][2]
    if part.kind == "state" and part.position in masked:
        return Door("predict", "lens")
    return DOORS[part.kind]
