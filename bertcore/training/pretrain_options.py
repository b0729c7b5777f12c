"""Settings of a pretraining run. Imports no torch."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from bertcore.checkpoint.config_file import read_config
from bertcore.config import HEAD_SIZE, POSITIONS, PRESETS, BertConfig
from bertcore.data.mixture import MixtureFile, find_files, readings, sources_of
from bertcore.data.text import TextFormat, text_files
from bertcore.errors import BertcoreError
from bertcore.settings import Settings, setting
from bertcore.tokenizer import LEAST_BPE, VOCABULARIES
from bertcore.training.options import Budget, LoopOptions, RunOptions

MASKINGS = ("tokens", "words", "spans")
PAIRS = ("nsp", "sop", "none")
HEADS_OF_PAIRS = {"nsp": ("mlm", "nsp"), "sop": ("mlm", "sop"), "none": ("mlm",)}  # what learns from each kind of pairs
OPTIMIZERS = ("adamw", "muon")
# What makes a preset one of another family, and what such a model usually learns from.
FAMILY_FIELDS: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1, "pad_token_id": 1},
    "albert": {"model_type": "albert", "embedding_size": 128, "num_hidden_groups": 1},
}
FAMILY_DATA: dict[str, dict[str, Any]] = {
    "bert": {"pairs": "nsp", "vocabulary": "wordpiece"},
    "roberta": {"pairs": "none", "vocabulary": "bpe"},
    "albert": {"pairs": "sop", "vocabulary": "wordpiece"},
}
# settings of the model's shape -> the fields of its config
SHAPE = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "intermediate": "intermediate_size",
    "segments": "type_vocab_size",
    "dropout": "hidden_dropout_prob",
}
FEWEST_OF_A_PAIR = 5  # tokens: [CLS] A [SEP] B [SEP]
DEFAULT_MINUTES = 10.0  # the budget where none is given
# A small model on a short budget never learns its text by heart; dropout would only slow it down.
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
# Small models want high rates: measured for tiny and mini (docs/model.md), the paper's family for the others.
PEAK_RATES = {"tiny": 3e-3, "mini": 1e-3, "small": 7e-4, "medium": 5e-4, "base": 2e-4, "large": 1e-4}


@dataclass(frozen=True)
class DataOptions(Settings):
    """What a pretraining run reads."""

    gone: ClassVar = {"cut_long_sentences": True}

    corpus: tuple[str, ...] = setting(
        (), "Text files, or folders of them: a paragraph a line, a blank line between documents"
    )
    mixture: Mapping[str, Any] = setting(
        {}, "Files in the folders of the corpus, each with its kind, weight, pairs, held_out; none: all files alike"
    )
    document_per_file: bool = setting(False, "Each file is one document; blank lines mean nothing")
    text_field: str = setting("text", "The field of a .jsonl line that holds its text; each line is a document")
    tokenizer: str | None = setting(
        None, "Use the vocabulary of this folder or model; if not given, one is learned from the text"
    )
    vocabulary: str = setting(
        "wordpiece",
        "Kind of vocabulary to learn: wordpiece (BERT), bpe (RoBERTa) or words (toy texts)",
        choices=VOCABULARIES,
    )
    vocab_size: int = setting(8192, "Largest number of entries of a learned vocabulary", within=(50, 1_000_000))
    lowercase: bool = setting(True, "Convert text to lower case (of a learned vocabulary)")
    sequence_length: int = setting(64, "Length of a sequence for most of the run", unit="tokens", within=(4, 512))
    long_sequence_length: int = setting(
        64, "Length of a sequence in the last part, which trains the later positions", unit="tokens", within=(4, 512)
    )
    long_share: float = setting(0.0, "Share of the budget that the last part takes", within=(0.0, 1.0))
    long_every: int = setting(1, "In the last part, one step in this many has the longer sequences", within=(1, 10**6))
    short_sequence_length: int = setting(
        32,
        "Length of the shorter sequences of some steps: a sentence or two by themselves",
        unit="tokens",
        within=(4, 512),
    )
    short_share: float = setting(0.0, "Share of the other steps that have the shorter sequences", within=(0.0, 1.0))
    repeat_positions: bool | None = setting(
        None,
        "Later positions start as copies of trained ones; if not given, only where the run starts from random weights",
    )
    mask_share: float = setting(
        0.15, "Share of ordinary tokens to predict; held-out text always has 15%", within=(0.01, 0.9)
    )
    last_mask_share: float | None = setting(
        None,
        "Share of ordinary tokens to predict in the last step, reached evenly; if not given, it stays as it is",
        within=(0.01, 0.9),
    )
    mask_fate: float = setting(0.8, "Share of these that become [MASK]", within=(0.0, 1.0))
    random_fate: float = setting(
        0.1, "Share of these that become a random token; the rest stays as it is", within=(0.0, 1.0)
    )
    masking: str = setting(
        "tokens", "What is masked: single tokens (BERT), whole words, or spans of words (SpanBERT)", choices=MASKINGS
    )
    pairs: str = setting(
        "nsp", "Next sentence (nsp, BERT), sentence order (sop, ALBERT), or running text (none, RoBERTa)", choices=PAIRS
    )
    questions: str | None = setting(
        None,
        "File of questions, answered at each measurement: in each line a JSON object with text (with one [MASK]), "
        "answers and category",
    )
    pack: bool = setting(True, "Fill every sequence with text from other documents instead of padding it")
    exact_shares: bool = setting(
        True,
        "Mask exactly the share on average, with ordinary tokens as random ones, and measure as many pairs that follow "
        "as do not; off, as before format 5: rounded, any token, by chance",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        sources_of(self.mixture)  # refuses what is none
        if self.mask_fate + self.random_fate > 1.0:
            raise BertcoreError("The mask fate and the random fate are shares of one whole; together at most 1.")

    @property
    def sources(self) -> dict[str, MixtureFile]:
        """The files of the mixture by name; empty where there is none."""
        return sources_of(self.mixture)

    @property
    def files(self) -> list[Path]:
        """What is read, in the mixture's order where there is one. Raises BertcoreError for what is not there."""
        if self.mixture:
            return find_files(list(self.mixture), self.corpus)
        return text_files(map(Path, self.corpus))

    @property
    def vocabulary_files(self) -> list[Path]:
        """What a vocabulary is learned from: what is trained on, and of a mixture the heavy files several times."""
        if not self.mixture:
            return [Path(name) for name in self.corpus]
        trained = {name: source for name, source in self.sources.items() if source.weight and not source.held_out}
        return readings(find_files(list(trained), self.corpus), [source.weight for source in trained.values()])

    @property
    def text_format(self) -> TextFormat:
        return TextFormat(self.document_per_file, self.text_field)

    @property
    def lengths(self) -> set[int]:
        """Of all sequences that the run reads."""
        some = {self.long_sequence_length: self.long_share, self.short_sequence_length: self.short_share}
        return {self.sequence_length, *(length for length, share in some.items() if share)}


@dataclass(frozen=True)
class TrainingOptions(LoopOptions):
    """How a pretraining run learns."""

    epochs: float | None = setting(None, "Budget in passes over the text", within=(0.01, 10_000))
    optimizer: str = setting(
        "adamw", "Optimiser; muon learns more from each token, but a step takes a little longer", choices=OPTIMIZERS
    )
    fall_share: float | None = setting(
        None,
        "Share of the budget, at its end, over which the learning rate falls; if not given, all after the warm-up",
        within=(0.0, 1.0),
    )
    causal_share: float = setting(
        0.5, "Share of the budget, at its start, that predicts the next word; 0 for none", within=(0.0, 0.95)
    )
    next_sentence_weight: float = setting(
        1.0, "Weight of the next-sentence loss beside the masked words'", within=(0.0, 1000.0)
    )
    compile: bool | None = setting(
        None, "Compile the model with torch.compile (the first steps take minutes); if not given, on a GPU"
    )
    workers: int | None = setting(
        None, "Processes that make batches, 0: a thread does; if not given, several for a GPU", within=(0, 256)
    )
    held_out_sequences: int = setting(
        128, "Sequences that each measurement on held-out text reads", within=(1, 1_000_000)
    )


def refuse_mask_share(data: DataOptions, training: TrainingOptions) -> None:
    """Raises BertcoreError for one that changes where no number of steps says how fast."""
    if data.last_mask_share is not None and training.steps is None:
        raise BertcoreError("A share of masked tokens that changes follows the steps; give the budget in steps.")


@dataclass(frozen=True)
class PretrainOptions(RunOptions):
    """A whole pretraining run: the architecture (a preset, with changes), the data and the training."""

    kind = "pretrain"
    format_version = 5

    name: str = setting("pretrain", "Name of the run")
    preset: str = setting("mini", "Size of the model", choices=tuple(PRESETS))
    start: str | None = setting(None, "Checkpoint folder whose weights the run starts from; if not given, random ones")
    # BertConfig fields that differ from the preset's
    model: Mapping[str, Any] = setting(NO_DROPOUT, "Fields of the model's config that differ from the preset")
    data: DataOptions = field(default_factory=DataOptions)
    training: TrainingOptions = field(default_factory=TrainingOptions)
    family: str = setting(
        "bert",
        "Family of a new model; RoBERTa reads running text in a byte-level vocabulary, ALBERT shares one layer and "
        "learns sentence order",
        choices=tuple(FAMILY_FIELDS),
    )
    positions: str = setting(
        "learned", "Position table of a new model: learned, learned from sine waves, or sine waves", choices=POSITIONS
    )
    layers: int | None = setting(None, "Layers; if not given, the preset's", within=(1, 1000))
    hidden: int | None = setting(None, "Hidden size; if not given, the preset's", within=(1, 100_000))
    heads: int | None = setting(
        None, "Attention heads of a layer; they divide the hidden size; if not given, 64 wide", within=(1, 10_000)
    )
    intermediate: int | None = setting(
        None, "Width of the feed-forward layer; if not given, 4 times the hidden size", within=(1, 1_000_000)
    )
    position_count: int | None = setting(
        None, "Longest sequence that the model reads; if not given, 512", unit="tokens", within=(4, 1_000_000)
    )
    segments: int | None = setting(
        None, "Kinds of segments; if not given, 2 (RoBERTa: 1). Sentence pairs need 2", within=(1, 1000)
    )
    dropout: float | None = setting(None, "Dropout everywhere in the model; if not given, none", within=(0.0, 0.95))

    def __post_init__(self) -> None:
        super().__post_init__()
        data = self.data
        if data.vocabulary == "bpe" and data.tokenizer is None and data.vocab_size < LEAST_BPE:
            raise BertcoreError(f"The vocab size must be at least {LEAST_BPE} for a byte-level vocabulary.")
        refuse_mask_share(data, self.training)
        if data.long_sequence_length < data.sequence_length:
            raise BertcoreError("The long sequence length must be at least the sequence length.")
        if data.short_share and data.short_sequence_length > data.sequence_length:
            raise BertcoreError("The short sequence length must be at most the sequence length.")
        model = self.model_config(data.vocab_size)  # refuses one that cannot be
        positions, longest = model.max_length, data.long_sequence_length
        if longest > positions:
            raise BertcoreError(f"The sequence length {longest} is more than the model's {positions} positions.")
        if data.pairs != "none" and not model.takes_pairs:
            raise BertcoreError(
                f"Sentence pairs ({data.pairs}) need a pooler and two segments, and this {model.family.title} does not "
                "have both; set pairs to none."
            )

        if data.pairs != "none" and min(data.lengths) < FEWEST_OF_A_PAIR:
            raise BertcoreError(
                f"Sentence pairs ({data.pairs}) need sequences of {FEWEST_OF_A_PAIR} tokens or more; set pairs to none."
            )

    @property
    def budget(self) -> Budget:
        """Epochs become steps when the text has been read (`in_steps`)."""
        if self.training.steps is not None:
            return Budget(self.training.steps, None)
        minutes = self.training.minutes
        return Budget(None, 60.0 * (DEFAULT_MINUTES if minutes is None else minutes))

    @property
    def peak_rate(self) -> float:
        has_own_size = self.layers is not None or self.hidden is not None
        size = size_like(self.model_config(self.data.vocab_size)) if has_own_size else self.preset
        return self.training.learning_rate or PEAK_RATES[size]

    @property
    def fall_share(self) -> float:
        fall = self.training.fall_share
        return 1.0 - self.training.warm_up_share if fall is None else fall

    @property
    def repeats_positions(self) -> bool:
        """Where something was trained that could be repeated."""
        if self.start is None and self.data.long_share == 1.0:
            return False
        return self.start is None if self.data.repeat_positions is None else self.data.repeat_positions

    def mask_share_at(self, step: int) -> float:
        """Share of the ordinary tokens that this step, counted from 1, predicts."""
        first, last, steps = self.data.mask_share, self.data.last_mask_share, self.training.steps
        return first if last is None or steps is None else first + (last - first) * min(1.0, step / steps)

    def in_steps(self, sequences_per_epoch: int) -> Self:
        """The same with a budget of epochs as one of steps, for a text of so many sequences of the usual length."""
        epochs = self.training.epochs
        if epochs is None:
            return self
        steps = max(1, round(epochs * sequences_per_epoch / self.training.batch_size))
        return replace(self, training=replace(self.training, epochs=None, steps=steps))

    def model_config(self, vocab_size: int) -> BertConfig:
        about = FAMILY_FIELDS[self.family]
        own = {**about, "positions": self.positions, **self.model, **shape_of(vars(self)), "vocab_size": vocab_size}
        if self.position_count is not None:  # RoBERTa has some before the first token
            own["max_position_embeddings"] = self.position_count + about.get("pad_token_id", -1) + 1
        return BertConfig.preset(self.preset, **own)

    def with_changes(self, **changes: Any) -> Self:
        """As RunOptions; another family brings what its models learn from, where that is not given."""
        family = changes.get("family")
        usual = FAMILY_DATA[family] if family in FAMILY_DATA and family != self.family else {}
        return super().with_changes(**{**changes, **{key: changes.get(key) or value for key, value in usual.items()}})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """As Recipe. A model that is given says of dropout what it has of it, if it is to have any."""
        model = values.get("model", {})
        return super().from_dict({**values, "model": {**NO_DROPOUT, **model} if isinstance(model, Mapping) else model})


def shape_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a model's config that settings of its shape mean. Another width brings heads 64 wide, or as near to
    that as divides it, and a feed-forward layer four times as wide."""
    given = {field: settings[name] for name, field in SHAPE.items() if settings.get(name) is not None}
    hidden = settings.get("hidden")
    if isinstance(hidden, int):
        counts = [count for count in range(1, hidden + 1) if hidden % count == 0]
        heads = min(counts, key=lambda count: abs(math.log(hidden / count / HEAD_SIZE)))
        given = {"num_attention_heads": heads, "intermediate_size": 4 * hidden, **given}
    if "hidden_dropout_prob" in given:
        given["attention_probs_dropout_prob"] = given["hidden_dropout_prob"]
    return given


def size_like(config: BertConfig) -> str:
    """The preset that comes nearest in width, then in depth: its learning rate suits a model of any shape."""
    layers, width = config.num_hidden_layers, config.hidden_size

    def distance(preset: str) -> tuple[float, float]:
        depth, wide = PRESETS[preset]
        return abs(math.log(wide / width)), abs(math.log(depth / layers))

    return min(PRESETS, key=distance)


def continued(options: PretrainOptions, checkpoint: Path) -> PretrainOptions:
    """The same run, starting from a checkpoint: its architecture, its vocabulary, its weights.

    Raises BertcoreError where the checkpoint's config cannot be read.
    """
    config = read_config(checkpoint)
    fields = {name: value for name, value in config.to_dict().items() if name not in ("vocab_size", "labels")}
    lengths = {
        name: min(getattr(options.data, name), config.max_length)
        for name in ("sequence_length", "long_sequence_length", "short_sequence_length")
    }
    pairs = options.data.pairs if config.takes_pairs else "none"
    data = replace(options.data, tokenizer=str(checkpoint), pairs=pairs, **lengths)
    return replace(options, start=str(checkpoint), preset=size_like(config), model={**fields, **NO_DROPOUT}, data=data)
