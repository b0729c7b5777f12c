"""Is this normal? What is wrong with the run on show, with a change to try; or, quietly, that nothing is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from bertcore.runs.diagnosis import Diagnosis
from bertcore.runs.diagnosis_words import NOTHING_FOUND, Format, in_words

from ...look import numbers, theme
from ...look.say import say
from ...state.task_info import metric_name, metric_value
from ...widgets.card import button, label, snug
from ...widgets.layouts import hbox, vbox
from .updates_picture import share

MOST_WARNINGS = 2  # more would hide the curves; what comes first mostly explains the rest


class HealthStrip(QWidget):
    """`try_requested` carries the diagnosis whose change is to be tried."""

    try_requested = Signal(object)  # Diagnosis

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(say("Is this normal?"))
        self.shown: list[Diagnosis] = []
        self.quiet = snug(label("", "muted", wrap=True))
        self.warnings = [_Warning() for _ in range(MOST_WARNINGS)]
        for warning in self.warnings:
            warning.try_requested.connect(self.try_requested)
        vbox(self.quiet, *self.warnings, parent=self, gap_px=6)
        self.show_health([])

    @property
    def is_ill(self) -> bool:
        return any(not one.kind.startswith("normal") for one in self.shown)

    def show_health(self, found: Sequence[Diagnosis], is_over: bool = False) -> None:
        """What `runs.health.health_of` says. is_over: the figures stand above, in what is said of the end."""
        self.shown = list(found)
        normal = [one for one in found if one.kind.startswith("normal")]
        ill = [one for one in found if one not in normal]
        if normal and is_over and normal[0].kind != "normal_surer":  # which has figures of its own
            self.quiet.setText(say(NOTHING_FOUND))
        elif normal:
            self.quiet.setText(in_words(normal[0], window_format(), say).seen)
        self.quiet.setVisible(bool(normal) and not theme.is_projector())  # a class looks at the curves
        for warning, diagnosis in zip(self.warnings, [*ill, None, None], strict=False):
            warning.show_diagnosis(diagnosis)
        self.setVisible(bool(ill) or not self.quiet.isHidden())

    def show_step(self, found: Diagnosis | None) -> None:
        """What looked normal at an earlier step; None: it was too early to say. The line keeps its place."""
        words = None if found is None else in_words(found, window_format(), say)
        self.quiet.setText("\u00a0" if words is None else words.seen)


class _Warning(QFrame):
    try_requested = Signal(object)  # Diagnosis

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "banner")
        self._diagnosis: Diagnosis | None = None
        self.seen, self.why = snug(label("", "strong", wrap=True)), snug(label("", "", wrap=True))
        self.try_it: QPushButton = button(
            say("Try it…"),
            self._on_clicked,
            look="small",
            hint=say("Opens the form for a new run with the same settings and this change"),
        )
        margins = (theme.px(10), theme.px(5), theme.px(8), theme.px(6))
        words = vbox(self.seen, self.why, gap_px=1)
        hbox((words, 1), self.try_it, parent=self, gap_px=8, margins=margins)

    def show_diagnosis(self, diagnosis: Diagnosis | None) -> None:
        self.setVisible(diagnosis is not None)
        if diagnosis is None or diagnosis == self._diagnosis:
            return
        self._diagnosis = diagnosis
        words = in_words(diagnosis, window_format(), say)
        self.seen.setText(words.seen)
        self.why.setText(words.suggestion if theme.is_projector() else f"{words.why} {words.suggestion}".strip())
        self.try_it.setVisible(bool(words.suggestion))
        self.setAccessibleName(words.seen)

    def _on_clicked(self) -> None:
        self.try_requested.emit(self._diagnosis)


def window_format() -> Format:
    """Numbers as the window writes them."""
    return Format(
        loss=numbers.decimal,
        score=metric_value,
        name=metric_name,
        rate=numbers.rate,
        share=numbers.percent,
        ratio=share,
        count=_count,
    )


def _count(value: float) -> str:
    return numbers.count(round(value))
