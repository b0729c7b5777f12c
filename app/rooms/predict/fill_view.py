"""Masks become words one at a time, each chosen with the words before it in place: the order matters."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtWidgets import QWidget

from ...compute.masks import FilledMask, fill_masks
from ...figures.figure import Figure, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import Units
from ...widgets.card import Card, button, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.heat_tokens import HeatToken, HeatTokens
from ...widgets.layouts import fill, hbox
from .view import PredictView, scrolled_column, with_name

if TYPE_CHECKING:
    from ...state.readings import ReadingRequest

FillOrder = Literal["left to right", "most certain first", "clicks"]
ORDERS: dict[FillOrder, str] = {
    "left to right": mark("left to right"),
    "most certain first": mark("most certain first"),
    "clicks": mark("in the order I click"),
}
SIDE_PX = 340
LEAST_PX = 110  # where the window is lower, the whole room scrolls


class FillView(PredictView):
    """The text with its masks on the left, the steps so far on the right. The text stays until a click inserts them."""

    def __init__(self) -> None:
        super().__init__()
        self.filled = self.add_question(self._on_filled_answered)
        self.steps: list[FilledMask] = []
        self._request: ReadingRequest | None = None  # that the steps are of
        self._asked_order: FillOrder = "left to right"  # of the words that were asked for last
        self._orders: dict[int, FillOrder] = {}  # position -> in which order it was filled
        self.order = Choice(say("Order of filling"))
        for order, name in ORDERS.items():
            self.order.addItem(say(name), order)
        self.next = button(say("Fill next"), lambda: self.fill(1), look="primary")
        self.all = button(say("Fill all"), lambda: self.fill(None))
        self.undo = button(say("Undo"), self._on_undo_clicked, hint=say("Remove the last word filled in"))
        self.restart = button(say("Start over"), self._on_restart_clicked)
        self.insert = button(
            say("Insert into the text"),
            self._on_insert_clicked,
            hint=say("Replace the masks in the text with these words"),
        )
        self.tokens = HeatTokens(say("The text with the masks filled so far"))
        self.bars = BarList(say("Words filled in, in order"), stretch_to_px=42)
        self._joint, self._hint = label("", "strong", wrap=True), label("", "muted", wrap=True)
        explain("probability", self.tokens, self.bars)
        self._steps_card = Card(
            say("Steps"),
            intro=say("The words in the order in which they were filled in, and how sure the model was."),
        )
        self._start = label("", wrap=True)  # while there are no steps
        self._build()
        self.order.activated.connect(self._on_order_activated)
        self.tokens.clicked.connect(self._on_tokens_clicked)
        self.tokens.hovered.connect(self.hover_unit)
        self.add_token_menu(self.tokens)

    @property
    def open_masks(self) -> list[int]:
        """Positions that are not filled yet."""
        filled = {step.position for step in self.steps}
        return [mask.position for mask in self.reading.masks if mask.position not in filled] if self.reading else []

    def restore(self, kept: FillOrder) -> None:
        self.order.setCurrentIndex(list(ORDERS).index(kept))

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if self._request is not reading.request:
            self.steps, self._request = [], reading.request
            self.filled.clear()
        if self.check_masks(reading):
            self._show()

    def fill(self, most: int | None, position: int | None = None) -> None:
        """Asks for the next words: `most` of them, None for all; or for the one at a position."""
        reading, still_open = self.reading, self.open_masks
        if reading is None or not still_open:
            return
        words = {step.position: step.word.id for step in self.steps}
        request = reading.request
        ids = tuple(words.get(i, token) for i, token in enumerate(request.input_ids))
        text = replace(request.model_input, input_ids=ids)
        by_certainty = self.order.currentData() == "most certain first"
        order: Literal["left to right", "most certain first"] = (
            "most certain first" if by_certainty else "left to right"
        )
        self._asked_order = order if position is None else "clicks"
        sequence = order if position is None else (position,)
        self.filled.ask_model(
            request.model, fill_masks, text, tuple(still_open), sequence, most, request.what_if, pause_ms=0
        )

    def _show(self) -> None:
        if self.reading is None:
            return
        self._show_tokens(self.reading)
        self.bars.set_bars(
            [
                Bar(
                    f"{number}. {step.word.token}",
                    numbers.probability(step.word.probability),
                    step.word.probability,
                    note=str(step.position),
                )
                for number, step in enumerate(self.steps, start=1)
            ]
        )
        left, by_clicks = len(self.open_masks), self.order.currentData() == "clicks"
        self.next.setEnabled(bool(left) and not by_clicks)
        self.all.setEnabled(bool(left) and not by_clicks)
        for made in (self.undo, self.restart, self.insert):
            made.setEnabled(bool(self.steps))
        done = say("{done} of {all} masks", done=len(self.steps), all=len(self.steps) + left)
        self._steps_card.set_hint(done)
        self._start.setVisible(not self.steps)
        self._bars_area.setVisible(bool(self.steps))  # until then the text has the height
        if not theme.is_projector():
            self.column.setStretch(1, 1 if self.steps else 0)
        self._joint.setText(self._joint_sentence())
        self._hint.setText(
            say(
                "Click a mask, or move to it with the arrow keys and press Enter, to fill it with the most likely word."
            )
            if by_clicks
            else ""
        )

    def _show_tokens(self, reading: Reading) -> None:
        """Filled words as dark as their probability; of a word of several pieces, the least likely one counts."""
        words = {step.position: step.word for step in self.steps}
        shown = [words[i].token if i in words else token for i, token in enumerate(reading.shown_tokens)]
        units = Units(reading.encoding, shown, tuple(self.open_masks), self.selection.token_view)
        tokens = []
        for token, kind, members in zip(units.labels, units.kinds, units.members, strict=True):
            chances = [words[i].probability for i in members if i in words]
            value = min(chances) if chances else None
            number = numbers.probability(value) if value is not None else "?" if kind == "mask" else ""
            tokens.append(HeatToken(token, value, number, kind == "mask", kind == "special", frame="mask"))
        self.tokens.set_tokens(tokens)

    def _build(self) -> None:
        card = Card(
            say("Fill the masks one at a time"),
            intro=say(
                "Each word is the most likely one there, given those already filled in. Stronger colour: more certain."
            ),
        )
        top = hbox(self.order, self.next, self.all, self.undo, self.restart, None, gap_px=8)
        scale = ColorBar(signed=False)
        scale.set_range(0, 1, numbers.probability)
        fill(
            card.body,
            top,
            with_name(say("probability when it was filled in"), scale),
            (scrolled_column(self.tokens, self._hint, least_px=LEAST_PX), 1),
        )
        self._start.setText(say("No word yet. Guess the first one yourself, and then see the model’s."))
        self._steps_card.add_to_header(self.insert)
        self._steps_card.set_figure(self._figure, say("the steps"))
        steps = self._steps_card.body
        self._bars_area = scrolled_column(self.bars)
        fill(steps, self._start, (self._bars_area, 1), self._joint)
        if theme.is_projector():
            self._steps_card.setFixedWidth(theme.column_px(SIDE_PX))
            self.column.addLayout(hbox((card, 1), folded_on_projector(self._steps_card, self._steps_card.title)))
        else:
            fill(self.column, (card, 1), self._steps_card)

    def _figure(self) -> Figure | None:
        if not self.steps:
            return None
        names = [f"{number}. {step.word.token} ({step.position})" for number, step in enumerate(self.steps, start=1)]
        values = np.array([step.word.probability for step in self.steps])
        arrays = {"probability": numbers_of("step", names, values)}
        orders = {self._orders[step.position] for step in self.steps}
        hint = say(ORDERS[orders.pop()]) if len(orders) == 1 else say("in mixed order")
        widgets: list[QWidget] = [self.tokens, self.bars]
        title = say("Masks filled one at a time")
        return self.figure(title, widgets, arrays, hint=hint, settings=self._joint.text())

    def _joint_sentence(self) -> str:
        """The product of the steps, which depends on the order."""
        if not self.steps:
            return ""
        bits = -sum(math.log2(step.word.probability) for step in self.steps)
        sentence = say("All words together, in this order: probability {probability}, {bits} bits.")
        return sentence.format(probability=numbers.number(2**-bits, 2), bits=numbers.decimal(bits))

    def _on_filled_answered(self, steps: list[FilledMask]) -> None:
        self.steps = [*self.steps, *steps]
        self._orders.update((step.position, self._asked_order) for step in steps)
        self._show()

    def _on_tokens_clicked(self, unit: int) -> None:
        units = self.selection.units(self.reading) if self.reading else None
        members = units.members[unit] if units is not None and unit < len(units) else []
        masks = [position for position in members if position in self.open_masks]
        if masks and self.order.currentData() == "clicks":
            self.fill(1, masks[0])
        elif members:
            self.position_clicked.emit(members[0])

    def _on_order_activated(self, _index: int) -> None:
        self.kept_changed.emit(self.order.currentData())
        self._show()

    def _on_undo_clicked(self) -> None:
        self.filled.clear()
        self.steps = self.steps[:-1]
        self._show()

    def _on_restart_clicked(self) -> None:
        self.filled.clear()
        self.steps = []
        self._show()

    def _on_insert_clicked(self) -> None:
        self.words_inserted.emit([(step.position, step.word.id) for step in self.steps])
