"""How the program starts: what it imports, what it does without a display, one view alone, and the tour."""

import json
import sys
from functools import partial

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMenu

from app.shell.menus import fill_examples
from app.shell.rooms import ROOMS
from app.state.examples import load_examples
from bertcore.locations import BUILT_IN, CLASS_DEMO, GERMAN, TINY, assets, built_in_checkpoint
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import wait_until
from tests.app.train_room import chosen_step, shown_runs
from tests.end_to_end.shell import run_python

run = partial(run_python, DISPLAY=None, WAYLAND_DISPLAY=None, QT_QPA_PLATFORM=None)


def test_the_first_paint_needs_no_torch(model_folder):
    code = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from app.shell import window\n"
        "def painted():\n"
        "    print(sorted(set(sys.modules) & {'torch', 'pyqtgraph', 'transformers'}))\n"
        "    QApplication.instance().quit()\n"
        "class Window(window.Window):\n"
        "    def __init__(self, *arguments):\n"
        "        super().__init__(*arguments)\n"
        "        self.first_painted.connect(painted)\n"
        "window.Window = Window\n"
        "from app.__main__ import main\n"
        f"sys.exit(main([{str(model_folder)!r}]))\n"
    )
    done = run("-c", code, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_it_says_so():
    done = run("-m", "app")
    assert done.returncode == 2 and done.stderr.startswith("No display found."), done.stderr


def test_one_view_is_previewed_alone(model_folder, tmp_path):
    home, file = tmp_path / "home", tmp_path / "view.png"
    arguments = ("preview", "layers.hidden", str(model_folder), "--theme", "dark", "--picture", str(file))
    done = run("-m", "app", *arguments, BERTSCOPE_HOME=str(home))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    image = QImage(str(file))
    assert len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}) > 20
    assert not (home / "settings.json").exists()
    unknown = run("-m", "app", "preview", "layers.none")
    assert unknown.returncode == 2 and "layers.hidden" in unknown.stderr


def test_the_tour_draws_every_room_and_view(model_folder, tmp_path):
    home = tmp_path / "home"
    arguments = ("build/tour", str(model_folder), "--theme", "light")
    done = run("-m", "scripts.tour", *arguments, cwd=tmp_path, BERTSCOPE_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert not (home / "settings.json").exists()  # a tour changes nothing of the person's
    visits = json.loads((tmp_path / "build" / "tour" / "tour.json").read_text())["rooms"]
    views = (
        "map"
        + " map" * 4
        + " embed" * 5
        + " attend" * 8
        + " predict" * 7
        + " layers" * 9
        + " train apply"
        + " evidence" * 8
        + " game film"
    )
    compared = " map embed predict predict attend layers" * 3 + " map attend attend predict layers layers attend"
    runs = " train" * 7  # curves of two runs, with more; a sweep at work, finished; three endings
    rooms = views + compared + runs + " layers layers predict attend" + " predict predict"  # swapped; many texts
    rooms += " train" * 7  # the class demo, its world changed, its batches; the form for a run, and a file with a fault
    assert [(visit["room"], visit["theme"]) for visit in visits] == [(room, "light") for room in rooms.split()]
    for visit in visits:
        image = QImage(str(tmp_path / "build" / "tour" / visit["file"]))
        assert (image.width(), image.height()) == (1440, 900)
        assert visit["ms"] > 0
        assert len({image.pixel(x, y) for x in range(0, 1440, 7) for y in range(0, 900, 7)}) > 20


def test_a_tour_of_what_is_no_model_fails_with_a_sentence(tmp_path):
    done = run("-m", "scripts.tour", str(tmp_path / "tour"), str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("The tour failed: ")
    assert "config.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_run_that_ships_can_be_wound_back(open_window, qtbot):
    snapshots = RunFolder(assets() / "runs" / TINY).snapshots()
    window = open_window(built_in_checkpoint())
    room = window.open_room("train")
    assert window.state.model is None or window.state.model.folder == built_in_checkpoint()
    wait_until(lambda: room.time_machine.slider.isEnabled() and chosen_step(room) == snapshots[-1][0])
    assert [run.path.name for run in shown_runs(room)] == [TINY, CLASS_DEMO, BUILT_IN, GERMAN]
    wait_until(lambda: len(room.watch._answers) == len(snapshots))
    said = [room.watch._answers[path] for _, path in snapshots]
    assert said[0].probability < 0.05 and len({guess.token for guess in said}) > 2
    for index in (0, len(snapshots) - 1):
        place = QPointF(room.time_machine.slider.x_of(index), room.time_machine.slider.height() / 2).toPoint()
        qtbot.mouseClick(room.time_machine.slider, Qt.MouseButton.LeftButton, pos=place)
        step, folder = snapshots[index]
        wait_until(lambda f=folder: window.state.model is not None and window.state.model.folder == f)
        assert window.state.model.step == step


def test_the_tiny_model_opens_by_its_command_and_is_no_recent_one(open_window):
    window = open_window(built_in_checkpoint(), "A cat sat.")
    recent = list(window.services.settings.recent_models)
    cuts = window.open_room("embed").open_view("vocabularies")
    asked = cuts.asked["compared"]
    wait_until(lambda: asked.answer is not None)  # against the other that ships, unasked
    assert cuts.reference == TINY
    window.commands["model.open_tiny"].trigger()
    wait_until(lambda: window.state.model is not None and window.state.model.name == TINY)
    assert window.services.settings.recent_models == recent


def test_the_german_toy_opens_with_a_german_sentence_and_a_person_s_own_stays(open_window):
    window = open_window(built_in_checkpoint())
    state, opener = window.state, window.services.open_model
    german = [example for example in load_examples() if example.model == GERMAN]
    window.commands["model.open_german"].trigger()
    wait_until(lambda: state.model is not None and state.model.name == GERMAN and state.text_a == german[0].a)
    assert len(state.masked) == 1 and state.mask_places == frozenset(german[0].mask)
    english = next(example for example in load_examples() if example.model is None)
    window.commands["model.open_built_in"].trigger()
    wait_until(lambda: state.model.name == BUILT_IN and state.text_a == english.a)
    window.commands["model.open_german"].trigger()
    wait_until(lambda: state.model.name == GERMAN and state.text_a == german[0].a)
    window.examples.use(english)
    wait_until(lambda: state.model.name == BUILT_IN and state.text_a == english.a)
    state.set_text("Mein Hund heißt Bello.", "")
    window.commands["model.open_german"].trigger()
    wait_until(lambda: state.model.name == GERMAN and not opener.is_opening)
    assert state.text_a == "Mein Hund heißt Bello."


def test_every_example_stands_in_the_menu_under_its_room(open_window, qtbot):
    window = open_window(built_in_checkpoint())
    menu = QMenu()
    qtbot.addWidget(menu)
    fill_examples(window, menu)
    titles = {room.shown_title: room.key for room in ROOMS}
    listed = {titles[part.title()]: [action.text() for action in part.actions()] for part in menu.findChildren(QMenu)}
    by_room = {room: [e.title for e in load_examples() if e.room == room] for room in listed}
    assert listed == by_room and sum(map(len, listed.values())) == len(load_examples())
