"""Stopping, pausing, dying and going on: a resumed run is the undisturbed one, bit for bit."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.resolve_model import resolve_model
from bertcore.runs.known_runs import known_runs
from bertcore.runs.run_folder import NO_WORD, RunFolder
from bertcore.training import pretrain
from bertcore.training.compute import Precision
from bertcore.training.start import start_run
from tests.engine.clock import TICK_S, Clock
from tests.engine.training_runs import at_step, losses, metrics, stop_at, tiny_run

STEPS = 24


def _assert_same_end(run: Path, undisturbed: Path) -> None:
    assert losses(run) == losses(undisturbed)
    ours, theirs = (RunFolder(path).newest_snapshot() for path in (run, undisturbed))
    assert ours is not None and theirs is not None and ours.name == theirs.name
    assert (ours / "model.safetensors").read_bytes() == (theirs / "model.safetensors").read_bytes()
    assert (ours / "training_state.safetensors").read_bytes() == (theirs / "training_state.safetensors").read_bytes()


class TestResume:
    @pytest.mark.parametrize("stops", [(10,), (1, 13, 19)])
    def test_stop_and_resume_is_the_undisturbed_run(self, text: Path, tmp_path: Path, stops: tuple[int, ...]) -> None:
        run, undisturbed = tmp_path / "run", tmp_path / "undisturbed"
        start_run(tiny_run(text, steps=STEPS), undisturbed, resume=False)
        for stop in stops:
            start_run(tiny_run(text, steps=STEPS), run, resume=True, on_event=stop_at(run, stop))
            status = RunFolder(run).status()
            assert (status.state, status.step) == ("stopped", stop)
            assert load_checkpoint(resolve_model(run)).step == stop
        start_run(None, run, resume=True)
        assert RunFolder(run).status().state == "done"
        _assert_same_end(run, undisturbed)

    def test_what_was_written_after_the_last_snapshot_is_trained_again(self, text: Path, tmp_path: Path) -> None:
        """As after a power cut: metrics of step 17, but the newest snapshot is step 10."""
        run, undisturbed = tmp_path / "run", tmp_path / "undisturbed"
        start_run(tiny_run(text, steps=STEPS), undisturbed, resume=False)

        def power_cut() -> None:
            raise SystemExit

        with pytest.raises(SystemExit):
            start_run(tiny_run(text, steps=STEPS), run, resume=False, on_event=at_step(17, power_cut))
        with (run / "metrics.jsonl").open("a") as stream:
            stream.write('{"kind": "train", "step": 18, "lo')
        assert losses_until(run) == 17
        start_run(None, run, resume=True)
        _assert_same_end(run, undisturbed)

    def test_the_number_format_stays_on_another_machine(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run, undisturbed = tmp_path / "run", tmp_path / "undisturbed"
        start_run(tiny_run(text), undisturbed, resume=False)
        chosen = iter([Precision(None, "the first"), Precision(torch.bfloat16, "it has units")])
        monkeypatch.setattr("bertcore.training.compute.choose_precision", lambda *_: next(chosen))
        start_run(tiny_run(text, precision="auto"), run, resume=False, on_event=stop_at(run, 10))
        start_run(None, run, resume=True)
        assert losses(run) == losses(undisturbed)

    def test_resume_starts_where_there_is_nothing_yet(self, text: Path, tmp_path: Path) -> None:
        start_run(tiny_run(text, steps=3), tmp_path / "run", resume=True)
        assert RunFolder(tmp_path / "run").status().step == 3

    def test_a_run_that_is_done_stays_done(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=4), run, resume=False)
        before = losses(run)
        start_run(None, run, resume=True)
        assert losses(run) == before and RunFolder(run).status().state == "done"

    def test_a_text_that_is_gone_is_named(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text), run, resume=False, on_event=stop_at(run, 5))
        text.unlink()
        with pytest.raises(BertcoreError, match="animals.txt"):
            start_run(None, run, resume=True)


def losses_until(run: Path) -> int:
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


def test_a_killed_process_is_noticed_and_its_run_goes_on(text: Path, tmp_path: Path) -> None:
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
    def test_pause_resume_snapshot_and_stop_through_the_folder(self, text: Path, run: Path) -> None:
        reader, seen = RunFolder(run), []

        def watch(event: dict[str, Any]) -> None:
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

    def test_stop_while_paused(self, text: Path, run: Path) -> None:

        def watch(event: dict[str, Any]) -> None:
            if event["kind"] == "train" and event["step"] == 3:
                RunFolder(run).send("pause")
            if event["kind"] == "status" and event["state"] == "paused":
                RunFolder(run).send("stop")

        start_run(tiny_run(text), run, resume=False, on_event=watch)
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 3)

    def test_a_stop_before_the_first_step(self, text: Path, tmp_path: Path) -> None:
        run, undisturbed = tmp_path / "run", tmp_path / "undisturbed"

        def watch(event: dict[str, Any]) -> None:
            if event["kind"] == "status" and event["message"] == "Reading the text.":
                RunFolder(run).send("stop")

        with pytest.raises(BertcoreError, match="before the first step"):
            start_run(tiny_run(text), run, resume=False, on_event=watch)
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 0)
        start_run(None, run, resume=True)
        start_run(tiny_run(text), undisturbed, resume=False)
        _assert_same_end(run, undisturbed)

    def test_commands_while_the_text_is_read_are_obeyed_before_the_first_step(self, text: Path, run: Path) -> None:
        rest, events = iter(["snapshot", "pause"]), []

        def watch(event: dict[str, Any]) -> None:
            events.append((event["kind"], event.get("state")))
            if event["kind"] == "status" and event["state"] == "starting":
                RunFolder(run).send(next(rest, "pause"))
            if event["kind"] == "status" and event["state"] == "paused":
                RunFolder(run).send("resume")

        start_run(tiny_run(text, steps=3), run, resume=False, on_event=watch)
        assert ("status", "paused") in events[: events.index(("train", None))]
        assert (RunFolder(run).snapshot_path(0) / "keep").exists()
        assert RunFolder(run).status().state == "done"

    def test_a_pause_is_no_training_time(self, text: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        elapsed, clock = {}, Clock()
        monkeypatch.setattr("bertcore.training.loop.time", clock)

        def watch(event: dict[str, Any]) -> None:
            if event["kind"] == "train":
                elapsed[event["step"]] = event["elapsed_s"]
                if event["step"] == 3:
                    RunFolder(run).send("pause")
            if event["kind"] == "status" and event["state"] == "paused":
                clock.pass_s(100)
                RunFolder(run).send("resume")

        start_run(tiny_run(text, steps=5), run, resume=False, on_event=watch)
        assert clock.now_s > 100 and 0 < elapsed[4] - elapsed[3] < 10 * TICK_S

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_sigterm_and_ctrl_c_end_with_a_snapshot(self, text: Path, run: Path, number: int) -> None:
        former = signal.getsignal(number)
        start_run(tiny_run(text), run, resume=False, on_event=at_step(4, lambda: os.kill(os.getpid(), number)))
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 4)
        assert RunFolder(run).newest_snapshot() == RunFolder(run).snapshot_path(4)
        assert signal.getsignal(number) == former

    def test_a_kill_after_the_last_step_leaves_the_run_done(self, text: Path, run: Path) -> None:
        states = []

        def watch(event: dict[str, Any]) -> None:
            if event["kind"] == "status":
                states.append(event["state"])
                if event["state"] == "done":
                    os.kill(os.getpid(), signal.SIGINT)

        start_run(tiny_run(text, steps=2), run, resume=False, on_event=watch)
        assert states[-1] == RunFolder(run).status().state == "done"
        assert "done at step 2" in (run / "log.txt").read_text(encoding="utf-8")


class TestFailures:
    def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_last_good_snapshot(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run, undisturbed, calls = tmp_path / "run", tmp_path / "undisturbed", []
        whole = pretrain.pretraining_loss

        def broken(*given: Any) -> Any:
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
        start_run(tiny_run(text), undisturbed, resume=False)
        _assert_same_end(run, undisturbed)

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (None, "no text file .*animals.txt"),
            (b"", "animals.txt is empty"),
            (b"\n \n", "animals.txt is empty"),
            (b"The cat \xff\xfe sat.", "animals.txt is not UTF-8"),
        ],
    )
    def test_a_text_that_cannot_be_read_leaves_no_folder(
        self, text: Path, tmp_path: Path, content: bytes | None, says: str
    ) -> None:
        text.unlink() if content is None else text.write_bytes(content)
        with pytest.raises(BertcoreError, match=says):
            start_run(tiny_run(text), tmp_path / "run", resume=False)
        assert not (tmp_path / "run").exists()

    def test_after_too_little_text_more_text_makes_a_proper_run(self, text: Path, tmp_path: Path) -> None:
        more = text.read_bytes()
        text.write_bytes(b"A b c.")
        with pytest.raises(BertcoreError):
            start_run(tiny_run(text), tmp_path / "run", resume=False)
        text.write_bytes(more)
        snapshot = start_run(tiny_run(text), tmp_path / "run", resume=True)
        assert not load_checkpoint(snapshot).tokenizer.encode("The duck says quack.").unknown

    def test_a_folder_with_a_run_or_other_things_is_left_alone(self, text: Path, tmp_path: Path) -> None:
        start_run(tiny_run(text, steps=2), tmp_path / "run", resume=False)
        before = sorted(tmp_path.joinpath("run").rglob("*"))
        with pytest.raises(BertcoreError, match="--resume"):
            start_run(tiny_run(text), tmp_path / "run", resume=False)
        assert sorted(tmp_path.joinpath("run").rglob("*")) == before
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "letter.txt").write_text("dear")
        with pytest.raises(BertcoreError, match="other files"):
            start_run(tiny_run(text), tmp_path / "mine", resume=False)
