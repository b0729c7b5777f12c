"""Boxes of widgets, side by side or one below the other.

    vbox(title, (picture, 1), note, parent=self)      the picture takes what room there is
    hbox(start, cancel, None)                         buttons at the left; the stretch takes the rest

An item is a widget or a layout, alone or with its stretch; None is a stretch, a number a space in pixels of the design.
"""

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from ..look import theme

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
