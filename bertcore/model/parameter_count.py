"""How many parameters an architecture makes, counted without making it."""

from collections.abc import Collection

from bertcore.config import BertConfig


def count_parameters(config: BertConfig, heads: Collection[str] = (), pooler: bool | None = None) -> int:
    """Exact number of parameters: encoder (with the pooler, where the family has one) plus any heads by name.

    What is shared counts once: ALBERT's layers, and the MLM head's output table, which is the token table itself.
    A fixed sinusoidal position table is no parameter.
    """
    hidden, width = config.hidden_size, config.embedding_width
    rows = config.vocab_size + config.type_vocab_size
    if config.positions != "sinusoidal_fixed":
        rows += config.max_position_embeddings
    total = rows * width + config.layer_groups * _layer(config)
    total += _norm(hidden) if config.norm == "pre" else _norm(width)  # at the end of the encoder, or at its beginning
    if config.projects_embeddings:
        total += _linear(width, hidden)
    if config.family.pooler if pooler is None else pooler:
        total += _linear(hidden, hidden)
    return total + sum(_head(config, head) for head in heads)


def _layer(config: BertConfig) -> int:
    hidden, inner = config.hidden_size, config.intermediate_size
    attention = 4 * _linear(hidden, hidden) + _norm(hidden)
    return attention + _linear(hidden, inner) + _linear(inner, hidden) + _norm(hidden)


def _head(config: BertConfig, head: str) -> int:
    hidden, width, labels = config.hidden_size, config.embedding_width, config.label_count
    return {
        "mlm": _linear(hidden, width) + _norm(width) + config.vocab_size,
        "nsp": _linear(hidden, 2),
        "sop": _linear(hidden, 2),
        "rtd": _linear(hidden, hidden) + _linear(hidden, 1),
        "classify": (_linear(hidden, hidden) if config.classifier_hidden else 0) + _linear(hidden, labels),
        "choice": (_linear(hidden, hidden) if config.family.choice_hidden else 0) + _linear(hidden, 1),
        "tag": _linear(hidden, labels),
        "crf": labels * labels + 2 * labels,
        "span": _linear(hidden, 2),
        "summarise": _linear(hidden, 1),
    }[head]


def _linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def _norm(width: int) -> int:
    return 2 * width
