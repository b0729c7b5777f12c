"""View "What if": other segments, swapped positions, parts left out; and what the model says then."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QPushButton

from bertcore.tokenizer.tokenizer import Encoding

from ...figures.figure import Figure, numbers_of
from ...look import say, theme
from ...state import Selection
from ...state.readings import Reading, word_to_mask
from ...state.token_units import KINDS
from ...widgets.card import GAP_PX, Card, button, label, scrolled, show_text
from ...widgets.charts.drawing import Box, Words
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.wrapped import WrappedBoxes
from ..view import View
from .changes import ChangedPredictions
from .embedding_parts import ADDENDS, NAMES, addends_of

TILE_PX, PADDING_PX = 58, 9
PILL_PX, LETTER_PX, NUMBER_PX = 22, 24, 34
MOST_ROWS = 12
CENTER = Qt.AlignmentFlag.AlignCenter
STEPS = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}


@dataclass(frozen=True)
class Tile:
    """One token as the model reads it."""

    token: str
    kind: str  # the theme's colour name
    segment: int
    position: int  # where it is taken to stand
    is_moved: bool  # to another segment than its own
    is_swapped: bool


class Tiles(WrappedBoxes):
    """Laid out in lines. A click on the letter changes the segment; on the number, picks the token to swap."""

    chosen = Signal(int)
    segment_clicked = Signal(int)
    position_clicked = Signal(int)
    grows = True
    gap_px = line_gap_px = 7.0
    least_width_px = 200

    def __init__(self) -> None:
        name = say("Tokens with segment and position: Space changes the segment, Enter picks a token to swap")
        super().__init__(name, TILE_PX)
        self.has_segments = True
        self.tiles: list[Tile] = []
        self._selected = 0
        self._picked: int | None = None

    def set_tiles(self, tiles: list[Tile], has_segments: bool) -> None:
        self.tiles, self.has_segments = tiles, has_segments
        words = [f"{tile.token} {self._letter(tile)} {tile.position}" for tile in tiles[:100]]
        self.setAccessibleDescription(", ".join(words))
        self.lay_out()

    def set_picked(self, position: int | None) -> None:
        """The one that waits for another to swap positions with."""
        self._picked = position
        self.update()

    def letter_rect(self, position: int) -> QRectF:
        rect = self.boxes[position]
        left = rect.center().x() - self.px(LETTER_PX + NUMBER_PX + 4) / 2
        return QRectF(left, rect.bottom() - self.px(PILL_PX + 5), self.px(LETTER_PX), self.px(PILL_PX))

    def number_rect(self, position: int) -> QRectF:
        letter = self.letter_rect(position)
        left = letter.right() + self.px(LETTER_PX + 4) - self.px(LETTER_PX)
        if not self.has_segments:
            left = self.boxes[position].center().x() - self.px(NUMBER_PX) / 2
        return QRectF(left, letter.y(), self.px(NUMBER_PX), self.px(PILL_PX))

    def _letter(self, tile: Tile) -> str:
        return "AB"[min(tile.segment, 1)] if self.has_segments else ""

    def box_widths(self) -> list[float]:
        metrics, padding = QFontMetrics(self.sized_font(13, medium=True)), 2 * self.px(PADDING_PX)
        least = self.px(LETTER_PX + NUMBER_PX + 16)
        return [max(metrics.horizontalAdvance(tile.token) + padding, least) for tile in self.tiles]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        tile, rect, round_px = self.tiles[number], box.adjusted(1, 1, -1, -1), self.px(6)
        is_current, top = number == self._selected, QRectF(rect.x(), rect.y() + self.px(4), rect.width(), self.px(20))
        Box(rect, f"{tile.kind}_tint", "ink" if is_current else "", 1.6, round_px).paint(painter)
        Words(top, tile.token, tile.kind, 13 * self.factor, align=CENTER, medium=True).paint(painter)
        pills = [(self.number_rect(number), str(tile.position), tile.is_swapped, number == self._picked)]
        if self.has_segments:
            pills.append((self.letter_rect(number), self._letter(tile), tile.is_moved, False))
        for place, text, is_changed, is_picked in pills:
            line, fill = "accent" if is_changed or is_picked else "line", "accent" if is_picked else "card"
            Box(place, fill, line, 1.6 if is_changed else 1, self.px(5)).paint(painter)
            ink, is_bold = "on_accent" if is_picked else "accent" if is_changed else "ink", is_changed or is_picked
            Words(place, text, ink, 11.5 * self.factor, is_bold, CENTER).paint(painter)
        if is_current and self.hasFocus():
            Box(rect, "", "accent", theme.stroke(1.6), round_px).paint(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self.cell_at(event.position())
        if position is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if self.has_segments and self.letter_rect(position).contains(event.position()):
            self.segment_clicked.emit(position)
        elif self.number_rect(position).contains(event.position()):
            self.position_clicked.emit(position)
        else:
            self.chosen.emit(position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in STEPS and self.tiles:
            self.chosen.emit(min(max((self._selected or 0) + STEPS[key], 0), len(self.tiles) - 1))
        elif key == Qt.Key.Key_Space and self.has_segments and self.tiles:
            self.segment_clicked.emit(self._selected)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.tiles:
            self.position_clicked.emit(self._selected)
        else:
            super().keyPressEvent(event)


class WhatIfView(View):
    """The tokens on the left, before and after on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles, self.effects, self.how = Tiles(), ChangedPredictions(MOST_ROWS), label("", "muted", wrap=True)
        hint = say("Read all of B as segment A")
        self.b_as_a = button(say("Move B to segment A"), self._on_b_as_a_clicked, hint=hint, checkable=True)
        # In place of a comparison while there is none: what to do for one, and a button that does it.
        self.first, self._to_mask = label("", wrap=True), 0
        self.mask_first = button("", lambda: self.mask_toggled.emit(self._to_mask), look="primary")
        # This says most: a text without order.
        leave_out = partial(self._drop, "position", True)
        self.change_first = button(say("Leave out the positions"), leave_out, look="primary")
        self._picked: int | None = None  # the token that waits for another to swap positions with
        self._encoding: Encoding | None = None  # on show
        self.parts: dict[str, QPushButton] = {}
        hints = say("No token embedding"), say("No segment embedding"), say("No position embedding")
        for name, hint in zip(ADDENDS, hints, strict=True):
            self.parts[name] = button(say(NAMES[name]), hint=hint, checkable=True)
            self.parts[name].clicked.connect(lambda is_out, name=name: self._drop(name, is_out))
        below = say("Below each token: its segment (A or B) and its position in the text.")
        predicted = say("What the model predicted, and what it predicts with your changes.")
        card, after = Card(say("What the model reads"), intro=below), Card(say("Before and after"), intro=predicted)
        of_all = label(say("Leave out for all tokens:"), "muted")
        switches = hbox(of_all, *self.parts.values(), 14, self.b_as_a, None, gap_px=6)
        fill(card.body, switches, self.how, (scrolled(self.tiles), 1))
        after.setFixedWidth(theme.column_px(330))
        after.set_figure(self._figure)
        steps = vbox(self.first, self.mask_first, self.change_first, gap_px=8)
        fill(after.body, steps, self.effects, None)
        hbox((card, 1), folding_on_projector(after, after.title), parent=self, gap_px=GAP_PX)
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
        tiles = []
        for i, token in enumerate(reading.shown_tokens):
            kind = "mask" if i in masked else KINDS[reading.encoding.parts[i]]
            is_moved = model.has_segments and segments[i] != own[i]
            tiles.append(Tile(token, kind, segments[i], places[i], is_moved, places[i] != i))
        self.tiles.set_tiles(tiles, model.has_segments)
        for name, switch in self.parts.items():
            switch.setChecked(name in what_if.dropped)
            switch.setEnabled(addends_of(reading)[name] is not None)
        self.b_as_a.setEnabled(model.has_segments and any(own))
        self.b_as_a.setChecked(what_if.reads_b_as_a(own))
        self.effects.setVisible(reading.unchanged is not None)  # else the first steps are in its place
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self._pick(self._picked if selection.pinned is not None else None)  # Esc unpins
        self.tiles.select(selection.position)
        self.effects.show_reading(reading, selection.position)
        predicts = "mlm" in reading.request.model.output_heads
        target = word_to_mask(reading, selection.position) if predicts and not reading.request.masked else None
        can_change = reading.unchanged is None and target is None and addends_of(reading)["position"] is not None
        text = say("Now change what the model reads: a letter or a number, or leave a part out. Try it:")
        if target is not None:
            self._to_mask = target
            self.mask_first.setText(say("Mask “{token}”", token=reading.encoding.labels[target]))
            text = say("Mask a word to see the guesses for it change.")
            if reading.next_sentence is not None:
                text = f"{text} {say('Without a mask, watch “B follows A”.')}"
        self.mask_first.setVisible(target is not None)
        self.change_first.setVisible(can_change)
        show_text(self.first, text if target is not None or can_change else "")

    def leave(self) -> None:
        super().leave()
        self._pick(None)

    def _pick(self, position: int | None) -> None:
        self._picked = position
        self.tiles.set_picked(position)
        how = say("Click two numbers to swap the tokens’ positions. This model has no segments.")
        if self.tiles.has_segments:
            how = say("Click a letter to change a token’s segment. Click two numbers to swap the tokens’ positions.")
        if position is not None and self.reading is not None and position < len(self.reading.encoding):
            token = self.reading.shown_tokens[position]
            how = say("Now click the number of the token to swap with “{token}” (Esc cancels).", token=token)
        self.how.setText(how)

    def _drop(self, name: str, is_out: bool) -> None:
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
        hint, names = say("what the model predicts"), [effect.name for effect in self.effects.effects]
        arrays = {
            name: numbers_of("prediction", names, [effect.numbers[i] for effect in self.effects.effects])
            for i, name in enumerate(("before", "after"))
        }
        return self.figure(say("Before and after"), [self.effects], arrays, hint=hint)
