"""A fine-tuning batch that is drawn again is the one that was trained on; what is said of its examples is true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.cli.main import app
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import snapshot_before
from bertcore.tasks.kinds.base import DecodeSettings, TokenAnswer
from bertcore.tasks.predict import by_unit, example_losses, run_task, task_loss
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.drawn_examples import BatchAnswers, DrawnExamples, example_answers, open_examples
from bertcore.training.finetune import StepBatch
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from bertcore.training.trainable import PlannedBatches, StepPlan
from tests.engine.models import decode, tiny_model
from tests.engine.training_runs import metrics

pytestmark = pytest.mark.usefixtures("fast_disk")
STEPS = 7  # more than an epoch of 24 examples
SAMPLES = {  # task -> its sample file, and settings of the run
    "sst2": ("sentiment", {}),
    "mnli": ("entailment", {}),
    "stsb": ("similarity", {}),
    "multilabel": ("topics", {}),
    "conll2003": ("names", {}),
    "crf": ("names", {"task": "conll2003", "crf": True}),
    "squad2": ("questions", {}),
    "swag": ("endings", {}),
    "summaries": ("summaries", {}),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    texts = [line for file in (assets() / "tasks").rglob("train.tsv") for line in file.read_text().splitlines()]
    tokenizer = Tokenizer.train(texts, 300)
    place = tmp_path_factory.mktemp("start") / "model"
    made = tiny_model(("mlm", "nsp"), vocab_size=tokenizer.vocab_size, max_position_embeddings=64)
    save_checkpoint(made, tokenizer, place)
    return str(place)


@contextmanager
def _noting() -> Iterator[dict[int, StepBatch]]:
    """By step, the batches that runs in this process train on."""
    taken: dict[int, StepBatch] = {}
    take = PlannedBatches.take

    def noted(self: PlannedBatches[StepBatch], step: int, fraction: float) -> tuple[StepPlan, StepBatch]:
        plan, taken[step] = take(self, step, fraction)
        return plan, taken[step]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlannedBatches, "take", noted)
        yield taken


class Runs:
    """One of each sample, trained when it is first asked for. Tests only read them."""

    def __init__(self, folder: Path, model: str) -> None:
        self._folder, self._model = folder, model
        self._made: dict[str, tuple[Path, dict[int, StepBatch]]] = {}

    def __getitem__(self, name: str) -> Path:
        return self._of(name)[0]

    def trained(self, name: str) -> dict[int, StepBatch]:
        """By step, the batches that it was trained on."""
        return self._of(name)[1]

    def _of(self, name: str) -> tuple[Path, dict[int, StepBatch]]:
        if name not in self._made:
            with _noting() as taken:
                self._made[name] = _run(self._folder / name, self._model, name), taken
        return self._made[name]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, model: str) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"), model)


def _run(folder: Path, model: str, name: str, **training: Any) -> Path:
    sample, settings = SAMPLES[name]
    options = FinetuneOptions(
        name="test",
        model=model,
        crf=bool(settings.get("crf")),
        data=TaskDataOptions(
            task=settings.get("task", name),
            train=str(assets() / "tasks" / sample),
            max_examples=24,
            max_held_out=4,
            max_length=28,  # some are cut
            stride=8,
        ),
        training=TuningOptions(
            **{
                "steps": STEPS,
                "batch_size": 5,
                "threads": 1,
                "precision": "fp32",
                "evaluations": 1,
                "dropout": 0.0,
                "learning_rate": 1e-3,
                **training,
            }
        ),
    )
    start_run(options, folder / "run", resume=False)
    return folder / "run"


def _answers(run: Path, step: int, weights: int) -> tuple[DrawnExamples, BatchAnswers]:
    batches = open_examples(run)
    drawn = batches.at(step)
    found = load_checkpoint(RunFolder(run).snapshot_path(weights)).model
    return drawn, example_answers(found, drawn, batches.tokenizer.label)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_batch_is_the_one_that_was_trained_on(name: str, runs: Runs) -> None:
    batches, trained = open_examples(runs[name]), runs.trained(name)
    for step in (STEPS, 1, *range(1, STEPS + 1)):
        drawn, (read,) = batches.at(step), trained[step].parts
        for field in ("input_ids", "segment_ids", "attention_mask"):
            mine, theirs = getattr(drawn.batch, field), getattr(read, field)
            assert (mine is None) == (theirs is None) and (mine is None or torch.equal(mine, theirs)), field
        assert drawn.batch.labels.tolist() == read.labels.tolist()
        real = read.attention_mask is None or read.attention_mask.bool()
        assert ((~torch.from_numpy(drawn.is_padding)) == real).all()
        assert [row for rows in drawn.rows for row in rows] == list(range(len(drawn.ids)))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_losses_and_answers_are_those_of_the_checkpoint(name: str, runs: Runs) -> None:
    """Against the loss that the run logged (it has no dropout), the loss that training minimises, and, example by
    example, what `evaluate` and `predict` say of all of them."""
    run = runs[name]
    drawn, answers = _answers(run, 2, weights=1)
    logged = {line["step"]: line["loss"] for line in metrics(run)}
    assert answers.loss == pytest.approx(logged[2], rel=1e-4)
    loaded = load_checkpoint(RunFolder(run).snapshot_path(1)).model.eval()
    with torch.no_grad():
        assert answers.loss == pytest.approx(float(task_loss(loaded, drawn.batch)), rel=1e-6)
    places = [place for unit in answers.units for place in unit.places]
    assert np.isfinite(answers.losses).sum() == len({(place.row, place.position) for place in places})
    assert not drawn.is_padding[np.isfinite(answers.losses)].any()
    batches = open_examples(run)
    outputs = run_task(loaded, batches.batches)
    if name not in ("crf", "squad2"):  # there an example's loss is another mean
        each = example_losses(drawn.features, by_unit(drawn.features, outputs))[drawn.units]
        assert [unit.loss for unit in answers.units] == pytest.approx(each.tolist(), rel=1e-4)
    if name != "squad2":  # whose answer is the best of all windows
        given = [decode(drawn.features, outputs, DecodeSettings.of(loaded))[unit].answer for unit in drawn.units]
        for unit, answer, number in zip(answers.units, given, drawn.units, strict=True):
            _assert_given(name, drawn, unit.given, unit.places, answer, int(number))


def _assert_given(
    name: str, drawn: DrawnExamples, given: object, places: tuple[TokenAnswer, ...], answer: Any, number: int
) -> None:
    if name == "stsb":
        assert given == pytest.approx(answer, rel=1e-4)
    elif name == "swag":
        assert given == str(answer + 1)
    elif name == "multilabel":
        assert given == ", ".join(answer)
    elif name in ("conll2003", "crf"):
        words = drawn.features.words[number]
        assert [place.given for place in places] == [answer[word] for word in words[words >= 0]]
    elif name != "summaries":  # of these the three best are chosen
        assert given == answer


@pytest.mark.parametrize("name", SAMPLES)
def test_the_right_answers_are_those_of_the_file(name: str, runs: Runs) -> None:
    drawn, answers = _answers(runs[name], 1, weights=0)
    for unit in answers.units:
        example: Any = drawn.features.examples[int(drawn.examples[unit.rows[0]])]
        for place in unit.places:
            assert (place.is_right is None) == (name == "stsb")
            shares = [option.probability for option in place.options]
            assert shares == sorted(shares, reverse=True)[:4] or any(option.is_right for option in place.options[4:])
            right = [option for option in place.options if option.is_right]
            if name not in ("stsb", "multilabel"):
                assert len(right) == 1 and right[0].name == place.right
                assert place.loss == pytest.approx(-np.log(right[0].probability), rel=1e-3)
        if name == "stsb":
            assert unit.right == pytest.approx(float(example.label)) and unit.is_right is None
        elif name == "multilabel":
            assert set(filter(None, str(unit.right).split(", "))) == set(example.label)
        elif name in ("sst2", "mnli"):
            assert unit.right == example.label and unit.is_right == (unit.given == example.label)
        elif name == "swag":
            assert unit.right == str(example.label + 1) and len(unit.rows) == len(example.endings)
        elif name in ("conll2003", "crf"):
            assert [place.right for place in unit.places] == list(example.tags)[: len(unit.places)]
        elif name == "squad2":
            assert unit.right == "" or unit.right == example.answers[0][0]
        else:
            assert [place.right == "in the summary" for place in unit.places] == list(example.labels)[
                : len(unit.places)
            ]
    assert answers.right is None if name == "stsb" else answers.right is not None


def test_accumulated_batches_are_drawn_too(tmp_path: Path, model: str) -> None:
    with _noting() as trained:
        run = _run(tmp_path, model, "mnli", accumulate=2)
    batches = open_examples(run)
    for step, made in trained.items():
        drawn = batches.at(step)
        rows = [ids[: int(n)] for part in made.parts for ids, n in zip(part.input_ids, _lengths(part), strict=True)]
        mine = [row[~padding] for row, padding in zip(drawn.ids, drawn.is_padding, strict=True)]
        assert all(np.array_equal(a, b.numpy()) for a, b in zip(mine, rows, strict=True))


def _lengths(part: Any) -> list[int]:
    shape = part.input_ids.shape
    return [shape[1]] * shape[0] if part.attention_mask is None else part.attention_mask.sum(dim=1).tolist()


def test_what_was_cut_is_counted(runs: Runs) -> None:
    batches = open_examples(runs["mnli"])
    drawn = batches.at(1)
    for row, number in enumerate(drawn.examples.tolist()):
        example: Any = drawn.features.examples[number]
        whole = len(batches.tokenizer.encode(example.text_a, example.text_b).ids)
        assert drawn.cut[row] == whole - int((~drawn.is_padding[row]).sum())
    assert drawn.cut.any()


def test_what_cannot_be_drawn_again_says_so(tmp_path: Path, run: Path, model: str) -> None:
    table = tmp_path / "train.tsv"
    rows = [f"a sentence number {number}\t{number % 2}" for number in range(30)]
    table.write_text("sentence\tlabel\n" + "\n".join(rows) + "\n")
    options = FinetuneOptions(
        name="test",
        model=model,
        data=TaskDataOptions(task="sst2", train=str(table)),
        training=TuningOptions(steps=2, batch_size=4, threads=1, precision="fp32", evaluations=1),
    )
    start_run(options, run, resume=False)
    batches = open_examples(run)
    with pytest.raises(BertcoreError, match="has taken 2 steps so far"):
        batches.at(3)
    with pytest.raises(BertcoreError, match="count from 1"):
        batches.at(0)
    table.write_text(table.read_text() + "one more\t1\n")
    with pytest.raises(BertcoreError, match="has changed since it began"):
        open_examples(run)
    table.unlink()
    with pytest.raises(BertcoreError, match=r"train\.tsv"):
        open_examples(run)


def test_another_first_batch_is_refused(tmp_path: Path, model: str) -> None:
    run = _run(tmp_path, model, "sst2", steps=1)
    kept = json.loads((run / "first_batch.json").read_text())
    kept["sequences"][0]["ids"][1] += 1
    (run / "first_batch.json").write_text(json.dumps(kept))
    with pytest.raises(BertcoreError, match="its first batch, which it saved, is different"):
        open_examples(run)


def test_the_snapshot_before_a_step_is_the_one_that_met_its_batch(runs: Runs) -> None:
    run = RunFolder(runs["sst2"])
    found = [snapshot_before(run, step) for step in (1, 2, 4)]
    assert [one and one[0] for one in found] == [0, 1, 2]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_shows_it(name: str, runs: Runs) -> None:
    run = runs[name]
    drawn, answers = _answers(run, 2, weights=1)
    result = CliRunner().invoke(app, ["batch", str(run), "--step", "2", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["loss"] == pytest.approx(answers.loss) and told["snapshot"] == 1
    rows = [sequence for example in told["examples"] for sequence in example["sequences"]]
    words = open_examples(run).tokenizer.label
    for row, sequence in enumerate(rows):
        read = [token["read"] for token in sequence["tokens"]]
        assert read == [words(int(number)) for number in drawn.ids[row][~drawn.is_padding[row]]]
    assert [example["right"] for example in told["examples"]] == [unit.right for unit in answers.units]
    for more in ([], ["--sequence", "1"]):
        shown = CliRunner().invoke(app, ["batch", str(run), "--step", "2", *more])
        assert shown.exit_code == 0 and "step 2" in shown.output
