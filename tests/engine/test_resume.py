"""Stopping, pausing, dying and going on: the undisturbed run, bit for bit; what of its settings may be changed."""

import json
import os
import signal
from dataclasses import replace
from unittest.mock import MagicMock

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.locations import TINY
from bertcore.resolve_model import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.training.compute import Precision
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.run_settings import overlay
from bertcore.training.start import open_or_create, run_sweep, start_run
from bertcore.training.sweep_plan import Varied
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
    assert ours.name == theirs.name
    for name in ("model.safetensors", "training_state.safetensors"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()


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


class TestControl:
    def test_pause_resume_snapshot_and_stop_through_the_folder(self, text, run):
        reader, seen = RunFolder(run), []

        def watch(event):
            if event["kind"] == "train" and event["step"] in (3, 7, 15):
                reader.send("snapshot" if event["step"] == 3 else "pause")
            if event["kind"] == "status" and event["state"] == "paused":
                seen.append((reader.status().state, reader.status().step, reader.newest_snapshot()))
                reader.send("resume" if len(seen) == 1 else "stop")

        start_run(tiny_run(text), run, resume=False, on_event=watch)
        # a pause can be followed by switching off
        assert seen == [("paused", step, reader.snapshot_path(step)) for step in (7, 15)]
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


def test_more_text_makes_a_proper_run_and_that_is_left_alone(text, run):
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
        take = lambda runs, *_, **__: planned.extend(runs) or MagicMock()  # noqa: E731
        monkeypatch.setattr("bertcore.training.start._SweepLoop", take)
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
