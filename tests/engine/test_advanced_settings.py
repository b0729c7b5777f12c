"""What papers and tutorials turn: family, positions, epochs of pretraining, the fates of masks, a classifier's own
dropout, the longest answer, the length of a summary."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import bertcore
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.cli.main import app
from bertcore.errors import BertcoreError
from bertcore.locations import TINY
from bertcore.model.bert import sinusoidal_table
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings, Decoding
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.readers.reading import task_named
from bertcore.training.finetune import task_model
from bertcore.training.finetune_options import FinetuneOptions, TuningOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run
from tests.engine.models import decode, tiny_checkpoint, word_tokenizer
from tests.engine.training_runs import metrics, tiny_run, write_text

pytestmark = pytest.mark.usefixtures("fast_disk")


def _without_shape(options: PretrainOptions) -> PretrainOptions:
    """Of the usual shape of its family, but as small."""
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    return replace(options, model=small)


@pytest.mark.parametrize(
    ("family", "pairs", "vocabulary", "tasks"),
    [("roberta", "none", "bpe", ("mlm",)), ("albert", "sop", "wordpiece", ("mlm", "sop"))],
)
def test_a_family_brings_what_its_models_learn(
    tmp_path: Path, family: str, pairs: str, vocabulary: str, tasks: tuple[str, ...]
) -> None:
    options = _without_shape(tiny_run(write_text(tmp_path), data={"vocab_size": 300}, steps=3))
    options = options.with_changes(family=family)
    assert (options.data.pairs, options.data.vocabulary) == (pairs, vocabulary)
    opened = load_checkpoint(start_run(options, tmp_path / "run", resume=False))
    assert (opened.config.model_type, opened.output_heads) == (family, tasks)
    assert opened.config.layer_groups == (1 if family == "albert" else 2)
    transformers = pytest.importorskip("transformers")
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(opened.folder).eval()
    ids = torch.tensor([opened.tokenizer.encode("The cat says meow.").ids])
    with torch.no_grad():
        ours = opened.model.mlm_logits(opened.model(ids))
        assert torch.allclose(theirs(ids).logits[..., : ours.shape[-1]], ours, atol=1e-4)


def test_what_is_given_stands_beside_a_family() -> None:
    assert PretrainOptions().with_changes(family="albert", pairs="none").data.pairs == "none"
    assert PretrainOptions().with_changes(family="bert").data.pairs == "nsp"


@pytest.mark.parametrize("positions", ["learned", "sinusoidal_start", "sinusoidal_fixed"])
def test_positions(tmp_path: Path, positions: str) -> None:
    options = replace(tiny_run(write_text(tmp_path), steps=2, causal_share=0.0), positions=positions)
    start_run(options, tmp_path / "run", resume=False)
    first, last = (load_checkpoint(RunFolder(tmp_path / "run").snapshots()[at][1]) for at in (0, -1))
    waves = sinusoidal_table(*first.model.embeddings.position.weight.shape)
    assert torch.allclose(first.model.embeddings.position.weight, waves) == (positions != "learned")
    assert torch.allclose(last.model.embeddings.position.weight, waves) == (positions == "sinusoidal_fixed")


SHAPE = {"layers": 3, "hidden": 48, "heads": 4, "intermediate": 40, "position_count": 24, "segments": 3, "dropout": 0.2}


def test_shell_and_python_make_the_same_model(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    given = {"preset": "tiny", "steps": 2, "sequence_length": 16, "threads": 1, "precision": "fp32", **SHAPE}
    given["long_sequence_length"] = 16
    bertcore.train("pretrain", tmp_path / "python", corpus=text, vocab_size=120, **given)
    flags = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = ["pretrain", "--corpus", str(text), "--out", str(tmp_path / "shell"), "--vocabulary-size", "120", *flags]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 0, run.output
    ours, theirs = (RunFolder(tmp_path / name).newest_snapshot() for name in ("python", "shell"))
    assert ours is not None and theirs is not None
    config, made = load_checkpoint(ours).config, load_checkpoint(theirs)
    assert config == made.config and made.tokenizer.vocab_size <= 120
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (3, 48, 4)
    assert (config.intermediate_size, config.max_length, config.type_vocab_size) == (40, 24, 3)
    assert config.hidden_dropout_prob == config.attention_probs_dropout_prob == 0.2
    assert (ours / "model.safetensors").read_bytes() == (theirs / "model.safetensors").read_bytes()


def test_another_width_brings_heads_and_a_feed_forward_layer_that_fit() -> None:
    for hidden, heads in ((768, 12), (96, 2), (64, 1), (30, 1), (1000, 20)):
        config = PretrainOptions(preset="tiny", hidden=hidden).model_config(300)
        assert (config.num_attention_heads, config.intermediate_size) == (heads, 4 * hidden)
    roberta = PretrainOptions().with_changes(family="roberta", position_count=64)
    assert roberta.model_config(300).max_length == 64


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"hidden": 100, "heads": 3}, "hidden_size 100 does not divide into 3 heads"),
        ({"heads": 7}, "hidden_size 128 does not divide into 7 heads"),
        ({"position_count": 32, "sequence_length": 64}, "sequence length 64 is more than the model's 32 positions"),
        ({"segments": 1}, "Sentence pairs .nsp. need a pooler and two segments"),
        ({"sequence_length": 4}, "Sentence pairs .nsp. need sequences of 5 tokens or more; set pairs to none"),
        ({"sequence_length": 3}, "sequence length must be a whole number between 4 and 512"),
        ({"dropout": 1.5}, "dropout must be between 0 and 0.95"),
        ({"start": TINY, "layers": 3}, "A checkpoint has its own family, size and vocabulary; leave out layers"),
    ],
)
def test_a_shape_that_cannot_be_is_refused_before_there_is_a_folder(
    tmp_path: Path, given: dict[str, Any], says: str
) -> None:
    preset = {} if "start" in given else {"preset": "tiny"}
    with pytest.raises(BertcoreError, match=says):
        bertcore.train("pretrain", tmp_path / "run", corpus=write_text(tmp_path), **{**preset, **given})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("pairs", ["none", "nsp", "sop"])
def test_sequences_of_a_few_tokens(tmp_path: Path, pairs: str) -> None:
    length = 4 if pairs == "none" else 5  # [CLS] A [SEP] B [SEP]
    data = {"sequence_length": length, "long_sequence_length": length, "long_share": 0.0, "pairs": pairs}
    start_run(tiny_run(write_text(tmp_path), data, steps=4, evaluations=1), tmp_path / "run", resume=False)
    assert len(metrics(tmp_path / "run")) == 4 and metrics(tmp_path / "run", "held_out")[-1]["mlm_loss"] > 0


def test_epochs_are_a_budget_of_pretraining(tmp_path: Path, run: Path) -> None:
    options = tiny_run(write_text(tmp_path, documents=40), data={"long_share": 0.0}, steps=None, epochs=2.0)
    start_run(options, run, resume=False)
    status = RunFolder(run).status()
    assert status.state == "done" and status.step == status.total_steps
    once = tiny_run(tmp_path / "animals.txt", data={"long_share": 0.0}, steps=None, epochs=1.0)
    start_run(once, tmp_path / "once", resume=False)
    assert abs(2 * RunFolder(tmp_path / "once").status().step - status.step) <= 1
    start_run(once.with_changes(epochs=2.0), tmp_path / "once", resume=True)  # a new budget
    assert RunFolder(tmp_path / "once").status().step == status.step
    with pytest.raises(BertcoreError, match="one budget"):
        replace(options, training=replace(options.training, steps=3))


def test_every_chosen_word_can_become_a_mask(tmp_path: Path) -> None:
    options = tiny_run(write_text(tmp_path), data={"mask_fate": 1.0, "random_fate": 0.0}, steps=2, causal_share=0.0)
    start_run(options, tmp_path / "run", resume=False)
    import json

    batch = json.loads((tmp_path / "run" / "first_batch.json").read_text())
    seen = {sequence["tokens"][int(at)] for sequence in batch["sequences"] for at in sequence["predict"]}
    assert seen == {"[MASK]"} and metrics(tmp_path / "run")
    with pytest.raises(BertcoreError, match="together at most 1"):
        options.with_changes(random_fate=0.5)


def test_a_classifier_has_a_dropout_of_its_own(tmp_path: Path) -> None:
    opened = load_checkpoint(tiny_checkpoint(tmp_path / "model"))
    options = FinetuneOptions(training=TuningOptions(dropout=0.1, classifier_dropout=0.4))
    train = type("Train", (), {"labels": ("a", "b"), "examples": ()})()
    model = task_model(opened, task_named("sst2"), train, options)
    assert model.classify is not None and model.classify.dropout.p == 0.4
    assert model.config.hidden_dropout_prob == 0.1


@pytest.mark.parametrize(
    ("given", "count"), [({}, 3), ({"sentences": 5}, 5), ({"ratio": 0.2}, 2), ({"ratio": 1.0}, 10)]
)
def test_how_long_a_summary_is(given: dict[str, float], count: int) -> None:
    words = ["cat", "dog", "bird", "mat", "day", "the", "was", "sat", "sang", "very"]
    features = make_features("summarise", [SummaryExample(tuple(words))], word_tokenizer(), max_length=64)
    settings = DecodeSettings(Decoding(**given))  # type: ignore[arg-type]
    (said,) = decode(features, [(np.array([0]), np.arange(10.0))], settings)
    assert len(said.sentences) == count  # type: ignore[union-attr]
