"""The rooms: which there are, how each is made when it is opened for the first time, and where its questions go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.rooms.base import ExploreRoom
from app.shell.frame import RoomEntry
from app.state.readings import ModelQuestion

if TYPE_CHECKING:
    from app.rooms.train import TrainRoom
    from app.runs.service import RunsService
    from app.shell.window import Window


class Rooms:
    """Makes the rooms of one window and connects them with its services."""

    def __init__(self, window: Window) -> None:
        self._window, self._services = window, window.services

    def entries(self) -> list[RoomEntry]:
        """In the order of the rail and of Ctrl+1, Ctrl+2 ..."""
        return [
            RoomEntry("embed", "Embed", "How the input vector of each token is put together", self._build_embed),
            RoomEntry("attend", "Attend", "What each attention head looks at", self._build_attend),
            RoomEntry(
                "predict", "Predict", "Words behind masks, and what the model says of A and B", self._build_predict
            ),
            RoomEntry(
                "layers", "Layers", "What becomes of each token from layer to layer, and how", self._build_layers
            ),
            RoomEntry("train", "Train", "Train a small model here and watch it learn", self._build_train),
            RoomEntry("apply", "Apply", "What a model that was taught a task says of your text", self._build_apply),
        ]

    def _build_embed(self) -> QWidget:
        from app.rooms.embed.room import EmbedRoom

        return self._explore(EmbedRoom(self._services.state, lambda: self._services.settings.recent_models))

    def _build_attend(self) -> QWidget:
        from app.rooms.attend.room import AttendRoom

        return self._explore(AttendRoom(self._services.state))

    def _build_predict(self) -> QWidget:
        from app.rooms.predict.room import PredictRoom

        return self._explore(PredictRoom(self._services.state))

    def _build_layers(self) -> QWidget:
        from app.rooms.layers.room import LayersRoom

        return self._explore(LayersRoom(self._services.state))

    def _build_train(self) -> QWidget:
        from app.rooms.train import TrainRoom

        room, services = TrainRoom(), self._services
        connect_train_room(room, services.runs)
        room.open_requested.connect(self._window.open_model)
        room.apply_requested.connect(self._on_train_apply_requested)
        room.question_requested.connect(services.inference.ask_question)
        room.question_cancelled.connect(services.inference.cancel_question)
        services.inference.model_loading.connect(room.show_asked_model)
        services.runs.set_following(True)
        services.runs.select(services.runs.selected)
        model = services.state.model
        room.show_open_model(model.folder if model else None)
        return room

    def _build_apply(self) -> QWidget:
        from app.rooms.apply.room import ApplyRoom

        room = ApplyRoom(self._services.state)
        room.train_requested.connect(self._on_apply_train_requested)
        return self._explore(room)

    def _explore(self, room: ExploreRoom) -> ExploreRoom:
        inference = self._services.inference
        room.hover_text_changed.connect(self._window.frame.status.set_hover)
        room.asked.connect(self._on_room_asked)
        room.unasked.connect(inference.cancel)
        room.question_requested.connect(inference.ask_question)
        room.question_cancelled.connect(inference.cancel_question)
        inference.answer_ready.connect(room.show_answer)
        inference.progress_made.connect(room.show_progress)
        return room

    def _on_room_asked(self, kind: str, about: object) -> None:
        inference = self._services.inference
        if isinstance(about, ModelQuestion):
            inference.ask_model(kind, about)
        elif kind == "tables":
            inference.describe_tables(about)  # type: ignore[arg-type]
        elif kind == "apply":
            inference.apply(about)  # type: ignore[arg-type]
        elif kind == "watch":
            inference.watch(*about)  # type: ignore[misc]
        else:
            inference.ask(kind, about)  # type: ignore[arg-type]

    def _on_train_apply_requested(self, snapshot: Path) -> None:
        self._window.open_model(snapshot)
        self._window.open_room("apply")

    def _on_apply_train_requested(self) -> None:
        """The form for a task, beginning with the open model."""
        room = self._window.open_room("train")
        model = self._services.state.model
        room.show_task_form(model.folder if model else None)  # type: ignore[attr-defined]


def connect_train_room(room: TrainRoom, runs: RunsService) -> None:
    """Ties the Train room to the runs, both ways."""
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
