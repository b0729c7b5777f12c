"""Any step's batch of a run as the model read it, and what a snapshot makes of it.

Importable without torch: the window names what it wants, and the worker computes it. B sequences of S tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertcore.runs.snapshots import snapshot_before

if TYPE_CHECKING:
    from bertcore.model.bert import Bert
    from bertcore.training.drawn_batches import Draw, DrawnBatch, RunBatches

Step = Callable[[float], None]  # share done, 0..1; may raise to end the work
LEFT_ALONE, HIDDEN, REPLACED, KEPT, NEXT_WORD = range(5)  # fates, as in bertcore.training.drawn_batches
RECENT = 20  # batches, over which shares come nearer to what was ordered


@dataclass(frozen=True, eq=False)
class TokenLosses:
    """What a snapshot makes of a batch; see bertcore.training.batch_losses.BatchLosses."""

    snapshot: int  # the step of the weights
    losses: np.ndarray  # (B,S) nats, NaN where nothing is predicted
    ranks: np.ndarray  # (B,S)
    guesses: np.ndarray  # (B,S,K) ids
    probabilities: np.ndarray  # (B,S,K)
    second: np.ndarray  # (B) probability that B is a random one (or that they are swapped); NaN: not asked
    word_loss: float
    accuracy: float


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


class BatchReader:
    """Of one run. Everything but the constructor is called on the worker."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._batches: RunBatches | None = None
        self._model: tuple[tuple[int, int], Bert] | None = None  # (step of the snapshot, length of sequences)
        self._draws: dict[int, Draw] = {}  # by step

    def read(self, step: int, snapshot: int | None, report: Step) -> ShownBatch:
        """snapshot: the step of the weights; None: the newest before this batch. Raises BertcoreError where the batch
        cannot be drawn again."""
        batches = self._opened(report)
        drawn = batches.at(step, report)
        losses = self._losses(batches, drawn, snapshot, report)
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

    def drawn(self, step: int, report: Step) -> Drawn:
        """Over RECENT batches up to this one."""
        from bertcore.training.drawn_batches import Draw

        batches = self._opened(report)
        steps = range(max(1, step - RECENT + 1), step + 1)
        recent = Draw()
        for number in steps:
            report((number - steps[0]) / len(steps))
            if number not in self._draws:
                self._draws[number] = Draw().plus(batches.at(number))
            recent = recent.with_more(self._draws[number])
        data = batches.options.data
        fates = data.mask_fate, data.random_fate, 1.0 - data.mask_fate - data.random_fate
        return Drawn(data.mask_share, fates, self._draws[step], recent)

    def _opened(self, report: Step) -> RunBatches:
        from bertcore.training.drawn_batches import open_batches

        if self._batches is None:
            self._batches = open_batches(self._run, report)
        return self._batches

    def _losses(self, batches: RunBatches, drawn: DrawnBatch, snapshot: int | None, report: Step) -> TokenLosses | None:
        from bertcore.training.batch_losses import batch_losses

        chosen = next((one for one in batches.run.snapshots() if one[0] == snapshot), None)
        chosen = chosen or snapshot_before(batches.run, drawn.step)
        if chosen is None:
            return None
        key = chosen[0], drawn.ids.shape[1]
        if self._model is None or self._model[0] != key:
            self._model = key, batches.model_at(chosen, drawn)
        found = batch_losses(self._model[1], drawn, report)
        return TokenLosses(
            chosen[0],
            found.losses,
            found.ranks,
            found.guesses,
            found.probabilities,
            found.second,
            found.word_loss,
            found.accuracy,
        )
