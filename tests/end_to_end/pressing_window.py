"""The window, each of whose fields and buttons is given keys and clicks in the program's own event loop: `... KEY ...`.

KEY is Enter, Escape, Space or click. A widget that is deleted while it is handling the key ends the process. Prints how
many were pressed in rooms, dialogs and lessons.
"""

import faulthandler
import os
import sys
import tempfile
from collections import Counter
from functools import partial
from itertools import chain
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QWidget,
)

from app.lessons.card import LessonCard
from app.lessons.class_page import ClassPage
from app.lessons.shipped import shipped_lessons
from app.rooms.train.list.actions import LabelDialog
from app.rooms.train.room import TrainRoom
from app.runs import service as runs
from app.shell.about import AboutDialog
from app.shell.comparison import TextPairDialog
from app.shell.program import leave
from app.shell.rooms import ROOMS, open_view
from app.shell.services import Services
from app.shell.window import Window
from app.widgets.charts.pointer import PointerWidget
from app.widgets.command_list import Palette
from benchmarks.offscreen import offscreen_app
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions

KEYS = {"Enter": Qt.Key.Key_Return, "Escape": Qt.Key.Key_Escape, "Space": Qt.Key.Key_Space}
KINDS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    PointerWidget,
)
MOST_ALIKE = 3  # a list may have hundreds of rows with the same button, and a button may add a row


class Presser(QObject):
    """One control after the other. What a press has opened is closed again before the next."""

    def __init__(self, window, keys):
        super().__init__()
        self._window, self._keys = window, keys
        self.pressed = Counter()
        self._steps = chain(self._rooms(), self._dialogs(), self._lessons())
        self._waits_for = None
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._go_on)
        self._timer.start()

    def _go_on(self):
        """Called in the innermost event loop, too: a press may have opened a dialog that waits for its answer."""
        above = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if above is not None:
            self._timer.start()
            above.close()
            return
        if self._waits_for is None or self._waits_for():
            try:
                self._waits_for = next(self._steps)
            except StopIteration:
                QApplication.quit()
                return
        self._timer.start()

    def _rooms(self):
        window = self._window
        yield lambda: window.is_settled()
        yield from self._press_all("rooms", lambda: window.frame)
        for spec in ROOMS:
            for view in spec.view_keys:
                yield from self._press_all("rooms", partial(self._open, spec.key, view))
                if window.services.open_model.newest_reference is not None:  # with another, less can be pressed
                    window.open_model(None)
                    yield lambda: not window.services.open_model.is_opening and window.is_settled()

    def _open(self, room_key, view):
        room = self._window.open_room(room_key)
        open_view(room, view)
        return room

    def _dialogs(self):
        window = self._window
        folder = Path(os.environ["BERTSCOPE_HOME"])
        yield lambda: isinstance(self._train, TrainRoom) and self._own_run() is not None
        for kind, show in (
            (AboutDialog, window.open_about),
            (Palette, window.open_palette),
            (TextPairDialog, window.commands["compare.text"].trigger),
            (ClassPage, lambda: window.lessons.show_answers(folder)),
            (LabelDialog, lambda: self._train.run_actions.ask_label(self._own_run())),
        ):
            yield from self._press_all("dialogs", partial(self._shown, kind, show))
        yield from self._press_all("dialogs", self._form)

    @property
    def _train(self):
        return self._window.open_room("train")

    def _own_run(self):
        return next((run for run in self._window.services.runs.runs if not run.is_built_in), None)

    def _form(self):
        self._train.runs_card.show_form()
        return self._train.form

    def _shown(self, kind, show):
        """The dialog that is on show, opened where none is."""
        for _ in range(2):
            found = next((each for each in self._window.findChildren(kind) if each.isVisible()), None)
            if found is not None:
                return found
            show()
        return None

    def _lessons(self):
        """Each page with a question or a task, as it is before it has been answered, with something typed."""
        lessons = self._window.lessons
        for shipped in shipped_lessons():
            lessons.open(shipped.file)
            player = lessons.player
            for number, page in enumerate(player.lesson.pages):
                if page.question is not None or page.task is not None:
                    player.go(number)
                    yield lambda player=player: player.start is not None
                    yield from self._press_all("lessons", partial(self._page, shipped.file, number))

    def _page(self, file, number):
        lessons = self._window.lessons
        if lessons.player is None or lessons.player.lesson is None or lessons.player.lesson.file != file:
            lessons.open(file)
        player = lessons.player
        if player.number != number or player.kept.revealed:
            player.kept.revealed.clear()
            player.go(number)
        card = self._window.findChild(LessonCard)
        for field in card.body.findChildren(QLineEdit):
            field.setText("1")
        return card.body

    def _press_all(self, where, show):
        """show: brings what is to be pressed on the screen, and returns it."""
        for key in self._keys:
            pressed = Counter()
            while (control := _next_in(show(), pressed)) is not None:
                self.pressed[where] += 1
                control.setFocus()
                if key == "click":
                    QTest.mouseClick(control, Qt.MouseButton.LeftButton)
                else:
                    QTest.keyClick(control, KEYS[key])
                yield None


def _next_in(scope, pressed):
    """The next control that is on show and has not been pressed yet; it counts as pressed."""
    seen = Counter()
    for control in [] if scope is None else scope.findChildren(QWidget):
        if not isinstance(control, KINDS) or isinstance(control, QScrollBar):
            continue
        if not control.isVisible() or not control.isEnabled():
            continue
        words = control.text() if isinstance(control, QAbstractButton) else ""
        described = f"{type(control).__name__} {control.objectName()} {control.accessibleName() or words}"
        seen[described] += 1
        if pressed[described] < min(seen[described], MOST_ALIKE):
            pressed[described] += 1
            return control
    return None


def press_everything(keys):
    """The exit code, and the services, which are closed."""

    def no_run(*_):
        raise BertcoreError("No run is started here.")  # it would outlive this program

    runs.RunChild = no_run
    QDesktopServices.openUrl = staticmethod(lambda _url: True)
    QFileDialog.getSaveFileName = staticmethod(lambda *_: ("", ""))
    QFileDialog.getOpenFileName = staticmethod(lambda *_: ("", ""))
    QFileDialog.getExistingDirectory = staticmethod(lambda *_: "")
    app = offscreen_app()
    services = Services(app)
    window = Window(services)
    window.close = lambda: False  # "Quit" is a button, too
    window.show()
    presser = Presser(window, keys)
    code = app.exec()
    Window.close(window)
    print(" ".join(f"{where} {count}" for where, count in presser.pressed.items()), flush=True)
    services.close()
    return code, services


if __name__ == "__main__":
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as home:
        os.environ["BERTSCOPE_HOME"] = os.environ["HOME"] = home
        RunFolder.create(Path(home) / "runs" / "own", PretrainOptions(name="own", preset="tiny").to_dict())
        code, services = press_everything(sys.argv[1:])
    leave(services, code)
