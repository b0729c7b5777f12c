"""What if this token were of the other segment, or stood elsewhere? Two buttons, and what that does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.look import theme
from app.rooms.embed.before_after import BeforeAfter
from app.widgets.card import Card, Hint, button, label

if TYPE_CHECKING:
    from app.state.readings import Reading

MOST_ROWS = 3
SWAP_HINT = "Then click another token: the two change places"


class ChangeCard(Card):
    """For the token that is looked at."""

    segment_moved = Signal()
    swap_switched = Signal(bool)  # waits for the other token, or does not any more

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(310))
        self.setAccessibleName("What if")
        self.to_other = button("Move to segment B", self.segment_moved.emit, look="small")
        self.swap = button("Swap position", look="small", hint=SWAP_HINT, checkable=True)
        self.swap.clicked.connect(self.swap_switched)
        self.told = Hint("Now click the other token. Esc: none.")
        self.effects = BeforeAfter(MOST_ROWS)
        line = QHBoxLayout()
        line.setSpacing(theme.px(6))
        line.addWidget(self.to_other)
        line.addWidget(self.swap)
        line.addStretch(1)
        self.body.addWidget(label("What if", "title"))
        self.body.addLayout(line)
        self.body.addWidget(self.told)
        self.body.addWidget(self.effects)
        self.told.hide()

    def draw(self, reading: Reading, position: int) -> None:
        self.effects.draw(reading, position)
        self.draw_focus(reading, position)

    def draw_focus(self, reading: Reading, position: int) -> None:
        """Another token is looked at."""
        model, segments = reading.request.model, reading.request.segments
        other = "A" if segments[position] else "B"
        self.to_other.setText(f"Move to segment {other}")
        self.to_other.setEnabled(model.has_segments)
        self.to_other.setToolTip(
            f"Read “{reading.shown_tokens[position]}” as part of segment {other}"
            if model.has_segments
            else model.missing.get("segments", "This model has no segments.")
        )
        self.swap.setEnabled(len(reading.encoding) > 1)
        self.effects.draw_words(reading, position)

    def show_waiting(self, is_waiting: bool) -> None:
        """Whether a token waits for the one it shall swap with."""
        self.swap.setChecked(is_waiting)
        self.told.setVisible(is_waiting)
