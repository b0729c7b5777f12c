"""What the views of the room Apply share, one for each kind of task: they ask the task head and show its answer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from bertcore.tasks.kinds.base import USUAL

from ...compute.applying import Applied, apply_model, request_for
from ...compute.question import Job
from ...figures.figure import Figure, Numbers, joined, model_text, pair_text, picture_of
from ...figures.script import script
from ...look import mark, say, theme
from ...state import NOTHING_CHANGED, ModelInfo, OtherText, Reading, Selection
from ...state.baseline_names import baseline_name
from ...widgets.card import GAP_PX, Card, label, show_text
from ...widgets.charts.pointer import PointerWidget
from ...widgets.layouts import fill, hbox, held, show_if, vbox
from ...widgets.sentence_bar import in_utf_16
from ..view import View

Span = tuple[int, int]  # characters from, to


class ApplyView(View):
    """Subclasses fill `result` with what shows the answer. While the model computes, the last answer stays."""

    text_edited = Signal(str)  # the text of the view's own editor
    answered = Signal(object)  # Applied
    asks: ClassVar[Mapping[str, bool]] = {"answer": True}
    asks_baseline_first = True
    title, intro = "", ""  # of its card
    python = ""  # makes the first of its numbers of what the model `said`
    reads = mark("It reads A and ignores B.")

    def __init__(self, model: ModelInfo) -> None:
        super().__init__()
        assert model.task is not None
        self.model, self.task = model, model.task
        self.text, self.decoding = "", USUAL  # of its own editor; how the model's scores become its answer
        self.applied: Applied | None = None  # what is on show
        self.baseline: Applied | None = None  # the baseline's answer beside it
        self.baseline_name = ""
        self.numbers: Mapping[str, Numbers] = {}  # behind the answer on show, for a file
        self.card, self.row = Card(say(self.title), intro=say(self.intro)), hbox(parent=self, gap_px=GAP_PX)
        self.problem, self.changed = label("", "muted", wrap=True), label("", "strong", wrap=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.result = vbox(gap_px=6)
        self._shown = held(self.result)
        show_if(False, self.problem, self.changed, self._shown)
        fill(self.card.body, self.problem, self._shown)

    def missing(self, reading: Reading) -> str:
        """A sentence on what is still to be typed; empty where nothing is."""
        return "" if reading.encoding.text_a.strip() else say("Type a text in A.")

    def show_answer(self, example: Any, prediction: Any) -> None:
        """Example and prediction are of the view's kind of task; sets `numbers`, too."""
        raise NotImplementedError

    def brief(self, example: Any, prediction: Any) -> str:
        """An answer in a few words, to stand beside the one on show."""
        return str(prediction.answer)

    def set_text(self, text: str) -> None:
        """Fills the view's own editor, where it has one."""

    def show_marks(self, spans: Sequence[Span]) -> None:
        """Marks places of the text in that editor."""

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.ask_all()
        self.draw_answer("answer")

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str | None:
        ours = self.reading
        if ours is None or self.missing(ours) or (reading is not ours and self._why_not_compared(ours) is not None):
            return None
        request = request_for(reading, {self.task.kind: self.text}, self.decoding)
        return Job(apply_model, (request,), (reading.request.model,), is_quick=True)

    def _why_not_compared(self, reading: Reading) -> str | None:
        """Why the baseline is not asked; empty where that needs no words, None where it is.

        The model unchanged is no baseline here: its answer comes with that of the changed one.
        """
        baseline, chosen = reading.baseline, reading.request.baseline
        if baseline is None or chosen is None:
            return ""
        asked, of_baseline = (request_for(one, {self.task.kind: self.text}) for one in (reading, baseline))
        if isinstance(chosen, OtherText) and (asked and asked.texts) == (of_baseline and of_baseline.texts):
            return ""
        model, task = baseline.request.model, baseline.request.model.task
        if task is None or (task.kind, task.is_pair) != (self.task.kind, self.task.is_pair):
            return say("{model} was not fine-tuned for this task, so it has no answer to compare.", model=model.name)
        if self.missing(baseline):
            return say("The other text lacks something that this task reads, so it has no answer to compare.")
        return None

    def draw_answer(self, asks: str) -> None:
        reading, applied = self.reading, self.answer_of("answer", self.reading)
        if reading is None:
            return
        problem = self.missing(reading) or ("" if applied is None else applied.problem)
        if applied is None and not problem:  # what is on show stays
            return
        show_text(self.problem, problem)
        self._shown.setVisible(not problem)
        self.applied, self.baseline = None, self.asked_of_baseline["answer"].answer
        self.baseline_name = baseline_name(reading)
        if problem or applied is None:
            self.card.set_hint("")
            self.show_marks(())
            return
        self.applied = applied
        self._show_changed(applied, self._why_not_compared(reading) or "")
        self.show_answer(applied.example, applied.prediction)
        self.answered.emit(applied)

    def _show_changed(self, applied: Applied, why_not_compared: str) -> None:
        """The answers of the model unchanged and of the baseline."""
        lines, baseline = [], self.baseline
        if applied.unchanged is not None:
            lines.append(say("Before your changes: {answer}", answer=self.brief(applied.example, applied.unchanged)))
        if baseline is not None and baseline.prediction is not None:
            answer = self.brief(baseline.example, baseline.prediction)
            lines.append(say("Baseline ({baseline}): {answer}", baseline=self.baseline_name, answer=answer))
        lines.append(why_not_compared or (baseline.problem if baseline is not None else ""))
        if applied.changed != applied.request.what_if:
            reason = say(
                "Edited attention rows, moved tokens and swapped-in parts have no effect here, because the model reads "
                "different tokens."
            )
            lines.append(reason)
        show_text(self.changed, "\n".join(filter(None, lines)))

    def save_button(self, *widgets: QWidget, title: Callable[[], str] | None = None) -> None:
        """Puts a save button on the card, and a menu behind right clicks; title: of the figure, if not the card's."""
        self.card.set_figure(lambda: self._figure(title() if title else self.card.title, widgets))
        for widget in widgets:
            if isinstance(widget, PointerWidget):
                self.add_token_menu(widget, lambda _cell: None)

    def _figure(self, title: str, widgets: Sequence[QWidget]) -> Figure | None:
        if self.applied is None:
            return None
        request, tokens = self.applied.request, map(self.model.tokenizer.label, self.applied.request.token_ids)
        changes = self.applied.changed.described(list(tokens))
        compared = f"compared with {self.baseline_name}" if self.baseline is not None else ""
        caption = joined(model_text(self.model), self.task.title, pair_text(*request.texts), *changes, compared)
        is_plain = self.applied.changed == NOTHING_CHANGED and self.decoding == USUAL
        asked = f"said = m.predict(*{request.texts!r})"
        made = script(title, self.model.folder, asked, python=self.python) if self.python and is_plain else ""
        return Figure(title, picture_of(widgets), self.numbers, caption, self.model.name, script=made)


class EditorView(ApplyView):
    """A view with an editor of its own at the left."""

    editor_title, editor_hint, placeholder = "", "", ""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        self.editor = MarkedEditor(say(self.editor_title), say(self.placeholder))
        card = Card(say(self.editor_title), say(self.editor_hint))
        card.body.addWidget(self.editor, 1)
        self.row.addWidget(card, 1)
        self.editor.textChanged.connect(self._on_editor_text_changed)

    def set_text(self, text: str) -> None:
        if text != self.text:  # else the cursor stays where it is
            self.editor.setPlainText(text)

    def show_marks(self, spans: Sequence[Span]) -> None:
        self.editor.set_marks(spans)

    def _on_editor_text_changed(self) -> None:
        text = self.editor.toPlainText()
        if text != self.text:  # else only its look has changed
            self.text = text
            self.editor.set_marks(())
            self.text_edited.emit(text)
            self.ask_again()

    def ask_again(self) -> None:
        """Something that the answer depends on was changed here."""
        if self.reading is not None:
            self.show_reading(self.reading, self.selection)


class MarkedEditor(QPlainTextEdit):
    """Marks are a tint and a line below: never colour alone. Tab goes on to the next widget."""

    def __init__(self, name: str, placeholder: str) -> None:
        super().__init__()
        self.marks: Sequence[Span] = ()
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setFont(theme.font(15))

    def set_marks(self, marks: Sequence[Span]) -> None:
        self.marks, text, selections = marks, self.toPlainText(), []
        texts = "; ".join(text[start:end] for start, end in marks)
        self.setAccessibleDescription(say("marked: {texts}", texts=texts) if marks else "")
        look = QTextCharFormat()
        look.setBackground(theme.color("accent_tint"))
        look.setForeground(theme.color("accent"))
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        for start, end in marks:
            selection, cursor = QTextEdit.ExtraSelection(), QTextCursor(self.document())
            cursor.setPosition(in_utf_16(text, start))
            cursor.setPosition(in_utf_16(text, end), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor, selection.format = cursor, look
            selections.append(selection)
        self.setExtraSelections(selections)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.set_marks(self.marks)
