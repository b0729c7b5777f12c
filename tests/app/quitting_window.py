"""BERTscope that makes itself busy in one way and is quit by a person: `... HOW [ARGUMENTS]`."""

import faulthandler
import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import app.shell.window
from app import __main__
from app.shell.rooms import open_view

LONG = "The cat sat on the mat, for it was warm. " * 30


class BusyWindow(app.shell.window.Window):
    """Waits for the first picture, gets busy, and is gone a moment later."""

    how: str

    def __init__(self, *arguments):
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start(20)

    def _on_timeout(self):
        if self.state.reading is None:
            return
        self._timer.stop()
        quits = QApplication.quit if self.how == "dialog" else self.close
        QTimer.singleShot(60, self, quits)
        getattr(self, f"_begin_{self.how}")()
        print("busy", flush=True)

    def _begin_computing(self):
        """Many passes on the worker, one for each token, and a thread that outlasts the window."""
        self.state.set_text(LONG, "")
        open_view(self.open_room("predict"), "surprise")
        self.services.inference.post_outside(time.sleep, 60, deliver=lambda *_: None)

    def _begin_dialog(self):
        """The session of the desktop ends while it is open: a person could not get past it."""
        self.commands["compare.text"].trigger()
        assert QApplication.activeModalWidget() is not None


if __name__ == "__main__":
    faulthandler.enable()
    BusyWindow.how = sys.argv[1]
    app.shell.window.Window = BusyWindow  # type: ignore[assignment, misc]
    sys.exit(__main__.main(sys.argv[2:]))
