"""How far the weights move: read from a run's own lines, drawn, and judged as healthy and ill runs are."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.rooms.train.weights.page import WeightsPage, part_name
from app.runs.finding import share_of_weights
from app.shell.window import Window
from bertcore.runs.diagnosis import size_of_updates
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics, Update, parts_of, read_update
from bertcore.runs.run_record import read_record
from bertcore.training.start import start_run
from tests.app.conftest import wait_until
from tests.engine.training_runs import metrics, tiny_run, write_text


def _run(folder: Path, rate: float) -> Path:
    path = folder / f"run-{rate}"
    start_run(tiny_run(write_text(folder), learning_rate=rate, steps=20), path, resume=False)
    return path


def _updates(run: Path) -> list[Update]:
    read = RunMetrics()
    read.append(RunFolder(run).tail().read_new())
    return read.updates


def test_a_run_that_is_ill_is_told_from_one_that_is_not(tmp_path: Path) -> None:
    verdicts = {rate: size_of_updates(read_record(_run(tmp_path, rate)).update_ratio) for rate in (1e-6, 3e-3, 3e-1)}
    assert verdicts == {1e-6: "small", 3e-3: "usual", 3e-1: "large"}


def test_every_number_is_that_of_the_file(tmp_path: Path, qtbot: QtBot) -> None:
    run = _run(tmp_path, 3e-3)
    updates, lines = _updates(run), metrics(run, "updates")
    assert [update.step for update in updates] == [line["step"] for line in lines]
    assert all(update.ratio == line["ratio"] for update, line in zip(updates, lines, strict=True))
    page = WeightsPage()
    qtbot.addWidget(page)
    page.resize(700, 400)
    page.show_updates(updates)
    picture = page.picture
    assert page.parts == ["embeddings", "layers.0.attention", "layers.0.feed_forward", "heads"]
    assert "step 20" in page.about.text() and "Normal: no step" in page.verdict.text()
    picture.set_hovered(picture.cell_at(picture.cell_rect(1, 0).center()))
    assert picture.hovered_cell == (1, 0) and "step 1." in page.about.text()
    moved = [texts[0] for texts in page.figures._texts]
    assert moved == [share_of_weights(updates[0].ratio[part], keeps_zeros=True) for part in page.parts]
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    assert picture.hovered_cell == (1, 1) and "step 2." in page.about.text()
    page.grab()


def test_parts_stand_as_a_text_passes_through_them() -> None:
    names = ["heads", "layers.10.attention", "layers.2.feed_forward", "embeddings", "layers.2.attention"]
    update = Update(1, dict.fromkeys(names, 1.0), dict.fromkeys(names, 0.1))
    assert parts_of([update]) == [names[3], names[4], names[2], names[1], names[0]]
    assert part_name("layers.10.attention") == "Layer 11 · attention" and part_name("odd.part") == "odd.part"
    WeightsPage().show_updates([update])


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"gradient": {"a": 1}, "ratio": {"b": 1}},
        {"gradient": [], "ratio": 3},
        {"gradient": {"a": None}, "ratio": {}},
    ],
)
def test_a_damaged_line_is_left_out(line: dict) -> None:
    assert read_update(1, line) is None


def test_in_the_room(window: Window, tmp_path: Path) -> None:
    run = _run(tmp_path, 3e-3)
    room = window.open_room("train")
    view = room.view
    assert not view.buttons[view.weights].isEnabled()
    window.services.runs.select(run)
    wait_until(lambda: view.buttons[view.weights].isEnabled())
    view.buttons[view.weights].click()
    assert (
        view.weights.isVisible()
        and view.buttons[view.weights].isChecked()
        and not view.buttons[view.curves].isChecked()
    )
