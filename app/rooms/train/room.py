"""Room Train: start a run, watch it learn, open any snapshot of it in every room."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from bertcore.runs.diagnosis import another_rate
from bertcore.runs.run_folder import RunFolder

from ...compute.open_model import OpenModel
from ...look import say, theme
from ...runs import finding
from ...runs.ending_sentences import nearest_snapshot
from ...runs.finding import Action
from ...runs.run_info import RunInfo
from ...runs.run_kinds import is_settings
from ...runs.run_state import RunState
from ...runs.sweeps import SweepRow, sweep_row, three_seeds
from ...widgets.card import GAP_PX, Card, button, label
from ...widgets.context_menu import show_context_menu
from ...widgets.folding_card import FoldingCard
from ...widgets.layouts import fill, hbox, show_page, stacked, vbox
from .form.data_card import DataCard
from .list.actions import RunActions
from .list.card import DEMOS, RunsCard
from .run.view import RunView
from .snapshots.cards import HeadsCard, WatchCard
from .snapshots.time_machine_card import TimeMachineCard
from .sweep.page import SweepPage

SNAPSHOTS_PX = 268
CURVES_PX, SWEEP_PX = 400, 800  # what the curves, or a chart and its table, shall have before the cards beside them


class TrainRoom(QWidget):
    """Its parts show what is in the state of the runs, and say there what a person wants of them."""

    apply_requested = Signal()  # the model that is being opened is to be tried in the room Apply
    # key of a room, a text, a head (layer, head) or None: the model that is being opened is to be seen with them
    room_requested = Signal(str, str, object)
    compare_requested = Signal(object)  # Path of a snapshot: the model that is being opened is compared with it
    question_requested = Signal(object)  # Question
    visibility_changed = Signal(bool)  # runs need not be followed while nobody sees them

    def __init__(self, open_model: OpenModel, state: RunState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_model, self.state = open_model, state
        self.runs_card = RunsCard(state)
        self.runs, self.demos = self.runs_card.runs, self.runs_card.demos
        self.form = self.runs_card.form
        self.view, self.sweep_page = RunView(state), SweepPage(state)
        self.run_actions = RunActions(self, state)
        self.data = DataCard(state.estimator)
        self.watch, self.heads = WatchCard(state), HeadsCard(state)
        self.time_machine = TimeMachineCard(open_model, state)
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self._show_middle()

    # --- building

    def _build(self) -> None:
        self._start_card = Card()
        self.invitation = label(say("No runs yet. Start one: the class demo takes about a minute."), "muted", wrap=True)
        self.invitation.setAlignment(Qt.AlignmentFlag.AlignCenter)
        start = button(say("Class demo"), partial(self.demos.start, DEMOS[0]))
        fill(self._start_card.body, None, self.invitation, 8)
        self._start_card.body.addWidget(start, 0, Qt.AlignmentFlag.AlignHCenter)
        self._start_card.body.addStretch(1)
        self._middle = stacked(self._start_card, self.view, self.data, self.sweep_page)
        self._side = stacked(self.watch, self.heads)
        self._side.setFixedWidth(theme.column_px(SNAPSHOTS_PX))
        self._list_fold = FoldingCard(self.runs_card, say("Runs"))
        self._watch_fold = FoldingCard(self._side, say("Watch it learn"))
        self._list_fold.tab.toggled.connect(self._fold)
        self._after_layout = QTimer(self, singleShot=True)
        self._after_layout.timeout.connect(self._fold)
        for widget in (self._middle, self.view):
            widget.installEventFilter(self)
        row = hbox(self._list_fold, (self._middle, 1), self._watch_fold)
        for layout in (row, vbox((row, 1), self.time_machine, parent=self, margins=theme.px(GAP_PX))):
            layout.setSpacing(theme.px(GAP_PX))

    def _connect(self) -> None:
        state, actions, card = self.state, self.run_actions, self.runs_card
        for changed in (state.runs_changed, state.run_changed, state.sweep_changed):
            changed.connect(self._show_middle)
        for changed in (state.status_changed, state.snapshots_changed):
            changed.connect(self._place_time_machine)
        state.start_requested.connect(card.show_list)
        card.page_changed.connect(self._on_runs_card_page_changed)
        card.form.changed.connect(self._ask_estimate)
        self.data.check_requested.connect(self._ask_estimate)
        state.estimator.described.connect(self.form.show_described)
        state.estimator.estimated.connect(self.form.show_estimate)
        self.runs.row_menu_requested.connect(self._on_runs_menu_requested)
        self.view.menu_requested.connect(lambda at: show_context_menu(self, at, actions.entries(state.run)))
        self.view.page_changed.connect(self._place_time_machine)
        self.view.ending.action.connect(self._on_ending_action)
        self.view.health.try_requested.connect(lambda suggestion: card.show_copy_form(state.run, suggestion))
        self.sweep_page.action.connect(self._on_sweep_action)
        actions.copy_requested.connect(card.show_copy_form)
        actions.compare_requested.connect(self.view.curves.toggle_compared)
        actions.start_requested.connect(self.compare_with_start)
        self.watch.list.chosen.connect(self.time_machine.open_snapshot)
        self.time_machine.handle_placed.connect(self.watch.list.set_chosen)
        self.time_machine.apply_requested.connect(self.apply_requested)
        self.time_machine.film_requested.connect(lambda: self.room_requested.emit("film", self._question_text(), None))
        for asking in (self.watch, self.heads, self.view.batch):
            asking.question_requested.connect(self.question_requested)
        questions = self.view.questions
        questions.text_chosen.connect(self.heads.show_text)
        questions.row.train_requested.connect(partial(self.demos.start, DEMOS[0]))
        questions.step_shown.connect(self.heads.show_step)
        questions.room_requested.connect(self._open_room_with)
        self.heads.head_chosen.connect(
            lambda layer, head: self._open_room_with("attend", self._question_text(), (layer, head))
        )

    # --- what the person does

    def compare_with_start(self, run: RunInfo) -> None:
        """Opens the step that it ends with, to be compared with its first."""
        snapshots, final = RunFolder(run.path).snapshots(), RunFolder(run.path).final_snapshot()
        if len(snapshots) > 1 and final is not None:
            self._open_model.open(final)
            self.compare_requested.emit(snapshots[0][1])

    def open_run(self, path: Path) -> None:
        """Shows this room at this run, in place of a form; where the run has been deleted, the room as it is."""
        self.room_requested.emit("train", "", None)
        if path.is_dir():
            self.runs_card.show_list()
            self.state.select_requested.emit(path)

    def _on_runs_card_page_changed(self) -> None:
        if self.runs_card.shows_form:
            self._list_fold.unfold()
            self._ask_estimate()
        else:
            self._list_fold.fold()  # the form has opened it; now the curves need the room again
            self.state.estimator.stop()
        self._show_middle()
        self._fold()

    def _ask_estimate(self) -> None:
        """What the run in the form would learn from and take."""
        if self.runs_card.shows_form:
            self.data.show_pending()
            problem = self.form.ask_estimate()
            if problem:
                self.data.show_problem(problem)

    def _on_runs_menu_requested(self, row: RunInfo | SweepRow, at: QPoint) -> None:
        words = ""
        if isinstance(row, RunInfo) and self.state.selected is not None and self.view.curves.can_compare(row):
            words = say("Remove its curves") if row.path in self.state.compared else say("Compare its curves")
        show_context_menu(self, at, self.run_actions.entries(row, words))

    def _on_ending_action(self, action: Action) -> None:
        """What a person chose to do with a run that is over."""
        run, machine, ending = self.state.run, self.time_machine, self.view.ending.finding
        match action:
            case finding.RESUME:
                self.state.control_requested.emit(run.path, "resume")
            case finding.SLOWER:
                self.runs_card.show_copy_form(run, another_rate(self.view.record))
            case finding.COPY:
                self.runs_card.show_copy_form(run)
            case finding.COMPARE:
                self.compare_with_start(run)
            case finding.CONTINUE:
                self.runs_card.show_continue_form(self.state.snapshots[self.state.final or 0][1])
            case finding.BEST:
                best = ending.best_step if ending is not None else None
                machine.open_snapshot(nearest_snapshot([step for step, _ in self.state.snapshots], best or 0))
            case finding.OPEN | finding.APPLY:
                machine.open_snapshot(self.state.final)
                if action is finding.APPLY:
                    self.apply_requested.emit()

    def _on_sweep_action(self, action: Action, path: Path) -> None:
        """What a person chose to do with a sweep; path: its best run."""
        run = next((run for run in self.state.runs if run.path == path), None)
        row, snapshot = self.sweep_page.row, RunFolder(path).final_snapshot()
        if action is finding.RESUME_SWEEP and row is not None:
            self.state.sweep_resume_requested.emit([each.path for each in row.runs])
        elif action is finding.COPY_BEST_RUN and run is not None:
            self.runs_card.show_copy_form(run)
        elif action is finding.THREE_SEEDS and run is not None:
            self.run_actions.start_several(run, three_seeds)
        elif snapshot is None:
            self.state.problem_found.emit(say("The snapshots of this run are gone."))
        else:
            self._open_model.open(snapshot)
            if action is finding.APPLY_BEST_RUN:
                self.apply_requested.emit()

    def _question_text(self) -> str:
        """The one that is looked at, of a run with questions."""
        question = self.view.questions.question if self.state.run.has_questions else None
        return "" if question is None else question.text

    def _open_room_with(self, key: str, text: str, head: tuple[int, int] | None = None) -> None:
        """The newest snapshot, or the one that is open already."""
        if text and self.time_machine.open_chosen():
            self.room_requested.emit(key, text, head)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A file that is dropped while the form is open is what to learn from; else it is the window's."""
        if self.runs_card.shows_form and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        place = next(Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
        if is_settings(place):
            self.form.load(place)
        else:
            self.form.set_file(place)
        event.acceptProposedAction()

    # --- where things are

    def _show_middle(self) -> None:
        """Beside the form what it would train on; else the sweep that was chosen, or a run, or an invitation to start
        one."""
        state = self.state
        if state.sweep is not None:
            self.sweep_page.show_row(sweep_row(state.runs, state.sweep))
            self.runs.set_diverged(self.sweep_page.diverged)
        page = self._start_card if not state.runs else self.view if state.sweep is None else self.sweep_page
        show_page(self._middle, self.data if self.runs_card.shows_form else page)
        show_page(self._side, self.heads if state.run.has_questions else self.watch)
        self._place_time_machine()

    def _place_time_machine(self) -> None:
        """Of the run on show, as long as it has snapshots, or may get some."""
        is_of_run = self.state.sweep is None and not self.runs_card.shows_form
        has_room = not (self.view.shows_batch and theme.is_projector())
        self.time_machine.setVisible(is_of_run and has_room and self.time_machine.may_have_snapshots)
        self._place_side()

    def _place_side(self) -> None:
        """A batch needs the room of the card beside it."""
        run = self.state.run
        is_covered = self.view.shows_batch or self.runs_card.shows_form or self.state.sweep is not None
        # The heads of a run with questions are there without a snapshot.
        has_something = run.has_questions or self.time_machine.may_have_snapshots
        self._watch_fold.setVisible(run.task_kind is None and not is_covered and has_something)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # longer words in the middle, for instance
            self._fold()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What the middle needs may be another now; its request need not get as far as this room."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._after_layout.start(0)
        return super().eventFilter(watched, event)

    def _fold(self) -> None:
        """The curves come first: where there is little room, the cards beside them fold away."""
        least = self._middle.minimumSizeHint().width()
        is_of_run = self.state.sweep is None and not self.runs_card.shows_form
        words = self._watch_fold.widest if is_of_run else 0
        wanted = CURVES_PX if self.state.sweep is None else SWEEP_PX
        room = self.width() - 4 * theme.px(GAP_PX)
        runs, tab = self._list_fold.widest, self._list_fold.tab.sizeHint().width()
        self._list_fold.set_foldable(room - max(least, theme.px(wanted)) < runs + words)
        is_open = not self._list_fold.tab.isHidden() and self._list_fold.tab.isChecked()
        beside = tab + runs + theme.px(4) if is_open else tab
        self._watch_fold.set_foldable(room - least < beside + words)

    def minimumSizeHint(self) -> QSize:
        """With the cards folded: in a narrow window nothing has to scroll sideways."""
        tabs = self._list_fold.tab.sizeHint().width() + self._watch_fold.tab.sizeHint().width()
        width = self._middle.minimumSizeHint().width() + tabs + 4 * theme.px(GAP_PX)
        return QSize(width, super().minimumSizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visibility_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visibility_changed.emit(False)
