"""Runs that teach a task: the form says the right command, the run is followed, and its result is what it wrote."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.train.curves.plots import plots_of
from app.rooms.train.room import TrainRoom
from app.rooms.train.run.result_view import ConfusionMatrix, most_frequent
from app.runs.ending_sentences import answer_text, was_right
from app.runs.process import RunCommand
from app.runs.run_info import HeldOutExample, read_result, read_run
from app.runs.run_sentences import state_line
from app.runs.service import RunsService
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from tests.app.conftest import TIMEOUT_MS
from tests.app.train_room import Models, look_at, stored_run

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
EVALUATION = {
    "loss": 0.5,
    "metrics": {"f1_macro": 0.7, "accuracy": 0.75},
    "labels": ["negative", "positive"],
    "confusion": [[5, 1], [2, 4]],
    "best": [{"example": {"text_a": "What a day!"}, "right": "positive", "given": "positive", "loss": 0.01}],
    "worst": [{"example": {"text_a": "No <b>fun"}, "right": "negative", "given": "positive", "loss": 3.25}],
}


def _make_run(task: str, evaluation: dict | None = None, crf: bool = False) -> RunFolder:
    options = FinetuneOptions(name=f"my {task}", crf=crf, data=TaskDataOptions(task=task, train="train.tsv"))
    lines: list[dict] = [{"kind": "train", "step": step, "loss": 1 / step, "phase": "task"} for step in range(1, 11)]
    held_out = {"accuracy": 0.75, "f1": 0.5, "matthews_correlation": -0.25, "rouge2": 0.1, "spearmanr": 0.625}
    lines.append({"kind": "held_out", "step": 10, "loss": 0.875, **held_out})
    run = stored_run(task, options, lines, [10], step=10, total_steps=10, fraction=1.0)
    if evaluation:
        (run.path / "evaluation.json").write_text(json.dumps(evaluation))
    return run


# --- following


@pytest.mark.parametrize(
    ("task", "main", "unit"),
    [("cola", "\u22120.250", "Matthews"), ("mrpc", "0.500", "F1"), ("stsb", "0.625", "Spearman")],
)
def test_main_metric_is_the_number_and_the_first_curve(
    task: str, main: str, unit: str, room: TrainRoom, service: RunsService
) -> None:
    run = _make_run(task)
    look_at(room, run)
    right, loss = room.view.numbers["right"], room.view.curves.plots[0]
    assert (right.text, right.unit) == (main, f"held-out {unit}")
    assert plots_of(read_run(run.path)).specs[1].curves[0].name == unit
    assert loss.points("loss_task")[1].tolist() == [1 / step for step in range(1, 11)]
    assert loss.points("loss_task_held_out")[1].tolist() == [0.875]
    assert f"{unit} {main}" in state_line(service.runs[0])


def test_kinds_take_turns_in_the_same_view(room: TrainRoom, service: RunsService) -> None:
    first, second = _make_run("sst2"), _make_run("stsb")
    look_at(room, first)
    curves, plots = room.view.curves, room.view.curves.plots
    look_at(room, second)
    assert curves.plots is not plots and curves.plots[1].points("metric_spearmanr")[1].tolist() == [0.625]
    look_at(room, first)
    assert curves.plots is plots


def test_list_and_title_say_the_kind(room: TrainRoom, service: RunsService) -> None:
    look_at(room, _make_run("conll2003", crf=True))
    assert service.runs[0].does == "tag + CRF"
    assert "my conll2003, tag + CRF, Done · F1 0.500" in map(room.runs.row_text, room.runs.rows)
    assert room.view._title.text() == "my conll2003 · tag + CRF"


def test_it_can_be_begun_with_and_applied(room: TrainRoom, models: Models, service: RunsService, qtbot: QtBot) -> None:
    run = _make_run("sst2")
    look_at(room, run)
    room.form.model.setCurrentIndex(1)
    assert room.form.model.reference == str(run.path)
    room.show()
    for width in (700, 1600):  # it folds and unfolds beside a run of another kind
        room.resize(width, 700)
        assert not room.watch.isVisible()
    with qtbot.waitSignal(room.apply_requested):
        qtbot.mouseClick(room.time_machine.apply_button, Qt.MouseButton.LeftButton)
    assert models.asked == [str(run.snapshot_path(10))]


def test_real_run_is_followed_to_its_result(
    room: TrainRoom, service: RunsService, model_folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "own.tsv"
    file.write_text("text\tlabel\n" + "The cat sat.\tgood\nA dog ran home.\tbad\n" * 20)
    data = TaskDataOptions(task="classify", train=str(file))
    training = TuningOptions(steps=6, batch_size=4, threads=1, precision="fp32")
    service.set_following(True)
    options = FinetuneOptions(name="own", model=str(model_folder), data=data, training=training)
    path = service.start(RunCommand(options))
    result, button = room.view.result, room.view.buttons[room.view.result]
    assert service.runs[0].does == "classify" and not result.isVisibleTo(room.view)
    qtbot.waitUntil(lambda: service.runs[0].status.state in ("done", "failed"), timeout=TIMEOUT_MS)
    assert service.runs[0].status.state == "done", service.runs[0].status.message
    qtbot.waitUntil(button.isEnabled, timeout=TIMEOUT_MS)
    assert not result.isVisibleTo(room.view)  # someone watches its curves: they stay until they are left
    written = json.loads((path / "evaluation.json").read_text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert result.isVisibleTo(room.view)
    assert result.confusion.labels == written["labels"] == ["bad", "good"]
    assert result.confusion.counts == written["confusion"] and sum(map(sum, result.confusion.counts)) == 4
    accuracy = f"{100 * written['metrics']['accuracy']:.1f}%"
    assert (result.metrics.bars[0].label, result.metrics.bars[0].number) == ("accuracy", accuracy)
    room.view.draw()
    lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in lines if line["kind"] == "train"]
    assert room.view.curves.plots[0].points("loss_task")[1].tolist() == losses and len(losses) == 6


# --- the result


def test_finished_run_shows_what_it_wrote_and_one_without_a_result_its_curves(
    room: TrainRoom, service: RunsService
) -> None:
    run, view, result = _make_run("sst2", EVALUATION), room.view, room.view.result
    look_at(room, run)
    assert view.result.isVisibleTo(view)
    bars = [(bar.label, bar.number) for bar in result.metrics.bars]
    assert bars == [("accuracy", "75.0%"), ("macro F1", "0.700")]
    assert result.confusion.counts == [[5, 1], [2, 4]]
    assert "No &lt;b&gt;fun" in result.worst.text() and "3.25" in result.worst.text()
    assert "What a day!" in result.best.text()
    look_at(room, _make_run("cola"))
    assert not view.result.isVisibleTo(view) and not view.buttons[result].isEnabled()
    metrics = {"pearson": 0.4, "spearmanr": 0.3, "mse": 2.85, "best_f1_threshold": -7.5}
    look_at(room, _make_run("stsb", {**EVALUATION, "metrics": metrics}))
    assert [bar.label for bar in result.metrics.bars] == ["Spearman", "Pearson"], "what is no share has no bar"
    assert result._others.text() == "squared error 2.850, threshold for F1 \u22127.500"


def test_student_stands_beside_its_teacher(room: TrainRoom, service: RunsService) -> None:
    run = stored_run("student", DistilOptions(name="student", teacher="mini"), step=3)
    sides = {"teacher": {"layers": 4, "mlm_accuracy": 0.5}, "student": {"layers": 2, "mlm_accuracy": 0.25}}
    (run.path / "comparison.json").write_text(json.dumps(sides))
    look_at(room, run)
    result = room.view.result
    assert service.runs[0].does == "distil" and result.isVisibleTo(room.view)
    assert result.sides[0] == ["Held-out text", "teacher", "student"] and ["layers", "4", "2"] in result.sides
    assert ["words correct", numbers.percent(0.5), numbers.percent(0.25)] in result.sides


def test_a_result_is_read_once_and_a_damaged_one_counts_as_none() -> None:
    run = _make_run("sst2", EVALUATION)
    first = read_result(run.path)
    assert first is not None and read_result(run.path, first) is first
    for text in ("{", "[]", '{"metrics": 3}'):
        (run.path / "evaluation.json").write_text(text)
        assert read_result(run.path) is None


def test_only_the_most_frequent_labels_are_drawn(qtbot: QtBot) -> None:
    labels, table = [str(i) for i in range(20)], [[row * (row == column) for column in range(20)] for row in range(20)]
    assert most_frequent(labels, table, 3) == [17, 18, 19]
    widget = ConfusionMatrix()
    qtbot.addWidget(widget)
    widget.set_table(labels, table)
    assert widget.labels == labels[8:]


def test_answers_are_read_by_their_kind() -> None:
    choice = HeldOutExample({"context": "She", "endings": ["ran.", "sat."]}, 1, 0, 0.5)
    assert (answer_text(choice, 1), was_right(choice)) == ("sat.", False)
    tagged = HeldOutExample({"words": ["Anna", "ran"]}, ["B-PER", "O"], ["O", "O"], 0.5)
    assert (answer_text(tagged, tagged.right), answer_text(tagged, tagged.given)) == ("Anna B-PER", "no names")
    span = HeldOutExample({"passage": "At noon.", "question": "When?"}, ["noon", "At noon"], "At noon", 0.1)
    assert was_right(span) and answer_text(span, []) == "no answer"
    assert was_right(HeldOutExample({"passage": "x", "question": "y"}, [], "", 0.1))
