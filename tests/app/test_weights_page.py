"""How far the weights move: read from a run's own lines and drawn; and slow motion, step by step at the window."""

import threading

import pytest
from PySide6.QtCore import Qt

from app.rooms.train.weights.page import MOST_SLOW, WeightsPage, part_name
from app.runs.finding import share_of_weights
from bertcore.runs.diagnosis import size_of_updates
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics, SlowStep, Update, parts_of
from bertcore.runs.run_record import read_record
from bertcore.training.start import start_run
from tests.app.conftest import TIMEOUT_MS, placed, wait_until
from tests.app.train_room import opened_at
from tests.engine.training_runs import metrics, tiny_run, write_text


@pytest.fixture
def page(qtbot):
    return placed(WeightsPage(), qtbot, 900, 500)


def trained(folder, rate):
    path = folder / f"run-{rate}"
    start_run(tiny_run(write_text(folder), learning_rate=rate, steps=20), path, resume=False)
    return path


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("runs"), 3e-3)


@pytest.fixture
def at_work(tmp_path):
    """A run that waits after its second step, in this process but on another thread; stopped at the end."""
    path, waits = tmp_path / "run", threading.Event()

    def watch(event):
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


def test_a_run_that_is_ill_is_told_from_one_that_is_not(tmp_path, usual):
    runs = {"small": trained(tmp_path, 1e-6), "usual": usual, "large": trained(tmp_path, 3e-1)}
    for size, run in runs.items():
        assert size_of_updates(read_record(run).update_ratio) == size


def test_every_number_is_that_of_the_file(usual, page, qtbot):
    read, lines = RunMetrics(), metrics(usual, "updates")
    read.append(RunFolder(usual).tail().read_new())
    assert [(update.step, update.ratio) for update in read.updates] == [(line["step"], line["ratio"]) for line in lines]
    page.show_updates(read.updates)
    picture, about = page.picture, page.about
    assert page.parts == ["embeddings", "layers.0.attention", "layers.0.feed_forward", "heads"]
    assert "step 20" in about.text() and "Normal: no step" in page.verdict.text()
    picture.set_hovered(picture.cell_at(picture.cell_rect(1, 0).center()))
    assert picture.hovered_cell == (1, 0) and "step 1." in about.text()
    moved = [texts[0] for texts in page.figures._texts]
    assert moved == [share_of_weights(read.updates[0].ratio[part], keeps_zeros=True) for part in page.parts]
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    assert picture.hovered_cell == (1, 1) and "step 2." in about.text()
    page.grab()


def test_parts_stand_as_a_text_passes_through_them(page):
    names = ["heads", "layers.10.attention", "layers.2.feed_forward", "embeddings", "layers.2.attention"]
    update = Update(1, dict.fromkeys(names, 1.0), dict.fromkeys(names, 0.1))
    page.show_updates([update])
    assert page.parts == parts_of([update]) == [names[3], names[4], names[2], names[1], names[0]]
    assert part_name("layers.10.attention") == "Layer 11 · attention" and part_name("odd.part") == "odd.part"


def test_a_bar_for_each_slow_step_and_its_numbers(page, qtbot):
    slow, asked = page.slow, list[int]()
    assert slow.isHidden()
    page.show_slow_steps([SlowStep(7, 4.83, 4.61, 1e-3, 1.5), SlowStep(8, 5.0, 5.02, 1e-3, 1.5)])
    assert slow.isVisible() and "1 of 2 steps lowered" in page.slow_title.text()
    assert "Step 8: the loss on its batch went from 5.000 to 5.020" in page.slow_about.text()
    slow.set_hovered(slow.cell_at(slow.cell_rect(0, 0).center()))
    assert "went from 4.830 to 4.610" in page.slow_about.text()
    page.batch_requested.connect(asked.append)
    qtbot.mouseClick(slow, Qt.MouseButton.LeftButton, pos=slow.cell_rect(0, 1).center().toPoint())
    assert asked == [8]
    qtbot.keyClick(slow, Qt.Key.Key_Left)
    assert slow.hovered_cell == (0, 0)
    page.grab()
    page.show_slow_steps([SlowStep(n, 1.0, 1.0, 1e-3, 1.5) for n in range(1, 100)])  # no change: no division by zero
    assert len(page.steps) == MOST_SLOW and page.steps[-1].step == 99, "the newest"
    page.grab()


def test_one_step_ten_steps_and_on_at_full_speed(window, at_work, usual):
    room = opened_at(window, usual)
    view, slow, words = room.view, room.view.slow_motion, room.view.slow_motion.words
    weights = view.buttons[view.weights]
    wait_until(weights.isEnabled)
    weights.click()
    assert view.weights.isVisible() and weights.isChecked() and not view.buttons[view.curves].isChecked()
    assert slow.isHidden(), "that run is over"
    view.buttons[view.curves].click()
    window.services.runs.select(at_work)
    wait_until(weights.isEnabled)
    assert slow.isHidden()  # the curves need the room
    weights.click()
    assert slow.isVisible() and slow.to_batch.isHidden() and "one step at a time" in words.text()
    slow.one.click()
    assert not slow.one.isEnabled() and not slow.ten.isEnabled()  # until it is heard of
    wait_until(slow.one.isEnabled)
    (line,) = metrics(at_work, "slow_step")
    assert line["step"] == 3
    wait_until(lambda: f"{line['loss_before']:.3f} before" in words.text())
    assert f"{line['loss_after']:.3f} after" in words.text() and "Step 3." in words.text()
    assert view.weights.slow.isVisible() and view.weights._updates[-1].step == 3
    slow.ten.click()
    wait_until(lambda: RunFolder(at_work).status().step == 13)
    wait_until(lambda: len(view.weights.steps) == 11)
    assert RunFolder(at_work).status().state == "paused"
    slow.to_batch.click()
    assert view.shows_batch and view.batch.step == 13 and slow.isVisible() and slow.to_batch.isHidden()
    wait_until(lambda: view.batch.shows(13))
    slow.one.click()
    wait_until(lambda: view.batch.shows(14))  # the page goes along
    slow.to_weights.click()
    assert not view.shows_batch
    slow.go_on.click()
    wait_until(lambda: RunFolder(at_work).status().step > 30)
    assert len(metrics(at_work, "slow_step")) == 12
