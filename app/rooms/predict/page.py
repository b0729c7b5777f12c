"""What the room's pages share: a page draws while it is on show, or says in a sentence why it has nothing to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.look import theme
from app.widgets.card import GAP_PX, Card, label
from app.widgets.question import Question

if TYPE_CHECKING:
    from app.compute.head_questions import AskedText
    from app.compute.mask_lens import MaskLens
    from app.rooms.predict.room import PredictRoom
    from app.state.readings import Reading

NO_MASKS = "Mask a word first: double-click a token, or press M."


class PredictPage(QWidget):
    """`column` takes what the page shows; `show_nothing` puts a sentence in its place."""

    needs_lens = False  # whether it shows what the layers would say at the masks

    def __init__(self, room: PredictRoom, questions: Sequence[Question] = ()) -> None:
        super().__init__()
        self.room, self.questions = room, list(questions)
        self._content, self._nothing = QWidget(), Card()
        self._nothing_title, self._nothing_text = label("", "number"), label("", wrap=True)
        self.column = QVBoxLayout(self._content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(theme.px(GAP_PX))
        self._nothing.body.addStretch(2)
        for widget in (self._nothing_title, self._nothing_text):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._nothing.body.addWidget(widget)
        self._nothing.body.addStretch(3)
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._content)
        self._layers.addWidget(self._nothing)

    @property
    def nothing(self) -> str:
        """The sentence in place of the content; empty where there is content."""
        return self._nothing_text.text() if self._layers.currentWidget() is self._nothing else ""

    def show_nothing(self, title: str, sentence: str) -> None:
        self._nothing_title.setText(title)
        self._nothing_text.setText(sentence)
        self._layers.setCurrentWidget(self._nothing)
        self.leave()

    def show_content(self) -> None:
        self._layers.setCurrentWidget(self._content)

    def draw_reading(self, reading: Reading) -> None:
        """Everything anew."""
        raise NotImplementedError

    def draw_focus(self, reading: Reading) -> None:
        """Another token is looked at, perhaps another mask."""

    def draw_lens(self, lens: MaskLens) -> None:
        """What the layers would say at the masks has come; of `needs_lens` alone."""

    def leave(self) -> None:
        """Nobody looks any more: what is not there yet is not wanted."""
        for question in self.questions:
            question.leave()


def stage_name(stage: int) -> str:
    """0 is what enters the first layer."""
    return f"layer {stage}" if stage else "embeddings"


def what_is_missing(reading: Reading) -> str:
    """Why this model predicts no words; empty where it does."""
    model = reading.request.model
    if "mlm" in model.tasks:
        return ""
    return model.missing.get("mlm", "This model has no masked-word (MLM) head.")


def decided_sentence(lens: MaskLens, mask: int) -> str:
    """At which layer the last word came up and stayed."""
    last, stage = len(lens.words) - 1, lens.decided(mask)
    word = lens.words[-1][mask][0].token
    if stage == 0:
        return f"It says “{word}” from the embeddings on."
    before = lens.words[stage - 1][mask][0].token
    if stage == last:
        return f"Only the last layer says “{word}”; the one before: “{before}”."
    return f"From layer {stage} on it says “{word}”; before that “{before}”."


def asked_text(reading: Reading) -> AskedText:
    """What the model reads."""
    from app.compute.head_questions import AskedText

    request = reading.request
    return AskedText(request.input_ids, request.segments, request.positions)
