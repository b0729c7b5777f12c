"""Room Apply: what a fine-tuned model says of the text, live while someone types; or the way to fine-tune one."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from bertcore.locations import BUILT_IN

from ...compute.applying import Applied
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.explore_state import ExploreState
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...state.task_info import TaskInfo, metric_name, metric_value
from ...widgets.card import GAP_PX, Card, button, label, scrolled
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import discard, fill, hbox, vbox
from ...widgets.spots import name_spot
from ..room import Room
from .classes_view import ClassesView, NumberView
from .offers import Offers, OtherModels, sample_of
from .tags_view import TagsView
from .texts_view import AnswerView, ChoicesView, SummaryView
from .view import ApplyView

SIDE_PX = 250
MOST_LABELS_NAMED = 12
TASKS: dict[str, tuple[Callable[[ModelInfo], ApplyView[Any, Any]], str]] = {  # kind of task -> its view, what it is
    "classify": (ClassesView, mark("Fine-tuned to classify texts.")),
    "multilabel": (ClassesView, mark("Fine-tuned to give texts several labels at once.")),
    "regress": (NumberView, mark("Fine-tuned to rate texts with a number.")),
    "tag": (TagsView, mark("Fine-tuned to tag each word.")),
    "span": (AnswerView, mark("Fine-tuned to find answers in a passage.")),
    "choice": (ChoicesView, mark("Fine-tuned to choose the best ending.")),
    "summarise": (SummaryView, mark("Fine-tuned to pick the sentences that sum up a text.")),
}


class ApplyRoom(Room):
    """One view at a time, by the task of the open model; what the model is stands beside it."""

    train_requested = Signal()

    def __init__(self, state: ExploreState) -> None:
        super().__init__(state)
        self._example_for = ""  # the model that was asked for here, until it is open
        self.view: ApplyView[Any, Any] | None = None
        self._model: ModelInfo | None = None
        self._parts = self._task, self._reads, self._labels, self._measured = [label("", wrap=True) for _ in range(4)]
        self._took = label("", "muted")
        self._stack, holder = QStackedWidget(), QWidget()
        name_spot(self._stack, "apply.view")
        about = self._about_card()
        self._row = hbox(folded_on_projector(about, about.title), parent=holder, gap_px=GAP_PX)
        self._stack.addWidget(self._no_task_card())
        self._stack.addWidget(holder)
        vbox(self._stack, parent=self.content)

    def _no_task_card(self) -> Card:
        card, self.offers = Card(), Offers()
        self.offers.chosen.connect(self._on_offer_chosen)
        title = label(say("Choose a task"), "number")
        text = say(
            "This model has learned a language, but no task yet. Copies of {model} have been fine-tuned (trained a "
            "little further), each for one task: open one and type.",
            model=BUILT_IN,
        )
        self.train_button = button(say("Or fine-tune this model yourself"), self.train_requested.emit)
        if not self.offers.buttons:
            title = label(say("No task yet"), "number")
            text = say("This model has not been fine-tuned for a task. Fine-tune it in Train, or open one that was.")
            self.train_button = button(say("Fine-tune it"), self.train_requested.emit, look="primary")
        offers = [self.offers] if self.offers.buttons else []
        card.fill_with_message(title, label(text, wrap=True), *offers, self.train_button)
        return card

    def _about_card(self) -> Card:
        card, inside = (
            Card(say("This model"), intro=say("What it was fine-tuned for, and how well it does.")),
            QWidget(),
        )
        vbox(*self._parts, None, parent=inside, gap_px=8)
        hint = say("Replace the text with an example to try")
        self.example_button = button(say("Show an example"), self.show_example, hint=hint)
        self.other_models = OtherModels()
        self.other_models.chosen.connect(self._on_offer_chosen)
        fill(card.body, (scrolled(inside), 1), self._took, self.example_button, self.other_models)
        card.setFixedWidth(theme.column_px(SIDE_PX))
        return card

    @property
    def about(self) -> str:
        """What the card at the right says."""
        return " ".join(part.text() for part in self._parts)

    def draw_reading(self, reading: Reading) -> None:
        """A and B, the model, or what is changed inside it, are others now."""
        model = reading.request.model
        if model is not self._model:
            self._show_model(model)
        if self.view is not None:
            self.view.reading, self.view.selection = reading, self.state.selection
            self.view.show_reading(reading, self.view.selection)

    def show_kept_text(self) -> None:
        """The state has another text for the view's editor."""
        if self.view is not None:
            self.view.set_text(self.state.applied_texts.get(self.view.task.kind, ""))

    def show_example(self) -> None:
        """Something to try, in A and B and the view's editor."""
        if self.view is not None:
            sample = sample_of(self.view.task)
            self.view.set_text(sample.text)
            if sample.a:
                self.state.set_text(sample.a, sample.b)

    def _on_offer_chosen(self, name: str) -> None:
        """Opens the model, with something to try."""
        self._example_for = name
        self.model_requested.emit(name)

    def _show_model(self, model: ModelInfo) -> None:
        """Another model is open: its view takes the place of the last one's."""
        self._model, task = model, model.task
        if self.view is not None:
            self.view.leave()
            self._row.removeWidget(self.view)
            discard(self.view)
            self.view = None
        self._stack.setCurrentIndex(0 if task is None else 1)
        if task is None:
            return
        kind, texts = task.kind, self.state.applied_texts
        view = self.view = TASKS[kind][0](model)
        view.set_text(texts.setdefault(kind, sample_of(task).text))
        view.text_edited.connect(lambda text: texts.update({kind: text}))
        view.answered.connect(self._on_view_answered)
        self._connect_to_state(view)
        self._row.insertWidget(0, view, 1)
        self._show_about(task, view)
        self.other_models.set_open(model.name)
        if self._example_for == model.name:
            QTimer.singleShot(0, self.show_example)  # it sets the text, whose reading is on show just now
        self._example_for = ""

    def _show_about(self, task: TaskInfo, view: ApplyView[Any, Any]) -> None:
        self._task.setText(task.title or say(TASKS[task.kind][1]))
        self._reads.setText(view.what_it_reads)
        named = ", ".join(task.labels[:MOST_LABELS_NAMED]) + (" …" if len(task.labels) > MOST_LABELS_NAMED else "")
        has_labels = named and task.kind != "tag"
        self._labels.setText(say("It chooses from: {labels}", labels=named) if has_labels else "")
        found = task.measured
        self._measured.setText(
            ""
            if found is None
            else say(
                "On held-out examples, at the end of its run: {metric} {value}.",
                metric=metric_name(found[0]),
                value=metric_value(*found),
            )
        )
        self._took.setText("")
        for part in (self._labels, self._measured):
            part.setVisible(bool(part.text()))

    def _on_view_answered(self, applied: Applied) -> None:
        if not applied.problem:
            self._took.setText(say("answered in {ms} ms", ms=numbers.decimal(applied.took_ms, 0)))

    def leave(self) -> None:
        super().leave()
        if self.view is not None:
            self.view.leave()
