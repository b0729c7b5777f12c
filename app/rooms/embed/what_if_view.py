"""View "What if": other segments, swapped positions, parts left out; and what the model says then."""

from functools import partial

from PySide6.QtWidgets import QPushButton

from app.figures.figure import Figure
from app.look import theme
from app.rooms.base import View
from app.rooms.embed.changes import ChangedPredictions
from app.rooms.embed.parts import ADDENDS, addends_of, part_name
from app.rooms.embed.tiles import Tile, Tiles
from app.state.readings import Reading
from app.state.selection import Selection
from app.state.token_units import KINDS
from app.widgets.card import GAP_PX, Card, button, label, scrolled
from app.widgets.layouts import fill, hbox
from bertcore.tokenizer.tokenizer import Encoding

MOST_ROWS = 12


class WhatIfView(View):
    """The tokens on the left, before and after on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles, self.effects = Tiles(), ChangedPredictions(MOST_ROWS)
        self.parts: dict[str, QPushButton] = {}
        self.b_as_a = button(
            self.tr("All of B as A"),
            self._on_b_as_a_clicked,
            hint=self.tr("Read all of B as segment A"),
            checkable=True,
        )
        self.how = label("", "muted", wrap=True)
        self._picked: int | None = None  # the token that waits for another to swap positions with
        self._encoding: Encoding | None = None  # on show
        self._lay_out()
        self.add_token_menu(self.tiles, lambda position: position)
        self.tiles.chosen.connect(self.position_clicked)
        self.tiles.hovered.connect(self.position_hovered)
        self.tiles.segment_clicked.connect(self._on_tiles_segment_clicked)
        self.tiles.position_clicked.connect(self._on_tiles_position_clicked)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if reading.encoding is not self._encoding:
            self._encoding = reading.encoding
            self._pick(None)
        request, what_if = reading.request, reading.request.what_if
        model, own, segments = request.model, reading.encoding.segments, request.segments
        places, masked = request.positions or range(len(own)), set(request.masked)
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
        self.b_as_a.setChecked(what_if.reads_b_as_a(reading.encoding.segments))
        self.effects.show_reading(reading, selection.position)
        self._show_how()
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self._picked is not None and selection.pinned is None:  # Esc
            self._pick(None)
        self.tiles.set_current(selection.position)
        self.effects.show_position(reading, selection.position)

    def leave(self) -> None:
        super().leave()
        self._pick(None)

    def _lay_out(self) -> None:
        card = Card(self.tr("What the model reads"), self.tr("each token with its segment and its position"))
        after = Card(self.tr("Before and after"))
        switches = hbox(label(self.tr("Leave out:"), "muted"), gap_px=6)
        hints = {
            "token": self.tr("No token embedding"),
            "segment": self.tr("No segment embedding"),
            "position": self.tr("No position embedding"),
        }
        for name in ADDENDS:
            clicked = partial(self._on_part_clicked, name)
            self.parts[name] = button(part_name(name), clicked, hint=hints[name], checkable=True)
            switches.addWidget(self.parts[name])
        fill(switches, 14, self.b_as_a, None)
        fill(card.body, switches, self.how, (scrolled(self.tiles), 1))
        after.setFixedWidth(theme.column_px(330))
        after.set_figure(self._figure)
        fill(after.body, self.effects, None)
        hbox((card, 1), after, parent=self, gap_px=GAP_PX)

    def _show_how(self) -> None:
        if self._picked is not None and self.reading is not None and self._picked < len(self.reading.encoding):
            token = self.reading.shown_tokens[self._picked]
            self.how.setText(
                self.tr("Now click the number of the token to swap with “{token}” (Esc cancels).").format(token=token)
            )
        elif self.tiles.has_segments:
            self.how.setText(
                self.tr("Click a letter to change a token’s segment. Click two numbers to swap the tokens’ positions.")
            )
        else:
            self.how.setText(self.tr("Click two numbers to swap the tokens’ positions. This model has no segments."))

    def _pick(self, position: int | None) -> None:
        self._picked = position
        self.tiles.set_picked(position)
        self._show_how()

    def _on_part_clicked(self, name: str) -> None:
        is_out = self.parts[name].isChecked()
        self.what_if_edited.emit(lambda what_if: what_if.with_dropped(name, is_out))

    def _on_b_as_a_clicked(self) -> None:
        if self.reading is not None:
            segments, is_on = self.reading.encoding.segments, self.b_as_a.isChecked()
            self.what_if_edited.emit(lambda what_if: what_if.with_b_as_a(segments, is_on))

    def _on_tiles_segment_clicked(self, position: int) -> None:
        if self.reading is not None:
            segments = self.reading.encoding.segments
            self.what_if_edited.emit(lambda what_if: what_if.with_other_segment([position], segments))

    def _on_tiles_position_clicked(self, position: int) -> None:
        first = self._picked
        self.position_clicked.emit(position)  # pinned, so that Esc has something to unpin
        self._pick(position if first is None else None)
        if first is not None and first != position:
            self.what_if_edited.emit(lambda what_if: what_if.swapped(first, position))

    def _figure(self) -> Figure | None:
        return self.figure(
            self.tr("Before and after"), [self.effects], self.effects.arrays(), hint=self.tr("what the model predicts")
        )
