"""The config: presets, the scale of a regression, and nothing that passes by mistake."""

import math

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import read_config_values
from bertcore.config import PRESETS, BertConfig
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS
from tests.engine.models import tiny_config, tiny_model, word_tokenizer

SIZES = {  # as published: layers, width, heads
    "tiny": (2, 128, 2),
    "mini": (4, 256, 4),
    "small": (4, 512, 8),
    "medium": (8, 512, 8),
    "base": (12, 768, 12),
    "large": (24, 1024, 16),
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_published_sizes(name):
    config = BertConfig.preset(name)
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == SIZES[name]
    assert config.intermediate_size == 4 * config.hidden_size
    assert (config.vocab_size, config.max_position_embeddings, config.type_vocab_size) == (30_522, 512, 2)


def test_unknown_names_are_refused():
    for make, names in (
        (lambda: BertConfig.from_dict({"hiden_size": 128}), "hiden_size"),
        (lambda: BertConfig.preset("mini", num_layers=3), "num_layers"),
        (lambda: tiny_config().with_changes(vocabsize=3), "vocabsize"),
        (lambda: BertConfig.preset("huge"), "huge.*tiny, mini"),
    ):
        with pytest.raises(BertcoreError, match=names):
            make()


NO_MODEL = {
    "vocab_size": (0, -1, "4", 2.5),
    "hidden_size": (0, -1, "4", 2.5, 2**40),
    "num_hidden_layers": (0, -1, "4", 2.5, 10**9),
    "num_attention_heads": (True, 5),
    "max_position_embeddings": (10**15,),
    "hidden_act": ("swish", ["gelu"]),
    "pad_token_id": (tiny_config().vocab_size, -1),
    "hidden_dropout_prob": (1.0, "0.1"),
    "attention_probs_dropout_prob": (-0.1, math.nan, None),
    "layer_norm_eps": ("1e-12", -1.0, math.inf),
    "initializer_range": ([0.02],),
    "number_range": ((1.0,), (2.0, 1.0), (1, 1), ("a", "b"), 5, (0, math.inf), (0, math.nan)),
}


@pytest.mark.parametrize("field", NO_MODEL)
def test_a_value_that_makes_no_model_is_refused_by_name(field):
    for value in NO_MODEL[field]:
        with pytest.raises(BertcoreError, match=field.removeprefix("num_attention_")):
            tiny_config(**{field: value})


# --- the scale of a regression: from the task or the examples into the checkpoint, and back


def test_of_the_task_or_of_the_examples():
    def learned(task, *numbers):
        given = [TextExample("a", "b", number) for number in numbers]
        return TASK_KINDS[TASKS[task].kind].config(TASKS[task], (), given)["number_range"]

    assert learned("stsb", 1.0, 3.0) == (0.0, 5.0)
    assert learned("similarity", 0.5, -1.0, None, 0.25) == (-1.0, 0.5)
    assert learned("similarity", 2.0, 2.0) is None and learned("similarity") is None
    assert learned("classify", "1", "2") is None


def test_a_checkpoint_keeps_it_and_transformers_reads_it(tmp_path):
    import transformers

    about = {"labels": ("score",), "problem_type": "regression"}
    save_checkpoint(tiny_model(("classify",), number_range=(0.0, 2.5), **about), word_tokenizer(), tmp_path)
    assert load_checkpoint(tmp_path).config.number_range == (0.0, 2.5)
    theirs = transformers.BertForSequenceClassification.from_pretrained(tmp_path)
    assert theirs.config.num_labels == 1 and theirs.config.number_range == [0.0, 2.5]
    save_checkpoint(tiny_model(("classify",), **about), word_tokenizer(), tmp_path)
    assert "number_range" not in read_config_values(tmp_path)
