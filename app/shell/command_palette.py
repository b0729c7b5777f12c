"""What the command list of the window offers: commands, views, examples, words, models, heads."""

import re
from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QKeySequence

from bertcore.locations import tuned_models

from ..compute.open_model import OpenModel
from ..look.say import say
from ..state.examples import Example, load_examples
from ..state.explore_state import ExploreState
from ..state.glossary import load_glossary
from ..widgets.command_list import Entry
from .commands import MENUS, Actions, shortened
from .rooms import ROOMS

ORDER = ("room", "text", "view", "edit", "file", "model", "compare", "lesson")  # what is wanted most comes first
HEAD = re.compile(r"\s*(\d+)\s*[.·, ]\s*(\d+)\s*")


def command_entries(actions: Actions) -> list[Entry]:
    """All commands that would do something now."""
    native = QKeySequence.SequenceFormat.NativeText
    commands = sorted(actions.commands.values(), key=lambda command: ORDER.index(command.menu))
    return [
        Entry(action.text(), say(MENUS[command.menu]), action.trigger, action.shortcut().toString(native), command.also)
        for command in commands
        if (action := actions.actions[command.id]).isEnabled() and command.id != "view.palette"
    ]


def view_entries(open_view: Callable[[str, str], object]) -> list[Entry]:
    """Every view of every room, also of rooms that have not been open yet. open_view: room's key, view's key."""
    return [
        Entry(view.shown_title, room.shown_title, partial(open_view, room.key, view.key), also=view.shown_hint)
        for room in ROOMS
        for view in room.views
    ]


def example_entries(use_example: Callable[[Example], object]) -> list[Entry]:
    kind = say("Example")
    return [Entry(example.title, kind, partial(use_example, example)) for example in load_examples()]


def word_entries(show_word: Callable[[str], object]) -> list[Entry]:
    """Every card of the glossary."""
    kind = say("Word")
    return [
        Entry(card.title, kind, partial(show_word, card.key), also=" ".join(card.forms))
        for card in load_glossary().values()
    ]


def model_entries(recent: list[str], open_model: OpenModel) -> list[Entry]:
    """The fine-tuned ones that ship, and those that were open lately."""
    kind = say(MENUS["model"])
    names = (*tuned_models(), *recent)
    return [Entry(shortened(name), kind, partial(open_model.open, name, download=True)) for name in names]


def head_entries(state: ExploreState, open_room: Callable[[str], object], typed: str) -> list[Entry]:
    """`3.4` goes to layer 3, head 4, where the open model has them."""
    model, numbers = state.model, HEAD.fullmatch(typed)
    if model is None or numbers is None:
        return []
    layer, head = int(numbers[1]), int(numbers[2])
    if not (1 <= layer <= model.layers and 1 <= head <= model.heads):
        return []

    def go() -> None:
        state.set_head(layer - 1, head - 1)
        open_room("attend")

    title = say("Layer {layer}, head {head}", layer=layer, head=head)
    return [Entry(title, say("Head"), go)]
