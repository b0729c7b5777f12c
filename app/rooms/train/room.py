"""Room Train: start a run, watch it learn, open any snapshot of it in every room."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QStackedWidget, QWidget

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import Suggestion, another_rate
from bertcore.runs.run_folder import RunFolder
from bertcore.training.data_facts import Fault, RunEstimate, TaskFacts, TextFacts

from ...compute.open_model import OpenModel
from ...look import theme
from ...look.say import say
from ...runs import finding
from ...runs.ending_sentences import nearest_snapshot
from ...runs.finding import Action
from ...runs.process import RunCommand
from ...runs.run_info import RunInfo
from ...runs.run_kinds import is_settings
from ...runs.sweep_rows import SweepRow, sweep_row, three_seeds
from ...widgets.card import GAP_PX, Card, button, label
from ...widgets.context_menu import show_context_menu
from ...widgets.folding_card import Folded
from ...widgets.layouts import fill
from .form.copy_form import CopyForm
from .form.data_card import DataCard
from .form.demos import DEMOS, DemoPanel
from .form.new_run_form import NewRunForm
from .list.actions import RunActions
from .list.card import RunsCard
from .run.view import RunView
from .snapshots.heads_card import HeadsCard
from .snapshots.time_machine_card import TimeMachineCard
from .snapshots.watch_card import WatchCard
from .sweep.page import SweepPage

SNAPSHOTS_PX = 268
CURVES_PX, SWEEP_PX = 400, 800  # what the curves, or a chart and its table, shall have before the cards beside them


class TrainRoom(QWidget):
    """Shows what the runs report, and opens their snapshots.

    What a person wants of runs is said by signals, also of its parts; `shell.rooms.connect_train_room` connects them.
    """

    run_selected = Signal(object)  # Path of a run
    sweep_resume_requested = Signal(list)  # list[Path]: all runs of a sweep
    estimate_requested = Signal(object)  # RunCommand: what would it learn from, and what would it take?
    estimate_cancelled = Signal()
    apply_requested = Signal()  # the model that is being opened is to be tried in the room Apply
    # key of a room, a text, a head (layer, head) or None: the model that is being opened is to be seen with them
    room_requested = Signal(str, str, object)
    compare_requested = Signal(object)  # Path of a snapshot: the model that is being opened is compared with it
    question_requested = Signal(object)  # Question
    visibility_changed = Signal(bool)  # runs need not be followed while nobody sees them

    def __init__(self, open_model: OpenModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_model = open_model
        self.runs_card = RunsCard()
        self.runs, self.demos = self.runs_card.runs, self.runs_card.demos
        self.form, self.copy_form = self.runs_card.form, self.runs_card.copy_form
        self.run_actions = RunActions(self)
        self.data = DataCard()
        self.view = RunView()
        self.sweep_page = SweepPage()
        self.watch, self.heads = WatchCard(), HeadsCard()
        self.snapshot_list = self.watch.list
        self.time_machine = TimeMachineCard(open_model)
        self._run: RunInfo | None = None
        self._infos: list[RunInfo] = []
        self._sweep: str | None = None  # the id of the sweep on show, in place of a run
        self._awaits_sweep = False  # one was started: it is shown as soon as its folders are there
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self.show_runs([])
        self.show_snapshots([])

    # --- what the room shows

    def show_runs(self, runs: list[RunInfo]) -> None:
        for part in (self.runs, self.form.model, self.demos, self.view.curves):
            part.set_runs(runs)
        self._infos = runs
        own = next((run for run in runs if self._run is not None and run.path == self._run.path), None)
        if self._awaits_sweep and own is not None and own.sweep is not None:
            self.show_sweep(own.sweep.id)
        self._show_middle()

    def show_sweep(self, sweep_id: str) -> None:
        """A sweep in place of one run."""
        self._sweep, self._awaits_sweep = sweep_id, False
        self.runs_card.show_problem("")
        self._show_middle()

    def show_run(self, info: RunInfo | None) -> None:
        """Another run is selected; its metrics and snapshots come next."""
        self._run, self._sweep = info, None
        for card in (self.watch, self.heads, self.time_machine):
            card.show_run(info)
        self._side.setCurrentWidget(self.heads if info is not None and info.has_questions else self.watch)
        self.runs_card.show_problem("")
        self._show_middle()
        if info is not None:
            self.view.show_run(info)
        self._place_side()

    def show_status(self, info: RunInfo) -> None:
        self._run = info
        self.view.show_status(info)
        self.time_machine.show_run(info)
        self._place_time_machine()

    def show_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        for part in (self.time_machine, self.watch, self.heads, self.view):
            part.show_snapshots(snapshots)
        self._place_time_machine()

    def show_described(self, found: TaskFacts | TextFacts | Fault) -> None:
        """What the data of the run in the form is; with a fault in it there is nothing to start."""
        self.data.show_described(found)
        self.form.set_startable(not isinstance(found, Fault))

    def show_estimate(self, found: RunEstimate) -> None:
        """What the run in the form would take."""
        self.data.show_estimate(found)
        self.form.sweep.show_run_time(found.total.seconds)
        if not self.form.run_kind.starts_from_model:
            self.form.set_vocab_size(found.vocab_size)

    # --- building

    def _build(self) -> None:
        self._middle = QStackedWidget()
        self._start_card = self._invitation()
        for page in (self._start_card, self.view, self.data, self.sweep_page):
            self._middle.addWidget(page)
        grid = QGridLayout(self)
        grid.setContentsMargins(*[theme.px(GAP_PX)] * 4)
        self._side = QStackedWidget()
        for card in (self.watch, self.heads):
            self._side.addWidget(card)
        self._side.setFixedWidth(theme.column_px(SNAPSHOTS_PX))
        shown = QHBoxLayout()
        for layout in (grid, shown):
            layout.setSpacing(theme.px(GAP_PX))
        self._list_fold = Folded(self.runs_card, say("Runs"))
        self._watch_fold = Folded(self._side, say("Watch it learn"))
        self._list_fold.tab.toggled.connect(self._fold)
        self._after_layout = QTimer(self, singleShot=True)
        self._after_layout.timeout.connect(self._fold)
        for widget in (self._middle, self.view):
            widget.installEventFilter(self)
        grid.addWidget(self._list_fold, 0, 0)
        fill(shown, (self._middle, 1), self._watch_fold)
        grid.addLayout(shown, 0, 1)
        grid.addWidget(self.time_machine, 1, 0, 1, 2)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 1)

    def _invitation(self) -> Card:
        card = Card()
        self.invitation = label(say("No runs yet. Start one: the class demo takes about a minute."), "muted", wrap=True)
        self.invitation.setAlignment(Qt.AlignmentFlag.AlignCenter)
        start = button(say("Class demo"), lambda: self.demos.start(DEMOS[0]), look="primary")
        fill(card.body, None, self.invitation, 8)
        card.body.addWidget(start, 0, Qt.AlignmentFlag.AlignHCenter)
        card.body.addStretch(1)
        return card

    def _connect(self) -> None:
        for chooser in (self.runs.chosen, self.sweep_page.run_chosen, self.demos.finished_requested):
            chooser.connect(self._on_run_chosen)
        self.runs.sweep_chosen.connect(self.show_sweep)
        self.runs.row_menu_requested.connect(self._on_runs_menu_requested)
        self.sweep_page.action.connect(self._on_sweep_action)
        self.view.menu_requested.connect(self._on_view_menu_requested)
        self.view.page_changed.connect(self._place_side)
        self.view.ending.action.connect(self._on_ending_action)
        self.view.health.try_requested.connect(self._on_health_try_requested)
        self.run_actions.copy_requested.connect(self.runs_card.show_copy_form)
        self.run_actions.compare_requested.connect(self.view.curves.toggle_compared)
        self.run_actions.start_requested.connect(self.compare_with_start)
        for starter in self.starters:
            starter.started.connect(self._on_started)
        for source in (self.run_actions, self.demos):
            source.problem_found.connect(self.runs_card.show_problem)
        self.runs_card.page_changed.connect(self._on_runs_card_page_changed)
        self.form.changed.connect(self._on_form_changed)
        self.data.check_requested.connect(self._on_form_changed)
        self.snapshot_list.chosen.connect(self.time_machine.open_snapshot)
        self.time_machine.handle_placed.connect(self._on_handle_placed)
        self.time_machine.film_requested.connect(self._on_film_requested)
        self.time_machine.apply_requested.connect(self.apply_requested)
        for asking in (self.watch, self.heads, self.view.batch):
            asking.question_requested.connect(self.question_requested)
        page = self.view.questions
        page.text_chosen.connect(self.heads.show_text)
        page.step_shown.connect(self.heads.show_step)
        page.room_requested.connect(self._open_room_with)
        self.heads.head_chosen.connect(self._on_heads_head_chosen)

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
            self.run_selected.emit(path)

    @property
    def starters(self) -> tuple[NewRunForm, CopyForm, DemoPanel, RunActions]:
        """All that start runs: their signal `started` carries a RunCommand."""
        return self.form, self.copy_form, self.demos, self.run_actions

    def _on_started(self, command: RunCommand) -> None:
        self.runs_card.show_list()
        self.runs_card.show_problem("")
        self._awaits_sweep = command.varied is not None

    def _on_runs_card_page_changed(self) -> None:
        if self.runs_card.shows_list:
            self._list_fold.fold()  # a form has opened it; now the curves need the room again
        else:
            self._list_fold.unfold()
        self._show_middle()
        self._fold()
        if self.runs_card.shows_form:
            self._on_form_changed()
        else:
            self.estimate_cancelled.emit()

    def _on_form_changed(self) -> None:
        if not self.runs_card.shows_form:
            return
        self.data.show_pending()
        self.form.set_startable(True)
        self.form.sweep.show_run_time(None)
        try:
            self.estimate_requested.emit(self.form.planned())
        except BertcoreError as error:
            self.estimate_cancelled.emit()
            self.data.show_problem(str(error))

    def _on_run_chosen(self, path: Path) -> None:
        self._awaits_sweep = False
        if self._run is None or path != self._run.path:
            self.run_selected.emit(path)
        elif self._sweep is not None:
            self._sweep = None
            self._show_middle()

    def _on_runs_menu_requested(self, row: RunInfo | SweepRow, at: QPoint) -> None:
        if isinstance(row, SweepRow):
            show_context_menu(self, at, self.run_actions.entries_of_sweep(row))
            return
        curves, words = self.view.curves, ""
        if self._run is not None and curves.can_compare(row):
            is_there = row.path in curves.compared_paths
            words = say("Remove its curves") if is_there else say("Compare its curves")
        show_context_menu(self, at, self.run_actions.entries(row, words))

    def _on_view_menu_requested(self, at: QPoint) -> None:
        if self._run is not None:
            show_context_menu(self, at, self.run_actions.entries(self._run))

    def _on_ending_action(self, action: Action) -> None:
        """What a person chose to do with a run that is over."""
        run, machine, ending = self._run, self.time_machine, self.view.ending.finding
        if run is None or ending is None:
            return
        match action:
            case finding.RESUME:
                self.view.control_requested.emit(run.path, "resume")
            case finding.SLOWER:
                self.runs_card.show_copy_form(run, another_rate(self.view.record))
            case finding.COPY:
                self.runs_card.show_copy_form(run)
            case finding.COMPARE:
                self.compare_with_start(run)
            case finding.CONTINUE:
                self.runs_card.show_continue_form(machine.snapshots[machine.final][1])
            case finding.BEST:
                at = nearest_snapshot([step for step, _ in machine.snapshots], ending.best_step or 0)
                machine.open_snapshot(machine.final if at is None else at)
            case finding.OPEN | finding.APPLY:
                machine.open_snapshot(machine.final)
                if action is finding.APPLY:
                    self.apply_requested.emit()

    def _on_health_try_requested(self, suggestion: Suggestion) -> None:
        if self._run is not None:
            self.runs_card.show_copy_form(self._run, suggestion)

    def _on_sweep_action(self, action: Action, path: Path) -> None:
        """What a person chose to do with a sweep; path: its best run."""
        run = next((run for run in self._infos if run.path == path), None)
        row, snapshot = self.sweep_page.row, RunFolder(path).final_snapshot()
        if action is finding.RESUME_SWEEP and row is not None:
            self.sweep_resume_requested.emit([each.path for each in row.runs])
        elif action is finding.COPY_BEST_RUN and run is not None:
            self.runs_card.show_copy_form(run)
        elif action is finding.THREE_SEEDS and run is not None:
            self.run_actions.start_several(run, three_seeds)
        elif snapshot is None:
            self.runs_card.show_problem(say("The snapshots of this run are gone."))
        else:
            self._open_model.open(snapshot)
            if action is finding.APPLY_BEST_RUN:
                self.apply_requested.emit()

    def _open_room_with(self, key: str, text: str, head: tuple[int, int] | None = None) -> None:
        """The newest snapshot, or the one that is open already."""
        if self.time_machine.open_chosen():
            self.room_requested.emit(key, text, head)

    def _on_heads_head_chosen(self, layer: int, head: int) -> None:
        question = self.view.questions.question
        if question is not None:
            self._open_room_with("attend", question.text, (layer, head))

    def _on_film_requested(self) -> None:
        question = self.view.questions.question if self._run is not None and self._run.has_questions else None
        self.room_requested.emit("film", "" if question is None else question.text, None)

    def _on_handle_placed(self) -> None:
        self.snapshot_list.set_chosen(self.time_machine.chosen)

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
        """Beside the form what it would train on; else the sweep that was chosen, as long as one of its runs is there;
        else a run, or an invitation to start one."""
        if self._sweep is not None:
            try:
                self.sweep_page.show_row(sweep_row(self._infos, self._sweep))
                self.runs.set_diverged(self.sweep_page.diverged)
            except ValueError:
                self._sweep = None
        page = self._start_card if not self._infos else self.view if self._sweep is None else self.sweep_page
        self._middle.setCurrentWidget(self.data if self.runs_card.shows_form else page)
        self.runs.set_selected(self._sweep or (self._run.path if self._run is not None else None))
        self._place_time_machine()

    def _place_time_machine(self) -> None:
        """Of the run on show, as long as it has snapshots, or may get some."""
        is_of_run = self._sweep is None and not self.runs_card.shows_form
        self.time_machine.setVisible(is_of_run and self.time_machine.may_have_snapshots)
        self._place_side()

    def _place_side(self) -> None:
        """A batch needs the room of the card beside it."""
        is_task = self._run is not None and self._run.task_kind is not None
        has_room = not (is_task or self.view.shows_batch or self.runs_card.shows_form or self._sweep is not None)
        has_questions = self._run is not None and self._run.has_questions  # its heads are there without a snapshot
        self._watch_fold.setVisible(has_room and (has_questions or self.time_machine.may_have_snapshots))

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
        words, wanted = (self._side.maximumWidth(), CURVES_PX) if self._sweep is None else (0, SWEEP_PX)
        room = self.width() - 4 * theme.px(GAP_PX)
        runs, tab = self.runs_card.maximumWidth(), self._list_fold.tab.sizeHint().width()
        self._list_fold.set_foldable(room - max(least, theme.px(wanted)) < runs + words)
        is_unfolded = not self._list_fold.tab.isHidden() and self._list_fold.tab.isChecked()
        beside = tab + runs + theme.px(4) if is_unfolded else tab
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
