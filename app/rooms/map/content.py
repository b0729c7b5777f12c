"""What the map shows and where each part leads, as plain data, without places or painting."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bertcore.analysis.compare import state_similarity
from bertcore.errors import BertcoreError

from ...compute.feed_forward import FeedForwardActivity
from ...look import mark, say
from ...state.baseline_names import baseline_name, reason_in_words
from ...state.readings import Reading
from ...state.verdicts import Verdict
from ...widgets.charts.raster import HeadSheet
from .plan import MapPart

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess


EMBEDDINGS = ("token", "segment", "position", "sum")
LEAST_DISTANCE = 0.05  # that the colours of the lines reach to: rounding errors stay grey


@dataclass(frozen=True)
class Caption:
    """Words at a place of the picture."""

    title: str = ""
    text: str = ""
    link: str = ""  # the room that it leads to


@dataclass(frozen=True, eq=False)
class Distances:
    """How far the line of each token is from the one it is compared with, after each layer. S tokens, L layers."""

    baseline: str  # its name
    values: np.ndarray | None = None  # (S,L+1) 1 - cosine, NaN for a token without a counterpart
    limit: float = LEAST_DISTANCE  # the distance of the strongest colour
    problem: str = ""  # why there are none

    def share(self, position: int, stage: int) -> float | None:
        """The place of a line on the scale 0..1; None where nothing is compared."""
        value = np.nan if self.values is None else float(self.values[position, stage])
        return None if np.isnan(value) else value / self.limit


def distances_of(reading: Reading) -> Distances | None:
    """None without a baseline."""
    baseline, alignment = reading.baseline, reading.alignment
    if baseline is None or alignment is None:
        return None
    name, ours = baseline_name(reading), reading.trace.hidden_states
    if alignment.reason is not None:
        return Distances(name, problem=reason_in_words(alignment.reason))
    try:
        cosines = state_similarity(ours, baseline.trace.hidden_states, alignment)  # (L+1,P)
    except BertcoreError:
        problem = say(
            "The two models have different layers or sizes, so the distance between their lines cannot be measured."
        )
        return Distances(name, problem=problem)
    values = np.full((ours.shape[1], len(ours)), np.nan)
    values[[mine for mine, _ in alignment.pairs]] = 1 - cosines.T
    return Distances(name, values, float(np.nanmax(values, initial=LEAST_DISTANCE)))


@dataclass(frozen=True, eq=False)
class Answer:
    """What the followed line says: after each layer, and in the end; or what the head for a task says of the text."""

    position: int
    color: str = "accent"  # of the line, a name in the theme
    title: str = ""
    guesses: Sequence[WordGuess] = ()  # the likeliest after each stage (L+1); none while they are not known
    words: Sequence[tuple[str, float]] = ()  # in the end, likeliest first
    baseline_guesses: Sequence[WordGuess] = ()  # after each of its stages
    baseline_shares: Sequence[float | None] = ()  # its probability of each of `words`
    is_earlier: bool = False  # the baseline: see `baseline_names.is_earlier`
    reason: str = ""  # why there are no words
    task: str = ""  # its kind, or "other"; "": the head is that for masked words
    ends: Mapping[int, str] = field(default_factory=dict)  # by position, what the head says of single tokens

    @property
    def place(self) -> int:
        """The position beside whose line it stands: what is said of single tokens has its heading above the first."""
        return 0 if any(self.ends.values()) else self.position

    def baseline_guess(self, stage: int) -> WordGuess | None:
        """That after a stage, where it is another one; with other layers only the last is compared."""
        last, guesses = len(self.guesses) - 1, self.baseline_guesses
        if not guesses or (len(guesses) != len(self.guesses) and stage != last):
            return None
        guess = guesses[-1 if stage == last else stage]
        return None if guess.token == self.guesses[stage].token else guess


@dataclass
class Content:
    """All that is painted for one reading."""

    reading: Reading
    sheet: HeadSheet
    words: dict[tuple[int, ...], str]  # as they were typed, by the positions of their tokens
    title: Caption
    captions: Mapping[str, Caption]  # by the name of the section
    pair: Caption  # the question about A and B; why it has no answer
    verdict: Verdict | None
    distances: Distances | None  # where the lines show how far they are from the baseline's
    activity: FeedForwardActivity | None = None
    activity_rows: Sequence[int] = ()  # the positions it is of


def embedding(reading: Reading, name: str) -> np.ndarray | None:
    """(S,E) of one of EMBEDDINGS; None where the model has none."""
    found: np.ndarray | None = getattr(reading.trace, "embedding_sum" if name == "sum" else f"{name}_embeddings")
    return found


SECTIONS = {  # name -> title, the room's name, room and view that it leads to
    "cut": (mark("Cut"), mark("Vocabulary"), ("embed", "vocabularies")),
    "add": (mark("Add"), mark("Embed"), ("embed", "parts")),
    "look": (mark("Look around"), mark("Attend"), ("attend", "matrix")),
    "think": (mark("Think it over"), mark("Layers"), ("layers", "neurons")),
    "answer": (mark("Answer"), mark("Predict"), ("predict", "words")),
}
LINKS = {  # kind of a part -> room and view; of a section: see above
    "word": ("embed", "vocabularies"),
    "token": ("embed", "parts"),
    "embedding": ("embed", "parts"),
    "head": ("attend", "matrix"),
    "attention_sum": ("layers", "added"),
    "feed_forward": ("layers", "neurons"),
    "feed_forward_sum": ("layers", "added"),
    "layer": ("layers", "steps"),
    "state": ("layers", "hidden"),
    "answer": ("predict", "words"),
    "verdict": ("predict", "words"),
}


def link_of(part: MapPart, masked: Collection[int]) -> tuple[str, str]:
    """The room and view that a part leads to. masked: positions; what a layer makes of a mask is shown in Predict."""
    if part.kind == "section":
        return SECTIONS[part.name][2]
    is_of_mask = part.kind == "state" and part.position in masked
    return ("predict", "lens") if is_of_mask else LINKS[part.kind]
