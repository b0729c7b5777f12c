"""Names of widgets that a lesson can highlight. Each is the object name of a widget; docs/lessons.md lists them.

A name with a point belongs to the room before it. `<room>.view` and `<room>.tabs` are given by `rooms.room.Room`.
"""

from PySide6.QtWidgets import QWidget

from bertcore.files import read_bytes
from bertcore.json_text import parse_json
from bertcore.locations import assets

HIGHLIGHTS: dict[str, str] = parse_json(read_bytes(assets() / "highlights.json").decode())


def name_highlight(widget: QWidget, name: str) -> None:
    """Gives a widget the name by which lessons highlight it, if it is in HIGHLIGHTS."""
    widget.setObjectName(name)


def find_highlight(window: QWidget, name: str) -> QWidget | None:
    """The widget of that name that is on show; None while there is none."""
    found = [widget for widget in window.findChildren(QWidget, name) if widget.isVisible()]
    return found[0] if found else None
