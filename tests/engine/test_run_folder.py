"""The run folder: whole files only, one writer, commands once, a tail that copes with all; which snapshots stay."""

import json
import math
import os
import random
import shutil
import subprocess
import sys
import time
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.runs.environment import environment
from bertcore.runs.metrics_file import MetricsTail
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import can_resume, is_mark, surplus
from bertcore.training.pretrain_options import continued
from bertcore.training.start import start_run
from tests.engine.training_runs import at_step, losses, tiny_run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path):
    return RunFolder.create(tmp_path / "run", {"name": "stories"})


def _snapshot(run, step):
    with run.begin_snapshot(step) as folder:
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"weights")
    return run.snapshot_path(step)


class TestCreate:
    def test_new_run_says_starting_and_keeps_its_config(self, run):
        assert RunFolder(run.path).config()["name"] == "stories"
        assert RunFolder(run.path).status().state == "starting"

    def test_other_folders_are_left_alone(self, run, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.doc").write_text("precious")
        for folder, says in (
            (tmp_path / "file" / "run", "choose another folder"),
            (tmp_path / "file", "it is a file"),
            (tmp_path / "mine", "thesis.doc"),
            (run.path, "already"),
        ):
            with pytest.raises(BertcoreError, match=says):
                RunFolder.create(folder, {"name": "other"})
        assert [entry.name for entry in (tmp_path / "mine").iterdir()] == ["thesis.doc"]
        assert run.config()["name"] == "stories"
        with pytest.raises(BertcoreError, match="not a run folder"):
            RunFolder(tmp_path).config()

        def deny(*_args, **_kwargs):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "mkdir", deny)
        with pytest.raises(BertcoreError, match="permission denied; choose another folder"):
            RunFolder.create(tmp_path / "denied", {})


class TestLock:
    def test_looking_at_the_lock_does_not_keep_a_run_from_starting(self, run):
        for _ in range(50):
            assert not run.is_alive()
            with run.acquire():
                assert run.is_alive()
        with pytest.raises(ZeroDivisionError), run.acquire():
            raise ZeroDivisionError
        assert not run.is_alive()

    def test_acquire_clears_what_a_killed_run_left(self, run):
        _snapshot(run, 5)
        partial = run.path / "snapshots" / "step-00000009.partial"
        partial.mkdir()
        (partial / "config.json").write_text("{}")
        (run.path / "tokenizer").mkdir()
        half_written = [run.path / ".status.json.4711", run.path / "tokenizer" / ".tokenizer_config.json.4711"]
        for file in half_written:
            file.write_text("{")
        run.send("stop")
        with run.acquire():
            assert run.take_command() is None
            assert not partial.exists() and not any(file.exists() for file in half_written)
            assert [step for step, _ in run.snapshots()] == [5]

    @pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are seen in /proc")
    def test_a_run_that_has_ended_leaves_no_file_open(self, run):
        before = os.listdir("/proc/self/fd")
        with run.acquire():
            run.append_metric({"step": 1})
            run.log("a line")
        assert len(os.listdir("/proc/self/fd")) == len(before)


ODD_FIELDS = ('"step": "x"}', '"step": 1e400}', f'"step": {10**60}}}', '"fraction": [1]}', '"remaining_s": {"a": 1}}')
ODD_FIELDS = (*ODD_FIELDS, '"updated_at": "soon"}', f'"pid": {-(10**30)}}}')


class TestStatus:
    def test_fields_are_kept_between_writes_and_message_is_not(self, run):
        with run.acquire():
            run.write_status(state="running", step=3, total_steps=10, message="Reading the text.")
            run.write_status(step=4, fraction=0.4)
            status = RunFolder(run.path).status()
        assert (status.state, status.step, status.total_steps, status.message) == ("running", 4, 10, None)
        assert status.pid == os.getpid() and abs(status.updated_at - time.time()) < 60

    @pytest.mark.parametrize(
        "text",
        [
            *("", "{", "[]", "\x00\xff", '{"step": 4}', '{"state": "flying"}', '{"state": ["running"]}'),
            *('{"state": "done", ' + field for field in ODD_FIELDS),
        ],
    )
    def test_damaged_status_is_unknown_never_an_exception(self, run, text):
        (run.path / "status.json").write_text(text, encoding="latin-1")
        assert run.status().state == "unknown" and "is damaged" in str(run.status().message)

    def test_a_write_that_fails_keeps_the_old_file(self, run, monkeypatch):
        run.write_status(state="done", step=1)

        def full(*_args):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("bertcore.files._replace", full)
        with pytest.raises(BertcoreError, match="The disk is full: free some space where .*, then go on with --resume"):
            run.write_status(step=2)
        assert run.status().step == 1
        assert sorted(entry.name for entry in run.path.iterdir()) == ["config.json", "snapshots", "status.json"]


class TestCommands:
    def test_the_newest_counts_once_but_a_stop_stays(self, run):
        RunFolder(run.path).send("pause")
        run.send("resume")
        assert [run.take_command(), run.take_command()] == ["resume", None]
        run.send("stop")
        run.send("snapshot")
        assert run.take_command() == "stop"
        (run.path / "control.json").write_text('{"command": "stop"}')  # as an earlier version wrote it
        assert [run.take_command(), run.take_command()] == ["stop", None]
        run.send("stop")
        with run.acquire():  # it was meant for a process that is gone
            assert run.take_command() is None
        with pytest.raises(ValueError, match="explode"):
            run.send("explode")

    @pytest.mark.parametrize("other", ["pause", "resume", "snapshot", "step"])
    def test_a_stop_is_not_lost_between_others(self, run, monkeypatch, other):
        """The other sender has looked at what waits, and then the stop comes."""

        def write_after_a_stop(file, values):
            monkeypatch.undo()
            RunFolder(run.path).send("stop")
            write_json(file, values)

        monkeypatch.setattr("bertcore.runs.run_folder.write_json", write_after_a_stop)
        run.send(other)
        assert run.take_command() == "stop"

    @pytest.mark.parametrize("text", ["", "{", '{"command": "explode"}', '["stop"]', '"stop"', "null"])
    def test_garbage_is_ignored_and_removed(self, run, text):
        (run.path / "control.json").write_text(text)
        assert run.take_command() is None
        assert not (run.path / "control.json").exists()


class TestSnapshots:
    def test_snapshot_appears_whole_or_not_at_all(self, run):
        _snapshot(run, 10)
        with pytest.raises(RuntimeError), run.begin_snapshot(20) as folder:
            (folder / "config.json").write_text("{}")
            (folder / "model.safetensors").write_bytes(b"half")
            assert [step for step, _ in run.snapshots()] == [10]
            raise RuntimeError("killed in the middle")
        assert [entry.name for entry in (run.path / "snapshots").iterdir()] == ["step-00000010"]

    def test_sorted_by_step_and_incomplete_ones_left_out(self, run):
        assert run.snapshots() == [] and run.newest_snapshot() is None
        for step in (100, 9, 20):
            _snapshot(run, step)
        (run.snapshot_path(50)).mkdir()
        (run.path / "snapshots" / "notes").mkdir()
        assert [step for step, _ in run.snapshots()] == [9, 20, 100]
        assert run.newest_snapshot() == run.snapshot_path(100)
        (run.snapshot_path(9) / "old").write_text("")
        assert not (_snapshot(run, 9) / "old").exists()  # the same step again replaces


class TestMetrics:
    def test_lines_are_there_at_once_and_bad_numbers_are_null(self, run):
        run.append_metric({"step": 1, "loss": np.float32(2.5), "norm": float("nan"), "rates": [math.inf, 1]})
        line = json.loads((run.path / "metrics.jsonl").read_text())
        assert line == {"step": 1, "loss": 2.5, "norm": None, "rates": [None, 1]}

    def test_a_line_that_a_killed_run_left_unfinished_spoils_only_itself(self, run):
        run.append_metric({"step": 1})
        with (run.path / "metrics.jsonl").open("a") as stream:
            stream.write('{"step": 2, "lo')
        RunFolder(run.path).append_metric({"step": 3})
        assert [line["step"] for line in run.tail().read_new()] == [1, 3]
        (run.path / "metrics.jsonl").write_text('{"step": 1}\n{"step"')
        run.truncate_metrics(5)
        assert (run.path / "metrics.jsonl").read_text() == '{"step": 1}\n'


NAMES = st.text(max_size=5).filter(lambda key: key != "step")
VALUES = st.none() | st.integers() | st.text(max_size=8)


class TestTail:
    @settings(max_examples=60, deadline=None)
    @given(
        metrics=st.lists(st.dictionaries(NAMES, VALUES, max_size=4), max_size=12),
        cuts=st.lists(st.integers(0, 400), max_size=12),
        limit=st.none() | st.integers(1, 50),
    )
    def test_however_the_writes_are_split_each_line_is_read_once(self, tmp_path_factory, metrics, cuts, limit):
        file = tmp_path_factory.mktemp("tail") / "metrics.jsonl"
        data = "".join(json.dumps(metric, ensure_ascii=False) + "\n" for metric in metrics).encode()
        edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
        tail, read = MetricsTail(file), []
        for start, end in pairwise(edges):
            with file.open("ab") as stream:
                stream.write(data[start:end])
            read += tail.read_new(limit)
            assert not tail.restarted
        while tail.more:
            read += tail.read_new(limit)
        assert read == metrics

    def test_garbage_lines_are_skipped_and_numbers_that_json_has_not_are_null(self, tmp_path):
        file = tmp_path / "metrics.jsonl"
        odd = ['{"step": "x"}', '{"step": Infinity}', '{"step": [1]}', '{"step": 1e300}', "not json", "[1]", ""]
        lines = ['{"step": 1}', *odd, '{"a": 1}, {"b": 2}', "[" * 5000, '{"step": 2}', '{"loss": NaN, "norm": 1e999}']
        file.write_bytes(b"\xff\xfe\n" + "\n".join(lines).encode() + b"\n")
        assert MetricsTail(file).read_new() == [{"step": 1}, {"step": 2}, {"loss": None, "norm": None}]

    def test_resumed_run_starts_the_reading_over(self, run):
        for step in range(1, 6):
            run.append_metric({"step": step})
        tail = run.tail()
        assert len(tail.read_new()) == 5 and not tail.restarted
        run.truncate_metrics(2)
        run.append_metric({"step": 3, "again": True})
        assert [line["step"] for line in tail.read_new()] == [1, 2, 3]
        assert tail.restarted
        assert tail.read_new() == [] and not tail.restarted

    def test_missing_file_is_nothing_yet(self, tmp_path):
        tail = MetricsTail(tmp_path)
        assert tail.read_new() == [] and not tail.restarted
        (tmp_path / "metrics.jsonl").write_text('{"step": 1}\n')
        assert tail.read_new() == [{"step": 1}] and not tail.restarted


def test_the_revision_of_a_foreign_repository_is_not_ours(tmp_path):
    """The program lies in somebody's repository, as in a virtual environment there, and is not part of it."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "theirs.txt").write_text("theirs")
    for command in (["init", "-q"], ["add", "theirs.txt"], ["commit", "-q", "-m", "theirs"]):
        subprocess.run([*git, *command], check=True)
    shutil.copytree(ROOT / "bertcore", tmp_path / "lib" / "bertcore", ignore=shutil.ignore_patterns("__pycache__"))
    program = "from bertcore.runs.environment import git_revision; print(git_revision())"
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, cwd=tmp_path / "lib", capture_output=True, text=True, check=True)
    assert found.stdout == "None\n"


def test_a_process_asks_for_its_own_revision_once(monkeypatch):
    """Each run of a sweep notes it."""
    first, started = environment(1, torch.device("cpu")), []
    monkeypatch.setattr("bertcore.runs.environment.subprocess.run", lambda *command, **_: started.append(command))
    again = environment(2, torch.device("cpu"))
    assert started == [] and again["git_revision"] == first["git_revision"]


# --- which snapshots stay: log-spaced ones, within a limit on disk, never at the cost of the newest

MIB = 2**20


@cache
def marks_to_a_million():
    return [step for step in range(1_000_001) if is_mark(step)]


def marks(until):
    return [step for step in marks_to_a_million() if step <= until]


def kept_of(steps, limit, asked=None, size=1):
    gone = surplus([(step, size) for step in steps], limit, asked or set())
    return [step for step in steps if step not in gone]


def gaps(steps):
    return [math.log1p(after) - math.log1p(before) for before, after in pairwise(steps)]


def test_marks_are_three_a_decade_then_five_then_ten():
    assert marks(99) == [0, 1, 2, 5, 10, 20, 50]
    assert [step for step in marks(1000) if step >= 100] == [100, 160, 250, 400, 630, 1000]
    for decade in (1000, 10_000, 100_000):
        found = [step for step in marks(10 * decade - 1) if step >= decade]
        assert len(found) == 10
        assert all(1.2 < after / before < 1.3 for before, after in pairwise([*found, 10 * decade]))


class TestSurplus:
    @pytest.mark.parametrize("seed", range(40))
    def test_whatever_the_sizes_the_ends_stay_and_the_limit_holds(self, seed):
        pick = random.Random(seed)
        steps = [0, *sorted(pick.sample(range(1, 100_000), pick.randint(1, 40)))]
        snapshots = [(step, pick.randint(1, 1000)) for step in steps]
        asked = set(pick.sample(steps, pick.randint(0, min(3, len(steps)))))
        limit = pick.randint(0, sum(size for _, size in snapshots))
        gone = surplus(pick.sample(snapshots, len(snapshots)), limit, asked)
        kept = [each for each in snapshots if each[0] not in gone]
        assert {steps[0], steps[-1], *asked} <= {step for step, _ in kept}
        assert len(set(gone)) == len(gone)
        over = sum(size for _, size in kept) > limit
        assert not over or {step for step, _ in kept} == {steps[0], steps[-1], *asked}
        if gone:  # the last to go was needed
            assert sum(size for step, size in snapshots if step not in gone[:-1]) > limit

    @pytest.mark.parametrize("room", [6, 10, 16, 25])
    def test_a_million_steps_in_a_small_room_stay_about_log_spaced(self, room):
        """As the loop does it: each mark comes, some go; the newest two are three times as large."""
        kept = []
        for step in marks(1_000_000):
            kept.append(step)
            gone = surplus([(each, 3 if each in kept[-2:] else 1) for each in kept], room + 4)
            kept = [each for each in kept if each not in gone]
            assert kept[0] == 0 and kept[-1] == step and len(kept) <= room
        assert len(kept) == min(room, len(marks(1_000_000)))
        even = math.log1p(1_000_000) / (room - 1)
        assert max(gaps(kept)) < 2.2 * even + 0.3

    def test_what_stays(self):
        """The newest is there for safety alone: 5,000 must not go because 5,010 stands beside it."""
        assert surplus([(step, 7) for step in marks(1000)], 7 * len(marks(1000))) == []
        assert 5000 in kept_of([*marks(5000), 5010], 4)
        assert kept_of([*marks(5000), 5010], 2) == [0, 5010]
        assert kept_of(marks(1000), 1, asked={37, 250}) == [0, 250, 1000]


class TestRuns:
    def test_a_limit_thins_the_middle_of_a_run(self, text, tmp_path):
        wide, narrow = tmp_path / "wide", tmp_path / "narrow"
        start_run(tiny_run(text, steps=60), wide, resume=False)
        found = dict(RunFolder(wide).snapshots())
        assert list(found) == [0, 1, 2, 5, 10, 20, 50, 60]
        # the newest two, which have a training state, and two more
        limit = _mib(found[60]) + _mib(found[50]) + 2.5 * _mib(found[20])
        snapshot = start_run(tiny_run(text, steps=60, snapshots_mib=limit), narrow, resume=False)
        steps = [step for step, _ in RunFolder(narrow).snapshots()]
        assert len(steps) == 4 and (steps[0], steps[-2], steps[-1]) == (0, 50, 60)
        assert _mib(narrow / "snapshots") <= limit and can_resume(snapshot)
        assert "snapshots of step" in (narrow / "log.txt").read_text()
        assert losses(narrow) == losses(wide)

    def test_a_snapshot_stays_that_somebody_asked_for_or_began_with(self, text, tmp_path):
        run = tmp_path / "run"
        start_run(tiny_run(text, steps=12), run, False, at_step(7, lambda: RunFolder(run).send("snapshot")))
        assert [step for step, _ in RunFolder(run).snapshots()] == [0, 1, 2, 5, 7, 10, 12]
        begun, asked = (RunFolder(run).snapshot_path(step) for step in (5, 7))
        assert load_checkpoint(asked).step == 7
        start_run(continued(tiny_run(text, steps=2), begun), tmp_path / "next", resume=False)
        assert sorted(file.parent for file in run.glob("snapshots/*/keep")) == [begun, asked]


def _mib(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / MIB
