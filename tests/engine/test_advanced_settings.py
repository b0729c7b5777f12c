"""What papers and tutorials turn: family, positions, epochs of pretraining, the fates of masks, a classifier's own
dropout, the longest answer, the length of a summary."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.bert import sinusoidal_table
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.decoding import Decoding
from bertcore.tasks.examples import SummaryExample
from bertcore.tasks.features.decode import DecodeSettings, decode
from bertcore.tasks.features.make import make_features
from bertcore.tasks.readers.reading import task_named
from bertcore.training.finetune import task_model
from bertcore.training.finetune_options import FinetuneOptions, TuningOptions
from bertcore.training.pretrain import start_or_resume
from bertcore.training.pretrain_options import PretrainOptions
from tests.engine.models import tiny_checkpoint, word_tokenizer
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
    opened = load_checkpoint(start_or_resume(options, tmp_path / "run", resume=False))
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
    start_or_resume(options, tmp_path / "run", resume=False)
    first, last = (load_checkpoint(RunFolder(tmp_path / "run").snapshots()[at][1]) for at in (0, -1))
    waves = sinusoidal_table(*first.model.embeddings.position.weight.shape)
    assert torch.allclose(first.model.embeddings.position.weight, waves) == (positions != "learned")
    assert torch.allclose(last.model.embeddings.position.weight, waves) == (positions == "sinusoidal_fixed")


def test_epochs_are_a_budget_of_pretraining(tmp_path: Path) -> None:
    options = tiny_run(write_text(tmp_path, documents=40), data={"long_share": 0.0}, steps=None, epochs=2.0)
    run = tmp_path / "run"
    start_or_resume(options, run, resume=False)
    status = RunFolder(run).status()
    assert status.state == "done" and status.step == status.total_steps
    once = tiny_run(tmp_path / "animals.txt", data={"long_share": 0.0}, steps=None, epochs=1.0)
    start_or_resume(once, tmp_path / "once", resume=False)
    assert abs(2 * RunFolder(tmp_path / "once").status().step - status.step) <= 1
    start_or_resume(once.with_changes(epochs=2.0), tmp_path / "once", resume=True)  # a new budget
    assert RunFolder(tmp_path / "once").status().step == status.step
    with pytest.raises(BertcoreError, match="one budget"):
        replace(options, training=replace(options.training, steps=3))


def test_every_chosen_word_can_become_a_mask(tmp_path: Path) -> None:
    options = tiny_run(write_text(tmp_path), data={"mask_fate": 1.0, "random_fate": 0.0}, steps=2, causal_share=0.0)
    start_or_resume(options, tmp_path / "run", resume=False)
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
    chosen = Decoding(**given)  # type: ignore[arg-type]
    settings = DecodeSettings(sentences=chosen.sentences, ratio=chosen.ratio)
    (said,) = decode(features, [(np.array([0]), np.arange(10.0))], settings)
    assert len(said.sentences) == count  # type: ignore[union-attr]
