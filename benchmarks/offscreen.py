"""The window as the benchmarks need it: offscreen, light, with the fonts that ship."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject
from PySide6.QtWidgets import QApplication

from app.look import theme
from app.shell.services import Services
from app.shell.window import Window


def offscreen_app() -> QApplication:
    """The one there is, or a new one."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    theme.register_fonts()
    theme.apply(app, "light")
    return app


@contextmanager
def open_window(model: str) -> Iterator[Window]:
    """A window with this model and its first reading, which keeps nothing for the next one."""
    offscreen_app()
    services = Services(QObject(), remembers=False)
    window = Window(services, model)
    window.show()
    try:
        wait(lambda: window.state.reading is not None)
        yield window
    finally:
        window.close()
        services.close()


def wait(condition: Callable[[], bool], timeout_s: float = 300.0) -> None:
    ends = time.monotonic() + timeout_s
    while not condition():
        flags = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        QApplication.processEvents(flags)
        if time.monotonic() > ends:
            raise TimeoutError("what was waited for did not come")
