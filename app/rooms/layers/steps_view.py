"""View "Step by step": one layer's arithmetic with its real numbers; any number says what it was made from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.figures.figure import Axis, Figure, Numbers, Picture, joined
from app.look import theme
from app.rooms.layers.made_of_card import MadeOfCard
from app.rooms.layers.number_table import NumberTable
from app.rooms.layers.step_header import StepHeader
from app.rooms.layers.view import LayersView
from app.widgets.card import GAP_PX, Card, scrolled
from app.widgets.controls import Choice

if TYPE_CHECKING:
    from app.compute.layer_steps import OneLayer, Step
    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading, ReadingRequest
    from app.state.readings import Step as Told
    from bertcore.checkpoint.checkpoint import Checkpoint

KIND = "layers.steps"
TABLE_PX = 236
FIRST_OPEN = "query"
EXPORTED_COLUMNS = 4096


class StepsView(LayersView):
    """A list of steps, of which one is open with its numbers; on the right what the chosen number was made from."""

    stages = "layers"

    def __init__(self, room: LayersRoom) -> None:
        super().__init__(room)
        self.table, self.made_of = NumberTable(), MadeOfCard()
        self.headers: list[StepHeader] = []
        self.steps: list[Step] = []
        self.open_key = FIRST_OPEN
        self._column = 0
        self._one: tuple[tuple[ReadingRequest, int], OneLayer] | None = None
        self._card = Card("Layer 1, step by step")
        self._head = Choice("The head whose query, key, value and scores are shown")
        self._list = QVBoxLayout()
        self._after_layout = QTimer(self)  # scrolls to the step that was opened, when its table has a place
        self._build()
        self.table.chosen.connect(self._on_table_chosen)
        self._head.activated.connect(lambda head: room.state.set_head(room.state.layer, head))

    def draw_reading(self, reading: Reading) -> None:
        self._ask(reading)
        self.draw_stage(reading)

    def draw_stage(self, reading: Reading) -> None:
        layer, head = self.room.state.layer, self.room.state.head
        if self._head.count() != reading.request.model.heads:
            self._head.clear()
            self._head.addItems([f"head {number + 1}" for number in range(reading.request.model.heads)])
        self._head.setCurrentIndex(head)
        if self._one is None or self._one[0] != (reading.request, layer):
            self._ask(reading)
            return
        self.steps = self._one[1].steps(head)
        self._card.set_title(f"Layer {layer + 1}, step by step")
        self._show_headers()
        self._show_open()

    def draw_focus(self, reading: Reading) -> None:
        if self.steps and self._one is not None and self._one[0][0] is reading.request:
            self._show_number()

    def show_answer(self, kind: str, answer: Any) -> None:
        reading = self.room.state.reading
        if kind == KIND and reading is not None and answer[0] == (reading.request, self.room.state.layer):
            self._one = answer
            self.draw_stage(reading)

    def open_step(self, key: str) -> None:
        """Opens a step, and closes the one that was open; the open one itself closes."""
        self.open_key = "" if key == self.open_key else key
        self._column = 0
        self._show_open()
        self._after_layout.start(0)

    def _ask(self, reading: Reading) -> None:
        layer, request = self.room.state.layer, reading.request
        wanted = (request, layer)
        if self._one is not None and self._one[0] == wanted:
            return
        entering = None if request.what_if else reading.trace.hidden_states[layer]

        def answer(checkpoint: Checkpoint, step: Told) -> tuple[object, OneLayer]:
            from app.compute.layer_steps import one_layer

            read = request.input_ids, request.segments, request.positions
            changes = request.what_if.changes()
            return wanted, one_layer(checkpoint.model, *read, layer=layer, changes=changes, entering=entering)

        self.room.ask_soon(lambda: self.room.ask_model(KIND, answer))

    def _show_headers(self) -> None:
        """One header for each step; they are made anew only where the model's order is another."""
        if [header.key for header in self.headers] != [step.key for step in self.steps]:
            for header in self.headers:
                self._list.removeWidget(header)
                header.deleteLater()
            self.headers = [StepHeader(number, step.key) for number, step in enumerate(self.steps, start=1)]
            for place, header in enumerate(self.headers):
                header.clicked.connect(lambda _checked=False, key=header.key: self.open_step(key))
                self._list.insertWidget(place, header)
            if self.open_key not in [step.key for step in self.steps]:
                self.open_key = FIRST_OPEN
        for header, step in zip(self.headers, self.steps, strict=True):
            header.show_step(step)

    def _show_open(self) -> None:
        self._list.removeWidget(self.table)
        opened = self._open_step
        self.table.setVisible(opened is not None)
        for header in self.headers:
            header.setChecked(header.key == self.open_key)
        if opened is None:
            self.made_of.clear()
            return
        self._list.insertWidget(self.steps.index(opened) + 1, self.table)
        tokens = self._tokens
        self.table.set_values(opened.values, tokens, tokens if opened.columns == "token" else [])
        self.table.setFixedHeight(min(self.table.whole_height, theme.px(TABLE_PX)))
        self._show_number()

    def _show_number(self) -> None:
        step = self._open_step
        row = self.room.current
        if step is None or row >= len(step.values):
            return
        self._column = min(self._column, step.values.shape[1] - 1)
        self.table.choose(row, self._column)
        made = step.made_of(row, self._column)
        tokens = self._tokens
        column = tokens[self._column] if step.columns == "token" else f"{step.columns} {self._column}"
        self.made_of.show_number(f"{step.title} · {tokens[row]} · {column}", made, tokens)

    @property
    def _open_step(self) -> Step | None:
        return next((step for step in self.steps if step.key == self.open_key), None)

    @property
    def _tokens(self) -> list[str]:
        reading = self.room.state.reading
        return reading.shown_tokens if reading is not None else []

    def _build(self) -> None:
        self._card.set_hint("a step opens with a click; click a number for what it was made from · rows: tokens")
        self._head.setAccessibleName("Head")
        self._card.add_to_header(self._head)
        self._card.set_figure(self._figure, "Step by step")
        inside = QWidget()
        self._list.setContentsMargins(0, 0, theme.px(4), 0)
        self._list.setSpacing(theme.px(2))
        inside.setLayout(self._list)
        self._list.addWidget(self.table)
        self._list.addStretch(1)
        self.table.hide()
        self._area = scrolled(inside)
        self._card.body.addWidget(self._area, 1)
        self._after_layout.setSingleShot(True)
        self._after_layout.timeout.connect(lambda: self._area.ensureWidgetVisible(self.table))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(self._card, 1)
        row.addWidget(self.made_of)

    def _figure(self) -> Figure | None:
        step = self._open_step
        if step is None or self.room.state.reading is None:
            return None
        values = np.ascontiguousarray(step.values[:, :EXPORTED_COLUMNS])
        tokens = self._tokens
        axes = Axis("token", tokens), Axis(step.columns, tokens if step.columns == "token" else [])
        title = f"Layer {self.room.state.layer + 1} {step.title}"
        numbers = {step.key: Numbers(values, axes)}
        hint = joined(step.formula, step.function, self._which_columns())
        figure = self.room.figure(title, self.made_of.parts, numbers, hint=hint, head=True, token=True)
        return figure and replace(figure, picture=_beside(self.table.picture(), figure.picture))

    def _which_columns(self) -> str:
        """Of a picture that has no room for all of them."""
        shown, count = self.table.pictured_columns, self.table.numbers.columnCount()
        return f"columns {shown[0]}–{shown[-1]} of {count}" if len(shown) < count else ""

    def _on_table_chosen(self, row: int, column: int) -> None:
        self._column = column
        if row != self.room.current:
            self.room.state.set_focus(row)
        self._show_number()


def _beside(left: Picture, right: Picture) -> Picture:
    gap = 2 * theme.px(GAP_PX)

    def paint(painter: QPainter) -> None:
        left.paint(painter)
        painter.save()
        painter.translate(left.width + gap, 0)
        right.paint(painter)
        painter.restore()

    return Picture(left.width + gap + right.width, max(left.height, right.height), paint)
