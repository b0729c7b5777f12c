"""The one way into the program and the one way out, for the window and for everything that opens one."""

import os
import sys
from typing import NoReturn

from PySide6.QtWidgets import QApplication

from ..compute.preload import preload_torch
from ..look import language, theme
from .services import Services

CLOSE_S = 5.0  # what the worker gets to come to the end of what it is at, once the window is gone


def build(
    theme_name: str | None = None, spoken: str | None = None, *, projector: bool | None = None, remembers: bool = True
) -> Services:
    """Qt and the services, for one window. What is not given is as the person has set it.

    remembers: False leaves the person's settings as they are.
    """
    app = QApplication([sys.argv[0]])
    app.setApplicationName("BERTscope")
    app.setStyle("Fusion")
    preload_torch()  # after Qt's own libraries: the system loads one at a time
    theme.register_fonts()
    services = Services(app, remembers)
    settings = services.settings
    settings.language = spoken or settings.language
    settings.theme = theme_name or settings.theme
    settings.projector = settings.projector if projector is None else projector
    language.install(app, language.chosen(settings.language))
    scale = theme.PROJECTOR_SCALE if settings.projector else 1.0
    theme.apply(app, theme.resolved(settings.theme), scale)
    return services


def leave(services: Services, code: int) -> NoReturn:
    """Ends the process at once. Its window is gone, and it shall not be brought down by what comes after.

    Python would go on to destroy widgets, what was copied to the clipboard and torch's threads in no particular order,
    under threads that still run: one that waits for a network, or a computation that has not ended. Then nothing is
    destroyed.
    """
    app = services.owner
    if services.close(CLOSE_S) and isinstance(app, QApplication):
        app.shutdown()  # hands what was copied over to the desktop, and destroys the widgets while Python is whole
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
