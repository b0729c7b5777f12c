"""Which runs a sweep is made of: every combination of the values, or some of them drawn at random. Imports no torch."""

import itertools
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.checkpoint.config_file import read_config
from bertcore.errors import BertcoreError, brief
from bertcore.resolve_model import resolve_model
from bertcore.training.finetune_options import DEFAULT_EPOCHS, FinetuneOptions
from bertcore.training.options import BUDGETS, RunOptions, SomeRunOptions
from bertcore.training.pretrain_options import DEFAULT_MINUTES, PretrainOptions

RATE_FACTOR = 3.0  # between neighbouring learning rates
MOST_RUNS = 200
WORDS = {"learning_rate": "rate", "batch_size": "batch", "epochs": "epochs", "seed": "seed"}


@dataclass(frozen=True)
class Varied:
    """What differs between the runs of a sweep. An empty tuple keeps the setting as it is.

    rates: learning rates; or one whole number: so many around the usual rate, each three times the one before.
    seeds: how often each combination is repeated, with the seed and those that follow it.
    random: only so many of the combinations, drawn with the seed; None: all of them.
    budget_share: of the budget, for each run.
    """

    rates: tuple[float, ...] = ()
    batch_sizes: tuple[int, ...] = ()
    epochs: tuple[float, ...] = ()
    seeds: int = 1
    random: int | None = None
    budget_share: float = 1.0

    @property
    def is_one_run(self) -> bool:
        return not (self.rates or self.batch_sizes or self.epochs) and self.seeds == 1

    @property
    def flags(self) -> tuple[str, ...]:
        """Of the shell."""
        lists = {"--rates": self.rates, "--batch-sizes": self.batch_sizes, "--epoch-counts": self.epochs}
        words = [word for flag, values in lists.items() if values for word in (flag, ",".join(map(str, values)))]
        words += ["--seeds", str(self.seeds)] if self.seeds > 1 else []
        words += ["--random", str(self.random)] if self.random is not None else []
        return (*words, *(("--budget-share", str(self.budget_share)) if self.budget_share < 1 else ()))


@dataclass(frozen=True)
class PlannedRun:
    path: Path
    options: RunOptions


def plan_sweep(options: SomeRunOptions, base: Path, varied: Varied, download: bool = True) -> list[PlannedRun]:
    """The runs in the order in which they are trained; their folders lie beside one another, as `base` and a suffix.

    download: the model's config may be fetched from the hub. Raises BertcoreError for values that the runs cannot have,
    and for too many of them.
    """
    _check(options, varied)
    rates = tuple(sorted(varied.rates))
    if len(rates) == 1 and rates[0] > 1:
        rates = rates_around(usual_rate(options, download), int(rates[0]))
    values = {"learning_rate": rates, "batch_size": varied.batch_sizes, "epochs": varied.epochs}
    given = {name: tuple(dict.fromkeys(each)) for name, each in values.items() if each}
    combinations: list[dict[str, Any]] = [
        dict(zip(given, each, strict=True)) for each in itertools.product(*given.values())
    ]
    if varied.random is not None and varied.random < len(combinations):
        drawn = random.Random(options.training.seed).sample(range(len(combinations)), varied.random)
        combinations = [combinations[index] for index in sorted(drawn)]
    if (count := len(combinations) * varied.seeds) > MOST_RUNS:
        raise BertcoreError(
            f"That would be {count:,} runs, and at most {MOST_RUNS} are allowed. Give fewer values, or use --random."
        )
    # one seed of all combinations before the next: what can be compared is there early
    seeds = [options.training.seed + number for number in range(varied.seeds)]
    shorter = _shorter(options, varied.budget_share)
    return [
        _planned(shorter, base, {**each, **({"seed": seed} if varied.seeds > 1 else {})})
        for seed in seeds
        for each in combinations
    ]


def usual_rate(options: RunOptions, download: bool = True) -> float:
    """The peak learning rate that these settings mean. Raises BertcoreError where there is no such model."""
    if isinstance(options, PretrainOptions):
        return options.peak_rate
    assert isinstance(options, FinetuneOptions)
    if options.training.learning_rate:
        return options.training.learning_rate
    return options.peak_rate(read_config(resolve_model(options.model, download)).hidden_size)


def rates_around(rate: float, count: int) -> tuple[float, ...]:
    """Evenly spaced on a logarithmic scale, `rate` in the middle; two digits each, as people write them."""
    low, high = 1e-8, 1.0
    exponents = [index - (count - 1) / 2 for index in range(count)]
    return tuple(min(high, max(low, float(f"{rate * RATE_FACTOR**exponent:.2g}"))) for exponent in exponents)


def _check(options: RunOptions, varied: Varied) -> None:
    if not isinstance(options, PretrainOptions | FinetuneOptions) or type(options).kind == "distil":
        raise BertcoreError("A sweep works only for pretraining and fine-tuning.")
    if not 1 <= varied.seeds <= MOST_RUNS:
        raise BertcoreError(f"The number of seeds must be between 1 and {MOST_RUNS}, not {brief(varied.seeds)}.")
    if varied.random is not None and varied.random < 1:
        raise BertcoreError(f"The number of combinations to draw must be at least 1, not {brief(varied.random)}.")
    if not 0 < varied.budget_share <= 1:
        raise BertcoreError(f"The share of the budget must be above 0 and at most 1, not {brief(varied.budget_share)}.")
    if varied.epochs and any(getattr(options.training, unit, None) is not None for unit in ("steps", "minutes")):
        raise BertcoreError("Give the runs either numbers of epochs or a budget in steps or minutes, not both.")
    if any(
        rate > 1 and not (len(varied.rates) == 1 and 2 <= rate <= 50 and rate == int(rate)) for rate in varied.rates
    ):
        raise BertcoreError(
            "Learning rates are at most 1; to choose how many are tried, give one whole number from 2 to 50."
        )


def _shorter(options: SomeRunOptions, share: float) -> SomeRunOptions:
    """With this share of the budget."""
    if share == 1.0:
        return options
    given = {unit: value for unit in BUDGETS if (value := getattr(options.training, unit, None)) is not None}
    usual = {"epochs": DEFAULT_EPOCHS} if isinstance(options, FinetuneOptions) else {"minutes": DEFAULT_MINUTES}
    unit, budget = next(iter((given or usual).items()))
    return options.with_changes(**{unit: max(1, round(budget * share)) if unit == "steps" else budget * share})


def _planned(options: RunOptions, base: Path, values: dict[str, Any]) -> PlannedRun:
    suffix = " ".join(f"{WORDS[name]} {value:g}" for name, value in values.items())
    changed = options.with_changes(name=f"{options.name} {suffix}".strip(), **values)
    return PlannedRun(base.with_name(f"{base.name}-{re.sub(r'[ +]+', '-', suffix)}".rstrip("-")), changed)
