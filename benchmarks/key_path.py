"""What a key press goes through on its way to the picture of a head: `python -m benchmarks.key_path`.

Counts functions of `app`, and the files they are in: those on the call stack where the worker is asked, where the model
is run and where the picture is given its numbers; and all that are called in between. `-v` names the former.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import app
from app.compute.worker import Worker
from benchmarks.offscreen import open_window, wait
from bertcore.locations import BUILT_IN

FOLDER = str(app.__path__[0])
ENDS = ("post", "trace", "show_reading")  # of the worker, of bertcore, of a view
Named = tuple[str, str]  # file, function


def main() -> None:
    called, path = set[Named](), list[Named]()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(FOLDER) and not code.co_name.startswith("<"):
            called.add((code.co_filename[len(FOLDER) + 1 :], code.co_qualname))
        if code.co_name in ENDS and (
            "worker" in code.co_filename or "trace.py" in code.co_filename or "view" in code.co_filename
        ):
            path.extend(stack(frame))

    run: Callable[..., Any] = Worker._run

    def run_watched(self: Worker[Any], *arguments: Any) -> None:
        sys.setprofile(look)
        run(self, *arguments)
        sys.setprofile(None)

    with open_window(BUILT_IN) as window:
        window.open_view("attend", "matrix")
        wait(window.is_settled)
        Worker._run = run_watched  # type: ignore[method-assign, assignment]
        sys.setprofile(look)
        QTest.keyClick(window.frame.sentences.a, Qt.Key.Key_X)
        wait(window.is_settled)
        sys.setprofile(None)
    on_path = list(dict.fromkeys(path))
    if "-v" in sys.argv:
        print("\n".join(f"{file:40} {name}" for file, name in on_path))
    for what, found in (("on the path", set(on_path)), ("called in all", called)):
        print(f"{what}: {len(found)} functions in {len({file for file, _ in found})} files")


def stack(frame: FrameType | None) -> list[Named]:
    """From the outermost to this one, functions of `app` alone."""
    found: list[Named] = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(FOLDER) and not code.co_name.startswith("<"):
            found.append((code.co_filename[len(FOLDER) + 1 :], code.co_qualname))
        frame = frame.f_back
    return found[::-1]


if __name__ == "__main__":
    main()
