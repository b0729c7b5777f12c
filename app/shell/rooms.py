"""The rooms: which there are, in the order of the rail and of Ctrl+1, Ctrl+2 ..., and how each is made.

A room is a line of ROOMS here, a folder below app/rooms, and its help, assets/help/<key>.md. Palette, tour, keyboard,
help and tests read this list, and from it the views of each room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from ..look import mark
from ..look.say import Titled
from ..rooms.apply.room import ApplyRoom
from ..rooms.embed.room import EmbedRoom
from ..rooms.film.room import FilmRoom
from ..rooms.room import Room
from ..rooms.train.room import TrainRoom
from ..rooms.view import ViewSpec
from .services import Services


@dataclass(frozen=True)
class RoomContext:
    """What a room is connected with."""

    services: Services
    open_room: Callable[[str], QWidget]  # by its key
    show_hover_text: Callable[[str], object]  # in the status line
    compare_with: Callable[[Path], object]  # a checkpoint, in the rooms that show the open model


def make_room(room: type[Any], context: RoomContext) -> QWidget:
    """A room that needs the state and nothing else."""
    return connect_room(room(context.services.state), context)


@dataclass(frozen=True)
class RoomSpec(Titled):
    """A room, and how it is made."""

    make: Callable[[type[Any], RoomContext], QWidget] = make_room  # when it is opened for the first time
    above: frozenset[str] = frozenset({"tokens", "prediction", "difference"})  # of the frame, what is shown with it
    belongs_to: str = ""  # the room that the rail marks in its place, for one that only menus and its key open

    def load(self) -> type[Any]:
        """Imports its class, which goes by its key: not before somebody asks for it."""
        module = import_module(f"..rooms.{self.key}.room", __package__)
        return getattr(module, f"{self.key.capitalize()}Room")

    @property
    def views(self) -> Sequence[ViewSpec]:
        """That the room shows one at a time; none for a room whose only view goes by its own name."""
        return [view for view in getattr(self.load(), "specs", ()) if view.title]

    @property
    def view_keys(self) -> list[str]:
        """Of its views; one empty key for a room that has none."""
        return [view.key for view in self.views] or [""]


def open_view(room: Any, key: str) -> None:
    """Shows a view of a room, by the key of its spec; "" for a room that has none."""
    if key:
        room.open_view(key)


def connect_room(room: Room, context: RoomContext) -> QWidget:
    """Leads its questions to the worker, and what is under the mouse to the status line."""
    inference = context.services.inference
    room.model_requested.connect(context.services.open_model.open)
    room.hover_text_changed.connect(context.show_hover_text)
    room.question_requested.connect(inference.ask)
    room.room_requested.connect(lambda key, view: open_view(context.open_room(key), view))
    return room


def _make_embed(made: type[EmbedRoom], context: RoomContext) -> QWidget:
    services, room = context.services, made(context.services.state)
    room.recent_models = lambda: services.settings.recent_models
    return connect_room(room, context)


def _make_film(made: type[FilmRoom], context: RoomContext) -> QWidget:
    machine = context.services.time_machine
    room = made(context.services.state)
    room.steps = lambda: machine.steps
    machine.changed.connect(room.follow_steps)  # a method: a lambda would keep the room as long as the machine lives
    room.follow_steps()
    room.snapshot_requested.connect(machine.open_snapshot)
    return connect_room(room, context)


def _make_train(made: type[TrainRoom], context: RoomContext) -> QWidget:
    services, runs, playback = context.services, context.services.runs, context.services.playback
    room = made(services.open_model, runs)
    room.visibility_changed.connect(runs.set_following)

    def compare(start: Path) -> None:
        """Every room shows both from now on; the one that opens says what training changed."""
        context.compare_with(start)
        open_view(context.open_room("layers"), "weights")

    room.compare_requested.connect(compare)
    room.apply_requested.connect(partial(context.open_room, "apply"))

    def open_with(key: str, text: str, head: tuple[int, int] | None) -> None:
        if text:
            services.state.set_text(text, "")
        if head is not None:
            services.open_model.when_open(lambda _model: services.state.set_head(*head))
        context.open_room(key)

    room.room_requested.connect(open_with)
    services.run_notifications.clicked.connect(room.open_run)
    room.time_machine.play_requested.connect(playback.toggle)
    playback.changed.connect(room.time_machine.show_playing)
    room.time_machine.show_playing(playback.is_playing)
    room.question_requested.connect(services.inference.ask)
    runs.set_following(True)
    runs.select(runs.selected)
    return room


def _make_apply(made: type[ApplyRoom], context: RoomContext) -> QWidget:
    state = context.services.state
    room = made(state)

    def train() -> None:
        """The form for a task, beginning with the open model."""
        train_room: Any = context.open_room("train")
        train_room.runs_card.show_task_form(state.model.folder if state.model else None)

    room.train_requested.connect(train)
    state.applied_texts_changed.connect(room.show_kept_text)
    return connect_room(room, context)


BARE, TOKENS = frozenset({"difference"}), frozenset({"tokens"})
ROOMS = (
    RoomSpec("map", mark("Map", meaning="RoomSpec"), mark("The whole model in one picture"), above=BARE),
    RoomSpec("embed", mark("Embed"), mark("How the input vector of each token is put together"), _make_embed),
    RoomSpec("attend", mark("Attend"), mark("What each attention head looks at")),
    RoomSpec("predict", mark("Predict"), mark("Which words the model predicts for a mask, and whether B follows A")),
    RoomSpec("layers", mark("Layers"), mark("How each token changes from layer to layer")),
    RoomSpec("train", mark("Train"), mark("Train a small model here and watch it learn"), _make_train, TOKENS),
    RoomSpec("apply", mark("Apply"), mark("Try a fine-tuned model on your own text"), _make_apply, TOKENS),
    RoomSpec("evidence", mark("Evidence"), mark("Does it hold over many texts, not only in this one?"), above=TOKENS),
    RoomSpec(
        "game",
        mark("Guessing game"),
        mark("The class guesses a hidden word, then the model: who knows more words?"),
        above=BARE,
        belongs_to="predict",
    ),
    RoomSpec(
        "film",
        mark("Film strip"),
        mark("All snapshots of a run side by side: from noise to patterns"),
        _make_film,
        TOKENS,
        belongs_to="train",
    ),
)


def prediction_rooms() -> list[str]:
    """The keys of those that have the line with the best predictions above them."""
    return [room.key for room in ROOMS if "prediction" in room.above]


def room_views() -> dict[str, list[str]]:
    """The keys of all rooms, with those of their views and panels."""
    return {room.key: [view.key for view in (*room.views, *getattr(room.load(), "panels", ()))] for room in ROOMS}
