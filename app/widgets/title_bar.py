"""The bar at the top: which model and step is open, what it is compared with, examples, and how the window looks.

In projector mode it is narrow, so that the sentences stand in it too: the picture below needs the height.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QWidget

from bertcore.errors import printable

from ..look import names, numbers, say, theme
from ..look.fitting import plain_tip
from ..state import ModelInfo, OtherText
from ..state.baseline_names import AROUND, baseline_name, text_name, unchanged_name, unswapped_name
from ..state.explore_state import ExploreState
from .card import button, label
from .controls import IconButton, MenuButton, popped_up
from .layouts import Item, hbox

MODEL_PX, SHORT_MODEL_PX = (100, 520), (100, 165)  # at least, at most
BASELINE_PX, SHORT_BASELINE_PX = (50, 300), (50, 135)
STARTS: dict[str, list[str]] = names("first steps")  # what a run began with: its name, and what it is
Fill = Callable[[QMenu], object]


class StepSwitch(QWidget):
    """Hidden where the model has one step only, and no run is at work."""

    stage_chosen = Signal(str)
    follow_switched = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        names = {
            "start": ("", ""),
            "half_trained": (say("Half-trained"), say("The model with half of what it learns behind it")),
            "trained": (say("Trained"), say("The model at the end of its training")),
        }
        self.stages = {
            key: button(name, look="small", hint=hint, checkable=True) for key, (name, hint) in names.items()
        }
        hint = say("All pictures show the newest snapshot of the run, as soon as it is there")
        self.follow = button(say("Follow the run"), look="small", hint=hint, checkable=True)
        for key, made in self.stages.items():
            made.clicked.connect(lambda _checked=False, key=key: self.stage_chosen.emit(key))
        self.follow.clicked.connect(self.follow_switched)
        hbox(*self.stages.values(), self.follow, parent=self, gap_px=3)
        self.setAccessibleName(say("How far the model has learned"))
        self.show_steps((), "", "", can_follow=False, follows=False)

    def show_steps(
        self, stages: Collection[str], stage: str, begins_with: str, *, can_follow: bool, follows: bool
    ) -> None:
        """stages: those that there are; stage: the one that is open, empty for another step; begins_with: see
        `runs.stages.Steps`."""
        name, hint = map(say, STARTS.get(begins_with, STARTS["untrained"]))
        self.stages["start"].setText(name)
        self.stages["start"].setToolTip(hint)
        for key, made in self.stages.items():
            made.setVisible(key in stages)
            made.setChecked(key == stage)
        self.follow.setVisible(can_follow)
        self.follow.setChecked(follows)
        self.setVisible(bool(stages) or can_follow)


class BaselineChip(QWidget):
    """What everything is compared with: a menu button to choose it, and while something is compared a cross that ends
    that. A projector has room for the button alone."""

    end_requested = Signal()

    def __init__(self, fill: Fill) -> None:
        super().__init__()
        hint = say("What everything is compared with: another model, step or text")
        self.button = _menu_button("", fill, hint, SHORT_BASELINE_PX if theme.is_projector() else BASELINE_PX)
        self.button.setCheckable(True)
        self.end = IconButton("close", "", self.end_requested.emit)
        self.is_on = False  # something is compared
        hbox(self.button, self.end, parent=self, gap_px=2)

    def show_baseline(self, state: ExploreState) -> None:
        """What is chosen; without a choice, that what is changed inside is compared with the model as it is."""
        is_short = theme.is_projector()
        name, in_full = chosen_name(state, is_short), say("Compared with {name}", name=chosen_name(state))
        self.button.setText((name if is_short else in_full) if name else say("Compare"))
        self.button.setToolTip(plain_tip(in_full) if name else self.button.accessibleDescription())
        self.is_on = bool(name)
        self.button.setChecked(self.is_on)
        is_chosen = state.baseline is not None
        hint = say("End the comparison (Esc)") if is_chosen else say("Undo every change inside the model")
        self.end.set_icon("close", hint)
        self.end.setVisible(self.is_on and not is_short)


def chosen_name(state: ExploreState, is_short: bool = False) -> str:
    """In a few words what the state is compared with, read or not; empty where there is nothing."""
    chosen, reading, swap = state.baseline, state.newest_reading, state.what_if.swap
    if swap is not None and chosen in (None, swap.text):
        return say("this text") if is_short else unswapped_name()
    if chosen is None:
        short = say("unchanged")
        return (short if is_short else unchanged_name()) if state.what_if else ""
    if isinstance(chosen, OtherText):
        return text_name(f"{state.text_a} {state.text_b}", f"{chosen.a} {chosen.b}", 0 if is_short else AROUND)
    if reading is not None and reading.baseline is not None and reading.request.baseline == chosen:
        return baseline_name(reading)
    return printable(Path(chosen.reference or say("the built-in model")).name)


class TitleBar(QFrame):
    """Buttons only; what they do is given from outside."""

    def __init__(self, fill: Mapping[str, Fill], toggle_projector: Callable[[], object]) -> None:
        """fill: menu -> what writes it; of models, steps, lessons, examples, commands, looks and baselines."""
        super().__init__()
        self.setProperty("look", "bar")
        self._is_short = is_short = theme.is_projector()
        self.setFixedHeight(theme.px(37 if is_short else 48))

        def fill_models_and_steps(menu: QMenu) -> None:
            fill["models"](menu)
            fill["steps"](menu.addMenu(say("Training step")))

        self.model = _menu_button(
            say("No model"),
            fill_models_and_steps if is_short else fill["models"],
            say("The open model; click to open another"),
            SHORT_MODEL_PX if is_short else MODEL_PX,
        )
        self.step = MenuButton("", fill["steps"], say("The training step of this snapshot; click to open another"))
        self._has_step = self._is_last = False
        self.switch = StepSwitch()
        self.baseline = BaselineChip(fill["baselines"])
        self.play = IconButton("play", "")
        self._offers = QMenu(self.play)
        self.show_playing(False, can_play=True)
        for widget in (self.step, self.switch, self.play):
            widget.setParent(self)
            widget.hide()
        name = "Aa" if is_short else say("Aa Projector")
        projector = button(name, toggle_projector, hint=say("Larger text, for a projector"), checkable=True)
        projector.setAccessibleName(say("Aa Projector"))
        projector.setChecked(is_short)
        self._brand = label("BERTscope", "brand")
        everything = _menu_icon("menu", say("All commands"), fill["commands"])
        lessons = MenuButton(say("Lessons"), fill["lessons"], say("Lessons, page by page, with tasks"))
        row: tuple[Item, ...] = (self.model, self.step, self.play, self.baseline, lessons, projector, everything)
        # On a projector the lessons are above the examples, the menu of all commands has the looks, and the menu of
        # models the steps.
        if not is_short:
            examples = MenuButton(say("Examples"), fill["examples"], say("Sentence pairs to start from"))
            begin = (self._brand, 4, self.model, self.step, self.switch, self.play, self.baseline, None)
            looks = _menu_icon("theme", say("Light, dark or high contrast"), fill["looks"])
            row = (*begin, lessons, examples, projector, looks, everything)
        side = theme.px(14)
        self._layout = hbox(*row, parent=self, margins=(side, 0, side, 0))
        self._layout.setSpacing(theme.px(6 if is_short else 10))

    def minimumSizeHint(self) -> QSize:
        """Without the program's name, which a small window leaves out."""
        least = super().minimumSizeHint()
        has_brand = not self._is_short and not self._brand.isHidden()
        return least - QSize(self._brand_px, 0) if has_brand else least

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_short:
            self._brand.setVisible(event.size().width() >= self.minimumSizeHint().width() + self._brand_px)

    @property
    def _brand_px(self) -> int:
        return self._brand.minimumSizeHint().width() + self._layout.spacing()

    def add_sentences(self, sentences: QWidget) -> None:
        """Beside the model, in projector mode."""
        self._layout.insertWidget(1, sentences, 1)

    def set_model(self, model: ModelInfo) -> None:
        """Shows what is open."""
        title = model_title(model)
        self.model.setText(model.name if self._is_short else title)
        self.model.setToolTip(plain_tip(f"{title}\n{printable(str(model.folder))}"))
        self._has_step = model.step is not None
        self.step.setText(say("step {step}", step=numbers.count(model.step)) if self._has_step else "")
        self._show_step()
        self.play.show()

    def show_playing(self, is_playing: bool, can_play: bool) -> None:
        """Whether the snapshots of the run are being played, or would be at a click; can_play: there are some."""
        if is_playing:
            self.play.set_icon("stop", say("Stop playing (Escape): what was open before comes back"))
        elif can_play:
            self.play.set_icon("play", say("Play: watch the model learn, one snapshot after the other (F5)"))
        else:
            hint = say("This model has no snapshots of its training to play; click for one that has (F5)")
            self.play.set_icon("play", hint)

    def offer_to_play(self, why: str, offer: str, play: Callable[[], object]) -> QMenu:
        """Below the button. why: this model cannot be played; offer: what can be done instead."""

        def write(menu: QMenu) -> None:
            menu.addAction(why).setEnabled(False)
            menu.setActiveAction(menu.addAction(offer, play))

        return popped_up(self._offers, write, self.play)

    def show_steps(
        self, stages: Collection[str], stage: str, begins_with: str, *, can_follow: bool, follows: bool
    ) -> None:
        """As `StepSwitch.show_steps`. A projector has no room for the switch: the button with the step says it, where
        that is not the last one."""
        if not self._is_short:
            self.switch.show_steps(stages, stage, begins_with, can_follow=can_follow, follows=follows)
            return
        self._is_last = stage == "trained" or not stages
        self._show_step()
        if stage:
            self.switch.show_steps((), "", begins_with, can_follow=False, follows=False)
            self.step.setText(self.switch.stages[stage].text())

    def show_baseline(self, state: ExploreState) -> None:
        """What is compared takes the place of the step on a projector; the menu of models has the steps."""
        self.baseline.show_baseline(state)
        self._show_step()

    def _show_step(self) -> None:
        self.step.setVisible(self._has_step and not (self._is_short and (self._is_last or self.baseline.is_on)))

    def set_loading(self, name: str) -> None:
        self.model.setText(say("Loading {name}…", name=name) if name else say("Loading the built-in model…"))


def _menu_button(text: str, fill: Fill, hint: str, widths_px: tuple[int, int]) -> MenuButton:
    """One that gives way to the others, as far as to its least width; on a projector the sentences give way first."""
    made = MenuButton(text, fill, hint)
    gives_way = not theme.is_projector()
    made.setMinimumWidth(theme.px(widths_px[0]) if gives_way else 0)
    made.setMaximumWidth(theme.px(widths_px[1]))
    across = QSizePolicy.Policy.Preferred if gives_way else QSizePolicy.Policy.Minimum
    made.setSizePolicy(across, QSizePolicy.Policy.Fixed)
    return made


def _menu_icon(icon: str, hint: str, fill: Fill) -> IconButton:
    made = IconButton(icon, hint)
    menu = QMenu(made)
    menu.setAccessibleName(hint)
    made.clicked.connect(lambda _checked=False: popped_up(menu, fill, made))
    return made


def model_title(model: ModelInfo) -> str:
    """Name, family where it is not BERT, layers, heads and size: `bertscope-mini · 4 layers × 4 heads · 5.4 M`."""
    layers, heads = say("%n layer(s)", n=model.layers), say("%n head(s)", n=model.heads)
    family = "" if model.family == "BERT" else f" · {model.family}"
    return f"{model.name}{family} · {layers} × {heads} · {numbers.compact_count(model.parameters)}"
