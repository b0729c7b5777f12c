"""Sweeps in the room Train: how they start, their row in the list, the page with what they found, its actions."""

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from tour.recorded import SWEEP, recorded_sweep

from app.runs.finding import APPLY_BEST_RUN, COPY_BEST_RUN, OPEN_BEST_RUN, RESUME_SWEEP, THREE_SEEDS
from app.runs.run_info import read_run
from app.runs.sweeps import finding_of, read_row, rows_of, sweep_row
from app.widgets.curve_specs import Level
from bertcore.cli.training_commands import varied_from
from bertcore.errors import BertcoreError
from bertcore.runs.known_runs import known_runs
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sweep_results import SweepPlace, write_place
from bertcore.training.data_facts import Cost, RunEstimate
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.sweep_plan import Varied, usual_rate
from tests.app.conftest import handle_events, wait_until
from tests.app.train_room import add_snapshot, shown_runs, stored_run

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
INFINITE = "The loss or its gradient became infinite or undefined at step 3; there was no snapshot yet."


def record(number, rate, accuracy, seed=0, share=1.0, **status):
    """A run of the sweep "abc" as its folder would be; its accuracy rises from one half."""
    options = FinetuneOptions(name=f"reviews rate {rate:g} seed {seed}")
    options = options.with_changes(task="sst2", learning_rate=rate, seed=seed, epochs=2.0)
    measured = {} if accuracy is None else {0: 0.5, 10: accuracy}
    line = {"kind": "held_out", "examples": 400}
    lines = [{**line, "step": step, "accuracy": right, "loss": 1.2 - right} for step, right in measured.items()]
    run = stored_run(f"run-{number}", options, lines, **{"step": 10, **status})
    write_place(run.path, SweepPlace("abc", "reviews", number, 4, share))
    return run.path


def infos():
    return [read_run(path) for path in known_runs() if "assets" not in path.parts]


def found():
    finding = finding_of(read_row(sweep_row(infos(), "abc")))
    return f"{finding.sentence} {finding.advice}"


def looked_at(room):
    """The page of the sweep as it is now."""
    room.state.set_runs(infos())
    room.state.show_sweep("abc")
    return room.sweep_page


def test_one_click_beside_start_tries_five_rates_around_the_usual_one(room, orders):
    form = room.form
    room.runs_card.show_form()
    for kind, can_be_swept in (("distil", False), ("continue", True)):
        form.set_kind(kind)
        assert form.sweep.isVisibleTo(form) == can_be_swept
    one, nothing = Cost(60.0, 60.0), Cost()
    estimate = RunEstimate(nothing, one, nothing, nothing, 10, 1.0, 500.0, None, 10, 100, "cpu", "fp32", 1, 0.1, False)
    room.state.estimator.estimated.emit(estimate)
    assert form.rates.toolTip().endswith("· ≈ 5\u2009min")
    form.set_kind("classify")  # another run, of which nothing is known yet
    assert "min" not in form.rates.toolTip()
    form.rates.click()
    (command,) = orders
    assert len(command.varied.rates) == 5 and command.varied.seeds == 1 and command.varied.budget_share == 1.0
    assert command.varied.rates[2] == pytest.approx(usual_rate(command.options), rel=0.02)
    assert len({planned.path for planned in command.runs(Path("runs/x"))}) == 5


def test_a_sweep_that_is_refused_is_said_in_the_form(room, monkeypatch):
    monkeypatch.setattr(room.form, "command", Mock(side_effect=BertcoreError("There is no such file.")))
    room.form.rates.click()
    assert room.form.problem.text() == "There is no such file."


def test_the_child_gets_flags_that_mean_the_same_sweep():
    varied = Varied((2.2e-05, 1e-3), (8, 16), (1.0, 2.5), 3, 5, 0.25)
    flags = ("--rates", "--batch-sizes", "--epoch-counts", "--seeds", "--random", "--budget-share")
    assert tuple(varied.flags[::2]) == flags
    rates, sizes, epochs, seeds, random, share = varied.flags[1::2]
    assert varied_from(rates, sizes, epochs, int(seeds), int(random), float(share)) == varied


def test_a_finished_run_is_repeated_with_three_seeds(room, orders):
    dict(filter(None, room.run_actions.entries(read_run(record(1, 1e-3, 0.8)))))["Repeat with three seeds"]()
    planned = orders[0].runs(Path("runs/x"))
    assert [each.options.training.seed for each in planned] == [0, 1, 2]
    assert {each.options.training.learning_rate for each in planned} == {1e-3}


@pytest.mark.slow
def test_from_the_form_to_what_was_found(room, service):
    """A real sweep of the sample in a process of its own, stopped by the page's button."""
    service.set_following(True)
    room.form.set_kind("classify")
    room.form.length.spin_box.setValue(0.5)
    room.form.rates.click()
    page = room.sweep_page
    wait_until(lambda: page.row is not None)
    assert page.row.of == 5 and len(page.row.runs) == 5
    wait_until(lambda: page.row.done >= 1)
    page.stop.click()
    wait_until(lambda: not page.row.is_active)
    states = [run.status.state for run in page.row.runs]
    assert states[0] == "done" and states[-1] == "stopped"
    assert not page.stop.isVisibleTo(page) and "Not finished" in page.strip.advice.text()


def test_a_sweep_is_one_row_clicking_it_shows_the_page_and_a_run_of_it_the_run(room, qtbot):
    paths, runs = [record(1, 1e-4, 0.6), record(2, 1e-3, 0.8)], infos()
    assert len(rows_of(runs)) == 1 and [run.path for run in rows_of(runs, "abc")[1:]] == paths
    room.state.set_runs(runs)
    room.state.show_run(next(run for run in runs if run.path == paths[0]))
    room.state.set_snapshots([(20, paths[0] / "snapshots" / "20")])
    room.runs.row_chosen.emit(room.runs.rows[0])
    assert room._middle.currentWidget() is room.sweep_page and not room.time_machine.isVisibleTo(room)
    with qtbot.waitSignal(room.state.select_requested) as caught:
        room.sweep_page.table.clicked.emit(room.sweep_page.table.model().index(1, 0))
    assert caught.args[0] == paths[1]
    room.sweep_page._on_chart_place_clicked("runs_0", 0)  # the one that was selected all the time
    assert room._middle.currentWidget() is room.view and room.time_machine.isVisibleTo(room)
    room.state.show_sweep("abc")
    room.state.set_runs([])
    assert room._middle.currentWidget() is not room.sweep_page, "all of its runs are deleted"


FAILED = {"state": "failed", "message": INFINITE}


@pytest.mark.parametrize(
    ("runs", "said", "unsaid"),
    [
        (  # of the third the loss is no lower than at the start
            [(1e-4, 0.7), (1e-3, 0.9), (1e-2, 0.5), (1e-1, None, FAILED)],
            [
                "Learning rate 0.001 was best: accuracy 90.0%.",
                "At 0.01 it hardly learned anything. At 0.1 it diverged.",
                "a little better than it is",
            ],
            "chance",
        ),
        (
            [(2e-5, 0.5), (1e-3, 0.9), (0.1, None, FAILED), (0.1, 0.5, {"seed": 1})],
            ["At 0.00002 it hardly learned anything.", "At 0.1, 1 of 2 runs diverged; the others hardly learned"],
            "",
        ),
        # 400 examples: two standard errors of the difference are 6.4 points
        ([(1e-4, 0.70), (1e-3, 0.71)], ["the difference may be chance: 0.0001."], ""),
        ([(1e-4, 0.60), (1e-3, 0.90)], ["an even higher one may do better"], ""),
        (
            [(1e-3, 0.80, {"seed": 1}), (1e-3, 0.82, {"seed": 2}), (1e-3, 0.84, {"seed": 3})],
            ["Accuracy 82.0% ± 2.0% over 3 seeds, from 80.0% to 84.0%."],
            "",
        ),
        (
            [(1e-4, 0.60), (1e-3, 0.90), (1e-2, 0.95, {"state": "stopped"})],
            ["No longer there: 1 run.", "Not finished, so not counted: 1 run.", "90.0%"],
            "95.0%",
        ),
    ],
)
def test_what_it_found(runs, said, unsaid):
    for number, (rate, figure, *more) in enumerate(runs, start=1):
        record(number, rate, figure, **(more[0] if more else {}))
    words = found()
    assert all(sentence in words for sentence in said), words
    assert not unsaid or unsaid not in words


def test_what_takes_no_learning_is_a_line_and_a_diverged_accuracy_has_its_place(room):
    record(1, 1e-3, 0.9)
    answers = {"label": "good", "share": 1.0, "right": 0.5, "chance": 0.52}
    line = {"kind": "held_out", "step": 20, "accuracy": 0.5, "loss": 9.0, "examples": 400, "answers": answers}
    RunFolder(record(2, 0.1, 0.5)).append_metric(line)
    page = looked_at(room)
    assert page.sweep.chance == 0.52
    assert page.curves.drawing.level == Level(0.52, "")
    assert set(page.curves.drawing.names.values()) == {"0.001", "0.1"}, "the one that diverged has a colour, too"
    assert [room.runs.state_line(row).split(" · ")[0] for row in shown_runs(room)] == ["Done", "Diverged"]
    assert [values.tolist() for values in page.chart.points("failed")] == [[-1.0], [0.5]]
    assert page.chart.spec.sentence == "dot: a run · ring: the best run · ×: diverged or failed"


def test_while_it_trains_the_page_says_how_far_it_is(room, tmp_path):
    record(1, 1e-4, 0.60)
    record(2, 1e-3, None, state="starting")
    record(3, 1e-2, None, state="starting")
    page = looked_at(room)
    assert page.strip.sentence.text() == "Learning rate 0.0001: accuracy 60.0%."
    assert "Runs done: 1 of 4." in page.strip.advice.text()
    assert not page.strip.buttons and page.stop.isVisibleTo(page)
    room.state.set_runs(recorded_sweep(tmp_path, done=7))
    room.state.show_sweep(SWEEP)
    assert [row.cells[-1] for row in page.table.rows if "step 25 of 50" in row.cells[2]] == ["–"], "no final numbers"


def test_the_table_has_every_run_with_the_best_marked_and_why_others_are_none(room):
    record(1, 1e-4, 0.70)
    record(2, 1e-3, 0.90)
    record(3, 1e-1, None, state="failed", message=INFINITE)
    (record(4, 1e-2, 0.8) / "config.json").write_text("{")
    page = looked_at(room)
    table, cells = page.table, [row.cells for row in page.table.rows]
    assert [row[0] for row in cells] == ["0.0001", "0.001", "0.1", "run-4"]
    assert [row[1] for row in cells] == ["70.0%", "90.0% · best", "diverged", "its settings cannot be read"]
    assert INFINITE in table.model().index(2, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "config.json is damaged" in str(table.rows[3].run.status.message)
    assert "Left out, because their settings cannot be read: 1 run" in found()
    figure = page._results_figure()  # the numbers of the chart
    assert figure.numbers["learning_rate"].values.tolist() == [1e-4, 1e-3, 1e-1]
    np.testing.assert_allclose(figure.numbers["accuracy"].values, [0.7, 0.9, np.nan])


def test_the_chart_has_a_dot_for_each_run_at_its_place(room):
    rates, figures = (1e-4, 1e-3, 1e-2), (0.6, 0.9, 0.7)
    paths = [record(number, rate, figure) for number, (rate, figure) in enumerate(zip(rates, figures, strict=True), 1)]
    page = looked_at(room)
    chart, results = page.chart, page.results
    x, y = chart.points("runs_0")
    assert x == pytest.approx([-4, -3, -2]), "the axis is logarithmic"
    assert y.tolist() == list(figures) and list(chart.drawing.places.values()) == ["0.0001", "0.001", "0.01"]
    room.show()
    wait_until(lambda: chart._canvas is not None)
    handle_events()
    canvas, clicked = chart._canvas, []
    room.state.select_requested.connect(clicked.append)
    at = canvas._view.mapFromScene(canvas._box.mapViewToScene(QPointF(x[1], y[1])))
    QTest.mouseClick(canvas._view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert clicked == [paths[1]] and [run.path for run in results.runs["runs_0"]] == paths


def test_stop_ends_those_that_wait_before_the_one_at_work(room):
    at_work = record(1, 1e-4, 0.6, state="starting")
    waiting = [record(number, 10.0**-number, None, state="waiting") for number in (2, 3)]
    stopped = []
    room.state.control_requested.connect(lambda path, command: stopped.append(path) if command == "stop" else None)
    with RunFolder(waiting[0]).acquire(), RunFolder(waiting[1]).acquire():
        looked_at(room).stop.click()
    assert stopped[-1] == at_work and set(stopped[:-1]) == set(waiting)


def test_its_actions(room, models, orders, qtbot):
    record(1, 1e-4, 0.70, share=0.5)
    best = record(2, 1e-3, 0.90, share=0.5)
    add_snapshot(RunFolder(best), 10)
    page = looked_at(room)
    assert set(page.strip.buttons) == {OPEN_BEST_RUN, APPLY_BEST_RUN, COPY_BEST_RUN, THREE_SEEDS}
    with qtbot.waitSignal(room.apply_requested):
        page.strip.buttons[APPLY_BEST_RUN].click()
    assert models.asked[-1] == str(RunFolder(best).newest_snapshot())
    page.strip.buttons[THREE_SEEDS].click()
    assert orders[0].varied.seeds == 3 and orders[0].options.training.learning_rate == 1e-3
    page.strip.buttons[COPY_BEST_RUN].click()
    assert room.form.isVisibleTo(room)
    options = room.form.command().options
    assert options.training.learning_rate == 1e-3 and getattr(options.training, "epochs", None) == 4.0


def test_a_sweep_that_was_stopped_can_be_resumed(room, service, monkeypatch):
    paths = [record(1, 1e-4, 0.60), record(2, 1e-3, None, state="stopped")]
    started = []
    monkeypatch.setattr("app.runs.service.RunChild", lambda run, arguments: started.append((run, arguments)))
    monkeypatch.setattr(service, "refresh", lambda: None)
    looked_at(room).strip.buttons[RESUME_SWEEP].click()
    assert started == [(paths[0], ["sweep", "--resume"])] and set(service._children) == {paths[1]}
    service._children.clear()


def test_all_runs_of_a_sweep_go_to_the_bin_and_come_back(room, service, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    paths = [record(1, 1e-4, 0.60), record(2, 1e-3, 0.70)]
    service.refresh()
    room.run_actions.ask_delete(sweep_row(service.runs, "abc"))
    assert "2 runs" in room.run_actions.question.informativeText()
    room.run_actions.question.accepted.emit()
    assert not any(path.exists() for path in paths) and not service.runs
    service.keeper.put_back()
    assert all(path.exists() for path in paths) and len(service.runs) == 2


def test_folders_from_elsewhere_may_hold_anything(room):
    paths = [record(number, 10.0**-number, 0.6) for number in range(1, 5)]
    huge = "1" + "0" * 400
    training = f'{{"learning_rate": {huge}, "seed": []}}'
    (paths[0] / "config.json").write_text(f'{{"kind": "finetune", "training": {training}}}')
    (paths[1] / "metrics.jsonl").write_text(f'{{"kind": "held_out", "step": 1, "accuracy": {huge}, "loss": "x"}}\n')
    (paths[2] / "metrics.jsonl").write_bytes(b'\xff held_out {"kind": "held_out", "step": -1}\n' * 3)
    (paths[3] / "sweep.json").write_text('{"id": "abc", "name": "<b>\\u0000' + "x" * 5000 + '", "number": 4, "of": 4}')
    assert looked_at(room).sweep is not None and not room.grab().isNull()
    (paths[0] / "config.json").write_text("[]")
    room.sweep_page._known = None
    room.state.set_runs(infos())
    assert not room.grab().isNull()
