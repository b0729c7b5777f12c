"""The runs service: real children, runs of others, orphans, commands, and runs that die without a word."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.runs import run_info
from app.runs.process import RunChild, RunCommand, child_environment
from app.runs.run_info import describe, newest_held_out
from app.runs.service import RunsService
from bertcore import locations
from bertcore.errors import BertcoreError
from bertcore.runs import known_runs as registry
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import OPTIMIZER_FILE, TRAINING_STATE_FILE, delete_training_state
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions
from tests.app.conftest import TIMEOUT_MS, handle_events

SENTENCES = (
    "The cat sat on the mat.",
    "A dog ran to the red house.",
    "Tom gave his sister an apple.",
    "It rained all day.",
)
CHILD_MS = 120_000


pytestmark = pytest.mark.usefixtures("no_built_in_runs")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text("\n\n".join("\n".join(SENTENCES[i % 4 :] + SENTENCES[: i % 4]) for i in range(60)))
    return file


def _options(corpus: Path, steps: int, name: str = "little") -> PretrainOptions:
    return PretrainOptions(
        name=name,
        preset="tiny",
        data=DataOptions(corpus=(str(corpus),), vocab_size=200, sequence_length=32, long_sequence_length=32),
        training=TrainingOptions(steps=steps, batch_size=4, held_out_sequences=8, threads=1, precision="fp32"),
    )


def _command(corpus: Path, steps: int, name: str = "little") -> RunCommand:
    return RunCommand(_options(corpus, steps, name))


def _make_run(folder: Path, state: str = "done", steps: int = 3) -> RunFolder:
    """A finished run, as its folder looks afterwards."""
    run = RunFolder.create(folder, _options(Path("text.txt"), steps, folder.name).to_dict())
    with run.acquire():
        for step in range(1, steps + 1):
            run.append_metric({"kind": "train", "step": step, "loss": 1.0 / step})
        run.append_metric({"kind": "held_out", "step": steps, "loss": 0.5, "mlm_accuracy": 0.25})
        run.write_status(state=state, step=steps, fraction=1.0)
        with run.begin_snapshot(steps) as snapshot:
            for name in ("config.json", "model.safetensors", TRAINING_STATE_FILE, OPTIMIZER_FILE):
                (snapshot / name).touch()
    return run


def _status(service: RunsService, path: Path) -> str:
    service.refresh()
    return next((run.status.state for run in service.runs if run.path == path), "not listed")


def _hold_run(run: RunFolder) -> subprocess.Popen[str]:
    """Another process that trains in this folder, as far as anyone can see."""
    code = (
        "import sys; from bertcore.runs.run_folder import RunFolder\n"
        "run = RunFolder(sys.argv[1])\n"
        "with run.acquire():\n"
        "    run.write_status(state='running', step=5); print('held', flush=True); sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(run.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


class TestRealChild:
    def test_run_is_started_followed_and_ends(self, service: RunsService, corpus: Path, qtbot: QtBot) -> None:
        metrics: list[dict] = []
        service.metrics_restarted.connect(metrics.clear)
        service.metrics_appended.connect(metrics.extend)
        snapshots: list[list] = []
        service.snapshots_changed.connect(snapshots.append)
        service.set_following(True)
        path = service.start(_command(corpus, steps=12))
        assert path is not None and path.parent == locations.runs_folder().resolve()
        assert service.selected == path and _status(service, path) == "starting"
        qtbot.waitUntil(lambda: _status(service, path) in ("done", "failed"), timeout=CHILD_MS)
        assert _status(service, path) == "done"
        qtbot.waitUntil(
            lambda: any(line["kind"] == "snapshot" and line["step"] == 12 for line in metrics), timeout=TIMEOUT_MS
        )
        written = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
        assert metrics == written
        assert [line["step"] for line in metrics if line["kind"] == "train"] == list(range(1, 13))
        qtbot.waitUntil(lambda: bool(snapshots[-1]) and snapshots[-1][-1][0] == 12, timeout=TIMEOUT_MS)

    def test_stop_and_resume_go_through_the_folder(self, service: RunsService, corpus: Path, qtbot: QtBot) -> None:
        path = service.start(_command(corpus, steps=400))
        assert path is not None
        qtbot.waitUntil(lambda: RunFolder(path).status().step >= 5, timeout=CHILD_MS)
        service.control(path, "pause")
        qtbot.waitUntil(lambda: _status(service, path) == "paused", timeout=CHILD_MS)
        service.control(path, "resume")
        qtbot.waitUntil(lambda: _status(service, path) == "running", timeout=CHILD_MS)
        service.control(path, "stop")
        qtbot.waitUntil(lambda: _status(service, path) == "stopped", timeout=CHILD_MS)
        stopped_at = RunFolder(path).status().step
        assert 5 <= stopped_at < 400
        qtbot.waitUntil(lambda: service._children[path].has_ended, timeout=CHILD_MS)
        service.control(path, "resume")
        assert _status(service, path) == "starting"
        qtbot.waitUntil(lambda: RunFolder(path).status().step > stopped_at, timeout=CHILD_MS)
        service.control(path, "stop")
        qtbot.waitUntil(lambda: _status(service, path) in ("stopped", "done"), timeout=CHILD_MS)
        steps = [line["step"] for line in RunFolder(path).tail().read_new() if line["kind"] == "train"]
        assert steps == sorted(set(steps))

    def test_child_that_cannot_start_says_why(self, service: RunsService, tmp_path: Path, qtbot: QtBot) -> None:
        path = service.start(_command(tmp_path / "größe.txt", steps=5))
        assert path is not None
        qtbot.waitUntil(lambda: _status(service, path) == "failed", timeout=CHILD_MS)
        message = service.runs[0].status.message
        assert message is not None and "größe.txt" in message
        assert "Traceback" not in message and not message.startswith("bertcore:")

    def test_stop_before_it_runs_is_no_failure(self, service: RunsService, corpus: Path, qtbot: QtBot) -> None:
        path = service.start(_command(corpus, steps=5))
        assert path is not None and _status(service, path) == "starting"
        service.control(path, "stop")
        qtbot.waitUntil(lambda: _status(service, path) != "starting", timeout=CHILD_MS)
        status = service.runs[0].status
        assert (status.state, status.message) == ("stopped", "Stopped while it was starting.")

    def test_killed_child_is_failed_with_a_sentence_and_others_are_not_touched(
        self, service: RunsService, corpus: Path, qtbot: QtBot
    ) -> None:
        path = service.start(_command(corpus, steps=100_000))
        assert path is not None
        qtbot.waitUntil(lambda: RunFolder(path).status().step >= 1, timeout=CHILD_MS)
        os.kill(service._children[path].pid, signal.SIGKILL)
        qtbot.waitUntil(lambda: _status(service, path) == "failed", timeout=CHILD_MS)
        assert "killed" in str(service.runs[0].status.message)
        assert service.runs[0].can_resume

    def test_a_failed_run_that_goes_on_elsewhere_is_running(
        self, service: RunsService, tmp_path: Path, qtbot: QtBot
    ) -> None:
        """As after a full disk, when someone resumes it in the shell."""
        path = service.start(_command(tmp_path / "missing.txt", steps=5))
        assert path is not None
        qtbot.waitUntil(lambda: _status(service, path) == "failed", timeout=CHILD_MS)
        holder = _hold_run(_make_run(path, "running"))
        assert _status(service, path) == "running"
        service.control(path, "stop")
        assert RunFolder(path).take_command() == "stop"
        holder.communicate()

    def test_run_goes_on_without_the_window_and_the_next_one_adopts_it(
        self, service: RunsService, corpus: Path, qtbot: QtBot
    ) -> None:
        path = service.start(_command(corpus, steps=100_000))
        assert path is not None
        qtbot.waitUntil(lambda: RunFolder(path).status().step >= 1, timeout=CHILD_MS)
        service.close()
        if hasattr(os, "getsid"):
            assert os.getsid(service._children[path].pid) != os.getsid(0)
        later = RunsService()
        later.set_following(True)
        assert later.selected == path and later.runs[0].status.state == "running"
        later.control(path, "stop")
        qtbot.waitUntil(lambda: _status(later, path) == "stopped", timeout=CHILD_MS)
        later.close()


class TestRunsOfOthers:
    def test_run_from_the_shell_is_found_where_it_registered(self, service: RunsService, tmp_path: Path) -> None:
        run = _make_run(tmp_path / "elsewhere" / "mine")
        registry.register_run(run.path)
        service.set_following(True)
        info = service.runs[0]
        assert (info.path, info.name, info.status.state) == (run.path, "mine", "done")
        assert info.held_out is not None and info.held_out["mlm_accuracy"] == 0.25
        assert info.about == "tiny, 2 × 128 · text.txt"

    def test_orphan_that_died_is_stopped_and_can_go_on(self, service: RunsService, tmp_path: Path) -> None:
        run = _make_run(tmp_path / "orphan", "running")
        registry.register_run(run.path)
        holder = _hold_run(run)
        assert _status(service, run.path) == "running"
        holder.kill()
        holder.communicate()
        assert _status(service, run.path) == "stopped"
        assert service.runs[0].can_resume and "ended unexpectedly" in str(service.runs[0].status.message)
        delete_training_state(run.snapshots()[-1][1])
        assert _status(service, run.path) == "stopped" and not service.runs[0].can_resume

    def test_first_run_from_the_shell_is_looked_at_when_it_appears(
        self, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        service.set_following(True)
        assert service.selected is None and service.runs == []
        run = _make_run(own_home / "runs" / "first")
        qtbot.waitUntil(lambda: service.selected == run.path.resolve(), timeout=TIMEOUT_MS)

    def test_commands_reach_a_run_that_others_started(self, service: RunsService, tmp_path: Path) -> None:
        run = _make_run(tmp_path / "theirs")
        holder = _hold_run(run)
        service.control(run.path, "pause")
        assert run.take_command() == "pause"
        holder.communicate()

    def test_damaged_folders_are_rows_that_say_so(self, service: RunsService, own_home: Path) -> None:
        run = _make_run(own_home / "runs" / "damaged")
        (run.path / "status.json").write_text("{")
        other = _make_run(own_home / "runs" / "no-config")
        (other.path / "config.json").write_text("[]")
        service.set_following(True)
        assert {info.status.state for info in service.runs} == {"unknown"}
        assert all(info.status.message and not info.can_resume for info in service.runs)

    def test_resumed_metrics_start_over(self, service: RunsService, own_home: Path) -> None:
        run = _make_run(own_home / "runs" / "again", steps=5)
        shown: list[dict] = []
        service.metrics_restarted.connect(shown.clear)
        service.metrics_appended.connect(shown.extend)
        service.set_following(True)
        assert len(shown) == 6
        run.truncate_metrics(2)
        run.append_metric({"kind": "train", "step": 3, "loss": 9.0})
        service._poll_selected()
        assert [line["step"] for line in shown] == [1, 2, 3]

    def test_long_metrics_come_in_pieces(self, service: RunsService, own_home: Path, qtbot: QtBot) -> None:
        run = _make_run(own_home / "runs" / "long")
        line = '{"kind": "train", "step": %d, "loss": 1.0}\n'
        (run.path / "metrics.jsonl").write_text("".join(line % step for step in range(20_000)))
        pieces: list[int] = []
        service.metrics_appended.connect(lambda metrics: pieces.append(len(metrics)))
        service.select(run.path)
        assert sum(pieces) < 20_000
        qtbot.waitUntil(lambda: sum(pieces) == 20_000)
        assert max(pieces) < 5_000

    def test_unchanged_runs_are_not_told_again(self, service: RunsService, own_home: Path) -> None:
        _make_run(own_home / "runs" / "quiet")
        told: list[list] = []
        service.runs_changed.connect(told.append)
        service.refresh()
        service.refresh()
        assert len(told) == 1


def test_launch_folder_that_cannot_be_made_is_told(service: RunsService, own_home: Path, corpus: Path) -> None:
    own_home.parent.mkdir(exist_ok=True)
    own_home.write_text("a file where the folder should be")
    problems: list[str] = []
    service.problem_found.connect(problems.append)
    assert service.start(_command(corpus, steps=1)) is None
    assert len(problems) == 1 and str(own_home) in problems[0]


def test_python_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(BertcoreError, match="cannot be started"):
        RunChild(tmp_path / "run", [])


@pytest.mark.parametrize("setting", ["PYTHONUTF8=0", "PYTHONIOENCODING=latin-1"])
def test_a_child_writes_utf_8_whatever_the_window_does(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what it says before bertcore is imported, or instead."""
    for name, value in (pair.split("=") for pair in ("LC_ALL=C", "PYTHONCOERCECLOCALE=0", setting)):
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-c", "raise SystemExit('gr\\xf6\\xdfe')"]
    done = subprocess.run(command, env=child_environment(), capture_output=True, check=False)
    assert done.stderr.decode("utf-8").strip() == "größe"


def test_what_is_started_finds_its_files_from_another_folder(
    service: RunsService, corpus: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings from a recipe may name them as they are seen from here."""
    monkeypatch.chdir(corpus.parent)
    child = MagicMock(started_at=0.0, has_ended=False)
    monkeypatch.setattr("app.runs.service.RunChild", lambda *_: child)
    service.start(_command(Path(corpus.name), steps=1))
    [recipe] = (own_home / "launched").glob("*.json")
    assert json.loads(recipe.read_text())["data"]["corpus"] == [str(corpus)]


def test_same_name_gets_a_number(service: RunsService, corpus: Path) -> None:
    first = service.start(_command(corpus, steps=1, name="My stories!"))
    second = service.start(_command(corpus, steps=1, name="My stories!"))
    assert first is not None and second is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-my-stories", first.name) and second.name == first.name + "-2"


@pytest.mark.parametrize("at_a_time", [1 << 17, 50, 7])
def test_newest_held_out_is_found_from_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_a_time: int) -> None:
    monkeypatch.setattr("app.runs.run_info._TAIL_BYTES", at_a_time)
    assert newest_held_out(tmp_path) is None
    lines = ['{"kind": "held_out", "step": 1}', '{"kind": "held_out", "step": 2}', '{"kind": "train", "step": 3}']
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + '\n{"kind": "held_out", "st')
    assert newest_held_out(tmp_path) == {"kind": "held_out", "step": 2}


def test_describe_leaves_out_what_a_config_does_not_say() -> None:
    assert describe({}) == ""
    assert describe({"preset": "own", "data": {"corpus": ["/a/one.txt", "/a/two.txt"]}}) == "one.txt and 1 more"
    mixed = {"one.txt": {"kind": "a"}, "two.txt": {"kind": "a"}, "three.txt": {"kind": "a", "held_out": True}}
    assert describe({"preset": "own", "data": {"corpus": ["texts"], "mixture": mixed}}) == "2 text files"


class TestCost:
    """Nobody looks at the list, or nothing in it changes: no run folder is read."""

    @pytest.fixture
    def reads(self, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
        paths, read_run = [], run_info.read_run

        def counted(path: Path, *rest: object) -> object:
            paths.append(path)
            return read_run(path, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr("app.runs.service.read_run", counted)
        return paths

    def test_runs_that_are_over_are_read_once(self, service: RunsService, own_home: Path, reads: list[Path]) -> None:
        runs = [_make_run(own_home / "runs" / f"run-{number}", "done") for number in range(5)]
        for _ in range(4):
            service.refresh()
        assert sorted(reads) == sorted(run.path for run in runs)
        runs[2].write_status(state="done", step=77, fraction=1.0)
        service.refresh()
        assert reads[5:] == [runs[2].path] and {info.status.step for info in service.runs} >= {77}

    def test_nothing_is_read_while_the_room_is_hidden(
        self, service: RunsService, own_home: Path, reads: list[Path], qtbot: QtBot
    ) -> None:
        _make_run(own_home / "runs" / "one", "done")
        service.set_following(True)
        service.set_following(False)
        reads.clear()
        _make_run(own_home / "runs" / "two", "done")
        handle_events()
        assert reads == [] and not any(timer.isActive() for timer in service.findChildren(QTimer))
        service.set_following(True)
        assert len(service.runs) == 2
