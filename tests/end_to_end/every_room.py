"""A program for an installed BERTscope: opens every view of every room offscreen, and writes a picture of each.

Run by its text, with the folder for the pictures as its argument: the packages there have another name.
"""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from bertscope.shell.program import build, leave
from bertscope.shell.rooms import ROOMS
from bertscope.shell.window import Window
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

folder = Path(sys.argv[1])
folder.mkdir()
services = build("light", remembers=False)
window = Window(services)
left = [(room.key, view) for room in ROOMS for view in room.view_keys]


def go_on():
    """Draws what is on show once all is answered, then opens the next view."""
    if not window.is_settled():
        return
    if window.frame.room is not None and opened:
        window.grab().save(str(folder / f"{'-'.join(filter(None, opened.pop()))}.png"))
    if left:
        opened.append(left.pop(0))
        window.open_view(*opened[-1])
    else:
        QApplication.exit(0)


opened = []
timer = QTimer(interval=10)
timer.timeout.connect(go_on)
timer.start()
for failed in (services.open_model.failed, services.reader.failed, services.inference.failed, services.errors.reported):
    failed.connect(lambda sentence: (print(sentence, file=sys.stderr), QApplication.exit(1)))
window.show()
leave(services, QApplication.exec())
