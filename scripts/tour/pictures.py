"""Goes to a room of the real window, waits until it shows what it should, and keeps a picture of it."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from app.rooms.room import Room
from app.rooms.train.room import TrainRoom
from app.shell.rooms import open_view
from app.shell.window import Window
from app.widgets.curve_plot import CurvePlot

POLL_MS = 2
SAY_MS = 60_000  # what is waited for is said this often: a busy machine may be slow, a person wants to know
LAYOUTS = 6


class TourError(Exception):
    """A room did not come to show what it should; the message says which and why."""


class RoomPictures:
    """It waits for results, never for time to pass, and as long as it takes; an error ends the waiting."""

    def __init__(self, window: Window, folder: Path, size: tuple[int, int]) -> None:
        self._window, self._folder = window, folder
        self.files: list[str] = []  # that were written
        window.resize(*size)
        self._problem = ""
        window.services.open_model.failed.connect(self._on_problem)
        window.services.reader.failed.connect(self._on_problem)
        window.services.inference.failed.connect(self._on_problem)
        window.services.errors.reported.connect(self._on_problem)

    def _look(self, theme_name: str) -> None:
        self._window.appearance.set_look(theme_name)

    def _picture(self, name: str, theme_name: str) -> dict[str, object]:
        """Of the window as it is, once everything has been answered and laid out."""
        room = self._window.frame.room
        assert room is not None
        self._wait(f"the room of {name}", lambda: _is_drawn(room))
        self._wait(f"the answers for {name}", lambda: not (_is_about_to_ask(room) or self._is_busy()))
        for _ in range(LAYOUTS):
            QApplication.processEvents()
        file = f"{name}-{theme_name}.png"
        self._save(self._window.grab().toImage(), file)
        return {"name": name, "theme": theme_name, "file": file}

    def _save(self, picture: QImage, file: str) -> None:
        if not picture.save(str(self._folder / file)):
            raise TourError(f"the picture {self._folder / file} could not be written")
        self.files.append(file)

    def _prepare(self, room_key: str) -> None:
        """What a person would do there: a mask in Map, two in Predict, none elsewhere; one word looked at closely."""
        state = self._window.state
        words = self._words("a")
        predicts = state.model is not None and "mlm" in state.model.output_heads
        middle = words[len(words) // 2 :][:1]
        masks = {"map": middle, "film": middle, "predict": [*words[1:2], *self._words("b")[-1:]]}
        state.set_masks(masks.get(room_key, ()) if predicts else ())
        self._window.frame.strip.field.setFocus()
        state.set_focus(words[min(1, len(words) - 1)] if words else None)
        self._wait(f"the reading for {room_key}", self._is_read)

    def _words(self, part: str) -> list[int]:
        """Positions of the words of A or B, by their first pieces, without punctuation."""
        encoding = self._window.state.encoding
        if encoding is None:
            return []
        words, labels = encoding.words, encoding.labels
        begins = [i for i, its_part in enumerate(encoding.parts) if its_part == part and words[i] not in words[:i]]
        return [i for i in begins if labels[i].removeprefix("·").isalpha()]

    def _visit(self, room_key: str, theme_name: str, view: str = "", file_as: str = "") -> dict[str, object]:
        """file_as: in place of the view, in the name of the picture."""
        started = time.perf_counter()
        room = self._window.open_room(room_key)
        open_view(room, view)
        self._wait(f"the room {room_key}", lambda: _is_drawn(room))
        self._window.repaint()
        ms = (time.perf_counter() - started) * 1000
        self._wait(f"the answers for {room_key}", lambda: not (_is_about_to_ask(room) or self._is_busy()))
        for _ in range(LAYOUTS):  # what the answers changed is laid out: each layout tells the one around it
            QApplication.processEvents()
        file = "-".join(part for part in (room_key, file_as or view, theme_name) if part) + ".png"
        self._save(self._window.grab().toImage(), file)
        return {"room": room_key, "view": view, "theme": theme_name, "file": file, "ms": round(ms, 1)}

    def _is_busy(self) -> bool:
        return self._window.services.inference.is_busy

    def _is_read(self) -> bool:
        """True when the reading on show is the one of the text and masks as they are now."""
        state, reading = self._window.state, self._window.state.reading
        return reading is not None and list(reading.request.input_ids) == state.input_ids

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        """Until the condition holds. It may raise TourError where it never will."""
        loop, timer, say = QEventLoop(), QTimer(interval=POLL_MS), QTimer(interval=SAY_MS)
        never: list[TourError] = []

        def look() -> None:
            try:
                if condition() or self._problem:
                    loop.quit()
            except TourError as error:
                never.append(error)
                loop.quit()

        timer.timeout.connect(look)
        say.timeout.connect(lambda: print(f"The tour is waiting for {what}.", file=sys.stderr, flush=True))
        timer.start()
        say.start()
        loop.exec()
        timer.stop()
        say.stop()
        if never or self._problem:
            raise TourError(f"{what} did not come: {never[0] if never else self._problem}")

    def _on_problem(self, sentence: str) -> None:
        self._problem = sentence


def _is_about_to_ask(room: QWidget) -> bool:
    """True in the pause after a change, when the model will be asked something."""
    return any(timer.isActive() and timer.isSingleShot() for timer in room.findChildren(QTimer))


def _is_drawn(room: QWidget) -> bool:
    """True when a room shows what it has; Train has its curves' canvas loaded in the background."""
    if isinstance(room, TrainRoom):
        return all(plot.is_loaded for plot in room.findChildren(CurvePlot))
    return not isinstance(room, Room) or room.is_drawn
