"""Room Apply: a panel for what the open model was taught, live while someone types; or the way to teach one."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.compute.applying import Applied, ApplyRequest
from app.look import theme
from app.rooms.apply.classes import ClassesPanel, NumberPanel
from app.rooms.apply.panel import Panel
from app.rooms.apply.samples import sample_for
from app.rooms.apply.tags import TagsPanel
from app.rooms.apply.texts import AnswerPanel, ChoicesPanel, SummaryPanel
from app.rooms.base import ExploreRoom
from app.state.model_info import ModelInfo
from app.state.readings import Reading
from app.state.state import ExploreState
from app.state.task_info import metric_name
from app.widgets.card import GAP_PX, Card, button, label, scrolled

APPLY = "apply"
SIDE_PX = 250
MOST_LABELS_NAMED = 12
NO_TASK = "The open model was taught no task. Teach it one in the room Train, or open a model that was."
PANELS: dict[str, type[Panel]] = {
    "classify": ClassesPanel,
    "multilabel": ClassesPanel,
    "regress": NumberPanel,
    "tag": TagsPanel,
    "span": AnswerPanel,
    "choice": ChoicesPanel,
    "summarise": SummaryPanel,
}


class ApplyRoom(ExploreRoom):
    """Asks with asked("apply", ApplyRequest); the answer comes to `show_answer`."""

    train_requested = Signal()

    def __init__(self, state: ExploreState) -> None:
        self.panel: Panel | None = None
        self._model: ModelInfo | None = None
        self._about = Card("This model")
        self._taught, self._reads, self._labels, self._measured = (label("", wrap=True) for _ in range(4))
        self._took = label("", "muted")
        self._stack = QStackedWidget()
        super().__init__(state, self._build())

    @property
    def about(self) -> str:
        """What the card at the right says."""
        return " ".join(part.text() for part in (self._taught, self._reads, self._labels, self._measured))

    @property
    def has_task(self) -> bool:
        return self._stack.currentIndex() == 1

    def draw_reading(self, reading: Reading) -> None:
        """A and B, or the model, are others now."""
        model = reading.request.model
        if model is not self._model:
            self._show_model(model)
        self._ask()

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind != APPLY or self.panel is None or answer.request.model is not self._model:
            return
        applied: Applied = answer
        if self.panel.missing():
            return  # what was typed has been taken away since
        self.panel.show_problem(applied.problem)
        if not applied.problem:
            self.panel.show_answer(applied)
            self._took.setText(f"answered in {applied.took_ms:.0f} ms")

    def show_kept_text(self) -> None:
        """The text that the state keeps for the panel's editor is another one now."""
        if self.panel is not None:
            self.panel.show_sample(self.state.applied_texts.get(self.panel.task.kind, ""))

    def put_in_example(self) -> None:
        """Something to try, into A and B and the panel's editor."""
        if self._model is None or self._model.task is None or self.panel is None:
            return
        sample = sample_for(self._model.task)
        self.panel.show_sample(sample.text)
        if sample.a:
            self.state.set_text(sample.a, sample.b)
        self._ask()

    def _build(self) -> QWidget:
        self._holder = QWidget()
        self._row = QHBoxLayout(self._holder)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.px(GAP_PX))
        self._fill_about()
        self._row.addWidget(self._about)
        self._stack.addWidget(self._no_task_card())
        self._stack.addWidget(self._holder)
        return self._stack

    def _no_task_card(self) -> Card:
        card = Card()
        title, text = label("No task yet", "number"), label(NO_TASK, wrap=True)
        self.train_button = button("Teach it a task", lambda: self.train_requested.emit(), look="primary")
        card.body.addStretch(2)
        for widget in (title, text):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            card.body.addWidget(widget)
        card.body.addSpacing(theme.px(8))
        card.body.addWidget(self.train_button, 0, Qt.AlignmentFlag.AlignHCenter)
        card.body.addStretch(3)
        return card

    def _fill_about(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        for part in (self._taught, self._reads, self._labels, self._measured):
            column.addWidget(part)
        column.addStretch(1)
        self.example_button = button(
            "Put in an example", self.put_in_example, hint="Something to try, in place of what stands there"
        )
        self._about.body.addWidget(scrolled(inside), 1)
        self._about.body.addWidget(self._took)
        self._about.body.addWidget(self.example_button)
        self._about.setFixedWidth(theme.column_px(SIDE_PX))

    def _show_model(self, model: ModelInfo) -> None:
        """Another model is open: its panel takes the place of the last one's."""
        self._model = model
        if self.panel is not None:
            self._row.removeWidget(self.panel)
            self.panel.deleteLater()
            self.panel = None
        self._stack.setCurrentIndex(0 if model.task is None else 1)
        if model.task is None:
            return
        kept = self.state.applied_texts
        kept.setdefault(model.task.kind, sample_for(model.task).text)
        self.panel = PANELS[model.task.kind](self.state, model)
        self.panel.edited.connect(self._ask)
        self._row.insertWidget(0, self.panel, 1)
        self._show_about(model)

    def _show_about(self, model: ModelInfo) -> None:
        task, panel = model.task, self.panel
        if task is None or panel is None:
            return
        self._taught.setText(task.title or f"It was taught to {_VERBS[task.kind]}.")
        self._reads.setText(panel.reads)
        named = ", ".join(task.labels[:MOST_LABELS_NAMED]) + (" …" if len(task.labels) > MOST_LABELS_NAMED else "")
        self._labels.setText(f"It chooses from: {named}" if named and task.kind != "tag" else "")
        measured = task.measured
        self._measured.setText(
            f"On held-out examples: {metric_name(measured[0])} {measured[1]:.3f}, at the end of its run."
            if measured
            else ""
        )
        self._took.setText("")
        for part in (self._labels, self._measured):
            part.setVisible(bool(part.text()))

    def _ask(self) -> None:
        """What stands there now goes to the model; while it thinks, the last answer stays."""
        panel, model = self.panel, self._model
        if panel is None or model is None:
            return
        missing = panel.missing()
        panel.show_problem(missing)
        if not missing:
            self.asked.emit(APPLY, ApplyRequest(model, *panel.typed()))


_VERBS = {
    "classify": "put texts into classes",
    "multilabel": "give texts several labels at once",
    "regress": "give texts a number",
    "tag": "tag each word",
    "span": "find answers in a passage",
    "choice": "choose the best ending",
    "summarise": "pick the sentences that sum up a text",
}
