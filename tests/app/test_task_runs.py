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
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from tests.app.conftest import make_checkpoint
from tests.app.train_room import Models

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
CHILD_MS = 120_000


def _make_run(home: Path, task: str, evaluation: dict | None = None, crf: bool = False) -> RunFolder:
    options = FinetuneOptions(name=f"my {task}", crf=crf, data=TaskDataOptions(task=task, train="train.tsv"))
    run = RunFolder.create(home / "runs" / task, options.to_dict())
    for step in range(1, 11):
        line = {"kind": "train", "step": step, "loss": 1 / step, "classify_loss": 1 / step, "phase": "task"}
        run.append_metric({**line, "learning_rate": 1e-4, "gradient_norm": 1.0, "tok_per_s": 500.0})
    held_out = {"accuracy": 0.75, "f1": 0.5, "matthews_correlation": -0.25, "rouge2": 0.1, "spearmanr": 0.625}
    run.append_metric({"kind": "held_out", "step": 10, "loss": 0.875, **held_out})
    run.write_status(state="done", step=10, total_steps=10, fraction=1.0)
    with run.begin_snapshot(10) as folder:
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"x")
    if evaluation:
        (run.path / "evaluation.json").write_text(json.dumps(evaluation))
    return run


class TestFollowing:
    def test_runs_can_be_begun_with(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        run = _make_run(own_home, "sst2")
        service.set_following(True)
        room.form.model.setCurrentIndex(1)
        assert room.form.model.reference == str(run.path)

    @pytest.mark.parametrize(
        ("task", "main", "unit"),
        [("cola", "\u22120.250", "Matthews"), ("mrpc", "0.500", "F1"), ("stsb", "0.625", "Spearman")],
    )
    def test_main_metric_is_the_number_and_the_first_curve(
        self, task: str, main: str, unit: str, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        run = _make_run(own_home, task)
        service.set_following(True)
        room.view.draw()
        assert (room.view.numbers["right"].text, room.view.numbers["right"].unit) == (main, f"held-out {unit}")
        assert plots_of(read_run(run.path)).specs[1].curves[0].name == unit
        loss = room.view.curves.plots[0]
        assert loss.points("loss_task")[1].tolist() == [1 / step for step in range(1, 11)]
        assert loss.points("loss_task_held_out")[1].tolist() == [0.875]
        assert f"{unit} {main}" in state_line(service.runs[0])

    def test_kinds_take_turns_in_the_same_view(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        first, second = _make_run(own_home, "sst2"), _make_run(own_home, "stsb")
        service.set_following(True)
        service.select(first.path)
        room.view.draw()
        plots = room.view.curves.plots
        service.select(second.path)
        room.view.draw()
        assert room.view.curves.plots is not plots
        assert room.view.curves.plots[1].points("metric_spearmanr")[1].tolist() == [0.625]
        service.select(first.path)
        assert room.view.curves.plots is plots

    def test_list_and_title_say_the_kind(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        _make_run(own_home, "conll2003", crf=True)
        service.set_following(True)
        assert service.runs[0].does == "tag + CRF"
        assert "my conll2003, tag + CRF, Done · F1 0.500" in map(room.runs.row_text, room.runs.rows)
        assert room.view._title.text() == "my conll2003 · tag + CRF"

    def test_apply_is_offered_for_a_task(
        self, room: TrainRoom, models: Models, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home, "sst2")
        service.set_following(True)
        room.resize(1000, 700)
        room.show()
        for width in (700, 1600):  # it folds and unfolds beside a run of another kind
            room.resize(width, 700)
            assert not room.watch.isVisible()
        with qtbot.waitSignal(room.apply_requested):
            qtbot.mouseClick(room.time_machine.apply_button, Qt.MouseButton.LeftButton)
        assert models.asked == [str(run.snapshot_path(10))]

    def test_real_run_is_followed_to_its_result(
        self, room: TrainRoom, service: RunsService, tmp_path: Path, qtbot: QtBot
    ) -> None:
        model = make_checkpoint(tmp_path / "tiny")
        file = tmp_path / "own.tsv"
        rows = [f"{text}\t{label}" for text, label in (("The cat sat.", "good"), ("A dog ran home.", "bad"))] * 20
        file.write_text("text\tlabel\n" + "\n".join(rows) + "\n")
        data = TaskDataOptions(task="classify", train=str(file))
        training = TuningOptions(steps=6, batch_size=4, threads=1, precision="fp32")
        service.set_following(True)
        path = service.start(RunCommand(FinetuneOptions(name="own", model=str(model), data=data, training=training)))
        assert (
            path is not None and service.runs[0].does == "classify" and room.view.result.isVisibleTo(room.view) is False
        )

        qtbot.waitUntil(lambda: service.runs[0].status.state in ("done", "failed"), timeout=CHILD_MS)
        assert service.runs[0].status.state == "done", service.runs[0].status.message
        qtbot.waitUntil(room.view.buttons[room.view.result].isEnabled, timeout=CHILD_MS)
        assert not room.view.result.isVisibleTo(room.view)  # someone watches its curves: they stay until they are left
        written = json.loads((path / "evaluation.json").read_text())
        qtbot.mouseClick(room.view.buttons[room.view.result], Qt.MouseButton.LeftButton)
        result = room.view.result
        assert room.view.result.isVisibleTo(room.view)
        assert result.confusion.labels == written["labels"] == ["bad", "good"]
        assert result.confusion.counts == written["confusion"] and sum(map(sum, result.confusion.counts)) == 4
        assert result.metrics.bars[0].label == "accuracy"
        assert result.metrics.bars[0].number == f"{100 * written['metrics']['accuracy']:.1f}%"
        room.view.draw()
        lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
        losses = [line["loss"] for line in lines if line["kind"] == "train"]
        assert room.view.curves.plots[0].points("loss_task")[1].tolist() == losses and len(losses) == 6


EVALUATION = {
    "loss": 0.5,
    "metrics": {"f1_macro": 0.7, "accuracy": 0.75},
    "labels": ["negative", "positive"],
    "confusion": [[5, 1], [2, 4]],
    "best": [{"example": {"text_a": "What a day!"}, "right": "positive", "given": "positive", "loss": 0.01}],
    "worst": [{"example": {"text_a": "No <b>fun"}, "right": "negative", "given": "positive", "loss": 3.25}],
}


class TestResult:
    def test_finished_run_shows_what_it_wrote(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        _make_run(own_home, "sst2", EVALUATION)
        service.set_following(True)
        view = room.view
        assert view.result.isVisibleTo(view)
        assert [(bar.label, bar.number) for bar in view.result.metrics.bars] == [
            ("accuracy", "75.0%"),
            ("macro F1", "0.700"),
        ]
        assert view.result.confusion.counts == [[5, 1], [2, 4]]
        assert "No &lt;b&gt;fun" in view.result.worst.text() and "3.25" in view.result.worst.text()
        assert "What a day!" in view.result.best.text()

    def test_what_is_no_share_has_no_bar(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        metrics = {"pearson": 0.4, "spearmanr": 0.3, "mse": 2.85, "best_f1_threshold": -7.5}
        _make_run(own_home, "stsb", {**EVALUATION, "metrics": metrics})
        service.set_following(True)
        result = room.view.result
        assert [bar.label for bar in result.metrics.bars] == ["Spearman", "Pearson"]
        assert result._others.text() == "squared error 2.850, threshold for F1 \u22127.500"

    def test_run_without_a_result_shows_curves(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        with_result = _make_run(own_home, "sst2", EVALUATION)
        without = _make_run(own_home, "cola")
        service.set_following(True)
        service.select(with_result.path)
        service.select(without.path)
        assert not room.view.result.isVisibleTo(room.view) and not room.view.buttons[room.view.result].isEnabled()

    def test_student_stands_beside_its_teacher(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        from bertcore.training.distil_options import DistilOptions

        run = RunFolder.create(own_home / "runs" / "student", DistilOptions(name="student", teacher="mini").to_dict())
        run.write_status(state="done", step=3, fraction=1.0)
        sides = {"teacher": {"layers": 4, "mlm_accuracy": 0.5}, "student": {"layers": 2, "mlm_accuracy": 0.25}}
        (run.path / "comparison.json").write_text(json.dumps(sides))
        service.set_following(True)
        assert service.runs[0].does == "distil" and room.view.result.isVisibleTo(room.view)
        assert room.view.result.sides[0] == ["Held-out text", "teacher", "student"]
        assert ["layers", "4", "2"] in room.view.result.sides
        assert ["words correct", numbers.percent(0.5), numbers.percent(0.25)] in room.view.result.sides

    def test_damaged_result_counts_as_none(self, own_home: Path) -> None:
        run = _make_run(own_home, "sst2")
        for text in ("{", "[]", '{"metrics": 3}'):
            (run.path / "evaluation.json").write_text(text)
            assert read_result(run.path) is None

    def test_same_file_is_not_read_again(self, own_home: Path) -> None:
        run = _make_run(own_home, "sst2", EVALUATION)
        first = read_result(run.path)
        assert first is not None and read_result(run.path, first) is first

    def test_only_the_most_frequent_labels_are_drawn(self, qtbot: QtBot) -> None:
        table = [[row if row == column else 0 for column in range(20)] for row in range(20)]
        assert most_frequent([str(i) for i in range(20)], table, 3) == [17, 18, 19]
        widget = ConfusionMatrix()
        qtbot.addWidget(widget)
        widget.set_table([str(i) for i in range(20)], table)
        assert widget.labels == [str(i) for i in range(8, 20)]

    def test_answers_are_read_by_their_kind(self) -> None:
        choice = HeldOutExample({"context": "She", "endings": ["ran.", "sat."]}, 1, 0, 0.5)
        assert (answer_text(choice, 1), was_right(choice)) == ("sat.", False)
        tagged = HeldOutExample({"words": ["Anna", "ran"]}, ["B-PER", "O"], ["O", "O"], 0.5)
        assert (answer_text(tagged, tagged.right), answer_text(tagged, tagged.given)) == ("Anna B-PER", "no names")
        span = HeldOutExample({"passage": "At noon.", "question": "When?"}, ["noon", "At noon"], "At noon", 0.1)
        assert was_right(span) and answer_text(span, []) == "no answer"
        assert was_right(HeldOutExample({"passage": "x", "question": "y"}, [], "", 0.1))
