"""A row of small buttons, one for each view, in the place of tabs: in a narrow card they take several lines."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from ...widgets.card import button, tip
from ...widgets.layouts import FlowLayout, vbox
from ...widgets.pages import MoreButton
from ..view import ViewSpec


class ViewButtons(QWidget):
    """Those of views for experts are behind More."""

    clicked = Signal(str)  # key

    def __init__(self, specs: Sequence[ViewSpec], *, first: QWidget | None = None, own_line: bool = False) -> None:
        """first: stands before the buttons. own_line: those for experts have one, below the others."""
        super().__init__()
        self.more = MoreButton()
        self.buttons: dict[str, QPushButton] = {}
        group, experts = QButtonGroup(self), QWidget()
        line, below = FlowLayout(4 if own_line else 6), FlowLayout(4)
        if first is not None:
            line.addWidget(first)
        for spec in specs:
            made = button(spec.shown_title, look="small", hint=tip(spec.shown_hint), checkable=True)
            made.clicked.connect(lambda _checked=False, key=spec.key: self.clicked.emit(key))
            self.buttons[spec.key] = made
            group.addButton(made)
            if spec.is_for_experts and not own_line:
                made.hide()
                self.more.toggled.connect(made.setVisible)
            (below if spec.is_for_experts and own_line else line).addWidget(made)
        line.addWidget(self.more)
        experts.setLayout(below)
        experts.hide()
        vbox(line, experts, parent=self, gap_px=7)
        if own_line:
            self.more.toggled.connect(experts.setVisible)

    def show_view(self, spec: ViewSpec, key: str = "") -> None:
        """The view on show is this one. key: of its button, where that has another."""
        self.buttons[key or spec.key].setChecked(True)
        if spec.is_for_experts:
            self.more.setChecked(True)
