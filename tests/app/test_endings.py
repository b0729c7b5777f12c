"""What a run is found to be: normal or not, its ending in words with what can be done, and the result of a task."""

import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.look import numbers
from app.rooms.train.curves.plots import plots_of
from app.rooms.train.run.result_view import ConfusionMatrix, most_frequent
from app.rooms.train.run.strips import HealthStrip
from app.runs.ending_sentences import answer_text, ending_of, nearest_snapshot, was_right
from app.runs.finding import APPLY, BEST, COMPARE, CONTINUE, COPY, LOG, OPEN, RESUME, SLOWER, TRY
from app.runs.process import RunCommand
from app.runs.run_info import HeldOutExample, RunInfo, read_result, read_run
from app.runs.run_sentences import state_line
from app.state.task_info import counted, counted_value
from bertcore.runs.diagnosis import Diagnosis, Suggestion
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import read_record
from bertcore.training.distil_options import DistilOptions
from bertcore.training.failures import as_sentence
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from tests.app.conftest import placed, wait_until
from tests.app.train_room import chosen_step, look_at, opened_at, stored_run
from tests.engine.training_runs import tiny_run, write_text

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
TASK = RunInfo(Path("run"), "films", "", RunStatus("done", step=20), task_kind="classify", metrics=("accuracy",))
ANSWERS = {"answers": {"label": "good", "share": 0.6, "right": 0.5, "chance": 0.519}}
EVALUATION = {
    "loss": 0.5,
    "metrics": {"f1_macro": 0.7, "accuracy": 0.75},
    "labels": ["negative", "positive"],
    "confusion": [[5, 1], [2, 4]],
    "best": [{"example": {"text_a": "What a day!"}, "right": "positive", "given": "positive", "loss": 0.01}],
    "worst": [{"example": {"text_a": "No <b>fun"}, "right": "negative", "given": "positive", "loss": 3.25}],
}


@pytest.fixture
def run():
    return stored_run(snapshots=(10, 20))


def metrics_of(*lines):
    metrics = RunMetrics()
    metrics.append(lines)
    return metrics


def measured(step, accuracy, kind="held_out", **more):
    return {"kind": kind, "step": step, "loss": 0.6, "accuracy": accuracy, **more}


def ended(losses, state="done", message=None, ends_with=None, **fields):
    metrics = metrics_of(*({"kind": "held_out", "step": 10 * i, "mlm_loss": loss} for i, loss in enumerate(losses)))
    status = RunStatus(state, step=10 * len(losses), elapsed_s=60, message=message, ends_with=ends_with)
    return ending_of(RunInfo(Path("run"), "stories", "", status, **fields), metrics)


def test_a_run_that_learned_one_that_was_stopped_and_one_at_work():
    made = ended([9.0, 6.0, 4.25])
    assert "9.00" in made.sentence and "4.25" in made.sentence
    assert made.actions == (OPEN, COMPARE, CONTINUE, COPY) and not made.advice and not made.is_bad
    assert ended([9.0, 5.0], "stopped", can_resume=True).actions[0] == RESUME
    assert ended([9.0, 5.0], "running") is None and ended([9.0, 5.0], is_built_in=True) is None


def test_it_says_what_guessing_would_get():
    metrics = metrics_of(measured(0, 0.5), measured(1, 0.6), measured(2, 0.55, **ANSWERS))
    made = ending_of(TASK, metrics)
    assert "went from 50.0% to 55.0%" in made.sentence
    assert made.advice == "Its best was 60.0%, at step 1. Always giving the most common answer would get 51.9%."
    assert made.actions == (APPLY, OPEN, COMPARE, COPY)
    metrics.append([{"kind": "held_out", "step": 3, "mlm_loss": 4.0, "by_frequency": 6.128}])
    text = ending_of(replace(TASK, metrics=()), metrics)
    assert text.advice == "Guessing by word frequency alone would give a loss of 6.13."


def test_it_says_what_the_score_rests_on():
    """A file of 54 examples: 6 steps, and 100% of the 5 that were held out."""
    for examples, says_little in ((5, True), (49, True), (200, False)):
        metrics = metrics_of(*(measured(at, at / 6, examples=examples) for at in (0, 6)))
        made = ending_of(replace(TASK, status=RunStatus("done", step=6)), metrics)
        counted = f" ({examples} of {examples} right)" if says_little else ""
        assert f"went from 0.0% to 100.0%{counted} in 6 steps" in made.sentence
        assert f"{examples} held-out examples." in made.sentence
        assert ("That says little" in made.sentence) == says_little == ("95% interval" in made.sentence)


def test_a_share_of_few_examples_is_counted_with_its_interval():
    """Of 6, all right: Wilson's interval ends at 61%."""
    assert counted("classify", "accuracy", 1.0, 6) == (
        "6 of 6 right",
        "On other examples like these it may be anything from 61% to 100% (95% interval).",
    )
    assert counted_value("choice", "accuracy", 0.75, 24) == "75.0% (18 of 24 right)"
    assert counted_value("span", "exact_match", 0.5, 8) == "50.0% (4 of 8 right)"
    for kind, metric, share, examples in (
        ("classify", "accuracy", 1.0, 50),  # of many
        ("classify", "accuracy", 3.0, 6),  # of a damaged file
        ("classify", "accuracy", None, 6),
        ("classify", "accuracy", 1.0, None),
        ("tag", "accuracy", 1.0, 6),  # of words
        ("classify", "f1_macro", 1.0, 6),
    ):
        assert counted(kind, metric, share, examples) == ("", "")


def test_what_is_said_of_the_end_takes_no_room_from_the_chart(room, service, qtbot):
    options = FinetuneOptions(name="reviews").with_changes(task="classify")
    run = stored_run("reviews", options, state="running", snapshots=(0, 10))
    for step in range(1, 151):
        run.append_metric({"kind": "train", "step": step, "loss": 1 / step, "learning_rate": 1e-4, "tok_per_s": 9.0})
        if step % 25 == 0:
            run.append_metric({"kind": "held_out", "step": step, "loss": 0.1, "accuracy": step / 150, "examples": 6})
    room.resize(1300, 800)
    with qtbot.waitExposed(room):
        room.show()
    heights = []
    with run.acquire():
        run.write_status(state="running", step=150, total_steps=150)
        look_at(room, run)
        room.view.buttons[room.view.curves].click()
        room.grab()
        heights.append(room.view.curves.height())
        assert "At work" in room.view.ending.sentence.text() and OPEN in room.view.ending.buttons
    run.write_status(state="done", step=150, elapsed_s=12.0)
    service.refresh()
    service._poll_selected()
    room.grab()
    heights.append(room.view.curves.height())
    assert room.view.ending.sentence.text().startswith("Done") and heights[0] == heights[1] > 200


def test_numbers_that_are_compared_are_of_the_same_examples():
    """The curve is measured on 185 examples; what all 200 say at the end stands apart."""
    lines = [measured(10, 0.52, examples=185, **ANSWERS), measured(20, 0.7, examples=185, **ANSWERS)]
    of_all = measured(30, 0.705, "evaluation", examples=200, **ANSWERS)
    curve = "went from 52.0% to 70.0% in 20 steps, measured on 185 held-out examples."
    for given, on_all in (([*lines, of_all], " On all 200 held-out examples it is 70.5%."), (lines, "")):
        made = ending_of(TASK, metrics_of(*given))
        assert made.sentence.endswith(f"{curve}{on_all}")
        assert made.advice == "Always giving the most common answer would get 51.9% on these 185."


def test_one_that_learned_by_heart_ends_with_its_best_or_is_opened_there():
    losses = [9.0, 6.0, 4.0, 4.5, 5.0]
    made = ended(losses, ends_with=20)
    assert BEST not in made.actions and made.best_step is None
    begin = "Done, after 60 s of training. Step 20 was the best of 50 steps; the run ends with it."
    assert " ".join(made.sentence.replace("\u2009", " ").split()).startswith(begin)
    assert "its loss went from 9.00 to 4.00" in made.sentence and not made.advice
    made = ended(losses)
    assert made.actions[0] == BEST and made.best_step == 20
    assert made.advice == "Its lowest loss was 4.00, at step 20."
    assert nearest_snapshot([0, 10, 30], 22) == 2 and nearest_snapshot([], 3) is None


def test_a_failure_says_why_and_what_may_help():
    for message, first in (
        (as_sentence(MemoryError()), COPY),
        ("The training process was killed; the machine may have run out of memory. Its snapshots remain.", COPY),
        (as_sentence(OSError(errno.ENOSPC, "full"), Path("/memory/run")), COPY),
        ("Cannot write the run folder /workspace/diskette/memory: not permitted; choose another folder.", LOG),
        ("Something else.", LOG),
    ):
        made = ended([9.0], "failed", message)
        assert made.is_bad and made.sentence == message and made.actions[0] == first and LOG in made.actions
        assert ("disk" in made.advice) == message.startswith("The disk is full")


def test_a_run_that_diverged_says_first_what_to_do():
    message = "The loss or its gradient became infinite or undefined at step 3, on the batch that begins with “a”."
    made = ended([9.0], "failed", message)
    assert made.is_bad and made.actions == (SLOWER, LOG) and made.details == message and made.advice
    stopped = "Training stopped at step 3: the loss became infinite or undefined. Try a lower learning rate."
    assert made.sentence == stopped


def test_only_what_can_be_done_is_offered(room, service, run):
    run.append_metric({"kind": "train", "step": 1, "mlm_loss": 5.0})
    look_at(room, run)
    view, ending = room.view, room.view.ending
    assert set(ending.buttons) == {OPEN, COMPARE, CONTINUE, COPY}
    assert not view.buttons[view.weights].isEnabled(), "nothing was written of them"
    view.buttons[view.batch].click()
    assert not ending.isVisibleTo(room), "the batch needs its room"
    view.buttons[view.curves].click()
    assert ending.isVisibleTo(room)
    compared = []
    room.compare_requested.connect(compared.append)
    ending.buttons[COMPARE].click()
    assert compared == [run.snapshot_path(10)]
    ending.buttons[COPY].click()
    assert room.form.isVisibleTo(room)
    ending.buttons[CONTINUE].click()
    assert room.runs_card.shows_form and room.form.kind.currentData() == "continue"
    assert room.form.model.reference == str(run.snapshot_path(20))


def test_what_is_opened_is_what_the_run_ends_with(room, models, service, run):
    best = str(run.snapshot_path(10))
    with run.acquire():
        run.write_status(state="running")
        look_at(room, run)
        assert chosen_step(room) == 20
        run.write_status(state="done", ends_with=10)
    service.refresh()
    service._poll_selected()
    room.view.draw()
    assert chosen_step(room) == 10, "to be opened"
    for action in (OPEN, COMPARE, CONTINUE):
        room.view.ending.buttons[action].click()
    assert models.asked[:2] == [best] * 2 and room.form.model.reference == best


def test_its_row_and_its_page_say_it_once_and_in_the_windows_language(room, service, run):
    for kind, step, loss, right in (("held_out", 20, 4.0, 0.2), ("evaluation", 10, 3.5, 0.25)):
        run.append_metric({"kind": kind, "step": step, "mlm_loss": loss, "mlm_accuracy": right})
    sentence = "Stopped early: step 10 was the best of 20 steps; the run ends with it."
    run.write_status(state="done", message=sentence, ends_with=10)
    look_at(room, run)
    assert state_line(service.runs[0]) == "Done · step 10 · 25% correct"
    assert not room.view._message.isVisibleTo(room) and room.view.ending.isVisibleTo(room)
    run.write_status(state="failed", message="Something else.")
    service.refresh()
    assert "Something else." in state_line(service.runs[0])


def test_the_log_of_a_failed_run_is_a_click_away(room, service):
    run = stored_run(state="failed", message="Something else.")
    run.log("the text was read")
    look_at(room, run)
    view, ending = room.view, room.view.ending
    button = ending.buttons[LOG]
    assert not ending.log.isVisibleTo(room) and ending.sentence.text() == "Something else."
    button.click()
    assert ending.log.isVisibleTo(room) and ending.log.toPlainText().endswith("the text was read")
    for page in (view.batch, view.curves):
        view.buttons[page].click()
    assert not ending.log.isVisibleTo(room) and (button.text(), button.isChecked()) == ("Show the log", False)


def trained(folder, rate):
    path = folder / f"run-{rate}"
    start_run(tiny_run(write_text(folder), learning_rate=rate, steps=40, evaluations=4), path, resume=False)
    return path


@pytest.fixture(scope="module")
def well(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("well"), 3e-3)


def test_a_click_on_a_warning_makes_the_run_that_is_suggested(window, tmp_path, well):
    ill = trained(tmp_path, 0.3)
    room = opened_at(window, ill)
    strip, form, advice = room.view.health, room.form, "Try a learning rate of 0.03 instead of 0.3."
    wait_until(lambda: [one.kind for one in strip.shown] == ["too_high"])
    warning = strip.warnings[0]
    assert warning.isVisible() and "learning rate is too high" in warning.sentence.text()
    assert advice in warning.advice.text()
    warning.buttons[TRY].click()
    assert form.isVisible() and form.mark.text() == advice
    made, own = form.command().options.to_dict(), RunFolder(ill).config()
    assert made["training"] == {**own["training"], "learning_rate": 0.03}
    room.runs_card.show_list()
    window.services.runs.select(well)
    wait_until(lambda: strip.quiet.isVisible())
    assert strip.quiet.text().startswith("This looks normal") and not warning.isVisible()
    assert room.view.record.held_out_loss[1].tolist() == read_record(well).held_out_loss[1].tolist()
    room.view.buttons[room.view.weights].click()
    assert not strip.isVisible(), "the weights need its room"


def test_other_changes_reach_the_run_too(room, well):
    info, own = read_run(well), RunFolder(well).config()["training"]
    for suggestion in (Suggestion("steps", 40.0, 10), Suggestion("causal_share", None, 0.5)):
        room.runs_card.show_copy_form(info, suggestion)
        changed = room.form.command().options.to_dict()["training"]
        assert changed == {**own, suggestion.setting: suggestion.value}
    room.runs_card.show_copy_form(info)
    assert room.form.mark.text() == "" and room.form.command().options.training.steps == 40


def test_two_warnings_at_most(qtbot):
    strip = placed(HealthStrip(), qtbot, 600, 100)
    strip.show_health([Diagnosis("dead_heads_one", {"count": 2.0, "all": 4.0})] * 3)
    assert [warning.isVisible() for warning in strip.warnings] == [True, True]
    assert not strip.warnings[0].buttons, "nothing is suggested"
    strip.show_health([])
    assert not strip.isVisible()


def _make_run(task, evaluation=None, crf=False):
    options = FinetuneOptions(name=f"my {task}", crf=crf, data=TaskDataOptions(task=task, train="train.tsv"))
    lines = [{"kind": "train", "step": step, "loss": 1 / step, "phase": "task"} for step in range(1, 11)]
    held_out = {"accuracy": 0.75, "f1": 0.5, "matthews_correlation": -0.25, "rouge2": 0.1, "spearmanr": 0.625}
    lines.append({"kind": "held_out", "step": 10, "loss": 0.875, **held_out})
    run = stored_run(task, options, lines, [10], step=10, total_steps=10, fraction=1.0)
    if evaluation:
        (run.path / "evaluation.json").write_text(json.dumps(evaluation))
    return run


@pytest.mark.parametrize(
    ("task", "main", "unit"),
    [("cola", "\u22120.250", "Matthews correlation"), ("mrpc", "0.500", "F1"), ("stsb", "0.625", "Spearman")],
)
def test_main_metric_is_the_number_and_the_first_curve(task, main, unit, room, service):
    run = _make_run(task)
    look_at(room, run)
    right, loss = room.view.numbers["right"], room.view.curves.plots[0]
    assert (right.text, right.unit) == (main, f"held-out {unit}")
    assert plots_of(read_run(run.path)).specs[1].curves[0].name == unit
    assert loss.points("loss_task")[1].tolist() == [1 / step for step in range(1, 11)]
    assert loss.points("loss_task_held_out")[1].tolist() == [0.875]
    assert f"{unit} {main}" in state_line(service.runs[0])


def test_kinds_take_turns_in_the_same_view_and_list_and_title_say_them(room, service):
    first, second = _make_run("sst2"), _make_run("conll2003", crf=True)
    look_at(room, first)
    curves, plots = room.view.curves, room.view.curves.plots
    look_at(room, second)
    assert curves.plots is not plots and curves.plots[1].points("metric_f1")[1].tolist() == [0.5]
    assert next(run for run in service.runs if run.path == second.path).does == "tag + CRF"
    assert "my conll2003, tag + CRF, Done · F1 0.500" in map(room.runs.row_text, room.runs.rows)
    assert room.view._title.text() == "my conll2003 · tag + CRF"
    look_at(room, first)
    assert curves.plots is plots


def test_it_can_be_begun_with_and_applied(room, models, service, qtbot):
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


def test_real_run_is_followed_to_its_result(room, service, model_folder, tmp_path, qtbot):
    file = tmp_path / "own.tsv"
    file.write_text("text\tlabel\n" + "The cat sat.\tgood\nA dog ran home.\tbad\n" * 20)
    data = TaskDataOptions(task="classify", train=str(file))
    training = TuningOptions(steps=6, batch_size=4, threads=1, precision="fp32")
    service.set_following(True)
    options = FinetuneOptions(name="own", model=str(model_folder), data=data, training=training)
    path = service.start(RunCommand(options))
    result, button = room.view.result, room.view.buttons[room.view.result]
    assert service.runs[0].does == "classify" and not result.isVisibleTo(room.view)
    wait_until(lambda: service.runs[0].status.state in ("done", "failed"))
    assert service.runs[0].status.state == "done", service.runs[0].status.message
    wait_until(button.isEnabled)
    assert not result.isVisibleTo(room.view)  # someone watches its curves: they stay until they are left
    written = json.loads((path / "evaluation.json").read_text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert result.isVisibleTo(room.view)
    assert result.confusion.labels == written["labels"] == ["bad", "good"]
    assert result.confusion.counts == written["confusion"] and sum(map(sum, result.confusion.counts)) == 4
    accuracy = counted_value("classify", "accuracy", written["metrics"]["accuracy"], 4)
    assert (result.metrics.bars[0].label, result.metrics.bars[0].number) == ("accuracy", accuracy)
    room.view.draw()
    lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in lines if line["kind"] == "train"]
    assert room.view.curves.plots[0].points("loss_task")[1].tolist() == losses and len(losses) == 6


def test_finished_run_shows_what_it_wrote_and_one_without_a_result_its_curves(room, service):
    run, view, result = _make_run("sst2", EVALUATION), room.view, room.view.result
    look_at(room, run)
    assert view.result.isVisibleTo(view)
    bars = [(bar.label, bar.number) for bar in result.metrics.bars]
    assert bars == [("accuracy", "75.0%"), ("F1, mean of classes", "0.700")]
    assert result.confusion.counts == [[5, 1], [2, 4]]
    assert "No &lt;b&gt;fun" in result.worst.text() and "3.25" in result.worst.text()
    assert "SST-2" in result.papers.text() and "with care" in result.papers.text()
    assert "What a day!" in result.best.text()
    look_at(room, _make_run("cola"))
    assert not view.result.isVisibleTo(view) and not view.buttons[result].isEnabled()
    metrics = {"pearson": 0.4, "spearmanr": 0.3, "mse": 2.85, "best_f1_threshold": -7.5}
    look_at(room, _make_run("stsb", {**EVALUATION, "metrics": metrics}))
    assert [bar.label for bar in result.metrics.bars] == ["Spearman", "Pearson"], "what is no share has no bar"
    assert result._others.text() == "squared error 2.850, threshold for F1 \u22127.500"


def test_student_stands_beside_its_teacher(room, service):
    run = stored_run("student", DistilOptions(name="student", teacher="mini"), step=3)
    sides = {"teacher": {"layers": 4, "mlm_accuracy": 0.5}, "student": {"layers": 2, "mlm_accuracy": 0.25}}
    (run.path / "comparison.json").write_text(json.dumps(sides))
    look_at(room, run)
    result = room.view.result
    assert service.runs[0].does == "distil" and result.isVisibleTo(room.view)
    assert result.sides[0] == ["Held-out text", "teacher", "student"] and ["layers", "4", "2"] in result.sides
    assert ["words correct", numbers.percent(0.5), numbers.percent(0.25)] in result.sides


def test_a_result_is_read_once_and_a_damaged_one_counts_as_none():
    run = _make_run("sst2", EVALUATION)
    first = read_result(run.path)
    assert first is not None and read_result(run.path, first) is first
    for text in ("{", "[]", '{"metrics": 3}'):
        (run.path / "evaluation.json").write_text(text)
        assert read_result(run.path) is None


def test_only_the_most_frequent_labels_are_drawn(qtbot):
    labels, table = [str(i) for i in range(20)], [[row * (row == column) for column in range(20)] for row in range(20)]
    assert most_frequent(labels, table, 3) == [17, 18, 19]
    widget = placed(ConfusionMatrix(), qtbot, 300, 300)
    widget.set_table(labels, table)
    assert widget.labels == labels[8:]


def test_answers_are_read_by_their_kind():
    choice = HeldOutExample({"context": "She", "endings": ["ran.", "sat."]}, 1, 0, 0.5)
    assert (answer_text(choice, 1), was_right(choice)) == ("sat.", False)
    tagged = HeldOutExample({"words": ["Anna", "ran"]}, ["B-PER", "O"], ["O", "O"], 0.5)
    assert (answer_text(tagged, tagged.right), answer_text(tagged, tagged.given)) == ("Anna B-PER", "no names")
    span = HeldOutExample({"passage": "At noon.", "question": "When?"}, ["noon", "At noon"], "At noon", 0.1)
    assert was_right(span) and answer_text(span, []) == "no answer"
    assert was_right(HeldOutExample({"passage": "x", "question": "y"}, [], "", 0.1))
