"""The main window: ties the state, the services and the frame together. Importing it imports no torch."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QMenu, QWidget

from app import theme
from app.actions import Actions, Command
from app.facts import facts_about
from app.frame import Frame, RoomEntry
from app.readings import Reading, ReadingRequest
from app.rooms.explore import ExploreRoom
from app.services import Services
from app.state import ModelInfo
from app.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from app.examples import Example

BUILT_IN = "The built-in model"


class Window(QMainWindow):
    """One window, one model, one text; the rooms show them from different sides."""

    first_painted = Signal()
    room_drawn = Signal(str, float)  # room, milliseconds from result to painted

    def __init__(self, services: Services, model: str | None = None) -> None:
        """model: what to open first, as `bertscope MODEL` names it; None is the built-in one."""
        super().__init__()
        self.services, self.state = services, services.state
        self.setWindowTitle("BERTscope")
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self._first_model = model
        self._is_painted = False
        self._draw_ms = 0.0
        self._room_id = "embed"
        self._why_nothing = ""  # what rooms say that have nothing to show
        self._waiting_example: Example | None = None  # its masks are put in when there is a vocabulary
        self.actions_ = Actions(self, self._commands())
        self._start_with_example()
        self.frame: Frame = self._build_frame()
        self._connect()

    def open_model(self, reference: str | Path | None) -> None:
        """Opens a checkpoint folder, a run folder or a hub id. What is open stays until the new one is there."""
        self.frame.banner.dismiss()
        self.services.inference.open_model(None if reference is None else _from_anywhere(str(reference)))

    def open_room(self, room_id: str) -> QWidget:
        self._room_id = room_id
        return self.frame.open_room(room_id)

    def show_problem(self, sentence: str) -> None:
        """One sentence at the top of the room, until it is dismissed."""
        self.frame.banner.show_sentence(sentence)

    def set_look(self, theme_name: str | None = None, projector: bool | None = None) -> None:
        """Another theme, or projector mode on or off. What is not given stays."""
        settings = self.services.settings
        settings.theme = theme_name or settings.theme
        resized = projector is not None and projector != settings.projector
        settings.projector = settings.projector if projector is None else projector
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, settings.theme, settings.projector)
        if resized:
            self._rebuild()
        self.services.save_settings()

    def use_example(self, example: Example) -> None:
        """Writes an example pair into the sentence bar, masks its words and opens the room it is about."""
        self.state.set_text(example.a, example.b or "")
        self._mask_example(example)
        self.frame.show_hint(example.look_for)
        self.open_room(example.room)

    # Building.

    def _commands(self) -> list[Command]:
        state = self.state
        rooms = [
            Command(f"room.{entry.id}", f"{entry.title}", "Room", partial(self.open_room, entry.id), f"Ctrl+{n}")
            for n, entry in enumerate(self._room_entries(), start=1)
        ]
        return [
            Command("model.open_folder", "Open folder…", "Model", self._choose_folder, "Ctrl+O"),
            Command("model.open_built_in", BUILT_IN, "Model", lambda: self.open_model(None)),
            Command("text.mask", "Mask or unmask the token", "Text", lambda: state.toggle_mask(), "M"),
            Command("text.unmask_all", "Take all masks away", "Text", lambda: state.set_masks(()), "Shift+M"),
            Command("text.let_go", "Let the token go", "Text", lambda: state.set_focus(None), "Esc"),
            Command("text.swap", "Swap A and B", "Text", self._swap, "Ctrl+Shift+S"),
            Command("text.type", "Type in sentence A", "Text", self._type, "Ctrl+L"),
            *rooms,
            Command("view.theme", "Light or dark", "View", self._toggle_theme, "Ctrl+T"),
            Command("view.projector", "Projector size", "View", self._toggle_projector, "Ctrl+Shift+P"),
            Command("view.quit", "Quit", "View", self.close, "Ctrl+Q"),
        ]

    def _room_entries(self) -> list[RoomEntry]:
        return [
            RoomEntry("embed", "Embed", "How the input vector of each token is put together", self._build_embed),
            RoomEntry("attend", "Attend", "What each attention head looks at", self._build_attend),
            RoomEntry(
                "predict", "Predict", "Words behind masks, and what the model says of A and B", self._build_predict
            ),
            RoomEntry("train", "Train", "Train a small model here and watch it learn", self._build_train),
            RoomEntry("apply", "Apply", "What a model that was taught a task says of your text", self._build_apply),
        ]

    def _build_embed(self) -> QWidget:
        from app.rooms.embed.room import EmbedRoom

        return self._explore(EmbedRoom(self.state))

    def _build_attend(self) -> QWidget:
        from app.rooms.attend.room import AttendRoom

        return self._explore(AttendRoom(self.state))

    def _build_predict(self) -> QWidget:
        from app.rooms.predict.room import PredictRoom

        return self._explore(PredictRoom(self.state))

    def _build_train(self) -> QWidget:
        from app.rooms.train import TrainRoom
        from app.runs import connect_train_room

        room, runs = TrainRoom(), self.services.runs
        connect_train_room(room, runs)
        room.open_requested.connect(self.open_model)
        room.apply_requested.connect(self._on_train_apply_requested)
        room.asked.connect(self._on_room_asked)
        self.services.inference.answer_ready.connect(room.show_answer)
        runs.start_following()
        runs.select(runs.selected)
        room.show_open_model(self.state.model.folder if self.state.model else None)
        return room

    def _build_apply(self) -> QWidget:
        from app.rooms.apply.room import ApplyRoom

        room = ApplyRoom(self.state)
        room.train_requested.connect(self._on_apply_train_requested)
        return self._explore(room)

    def _explore(self, room: ExploreRoom) -> ExploreRoom:
        room.hover_told.connect(self.frame.status.set_hover)
        room.asked.connect(self._on_room_asked)
        self.services.inference.answer_ready.connect(room.show_answer)
        return room

    def _build_frame(self) -> Frame:
        title_bar = TitleBar(
            self._fill_models,
            self._fill_steps,
            self._fill_examples,
            self.actions_.fill,
            self._toggle_theme,
            self._toggle_projector,
        )
        self.frame = Frame(self.state, title_bar, self._room_entries())
        self.setCentralWidget(self.frame)
        if self.state.model is not None:
            title_bar.set_model(self.state.model)
        self.frame.room_opened.connect(self._on_frame_room_opened)
        if self._is_painted:
            self.frame.open_room(self._room_id)
        self._show_facts()
        return self.frame

    def _rebuild(self) -> None:
        """The same state in a frame of another size."""
        old = self.frame
        self.frame = self._build_frame()
        old.deleteLater()

    def _connect(self) -> None:
        state, inference = self.state, self.services.inference
        self.services.errors.reported.connect(self.show_problem)
        state.problem_found.connect(self.show_problem)
        state.input_changed.connect(self._on_state_input_changed)
        inference.tokenizer_ready.connect(state.set_tokenizer)
        inference.model_loading.connect(self._on_inference_model_loading)
        inference.model_opened.connect(self._on_inference_model_opened)
        inference.model_failed.connect(self._on_inference_model_failed)
        inference.reading_ready.connect(self._on_inference_reading_ready)
        inference.reading_failed.connect(self._on_inference_reading_failed)
        inference.failed.connect(self.show_problem)

    def _start_with_example(self) -> None:
        from app.examples import load_examples

        examples = load_examples()
        if examples:
            self.state.set_text(examples[0].a, examples[0].b or "")
            self._waiting_example = examples[0]

    def _mask_example(self, example: Example) -> None:
        encoding = self.state.encoding
        if encoding is not None:
            self.state.set_masks(example.masked_positions(encoding.parts, encoding.offsets))

    # Menus.

    def _fill_models(self, menu: QMenu) -> None:
        menu.addActions([self.actions_.actions[name] for name in ("model.open_built_in", "model.open_folder")])
        if self.services.settings.recent_models:
            menu.addSeparator()
        for reference in self.services.settings.recent_models:
            menu.addAction(_shortened(reference), partial(self.open_model, reference))

    def _fill_steps(self, menu: QMenu) -> None:
        from bertcore.training.run_folder import RunFolder

        folder = self.state.model.folder if self.state.model else None
        steps = RunFolder(folder.parent.parent).snapshots() if folder and folder.parent.name == "snapshots" else []
        for step, path in reversed(steps):
            menu.addAction(f"step {step:,}", partial(self.open_model, path))
        if not steps:
            menu.addAction("No other snapshots stand beside this one").setEnabled(False)

    def _fill_examples(self, menu: QMenu) -> None:
        from app.examples import load_examples

        for example in load_examples():
            menu.addAction(example.title, partial(self.use_example, example))

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Open a checkpoint or run folder")
        if folder:
            self.open_model(folder)

    def _swap(self) -> None:
        self.state.set_text(self.state.text_b, self.state.text_a)

    def _type(self) -> None:
        self.frame.sentences.a.setFocus()
        self.frame.sentences.a.selectAll()

    def _toggle_theme(self) -> None:
        self.set_look("light" if theme.active().name == "dark" else "dark")

    def _toggle_projector(self) -> None:
        # After the click is done with: the button that was clicked goes away.
        QTimer.singleShot(0, lambda: self.set_look(projector=not self.services.settings.projector))

    # What comes back.

    def _on_state_input_changed(self) -> None:
        state = self.state
        if state.model is None or state.encoding is None:
            return
        request = ReadingRequest(state.model, state.encoding, tuple(state.input_ids), state.all_masked, state.masked)
        self.services.inference.read(request)

    def _on_room_asked(self, kind: str, about: object) -> None:
        inference = self.services.inference
        if kind == "nearest":
            inference.find_nearest(about)  # type: ignore[arg-type]
        elif kind == "tables":
            inference.describe_tables(about)  # type: ignore[arg-type]
        elif kind == "apply":
            inference.apply(about)  # type: ignore[arg-type]
        elif kind == "watch":
            inference.watch(*about)  # type: ignore[misc]
        elif kind == "similarity":
            inference.compare_sentences(*about)  # type: ignore[misc]
        else:
            inference.ask(kind, about)  # type: ignore[arg-type]

    def _on_train_apply_requested(self, snapshot: Path) -> None:
        self.open_model(snapshot)
        self.open_room("apply")

    def _on_apply_train_requested(self) -> None:
        """The form for a task, beginning with the open model."""
        room = self.open_room("train")
        folder = self.state.model.folder if self.state.model else None
        room.show_task_form(folder)  # type: ignore[attr-defined]

    def _on_inference_model_loading(self, reference: str) -> None:
        self.frame.title_bar.set_loading(Path(reference).name)

    def _on_inference_model_opened(self, model: ModelInfo, reference: str | None) -> None:
        self._why_nothing = ""
        self.state.set_model(model)
        if self._waiting_example is not None:
            if self.state.text_a == self._waiting_example.a:
                self._mask_example(self._waiting_example)
            self._waiting_example = None
        self.frame.title_bar.set_model(model)
        is_snapshot = model.folder.parent.name == "snapshots"  # the time machine opens many of them
        if reference is not None and not (is_snapshot and model.folder.name in reference):
            self.services.settings.remember_model(reference)
            self.services.save_settings()
        self._tell_train_room()

    def _on_inference_model_failed(self, sentence: str) -> None:
        self.show_problem(sentence)
        self._tell_train_room()
        if self.state.model is not None:
            self.frame.title_bar.set_model(self.state.model)
            return
        self.frame.title_bar.model.setText("No model")
        self._say_in_place("No model is open. Open a folder from the menu at the top, or drop one here.")

    def _on_inference_reading_failed(self, sentence: str) -> None:
        """What is on show stays; a room that waits says why there is nothing to see."""
        self.show_problem(sentence)
        self._say_in_place(sentence)

    def _say_in_place(self, sentence: str) -> None:
        self._why_nothing = sentence
        for room in self.frame.rooms.values():
            if isinstance(room, ExploreRoom) and sentence:
                room.show_sentence(sentence)

    def _tell_train_room(self) -> None:
        """Its handle stands where the rooms are. While another model is under way, it stands there already."""
        room = self.frame.rooms.get("train")
        if room is not None and not self.services.inference.is_opening:
            room.show_open_model(self.state.model.folder if self.state.model else None)  # type: ignore[attr-defined]

    def _on_inference_reading_ready(self, reading: Reading) -> None:
        started = time.perf_counter()
        if self._why_nothing and self._why_nothing == self.frame.banner.text:
            self.frame.banner.dismiss()
        self._why_nothing = ""
        self.state.set_reading(reading)
        room = self.frame.room
        if isinstance(room, ExploreRoom) and room.isVisible():
            room.repaint()
        self._draw_ms = (time.perf_counter() - started) * 1000
        self._show_facts()
        self.room_drawn.emit(self._room_id, self._draw_ms)

    def _on_frame_room_opened(self, room_id: str) -> None:
        self._room_id = room_id
        self._say_in_place(self._why_nothing)

    def _show_facts(self) -> None:
        reading = self.state.reading
        self.frame.status.set_facts(facts_about(reading, self._draw_ms) if reading else "")

    # Qt's own names.

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self._after_first_paint)

    def _after_first_paint(self) -> None:
        self.first_painted.emit()
        self.open_room(self._room_id)
        self.frame.sentences.a.setFocus()
        self.frame.sentences.a.end(False)
        self.open_model(self._first_model)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.open_model(paths[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        self.services.save_settings()
        self.services.close()
        super().closeEvent(event)


def _from_anywhere(reference: str) -> str:
    """A path that still means the same when BERTscope is started elsewhere; a hub id stays as it is."""
    return str(Path(reference).resolve()) if os.path.exists(reference) else reference


def _shortened(reference: str, most: int = 60) -> str:
    return reference if len(reference) <= most else "…" + reference[-most:]
