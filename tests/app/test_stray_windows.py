"""A widget that is shown before it has a parent is a window of its own for a moment: it flashes over the real one."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.shell.rooms import ROOMS, RoomSpec, open_view
from app.shell.window import Window
from tests.app.conftest import settle


class _Shown(QObject):
    """Notes every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(f"{type(watched).__name__} {watched.accessibleName()}".strip())
        return False


@pytest.fixture
def shown(window: Window, qapp: QApplication) -> Iterator[_Shown]:
    """From here on: the window itself is there already."""
    made = _Shown()
    qapp.installEventFilter(made)
    yield made
    qapp.removeEventFilter(made)


def test_it_notes_a_widget_without_a_parent(shown: _Shown, qtbot: QtBot) -> None:
    stray = QWidget()
    qtbot.addWidget(stray)
    stray.setVisible(True)
    assert shown.windows == ["QWidget"]


@pytest.mark.parametrize("projector", [False, True], ids=["normal", "projector"])
@pytest.mark.parametrize("spec", ROOMS, ids=lambda spec: spec.key)
def test_a_room_opens_inside_the_window(spec: RoomSpec, projector: bool, window: Window, shown: _Shown) -> None:
    if projector:
        window.appearance.set_look(projector=True)
    window.state.set_masks([2])
    for view in spec.view_keys:
        open_view(window.open_room(spec.key), view)
        settle(window)
    assert shown.windows == []
    window.open_room("train" if spec.key != "train" else "map")
    settle(window)
    window.appearance.set_look("dark")  # what a room wrote in colours, it writes again when it has been left, too
