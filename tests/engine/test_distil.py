"""Distillation: the student begins with its teacher's layers, learns what it says, and both are compared."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.data.batches import Batch
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distil import (
    COMPARISON_FILE,
    _forward_seconds,
    begin_with_teacher,
    distillation_losses,
    soft_cross_entropy,
    teacher_layers,
)
from bertcore.training.distil_options import DistilOptions
from bertcore.training.pretrain_options import DataOptions, continued
from bertcore.training.start import start_run
from tests.engine.models import tiny_config, tiny_model
from tests.engine.runs_of_each_kind import distillation
from tests.engine.training_runs import animal_text, metrics, tiny_run


def _teacher(folder, spare=0):
    """Of four layers. Rows to spare in its token table: decision 0006."""
    tokenizer = Tokenizer.train(animal_text().splitlines(), 200)
    model = tiny_model(("mlm", "nsp"), vocab_size=tokenizer.vocab_size + spare, num_hidden_layers=4)
    save_checkpoint(model, tokenizer, folder)
    if spare:
        (folder / "vocab.txt").unlink(missing_ok=True)
    return folder


@pytest.fixture
def teacher(tmp_path):
    return _teacher(tmp_path / "teacher")


@pytest.fixture
def padded(tmp_path):
    return _teacher(tmp_path / "padded", 8)


def options(teacher, text, **training):
    return distillation(teacher, text, **{"steps": 12, "learning_rate": 1e-3, "save_minutes": 1e-2, **training})


def test_every_other_layer():
    assert teacher_layers(12, 6) == [0, 2, 4, 6, 8, 10] and teacher_layers(4, 2) == [0, 2]
    assert teacher_layers(12, 12) == list(range(12)) and teacher_layers(12, 4) == [0, 3, 6, 9]
    teacher = tiny_model(("mlm", "nsp"), num_hidden_layers=4)
    student = Bert(tiny_config(num_hidden_layers=2))
    begin_with_teacher(teacher, student)
    layers = teacher.encoder.layers
    for ours, theirs in zip(student.encoder.layers, (layers[0], layers[2]), strict=True):
        assert torch.equal(ours.feed_forward_in.weight, theirs.feed_forward_in.weight)
    assert torch.equal(student.mlm.transform.weight, teacher.mlm.transform.weight)


def test_the_soft_loss_by_hand():
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))

    def softened(x):
        e = np.exp(x / 2 - (x / 2).max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    p, q = softened(theirs), softened(ours)
    expected = 4 * float((p * np.log(p / q)).sum(-1).mean())
    assert float(soft_cross_entropy(torch.tensor(ours), torch.tensor(theirs), 2.0)) == pytest.approx(expected, abs=1e-6)


def test_a_student_that_is_its_teacher_has_only_the_words_to_learn():
    teacher = tiny_model(("mlm", "nsp"))
    ids = torch.randint(5, 70, (3, 8))
    rows, labels, pairs = torch.tensor([1, 9]), torch.tensor([7, 8]), torch.zeros(3).long()
    batch = Batch(ids, torch.zeros_like(ids), None, rows, labels, pairs, False, 24)
    losses = distillation_losses(teacher, teacher, batch, DistilOptions())
    assert abs(float(losses.parts["soft"])) < 1e-5 and abs(float(losses.parts["cosine"])) < 1e-5
    logits = teacher.mlm_logits(teacher(ids).flatten(0, 1)[batch.rows])
    pairs = F.cross_entropy(teacher.logits("nsp", teacher(ids)[:, 0]), batch.next_sentence)
    expected = 2.0 * float(F.cross_entropy(logits, batch.labels)) + float(pairs)
    assert float(losses.total) == pytest.approx(expected, abs=1e-4)


def test_a_run_compares_both(teacher, text, run):
    """That it resumes without a trace: test_never_lose_a_run."""
    student = load_checkpoint(start_run(options(teacher, text, steps=2), run, resume=False))
    assert student.config.num_hidden_layers == 2 and student.output_heads == ("mlm", "nsp")
    comparison = json.loads((run / COMPARISON_FILE).read_text())
    assert comparison["teacher"]["layers"] == 4 and comparison["student"]["layers"] == 2
    assert comparison["student"]["parameters"] == student.parameters
    share = comparison["student_of_teacher"]["parameters"]
    assert share == pytest.approx(student.parameters / load_checkpoint(teacher).parameters)


def test_what_cannot_teach_is_refused(text, run, tmp_path, teacher):
    tokenizer = load_checkpoint(teacher).tokenizer
    save_checkpoint(tiny_model((), vocab_size=tokenizer.vocab_size), tokenizer, tmp_path / "silent")
    deep = DistilOptions(teacher=str(teacher), layers=5, data=DataOptions(corpus=(str(text),)))
    for chosen, says in (
        (options(tmp_path / "silent", text), "has to predict words"),
        (deep, "1 to 4 layers"),
        (DistilOptions(teacher=str(teacher)), "--corpus"),
    ):
        with pytest.raises(BertcoreError, match=says):
            start_run(chosen, run, resume=False)


def test_a_recipe_of_some_settings_keeps_the_other_defaults():
    plain = DistilOptions().training
    assert DistilOptions.from_dict({"training": {"minutes": 5}}).training == replace(plain, minutes=5)
    assert plain.causal_share == 0 and plain.learning_rate == 5e-4
    with pytest.raises(BertcoreError, match="reads distil recipes of version 2"):
        DistilOptions.from_dict({"format_version": 1})
    with pytest.raises(BertcoreError, match="set the causal share to 0"):
        DistilOptions.from_dict({"training": {"causal_share": 0.5}})


def test_pretraining_goes_on_from_a_checkpoint_and_loses_rows_to_spare(padded, text, run):
    """A token table that is padded to a round number of rows has some that no token's id leads to."""
    chosen = continued(tiny_run(text, steps=1, causal_share=0.0), padded)
    assert chosen.preset == "tiny"  # the nearest in width: its rate, where none is given
    start_run(chosen, run, resume=False)
    begun, former = load_checkpoint(RunFolder(run).snapshots()[0][1]), load_checkpoint(padded).model.state_dict()
    rows = begun.tokenizer.vocab_size
    assert begun.config.vocab_size == rows == len(former["embeddings.token.weight"]) - 8
    for name, value in begun.model.state_dict().items():
        assert torch.equal(value, former[name][: len(value)]), name


def test_a_teacher_teaches_without_rows_to_spare(padded, text, run):
    student = load_checkpoint(start_run(options(padded, text, steps=2), run, resume=False))
    assert student.config.vocab_size == student.tokenizer.vocab_size
    start_run(None, run, resume=True)


def test_a_student_gets_nearer_to_its_teacher_and_learns_next_sentences(teacher, text, run):
    """The teacher's head on a changed body would know nothing: .50 of the held-out pairs."""
    start_run(options(teacher, text, steps=150, batch_size=16, learning_rate=3e-3), run, resume=False)
    taught = [line["nsp_loss"] for line in metrics(run)]
    assert np.mean(taught[-30:]) < min(0.68, 0.9 * np.mean(taught[:10]))  # ln 2 is guessing
    soft = [line["soft_loss"] for line in metrics(run)]
    assert np.mean(soft[-10:]) < 0.7 * np.mean(soft[:10])


def test_a_gpu_has_done_its_work_before_the_clock_is_read(monkeypatch):
    events = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _device: events.append("waited"))
    ids = SimpleNamespace(device=torch.device("cuda"))
    batch = SimpleNamespace(input_ids=ids, segment_ids=None, attention_mask=None)
    model = lambda *_: events.append("queued")  # noqa: E731
    assert _forward_seconds(model, batch) >= 0
    assert events == ["waited", "queued", "waited"] * 4
