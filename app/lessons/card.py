"""The card at the right of the window that shows a page of a lesson: question, text, task, and the way on."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QButtonGroup, QFrame, QLineEdit, QWidget

from ..look import mark, numbers, say, theme
from ..widgets.card import GAP_PX, button, label, scrolled, separator, set_role, show_text
from ..widgets.charts.scale import ShareBar
from ..widgets.controls import IconButton
from ..widgets.layouts import FlowLayout, enable_if, hbox, show_if, vbox
from .card_parts import AnswerText, CuttingSteps, Markdown, OptionButton
from .exercise_box import ExerciseBox
from .lesson import PAGE_TEXT, Condition, Page, Question, Task
from .measures import MEASURES, Value, filled, is_right, right_options, shown
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
        self._name, self._place = label("", "muted", wrap=True), label("", "muted")
        self._problem = label("", "error", wrap=True)
        self.body: _PageBody | None = None
        self._area = scrolled(QWidget())
        self._area.setAccessibleName(say("The page"))
        close = IconButton("close", say("Close the lesson"), player.close)
        close.setProperty("look", "quiet")
        self.back = button(say("Back"), player.back, hint=say("The page before (←, Page Up)"))
        self.next = button(say("Next"), player.next, look="primary", hint=say("The next page (→, Page Down)"))
        hint = say("Save your answers for your teacher")
        self.hand_in = button(say("Hand in…"), self.hand_in_requested.emit, hint=hint)
        self.keys = label("", "muted", wrap=True)
        gap, top = theme.px(GAP_PX), hbox((self._name, 1), self._place, close)
        head = vbox(top, self._problem, gap_px=6, margins=(gap, theme.px(8), gap, 0))
        foot = vbox(self.keys, hbox(self.back, None, self.hand_in, self.next), margins=(gap, 0, gap, theme.px(10)))
        vbox(head, (self._area, 1), foot, parent=self, gap_px=4)
        in_card = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for enter in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            QShortcut(QKeySequence(enter), self, self._on_enter_pressed, context=in_card).setAutoRepeat(False)
        arrows = (Qt.Key.Key_Left, player.back), (Qt.Key.Key_Right, player.next)
        self._arrows = [QShortcut(QKeySequence(key), self, run) for key, run in arrows]
        if isinstance(program := QApplication.instance(), QApplication):
            program.focusChanged.connect(self._show_keys)
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
        self._name.setText(player.lesson.title)
        self._place.setText(say("{number} of {count}", number=player.number + 1, count=count))
        self.back.setEnabled(player.number > 0)
        self.next.setVisible(player.number < count - 1)
        self.hand_in.setVisible(self.next.isHidden())
        is_same = self._shown == (player.lesson, player.number)
        at = self._area.verticalScrollBar().value() if is_same else 0
        had_focus = self._area.isAncestorOf(QApplication.focusWidget() or self)
        self.body = _PageBody(player, page)
        self._area.set_content(self.body)
        self._area.verticalScrollBar().setValue(at)
        question = self.body.question
        if is_same and question is not None and (player.hint or not question.is_open):
            told = question.hint if question.is_open else question.explanation
            QTimer.singleShot(0, told, lambda: self._area.ensureWidgetVisible(told))  # when it has its height
        if had_focus or not is_same:
            entry = question.entry if question is not None and question.is_open and player.hint else None
            (entry or self).setFocus(Qt.FocusReason.TabFocusReason)  # the card: so that arrow keys turn pages
        self._shown = (player.lesson, player.number)
        self._show_keys()
        self._on_player_facts_changed()

    def _show_keys(self) -> None:
        """What the keys do, where the keyboard is now: arrows move in pictures and lines of text."""
        question, focused = self.body.question if self.body is not None else None, QApplication.focusWidget()
        is_open = question is not None and question.is_open
        count = len(question.options) if question is not None and is_open else 0
        keys = [say("1–{count}, Enter: check", count=count)] if count else []
        is_here = focused is None or focused is self or self.isAncestorOf(focused)
        if not keys and is_here and (is_open or not self.next.isHidden()):
            keys = [say("Enter: check") if is_open else say("Enter: next page")]
        turns = focused is None or isinstance(focused, QAbstractButton | LessonCard)
        for arrow in self._arrows:
            arrow.setEnabled(turns and self._player.lesson is not None)
        keys.append(say("← →: pages") if turns else say("PgUp PgDn: pages"))
        self.keys.setText(" · ".join(keys))

    def _on_enter_pressed(self) -> None:
        """Checks the answer; goes on from a page where there is nothing left to check."""
        if self.body is None or self.body.question is None or not self.body.question.is_open:
            self._player.next()
        else:
            self.body.question.check_answer()

    def _on_player_facts_changed(self) -> None:
        if self.body is not None:
            self.body.show_facts()
        show_text(self._problem, self._player.problem or self._player.advice)


class _PageBody(QWidget):
    """Question, text and task of one page."""

    def __init__(self, player: LessonPlayer, page: Page) -> None:
        super().__init__()
        self._player, self._page = player, page
        self.question = QuestionBox(player, page, page.question) if page.question else None
        self.lead, self.text, line = Markdown(), Markdown(), separator()
        self.cutting = CuttingSteps() if page.cut else None
        self.task = TaskBox(player, page.task) if page.task else None
        self.exercise = ExerciseBox(player, page.exercise) if page.exercise else None
        parts = self.lead, self.question, line, self.text, self.cutting, self.exercise, self.task
        gap, title = theme.px(GAP_PX), label(page.title, "lesson-title", wrap=True)
        shown_parts, margins = (part for part in parts if part is not None), (gap, theme.px(4), gap, theme.px(8))
        vbox(title, *shown_parts, None, parent=self, gap_px=10, margins=margins)
        is_covered = PAGE_TEXT in player.covered
        self.lead.setVisible(bool(page.lead))
        self.text.setVisible(bool(page.text) and not is_covered)
        if self.cutting is not None:
            self.cutting.setVisible(not is_covered)
        if self.task is not None:
            self.task.setVisible(not player.covered)  # it says how things stand now
        line.setVisible(self.question is not None and not is_covered and bool(page.text or page.cut))
        self.show_facts()

    def show_facts(self) -> None:
        """What is computed from the window."""
        start = self._player.start
        for shown_text, text in ((self.lead, self._page.lead), (self.text, self._page.text)):
            shown_text.set_text(filled(text, start))
        if self.cutting is not None and start is not None:
            tokenizer = start.reading.request.model.tokenizer
            self.cutting.set_word(self._page.cut, [tokenizer.word(i) for i in start.token_ids(self._page.cut)])
        for box in (self.question, self.task):
            if box is not None:
                box.show_facts()


class QuestionBox(QWidget):
    """The question, a way to answer it, and the answer on demand."""

    def __init__(self, player: LessonPlayer, page: Page, question: Question) -> None:
        super().__init__()
        self._player, self._question, self._page = player, question, page.title
        self._asked, self.hint, self.explanation = Markdown(bold=True), Markdown(), Markdown()
        self._verdict = label("", "strong", wrap=True)
        self.options = [OptionButton(option.text) for option in question.options]
        self.entry: QLineEdit | AnswerText | None = None  # in which an answer is typed
        kind, given = question.kind, player.kept.choices.get(self._page, "")
        if kind == "choice":
            group = QButtonGroup(self)
            for number, option in enumerate(self.options):
                group.addButton(option)
                option.setChecked(given == str(number))
                option.toggled.connect(self._on_given)
                QShortcut(QKeySequence(str(number + 1)), option, option.click)
                option.clicked.connect(lambda *_, option=option: option.setFocus())  # Enter checks it
        elif kind == "free":
            self.entry = AnswerText(given, placeholderText=say("Your answer"), tabChangesFocus=True)
            self.entry.setFixedHeight(theme.px(72))
        else:
            asked = say("A number") if kind == "number" else say("A word")
            self.entry = QLineEdit(given, maxLength=200, placeholderText=asked)
        if self.entry is not None:
            self.entry.setAccessibleName(say("Your answer"))
            self.entry.textChanged.connect(self._on_given)
        self.check = button(say("Check", meaning="verb"), self.check_answer, look="small")
        self.show_answer = button(say("Show answer"), lambda: player.reveal(), look="small")
        buttons, inputs = FlowLayout(self.check, self.show_answer), [self.entry] if self.entry else self.options
        vbox(self._asked, *inputs, buttons, self._verdict, self.hint, self.explanation, parent=self, gap_px=7)
        self.show_facts()

    @property
    def is_open(self) -> bool:
        """Whether its answer is not on show yet."""
        return self._page not in self._player.kept.revealed

    @property
    def given(self) -> str:
        """The number of an option, or what is typed; empty for nothing."""
        if self.entry is not None:
            text = self.entry.text() if isinstance(self.entry, QLineEdit) else self.entry.toPlainText()
            return text.strip()
        return next((str(i) for i, option in enumerate(self.options) if option.isChecked()), "")

    def show_facts(self) -> None:
        start, question, is_shown = self._player.start, self._question, not self.is_open
        missed, hint = self._player.kept.missed.get(self._page), "" if is_shown else self._player.hint
        self._asked.set_text(filled(question.text, start))
        for number, (box, option) in enumerate(zip(self.options, question.options, strict=True)):
            box.set_text(filled(option.text, start))
            box.setEnabled(not is_shown and str(number) != missed)
        show_if(not is_shown, self.check, self.show_answer)
        enable_if(not is_shown, *([self.entry] if self.entry else ()))
        self.hint.set_text(hint)
        self.hint.setVisible(bool(hint))
        self.explanation.setVisible(is_shown)
        given, verdict = self._player.kept.choices.get(self._page, ""), say("Not quite. Try once more:") if hint else ""
        if is_shown and given and start is not None:
            right = is_right(question, given, start)
            set_role(self._verdict, "strong" if right is None else "right" if right else "error")
            verdict = say("Compare with ours:") if right is None else say("Right.") if right else say("Not quite.")
        show_text(self._verdict, verdict)
        if is_shown:
            self.explanation.set_text(filled("\n".join(question.explanation), start))
            all_right = right_options(question, start) if start is not None else []
            for number, box in enumerate(self.options):
                box.set_mark(number in all_right)
        self._on_given()

    def _on_given(self) -> None:
        self.check.setEnabled(bool(self.given))
        if self.is_open:
            self._player.kept.choices[self._page] = self.given

    def check_answer(self) -> None:
        """With nothing to check, the keyboard goes to where an answer is typed."""
        if self._question.kind == "number" and self.given and numbers.read(self.given) is None:
            show_text(self._verdict, say("Write a number, such as 12 or 40%."))
        elif self.given:
            self._player.check(self.given)
        elif self.entry is not None:
            self.entry.setFocus(Qt.FocusReason.OtherFocusReason)


class TaskBox(QFrame):
    """What to do, how far it is done, and from where it counts as done."""

    def __init__(self, player: LessonPlayer, task: Task) -> None:
        super().__init__()
        self._player, self._task = player, task
        self._text, self.state = Markdown(bold=True), label("", "muted", wrap=True)
        self.meter, hint = ShareBar(), label(task.hint, "muted", wrap=True)
        hint.hide()
        show_hint = button(say("Hint"), lambda: hint.setVisible(hint.isHidden()), look="small")
        parts = self._text, self.meter, self.state, hbox(show_hint, None), hint
        vbox(*parts, parent=self, gap_px=6, margins=theme.px(10))
        show_hint.setVisible(bool(task.hint))
        self.show_facts()

    def show_facts(self) -> None:
        task, value = self._task, self._player.task_value(self._player.facts)
        wanted, kept = task.done.value, self._player.task_answer
        self.setProperty("look", "task" if kept is None else "task-done")
        self.style().polish(self)
        self._text.set_text(filled(task.text, self._player.start))
        is_share = MEASURES[task.done.measure.name].unit == "share" and isinstance(wanted, float)
        self.meter.setVisible(is_share and kept is None)
        if is_share and isinstance(wanted, float):
            share = value if isinstance(value, float) else 0.0
            self.meter.set_share(share, filled(task.text, self._player.start), "warn", baseline=wanted)
        done = "" if kept is None else say("Done: {now}", now=kept.given)
        self.state.setText(done or task_sentence(task.done, value))


def task_sentence(wanted: Condition, value: Value) -> str:
    """How far a task is that is not done yet. value: of its measure, now."""
    name, unit, target = wanted.measure.name, MEASURES[wanted.measure.name].unit, wanted.value
    now = "" if unit == "word" and target is None else shown(wanted.measure, value)
    if unit == "share" and isinstance(target, float) and name in ("score", "looks"):
        now = say("{share} of the attention", share=now)
    if unit == "word" and now:
        return say("Not yet: now it is “{now}”.", now=now)
    if isinstance(target, float):
        return say(TARGETS[wanted.operator], now=now, target=shown(wanted.measure, target))
    return say("The text has not changed yet.") if name == "text" else say("Not yet. {now}", now=now).strip()


TARGETS = {
    ">=": mark("Now {now}; you need {target} or more."),
    ">": mark("Now {now}; you need more than {target}."),
    "<=": mark("Now {now}; you need {target} or less."),
    "<": mark("Now {now}; you need less than {target}."),
    "=": mark("Now {now}; you need {target}."),
    "!=": mark("Now {now}; you need anything else."),
}
