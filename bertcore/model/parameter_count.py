"""How many parameters an architecture has, counted without making it. Importable without torch."""

from collections.abc import Collection

from bertcore.config import BertConfig


def count_parameters(config: BertConfig, heads: Collection[str] = (), pooler: bool | None = None) -> int:
    """Exact number of parameters: encoder (with the pooler, where the family has one) plus any heads by name.

    What is shared counts once: ALBERT's layers, and the MLM head's output table, which is the token table itself.
    A fixed sinusoidal position table is no parameter.
    """
    hidden, width, inner = config.hidden_size, config.embedding_width, config.intermediate_size
    positions = 0 if config.positions == "sinusoidal_fixed" else config.max_position_embeddings
    labels, square, norm = config.label_count, _linear(hidden, hidden), 2 * hidden
    sizes = {
        "embeddings": (config.vocab_size + config.type_vocab_size + positions) * width,
        "norm": norm if config.norm == "pre" else 2 * width,  # at the end of the encoder, or at its beginning
        "projection": _linear(width, hidden) if config.projects_embeddings else 0,
        "layers": config.layer_groups * (4 * square + norm + _linear(hidden, inner) + _linear(inner, hidden) + norm),
        "pooler": square if (config.family.pooler if pooler is None else pooler) else 0,
    }
    return sum(sizes.values()) + sum(
        {
            "mlm": _linear(hidden, width) + 2 * width + config.vocab_size,
            "nsp": _linear(hidden, 2),
            "sop": _linear(hidden, 2),
            "rtd": square + _linear(hidden, 1),
            "classify": (square if config.classifier_hidden else 0) + _linear(hidden, labels),
            "choice": (square if config.family.choice_hidden else 0) + _linear(hidden, 1),
            "tag": _linear(hidden, labels),
            "crf": labels * labels + 2 * labels,
            "span": _linear(hidden, 2),
            "summarise": _linear(hidden, 1),
        }[head]
        for head in heads
    )


def _linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs
