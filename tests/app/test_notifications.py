"""The desktop hears of runs that end while nobody looks, and of nothing else; a click shows the run."""

import shutil
from pathlib import Path
from typing import ClassVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.runs.service import RunsService
from app.shell import notifications
from app.shell.notifications import RunNotifications
from app.shell.window import Window
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions

pytestmark = pytest.mark.usefixtures("no_built_in_runs")


@pytest.fixture
def service(own_home: Path) -> RunsService:
    return RunsService()


def _run(home: Path, name: str) -> RunFolder:
    return RunFolder.create(home / "runs" / name, PretrainOptions(name=name, preset="tiny").to_dict())


class _Tray(QSystemTrayIcon):
    shown: ClassVar[list[tuple[str, str, bool]]] = []
    there = True

    @staticmethod
    def isSystemTrayAvailable() -> bool:
        return _Tray.there

    @staticmethod
    def supportsMessages() -> bool:
        return True

    def show(self) -> None:
        assert not self.icon().isNull()

    def showMessage(self, title: str, message: str, kind: QSystemTrayIcon.MessageIcon) -> None:
        _Tray.shown.append((title, message, kind == QSystemTrayIcon.MessageIcon.Warning))


@pytest.fixture
def tray(monkeypatch: pytest.MonkeyPatch) -> type[_Tray]:
    """Nobody looks at the window."""
    monkeypatch.setattr(notifications, "QSystemTrayIcon", _Tray)
    monkeypatch.setattr(_Tray, "there", True)
    monkeypatch.setattr(_Tray, "shown", [])
    monkeypatch.setattr(QApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationInactive)
    return _Tray


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("state", "message", "expected"),
    [
        ("done", None, ("stories is done", "Training has finished after 2\N{THIN SPACE}min.", False)),
        ("failed", "The disk is full.", ("stories has failed", "The disk is full.", True)),
        ("stopped", None, None),  # by a person
    ],
)
def test_a_run_that_ends_in_the_background(
    service: RunsService,
    own_home: Path,
    tray: type[_Tray],
    monkeypatch: pytest.MonkeyPatch,
    state: str,
    message: str | None,
    expected: tuple | None,
    there: bool,
) -> None:
    _run(own_home, "old").write_status(state="done")
    monkeypatch.setattr(tray, "there", there)
    watcher = RunNotifications(service, service)
    run, seen = _run(own_home, "stories"), _run(own_home, "seen")
    service.refresh()
    watcher.look()
    assert tray.shown == [], "two are at work, and what ended before is no news"
    run.write_status(state=state, message=message, elapsed_s=120.0)
    watcher.look()
    watcher.look()
    assert tray.shown == ([expected] if expected and there else []), "once, where the desktop has a place for it"
    monkeypatch.setattr(QApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationActive)
    seen.write_status(state="failed", message="The disk is full.")
    watcher.look()
    assert len(tray.shown) == bool(expected and there), "who looks at the window sees it there"


def test_a_click_shows_the_run_in_train(window: Window, own_home: Path, tray: type[_Tray]) -> None:
    """From another room, and with the form for a new run open."""
    ended, newest = _run(own_home, "ended"), _run(own_home, "newest")
    room = window.open_room("train")
    services = window.services
    services.runs.select(newest.path)
    services.runs.refresh()
    room.runs_card.show_form()
    window.open_room("attend")
    window.showMinimized()
    ended.write_status(state="done", elapsed_s=60.0)
    services.run_notifications.look()
    (icon,) = services.run_notifications.findChildren(tray)
    icon.messageClicked.emit()
    assert window.room_key == "train" and window.frame.room is room and not window.isMinimized()
    assert services.runs.selected == ended.path and room.view.isVisible() and not room.runs_card.form.isVisible()
    assert room.view.title.startswith("ended")
    services.runs.select(newest.path)
    window.open_room("attend")
    shutil.rmtree(ended.path)
    icon.messageClicked.emit()
    assert window.room_key == "train" and services.runs.selected == newest.path, "the run has been deleted"
