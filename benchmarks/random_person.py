"""Somebody who types, clicks and switches at random, by the events of a real keyboard and mouse."""

import random
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFileDialog, QSlider, QWidget

from app.shell.window import Window
from app.state.baseline import OtherText
from app.state.what_if import NOTHING_CHANGED, Swap
from app.widgets.figure_button import FigureAction, figure_buttons

Condition = Callable[[], bool]
Life = Generator[float | Condition, None, None]  # seconds to pause, or what to wait for
EVERYDAY = "the a cat dog sat on mat was very happy to see him there it warm girl she said bank river money house"
SELDOM = (
    "unbelievably antidisestablishmentarianism 3.14 don't Ünïcode 東京 [MASK] , . ! ? — 🙂 https://example.org/x?y=1"
)
WORDS = (*EVERYDAY.split(), *SELDOM.split(), "\u200d")  # the last is a letter that is not seen
COMMANDS_LEFT_OUT = ("file.quit",)
LONG_TEXT_WORDS = 480
NO_MODIFIER, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
LEFT = Qt.MouseButton.LeftButton


class RandomPerson:
    """One action after the other; the same seed chooses the same way, as far as the window is as quick."""

    def __init__(self, window: Window, models: list[Path], folder: Path, seed: int) -> None:
        """models: others to open. folder: where pictures and sessions are saved."""
        self._window, self._models, self._folder = window, models, folder
        self._random = random.Random(seed)
        self.done: Counter[str] = Counter()
        self._weights: dict[Callable[[], Life], float] = {
            self._type: 24,
            self._delete: 10,
            self._paste_much: 0.4,
            self._switch_room: 12,
            self._press_button: 22,
            self._click_anywhere: 16,
            self._press_keys: 6,
            self._mask: 7,
            self._choose_head: 5,
            self._change_inside: 4,
            self._undo: 5,
            self._run_command: 8,
            self._use_palette: 4,
            self._save: 3,
            self._open_model: 1,
            self._switch_look: 1.5,
            self._resize: 0.7,
            self._read: 3,
        }
        self._answer_dialogs()

    def act(self) -> Life:
        """One thing that a person does, but for quitting. An open menu, list or dialog is dealt with first."""
        self._window.commands["file.quit"].setEnabled(False)
        if QApplication.activePopupWidget() is not None:
            yield from self._choose_in_popup()
            return
        if (dialog := QApplication.activeModalWidget()) is not None:
            self.done["answer_dialog"] += 1
            QTest.keySequence(dialog, self._random.choice(("Return", "Esc")))
            yield 0.05
            return
        action = self._random.choices(list(self._weights), list(self._weights.values()))[0]
        self.done[action.__name__.removeprefix("_")] += 1
        yield from action()
        yield self._random.choice((0, 0, 0.005, 0.03, 0.1))

    @property
    def _handle(self) -> QWindow:
        handle = self._window.windowHandle()
        assert handle is not None
        return handle

    def _keys(self, keys: str) -> None:
        popup = QApplication.activePopupWidget()
        if popup is None:
            QTest.keySequence(self._handle, keys)
        else:  # its QWindow may be gone the next moment
            QTest.keySequence(popup, keys)

    def _words(self, most: int) -> str:
        return " ".join(self._random.choices(WORDS, k=self._random.randint(1, most)))

    # The keyboard.

    def _focus_text(self) -> None:
        sentences = self._window.frame.sentences
        field = self._random.choice((sentences.a, sentences.b))
        field.setFocus()
        field.setCursorPosition(self._random.randint(0, len(field.text())))

    def _type(self) -> Life:
        self._focus_text()
        for letter in self._words(4) + " ":
            self._letter(letter)
            yield self._random.choice((0, 0, 0.01, 0.04))

    def _letter(self, letter: str) -> None:
        """QTest.keyClicks ends the process at letters beyond Latin-1."""
        widget = QApplication.focusWidget()
        key = Qt.Key(ord(letter.upper())) if letter.isascii() else Qt.Key.Key_unknown
        if widget is not None:
            QTest.sendKeyEvent(QTest.KeyAction.Click, widget, key, letter, NO_MODIFIER)

    def _delete(self) -> Life:
        self._focus_text()
        for _ in range(self._random.randint(1, 12)):
            self._keys(self._random.choice(("Backspace", "Backspace", "Del", "Ctrl+Backspace")))
            yield self._random.choice((0, 0.01, 0.03))
        if self._random.random() < 0.2:
            self._keys("Ctrl+A")
            self._keys("Backspace")

    def _paste_much(self) -> Life:
        text = " ".join(self._random.choices(WORDS, k=LONG_TEXT_WORDS))
        QApplication.clipboard().setText(text)
        self._focus_text()
        self._keys("Ctrl+V")
        yield 1.0
        yield from self._read()
        self._keys("Ctrl+Z")

    def _press_keys(self) -> Life:
        keys = (
            "Tab",
            "Shift+Tab",
            "Left",
            "Right",
            "Up",
            "Down",
            "Space",
            "Return",
            "Esc",
            "+",
            "-",
            "0",
            "Home",
            "End",
        )
        for _ in range(self._random.randint(1, 10)):
            self._keys(self._random.choice(keys))
            yield self._random.choice((0, 0.01))

    def _undo(self) -> Life:
        for _ in range(self._random.randint(1, 8)):
            self._keys(self._random.choice(("Ctrl+Z", "Ctrl+Z", "Ctrl+Shift+Z")))
            yield self._random.choice((0, 0.02))

    def _run_command(self) -> Life:
        """By its keys. What it is about is on show, so that single letters are not typed into a line."""
        self._window.frame.strip.field.setFocus()
        commands = [c for c in self._window.commands.values() if c.key not in COMMANDS_LEFT_OUT]
        self._keys(self._random.choice(commands).keys[0])
        yield 0.02

    def _use_palette(self) -> Life:
        self._keys("Ctrl+K")
        yield 0.02
        words = ("attend", "layers", "emb", "mask", "words", "1.2", "4.3", "example", "undo", "cat", "xyzzy", "light")
        for letter in self._random.choice(words):
            self._letter(letter)
        yield 0.02
        self._keys(self._random.choice(("Return", "Return", "Esc", "Down")))

    def _choose_in_popup(self) -> Life:
        self.done["choose_in_popup"] += 1
        for _ in range(self._random.randint(0, 5)):
            self._keys(self._random.choice(("Down", "Down", "Up", "Right")))
            yield 0
        self._keys(self._random.choice(("Return", "Esc")))
        yield 0.01
        if QApplication.activePopupWidget() is not None:
            self._keys("Esc")
            yield 0

    # The mouse.

    def _shown(self, *kinds: type[QWidget]) -> list[QWidget]:
        room = self._window.rect()
        return [
            widget
            for kind in kinds
            for widget in self._window.findChildren(kind)
            if widget.isVisible()
            and widget.isEnabled()
            and room.contains(widget.mapTo(self._window, widget.rect().center()))
        ]

    def _press_button(self) -> Life:
        shown = self._shown(QAbstractButton, QComboBox, QSlider)
        if shown:
            widget = self._random.choice(shown)
            rect = widget.rect()
            inside = QPoint(self._random.randrange(max(rect.width(), 1)), rect.center().y())
            yield from self._click(widget.mapTo(self._window, inside))

    def _click_anywhere(self) -> Life:
        """Moves there, then clicks, double-clicks, drags, or turns the wheel."""
        size = self._window.size()
        point = QPoint(self._random.randrange(size.width()), self._random.randrange(size.height()))
        kind = self._random.choice(("hover", "hover", "click", "click", "double", "drag", "wheel", "right"))
        if kind in ("click", "right"):
            yield from self._click(point, LEFT if kind == "click" else Qt.MouseButton.RightButton)
            return
        QTest.mouseMove(self._handle, point)
        yield 0.01
        if kind == "double":
            QTest.mouseDClick(self._handle, LEFT, NO_MODIFIER, point)
        elif kind == "drag":
            yield from self._drag(point)
        elif kind == "wheel":
            for _ in range(self._random.randint(1, 6)):
                turned = QPoint(0, self._random.choice((-120, 120)))
                QTest.wheelEvent(self._handle, point.toPointF(), turned)
                yield 0.01

    def _click(self, point: QPoint, which: Qt.MouseButton = LEFT) -> Life:
        if not self._window.rect().contains(point):
            return
        QTest.mouseMove(self._handle, point)
        yield 0
        modifier = self._random.choice((NO_MODIFIER, NO_MODIFIER, NO_MODIFIER, CONTROL, SHIFT))
        if QApplication.activePopupWidget() is None and self._window.rect().contains(point):
            QTest.mouseClick(self._handle, which, modifier, point)

    def _drag(self, point: QPoint) -> Life:
        QTest.mousePress(self._handle, LEFT, NO_MODIFIER, point)
        for _ in range(4):
            moved = point + QPoint(self._random.randint(-40, 40), self._random.randint(-40, 40))
            point = moved if self._window.rect().contains(moved) else point
            QTest.mouseMove(self._handle, point)
            yield 0.01
        QTest.mouseRelease(self._handle, LEFT, NO_MODIFIER, point)

    def _mask(self) -> Life:
        state, field = self._window.state, self._window.frame.strip.field
        if state.encoding is None:
            return
        position = self._random.randrange(len(state.encoding))
        if self._random.random() < 0.3:
            state.set_masks(self._random.sample(range(len(state.encoding)), k=min(5, len(state.encoding))))
        else:
            there = field.rect_of(position).center().toPoint()
            if field.visibleRegion().contains(there):  # else it is scrolled away, or another window is in front
                yield from self._click(field.mapTo(self._window, there))
            field.setFocus()
            self._keys("M")
        yield 0.01

    # What there is a quicker way to.

    def _switch_room(self) -> Life:
        number = self._random.randint(1, 6)
        if self._random.random() < 0.5:
            self._keys(f"Ctrl+{number}")
        else:
            rail = self._window.frame.rail.findChildren(QAbstractButton)
            yield from self._click(rail[number - 1].mapTo(self._window, rail[number - 1].rect().center()))
        yield self._random.choice((0, 0.05, 0.2))

    def _choose_head(self) -> Life:
        model = self._window.state.model
        if model is not None:
            self._window.state.set_head(self._random.randrange(model.layers), self._random.randrange(model.heads))
        yield 0.01

    def _change_inside(self) -> Life:
        state, pick = self._window.state, self._random.random()
        size = len(state.encoding) if state.encoding else 0
        if state.model is None or size < 4 or pick < 0.3:
            state.set_what_if(NOTHING_CHANGED)
        elif pick < 0.6:
            head = self._random.randrange(state.model.layers), self._random.randrange(state.model.heads)
            state.set_what_if(state.what_if.with_head(*head, self._random.random() < 0.8))
        elif pick < 0.75:
            state.set_what_if(state.what_if.with_layer(self._random.randrange(state.model.layers), True))
        elif pick < 0.8:
            same, row = OtherText(state.text_a, state.text_b), self._random.randrange(state.model.layers)
            place = self._random.randrange(min(size, state.model.heads))
            swap = Swap("state" if pick < 0.78 else "head", row, place, same)
            state.set_what_if(state.what_if.with_swap(None if state.what_if.swap else swap))
        elif pick < 0.9:
            one, other = self._random.sample(range(1, size - 1), 2)
            state.set_what_if(state.what_if.swapped(one, other))
        elif state.has_segments:
            state.set_what_if(state.what_if.with_segment(self._random.randrange(size), 1))
        yield 0.02

    def _save(self) -> Life:
        """A picture or its numbers, or the session, to a file or the clipboard; at times a session comes back."""
        room = self._window.frame.room
        buttons = figure_buttons(room) if room is not None else []
        if buttons and self._random.random() < 0.6:
            self._random.choice(buttons).request(self._random.choice(list(FigureAction)))
        else:
            self._keys(self._random.choice(("Ctrl+S", "Ctrl+Shift+O")))
        yield 0.02

    def _open_model(self) -> Life:
        """Another one, and more often than not the built-in one after a while."""
        self._window.open_model(self._random.choice([*self._models, None, None]))
        yield self._random.choice((0, 0.3, 1.0))

    def _switch_look(self) -> Life:
        self._keys(self._random.choice(("Ctrl+T", "Ctrl+T", "Ctrl+Shift+P")))
        yield 0.1

    def _resize(self) -> Life:
        self._window.resize(*self._random.choice(((1440, 900), (1280, 720), (1600, 1000), (900, 700))))
        yield 0.05

    def _read(self) -> Life:
        """Takes the time to look at what comes."""
        inference = self._window.services.inference
        yield lambda: not inference.is_busy
        yield 0.3

    def _answer_dialogs(self) -> None:
        """The system's file dialogs would wait for a person; this one has answers ready."""
        number = iter(range(10**9))

        def file_to_write(_parent: object, title: str, suggested: str, kinds: str) -> tuple[str, str]:
            kind = self._random.choice(kinds.split(";;"))
            ending = kind.split("*")[-1].rstrip(")")
            name = "session.bertscope.json" if "session" in title.lower() else f"picture-{next(number) % 8}{ending}"
            return str(self._folder / name), kind

        def file_to_read(*_: object) -> tuple[str, str]:
            file = self._folder / "session.bertscope.json"
            return (str(file) if file.exists() else ""), ""

        QFileDialog.getSaveFileName = staticmethod(file_to_write)  # type: ignore[assignment]
        QFileDialog.getOpenFileName = staticmethod(file_to_read)  # type: ignore[assignment]
        QFileDialog.getExistingDirectory = staticmethod(  # type: ignore[assignment]
            lambda *_: str(self._random.choice(self._models))
        )
