"""The runs service: real children, runs of others, orphans and commands; and what the desktop hears of their ends."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import ClassVar
from unittest.mock import MagicMock

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.runs import service as run_service
from app.runs.process import RunChild, RunCommand, child_environment
from app.runs.run_info import describe, newest_held_out
from app.runs.service import RunsService
from app.shell import notifications
from app.shell.notifications import RunNotifications
from bertcore import locations
from bertcore.errors import BertcoreError
from bertcore.runs import known_runs as registry
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import OPTIMIZER_FILE, TRAINING_STATE_FILE, delete_training_state
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions
from tests.app.conftest import handle_events, wait_until
from tests.app.train_room import opened_at, stored_run
from tests.engine.training_runs import write_text

pytestmark = pytest.mark.usefixtures("no_built_in_runs")


@pytest.fixture
def corpus(tmp_path):
    return write_text(tmp_path)


def _options(corpus, steps, name="little"):
    data = DataOptions(corpus=(str(corpus),), vocab_size=200, sequence_length=32, long_sequence_length=32)
    training = TrainingOptions(steps=steps, batch_size=4, held_out_sequences=8, threads=1, precision="fp32")
    return PretrainOptions(name=name, preset="tiny", data=data, training=training)


def _command(corpus, steps=1, name="little"):
    return RunCommand(_options(corpus, steps, name))


def _make_run(name="mine", state="done", steps=3):
    """As its folder looks afterwards."""
    lines = [{"kind": "train", "step": step, "loss": 1.0 / step} for step in range(1, steps + 1)]
    lines.append({"kind": "held_out", "step": steps, "loss": 0.5, "mlm_accuracy": 0.25})
    run = stored_run(name, _options(Path("text.txt"), steps, name), lines, [steps], state=state, step=steps)
    for file in (TRAINING_STATE_FILE, OPTIMIZER_FILE):
        (run.snapshot_path(steps) / file).touch()
    return run


def _elsewhere(run, folder):
    """Moved out of the home folder, and registered, as the shell does."""
    registry.register_run(run.path.rename(folder))
    return RunFolder(folder)


def _status(service, path):
    service.refresh()
    return next((run.status.state for run in service.runs if run.path == path), "not listed")


def _wait_for(service, path, *states):
    wait_until(lambda: _status(service, path) in states)


def _wait_for_step(path, step):
    wait_until(lambda: RunFolder(path).status().step >= step)


def _hold_run(run):
    """Another process that trains in this folder, as far as anyone can see."""
    code = (
        "import sys; from bertcore.runs.run_folder import RunFolder\n"
        "run = RunFolder(sys.argv[1])\n"
        "with run.acquire():\n"
        "    run.write_status(state='running', step=5); print('held', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(run.path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_run_is_started_followed_and_ends(service, corpus):
    metrics, snapshots = list[dict](), list[list]()
    service.metrics_restarted.connect(metrics.clear)
    service.metrics_appended.connect(metrics.extend)
    service.snapshots_changed.connect(snapshots.append)
    service.set_following(True)
    path = service.start(_command(corpus, steps=12))
    assert path.parent == locations.runs_folder().resolve()
    assert service.selected == path and _status(service, path) == "starting"
    _wait_for(service, path, "done", "failed")
    assert _status(service, path) == "done"
    is_last = {"kind": "snapshot", "step": 12}.items()
    wait_until(lambda: any(is_last <= line.items() for line in metrics))
    assert metrics == [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in metrics if line["kind"] == "train"] == list(range(1, 13))
    wait_until(lambda: bool(snapshots[-1]) and snapshots[-1][-1][0] == 12)


def test_stop_and_resume_go_through_the_folder(service, corpus):
    path = service.start(_command(corpus, steps=400))
    _wait_for_step(path, 5)
    for command, state in (("pause", "paused"), ("resume", "running"), ("stop", "stopped")):
        service.control(path, command)
        _wait_for(service, path, state)
    stopped_at = RunFolder(path).status().step
    assert 5 <= stopped_at < 400
    wait_until(lambda: service._children[path].has_ended)
    service.control(path, "resume")
    assert _status(service, path) == "starting"
    _wait_for_step(path, stopped_at + 1)
    service.control(path, "stop")
    _wait_for(service, path, "stopped", "done")
    steps = [line["step"] for line in RunFolder(path).tail().read_new() if line["kind"] == "train"]
    assert steps == sorted(set(steps))


def test_child_that_cannot_start_says_why_and_may_go_on_elsewhere(service, tmp_path):
    """As after a full disk, when someone resumes it in the shell."""
    path = service.start(_command(tmp_path / "größe.txt", steps=5))
    _wait_for(service, path, "failed")
    message = service.runs[0].status.message
    assert "größe.txt" in message and "Traceback" not in message and not message.startswith("bertcore:")
    holder = _hold_run(RunFolder(_make_run("other").path.rename(path)))
    assert _status(service, path) == "running"
    service.control(path, "stop")
    assert RunFolder(path).take_command() == "stop"
    holder.communicate()


def test_stop_before_it_runs_is_no_failure(service, corpus):
    path = service.start(_command(corpus, steps=5))
    assert _status(service, path) == "starting"
    service.control(path, "stop")
    wait_until(lambda: _status(service, path) != "starting")
    status = service.runs[0].status
    assert (status.state, status.message) == ("stopped", "Stopped while it was starting.")


def test_run_goes_on_without_the_window_the_next_one_adopts_it_and_a_kill_is_said(service, corpus):
    stopped, killed = (service.start(_command(corpus, 100_000, name)) for name in ("stopped", "killed"))
    for path in (stopped, killed):
        _wait_for_step(path, 1)
    os.kill(service._children[killed].pid, signal.SIGKILL)
    _wait_for(service, killed, "failed")
    info = next(run for run in service.runs if run.path == killed)
    assert "killed" in info.status.message and info.can_resume
    service.close()
    if hasattr(os, "getsid"):
        assert os.getsid(service._children[stopped].pid) != os.getsid(0)
    later = RunsService()
    later.set_following(True)
    assert later.selected == stopped and _status(later, stopped) == "running"
    later.control(stopped, "stop")
    _wait_for(later, stopped, "stopped")
    later.close()


def test_run_from_the_shell_is_found_where_it_registered(service, tmp_path):
    run = _elsewhere(_make_run(), tmp_path / "elsewhere")
    service.set_following(True)
    info = service.runs[0]
    assert (info.path, info.name, info.status.state) == (run.path, "mine", "done")
    assert info.held_out["mlm_accuracy"] == 0.25 and info.about == "tiny, 2 × 128 · text.txt"


def test_orphan_that_died_is_stopped_and_can_go_on(service, tmp_path):
    run = _elsewhere(_make_run(state="running"), tmp_path / "orphan")
    holder = _hold_run(run)
    assert _status(service, run.path) == "running"
    service.control(run.path, "pause")
    assert run.take_command() == "pause", "commands reach a run that others started"
    holder.kill()
    holder.communicate()
    assert _status(service, run.path) == "stopped"
    assert service.runs[0].can_resume and "ended unexpectedly" in service.runs[0].status.message
    delete_training_state(run.snapshots()[-1][1])
    assert _status(service, run.path) == "stopped" and not service.runs[0].can_resume


def test_first_run_from_the_shell_is_looked_at_when_it_appears_and_resumed_metrics_start_over(service):
    shown = []
    service.metrics_restarted.connect(shown.clear)
    service.metrics_appended.connect(shown.extend)
    service.set_following(True)
    assert service.selected is None and service.runs == []
    run = _make_run(steps=5)
    wait_until(lambda: service.selected == run.path.resolve())
    assert len(shown) == 6
    run.truncate_metrics(2)
    run.append_metric({"kind": "train", "step": 3, "loss": 9.0})
    service._poll_selected()
    assert [line["step"] for line in shown] == service.metrics.series["loss_task"].arrays[0].tolist() == [1, 2, 3]


def test_long_metrics_come_in_pieces(service):
    run, pieces = _make_run(), list[int]()
    line = '{"kind": "train", "step": %d, "loss": 1.0}\n'
    (run.path / "metrics.jsonl").write_text("".join(line % step for step in range(20_000)))
    service.metrics_appended.connect(lambda metrics: pieces.append(len(metrics)))
    service.select(run.path)
    assert sum(pieces) < 20_000
    wait_until(lambda: sum(pieces) == 20_000)
    assert max(pieces) < 5_000


def test_what_cannot_be_started_is_said(service, own_home, corpus, monkeypatch, tmp_path):
    own_home.write_text("a file where the folder should be")
    problems = []
    service.problem_found.connect(problems.append)
    assert service.start(_command(corpus)) is None
    assert len(problems) == 1 and str(own_home) in problems[0]
    own_home.unlink()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(BertcoreError, match="cannot be started"):
        RunChild(tmp_path / "run", [])


@pytest.mark.parametrize("setting", ["PYTHONUTF8=0", "PYTHONIOENCODING=latin-1"])
def test_a_child_writes_utf_8_whatever_the_window_does(setting, monkeypatch):
    """Also what it says before bertcore is imported, or instead."""
    for name, value in (pair.split("=") for pair in ("LC_ALL=C", "PYTHONCOERCECLOCALE=0", setting)):
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-c", "raise SystemExit('gr\\xf6\\xdfe')"]
    done = subprocess.run(command, env=child_environment(), capture_output=True, check=False)
    assert done.stderr.decode("utf-8").strip() == "größe"


def test_a_run_has_a_folder_of_its_own_and_finds_its_files_from_another(service, corpus, own_home, monkeypatch):
    """Settings from a recipe may name them as they are seen from here."""
    monkeypatch.chdir(corpus.parent)
    child, launched = MagicMock(started_at=0.0, has_ended=False), own_home / "launched"
    monkeypatch.setattr(run_service, "RunChild", lambda run, _: (launched / f"{run.name}.txt").touch() or child)
    first, second = (service.start(_command(Path(corpus.name), name="My stories!")) for _ in range(2))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-my-stories", first.name) and second.name == first.name + "-2"
    for path in (first, second):
        assert json.loads((launched / f"{path.name}.json").read_text())["data"]["corpus"] == [str(corpus)]


def test_newest_held_out_is_found_from_the_end(tmp_path, monkeypatch):
    assert newest_held_out(tmp_path) is None
    lines = ['{"kind": "held_out", "step": 1}', '{"kind": "held_out", "step": 2}', '{"kind": "train", "step": 3}']
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + '\n{"kind": "held_out", "st')
    for at_a_time in (1 << 17, 50, 7):
        monkeypatch.setattr("app.runs.run_info._TAIL_BYTES", at_a_time)
        assert newest_held_out(tmp_path) == {"kind": "held_out", "step": 2}


def test_describe_leaves_out_what_a_config_does_not_say():
    assert describe({}) == ""
    assert describe({"preset": "own", "data": {"corpus": ["/a/one.txt", "/a/two.txt"]}}) == "one.txt and 1 more"
    mixed = {"one.txt": {"kind": "a"}, "two.txt": {"kind": "a"}, "three.txt": {"kind": "a", "held_out": True}}
    assert describe({"preset": "own", "data": {"corpus": ["texts"], "mixture": mixed}}) == "2 text files"


def test_runs_that_are_over_are_read_once_and_none_while_the_room_is_hidden(service, calls):
    reads, changes = calls(run_service, "read_run"), list[list]()
    service.runs_changed.connect(changes.append)
    runs = [_make_run(f"run-{number}") for number in range(5)]
    for _ in range(4):
        service.refresh()
    assert sorted(reads) == sorted(run.path for run in runs) and len(changes) == 1
    runs[2].write_status(state="done", step=77, fraction=1.0)
    service.refresh()
    assert reads[5:] == [runs[2].path] and {info.status.step for info in service.runs} >= {77}
    service.set_following(True)
    service.set_following(False)
    reads.clear()
    _make_run("another")
    handle_events()
    assert reads == [] and not any(timer.isActive() for timer in service.findChildren(QTimer))
    service.set_following(True)
    assert len(service.runs) == 6


class _Tray(QSystemTrayIcon):
    shown: ClassVar[list[tuple[str, str, bool]]] = []
    there = True
    application = Qt.ApplicationState.ApplicationInactive

    @staticmethod
    def isSystemTrayAvailable():
        return _Tray.there

    @staticmethod
    def supportsMessages():
        return True

    def show(self):
        assert not self.icon().isNull()

    def showMessage(self, title, message, kind):
        _Tray.shown.append((title, message, kind == QSystemTrayIcon.MessageIcon.Warning))


@pytest.fixture
def tray(monkeypatch):
    """Nobody looks at the window."""
    monkeypatch.setattr(notifications, "QSystemTrayIcon", _Tray)
    for name, value in (("there", True), ("shown", []), ("application", _Tray.application)):
        monkeypatch.setattr(_Tray, name, value)  # and as it was, when the test is over
    monkeypatch.setattr(QApplication, "applicationState", lambda: _Tray.application)
    return _Tray


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("state", "message", "expected"),
    [
        ("done", None, ("stories is done", "Training has finished after 2\N{THIN SPACE}min.", False)),
        ("failed", "The disk is full.", ("stories has failed", "The disk is full.", True)),
        ("stopped", None, None),  # by a person
    ],
)
def test_a_run_that_ends_in_the_background(state, message, expected, there, service, tray):
    stored_run("old")
    tray.there = there
    watcher = RunNotifications(service, service)
    run, seen = stored_run("stories", state="starting"), stored_run("seen", state="starting")
    service.refresh()
    watcher.look()
    assert tray.shown == [], "two are at work, and what ended before is no news"
    run.write_status(state=state, message=message, elapsed_s=120.0)
    watcher.look()
    watcher.look()
    assert tray.shown == ([expected] if expected and there else []), "once, where the desktop has a place for it"
    tray.application = Qt.ApplicationState.ApplicationActive
    seen.write_status(state="failed", message="The disk is full.")
    watcher.look()
    assert len(tray.shown) == bool(expected and there), "who looks at the window sees it there"


def test_a_click_shows_the_run_in_train(window, tray):
    """From another room, and with the form for a new run open."""
    ended, newest = stored_run("ended", state="starting"), stored_run("newest", state="starting")
    room, services = opened_at(window, newest.path), window.services
    services.runs.refresh()
    room.runs_card.show_form()
    window.open_room("attend")
    window.showMinimized()
    ended.write_status(state="done", elapsed_s=60.0)
    services.run_notifications.look()
    (icon,) = services.run_notifications.findChildren(tray)
    icon.messageClicked.emit()
    assert window.room_key == "train" and window.frame.room is room and not window.isMinimized()
    assert services.runs.selected == ended.path and room.view.isVisible() and not room.runs_card.form.isVisible()
    assert room.view.title.startswith("ended")
    services.runs.select(newest.path)
    window.open_room("attend")
    shutil.rmtree(ended.path)
    icon.messageClicked.emit()
    assert window.room_key == "train" and services.runs.selected == newest.path, "the run has been deleted"
