"""The main window: ties the state, the services and the frame together. Importing it imports no torch."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.look import theme
from app.rooms.base import ExploreRoom
from app.shell.actions import Actions
from app.shell.commands import WindowCommands
from app.shell.exporting import Exporter
from app.shell.frame import Frame
from app.shell.rooms import Rooms
from app.shell.services import Services
from app.shell.sessions import SessionDesk
from app.state.examples import FIRST_VIEW, Example, load_examples
from app.state.facts import facts_about
from app.state.history import History
from app.state.model_info import ModelInfo
from app.state.readings import Reading, ReadingRequest
from app.state.session_file import is_session
from app.widgets.figure_button import FigureRequested
from app.widgets.title_bar import TitleBar
from bertcore.locations import BUILT_IN, SHIPPED, built_in_checkpoint


class Window(QMainWindow):
    """One window, one model, one text; the rooms show them from different sides."""

    first_painted = Signal()
    room_drawn = Signal(str, float)  # room, milliseconds from result to painted

    def __init__(self, services: Services, first: str | None = None) -> None:
        """first: what to open, as `bertscope MODEL` names it: a model or a session; None is the built-in model."""
        super().__init__()
        self.services, self.state = services, services.state
        self.setWindowTitle("BERTscope")
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self.room_id = "embed"
        self.model_reference: str | None = None  # as the open model was asked for
        self.opening_reference: str | None = ""  # of the model that was asked for last; "" where none was yet
        self._first = first
        self._is_painted = False
        self._draw_ms = 0.0
        self._verified = ""  # what the check of the model's stored values gave
        self._why_nothing = ""  # what rooms say that have nothing to show
        self._waiting_example: Example | None = None  # its masks are put in when there is a vocabulary
        self._start_with_example()
        self.rooms, self.exporter, self.sessions = Rooms(self), Exporter(self), SessionDesk(self)
        self.history = History(self.state)
        self.commands = WindowCommands(self)
        self.actions_ = Actions(self, self.commands.all())
        self.frame: Frame = self._build_frame()
        self._connect()

    def open_model(self, reference: str | Path | None) -> None:
        """Opens a checkpoint folder, a run folder or a hub id. What is open stays until the new one is there."""
        self.frame.banner.dismiss()
        self.opening_reference = None if reference is None else _from_anywhere(str(reference))
        self.services.inference.open_model(self.opening_reference)

    def open_path(self, path: str | None) -> None:
        """A model, or a session from its file."""
        if path is not None and is_session(Path(path)):
            self.sessions.open(Path(path))
        else:
            self.open_model(path)

    def open_room(self, room_id: str) -> QWidget:
        self.room_id = room_id
        return self.frame.open_room(room_id)

    def open_palette(self) -> None:
        """The list of all commands, with a line to find one."""
        from app.shell.command_palette import open_palette

        open_palette(self)

    def toggle_help(self) -> None:
        """What the room shows, in words, beside it; or away again."""
        self.frame.help.toggle(self.room_id)

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
        is_open = self.state.model is None or self.state.model.folder == built_in_checkpoint()
        says = f"{BUILT_IN}{'' if is_open else ', not open now'}: {example.happens}"
        self.frame.show_hint(f"{example.look_for} {says}")
        room = self.open_room(example.room)
        if example.room in FIRST_VIEW:
            room.open_view(FIRST_VIEW[example.room])  # type: ignore[attr-defined]

    # Building.

    def _build_frame(self) -> Frame:
        commands = self.commands
        title_bar = TitleBar(
            commands.fill_models,
            commands.fill_steps,
            commands.fill_examples,
            self.actions_.fill,
            commands.toggle_theme,
            commands.toggle_projector,
        )
        self.frame = Frame(self.state, title_bar, self.rooms.entries())
        self.setCentralWidget(self.frame)
        if self.state.model is not None:
            title_bar.set_model(self.state.model)
        self.frame.room_opened.connect(self._on_frame_room_opened)
        self.frame.typing.connect(self.history.expect_typing)
        if self._is_painted:
            self.frame.open_room(self.room_id)
        self._show_facts()
        return self.frame

    def _rebuild(self) -> None:
        """The same state in a frame of another size."""
        from app.widgets.palette import Palette

        for palette in self.findChildren(Palette):
            palette.close_palette()  # the new frame would cover it, and it would keep the keyboard
        old = self.frame
        self.frame = self._build_frame()
        self.frame.show_hint(old.hint)
        if old.banner.is_shown:
            self.show_problem(old.banner.text)
        if self.services.inference.is_opening:
            self._on_inference_model_loading(self.opening_reference or "")
        if old.help.is_open:
            self.frame.help.toggle(self.room_id)
        old.deleteLater()

    def _connect(self) -> None:
        state, inference = self.state, self.services.inference
        self.services.errors.reported.connect(self.show_problem)
        self.history.changed.connect(self._on_history_changed)
        self._on_history_changed()
        state.problem_found.connect(self.show_problem)
        state.input_changed.connect(self._on_state_input_changed)
        inference.tokenizer_ready.connect(state.set_tokenizer)
        inference.model_loading.connect(self._on_inference_model_loading)
        inference.model_opened.connect(self._on_inference_model_opened)
        inference.model_failed.connect(self._on_inference_model_failed)
        inference.reading_ready.connect(self._on_inference_reading_ready)
        inference.reading_failed.connect(self._on_inference_reading_failed)
        inference.failed.connect(self.show_problem)
        inference.answer_ready.connect(self._on_inference_answer_ready)

    def _start_with_example(self) -> None:
        examples = load_examples()
        if examples:
            self.state.set_text(examples[0].a, examples[0].b or "")
            self._waiting_example = examples[0]

    def _mask_example(self, example: Example) -> None:
        encoding = self.state.encoding
        if encoding is not None:
            self.state.set_masks(example.masked_positions(encoding.parts, encoding.offsets))

    # What comes back.

    def _on_state_input_changed(self) -> None:
        state = self.state
        if state.model is None or state.encoding is None:
            return
        request = ReadingRequest(
            state.model, state.encoding, tuple(state.input_ids), state.all_masked, state.masked, state.what_if
        )
        self.services.inference.read(request)

    def _on_history_changed(self) -> None:
        """The menu says what would be undone."""
        self.actions_.show("edit.undo", f"Undo {self.history.to_undo}".strip(), bool(self.history.to_undo))
        self.actions_.show("edit.redo", f"Redo {self.history.to_redo}".strip(), bool(self.history.to_redo))

    def _on_inference_model_loading(self, reference: str) -> None:
        self.frame.title_bar.set_loading(Path(reference).name)

    def _on_inference_model_opened(self, model: ModelInfo, reference: str | None) -> None:
        self._why_nothing = ""
        self.model_reference, self._verified = reference, ""
        self.state.set_model(model)
        if self._waiting_example is not None:
            if self.state.text_a == self._waiting_example.a:
                self._mask_example(self._waiting_example)
            self._waiting_example = None
        self.frame.title_bar.set_model(model)
        is_snapshot = model.folder.parent.name == "snapshots"  # the time machine opens many of them
        if reference not in (None, *SHIPPED) and not (is_snapshot and model.folder.name in reference):
            self.services.settings.remember_model(reference)
            self.services.save_settings()
        self.sessions.on_model_opened(reference)
        self._tell_train_room()

    def _on_inference_model_failed(self, sentence: str) -> None:
        self.sessions.on_model_failed(sentence)
        self._tell_train_room()
        if self.state.model is not None:
            self.frame.title_bar.set_model(self.state.model)
            return
        if self.services.inference.is_opening:
            return  # another one is under way in its place
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
        # Now, and only what has changed: layouts before pictures, or some would be painted twice.
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.sendPostedEvents(self, QEvent.Type.UpdateRequest)
        self._draw_ms = (time.perf_counter() - started) * 1000
        self._show_facts()
        self.room_drawn.emit(self.room_id, self._draw_ms)

    def _on_inference_answer_ready(self, kind: str, answer: Any) -> None:
        """What concerns the window, not a room: whether the model computes here what it did where it was made."""
        if kind != "reference" or answer[0] is not self.state.model:
            return
        check = answer[1]
        self._verified = "" if check.problem else check.sentence
        if check.problem:
            self.show_problem(check.problem)
        self._show_facts()

    def _on_frame_room_opened(self, room_id: str) -> None:
        self.room_id = room_id
        self._say_in_place(self._why_nothing)

    def _show_facts(self) -> None:
        reading = self.state.reading
        self.frame.status.set_facts(facts_about(reading, self._draw_ms, self._verified) if reading else "")

    # Qt's own names.

    def event(self, event: QEvent) -> bool:
        if isinstance(event, FigureRequested):
            self.exporter.fulfil(event.provider, event.action)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self._after_first_paint)

    def _after_first_paint(self) -> None:
        self.first_painted.emit()
        self.open_room(self.room_id)
        self.frame.sentences.a.setFocus()
        self.frame.sentences.a.end(False)
        self.open_path(self._first)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.open_path(paths[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        self.services.save_settings()
        self.services.close()
        super().closeEvent(event)


def _from_anywhere(reference: str) -> str:
    """A path that still means the same when BERTscope is started elsewhere; a hub id stays as it is."""
    return str(Path(reference).resolve()) if os.path.exists(reference) else reference
