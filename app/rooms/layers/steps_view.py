"""View "Step by step": one layer's arithmetic with its real numbers; any number says how it was computed."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy

from ...compute.feed_forward import layer_of
from ...compute.question import Job
from ...figures.figure import Axis, Figure, Numbers, Picture, joined
from ...look import mark, numbers, say, theme
from ...look.fitting import plain_tip
from ...look.icons import paint_icon
from ...state import Reading, Selection
from ...widgets.card import GAP_PX, Card, label, scrolled
from ...widgets.charts.drawing import Words
from ...widgets.context_menu import figure_entries
from ...widgets.controls import Choice
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import discard, hbox, show_if, vbox
from ..view import View
from .layer_steps import STORIES, Derivation, LayerStep, Term, facts_of, layer_steps
from .number_table import NumberTable

if TYPE_CHECKING:
    from bertcore.analysis.layer_trace import LayerTrace


WIDTH_PX = 345
TABLE_PX, LEAST_TABLE_PX = 236, 80
HEADER_PX, STORY_PX = 28, 12.5
TITLE_PX, SHAPE_PX = 148, 78
COUNTS = {"token": mark("%n token(s)"), "neuron": mark("%n neuron(s)"), "dimension": mark("%n dimension(s)")}
NAMES = {"neuron": mark("neuron {neuron}"), "dimension": mark("dimension {dimension}")}  # of a column
EXPORTED_COLUMNS = 4096


class DerivationCard(Card):
    """Empty until a number is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.derivation: Derivation | None = None
        self._tokens: Sequence[str] = ()
        self.number, self.formula = label("", "number"), label("", wrap=True)
        changed = say("Something you switched off or edited changed this number, so its parts do not add up to it.")
        self.changed = label(changed, "error", wrap=True)
        self._facts, self._terms_title, self._terms = _rich(), label("", "title"), _rich()
        # What a picture shows: the words without the card, which may have to scroll.
        self.parts = [self._title, self.number, self.changed, self.formula]
        self.parts += [self._facts, self._terms_title, self._terms]
        inside = vbox(*self.parts[1:], None, gap_px=8, margins=(0, 0, theme.px(4), 0))
        self.body.addWidget(scrolled(inside), 1)
        self.show_number(say("How it was computed"), None, ())

    def show_number(self, title: str, derivation: Derivation | None, tokens: Sequence[str]) -> None:
        """title: which number it is; tokens (S): as they are shown."""
        self.derivation, self._tokens = derivation, tokens
        self.set_title(title)
        self.formula.setText(say("Open a step and click a number.") if derivation is None else derivation.formula)
        self.number.setVisible(derivation is not None)
        self.changed.setVisible(derivation is not None and not derivation.adds_up)
        self._facts.setVisible(derivation is not None and bool(derivation.facts))
        show_if(derivation is not None and bool(derivation.terms), self._terms_title, self._terms)
        if derivation is not None:
            self.number.setText(numbers.exact(derivation.value))
            count = len(derivation.terms) + derivation.rest_count
            self._terms_title.setText(say("The %Ln term(s), largest first", n=count))
            self._write_tables(derivation)

    def _write_tables(self, derivation: Derivation) -> None:
        """In the colours of the theme in use."""
        self._facts.setText(_table([(html.escape(fact.name), "", fact.value) for fact in derivation.facts]))
        rows: list[tuple[str, str, float | str]] = [("", derivation.factors, "")] if derivation.factors else []
        rows += [_row(term, self._tokens) for term in derivation.terms]
        if derivation.rest_count:
            rows.append((say("%Ln other(s)", n=derivation.rest_count), "", derivation.rest))
        if derivation.sum is not None:
            rows.append((f"<b>{derivation.sum_name}</b>", "", f"<b>{numbers.exact(derivation.sum)}</b>"))
        self._terms.setText(_table(rows))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.derivation is not None:
            self._write_tables(self.derivation)


def _rich() -> QLabel:
    made = QLabel(textFormat=Qt.TextFormat.RichText)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _row(term: Term, tokens: Sequence[str]) -> tuple[str, str, float]:
    position = term.position
    name = term.name if position is None or position >= len(tokens) else f"{tokens[position]} ({position})"
    return html.escape(name), " × ".join(map(numbers.exact, term.factors or ())), term.value


def _table(rows: Sequence[tuple[str, str, float | str]]) -> str:
    """Name, product, value; numbers end in one column."""
    muted = f'style="color:{theme.active().muted}; padding-right:{theme.px(6)}px"'
    lines = [
        f'<tr><td {muted}>{name}</td><td align="right" {muted}>{product}</td><td align="right" '
        f'style="color:{theme.active().ink}">{value if isinstance(value, str) else numbers.exact(value)}</td></tr>'
        for name, product, value in rows
    ]
    return f'<table cellspacing=0 cellpadding=1 style="font-size:{theme.px(12)}px">{"".join(lines)}</table>'


class StepHeader(QPushButton):
    """One step: its number and name, what it does in a sentence, its shape at the right. Checked: its numbers show."""

    def __init__(self, number: int, key: str) -> None:
        super().__init__()
        self.key, self._number = key, number
        self.title = self.story = self.shape = ""
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(theme.px(280))

    def show_step(self, step: LayerStep, story: str) -> None:
        rows, columns = step.values.shape
        self.title, self.story, self.shape = step.title, story, f"{rows} × {columns}"
        name, number, shape = mark("Step {number}: {title}, {formula}, {shape}"), self._number, self.shape
        spoken = say(name, number=number, title=step.title, formula=step.formula, shape=shape)
        self.setAccessibleName(f"{spoken}. {story}")
        size = f"{say(COUNTS['token'], n=rows)} × {say(COUNTS[step.columns], n=columns)}"
        self.setToolTip(plain_tip(f"{step.formula}\n{step.function}\n{size}"))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as its words."""
        wrapped, texts = QFontMetrics(theme.font(13, bold=True)).boundingRect, (self.title, self.story)
        places = zip(self._places()[:2], texts, strict=True)
        lines = max(wrapped(place.toRect(), Qt.TextFlag.TextWordWrap, text).height() for place, text in places)
        self.setFixedHeight(max(theme.px(HEADER_PX), lines + theme.gap_px(8)))
        self.update()

    def _places(self) -> tuple[QRectF, QRectF, QRectF]:
        """Of its name, its sentence and its shape."""
        left, height, title, shape = theme.px(48), self.height(), theme.px(TITLE_PX), theme.px(SHAPE_PX)
        story = QRectF(left + title, 0, max(self.width() - left - title - shape - theme.px(8), 60), height)
        return QRectF(left, 0, title - theme.px(6), height), story, QRectF(self.width() - shape, 0, shape, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, is_open = theme.painter(self), self.isChecked()
        painter.setPen(theme.focus_pen() if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent_tint" if is_open else "hover" if self.underMouse() else "card"))
        radius, side = theme.px(6), theme.px(10)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.save()
        painter.translate(theme.px(7) + side / 2, self.height() / 2)
        painter.rotate(0 if is_open else -90)  # points right while closed
        chevron = QRectF(-side / 2, -side / 2, side, side)
        paint_icon(painter, "chevron", chevron, theme.color("accent" if is_open else "muted"))
        painter.restore()
        title, story, shape = self._places()
        Words(QRectF(theme.px(24), 0, theme.px(22), self.height()), str(self._number), "muted").paint(painter)
        Words(title, self.title, size_px=13, bold=True, wraps=True).paint(painter)
        Words(story, self.story, size_px=STORY_PX, wraps=True).paint(painter)
        Words(shape, self.shape, "muted").paint(painter)


class StepsView(View):
    """A list of steps, of which one is open with its numbers; on the right how the chosen number was computed."""

    asks: ClassVar = {"layer": False}

    def __init__(self) -> None:
        super().__init__()
        self.table, self.derivation = NumberTable(), DerivationCard()
        self.headers: list[StepHeader] = []
        self.steps: list[LayerStep] = []  # of the layer and head on show
        self.open_key = ""  # at first: then the sentences can be read one after the other
        self._column = 0
        self._shown: tuple[LayerTrace | None, int] = None, 0  # what `steps` are of: layer, head
        self.card = Card(say("One layer, step by step"))
        self._head = Choice(say("The head whose queries, keys, values and scores are shown"))
        # Scrolls to the step that was opened, when its table has a place.
        self._after_layout = QTimer(self, singleShot=True, interval=0)
        self._after_layout.timeout.connect(self._on_laid_out)
        self.table.context_menu_requested.connect(
            lambda cell, at: self.token_menu_requested.emit(cell[0] if cell else None, at, figure_entries(self.table))
        )
        self.table.chosen.connect(self._on_table_chosen)
        self._head.activated.connect(lambda head: self.head_clicked.emit(self.selection.layer, head))
        self.card.set_intro(
            say(
                "In an open step, a row is a token and a column one of its numbers (dimensions), counted from 0. "
                "Stronger colour: farther from 0."
            )
        )
        self._head.setAccessibleName(say("Head"))
        self.card.add_to_header(self._head)
        self.card.set_figure(self._figure, say("Step by step"))
        self._list = vbox(self.table, None, margins=(0, 0, theme.px(4), 0))
        self._list.setSpacing(theme.px(2))
        self.table.hide()
        self._area = scrolled(self._list)
        self._area.verticalScrollBar().setSingleStep(theme.px(HEADER_PX))
        self.card.body.addWidget(self._area, 1)
        self.card.body.addStretch(0)
        self._fold = folding_on_projector(self.derivation, say("How this number was computed"))
        hbox((self.card, 1), self._fold, parent=self, gap_px=GAP_PX)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job:
        return Job(layer_of, (reading, selection.layer), (reading.request.model,))

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        heads = reading.request.model.heads
        if self._head.count() != heads:
            self._head.clear()
            self._head.addItems([say("head {head}", head=number) for number in range(1, heads + 1)])
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self._head.setCurrentIndex(selection.head)
        self.ask_all()
        one: LayerTrace | None = self.asked["layer"].answer
        if one is None:
            return
        if self._shown == (one, selection.head):
            self._tell()
            self._show_number()
            return
        self._shown, self.steps = (one, selection.head), layer_steps(one, selection.head)
        self.card.set_title(say("Layer {layer}, step by step", layer=one.layer + 1))
        self._show_headers()
        self._show_open()

    def _on_laid_out(self) -> None:
        """The open step comes into sight, with its numbers."""
        header = theme.px(HEADER_PX)
        self.table.fit(
            max(min(theme.px(TABLE_PX), self._area.viewport().height() - 2 * header), theme.px(LEAST_TABLE_PX))
        )
        self._list.activate()
        self._area.ensureWidgetVisible(self.table, 0, header)

    def open_step(self, key: str) -> None:
        """Opens a step, and closes the one that was open; the open one itself closes."""
        self.open_key = "" if key == self.open_key else key
        self._column = 0
        self._show_open()

    def _show_headers(self) -> None:
        """One header for each step; they are made anew only where the model's order is another."""
        keys = [step.key for step in self.steps]
        if [header.key for header in self.headers] != keys:
            discard(*self.headers)
            self.headers = [StepHeader(number, key) for number, key in enumerate(keys, start=1)]
            for place, header in enumerate(self.headers):
                header.clicked.connect(lambda _checked=False, key=header.key: self.open_step(key))
                self._list.insertWidget(place, header)
            if self.open_key not in keys:
                self.open_key = ""
        self._tell()

    def _tell(self) -> None:
        """What happens to the token on show."""
        one, head = self._shown
        if one is not None and self.selection.position < len(one.entering):
            facts = facts_of(one, head, self.selection.position, self._tokens)
            for header, step in zip(self.headers, self.steps, strict=True):
                header.show_step(step, say(STORIES[step.key], **facts))

    def _show_open(self) -> None:
        self._after_layout.start()
        self._list.removeWidget(self.table)
        opened = self._open_step
        self.table.setVisible(opened is not None)
        for header in self.headers:
            header.setChecked(header.key == self.open_key)
        if opened is None:
            self.derivation.show_number(say("How it was computed"), None, ())
            return
        self._list.insertWidget(self.steps.index(opened) + 1, self.table)
        self.table.numbers.set_values(opened.values, self._tokens, self._tokens if opened.columns == "token" else [])
        self.table.fit(theme.px(TABLE_PX))
        self._show_number()

    def _show_number(self) -> None:
        step, row, tokens = self._open_step, self.selection.position, self._tokens
        if step is None or row >= min(len(step.values), len(tokens)):
            return
        self._column = at = min(self._column, step.values.shape[1] - 1)
        self.table.choose(row, at)
        column = tokens[at] if step.columns == "token" else say(NAMES[step.columns], neuron=at, dimension=at)
        self.derivation.show_number(joined(step.title, tokens[row], column), step.derive(row, at), tokens)

    @property
    def _open_step(self) -> LayerStep | None:
        return next((step for step in self.steps if step.key == self.open_key), None)

    @property
    def _tokens(self) -> list[str]:
        return self.reading.shown_tokens if self.reading is not None else []

    def _figure(self) -> Figure | None:
        step, one = self._open_step, self._shown[0]
        if step is None or one is None:
            return None
        tokens, columns, count = self._tokens, self.table.pictured_columns, self.table.numbers.columnCount()
        axes = Axis("token", tokens), Axis(step.columns, tokens if step.columns == "token" else [])
        arrays = {step.key: Numbers(np.ascontiguousarray(step.values[:, :EXPORTED_COLUMNS]), axes)}
        title = say("Layer {layer}: {step}", layer=one.layer + 1, step=step.title)
        part = say("columns {first}–{last} of {count}", first=columns[0], last=columns[-1], count=count)
        function = step.function if numbers.is_technical() else ""
        hint = joined(step.formula, function, "" if len(columns) == count else part)
        figure = self.figure(title, self.derivation.parts, arrays, hint=hint, head=True, token=True)
        return figure and replace(figure, picture=_beside(self.table.picture(), figure.picture))

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
