"""A notification of the desktop when a run ends or fails while the window is in the background."""

from pathlib import Path

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from bertcore.runs.known_runs import is_run
from bertcore.runs.run_folder import NO_WORD, RunFolder

from ..look import numbers, say, theme
from ..look.icons import paint_icon
from ..runs.run_info import RunInfo
from ..runs.service import RunsService

LOOK_MS = 2000  # at the runs that are at work, whichever room is open
ICON_PX = 64


class RunNotifications(QObject):
    """Follows the runs at work. A run that was stopped by a person is no news."""

    clicked = Signal(object)  # Path of the run that the notification was about

    def __init__(self, runs: RunsService, parent: QObject) -> None:
        super().__init__(parent)
        self._at_work: dict[Path, str] = {}  # path -> name
        self._ended: Path | None = None  # what the last notification was about
        self._tray: QSystemTrayIcon | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        runs.runs_changed.connect(self._on_runs_changed)

    def look(self) -> None:
        """Whether any run has ended."""
        for path, name in list(self._at_work.items()):
            status = RunFolder(path).status()
            if status.active or not path.exists():
                continue
            del self._at_work[path]
            failed = status.state == "failed" or status.message == NO_WORD
            is_watched = QApplication.applicationState() == Qt.ApplicationState.ApplicationActive
            if (status.state == "done" or failed) and not is_watched:
                self._ended = path
                title = say("{name} has failed" if failed else "{name} is done", name=name)
                if failed:
                    sentence = status.message or say("It ended without saying why.")
                else:
                    sentence = say("Training has finished after {time}.", time=numbers.duration(status.elapsed_s))
                self.show(title, sentence, failed)
        if not self._at_work:
            self._timer.stop()

    def _on_runs_changed(self, runs: list[RunInfo]) -> None:
        for run in runs:
            if run.status.active and is_run(run.path):  # one that is starting may have no folder yet
                self._at_work[run.path] = run.name
        if any(run.path in self._at_work and not run.status.active for run in runs):
            self.look()
        if self._at_work and not self._timer.isActive():
            self._timer.start()

    def show(self, title: str, sentence: str, failed: bool) -> None:
        """Nothing where the desktop has no place for it."""
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return
        if self._tray is None:
            picture = QPixmap(ICON_PX, ICON_PX)
            picture.fill(Qt.GlobalColor.transparent)
            with QPainter(picture) as painter:
                paint_icon(painter, "train", QRectF(0, 0, ICON_PX, ICON_PX), theme.color("accent"))
            self._tray = QSystemTrayIcon(QIcon(picture), self)
            self._tray.messageClicked.connect(self._on_message_clicked)
            self._tray.activated.connect(self._on_message_clicked)
        self._tray.show()
        kinds = QSystemTrayIcon.MessageIcon
        self._tray.showMessage(title, sentence, kinds.Warning if failed else kinds.Information)

    def _on_message_clicked(self) -> None:
        """The window comes to the front; whoever listens shows that run."""
        if self._tray is not None:
            self._tray.hide()
        for window in QApplication.topLevelWidgets():
            if window.isVisible() and window.isWindow() and window.windowType() == Qt.WindowType.Window:
                window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
                window.raise_()
                window.activateWindow()
        if self._ended is not None:
            self.clicked.emit(self._ended)
