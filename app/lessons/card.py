"""The card at the right of the window that shows a page of a lesson: question, text, task, and the way on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QButtonGroup, QFrame, QLineEdit, QPlainTextEdit, QWidget

from ..look import theme
from ..look.say import mark, say
from ..widgets.card import GAP_PX, Hint, button, label, scrolled, separator, set_role
from ..widgets.controls import IconButton
from ..widgets.flow_layout import FlowLayout
from ..widgets.layouts import hbox, vbox
from .card_parts import Markdown, Meter, OptionButton, Progress
from .cutting import CuttingSteps
from .judging import filled, is_right, right_options
from .lesson import PAGE_TEXT, Condition, Page, Question, Task
from .measures import MEASURES, Value, shown, shown_in
from .player import LessonPlayer

WIDTH_PX, PROJECTOR_WIDTH_PX = 340, 300


class LessonCard(QFrame):
    """Follows a player. It is built anew with the frame; everything that lasts is the player's."""

    hand_in_requested = Signal()

    def __init__(self, player: LessonPlayer, parent: QWidget) -> None:
        super().__init__(parent)  # at once: it may have a page to show
        self.setProperty("look", "help")
        self.setAccessibleName(say("Lesson"))
        self.setFixedWidth(theme.column_px(PROJECTOR_WIDTH_PX if theme.is_projector() else WIDTH_PX))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._player = player
        self._name, self._place = Hint(), label("", "muted")
        self._problem = label("", "error", wrap=True)
        self._progress = Progress()
        self.body: _PageBody | None = None
        self._area = scrolled(QWidget())
        self._area.setAccessibleName(say("The page"))
        close = IconButton("close", say("Close the lesson"), player.close)
        close.setProperty("look", "quiet")
        self.back = button(say("Back"), player.back, hint=say("The page before (←, Page Up)"))
        self.next = button(say("Next"), player.next, look="primary", hint=say("The next page (→, Page Down)"))
        self.hand_in = button(
            say("Hand in…"), self.hand_in_requested.emit, hint=say("Save your answers for your teacher")
        )
        keys = label(say("← → or a remote"), "muted")
        gap = theme.px(GAP_PX)
        self._head = vbox(
            hbox((self._name, 1), self._place, close),
            self._progress,
            self._problem,
            gap_px=6,
            margins=(gap, theme.px(8), gap, 0),
        )
        if theme.is_projector():  # the buttons' tool tips say it, too
            keys.hide()  # setVisible(True) would make it a window of its own
        foot = hbox(self.back, None, keys, None, self.hand_in, self.next, margins=(gap, theme.px(4), gap, theme.px(10)))
        vbox(self._head, (self._area, 1), foot, parent=self, gap_px=4)
        for key, run in ((Qt.Key.Key_Left, player.back), (Qt.Key.Key_Right, player.next)):
            shortcut = QShortcut(QKeySequence(key), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(run)
        player.opened.connect(self._show_page)
        player.page_changed.connect(self._show_page)
        player.facts_changed.connect(self._on_player_facts_changed)
        self._shown: tuple[object, int] | None = None
        self._show_page()

    def _show_page(self) -> None:
        player, page = self._player, self._player.page
        self.setVisible(page is not None)
        if page is None or player.lesson is None:
            return
        count = len(player.lesson.pages)
        self._name.setText(say("Lesson · {title}", title=player.lesson.title))
        self._place.setText(say("{number} of {count}", number=player.number + 1, count=count))
        self._problem.setText(player.problem)
        self._problem.setVisible(bool(player.problem))
        self._progress.set_page(player.number, count)
        is_last = player.number == count - 1
        self.back.setEnabled(player.number > 0)
        self.next.setVisible(not is_last)
        self.hand_in.setVisible(is_last)
        is_same = self._shown == (player.lesson, player.number)
        at = self._area.verticalScrollBar().value() if is_same else 0
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self._area.isAncestorOf(focused)
        self.body = _PageBody(player, page)
        self._area.set_content(self.body)
        self._area.verticalScrollBar().setValue(at)
        if had_focus or not is_same:
            self.setFocus(Qt.FocusReason.OtherFocusReason)  # so that arrow keys turn pages
        self._shown = (player.lesson, player.number)

    def _on_player_facts_changed(self) -> None:
        if self.body is not None:
            self.body.show_facts()


class _PageBody(QWidget):
    """Question, text and task of one page."""

    def __init__(self, player: LessonPlayer, page: Page) -> None:
        super().__init__()
        self._player, self._page = player, page
        title = label(page.title, "lesson-title", wrap=True)
        self.question = QuestionBox(player, page.question) if page.question else None
        self.text, line = Markdown(), separator()
        self.cutting = CuttingSteps() if page.cut else None
        self.task = TaskBox(player, page.task) if page.task else None
        parts = title, self.question, line, self.text, self.cutting, self.task
        gap = theme.px(GAP_PX)
        layout = vbox(*(part for part in parts if part is not None), None, parent=self, gap_px=10)
        layout.setContentsMargins(gap, theme.px(4), gap, theme.px(8))
        is_covered = PAGE_TEXT in player.covered
        self.text.setVisible(bool(page.text) and not is_covered)
        if self.cutting is not None:
            self.cutting.setVisible(not is_covered)
        line.setVisible(self.question is not None and not is_covered and bool(page.text or page.cut))
        self.show_facts()

    def show_facts(self) -> None:
        """What is computed from the window."""
        start = self._player.start
        if self._page.text:
            self.text.set_text(filled(self._page.text, start))
        if self.question is not None:
            self.question.show_facts()
        if self.cutting is not None and start is not None:
            tokenizer = start.reading.request.model.tokenizer
            self.cutting.set_word(self._page.cut, [tokenizer.word(i) for i in start.token_ids(self._page.cut)])
        if self.task is not None:
            self.task.show_facts()


class QuestionBox(QWidget):
    """The question, a way to answer it, and the answer on demand."""

    def __init__(self, player: LessonPlayer, question: Question) -> None:
        super().__init__()
        self._player, self._question = player, question
        assert player.page is not None
        self._page = player.page.title
        self._asked, self._explanation = Markdown(bold=True), Markdown()
        self._verdict = label("", "strong", wrap=True)
        self.options = [OptionButton(option.text) for option in question.options]
        self.line: QLineEdit | None = None
        self.field: QPlainTextEdit | None = None
        self.check = button(say("Check", meaning="verb"), self._on_check_clicked, look="small")
        self.show_answer = button(say("Show answer"), lambda: player.reveal(), look="small")
        buttons = FlowLayout()
        buttons.addWidget(self.check)
        buttons.addWidget(self.show_answer)
        inputs = self._build_inputs(player.choices.get(self._page, ""))
        vbox(self._asked, *inputs, buttons, self._verdict, self._explanation, parent=self, gap_px=7)
        self.show_facts()

    @property
    def given(self) -> str:
        """The number of an option, or what is typed; empty for nothing."""
        if self.line is not None:
            return self.line.text().strip()
        if self.field is not None:
            return self.field.toPlainText().strip()
        return next((str(i) for i, option in enumerate(self.options) if option.isChecked()), "")

    def show_facts(self) -> None:
        start, question, is_shown = self._player.start, self._question, self._page in self._player.revealed
        self._asked.set_text(filled(question.text, start))
        for option, said in zip(self.options, question.options, strict=True):
            option.set_text(filled(said.text, start))
        verdict = self._verdict_text() if is_shown else ""
        for widget, is_visible in (
            (self.check, not is_shown),
            (self.show_answer, not is_shown),
            (self._explanation, is_shown),
            (self._verdict, bool(verdict)),
        ):
            widget.setVisible(is_visible)
        if is_shown:
            self._explanation.set_text(filled(question.explanation, start))
            self._verdict.setText(verdict)
            right = right_options(question, start) if start is not None and self.options else []
            for number, option in enumerate(self.options):
                option.set_mark(number in right)
        for entry in (*self.options, self.line, self.field):
            if entry is not None:
                entry.setEnabled(not is_shown)
        self._on_given()

    def _build_inputs(self, before: str) -> list[QWidget]:
        """before: what was chosen or typed here."""
        if self._question.kind == "choice":
            group = QButtonGroup(self)
            for number, option in enumerate(self.options):
                group.addButton(option)
                option.setChecked(before == str(number))
                option.toggled.connect(self._on_given)
            return [*self.options]
        entry: QLineEdit | QPlainTextEdit
        if self._question.kind == "free":
            entry = self.field = QPlainTextEdit(before, placeholderText=say("Your answer"), tabChangesFocus=True)
            entry.setFixedHeight(theme.px(72))
        else:
            asked = say("A number") if self._question.kind == "number" else say("A word")
            entry = self.line = QLineEdit(before, maxLength=200, placeholderText=asked)
            entry.returnPressed.connect(self._on_check_clicked)
        entry.setAccessibleName(say("Your answer"))
        entry.textChanged.connect(self._on_given)
        return [entry]

    def _on_given(self) -> None:
        self.check.setEnabled(bool(self.given))
        if self._page not in self._player.revealed:
            self._player.choices[self._page] = self.given

    def _on_check_clicked(self) -> None:
        if self.given:
            self._player.reveal(self.given)

    def _verdict_text(self) -> str:
        given, start = self._player.choices.get(self._page, ""), self._player.start
        if not given or start is None:
            return ""
        right = is_right(self._question, given, start)
        set_role(self._verdict, "strong" if right is None else "right" if right else "error")
        if right is None:
            return say("Compare with ours:")
        return say("Right.") if right else say("Not quite.")


class TaskBox(QFrame):
    """What to do, how far it is done, and from where it counts as done."""

    def __init__(self, player: LessonPlayer, task: Task) -> None:
        super().__init__()
        self._player, self._task = player, task
        self._text, self._state = Markdown(bold=True), label("", "muted", wrap=True)
        self.meter = Meter()
        self._hint = label(task.hint, "muted", wrap=True)
        self._hint.hide()
        self.more = button(say("Hint"), self._on_hint_clicked, look="small")
        self.more.setVisible(bool(task.hint))
        below = self.meter, self._state, hbox(self.more, None), self._hint
        vbox(self._text, *below, parent=self, gap_px=6, margins=theme.px(10))
        self.show_facts()

    @property
    def state(self) -> str:
        return self._state.text()

    def show_facts(self) -> None:
        task, done, value = self._task, self._player.is_task_done, self._player.task_value()
        self.setProperty("look", "task-done" if done else "task")
        self.style().polish(self)
        self._text.set_text(filled(task.text, self._player.start))
        wanted = task.done.value
        is_share = MEASURES[task.done.measure.name].unit == "share" and isinstance(wanted, float)
        self.meter.setVisible(is_share)
        if is_share and isinstance(wanted, float):
            self.meter.set_values(value if isinstance(value, float) else 0.0, wanted, done)
        self._state.setText(task_sentence(task.done, value, done))

    def _on_hint_clicked(self) -> None:
        self._hint.setVisible(self._hint.isHidden())


def task_sentence(wanted: Condition, value: Value, done: bool) -> str:
    """How far a task is. value: of its measure, now."""
    name, unit, target = wanted.measure.name, MEASURES[wanted.measure.name].unit, wanted.value
    now = "" if unit == "word" and target is None else shown(wanted.measure, value)
    if unit == "share" and isinstance(target, float) and name in ("score", "looks"):
        now = say("{share} of the attention", share=now)
    if unit == "word" and now:
        return say("Done: now it is “{now}”." if done else "Not yet: now it is “{now}”.", now=now)
    if done:
        return say("Done. {now}", now=now).strip()
    if isinstance(target, float):
        return say(TARGETS[wanted.operator], now=now, target=shown_in(unit, target))
    return say("The text has not changed yet.") if name == "text" else say("Not yet. {now}", now=now).strip()


TARGETS = {
    ">=": mark("Now {now}; you need {target} or more."),
    ">": mark("Now {now}; you need more than {target}."),
    "<=": mark("Now {now}; you need {target} or less."),
    "<": mark("Now {now}; you need less than {target}."),
    "=": mark("Now {now}; you need {target}."),
    "!=": mark("Now {now}; you need anything else."),
}
