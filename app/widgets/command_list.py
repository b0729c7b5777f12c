"""A list over the window with a line to find something in it: commands, rooms, examples, heads, models."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from shiboken6 import isValid

from ..look import say, theme
from .card import label
from .charts.drawing import Box
from .layouts import discard, vbox

WIDTH_PX, ROW_PX, ROWS = 560, 32, 11
LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True)
class Entry:
    """Something that can be chosen."""

    title: str
    kind: str  # small, before the title: the menu it is in
    run: Callable[[], object]
    shortcut: str = ""
    also: str = ""  # other words to find it by


class Palette(QFrame):
    """Closes itself when something was chosen, with Escape, or when the keyboard goes elsewhere."""

    def __init__(self, window: QWidget, entries: Sequence[Entry], typed: Callable[[str], list[Entry]]) -> None:
        """typed: entries that come from the very words that were typed, as `3.4` for a head."""
        super().__init__(window)
        self._window = window
        self.setProperty("look", "palette")
        self.setAccessibleName(say("Find a command"))
        self._entries, self._typed = list(entries), typed
        self._before = window.focusWidget()
        self.shown: list[Entry] = []
        self.line, self.list, self.nothing = QLineEdit(), QListWidget(), label(say("Nothing found."), "muted")
        self.line.setPlaceholderText(say("Find a command, a room, an example; 3.4 goes to layer 3, head 4"))
        self.line.setAccessibleName(say("Find a command"))
        self.list.setAccessibleName(say("Commands found"))
        self.list.setItemDelegate(_Row(self))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        pad = theme.px(8)
        vbox(self.line, self.list, self.nothing, parent=self, gap_px=6, margins=pad)
        self.line.textChanged.connect(self._find)
        self.list.itemClicked.connect(lambda item: self._choose(self.list.row(item)))
        self.line.installEventFilter(self)
        window.installEventFilter(self)
        self._find("")
        self.show()
        self.raise_()
        self.line.setFocus()

    def close_palette(self) -> None:
        """The keyboard goes back to where it was."""
        if self.isHidden():
            return
        discard(self)
        if self._before is not None and isValid(self._before):  # the window may have been built anew meanwhile
            self._before.setFocus()

    def _find(self, words: str) -> None:
        scored = [(score, entry) for entry in self._entries if (score := fit(words, entry)) is not None]
        scored.sort(key=lambda pair: -pair[0])  # stable: what fits as well keeps its order
        self.shown = [*self._typed(words), *(entry for _, entry in scored)]
        self.list.clear()
        self.list.addItems([f"{one.title}, {one.kind}, {one.shortcut}".rstrip(", ") for one in self.shown])
        self.list.setCurrentRow(0)
        self.list.setVisible(bool(self.shown))
        self.nothing.setVisible(not self.shown)
        self._place()

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.shown):
            entry = self.shown[place]
            self.close_palette()
            entry.run()

    def _place(self) -> None:
        window = self._window
        width = min(theme.px(WIDTH_PX), window.width() - theme.px(40))
        fitting = (window.height() - theme.px(182)) // theme.px(ROW_PX)
        rows = max(min(len(self.shown), ROWS, fitting), 1)
        height = theme.px(ROW_PX) * rows + theme.px(62)
        self.setGeometry((window.width() - width) // 2, theme.px(56), width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.Resize:
                self._place()
        elif event.type() == QEvent.Type.FocusOut and not self.isHidden():
            self.close_palette()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()  # Escape and the arrows are for this list as long as it is open
            return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key in LIST_KEYS:
                QCoreApplication.sendEvent(self.list, event)
            elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentRow())
            elif key == Qt.Key.Key_Escape:
                self.close_palette()
            else:
                return False
            return True
        return False


class _Row(QStyledItemDelegate):
    """Kind, title and shortcut in their columns."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self._palette = palette

    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(theme.px(200), theme.px(ROW_PX))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index) -> None:  # type: ignore[no-untyped-def]
        entry, rect = self._palette.shown[index.row()], QRectF(option.rect)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_chosen:
            Box(rect, "accent_tint", radius_px=theme.px(6)).paint(painter)
        inner = rect.adjusted(theme.px(10), 0, -theme.px(10), 0)
        theme.draw_text(painter, inner, entry.kind, "muted", 11.5)
        theme.draw_text(painter, inner, entry.shortcut, "muted", 11.5, align=theme.RIGHT)
        keys = painter.fontMetrics().horizontalAdvance(entry.shortcut) + theme.px(12)
        title = inner.adjusted(theme.px(86), 0, -keys, 0)
        theme.draw_text(painter, title, entry.title, "accent" if is_chosen else "ink", 13, medium=is_chosen)


def fit(words: str, entry: Entry) -> float | None:
    """How well typed words fit an entry: by its title first, then by its menu, its keys and other words for it."""
    by_title = match(words, entry.title)
    if by_title is not None and by_title > 1:
        return by_title
    others = f"{entry.kind} {entry.shortcut} {entry.also}".lower().split()
    is_named = words.split() and all(any(one.startswith(word) for one in others) for word in words.lower().split())
    return 1.5 if is_named else by_title


def match(words: str, title: str) -> float | None:
    """How well typed words fit a title, higher is better; None where their letters do not come in this order.

    Best: the title begins so. Then: each typed word begins one of the title's, stands in it, is in it with gaps.
    """
    if not words.strip():
        return 0.0
    within = title.lower()
    typed, begun = words.lower().split(), re.split(r"[^\w]+", within)
    if within.startswith(" ".join(typed)):
        score = 4
    elif all(any(word.startswith(one) for word in begun) for one in typed):
        score = 3
    elif all(one in within for one in typed):
        score = 2
    elif (rest := iter(within)) and all(letter in rest for letter in "".join(typed)):
        score = 1
    else:
        return None
    return score - len(within) / 1000
