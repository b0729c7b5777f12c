"""Any step's batch of a run as the model read it, and what a snapshot makes of it.

Importable without torch: the window names what it wants, and the worker computes it. B sequences of S tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bertcore.progress import ReportProgress
from bertcore.runs.snapshots import snapshot_before

if TYPE_CHECKING:
    from bertcore.tasks.kinds.base import TokenAnswer, UnitAnswer
    from bertcore.training.drawn_batches import DrawnBatch
    from bertcore.training.drawn_examples import BatchAnswers

LEFT_ALONE, HIDDEN, REPLACED, KEPT, NEXT_WORD = range(5)  # fates, as in bertcore.training.drawn_batches
ASKED, RIGHT, WRONG = range(5, 8)  # of a token off which a task's answer is read; ASKED: a number, more or less right
RECENT = 20  # batches, over which shares come nearer to what was ordered
_NOTHING = partial(np.zeros, 0)
_OF_TEXT = ("losses", "word_loss", "accuracy", "ranks", "guesses", "probabilities", "second")


@dataclass(frozen=True, eq=False)
class TokenLosses:
    """What a snapshot makes of a batch; see bertcore.training.evaluate.BatchLosses."""

    snapshot: int  # the step of the weights
    losses: np.ndarray  # (B,S) nats, NaN where nothing is predicted
    word_loss: float  # of a task its own
    accuracy: float  # share that is right; NaN where answers are numbers
    ranks: np.ndarray = field(default_factory=_NOTHING)  # (B,S); this and what follows of plain text alone
    guesses: np.ndarray = field(default_factory=_NOTHING)  # (B,S,K) ids
    probabilities: np.ndarray = field(default_factory=_NOTHING)  # (B,S,K)
    second: np.ndarray = field(default_factory=_NOTHING)  # (B) probability of pair label 1; NaN: not asked


@dataclass(frozen=True)
class LabelShare:
    """A right answer, as in bertcore.training.drawn_examples.label_counts: in this batch, and among all examples."""

    name: str
    count: int
    share: float
    share_of_all: float


@dataclass(frozen=True, eq=False)
class ShownExamples:
    """What a batch of examples has besides its tokens. `units`: what a snapshot says of each example, window or
    question, see bertcore.tasks.kinds.base.UnitAnswer; none where there is no snapshot."""

    kind: str  # of the task
    epoch: int  # from 1
    of: int  # examples to learn from
    examples: np.ndarray  # (B) from 0
    cut: np.ndarray  # (B) tokens
    labels: tuple[LabelShare, ...]
    units: tuple[UnitAnswer, ...] = ()

    def unit(self, row: int) -> UnitAnswer | None:
        """The one that a sequence belongs to."""
        return next((unit for unit in self.units if row in unit.rows), None)

    def places(self, row: int, position: int) -> list[TokenAnswer]:
        """The answers that are read off a token: two where an answer both begins and ends there."""
        unit = self.unit(row)
        found = () if unit is None else unit.places
        return [place for place in found if (place.row, place.position) == (row, position)]


@dataclass(frozen=True, eq=False)
class ShownBatch:
    """All arrays are (B,S) but `pair_labels` (B). `words` has the label of every id in it."""

    step: int
    causal: bool
    pairs: str  # "nsp", "sop", "none"
    ids: np.ndarray
    labels: np.ndarray  # ids to predict; negative where nothing is
    fates: np.ndarray
    segments: np.ndarray
    documents: np.ndarray  # from 0; negative at special tokens and padding
    is_padding: np.ndarray
    pair_labels: np.ndarray
    words: dict[int, str]
    losses: TokenLosses | None  # None: the run has no snapshot from before
    task: ShownExamples | None = None  # None: plain text

    def length(self, row: int) -> int:
        """Tokens of a sequence, without padding."""
        return int((~self.is_padding[row]).sum())

    def segment(self, row: int, position: int) -> str:
        """What a token's colour says, by its name in the theme: "segment_a", "segment_b" or "special"."""
        if self.documents[row, position] < 0:
            return "special"
        return ("segment_a", "segment_b")[min(int(self.segments[row, position]), 1)]

    @property
    def marks(self) -> tuple[int, ...]:
        """The fates that a legend explains; none where every token is to be predicted."""
        return (RIGHT, WRONG) if self.task is not None else () if self.causal else (HIDDEN, REPLACED, KEPT)


@dataclass(frozen=True)
class Drawn:
    """What was drawn in this batch and in those before it, and the shares that were ordered.

    mask_share: of the tokens, to be predicted. fates: of those, hidden, replaced and left as they are.
    """

    mask_share: float
    fates: tuple[float, float, float]
    here: Counter[str]  # as `drawn_batches.counted`
    recent: Counter[str]


class _Reader:
    """The batches of one run. Everything but the constructor is called on the worker."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._batches: Any = None  # as the engine draws them again
        self._model: tuple[object, Any] = None, None  # what it was made for, and the snapshot's model

    def _model_before(self, step: int, wanted: int | None, *drawn: DrawnBatch) -> tuple[int, Any] | None:
        """The step of the weights, and the model with them: the wanted snapshot, or the newest before this batch where
        none is wanted or that one is gone; None where there is none."""
        run = self._batches.run
        chosen = next((one for one in run.snapshots() if one[0] == wanted), None) or snapshot_before(run, step)
        if chosen is None:
            return None
        key = chosen[0], *(each.ids.shape[1] for each in drawn)
        if self._model[0] != key:
            self._model = key, self._batches.model_at(chosen, *drawn)
        return chosen[0], self._model[1]


class TextBatchReader(_Reader):
    """Of a run that learns from plain text."""

    def __init__(self, run: Path) -> None:
        super().__init__(run)
        self._draws: dict[int, Counter[str]] = {}  # by step

    def read(self, step: int, snapshot: int | None, progress: ReportProgress) -> ShownBatch:
        """snapshot: the step of the weights; None: the newest before this batch. Raises BertcoreError where the batch
        cannot be drawn again."""
        from bertcore.training.evaluate import batch_losses

        self._open(progress)
        drawn = self._batches.at(step, progress)
        found, losses = self._model_before(step, snapshot, drawn), None
        if found is not None:
            of_batch = batch_losses(found[1], drawn.batch, progress)
            losses = TokenLosses(found[0], **{name: getattr(of_batch, name) for name in _OF_TEXT})
        guesses = np.zeros(0, dtype=np.int64) if losses is None else losses.guesses
        used = np.unique(np.concatenate([each.ravel() for each in (drawn.ids, drawn.labels, drawn.originals, guesses)]))
        return ShownBatch(
            step=step,
            causal=drawn.causal,
            pairs=self._batches.options.data.pairs,
            ids=drawn.ids,
            labels=drawn.labels,
            fates=drawn.fates,
            segments=drawn.batch.segment_ids.numpy(),
            documents=drawn.documents,
            is_padding=drawn.is_padding,
            pair_labels=drawn.pair_labels,
            words={number: self._batches.tokenizer.label(number) for number in used.tolist() if number >= 0},
            losses=losses,
        )

    def drawn(self, step: int, progress: ReportProgress) -> Drawn:
        """Over RECENT batches up to this one."""
        from bertcore.training.drawn_batches import counted

        self._open(progress)
        steps = range(max(1, step - RECENT + 1), step + 1)
        recent = Counter[str]()
        for number in steps:
            progress((number - steps[0]) / len(steps))
            if number not in self._draws:
                self._draws[number] = counted(self._batches.at(number))
            recent += self._draws[number]
        options = self._batches.options
        data, share = options.data, options.mask_share_at(step)
        fates = data.mask_fate, data.random_fate, 1.0 - data.mask_fate - data.random_fate
        return Drawn(share, fates, self._draws[step], recent)

    def _open(self, progress: ReportProgress) -> None:
        from bertcore.training.drawn_batches import open_batches

        if self._batches is None:
            self._batches = open_batches(self._run, progress)


class ExampleBatchReader(_Reader):
    """Of a run that learns a task."""

    def read(self, step: int, snapshot: int | None, progress: ReportProgress) -> ShownBatch:
        """As of a `TextBatchReader`."""
        from bertcore.training.drawn_examples import example_answers, label_counts, open_examples

        if self._batches is None:
            self._batches = open_examples(self._run, progress)
            self._counts = label_counts(self._batches.batches.features)  # of the right answers of all examples
        drawn, tokenizer = self._batches.at(step), self._batches.tokenizer
        found, losses = self._model_before(step, snapshot), None
        units: tuple[UnitAnswer, ...] = ()
        if found is not None:
            answers = example_answers(found[1], drawn, tokenizer.label)
            losses, units = _losses(found[0], answers, drawn.features.kind.several_answers), answers.units
        ids, here = drawn.ids, label_counts(drawn.features, drawn.units)
        is_special = np.isin(ids, (tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id))
        of_here, of_all = max(sum(here.values()), 1), max(sum(self._counts.values()), 1)
        return ShownBatch(
            step=step,
            causal=False,
            pairs="none",
            ids=ids,
            labels=np.full(ids.shape, -1),
            fates=_fates(ids.shape, units),
            segments=drawn.segments,
            documents=np.where(is_special, -1, drawn.examples[:, None]),
            is_padding=drawn.is_padding,
            pair_labels=np.full(len(ids), -1),
            words={number: tokenizer.label(number) for number in np.unique(ids).tolist()},
            losses=losses,
            task=ShownExamples(
                kind=drawn.features.kind.name,
                epoch=drawn.epoch + 1,
                of=len(drawn.features.examples),
                examples=drawn.examples,
                cut=drawn.cut,
                labels=tuple(
                    LabelShare(name, here[name], here[name] / of_here, count / of_all)
                    for name, count in self._counts.items()
                ),
                units=units,
            ),
        )


BatchReader = TextBatchReader | ExampleBatchReader


def _fates(shape: tuple[int, ...], units: Sequence[UnitAnswer]) -> np.ndarray:
    fates = np.zeros(shape, dtype=np.int64)
    for place in (place for unit in units for place in unit.places):
        fate = {None: ASKED, True: RIGHT, False: WRONG}[place.is_right]
        fates[place.row, place.position] = max(fate, fates[place.row, place.position])  # wrong if either end is
    return fates


def _losses(snapshot: int, answers: BatchAnswers, has_several: bool) -> TokenLosses:
    places = [place for unit in answers.units for place in unit.places]
    asked: Sequence[UnitAnswer | TokenAnswer] = places if has_several else answers.units
    right = [float("nan") if each.is_right is None else float(each.is_right) for each in asked]
    return TokenLosses(snapshot, answers.losses, answers.loss, float(np.mean(right)) if right else float("nan"))
