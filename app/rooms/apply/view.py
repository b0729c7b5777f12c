"""What the views of the room Apply share: one for each kind of task. It asks the task head and shows what it says."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from bertcore.tasks.kinds.base import USUAL, Decoding, Example, Prediction

from ...compute.applying import Applied, ApplyRequest, apply_model
from ...compute.question import Question
from ...figures.figure import Figure, Numbers, joined, model_text, pair_text, picture_of
from ...look import theme
from ...look.say import say
from ...state.baseline import OtherText
from ...state.baseline_names import baseline_name
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, label
from ...widgets.charts.pointer import PointerWidget
from ...widgets.layouts import hbox, vbox
from ...widgets.progress_line import ProgressLine
from ...widgets.sentence_bar import in_utf_16
from ..view import View

Span = tuple[int, int]  # characters from, to


class MarkedEditor(QPlainTextEdit):
    """Marks are a tint and a line below: never colour alone. Tab goes on to the next widget."""

    def __init__(self, name: str, placeholder: str) -> None:
        super().__init__()
        self.marks: list[Span] = []
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setFont(theme.font(15))

    @property
    def marked_texts(self) -> list[str]:
        """What stands at the marks."""
        text = self.toPlainText()
        return [text[start:end] for start, end in self.marks]

    def show_text(self, text: str) -> None:
        """Shows a text from elsewhere; the cursor stays where it is when nothing changes."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def set_marks(self, marks: Sequence[Span]) -> None:
        self.marks = list(marks)
        self.setAccessibleDescription(say("marked: {texts}", texts="; ".join(self.marked_texts)) if marks else "")
        self._paint_marks()

    def _paint_marks(self) -> None:
        look = QTextCharFormat()
        look.setBackground(theme.color("accent_tint"))
        look.setForeground(theme.color("accent"))
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        text, selections = self.toPlainText(), []
        for start, end in self.marks:
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(in_utf_16(text, start))
            cursor.setPosition(in_utf_16(text, end), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor, selection.format = cursor, look
            selections.append(selection)
        self.setExtraSelections(selections)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_marks()


def find_in_order(text: str, pieces: Sequence[str]) -> list[Span | None]:
    """Where each piece stands in the text, one after the other; None for one that does not."""
    spans: list[Span | None] = []
    begin = 0
    for piece in pieces:
        start = text.find(piece, begin)
        if start < 0:
            spans.append(None)
            continue
        begin = start + len(piece)
        spans.append((start, begin))
    return spans


RESULT_PX = 340


class ApplyView(View):
    """Subclasses say what the model is to read, and show its answer in `card`.

    While the model computes, the last answer stays. text: what stands in the view's own editor, where it has one.
    """

    text_edited = Signal(str)  # the text of the view's own editor
    answered = Signal(object)  # Applied

    def __init__(self, model: ModelInfo, title: str = "") -> None:
        super().__init__()
        assert model.task is not None
        self.model, self.task = model, model.task
        self.line = ProgressLine()
        self.question = self.add_question(self._on_answered, self.line)
        self.other = self.add_question(self._on_other_answered, self.line)
        self.applied: Applied | None = None  # what is on show
        self.compared: Applied | None = None  # the baseline's answer beside it
        self.compared_name, self._no_comparison = "", ""  # the baseline's, or why it has no answer
        self.card = Card(title)
        self._problem = label("", "muted", wrap=True)
        self._changed = label("", "strong", wrap=True)
        self._changed.hide()
        self.row = hbox(gap_px=GAP_PX)
        vbox((self.row, 1), self.line, parent=self)
        self.card.body.addWidget(self._problem)

    @property
    def problem(self) -> str:
        """The sentence in place of an answer; empty where there is one."""
        return "" if self._problem.isHidden() else self._problem.text()

    @property
    def changed(self) -> str:
        """The answers of the model unchanged and of the baseline; empty where there is neither."""
        return "" if self._changed.isHidden() else self._changed.text()

    @property
    def what_it_reads(self) -> str:
        """What of A and B the model reads, in a sentence."""
        raise NotImplementedError

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        """A and B as the model is to read them."""
        return reading.encoding.text_a, reading.encoding.text_b

    @property
    def decoding(self) -> Decoding:
        """How the model's scores become its answer."""
        return USUAL

    def missing(self, reading: Reading) -> str:
        """A sentence on what is still to be typed; empty where nothing is."""
        return "" if reading.encoding.text_a.strip() else say("Type a text in A.")

    def show_answer(self, applied: Applied) -> None:
        """The model's answer; one to a text that was changed since may be shown, but is marked in no text."""
        raise NotImplementedError

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        """The numbers behind the answer, for a saved figure."""
        raise NotImplementedError

    def brief(self, example: Example, prediction: Prediction) -> str:
        """An answer in a few words, to stand beside the one on show."""
        return str(prediction.answer)

    def set_text(self, text: str) -> None:
        """Fills the view's own editor, where it has one."""

    def clear(self) -> None:
        """There is no answer to what stands there now."""

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        """Asks about what stands there now; what is on show stays until the answer comes."""
        missing = self.missing(reading)
        if missing:
            self._show_problem(missing)
            self.question.clear()
            self.other.clear()
            return
        self._ask_baseline(reading)  # first: both answers are on show at once
        self._ask(self.question, reading)

    def _ask(self, question: Question[Applied], reading: Reading) -> None:
        request = ApplyRequest(
            *self.texts(reading), reading.request.what_if, tuple(reading.encoding.ids), self.decoding
        )
        question.ask_model(reading.request.model, apply_model, request, pause_ms=0)

    def _ask_baseline(self, reading: Reading) -> None:
        """What a person has chosen; the model unchanged is `before`, and of the same request."""
        theirs, chosen = reading.baseline, reading.request.baseline
        before = self.compared, self.compared_name, self._no_comparison
        self.compared_name, self._no_comparison = baseline_name(reading), ""
        reads_same = isinstance(chosen, OtherText) and theirs is not None and self.texts(theirs) == self.texts(reading)
        if theirs is None or chosen is None or reads_same:
            self._compare_nothing("")
        elif not self._has_same_task(theirs.request.model):
            sentence = say("{model} was not fine-tuned for this task, so it has no answer to compare.")
            self._compare_nothing(sentence.format(model=theirs.request.model.name))
        elif self.missing(theirs):
            self._compare_nothing(
                say("The other text lacks something that this task reads, so it has no answer to compare.")
            )
        else:
            self._ask(self.other, theirs)
            has_same_name = before[1] == self.compared_name
            self.compared = self.other.answer or (self.compared if has_same_name else None)
        if before != (self.compared, self.compared_name, self._no_comparison):
            self._show_both()

    def _compare_nothing(self, sentence: str) -> None:
        self.other.clear()
        self.compared, self._no_comparison = None, sentence

    def _has_same_task(self, model: ModelInfo) -> bool:
        task = model.task
        return task is not None and (task.kind, task.is_pair) == (self.task.kind, self.task.is_pair)

    def save_button(self, widgets: Sequence[QWidget], title: Callable[[], str] | None = None) -> None:
        """Puts a save button on the card, and a menu behind right clicks; title: of the figure, if not the card's."""
        self.card.set_figure(lambda: self._figure(title() if title else self.card.title, widgets))
        for widget in widgets:
            if isinstance(widget, PointerWidget):
                self.add_token_menu(widget, lambda _cell: None)

    def _figure(self, title: str, widgets: Sequence[QWidget]) -> Figure | None:
        applied = self.applied
        if applied is None or applied.prediction is None or self.problem:
            return None
        texts = pair_text(applied.request.text_a, applied.request.text_b)
        settings = f"compared with {self.compared_name}" if self.compared is not None else ""
        caption = joined(model_text(self.model), self.task.title, texts, *self._changes(applied), settings)
        return Figure(title, picture_of(widgets), self.figure_numbers(applied), caption, self.model.name)

    def _changes(self, applied: Applied) -> list[str]:
        tokenizer = self.model.tokenizer
        return applied.changed.described([tokenizer.label(token) for token in applied.request.token_ids])

    def _show_changed(self, applied: Applied) -> None:
        lines = []
        if applied.before is not None and applied.example is not None:
            answer = self.brief(applied.example, applied.before)
            lines.append(say("Before your changes: {answer}", answer=answer))
        other = self.compared
        if other is not None and other.example is not None and other.prediction is not None:
            answer = self.brief(other.example, other.prediction)
            lines.append(say("Baseline ({baseline}): {answer}", baseline=self.compared_name, answer=answer))
        elif self._no_comparison or other is not None:
            lines.append(self._no_comparison or (other.problem if other is not None else ""))
        if applied.changed != applied.request.what_if:
            lines.append(
                say(
                    "Edited attention rows, moved tokens and swapped-in parts have no effect here, because the "
                    "model reads different tokens."
                )
            )
        self._changed.setText("\n".join(lines))
        self._changed.setVisible(bool(lines))

    def _show_problem(self, sentence: str) -> None:
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))
        if sentence:
            self._changed.hide()
            self.applied = None
            self.clear()

    def _on_answered(self, applied: Applied) -> None:
        self._show_problem(applied.problem)
        if not applied.problem:
            self.applied = applied
            self._show_both()
        self.answered.emit(applied)

    def _on_other_answered(self, other: Applied) -> None:
        self.compared = other
        if not self.question.is_running:  # else both are shown when that answer comes
            self._show_both()

    def _show_both(self) -> None:
        if self.applied is not None:
            self._show_changed(self.applied)
            self.show_answer(self.applied)


class EditorView(ApplyView):
    """A view with an editor of its own at the left."""

    def __init__(self, model: ModelInfo, title: str, editor_title: str, editor_hint: str, placeholder: str) -> None:
        super().__init__(model, title)
        self.editor = MarkedEditor(editor_title, placeholder)
        card = Card(editor_title, editor_hint)
        card.body.addWidget(self.editor, 1)
        self.row.addWidget(card, 1)
        self._text = self.text
        self.editor.textChanged.connect(self._on_editor_text_changed)

    @property
    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        self.editor.show_text(text)

    def clear(self) -> None:
        self.editor.set_marks(())

    def _on_editor_text_changed(self) -> None:
        if self.text == self._text:
            return  # only its look
        self._text = self.text
        self.editor.set_marks(())
        self.text_edited.emit(self.text)
        self.ask_again()

    def ask_again(self) -> None:
        """Something that the answer depends on was changed here."""
        if self.reading is not None:
            self.show_reading(self.reading, self.selection)
