"""Any step's batch of a run as the model read it, and what a snapshot makes of it.

Importable without torch: the window names what it wants, and the worker computes it. B sequences of S tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertcore.progress import ReportProgress
from bertcore.runs.snapshots import snapshot_before

if TYPE_CHECKING:
    from bertcore.model.bert import Bert
    from bertcore.runs.run_folder import RunFolder
    from bertcore.tasks.kinds.base import TokenAnswer, UnitAnswer
    from bertcore.training.drawn_batches import Draw, DrawnBatch, RunBatches

LEFT_ALONE, HIDDEN, REPLACED, KEPT, NEXT_WORD = range(5)  # fates, as in bertcore.training.drawn_batches
ASKED, RIGHT, WRONG = range(5, 8)  # of a token off which a task's answer is read; ASKED: a number, more or less right
RECENT = 20  # batches, over which shares come nearer to what was ordered


def _nothing() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class TokenLosses:
    """What a snapshot makes of a batch; see bertcore.training.evaluate.BatchLosses."""

    snapshot: int  # the step of the weights
    losses: np.ndarray  # (B,S) nats, NaN where nothing is predicted
    word_loss: float  # of a task its own
    accuracy: float  # share that is right; NaN where answers are numbers
    ranks: np.ndarray = field(default_factory=_nothing)  # (B,S); this and what follows of plain text alone
    guesses: np.ndarray = field(default_factory=_nothing)  # (B,S,K) ids
    probabilities: np.ndarray = field(default_factory=_nothing)  # (B,S,K)
    second: np.ndarray = field(default_factory=_nothing)  # (B) probability of pair label 1; NaN: not asked


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


@dataclass(frozen=True)
class Drawn:
    """What was drawn in this batch and in those before it, and the shares that were ordered.

    mask_share: of the tokens, to be predicted. fates: of those, hidden, replaced and left as they are.
    """

    mask_share: float
    fates: tuple[float, float, float]
    here: Draw
    recent: Draw


def snapshot_for(run: RunFolder, step: int, wanted: int | None) -> tuple[int, Path] | None:
    """The snapshot of the wanted step; the newest before this batch where none is wanted, or that one is gone."""
    chosen = next((one for one in run.snapshots() if one[0] == wanted), None)
    return chosen or snapshot_before(run, step)


class BatchReader:
    """Of one run. Everything but the constructor is called on the worker."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._batches: RunBatches | None = None
        self._model: tuple[tuple[int, int], Bert] | None = None  # (step of the snapshot, length of sequences)
        self._draws: dict[int, Draw] = {}  # by step

    def read(self, step: int, snapshot: int | None, progress: ReportProgress) -> ShownBatch:
        """snapshot: the step of the weights; None: the newest before this batch. Raises BertcoreError where the batch
        cannot be drawn again."""
        batches = self._opened(progress)
        drawn = batches.at(step, progress)
        losses = self._losses(batches, drawn, snapshot, progress)
        used = np.unique(np.concatenate([drawn.ids.ravel(), drawn.labels.ravel(), drawn.originals.ravel()]))
        guessed = [] if losses is None else np.unique(losses.guesses).tolist()
        label = batches.tokenizer.label
        return ShownBatch(
            step=step,
            causal=drawn.causal,
            pairs=batches.options.data.pairs,
            ids=drawn.ids,
            labels=drawn.labels,
            fates=drawn.fates,
            segments=drawn.batch.segment_ids.numpy(),
            documents=drawn.documents,
            is_padding=drawn.is_padding,
            pair_labels=drawn.pair_labels,
            words={number: label(number) for number in {*used.tolist(), *guessed} if number >= 0},
            losses=losses,
        )

    def drawn(self, step: int, progress: ReportProgress) -> Drawn:
        """Over RECENT batches up to this one."""
        from bertcore.training.drawn_batches import Draw

        batches = self._opened(progress)
        steps = range(max(1, step - RECENT + 1), step + 1)
        recent = Draw()
        for number in steps:
            progress((number - steps[0]) / len(steps))
            if number not in self._draws:
                self._draws[number] = Draw().plus(batches.at(number))
            recent = recent.with_more(self._draws[number])
        data = batches.options.data
        fates = data.mask_fate, data.random_fate, 1.0 - data.mask_fate - data.random_fate
        return Drawn(data.mask_share, fates, self._draws[step], recent)

    def _opened(self, progress: ReportProgress) -> RunBatches:
        from bertcore.training.drawn_batches import open_batches

        if self._batches is None:
            self._batches = open_batches(self._run, progress)
        return self._batches

    def _losses(
        self, batches: RunBatches, drawn: DrawnBatch, snapshot: int | None, progress: ReportProgress
    ) -> TokenLosses | None:
        from bertcore.training.evaluate import batch_losses

        chosen = snapshot_for(batches.run, drawn.step, snapshot)
        if chosen is None:
            return None
        key = chosen[0], drawn.ids.shape[1]
        if self._model is None or self._model[0] != key:
            self._model = key, batches.model_at(chosen, drawn)
        found = batch_losses(self._model[1], drawn.batch, progress)
        return TokenLosses(
            chosen[0],
            found.losses,
            found.word_loss,
            found.accuracy,
            found.ranks,
            found.guesses,
            found.probabilities,
            found.second,
        )
