"""The menu of a right click: what can be done with the cell under the mouse.

strip.context_menu_requested.connect(self._on_strip_menu_requested)

def _on_strip_menu_requested(self, position, at):
    show_context_menu(self, at, [(self.tr("Mask"), self._mask), None, *figure_entries(self)])
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.figure_button import FigureButton

Entry = tuple[str, Callable[[], object]] | None  # text and what it does; None: a line between groups


def show_context_menu(widget: QWidget, at: QPoint, entries: Sequence[Entry]) -> QMenu | None:
    """Opens a menu at a point of the screen; None where there is nothing to offer."""
    if not any(entries):
        return None
    menu = QMenu(widget)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for entry in entries:
        if entry is None:
            menu.addSeparator()  # Qt draws none at the ends, nor two in a row
        else:
            action = menu.addAction(entry[0])
            action.triggered.connect(lambda _checked=False, run=entry[1]: run())
    menu.popup(at)
    return menu


def figure_entries(picture: QWidget) -> list[Entry]:
    """Save and copy, as the save button of the picture offers them; empty where a picture has none."""
    area: QWidget | None = picture
    while area is not None:
        buttons = [found for found in area.findChildren(FigureButton) if found.area.isAncestorOf(picture)]
        buttons += [found for found in area.findChildren(FigureButton) if found.area is picture]
        if buttons:
            return buttons[0].entries()
        area = area.parentWidget()
    return []
