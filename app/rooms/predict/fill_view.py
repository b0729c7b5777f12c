"""Masks become words one at a time, each chosen with the words before it in place: the order matters."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from PySide6.QtWidgets import QLayout, QWidget

from ...compute.masks import FilledMask, fill_masks
from ...compute.question import Question
from ...figures.values import Side, Values, tokens
from ...look import mark, numbers, say, theme
from ...state import Reading, ReadingRequest, Selection, Units
from ...widgets.card import GAP_PX, button, label, show_text
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice
from ...widgets.layouts import enable_if, hbox, vbox
from ..pictures import Bars, Tokens
from .predict_sentences import joint_probability
from .view import PredictView

FillOrder = Literal["left to right", "most certain first", "clicks"]
ORDERS: dict[FillOrder, str] = {
    "left to right": mark("left to right"),
    "most certain first": mark("most certain first"),
    "clicks": mark("in the order I click"),
}
SIDE_PX = 340


class FillView(PredictView):
    """The text with its masks, and the steps so far. The text stays until a click inserts them."""

    pictures = (
        Tokens(
            key="text",
            title=mark("Fill the masks one at a time"),
            name=mark("The text with the masks filled so far"),
            intro=mark(
                "Each word is the most likely one there, given those already filled in. Stronger colour: more certain."
            ),
            number="probability",
            is_compared=False,
            scale=mark("probability when it was filled in"),
            scale_ends=numbers.probability,
            least_px=110,
        ),
        Bars(
            key="steps",
            title=mark("Steps"),
            name=mark("Words filled in, in order"),
            intro=mark("The words in the order in which they were filled in, and how sure the model was."),
            number="probability",
            is_compared=False,
            chart=partial(BarList, stretch_to_px=42),
            marks_selected=False,
            least_px=0,
            folds=True,
        ),
    )
    steps: tuple[FilledMask, ...] = ()
    _request: ReadingRequest | None = None  # that the steps are of

    def lay_out(self) -> QLayout:
        self.filled: Question[list[FilledMask]] = self.add_question(lambda new: self._set_steps([*self.steps, *new]))
        self._orders: dict[int, FillOrder] = {}  # position -> in which order it was filled
        self.order = Choice(say("Order of filling"), {order: say(name) for order, name in ORDERS.items()})
        card, steps = self.cards.values()
        self.order.activated.connect(lambda _: self.kept_changed.emit(self.order.currentData()))
        self.order.activated.connect(lambda _: self.redraw())
        self.next = button(say("Fill next"), lambda: self.fill(1), look="primary")
        self.all = button(say("Fill all"), lambda: self.fill(None))
        last, hint = say("Remove the last word filled in"), say("Replace the masks in the text with these words")
        self.undo = button(say("Undo"), lambda: self._set_steps(self.steps[:-1]), hint=last)
        self.restart = button(say("Start over"), lambda: self._set_steps(()))
        self.insert = button(say("Insert into the text"), self._insert, hint=hint)
        controls = hbox(self.order, self.next, self.all, self.undo, self.restart, None, gap_px=8)
        card.body.insertLayout(0, controls)
        self._joint, self._hint = label("", "strong", wrap=True), label("", "muted", wrap=True)
        self._start = label(say("No word yet. Guess the first one yourself, and then see the model’s."), wrap=True)
        self.columns["text"].addWidget(self._hint)
        steps.add_to_header(self.insert)
        steps.body.insertWidget(0, self._start)
        steps.body.addWidget(self._joint)
        if theme.is_projector():
            steps.setFixedWidth(theme.column_px(SIDE_PX))
            return hbox((card, 1), self.folded("steps"))
        self._halves = vbox((card, 1), steps, gap_px=GAP_PX)
        return self._halves

    @property
    def open_masks(self) -> list[int]:
        """Positions that are not filled yet."""
        filled = {step.position for step in self.steps}
        return [mask.position for mask in self.reading.masks if mask.position not in filled] if self.reading else []

    def restore(self, kept: FillOrder) -> None:
        self.order.setCurrentIndex(list(ORDERS).index(kept))

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if self._request is not reading.request:
            self.steps, self._request = (), reading.request
            self.filled.clear()
        super().show_reading(reading, selection)

    def fill(self, most: int | None, position: int | None = None) -> None:
        """Asks for the next words: `most` of them, None for all; or for the one at a position."""
        reading, still_open = self.reading, self.open_masks
        if reading is None or not still_open:
            return
        request, words = reading.request, {step.position: step.word.id for step in self.steps}
        text = replace(
            request.model_input, input_ids=tuple(words.get(i, one) for i, one in enumerate(request.input_ids))
        )
        chosen: FillOrder = self.order.currentData()
        order = "left to right" if chosen == "clicks" else chosen
        self._orders |= dict.fromkeys(still_open, order if position is None else "clicks")
        asked = text, tuple(still_open), order if position is None else (position,), most, request.what_if
        self.filled.ask_model(request.model, fill_masks, *asked, pause_ms=0)

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        """Filled words as dark as their probability; of a word of several pieces, the least likely one counts."""
        if key == "steps":
            names = [f"{number}. {step.word.token}" for number, step in enumerate(self.steps, start=1)]
            shares, notes = [step.word.probability for step in self.steps], [str(step.position) for step in self.steps]
            texts = [[numbers.probability(share)] for share in shares]
            return Values(np.array(shares), Side("step", names), high=1, texts=texts, detail={"note": notes})
        words = {step.position: step.word for step in self.steps}
        shown = [words[i].token if i in words else token for i, token in enumerate(reading.shown_tokens)]
        units = Units(reading.encoding, shown, tuple(self.open_masks), selection.token_view)
        chances = [[words[i].probability for i in members if i in words] for members in units.members]
        values = np.array([min(one, default=np.nan) for one in chances])
        masks = [number for number, kind in enumerate(units.kinds) if kind == "mask"]
        texts = [
            [numbers.probability(one) if one == one else "?" if i in masks else ""] for i, one in enumerate(values)
        ]
        return Values(values, tokens(units), low=0, high=1, texts=texts, detail={"marked": masks, "frame": "mask"})

    def drawn(self, reading: Reading, selection: Selection) -> None:
        left, is_by_clicks = len(self.open_masks), self.order.currentData() == "clicks"
        enable_if(bool(left) and not is_by_clicks, self.next, self.all)
        enable_if(bool(self.steps), self.undo, self.restart, self.insert)
        done = say("{done} of {all} masks", done=len(self.steps), all=len(self.steps) + left)
        self.cards["steps"].set_hint(done)
        self._start.setVisible(not self.steps)
        self.scales["text"].setVisible(bool(self.steps))  # nothing is coloured before
        self.charts["steps"].setVisible(bool(self.steps))  # until then the text has the height
        if not theme.is_projector():
            self._halves.setStretch(1, 1 if self.steps else 0)
        self._joint.setText(joint_probability(self.steps))
        click = say(
            "Click a mask, or move to it with the arrow keys and press Enter, to fill it with the most likely word."
        )
        show_text(self._hint, click if is_by_clicks else "")

    def clicked(self, key: str, row: int, column: int | None) -> None:
        members = self.selection.units(self.reading).members[row] if self.reading and key == "text" else []
        masks = [position for position in members if position in self.open_masks]
        if masks and self.order.currentData() == "clicks":
            self.fill(1, masks[0])

    def saved(self, key: str) -> list[QWidget]:
        return list(self.charts.values())

    def caption(self, key: str) -> dict[str, Any]:
        orders = {self._orders[step.position] for step in self.steps}
        hint = say(ORDERS[orders.pop()]) if len(orders) == 1 else say("in mixed order")
        return {"hint": hint if self.steps else "", "settings": self._joint.text()}

    def _set_steps(self, steps: Sequence[FilledMask]) -> None:
        """Those of an answer, or fewer: what is still asked for is not wanted then."""
        if len(steps) <= len(self.steps):
            self.filled.clear()
        self.steps = tuple(steps)
        self.redraw()

    def _insert(self) -> None:
        self.words_inserted.emit([(step.position, step.word.id) for step in self.steps])
