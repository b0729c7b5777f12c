"""The main window: ties the state, the services and the frame together. Importing it imports no torch."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMargins, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QFileDialog, QMainWindow, QStyle, QWidget

from bertcore.locations import TINY

from ..look import say
from ..state import ModelInfo
from ..state.examples import load_examples
from ..state.history import History
from ..state.session_file import is_session
from ..widgets.banner import BannerAction
from ..widgets.command_list import Palette
from ..widgets.figure_button import FigureRequested
from ..widgets.layouts import discard
from ..widgets.linked_text import WordCard
from ..widgets.status_line import facts_about, verified_words
from ..widgets.title_bar import TitleBar
from . import menus
from .appearance import Appearance
from .commands import Command, commands_of, start_title
from .comparison import Comparison
from .examples import Examples
from .exporting import Exporter
from .frame import Frame, Offers
from .lessons import Lessons
from .rooms import ROOMS, RoomContext, open_view
from .services import Services
from .sessions import Sessions

if TYPE_CHECKING:
    from bertcore.analysis.reference_values import ReferenceCheck

SIZE = 1440, 900  # where the screen has room for it


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
        self.installEventFilter(self)
        self.resize(*SIZE)
        self._first, self._is_painted, self._draw_ms = first, False, 0.0
        self._check: tuple[ReferenceCheck, ModelInfo] | None = None  # of the values stored with a model, and the model
        self.appearance = Appearance(services, self)
        self.examples = Examples(services, lambda: self.frame, self.open_view, self)
        for example in load_examples()[:1]:
            self.examples.write(example)
        self.exporter = Exporter(self.state, lambda: self.frame.room, lambda: self.room_key, self)
        self.sessions = Sessions(services, self._place, self)
        self.offers = Offers(lambda: self.frame, self)
        self.lessons = Lessons(services, self.sessions, lambda: self.frame, self.offers, self)
        self.comparison = Comparison(services, self)
        self.history = History(self.state)
        self._write_commands()
        self.frame: Frame = self._build_frame()
        self._connect()

    @property
    def room_key(self) -> str:
        """Of the room on show; at first, of the one that will be."""
        return self.frame.open_key or ROOMS[0].key

    def _place(self) -> tuple[str, str]:
        """Room and view on show; "" for a room that has no views."""
        return self.room_key, getattr(getattr(self.frame.room, "views", None), "key", "")

    def is_settled(self) -> bool:
        """True when what is shown is what the model makes of the text and masks as they are now."""
        state, reading = self.state, self.state.reading
        return reading is not None and state.is_of_input(reading) and not self.services.inference.is_busy

    def fit_screen(self) -> None:
        """No larger than the screen has room for, with the title bar that the system puts around the window.

        Before the window is shown nobody knows how high that bar is: call it again then.
        """
        handle, available = self.windowHandle(), self.screen().availableGeometry()
        title_px = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        margins = handle.frameMargins() if handle is not None else QMargins(0, title_px, 0, 0)
        room = available.marginsRemoved(margins)
        self.resize(self.size().boundedTo(room.size()))
        if handle is not None and not available.contains(self.frameGeometry()):
            self.move(available.topLeft())

    def open_model(self, reference: str | Path | None, download: bool = True) -> None:
        """Opens a checkpoint folder, a run folder or a hub id. What is open stays until the new one is there."""
        self.services.open_model.open(reference, download=download)

    def choose_model(self) -> None:
        """Asks for a checkpoint or run folder."""
        folder = QFileDialog.getExistingDirectory(self, say("Open a checkpoint or run folder"))
        if folder:
            self.services.open_model.open(folder)

    def open_path(self, path: str | None, download: bool = True) -> None:
        """A model, or a session from its file."""
        if path is not None and is_session(Path(path)):
            self.sessions.open(Path(path))
        else:
            self.open_model(path, download)

    def open_room(self, key: str) -> QWidget:
        return self.frame.open_room(key)

    def open_view(self, room_key: str, view_key: str) -> None:
        open_view(self.open_room(room_key), view_key)

    def open_palette(self) -> Palette:
        """The list of all commands, with a line to find one."""
        return Palette(self, menus.entries_of(self), partial(menus.head_entries, self))

    def open_about(self) -> None:
        """The version, and the licences of all that is inside."""
        from .about import AboutDialog

        AboutDialog(self).show()

    def show_word(self, key: str) -> None:
        """A card of the glossary."""
        WordCard(self.frame).show_word(key, self.mapToGlobal(self.rect().center()))

    def toggle_help(self) -> None:
        """What the room shows, in words, beside it; or away again."""
        self.frame.help.toggle(self.room_key)

    def toggle_ring(self) -> None:
        """A ring around the mouse pointer, for those who look at a projector."""
        from ..widgets.presenting import PointerRing

        (self.findChild(PointerRing) or PointerRing(self)).toggle()

    def blank_screen(self) -> None:
        from ..widgets.presenting import BlankScreen

        (self.findChild(BlankScreen) or BlankScreen(self)).blank()

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_problem(self, sentence: str, action: BannerAction | None = None) -> None:
        """One sentence at the top of the room, until it is dismissed or another room is opened."""
        self.frame.banner.show_sentence(sentence, action)

    def toggle_playing(self) -> None:
        """The snapshots of the open model's run, one after the other; or what was open before."""
        playback, machine, opener = self.services.playback, self.services.time_machine, self.services.open_model
        if playback.stop() or opener.model is None:
            return
        steps = machine.steps
        if steps is not None and len(steps.snapshots) > 1:
            machine.set_following(False)
            playback.start(steps.snapshots)
            return
        why = say("{model} has no snapshots of its training", model=opener.model.name)
        offer = say("Open {tiny} and play its snapshots", tiny=TINY)
        play = partial(opener.open, TINY, lambda _model: self.toggle_playing())
        self.frame.title_bar.offer_to_play(why, offer, play)

    def escape(self) -> None:
        """Ends what is playing, else what is swapped in, else deselects the token, else ends the comparison."""
        if self.services.playback.stop() or self.state.end_swap():
            return
        if self.state.focus is None:
            self.comparison.end()
        self.state.set_focus(None)

    # Building.

    def _write_commands(self) -> None:
        """In the language of the window."""
        self.commands: dict[str, Command] = commands_of(self)
        self.addActions(list(self.commands.values()))
        for command in self.commands.values():
            command.setParent(self)  # they end with it: what they run holds the window, which Python cannot see

    def _on_appearance_language_changed(self) -> None:
        for command in self.commands.values():
            command.remove()
        self._write_commands()
        self.lessons.change_language()
        self.services.runs.read_again()
        self._rebuild()
        self._on_history_changed()
        self._on_lessons_changed()
        self.examples.ask_again()

    def _build_frame(self, room_key: str = "") -> Frame:
        """room_key: of the room to be on show in it."""
        title_bar = TitleBar(menus.menus_of(self), self.appearance.toggle_projector)
        self.frame = Frame(self.state, title_bar, ROOMS, self._make_room)
        self.setCentralWidget(self.frame)
        if self.state.model is not None:
            title_bar.set_model(self.state.model)
        machine = self.services.time_machine
        title_bar.switch.stage_chosen.connect(machine.open_stage)
        title_bar.switch.follow_switched.connect(machine.set_following)
        title_bar.play.clicked.connect(lambda _checked=False: self.toggle_playing())
        self._on_steps_changed()
        title_bar.baseline.end_requested.connect(self.comparison.end_or_reset)
        self.frame.typed.connect(self.history.expect_typing)
        self.frame.predictions_requested.connect(lambda: self.open_view("predict", "words"))
        if room_key:
            self.frame.open_room(room_key)
        self._show_facts()
        return self.frame

    def _make_room(self, key: str) -> QWidget:
        spec = next(spec for spec in ROOMS if spec.key == key)
        context = RoomContext(self.services, self.open_room, self.frame.status.set_hover, self.comparison.with_model)
        return spec.make(spec.load(), context)

    def _rebuild(self) -> None:
        """The same state in a frame of another size."""
        for palette in self.findChildren(Palette):
            palette.close_palette()  # the new frame would cover it, and it would keep the keyboard
        old = self.frame
        self.frame = self._build_frame(old.open_key)
        asked = old.question
        self.frame.show_question(asked.question, asked.answer, is_answered=asked.is_answered)
        if old.banner.is_shown:
            self.show_problem(old.banner.text, old.banner.action)
        opener = self.services.open_model
        if opener.is_opening:
            self.frame.title_bar.set_loading(Path(opener.newest_reference or "").name)
        if old.help.is_open:
            self.toggle_help()
        self.lessons.attach(self.frame)
        self.offers.show_again()
        discard(old)

    def _connect(self) -> None:
        services, opener = self.services, self.services.open_model
        for problem in (
            services.errors.reported,
            services.inference.failed,
            services.reader.failed,
            self.state.problem_found,
            self.comparison.problem_found,
            self.exporter.problem_found,
            self.sessions.problem_found,
            self.lessons.problem_found,
            opener.failed,
        ):
            problem.connect(self.show_problem)
        for done in (self.exporter.done, self.sessions.saved, self.lessons.saved):
            done.connect(lambda sentence: self.frame.status.set_hover(sentence))
        for drawn in (services.reader.delivered, services.playback.shown):
            drawn.connect(self._on_reader_delivered)
        for changed in (services.time_machine.changed, services.playback.changed):
            changed.connect(self._on_steps_changed)
        self.appearance.rebuild_requested.connect(self._rebuild)
        self.appearance.language_changed.connect(self._on_appearance_language_changed)
        self.history.changed.connect(self._on_history_changed)
        self.history.checkpoint_wanted.connect(services.time_machine.open_snapshot)
        opener.requested.connect(self._on_open_model_requested)
        opener.opened.connect(self._on_open_model_opened)
        opener.failed.connect(self._on_open_model_failed)
        opener.checked.connect(self._on_open_model_checked)
        self.lessons.view_requested.connect(self.open_view)
        self.lessons.changed.connect(self._on_lessons_changed)
        self.sessions.room_requested.connect(self._on_sessions_room_requested)
        self._on_history_changed()
        self._on_lessons_changed()

    # What comes back.

    def _on_lessons_changed(self) -> None:
        """Keys that turn pages do so only while there are pages."""
        for name in ("next", "back", "notes", "hand_in", "close"):
            self.commands[f"lesson.{name}"].setEnabled(self.lessons.is_open)

    def _on_history_changed(self) -> None:
        """The menu says what would be undone."""
        undo, redo = self.history.to_undo, self.history.to_redo
        self.commands["edit.undo"].setText(say("Undo {action}", action=undo) if undo else say("Undo"))
        self.commands["edit.redo"].setText(say("Redo {action}", action=redo) if redo else say("Redo"))
        self.commands["edit.undo"].setEnabled(bool(undo))
        self.commands["edit.redo"].setEnabled(bool(redo))

    def _on_steps_changed(self) -> None:
        """What the time machine can do now, and whether it plays."""
        machine, bar, steps = self.services.time_machine, self.frame.title_bar, self.services.time_machine.steps
        stages, begin = (steps.stages, steps.begins_with) if steps is not None else ({}, "")
        bar.show_steps(stages, machine.stage, begin, can_follow=machine.live is not None, follows=machine.is_following)
        for stage in bar.switch.stages:
            self.commands[f"model.{stage}"].setEnabled(stage in stages)
        self.commands["model.start"].setText(start_title(begin))
        self.commands["model.follow"].setEnabled(machine.live is not None)
        can_play = steps is not None and len(steps.snapshots) > 1
        bar.show_playing(self.services.playback.is_playing, can_play=can_play)

    def _on_open_model_requested(self, reference: str) -> None:
        self.frame.banner.dismiss()
        self.frame.title_bar.set_loading(Path(reference).name)
        playback = self.services.playback
        if not (playback.is_playing or playback.is_going_back or self.services.time_machine.is_following):
            self.history.expect_model()

    def _on_open_model_opened(self, model: ModelInfo) -> None:
        self.frame.title_bar.set_model(model)
        self._on_steps_changed()

    def _on_open_model_failed(self) -> None:
        self.history.expect_model(False)
        if self.state.model is not None:
            self.frame.title_bar.set_model(self.state.model)
        else:
            self.frame.title_bar.model.setText(say("No model"))

    def _on_open_model_checked(self, check: ReferenceCheck) -> None:
        """Whether the model computes here what it did where it was made."""
        assert self.state.model is not None
        self._check = check, self.state.model
        if check.problem:
            self.show_problem(check.problem)
        self._show_facts()

    def _on_reader_delivered(self, arrived: float) -> None:
        """Qt lays out and paints what has changed before it comes to timers: when this one fires, all is painted."""

        def note() -> None:
            self._draw_ms = (time.perf_counter() - arrived) * 1000
            self._show_facts()
            self.room_drawn.emit(self.room_key, self._draw_ms)

        QTimer.singleShot(0, self, note)  # not of a window that is gone

    def _on_sessions_room_requested(self, key: str, view_key: str) -> None:
        for spec in ROOMS:
            if spec.key == key:
                self.open_view(key, view_key if view_key in spec.view_keys else "")

    def _show_facts(self) -> None:
        check = self._check[0] if self._check is not None and self._check[1] is self.state.model else None
        verified, meaning = verified_words(check)
        reading = self.state.reading
        self.frame.status.set_facts(facts_about(reading, self._draw_ms, verified) if reading else "", meaning)

    # Qt's own names.

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Of its own events. An override of `event` would be on the stack while everything in the window is painted,
        and an error raised there would come out below it, with a painter that is still at work."""
        if isinstance(event, FigureRequested):
            self.exporter.export(event.provider, event.action)
            return True
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_for_a_list(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.Paint and not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self._after_first_paint)
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.appearance.follow_size()

    def _after_first_paint(self) -> None:
        self.first_painted.emit()
        self.open_path(self._first)  # the worker begins while the room is built
        self.open_room(self.room_key)
        self.frame.sentences.a.setFocus()
        self.frame.sentences.a.end(False)
        for sentence in self.services.problems:
            self.show_problem(sentence)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """As long as X is held, every room shows what it is compared with."""
        if event.key() == Qt.Key.Key_X and not event.modifiers():
            self.state.show_baseline(True)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_X and not event.isAutoRepeat():
            self.state.show_baseline(False)
        super().keyReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """A key that is let go in another window is not heard of here."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.state.show_baseline(False)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.open_path(paths[0], download=False)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Gone at once: whoever started the program waits for the worker, with `Services.close`."""
        self.services.stop()
        super().closeEvent(event)


def _is_for_a_list(event: QKeyEvent) -> bool:
    """A letter typed at a drop-down or a list finds an entry there; it is no command."""
    held = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    is_letter = held == Qt.KeyboardModifier.NoModifier and event.text().isprintable() and event.text() != ""
    return is_letter and isinstance(QApplication.focusWidget(), QComboBox | QAbstractItemView)
