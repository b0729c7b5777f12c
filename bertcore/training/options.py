"""What a pretraining run is asked to do. Importable without torch; saved as the run's config.json."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bertcore.config import PRESETS, BertConfig
from bertcore.data.choices import MASKINGS, PAIRS
from bertcore.data.text import TextFormat
from bertcore.errors import BertcoreError
from bertcore.tokenizer import LEAST_BPE, VOCABULARIES
from bertcore.training.option_checks import check_corpus, check_settings, check_table, read_recipe, refuse_unknown

FORMAT_VERSION = 4
# What the versions before knew nothing of: their runs go on as they began.
_BEFORE_2 = {"pack": False}
_BEFORE_4 = {"cut_long_sentences": False}
PRECISIONS = ("auto", "fp32", "bf16")
# Room for every snapshot of a million steps of a model with 40 million parameters, or for fourteen of BERT-base.
SNAPSHOTS_MIB = 8192.0
USUAL_MINUTES = 10.0  # the budget where nothing is said
OPTIMIZERS = ("adamw", "muon")
# A small model on a short budget never learns its text by heart; dropout would only slow it down.
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
# Small models want high rates: measured for tiny and mini (docs/model.md), the paper's family for the others.
PEAK_RATES = {"tiny": 3e-3, "mini": 1e-3, "small": 7e-4, "medium": 5e-4, "base": 2e-4, "large": 1e-4}


def size_like(config: BertConfig) -> str:
    """The preset that comes nearest in width, then in depth: its learning rate suits a model of any shape."""
    layers, width = config.num_hidden_layers, config.hidden_size

    def distance(preset: str) -> tuple[float, float]:
        depth, wide = PRESETS[preset]
        return abs(math.log(wide / width)), abs(math.log(depth / layers))

    return min(PRESETS, key=distance)


@dataclass(frozen=True)
class DataOptions:
    """What the run reads."""

    corpus: tuple[str, ...] = ()  # text files or folders of them: one paragraph a line, a blank line between documents
    document_per_file: bool = False  # each file is one document; blank lines mean nothing
    text_field: str = "text"  # where a line of a .jsonl file has its text; each line is a document
    tokenizer: str | None = None  # folder with a vocabulary to use; None trains one on the corpus
    vocabulary: str = "wordpiece"  # what to train: wordpiece (BERT), bpe (RoBERTa) or words (toy texts)
    vocab_size: int = 8192  # entries at most, where a vocabulary is trained; a small text gives fewer
    lowercase: bool = True
    sequence_length: int = 64  # tokens per sequence for most of the run; small budgets need many small steps
    long_sequence_length: int = 64  # tokens per sequence in the last part, which trains the later positions
    long_share: float = 0.0  # share of the budget that the last part takes
    long_every: int = 1  # of the last part, one step in so many has the longer sequences
    short_sequence_length: int = 32  # tokens per sequence in some of the steps: a sentence or two with nothing around
    short_share: float = 0.0  # share of the other steps that have the shorter sequences
    repeat_positions: bool | None = None  # later positions begin as repeats; None: where the run began at random
    mask_share: float = 0.15  # share of ordinary tokens to predict; held-out text always has 15%
    masking: str = "tokens"  # what is chosen: single tokens (BERT), whole words, or spans of words (SpanBERT)
    pairs: str = "nsp"  # next sentence (BERT), sop: sentence order (ALBERT), none: running text (RoBERTa)
    pack: bool = True  # fill every sequence with text from other documents; False leaves the short ones padded
    cut_long_sentences: bool = True  # longer than a sequence: all is read, in pieces; False reads the beginning alone

    @property
    def text_format(self) -> TextFormat:
        return TextFormat(self.document_per_file, self.text_field)


@dataclass(frozen=True)
class TrainingOptions:
    """How the run learns."""

    steps: int | None = None  # budget in steps, or
    minutes: float | None = None  # budget in minutes of training, pauses not counted
    seed: int = 0
    batch_size: int = 16  # sequences per step at sequence_length; fewer where they are longer, more where shorter
    accumulate: int = 1  # a step's batch is worked on in so many parts, to save memory
    learning_rate: float | None = None  # at its peak; None: what suits the preset, see PEAK_RATES
    optimizer: str = "adamw"  # or muon: more is learned from each token, each step takes a little longer
    warm_up_share: float = 0.05  # share of the budget in which the rate rises
    fall_share: float | None = None  # share of the budget, at its end, in which the rate falls; None: all of the rest
    weight_decay: float = 0.01  # none on biases and LayerNorm (Devlin et al. 2019)
    gradient_clip: float = 1.0  # largest length of the gradient
    causal_share: float = 0.5  # share of the budget that begins with next-word prediction; 0 switches it off
    causal_masked_every: int = 8  # in that phase, one step in so many predicts masked words all the same
    next_sentence_weight: float = 1.0  # the next-sentence loss counts this much beside the masked words'
    precision: str = "auto"  # bf16 where the machine multiplies it faster than fp32, else fp32
    shard: bool = False  # where several processes train: divide the model among them, for one that does not fit (FSDP2)
    compile: bool = False  # torch.compile the model's forward pass; GPUs only, where the first steps then take minutes
    threads: int | None = None  # CPU threads; None: all cores but one, at least one
    log_every: int | None = None  # steps; None: every step in short runs, every tenth in long ones
    patience: int | None = None  # measurements without a better loss before the run ends early; None: never
    evaluations: int = 20  # measurements on held-out text, spread over the budget
    held_out_sequences: int = 128  # how many sequences each of them reads
    save_minutes: float = 2.0  # a snapshot to resume from at least this often, beside the log-spaced ones that stay
    snapshots_mib: float = SNAPSHOTS_MIB  # disk for all snapshots together; those of the middle go first


@dataclass(frozen=True)
class PretrainOptions:
    """A whole pretraining run: the architecture (a preset, with changes), the data and the training."""

    name: str = "pretrain"
    preset: str = "mini"
    start: str | None = None  # checkpoint folder whose weights it begins with; None: random ones
    model: Mapping[str, Any] = field(default_factory=lambda: dict(NO_DROPOUT))  # BertConfig fields that differ from it
    data: DataOptions = field(default_factory=DataOptions)
    training: TrainingOptions = field(default_factory=TrainingOptions)

    def __post_init__(self) -> None:
        self._check()

    def _check(self) -> None:
        data, training = self.data, self.training
        if self.preset not in list(PRESETS):
            raise BertcoreError(f"There is no preset {self.preset!r}; choose one of {', '.join(PRESETS)}.")
        if training.precision not in PRECISIONS:
            raise BertcoreError(f"There is no precision {training.precision!r}; choose one of {', '.join(PRECISIONS)}.")
        if training.optimizer not in OPTIMIZERS:
            raise BertcoreError(f"There is no optimizer {training.optimizer!r}; choose one of {', '.join(OPTIMIZERS)}.")
        _check_choices(data)
        if (
            not isinstance(self.name, str)
            or not isinstance(self.model, Mapping)
            or not isinstance(self.start, str | None)
        ):
            raise BertcoreError("A recipe's name must be text, and its part model a table of settings.")
        for section in (data, training):
            check_settings(section, _RANGES, _MAY_BE_OPEN)
        if data.long_sequence_length < data.sequence_length:
            raise BertcoreError("The long sequence length must not be below the sequence length.")
        if data.short_share and data.short_sequence_length > data.sequence_length:
            raise BertcoreError("The short sequence length must not be above the sequence length.")
        model = self.model_config(data.vocab_size)  # refuses one that cannot be
        positions = model.max_length
        if data.long_sequence_length > positions:
            raise BertcoreError(
                f"The sequence length {data.long_sequence_length} is more than the model's {positions} positions."
            )
        if data.pairs != "none" and not model.takes_pairs:
            raise BertcoreError(
                f"Sentence pairs ({data.pairs}) take a pooler and two segments, and this {model.family.title} has not "
                "both; set pairs to none."
            )

    @property
    def budget(self) -> tuple[int | None, float | None]:
        """(steps, None) or (None, seconds)."""
        if self.training.steps is not None:
            return self.training.steps, None
        return None, 60.0 * (self.training.minutes if self.training.minutes is not None else USUAL_MINUTES)

    @property
    def peak_rate(self) -> float:
        return self.training.learning_rate or PEAK_RATES[self.preset]

    @property
    def repeats_positions(self) -> bool:
        """Where something was trained that could be repeated."""
        if self.start is None and self.data.long_share == 1.0:
            return False
        return self.start is None if self.data.repeat_positions is None else self.data.repeat_positions

    def model_config(self, vocab_size: int) -> BertConfig:
        return BertConfig.preset(self.preset, **{**self.model, "vocab_size": vocab_size})

    def to_dict(self) -> dict[str, Any]:
        return {"format_version": FORMAT_VERSION, "kind": "pretrain", **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PretrainOptions:
        """From a recipe or a run's config.json. Unknown keys are refused by name."""
        values = dict(values)
        version = values.pop("format_version", FORMAT_VERSION)
        if version not in range(1, FORMAT_VERSION + 1) or values.pop("kind", "pretrain") != "pretrain":
            raise BertcoreError(
                f"This recipe is of another kind or version; this program reads pretraining recipes, 1 to "
                f"{FORMAT_VERSION}."
            )
        refuse_unknown(cls, values, "the recipe")
        values["model"] = {**NO_DROPOUT, **check_table(values.get("model", {}), "model")}
        data, training = (check_table(values.pop(part, {}), part) for part in ("data", "training"))
        refuse_unknown(DataOptions, data, "data")
        data = {**_BEFORE_2, **data} if version < 2 else data
        data = {**_BEFORE_4, **data} if version < 4 else data
        if version < 3 and data.get("repeat_positions") is None:
            data = {**data, "repeat_positions": False}  # earlier runs left them as they were drawn
        refuse_unknown(TrainingOptions, training, "training")
        data["corpus"] = check_corpus(data.get("corpus", ()))
        return cls(**values, data=DataOptions(**data), training=TrainingOptions(**training))

    @classmethod
    def from_file(cls, file: Path) -> PretrainOptions:
        """Read a recipe (JSON)."""
        return cls.from_dict(read_recipe(file))

    def with_flags(self, data: Mapping[str, Any], training: Mapping[str, Any], **own: Any) -> PretrainOptions:
        """The same options with flags laid over them; None means that a flag was not given."""
        given = {key: value for key, value in own.items() if value is not None}
        return replace(
            self,
            **given,
            data=replace(self.data, **{k: v for k, v in data.items() if v is not None}),
            training=replace(self.training, **{k: v for k, v in training.items() if v is not None}),
        )


# setting -> (type, lowest, highest); None passes where a setting may be left open
_RANGES: dict[str, tuple[type, float, float]] = {
    "vocab_size": (int, 50, 1_000_000),
    "sequence_length": (int, 8, 512),
    "long_sequence_length": (int, 8, 512),
    "long_share": (float, 0.0, 1.0),
    "long_every": (int, 1, 10**6),
    "short_sequence_length": (int, 8, 512),
    "short_share": (float, 0.0, 1.0),
    "mask_share": (float, 0.01, 0.9),
    "steps": (int, 1, 10**9),
    "minutes": (float, 0.01, 10**6),
    "seed": (int, 0, 2**32),
    "batch_size": (int, 1, 65_536),
    "accumulate": (int, 1, 65_536),
    "patience": (int, 1, 10**6),
    "learning_rate": (float, 1e-8, 1.0),
    "warm_up_share": (float, 0.0, 0.95),
    "fall_share": (float, 0.0, 1.0),
    "weight_decay": (float, 0.0, 10.0),
    "gradient_clip": (float, 1e-6, 1e6),
    "causal_share": (float, 0.0, 0.95),
    "causal_masked_every": (int, 1, 10**6),
    "next_sentence_weight": (float, 0.0, 1000.0),
    "threads": (int, 1, 4096),
    "log_every": (int, 1, 10**6),
    "evaluations": (int, 1, 100_000),
    "held_out_sequences": (int, 1, 1_000_000),
    "save_minutes": (float, 0.01, 10**6),
    "snapshots_mib": (float, 0.01, 10**12),
}
_CHOICES = {"vocabulary": VOCABULARIES, "masking": MASKINGS, "pairs": PAIRS}
_MAY_BE_OPEN = ("steps", "minutes", "learning_rate", "fall_share", "threads", "log_every", "patience")


def _check_choices(data: DataOptions) -> None:
    for key, choices in _CHOICES.items():
        if getattr(data, key) not in choices:
            raise BertcoreError(f"There is no {key} {getattr(data, key)!r}; choose one of {', '.join(choices)}.")
    for key in ("document_per_file", "pack", "cut_long_sentences"):
        if not isinstance(getattr(data, key), bool):
            raise BertcoreError(f"The {key.replace('_', ' ')} must be true or false, not {getattr(data, key)!r}.")
    if not isinstance(data.repeat_positions, bool | None):
        raise BertcoreError(f"Repeat positions must be true, false or null, not {data.repeat_positions!r}.")
    if not isinstance(data.text_field, str):
        raise BertcoreError(f"The text field must be a field's name, not {data.text_field!r}.")
    if data.vocabulary == "bpe" and data.tokenizer is None and data.vocab_size < LEAST_BPE:
        raise BertcoreError(f"The vocab size must be at least {LEAST_BPE} for a byte-level vocabulary.")
