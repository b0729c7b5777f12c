"""In the title bar: what everything is compared with, a menu to choose it, and a cross that ends the comparison."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from bertcore.errors import printable

from ..look import theme
from ..look.fitting import plain_tip
from ..look.say import say
from ..state.baseline import OtherText
from ..state.baseline_names import AROUND, baseline_name, text_name, unchanged_name, unswapped_name
from ..state.explore_state import ExploreState
from .controls import IconButton, MenuButton
from .layouts import hbox

LEAST_PX, CHIP_PX, SHORT_CHIP_PX = 50, 300, 110


class BaselineChip(QWidget):
    """A menu button, and while something is compared a cross. A projector has room for the button, only then."""

    end_requested = Signal()

    def __init__(self, fill: Callable[[QMenu], object]) -> None:
        super().__init__()
        self._is_short = theme.is_projector()
        self.button = MenuButton("", fill, say("What everything is compared with: another model, step or text"))
        self.button.setMinimumWidth(theme.px(LEAST_PX))
        self.button.setMaximumWidth(theme.px(SHORT_CHIP_PX if self._is_short else CHIP_PX))
        self.button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.button.setCheckable(True)
        self._name = ""
        self.end = IconButton("close", "", self.end_requested.emit)
        hbox(self.button, self.end, parent=self, gap_px=2)

    @property
    def is_on(self) -> bool:
        """Whether something is compared."""
        return self._name != ""

    def show_baseline(self, state: ExploreState) -> None:
        """What is chosen; without a choice, that what is changed inside is compared with the model as it is."""
        self._name = name = chosen_name(state, self._is_short)
        whole = say("Compared with {name}")
        shown = name if self._is_short else whole.format(name=name)
        self.button.setText(shown if name else say("Compare"))
        self.button.setToolTip(
            plain_tip(whole.format(name=chosen_name(state))) if name else self.button.accessibleDescription()
        )
        self.button.setChecked(self.is_on)
        is_chosen = state.baseline is not None
        hint = say("End the comparison (Esc)") if is_chosen else say("Undo every change inside the model")
        self.end.set_icon("close", hint)
        self.end.setVisible(self.is_on and not self._is_short)
        self.setVisible(bool(name) or not self._is_short)


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
