"""Undo and redo: the moments of the state, one after the other. Typing makes one step until there is a pause.

Another training step of the open model is undone too, where a person has gone there; playing and following are not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from bertcore.tokenizer.text_spans import Place

from ..look import say
from .baseline import Baseline
from .explore_state import ExploreState
from .what_if import NOTHING_CHANGED, WhatIf

MOST_STEPS = 200
PAUSE_S = 1.0  # typing after a longer pause is a step of its own


@dataclass(frozen=True)
class Moment:
    text_a: str = ""
    text_b: str = ""
    masks: frozenset[Place] = frozenset()
    what_if: WhatIf = NOTHING_CHANGED
    baseline: Baseline | None = None
    model: Path | None = None  # its origin; only there does what is changed inside mean something
    folder: Path | None = None  # of the checkpoint: which training step of the model it is

    @classmethod
    def of(cls, state: ExploreState) -> Moment:
        model = (state.model.origin, state.model.folder) if state.model else (None, None)
        return cls(state.text_a, state.text_b, state.mask_places, state.what_if, state.baseline, *model)

    def in_model(self, model: Path | None) -> Moment:
        """What of it means something there: what is changed inside does so in the run alone that it was changed in."""
        changes = self.what_if if self.model == model else NOTHING_CHANGED
        return replace(self, what_if=changes, model=model, folder=None)


@dataclass(frozen=True)
class UndoStep:
    """What undo goes back to, and the name of what it takes back."""

    before: Moment
    name: str
    is_of_training: bool = False  # it went to another training step of the model


class History(QObject):
    """Watches the state by its signals; the state knows nothing of it.

    Several changes within one turn of the event loop, as an example brings them, are one step.
    """

    changed = Signal()  # what can be undone or redone is something else now
    checkpoint_wanted = Signal(object)  # Path: undo or redo goes to another training step

    def __init__(self, state: ExploreState, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(state)
        self._state, self._clock = state, clock
        self._now = Moment.of(state)
        self._done: list[UndoStep] = []
        self._undone: list[UndoStep] = []
        self._typed_at, self._is_typed = -PAUSE_S, False
        self._is_other_model = False
        self._expects_model = self._is_going = False
        self._look_later = QTimer(self, singleShot=True)
        self._look_later.timeout.connect(self.look)
        text, inside = (state.text_changed, state.encoding_changed, state.masks_changed), state.what_if_changed
        for signal in (*text, inside, state.baseline_changed):
            signal.connect(self._look_later.start)
        state.model_changed.connect(self._on_state_model_changed)

    @property
    def to_undo(self) -> str:
        """What undo would take back, as `typing in A`; empty where there is nothing."""
        return self._next_of(self._done)

    @property
    def to_redo(self) -> str:
        return self._next_of(self._undone)

    def expect_typing(self) -> None:
        """What changes now was typed by a person, not put in by a button."""
        self._is_typed = True

    def expect_model(self, is_coming: bool = True) -> None:
        """The model that opens next was chosen by a person; not, where that has failed."""
        self._expects_model = is_coming and not self._is_going

    def undo(self) -> None:
        self.look()
        self._go(self._done, self._undone)

    def redo(self) -> None:
        self.look()
        self._go(self._undone, self._done)

    def look(self) -> None:
        """Takes what has changed since the last look as one step."""
        self._look_later.stop()
        now = Moment.of(self._state)
        if not self._is_other_model:
            self._take(now)
        self._is_other_model, self._now = False, now  # what fits another is gone; that is no step of anybody's

    def _take(self, now: Moment) -> None:
        before, self._now = self._now, now
        is_typed, self._is_typed = self._is_typed, False
        name = _difference(before, now, is_typed)
        if not name:
            return
        goes_on = is_typed and name == self.to_undo and not self._undone
        if not (goes_on and self._clock() - self._typed_at < PAUSE_S):
            self._done.append(UndoStep(before, name))
            del self._done[:-MOST_STEPS]
        self._typed_at = self._clock() if is_typed else self._clock() - PAUSE_S
        self._undone.clear()
        self.changed.emit()

    def _go(self, source: list[UndoStep], target: list[UndoStep]) -> None:
        if not self._next_of(source):
            return
        while source:
            step = source.pop()
            target.append(UndoStep(self._now, step.name, step.is_of_training))
            if self._does_something(step):  # else passed over: a head switched off in a model that is open no more
                moment = step.before.in_model(self._now.model)
                self._state.set_text(moment.text_a, moment.text_b)
                self._state.set_mask_places(moment.masks)  # as far as the open model's vocabulary has tokens there
                self._state.set_what_if(moment.what_if)
                self._state.set_baseline(moment.baseline)
                break
        self._look_later.stop()
        self._now = Moment.of(self._state)
        if step.is_of_training and self._now.folder != step.before.folder:
            self._now = replace(self._now, folder=step.before.folder)  # as soon as it is open
            self._is_going = True
            self.checkpoint_wanted.emit(step.before.folder)
            self._is_going = False
        self._typed_at = self._clock() - PAUSE_S  # what is typed next is a step of its own
        self.changed.emit()

    def _next_of(self, steps: list[UndoStep]) -> str:
        return next((step.name for step in reversed(steps) if self._does_something(step)), "")

    def _does_something(self, step: UndoStep) -> bool:
        """Whether going back to it would change what is open now."""
        here, there = self._now, step.before
        if step.is_of_training and here.folder != there.folder:
            return here.model == there.model
        model = self._state.model.origin if self._state.model else None
        return here.in_model(model) != there.in_model(model)

    def _on_state_model_changed(self) -> None:
        """Comes before the text is tokenised anew; what was typed just before is a step yet."""
        if self._look_later.isActive() and not self._is_other_model:
            last = self._now
            self._take(replace(Moment.of(self._state), what_if=last.what_if, model=last.model, folder=last.folder))
        before, now = self._now, Moment.of(self._state)
        is_expected, self._expects_model = self._expects_model, False
        if is_expected and now.model == before.model and now.folder != before.folder:
            self._done.append(UndoStep(before, say("going to another training step"), is_of_training=True))
            self._undone.clear()
            self._now = replace(before, folder=now.folder)
            self.changed.emit()
        self._is_other_model = True
        self._look_later.start(0)


def _difference(before: Moment, now: Moment, is_typed: bool) -> str:
    """What a person did between two moments; empty where nothing changed."""
    changed = [name for name, text in (("A", "text_a"), ("B", "text_b")) if getattr(before, text) != getattr(now, text)]
    if changed:
        if len(before.masks) > len(now.masks) and not is_typed:
            return say("inserting a word")
        sentences = say("A and B") if len(changed) == 2 else changed[0]
        return say("typing in {sentences}" if is_typed else "changing {sentences}", sentences=sentences)
    if before.masks != now.masks:
        return say("masking") if len(now.masks) > len(before.masks) else say("unmasking")
    if before.what_if.swap != now.what_if.swap:
        return say("swapping in") if now.what_if.swap is not None else say("ending the swap")
    if before.what_if != now.what_if:
        return say("the change inside the model")
    return say("the comparison") if before.baseline != now.baseline else ""
