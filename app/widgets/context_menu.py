"""The menu of a right click: what can be done with the cell under the mouse.

strip.context_menu_requested.connect(self._on_strip_menu_requested)

def _on_strip_menu_requested(self, position, at):
    show_context_menu(self, at, [(say("Mask"), self._mask), None, *figure_entries(self)])
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ..look import say
from ..state.explore_state import ExploreState
from .figure_button import FigureButton

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


def show_token_menu(
    widget: QWidget, state: ExploreState, position: int | None, at: QPoint, more: Sequence[Entry] = ()
) -> QMenu | None:
    """Opens the menu of the token at `position` (None: of no token) at a point of the screen.

    more: what else the picture offers, as `figure_entries` gives it.
    """
    entries = [] if position is None else token_entries(state, position)
    return show_context_menu(widget, at, [*entries, None, *more] if more else entries)


def token_entries(state: ExploreState, position: int) -> list[Entry]:
    """What can be done with a token."""
    encoding = state.encoding
    if encoding is None or position >= len(encoding):
        return []
    token = encoding.labels[position]
    entries: list[Entry] = []
    if state.focus == position:
        entries.append((say("Deselect"), lambda: state.set_focus(None)))
    else:
        entries.append((say("Pin “{token}”", token=token), lambda: state.set_focus(position)))
    if encoding.parts[position] != "special" and state.mask_token:
        is_masked = position in state.masked
        text = say("Remove the mask") if is_masked else say("Mask")
        entries.append((text, lambda: state.toggle_mask(position)))
    if state.has_segments:
        own = encoding.segments[position]
        other = 0 if state.what_if.segments_for(encoding.segments)[position] else 1
        changed = state.what_if.with_segment(position, None if other == own else other)
        text = say("Move to segment {letter}", letter="AB"[other])
        entries.append((text, lambda: state.set_what_if(changed)))
    text = say("Copy “{token}”", token=token)
    entries += [None, (text, lambda: QApplication.clipboard().setText(token))]
    return entries
