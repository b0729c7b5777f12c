"""Playing through the snapshots of a run: it goes on in other rooms, and never takes away what a person has opened."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.rooms.train.room import TrainRoom
from app.runs.run_info import RunInfo
from app.shell.window import Window
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import TIMEOUT_MS
from tests.app.train_room import Models

pytestmark = pytest.mark.usefixtures("no_built_in_runs")

STEPS = (0, 1, 2, 5, 40)
SNAPSHOTS = [(step, Path("run") / "snapshots" / str(step)) for step in STEPS]
QUICK_MS = 30


def _play(room: TrainRoom) -> QPushButton:
    return room._play


@pytest.fixture
def models(qtbot: QtBot) -> Models:
    return Models()


@pytest.fixture
def room(models: Models, qtbot: QtBot) -> TrainRoom:
    """With a run, and playing."""
    made = TrainRoom(models)
    qtbot.addWidget(made)
    made.show_run(RunInfo(Path("run"), "stories", "tiny", RunStatus("done")))
    made.show_snapshots(SNAPSHOTS)
    _play(made).click()
    assert made._player.isActive() and _play(made).text() == "Stop playing"
    return made


def test_its_own_snapshots_do_not_stop_it(room: TrainRoom, models: Models, qtbot: QtBot) -> None:
    room._player.setInterval(QUICK_MS)
    qtbot.wait(3 * QUICK_MS)
    assert models.asked == [str(SNAPSHOTS[0][1])]  # each is shown before the next
    models.show(SNAPSHOTS[0][1])
    qtbot.waitUntil(lambda: models.asked[-1] == str(SNAPSHOTS[1][1]), timeout=TIMEOUT_MS)
    models.fail()
    qtbot.waitUntil(lambda: models.asked[-1] == str(SNAPSHOTS[2][1]), timeout=TIMEOUT_MS)
    assert room._player.isActive()


@pytest.mark.parametrize(
    "opens",
    [
        lambda _room, models: models.open(None),
        lambda _room, models: models.open("someone/something"),
        lambda _room, models: models.open(SNAPSHOTS[3][1]),
        lambda _room, models: models.show(Path("elsewhere")),
        lambda _room, models: models.fail(),
        lambda room, _models: room.slider.chosen.emit(3),
        lambda room, _models: room.open_button.click(),
        lambda room, _models: room.apply_button.click(),
    ],
    ids=["built-in", "hub", "another step", "other model", "no model", "handle", "open", "apply"],
)
def test_what_a_person_opens_stops_it(
    room: TrainRoom, models: Models, opens: Callable[[TrainRoom, Models], object]
) -> None:
    opens(room, models)
    assert not room._player.isActive() and _play(room).text() == "Play"


@pytest.fixture
def run(model_folder: Path, own_home: Path) -> RunFolder:
    """A run whose snapshots can be opened."""
    made = RunFolder.create(own_home / "runs" / "stories", PretrainOptions(name="stories", preset="tiny").to_dict())
    for step in STEPS:
        with made.begin_snapshot(step) as folder:
            shutil.copytree(model_folder, folder, dirs_exist_ok=True)
    made.write_status(state="done", step=STEPS[-1], fraction=1.0)
    return made


@pytest.fixture
def former(window: Window, qtbot: QtBot) -> Path:
    """What is open before anything plays."""
    qtbot.waitUntil(lambda: window.state.model is not None, timeout=TIMEOUT_MS)
    assert window.state.model is not None
    return window.state.model.folder


@pytest.fixture
def playing(former: Path, window: Window, run: RunFolder, qtbot: QtBot) -> TrainRoom:
    """The room in a real window, playing; its first snapshot has been opened, and the next one will take a while."""
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    room._player.setInterval(TIMEOUT_MS)
    _play(room).click()
    qtbot.waitUntil(lambda: window.state.model.folder.parent.name == "snapshots", timeout=TIMEOUT_MS)  # type: ignore[union-attr]
    assert room._player.isActive()
    return room


def test_a_model_from_the_menu_stays_open(
    playing: TrainRoom, window: Window, headless_folder: Path, qtbot: QtBot
) -> None:
    window.open_model(headless_folder)
    playing._player.setInterval(QUICK_MS)
    qtbot.waitUntil(lambda: not window.services.open_model.is_opening, timeout=TIMEOUT_MS)
    qtbot.wait(5 * QUICK_MS)
    assert window.state.model is not None and window.state.model.folder == headless_folder.resolve()
    assert _play(playing).text() == "Play" and "open" not in playing._time_text.text()


def test_it_goes_on_to_the_end_in_another_room_and_gives_the_former_model_back(
    playing: TrainRoom, former: Path, window: Window, run: RunFolder, qtbot: QtBot
) -> None:
    window.open_room("attend")
    opened: list[Path] = []
    window.services.open_model.opened.connect(lambda model, _reference: opened.append(model.folder))
    playing._player.setInterval(QUICK_MS)
    qtbot.waitUntil(lambda: not playing._player.isActive(), timeout=TIMEOUT_MS)
    qtbot.waitUntil(lambda: window.state.model.folder == former, timeout=TIMEOUT_MS)  # type: ignore[union-attr]
    assert run.snapshot_path(STEPS[-1]).resolve() in opened and opened[-1] == former
