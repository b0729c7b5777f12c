"""Slow motion at the window: a run at work is taken step by step through its folder, and each step is shown."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.rooms.train.weights.page import MOST_SLOW, WeightsPage
from app.shell.window import Window
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics, SlowStep, read_slow_step
from bertcore.training.start import start_run
from tests.app.conftest import TIMEOUT_MS, wait_until
from tests.engine.training_runs import metrics, tiny_run, write_text


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A run that waits after its second step, in this process but on another thread; stopped at the end."""
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home"))
    path = tmp_path / "run"
    waits = threading.Event()

    def watch(event: dict) -> None:
        if event["kind"] == "train" and event["step"] == 2 and not waits.is_set():
            RunFolder(path).send("pause")
        if event["kind"] == "status" and event["state"] == "paused":
            waits.set()

    options = tiny_run(write_text(tmp_path), steps=1000)
    thread = threading.Thread(target=start_run, args=(options, path, False, watch))
    thread.start()
    assert waits.wait(TIMEOUT_MS / 1000)
    yield path
    RunFolder(path).send("stop")
    thread.join()
    assert RunFolder(path).status().state == "stopped"


def test_one_step_ten_steps_and_on_at_full_speed(window: Window, run: Path) -> None:
    room = window.open_room("train")
    window.services.runs.select(run)
    view, slow = room.view, room.view.slow_motion
    wait_until(lambda: view.buttons[view.weights].isEnabled())
    assert slow.isHidden()  # the curves need the room
    view.buttons[view.weights].click()
    assert slow.isVisible() and slow.to_batch.isHidden() and "one step at a time" in slow.words.text()
    slow.one.click()
    assert not slow.one.isEnabled() and not slow.ten.isEnabled()  # until it is heard of
    wait_until(lambda: slow.one.isEnabled())
    (line,) = metrics(run, "slow_step")
    assert line["step"] == 3
    wait_until(lambda: f"{line['loss_before']:.3f} before" in slow.words.text())
    assert f"{line['loss_after']:.3f} after" in slow.words.text() and "Step 3." in slow.words.text()
    assert view.weights.slow.isVisible() and view.weights._updates[-1].step == 3
    slow.ten.click()
    wait_until(lambda: RunFolder(run).status().step == 13)
    wait_until(lambda: len(view.weights.steps) == 11)
    assert RunFolder(run).status().state == "paused"
    slow.to_batch.click()
    assert view.shows_batch and view.batch.step == 13 and slow.isVisible() and slow.to_batch.isHidden()
    wait_until(lambda: view.batch.shows(13))
    slow.one.click()
    wait_until(lambda: view.batch.shows(14))  # the page goes along
    slow.to_weights.click()
    assert not view.shows_batch
    slow.go_on.click()
    wait_until(lambda: RunFolder(run).status().step > 30)
    assert len(metrics(run, "slow_step")) == 12


def test_it_is_not_there_for_a_run_that_is_over(window: Window, tmp_path: Path) -> None:
    run = tmp_path / "run"
    start_run(tiny_run(write_text(tmp_path), steps=3), run, resume=False)
    room = window.open_room("train")
    window.services.runs.select(run)
    wait_until(lambda: room.view.buttons[room.view.weights].isEnabled())
    room.view.buttons[room.view.weights].click()
    assert room.view.slow_motion.isHidden()


def _step(number: int, before: float, after: float) -> SlowStep:
    return SlowStep(number, before, after, 1e-3, 1.5)


def test_a_bar_for_each_step_and_its_numbers(qtbot: QtBot) -> None:
    page = WeightsPage()
    qtbot.addWidget(page)
    page.resize(900, 500)
    page.show()
    assert page.slow.isHidden()
    page.show_slow_steps([_step(7, 4.83, 4.61), _step(8, 5.0, 5.02)])
    assert page.slow.isVisible() and "1 of 2 steps lowered" in page.slow_title.text()
    assert "Step 8: the loss on its batch went from 5.000 to 5.020" in page.slow_about.text()
    page.slow.set_hovered(page.slow.cell_at(page.slow.cell_rect(0, 0).center()))
    assert "went from 4.830 to 4.610" in page.slow_about.text()
    asked: list[int] = []
    page.batch_requested.connect(asked.append)
    qtbot.mouseClick(page.slow, Qt.MouseButton.LeftButton, pos=page.slow.cell_rect(0, 1).center().toPoint())
    assert asked == [8]
    qtbot.keyClick(page.slow, Qt.Key.Key_Left)
    assert page.slow.hovered_cell == (0, 0)
    page.grab()


def test_of_many_steps_the_newest_are_shown(qtbot: QtBot) -> None:
    page = WeightsPage()
    qtbot.addWidget(page)
    page.show_slow_steps([_step(number, 1.0, 1.0) for number in range(1, 100)])  # nothing changed: no division by zero
    assert len(page.steps) == MOST_SLOW and page.steps[-1].step == 99
    page.grab()


def test_a_damaged_line_is_left_out() -> None:
    good = {"loss_before": 2.0, "loss_after": 1.5, "learning_rate": 0.1, "gradient_norm": 3.0}
    assert read_slow_step(4, good) == SlowStep(4, 2.0, 1.5, 0.1, 3.0)
    assert read_slow_step(4, {**good, "loss_after": None}) is None and read_slow_step(4, {}) is None
    read = RunMetrics()
    read.append([{"kind": "slow_step", "step": 1, "loss_before": "x"}, {"kind": "slow_step", "step": 2, **good}])
    assert [step.step for step in read.slow_steps] == [2]
