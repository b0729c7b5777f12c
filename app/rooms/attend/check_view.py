"""The view Check: attention, gradient and removal of one head side by side, for the token that was clicked.

K rows: tokens, those that the head looks at most where there are many.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLayout, QSizePolicy

from ...compute.head_questions import check_of_head
from ...compute.question import Job
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, say, theme
from ...look.number_kinds import explain
from ...state import Reading, Selection
from ...widgets.card import label, scrolled
from ...widgets.charts.drawing import Box, Drawing, Line, Shape, Words
from ...widgets.layouts import hbox, vbox
from ...widgets.target_choice import TargetChoice
from .attentions import head_title
from .sentences import about_check, about_columns
from .view import AttendView

MOST_ROWS = 24
ROW_PX, TITLE_PX = 21, 24
TOKEN_PX, NUMBER_PX, LEAST_BAR_PX = 96, 58, 30
DIGITS = 3  # that count, of the longest bar's number
FEWEST_DECIMALS, MOST_DECIMALS = 3, 6  # for more there is no room


class CheckView(AttendView):
    """Does it matter what the token looks at? Of the model as it is, for one prediction."""

    asks: ClassVar = {"check": False}
    choice: TargetChoice
    follows = ("head", "heads", "pinned")  # not the mouse

    def lay_out(self) -> QLayout:
        self.choice, self.line = TargetChoice(across=True), self.own_line(self.asked["check"])
        self.bars = CheckBars()
        explain("check", self.bars)
        self.summary = label("", "strong", wrap=True)  # what is said of the whole head
        self.meanings = label("", "muted", wrap=True)  # of the columns
        self._lead = label(say("Prediction:"), "muted")
        inside = vbox(self.bars, self.meanings, None, gap_px=8, margins=(0, 0, theme.px(6), 0))
        controls = hbox(self._lead, self.choice, None, gap_px=8)
        return vbox(controls, self.line, self.summary, (scrolled(inside), 1), gap_px=6)

    @property
    def pinned(self) -> int:
        """The token that was clicked: for what takes too long to follow the mouse."""
        last = len(self.attentions.reading.encoding) - 1
        return min(1 if self.selection.pinned is None else self.selection.pinned, last)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str:
        return self.target_job(check_of_head, *self.head, self.pinned)

    def words(self) -> tuple[str, str, str]:
        token = f"{self.attentions.reading.shown_tokens[self.pinned]} ({self.pinned})"
        hint = say("what {token} looks at", token=token)
        return head_title(*self.head), " · ".join([hint, *self.plain_notes]), ""

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        target, check = self.shared.targets.target, self.answer_of("check", reading)
        self.meanings.setText(about_columns(target))
        self._lead.setVisible(target is not None)
        if check is None:
            self.bars.set_columns("", [], [])
            self.summary.setText("")
            return
        rows = np.arange(len(check.attention))
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.argsort(-check.attention, kind="stable")[:MOST_ROWS])
        tokens = reading.plain.shown_tokens
        columns = [
            Column(say("Attention"), check.attention[rows], False),
            *([Column(say("Gradient"), check.gradient[rows], True)] if numbers.is_technical() else []),
            Column(say("Removal"), -check.without[rows], True),
        ]
        looks = say("{token} looks at", token=tokens[self.pinned])
        self.bars.set_columns(looks, [f"{tokens[i]} ({i})" for i in rows.tolist()], columns)
        self.summary.setText(about_check(check, target, MOST_ROWS, is_changed=reading.unchanged is not None))

    def figure_of(self, key: str) -> Figure | None:
        check, target = self.asked["check"].answer, self.shared.targets.target
        if check is None or self.reading is None or target is None:
            return None
        axes = (Axis("is looked at", self.reading.shown_tokens),)
        columns = {"attention": check.attention, "gradient": check.gradient, "removal": -check.without}
        values = {name: Numbers(one, axes) for name, one in columns.items()}
        settings = f"{target.measure}{'' if target.is_score else ' in nats'} · {self.summary.text()}"
        link = f"layer=layer, head=head, from_position={self.pinned}, target={target.target!r}"
        said = {"hint": self.hint, "settings": settings, "python": f'm.link_effects(a, b, {link})["attention"]'}
        return self.figure(self.title, [self.bars], values, **said, head=True, plain=True, by_token=True)


@dataclass(frozen=True, eq=False)
class Column:
    """One number for each token; NaN where it was not computed."""

    title: str
    values: np.ndarray  # (K)
    is_signed: bool

    @property
    def largest(self) -> float:
        """Whatever its sign; 0 where there is none."""
        return float(np.nanmax(np.abs(self.values), initial=0.0))


class CheckBars(Drawing):
    """Rows are tokens; the bars of a column reach to its own largest number."""

    def __init__(self) -> None:
        super().__init__(say("Attention, gradient and removal, token by token"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.looks = ""  # above the tokens
        self.tokens: list[str] = []
        self.columns: list[Column] = []

    def set_columns(self, looks: str, tokens: Sequence[str], columns: Sequence[Column]) -> None:
        """looks: the name of the tokens' column. tokens (K): a name for each row."""
        self.looks, self.tokens, self.columns = looks, list(tokens), list(columns)
        lines = (
            f"{token}: " + ", ".join(f"{column.title} {_number(column, row)}" for column in columns)
            for row, token in enumerate(tokens)
        )
        self.setAccessibleDescription(". ".join(lines))
        self.updateGeometry()
        self.redraw()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(480), theme.px(TITLE_PX) + len(self.tokens) * theme.row_px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(250), self.sizeHint().height())

    def shapes(self) -> Iterator[Shape]:
        top, height = theme.px(TITLE_PX), theme.row_px(ROW_PX)
        names = max(map(QFontMetrics(theme.font(12.5)).horizontalAdvance, self.tokens), default=0) + theme.px(10)
        side = min(max(theme.px(TOKEN_PX), names), round(self.width() * 0.28))
        if self.columns:
            yield Words(QRectF(0, 0, side - theme.px(8), top), self.looks, "ink", 12.5, bold=True)
            for row, token in enumerate(self.tokens):
                yield Words(QRectF(0, top + row * height, side - theme.px(8), height), token, "ink", 12.5)
        width = (self.width() - side) / max(len(self.columns), 1)
        for number, column in enumerate(self.columns):
            left = side + number * width
            yield from self._column(column, QRectF(left, top, width - theme.px(6), len(self.tokens) * height))

    def _column(self, column: Column, area: QRectF) -> Iterator[Shape]:
        title = QRectF(area.x(), 0, area.width(), theme.px(TITLE_PX))
        yield Words(title, column.title, "ink", 12.5, bold=True)
        room = round(theme.px(NUMBER_PX) * theme.type_px(12) / theme.px(12))  # for a number
        is_narrow = area.width() < room + theme.px(LEAST_BAR_PX)  # then numbers stand on pale bars
        bars = area if is_narrow else area.adjusted(0, 0, -room, 0)
        zero = bars.center().x() if column.is_signed else bars.left()
        yield Line(QPointF(zero, area.top()), QPointF(zero, area.bottom()), snaps=False)
        scale = bars.width() / (2 if column.is_signed else 1) / (column.largest or 1.0)
        left, height = (bars.left() if is_narrow else bars.right()) + theme.px(4), theme.row_px(ROW_PX)
        for row, value in enumerate(column.values):
            y, text = area.y() + row * height, _number(column, row)
            if np.isfinite(value) and text != "0":
                color = theme.diverging_color(0.7 if value > 0 else -0.7) if column.is_signed else theme.color("faint")
                color.setAlpha(80 if is_narrow else 255)
                end = zero + float(value) * scale
                yield Box(QRectF(min(zero, end), y + 4, max(abs(end - zero), 1.0), height - 8), color, radius_px=2)
            yield Words(QRectF(left, y, room, height), text, "ink" if is_narrow else "muted")


def _number(column: Column, row: int) -> str:
    """As fine as its bar: digits go by the column's largest number, and very small ones are written 1.2e−7."""
    value = float(column.values[row])
    if not np.isfinite(value):
        return numbers.MISSING
    decimals = DIGITS - 1 - math.floor(math.log10(column.largest or 1.0))
    if abs(value) < 0.5 * 10.0 ** -max(decimals, FEWEST_DECIMALS):
        return "0"
    if decimals > MOST_DECIMALS:
        text = numbers.number(value, 2)
        return f"+{text}" if column.is_signed and value > 0 else text
    digits = max(decimals, FEWEST_DECIMALS)
    return numbers.signed(value, digits) if column.is_signed else numbers.decimal(value, digits)
