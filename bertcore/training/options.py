"""Settings that every kind of run has: its budget, its batches, its optimiser, what it writes. Imports no torch."""

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from bertcore.errors import BertcoreError
from bertcore.locations import NAMED
from bertcore.settings import Recipe, Settings, setting

HELD_OUT_SEED = 20_181_011  # what is held out, and masked in it, is the same in every run
BUDGETS = ("epochs", "steps", "minutes")
ONE_BUDGET = "Give one budget: epochs, steps or minutes."
PATHS = ("model", "start", "teacher", "corpus", "tokenizer", "questions", "train", "dev")  # settings that can be one
PRECISIONS = ("auto", "fp32", "bf16")
# Room for every snapshot of a million steps of a model with 40 million parameters, or for fourteen of BERT-base.
SNAPSHOTS_MIB = 8192.0


class Budget(NamedTuple):
    """How long a run trains: so many steps, or so many seconds without pauses."""

    steps: int | None
    seconds: float | None

    def fraction(self, step: int, elapsed_s: float) -> float:
        """Share of the budget spent, 0..1. Seconds add up with rounding errors: what is 1 but for them is 1."""
        if self.steps:
            return min(1.0, step / self.steps)
        spent = elapsed_s / (self.seconds or 1.0)
        return 1.0 if spent > 1.0 - 1e-9 else spent


@dataclass(frozen=True)
class LoopOptions(Settings):
    """What the training loop reads, whatever it trains."""

    gone: ClassVar = {"shard": ..., "log_every": ..., "causal_masked_every": 8}

    steps: int | None = setting(None, "Budget in steps", within=(1, 10**9))
    minutes: float | None = setting(None, "Budget in minutes of training, pauses not counted", within=(0.01, 10**6))
    seed: int = setting(0, "Seed of every random choice", within=(0, 2**32))
    batch_size: int = setting(
        16,
        "Sequences per step at the usual length; more where sequences are shorter, fewer where they are longer",
        within=(1, 65_536),
    )
    accumulate: int = setting(
        1, "Compute each batch in this many parts, to save memory (gradient accumulation)", within=(1, 65_536)
    )
    learning_rate: float | None = setting(
        None, "Peak learning rate; if not given, one that suits the model's size", within=(1e-8, 1.0)
    )
    warm_up_share: float = setting(
        0.05, "Share of the budget over which the learning rate rises (warm-up)", within=(0.0, 0.95)
    )
    weight_decay: float = setting(
        0.01, "Weight decay; biases and LayerNorm have none (Devlin et al. 2019)", within=(0.0, 10.0)
    )
    gradient_clip: float = setting(1.0, "Largest norm of the gradient (clipping)", within=(1e-6, 1e6))
    precision: str = setting(
        "auto", "Number format; auto uses bf16 if this machine has units for it", choices=PRECISIONS
    )
    threads: int | None = setting(None, "CPU threads; if not given, all cores but one", within=(1, 4096))
    evaluations: int = setting(20, "Measurements on held-out data, spread over the budget", within=(1, 100_000))
    patience: int | None = setting(
        None, "End early after this many measurements without a better one", within=(1, 10**6)
    )
    save_minutes: float = setting(
        2.0,
        "Save a snapshot to resume from at least this often, beside the log-spaced ones that are kept",
        unit="minutes",
        within=(0.01, 10**6),
    )
    snapshots_mib: float = setting(
        SNAPSHOTS_MIB,
        "Disk space for all snapshots together; those from the middle of the run are deleted first",
        unit="MiB",
        within=(0.01, 10**12),
    )


class RunOptions(Recipe):
    """Settings of a training run; saved as its config.json."""

    name: str
    data: Settings
    training: LoopOptions

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(getattr(self.training, budget, None) is not None for budget in BUDGETS) > 1:
            raise BertcoreError(ONE_BUDGET)

    def with_changes(self, **changes: Any) -> Self:
        """As Recipe; a budget takes the place of one of another kind. Raises BertcoreError for two of them."""
        given = {name: value for name, value in changes.items() if value is not None}
        options = self
        if len(set(BUDGETS) & set(given)) > 1:
            raise BertcoreError(ONE_BUDGET)
        if set(BUDGETS) & set(given):
            others: dict[str, Any] = {name: None for name in set(BUDGETS) - set(given) if hasattr(self.training, name)}
            options = replace(self, training=replace(self.training, **others))  # type: ignore[call-arg]
        return super(RunOptions, options).with_changes(**given)

    def with_absolute_paths(self) -> Self:
        """With the files and folders that are there by their absolute paths: a run is resumed from any folder.

        What is not there, such as the id of a model on the hub, stays as it is, and so does the name of one that ships.
        """
        return replace(_with_absolute_paths(self), data=_with_absolute_paths(self.data))  # type: ignore[call-arg]


SomeRunOptions = TypeVar("SomeRunOptions", bound=RunOptions)
Some = TypeVar("Some", bound=Settings)


def _with_absolute_paths(settings: Some) -> Some:
    given = {each.name: getattr(settings, each.name) for each in fields(settings) if each.name in PATHS}
    return replace(settings, **{name: _absolute(value) for name, value in given.items()})


def _absolute(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_absolute, value))
    if not isinstance(value, str) or not value or value in NAMED:  # the model of a pretraining run is a table
        return value
    path = os.path.expanduser(value)
    return str(Path(path).resolve()) if os.path.exists(path) else value
