"""The config: presets, exact parameter counts, and nothing that passes by mistake."""

import pytest
import torch

from bertcore.config import PRESETS, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.model.bert import PRETRAINING, Bert
from tests.engine.models import tiny_config


def _built(config: BertConfig, tasks: tuple[str, ...], pooler: bool) -> int:
    with torch.device("meta"):
        model = Bert(config, tasks, pooler)
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(
    ("name", "layers", "hidden", "heads"),
    [
        ("tiny", 2, 128, 2),
        ("mini", 4, 256, 4),
        ("small", 4, 512, 8),
        ("medium", 8, 512, 8),
        ("base", 12, 768, 12),
        ("large", 24, 1024, 16),
    ],
)
def test_presets_are_the_published_sizes(name: str, layers: int, hidden: int, heads: int) -> None:
    config = BertConfig.preset(name)
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (layers, hidden, heads)
    assert config.intermediate_size == 4 * hidden
    assert (config.vocab_size, config.max_position_embeddings, config.type_vocab_size) == (30_522, 512, 2)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("tasks", "pooler"), [(PRETRAINING, True), (("mlm",), False), ((), True), ((), False)])
def test_count_is_that_of_the_model_built(preset: str, tasks: tuple[str, ...], pooler: bool) -> None:
    config = BertConfig.preset(preset, vocab_size=8192)
    assert count_parameters(config, tasks, pooler) == _built(config, tasks, pooler)


@pytest.mark.parametrize("changes", [{}, {"type_vocab_size": 3, "intermediate_size": 7}, {"num_hidden_layers": 5}])
def test_count_is_that_of_transformers(changes: dict[str, int]) -> None:
    from transformers import BertConfig as TheirConfig
    from transformers import BertForPreTraining

    config = tiny_config(**changes)
    theirs = BertForPreTraining(TheirConfig(**config.to_dict()))
    assert count_parameters(config, PRETRAINING) == sum(parameter.numel() for parameter in theirs.parameters())


def test_round_trip_keeps_every_field() -> None:
    config = tiny_config(hidden_act="relu", layer_norm_eps=1e-5, pad_token_id=3, hidden_dropout_prob=0.25)
    assert BertConfig.from_dict(config.to_dict()) == config


@pytest.mark.parametrize(
    "make",
    [
        lambda: BertConfig.from_dict({"hiden_size": 128}),
        lambda: BertConfig.preset("mini", num_layers=3),
        lambda: tiny_config().with_changes(vocabsize=3),
    ],
)
def test_unknown_keys_are_refused_by_name(make: object) -> None:
    with pytest.raises(BertcoreError, match="hiden_size|num_layers|vocabsize"):
        make()  # type: ignore[operator]


def test_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BertcoreError, match="huge.*tiny, mini"):
        BertConfig.preset("huge")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((name, value) for name in ("vocab_size", "hidden_size", "num_hidden_layers") for value in (0, -1, "4", 2.5)),
        ("num_attention_heads", True),
        ("num_hidden_layers", 10**9),
        ("hidden_size", 2**40),
        ("max_position_embeddings", 10**15),
        ("num_attention_heads", 5),
        ("hidden_act", "swish"),
        ("hidden_act", ["gelu"]),
        ("pad_token_id", 10_000_000),
        ("pad_token_id", -1),
        ("hidden_dropout_prob", 1.0),
        ("hidden_dropout_prob", "0.1"),
        ("attention_probs_dropout_prob", -0.1),
        ("attention_probs_dropout_prob", float("nan")),
        ("attention_probs_dropout_prob", None),
        ("layer_norm_eps", "1e-12"),
        ("layer_norm_eps", -1.0),
        ("layer_norm_eps", float("inf")),
        ("initializer_range", [0.02]),
    ],
)
def test_a_value_that_makes_no_model_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(BertcoreError, match=field.removeprefix("num_attention_")):
        tiny_config(**{field: value})
