"""What training does to the weights: how far each part moves in a step, and whether that is as it should be."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from bertcore.runs.diagnosis import LARGE, size_of_updates
from bertcore.runs.run_metrics import SlowStep, Update, parts_of

from ....look import numbers, theme
from ....look.say import say
from ....runs.finding import share_of_weights
from ....widgets.card import label, set_role
from ....widgets.charts.cells import LabelledGrid, Labels
from ....widgets.layouts import hbox, vbox

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
        self.slow.clicked.connect(self._on_slow_clicked)
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
        shares = [[_place(update.ratio.get(part, 0.0)) for update in updates] for part in self.parts]
        rows = Labels([part_name(part) for part in self.parts], ["ink"] * len(self.parts))
        steps = Labels([numbers.count(update.step) for update in updates])
        self.picture.set_grid(np.array(shares, dtype=np.float32), rows, steps, 0, 1, written=_at_place)
        self._show_verdict()
        self._show_step(None)

    def show_slow_steps(self, steps: list[SlowStep]) -> None:
        """All that the run has taken in slow motion, by step."""
        for part in (self.slow_title, self.slow, self.slow_about):
            part.setVisible(bool(steps))
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

    def _on_slow_clicked(self, cell: tuple[int, int]) -> None:
        self.batch_requested.emit(self.steps[cell[1]].step)

    def _show_verdict(self) -> None:
        ratios = np.array([max(update.ratio.values()) for update in self._updates])
        kind = size_of_updates((np.array([update.step for update in self._updates]), ratios))
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

    def _show_step(self, cell: tuple[int, int] | None) -> None:
        """How far each part moved in the step under the mouse, else in the newest, and its gradient norm."""
        if not self._updates:
            return
        update = self._updates[-1 if cell is None else cell[1]]
        self.picture.set_selected(column=None if cell is None else cell[1])
        written = [
            [
                share_of_weights(update.ratio[part], keeps_zeros=True),
                numbers.number(update.gradient[part], keeps_zeros=True),
            ]
            if part in update.ratio
            else ["", ""]
            for part in self.parts
        ]
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


def _place(ratio: float) -> float:
    """On the scale, 0..1."""
    return 0.0 if ratio <= LEAST else min(math.log10(ratio / LEAST) / math.log10(MOST / LEAST), 1.0)


def _at_place(place: float) -> str:
    """What an end of the scale stands for."""
    return share_of_weights(LEAST * (MOST / LEAST) ** place)
