"""`bertscope preview layers.hidden`: one view alone, with what a model makes of the first example.

For whoever writes a view: no frame around it, and nothing is remembered. `--picture FILE` needs no display.
"""

import argparse
import os
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ..state.examples import load_examples
from .program import build, leave
from .rooms import ROOMS, RoomContext, open_view

SIZE = 1120, 700
POLL_MS = 20


def main(arguments: list[str]) -> NoReturn:
    options = _parse(arguments)
    if options.picture is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    services, example = build(options.theme, remembers=False), load_examples()[0]
    services.state.set_text(example.a, example.b or "")
    services.state.set_mask_places(example.mask)
    spec = next(room for room in ROOMS if room.key == options.room)
    room = spec.make(spec.load(), RoomContext(services, lambda _key: room, lambda _text: None, lambda _folder: None))
    open_view(room, options.view)
    room.resize(*SIZE)
    room.show()

    def draw() -> None:
        """Into the file, once nothing is computed any more."""
        if services.state.reading is not None and not services.inference.is_busy:
            room.grab().save(str(options.picture))
            room.close()

    if options.picture is not None:
        look = QTimer(room, interval=POLL_MS)
        look.timeout.connect(draw)
        look.start()
    for problem in (services.open_model.failed, services.reader.failed, services.inference.failed):
        problem.connect(print)
    services.open_model.open(options.model)
    leave(services, QApplication.exec())


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bertscope preview", description="One view alone.")
    parser.add_argument("name", metavar="ROOM.VIEW", help="such as layers.hidden; a room without views by its own name")
    parser.add_argument("model", nargs="?", metavar="MODEL", help="default: the built-in model")
    parser.add_argument("--theme", choices=("light", "dark", "contrast"), help="default: the one used last")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw it into a file instead, without a display")
    options = parser.parse_args(arguments)
    options.room, _, options.view = options.name.partition(".")
    known = [f"{room.key}.{view}".rstrip(".") for room in ROOMS for view in room.view_keys]
    if options.name not in known:
        parser.error(f"there is no view {options.name}; there are {', '.join(known)}")
    return options
