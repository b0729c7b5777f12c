"""The tab Effects: what each head does for one prediction, drawn over the atlas."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.compute.head_questions import effects_of_heads
from app.look import theme
from app.rooms.attend.kinds_list import HeadLinks
from app.rooms.attend.shown import Head, Shown
from app.rooms.attend.targets import Targets
from app.widgets.card import label
from app.widgets.question import Question, WorkLine
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

MOST_NAMED = 5


class EffectsPanel(QWidget):
    """Asks while its tab is open, a moment after the last change."""

    effects_changed = Signal()
    chosen = Signal(int, int)

    def __init__(self, targets: Targets) -> None:
        super().__init__()
        self.line = WorkLine("effects of all heads")
        self.question = Question("attend.effects", self.line)
        self.bar = ColorBar(signed=True)
        self.heads = HeadLinks("Heads that matter most for this prediction")
        self._targets = targets
        self._shown: Shown | None = None
        self._box = targets.box()
        self._said = label("", "muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(7))
        layout.addWidget(label("Each head switched off alone: what happens to", "muted", wrap=True))
        for widget in (self._box, self.line, self.bar, self._said, self.heads):
            layout.addWidget(widget)
        self.question.answered.connect(lambda _answer: self._show())
        targets.changed.connect(self._on_targets_changed)
        self.heads.chosen.connect(self.chosen)
        self._show()

    @property
    def effects(self) -> np.ndarray | None:
        """(L,N) change of ln p in nats; None while there are none."""
        found: np.ndarray | None = self.question.answer
        return found

    @property
    def limit(self) -> float:
        """Both ends of the colour scale."""
        return 1.0 if self.effects is None else float(np.abs(self.effects).max()) or 1.0

    def draw(self, shown: Shown) -> None:
        self._shown = shown
        target = self._targets.chosen
        self._box.setVisible(target is not None)
        if target is None:
            self.question.forget(self._targets.problem)
        else:
            text = shown.asked_text()

            def work(checkpoint: Checkpoint, step: Step) -> Any:
                return effects_of_heads(checkpoint, text, target, step)

            self.question.want((*shown.plain_key, target), work)
        self._show()

    def leave(self) -> None:
        """The tab is closed."""
        self.question.leave()
        self._shown = None

    def _show(self) -> None:
        effects = self.effects
        for widget in (self.bar, self._said, self.heads):
            widget.setVisible(effects is not None)
        if effects is not None:
            self.bar.set_range(-self.limit, self.limit)
            changed = " of the model as it is, without your changes" if self._is_changed() else ""
            self._said.setText(
                f"Change of ln p in nats{changed}. Blue, below 0: the prediction loses without the head. Red: it gains."
            )
            self.heads.show_rows(_rows(effects))
        self.effects_changed.emit()

    def _is_changed(self) -> bool:
        return self._shown is not None and self._shown.reading.before is not None

    def _on_targets_changed(self) -> None:
        if self._shown is not None and self.isVisible():
            self.draw(self._shown)


def _rows(effects: np.ndarray) -> list[tuple[str, list[tuple[Head, str]], str]]:
    """The heads that the prediction loses and gains most without."""
    order = np.argsort(effects, axis=None, kind="stable").tolist()
    places = [divmod(flat, effects.shape[1]) for flat in order]
    loses = [(at, f"×{math.exp(effects[at]):.2f}") for at in places[:MOST_NAMED] if effects[at] < 0]
    gains = [(at, f"×{math.exp(effects[at]):.2f}") for at in places[::-1][:MOST_NAMED] if effects[at] > 0]
    return [
        ("loses without", loses, "its probability" if loses else "none"),
        ("gains without", gains, "" if gains else "none"),
    ]
