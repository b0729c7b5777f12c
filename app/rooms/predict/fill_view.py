"""Masks become words one at a time, each chosen with the words before it in place: the order matters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

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
from ...widgets.charts.tokens import HeatTokens
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox
from .predict_sentences import joint_probability
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
        last, hint = say("Remove the last word filled in"), say("Replace the masks in the text with these words")
        self.undo = button(say("Undo"), lambda: self._go_back(self.steps[:-1]), hint=last)
        self.restart = button(say("Start over"), lambda: self._go_back([]))
        self.insert = button(say("Insert into the text"), self._on_insert_clicked, hint=hint)
        self.tokens = HeatTokens(say("The text with the masks filled so far"))
        self.bars = BarList(say("Words filled in, in order"), stretch_to_px=42)
        explain("probability", self.tokens, self.bars)
        self._joint, self._hint = label("", "strong", wrap=True), label("", "muted", wrap=True)
        self._start = label(say("No word yet. Guess the first one yourself, and then see the model’s."), wrap=True)
        self._steps_card = Card(
            say("Steps"), intro=say("The words in the order in which they were filled in, and how sure the model was.")
        )
        self._lay_out()
        self.order.activated.connect(self._on_order_activated)
        self.tokens.clicked.connect(self._on_tokens_clicked)
        self.tokens.hovered.connect(self.hover_unit)
        self.add_token_menu(self.tokens)

    def _lay_out(self) -> None:
        card, steps, scale = (
            Card(
                say("Fill the masks one at a time"),
                intro=say(
                    "Each word is the most likely one there, given those already filled in. Stronger colour: more "
                    "certain."
                ),
            ),
            self._steps_card,
            ColorBar(signed=False),
        )
        scale.set_range(0, 1, numbers.probability)
        controls = hbox(self.order, self.next, self.all, self.undo, self.restart, None, gap_px=8)
        named = with_name(say("probability when it was filled in"), scale)
        fill(card.body, controls, named, (scrolled_column(self.tokens, self._hint, least_px=LEAST_PX), 1))
        steps.add_to_header(self.insert)
        steps.set_figure(self._figure, say("the steps"))
        self._bars_area = scrolled_column(self.bars)
        fill(steps.body, self._start, (self._bars_area, 1), self._joint)
        if theme.is_projector():
            steps.setFixedWidth(theme.column_px(SIDE_PX))
            self.column.addLayout(hbox((card, 1), folded_on_projector(steps, steps.title)))
        else:
            fill(self.column, (card, 1), steps)

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
        request, words = reading.request, {step.position: step.word.id for step in self.steps}
        ids = tuple(words.get(i, token) for i, token in enumerate(request.input_ids))
        text = replace(request.model_input, input_ids=ids)
        is_by_certainty = self.order.currentData() == "most certain first"
        order: Literal["left to right", "most certain first"]
        order = "most certain first" if is_by_certainty else "left to right"
        self._asked_order = order if position is None else "clicks"
        asked = text, tuple(still_open), order if position is None else (position,), most, request.what_if
        self.filled.ask_model(request.model, fill_masks, *asked, pause_ms=0)

    def _show(self) -> None:
        if self.reading is None:
            return
        self._show_tokens(self.reading)
        shares = [step.word.probability for step in self.steps]
        self.bars.set_bars(
            [
                Bar(name, numbers.probability(share), share, note=str(step.position))
                for name, share, step in zip(self._step_names(), shares, self.steps, strict=True)
            ]
        )
        left, is_by_clicks = len(self.open_masks), self.order.currentData() == "clicks"
        for made in (self.next, self.all):
            made.setEnabled(bool(left) and not is_by_clicks)
        for made in (self.undo, self.restart, self.insert):
            made.setEnabled(bool(self.steps))
        self._steps_card.set_hint(say("{done} of {all} masks", done=len(self.steps), all=len(self.steps) + left))
        self._start.setVisible(not self.steps)
        self._bars_area.setVisible(bool(self.steps))  # until then the text has the height
        if not theme.is_projector():
            self.column.setStretch(1, 1 if self.steps else 0)
        self._joint.setText(joint_probability(self.steps))
        click = say(
            "Click a mask, or move to it with the arrow keys and press Enter, to fill it with the most likely word."
        )
        self._hint.setText(click if is_by_clicks else "")

    def _show_tokens(self, reading: Reading) -> None:
        """Filled words as dark as their probability; of a word of several pieces, the least likely one counts."""
        words = {step.position: step.word for step in self.steps}
        shown = [words[i].token if i in words else token for i, token in enumerate(reading.shown_tokens)]
        units = Units(reading.encoding, shown, tuple(self.open_masks), self.selection.token_view)
        chances = [[words[i].probability for i in members if i in words] for members in units.members]
        values = [min(one) if one else None for one in chances]
        masks = [number for number, kind in enumerate(units.kinds) if kind == "mask"]
        texts = [numbers.probability(one) if one is not None else "" for one in values]
        texts = ["?" if number in masks and not text else text for number, text in enumerate(texts)]
        self.tokens.set_values(units.labels, units.kinds, values, texts, marked=masks, frame="mask")

    def _step_names(self) -> list[str]:
        return [f"{number}. {step.word.token}" for number, step in enumerate(self.steps, start=1)]

    def _figure(self) -> Figure | None:
        if not self.steps:
            return None
        names = [f"{name} ({step.position})" for name, step in zip(self._step_names(), self.steps, strict=True)]
        arrays = {"probability": numbers_of("step", names, [step.word.probability for step in self.steps])}
        orders = {self._orders[step.position] for step in self.steps}
        hint = say(ORDERS[orders.pop()]) if len(orders) == 1 else say("in mixed order")
        pictures: list[QWidget] = [self.tokens, self.bars]
        title = say("Masks filled one at a time")
        return self.figure(title, pictures, arrays, hint=hint, settings=self._joint.text())

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

    def _go_back(self, steps: list[FilledMask]) -> None:
        self.filled.clear()
        self.steps = steps
        self._show()

    def _on_insert_clicked(self) -> None:
        self.words_inserted.emit([(step.position, step.word.id) for step in self.steps])
