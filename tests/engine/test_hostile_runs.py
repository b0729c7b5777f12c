"""Run folders from elsewhere, and folders that are moved or deleted while they train: a sentence, and nothing lost."""

import json
import os
import shutil
import signal
import threading
from types import SimpleNamespace

import pytest

from bertcore.errors import MOST_SENTENCE, BertcoreError
from bertcore.resolve_model import resolve_model
from bertcore.runs.known_runs import known_runs, register_run
from bertcore.runs.metrics_file import MetricsTail
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import keep
from bertcore.training.failures import stop_signals
from tests.engine.runs_of_each_kind import pretraining, story
from tests.engine.training_runs import at_step
from tests.limited import needs_limits, run_limited
from tests.text_file import text_file

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="pipes, links and signals as POSIX has them"),
    pytest.mark.timeout(120),
]


@pytest.fixture
def run(tmp_path):
    return RunFolder.create(tmp_path / "run", {"name": "stories"})


class TestCommands:
    @pytest.mark.parametrize("make", [os.mkfifo, lambda file: file.symlink_to("/dev/zero")], ids=["pipe", "/dev/zero"])
    def test_what_is_no_file_is_no_command_and_goes(self, run, make):
        control = run.path / "control.json"
        make(control)
        assert run.take_command() is None
        assert not os.path.lexists(control)
        make(control)
        RunFolder(run.path).send("pause")
        assert run.take_command() == "pause"
        make(control)
        with run.acquire():
            assert not os.path.lexists(control)

    def test_a_folder_of_that_name_stays_and_does_no_harm(self, run):
        (run.path / "control.json" / "mine").mkdir(parents=True)
        with run.acquire():
            assert run.take_command() is None and run.take_command() is None
        assert [entry.name for entry in run.path.glob("control.json*/*")] == ["mine"]


class TestLinks:
    """A link in a run folder leads nobody to another file, by reading, listing or training."""

    @pytest.mark.parametrize("name", ["lock", "status.json", "metrics.jsonl", "log.txt", "control.json", "config.json"])
    def test_what_it_points_to_stays_as_it_is(self, run, tmp_path, name):
        precious = text_file(tmp_path / "precious", "mine")
        run.write_status(state="running")
        (run.path / name).unlink(missing_ok=True)
        (run.path / name).symlink_to(precious)
        for act in (
            run.is_alive,
            run.status,
            lambda: run.send("pause"),
            lambda: run.write_status(step=1),
            lambda: run.append_metric({"step": 1}),
            lambda: run.truncate_metrics(0),
            lambda: run.log("hello"),
            lambda: run.acquire().__enter__(),
            run.take_command,
        ):
            try:
                act()
            except BertcoreError as error:
                assert "Cannot write" in str(error)
        assert precious.read_text() == "mine"

    @pytest.mark.parametrize("name", ["snapshots", "snapshots/step-00000001", "tokenizer"])
    def test_a_linked_folder_is_neither_listed_nor_written_into(self, run, tmp_path, name):
        precious = tmp_path / "precious"
        for folder in (precious, precious / "step-00000001"):
            folder.mkdir()
            for file in ("config.json", "model.safetensors", "training_state.json", ".keep.1", "x.partial"):
                (folder / file).write_text("{}")
        before = sorted(precious.rglob("*"))
        link = run.path / name
        if link.is_dir():
            link.rmdir()
        link.symlink_to(precious)
        assert run.snapshots() == []
        run.set_snapshots_aside(0)
        if name.startswith("snapshots/"):
            with run.acquire():
                pass
        else:
            for act in (lambda: resolve_model(run.path), lambda: run.acquire().__enter__()):
                with pytest.raises(BertcoreError, match=f"the folder {name} is a link to elsewhere; put the"):
                    act()
        assert sorted(precious.rglob("*")) == before

    def test_a_mark_on_a_snapshot_is_made_nowhere_else(self, run, tmp_path):
        snapshot = run.snapshot_path(1)
        snapshot.mkdir()
        (snapshot / "keep").symlink_to(tmp_path / "elsewhere")
        keep(snapshot)
        assert not (tmp_path / "elsewhere").exists()


class TestStatus:
    def test_the_reason_is_the_true_one_and_a_long_message_is_cut(self, run):
        file = run.path / "status.json"
        file.write_text(json.dumps({"state": "failed", "message": "x" * 1_000_000}))
        assert len(str(run.status().message)) <= MOST_SENTENCE
        file.unlink()
        assert run.status().state == "unknown" and "is missing" in str(run.status().message)
        os.mkfifo(file)
        assert "cannot be read: it is not a regular file" in str(run.status().message)
        (run.path / "config.json").unlink()
        os.mkfifo(run.path / "config.json")
        with pytest.raises(BertcoreError, match="config.json cannot be read: it is not a regular file"):
            run.config()


class TestMetrics:
    def test_a_line_without_an_end_is_skipped_to_its_end(self, tmp_path):
        file = tmp_path / "metrics.jsonl"
        file.write_bytes(b'{"step": 1}\n{"a": "' + b"x" * 5_000_000 + b'"}\n{"step": 2}\n')
        assert MetricsTail(file).read_new() == [{"step": 1}, {"step": 2}]
        tail, found = MetricsTail(file), []
        while True:
            found += tail.read_new(100_000)
            if not tail.more:
                break
        assert found == [{"step": 1}, {"step": 2}]
        run = RunFolder(tmp_path)
        run.truncate_metrics(1)
        assert file.read_bytes() == b'{"step": 1}\n'

    def test_a_pipe_is_nothing_to_read(self, tmp_path):
        os.mkfifo(tmp_path / "metrics.jsonl")
        assert MetricsTail(tmp_path).read_new() == []

    @needs_limits
    def test_gigabytes_of_nothing_take_little_memory(self, run):
        with (run.path / "metrics.jsonl").open("wb") as stream:
            stream.truncate(1 << 30)
        code = """
from bertcore.runs.run_folder import RunFolder
limit(60)
run = RunFolder(sys.argv[1])
print(run.tail().read_new())
run.truncate_metrics(5)
"""
        assert run_limited(code, run.path) == ["[]"]

    def test_metrics_that_somebody_deletes_begin_again(self, run):
        with run.acquire():
            run.append_metric({"step": 1})
            (run.path / "metrics.jsonl").unlink()
            run.append_metric({"step": 2})
        assert run.tail().read_new() == [{"step": 2}]


@pytest.mark.parametrize("name", ["config.json", "status.json"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda file: file.symlink_to("/dev/zero")], ids=["pipe", "/dev/zero"])
def test_a_run_with_a_pipe_for_a_file_is_known(own_home, name, make):
    run = RunFolder.create(own_home / "runs" / "odd", {"name": "odd"})
    (run.path / name).unlink()
    make(run.path / name)
    assert run.path.resolve() in known_runs()
    (own_home / "known_runs.txt").unlink(missing_ok=True)
    os.mkfifo(own_home / "known_runs.txt")
    assert run.path.resolve() in known_runs() and all(run.parent.name == "runs" for run in known_runs())


class TestMovedWhileItTrains:
    """Snapshots are taken at steps 1, 2 and 5: before and after the folder goes."""

    @pytest.mark.parametrize("step", [1, 3, 6])
    def test_a_deleted_folder_stops_the_run_and_stays_deleted(self, folder, step):
        run = folder / "run"
        with pytest.raises(BertcoreError, match=r"The run folder .*run was moved or deleted during the training"):
            pretraining(folder)(run, at_step(step, lambda: shutil.rmtree(run)))
        assert not run.exists()

    @pytest.mark.parametrize("step", [3, 4])
    def test_a_moved_folder_is_whole_and_another_at_its_place_is_left_alone(self, folder, step):
        start, run, moved = pretraining(folder), folder / "run", folder / "elsewhere"
        start(folder / "undisturbed")

        def exchange():
            run.rename(moved)
            if step == 4:
                run.mkdir()
                (run / "mine").write_text("precious")

        says = "moved or deleted" if step == 4 else "it continues with --resume --out FOLDER"
        with pytest.raises(BertcoreError, match=says):
            start(run, at_step(step, exchange))
        assert [file.name for file in run.glob("*")] == (["mine"] if step == 4 else [])
        assert RunFolder(moved).status().state == "stopped"
        start(moved)
        assert story(moved) == story(folder / "undisturbed")

    @pytest.mark.parametrize("rest", ["metrics.jsonl", "snapshots/step-00000002/model.safetensors"])
    def test_a_folder_that_keeps_what_was_written_while_it_was_deleted(self, folder, rest):
        """As `rm -r` leaves it that could not remove a folder to which something was added meanwhile."""
        run = folder / "run"

        def delete():
            for file in [file for file in run.rglob("*") if file.is_file() and file != run / rest]:
                file.unlink()

        with pytest.raises(BertcoreError, match=r"files of the run .* were deleted during the training \(its config"):
            pretraining(folder)(run, at_step(3, delete))
        assert [file for file in run.rglob("*") if file.is_file() and file.name != "lock"] == [run / rest]

    @pytest.mark.parametrize("leaves", ["nothing", "its metrics"])
    def test_a_paused_run_notices_it_too(self, folder, leaves):
        run = folder / "run"

        def watch(event):
            if event["kind"] == "train" and event["step"] == 3:
                RunFolder(run).send("pause")
            if event["kind"] == "status" and event["state"] == "paused":
                (run / "config.json").unlink() if leaves == "its metrics" else shutil.rmtree(run)

        with pytest.raises(BertcoreError, match="deleted during the training"):
            pretraining(folder)(run, watch)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no terminals that close")
def test_a_closed_terminal_stops_a_run_as_a_kill_does_but_not_under_nohup(folder):
    run, stops = folder / "run", threading.Event()
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup
    try:
        pretraining(folder)(run, at_step(3, lambda: os.kill(os.getpid(), signal.SIGHUP)))
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 3)
        pretraining(folder)(run)
        assert RunFolder(run).status().state == "done"
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with stop_signals(stops.set):
            os.kill(os.getpid(), signal.SIGHUP)
        assert not stops.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_terminal_that_is_gone_ends_no_run(monkeypatch):
    """What cannot be printed any more is not printed."""
    from bertcore.cli.output import watching

    def gone(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: False, write=gone, flush=gone))
    with watching(quiet=False) as show:
        show({"kind": "phase", "step": 3, "message": "words"})


def test_a_run_whose_folder_has_a_strange_name(own_home, tmp_path):
    folder = tmp_path / "a\u2028b\x85c"
    RunFolder.create(folder, {"name": "x"})
    register_run(folder)
    register_run(folder)
    assert folder in known_runs() and (own_home / "known_runs.txt").read_bytes().count(b"\n") == 1
