"""A few steps of a run, timed in a folder that is thrown away: what the whole run would take.

The trial is the run itself: the same text, model and loop. It takes some steps of each sort that the run has, measures
once, saves once, and multiplies by how many of each the run's plan has.
"""

import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertcore.data.text import Documents, unpacked_bytes
from bertcore.locations import home
from bertcore.runs.environment import memory_mib
from bertcore.runs.metrics_file import HELD_OUT
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import is_mark
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.predict import evaluate_task
from bertcore.training.data_facts import Cost, Lengths, RunEstimate
from bertcore.training.distil import Distilling
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune import FineTuning, padded_tokens
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.loop import TrainingLoop
from bertcore.training.pretrain import Pretraining
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.trainable import Event, RunEnd, Trainable

TRIAL_S = 4.0  # of steps, at most, but for those that cannot be left out
_FEWEST, _MOST = 4, 24  # steps of one sort; the first is not counted
_SLICES, _STEPS_OF_SLICE = 40, 64  # of a run's budget; in each so many steps are looked at
_MOST_TEXT = 6_000_000  # bytes; of a longer text the trial reads a part
_MOST_EXAMPLES, _MOST_HELD_OUT = 4_000, 400


def estimate_run(
    options: PretrainOptions | DistilOptions | FinetuneOptions, started: Cost, examples: tuple[int, int] | None = None
) -> RunEstimate:
    """What a run with these settings would take on this machine now.

    started: what it took this process to come here, as it will take the run. examples: of a task, to learn from and
    held out. Raises BertcoreError for what cannot be trained on.
    """
    home().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home(), prefix="trial-", ignore_cleanup_errors=True) as place:
        folder = Path(place) / "run"
        trial: Trial
        if isinstance(options, FinetuneOptions):
            train, held_out = examples or (0, 0)
            few = options.with_changes(
                max_examples=_MOST_EXAMPLES if train > _MOST_EXAMPLES else None,
                max_held_out=_MOST_HELD_OUT if held_out > _MOST_HELD_OUT else None,
            )
            trial = FineTuningTrial(FineTuning(few), RunFolder.create(folder, few.to_dict()), examples)
        else:
            data, share = _part_of_text(options.data, Path(place))
            part = replace(options, data=data)
            pretraining = Distilling(part) if isinstance(part, DistilOptions) else Pretraining(part)
            trial = Trial(pretraining, RunFolder.create(folder, part.to_dict()), share)
        with trial.loop.folder.acquire():
            try:
                return trial.estimate(started)
            finally:
                trial.trainable.close()


def _part_of_text(data: DataOptions, place: Path) -> tuple[DataOptions, float]:
    """A part of a long text for a trial, and its share of the whole."""
    if data.mixture:
        return data, 1.0
    documents = Documents(data.files, data.text_format)
    if unpacked_bytes(documents.files) <= _MOST_TEXT:
        return data, 1.0
    part = place / "part.txt"
    written = 0
    with part.open("w", encoding="utf-8") as stream:
        for document in documents:
            written += stream.write("\n".join(document) + "\n\n")
            if written > _MOST_TEXT:  # here, while the text is open: a closed file counts as not begun
                return replace(data, corpus=(str(part),), document_per_file=False), documents.fraction
    return data, 1.0


class Trial:
    """A run on plain text of which a few steps are timed. Steps of one sort take the same time: so many of each, and
    multiplied."""

    trainable: Any  # Pretraining

    def __init__(self, trainable: Trainable, run: RunFolder, share: float) -> None:
        """share: of the data, how much it reads."""
        self.trainable, self.loop, self.share = trainable, TrainingLoop(trainable, run, self._on_event), share
        self._reading: tuple[Cost, Cost] | None = None  # the clocks when tokenising began, and when it last reported

    def estimate(self, started: Cost) -> RunEstimate:
        loop, options = self.loop, self.loop.options
        preparing = timed(self.prepare)
        budget, device = loop.clock.budget, self.trainable.device
        first = self.time_measuring(0.0)
        steps, training = self._spread(self._time_sorts(), first)
        saving = timed(loop.kept.save)
        later, last = self.time_measuring(0.5), self.time_measuring(1.0)
        finishing = self.time_finish()
        measuring = first + later * (min(options.evaluations, steps) - 1) + last + finishing
        if budget.seconds is not None:  # all but the last measurement are within the budget
            measuring = last + finishing
        is_gpu = device.type == "cuda"
        return RunEstimate(
            preparing=started + self.prepare_again(preparing),
            training=training,
            measuring=measuring,
            saving=saving * (_marks(steps) + int(training.seconds / (60 * options.save_minutes))),
            steps=steps,
            epochs=steps / self.steps_per_epoch * self.share,
            memory_mib=memory_mib(),
            gpu_memory_mib=torch.cuda.max_memory_reserved(device) / 2**20 if is_gpu else None,
            parameters=sum(parameter.numel() for parameter in self.trainable.model.parameters()),
            vocab_size=self.trainable.tokenizer.vocab_size,
            device=torch.cuda.get_device_name(device) if is_gpu else "CPU",
            precision=self.trainable.precision.name,
            threads=torch.get_num_threads(),
            load=_load(),
            is_sampled=self.share < 1.0,
            **self.facts(),
        )

    def _time_sorts(self) -> list[Cost]:
        """What a step costs in each slice of the budget: the sorts of its steps, and what one of each costs."""
        total = self.loop.clock.budget.steps or round(10 * self.steps_per_epoch)  # of minutes any number does
        slices: list[Counter[Any]] = []
        examples: dict[Any, list[tuple[int, float]]] = {}  # (step, share of the budget)
        for share in ((i + 0.5) / _SLICES for i in range(_SLICES)):
            begin = max(1, round(share * total) // 8 * 8)  # one step in eight of a causal phase is masked
            sorts = {step: self.trainable.sort_of(step, share) for step in range(begin, begin + _STEPS_OF_SLICE)}
            slices.append(Counter(sorts.values()))
            for step, sort in sorts.items():
                examples.setdefault(sort, []).append((step, share))
        costs: dict[Any, list[Cost]] = {sort: [] for sort in sorted(examples, reverse=True)}
        spent_s = 0.0
        for number in range(_MOST):
            is_late = number >= 1 and spent_s > 4 * TRIAL_S  # a large model: one of each has to do
            if is_late or (number >= _FEWEST and spent_s > TRIAL_S):
                break
            for sort, timings in costs.items():
                timings.append(self._take_timed(*examples[sort][number % len(examples[sort])]))
                spent_s += timings[-1].seconds
        middle = {sort: _middle(timings) for sort, timings in costs.items()}
        return [sum((middle[sort] * (n / each.total()) for sort, n in each.items()), Cost()) for each in slices]

    def _take_timed(self, step: int, share: float) -> Cost:
        """Step number `step` of the run, at this share of its budget."""
        clock, planned = self.loop.clock, self.trainable.planned
        clock.step = step - 1
        if clock.budget.seconds is not None:
            clock.elapsed_s = share * clock.budget.seconds
        plan = planned.plan(step, share)
        return timed(lambda: self.loop.take_step((plan, planned.make(plan))))

    def _spread(self, slices: list[Cost], first: Cost) -> tuple[int, Cost]:
        """Steps of the whole budget, and what they cost."""
        budget = self.loop.clock.budget
        if budget.steps is not None:
            steps = self.steps_of_all_data(budget.steps)
            return steps, sum(slices, Cost()) * (steps / _SLICES)
        assert budget.seconds is not None
        seconds = max(budget.seconds - first.seconds, 0.5 * budget.seconds)
        parts = [seconds / _SLICES / each.seconds for each in slices]
        processor_s = sum(part * each.processor_s for part, each in zip(parts, slices, strict=True))
        return max(1, round(sum(parts))), Cost(budget.seconds, processor_s)

    def _on_event(self, event: Event) -> None:
        if str(event.get("message")).startswith("Reading"):
            self._reading = (self._reading[0] if self._reading else now(), now())

    # --- what kinds of runs differ in

    def prepare(self) -> None:
        self.loop.prepare()

    def time_measuring(self, fraction: float) -> Cost:
        measure, metric = self.trainable.measure, self.loop.writer.metric
        return timed(lambda: metric({"kind": HELD_OUT, "step": 0, **measure(fraction)}))

    def time_finish(self) -> Cost:
        step = self.loop.clock.step
        return timed(lambda: self.trainable.finish(self.loop.folder, RunEnd(True, step, step)))

    def prepare_again(self, preparing: Cost) -> Cost:
        """The preparations of the run, after those of the trial; of all data, when the trial has read a part. A text
        that it has read whole is in the cache by then."""
        if self.share == 1.0 and self._reading is not None:
            began, ended = self._reading
            return preparing + began + ended * -1
        return preparing * (1 / self.share)

    @property
    def steps_per_epoch(self) -> float:
        """Of what it reads."""
        sampler = self.trainable.batches.samplers[self.trainable.options.data.sequence_length]
        return float(sampler.windows_per_epoch / self.loop.options.batch_size)

    def steps_of_all_data(self, steps: int) -> int:
        """Of the whole run, where these are the steps for what is read."""
        return round(steps / self.share) if self.loop.options.steps is None else steps

    def facts(self) -> dict[str, Any]:
        text = self.trainable.text
        starts = [np.diff(corpus.sentence_starts) for corpus in text.corpora]
        lengths = np.concatenate(starts).astype(np.int64)
        return {
            "tokens": tuple(round(text.count_tokens(held_out) / self.share) for held_out in (False, True)),
            "lengths": Lengths.of(lengths, self.trainable.options.data.sequence_length),
        }


class FineTuningTrial(Trial):
    """It reads some of the examples, and measures on fewer of those held out."""

    trainable: FineTuning

    def __init__(self, trainable: FineTuning, run: RunFolder, examples: tuple[int, int] | None) -> None:
        """examples: of all data, to learn from and held out."""
        super().__init__(trainable, run, 1.0)
        self._examples, self._held_out_share = examples, 1.0

    def prepare(self) -> None:
        super().prepare()
        if self._examples is not None:
            read = (self.trainable.batches, self.trainable.held_out)
            shares = (len(each.features.examples) / of for each, of in zip(read, self._examples, strict=True))
            self.share, self._held_out_share = shares

    @property
    def steps_per_epoch(self) -> float:
        return len(self.trainable.batches)

    def facts(self) -> dict[str, Any]:
        return {}

    def steps_of_all_data(self, steps: int) -> int:
        training = self.loop.options
        if self.share == 1.0 or training.steps is not None:
            return steps
        return self.trainable.budget_of(round(self.steps_per_epoch / self.share)).steps or steps

    def time_measuring(self, fraction: float) -> Cost:
        """On a few, and multiplied by the tokens there are."""
        trainable = self.trainable
        if fraction == 0.0:
            return super().time_measuring(0.0)
        with nullcontext() if fraction == 1.0 else trainable.precision.autocast(trainable.device):
            return self._time_evaluating(trainable.curve)

    def time_finish(self) -> Cost:
        """All that is held out, unless the last measurement was of that."""
        trainable = self.trainable
        if trainable.curve is trainable.held_out and self._held_out_share == 1.0:
            return Cost()
        return self._time_evaluating(trainable.held_out) * (1 / self._held_out_share)

    def _time_evaluating(self, batches: TaskBatches) -> Cost:
        few = self.trainable.looked_at
        times = float(padded_tokens(batches).sum() / padded_tokens(few).sum())
        return timed(lambda: evaluate_task(self.trainable.model, few)) * times


def _middle(costs: list[Cost]) -> Cost:
    """The median of steps of one sort; the first, which reserves memory, is left out where there are more."""
    kept = costs[1:] or costs
    return Cost(float(np.median([c.seconds for c in kept])), float(np.median([c.processor_s for c in kept])))


def timed(work: Callable[[], object]) -> Cost:
    began = now()
    work()
    return now() + began * -1


def now() -> Cost:
    """The clock, and the processor's of this process."""
    return Cost(time.perf_counter(), time.process_time())


def _marks(steps: int) -> int:
    """Snapshots of a run of so many steps, the first and the last among them."""
    counted = min(steps, 10_000)  # then ten for each decade
    return 2 + sum(map(is_mark, range(1, counted))) + round(10 * math.log10(steps / counted))


def _load() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows
        return None
