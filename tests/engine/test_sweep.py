"""A sweep: which runs it is made of, what it leaves behind when one diverges or is stopped, and what is best in it."""

import json
import math
import re
import signal
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bertcore
from bertcore.cli.training_commands import sweep as show
from bertcore.cli.training_commands import varied_from
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sweep_results import MeasurementReader, SweepPlace, find_sweep, read_place, read_sweep, write_place
from bertcore.training.finetune_options import FinetuneOptions, TuningOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import resume_sweep, run_sweep, start_run
from bertcore.training.sweep_plan import Varied, plan_sweep, rates_around, usual_rate
from tests.engine.runs_of_each_kind import fine_tuning_options
from tests.engine.training_runs import at_step

pytestmark = pytest.mark.usefixtures("fast_disk")
STOP = lambda: signal.raise_signal(signal.SIGTERM)  # noqa: E731
AT_STEP_2 = at_step(2, STOP)
THREE = Varied(rates=(1e-4, 1e-3, 1e-2))
TIMED = ("elapsed_s", "tok_per_s", "memory_mib", "cores", "path")


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    return fine_tuning_options(tmp_path_factory.mktemp("sweep"), seed=3)


# --- the plan


def test_five_rates_lie_evenly_on_a_logarithmic_scale_around_the_usual_one(options):
    """Which is the one that the run would take."""
    planned = plan_sweep(options, Path("runs/cats"), Varied(rates=(5.0,)))
    rates = [run.options.training.learning_rate or 0.0 for run in planned]
    assert len(set(rates)) == 5 and rates[2] == pytest.approx(usual_rate(options), rel=0.02)
    assert np.diff(np.log10(rates)) == pytest.approx(math.log10(3), abs=0.03)
    assert usual_rate(PretrainOptions(preset="tiny")) == PretrainOptions(preset="tiny").peak_rate
    assert usual_rate(FinetuneOptions(training=TuningOptions(learning_rate=1e-3))) == 1e-3
    assert rates_around(2e-4, 3) == (6.7e-5, 2e-4, 6e-4)


def test_the_usual_rates_of_fine_tuning_are_those_in_the_docs():
    text = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    table = text.partition("| width | model | usual rate |")[2].partition("\n\n")[0]
    rows = re.findall(r"\| ([\d,]+) \| .* \| (\S+) \|", table)
    written = {int(width.replace(",", "")): float(rate) for width, rate in rows}
    assert {128, 384, 768, 1024} <= set(written)
    for width, rate in written.items():
        assert FinetuneOptions().peak_rate(width) == pytest.approx(rate)
    assert usual_rate(FinetuneOptions()) == pytest.approx(written[384])  # the built-in model


def test_a_grid_has_every_combination_once_and_a_random_part_is_the_same_each_time(options):
    in_epochs = options.with_changes(epochs=1.0)
    varied = Varied(rates=(1e-3, 1e-4), batch_sizes=(8, 16), epochs=(1.0, 2.0), seeds=2)
    planned = plan_sweep(in_epochs, Path("runs/cats"), varied)
    trainings = [run.options.training for run in planned]
    found = {(each.learning_rate, each.batch_size, getattr(each, "epochs", None), each.seed) for each in trainings}
    assert len(found) == len(planned) == len({run.path for run in planned}) == 16
    assert {each.seed for each in trainings} == {3, 4}
    assert {run.path.parent for run in planned} == {Path("runs")}
    some = replace(varied, random=4)
    drawn, again = ([run.path for run in plan_sweep(in_epochs, Path("runs/cats"), some)] for _ in range(2))
    assert len(drawn) == 4 * 2 and set(drawn) < {run.path for run in planned} and drawn == again


@pytest.mark.parametrize(("before", "after"), [({"steps": 90}, ("steps", 30)), ({"minutes": 6.0}, ("minutes", 2.0))])
def test_a_share_of_the_budget(options, before, after):
    varied = Varied(seeds=2, budget_share=1 / 3)
    for run in plan_sweep(options.with_changes(**before), Path("cats"), varied):
        assert getattr(run.options.training, after[0]) == pytest.approx(after[1])


@pytest.mark.parametrize(
    "varied",
    [
        Varied(rates=(3.0, 1e-4)),
        Varied(rates=(2.5,)),
        Varied(epochs=(1.0, 2.0)),  # beside a budget in steps
        Varied(seeds=0),
        Varied(seeds=201),
        Varied(rates=(1e-4,), random=0),
        Varied(seeds=2, budget_share=0.0),
    ],
)
def test_what_cannot_be_swept_is_refused(options, varied):
    with pytest.raises(BertcoreError):
        plan_sweep(options, Path("cats"), varied)


def test_the_flags_of_the_shell():
    assert varied_from(None, None, None, None, None, None) is None
    assert varied_from("1e-4,3e-4", "16", None, 3, None, None) == Varied((1e-4, 3e-4), (16,), (), 3)
    for wrong in ({"rates": "1e-4;2"}, {"random": 3}, {"budget_share": 0.5}):
        flags = dict.fromkeys(("rates", "batch_sizes", "epoch_counts", "seeds", "random", "budget_share"))
        with pytest.raises(BertcoreError):
            varied_from(**{**flags, **wrong})


# --- what is best, from folders whose numbers are known


def written(folder, number, rate, seed, figures, state="done", message=""):
    training = {"learning_rate": rate, "seed": seed}
    config = {"kind": "finetune", "data": {"task": "sst2"}, "training": training}
    run = RunFolder.create(folder / f"run-{number}", config)
    for step, figure in enumerate(figures):
        line = {"kind": "held_out", "step": 10 * step, "accuracy": figure, "loss": 1 - figure, "examples": 40}
        run.append_metric(line)
    run.write_status(state=state, message=message or None)
    write_place(run.path, SweepPlace("abc", "cats", number, 7))
    return run.path


@pytest.fixture
def recorded(tmp_path):
    infinite = "The loss or its gradient became infinite or undefined at step 3; there was no snapshot yet."
    return [
        written(tmp_path, 1, 1e-4, 0, [0.5, 0.70]),
        written(tmp_path, 2, 1e-3, 0, [0.5, 0.90, 0.82]),
        written(tmp_path, 3, 1e-2, 0, [0.5], "failed", infinite),
        written(tmp_path, 4, 1e-4, 1, [0.5, 0.72]),
        written(tmp_path, 5, 1e-3, 1, [0.5, 0.80]),
        written(tmp_path, 6, 1e-2, 1, [0.5, 0.95]),
    ]


def test_the_best_settings_are_those_with_the_best_mean_of_finished_runs(recorded):
    sweep = read_sweep(recorded)
    assert (sweep.metric, sweep.varied, sweep.seeds, sweep.missing) == ("accuracy", ("learning_rate",), 2, 1)
    assert [group.values["learning_rate"] for group in sweep.groups] == [1e-4, 1e-3, 1e-2]
    assert sweep.best is sweep.groups[1], "0.95 is the figure of one seed; with the other one it diverged"
    assert (sweep.best.mean, sweep.best.deviation) == pytest.approx((0.81, statistics.stdev([0.82, 0.8])))
    assert (sweep.winner.number, sweep.winner.best_step) == (2, 10)
    assert [group.has_diverged for group in sweep.groups] == [False, False, True]
    RunFolder(recorded[4]).write_status(state="stopped")
    stopped = read_sweep(recorded)
    assert stopped.runs[4].score is None and stopped.best.mean == pytest.approx(0.82) and stopped.is_over


def test_less_is_better_where_the_figure_is_a_loss(tmp_path):
    paths = []
    for number, loss in enumerate((6.0, 5.0), start=1):
        run = RunFolder.create(tmp_path / str(number), {"kind": "pretrain", "training": {"learning_rate": 10**-number}})
        run.append_metric({"kind": "held_out", "step": 1, "mlm_loss": loss, "loss": loss + 0.7})
        run.write_status(state="done")
        write_place(run.path, SweepPlace("abc", "text", number, 2))
        paths.append(run.path)
    sweep = read_sweep(paths)
    assert not sweep.higher_is_better and sweep.winner.number == 2


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("content", [None, b"{", b"[]"])
def test_a_run_whose_settings_are_damaged_is_a_row_of_its_own(tmp_path, at, content):
    paths = [written(tmp_path, number, 10.0**-number, 0, [0.5, 0.6 + number / 10]) for number in (1, 2, 3)]
    config = paths[at] / "config.json"
    config.unlink() if content is None else config.write_bytes(content)
    sweep = read_sweep(paths)
    assert [run.path for run in sweep.unreadable] == [paths[at]] and sweep.missing == 7 - 3
    assert "config.json is" in (sweep.unreadable[0].status.message or "")
    assert len(sweep.groups) == 2 and sweep.best_run == paths[2]
    rows = sweep.rows()
    assert [row["state"] for row in rows] == ["done", "done", "unknown"]
    assert "config.json is" in rows[2]["message"]
    with pytest.raises(BertcoreError, match="config.json is"):  # of no other run
        read_sweep([paths[at]])


@pytest.mark.parametrize(
    "text", ["", "[]", '{"id": 3}', '{"id": "a", "number": 9, "of": 2}', '{"id": "a", "number": 1e9}']
)
def test_a_damaged_place_counts_as_none(tmp_path, text):
    (tmp_path / "sweep.json").write_text(text, encoding="utf-8")
    assert read_place(tmp_path) is None


# --- training it


@pytest.fixture(scope="module")
def trained(options, tmp_path_factory):
    return run_sweep(options, tmp_path_factory.mktemp("runs") / "cats", Varied(rates=(1e-3, 1e-2), seeds=2))


def test_each_run_is_an_ordinary_one_and_its_figure_that_of_its_evaluation(trained, tmp_path):
    assert [run.status.state for run in trained.runs] == ["done"] * 4
    for run in trained.runs:
        evaluation = json.loads((run.path / "evaluation.json").read_text(encoding="utf-8"))
        assert run.score == evaluation["metrics"]["accuracy"]
        assert RunFolder(run.path).newest_snapshot() is not None
    assert find_sweep(trained.runs[0].path) == trained
    swept, alone = trained.runs[1].path, tmp_path / "alone"
    start_run(FinetuneOptions.from_dict(RunFolder(swept).config()), alone, resume=False)
    ours, theirs = (
        [{key: line[key] for key in line if key not in TIMED} for line in RunFolder(run).tail().read_new()]
        for run in (swept, alone)
    )
    assert ours == theirs != []  # bit for bit


def test_all_folders_stand_from_the_start_and_a_waiting_run_can_go(options, tmp_path):
    seen = []
    runs = [run.path for run in plan_sweep(options, tmp_path / "cats", THREE)]

    def on_event(event):
        if event["kind"] == "train" and not seen:
            seen.append([RunFolder(run).status().state for run in runs])
            RunFolder(runs[2]).send("stop")

    sweep = run_sweep(options, tmp_path / "cats", THREE, on_event=on_event)
    assert seen == [["running", "waiting", "waiting"]]
    assert [run.status.state for run in sweep.runs] == ["done", "done", "stopped"]


def test_one_that_cannot_begin_ends_all_and_says_why(options, tmp_path):
    wrong = options.with_changes(model=str(tmp_path / "none"))
    with pytest.raises(BertcoreError, match="There is no folder"):
        run_sweep(wrong, tmp_path / "cats", Varied(rates=(1e-4, 1e-3)))
    states = [RunFolder(run).status().state for run in sorted(tmp_path.glob("cats-*"))]
    assert states == ["failed", "stopped"]
    run = RunFolder.create(tmp_path / "run", {})
    run.write_status(state="waiting")  # of a process that is gone
    assert run.status().state == "stopped" and "never started" in (run.status().message or "")


def test_from_python(options, tmp_path):
    data = {"task": "sst2", "max_length": 16, "train": options.data.train}
    settings = {"model": options.model, **data, "steps": 2, "batch_size": 8, "threads": 1}
    found = bertcore.sweep("finetune", tmp_path / "cats", rates=[1e-3, 1e-2], **settings)
    assert bertcore.load(found.best_run).predict("the cat says meow").label in ("positive", "negative")
    assert [row["learning_rate"] for row in found.rows()] == [1e-3, 1e-2]
    one = bertcore.sweep("finetune", tmp_path / "one", rates=1e-3, seeds=1, **settings)
    assert [row["learning_rate"] for row in one.rows()] == [1e-3]
    with pytest.raises(BertcoreError, match="no setting 'lerning_rate'; did you mean learning_rate"):
        bertcore.sweep("finetune", tmp_path / "dogs", task="sst2", lerning_rate=1e-3)


def test_a_signal_stops_all_and_the_rest_is_trained_later(options, tmp_path):
    """By the command that started it, and by the folder of any run."""
    undisturbed = run_sweep(options, tmp_path / "undisturbed", THREE)
    for name in ("cats", "dogs"):
        sweep = run_sweep(options, tmp_path / name, THREE, on_event=AT_STEP_2)
        assert [run.status.state for run in sweep.runs] == ["stopped"] * 3
        assert [run.status.step for run in sweep.runs] == [2, 0, 0] and sweep.best is None
        is_new = name == "cats"
        again = run_sweep(options, tmp_path / name, THREE, resume=True) if is_new else resume_sweep(sweep.runs[2].path)
        assert [run.status.state for run in again.runs] == ["done"] * 3 and again.id == sweep.id
        assert [run.measurements for run in again.runs] == [run.measurements for run in undisturbed.runs]


@pytest.mark.parametrize("damaged", [0, 1])
@pytest.mark.parametrize("content", ["{", '{"kind": "finetune", "training": {"steps": -1}}'])
def test_damaged_settings_of_one_run_do_not_stop_the_others(options, tmp_path, capsys, damaged, content):
    """By the folder of any run, and by the command that started it."""
    stopped = run_sweep(options, tmp_path / "cats", THREE, on_event=at_step(1, STOP))
    runs = [run.path for run in stopped.runs]
    (runs[damaged] / "config.json").write_text(content)
    show(runs[2], None, False, True)
    assert json.loads(capsys.readouterr().out)["best_run"] is None
    resumed = resume_sweep(runs[2])
    assert [RunFolder(run).status().state for run in runs if run != runs[damaged]] == ["done", "done"]
    told = [run.status.message or "" for run in (*resumed.runs, *resumed.unreadable) if run.path == runs[damaged]]
    assert told and ("config.json is damaged" in told[0] or "steps" in told[0]), told
    assert (runs[damaged] / "config.json").read_text() == content
    again = run_sweep(options, tmp_path / "cats", THREE, resume=True)
    assert [run.status.state for run in again.runs if run.path != runs[damaged]] == ["done", "done"]


def test_the_shell_shows_it(trained, options, capsys):
    show(trained.runs[0].path, None, False, True)
    found = json.loads(capsys.readouterr().out)
    assert found["best_run"] == str(trained.best_run) and len(found["runs"]) == 4
    show(trained.runs[0].path, None, False, False)
    assert "best" in capsys.readouterr().out
    with pytest.raises(BertcoreError, match="does not belong to a sweep"):
        show(trained.runs[0].path.parent, None, False, False)
    base, varied = trained.runs[0].path.parent / "cats", Varied(rates=(1e-3, 1e-2), seeds=2)
    with pytest.raises(BertcoreError, match="already holds a run"):
        run_sweep(options, base, varied)
    before = [run.path.joinpath("metrics.jsonl").stat().st_mtime_ns for run in trained.runs]
    assert run_sweep(options, base, varied, resume=True) == trained
    assert [run.path.joinpath("metrics.jsonl").stat().st_mtime_ns for run in trained.runs] == before


def test_a_finished_run_has_diverged_where_its_loss_has_grown_but_not_where_it_learned_by_heart(tmp_path):
    def finished(number, losses, figures):
        path = written(tmp_path, number, 10.0**-number, 0, [])
        for step, (loss, figure) in enumerate(zip(losses, figures, strict=True)):
            RunFolder(path).append_metric({"kind": "held_out", "step": step, "accuracy": figure, "loss": loss})
        return path

    paths = [
        finished(1, (0.69, 1.37), (0.53, 0.50)),
        finished(2, (0.69, 0.70), (0.53, 0.50)),
        finished(3, (0.69, 1.37), (0.53, 0.90)),  # learned by heart: sure of its few mistakes
        finished(4, (0.69, 0.30), (0.53, 0.90)),
    ]
    runs = read_sweep(paths).runs
    assert [run.has_diverged for run in runs] == [True, False, False, False]
    assert [run.has_hardly_learned for run in runs] == [True, True, False, False]


def test_measurements_are_read_as_they_come_and_anew_where_the_file_was_written_again(tmp_path):
    path = written(tmp_path, 1, 1e-4, 0, [0.5])
    reader, run = MeasurementReader(), RunFolder(path)
    assert [line["step"] for line in reader.lines(path)] == [0]
    with (path / "metrics.jsonl").open("ab") as stream:
        stream.write(b'{"kind": "train", "step": 5}\n{"kind": "held_out", "step": 10, "accu')
    assert [line["step"] for line in reader.lines(path)] == [0], "half a line is none yet"
    with (path / "metrics.jsonl").open("ab") as stream:
        stream.write(b'racy": 0.6}\n')
    assert [line["step"] for line in reader.lines(path)] == [0, 10]
    run.truncate_metrics(after_step=0)
    assert [line["step"] for line in reader.lines(path)] == [0]
    assert reader.lines(tmp_path / "gone") == []
