"""View "What if": other segments, swapped positions, parts left out; and what the model says then."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QPushButton

from app.figures.figure import Figure
from app.look import theme
from app.rooms.embed.before_after import BeforeAfter
from app.rooms.embed.changes import is_b_as_a, moved, with_b_as_a
from app.rooms.embed.parts import ADDENDS, addends_of
from app.rooms.embed.tiles import Tile, Tiles
from app.rooms.embed.view import EmbedView
from app.state.token_units import KINDS
from app.widgets.card import GAP_PX, Card, button, label, scrolled

if TYPE_CHECKING:
    from app.rooms.embed.room import EmbedRoom
    from app.state.readings import Reading

MOST_ROWS = 12
HOW = "Click a letter to move a token to the other segment. Click two numbers, and the two tokens change places."
HOW_WITHOUT = "Click two numbers, and the two tokens change places. This model has no segments to move between."
PICKED = "Now click the number of the token that “{token}” shall change places with."


class WhatIfView(EmbedView):
    """The tokens on the left, before and after on the right."""

    def __init__(self, room: EmbedRoom) -> None:
        super().__init__(room)
        self.tiles, self.effects = Tiles(), BeforeAfter(MOST_ROWS)
        self.parts: dict[str, QPushButton] = {}
        self.b_as_a = button(
            "All of B as A", self._on_b_as_a_clicked, hint="Read all of B as segment A", checkable=True
        )
        self.how = label(HOW, "muted", wrap=True)
        self._picked: int | None = None
        self._lay_out()
        self.tiles.chosen.connect(room.state.set_focus)
        self.tiles.hovered.connect(room.state.set_hover)
        self.tiles.segment_clicked.connect(self._on_tiles_segment_clicked)
        self.tiles.position_clicked.connect(self._on_tiles_position_clicked)
        room.state.encoding_changed.connect(self._on_state_encoding_changed)
        room.state.focus_changed.connect(self._on_state_focus_changed)

    def draw_reading(self, reading: Reading) -> None:
        request, what_if = reading.request, self.room.state.what_if
        model, own = request.model, reading.encoding.segments
        segments = request.segments
        places = request.positions or range(len(own))
        masked = set(request.masked)
        self.tiles.set_tiles(
            [
                Tile(
                    token,
                    "mask" if i in masked else KINDS[reading.encoding.parts[i]],
                    segments[i],
                    places[i],
                    model.has_segments and segments[i] != own[i],
                    places[i] != i,
                )
                for i, token in enumerate(reading.shown_tokens)
            ],
            model.has_segments,
        )
        for name, switch in self.parts.items():
            switch.setChecked(name in what_if.dropped)
            switch.setEnabled(addends_of(reading)[name] is not None)
        self.b_as_a.setEnabled(model.has_segments and any(own))
        self.b_as_a.setChecked(is_b_as_a(what_if, reading.encoding))
        self.effects.draw(reading, self.room.current)
        self._show_how()
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        self.tiles.set_current(self.room.current)
        self.effects.draw_words(reading, self.room.current)

    def leave(self) -> None:
        super().leave()
        self._pick(None)

    def _lay_out(self) -> None:
        card, after = (
            Card("What the model reads", "tokens, each with its segment and its position"),
            Card("Before and after"),
        )
        switches = QHBoxLayout()
        switches.setSpacing(theme.px(6))
        switches.addWidget(label("Leave out:", "muted"))
        for name in ADDENDS:
            made = button(name, partial(self._on_part_clicked, name), hint=f"No {name} embedding", checkable=True)
            self.parts[name] = made
            switches.addWidget(made)
        switches.addSpacing(theme.px(14))
        switches.addWidget(self.b_as_a)
        switches.addStretch(1)
        card.body.addLayout(switches)
        card.body.addWidget(self.how)
        card.body.addWidget(scrolled(self.tiles), 1)
        after.setFixedWidth(theme.column_px(330))
        after.set_figure(self._figure)
        after.body.addWidget(self.effects)
        after.body.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(card, 1)
        row.addWidget(after)

    def _show_how(self) -> None:
        reading = self.room.state.reading
        if self._picked is not None and reading is not None and self._picked < len(reading.encoding):
            self.how.setText(PICKED.format(token=reading.shown_tokens[self._picked]))
        else:
            self.how.setText(HOW if self.tiles.has_segments else HOW_WITHOUT)

    def _pick(self, position: int | None) -> None:
        self._picked = position
        self.tiles.set_picked(position)
        self._show_how()

    def _on_part_clicked(self, name: str) -> None:
        self.room.set_part(name, not self.parts[name].isChecked())

    def _on_b_as_a_clicked(self) -> None:
        state = self.room.state
        if state.encoding is not None:
            state.set_what_if(with_b_as_a(state.what_if, state.encoding, self.b_as_a.isChecked()))

    def _on_tiles_segment_clicked(self, position: int) -> None:
        state = self.room.state
        if state.encoding is not None and position < len(state.encoding):
            state.set_what_if(moved(state.what_if, state.encoding, [position]))

    def _on_tiles_position_clicked(self, position: int) -> None:
        state, first = self.room.state, self._picked
        state.set_focus(position)  # so that letting it go is heard
        self._pick(position if first is None else None)
        if first is not None and first != position:
            state.set_what_if(state.what_if.swapped(first, position))

    def _on_state_encoding_changed(self) -> None:
        self._pick(None)

    def _on_state_focus_changed(self) -> None:
        """Escape lets the first of two go."""
        if self._picked is not None and self.room.state.focus is None:
            self._pick(None)

    def _figure(self) -> Figure | None:
        return self.room.figure("Before and after", [self.effects], self.effects.numbers(), hint="what the model says")
