"""Room Layers: what becomes of each token on its way through the model, in six views."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent

from app.rooms.base import ExploreRoom
from app.rooms.layers.stage_slider import StageSlider
from app.state.readings import Reading
from app.state.state import ExploreState
from app.widgets.pages import Pages

if TYPE_CHECKING:
    from app.rooms.layers.view import LayersView

VIEWS = {  # key -> name, hint
    "hidden": ("Hidden states", "How long each hidden state is, and how alike tokens are"),
    "paths": ("Paths", "Where each token goes from layer to layer"),
    "word": ("One word", "The same word in several sentences"),
    "added": ("What is added", "How much attention and feed-forward add to the residual stream"),
    "neurons": ("Neurons", "Feed-forward neurons that fire most for a token"),
    "steps": ("Step by step", "The arithmetic of one layer, number by number"),
}
PAUSE_MS = 200  # after the last key, before the model is asked for more than the reading
KEPT_VIEW = "layers.view"  # what a window built anew finds in the state


class LayersRoom(ExploreRoom):
    """Views, one at a time, under a row of buttons; a slider chooses the layer where the view shows one.

    `stage` is what the slider shows: 0 the embeddings, l after layer l. From 1 on it is the layer that all rooms share.
    """

    def __init__(self, state: ExploreState) -> None:
        self.slider = StageSlider()
        self.pages: Pages[LayersView] = Pages(VIEWS, self._make)
        self.pages.top.addWidget(self.slider, 1)
        self.stage = state.layer + 1
        self._layer = state.layer  # as it was drawn last
        self._waiting_question: Callable[[], object] | None = None
        self._is_urgent = True  # the person has just come here: nobody is typing
        super().__init__(state, self.pages)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._on_pause_over)
        self.slider.moved.connect(self.set_stage)
        self.pages.chosen.connect(self.open_view)
        kept = state.kept.get(KEPT_VIEW)
        self.open_view(str(kept) if kept in VIEWS else "hidden")

    @property
    def view(self) -> LayersView:
        """The one on show."""
        return self.pages.page

    def open_view(self, key: str) -> LayersView:
        """Shows a view (a key of VIEWS)."""
        self.pages.open(key)
        self.state.kept[KEPT_VIEW] = key
        self._show_stages()
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self._is_urgent = True
            self.draw_reading(self.state.reading)
        return self.view

    def set_stage(self, stage: int) -> None:
        """Looks after another layer; from 1 on, all rooms do."""
        self.stage = stage
        self._show_stages()
        if stage > 0 and stage - 1 != self.state.layer:
            self._layer = stage - 1
            self.state.set_head(stage - 1, self.state.head)
        elif self.is_drawn and self.state.reading is not None:
            self.view.draw_stage(self.state.reading)

    def ask_soon(self, question: Callable[[], object]) -> None:
        """Asks at once where a person has just chosen something, else when there is a pause in the typing."""
        self._pause.stop()
        if self._is_urgent:
            question()
        else:
            self._waiting_question = question
            self._pause.start(PAUSE_MS)

    def draw_reading(self, reading: Reading) -> None:
        self._follow_layer()
        self.stage = min(self.stage, reading.request.model.layers)
        self._show_stages()
        self.view.draw_reading(reading)
        self._is_urgent = False

    def draw_focus(self, reading: Reading) -> None:
        self.view.draw_focus(reading)

    def draw_head(self, reading: Reading) -> None:
        self._follow_layer()
        self._show_stages()
        self._is_urgent = True
        self.view.draw_stage(reading)
        self._is_urgent = False

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind.startswith("layers."):
            for view in self.pages.made.values():
                view.show_answer(kind, answer)

    def show_progress(self, kind: str, share: float) -> None:
        if kind.startswith("layers."):
            self.view.show_progress(kind, share)

    def _follow_layer(self) -> None:
        """Another room, or a click, has chosen another layer."""
        if self.state.layer != self._layer:
            self._layer = self.state.layer
            self.stage = self._layer + 1

    def _show_stages(self) -> None:
        stages, model = self.view.stages, self.state.model
        self.slider.setVisible(bool(stages))
        last = model.layers if model is not None else 1
        if stages:
            first = 1 if stages == "layers" else 0
            self.slider.set_stages(self.state.layer + 1 if first else self.stage, last, first)

    def _make(self, key: str) -> LayersView:
        from app.rooms.layers import added_view, hidden_view, neurons_view, paths_view, steps_view, word_view

        makers: dict[str, Callable[[LayersRoom], LayersView]] = {
            "hidden": hidden_view.HiddenView,
            "paths": paths_view.PathsView,
            "word": word_view.WordView,
            "added": added_view.AddedView,
            "neurons": neurons_view.NeuronsView,
            "steps": steps_view.StepsView,
        }
        return makers[key](self)

    def _on_pause_over(self) -> None:
        question, self._waiting_question = self._waiting_question, None
        if question is not None and self.isVisible():
            question()

    def showEvent(self, event: QShowEvent) -> None:
        self._is_urgent = True
        super().showEvent(event)
