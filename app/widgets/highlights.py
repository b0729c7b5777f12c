"""Names of widgets that a lesson can highlight. Each is the object name of a widget; docs/lessons.md lists them.

A name with a point belongs to the room before it. `<room>.view` and `<room>.tabs` are given by `rooms.room.Room`.
"""

from PySide6.QtWidgets import QWidget

HIGHLIGHTS = {
    "sentences": "the two lines in which the text is typed",
    "tokens": "the tokens of the text, below the sentences",
    "prediction": "the line with the best predictions, below the tokens",
    "status": "what the line at the bottom says of the text",
    "rail": "the list of rooms at the left",
    "model": "the button with the open model's name",
    "step": "the button with the training step of a snapshot",
    "map.view": "the open view of Map",
    "embed.tabs": "the tabs of Embed",
    "embed.view": "the open view of Embed",
    "attend.heads": "all heads, as small pictures",
    "attend.large": "the chosen head, large",
    "attend.side": "what the selected token looks at",
    "predict.tabs": "the tabs of Predict",
    "predict.view": "the open view of Predict",
    "predict.sentence": "what Layer by layer says in words",
    "layers.tabs": "the tabs of Layers",
    "layers.view": "the open view of Layers",
    "layers.slider": "the choice of a layer, in Layers",
    "film.view": "the film strip",
    "apply.view": "the answer of a fine-tuned model",
    "evidence.tabs": "the tabs of Evidence",
    "evidence.view": "the open view of Evidence",
}


def name_highlight(widget: QWidget, name: str) -> None:
    """Gives a widget the name by which lessons highlight it, if it is in HIGHLIGHTS."""
    widget.setObjectName(name)


def find_highlight(window: QWidget, name: str) -> QWidget | None:
    """The widget of that name that is on show; None while there is none."""
    found = [widget for widget in window.findChildren(QWidget, name) if widget.isVisible()]
    return found[0] if found else None
