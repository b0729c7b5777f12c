"""The page Fill in order: masks become words one by one, each chosen with the words before it in place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.compute.filling import FilledMask
from app.figures.figure import Figure, numbers_of
from app.look import theme
from app.rooms.predict.numbers import probability_text
from app.rooms.predict.page import NO_MASKS, PredictPage, asked_text, what_is_missing
from app.state.readings import Reading
from app.state.token_units import Units
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, button, label, scrolled
from app.widgets.controls import Choice
from app.widgets.heat_tokens import HeatToken, HeatTokens
from app.widgets.question import Question, WorkLine
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from app.rooms.predict.room import PredictRoom
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

ORDERS = ("left to right", "most certain first", "in the order I click")
CLICKS = ORDERS[2]
KEPT_ORDER = "predict.order"  # what a window built anew finds in the state
SIDE_PX = 340
LEAST_PX = 110  # where the window is lower, the whole room scrolls


class FillPage(PredictPage):
    """The text with its masks on the left, the steps so far on the right. The text itself stays until it is put in."""

    def __init__(self, room: PredictRoom) -> None:
        self.line = WorkLine("the words for the masks")
        self.question = Question("predict.fill", self.line)
        super().__init__(room, [self.question])
        self.steps: list[FilledMask] = []
        self._for: object = None  # the request that the steps are of
        self._asked_order = ""  # one of ORDERS, of the words that were asked for last
        self._orders: dict[int, str] = {}  # position -> in which order it was filled, one of ORDERS
        self.order = Choice("Order of filling")
        self.order.addItems(ORDERS)
        kept = room.state.kept.get(KEPT_ORDER)
        self.order.setCurrentText(str(kept) if kept in ORDERS else ORDERS[0])
        self.next = button("Fill the next", lambda: self.fill(1), look="primary")
        self.all = button("Fill all", lambda: self.fill(None))
        self.undo = button("Undo", self._on_undo_clicked, hint="Take the last word out again")
        self.restart = button("Start again", self._on_restart_clicked)
        self.put_in = button(
            "Put into the text", self._on_put_in_clicked, hint="Write these words in place of the masks"
        )
        self.tokens = HeatTokens("The text, its masks filled so far")
        self.bars = BarList("Words filled in, in order", stretch_to_px=27)
        self.said, self._hint = label("", "strong", wrap=True), label("", "muted", wrap=True)
        self._steps_card = Card("Steps")
        self._build()
        self.order.activated.connect(self._on_order_activated)
        self.tokens.clicked.connect(self._on_tokens_clicked)
        self.tokens.hovered.connect(lambda unit: room.state.set_hover(room.position_of(unit)))
        self.question.answered.connect(self._on_question_answered)

    @property
    def open_masks(self) -> list[int]:
        """Positions that are not filled yet."""
        filled = {step.position for step in self.steps}
        reading = self.room.state.reading
        return [mask.position for mask in reading.masks if mask.position not in filled] if reading else []

    def draw_reading(self, reading: Reading) -> None:
        missing = what_is_missing(reading)
        if self._for is not reading.request:
            self.steps, self._for = [], reading.request
            self.question.forget()
        if missing or not reading.masks:
            self.show_nothing("No predictions" if missing else "Mask words", missing or f"{NO_MASKS} Better: several.")
            return
        self.show_content()
        self._draw()

    def fill(self, most: int | None, position: int | None = None) -> None:
        """Asks for the next words: `most` of them, None for all; or for the one at a position."""
        reading, still_open = self.room.state.reading, self.open_masks
        if reading is None or not still_open:
            return
        words = {step.position: step.word.id for step in self.steps}
        text, request = asked_text(reading), reading.request
        ids = [words.get(i, token) for i, token in enumerate(request.input_ids)]
        order: Any = [position] if position is not None else ORDERS[0]
        if position is None and self.order.currentText() == ORDERS[1]:
            order = ORDERS[1]
        self._asked_order = CLICKS if position is not None else order

        def work(checkpoint: Checkpoint, step: Step) -> list[FilledMask]:
            from dataclasses import replace

            from app.compute.filling import fill_masks

            now = replace(text, input_ids=ids)
            return fill_masks(checkpoint, now, still_open, order, most=most, what_if=request.what_if, step=step)

        self.question.want((request, tuple(words.items()), most, str(order)), work, 0)

    def _draw(self) -> None:
        reading = self.room.state.reading
        if reading is None:
            return
        self._draw_tokens(reading)
        self.bars.set_bars(
            [
                Bar(
                    f"{number}. {step.word.token}",
                    probability_text(step.word.probability),
                    step.word.probability,
                    note=str(step.position),
                )
                for number, step in enumerate(self.steps, start=1)
            ]
        )
        left, clicks = len(self.open_masks), self.order.currentText() == CLICKS
        self.next.setEnabled(bool(left) and not clicks)
        self.all.setEnabled(bool(left) and not clicks)
        for made in (self.undo, self.restart, self.put_in):
            made.setEnabled(bool(self.steps))
        self._steps_card.set_hint(f"{len(self.steps)} of {len(self.steps) + left} masks")
        self.said.setText(_together(self.steps))
        self._hint.setText(
            "Click a mask, or choose it with the arrow keys and Enter, to fill it with its likeliest word."
            if clicks
            else "Each word is the likeliest at its place, given those before it. Another order may end otherwise."
        )

    def _draw_tokens(self, reading: Reading) -> None:
        """Filled words as dark as their probability; of a word of several, the least of its pieces."""
        words = {step.position: step.word for step in self.steps}
        shown = [words[i].token if i in words else token for i, token in enumerate(reading.shown_tokens)]
        still_open = tuple(self.open_masks)
        units = Units(reading.encoding, shown, still_open, self.room.state.token_view)
        tokens = []
        for token, kind, members in zip(units.labels, units.kinds, units.members, strict=True):
            chances = [words[i].probability for i in members if i in words]
            value = min(chances) if chances else None
            number = probability_text(value) if value is not None else "?" if kind == "mask" else ""
            tokens.append(HeatToken(token, value, number, kind == "mask", kind == "special", frame="mask"))
        self.tokens.set_tokens(tokens)

    def _build(self) -> None:
        card = Card("Fill the masks one by one")
        top = QHBoxLayout()
        top.setSpacing(theme.px(8))
        for widget in (self.order, self.next, self.all, self.undo, self.restart):
            top.addWidget(widget)
        top.addStretch(1)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, theme.px(4), 0)
        column.addWidget(self.tokens)
        column.addStretch(1)
        scale, bar = QHBoxLayout(), ColorBar(signed=False)
        bar.set_range(0, 1)
        scale.addWidget(label("probability when it was filled in", "muted"))
        scale.addWidget(bar)
        scale.addStretch(1)
        card.body.addLayout(top)
        card.body.addWidget(self._hint)
        card.body.addLayout(scale)
        card.body.addWidget(self.line)
        area = scrolled(inside)
        area.setMinimumHeight(theme.px(LEAST_PX))
        card.body.addWidget(area, 1)
        self._steps_card.setFixedWidth(theme.column_px(SIDE_PX))
        steps = QWidget()
        listed = QVBoxLayout(steps)
        listed.setContentsMargins(0, 0, theme.px(4), 0)
        listed.addWidget(self.bars)
        listed.addStretch(1)
        self._steps_card.body.addWidget(scrolled(steps), 1)
        self._steps_card.body.addWidget(self.said)
        self._steps_card.body.addWidget(self.put_in)
        self._steps_card.set_figure(self._figure, "the steps")
        row = QHBoxLayout()
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(card, 1)
        row.addWidget(self._steps_card)
        self.column.addLayout(row)

    def _figure(self) -> Figure | None:
        if not self.steps:
            return None
        names = [f"{number}. {step.word.token} ({step.position})" for number, step in enumerate(self.steps, start=1)]
        values = np.array([step.word.probability for step in self.steps])
        numbers = {"probability": numbers_of("step", names, values)}
        orders = {self._orders[step.position] for step in self.steps}
        hint = orders.pop() if len(orders) == 1 else "in mixed orders"
        widgets: list[QWidget] = [self.tokens, self.bars]
        return self.room.figure("Masks filled one by one", widgets, numbers, hint=hint, settings=self.said.text())

    def _on_question_answered(self, steps: list[FilledMask]) -> None:
        self.steps = [*self.steps, *steps]
        self._orders.update((step.position, self._asked_order) for step in steps)
        self._draw()

    def _on_tokens_clicked(self, unit: int) -> None:
        units = self.room.units
        members = units.members[unit] if units is not None and unit < len(units) else []
        masks = [position for position in members if position in self.open_masks]
        if masks and self.order.currentText() == CLICKS:
            self.fill(1, masks[0])
        elif members:
            self.room.state.set_focus(members[0])

    def _on_order_activated(self, index: int) -> None:
        self.room.state.kept[KEPT_ORDER] = ORDERS[index]
        self._draw()

    def _on_undo_clicked(self) -> None:
        self.question.forget()
        self.steps = self.steps[:-1]
        self._draw()

    def _on_restart_clicked(self) -> None:
        self.question.forget()
        self.steps = []
        self._draw()

    def _on_put_in_clicked(self) -> None:
        words = [(step.position, step.word.id, step.word.token) for step in self.steps]
        what = f"“{words[0][2]}” was put in" if len(words) == 1 else f"{len(words)} words were put in"
        self.room.put_in_all(words, what)


def _together(steps: list[FilledMask]) -> str:
    """The product of the steps, which depends on the order."""
    if not steps:
        return ""
    bits = -sum(math.log2(step.word.probability) for step in steps)
    return f"All together, in this order: p = {2**-bits:.2g}, {bits:.2f} bits."
