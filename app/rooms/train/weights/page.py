"""What training does to the weights: how far each part moves in a step, and whether that is as it should be; and slow
motion: a run at work taken step by step, and what each step did to the loss of its own batch."""

from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from bertcore.runs.diagnosis import LARGE, size_of_updates
from bertcore.runs.run_metrics import SlowStep, Update, parts_of

from ....look import numbers, say, theme
from ....runs.finding import share_of_weights
from ....runs.run_state import RunState
from ....widgets.card import button, label, set_role
from ....widgets.charts.cells import LabelledGrid, Labels
from ....widgets.layouts import enable_if, hbox, show_if, vbox
from ....widgets.linked_text import LinkedText

LEAST, MOST = 1e-5, 1.0  # ends of the colour scale, which is logarithmic
MOST_SLOW = 40  # steps of slow motion that are shown, the newest ones
CELL_PX, SLOW_PX, NUMBERS_PX = (64, 64), 78, 190


class WeightsPage(QWidget):
    """Shows the newest measured step, or the one under the mouse."""

    batch_requested = Signal(int)  # of this step

    def __init__(self) -> None:
        super().__init__()
        self._updates: list[Update] = []
        self.parts: list[str] = []
        self.steps: list[SlowStep] = []  # in slow motion, those on show
        self.verdict = label("", "strong", wrap=True)
        self.picture = LabelledGrid(say("How far each part moves in a step"), largest_px=(10_000, CELL_PX[1]))
        self.picture.set_axis_names("", say("step"))
        self.figures = LabelledGrid("", scale=False, largest_px=CELL_PX)
        self.figures.set_axis_names("", "\u00a0")  # its rows stand beside those of the picture
        self.figures.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.figures.setFixedWidth(theme.px(NUMBERS_PX))
        self.about = label("", "muted", wrap=True)
        self.slow_title, self.slow_about = label("", "strong", wrap=True), label("", "muted")
        self.slow = LabelledGrid(
            say("How each step changed the loss on its own batch"), signed=True, scale=False, largest_px=CELL_PX
        )
        self.slow.setFixedHeight(theme.px(SLOW_PX))
        for grid in (self.picture, self.slow):
            grid.arrows_click = False
        self.picture.hovered.connect(self._show_step)
        self.slow.hovered.connect(self._show_slow_step)
        self.slow.clicked.connect(lambda cell: self.batch_requested.emit(self.steps[cell[1]].step))
        pictures = hbox((self.picture, 1), self.figures, gap_px=0)
        vbox(
            self.slow_title, self.slow, self.slow_about, 4, self.verdict, (pictures, 1), self.about,
            parent=self, gap_px=8,
        )  # fmt: skip
        self.show_slow_steps([])

    def show_updates(self, updates: list[Update]) -> None:
        """All of the run, by step."""
        if len(updates) == len(self._updates) and updates[-1:] == self._updates[-1:]:
            return
        self._updates, self.parts = list(updates), parts_of(updates)
        shares = np.array([[update.ratio.get(part, 0.0) for update in updates] for part in self.parts])
        places = np.clip(np.log10(np.maximum(shares, LEAST) / LEAST) / np.log10(MOST / LEAST), 0, 1)
        rows = Labels([part_name(part) for part in self.parts], ["ink"] * len(self.parts))
        steps = Labels([numbers.count(update.step) for update in updates])
        self.picture.set_grid(
            places.astype(np.float32),
            rows,
            steps,
            0,
            1,
            written=lambda at: share_of_weights(LEAST * (MOST / LEAST) ** at),
        )
        ratios = np.array([max(update.ratio.values()) for update in updates])
        kind = size_of_updates((np.array([update.step for update in updates]), ratios))
        most, limit = share_of_weights(float(ratios.max(initial=0.0))), share_of_weights(LARGE)
        self.verdict.setText(
            {
                "usual": say(
                    "Normal: no step has moved any part by more than {most}. Healthy runs stay below {limit}.",
                    most=most,
                    limit=limit,
                ),
                "large": say(
                    "Too far: up to {most} in a step; healthy runs stay below {limit}. Try a tenth of the learning "
                    "rate.",
                    most=most,
                    limit=limit,
                ),
                "small": say("It hardly moves: at most {most} in a step. Try ten times the learning rate.", most=most),
                "": say("Too few steps so far to say whether this is usual."),
            }[kind]
        )
        set_role(self.verdict, "error" if kind in ("large", "small") else "strong")
        self._show_step(None)

    def show_slow_steps(self, steps: list[SlowStep]) -> None:
        """All that the run has taken in slow motion, by step."""
        show_if(bool(steps), self.slow_title, self.slow, self.slow_about)
        lower = numbers.count(sum(step.after < step.before for step in steps))
        text = say("Slow motion: {lower} of %n step(s) lowered the loss on their own batch.", n=len(steps), lower=lower)
        self.slow_title.setText(text)
        if steps[-MOST_SLOW:] != self.steps:
            self.steps = steps[-MOST_SLOW:]
            changes = np.array([[each.after - each.before for each in self.steps]], dtype=np.float32)
            most = float(np.abs(changes).max(initial=1e-9))
            names = Labels([numbers.count(each.step) for each in self.steps])
            texts = [[numbers.signed(float(change), 3) for change in changes[0]]]
            self.slow.set_grid(changes, Labels([""]), names, -most, most, texts)
        self._show_slow_step(None)

    def _show_slow_step(self, cell: tuple[int, int] | None) -> None:
        """That under the mouse, else the newest."""
        if self.steps:
            step = self.steps[-1 if cell is None else cell[1]]
            self.slow_about.setText(
                say(
                    "Step {step}: the loss on its batch went from {before} to {after}. Click to see the batch.",
                    step=numbers.count(step.step),
                    before=numbers.decimal(step.before, 3),
                    after=numbers.decimal(step.after, 3),
                )
            )

    def _show_step(self, cell: tuple[int, int] | None) -> None:
        """How far each part moved in the step under the mouse, else in the newest, and its gradient norm."""
        if not self._updates:
            return
        update = self._updates[-1 if cell is None else cell[1]]
        self.picture.set_selected(column=None if cell is None else cell[1])
        written = [["", ""] for _ in self.parts]
        for texts, part in zip(written, self.parts, strict=True):
            if part in update.ratio:
                texts[0] = share_of_weights(update.ratio[part], keeps_zeros=True)
                texts[1] = numbers.number(update.gradient[part], keeps_zeros=True)
        nothing = np.zeros((len(self.parts), 2), dtype=np.float32)
        heads = Labels([say("moved"), say("gradient")])
        self.figures.set_grid(nothing, Labels([""] * len(self.parts)), heads, -1, 1, written, signed=True)
        self.about.setText(
            say(
                "At step {step}. Gradient: how hard the loss pulls on the part, before clipping.",
                step=numbers.count(update.step),
            )
            + " "
            + say(
                "Colours: from {low} to {high} of its length, logarithmic.",
                low=share_of_weights(LEAST),
                high=share_of_weights(MOST),
            )
        )


def part_name(part: str) -> str:
    """ "Layer 1 · attention"."""
    first, _, rest = part.partition(".")
    number, _, block = rest.partition(".")
    if first == "layers" and number.isdecimal():
        layer = int(number) + 1
        if block == "attention":
            return say("Layer {number} · attention", number=layer)
        return say("Layer {number} · feed-forward", number=layer)
    names = {
        "embeddings": say("Embeddings"),
        "heads": say("Prediction heads"),
        "encoder": say("Between the layers"),
    }
    return names.get(part, part)


class SlowMotion(QWidget):
    """Buttons, and the newest step in words. It is shown while a run that can be steered is looked at."""

    batch_requested = Signal(int)  # of this step
    weights_requested = Signal()

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._runs = state
        self._steps: list[SlowStep] = []
        self._is_awaiting = False  # a step was ordered and has not been heard of
        self._shows_batch = False
        one = say("Pause the run and train on one batch")
        ten = say("Pause the run and train on ten batches, one after the other")
        on = say("Let the run continue at full speed; slow motion does not change its result")
        self.one = button(say("One step"), partial(self._order, "step"), hint=one)
        self.ten = button(say("Ten steps"), partial(self._order, "ten_steps"), hint=ten)
        self.go_on = button(say("Full speed"), partial(self._order, "resume"), hint=on)
        batch = say("The batch that this step trained on")
        weights = say("How far this step moved each part of the model")
        self.to_batch = button(say("What went in"), lambda: self.batch_requested.emit(self._steps[-1].step), hint=batch)
        self.to_weights = button(say("What it did"), self.weights_requested.emit, hint=weights)
        self.words = LinkedText()
        title = label(say("Slow motion"), "strong")
        if theme.is_projector():
            title.hide()
        others = self.to_batch, self.to_weights
        hbox(title, self.one, self.ten, self.go_on, (self.words, 1), *others, parent=self, gap_px=8)

    @property
    def can_steer(self) -> bool:
        """Whether the run is at work, or waits."""
        return self._runs.run.status.state in ("running", "paused")

    def show_status(self) -> None:
        self._is_awaiting = self._is_awaiting and self.can_steer
        self._show()

    def show_steps(self, steps: list[SlowStep]) -> bool:
        """All that the run has taken in slow motion, by step. True where one was added while it is steered."""
        has_more = len(steps) > len(self._steps)
        self._is_awaiting = self._is_awaiting and len(steps) == len(self._steps)
        self._steps = list(steps)
        self._show()
        return has_more and self.can_steer

    def show_beside(self, *, batch: bool) -> None:
        """Whether it stands above the batch, or above the weights."""
        self._shows_batch = batch
        self._show()

    def _order(self, command: str) -> None:
        self._is_awaiting = command != "resume"
        self._show()
        self._runs.control_requested.emit(self._runs.run.path, command)

    def _show(self) -> None:
        is_paused, has_steps = self._runs.run.status.state == "paused", bool(self._steps)
        enable_if(not self._is_awaiting, self.one, self.ten)
        self.go_on.setEnabled(is_paused)
        self.to_batch.setVisible(has_steps and not self._shows_batch)
        self.to_weights.setVisible(has_steps and self._shows_batch and not theme.is_projector())
        words = say("Take one step at a time and see how it changes the weights and the loss on its own batch.")
        if has_steps and is_paused:
            step = self._steps[-1]
            words = say(
                "Step {step}. This batch: loss {before} before, {after} after. Learning rate {rate}, "
                "gradient norm {norm}.",
                step=numbers.count(step.step),
                before=numbers.decimal(step.before, 3),
                after=numbers.decimal(step.after, 3),
                rate=numbers.rate(step.learning_rate, 2),
                norm=numbers.number(step.gradient_norm, 2),
            )
        self.words.setText(words)
