"""What ends when: garbage, free memory, stray windows, the program, and a widget that fails while it paints."""

import gc
import sys
import threading
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.shell import garbage as window_memory
from app.shell.garbage import GarbageCollector, SpareMemory
from app.shell.rooms import ROOMS, open_view
from app.shell.services import Services
from app.shell.window import Window
from benchmarks.left_over import memory
from tests.app.conftest import close_for_good, placed, settle, shown_room, wait_until
from tests.end_to_end.shell import run_python

BLOCK_BYTES, BLOCKS, MIB = 64 << 10, 1600, 1 << 20  # 100 MiB in pieces that glibc keeps in its heap


class Cycle(QObject):
    collected_on: list[threading.Thread]

    def __init__(self):
        super().__init__()
        self.itself = self
        self.timer = QTimer(self)

    def __del__(self):
        Cycle.collected_on.append(threading.current_thread())


def test_a_thread_that_allocates_much_collects_nothing():
    owner, Cycle.collected_on = QObject(), []
    collector = GarbageCollector(owner)
    try:
        for _ in range(20):
            Cycle()
        kept = []
        thread = threading.Thread(target=lambda: kept.extend([] for _ in range(50_000)))
        thread.start()
        thread.join()
        assert Cycle.collected_on == []
        wait_until(lambda: len(Cycle.collected_on) == 20)
        assert set(Cycle.collected_on) == {threading.main_thread()}
    finally:
        collector.close()
    assert not gc.isenabled()  # a thread may outlive the window


def test_a_closed_window_leaves_nothing(qapp, model_folder):
    """One connection that Python cannot see would keep it, with its readings and its model."""
    services = Services(QObject())
    window = Window(services, str(model_folder))
    window.show()
    settle(window)
    for spec in ROOMS:
        window.open_room(spec.key)
    settle(window)
    kept = [weakref.ref(one) for one in (window, services, services.owner, window.state, window.state.model)]
    close_for_good(window, qapp)
    del window, services
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [one() for one in kept] == [None] * len(kept)


def test_nothing_is_collected_while_qt_goes_through_all_widgets():
    """A widget freed in the middle of a change of theme would bring the program down."""
    seen = []

    def note(_):
        seen.append(gc.isenabled())

    was_on, before = gc.isenabled(), theme.active().name
    gc.enable()
    try:
        theme.apply(SimpleNamespace(setFont=note, setPalette=note, setStyleSheet=note), "dark")
        assert seen == [False] * 3 and gc.isenabled()
    finally:
        theme.apply(SimpleNamespace(setFont=note, setPalette=note, setStyleSheet=note), before)
        if not was_on:
            gc.disable()


class Something(QObject):
    changed = Signal(str, object)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's heap is asked")
def test_free_memory_is_given_back_after_the_last_change(monkeypatch):
    monkeypatch.setattr(window_memory, "QUIET_MS", 50)
    something = Something()
    spare = SpareMemory(something, [something.changed])
    blocks = [np.ones(BLOCK_BYTES, dtype=np.uint8) for _ in range(BLOCKS)]
    kept = blocks[-1].copy()  # above them all: without it glibc would give back by itself
    full = memory()
    del blocks
    freed = memory()
    if full is None or freed is None or full - freed > 20:
        pytest.skip("this C library keeps nothing, so there is nothing to give back")
    something.changed.emit("kind", None)
    wait_until(lambda: full - (memory() or full) > 80)
    spare.close()
    assert kept.any()


def test_each_change_puts_it_off(monkeypatch):
    something = Something()
    monkeypatch.setattr(window_memory, "QUIET_MS", 100)
    given = []
    monkeypatch.setattr(SpareMemory, "give_back", lambda spare: given.append(spare.is_waiting))
    spare = SpareMemory(something, [something.changed])
    assert not spare.is_waiting
    something.changed.emit("kind", None)
    assert spare.is_waiting and given == []
    wait_until(lambda: given != [])
    assert given == [False]
    something.changed.emit("kind", None)
    spare.close()
    assert not spare.is_waiting


class _Shown(QObject):
    """Notes every window that is shown."""

    def __init__(self):
        super().__init__()
        self.windows = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(f"{type(watched).__name__} {watched.accessibleName()}".strip())
        return False


@pytest.fixture
def shown(window, qapp):
    """From here on: the window itself is there already."""
    made = _Shown()
    qapp.installEventFilter(made)
    yield made
    qapp.removeEventFilter(made)


def test_it_notes_a_widget_without_a_parent(shown, qtbot):
    placed(QWidget(), qtbot, 100, 100)
    assert shown.windows == ["QWidget"]


@pytest.mark.parametrize("projector", [False, True], ids=["normal", "projector"])
@pytest.mark.parametrize("spec", ROOMS, ids=lambda spec: spec.key)
def test_a_room_opens_inside_the_window(spec, projector, window, shown):
    if projector:
        window.appearance.set_look(projector=True)
    window.state.set_masks([2])
    for view in spec.view_keys:
        open_view(window.open_room(spec.key), view)
        settle(window)
    assert shown.windows == []
    shown_room(window, "train" if spec.key != "train" else "map")
    window.appearance.set_look("dark")  # what a room wrote in colours, it writes again when it has been left, too


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", ["computing", "dialog"])
def test_a_busy_window_is_quit(how, times, model_folder, tmp_path):
    """At once, with 0 and without a word."""
    for number in range(times):
        command = ("-m", "tests.app.quitting_window", how, str(model_folder), "--theme", "light")
        done = run_python(*command, BERTSCOPE_HOME=str(tmp_path / f"home-{number}"))
        said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
        assert (done.returncode, said, done.stdout) == (0, [], "busy\n"), done.stderr


CODE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from app.look import language, theme
from app.shell.services import Services
from app.shell.window import Window

def fail(painter):
    raise ValueError("broken")

FAULTS = {
    "raised in Python": fail,
    "raised in C": lambda painter: int("broken"),
    "raised by Qt": lambda painter: painter.drawText("broken", 3, object()),
}

class Broken(QWidget):
    painted = 0

    def paintEvent(self, event):
        Broken.painted += 1
        painter = QPainter(self)
        FAULTS[sys.argv[2]](painter)

app = QApplication([])
app.setStyle("Fusion")
theme.register_fonts()
language.install(app)
theme.apply(app, "light")
services = Services(app, remembers=False)
window = Window(services, sys.argv[1])
said = []
services.errors.reported.connect(said.append)
drawn = []

def on_drawn(room, ms):  # typing goes on while the widget is broken
    drawn.append(room)
    if len(drawn) == 1:
        window.broken = Broken(window)
        window.broken.setGeometry(0, 0, 40, 40)
        window.broken.show()
    if len(drawn) < 5:
        QTimer.singleShot(20, lambda: (window.state.set_text(f"the cat sat {len(drawn)}", ""), window.broken.update()))
    else:
        QTimer.singleShot(50, window.close)

window.room_drawn.connect(on_drawn)
QTimer.singleShot(60_000, app.quit)
window.show()
app.exec()
print(len(drawn), Broken.painted, len(said), window.frame.banner.text, sep="|", flush=True)
services.close()
"""


SLOW = [pytest.param(fault, marks=pytest.mark.slow) for fault in ("raised in Python", "raised by Qt")]


@pytest.mark.parametrize("fault", ["raised in C", *SLOW])
def test_a_paint_event_that_fails_leaves_the_window_alive(fault, model_folder, tmp_path):
    done = run_python("-c", CODE, str(model_folder), fault, BERTSCOPE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    drawn, painted, said, sentence = done.stdout.strip().splitlines()[-1].split("|", 3)
    assert int(drawn) >= 5 and int(painted) >= 2 and int(said) >= 1
    assert sentence.startswith("Something unexpected went wrong")
