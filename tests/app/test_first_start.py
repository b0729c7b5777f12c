"""The first start: what ships beside the default is there, before anybody has trained or opened anything."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.shell.menus import fill_examples
from app.shell.rooms import ROOMS
from app.state.examples import load_examples
from bertcore.locations import BUILT_IN, CLASS_DEMO, TINY, assets, built_in_checkpoint
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import Opener, wait_until
from tests.app.train_room import chosen_step, shown_runs


def test_the_run_that_ships_can_be_wound_back(open_window: Opener, qtbot: QtBot) -> None:
    snapshots = RunFolder(assets() / "runs" / TINY).snapshots()
    window = open_window(built_in_checkpoint())
    room = window.open_room("train")
    assert window.state.model is None or window.state.model.folder == built_in_checkpoint()
    wait_until(lambda: room.time_machine.slider.isEnabled() and chosen_step(room) == snapshots[-1][0])
    assert [run.path.name for run in shown_runs(room)] == [TINY, CLASS_DEMO, BUILT_IN]
    wait_until(lambda: len(room.watch._answers) == len(snapshots))
    said = [room.watch._answers[path] for _, path in snapshots]
    assert said[0].probability < 0.05 and len({guess.token for guess in said}) > 2
    for index in (0, len(snapshots) - 1):
        place = QPointF(room.time_machine.slider.x_of(index), room.time_machine.slider.height() / 2).toPoint()
        qtbot.mouseClick(room.time_machine.slider, Qt.MouseButton.LeftButton, pos=place)
        step, folder = snapshots[index]
        wait_until(lambda f=folder: window.state.model is not None and window.state.model.folder == f)
        assert window.state.model is not None and window.state.model.step == step


def test_the_tiny_model_opens_by_its_command_and_is_no_recent_one(open_window: Opener) -> None:
    window = open_window(built_in_checkpoint())
    wait_until(lambda: window.state.reading is not None)
    recent = list(window.services.settings.recent_models)
    cuts = window.open_room("embed").open_view("vocabularies")
    asked = cuts.asked["compared"]
    wait_until(lambda: asked.answer is not None)  # against the other that ships, unasked
    assert cuts.reference == TINY
    window.commands["model.open_tiny"].trigger()
    wait_until(lambda: window.state.model is not None and window.state.model.name == TINY)
    assert window.services.settings.recent_models == recent


def test_every_example_stands_in_the_menu_under_its_room(open_window: Opener, qtbot: QtBot) -> None:
    window = open_window(built_in_checkpoint())
    menu = QMenu()
    qtbot.addWidget(menu)
    fill_examples(window, menu)
    titles = {room.shown_title: room.key for room in ROOMS}
    listed = {titles[part.title()]: [action.text() for action in part.actions()] for part in menu.findChildren(QMenu)}
    by_room = {room: [e.title for e in load_examples() if e.room == room] for room in listed}
    assert listed == by_room and sum(map(len, listed.values())) == len(load_examples())
