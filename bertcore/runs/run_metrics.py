"""A run's metrics.jsonl as growing arrays, one per curve, and the newest numbers. No torch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertcore.errors import printable
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, SLOW_STEP, UPDATES, examples_of, number
from bertcore.runs.run_folder import RESUME
from bertcore.tasks.kinds import TASK_KINDS

LINE_KINDS = ("train", HELD_OUT, EVALUATION, "phase", RESUME, "snapshot")  # of lines
MOST_PARTS, MOST_UPDATES = 200, 5000
MOST_PHASES = 1000  # and resumes
STEP, EPOCH, TOKENS, SECONDS = "step", "epoch", "tokens", "elapsed_s"  # what the lower axis can count

Metric = dict[str, Any]


@dataclass(frozen=True)
class Update:
    """By part of the model: the norm of its gradient before clipping, and the length of its update over that of its
    weights."""

    step: int
    gradient: Mapping[str, float]
    ratio: Mapping[str, float]


def read_update(step: int, line: Mapping[str, Any]) -> Update | None:
    """None where the line is damaged."""
    gradient, ratio = _numbers(line.get("gradient")), _numbers(line.get("ratio"))
    if not ratio or set(gradient) != set(ratio):
        return None
    return Update(step, gradient, ratio)


@dataclass(frozen=True)
class SlowStep:
    """A step in slow motion: the loss on its own batch before and after it, in nats."""

    step: int
    before: float
    after: float
    learning_rate: float
    gradient_norm: float


def read_slow_step(step: int, line: Mapping[str, Any]) -> SlowStep | None:
    """None where the line is damaged."""
    names = ("loss_before", "loss_after", "learning_rate", "gradient_norm")
    found = _numbers({name: line.get(name) for name in names})
    return SlowStep(step, *(found[name] for name in names)) if len(found) == len(names) else None


def _numbers(values: Any) -> dict[str, float]:
    if not isinstance(values, dict) or len(values) > MOST_PARTS:
        return {}
    known = {name: number(value) for name, value in values.items()}
    return {str(name)[:60]: value for name, value in known.items() if value is not None and value >= 0}


def parts_of(updates: Sequence[Update]) -> list[str]:
    """Embeddings first, then the layers, then the heads: as a text passes through the model."""
    names = {name for update in updates for name in update.ratio}

    def place(name: str) -> tuple[int, int, str]:
        first, _, rest = name.partition(".")
        number = rest.partition(".")[0]
        layer = int(number) if number.isdecimal() else 0
        return {"embeddings": 0, "encoder": 1, "layers": 1, "heads": 3}.get(first, 2), layer, name

    return sorted(names, key=place)


class Series:
    """Points (step, value) that only grow. `arrays` are views, made without a copy."""

    def __init__(self) -> None:
        self._data = np.empty((2, 256))
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """steps (P), values (P)"""
        return self._data[0, : self._size], self._data[1, : self._size]

    def clear(self) -> None:
        self._size = 0

    def extend(self, steps: Sequence[float], values: Sequence[object]) -> None:
        """One value a step (P each); what is no number is left out."""
        new = [(step, found) for step, value in zip(steps, values, strict=True) if (found := number(value)) is not None]
        if not new:
            return
        at, self._size = self._size, self._size + len(new)
        if self._size > self._data.shape[1]:
            grown = np.empty((2, 2 * self._size))
            grown[:, :at] = self._data[:, :at]
            self._data = grown
        self._data[:, at : self._size] = np.transpose(new)


Words = tuple[tuple[str, float], ...]  # the likeliest words behind a mask, with their probabilities, best first


@dataclass(frozen=True)
class QuestionScore:
    """What a model said to the run's questions at one measurement."""

    step: int
    is_right: tuple[bool, ...]
    guesses: tuple[Words, ...]  # of each question

    @property
    def right(self) -> int:
        return sum(self.is_right)


@dataclass(frozen=True)
class CurveField:
    """Where a curve's values come from: this field of metrics lines of this kind, where it is a number."""

    kind: str
    field: str


def metric_key(metric: str) -> str:
    """The name of the curve of a task's metric."""
    return f"metric_{metric}"


CURVES = {
    "loss_next_word": CurveField("train", "next_word_loss"),
    "loss_masked": CurveField("train", "mlm_loss"),
    "loss_held_out": CurveField("held_out", "mlm_loss"),
    "words_right": CurveField("train", "mlm_accuracy"),
    "words_right_held_out": CurveField("held_out", "mlm_accuracy"),
    "sentence_right": CurveField("train", "nsp_accuracy"),
    "sentence_right_held_out": CurveField("held_out", "nsp_accuracy"),
    "learning_rate": CurveField("train", "learning_rate"),
    "gradient_norm": CurveField("train", "gradient_norm"),
    "update_ratio": CurveField("updates", "ratio"),  # of the part of the model that moved most
    "speed": CurveField("train", "tok_per_s"),
    "memory": CurveField("train", "memory_mib"),
    "cores": CurveField("train", "cores"),
    "loss_soft": CurveField("train", "soft_loss"),
    "loss_task": CurveField("train", "loss"),
    "loss_task_held_out": CurveField("held_out", "loss"),
    **{metric_key(metric): CurveField("held_out", metric) for kind in TASK_KINDS.values() for metric in kind.metrics},
}


_BY_KIND = {
    kind: tuple((name, field) for name, field in CURVES.items() if field.kind == kind) for kind in ("train", "held_out")
}


class RunMetrics:
    """Everything that curves, pictures and diagnoses use of a run's metrics.jsonl."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.series = {name: Series() for name in CURVES}
        self.newest: dict[str, Metric] = {}  # kind -> its last line
        self.phases: list[tuple[int, str]] = []  # (first step, "causal" | "masked")
        self.longer_step: int | None = None  # the first step of the part with longer sequences
        self.resumes: dict[int, str] = {}  # the step that a later sitting goes on from -> what it changed, in words
        self.scores: list[QuestionScore] = []  # of a run that answers questions, by step
        self.updates: list[Update] = []  # by step
        self.slow_steps: list[SlowStep] = []  # by step
        self._axes = {name: Series() for name in (EPOCH, TOKENS, SECONDS)}

    def append(self, metrics: Iterable[Metric]) -> None:
        """Takes lines in the order of the file. A line without a step, and a value that is no number, is left out."""
        curves: dict[str, tuple[list[float], list[Metric]]] = {kind: ([], []) for kind in _BY_KIND}
        for metric in metrics:
            step, kind = number(metric.get("step")), metric.get("kind")
            if step is None or not isinstance(kind, str):
                continue
            if kind in LINE_KINDS:
                self.newest[kind] = metric
            if kind in curves:
                curves[kind][0].append(step)
                curves[kind][1].append(metric)
            if kind != "train":
                self._add_event(int(step), kind, metric)
        for kind, (steps, lines) in curves.items():  # a curve at a time: of 100,000 lines five times as fast
            for name, field in _BY_KIND[kind]:
                self.series[name].extend(steps, [line.get(field.field) for line in lines])
        steps, lines = curves["train"]
        for axis, series in self._axes.items():
            series.extend(steps, [line.get(axis) for line in lines])

    @property
    def last_measured(self) -> Metric:
        """The line of the last point of the held-out curves."""
        return self.newest.get(HELD_OUT, {})

    @property
    def examples(self) -> int | None:
        """That the points of the held-out curves are measured on; None: text, or none."""
        return examples_of(self.last_measured)

    @property
    def evaluation(self) -> Metric:
        """Of the model that the run ended with, on all that is held out; empty where the curve's last is that."""
        return self.newest.get(EVALUATION, {})

    def latest(self, kind: str, field: str) -> float | None:
        """A number of the newest line of that kind; None where it has none."""
        return number(self.newest.get(kind, {}).get(field))

    def latest_value(self, name: str, until: float | None = None) -> float | None:
        """The last point of a curve; until: the last up to this step."""
        steps, values = self.series[name].arrays
        count = len(steps) if until is None else int(np.searchsorted(steps, until, "right"))
        return float(values[count - 1]) if count else None

    def extent(self, axis: str) -> float:
        """The furthest it has come, in steps, epochs, tokens or seconds; 0 where its lines do not say."""
        if axis == STEP:
            return max((series.arrays[0][-1] for series in self.series.values() if len(series)), default=0.0)
        series = self._axes[axis]
        return float(series.arrays[1][-1]) if len(series) else 0.0

    def places(self, axis: str, steps: np.ndarray) -> np.ndarray:
        """steps (P) -> epochs, tokens or seconds at these steps (P), between two lines on the way from one to the
        other."""
        if axis == STEP or not len(steps):
            return steps
        known, values = self._axes[axis].arrays
        if not len(known):
            return steps[:0]
        return np.interp(steps, np.append(0.0, known), np.append(0.0, values))

    @property
    def phase(self) -> str | None:
        """What the run is at: "causal" or "masked"; None before its first step."""
        return self.phases[-1][1] if self.phases else None

    @property
    def switch_step(self) -> int | None:
        """The first step of masked words after a causal warm-up; None where there is no such switch (yet)."""
        kinds = [phase for _, phase in self.phases]
        return self.phases[-1][0] if kinds[-1:] == ["masked"] and "causal" in kinds else None

    def _add_event(self, step: int, kind: str, metric: Metric) -> None:
        """What a line says beside its points."""
        if kind == "held_out" and (score := read_score(step, metric.get("questions"))) is not None:
            self.scores.append(score)
        if kind == UPDATES and len(self.updates) < MOST_UPDATES:
            for update in filter(None, [read_update(step, metric)]):
                self.updates.append(update)
                self.series["update_ratio"].extend([step], [max(update.ratio.values())])
        if kind == SLOW_STEP and len(self.slow_steps) < MOST_UPDATES:
            self.slow_steps += filter(None, [read_slow_step(step, metric)])
        if kind == "phase" and len(self.phases) < MOST_PHASES:
            phase = str(metric.get("phase"))
            if phase == "longer":
                self.longer_step = step if self.longer_step is None else self.longer_step
            elif self.phase != phase:  # a resumed run says its phase again
                self.phases.append((step, phase))
        if kind == RESUME and len(self.resumes) < MOST_PHASES:
            changed = printable(str(metric.get("changed") or ""))
            self.resumes[step] = changed or self.resumes.get(step, "")


def read_score(step: int, value: Any) -> QuestionScore | None:
    """None where the line has none, or one that is damaged."""
    try:
        is_right = tuple(bool(each) for each in value["is_right"])
        guesses = tuple(tuple((str(word), float(share)) for word, share in words) for words in value["guesses"])
    except (TypeError, ValueError, KeyError):
        return None
    return QuestionScore(step, is_right, guesses) if len(is_right) == len(guesses) > 0 else None
