"""Below the tokens: what an example asks, and its answer for whoever wants it."""

from PySide6.QtWidgets import QWidget

from ..look.say import say
from .card import button, label, set_role
from .layouts import hbox


class QuestionLine(QWidget):
    """The question first; the answer takes its place beside it at a click. Hidden where nothing is asked."""

    def __init__(self) -> None:
        super().__init__()
        self._question, self._answer = label("", "strong", wrap=True), label("", wrap=True)
        set_role(self._answer, "muted")
        self.show_answer = button(say("Show the answer"), look="small", checkable=True)
        self.show_answer.toggled.connect(self._on_show_answer_toggled)
        hbox((self._question, 3), self.show_answer, (self._answer, 4), parent=self, gap_px=10)
        self.show_question("")

    @property
    def question(self) -> str:
        return self._question.text()

    @property
    def answer(self) -> str:
        """The whole answer, whether it is on show or not."""
        return self._answer.text()

    @property
    def is_answered(self) -> bool:
        return self.show_answer.isChecked()

    def show_question(self, question: str, answer: str = "", *, is_answered: bool = False) -> None:
        """An empty question: nothing is asked any more."""
        self._question.setText(question)
        self._answer.setText(answer)
        self.show_answer.setChecked(is_answered)
        self._on_show_answer_toggled(is_answered)
        self.show_answer.setVisible(bool(answer))
        self.setVisible(bool(question))

    def _on_show_answer_toggled(self, is_on: bool) -> None:
        self._answer.setVisible(is_on)
        self.show_answer.setText(say("Hide the answer") if is_on else say("Show the answer"))
