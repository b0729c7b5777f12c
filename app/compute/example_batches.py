"""Any step's batch of a fine-tuning run as the model read it, and what a snapshot answers. Everything is called on the
worker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertcore.progress import ReportProgress

from .batches import ASKED, RIGHT, WRONG, LabelShare, ShownBatch, ShownExamples, TokenLosses, snapshot_for

if TYPE_CHECKING:
    from bertcore.model.bert import Bert
    from bertcore.tasks.kinds.base import TokenAnswer, UnitAnswer
    from bertcore.training.drawn_examples import BatchAnswers, DrawnExamples, ExampleBatches


class ExampleReader:
    """Of one run."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._batches: ExampleBatches | None = None
        self._model: tuple[int, Bert] | None = None  # the step of the snapshot
        self._counts: dict[str, int] = {}  # of all examples

    def read(self, step: int, snapshot: int | None, progress: ReportProgress) -> ShownBatch:
        """As `BatchReader.read`."""
        batches = self._opened(progress)
        drawn = batches.at(step)
        chosen = snapshot_for(batches.run, step, snapshot)
        answers = None if chosen is None else self._answers(batches, chosen, drawn)
        tokenizer, ids = batches.tokenizer, drawn.ids
        is_special = np.isin(ids, (tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id))
        return ShownBatch(
            step=step,
            causal=False,
            pairs="none",
            ids=ids,
            labels=np.full(ids.shape, -1),
            fates=_fates(drawn, answers),
            segments=drawn.segments,
            documents=np.where(is_special, -1, drawn.examples[:, None]),
            is_padding=drawn.is_padding,
            pair_labels=np.full(len(ids), -1),
            words={number: tokenizer.label(number) for number in np.unique(ids).tolist()},
            losses=None
            if answers is None or chosen is None
            else _losses(chosen[0], answers, drawn.features.kind.several_answers),
            task=ShownExamples(
                kind=drawn.features.kind.name,
                epoch=drawn.epoch + 1,
                of=len(drawn.features.examples),
                examples=drawn.examples,
                cut=drawn.cut,
                labels=self._labels(drawn),
                units=() if answers is None else answers.units,
            ),
        )

    def _opened(self, progress: ReportProgress) -> ExampleBatches:
        from bertcore.training.drawn_examples import label_counts, open_examples

        if self._batches is None:
            batches = open_examples(self._run, progress)
            self._counts = label_counts(batches.batches.features)
            self._batches = batches
        return self._batches

    def _answers(self, batches: ExampleBatches, snapshot: tuple[int, Path], drawn: DrawnExamples) -> BatchAnswers:
        from bertcore.training.drawn_examples import example_answers

        if self._model is None or self._model[0] != snapshot[0]:
            self._model = snapshot[0], batches.model_at(snapshot)
        return example_answers(self._model[1], drawn, batches.tokenizer.label)

    def _labels(self, drawn: DrawnExamples) -> tuple[LabelShare, ...]:
        from bertcore.training.drawn_examples import label_counts

        here = label_counts(drawn.features, drawn.units)
        of_here, of_all = max(sum(here.values()), 1), max(sum(self._counts.values()), 1)
        return tuple(
            LabelShare(name, here[name], here[name] / of_here, count / of_all) for name, count in self._counts.items()
        )


def _fates(drawn: DrawnExamples, answers: BatchAnswers | None) -> np.ndarray:
    fates = np.zeros(drawn.ids.shape, dtype=np.int64)
    for unit in () if answers is None else answers.units:
        for place in unit.places:
            fate = {None: ASKED, True: RIGHT, False: WRONG}[place.is_right]
            fates[place.row, place.position] = max(fate, fates[place.row, place.position])  # wrong if either end is
    return fates


def _losses(snapshot: int, answers: BatchAnswers, has_several: bool) -> TokenLosses:
    asked: Sequence[UnitAnswer | TokenAnswer] = answers.units
    if has_several:
        asked = [place for unit in answers.units for place in unit.places]
    right = [float("nan") if each.is_right is None else float(each.is_right) for each in asked]
    return TokenLosses(snapshot, answers.losses, answers.loss, float(np.mean(right)) if right else float("nan"))
