"""Boxes of widgets, side by side or one below the other.

    vbox(title, (picture, 1), note, parent=self)      the picture takes what room there is
    hbox(start, cancel, None)                         buttons at the left; the stretch takes the rest

An item is a widget or a layout, alone or with its stretch; None is a stretch, a number a space in pixels of the design.
`FlowLayout`: a line that goes on in the next one where it is full, as words in a text do. `held`: a layout as a widget.
"""

from typing import TypeVar

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ..look import theme

NO_LIMIT_PX = 16_777_215  # Qt's QWIDGETSIZE_MAX, which PySide6 leaves out

Item = QWidget | QLayout | tuple[QWidget | QLayout, int] | float | None
Margins = tuple[int, int, int, int]  # left, top, right, bottom; one number: the same on all sides
Box = TypeVar("Box", bound=QBoxLayout)


def hbox(
    *items: Item, parent: QWidget | None = None, gap_px: float | None = None, margins: Margins | int = 0
) -> QHBoxLayout:
    """Side by side. parent: whose layout it is; gap_px: between two items, left out: as the style has it."""
    return _box(QHBoxLayout() if parent is None else QHBoxLayout(parent), items, gap_px, margins)


def vbox(
    *items: Item, parent: QWidget | None = None, gap_px: float | None = None, margins: Margins | int = 0
) -> QVBoxLayout:
    """One below the other; as `hbox`."""
    return _box(QVBoxLayout() if parent is None else QVBoxLayout(parent), items, gap_px, margins)


def fill(layout: QBoxLayout, *items: Item) -> None:
    """Adds items at the end."""
    for item in items:
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        else:
            layout.addSpacing(theme.gap_px(part))


def held(layout: QLayout) -> QWidget:
    """A widget that has nothing but this layout: to scroll, hide or fold away what is in it as one."""
    made = QWidget()
    made.setLayout(layout)
    return made


def stacked(*pages: QWidget) -> QStackedWidget:
    """Pages of which one is on show, at first the first."""
    made = QStackedWidget()
    for page in pages:
        made.addWidget(page)
    return made


def show_page(pages: QStackedWidget, shown: QWidget) -> None:
    """One of them; what is not seen asks for no space."""
    for page in pages.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        policy = QSizePolicy.Policy.Preferred if page is shown else QSizePolicy.Policy.Ignored
        page.setSizePolicy(policy, policy)
    pages.setCurrentWidget(shown)


def show_if(is_wanted: bool, *widgets: QWidget) -> None:
    """Shows all of them, or hides them."""
    for widget in widgets:
        widget.setVisible(is_wanted)


def enable_if(is_possible: bool, *widgets: QWidget) -> None:
    """What a person can do now, or cannot."""
    for widget in widgets:
        widget.setEnabled(is_possible)


def discard(*widgets: QWidget) -> None:
    """What is replaced or removed: it disappears now, and is deleted when the event at hand has been handled.

    The one way to do that. A key, a click or a signal may come from the very widget: deleted at once, as by
    `QScrollArea.setWidget` or where Python owns it, Qt would return into a widget that is gone.
    """
    for widget in widgets:
        widget.hide()
        widget.deleteLater()


def empty(layout: QLayout) -> None:
    """Discards all widgets of a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            discard(widget)


def _box(layout: Box, items: tuple[Item, ...], gap_px: float | None, margins: Margins | int) -> Box:
    layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if gap_px is not None:
        layout.setSpacing(theme.gap_px(gap_px))
    fill(layout, *items)
    return layout


class FlowLayout(QLayout):
    """As high as its lines; its least width is that of the widest widget in it."""

    def __init__(self, *widgets: QWidget, gap_px: float = 6) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setSpacing(theme.px(gap_px))
        self.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), moves=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, moves=True)

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(len(hints) - 1, 0)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        return QSize(
            max((hint.width() for hint in hints), default=0), max((hint.height() for hint in hints), default=0)
        )

    def _place(self, rect: QRect, *, moves: bool) -> int:
        """Returns the height that the lines take."""
        x, y, line = rect.x(), rect.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if x > rect.x() and x + size.width() > rect.x() + rect.width():
                x, y, line = rect.x(), y + line + self.spacing(), 0
            if moves:
                item.setGeometry(QRect(x, y, min(size.width(), rect.width()), size.height()))
            x, line = x + size.width() + self.spacing(), max(line, size.height())
        return y + line - rect.y()
