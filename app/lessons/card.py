"""The card at the right of the window that shows a page of a lesson: question, text, task, and the way on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QButtonGroup,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QTextBrowser,
    QWidget,
)

from ..look import theme
from ..look.say import say
from ..widgets.card import GAP_PX, Hint, button, label, scrolled, separator, set_role
from ..widgets.controls import IconButton
from ..widgets.flow_layout import FlowLayout
from ..widgets.layouts import hbox, vbox
from .cutting import CuttingSteps
from .judging import filled, is_right, right_options
from .lesson import PAGE_TEXT, Page, Question, Task
from .measures import MEASURES, shown, shown_in
from .player import LessonPlayer

WIDTH_PX, PROJECTOR_WIDTH_PX, LINE_PERCENT = 340, 300, 115
SAFE = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


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
        self._progress = _Progress()
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
        self.text, line = _Markdown(), separator()
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
        self._asked = _Markdown(bold=True)
        self._explanation = _Markdown()
        self._verdict = label("", "strong", wrap=True)
        self.options: list[OptionButton] = []
        self.line: QLineEdit | None = None
        self.field: QPlainTextEdit | None = None
        self.check = button(say("Check", meaning="verb"), self._on_check_clicked, look="small")
        self.show_answer = button(say("Show answer"), lambda: player.reveal(), look="small")
        buttons = FlowLayout()
        buttons.addWidget(self.check)
        buttons.addWidget(self.show_answer)
        vbox(self._asked, *self._build_inputs(), buttons, parent=self, gap_px=7)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self._verdict)
        layout.addWidget(self._explanation)
        self._restore()
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
        start, question = self._player.start, self._question
        self._asked.set_text(filled(question.text, start))
        for option, said in zip(self.options, question.options, strict=False):
            option.set_text(filled(said.text, start))
        is_shown = self._page in self._player.revealed
        self.check.setVisible(not is_shown)
        self.show_answer.setVisible(not is_shown)
        self._explanation.setVisible(is_shown)
        self._verdict.setVisible(is_shown and bool(self._verdict_text()))
        if is_shown:
            self._explanation.set_text(filled(question.explanation, start))
            self._verdict.setText(self._verdict_text())
            right = right_options(question, start) if start is not None and self.options else []
            for number, option in enumerate(self.options):
                option.set_mark(number in right)
        for widget in (*self.options, self.line, self.field):
            if widget is not None:
                widget.setEnabled(not is_shown)
        self._on_given()

    def _build_inputs(self) -> list[QWidget]:
        kind = self._question.kind
        if kind == "choice":
            group = QButtonGroup(self)
            for said in self._question.options:
                made = OptionButton(said.text)
                made.toggled.connect(self._on_given)
                group.addButton(made)
                self.options.append(made)
            return list(self.options)
        if kind == "free":
            self.field = QPlainTextEdit()
            self.field.setAccessibleName(say("Your answer"))
            self.field.setPlaceholderText(say("Your answer"))
            self.field.setFixedHeight(theme.px(72))
            self.field.setTabChangesFocus(True)
            self.field.textChanged.connect(self._on_given)
            return [self.field]
        self.line = QLineEdit()
        self.line.setMaxLength(200)
        self.line.setAccessibleName(say("Your answer"))
        self.line.setPlaceholderText(say("A number") if kind == "number" else say("A word"))
        self.line.textChanged.connect(self._on_given)
        self.line.returnPressed.connect(self._on_check_clicked)
        return [self.line]

    def _restore(self) -> None:
        """What was chosen or typed here before."""
        given = self._player.choices.get(self._page, "")
        if self.line is not None:
            self.line.setText(given)
        elif self.field is not None:
            self.field.setPlainText(given)
        elif given and int(given) < len(self.options):
            self.options[int(given)].setChecked(True)

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
        self._text, self._state = _Markdown(bold=True), label("", "muted", wrap=True)
        self.meter = _Meter()
        self._hint = label(task.hint, "muted", wrap=True)
        self._hint.hide()
        self.more = button(say("Hint"), self._on_hint_clicked, look="small")
        self.more.setVisible(bool(task.hint))
        pad = theme.px(10)
        vbox(self._text, self.meter, self._state, hbox(self.more, None), self._hint, parent=self, gap_px=6, margins=pad)
        self.show_facts()

    @property
    def state(self) -> str:
        return self._state.text()

    def show_facts(self) -> None:
        task, player = self._task, self._player
        done, value = player.is_task_done, player.task_value()
        self.setProperty("look", "task-done" if done else "task")
        self.style().polish(self)
        self._text.set_text(filled(task.text, player.start))
        unit, wanted = MEASURES[task.done.measure.name].unit, task.done.value
        is_share = unit == "share" and isinstance(wanted, float)
        self.meter.setVisible(is_share)
        if is_share and isinstance(wanted, float):
            self.meter.set_values(value if isinstance(value, float) else 0.0, wanted, done)
        now = "" if unit == "word" and wanted is None else shown(task.done.measure, value)
        if is_share and task.done.measure.name in ("score", "looks"):
            now = say("{share} of the attention", share=now)
        if unit == "word" and now:
            text = say("Done: now it is “{now}”.") if done else say("Not yet: now it is “{now}”.")
            text = text.format(now=now)
        elif done:
            text = say("Done. {now}", now=now)
        elif isinstance(wanted, float):
            target = shown_in(unit, wanted)
            sentences = {
                ">=": say("Now {now}; you need {target} or more."),
                ">": say("Now {now}; you need more than {target}."),
                "<=": say("Now {now}; you need {target} or less."),
                "<": say("Now {now}; you need less than {target}."),
                "=": say("Now {now}; you need {target}."),
                "!=": say("Now {now}; you need anything else."),
            }
            text = sentences[task.done.operator].format(now=now, target=target)
        else:
            is_same_text = task.done.measure.name == "text"
            text = say("The text has not changed yet.") if is_same_text else say("Not yet. {now}", now=now)
        self._state.setText(text.strip())

    def _on_hint_clicked(self) -> None:
        self._hint.setVisible(self._hint.isHidden())


class OptionButton(QAbstractButton):
    """One answer of several: a circle and words on as many lines as they need."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._is_right: bool | None = None  # None: not on show
        self.set_text(text)

    def set_text(self, text: str) -> None:
        text = text.replace("\\", "").replace("**", "")
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self._fit()

    def set_mark(self, is_right: bool) -> None:
        """The answer is on show."""
        self._is_right = is_right
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), self._height(max(self.width(), theme.px(120))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        is_good = self._is_right is True
        line = "good" if is_good else "accent" if self.isChecked() or self.hasFocus() else "line"
        fill = "good_tint" if is_good else "accent_tint" if self.isChecked() else "card"
        painter.setPen(theme.color(line))
        painter.setBrush(theme.color(fill))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(7), theme.px(7))
        side, left = theme.px(14), theme.px(10)
        circle = QRectF(left, (self.height() - side) / 2, side, side)
        painter.setPen(theme.color("accent" if self.isChecked() else "faint"))
        painter.setBrush(theme.color("card"))
        painter.drawEllipse(circle)
        if self.isChecked():
            painter.setBrush(theme.color("accent"))
            painter.drawEllipse(circle.adjusted(side / 4, side / 4, -side / 4, -side / 4))
        painter.setPen(theme.color("ink"))
        painter.setFont(theme.font(13, medium=self.isChecked()))
        painter.drawText(self._text_box(self.width()), _WRAPPED, self.text())

    def _text_box(self, width: int) -> QRectF:
        air = theme.gap_px(6)
        return QRectF(theme.px(34), air, width - theme.px(44), max(self.height() - 2 * air, 1))

    def _height(self, width: int) -> int:
        box = self._text_box(width).toRect()
        box.setHeight(10_000)
        self.ensurePolished()
        lines = QFontMetrics(theme.font(13, medium=True)).boundingRect(box, int(_WRAPPED), self.text())
        return max(lines.height() + theme.gap_px(14), theme.px(34))

    def _fit(self) -> None:
        self.setFixedHeight(self._height(self.width()))


_WRAPPED = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class _Markdown(QTextBrowser):
    """Markdown as high as it is. It opens no links and loads nothing: a lesson may come from anybody."""

    def __init__(self, bold: bool = False) -> None:
        super().__init__()
        self._bold, self._text = bold, ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("look", "plain")
        self.setOpenLinks(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.setAccessibleName(say("Text of the lesson"))

    def set_text(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        self.document().setDefaultFont(theme.font(14 if self._bold else 13, bold=self._bold))
        self.document().setMarkdown(text, SAFE)
        block, look = self.document().begin(), QTextBlockFormat()
        look.setLineHeight(LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        while block.isValid():
            in_list = block.textList() is not None and block.next().textList() is not None
            in_code = _is_code(block) and _is_code(block.next())
            is_last = not block.next().isValid()
            look.setNonBreakableLines(False)  # of code, which the card would cut off
            look.setBottomMargin(0 if is_last or in_code else theme.px(3 if in_list else 8))
            QTextCursor(block).mergeBlockFormat(look)
            block = block.next()
        self._fit()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(max(self.width(), theme.px(100)))
        self.setFixedHeight(int(self.document().size().height()) + theme.px(2))


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence.value)


class _Progress(QWidget):
    """A line of short bars, one for each page."""

    def __init__(self) -> None:
        super().__init__()
        self._number, self._count = 0, 1
        self.setFixedHeight(theme.px(4))

    def set_page(self, number: int, count: int) -> None:
        self._number, self._count = number, count
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = min(theme.px(5), self.width() / self._count / 3)
        width = (self.width() - gap * (self._count - 1)) / self._count
        for page in range(self._count):
            color = "accent" if page == self._number else "bar" if page < self._number else "track"
            painter.setBrush(theme.color(color))
            painter.drawRoundedRect(QRectF(page * (width + gap), 0, width, self.height()), 2, 2)


class _Meter(QWidget):
    """A share as a bar, with a mark where it is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._value, self._wanted, self._is_done = 0.0, 1.0, False
        self.setFixedHeight(theme.px(14))

    def set_values(self, value: float, wanted: float, is_done: bool) -> None:
        self._value, self._wanted, self._is_done = min(max(value, 0.0), 1.0), wanted, is_done
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        height = theme.px(7)
        bar = QRectF(0, (self.height() - height) / 2, self.width(), height)
        self._draw_bar(painter, bar, "track")
        bar.setWidth(self.width() * self._value)
        self._draw_bar(painter, bar, "good" if self._is_done else "warn")
        painter.fillRect(QRectF(self.width() * self._wanted - 1, 0, 2, self.height()), theme.color("good_text"))

    def _draw_bar(self, painter: QPainter, bar: QRectF, color: str) -> None:
        painter.setBrush(theme.color(color))
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2)
