"""A few steps of a run, timed in a folder that is thrown away: what the whole run would take.

The trial is the run itself: the same text, model and loop. It takes some steps of each sort that the run has, measures
once, saves once, and multiplies.
"""

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertcore.data.text import Documents, unpacked_bytes
from bertcore.locations import home
from bertcore.runs.environment import memory_mib
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import is_mark
from bertcore.tasks.features.collate import TaskBatches
from bertcore.tasks.inference.evaluate import evaluate_task
from bertcore.training.data_facts import Lengths
from bertcore.training.distil import Distilling
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.loop import TrainingLoop
from bertcore.training.pretrain import Pretraining
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.run_estimate import Cost, RunEstimate
from bertcore.training.trainable import RunEnd

TRIAL_S = 4.0  # of steps, at most, but for those that cannot be left out
_FEWEST, _MOST = 4, 24  # steps of one sort, and of one part of a run; the first of a sort is not counted
_SLICES = 40  # of a run's budget
_MOST_TEXT = 6_000_000  # bytes; of a longer text the trial reads a part
_MOST_EXAMPLES, _MOST_HELD_OUT = 4_000, 400

Options = PretrainOptions | DistilOptions | FinetuneOptions


def estimate_run(options: Options, started: Cost, examples: tuple[int, int] | None = None) -> RunEstimate:
    """What a run with these settings would take on this machine now.

    started: what it took this process to come here, as it will take the run. examples: of a task, to learn from and
    held out. Raises BertcoreError for what cannot be trained on.
    """
    home().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home(), prefix="trial-", ignore_cleanup_errors=True) as place:
        folder = Path(place) / "run"
        trial: Trial
        if isinstance(options, FinetuneOptions):
            few = _fewer_examples(options, examples) if examples else options
            trial = FineTuningTrial(FineTuning(few), RunFolder.create(folder, few.to_dict()), examples)
        else:
            data, share = _part_of_text(options.data, Path(place))
            part = replace(options, data=data)
            pretraining = Distilling(part) if isinstance(part, DistilOptions) else Pretraining(part)
            trial = PretrainingTrial(pretraining, RunFolder.create(folder, part.to_dict()), share)
        with trial.folder.acquire():
            return trial.estimate(started)


def _fewer_examples(options: FinetuneOptions, examples: tuple[int, int]) -> FinetuneOptions:
    train, held_out = examples
    return options.with_changes(
        max_examples=_MOST_EXAMPLES if train > _MOST_EXAMPLES else None,
        max_held_out=_MOST_HELD_OUT if held_out > _MOST_HELD_OUT else None,
    )


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


class Trial(TrainingLoop):
    """A few steps of a run, timed. `share`: of the data, how much it reads."""

    def __init__(self, trainable: Any, folder: RunFolder, share: float) -> None:
        super().__init__(trainable, folder, lambda event: None)
        self.share = share
        self._spent_s = 0.0  # on steps

    def estimate(self, started: Cost) -> RunEstimate:
        try:
            return self._estimate(started)
        finally:
            self.trainable.close()

    def _estimate(self, started: Cost) -> RunEstimate:
        with timed() as preparing:
            self.setup = self.trainable.prepare(self.folder.path, self._on_report)
        self.budget = self.setup.budget
        first = self._time_measuring(0.0)
        mean_of = self._time_steps()
        steps, training = self._spread(mean_of, first)
        with timed() as saving:
            self._snapshot()
        later, last = self._time_measuring(0.5), self._time_measuring(1.0)
        finishing = self._time_finish()
        count = min(self.options.evaluations, steps)
        snapshots = _marks(steps) + int(training.seconds / (60 * self.options.save_minutes))
        measuring = first + later * (count - 1) + last + finishing
        if self.budget.seconds is not None:  # all but the last measurement are within the budget
            measuring = last + finishing
        device = self.setup.device
        is_gpu = device.type == "cuda"
        return RunEstimate(
            preparing=started + self._prepare_again(preparing.cost),
            training=training,
            measuring=measuring,
            saving=saving.cost * snapshots,
            steps=steps,
            epochs=self._epochs(steps),
            memory_mib=memory_mib(),
            gpu_memory_mib=torch.cuda.max_memory_reserved(device) / 2**20 if is_gpu else None,
            parameters=sum(parameter.numel() for parameter in self.setup.model.parameters()),
            vocab_size=self.setup.tokenizer.vocab_size,
            device=torch.cuda.get_device_name(device) if is_gpu else "CPU",
            precision=self.setup.precision.name,
            threads=torch.get_num_threads(),
            load=_load(),
            is_sampled=self.share < 1.0,
            tokens=self._tokens(),
            lengths=self._lengths(),
        )

    def _spread(self, mean_of: Callable[[float], Cost], first: Cost) -> tuple[int, Cost]:
        """Steps of the whole budget, and what they cost; `mean_of` a step at a share of the budget."""
        slices = [mean_of((i + 0.5) / _SLICES) for i in range(_SLICES)]
        if self.budget.steps is not None:
            return self.budget.steps, sum(slices, Cost()) * (self.budget.steps / _SLICES)
        assert self.budget.seconds is not None
        seconds = max(self.budget.seconds - first.seconds, 0.5 * self.budget.seconds)
        parts = [seconds / _SLICES / each.seconds for each in slices]
        processor_s = sum(part * each.processor_s for part, each in zip(parts, slices, strict=True))
        return max(1, round(sum(parts))), Cost(self.budget.seconds, processor_s)

    def _take_timed(self, step: int, fraction: float) -> Cost:
        """Step number `step` of the run, at this share of its budget."""
        self.step = step - 1
        if self.budget.seconds is not None:
            self.elapsed_s = fraction * self.budget.seconds
        with timed() as one:
            self._take_step()
        self._spent_s += one.cost.seconds
        return one.cost

    def _time_measuring(self, fraction: float) -> Cost:
        with timed() as one:
            self.records.metric({"kind": "held_out", "step": 0, **self.trainable.measure(fraction)})
        return one.cost

    def _time_steps(self) -> Callable[[float], Cost]:
        """Takes steps; what one costs at a share of the budget."""
        raise NotImplementedError

    def _time_finish(self) -> Cost:
        raise NotImplementedError

    def _on_report(self, sentence: str) -> None:
        """Hears of each part of the preparations."""

    def _prepare_again(self, preparing: Cost) -> Cost:
        """The preparations of the run, after those of the trial; of all data, when the trial has read a part."""
        return preparing * (1 / self.share)

    def _epochs(self, steps: int) -> float | None:
        raise NotImplementedError

    def _tokens(self) -> tuple[int, int] | None:
        return None

    def _lengths(self) -> Lengths | None:
        return None


class PretrainingTrial(Trial):
    """Steps differ by what they predict and how long their sequences are."""

    trainable: Pretraining
    _read: tuple[Cost, Cost] | None = None  # the clocks when tokenising began, and when it was last heard of

    def _on_report(self, sentence: str) -> None:
        if sentence.startswith("Reading"):
            self._read = (self._read[0] if self._read else now(), now())

    def _prepare_again(self, preparing: Cost) -> Cost:
        """A text that the trial has read whole is in the cache by then."""
        if self.share == 1.0 and self._read is not None:
            began, ended = self._read
            return preparing + began + ended * -1
        return super()._prepare_again(preparing)

    def _time_steps(self) -> Callable[[float], Cost]:
        batches = self.trainable.setup.batches
        total = self.budget.steps or 100_000  # in minutes: any step number does
        costs: dict[tuple[int, bool], list[Cost]] = {}

        def sorts(fraction: float) -> list[tuple[int, bool]]:
            first = max(1, round(fraction * total) // 8 * 8)
            return [batches.kind(step, fraction) for step in range(first, first + 64)]

        places = [(i + 0.5) / _SLICES for i in range(_SLICES)]
        mixes = {frozenset(sorts(place)): place for place in places[::-1]}  # parts of the run that differ
        for number, (mix, place) in enumerate(mixes.items(), 1):
            step = max(1, round(place * total) // 8 * 8)
            for _ in range(_MOST):
                has_all = all(len(costs.get(sort, ())) >= _FEWEST for sort in mix)
                is_late = self._spent_s > 4 * TRIAL_S and mix <= set(costs)  # a large model: one of each has to do
                if is_late or (has_all and self._spent_s > TRIAL_S * number / len(mixes)):
                    break
                sort = batches.kind(step, (step - 0.5) / total if self.budget.steps else place)
                costs.setdefault(sort, []).append(self._take_timed(step, place))
                step += 1
        middle = {sort: _middle(each) for sort, each in costs.items()}
        anything = _middle([cost for each in costs.values() for cost in each])

        def mean_of(fraction: float) -> Cost:
            some = sorts(fraction)
            return sum((middle.get(sort, anything) for sort in some), Cost()) * (1 / len(some))

        return mean_of

    def _time_finish(self) -> Cost:
        with timed() as one:
            self.trainable.finish(self.folder, RunEnd(True, self.step, self.step))
        return one.cost

    def _epochs(self, steps: int) -> float | None:
        data = self.trainable.options.data
        windows = self.trainable.setup.batches.samplers[data.sequence_length].windows_per_epoch / self.share
        return steps * self.options.batch_size / windows

    def _tokens(self) -> tuple[int, int]:
        text = self.trainable.setup.text
        return round(text.count_tokens(False) / self.share), round(text.count_tokens(True) / self.share)

    def _lengths(self) -> Lengths:
        starts = [np.diff(corpus.sentence_starts) for corpus in self.trainable.setup.text.corpora]
        lengths = np.concatenate(starts).astype(np.int64)
        return Lengths.of(lengths, self.trainable.options.data.sequence_length)


class FineTuningTrial(Trial):
    """Steps differ by how many tokens their batch has, with padding."""

    trainable: FineTuning

    def __init__(self, trainable: FineTuning, folder: RunFolder, examples: tuple[int, int] | None) -> None:
        """examples: of all data, to learn from and held out."""
        super().__init__(trainable, folder, 1.0)
        self._examples = examples
        self._held_out_share = 1.0

    def _time_steps(self) -> Callable[[float], Cost]:
        batches, held_out = self.trainable.setup.batches, self.trainable.setup.held_out
        if self._examples is not None:
            self.share = len(batches.features.examples) / self._examples[0]
            self._held_out_share = len(held_out.features.examples) / self._examples[1]
        total = self.budget.steps or 10 * len(batches)
        sizes = _padded(batches)
        count = min(_MOST, max(_FEWEST, total))
        timings: list[tuple[int, Cost]] = []
        largest = int(np.argmax(sizes)) + 1  # of the first epoch: what takes the most memory
        steps = [largest, largest, *(1 + round((i + 0.5) / count * (total - 1)) for i in range(count))]
        for number, step in enumerate(steps):
            fraction = min(step / total, 0.999)
            size = _padded_size(batches, self.trainable.make_batch(step).units)
            cost = self._take_timed(step, fraction)
            if number:
                timings.append((size, cost))
            if self._spent_s > TRIAL_S and len(timings) >= _FEWEST:
                break
        mean = _at_mean_size(timings, sizes)
        return lambda fraction: mean

    def _spread(self, mean_of: Callable[[float], Cost], first: Cost) -> tuple[int, Cost]:
        steps, cost = super()._spread(mean_of, first)
        training = self.options
        if self.share < 1.0 and training.steps is None and training.minutes is None:
            whole = self.trainable.budget(round(len(self.trainable.setup.batches) / self.share)).steps or steps
            return whole, cost * (whole / steps)
        return steps, cost

    def _time_measuring(self, fraction: float) -> Cost:
        """On a few, and multiplied by the tokens there are."""
        setup = self.trainable.setup
        if fraction == 0.0:
            return super()._time_measuring(0.0)
        with nullcontext() if fraction == 1.0 else setup.precision.autocast(setup.device):
            return self._time_evaluating(setup.curve)

    def _time_finish(self) -> Cost:
        """All that is held out, unless the last measurement was of that."""
        setup = self.trainable.setup
        if setup.curve is setup.held_out and self._held_out_share == 1.0:
            return Cost()
        return self._time_evaluating(setup.held_out) * (1 / self._held_out_share)

    def _time_evaluating(self, batches: TaskBatches) -> Cost:
        setup = self.trainable.setup
        with timed() as one:
            evaluate_task(setup.model, setup.looked_at, setup.device)
        return one.cost * (float(_padded(batches).sum()) / float(_padded(setup.looked_at).sum()))

    def _epochs(self, steps: int) -> float | None:
        return steps / len(self.trainable.setup.batches) * self.share


def _padded(batches: TaskBatches) -> np.ndarray:
    """Tokens of each batch of an epoch, with padding."""
    return np.array([_padded_size(batches, units) for units in batches.order(0)])


def _padded_size(batches: TaskBatches, units: np.ndarray) -> int:
    sequences = batches.features.sequences_of(units)
    return len(sequences) * int(batches.features.ids.lengths_of(sequences).max())


def _at_mean_size(timings: list[tuple[int, Cost]], sizes: np.ndarray) -> Cost:
    """A line through the timings by size, where it rises from above zero; else in proportion."""
    measured = np.array([size for size, _ in timings], dtype=float)

    def of(seconds: list[float]) -> float:
        proportional = float(sum(seconds) / measured.sum() * sizes.mean())
        if len(set(measured)) < 3:
            return proportional
        slope, base = np.polyfit(measured, seconds, 1)
        return float(base + slope * sizes.mean()) if slope > 0 and base > 0 else proportional

    return Cost(of([cost.seconds for _, cost in timings]), of([cost.processor_s for _, cost in timings]))


def _middle(costs: list[Cost]) -> Cost:
    """The median of steps of one sort; the first, which reserves memory, is left out where there are more."""
    kept = costs[1:] or costs
    return Cost(float(np.median([c.seconds for c in kept])), float(np.median([c.processor_s for c in kept])))


class _Timed:
    cost = Cost()


@contextmanager
def timed() -> Iterator[_Timed]:
    """`cost` of what is done inside."""
    found, began = _Timed(), now()
    yield found
    found.cost = now() + began * -1


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
