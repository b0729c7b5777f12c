"""Room Train: start a run, watch it learn, open any snapshot of it in every room."""

import contextlib
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QStackedWidget, QWidget

from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.runs.diagnosis import Diagnosis, Suggestion, slower
from bertcore.runs.run_folder import RunFolder
from bertcore.training.run_estimate import RunEstimate

from ...compute.open_model import OpenModel
from ...look import numbers, theme
from ...runs import sweeps
from ...runs.ending import AGAIN, APPLY, BEST, COMPARE, GO_ON, ON, OPEN, SLOWER, nearest_snapshot
from ...runs.process import RunCommand
from ...runs.run_info import RunInfo
from ...runs.sweeps import SEEDS, USE, SweepRow, sweep_row, three_seeds
from ...widgets.card import GAP_PX, Card, Hint, button, label, scrolled, set_role
from ...widgets.context_menu import show_context_menu
from ...widgets.folding_card import Folded
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.offer_line import OfferLine
from .copy_form import CopyForm
from .data_card import DataCard
from .demos import DEMOS, DemoPanel
from .heads_card import HeadsCard
from .new_run_form import NewRunForm
from .run_actions import RunActions
from .run_list import RunList
from .run_view import RunView
from .settings_file import is_settings
from .snapshots import SnapshotSlider
from .sweep_page import SweepPage
from .watch_card import WatchCard

LIST_PX, FORM_PX, SNAPSHOTS_PX = 250, 280, 268
CURVES_PX = 400  # what the curves shall have before the cards beside them


class TrainRoom(QWidget):
    """Shows what the runs service reports, says by signals what the person wants of a run, and opens its snapshots."""

    start_requested = Signal(object)  # RunCommand
    control_requested = Signal(object, str)  # Path of a run, "pause" | "resume" | "stop"
    sweep_resume_requested = Signal(list)  # list[Path]: all runs of a sweep
    run_selected = Signal(object)  # Path of a run
    apply_requested = Signal()  # the model that is being opened is to be tried in the room Apply
    # key of a room, a text, a head (layer, head) or None: the model that is being opened is to be seen with them
    room_requested = Signal(str, str, object)
    play_requested = Signal(object)  # snapshots, as RunFolder.snapshots; or no more of it
    compare_requested = Signal(object)  # Path of a snapshot: the model that is being opened is compared with it
    put_back_requested = Signal()  # the run that was moved to the bin last
    visibility_changed = Signal(bool)  # runs need not be followed while nobody sees them
    estimate_requested = Signal(object)  # RunCommand: what would it learn from, and what would it take?
    estimate_cancelled = Signal()
    question_requested = Signal(object)  # Question
    question_cancelled = Signal(object)  # Question

    def __init__(self, open_model: OpenModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_model = open_model
        self.runs = RunList()
        self.form, self.data = NewRunForm(), DataCard()
        self.copy_form = CopyForm()
        self.run_actions = RunActions(self)
        self._bin_offer: OfferLine | None = None
        self.demos = DemoPanel()
        self.view = RunView()
        self.sweep_page = SweepPage()
        self.watch = WatchCard()
        self.heads = HeadsCard()
        self.snapshot_list = self.watch.list
        self.slider = SnapshotSlider()
        self._run: RunInfo | None = None
        self._snapshots: list[tuple[int, Path]] = []
        self._chosen: int | None = None  # where the handle is
        self._runs: list[RunInfo] = []
        self._sweep: str | None = None  # the id of the sweep on show, in place of a run
        self._awaits_sweep = False  # one was started: it is shown as soon as its folders are there
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self.show_runs([])
        self.show_snapshots([])

    @property
    def chosen_step(self) -> int | None:
        """The step that the handle is at."""
        return None if self._chosen is None else self._snapshots[self._chosen][0]

    # --- what the room shows

    def show_runs(self, runs: list[RunInfo]) -> None:
        self.runs.set_runs(runs)
        self.form.set_runs(runs)
        self.demos.set_runs(runs)
        self.view.curves.set_runs(runs)
        self._runs = runs
        if self._awaits_sweep and self._run is not None:
            own = next((run for run in runs if run.path == self._run.path and run.sweep is not None), None)
            if own is not None and own.sweep is not None:
                self.show_sweep(own.sweep.id)
        self._show_middle()

    def show_sweep(self, sweep_id: str) -> None:
        """A sweep in place of one run."""
        self._sweep, self._awaits_sweep = sweep_id, False
        self.show_problem("")
        self._show_middle()

    def show_run(self, info: RunInfo | None) -> None:
        """Another run is selected; its metrics and snapshots come next."""
        self._run = info
        self.watch.show_run(info)
        self.heads.show_run(info)
        self._side.setCurrentWidget(self.heads if info is not None and info.has_questions else self.watch)
        self.show_problem("")
        self._sweep = None
        self._show_middle()
        self.apply_button.setVisible(info is not None and info.task_kind is not None)
        if info is not None:
            self.view.show_run(info)
        self._on_view_page_changed()

    def show_status(self, info: RunInfo) -> None:
        self._run = info
        self.view.show_status(info)
        self._show_possible()

    def show_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        """The handle follows the newest until one of this run is open in the rooms."""
        self._snapshots = snapshots
        self.slider.set_snapshots(snapshots)
        self.watch.show_snapshots(snapshots)
        self.heads.show_snapshots(snapshots)
        self.view.batch.show_snapshots([step for step, _ in snapshots])
        self._place_handle()
        self._show_possible()

    def show_playing(self, is_playing: bool) -> None:
        """Whether snapshots are being played, these or others."""
        self.play.setText(self.tr("Stop playing") if is_playing else self.tr("Play"))

    def show_problem(self, sentence: str) -> None:
        set_role(self._problem, "error")
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))

    def show_done(self, sentence: str) -> None:
        """What was done, where a problem would be said."""
        self.show_problem(sentence)
        set_role(self._problem, "muted")

    # --- building

    def _build(self) -> None:
        self._problem = label("", "error", wrap=True)
        self._time_text = Hint()
        self.play = button(
            self.tr("Play"),
            lambda: self.play_requested.emit(tuple(self._snapshots)),
            hint=self.tr("Step through the snapshots one by one"),
        )
        self.film_button = button(self.tr("Film strip"), self._on_film_clicked)
        self.film_button.setToolTip(self.tr("All snapshots of this run side by side: from noise to patterns"))
        self.open_button = button(self.tr("Open everywhere"), self._on_open_clicked, look="primary")
        self.open_button.setToolTip(self.tr("All pictures, from Map to Layers, show the model as it was at this step"))
        self.apply_button = button(self.tr("Try it in Apply"), self._on_apply_clicked)
        self.apply_button.setToolTip(self.tr("Run the model from this step on your own text"))
        self.apply_button.hide()
        self._middle = QStackedWidget()
        self._start_card = self._invitation()
        self._middle.addWidget(self._start_card)
        self._middle.addWidget(self.view)
        self._middle.addWidget(self.data)
        self._middle.addWidget(self.sweep_page)
        grid = QGridLayout(self)
        grid.setContentsMargins(*[theme.px(GAP_PX)] * 4)
        self._side = QStackedWidget()
        for card in (self.watch, self.heads):
            self._side.addWidget(card)
        self._side.setFixedWidth(theme.column_px(SNAPSHOTS_PX))
        shown = QHBoxLayout()
        for layout in (grid, shown):
            layout.setSpacing(theme.px(GAP_PX))
        self._list_fold = Folded(self._runs_card(), self.tr("Runs"))
        self._watch_fold = Folded(self._side, self.tr("Watch it learn"))
        self._list_fold.tab.toggled.connect(self._fold)
        grid.addWidget(self._list_fold, 0, 0)
        fill(shown, (self._middle, 1), self._watch_fold)
        grid.addLayout(shown, 0, 1)
        self._time = self._time_card()
        grid.addWidget(self._time, 1, 0, 1, 2)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 1)

    def _runs_card(self) -> Card:
        self._about_runs = self.tr("A run is the training of one model. Click one to see it.")
        card = self._runs_frame = Card(self.tr("Runs"), intro=self._about_runs)
        self._new = button(self.tr("New run"), self.show_form, look="primary")
        keeps_its_place = self._new.sizePolicy()
        keeps_its_place.setRetainSizeWhenHidden(True)
        self._new.setSizePolicy(keeps_its_place)
        card.add_to_header(self._new)
        self._left = QStackedWidget()
        self._left.addWidget(scrolled(self._run_column()))
        self._left.addWidget(self.form)
        self._left.addWidget(self.copy_form)
        fill(card.body, self._problem, self._left)
        card.setFixedWidth(theme.column_px(LIST_PX))
        return card

    def _run_column(self) -> QWidget:
        holder = QWidget()
        vbox(self.demos, self.runs, None, parent=holder)
        return holder

    def _invitation(self) -> Card:
        card = Card()
        self.invitation = label(
            self.tr("No runs yet. Start one: the class demo takes about a minute."), "muted", wrap=True
        )
        self.invitation.setAlignment(Qt.AlignmentFlag.AlignCenter)
        start = button(self.tr("Class demo"), lambda: self.demos.start(DEMOS[0]), look="primary")
        fill(card.body, None, self.invitation, 8)
        card.body.addWidget(start, 0, Qt.AlignmentFlag.AlignHCenter)
        card.body.addStretch(1)
        return card

    def _time_card(self) -> Card:
        card = Card(
            self.tr("Time machine"),
            intro=self.tr(
                "Drag to any step, and open it: all pictures, from Map to Layers, show the model as it was "
                "then. Early steps are saved more often, because most changes happen there."
            ),
        )
        row = hbox(self.play, self.film_button, (self._time_text, 1), self.apply_button, self.open_button)
        fill(card.body, self.slider, row)
        return card

    def _connect(self) -> None:
        self.runs.chosen.connect(self._on_run_chosen)
        self.runs.sweep_chosen.connect(self.show_sweep)
        self.sweep_page.run_chosen.connect(self._on_run_chosen)
        self.sweep_page.action.connect(self._on_sweep_action)
        self.sweep_page.stop_requested.connect(self._on_sweep_stop_requested)
        self.runs.context_menu_requested.connect(self._on_runs_menu_requested)
        self.view.menu_requested.connect(self._on_view_menu_requested)
        self.view.ending.action.connect(self._on_ending_action)
        self.view.health.try_requested.connect(self._on_health_try_requested)
        self.run_actions.copy_requested.connect(self._on_copy_requested)
        self.run_actions.compare_requested.connect(self.view.curves.toggle_compared)
        self.run_actions.start_requested.connect(self.compare_with_start)
        self.run_actions.problem_found.connect(self.show_problem)
        self.copy_form.cancelled.connect(self.show_list)
        for starter in (self.form, self.copy_form, self.demos, self.run_actions):
            starter.started.connect(self._on_form_started)
        self.demos.finished_requested.connect(self._on_run_chosen)
        self.demos.problem_found.connect(self.show_problem)
        self.form.cancelled.connect(self.show_list)
        self.form.changed.connect(self._on_form_changed)
        self.view.command_given.connect(self._on_command_given)
        for chooser in (self.snapshot_list, self.slider):
            chooser.chosen.connect(self._on_chooser_chosen)
        for signal in (self._open_model.requested, self._open_model.opened, self._open_model.failed):
            signal.connect(self._on_open_model_signal)
        for asking in (self.watch, self.heads, self.view.batch):
            asking.question_requested.connect(self.question_requested)
            asking.question_cancelled.connect(self.question_cancelled)
        self.view.page_changed.connect(self._on_view_page_changed)
        page = self.view.questions
        page.text_chosen.connect(self.heads.show_text)
        page.step_shown.connect(self.heads.show_step)
        page.room_requested.connect(self._on_page_room_requested)
        self.heads.head_chosen.connect(self._on_heads_head_chosen)

    # --- what the person does

    def show_form(self) -> None:
        """The form for a new run, in place of the list."""
        self._left.setCurrentIndex(1)
        self._runs_frame.set_title(self.tr("New run"))
        self._new.hide()
        self._runs_frame.setFixedWidth(theme.column_px(FORM_PX))
        self._list_fold.unfold()
        self._show_middle()
        self._fold()
        self.form.kind.setFocus()
        self._on_form_changed()

    def show_task_form(self, folder: Path | None) -> None:
        """The form for fine-tuning on a task, starting from this checkpoint."""
        self.form.set_kind("classify")
        is_built_in = folder is None or folder.resolve() == built_in_checkpoint().resolve()
        self.form.model.set_folder(None if is_built_in else str(folder))
        self.show_form()

    def show_continue_form(self, snapshot: Path) -> None:
        """The form for a run that goes on from this model."""
        self.form.set_kind("continue")
        self.form.model.set_folder(str(snapshot))
        self.show_form()

    def show_copy_form(self, run: RunInfo, suggested: Suggestion | None = None) -> None:
        """The form for a run with the settings of this one, in place of the list."""
        try:
            self.copy_form.show_run(run, suggested)
        except BertcoreError as error:
            self.show_problem(str(error))
            return
        self.show_form()
        self._left.setCurrentWidget(self.copy_form)
        self._show_middle()
        self.copy_form.name.setFocus()

    def show_binned(self, name: str) -> None:
        """A run is in the bin: it can be put back from here."""
        if self._bin_offer is not None:
            self._bin_offer.deleteLater()
        self._bin_offer = OfferLine(self.tr("“{name}” is in the bin.").format(name=name), self.tr("Put it back"))
        self._bin_offer.accepted.connect(self.put_back_requested)
        self._runs_frame.body.insertWidget(1, self._bin_offer)

    def compare_with_start(self, run: RunInfo) -> None:
        """Opens its last step, to be compared with its first."""
        snapshots = RunFolder(run.path).snapshots()
        if len(snapshots) > 1:
            self._open_model.open(snapshots[-1][1])
            self.compare_requested.emit(snapshots[0][1])

    def show_list(self) -> None:
        self._left.setCurrentIndex(0)
        self._runs_frame.set_title(self.tr("Runs"))
        self._runs_frame.setFixedWidth(theme.column_px(LIST_PX))
        self._new.show()
        self._show_middle()
        self.estimate_cancelled.emit()

    @property
    def _is_form_open(self) -> bool:
        return self._left.currentWidget() is self.form

    def _show_middle(self) -> None:
        """Beside the form what it would train on; else the sweep that was chosen, as long as one of its runs is there;
        else a run, or an invitation to start one."""
        if self._sweep is not None:
            try:
                self.sweep_page.show_row(sweep_row(self._runs, self._sweep))
            except ValueError:
                self._sweep = None
        page = self.view if self._sweep is None else self.sweep_page
        self._middle.setCurrentWidget(self.data if self._is_form_open else page if self._runs else self._start_card)
        selected = self._run.path if self._run is not None else None
        self.runs.set_selected(self._sweep or selected)
        self._show_time_card()
        is_listed = self._left.currentIndex() == 0
        self._runs_frame.set_intro(self._about_runs if is_listed else "")
        self._on_view_page_changed()

    def show_estimate(self, found: RunEstimate) -> None:
        """What the run in the form would take."""
        self.data.show_estimate(found)
        self.form.sweep.show_run_time(found.total.seconds)
        if not self.form.run_kind.starts_from_model:
            self.form.set_vocab_size(found.vocab_size)

    def _on_form_changed(self) -> None:
        if not self._is_form_open:
            return
        self.data.show_pending()
        self.form.sweep.show_run_time(None)
        try:
            self.estimate_requested.emit(self.form.planned())
        except BertcoreError as error:
            self.estimate_cancelled.emit()
            self.data.show_problem(str(error))

    def _on_form_started(self, command: object) -> None:
        self.show_list()
        self.show_problem("")
        self._awaits_sweep = isinstance(command, RunCommand) and command.varied is not None
        self.start_requested.emit(command)

    def _on_run_chosen(self, path: Path) -> None:
        self._awaits_sweep = False
        if self._run is None or path != self._run.path:
            self.run_selected.emit(path)
        elif self._sweep is not None:
            self._sweep = None
            self._show_middle()

    def _on_runs_menu_requested(self, index: int | None, at: QPoint) -> None:
        if index is None:
            return
        run, own = self.runs.rows[index], self._run
        if isinstance(run, SweepRow):
            show_context_menu(self, at, self.run_actions.entries_of_sweep(run))
            return
        curves = self.view.curves
        words = ""
        if own is not None and run.path != own.path and curves.can_compare(run):
            is_there = run.path in curves.compared_paths
            words = self.tr("Remove its curves") if is_there else self.tr("Compare its curves")
        show_context_menu(self, at, self.run_actions.entries(run, words))

    def _on_view_menu_requested(self, at: QPoint) -> None:
        if self._run is not None:
            show_context_menu(self, at, self.run_actions.entries(self._run))

    def _on_copy_requested(self, run: RunInfo) -> None:
        self.show_copy_form(run)

    def _on_ending_action(self, action: str) -> None:
        """What a person chose to do with a run that is over."""
        run = self._run
        if run is None:
            return
        steps = [step for step, _ in self._snapshots]
        if action == GO_ON:
            self.control_requested.emit(run.path, "resume")
        elif action in (SLOWER, AGAIN):
            self.show_copy_form(run, slower(self.view.record) if action == SLOWER else None)
        elif action == BEST and self.view.ending.ending is not None:
            at = nearest_snapshot(steps, self.view.ending.ending.best_step or 0)
            if at is not None:
                self._on_chooser_chosen(at)
        elif action == COMPARE:
            self.compare_with_start(run)
        elif action == ON and steps:
            self.show_continue_form(self._snapshots[-1][1])
        elif steps:
            self._on_chooser_chosen(len(steps) - 1)
            if action == APPLY:
                self.apply_requested.emit()

    def _on_health_try_requested(self, diagnosis: Diagnosis) -> None:
        if self._run is not None:
            self.show_copy_form(self._run, diagnosis.suggestion)

    def _on_sweep_action(self, action: str, path: Path) -> None:
        """What a person chose to do with the best run of a sweep."""
        run = next((run for run in self._runs if run.path == path), None)
        snapshot = RunFolder(path).newest_snapshot()
        if run is not None and action == USE:
            self.show_copy_form(run)
        elif action == GO_ON and self.sweep_page.row is not None:
            self.sweep_resume_requested.emit([each.path for each in self.sweep_page.row.runs])
        elif run is not None and action == SEEDS:
            self.run_actions.start_several(run, three_seeds)
        elif snapshot is None:
            self.show_problem(self.tr("The snapshots of this run are gone."))
        else:
            self._open_model.open(snapshot)
            if action == sweeps.APPLY:
                self.apply_requested.emit()

    def _on_sweep_stop_requested(self, runs: list[Path]) -> None:
        for run in runs:
            self.control_requested.emit(run, "stop")

    def _show_possible(self) -> None:
        """What can be done at the end of this run."""
        run, possible = self._run, {SLOWER, AGAIN}
        if self._snapshots:
            possible |= {OPEN, BEST, APPLY, ON}
        if len(self._snapshots) > 1:
            possible.add(COMPARE)
        if run is not None and run.can_resume:
            possible.add(GO_ON)
        self.view.set_possible(possible)

    def _on_command_given(self, command: str) -> None:
        if self._run is not None:
            self.control_requested.emit(self._run.path, command)

    def _on_chooser_chosen(self, index: int) -> None:
        self._open_model.open(self._snapshots[index][1])

    def _on_open_clicked(self) -> None:
        if self._chosen is not None:
            self._on_chooser_chosen(self._chosen)

    def _on_apply_clicked(self) -> None:
        if self._chosen is not None:
            self._on_chooser_chosen(self._chosen)
            self.apply_requested.emit()

    def _on_page_room_requested(self, key: str, text: str, head: tuple[int, int] | None = None) -> None:
        """The newest snapshot, or the one that is open already."""
        if self._chosen is not None:
            self._on_chooser_chosen(self._chosen)
            self.room_requested.emit(key, text, head)

    def _on_view_page_changed(self) -> None:
        """A batch needs the room of the card beside it."""
        is_task = self._run is not None and self._run.task_kind is not None
        has_room = not (is_task or self.view.shows_batch or self._is_form_open or self._sweep is not None)
        self._watch_fold.setVisible(has_room)

    def _on_heads_head_chosen(self, layer: int, head: int) -> None:
        question = self.view.questions.question
        if question is not None:
            self._on_page_room_requested("attend", question.text, (layer, head))

    def _on_film_clicked(self) -> None:
        """With one of its snapshots open: the film strip is of the open model's run."""
        if self._chosen is not None and not self._is_of_run(self._open_model.newest_folder):
            self._on_chooser_chosen(self._chosen)
        question = self.view.questions.question if self._run is not None and self._run.has_questions else None
        self.room_requested.emit("film", "" if question is None else question.text, None)

    # --- the model that every room shows

    def _on_open_model_signal(self, *_about: object) -> None:
        self._place_handle()

    def _place_handle(self) -> None:
        """At the snapshot that is open; nowhere if that one is no longer kept; else, to be opened, at the newest."""
        paths, folder = [path for _, path in self._snapshots], self._open_model.newest_folder
        if folder in paths:
            self._chosen = paths.index(folder)
        else:
            self._chosen = None if self._is_of_run(folder) or not paths else len(paths) - 1
        self._show_time_card()
        self.snapshot_list.set_chosen(self._chosen)
        self.slider.set_chosen(self._chosen)
        for widget in (self.play, self.film_button, self.slider):
            widget.setEnabled(bool(paths))
        for made in (self.open_button, self.apply_button):
            made.setEnabled(self._chosen is not None)
        self._time_text.setText(self._about_time() if paths else self.tr("no snapshots"))

    def _is_of_run(self, folder: Path | None) -> bool:
        return folder is not None and self._run is not None and folder.parent.parent == self._run.path

    def _show_time_card(self) -> None:
        """Of the run on show, as long as it has snapshots, or may get some."""
        may_have = bool(self._snapshots) or self._run is None or not self._run.is_built_in
        self._time.setVisible(may_have and self._sweep is None and not self._is_form_open)

    def _about_time(self) -> str:
        newest, path = self._snapshots[-1]
        if self._chosen is None:
            parts = [self.tr("the open snapshot is no longer there")]
        else:
            step, folder = self._snapshots[self._chosen]
            at = self.tr("step {step} of {newest}")
            parts = [at.format(step=numbers.count(step), newest=numbers.count(newest))]
            if folder == self._open_model.newest_folder:
                parts.append(self.tr("open"))
        parts.append(self.tr("%n snapshot(s) kept", "", len(self._snapshots)))
        with contextlib.suppress(OSError):
            size = numbers.file_size((path / "model.safetensors").stat().st_size)
            parts.append(self.tr("{size} each").format(size=size))
        return " · ".join(parts)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A file that is dropped while the form is open is what to learn from; else it is the window's."""
        if self._is_form_open and any(url.isLocalFile() for url in event.mimeData().urls()):
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # longer words in the middle, for instance
            self._fold()
        return super().event(event)

    def _fold(self) -> None:
        """The curves come first: where there is little room, the cards beside them fold away."""
        least = self._middle.minimumSizeHint().width()
        words = self._side.maximumWidth() if self._sweep is None else 0  # a sweep has no card beside it
        room = self.width() - 4 * theme.px(GAP_PX)
        runs, tab = self._runs_frame.maximumWidth(), self._list_fold.tab.sizeHint().width()
        self._list_fold.set_foldable(room - max(least, theme.px(CURVES_PX)) < runs + words)
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
