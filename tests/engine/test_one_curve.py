"""Each measurement of a run is on the same held-out data; one of all of it, at the end, stands apart."""

import json
from pathlib import Path
from typing import Any

import pytest

import bertcore
from bertcore.runs.diagnosis import normal
from bertcore.runs.diagnosis_words import in_words
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import read_record
from bertcore.runs.sweep_results import SweepPlace, read_sweep, write_place
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from tests.engine.runs_of_each_kind import Start, fine_tuning, story
from tests.engine.training_runs import metrics, stop_at
from tests.text_file import text_file

HELD_OUT = 150


@pytest.fixture
def folder(tmp_path: Path, fast_disk: None) -> Path:
    """40 examples to learn from, 150 held out: a measurement of all of them would take longer than the steps."""
    rows = [f"the cat says {sound} {'.' * (i % 4)}\t{i % 2}" for i in range(20) for sound in ("meow", "woof")]
    text_file(tmp_path / "train.tsv", "sentence\tlabel\n" + "\n".join(rows) + "\n")
    dev = [f"the dog says {sound} {i}\t{int(i % 5 < 3)}" for i in range(HELD_OUT // 2) for sound in ("meow", "woof")]
    text_file(tmp_path / "dev.tsv", "sentence\tlabel\n" + "\n".join(dev) + "\n")
    return tmp_path


def started(folder: Path, **training: Any) -> Start:
    fine_tuning(folder)  # makes the model
    settings = {"batch_size": 8, "threads": 1, "precision": "fp32", "learning_rate": 3e-3, "steps": 6, "evaluations": 3}
    options = FinetuneOptions(
        name="test",
        model=str(folder / "model"),
        data=TaskDataOptions(task="sst2", train=str(folder / "train.tsv"), dev=str(folder / "dev.tsv"), max_length=16),
        training=TuningOptions(**{**settings, **training}),
    )
    return lambda run, on_event=None: start_run(options, run, resume=True, on_event=on_event)


def test_all_points_of_a_curve_are_of_the_same_examples_and_one_of_all_stands_apart(folder: Path) -> None:
    run = folder / "run"
    started(folder)(run)
    curve = metrics(run, "held_out")
    assert [line["step"] for line in curve] == [0, 2, 4, 6]
    assert {line["examples"] for line in curve} == {64}
    assert len({line["answers"]["chance"] for line in curve}) == 1, "what guessing gets is the same"
    (line,) = metrics(run, "evaluation")
    evaluation = json.loads((run / "evaluation.json").read_text())
    assert (line["examples"], evaluation["examples"]) == (HELD_OUT, HELD_OUT)
    assert (line["step"], evaluation["step"]) == (6, 6)
    assert line["answers"] == evaluation["answers"] and line["answers"]["chance"] == 0.6
    assert f"all held out ({HELD_OUT} examples)" in (run / "log.txt").read_text()
    assert bertcore.Run(run).metrics["examples"] == HELD_OUT
    found = RunMetrics()
    found.append(RunFolder(run).tail().read_new())
    assert (found.examples, found.evaluation["examples"]) == (64, HELD_OUT)
    assert found.series["loss_task_held_out"].arrays[0].tolist() == [0, 2, 4, 6]
    write_place(run, SweepPlace("abc", "new", 1, 1))
    (of_sweep,) = read_sweep([run]).runs  # it takes the figure on all
    assert (of_sweep.score, of_sweep.loss) == (evaluation["metrics"]["accuracy"], evaluation["loss"])
    assert [each.examples for each in of_sweep.measurements] == [64] * 4


def test_where_all_are_measured_each_time_there_is_no_second_one(folder: Path) -> None:
    run = folder / "run"
    started(folder, evaluations=1, steps=160)(run)
    assert {line["examples"] for line in metrics(run, "held_out")} == {HELD_OUT}
    assert metrics(run, "evaluation") == []


def test_a_resumed_run_is_the_undisturbed_one_and_a_longer_budget_keeps_the_examples_of_its_curve(folder: Path) -> None:
    """With it there would be time to measure more of them."""
    run, undisturbed = folder / "run", folder / "undisturbed"
    started(folder)(run, stop_at(run, 3))
    assert [line["step"] for line in metrics(run, "evaluation")] == [3]
    for place in (run, undisturbed):
        started(folder)(place)
    assert story(run) == story(undisturbed)
    started(folder, steps=400)(run)
    assert {line["examples"] for line in metrics(run, "held_out")} == {64}
    assert [line["step"] for line in metrics(run, "evaluation")] == [400], "that of its first end counts no more"


# --- folders of earlier versions: 64 before the first step, 185 on the way, all 200 at the end


def of_earlier(folder: Path, *more: dict[str, Any]) -> Path:
    run = RunFolder.create(folder / "old", {"kind": "finetune", "data": {"task": "sst2"}, "name": "old"})
    numbers = [(0, 64, 0.5625), (50, 185, 0.519), (100, 185, 0.65), (150, 185, 0.7), (200, 200, 0.705)]
    for step, examples, accuracy in numbers:
        chance = {64: 0.5625, 185: 0.519, 200: 0.515}[examples]
        answers = {"label": "positive", "share": 0.5, "right": 0.5, "chance": chance}
        line = {"kind": "held_out", "step": step, "loss": 1 - accuracy, "accuracy": accuracy, "examples": examples}
        run.append_metric({**line, "answers": answers})
    for line in more:
        run.append_metric(line)
    run.append_metric({"kind": "train", "step": 200, "loss": 0.5})
    run.write_status(state="done", step=200)
    return run.path


def test_their_curves_are_shown_whole(folder: Path) -> None:
    run, found = of_earlier(folder), RunMetrics()
    found.append(RunFolder(run).tail().read_new())
    steps, accuracies = found.series["metric_accuracy"].arrays
    assert steps.tolist() == [0, 50, 100, 150, 200] and accuracies[-1] == pytest.approx(0.705)
    assert (found.examples, found.last_measured["answers"]["chance"], found.evaluation) == (200, 0.515, {})
    said = normal(read_record(run))
    assert said is not None and "on 200 held-out examples its accuracy" in in_words(said).seen
    write_place(run, SweepPlace("abc", "old", 1, 1))
    (of_sweep,) = read_sweep([run]).runs
    assert (of_sweep.score, of_sweep.final and of_sweep.final.examples) == (0.705, 200)


@pytest.mark.parametrize("examples", [None, "x", -1, 10**30, True, [1]])
def test_lines_from_elsewhere_may_say_anything(folder: Path, examples: Any) -> None:
    strange = {"kind": "held_out", "step": 210, "loss": 0.1, "accuracy": 0.9, "examples": examples}
    run = of_earlier(folder, strange, {**strange, "kind": "evaluation"})
    found = RunMetrics()
    found.append(RunFolder(run).tail().read_new())
    assert found.examples is None and len(found.series["metric_accuracy"]) == 6
    read_record(run)  # a strange line is no reason to refuse it
