"""What a BERT is made of, and how many parameters that makes. Importable without torch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from bertcore.errors import BertcoreError

ACTIVATIONS = ("gelu", "gelu_new", "relu")

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


@dataclass(frozen=True)
class BertConfig:
    """Architecture of one BERT, with the field names of the Hugging Face layout.

    Raises BertcoreError where the values contradict each other.
    """

    vocab_size: int = 30_522  # V, rows of the token table; BERT's English uncased vocabulary
    hidden_size: int = 768  # H, width of every hidden state
    num_hidden_layers: int = 12  # L
    num_attention_heads: int = 12  # N; head size D = H / N
    intermediate_size: int = 3072  # width of the feed-forward layer, 4 x H in every published BERT
    hidden_act: str = "gelu"  # activation of the feed-forward layer and of the MLM head
    hidden_dropout_prob: float = 0.1  # share of hidden values dropped in training
    attention_probs_dropout_prob: float = 0.1  # share of attention probabilities dropped in training
    max_position_embeddings: int = 512  # longest sequence, in tokens
    type_vocab_size: int = 2  # number of segments
    initializer_range: float = 0.02  # standard deviation of fresh weights
    layer_norm_eps: float = 1e-12  # added to the variance in LayerNorm
    pad_token_id: int = 0  # row of the token table that is [PAD]

    def __post_init__(self) -> None:
        for name, most in _COUNTS.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise BertcoreError(f"The config's {name} must be a whole number from 1 to {most:,}, not {value!r}.")
        if self.hidden_size % self.num_attention_heads:
            raise BertcoreError(
                f"The config's hidden_size {self.hidden_size} does not divide into {self.num_attention_heads} heads."
            )
        if self.hidden_act not in ACTIVATIONS:
            raise BertcoreError(
                f"The config's hidden_act is {self.hidden_act!r}; BERTscope knows {', '.join(ACTIVATIONS)}."
            )
        if not isinstance(self.pad_token_id, int) or not 0 <= self.pad_token_id < self.vocab_size:
            raise BertcoreError(f"The config's pad_token_id {self.pad_token_id!r} is no row of the token table.")
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "initializer_range", "layer_norm_eps"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value < 1:
                raise BertcoreError(f"The config's {name} must be a number from 0 to below 1, not {value!r}.")

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def preset(cls, name: str, **changes: Any) -> BertConfig:
        """One of PRESETS, with any field changed: `BertConfig.preset("mini", vocab_size=8192)`."""
        if name not in PRESETS:
            raise BertcoreError(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
        layers, hidden = PRESETS[name]
        base = cls(
            hidden_size=hidden,
            num_hidden_layers=layers,
            num_attention_heads=hidden // HEAD_SIZE,
            intermediate_size=4 * hidden,
        )
        return base.with_changes(**changes)

    def with_changes(self, **changes: Any) -> BertConfig:
        """The same config with some fields changed; unknown names are refused."""
        _refuse_unknown(changes)
        return replace(self, **changes)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> BertConfig:
        """From exactly these fields. Unknown keys are refused, so that a typo never passes for a setting."""
        _refuse_unknown(values)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


# The largest that makes sense: far above every BERT, and low enough that a damaged config fails at once.
_COUNTS = {
    "vocab_size": 10_000_000,
    "hidden_size": 100_000,
    "num_hidden_layers": 1_000,
    "num_attention_heads": 10_000,
    "intermediate_size": 1_000_000,
    "max_position_embeddings": 1_000_000,
    "type_vocab_size": 1_000,
}


def _refuse_unknown(values: Mapping[str, Any]) -> None:
    unknown = sorted(set(values) - {field.name for field in fields(BertConfig)})
    if unknown:
        raise BertcoreError(f"The config has no field named {', '.join(unknown)}.")


def count_parameters(config: BertConfig, heads: Collection[str] = (), pooler: bool = True) -> int:
    """Exact number of parameters: encoder (with its pooler) plus any of the heads "mlm" and "nsp".

    The MLM head's output table is the token table itself and counts once.
    """
    hidden, inner = config.hidden_size, config.intermediate_size
    norm = 2 * hidden
    rows = config.vocab_size + config.type_vocab_size + config.max_position_embeddings
    attention = 4 * (hidden * hidden + hidden) + norm
    feed_forward = (hidden * inner + inner) + (inner * hidden + hidden) + norm
    total = rows * hidden + norm + config.num_hidden_layers * (attention + feed_forward)
    if pooler:
        total += hidden * hidden + hidden
    if "mlm" in heads:
        total += hidden * hidden + hidden + norm + config.vocab_size
    if "nsp" in heads:
        total += 2 * hidden + 2
    return total
