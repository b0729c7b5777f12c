"""The one way out of the program, of the window and of everything that opens one: tour, random use, benchmarks."""

import os
import sys
from typing import NoReturn

from PySide6.QtWidgets import QApplication


def leave(app: QApplication | None, code: int) -> NoReturn:
    """Ends the process at once. Its window is gone, and it shall not be brought down by what comes after.

    Python would go on to destroy widgets, what was copied to the clipboard and torch's threads in no particular order,
    under threads that still run: one that waits for a network, or a computation that has not ended. Then `app` is None
    and nothing is destroyed.
    """
    if app is not None:
        app.shutdown()  # hands what was copied over to the desktop, and destroys the widgets while Python is whole
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
