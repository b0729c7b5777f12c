"""Room Apply: what a fine-tuned model says of the text, live while someone types; or the way to fine-tune one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPushButton

from bertcore.files import read_json
from bertcore.locations import BUILT_IN, assets, tuned_models

from ...compute.applying import Applied
from ...look import mark, names, numbers, say, theme
from ...state import ModelInfo, Reading, Selection
from ...state.explore_state import ExploreState
from ...state.task_info import TaskInfo, metric_name, metric_value
from ...widgets.card import GAP_PX, Card, button, label, scrolled, show_text
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import FlowLayout, fill, hbox, held, vbox
from ..room import Room
from ..view import View, ViewSpec
from .classes_view import ClassesView, NumberView
from .tags_view import TagsView
from .texts_view import AnswerView, ChoicesView, SummaryView
from .view import ApplyView

SIDE_PX = 250
LEAST_PX, OFFER_PX = 235, 290  # of an offer; the room is narrower beside a lesson
MOST_LABELS_NAMED = 12
# Something to try: kind of task, or "pair" of one that classifies pairs -> the texts A and B, that of the editor.
EXAMPLES: dict[str, dict[str, str]] = read_json(assets() / "task_examples.json")


@dataclass(frozen=True)
class TaskView:
    """A kind of task: its view, what a model was fine-tuned for, and something to try, so that none begins empty."""

    view: Callable[[ModelInfo], ApplyView]
    about: str
    a: str = ""
    b: str = ""
    text: str = ""  # of the view's editor


_VIEWS: dict[str, Callable[[ModelInfo], ApplyView]] = {
    "classify": ClassesView,
    "multilabel": ClassesView,
    "regress": NumberView,
    "tag": TagsView,
    "span": AnswerView,
    "choice": ChoicesView,
    "summarise": SummaryView,
}
TASKS = {kind: TaskView(_VIEWS[kind], about, **EXAMPLES[kind]) for kind, about in names("fine-tuned for").items()}
SHIPPED = {"bertscope-sentiment": "classify", "bertscope-names": "tag", "bertscope-answers": "span"}
SHIPPED_WORDS: dict[str, list[str]] = names("fine-tuned models")  # the task in a word, the question that it answers


class Offers(View):
    """In place of an answer: a box for each fine-tuned model that ships, with a button that opens it."""

    chosen = Signal(str)  # the model's name
    train_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[str, QPushButton] = {}
        card, boxes = Card(), hbox(gap_px=GAP_PX)
        for name in tuned_models():
            (task, question), kind = SHIPPED_WORDS[name], SHIPPED[name]
            box, chosen = Card(say(task)), partial(self.chosen.emit, name)
            look = "" if self.buttons else "primary"
            self.buttons[name] = button(say("Try {task}", task=say(task)), chosen, look=look)
            example = mark("For example: “{text}”")
            if TASKS[kind].text:
                example = mark("For example: “{text}”, with a passage that has the answer.")
            about, shown = label(say(question), "muted", wrap=True), label(say(example, text=TASKS[kind].a), wrap=True)
            fill(box.body, about, shown, None, self.buttons[name])
            box.setMinimumWidth(theme.column_px(LEAST_PX))
            box.setMaximumWidth(theme.column_px(OFFER_PX))
            boxes.addWidget(box)
        title, train = say("Choose a task"), say("Or fine-tune this model yourself")
        text = say(
            "This model has learned a language, but no task yet. Copies of {model} have been fine-tuned (trained a "
            "little further), each for one task: open one and type.",
            model=BUILT_IN,
        )
        if not self.buttons:
            title, train = say("No task yet"), say("Fine-tune it")
            text = say("This model has not been fine-tuned for a task. Fine-tune it in Train, or open one that was.")
        self.train = button(train, self.train_requested.emit, look="" if self.buttons else "primary")
        below = (held(boxes), self.train) if self.buttons else (self.train,)
        card.fill_with_message(label(title, "number"), label(text, wrap=True), *below)
        vbox(card, parent=self)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        """What is offered is the same for every text."""


class ApplyRoom(Room):
    """One view at a time, by the task of the open model; what the model is stands beside it."""

    key = "apply"
    specs = (ViewSpec("offers", "", "", Offers),)  # as long as the open model has no task

    train_requested = Signal()

    def __init__(self, state: ExploreState) -> None:
        super().__init__(state)
        self._example_for = ""  # the model that was asked for here, until it is open
        self._model: ModelInfo | None = None
        self.about = [label("", wrap=True) for _ in range(4)]  # the model's task, what it reads, its labels, its score
        self._took = label("", "muted")
        about = self._about_card()
        self._beside = folding_on_projector(about, about.title)
        self.row.addWidget(self._beside)

    def _about_card(self) -> Card:
        card = Card(say("This model"), intro=say("What it was fine-tuned for, and how well it does."))
        hint = say("Replace the text with an example to try")
        self.model_buttons = {
            name: button(say(SHIPPED_WORDS[name][0]), partial(self._open, name), look="small", hint=name)
            for name in tuned_models()
        }
        names = vbox(label(say("Models to try"), "muted"), FlowLayout(*self.model_buttons.values()), gap_px=4)
        example = button(say("Show an example"), self.show_example, hint=hint)
        below = [names] if self.model_buttons else []
        fill(card.body, (scrolled(vbox(*self.about, None, gap_px=8)), 1), self._took, example, *below)
        card.setFixedWidth(theme.column_px(SIDE_PX))
        return card

    def connect_view(self, view: View) -> None:
        if isinstance(view, ApplyView):
            view.text_edited.connect(partial(self.state.applied_texts.__setitem__, view.task.kind))
            view.answered.connect(self._on_view_answered)
        elif isinstance(view, Offers):
            view.train_requested.connect(self.train_requested)
            view.chosen.connect(self._open)

    def draw_reading(self, reading: Reading) -> None:
        """A and B, the model, or what is changed inside it, are others now."""
        model = reading.request.model
        if model is not self._model:
            self._show_model(model)
        super().draw_reading(reading)

    def show_kept_text(self) -> None:
        """The state has another text for the view's editor."""
        if isinstance(self.view, ApplyView):
            self.view.set_text(self.state.applied_texts.get(self.view.task.kind, ""))

    def show_example(self) -> None:
        """Something to try, in A and B and the view's editor."""
        if isinstance(self.view, ApplyView):
            task, sample = self.view.task, TASKS[self.view.task.kind]
            self.view.set_text(sample.text)
            pair, is_pair = EXAMPLES["pair"], task.kind == "classify" and task.is_pair
            a, b = (pair["a"], pair["b"]) if is_pair else (sample.a, sample.b)
            if a:
                self.state.set_text(a, b)

    def _open(self, name: str) -> None:
        """A model that ships, with something to try."""
        self._example_for = name
        self.model_requested.emit(name)

    def _show_model(self, model: ModelInfo) -> None:
        """Another model is open: its view takes the place of the last one's."""
        self._model, task = model, model.task
        self._beside.setVisible(task is not None)
        if task is None:
            self.views.leave()
            self.views.open("offers")
            return
        self.views.replace(ViewSpec("answer", "", "", partial(TASKS[task.kind].view, model)))
        view = self.view
        assert isinstance(view, ApplyView)
        view.set_text(self.state.applied_texts.setdefault(task.kind, TASKS[task.kind].text))
        self._show_about(task, view)
        for name, made in self.model_buttons.items():
            made.setEnabled(name != model.name)
        if self._example_for == model.name:
            QTimer.singleShot(0, self.show_example)  # it sets the text, whose reading is on show just now
        self._example_for = ""

    def _show_about(self, task: TaskInfo, view: ApplyView) -> None:
        named = ", ".join(task.labels[:MOST_LABELS_NAMED]) + (" …" if len(task.labels) > MOST_LABELS_NAMED else "")
        labels, measured = (
            say("It chooses from: {labels}", labels=named),
            say(
                "On held-out examples, at the end of its run: {metric} {value}.",
                metric="" if task.measured is None else metric_name(task.measured[0]),
                value="" if task.measured is None else metric_value(*task.measured),
            ),
        )
        texts = (
            task.title or say(TASKS[task.kind].about),
            say(view.reads),
            labels if named and task.kind != "tag" else "",
            "" if task.measured is None else measured,
        )
        for line, text in zip(self.about, texts, strict=True):
            show_text(line, text)
        self._took.setText("")

    def _on_view_answered(self, applied: Applied) -> None:
        self._took.setText(say("answered in {ms} ms", ms=numbers.decimal(applied.took_ms, 0)))
