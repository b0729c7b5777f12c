"""Above the rooms: the two sentences, A and B, where they are typed, and what an example asks about them; how all rooms
show the text, and what it is compared with; and where something is changed inside the model, what.
"""

from PySide6.QtCore import QEvent, QKeyCombination, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from ..look import say, theme
from .card import Hint, button, label, set_role
from .layouts import hbox, held, vbox

MARK_PX, WIDER = 28, 2
_CONTROL = Qt.KeyboardModifier.ControlModifier
_CTRL_SHIFT_Z = QKeyCombination(_CONTROL | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_Z)
_CTRL_Y = QKeyCombination(_CONTROL, Qt.Key.Key_Y)
# As many characters as the tokenizer reads; a paste beyond that is cut by the line itself.
MOST_CHARACTERS = 200_000


class SentenceEdit(QLineEdit):
    """A line with its mark, A or B, at the left. Where there is little room, as on a projector, the one that is typed
    in takes most of it."""

    def __init__(self, mark: str, placeholder: str) -> None:
        super().__init__()
        self._mark = mark
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(say("Sentence {mark}", mark=mark))
        self.setMaxLength(MOST_CHARACTERS)
        self.setTextMargins(theme.px(MARK_PX - 12), 0, 0, 0)
        self.setFixedHeight(theme.px(32))
        self._share_room(1)

    def _share_room(self, stretch: int) -> None:
        policy = self.sizePolicy()
        policy.setHorizontalStretch(stretch)
        self.setSizePolicy(policy)

    def show_text(self, text: str) -> None:
        """Shows a text that came from elsewhere; the cursor stays where it is when nothing changes."""
        old = self.text()
        if text != old:
            self.setText(text)
            pairs = enumerate(zip(reversed(text), reversed(old), strict=False))
            same = next((i for i, (a, b) in pairs if a != b), min(len(text), len(old)))  # at the end of both
            changed = text[: len(text) - same]
            self.setCursorPosition(in_utf_16(changed, len(changed)) if self.hasFocus() else 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._share_room(WIDER if theme.is_projector() else 1)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The beginning comes into sight; not while a menu is open or another window is in front."""
        super().focusOutEvent(event)
        self._share_room(1)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.setCursorPosition(0)

    def event(self, event: QEvent) -> bool:
        """Undo and redo are the window's: one history of texts, masks and changes."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_undo = event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
            if is_undo or event.keyCombination() in (_CTRL_SHIFT_Z, _CTRL_Y):
                event.ignore()
                return False
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in menu.actions():
            if action.objectName() in ("edit-undo", "edit-redo"):
                menu.removeAction(action)
        menu.popup(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        box = QRectF(theme.px(10), 0, theme.px(MARK_PX), self.height())
        color = "segment_a" if self._mark == "A" else "segment_b"
        theme.draw_text(QPainter(self), box, self._mark, color, 13, medium=True)


def in_utf_16(text: str, position: int) -> int:
    """Where Qt takes a character to stand: it counts units of UTF-16, so one outside the first plane is two."""
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2


class SentenceBar(QWidget):
    """Emits both texts whenever one of them was edited by the person."""

    edited = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.a = SentenceEdit("A", say("Type a sentence"))
        self.b = SentenceEdit("B", say("optional"))
        hbox(self.a, self.b, parent=self, gap_px=10)
        for edit in (self.a, self.b):
            edit.textEdited.connect(lambda: self.edited.emit(self.a.text(), self.b.text()))

    def show_texts(self, a: str, b: str) -> None:
        self.a.show_text(a)
        self.b.show_text(b)


class QuestionLine(QWidget):
    """The question first; the answer takes its place beside it at a click. Hidden where nothing is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.question = self.answer = ""  # all of the answer, whether it is on show or not
        self._question, self._answer = label("", "strong", wrap=True), label("", wrap=True)
        set_role(self._answer, "muted")
        self.show_answer = button(say("Show the answer"), look="small", checkable=True)
        self.show_answer.toggled.connect(self._on_show_answer_toggled)
        hbox((self._question, 3), self.show_answer, (self._answer, 4), parent=self, gap_px=10)
        self.show_question("")

    @property
    def is_answered(self) -> bool:
        return self.show_answer.isChecked()

    def show_question(self, question: str, answer: str = "", *, is_answered: bool = False) -> None:
        """An empty question: nothing is asked any more."""
        self.question, self.answer = question, answer
        self._question.setText(question)
        self._answer.setText(answer)
        self.show_answer.setChecked(is_answered)
        self._on_show_answer_toggled(is_answered)
        self.show_answer.setVisible(bool(answer))
        self.setVisible(bool(question))

    def _on_show_answer_toggled(self, is_on: bool) -> None:
        self._answer.setVisible(is_on)
        self.show_answer.setText(say("Hide the answer") if is_on else say("Show the answer"))


class ViewSwitches(QWidget):
    """Two switches, one above the other; while something is compared, two more beside them."""

    words_switched = Signal(bool)
    specials_switched = Signal(bool)
    difference_switched = Signal(bool)
    other_held = Signal(bool)  # the button is held down, or not any more

    def __init__(self) -> None:
        super().__init__()

        def switch(title: str, hint: str, checkable: bool = True) -> QPushButton:
            return button(title, look="small", hint=hint, checkable=checkable)

        self.words = switch(say("Whole words"), say("Show the pieces of a word as one"))
        self.specials = switch(say("Special tokens"), say("Show the special tokens"))
        self.difference = switch(say("Difference"), say("Show what differs, or both side by side (D)"))
        hint = say("Show only the baseline while this button or X is held")
        self.other = switch(say("Hold for baseline"), hint, checkable=False)
        self.words.toggled.connect(self.words_switched)
        self.specials.toggled.connect(self.specials_switched)
        self.difference.clicked.connect(self.difference_switched)
        self.other.pressed.connect(lambda: self.other_held.emit(True))
        self.other.released.connect(lambda: self.other_held.emit(False))
        self._comparing = held(vbox(self.difference, self.other, gap_px=4))
        hbox(self._comparing, vbox(self.words, self.specials, gap_px=4), parent=self, gap_px=6)
        self._comparing.hide()

    def show_view(self, words: bool, specials: bool) -> None:
        self.words.setChecked(words)
        self.specials.setChecked(specials)

    def show_baseline(self, has_baseline: bool, wants_difference: bool, shows_other: bool) -> None:
        self._comparing.setVisible(has_baseline)
        self.difference.setChecked(wants_difference)
        self.other.setDown(shows_other)


class WhatIfLine(QWidget):
    """Hidden where nothing is changed inside the model."""

    reset_requested = Signal()
    swap_ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._changes = Hint()
        set_role(self._changes, "strong")
        hint = say("The whole window shows this swap. Click or press Esc to end it")
        self.swap = button("", self.swap_ended.emit, look="small", hint=hint, checkable=True)
        self.swap.clicked.connect(lambda: self.swap.setChecked(True))  # it is on as long as it is there
        hint = say("Undo every change inside the model")
        self._reset = button(say("Reset"), self.reset_requested.emit, look="small", hint=hint)
        hbox((self._changes, 1), self._reset, self.swap, parent=self, gap_px=6)
        self.show_changes([])

    @property
    def text(self) -> str:
        """What is said to be changed; empty where nothing is."""
        return self._changes.text()

    def show_changes(self, changes: list[str], swap: str = "") -> None:
        """Each change in a few words; swap: what comes from another text, on a chip of its own."""
        self._changes.setText(say("What if:  {changes}", changes=" · ".join(changes)) if changes else "")
        self._reset.setVisible(bool(changes))
        self.swap.setText(say("Swapped in: {what}  ×", what=swap))
        self.swap.setChecked(True)
        self.swap.setVisible(bool(swap))
        self.setVisible(bool(changes or swap))
