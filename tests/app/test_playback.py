"""Play, in the header and in Train: every snapshot of a run in whichever room, and then what was open before."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.compute.over_time import OpenSnapshot, read_snapshots
from app.rooms.train.room import TrainRoom
from app.shell import time_machine
from app.shell.window import Window
from app.state.readings import Reading
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import TINY
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import TEXT_A, TIMEOUT_MS, make_run, settle
from tests.app.run_window import STEPS, last_snapshot, run
from tests.app.train_room import chosen_step

__all__ = ["last_snapshot", "run"]  # fixtures


@pytest.fixture
def played(last_snapshot: Window, qtbot: QtBot) -> Window:
    last_snapshot.open_room("attend")
    settle(last_snapshot, qtbot)
    return last_snapshot


@pytest.fixture
def room(run: RunFolder, window: Window, qtbot: QtBot, no_built_in_runs: None) -> TrainRoom:
    """Train, with that run, while another model is open."""
    made = window.open_room("train")
    qtbot.waitUntil(lambda: chosen_step(made) == STEPS[-1], timeout=TIMEOUT_MS)
    return made


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for pause in ("LAST_MS", "MOST_MS", "LEAST_MS"):
        monkeypatch.setattr(time_machine, pause, 1)


def play(window: Window, qtbot: QtBot) -> list[Reading]:
    """The readings on show while all of the run is played."""
    seen: list[Reading] = []
    window.state.reading_changed.connect(lambda: window.state.reading and seen.append(window.state.reading))
    window.services.playback.start(window.services.time_machine.steps.snapshots, 0)
    qtbot.waitUntil(lambda: not window.services.playback.is_playing, timeout=TIMEOUT_MS)
    return seen


def show_first(window: Window, qtbot: QtBot) -> None:
    """Plays, and stays at the first snapshot."""
    player = window.services.playback
    player.start(window.services.time_machine.steps.snapshots, 1_000_000)
    qtbot.waitUntil(lambda: not player._question.is_running, timeout=TIMEOUT_MS)
    player._on_timer_timeout()
    assert window.state.model.step == 0


@pytest.mark.usefixtures("hurried")
def test_each_snapshot_is_shown_as_it_reads_the_text(played: Window, run: RunFolder, qtbot: QtBot) -> None:
    seen = play(played, qtbot)
    assert [reading.request.model.step for reading in seen] == [*STEPS, STEPS[-1]]  # the last: what was open before
    for step, reading in zip(STEPS, seen, strict=False):
        checkpoint = load_checkpoint(run.snapshot_path(step))
        direct = trace(checkpoint.model, reading.request.input_ids, reading.request.segments)
        np.testing.assert_allclose(reading.trace.attentions, direct.attentions, atol=1e-6)
    assert not np.allclose(seen[0].trace.attentions, seen[1].trace.attentions)


def test_it_gives_back_what_was_open_and_selected(played: Window, qtbot: QtBot) -> None:
    state, opener = played.state, played.services.open_model
    state.set_head(1, 2)
    state.set_focus(3)
    played.history.look()
    before, undo = (opener.reference, state.model, state.reading), played.history.to_undo
    show_first(played, qtbot)
    assert played.services.playback.is_playing and state.reading is not before[2]
    checkpoints = played.services.inference.checkpoints
    assert checkpoints.of(state.model).step == 0, "a view can ask of it, though the model of before stays open too"
    QTest.keyClick(played, Qt.Key.Key_Escape)
    assert (opener.reference, state.model, state.reading) == before and checkpoints.of(state.model).step == STEPS[-1]
    assert (state.layer, state.head, state.focus) == (1, 2, 3)  # Escape has ended one thing only
    QTest.keyClick(played, Qt.Key.Key_Escape)
    assert state.focus is None
    played.history.look()
    assert played.history.to_undo == undo


@pytest.mark.usefixtures("hurried")
def test_what_is_typed_meanwhile_is_read_and_stays(played: Window, qtbot: QtBot) -> None:
    show_first(played, qtbot)
    played.state.set_text("A dog ran home.", "")
    played.services.playback._timer.setInterval(1)
    qtbot.waitUntil(lambda: not played.services.playback.is_playing, timeout=TIMEOUT_MS)
    settle(played, qtbot)
    assert played.state.text_a == "A dog ran home." and played.state.model.step == STEPS[-1]


def test_what_a_person_opens_stays_open(played: Window, model_folder: Path, qtbot: QtBot) -> None:
    show_first(played, qtbot)
    played.open_model(model_folder)
    assert not played.services.playback.is_playing
    settle(played, qtbot)
    assert played.state.model.folder == model_folder.resolve()


@pytest.mark.usefixtures("hurried")
def test_what_memory_does_not_hold_is_opened_one_by_one(
    played: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(time_machine, "MOST_KEPT_BYTES", 4 * played.state.model.parameters)  # one
    seen = play(played, qtbot)
    settle(played, qtbot)
    steps = [reading.request.model.step for reading in seen]
    assert steps[: len(STEPS)] == list(STEPS) and played.state.model.step == STEPS[-1]


def test_a_model_without_snapshots_says_where_there_are_some(window: Window, qtbot: QtBot) -> None:
    play = window.frame.title_bar.play
    assert "no snapshots" in play.toolTip()
    QTest.mouseClick(play, Qt.MouseButton.LeftButton)
    menu = play.findChild(QMenu)
    why, offer = menu.actions()
    assert not window.frame.banner.is_shown and not window.services.playback.is_playing
    assert "has no snapshots" in why.text() and not why.isEnabled() and offer.text().startswith(f"Open {TINY} and play")
    QTest.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.services.playback.is_playing, timeout=TIMEOUT_MS)
    assert window.services.open_model.reference == TINY and "Stop" in play.toolTip()
    window.commands["text.deselect"].trigger()  # Escape
    assert not window.services.playback.is_playing and "one snapshot after the other" in play.toolTip()


def test_snapshots_of_another_shape_leave_the_head_as_it_was(window: Window, own_home: Path, qtbot: QtBot) -> None:
    """As from Train, where a run is played that is not the open model's."""
    run = make_run(own_home / "runs" / "other", (0, 5), heads=2)
    window.state.set_head(1, 3)
    model = window.state.model
    seen: list[int] = []
    window.state.model_changed.connect(lambda: window.state.model and seen.append(window.state.model.heads))
    window.services.playback.start(tuple(run.snapshots()), 1)
    qtbot.waitUntil(lambda: 2 in seen, timeout=TIMEOUT_MS)
    window.services.playback.stop()
    settle(window, qtbot)
    assert window.state.model is model and (window.state.layer, window.state.head) == (1, 3)


def test_a_snapshot_that_opens_when_it_stops_is_not_kept(
    played: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    opened, go_on = Event(), Event()

    def held(*given: Any) -> Iterator[OpenSnapshot]:
        for snapshot in read_snapshots(*given):
            opened.set()
            go_on.wait()
            yield snapshot

    monkeypatch.setattr(time_machine, "read_snapshots", held)
    player = played.services.playback
    player.start(played.services.time_machine.steps.snapshots)
    assert opened.wait(TIMEOUT_MS / 1000)
    player.stop()
    go_on.set()
    settle(played, qtbot)
    assert len(played.services.inference.checkpoints.all()) == 1


# --- in Train


def test_a_click_stops_it_and_its_handle_opens_a_snapshot_that_stays(
    room: TrainRoom, window: Window, run: RunFolder, qtbot: QtBot
) -> None:
    former, card, player = window.state.model, room.time_machine, window.services.playback
    for _ in range(2):
        card.play.click()
    assert not player.is_playing and window.state.model is former
    card.play.click()
    card.slider.chosen.emit(1)
    assert not player.is_playing and card.play.text() == "Play"
    settle(window, qtbot)
    assert window.state.model.folder == run.snapshot_path(STEPS[1]).resolve()


@pytest.mark.usefixtures("hurried")
def test_the_run_is_played_and_what_was_open_comes_back(room: TrainRoom, window: Window, qtbot: QtBot) -> None:
    former, steps, handles, player = window.state.model, list[int](), list[int](), window.services.playback
    player.shown.connect(lambda _at: steps.append(window.state.model.step))
    player.shown.connect(lambda _at: handles.append(chosen_step(room)))
    room.time_machine.play.click()
    assert room.time_machine.play.text() == "Stop playing"
    window.open_room("attend")
    qtbot.waitUntil(lambda: room.time_machine.play.text() == "Play", timeout=TIMEOUT_MS)
    settle(window, qtbot)
    assert steps == handles == list(STEPS) and window.state.model is former
    room.time_machine.film_button.click()
    film = window.frame.room.view.strip
    qtbot.waitUntil(lambda: len(film.film.frames) == len(STEPS), timeout=TIMEOUT_MS)
    assert film.film.snapshots == STEPS and window.state.text_a == TEXT_A, "its film strip has all of them"


def test_of_a_damaged_snapshot_an_older_one_that_opens_is_named(run: RunFolder, window: Window, qtbot: QtBot) -> None:
    """There is nothing to fetch again of one's own run."""
    weights = run.snapshot_path(STEPS[-1]) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    former = window.state.model
    window.open_model(run.path)
    qtbot.waitUntil(lambda: window.frame.banner.is_shown, timeout=TIMEOUT_MS)
    assert window.frame.banner.text.endswith(f"; open an older snapshot: {run.snapshot_path(STEPS[1])}.")
    assert str(weights) in window.frame.banner.text and "fetch" not in window.frame.banner.text
    settle(window, qtbot)
    assert window.state.model is former
    window.frame.banner.dismiss()
    window.open_model(run.snapshot_path(STEPS[1]))
    qtbot.waitUntil(lambda: window.state.model is not former, timeout=TIMEOUT_MS)
    assert window.state.model.step == STEPS[1] and not window.frame.banner.is_shown
