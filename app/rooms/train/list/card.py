"""The card at the left: the list of runs or, in its place, a form for a new one."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.runs.diagnosis import Suggestion

from ....look import theme
from ....look.say import mark, say
from ....runs.run_info import RunInfo
from ....runs.run_state import RunState
from ....widgets.banner import OfferLine
from ....widgets.card import Card, button, label, scrolled, set_role, show_text
from ....widgets.layouts import discard, fill, vbox
from ..form.copy_form import CopyForm
from ..form.demos import DemoPanel
from ..form.new_run_form import NewRunForm
from .run_list import RunList

LIST_PX, FORM_PX = 268, 302
ABOUT_RUNS = mark("A run is the training of one model. Click one to see it.")


class RunsCard(Card):
    """Demos and runs; `form`: any new run, `copy_form`: one with the settings of another."""

    page_changed = Signal()  # the list, or another form

    def __init__(self, state: RunState) -> None:
        super().__init__(say("Runs"), intro=say(ABOUT_RUNS))
        self._state = state
        self.demos, self.runs = DemoPanel(state), RunList(state)
        self.form, self.copy_form = NewRunForm(state), CopyForm(state)
        self._bin_offer: OfferLine | None = None
        self._problem = label("", "error", wrap=True)
        self._new = button(say("New run"), self.show_form, look="primary")
        keeps_its_place = self._new.sizePolicy()
        keeps_its_place.setRetainSizeWhenHidden(True)
        self._new.setSizePolicy(keeps_its_place)
        self.add_to_header(self._new)
        column = QWidget()
        vbox(self.demos, self.runs, None, parent=column, margins=(0, 0, theme.px(4), 0))
        self._list = scrolled(column)
        self._pages = QStackedWidget()
        for page in (self._list, self.form, self.copy_form):
            self._pages.addWidget(page)
        fill(self.body, self._problem, self._pages)
        self.setFixedWidth(theme.column_px(LIST_PX))
        for form in (self.form, self.copy_form):
            form.cancelled.connect(self.show_list)
        state.problem_found.connect(self.show_problem)
        state.done.connect(self._show_done)
        state.binned.connect(self._show_binned)
        for changed in (state.run_changed, state.sweep_changed):
            changed.connect(self.show_problem)

    @property
    def shows_list(self) -> bool:
        return self._pages.currentWidget() is self._list

    @property
    def shows_form(self) -> bool:
        """The form for any new run, not the one for a copy."""
        return self._pages.currentWidget() is self.form

    def show_list(self) -> None:
        self._show_page(self._list)

    def show_form(self) -> None:
        """The form for a new run, in place of the list."""
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
            self.copy_form.show_run(run, suggested)
        except BertcoreError as error:
            self.show_problem(str(error))
            return
        self._show_page(self.copy_form)
        self.copy_form.set_focus()

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
