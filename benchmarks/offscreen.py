"""The window as the benchmarks need it: offscreen, light, with the fonts that ship."""

import os
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from app.look import theme
from app.look.fonts import register_fonts


def offscreen_app() -> QApplication:
    """The one there is, or a new one."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    register_fonts()
    theme.apply(app, "light")
    return app


def wait(condition: Callable[[], bool], timeout_s: float = 300.0) -> None:
    ends = time.monotonic() + timeout_s
    while not condition():
        flags = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        QApplication.processEvents(flags)
        if time.monotonic() > ends:
            raise TimeoutError("what was waited for did not come")
