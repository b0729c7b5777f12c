"""Settings of a fine-tuning run. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bertcore.settings import Settings, setting
from bertcore.training.options import LoopOptions, RunOptions

SCHEDULE_NAMES = ("linear", "slanted", "constant")
DEFAULT_EPOCHS = 3.0
FEWEST_STEPS = 150  # where no budget is given: three passes over a small file would teach nothing
_RATE_OF_BASE, _BASE_WIDTH = 5e-5, 768


@dataclass(frozen=True)
class TaskDataOptions(Settings):
    """What a fine-tuning run learns from."""

    task: str = setting("classify", "Name of the task")
    train: str = setting("", "File to learn from, or folder with the files under their published names")
    dev: str | None = setting(
        None, "Held-out file; if not given, the folder's own, or a share of the training examples"
    )
    dev_share: float = setting(
        0.1, "Share of the training examples held out where there is no dev file", within=(0.01, 0.9)
    )
    # "text", "text_b", "label" -> name in a table of one's own
    columns: Mapping[str, str] = setting({}, "Columns of the file that hold the text, text B and the label")
    max_length: int = setting(
        128, "Longest sequence; longer texts are cut (passages: into windows)", unit="tokens", within=(4, 512)
    )
    stride: int = setting(
        64, "Distance between the starts of two windows of a long passage", unit="tokens", within=(1, 500)
    )
    max_examples: int | None = setting(None, "Use only this many training examples", within=(1, 10**9))
    max_held_out: int | None = setting(
        None, "Measure on only this many held-out examples, drawn once", within=(2, 10**9)
    )


@dataclass(frozen=True)
class TuningOptions(LoopOptions):
    """How a fine-tuning run learns."""

    batch_size: int = setting(32, "Examples per step", within=(1, 65_536))
    warm_up_share: float = setting(
        0.1, "Share of the budget over which the learning rate rises (warm-up)", within=(0.0, 0.95)
    )
    evaluations: int = setting(6, "Measurements on the held-out examples, spread over the budget", within=(1, 100_000))
    epochs: float | None = setting(
        None,
        "Budget in passes over the training examples; if none is given 3, or as many as make 150 steps",
        within=(0.01, 10_000),
    )
    schedule: str = setting(
        "linear",
        "Learning rate after the warm-up: linear or slanted (Howard and Ruder 2018) decay, or constant",
        choices=SCHEDULE_NAMES,
    )
    layer_decay: float = setting(
        1.0, "Learning rate of each layer, as a multiple of that of the layer above", within=(0.01, 1.0)
    )
    frozen_layers: int = setting(
        0, "Freeze the embeddings and this many layers from the bottom; 0 freezes nothing", within=(0, 1000)
    )
    gradual_unfreezing: bool = setting(
        False, "Train one more layer in each epoch, from the top (Howard and Ruder 2018); sooner if epochs are few"
    )
    dropout: float | None = setting(
        None, "Dropout everywhere in the model; if not given, as in the checkpoint", within=(0.0, 0.95)
    )
    classifier_dropout: float | None = setting(
        None, "Dropout before the new head alone; if not given, as in the rest", within=(0.0, 0.95)
    )
    classifier_layers: int | None = setting(
        None,
        "Hidden layers of the classifier, behind the pooled [CLS]; if not given, as in the checkpoint",
        within=(0, 12),
    )
    classifier_width: int | None = setting(
        None, "Width of each of these; if not given, as in the checkpoint, else 512", within=(1, 100_000)
    )
    classifier_activation: str | None = setting(
        None,
        "Activation of each of these; if not given, as in the checkpoint, else relu",
        choices=("relu", "tanh", "gelu", "silu"),
    )
    one_logit: bool = setting(
        False, "For two labels: one logit with binary cross-entropy, instead of a logit for each label"
    )


@dataclass(frozen=True)
class FinetuneOptions(RunOptions):
    """A whole fine-tuning run: the checkpoint to start from, the data and the training."""

    kind = "finetune"

    name: str = setting("finetune", "Name of the run")
    model: str | None = setting(None, "Checkpoint, run or hub id to start from; if not given, the built-in model")
    from_scratch: bool = setting(
        False, "Start from random weights in the same architecture, to see what pretraining is worth"
    )
    crf: bool = setting(False, "For taggers: score whole sequences of tags with a conditional random field")
    data: TaskDataOptions = field(default_factory=TaskDataOptions)
    training: TuningOptions = field(default_factory=TuningOptions)

    def peak_rate(self, hidden_size: int) -> float:
        """As given, or 5e-5 for BERT-base (Devlin et al. 2019, appendix A.3), more for narrower models."""
        narrower = max(1.0, _BASE_WIDTH / hidden_size)
        return self.training.learning_rate or _RATE_OF_BASE * narrower**2
