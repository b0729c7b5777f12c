"""Beside the form's Start: several runs instead of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.errors import BertcoreError

from ....look import numbers
from ....look.say import say
from ....runs.process import RunCommand
from ....runs.run_state import RunState
from ....runs.sweep_rows import A_THIRD, FIVE, THREE, five_rates, three_seeds
from ....widgets.card import button
from ....widgets.context_menu import show_context_menu
from ....widgets.controls import IconButton
from ....widgets.layouts import hbox


class SweepButtons(QWidget):
    """Starts the sweep of what the form says; a sentence says why there can be none."""

    problem_found = Signal(str)

    def __init__(self, state: RunState, command: Callable[[], RunCommand]) -> None:
        """command: one run, as the form has it. Raises BertcoreError where it cannot be run."""
        super().__init__()
        self._state, self._command = state, command
        self._run_s: float | None = None  # what one run would take
        self.rates = button(say("Try five learning rates"), partial(self._start, five_rates), hint=self._about_rates())
        self.rates.setAutoDefault(True)
        self.menu = IconButton("menu", say("Other ways to train several runs"), self._on_menu_clicked)
        hbox((self.rates, 1), self.menu, parent=self, gap_px=6)

    def show_run_time(self, seconds: float | None) -> None:
        """What one run would take; None while that is not known."""
        self._run_s = seconds
        self.rates.setToolTip(self._about_rates())

    def _about_rates(self) -> str:
        text = say("Five runs, one after the other: which learning rate does best?")
        return self._with_time(text, FIVE)

    def _with_time(self, text: str, runs: float) -> str:
        """ "Three seeds · ≈ 4 min"."""
        return text if self._run_s is None else f"{text} · ≈ {numbers.duration(runs * self._run_s)}"

    def _on_menu_clicked(self) -> None:
        shorter = partial(five_rates, budget_share=A_THIRD)
        a_third, seeds = (
            say("Five learning rates, each a third as long"),
            say("Three seeds: mean and standard deviation"),
        )
        entries = (
            (self._with_time(a_third, FIVE * A_THIRD), partial(self._start, shorter)),
            (self._with_time(seeds, THREE), partial(self._start, three_seeds)),
        )
        show_context_menu(self, self.menu.mapToGlobal(self.menu.rect().topLeft()), entries)

    def _start(self, several: Callable[[RunCommand], RunCommand]) -> None:
        try:
            self._state.start_requested.emit(several(self._command()))
        except BertcoreError as error:
            self.problem_found.emit(str(error))
