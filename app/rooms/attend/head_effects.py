"""The panel Effects: what each head does for one prediction, drawn over the atlas."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal

from ...compute.head_questions import effects_of_heads
from ...compute.question import Question
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...widgets.card import label
from ...widgets.charts.raster import ColorBar
from ...widgets.layouts import fill
from ...widgets.progress_line import ProgressLine
from .chosen_heads import TargetBox, TargetFields
from .head_kinds import HeadLinks, Row
from .view import AttendView

MOST_NAMED = 5


class EffectsView(AttendView):
    """Of the model as it is, each head switched off alone."""

    effects_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.question: Question[np.ndarray] = self.add_question(lambda _answer: self.redraw(), self.line)
        self.bar = ColorBar(signed=True)
        explain("effect", self.bar)
        self.heads = HeadLinks(say("Heads that matter most for this prediction"))
        self._box, self._fields = self.target_box, self.target_fields = TargetBox(), TargetFields()
        self._meaning = label("", "muted", wrap=True)
        self.body.setSpacing(theme.px(7))
        fill(self.body, self._box, self._fields, self.line)
        fill(self.body, self.bar, self._meaning, self.heads, None)
        self.heads.chosen.connect(self.head_clicked)

    @property
    def effects(self) -> np.ndarray | None:
        """(L,N) what each head adds to ln p in nats, or to a score; None while there are none."""
        return None if self.question.answer is None else -self.question.answer

    @property
    def limit(self) -> float:
        """Both ends of the colour scale."""
        return 1.0 if self.effects is None else float(np.abs(self.effects).max()) or 1.0

    def draw(self) -> None:
        attentions, target = self.attentions, self.chosen.target
        self.heads.set_off(attentions.off)
        self._box.setVisible(target is not None)
        if target is None:
            self.question.clear(self.chosen.problem)
        else:
            asked = attentions.plain.request
            self.question.ask_model(asked.model, effects_of_heads, asked.model_input, target, pause_ms=self.pause_ms)
        effects = self.effects
        for widget in (self.bar, self._meaning, self.heads):
            widget.setVisible(effects is not None)
        if effects is not None:
            self.bar.set_range(-self.limit, self.limit, numbers.number if self._is_score else numbers.log_factor)
            self._meaning.setText(" ".join(self._meanings()))
            self.heads.show_rows(self._rows(effects))
        self.effects_changed.emit()

    def _drawn_for(self) -> tuple[object, ...]:
        return ()

    @property
    def _is_score(self) -> bool:
        return self.chosen.target is not None and self.chosen.target.is_score

    def _meanings(self) -> list[str]:
        """What the colours are."""
        if self._is_score:
            unit = say("What the head adds to the score.")
        elif self.chosen.target is not None and self.chosen.target.is_contrast:
            first, second = self.chosen.target.answers
            unit = say("×2: the head doubles the odds of “{first}” against “{second}”.")
            if numbers.is_technical():
                unit = say("What the head adds to ln p of “{first}” − ln p of “{second}”, in nats.")
            unit = unit.format(first=first, second=second)
        elif numbers.is_technical():
            unit = say("What the head adds to ln p, in nats: with +1 nat the prediction is 2.7 times as likely.")
        else:
            unit = say("×2: the head makes the answer twice as likely.")
        if self.attentions.reading.unchanged is None:
            return [unit]
        return [unit, say("Computed for the model without your changes.")]

    def _rows(self, effects: np.ndarray) -> list[Row]:
        """The heads that speak most for the prediction and against it, with what they do to it."""
        order = np.argsort(-effects, axis=None, kind="stable").tolist()
        places = [divmod(flat, effects.shape[1]) for flat in order]
        is_score = self._is_score

        def change(effect: float) -> str:
            return numbers.signed(effect) if is_score else numbers.log_factor(effect)

        helps = [(at, change(float(effects[at]))) for at in places[:MOST_NAMED] if effects[at] > 0]
        hurts = [(at, change(float(effects[at]))) for at in places[::-1][:MOST_NAMED] if effects[at] < 0]
        none = say("none", meaning="not one")
        return [
            (say("for"), helps, "" if helps else none),
            (say("against"), hurts, "" if hurts else none),
        ]
