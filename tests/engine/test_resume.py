"""Stopping, pausing, dying and going on: the undisturbed run, bit for bit; what of its settings may be changed."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from unittest.mock import MagicMock

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.locations import TINY
from bertcore.resolve_model import resolve_model
from bertcore.runs.known_runs import known_runs
from bertcore.runs.run_folder import NO_WORD, RunFolder
from bertcore.training import pretrain
from bertcore.training.compute import Precision
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.run_settings import overlay
from bertcore.training.start import open_or_create, run_sweep, start_run
from bertcore.training.sweep_plan import Varied
from tests.engine.clock import TICK_S, Clock
from tests.engine.training_runs import at_step, losses, metrics, stop_at, tiny_run, write_text


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """All 24 steps of `tiny_run(text)`."""
    folder = tmp_path_factory.mktemp("undisturbed")
    start_run(tiny_run(write_text(folder)), folder / "run", resume=False)
    return folder / "run"


def _assert_same_end(run, undisturbed):
    assert losses(run) == losses(undisturbed)
    ours, theirs = (RunFolder(path).newest_snapshot() for path in (run, undisturbed))
    assert ours is not None and theirs is not None and ours.name == theirs.name
    assert (ours / "model.safetensors").read_bytes() == (theirs / "model.safetensors").read_bytes()
    assert (ours / "training_state.safetensors").read_bytes() == (theirs / "training_state.safetensors").read_bytes()


class TestResume:
    @pytest.mark.parametrize("stops", [(10,), (1, 13, 19)])
    def test_a_resume_leaves_no_trace(self, text, run, undisturbed, stops):
        for stop in stops:
            start_run(tiny_run(text), run, resume=True, on_event=stop_at(run, stop))
            status = RunFolder(run).status()
            assert (status.state, status.step) == ("stopped", stop)
            assert load_checkpoint(resolve_model(run)).step == stop
        start_run(None, run, resume=True)
        assert RunFolder(run).status().state == "done"
        _assert_same_end(run, undisturbed)

    def test_what_came_after_the_last_snapshot_is_trained_again(self, text, run, undisturbed):
        """As after a power cut: metrics of step 17, but the newest snapshot is step 10."""

        def power_cut():
            raise SystemExit

        with pytest.raises(SystemExit):
            start_run(tiny_run(text), run, resume=False, on_event=at_step(17, power_cut))
        with (run / "metrics.jsonl").open("a") as stream:
            stream.write('{"kind": "train", "step": 18, "lo')
        assert losses_until(run) == 17
        start_run(None, run, resume=True)
        _assert_same_end(run, undisturbed)

    def test_the_number_format_stays(self, text, run, undisturbed, monkeypatch):
        chosen = iter([Precision(None, "the first"), Precision(torch.bfloat16, "it has units")])
        monkeypatch.setattr("bertcore.training.compute.choose_precision", lambda *_: next(chosen))
        start_run(tiny_run(text, precision="auto"), run, resume=False, on_event=stop_at(run, 10))
        start_run(None, run, resume=True)
        assert losses(run) == losses(undisturbed)

    def test_a_text_that_is_gone_is_named(self, text, run):
        start_run(tiny_run(text), run, resume=False, on_event=stop_at(run, 5))
        text.unlink()
        with pytest.raises(BertcoreError, match="animals.txt"):
            start_run(None, run, resume=True)


def losses_until(run):
    """Steps of the whole lines in metrics.jsonl, whose last one may be cut off."""
    whole = (run / "metrics.jsonl").read_text().splitlines()[:-1]
    return max(line["step"] for line in map(json.loads, whole) if line["kind"] == "train")


WAITS_AT_STEP_40 = """
import sys
from pathlib import Path
from bertcore.json_text import parse_json
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run

def watch(event):
    if event["kind"] == "train" and event["step"] == 40:
        print(40, flush=True)
        sys.stdin.read()

options = PretrainOptions.from_dict(parse_json(Path(sys.argv[1]).read_text()))
start_run(options, Path(sys.argv[2]), resume=False, on_event=watch)
"""


def test_a_killed_process_is_noticed_and_its_run_goes_on(text, tmp_path):
    options = tiny_run(text, steps=50)
    run, undisturbed, recipe = tmp_path / "run", tmp_path / "undisturbed", tmp_path / "recipe.json"
    recipe.write_text(json.dumps(options.to_dict()))
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WAITS_AT_STEP_40, recipe, run], stdin=pipe, stdout=pipe) as child:
        assert child.stdout and child.stdout.readline() == b"40\n"
        assert RunFolder(run).is_alive() and RunFolder(run).status().state == "running"
        child.kill()
    folder = RunFolder(run)
    assert not folder.is_alive()
    assert (folder.status().state, folder.status().message) == ("stopped", NO_WORD)
    assert run in known_runs()
    assert load_checkpoint(resolve_model(run)).step == 20
    start_run(None, run, resume=True)
    start_run(options, undisturbed, resume=False)
    _assert_same_end(run, undisturbed)


class TestControl:
    def test_pause_resume_snapshot_and_stop_through_the_folder(self, text, run):
        reader, seen = RunFolder(run), []

        def watch(event):
            if event["kind"] == "train":
                command = {3: "snapshot", 7: "pause", 15: "stop"}.get(event["step"])
                if command:
                    reader.send(command)
            if event["kind"] == "status" and event["state"] == "paused":
                seen.append((reader.status().state, reader.status().step, reader.newest_snapshot()))
                reader.send("resume")

        start_run(tiny_run(text), run, resume=False, on_event=watch)
        assert seen == [("paused", 7, reader.snapshot_path(7))]  # a pause can be followed by switching off
        assert [line["step"] for line in metrics(run, "snapshot")] == [0, 1, 2, 3, 5, 7, 10, 15]
        assert (reader.status().state, reader.status().step) == ("stopped", 15)
        assert not (run / "control.json").exists()
        assert [step for step, _ in losses(run)] == list(range(1, 16))

    def test_a_stop_before_the_first_step(self, text, run, undisturbed):
        def watch(event):
            if event["kind"] == "status" and event["message"] == "Reading the text.":
                RunFolder(run).send("stop")

        with pytest.raises(BertcoreError, match="before the first step"):
            start_run(tiny_run(text), run, resume=False, on_event=watch)
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 0)
        start_run(None, run, resume=True)
        _assert_same_end(run, undisturbed)

    def test_commands_while_the_text_is_read_are_obeyed_before_the_first_step(self, text, run):
        rest, events = iter(["snapshot", "pause"]), []

        def watch(event):
            events.append((event["kind"], event.get("state")))
            if event["kind"] == "status" and event["state"] == "starting":
                RunFolder(run).send(next(rest, "pause"))
            if event["kind"] == "status" and event["state"] == "paused":
                RunFolder(run).send("resume")

        start_run(tiny_run(text, steps=3), run, resume=False, on_event=watch)
        assert ("status", "paused") in events[: events.index(("train", None))]
        assert (RunFolder(run).snapshot_path(0) / "keep").exists()
        assert RunFolder(run).status().state == "done"

    def test_a_pause_takes_no_time_and_can_end_in_a_stop(self, text, run, monkeypatch):
        elapsed, clock = {}, Clock()
        monkeypatch.setattr("bertcore.training.loop.time", clock)

        def watch(event):
            if event["kind"] == "train":
                elapsed[event["step"]] = event["elapsed_s"]
                if event["step"] in (3, 5):
                    RunFolder(run).send("pause")
            if event["kind"] == "status" and event["state"] == "paused":
                clock.pass_s(100)
                RunFolder(run).send("stop" if 5 in elapsed else "resume")

        start_run(tiny_run(text), run, resume=False, on_event=watch)
        assert clock.now_s > 200 and 0 < elapsed[4] - elapsed[3] < 10 * TICK_S
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 5)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_sigterm_and_ctrl_c_end_with_a_snapshot(self, text, run, number):
        former = signal.getsignal(number)
        start_run(tiny_run(text), run, resume=False, on_event=at_step(4, lambda: os.kill(os.getpid(), number)))
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 4)
        assert RunFolder(run).newest_snapshot() == RunFolder(run).snapshot_path(4)
        assert signal.getsignal(number) == former

    def test_a_kill_after_the_last_step_leaves_the_run_done(self, text, run):
        states = []

        def watch(event):
            if event["kind"] == "status":
                states.append(event["state"])
                if event["state"] == "done":
                    os.kill(os.getpid(), signal.SIGINT)

        start_run(tiny_run(text, steps=2), run, resume=False, on_event=watch)
        assert states[-1] == RunFolder(run).status().state == "done"
        assert "done at step 2" in (run / "log.txt").read_text(encoding="utf-8")


class TestFailures:
    def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_last_good_snapshot(
        self, text, run, undisturbed, monkeypatch
    ):
        calls = []
        whole = pretrain.pretraining_loss

        def broken(*given):
            calls.append(1)
            loss = whole(*given)
            return dataclasses.replace(loss, total=loss.total * float("nan")) if len(calls) == 8 else loss

        with monkeypatch.context() as patched, pytest.raises(BertcoreError, match="step 8.*lower learning rate"):
            patched.setattr(pretrain, "pretraining_loss", broken)
            start_run(tiny_run(text), run, resume=False)
        status = RunFolder(run).status()
        assert status.state == "failed" and status.message and "step 8" in status.message
        kept = load_checkpoint(resolve_model(run))
        assert kept.step == 5 and all(bool(torch.isfinite(value).all()) for value in kept.model.state_dict().values())
        assert [step for step, _ in losses(run)] == list(range(1, 8))
        start_run(None, run, resume=True)
        _assert_same_end(run, undisturbed)

    def test_more_text_makes_a_proper_run_and_that_is_left_alone(self, text, run, tmp_path):
        more = text.read_bytes()
        text.write_bytes(b"A b c.")
        with pytest.raises(BertcoreError):
            start_run(tiny_run(text), run, resume=False)
        text.write_bytes(more)
        snapshot = start_run(tiny_run(text, steps=2), run, resume=True)
        assert not load_checkpoint(snapshot).tokenizer.encode("The duck says quack.").unknown
        before = sorted(run.rglob("*"))
        with pytest.raises(BertcoreError, match="--resume"):
            start_run(tiny_run(text), run, resume=False)
        assert sorted(run.rglob("*")) == before
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "letter.txt").write_text("dear")
        with pytest.raises(BertcoreError, match="other files"):
            start_run(tiny_run(text), tmp_path / "mine", resume=False)


# --- its budget and what changes no number may be changed; anything else is refused


def config(run):
    return json.loads((run / "config.json").read_text())


def phases(run):
    """Each one's first step."""
    told = [(line["phase"], line["step"]) for line in metrics(run, "phase")]
    assert len(told) == len(dict(told))
    return dict(told)


class TestBudget:
    def test_a_run_that_is_done_gets_more_steps(self, text, run):
        """12 steps, half of them causal: with 24, step 13 would lie in the first half again. Linear decay by hand:
        the share (step - 0.5) / 24 of the way after 5% of warm-up."""
        start_run(tiny_run(text, steps=12), run, resume=False)
        written, before = (run / "config.json").read_bytes(), losses(run)
        start_run(tiny_run(text, steps=12), run, resume=True)  # the same budget changes nothing
        assert (run / "config.json").read_bytes() == written and losses(run) == before
        assert "changed on resume" not in (run / "log.txt").read_text()
        start_run(tiny_run(text, steps=24), run, resume=True)
        status = RunFolder(run).status()
        assert (status.state, status.step, status.total_steps) == ("done", 24, 24)
        assert config(run)["training"]["steps"] == 24 and config(run)["training"]["causal_share"] <= 12 / 24
        assert "steps 24, was 12" in (run / "log.txt").read_text()
        assert losses(run)[:12] == before and len(losses(run)) == 24
        changed = [(line["step"], line.get("changed")) for line in metrics(run, "resume")]
        assert changed[-2:] == [(12, "steps 24, was 12"), (12, None)]
        rates = {line["step"]: line["learning_rate"] for line in metrics(run)}
        assert rates[13] == pytest.approx(3e-3 * (1 - (12.5 / 24 - 0.05) / 0.95))
        assert rates[24] == pytest.approx(3e-3 * (1 - (23.5 / 24 - 0.05) / 0.95))
        assert rates[12] == pytest.approx(3e-3 * (1 - (11.5 / 12 - 0.05) / 0.95))
        assert {line["phase"] for line in metrics(run) if line["step"] > 6} == {"masked"}
        assert phases(run) == {"causal": 1, "masked": 7, "longer": 10}

    def test_fewer_steps_end_a_run_sooner_and_minutes_follow(self, text, run):
        start_run(tiny_run(text, steps=100), run, resume=False, on_event=stop_at(run, 6))
        start_run(tiny_run(text, steps=9), run, resume=True)
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("done", 9)
        start_run(tiny_run(text, steps=None, minutes=0.03), run, resume=True)
        status = RunFolder(run).status()
        assert status.state == "done" and status.total_steps is None and status.step > 9 and status.elapsed_s >= 1.8

    def test_a_warm_up_under_way_grows_with_the_budget(self, text, run):
        start_run(tiny_run(text, steps=12), run, resume=False, on_event=stop_at(run, 3))
        start_run(tiny_run(text, steps=20), run, resume=True)
        assert phases(run) == {"causal": 1, "masked": 11, "longer": 16}


class TestOtherSettings:
    def test_what_changes_no_number_is_taken(self, text, run, undisturbed):
        start_run(tiny_run(text), run, resume=False, on_event=stop_at(run, 6))
        start_run(tiny_run(text, save_minutes=0.5, snapshots_mib=100), run, resume=True)
        assert losses(run) == losses(undisturbed)
        assert config(run)["training"]["snapshots_mib"] == 100

    def test_any_other_is_refused_and_nothing_is_touched(self, text, tmp_path, run):
        mine = tiny_run(text, steps=12)
        start_run(mine, run, resume=False, on_event=stop_at(run, 3))
        before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
        for other, says in (
            (tiny_run(text, steps=12, batch_size=9), "batch size 8, not 9"),
            (tiny_run(text, steps=12, seed=5), "seed 0, not 5"),
            (tiny_run(text, steps=12, learning_rate=1e-4), "learning rate"),
            (tiny_run(text, steps=12, causal_share=0.1), "causal share"),
            (tiny_run(text, steps=30, evaluations=9), "evaluations"),
            (tiny_run(tmp_path / "other.txt", steps=12), ""),
            (replace(mine, preset="mini"), ""),
            (replace(mine, model={**mine.model, "hidden_size": 16}), ""),
            (replace(mine, name="other"), ""),
        ):
            with pytest.raises(BertcoreError, match=f"its own settings: .*{says}"):
                start_run(other, run, resume=True)
        with RunFolder(run).acquire(), pytest.raises(BertcoreError, match="Another process"):
            start_run(tiny_run(text, steps=20), run, resume=True)
        after = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
        assert {file for file in before if before[file] != after[file]} <= {run / "lock"}


def test_a_recipe_takes_the_place_of_what_it_names(text):
    stored = tiny_run(text, steps=12, seed=4).to_dict()
    values = overlay(stored, {"training": {"minutes": 2}, "data": {"vocab_size": 99}})
    assert (values["training"]["minutes"], values["training"]["steps"], values["training"]["seed"]) == (2, None, 4)
    assert values["data"] == {**stored["data"], "vocab_size": 99}
    assert PretrainOptions.from_dict(values).budget == (None, 120.0)
    assert overlay(stored, {"training": {"seed": 1}})["training"]["steps"] == 12  # it names no budget


class TestPaths:
    """A run is resumed from any folder: what its settings name is found all the same."""

    def test_those_of_a_run(self, tmp_path, monkeypatch):
        for name in ("model", "train.tsv", "dev.tsv", "elsewhere"):
            (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path)
        data = TaskDataOptions(train="train.tsv", dev="dev.tsv")
        options, run = FinetuneOptions(model="model", data=data), tmp_path / "run"
        monkeypatch.setattr(FineTuning, "refuse", lambda given: None)
        made = open_or_create(options, run, False)
        there = {"train": str(tmp_path / "train.tsv"), "dev": str(tmp_path / "dev.tsv")}
        assert made.model == config(run)["model"] == str(tmp_path / "model")
        assert {name: config(run)["data"][name] for name in there} == there
        assert open_or_create(options, run, True) == made, "they are the same settings"
        older = RunFolder.create(tmp_path / "older", FinetuneOptions(model="model").to_dict())  # with relative paths
        assert open_or_create(FinetuneOptions(model="model"), older.path, True).model == str(tmp_path / "model")
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert open_or_create(None, run, True) == made

    def test_those_of_a_sweep(self, tmp_path, monkeypatch):
        (tmp_path / "words.txt").write_text("A text.")
        monkeypatch.chdir(tmp_path)
        planned = []
        monkeypatch.setattr(
            "bertcore.training.start._SweepLoop", lambda runs, *_, **__: planned.extend(runs) or MagicMock()
        )
        data = DataOptions(corpus=("words.txt",), questions="words.txt", tokenizer="a/hub-id")
        run_sweep(PretrainOptions(data=data), tmp_path / "run", Varied(seeds=2))
        file = str(tmp_path / "words.txt")
        for each in planned:
            data = each.options.data
            assert (data.corpus, data.questions, data.tokenizer) == ((file,), file, "a/hub-id")
        assert len(planned) == 2

    def test_a_name_that_ships_stays_a_name(self, tmp_path, monkeypatch):
        (tmp_path / TINY).mkdir()
        monkeypatch.chdir(tmp_path)
        for model, expected in ((TINY, TINY), (f"./{TINY}", str(tmp_path / TINY)), (None, None)):
            assert FinetuneOptions(model=model).with_absolute_paths().model == expected
        assert DistilOptions().with_absolute_paths() == DistilOptions(), "the built-in teacher is no folder here"
