"""The context menu of a token, wherever it is drawn: pin it, mask it, move it to the other segment, copy it."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.state.state import ExploreState
from app.widgets.context_menu import Entry, show_context_menu


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
    encoding, translate = state.encoding, QCoreApplication.translate
    if encoding is None or position >= len(encoding):
        return []
    token = encoding.labels[position]
    entries: list[Entry] = []
    if state.focus == position:
        entries.append((translate("TokenMenu", "Deselect"), lambda: state.set_focus(None)))
    else:
        entries.append((translate("TokenMenu", "Pin “{token}”").format(token=token), lambda: state.set_focus(position)))
    if encoding.parts[position] != "special" and state.mask_token:
        is_masked = position in state.masked
        text = translate("TokenMenu", "Remove the mask") if is_masked else translate("TokenMenu", "Mask")
        entries.append((text, lambda: state.toggle_mask(position)))
    if state.has_segments:
        own = encoding.segments[position]
        other = 0 if state.what_if.segments_for(encoding.segments)[position] else 1
        changed = state.what_if.with_segment(position, None if other == own else other)
        text = translate("TokenMenu", "Read as segment {letter}").format(letter="AB"[other])
        entries.append((text, lambda: state.set_what_if(changed)))
    text = translate("TokenMenu", "Copy “{token}”").format(token=token)
    entries += [None, (text, lambda: QApplication.clipboard().setText(token))]
    return entries
