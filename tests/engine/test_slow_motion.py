"""Slow motion: a run that takes single steps on command is the undisturbed one, and says what each step did."""

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.runs.metrics_file import SLOW_STEP
from bertcore.runs.run_folder import RunFolder
from bertcore.training.drawn_batches import open_batches
from bertcore.training.evaluate import batch_losses
from tests.engine.clock import TICK_S, Clock
from tests.engine.runs_of_each_kind import RUNS, STEPS, pretraining, story
from tests.engine.training_runs import losses, metrics

pytestmark = pytest.mark.usefixtures("fast_disk")


def _send_while_paused(run, commands, first_at=1):
    """One command after step `first_at`, and another whenever the run says that it waits."""
    rest = iter(commands)

    def watch(event):
        is_first = event["kind"] == "train" and event["step"] == first_at and not metrics(run, SLOW_STEP)
        waits = event["kind"] == "status" and event["state"] == "paused"
        if (is_first or waits) and (command := next(rest, None)):
            RunFolder(run).send(command)

    return watch


def _end_of(run):
    told = story(run)
    lines = [line for line in told["told"] if line["kind"] in ("train", "held_out", "phase")]
    return {"lines": lines, "state": told["state"], "weights": told["weights"][-1], "moments": told["moments"]}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_in_slow_motion_ends_with_the_weights_of_one_that_ran_through(kind, tmp_path):
    """And each step says its rate, and its loss before and after: the weights are those after the step before."""
    start, run = RUNS[kind](tmp_path), tmp_path / "slow"
    start(tmp_path / "through")
    start(run, _send_while_paused(run, ["pause", "step", "step", "ten_steps"]))
    slow, logged = metrics(run, SLOW_STEP), {line["step"]: line for line in metrics(run)}
    assert [line["step"] for line in slow] == list(range(2, STEPS + 1))
    assert _end_of(run) == _end_of(tmp_path / "through")
    assert {line["step"] for line in metrics(run, "updates")} >= {3, 4, 6}  # measured at each slow step
    for line in slow:
        assert line["learning_rate"] == logged[line["step"]]["learning_rate"]
        assert line["gradient_norm"] == logged[line["step"]]["gradient_norm"]
        assert 0 < line["loss_before"] < 20 and line["loss_before"] != line["loss_after"]
    # what a step is for; by 0.013 and more
    assert sum(line["loss_after"] < line["loss_before"] for line in slow) >= len(slow) - 1


def test_the_losses_are_those_of_the_snapshots_on_the_batch_drawn_again(tmp_path, run):
    """Of step 2, from the snapshots of steps 1 and 2, each opened afresh: no dropout, the same masks."""
    pretraining(tmp_path, causal_share=0.0)(run, _send_while_paused(run, ["step", "resume"]))
    (line,) = metrics(run, SLOW_STEP)
    assert line["step"] == 2
    drawn = open_batches(run).at(2)
    for name, step in (("loss_before", 1), ("loss_after", 2)):
        found = batch_losses(load_checkpoint(RunFolder(run).snapshot_path(step)).model, drawn.batch)
        assert line[name] == pytest.approx(found.word_loss + found.pair_loss, rel=1e-5)


def test_a_command_to_step_pauses_a_run_at_work(tmp_path, run):
    states = []

    def watch(event):
        send(event)
        if event["kind"] == "status":
            states.append((event["state"], event["step"]))

    send = _send_while_paused(run, ["step", "", "stop"], first_at=2)
    pretraining(tmp_path)(run, watch)
    assert ("paused", 2) in states and ("paused", 3) in states and states[-1] == ("stopped", 3)
    assert RunFolder(run).newest_snapshot() == RunFolder(run).snapshot_path(3)
    assert load_checkpoint(RunFolder(run).snapshot_path(3)).step == 3
    pretraining(tmp_path)(run)  # it goes on as any run that was stopped
    assert RunFolder(run).status().state == "done" and [step for step, _ in losses(run)] == list(range(1, STEPS + 1))


def test_pause_ends_ten_steps_early(tmp_path, run, monkeypatch):
    clock = Clock(on_sleep=lambda: RunFolder(run).send("resume"))  # it waits: the pause is taken
    monkeypatch.setattr("bertcore.training.loop.time", clock)

    def watch(event):
        if event["kind"] == "train" and event["step"] == 1:
            RunFolder(run).send("ten_steps")
        if event["kind"] == SLOW_STEP and event["step"] == 3:
            RunFolder(run).send("pause")

    pretraining(tmp_path)(run, watch)
    assert RunFolder(run).status().state == "done"
    assert [line["step"] for line in metrics(run, SLOW_STEP)] == [2, 3]


def test_neither_waiting_nor_the_two_losses_are_training_time(tmp_path, monkeypatch):
    run, clock = tmp_path / "run", Clock()
    for module in ("loop", "step_observers"):
        monkeypatch.setattr(f"bertcore.training.{module}.time", clock)

    def watch(event):
        if event["kind"] == "train" and event["step"] == 1:
            RunFolder(run).send("step")
        if event["kind"] == "status" and event["state"] == "paused" and event["step"] == 2:
            clock.pass_s(100)
            RunFolder(run).send("resume")

    slow_to_measure = lambda *_: clock.pass_s(100) or 1.0  # noqa: E731
    monkeypatch.setattr("bertcore.training.pretrain.Pretraining.batch_loss", slow_to_measure)
    pretraining(tmp_path)(run, watch)
    elapsed = {line["step"]: line["elapsed_s"] for line in metrics(run)}
    assert clock.now_s > 300 and 0 < elapsed[3] - elapsed[1] < 10 * TICK_S


def test_nothing_is_measured_twice_while_no_slow_motion_is_on(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a run that nobody watches computes no loss a second time")

    monkeypatch.setattr("bertcore.training.pretrain.Pretraining.batch_loss", refuse)
    pretraining(tmp_path)(tmp_path / "run")
    assert not metrics(tmp_path / "run", SLOW_STEP)
