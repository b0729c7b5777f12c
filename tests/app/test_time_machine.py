"""Play and Film strip of a run in the room Train, whichever model is open."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.rooms.film.room import FilmRoom
from app.rooms.film.view import FilmView
from app.rooms.train.room import TrainRoom
from app.shell import time_machine
from app.shell.window import Window
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import TEXT_A, TIMEOUT_MS, make_run, settle
from tests.app.train_room import chosen_step

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
STEPS = (0, 5, 40)


@pytest.fixture
def run(own_home: Path) -> RunFolder:
    return make_run(own_home / "runs" / "stories", STEPS)


@pytest.fixture
def room(run: RunFolder, window: Window, qtbot: QtBot) -> TrainRoom:
    """With that run, while another model is open."""
    made = window.open_room("train")
    assert isinstance(made, TrainRoom)
    qtbot.waitUntil(lambda: chosen_step(made) == STEPS[-1], timeout=TIMEOUT_MS)
    return made


def test_the_run_is_played_and_what_was_open_comes_back(
    room: TrainRoom, window: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(time_machine, "LAST_MS", 1)
    monkeypatch.setattr(time_machine, "MOST_MS", 1)
    monkeypatch.setattr(time_machine, "LEAST_MS", 1)
    former, steps, handles, player = window.state.model, list[int](), list[int | None](), window.services.playback
    player.shown.connect(lambda _at: steps.append(window.state.model.step))  # type: ignore[union-attr, arg-type]
    player.shown.connect(lambda _at: handles.append(chosen_step(room)))
    room.time_machine.play.click()
    assert room.time_machine.play.text() == "Stop playing"
    window.open_room("attend")
    qtbot.waitUntil(lambda: room.time_machine.play.text() == "Play", timeout=TIMEOUT_MS)
    settle(window, qtbot)
    assert steps == handles == list(STEPS) and window.state.model is former


def test_a_click_stops_it(room: TrainRoom, window: Window) -> None:
    former = window.state.model
    room.time_machine.play.click()
    room.time_machine.play.click()
    assert not window.services.playback.is_playing and window.state.model is former


def test_its_handle_opens_a_snapshot_that_stays(room: TrainRoom, window: Window, run: RunFolder, qtbot: QtBot) -> None:
    room.time_machine.play.click()
    room.time_machine.slider.chosen.emit(1)
    assert not window.services.playback.is_playing and room.time_machine.play.text() == "Play"
    settle(window, qtbot)
    assert window.state.model is not None and window.state.model.folder == run.snapshot_path(5).resolve()


def test_its_film_strip_has_all_its_snapshots(room: TrainRoom, window: Window, qtbot: QtBot) -> None:
    room.time_machine.film_button.click()
    film = window.frame.room
    assert isinstance(film, FilmRoom) and isinstance(film.view, FilmView)
    qtbot.waitUntil(lambda: len(film.view.strip.film.frames) == len(STEPS), timeout=TIMEOUT_MS)
    assert film.view.strip.film.snapshots == STEPS and window.state.text_a == TEXT_A


def test_of_a_damaged_snapshot_an_older_one_that_opens_is_named(run: RunFolder, window: Window, qtbot: QtBot) -> None:
    """There is nothing to fetch again of one's own run."""
    weights = run.snapshot_path(40) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    former = window.state.model
    window.open_model(run.path)
    qtbot.waitUntil(lambda: window.frame.banner.is_shown, timeout=TIMEOUT_MS)
    assert window.frame.banner.text.endswith(f"; open an older snapshot: {run.snapshot_path(5)}.")
    assert str(weights) in window.frame.banner.text and "fetch" not in window.frame.banner.text
    settle(window, qtbot)
    assert window.state.model is former
    window.frame.banner.dismiss()
    window.open_model(run.snapshot_path(5))
    qtbot.waitUntil(lambda: window.state.model is not former, timeout=TIMEOUT_MS)
    assert window.state.model is not None and window.state.model.step == 5 and not window.frame.banner.is_shown
