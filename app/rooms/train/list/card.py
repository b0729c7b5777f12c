"""The card at the left: the list of runs or, in its place, a form for a new one."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QPushButton, QStyle, QWidget

from bertcore.data.small_world import World
from bertcore.errors import BertcoreError, printable
from bertcore.locations import CLASS_DEMO, assets, built_in_checkpoint, home
from bertcore.runs.diagnosis import Suggestion
from bertcore.runs.known_runs import is_run
from bertcore.training.pretrain_options import PretrainOptions

from ....look import mark, say, theme
from ....look.fitting import fitting_line
from ....runs.process import RunCommand
from ....runs.run_info import RunInfo
from ....runs.run_sentences import BUSY, shown_name, state_line
from ....runs.run_state import RunState
from ....runs.sweeps import SweepRow, rows_of, sweep_line
from ....widgets.banner import OfferLine
from ....widgets.card import Card, button, label, scrolled, set_role, show_text
from ....widgets.charts.drawing import Box
from ....widgets.layouts import discard, fill, stacked, vbox
from ....widgets.table import RowList
from ..form.new_run_form import NewRunForm

GAP_PX, BAR_PX, PADDING_PX, INDENT_PX = 6, 4, 8, 16
STATE_COLORS = {"starting": "accent", "running": "accent", "paused": "warn", "done": "good", "failed": "bad"}
Row = RunInfo | SweepRow
LIST_PX, FORM_PX = 268, 302
BETWEEN_PX = 8  # a demo and the next
ABOUT_RUNS = mark("A run is the training of one model. Click one to see it.")


class RunsCard(Card):
    """Demos and runs; in their place the form for a new run."""

    page_changed = Signal()  # the list, or another form

    def __init__(self, state: RunState) -> None:
        super().__init__(say("Runs"), intro=say(ABOUT_RUNS))
        self._state = state
        self.demos, self.runs = DemoPanel(state), RunList(state)
        self.form = NewRunForm(state)
        self._bin_offer: OfferLine | None = None
        self._problem = label("", "error", wrap=True)
        self._new = button(say("New run"), self.show_form)
        keeps_its_place = self._new.sizePolicy()
        keeps_its_place.setRetainSizeWhenHidden(True)
        self._new.setSizePolicy(keeps_its_place)
        self.add_to_header(self._new)
        self._list = scrolled(vbox(self.demos, self.runs, None, margins=(0, 0, theme.px(4), 0)))
        self._pages = stacked(self._list, self.form)
        fill(self.body, self._problem, self._pages)
        self.setFixedWidth(theme.column_px(LIST_PX))
        self.form.cancelled.connect(self.show_list)
        state.problem_found.connect(self.show_problem)
        state.done.connect(self._show_done)
        state.binned.connect(self._show_binned)
        for changed in (state.run_changed, state.sweep_changed):
            changed.connect(self.show_problem)

    @property
    def shows_form(self) -> bool:
        """The form for a new run."""
        return self._pages.currentWidget() is self.form

    def show_list(self) -> None:
        self._show_page(self._list)

    def show_form(self) -> None:
        """The form for a new run, in place of the list; what was taken over from another is left behind."""
        if not self.form.about.isHidden():
            self.form.set_kind(self.form.run_kind.key)
        self._show_page(self.form)
        self.form.kind.setFocus()

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
            self.form.show_run(run, suggested)
        except BertcoreError as error:
            self.show_problem(str(error))
            return
        self._show_page(self.form)
        self.form.name.setFocus()

    def _show_page(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        is_list = page is self._list
        self.set_title(say("Runs") if is_list else say("New run"))
        self.set_intro(say(ABOUT_RUNS) if is_list else "")
        self._new.setVisible(is_list)
        self.setFixedWidth(theme.column_px(LIST_PX if is_list else FORM_PX))
        self.page_changed.emit()

    def show_problem(self, sentence: str = "") -> None:
        set_role(self._problem, "error")
        show_text(self._problem, sentence)

    def _show_done(self, sentence: str) -> None:
        """What was done, where a problem would be said."""
        self.show_problem(sentence)
        set_role(self._problem, "muted")

    def _show_binned(self, name: str) -> None:
        """A run is in the bin: it can be put back from here."""
        if self._bin_offer is not None:
            discard(self._bin_offer)
        self._bin_offer = OfferLine(say("“{name}” is in the bin.", name=name), say("Put it back"))
        self._bin_offer.accepted.connect(self._state.put_back_requested)
        self.body.insertWidget(1, self._bin_offer)


class RunList(RowList):
    """Runs and sweeps; the runs of the sweep that is open are below it."""

    row_px = 64

    def __init__(self, state: RunState) -> None:
        super().__init__(say("Runs"))
        self._state = state
        self._diverged: frozenset[Path] = frozenset()
        self.row_chosen.connect(
            lambda row: state.choose(row.path) if isinstance(row, RunInfo) else state.show_sweep(row.id)
        )
        for changed in (state.runs_changed, state.run_changed, state.sweep_changed):
            changed.connect(self._fill)

    def set_diverged(self, runs: frozenset[Path]) -> None:
        """The finished runs of a sweep that are worse than untrained: their folders do not say so."""
        if runs != self._diverged:
            self._diverged = runs
            self._fill()

    def state_line(self, run: RunInfo) -> str:
        return state_line(run, say("Diverged") if run.path in self._diverged else "")

    def row_text(self, row: Row) -> str:
        if isinstance(row, SweepRow):
            return f"{row.name}, {say('sweep')}, {sweep_line(row)}"
        return ", ".join(filter(None, (row.name, _does(row), self.state_line(row))))

    def row_tip(self, row: Row) -> str:
        if isinstance(row, SweepRow):
            return f"{row.name}\n{sweep_line(row)}"
        tags = " ".join(f"#{tag}" for tag in row.tags)
        title = " · ".join(filter(None, (row.name, _does(row))))
        lines = (title, row.about, self.state_line(row), tags, row.note, printable(str(row.path)))
        return "\n".join(filter(None, lines))

    def paint_row(self, painter: QPainter, box: QRectF, row: Row, state: QStyle.StateFlag) -> None:
        box, pad = box.adjusted(0, 0, 0, -theme.px(GAP_PX)), theme.px(PADDING_PX)
        if isinstance(row, SweepRow):
            name, does, line = row.name, say("sweep"), sweep_line(row)
            fraction, color, is_bad = row.fraction, "accent" if row.is_active else "good", False
        else:
            name, line, is_bad = shown_name(row, short=True), self.state_line(row), row.status.state == "failed"
            does = "" if row.sweep is not None else _does(row)
            fraction = 1.0 if row.status.state == "done" else row.status.fraction
            color = "warn" if row.path in self._diverged else STATE_COLORS.get(row.status.state, "muted")
            if row.sweep is not None:
                box.setLeft(theme.px(INDENT_PX))
        is_selected = _key(row) == (self._state.sweep or self._state.selected)
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            Box(box, "accent_tint" if is_selected else "hover", radius_px=theme.px(6)).paint(painter)
        inner = box.adjusted(pad, theme.px(6), -pad, -pad)
        does = f" · {does}" if does else ""
        name_width = min(_width(name, is_bold=True), inner.width() - _width(does))
        _write(painter, QRectF(inner.left(), inner.top(), name_width + 1, inner.height()), name, "ink", is_bold=True)
        _write(painter, inner.adjusted(name_width, theme.px(1), 0, 0), does, "muted")
        _write(painter, inner.adjusted(0, theme.px(19), 0, 0), line, "bad" if is_bad else "muted")
        height = theme.px(BAR_PX)
        track = QRectF(inner.left(), inner.bottom() - height, inner.width(), height)
        Box(track, "track", radius_px=height / 2).paint(painter)
        if fraction > 0:
            track.setWidth(max(height, fraction * track.width()))
            Box(track, color, radius_px=height / 2).paint(painter)

    def _fill(self) -> None:
        state, chosen = self._state, self._state.sweep or self._state.selected
        open_sweeps = (run.sweep.id for run in state.runs if run.path == chosen and run.sweep is not None)
        self.set_rows(rows_of(state.runs, state.sweep or next(open_sweeps, None)))
        keys = list(map(_key, self.rows))
        self.set_current(keys.index(chosen) if chosen in keys else None)


def _does(run: RunInfo) -> str:
    """The name of a run that ships says it."""
    return "" if run.is_built_in else run.does


def _key(row: Row) -> Path | str:
    return row.path if isinstance(row, RunInfo) else row.id


def _write(painter: QPainter, box: QRectF, text: str, color: str, *, is_bold: bool = False) -> None:
    theme.draw_text(painter, box, text, color, 13 if is_bold else 12, align=Qt.AlignmentFlag.AlignTop, medium=is_bold)


def _width(text: str, *, is_bold: bool = False) -> float:
    return QFontMetricsF(theme.font(13 if is_bold else 12, medium=is_bold)).horizontalAdvance(fitting_line(text))


@dataclass(frozen=True)
class Demo:
    """A recipe in assets/recipes; the text it learns from, and its questions, have a name in common."""

    recipe: str
    text: str
    title: str
    sentence: str

    def command(self, world: World | None = None) -> RunCommand:
        """The run to start; world: a changed one. Raises BertcoreError for files that are missing or damaged."""
        options = PretrainOptions.from_file(assets() / "recipes" / f"{self.recipe}.json")
        corpus, questions = assets() / "corpus" / f"{self.text}.txt", assets() / "evaluation" / f"{self.text}.jsonl"
        for file in (corpus, questions):
            if not file.is_file():
                raise BertcoreError(say("The file {file} is missing; install BERTscope again.", file=file))
        if world is not None:
            options = options.with_changes(name=f"{say(self.title)}: {world}")
            corpus, questions = world.write(home() / "worlds")
        return RunCommand(options.with_changes(corpus=(str(corpus),), questions=str(questions)))


DEMOS = (
    Demo(
        CLASS_DEMO,
        "small-world",
        mark("Class demo"),
        mark("A tiny model learns about eight people from scratch, in about a minute."),
    ),
    Demo(
        "ten-seconds",
        "mirror",
        mark("Ten-second demo"),
        mark("A row of letters and its mirror image: one head finds out which letter to copy."),
    ),
)


def finished_demo() -> Path | None:
    """The finished class demo that ships."""
    run = (assets() / "runs" / CLASS_DEMO).resolve()
    return run if is_run(run) else None


class DemoPanel(QWidget):
    """A sentence and a button for each demo, and a button that opens the finished class demo."""

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._state = state
        layout = vbox(parent=self, gap_px=4)
        self.buttons: list[QPushButton] = []
        for demo in DEMOS:
            self.buttons.append(
                button(say(demo.title), partial(self.start, demo), look="" if self.buttons else "primary")
            )
            fill(layout, label(say(demo.sentence), "muted", wrap=True), self.buttons[-1])
            if demo.recipe == CLASS_DEMO and (finished := finished_demo()) is not None:
                hint = say("The same run, already trained: for a computer that is too slow")
                fill(layout, button(say("Open the finished one"), partial(state.choose, finished), hint=hint))
            fill(layout, BETWEEN_PX)
        state.runs_changed.connect(self._show_runs)
        self._show_runs()

    def start(self, demo: Demo, world: World | None = None) -> None:
        try:
            self._state.start_requested.emit(demo.command(world))
        except BertcoreError as error:
            self._state.problem_found.emit(str(error))

    def _show_runs(self) -> None:
        for made, demo in zip(self.buttons, DEMOS, strict=True):
            made.setEnabled(not self._state.is_busy)
            made.setToolTip(say(BUSY) if self._state.is_busy else say(demo.sentence))
