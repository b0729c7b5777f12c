"""What the views of the room Apply share: one for each kind of task. It asks the task head and shows what it says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from bertcore.tasks.kinds.base import USUAL, Decoding

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
from ...widgets.card import GAP_PX, Card, label, show_text
from ...widgets.charts.pointer import PointerWidget
from ...widgets.layouts import hbox, vbox
from ...widgets.progress_line import ProgressLine
from ...widgets.sentence_bar import in_utf_16
from ..view import View

RESULT_PX = 340
Span = tuple[int, int]  # characters from, to
AnyExample = TypeVar("AnyExample")
AnyPrediction = TypeVar("AnyPrediction")


class ApplyView(View, Generic[AnyExample, AnyPrediction]):
    """Subclasses say what the model is to read, and show its answer in `card`.

    While the model computes, the last answer stays.
    """

    text_edited = Signal(str)  # the text of the view's own editor
    answered = Signal(object)  # Applied

    def __init__(self, model: ModelInfo, title: str = "") -> None:
        super().__init__()
        assert model.task is not None
        self.model, self.task = model, model.task
        self.line, self.card, self.row = ProgressLine(), Card(title), hbox(gap_px=GAP_PX)
        self.question = self.add_question(self._on_applied_answered, self.line)
        self.baseline_question = self.add_question(self._on_baseline_answered, self.line)
        self.applied: Applied | None = None  # what is on show
        self.baseline: Applied | None = None  # the baseline's answer beside it
        self.baseline_name, self._no_comparison = "", ""  # why the baseline has no answer
        self._problem, self._changed = label("", "muted", wrap=True), label("", "strong", wrap=True)
        self._changed.hide()
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

    # What a subclass says.

    @property
    def what_it_reads(self) -> str:
        """What of A and B the model reads, in a sentence."""
        raise NotImplementedError

    @property
    def decoding(self) -> Decoding:
        """How the model's scores become its answer."""
        return USUAL

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        """A and B as the model is to read them."""
        return reading.encoding.text_a, reading.encoding.text_b

    def missing(self, reading: Reading) -> str:
        """A sentence on what is still to be typed; empty where nothing is."""
        return "" if reading.encoding.text_a.strip() else say("Type a text in A.")

    def show_answer(self, example: AnyExample, prediction: AnyPrediction) -> None:
        """The model's answer; one to a text that was changed since may be shown, but is marked in no text."""
        raise NotImplementedError

    def figure_numbers(self, example: AnyExample, prediction: AnyPrediction) -> Mapping[str, Numbers]:
        """The numbers behind the answer, for a saved figure."""
        raise NotImplementedError

    def brief(self, example: AnyExample, prediction: AnyPrediction) -> str:
        """An answer in a few words, to stand beside the one on show."""
        return str(prediction.answer)  # type: ignore[attr-defined]

    def set_text(self, text: str) -> None:
        """Fills the view's own editor, where it has one."""

    def clear(self) -> None:
        """There is no answer to what stands there now."""

    # What follows.

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        """Asks about what stands there now; what is on show stays until the answer comes."""
        missing = self.missing(reading)
        if missing:
            self._show_problem(missing)
            self.question.clear()
            self.baseline_question.clear()
            return
        self._ask_baseline(reading)  # first: both answers are on show at once
        self._ask(self.question, reading)

    def _ask(self, question: Question[Applied], reading: Reading) -> None:
        ids, what_if = tuple(reading.encoding.ids), reading.request.what_if
        request = ApplyRequest(*self.texts(reading), what_if, ids, self.decoding)
        question.ask_model(reading.request.model, apply_model, request, pause_ms=0)

    def _ask_baseline(self, reading: Reading) -> None:
        """What a person has chosen; the model unchanged is `before`, and of the same request."""
        before = self.baseline, self.baseline_name, self._no_comparison
        self.baseline_name, why_not = baseline_name(reading), self._why_not_compared(reading)
        self._no_comparison = why_not or ""
        if why_not is not None or reading.baseline is None:
            self.baseline_question.clear()
            self.baseline = None
        else:
            self._ask(self.baseline_question, reading.baseline)
            has_same_name = before[1] == self.baseline_name
            self.baseline = self.baseline_question.answer or (self.baseline if has_same_name else None)
        if before != (self.baseline, self.baseline_name, self._no_comparison):
            self._show_both()

    def _why_not_compared(self, reading: Reading) -> str | None:
        """Why the baseline is not asked; empty where that needs no words, None where it is."""
        theirs, chosen = reading.baseline, reading.request.baseline
        if theirs is None or chosen is None:
            return ""
        if isinstance(chosen, OtherText) and self.texts(theirs) == self.texts(reading):
            return ""
        model, task = theirs.request.model, theirs.request.model.task
        if task is None or (task.kind, task.is_pair) != (self.task.kind, self.task.is_pair):
            return say("{model} was not fine-tuned for this task, so it has no answer to compare.", model=model.name)
        if self.missing(theirs):
            return say("The other text lacks something that this task reads, so it has no answer to compare.")
        return None

    def save_button(self, *widgets: QWidget, title: Callable[[], str] | None = None) -> None:
        """Puts a save button on the card, and a menu behind right clicks; title: of the figure, if not the card's."""
        self.card.set_figure(lambda: self._figure(title() if title else self.card.title, widgets))
        for widget in widgets:
            if isinstance(widget, PointerWidget):
                self.add_token_menu(widget, lambda _cell: None)

    def _figure(self, title: str, widgets: Sequence[QWidget]) -> Figure | None:
        applied, label_of = self.applied, self.model.tokenizer.label
        if applied is None or applied.prediction is None or self.problem:
            return None
        request, given = applied.request, _answer_of(applied)
        changes = applied.changed.described([label_of(token) for token in request.token_ids])
        compared = f"compared with {self.baseline_name}" if self.baseline is not None else ""
        texts = pair_text(request.text_a, request.text_b)
        caption = joined(model_text(self.model), self.task.title, texts, *changes, compared)
        return Figure(title, picture_of(widgets), self.figure_numbers(*given), caption, self.model.name)

    def _show_changed(self, applied: Applied) -> None:
        lines, baseline = [], self.baseline
        if applied.before is not None:
            answer = self.brief(*_answer_of(applied, applied.before))
            lines.append(say("Before your changes: {answer}", answer=answer))
        if baseline is not None and baseline.prediction is not None:
            answer = self.brief(*_answer_of(baseline))
            lines.append(say("Baseline ({baseline}): {answer}", baseline=self.baseline_name, answer=answer))
        elif self._no_comparison or baseline is not None:
            lines.append(self._no_comparison or (baseline.problem if baseline is not None else ""))
        if applied.changed != applied.request.what_if:
            reason = say(
                "Edited attention rows, moved tokens and swapped-in parts have no effect here, because the model reads "
                "different tokens."
            )
            lines.append(reason)
        show_text(self._changed, "\n".join(lines))

    def _show_problem(self, sentence: str) -> None:
        show_text(self._problem, sentence)
        if sentence:
            self._changed.hide()
            self.applied = None
            self.clear()

    def _on_applied_answered(self, applied: Applied) -> None:
        self._show_problem(applied.problem)
        if not applied.problem:
            self.applied = applied
            self._show_both()
        self.answered.emit(applied)

    def _on_baseline_answered(self, baseline: Applied) -> None:
        self.baseline = baseline
        if not self.question.is_running:  # else both are shown when that answer comes
            self._show_both()

    def _show_both(self) -> None:
        if self.applied is not None:
            self._show_changed(self.applied)
            self.show_answer(*_answer_of(self.applied))


def _answer_of(applied: Applied, prediction: object = None) -> tuple[Any, Any]:
    """Example and prediction, of the kind of the view's task. prediction: another than the answer itself."""
    return applied.example, prediction or applied.prediction


class EditorView(ApplyView[AnyExample, AnyPrediction]):
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
        if text != self.text:  # else the cursor stays where it is
            self.editor.setPlainText(text)

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

    def set_marks(self, marks: Sequence[Span]) -> None:
        self.marks = list(marks)
        self.setAccessibleDescription(say("marked: {texts}", texts="; ".join(self.marked_texts)) if marks else "")
        self._show_marks()

    def _show_marks(self) -> None:
        look, text, selections = QTextCharFormat(), self.toPlainText(), []
        look.setBackground(theme.color("accent_tint"))
        look.setForeground(theme.color("accent"))
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        for start, end in self.marks:
            selection, cursor = QTextEdit.ExtraSelection(), QTextCursor(self.document())
            cursor.setPosition(in_utf_16(text, start))
            cursor.setPosition(in_utf_16(text, end), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor, selection.format = cursor, look
            selections.append(selection)
        self.setExtraSelections(selections)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_marks()
