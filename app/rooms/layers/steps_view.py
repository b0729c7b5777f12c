"""View "Step by step": one layer's arithmetic with its real numbers; any number says how it was computed."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from ...figures.figure import Axis, Figure, Numbers, Picture, joined
from ...look import numbers, theme
from ...look.fitting import plain_tip
from ...look.icons import paint_icon
from ...look.say import mark, say
from ...widgets.card import GAP_PX, Card, label, scrolled
from ...widgets.context_menu import figure_entries
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import discard, fill, hbox, vbox
from ..view import View
from .derivation import Derivation, Term
from .layer_steps import layer_of, layer_steps
from .number_table import NumberTable

if TYPE_CHECKING:
    from bertcore.analysis.layer_trace import LayerTrace

    from ...state.readings import Reading
    from ...state.selection import Selection
    from .layer_steps import LayerStep

WIDTH_PX = 345


class DerivationCard(Card):
    """Empty until a number is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.derivation: Derivation | None = None
        self._tokens: list[str] = []
        self.number, self.formula = label("", "number"), label("", wrap=True)
        self.changed = label(
            say("Something you switched off or edited changed this number, so its parts do not add up to it."),
            "error",
            wrap=True,
        )
        self._facts, self._terms_title, self._terms = QLabel(), label("", "title"), QLabel()
        for table in (self._facts, self._terms):
            table.setTextFormat(Qt.TextFormat.RichText)
            table.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inside = QWidget()
        vbox(*self.parts[1:], None, parent=inside, gap_px=8, margins=(0, 0, theme.px(4), 0))
        self.body.addWidget(scrolled(inside), 1)
        self.clear()

    @property
    def parts(self) -> list[QLabel]:
        """What a picture shows of it: the words without the card, which may have to scroll."""
        return [self._title, self.number, self.changed, self.formula, self._facts, self._terms_title, self._terms]

    def clear(self) -> None:
        self.derivation = None
        self.set_title(say("How it was computed"))
        self.set_hint("")
        self.formula.setText(say("Open a step and click a number."))
        for widget in (self.number, self.changed, self._facts, self._terms_title, self._terms):
            widget.hide()

    def show_number(self, title: str, derivation: Derivation, tokens: list[str]) -> None:
        """title: which number it is; tokens (S): as they are shown."""
        self.derivation, self._tokens = derivation, tokens
        self.set_title(title)
        self.number.setText(numbers.exact(derivation.value))
        self.formula.setText(derivation.formula)
        self.changed.setVisible(not derivation.adds_up)
        self.number.show()
        self._facts.setVisible(bool(derivation.facts))
        count = len(derivation.terms) + derivation.rest_count
        self._terms_title.setText(say("The %Ln term(s), largest first", n=count))
        for widget in (self._terms_title, self._terms):
            widget.setVisible(bool(derivation.terms))
        self._write_tables(derivation)

    def _write_tables(self, derivation: Derivation) -> None:
        """In the colours of the theme in use."""
        self._facts.setText(
            _table([(html.escape(fact.name), "", numbers.exact(fact.value)) for fact in derivation.facts])
        )
        rows = [("", derivation.factors, "")] if derivation.factors else []
        rows += [_row(term, self._tokens) for term in derivation.terms]
        if derivation.rest_count:
            others = say("%Ln other(s)", n=derivation.rest_count)
            rows.append((others, "", numbers.exact(derivation.rest)))
        if derivation.sum is not None:
            rows.append((f"<b>{derivation.sum_name}</b>", "", f"<b>{numbers.exact(derivation.sum)}</b>"))
        self._terms.setText(_table(rows))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.derivation is not None:
            self._write_tables(self.derivation)


def _row(term: Term, tokens: list[str]) -> tuple[str, str, str]:
    position = term.position
    name = term.name if position is None or position >= len(tokens) else f"{tokens[position]} ({position})"
    product = " × ".join(numbers.exact(factor) for factor in term.factors) if term.factors else ""
    return html.escape(name), product, numbers.exact(term.value)


def _table(rows: list[tuple[str, str, str]]) -> str:
    """Name, product, value; numbers end in one column."""
    muted, ink = theme.active().muted, theme.active().ink
    size = theme.px(12)
    lines = [
        f'<tr><td style="color:{muted}; padding-right:{theme.px(6)}px">{name}</td>'
        f'<td align="right" style="color:{muted}; padding-right:{theme.px(6)}px">{product}</td>'
        f'<td align="right" style="color:{ink}">{value}</td></tr>'
        for name, product, value in rows
    ]
    return f'<table cellspacing=0 cellpadding=1 style="font-size:{size}px">{"".join(lines)}</table>'


TABLE_PX, LEAST_TABLE_PX = 236, 80
HEADER_PX = 28
TITLE_PX, SHAPE_PX, FUNCTION_PX = 160, 92, 200
FIRST_OPEN = "query"
COUNTS = {"token": mark("%n token(s)"), "neuron": mark("%n neuron(s)"), "dimension": mark("%n dimension(s)")}
NAMES = {"neuron": mark("neuron {neuron}"), "dimension": mark("dimension {dimension}")}  # of a column
EXPORTED_COLUMNS = 4096


class StepHeader(QPushButton):
    """The line of one step: number, name, formula; shape and function at the right. Checked: its numbers show."""

    def __init__(self, number: int, key: str) -> None:
        super().__init__()
        self.key = key
        self._number = number
        self._title = self._formula = self._shape = self._function = ""
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Title, formula, shape, function."""
        return self._title, self._formula, self._shape, self._function

    def show_step(self, step: LayerStep) -> None:
        rows, columns = step.values.shape
        self._title, self._formula = step.title, step.formula
        self._shape = f"{rows} × {columns}"
        self._function = ".".join(step.function.split(".")[-2:])
        self.setAccessibleName(
            say(
                "Step {number}: {title}, {formula}, {shape}",
                number=self._number,
                title=step.title,
                formula=step.formula,
                shape=self._shape,
            )
        )
        self.setToolTip(plain_tip(f"{step.function}\n{_count('token', rows)} × {_count(step.columns, columns)}"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(HEADER_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(280), theme.px(HEADER_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        is_lit = self.isChecked() or self.underMouse()
        painter.setPen(theme.focus_pen() if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent_tint" if self.isChecked() else "hover" if is_lit else "card"))
        painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        side = theme.px(10)
        chevron = QRectF(theme.px(7), (self.height() - side) / 2, side, side)
        if not self.isChecked():  # points right while closed
            painter.save()
            painter.translate(chevron.center())
            painter.rotate(-90)
            painter.translate(-chevron.center())
            paint_icon(painter, "chevron", chevron, theme.color("muted"))
            painter.restore()
        else:
            paint_icon(painter, "chevron", chevron, theme.color("accent"))
        self._paint_texts(painter)

    def _paint_texts(self, painter: QPainter) -> None:
        has_function = numbers.is_technical() and self.width() > theme.px(TITLE_PX + SHAPE_PX + FUNCTION_PX + 190)
        function = theme.px(FUNCTION_PX) if has_function else 0
        shape, title = theme.px(SHAPE_PX), theme.px(TITLE_PX)
        shape_left, left = self.width() - theme.px(8) - function - shape, theme.px(24)
        formula_left = left + theme.px(24) + title
        for x, width, text, color, size in (
            (shape_left + shape, function, self._function, "muted", 11.5),
            (shape_left, shape, self._shape, "ink", 12),
            (left, theme.px(22), str(self._number), "muted", 12),
            (left + theme.px(24), title, self._title, "ink", 13),
            (formula_left, shape_left - formula_left - theme.px(8), self._formula, "muted", 12),
        ):
            if width:
                box = QRectF(x, 0, width, self.height())
                theme.draw_text(painter, box, text, color, size, bold=text == self._title)


class StepsView(View):
    """A list of steps, of which one is open with its numbers; on the right how the chosen number was computed."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.derivation = NumberTable(), DerivationCard()
        self.headers: list[StepHeader] = []
        self.steps: list[LayerStep] = []  # of the layer and head on show
        self.open_key = FIRST_OPEN
        self._column = 0
        self._shown: tuple[LayerTrace | None, int] = None, 0  # what `steps` are of: layer, head
        self.card = Card(say("One layer, step by step"))
        self._head = Choice(say("The head whose queries, keys, values and scores are shown"))
        self._list = QVBoxLayout()
        self._after_layout = QTimer(self)  # scrolls to the step that was opened, when its table has a place
        self._build()
        self.table.context_menu_requested.connect(
            lambda cell, at: self.token_menu_requested.emit(cell[0] if cell else None, at, figure_entries(self.table))
        )
        self.table.chosen.connect(self._on_table_chosen)
        self._head.activated.connect(lambda head: self.head_clicked.emit(self.selection.layer, head))
        self.layer = self.add_question(self._on_layer_answered)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        heads = reading.request.model.heads
        if self._head.count() != heads:
            self._head.clear()
            self._head.addItems([say("head {head}", head=number) for number in range(1, heads + 1)])
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self._head.setCurrentIndex(selection.head)
        model, layer = reading.request.model, selection.layer
        self.layer.ask_model(model, layer_of, reading, layer, pause_ms=self.pause_ms)
        if self.layer.answer is not None:
            self._show_layer(self.layer.answer, selection)

    @property
    def _line(self) -> int:
        """From one header to the next."""
        return theme.px(HEADER_PX) + self._list.spacing()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._after_layout.start(0)

    def _on_laid_out(self) -> None:
        """The list ends below a whole line, and begins with one when it has been scrolled to the open step."""
        room, opened = self.card.body.geometry().bottom() + 1 - self._area.y(), 0
        if self._open_step is not None:
            self._fit_table(room)
            opened = self.table.height() + self._list.spacing()
        lines = max((room - opened) // self._line, 1)
        self._area.setMaximumHeight(opened + lines * self._line)
        self._area.ensureWidgetVisible(self.table)

    def _fit_table(self, room: int) -> None:
        """Whole rows only, with at least two headers in sight."""
        most = min(theme.px(TABLE_PX), max(room - 2 * self._line, theme.px(LEAST_TABLE_PX)))
        self.table.setFixedHeight(min(self.table.whole_height, self.table.height_for(most)))

    def open_step(self, key: str) -> None:
        """Opens a step, and closes the one that was open; the open one itself closes."""
        self.open_key = "" if key == self.open_key else key
        self._column = 0
        self._show_open()

    def _on_layer_answered(self, one: LayerTrace) -> None:
        if self.reading is not None:
            self._show_layer(one, self.selection)

    def _show_layer(self, one: LayerTrace, selection: Selection) -> None:
        if self._shown == (one, selection.head):
            self._show_number()
            return
        self._shown = one, selection.head
        self.steps = layer_steps(one, selection.head)
        self.card.set_title(say("Layer {layer}, step by step", layer=one.layer + 1))
        self._show_headers()
        self._show_open()

    def _show_headers(self) -> None:
        """One header for each step; they are made anew only where the model's order is another."""
        if [header.key for header in self.headers] != [step.key for step in self.steps]:
            for header in self.headers:
                self._list.removeWidget(header)
                discard(header)
            self.headers = [StepHeader(number, step.key) for number, step in enumerate(self.steps, start=1)]
            for place, header in enumerate(self.headers):
                header.clicked.connect(lambda _checked=False, key=header.key: self.open_step(key))
                self._list.insertWidget(place, header)
            if self.open_key not in [step.key for step in self.steps]:
                self.open_key = FIRST_OPEN
        for header, step in zip(self.headers, self.steps, strict=True):
            header.show_step(step)

    def _show_open(self) -> None:
        self._after_layout.start(0)
        self._list.removeWidget(self.table)
        opened = self._open_step
        self.table.setVisible(opened is not None)
        for header in self.headers:
            header.setChecked(header.key == self.open_key)
        if opened is None:
            self.derivation.clear()
            return
        self._list.insertWidget(self.steps.index(opened) + 1, self.table)
        tokens = self._tokens
        self.table.set_values(opened.values, tokens, tokens if opened.columns == "token" else [])
        self._fit_table(theme.px(TABLE_PX) + 2 * self._line)
        self._show_number()

    def _show_number(self) -> None:
        step = self._open_step
        row = self.selection.position
        if step is None or row >= min(len(step.values), len(self._tokens)):
            return
        self._column = min(self._column, step.values.shape[1] - 1)
        self.table.choose(row, self._column)
        tokens, column = self._tokens, _column(step, self._column, self._tokens)
        title = joined(step.title, tokens[row], column)
        self.derivation.show_number(title, step.derive(row, self._column), tokens)

    @property
    def _open_step(self) -> LayerStep | None:
        return next((step for step in self.steps if step.key == self.open_key), None)

    @property
    def _tokens(self) -> list[str]:
        return self.reading.shown_tokens if self.reading is not None else []

    def _build(self) -> None:
        self.card.set_intro(
            say(
                "Row: a token. Column: one of its numbers (dimensions), counted from 0. Stronger colour: farther from "
                "0."
            )
        )
        self._head.setAccessibleName(say("Head"))
        self.card.add_to_header(self._head)
        self.card.set_figure(self._figure, say("Step by step"))
        inside = QWidget()
        self._list.setContentsMargins(0, 0, theme.px(4), 0)
        self._list.setSpacing(theme.px(2))
        inside.setLayout(self._list)
        fill(self._list, self.table, None)
        self.table.hide()
        self._area = scrolled(inside)
        self._area.verticalScrollBar().setSingleStep(self._line)
        self.card.body.addWidget(self._area, 1)
        self.card.body.addStretch(0)
        self._after_layout.setSingleShot(True)
        self._after_layout.timeout.connect(self._on_laid_out)
        self._fold = folded_on_projector(self.derivation, say("How this number was computed"))
        hbox((self.card, 1), self._fold, parent=self, gap_px=GAP_PX)

    def _figure(self) -> Figure | None:
        step = self._open_step
        if step is None or self.layer.answer is None:
            return None
        values = np.ascontiguousarray(step.values[:, :EXPORTED_COLUMNS])
        tokens = self._tokens
        axes = Axis("token", tokens), Axis(step.columns, tokens if step.columns == "token" else [])
        title = say("Layer {layer}: {step}", layer=self.layer.answer.layer + 1, step=step.title)
        arrays = {step.key: Numbers(values, axes)}
        hint = joined(step.formula, step.function if numbers.is_technical() else "", self._which_columns())
        figure = self.figure(title, self.derivation.parts, arrays, hint=hint, head=True, token=True)
        return figure and replace(figure, picture=_beside(self.table.picture(), figure.picture))

    def _which_columns(self) -> str:
        """Of a picture that has no room for all of them."""
        shown, count = self.table.pictured_columns, self.table.numbers.columnCount()
        if len(shown) == count:
            return ""
        return say("columns {first}–{last} of {count}", first=shown[0], last=shown[-1], count=count)

    def _on_table_chosen(self, row: int, column: int) -> None:
        self._column = column
        self._fold.unfold()
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


def _count(columns: str, count: int) -> str:
    """ "12 neurons"."""
    return say(COUNTS[columns], n=count)


def _column(step: LayerStep, column: int, tokens: list[str]) -> str:
    """The name of one column."""
    if step.columns == "token":
        return tokens[column]
    return say(NAMES[step.columns], neuron=column, dimension=column)
