"""One run from Python: trained, resumed, read again; and settings, which Python and the shell take alike."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import bertcore
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.run_settings import run_settings
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import write_text

pytestmark = pytest.mark.usefixtures("fast_disk")
QUICK: dict[str, Any] = {"steps": 4, "batch_size": 8, "threads": 1, "precision": "fp32"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a model and a file to learn from."""
    folder = tmp_path_factory.mktemp("here")
    tiny_checkpoint(folder / "model")
    rows = "the cat sang\t1\nthe dog sat\t0\n" * 20
    (folder / "mine.tsv").write_text(f"sentence\tlabel\n{rows}")
    return folder


def test_fine_tuning_gives_a_run_with_its_model_and_metrics(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    threads, events = torch.get_num_threads(), list[dict[str, Any]]()
    out = tmp_path / "mine"
    given: dict[str, Any] = {"train": "mine.tsv", "task": "sst2", "model": Path("model"), "max_length": 16, **QUICK}
    run = bertcore.train("finetune", out, on_event=events.append, **{**given, "threads": threads + 1})
    assert capfd.readouterr() == ("", "") and torch.get_num_threads() == threads
    assert (run.state, run.step) == ("done", 4) and repr(run) == f"<run {out}: done at step 4>"
    assert run.model.predict("the cat sang").label in ("negative", "positive")
    written = json.loads((out / "evaluation.json").read_text())["metrics"]
    assert run.metrics["accuracy"] == written["accuracy"] and run.metrics["step"] == 4
    assert all(isinstance(value, int | float) for value in run.metrics.values())
    assert run.rows() == [line for line in map(json.loads, (out / "metrics.jsonl").open()) if "step" in line]
    assert [line["step"] for line in run.rows("train")] == [e["step"] for e in events if e["kind"] == "train"]
    assert run.settings["data"]["train"] == str(folder / "mine.tsv")  # it resumes from anywhere

    with pytest.raises(BertcoreError, match="already holds a run"):
        bertcore.train("finetune", out, **given)
    monkeypatch.chdir(tmp_path)
    assert bertcore.train("finetune", out, resume=True, steps=6).step == 6
    with pytest.raises(BertcoreError, match="resumes with its own settings"):
        bertcore.train("finetune", out, resume=True, learning_rate=1e-3)


def test_pretraining_and_distilling(folder: Path, tmp_path: Path) -> None:
    text = write_text(tmp_path, documents=40)
    begun = bertcore.train("pretrain", tmp_path / "more", start=folder / "model", corpus=text, evaluations=1, **QUICK)
    assert begun.model.config.hidden_size == 32 and begun.metrics["mlm_loss"] > 0
    student = bertcore.train(
        "distil",
        tmp_path / "student",
        teacher=str(folder / "model"),
        corpus=[text],
        sequence_length=16,
        evaluations=1,
        **QUICK,
    )
    assert student.model.config.num_hidden_layers == 1 and student.state == "done"


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        ("finetun", {}, "no kind of run 'finetun'; choose one of pretrain, finetune, distil"),
        ("finetune", {}, "Name a task"),
        ("finetune", {"task": "sst2", "lerning_rate": 1.0}, "no setting 'lerning_rate'; did you mean learning_rate"),
        ("finetune", {"task": "sst2", "batch_size": "16"}, "batch size must be a whole number"),
        ("finetune", {"task": "sst2", "epochs": 1, "steps": 5}, "Give one budget"),
        ("pretrain", {}, "nothing to train on"),
        ("pretrain", {"start": "bertscope-tiny", "preset": "mini"}, "leave out preset"),
    ],
)
def test_what_cannot_be_trained_is_a_sentence(tmp_path: Path, kind: str, settings: Any, sentence: str) -> None:
    with pytest.raises(BertcoreError, match=sentence):
        bertcore.train(kind, tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_a_folder_without_a_run_is_none(tmp_path: Path) -> None:
    with pytest.raises(BertcoreError, match="There is no run in"):
        bertcore.Run(tmp_path)


class TestSettings:
    def test_a_checkpoint_to_go_on_from_brings_its_architecture_and_vocabulary(self, folder: Path) -> None:
        options = run_settings("pretrain", Path("more"), {"start": folder / "model"}, resume=False, name="more")
        assert isinstance(options, PretrainOptions)
        assert options.start == options.data.tokenizer == str((folder / "model").resolve())
        assert options.model_config(len(bertcore.load(folder / "model").tokenizer.raw.get_vocab())).hidden_size == 32
        assert options.training.causal_share == 0.0 and options.name == "more"
        asked = run_settings("pretrain", Path("more"), {"start": folder / "model", "causal_share": 0.25}, resume=False)
        assert isinstance(asked, PretrainOptions) and asked.training.causal_share == 0.25

    def test_a_vocabulary_is_that_of_the_model_named(self) -> None:
        given = {"tokenizer": "bertscope-tiny", "sequence_length": 100}
        options = run_settings("pretrain", Path("more"), given, resume=False)
        assert isinstance(options, PretrainOptions)
        assert options.data.tokenizer == str((assets() / "checkpoints" / "bertscope-tiny").resolve())
        assert options.data.long_sequence_length == 100

    def test_without_a_file_a_task_learns_from_its_sample(self) -> None:
        options = run_settings("finetune", Path("runs/mine"), {"task": "sst2"}, resume=False, name="mine")
        assert isinstance(options, FinetuneOptions) and options.name == "mine"
        assert options.data.train == str(assets() / "tasks" / "sentiment")
