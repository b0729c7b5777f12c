"""What the tests of the room Predict share."""

from PySide6.QtWidgets import QLabel

from app.widgets.figure_button import figure_buttons
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import answered

MASKS = (2, 6, 9)


def predict(window, masks=MASKS):
    """The room, open and drawn, with these words masked."""
    room = window.open_room("predict")
    window.state.set_masks(masks)
    answered(window)
    return room


def page(key, window, masks=MASKS):
    """One of its views, open and with all it asks for. masks: None leaves those that there are."""
    room = window.frame.room if masks is None else predict(window, masks)
    opened = room.open_view(key)
    answered(window)
    return opened


def texts(widget):
    """All that a part of the room says now."""
    labels = (one for one in widget.findChildren(QLabel) if one.isVisibleTo(widget))
    return " ".join(one.text() for one in labels if one.text())


def nothing(view):
    """The sentence in place of the pictures; empty where there are some."""
    return view.nothing_text.text() if view.shows_nothing else ""


def figure_of(widget, number=0):
    """What the save button of a card or view gives; number: which of its buttons."""
    return figure_buttons(widget)[number].figure()


def asked(window):
    """The open model read anew, and what it reads: for the functions whose results are shown."""
    reading = window.state.reading
    request = reading.request
    return load_checkpoint(request.model.folder), request.model_input, reading
