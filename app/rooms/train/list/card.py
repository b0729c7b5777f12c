"""The card at the left: the list of runs or, in its place, a form for a new one."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.runs.diagnosis import Suggestion

from ....look import theme
from ....look.say import say
from ....runs.run_info import RunInfo
from ....widgets.banner import OfferLine
from ....widgets.card import Card, button, label, scrolled, set_role, show_text
from ....widgets.layouts import discard, fill, vbox
from ..form.copy_form import CopyForm
from ..form.demos import DemoPanel
from ..form.new_run_form import NewRunForm
from .run_list import RunList

LIST_PX, FORM_PX = 268, 302


class RunsCard(Card):
    """Demos and runs; `form`: any new run, `copy_form`: one with the settings of another."""

    page_changed = Signal()  # the list, or another form
    put_back_requested = Signal()  # the run that was moved to the bin last

    def __init__(self) -> None:
        about_runs = say("A run is the training of one model. Click one to see it.")
        super().__init__(say("Runs"), intro=about_runs)
        self._about_runs = about_runs
        self.demos, self.runs = DemoPanel(), RunList()
        self.form, self.copy_form = NewRunForm(), CopyForm()
        self._bin_offer: OfferLine | None = None
        self._problem = label("", "error", wrap=True)
        self._new = button(say("New run"), self.show_form, look="primary")
        keeps_its_place = self._new.sizePolicy()
        keeps_its_place.setRetainSizeWhenHidden(True)
        self._new.setSizePolicy(keeps_its_place)
        self.add_to_header(self._new)
        self._list = scrolled(self._run_column())
        self._pages = QStackedWidget()
        for page in (self._list, self.form, self.copy_form):
            self._pages.addWidget(page)
        fill(self.body, self._problem, self._pages)
        self.setFixedWidth(theme.column_px(LIST_PX))
        for form in (self.form, self.copy_form):
            form.cancelled.connect(self.show_list)

    @property
    def shows_list(self) -> bool:
        return self._pages.currentWidget() is self._list

    @property
    def shows_form(self) -> bool:
        """The form for any new run, not the one for a copy."""
        return self._pages.currentWidget() is self.form

    def _run_column(self) -> QWidget:
        holder = QWidget()
        vbox(self.demos, self.runs, None, parent=holder, margins=(0, 0, theme.px(4), 0))
        return holder

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
        self.set_intro(self._about_runs if is_list else "")
        self._new.setVisible(is_list)
        self.setFixedWidth(theme.column_px(LIST_PX if is_list else FORM_PX))
        self.page_changed.emit()

    def show_problem(self, sentence: str) -> None:
        set_role(self._problem, "error")
        show_text(self._problem, sentence)

    def show_done(self, sentence: str) -> None:
        """What was done, where a problem would be said."""
        self.show_problem(sentence)
        set_role(self._problem, "muted")

    def show_binned(self, name: str) -> None:
        """A run is in the bin: it can be put back from here."""
        if self._bin_offer is not None:
            discard(self._bin_offer)
        self._bin_offer = OfferLine(say("“{name}” is in the bin.", name=name), say("Put it back"))
        self._bin_offer.accepted.connect(self.put_back_requested)
        self.body.insertWidget(1, self._bin_offer)
