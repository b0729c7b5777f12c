"""View "Step by step": one layer's arithmetic with its real numbers; any number says what it was made from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.figures.figure import Axis, Figure, Numbers, Picture, joined
from app.look import theme
from app.rooms.layers.made_of_card import MadeOfCard
from app.rooms.layers.number_table import NumberTable
from app.rooms.layers.stages import LayersView
from app.rooms.layers.step_header import StepHeader
from app.widgets.card import GAP_PX, Card, scrolled
from app.widgets.controls import Choice

if TYPE_CHECKING:
    from app.compute.layer_steps import LayerStep, OneLayer
    from app.compute.question import Step
    from app.state.readings import Reading
    from app.state.selection import Selection
    from bertcore.checkpoint.checkpoint import Checkpoint

TABLE_PX = 236
FIRST_OPEN = "query"
EXPORTED_COLUMNS = 4096


class StepsView(LayersView):
    """A list of steps, of which one is open with its numbers; on the right what the chosen number was made from."""

    stages = "layers"

    def __init__(self) -> None:
        super().__init__()
        self.table, self.made_of = NumberTable(), MadeOfCard()
        self.headers: list[StepHeader] = []
        self.steps: list[LayerStep] = []  # of the layer and head on show
        self.open_key = FIRST_OPEN
        self._column = 0
        self._shown: tuple[OneLayer | None, int] = None, 0  # what `steps` are of: layer, head
        self.card = Card(self.tr("One layer, step by step"))
        self._head = Choice(self.tr("The head whose queries, keys, values and scores are shown"))
        self._list = QVBoxLayout()
        self._after_layout = QTimer(self)  # scrolls to the step that was opened, when its table has a place
        self._build()
        self.table.chosen.connect(self._on_table_chosen)
        self._head.activated.connect(lambda head: self.head_clicked.emit(self.selection.layer, head))
        self.layer = self.add_question(self._on_layer_answered)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        heads = reading.request.model.heads
        if self._head.count() != heads:
            self._head.clear()
            self._head.addItems([self.tr("head {head}").format(head=number) for number in range(1, heads + 1)])
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self._head.setCurrentIndex(selection.head)
        self._ask(reading, selection.layer)
        if self.layer.answer is not None:
            self._show_layer(self.layer.answer, selection)

    def open_step(self, key: str) -> None:
        """Opens a step, and closes the one that was open; the open one itself closes."""
        self.open_key = "" if key == self.open_key else key
        self._column = 0
        self._show_open()
        self._after_layout.start(0)

    def _ask(self, reading: Reading, layer: int) -> None:
        request = reading.request
        entering = None if request.what_if else reading.trace.hidden_states[layer]

        def work(checkpoint: Checkpoint, _step: Step) -> OneLayer:
            from app.compute.layer_steps import one_layer

            read = request.input_ids, request.segments, request.positions
            changes = request.what_if.changes()
            return one_layer(checkpoint.model, *read, layer=layer, changes=changes, entering=entering)

        self.layer.ask_model(request.model, (request, layer), work, self.pause_ms)

    def _on_layer_answered(self, one: OneLayer) -> None:
        if self.reading is not None:
            self._show_layer(one, self.selection)

    def _show_layer(self, one: OneLayer, selection: Selection) -> None:
        if self._shown == (one, selection.head):
            self._show_number()
            return
        self._shown = one, selection.head
        self.steps = one.steps(selection.head)
        self.card.set_title(self.tr("Layer {layer}, step by step").format(layer=one.layer + 1))
        self._show_headers()
        self._show_open()

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
        row = self.selection.position
        if step is None or row >= min(len(step.values), len(self._tokens)):
            return
        self._column = min(self._column, step.values.shape[1] - 1)
        self.table.choose(row, self._column)
        made = step.made_of(row, self._column)
        tokens = self._tokens
        column = tokens[self._column] if step.columns == "token" else f"{step.columns} {self._column}"
        self.made_of.show_number(joined(step.title, tokens[row], column), made, tokens)

    @property
    def _open_step(self) -> LayerStep | None:
        return next((step for step in self.steps if step.key == self.open_key), None)

    @property
    def _tokens(self) -> list[str]:
        return self.reading.shown_tokens if self.reading is not None else []

    def _build(self) -> None:
        self.card.set_hint(
            self.tr("Click a step to open it, and a number to see how it was computed. Rows are tokens.")
        )
        self._head.setAccessibleName(self.tr("Head"))
        self.card.add_to_header(self._head)
        self.card.set_figure(self._figure, self.tr("Step by step"))
        inside = QWidget()
        self._list.setContentsMargins(0, 0, theme.px(4), 0)
        self._list.setSpacing(theme.px(2))
        inside.setLayout(self._list)
        self._list.addWidget(self.table)
        self._list.addStretch(1)
        self.table.hide()
        self._area = scrolled(inside)
        self.card.body.addWidget(self._area, 1)
        self._after_layout.setSingleShot(True)
        self._after_layout.timeout.connect(lambda: self._area.ensureWidgetVisible(self.table))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(self.card, 1)
        row.addWidget(self.made_of)

    def _figure(self) -> Figure | None:
        step = self._open_step
        if step is None or self.layer.answer is None:
            return None
        values = np.ascontiguousarray(step.values[:, :EXPORTED_COLUMNS])
        tokens = self._tokens
        axes = Axis("token", tokens), Axis(step.columns, tokens if step.columns == "token" else [])
        title = self.tr("Layer {layer}: {step}").format(layer=self.layer.answer.layer + 1, step=step.title)
        numbers = {step.key: Numbers(values, axes)}
        hint = joined(step.formula, step.function, self._which_columns())
        figure = self.figure(title, self.made_of.parts, numbers, hint=hint, head=True, token=True)
        return figure and replace(figure, picture=_beside(self.table.picture(), figure.picture))

    def _which_columns(self) -> str:
        """Of a picture that has no room for all of them."""
        shown, count = self.table.pictured_columns, self.table.numbers.columnCount()
        if len(shown) == count:
            return ""
        return self.tr("columns {first}–{last} of {count}").format(first=shown[0], last=shown[-1], count=count)

    def _on_table_chosen(self, row: int, column: int) -> None:
        self._column = column
        if row != self.selection.position:
            self.position_clicked.emit(row)  # which comes back as another selection
        else:
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
