"""How long a run trains: a number, and whether it counts epochs, minutes or steps."""

import math

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from bertcore.settings import settings_of
from bertcore.training.finetune_options import FinetuneOptions

from ...look import theme
from ...look.say import say
from ...widgets.controls import Choice, SpinBox
from ...widgets.layouts import hbox
from .run_kinds import EPOCHS, MINUTES, STEPS

BUDGETS = {each.name: each for each in settings_of(FinetuneOptions) if each.name in (EPOCHS, MINUTES, STEPS)}


class LengthField(QWidget):
    """How long: a number, and what it counts."""

    submitted = Signal()
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.spin_box = SpinBox()
        self.unit_choice = Choice(say("What the number counts"))
        self._defaults: dict[str, float] = {}
        hbox((self.spin_box, 1), (self.unit_choice, 1), parent=self, gap_px=6)
        self.spin_box.setDecimals(2)
        self.spin_box.setMinimumWidth(theme.px(60))  # the longest number need not fit
        self.spin_box.setAccessibleName(say("How long to train"))
        self.spin_box.installEventFilter(self)
        self.unit_choice.activated.connect(self._on_unit_activated)
        self.spin_box.valueChanged.connect(self._on_value_changed)

    @property
    def unit(self) -> str:
        """What the number counts: EPOCHS, MINUTES or STEPS."""
        return str(self.unit_choice.currentData())

    @property
    def number(self) -> float:
        self.spin_box.interpretText()
        return self.spin_box.value()

    def set_defaults(self, defaults: dict[str, float]) -> None:
        """Unit -> the number that is usual; the first is chosen."""
        if defaults != self._defaults:
            self._defaults = defaults
            titles = {EPOCHS: say("epochs"), MINUTES: say("minutes"), STEPS: say("steps")}
            self.unit_choice.clear()
            for unit in defaults:
                self.unit_choice.addItem(titles[unit], unit)
            self._on_unit_activated(0)

    def set_length(self, unit: str, number: float) -> None:
        """As if it were chosen and typed."""
        index = self.unit_choice.findData(unit)
        self.unit_choice.setCurrentIndex(index)
        self._on_unit_activated(index)
        self.spin_box.setValue(number)

    def _on_unit_activated(self, index: int) -> None:
        """The range is the setting's own: a number out of it cannot be typed."""
        unit, usual = list(self._defaults.items())[index]
        self.spin_box.setRange(BUDGETS[unit].at_least or 0.0, BUDGETS[unit].at_most or math.inf)
        self.spin_box.setValue(usual)

    def _on_value_changed(self, _value: float) -> None:
        self.edited.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter starts the run, as in the other fields."""
        enter = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in enter:
            self.submitted.emit()
            return True
        return super().eventFilter(watched, event)
