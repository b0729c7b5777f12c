"""The BERT family: what each of them is called, has by default and lacks; and what a model of it is made of.

Importable without torch.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from bertcore.errors import BertcoreError, brief


@dataclass(frozen=True)
class Family:
    """One family, as far as it differs from BERT."""

    title: str  # as people write it
    class_prefix: str  # `transformers`' classes begin with it: BertForMaskedLM
    encoder_prefix: str  # tensor names begin with it: bert.embeddings. ...
    pretraining: tuple[str, ...]  # the heads that it is pretrained with
    pooler: bool = True
    mlm_activation: str | None = None  # of the MLM head's hidden layer; None: the encoder's own
    classifier_hidden: str | None = None  # activation of the classifier's hidden layer; None: the pooled [CLS], none
    choice_hidden: str | None = None  # the same for multiple choice
    factorised: bool = False  # embeddings may be narrower than the hidden states
    positions_after_padding: bool = False  # positions count from pad_token_id + 1
    config_names: Mapping[str, str] = field(default_factory=dict)  # our field -> its name in config.json
    defaults: Mapping[str, Any] = field(default_factory=dict)  # what a config.json that is silent means
    no_pair_head: str = ""  # why it has no next-sentence head


_ROBERTA = Family(
    "RoBERTa",
    "Roberta",
    "roberta",
    ("mlm",),
    mlm_activation="gelu",
    classifier_hidden="tanh",
    positions_after_padding=True,
    defaults={"vocab_size": 50_265, "pad_token_id": 1},
    no_pair_head="RoBERTa was trained without next-sentence prediction.",
)

FAMILIES: dict[str, Family] = {
    "bert": Family("BERT", "Bert", "bert", ("mlm", "nsp")),
    "roberta": _ROBERTA,
    "xlm-roberta": replace(_ROBERTA, title="XLM-RoBERTa", class_prefix="XLMRoberta"),
    "camembert": replace(_ROBERTA, title="CamemBERT", class_prefix="Camembert"),
    "distilbert": Family(
        "DistilBERT",
        "DistilBert",
        "distilbert",
        ("mlm",),
        pooler=False,
        classifier_hidden="relu",
        choice_hidden="relu",
        config_names={
            "hidden_size": "dim",
            "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads",
            "intermediate_size": "hidden_dim",
            "hidden_act": "activation",
            "hidden_dropout_prob": "dropout",
            "attention_probs_dropout_prob": "attention_dropout",
            "classifier_dropout": "seq_classif_dropout",
        },
        defaults={"num_hidden_layers": 6, "type_vocab_size": 0, "classifier_dropout": 0.2},
        no_pair_head="DistilBERT was trained without next-sentence prediction.",
    ),
    "albert": Family(
        "ALBERT",
        "Albert",
        "albert",
        ("mlm", "sop"),
        factorised=True,
        config_names={"classifier_dropout": "classifier_dropout_prob"},
        defaults={
            "vocab_size": 30_000,
            "embedding_size": 128,
            "hidden_size": 4096,
            "num_hidden_groups": 1,
            "num_attention_heads": 64,
            "intermediate_size": 16_384,
            "hidden_act": "gelu_new",
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "classifier_dropout": 0.1,
        },
        no_pair_head="ALBERT was trained on sentence order (SOP) instead of next sentence.",
    ),
    "electra": Family(
        "ELECTRA",
        "Electra",
        "electra",
        ("rtd",),
        pooler=False,
        factorised=True,
        mlm_activation="gelu",
        classifier_hidden="gelu",
        choice_hidden="gelu",
        defaults={"embedding_size": 128, "hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024},
        no_pair_head="ELECTRA was trained without sentence pairs.",
    ),
}

# BERT with LayerNorm before each sublayer: a switch here (`norm="pre"`), a model type of its own in the layout.
PRE_NORM_BERT = "megatron-bert"


def family(model_type: str) -> Family:
    """The family of a config's model_type. Raises BertcoreError for one that is unknown."""
    if model_type not in FAMILIES:
        known = ", ".join([*FAMILIES, PRE_NORM_BERT])
        raise BertcoreError(f"The model family {brief(model_type)} is not supported; BERTscope opens {known}.")
    return FAMILIES[model_type]


ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "tanh")
POSITIONS = ("learned", "sinusoidal_start", "sinusoidal_fixed")
NORMS = ("post", "pre")
PROBLEMS = ("single_label_classification", "multi_label_classification", "regression")

# name -> (layers, hidden size); heads are 64 wide, the feed-forward layer is 4 x hidden (Turc et al. 2019, table 1)
PRESETS: dict[str, tuple[int, int]] = {
    "tiny": (2, 128),
    "mini": (4, 256),
    "small": (4, 512),
    "medium": (8, 512),
    "base": (12, 768),
    "large": (24, 1024),
}
HEAD_SIZE = 64


def _size(layers: int, hidden: int) -> dict[str, int]:
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": hidden // HEAD_SIZE,
        "intermediate_size": 4 * hidden,
    }


# The published models that people compare, as far as they differ from BERT-base and their family's defaults
PUBLISHED: dict[str, dict[str, Any]] = {
    "bert-base-uncased": {},
    "bert-large-uncased": _size(24, 1024),
    "roberta-base": {
        "model_type": "roberta",
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
    },
    "distilbert-base-uncased": {"model_type": "distilbert"},
    "albert-base-v2": {"model_type": "albert", **_size(12, 768)},
    "electra-small-discriminator": {"model_type": "electra"},
    "electra-base-discriminator": {"model_type": "electra", "embedding_size": 768, **_size(12, 768)},
}


@dataclass(frozen=True)
class BertConfig:
    """Architecture of one model of the BERT family, with the field names of the Hugging Face layout for BERT.

    Raises BertcoreError where the values contradict each other.
    """

    model_type: str = "bert"  # the family: names of tensors, heads and defaults follow from it
    vocab_size: int = 30_522  # V, rows of the token table; BERT's English uncased vocabulary
    embedding_size: int | None = None  # E, width of the embedding tables; None: hidden_size (ALBERT, ELECTRA: 128)
    hidden_size: int = 768  # H, width of every hidden state
    num_hidden_layers: int = 12  # L
    num_hidden_groups: int | None = None  # sets of layer parameters; None: each layer its own (ALBERT: 1)
    num_attention_heads: int = 12  # N; head size D = H / N
    intermediate_size: int = 3072  # I, width of the feed-forward layer, 4 x H in every published BERT
    hidden_act: str = "gelu"  # activation of the feed-forward layer and of the MLM head
    norm: str = "post"  # LayerNorm after each residual sum (the paper), or before each sublayer ("pre")
    positions: str = "learned"  # position table: learned, learned from a sinusoidal start, or sinusoidal and fixed
    hidden_dropout_prob: float = 0.1  # share of hidden values dropped in training
    attention_probs_dropout_prob: float = 0.1  # share of attention probabilities dropped in training
    classifier_dropout: float | None = None  # share dropped before a task head; None: hidden_dropout_prob
    classifier_hidden: str | None = "family"  # activation of the classifier's hidden layer; None: no such layer
    classifier_layers: int = 0  # further hidden layers of the classifier, behind the pooled [CLS] or the layer above
    classifier_width: int = 512  # outputs of each of these
    classifier_activation: str = "relu"  # of each of these
    one_logit: bool = False  # two labels from one number z: sigmoid(z) is the probability of the second
    max_position_embeddings: int = 512  # rows of the position table
    type_vocab_size: int = 2  # number of segments; 0: the model has none
    initializer_range: float = 0.02  # standard deviation of fresh weights
    layer_norm_eps: float = 1e-12  # added to the variance in LayerNorm
    pad_token_id: int = 0  # row of the token table that is [PAD]
    labels: tuple[str, ...] = ()  # what a classifier or tagger chooses from; one, for regression
    problem_type: str | None = None  # of sequence classification; None: one label out of several
    no_answer: bool = False  # question answering: whether a passage may hold no answer (SQuAD 2.0)
    number_range: tuple[float, float] | None = None  # regression: lowest and highest number that it learned from

    def __post_init__(self) -> None:
        about = family(self.model_type)
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if value is None and name in ("embedding_size", "num_hidden_groups"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise BertcoreError(
                    f"The config's {name} must be a whole number from {least} to {most:,}, not {brief(value)}."
                )
        if self.hidden_size % self.num_attention_heads:
            raise BertcoreError(
                f"The config's hidden_size {self.hidden_size} does not divide into {self.num_attention_heads} heads."
            )
        if not isinstance(self.pad_token_id, int) or not 0 <= self.pad_token_id < self.vocab_size:
            raise BertcoreError(
                f"The config's pad_token_id {brief(self.pad_token_id)} is not a row of the token table."
            )
        shares = ["hidden_dropout_prob", "attention_probs_dropout_prob", "initializer_range", "layer_norm_eps"]
        for name in [*shares, *(["classifier_dropout"] if self.classifier_dropout is not None else [])]:
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 <= value < 1:
                raise BertcoreError(f"The config's {name} must be a number from 0 to below 1, not {brief(value)}.")
        self._check_choices(about)

    def _check_choices(self, about: Family) -> None:
        if self.classifier_hidden == "family":
            object.__setattr__(self, "classifier_hidden", about.classifier_hidden)
        choices = {"hidden_act": ACTIVATIONS, "norm": NORMS, "positions": POSITIONS}
        choices["classifier_hidden"] = (*ACTIVATIONS, None)  # type: ignore[assignment]
        choices |= {"classifier_activation": ACTIVATIONS, "one_logit": (False, True)}  # type: ignore[dict-item]
        choices["problem_type"] = (*PROBLEMS, None)  # type: ignore[assignment]
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                known = ", ".join(str(value) for value in allowed if value is not None)
                raise BertcoreError(f"The config's {name} is {brief(getattr(self, name))}; BERTscope supports {known}.")
        if self.norm == "pre" and self.model_type != "bert":
            raise BertcoreError(f"LayerNorm before the sublayers (norm pre) exists for BERT only, not {about.title}.")
        if self.num_hidden_groups is not None and self.model_type != "albert":
            raise BertcoreError(
                f"Layers that share parameters (num_hidden_groups) exist in ALBERT only, not in {about.title}."
            )
        if self.embedding_size not in (None, self.hidden_size) and not about.factorised:
            raise BertcoreError(f"Embeddings of a different width (embedding_size) do not exist in {about.title}.")
        if (self.type_vocab_size == 0) != (self.model_type == "distilbert"):
            raise BertcoreError(f"The config's type_vocab_size is {self.type_vocab_size}, which no {about.title} has.")
        if (self.num_hidden_groups or 1) > self.num_hidden_layers:
            raise BertcoreError("The config's num_hidden_groups is more than its num_hidden_layers.")
        if self.max_length < 1:
            raise BertcoreError("The config's max_position_embeddings leaves no position for a token.")
        if not isinstance(self.labels, tuple) or not all(isinstance(label, str) for label in self.labels):
            raise BertcoreError("The config's labels must be a list of names.")
        if self.one_logit and (self.problem, self.label_count) != (PROBLEMS[0], 2):
            here = (f"there are {self.label_count}", "several can be right at once", "the answer is a number")
            raise BertcoreError(f"One logit decides between two labels; here {here[PROBLEMS.index(self.problem)]}.")
        limits = (0, 1) if self.number_range is None else self.number_range
        numbers = limits if isinstance(limits, tuple) else ()
        plain = all(isinstance(number, int | float) and abs(number) < sys.float_info.max for number in numbers)
        if len(numbers) != 2 or not plain or not numbers[0] < numbers[1]:
            raise BertcoreError(
                f"The config's number_range must be a lowest and a highest number, not {brief(limits)}."
            )

    @property
    def family(self) -> Family:
        return family(self.model_type)

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @property
    def embedding_width(self) -> int:
        """E: width of the token, segment and position tables."""
        return self.embedding_size or self.hidden_size

    @property
    def projects_embeddings(self) -> bool:
        """Whether a matrix (E,H) stands between the embeddings and the first layer."""
        # ALBERT has one in any case
        return self.embedding_width != self.hidden_size or self.model_type == "albert"

    @property
    def layer_groups(self) -> int:
        """Sets of layer parameters that exist; L unless layers share."""
        return self.num_hidden_groups or self.num_hidden_layers

    @property
    def position_offset(self) -> int:
        """Row of the position table for the first token."""
        return self.pad_token_id + 1 if self.family.positions_after_padding else 0

    @property
    def max_length(self) -> int:
        """Longest sequence, in tokens."""
        return self.max_position_embeddings - self.position_offset

    @property
    def label_count(self) -> int:
        """How many labels its classifier or tagger has; two where nothing is said."""
        return len(self.labels) or (1 if self.problem_type == "regression" else 2)

    @property
    def classifier_outputs(self) -> int:
        """Numbers that its classifier computes: one for each label, or one for two of them."""
        return 1 if self.one_logit else self.label_count

    @property
    def problem(self) -> str:
        """What kind of answer its classifier gives, one of PROBLEMS; one label alone means a number."""
        if self.problem_type is not None:
            return self.problem_type
        return "regression" if len(self.labels) == 1 else "single_label_classification"

    @property
    def has_own_head(self) -> bool:
        """Whether its classifier is one that no class of `transformers` has, whatever the family."""
        return self.classifier_layers > 0 or self.one_logit or self.classifier_hidden != self.family.classifier_hidden

    @property
    def classifier_in_words(self) -> str:
        """What an own classifier is made of: "256 > tanh 256 > relu 512 > 1 logit"; empty for the family's own."""
        if not self.has_own_head:
            return ""
        hidden = [f"{self.classifier_hidden} {self.hidden_size}"] if self.classifier_hidden else []
        own = [f"{self.classifier_activation} {self.classifier_width}"] * self.classifier_layers
        outputs = self.classifier_outputs
        return " > ".join([str(self.hidden_size), *hidden, *own, f"{outputs} logit{'s' * (outputs != 1)}"])

    @property
    def takes_pairs(self) -> bool:
        """Whether it can learn next sentence or sentence order: that takes a pooler, and a segment each for A and B."""
        return self.family.pooler and self.type_vocab_size >= 2

    @classmethod
    def preset(cls, name: str, **changes: Any) -> BertConfig:
        """One of PRESETS or PUBLISHED, with any field changed: `BertConfig.preset("mini", vocab_size=8192)`."""
        if name not in {**PRESETS, **PUBLISHED}:
            raise BertcoreError(f"There is no preset {brief(name)}; choose one of {', '.join([*PRESETS, *PUBLISHED])}.")
        values: dict[str, Any] = _size(*PRESETS[name]) if name in PRESETS else PUBLISHED[name]
        return cls(**{**family(values.get("model_type", "bert")).defaults, **values, **_known(changes)})

    def with_changes(self, **changes: Any) -> BertConfig:
        """The same config with some fields changed; unknown names are refused."""
        return replace(self, **_known(changes))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> BertConfig:
        """From exactly these fields. Unknown keys are refused, so that a typo never passes for a setting."""
        return cls(**_known(values))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


# Lowest and highest that make sense: far above every BERT, and low enough that a damaged config fails at once.
_COUNTS = {
    "vocab_size": (1, 10_000_000),
    "embedding_size": (1, 100_000),
    "hidden_size": (1, 100_000),
    "num_hidden_layers": (1, 1_000),
    "num_hidden_groups": (1, 1_000),
    "num_attention_heads": (1, 10_000),
    "intermediate_size": (1, 1_000_000),
    "max_position_embeddings": (1, 1_000_000),
    "type_vocab_size": (0, 1_000),
    "classifier_layers": (0, 12),
    "classifier_width": (1, 100_000),
}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, lists as tuples; names that no field has are refused."""
    unknown = sorted(set(values) - {field.name for field in fields(BertConfig)})
    if unknown:
        raise BertcoreError(f"The config has no field named {', '.join(unknown)}.")
    known = dict(values)
    for name in ("labels", "number_range"):
        if isinstance(known.get(name), list):
            known[name] = tuple(known[name])
    return known


@dataclass(frozen=True)
class ParameterPart:
    """The parameters of one part of a model, and how they are counted: with V rows in the token table, P in the
    position table, T segments, E embedding width, H hidden size, I feed-forward width, L layers."""

    name: str  # "tokens", "positions", "segments", "attention", "feed_forward", ...
    formula: str  # "V × H"
    count: int


def parameter_parts(config: BertConfig, pooler: bool | None = None) -> list[ParameterPart]:
    """What the encoder's parameters are, in the order in which a text meets them; parts that it lacks are left out.

    What is shared counts once, such as ALBERT's layers. A fixed sinusoidal position table is no parameter.
    pooler: whether there is one; None: where the family has one.
    """
    hidden, inner, groups = config.hidden_size, config.intermediate_size, config.layer_groups
    width, e = config.embedding_width, "H" if config.embedding_width == config.hidden_size else "E"
    positions = 0 if config.positions == "sinusoidal_fixed" else config.max_position_embeddings
    layers = "L" if config.num_hidden_groups is None else str(groups)
    is_pre, square = config.norm == "pre", _linear(hidden, hidden)
    has_pooler = config.family.pooler if pooler is None else pooler
    feed_forward = _linear(hidden, inner) + _linear(inner, hidden)
    parts = (
        ParameterPart("tokens", f"V × {e}", config.vocab_size * width),
        ParameterPart("positions", f"P × {e}", positions * width),
        ParameterPart("segments", f"T × {e}", config.type_vocab_size * width),
        ParameterPart("embedding_norm", f"2 × {e}", 0 if is_pre else 2 * width),
        ParameterPart("projection", f"{e} × H + H", _linear(width, hidden) if config.projects_embeddings else 0),
        ParameterPart("attention", f"{layers} × 4 × (H² + H)", groups * 4 * square),
        ParameterPart("feed_forward", f"{layers} × (2 × H × I + I + H)", groups * feed_forward),
        ParameterPart("layer_norms", f"{layers} × 4 × H", groups * 4 * hidden),
        ParameterPart("final_norm", "2 × H", 2 * hidden if is_pre else 0),
        ParameterPart("pooler", "H² + H", square if has_pooler else 0),
    )
    return [part for part in parts if part.count]


def count_parameters(config: BertConfig, heads: Collection[str] = (), pooler: bool | None = None) -> int:
    """Exact number of parameters: the encoder's parts, plus any heads by name.

    The MLM head's output table is the token table itself, and counts once.
    """
    hidden, width, labels = config.hidden_size, config.embedding_width, config.label_count
    square = _linear(hidden, hidden)
    return sum(part.count for part in parameter_parts(config, pooler)) + sum(
        {
            "mlm": _linear(hidden, width) + 2 * width + config.vocab_size,
            "nsp": _linear(hidden, 2),
            "sop": _linear(hidden, 2),
            "rtd": square + _linear(hidden, 1),
            "classify": (square if config.classifier_hidden else 0) + _classifier(config),
            "choice": (square if config.family.choice_hidden else 0) + _linear(hidden, 1),
            "tag": _linear(hidden, labels),
            "crf": labels * labels + 2 * labels,
            "span": _linear(hidden, 2),
            "summarise": _linear(hidden, 1),
        }[head]
        for head in heads
    )


def _classifier(config: BertConfig) -> int:
    """Parameters of its further hidden layers and its output."""
    widths = [config.hidden_size, *[config.classifier_width] * config.classifier_layers, config.classifier_outputs]
    return sum(map(_linear, widths, widths[1:]))


def _linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs
