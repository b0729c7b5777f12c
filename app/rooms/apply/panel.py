"""What the panels of the room Apply share: one for each kind of task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.compute.applying import Applied
from app.figures.figure import Figure, Numbers, joined, model_text, pair_text, picture_of
from app.look import theme
from app.rooms.apply.editor import MarkedEditor
from app.state.model_info import ModelInfo
from app.state.state import ExploreState
from app.widgets.card import GAP_PX, Card, label

RESULT_PX = 340


class Panel(QWidget):
    """Subclasses say what the model is to read, and show what it says. `edited`: their own editor has changed."""

    edited = Signal()
    reads = ""  # what of A and B it reads, in a sentence

    def __init__(self, state: ExploreState, model: ModelInfo) -> None:
        super().__init__()
        assert model.task is not None
        self.state, self.model, self.task = state, model, model.task
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(theme.px(GAP_PX))
        self._applied: Applied | None = None  # what is on show
        self._problem = label("", "muted", wrap=True)

    @property
    def problem(self) -> str:
        """The sentence in place of an answer; empty where there is one."""
        return "" if self._problem.isHidden() else self._problem.text()

    def typed(self) -> tuple[str, str | None]:
        """A and B as the model is to read them."""
        return self.state.text_a, self.state.text_b or None

    def missing(self) -> str:
        """A sentence on what is still to be typed; empty where nothing is."""
        return "" if self.state.text_a.strip() else "Type a text in A."

    def show_answer(self, applied: Applied) -> None:
        """The model's answer, kept for a saved picture."""
        self._applied = applied
        self.show_applied(applied)

    def show_applied(self, applied: Applied) -> None:
        """The model's answer; one to a text that was changed since may be shown, but is marked in no text."""
        raise NotImplementedError

    def figure(
        self, title: str, widgets: Sequence[QWidget], numbers: Callable[[Applied], Mapping[str, Numbers]]
    ) -> Figure | None:
        """These widgets and the numbers of the answer on show, for a card's save button; None without an answer."""
        applied = self._applied
        if applied is None or applied.prediction is None or self.problem:
            return None
        texts = pair_text(applied.request.text_a, applied.request.text_b)
        caption = joined(model_text(self.model), self.task.title, texts)
        return Figure(title, picture_of(widgets), numbers(applied), caption, self.model.name)

    def clear(self) -> None:
        """Takes the answer away: there is none for what stands there now."""

    def show_sample(self, text: str) -> None:
        """Puts an example into the panel's own editor, where it has one."""

    def show_problem(self, sentence: str) -> None:
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))
        if sentence:
            self.clear()


class EditorPanel(Panel):
    """A panel with an editor of its own on the left; its text stays in the state, as A and B do."""

    def __init__(self, state: ExploreState, model: ModelInfo, title: str, hint: str, placeholder: str) -> None:
        super().__init__(state, model)
        self.editor = MarkedEditor(title, placeholder)
        self.editor.show_text(state.applied_texts.get(self.task.kind, ""))
        card = Card(title, hint)
        card.body.addWidget(self.editor, 1)
        self.row.addWidget(card, 1)
        self._shown = self.text
        self.editor.textChanged.connect(self._on_editor_text_changed)

    @property
    def text(self) -> str:
        return self.editor.toPlainText()

    def clear(self) -> None:
        self.editor.set_marks(())

    def show_sample(self, text: str) -> None:
        self.editor.show_text(text)

    def is_current(self, text: Any) -> bool:
        """Whether an answer is to the text that stands there now, so that its places can be marked."""
        return bool(text == self.text)

    def _on_editor_text_changed(self) -> None:
        if self.text == self._shown:
            return  # only its look
        self._shown = self.text
        self.state.applied_texts[self.task.kind] = self.text
        self.editor.set_marks(())
        self.edited.emit()
