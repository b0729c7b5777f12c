"""Room Layers: what becomes of each token on its way through the model, in nine views."""

from PySide6.QtWidgets import QWidget

from ...look import mark
from ...widgets.highlights import name_highlight
from ..room import Room
from ..view import ONE_AT_A_TIME, ViewSpec, later
from .hidden_view import HiddenView
from .stages import StageSlider

SLIDER = {"hidden": "all", "paths": "all", "word": "all", "steps": "layers"}  # what it chooses in a view; else nothing


class LayersRoom(Room):
    """A slider beside the tabs chooses the stage, where the view on show has one."""

    key = "layers"
    specs = (
        ViewSpec(
            "hidden",
            mark("Hidden states"),
            mark(
                "Every layer gives each token a new list of numbers, its hidden state. Move the slider: which tokens "
                "become so alike that the model can hardly tell them apart?"
            ),
            HiddenView,
        ),
        ViewSpec(
            "paths",
            mark("Paths"),
            mark("Every layer moves each token. Which lines come together, and which move apart?"),
            later(__package__, "paths_view", "PathsView"),
        ),
        ViewSpec(
            "word",
            mark("One word"),
            mark(
                "A bank can keep money or be the edge of a river: does the model know? In the embeddings (emb.) only "
                "the word’s position differs. At which layer do its meanings separate?"
            ),
            later(__package__, "word_view", "WordView"),
            only=mark("This view has its own sentences. Hold X to see them in the baseline model."),
        ),
        ViewSpec(
            "swap",
            mark("Swap in"),
            mark(
                "Change “man” to “woman”, and the model fills the gap differently. Swap in what it computed for the "
                "second text, one part at a time: where inside the model does the difference lie?"
            ),
            later(__package__, "swap_view", "SwapView"),
        ),
        ViewSpec(
            "added",
            mark("What layers add"),
            mark(
                "A layer does not replace what a token is: it adds to it. Which half of a layer adds more: attention, "
                "which collects information from other tokens, or feed-forward, which works on the token alone?"
            ),
            later(__package__, "added_view", "AddedView"),
            is_for_experts=True,
        ),
        ViewSpec(
            "neurons",
            mark("Neurons"),
            mark(
                "A neuron works like a detector: it fires for some tokens and makes some words more likely. Click "
                "one: can you tell what it detects?"
            ),
            later(__package__, "neurons_view", "NeuronsView"),
            is_for_experts=True,
            only=ONE_AT_A_TIME,
        ),
        ViewSpec(
            "apart",
            mark("Compared"),
            mark("Where do two texts or two models differ: at which token, and from which layer on?"),
            later(__package__, "compared_view", "ApartView"),
            is_for_experts=True,
            is_about_baseline=True,
        ),
        ViewSpec(
            "weights",
            mark("Weights"),
            mark(
                "Learning means changing numbers: each part of the model is a table of them, its weights. Which "
                "parts did training change most, and which words does the model treat differently now?"
            ),
            later(__package__, "weights_view", "WeightsView"),
            is_for_experts=True,
            is_about_baseline=True,
        ),
        ViewSpec(
            "steps",
            mark("Step by step"),
            mark(
                "There is no magic inside a layer, only arithmetic. Click a step to open it, and any number to "
                "see how it was computed."
            ),
            later(__package__, "steps_view", "StepsView"),
            only=ONE_AT_A_TIME,
        ),
    )

    def make_beside_tabs(self) -> list[QWidget]:
        self.slider = StageSlider()
        name_highlight(self.slider, "layers.slider")
        self.slider.moved.connect(self.state.set_stage)
        self.state.reading_changed.connect(self._show_slider)
        self.state.head_changed.connect(self._show_slider)
        return [self.slider]

    def show_tab(self) -> None:
        super().show_tab()
        self._show_slider()

    def _show_slider(self) -> None:
        slider, model, selection = SLIDER.get(self.views.key, ""), self.state.model, self.state.selection
        self.slider.setVisible(bool(slider))
        self.fit_width()
        last = model.layers if model is not None else 1
        if slider == "layers":
            self.slider.set_stages(selection.layer + 1, last, first=1)
        elif slider == "all":
            self.slider.set_stages(selection.stage, last)
