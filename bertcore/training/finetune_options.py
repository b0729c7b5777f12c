"""What a fine-tuning run is asked to do. Importable without torch; saved as the run's config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.training.option_checks import check_settings, check_table, read_recipe, refuse_unknown
from bertcore.training.options import SNAPSHOTS_MIB

FORMAT_VERSION = 1
SCHEDULE_NAMES = ("linear", "slanted", "constant")
PRECISIONS = ("auto", "fp32", "bf16")


@dataclass(frozen=True)
class TaskDataOptions:
    """What the run learns from."""

    task: str = "classify"  # a name of bertcore.tasks.readers
    train: str = ""  # file, or folder with the files under their published names
    dev: str | None = None  # held-out file; None: the folder's own, or a share of the training examples
    dev_share: float = 0.1  # of the training examples, held out where there is no dev file
    columns: Mapping[str, str] = field(
        default_factory=dict
    )  # "text", "text_b", "label" -> name in a table of one's own
    max_length: int = 128  # tokens of a sequence; what is longer is cut (answers: in windows)
    stride: int = 64  # a passage that is too long is cut in windows: one begins every so many tokens
    max_examples: int | None = None  # of the training file, the first so many; None: all


@dataclass(frozen=True)
class TuningOptions:
    """How the run learns."""

    epochs: float | None = None  # budget in passes over the training examples (3 if nothing is said), or
    steps: int | None = None  # in steps, or
    minutes: float | None = None  # in minutes of training
    seed: int = 0
    batch_size: int = 32  # examples per step
    accumulate: int = 1  # a step's batch is worked on in so many parts, to save memory
    learning_rate: float | None = None  # at its peak; None: 5e-5 for base and larger, more for small models
    schedule: str = "linear"  # linear, slanted (Howard and Ruder 2018) or constant
    warm_up_share: float = 0.1
    weight_decay: float = 0.01
    gradient_clip: float = 1.0
    layer_decay: float = 1.0  # each layer learns by this factor more slowly than the one above it
    frozen_layers: int = 0  # embeddings and so many layers from below do not learn at all; 0: all learn
    gradual_unfreezing: bool = False  # one more layer learns in each epoch, from the top (Howard and Ruder 2018)
    dropout: float | None = None  # everywhere; None: as the checkpoint says
    precision: str = "auto"
    threads: int | None = None
    evaluations: int = 6  # measurements on the held-out examples, spread over the budget
    patience: int | None = None  # measurements without a better one before the run ends early
    log_every: int | None = None
    save_minutes: float = 2.0
    snapshots_mib: float = SNAPSHOTS_MIB  # disk for all snapshots together; those of the middle go first


@dataclass(frozen=True)
class FinetuneOptions:
    """A whole fine-tuning run: the checkpoint to begin with, the data and the training."""

    name: str = "finetune"
    model: str | None = None  # folder, run or hub id of the checkpoint; None: the built-in model
    from_scratch: bool = False  # the same architecture with random weights, to see what pretraining buys
    crf: bool = False  # for taggers: score whole sequences of tags
    data: TaskDataOptions = field(default_factory=TaskDataOptions)
    training: TuningOptions = field(default_factory=TuningOptions)

    def __post_init__(self) -> None:
        training = self.training
        for section in (self, self.data, training):
            check_settings(section, _RANGES, _MAY_BE_OPEN)
        if training.schedule not in SCHEDULE_NAMES:
            raise BertcoreError(f"There is no schedule {training.schedule!r}; choose {', '.join(SCHEDULE_NAMES)}.")
        if training.precision not in PRECISIONS:
            raise BertcoreError(f"There is no precision {training.precision!r}; choose one of {', '.join(PRECISIONS)}.")
        if sum(budget is not None for budget in (training.epochs, training.steps, training.minutes)) > 1:
            raise BertcoreError("Give one budget: epochs, steps or minutes.")

    def to_dict(self) -> dict[str, Any]:
        return {"format_version": FORMAT_VERSION, "kind": "finetune", **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> FinetuneOptions:
        """From a recipe or a run's config.json. Unknown keys are refused by name."""
        values = dict(values)
        if (
            values.pop("format_version", FORMAT_VERSION) != FORMAT_VERSION
            or values.pop("kind", "finetune") != "finetune"
        ):
            raise BertcoreError("This recipe is of another kind or version; this version reads fine-tuning recipes, 1.")
        data, training = (check_table(values.pop(part, {}), part) for part in ("data", "training"))
        refuse_unknown(cls, values, "the recipe")
        refuse_unknown(TaskDataOptions, data, "data")
        refuse_unknown(TuningOptions, training, "training")
        if "columns" in data:
            data["columns"] = check_table(data["columns"], "columns")
        return cls(**values, data=TaskDataOptions(**data), training=TuningOptions(**training))

    @classmethod
    def from_file(cls, file: Path) -> FinetuneOptions:
        """Read a recipe (JSON)."""
        return cls.from_dict(read_recipe(file))

    def with_flags(self, data: Mapping[str, Any], training: Mapping[str, Any], **own: Any) -> FinetuneOptions:
        """The same options with flags laid over them; None means that a flag was not given."""
        return replace(
            self,
            **{key: value for key, value in own.items() if value is not None},
            data=replace(self.data, **{k: v for k, v in data.items() if v is not None}),
            training=replace(self.training, **{k: v for k, v in training.items() if v is not None}),
        )


# setting -> (type, lowest, highest); None passes where a setting may be left open
_RANGES: dict[str, tuple[type, float, float]] = {
    "dev_share": (float, 0.01, 0.9),
    "max_length": (int, 8, 512),
    "stride": (int, 1, 500),
    "max_examples": (int, 1, 10**9),
    "epochs": (float, 0.01, 10_000),
    "steps": (int, 1, 10**9),
    "minutes": (float, 0.01, 10**6),
    "seed": (int, 0, 2**32),
    "batch_size": (int, 1, 65_536),
    "accumulate": (int, 1, 65_536),
    "learning_rate": (float, 1e-8, 1.0),
    "warm_up_share": (float, 0.0, 0.95),
    "weight_decay": (float, 0.0, 10.0),
    "gradient_clip": (float, 1e-6, 1e6),
    "layer_decay": (float, 0.01, 1.0),
    "frozen_layers": (int, 0, 1000),
    "dropout": (float, 0.0, 0.95),
    "threads": (int, 1, 4096),
    "evaluations": (int, 1, 100_000),
    "patience": (int, 1, 100_000),
    "log_every": (int, 1, 10**6),
    "save_minutes": (float, 0.01, 10**6),
    "snapshots_mib": (float, 0.01, 10**12),
}
_MAY_BE_OPEN = (
    "epochs",
    "steps",
    "minutes",
    "learning_rate",
    "dropout",
    "threads",
    "patience",
    "log_every",
    "max_examples",
)
