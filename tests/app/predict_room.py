"""What the tests of the room Predict share."""

from typing import TypeVar

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.figures.figure import Figure
from app.rooms.predict.room import PredictRoom
from app.rooms.predict.view import PredictView
from app.shell.window import Window
from app.state.readings import ModelInput, Reading
from app.widgets.figure_button import figure_buttons
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from tests.app.conftest import TIMEOUT_MS, settle

MASKS = (2, 6, 9)
AnyPage = TypeVar("AnyPage", bound=PredictView)


def predict(window: Window, qtbot: QtBot, masks: tuple[int, ...] = MASKS) -> PredictRoom:
    """The room, open and drawn, with these words masked."""
    room = window.open_room("predict")
    assert isinstance(room, PredictRoom)
    window.state.set_masks(masks)
    answered(window, qtbot)
    return room


def page(kind: type[AnyPage], window: Window, qtbot: QtBot, masks: tuple[int, ...] | None = MASKS) -> AnyPage:
    """One of its views, open and with all it asks for. masks: None leaves those that there are."""
    room = window.frame.room if masks is None else predict(window, qtbot, masks)
    assert isinstance(room, PredictRoom)
    opened = room.open_view(kind.__name__.removesuffix("View").lower())
    assert isinstance(opened, kind)
    answered(window, qtbot)
    return opened


def answered(window: Window, qtbot: QtBot) -> None:
    """Nothing that was asked for is still under way."""
    settle(window, qtbot)

    def is_done() -> bool:
        room = window.frame.room
        waiting = isinstance(room, PredictRoom) and any(question.is_running for question in room.view.questions)
        return not waiting and not window.services.inference.is_busy

    qtbot.waitUntil(is_done, timeout=TIMEOUT_MS)


def texts(widget: QWidget) -> str:
    """All that a part of the room says now."""
    labels = (one for one in widget.findChildren(QLabel) if one.isVisibleTo(widget))
    return " ".join(one.text() for one in labels if one.text())


def nothing(view: PredictView) -> str:
    """The sentence in place of the pictures; empty where there are some."""
    return view.nothing_text.text() if view.shows_nothing else ""


def figure_of(widget: QWidget, number: int = 0) -> Figure | None:
    """What the save button of a card or view gives; number: which of its buttons."""
    return figure_buttons(widget)[number].figure()


def reading_of(window: Window) -> Reading:
    assert window.state.reading is not None
    return window.state.reading


def asked(window: Window) -> tuple[Checkpoint, ModelInput, Reading]:
    """The open model read anew, and what it reads: for the functions whose results are shown."""
    reading = reading_of(window)
    request = reading.request
    return load_checkpoint(request.model.folder), request.model_input, reading
