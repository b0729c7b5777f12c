"""The rooms: which there are, in the order of the rail and of Ctrl+1, Ctrl+2 ..., and how each is made.

A room is a line of ROOMS here, a folder below app/rooms, and its help, assets/help/<key>.md. Palette, tour, keyboard,
help and tests read this list, and from it the views of each room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QWidget

from app.look.language import QT_TRANSLATE_NOOP
from app.rooms.base import ExploreRoom, ViewRoom, ViewSpec
from app.shell.services import Services

if TYPE_CHECKING:
    from app.rooms.train import TrainRoom
    from app.runs.service import RunsService


@dataclass(frozen=True)
class RoomContext:
    """What a room is connected with."""

    services: Services
    open_room: Callable[[str], QWidget]  # by its key
    show_hover_text: Callable[[str], object]  # in the status line


@dataclass(frozen=True)
class RoomSpec:
    """title and hint are English, marked with QT_TRANSLATE_NOOP, and translated where they are shown."""

    key: str
    title: str
    hint: str  # what it shows, in a sentence
    make: Callable[[RoomContext], QWidget]  # when it is opened for the first time
    load_views: Callable[[], Sequence[ViewSpec]] = tuple  # imports the room: not before somebody asks for it

    @property
    def view_keys(self) -> list[str]:
        """Of the views that the room shows one at a time; one empty key for a room that shows all it has."""
        return [view.key for view in self.load_views()] or [""]

    @property
    def shown_title(self) -> str:
        return QCoreApplication.translate("RoomSpec", self.title)

    @property
    def shown_hint(self) -> str:
        return QCoreApplication.translate("RoomSpec", self.hint)


def open_view(room: QWidget, key: str) -> None:
    """Shows a view of a room, by the key of its spec; "" for a room that shows all it has."""
    if not key:
        return
    if isinstance(room, ViewRoom) or hasattr(room, "open_view"):
        room.open_view(key)


def _make_embed(context: RoomContext) -> QWidget:
    from app.rooms.embed.room import EmbedRoom

    services = context.services
    return _connect(EmbedRoom(services.state, lambda: services.settings.recent_models), context)


def _make_attend(context: RoomContext) -> QWidget:
    from app.rooms.attend.room import AttendRoom

    return _connect(AttendRoom(context.services.state), context)


def _make_predict(context: RoomContext) -> QWidget:
    from app.rooms.predict.room import PredictRoom

    return _connect(PredictRoom(context.services.state), context)


def _make_layers(context: RoomContext) -> QWidget:
    from app.rooms.layers.room import LayersRoom

    return _connect(LayersRoom(context.services.state), context)


def _make_train(context: RoomContext) -> QWidget:
    from app.rooms.train import TrainRoom

    room, services = TrainRoom(), context.services
    opener, runs, link = services.open_model, services.runs, _TrainLink(room, context)
    connect_train_room(room, runs)
    room.open_requested.connect(opener.open)
    room.apply_requested.connect(link.apply)
    room.question_requested.connect(services.inference.ask)
    room.question_cancelled.connect(services.inference.cancel)
    opener.requested.connect(room.show_asked_model)
    opener.opened.connect(link.show_open_model)
    opener.failed.connect(link.show_open_model)
    runs.set_following(True)
    runs.select(runs.selected)
    link.show_open_model()
    return room


def connect_train_room(room: TrainRoom, runs: RunsService) -> None:
    """Ties the room Train to the runs, both ways."""
    runs.runs_changed.connect(room.show_runs)
    runs.run_selected.connect(room.show_run)
    runs.status_changed.connect(room.show_status)
    runs.metrics_restarted.connect(room.restart_metrics)
    runs.metrics_appended.connect(room.append_metrics)
    runs.snapshots_changed.connect(room.show_snapshots)
    runs.result_changed.connect(room.show_result)
    runs.problem_found.connect(room.show_problem)
    room.start_requested.connect(runs.start)
    room.control_requested.connect(runs.control)
    room.run_selected.connect(runs.select)
    room.visibility_changed.connect(runs.set_following)
    room.show_runs(runs.runs)


class _TrainLink(QObject):
    """Between the room Train and the model that is open; ends with the room."""

    def __init__(self, room: TrainRoom, context: RoomContext) -> None:
        super().__init__(room)
        self._room, self._context = room, context

    def show_open_model(self) -> None:
        opener = self._context.services.open_model
        if not opener.is_opening:  # the handle stands at the one on its way already
            self._room.show_open_model(opener.model.folder if opener.model else None)

    def apply(self, snapshot: Path) -> None:
        self._context.services.open_model.open(snapshot)
        self._context.open_room("apply")


def _make_apply(context: RoomContext) -> QWidget:
    from app.rooms.apply.room import ApplyRoom

    state = context.services.state
    room = ApplyRoom(state)

    def train() -> None:
        """The form for a task, beginning with the open model."""
        from app.rooms.train import TrainRoom

        train_room = context.open_room("train")
        assert isinstance(train_room, TrainRoom)
        train_room.show_task_form(state.model.folder if state.model else None)

    room.train_requested.connect(train)
    state.applied_texts_changed.connect(room.show_kept_text)
    return _connect(room, context)


def _connect(room: ExploreRoom, context: RoomContext) -> QWidget:
    inference, questions = context.services.inference, context.services.broadcast_questions
    room.hover_text_changed.connect(context.show_hover_text)
    room.question_requested.connect(inference.ask)
    room.question_cancelled.connect(inference.cancel)
    room.asked.connect(questions.ask)
    room.unasked.connect(questions.cancel)
    questions.answer_ready.connect(room.show_answer)
    questions.progress_made.connect(room.show_progress)
    return room


def _views_of_embed() -> Sequence[ViewSpec]:
    from app.rooms.embed.room import EmbedRoom

    return EmbedRoom.specs


def _views_of_attend() -> Sequence[ViewSpec]:
    from app.rooms.attend.room import AttendRoom

    return AttendRoom.specs


def _views_of_predict() -> Sequence[ViewSpec]:
    from app.rooms.predict.room import PredictRoom

    return PredictRoom.specs


def _views_of_layers() -> Sequence[ViewSpec]:
    from app.rooms.layers.room import LayersRoom

    return LayersRoom.specs


ROOMS = (
    RoomSpec(
        "embed",
        QT_TRANSLATE_NOOP("RoomSpec", "Embed"),
        QT_TRANSLATE_NOOP("RoomSpec", "How the input vector of each token is put together"),
        _make_embed,
        _views_of_embed,
    ),
    RoomSpec(
        "attend",
        QT_TRANSLATE_NOOP("RoomSpec", "Attend"),
        QT_TRANSLATE_NOOP("RoomSpec", "What each attention head looks at"),
        _make_attend,
        _views_of_attend,
    ),
    RoomSpec(
        "predict",
        QT_TRANSLATE_NOOP("RoomSpec", "Predict"),
        QT_TRANSLATE_NOOP("RoomSpec", "Which words the model puts behind a mask, and whether B follows A"),
        _make_predict,
        _views_of_predict,
    ),
    RoomSpec(
        "layers",
        QT_TRANSLATE_NOOP("RoomSpec", "Layers"),
        QT_TRANSLATE_NOOP("RoomSpec", "How each token changes from layer to layer"),
        _make_layers,
        _views_of_layers,
    ),
    RoomSpec(
        "train",
        QT_TRANSLATE_NOOP("RoomSpec", "Train"),
        QT_TRANSLATE_NOOP("RoomSpec", "Train a small model here and watch it learn"),
        _make_train,
    ),
    RoomSpec(
        "apply",
        QT_TRANSLATE_NOOP("RoomSpec", "Apply"),
        QT_TRANSLATE_NOOP("RoomSpec", "Try a fine-tuned model on your own text"),
        _make_apply,
    ),
)
