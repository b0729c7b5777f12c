"""What the command list of the window offers, and opening it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from app.shell.commands import shortened
from app.widgets.palette import Entry, Palette

if TYPE_CHECKING:
    from app.shell.window import Window

MENUS = ("Room", "Text", "View", "Edit", "File", "Model")  # what is wanted most comes first
HEAD = re.compile(r"\s*(\d+)\s*[.·, ]\s*(\d+)\s*")


def open_palette(window: Window) -> Palette:
    return Palette(window, entries(window), partial(heads, window))


def entries(window: Window) -> list[Entry]:
    """All commands that would do something now, then examples, then models that were open lately."""
    from PySide6.QtGui import QKeySequence

    from app.state.examples import load_examples

    native = QKeySequence.SequenceFormat.NativeText
    commands = sorted(window.actions_.commands.values(), key=lambda command: MENUS.index(command.menu))
    found = [
        Entry(action.text(), command.menu, action.trigger, action.shortcut().toString(native), command.also)
        for command in commands
        if (action := window.actions_.actions[command.id]).isEnabled() and command.id != "view.palette"
    ]
    found += [Entry(example.title, "Example", partial(window.use_example, example)) for example in load_examples()]
    recent = window.services.settings.recent_models
    return found + [Entry(shortened(name), "Model", partial(window.open_model, name)) for name in recent]


def heads(window: Window, typed: str) -> list[Entry]:
    """`3.4` goes to layer 3, head 4, where the open model has them."""
    model, asked = window.state.model, HEAD.fullmatch(typed)
    if model is None or asked is None:
        return []
    layer, head = int(asked[1]), int(asked[2])
    if not (1 <= layer <= model.layers and 1 <= head <= model.heads):
        return []

    def go() -> None:
        window.state.set_head(layer - 1, head - 1)
        window.open_room("attend")

    return [Entry(f"Layer {layer}, head {head}", "Head", go)]
