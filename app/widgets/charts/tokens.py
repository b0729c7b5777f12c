"""Tokens in the order of the text, each as dark as its value, with the value below."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter

from ...look import numbers, theme
from ...look.number_kinds import explain
from ...state import Units
from ..card import Card
from ..progress_line import ProgressLine
from ..wrapped import WrappedBoxes
from .drawing import Box
from .raster import ColorBar

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution

HEIGHT_PX, PADDING_PX = 42, 9
SCALE_PX = 180


@dataclass(frozen=True)
class HeatToken:
    """value: its place on the scale, 0..1, or -1..1 where the scale is signed; None: it has none, and no colour, but
    stripes where it has a number all the same.

    A marked one is bold and framed.
    """

    token: str
    value: float | None
    number: str
    is_marked: bool = False
    is_quiet: bool = False  # a special token: its value counts less
    frame: str = "bad"  # of a marked one, a name in the theme


class HeatTokens(WrappedBoxes):
    """Laid out in lines like a text. A click, or the arrow keys and Enter, chooses; hovering says where one is."""

    grows = True

    def __init__(self, name: str, *, signed: bool = False) -> None:
        super().__init__(name, HEIGHT_PX)
        self._signed = signed
        self.tokens: list[HeatToken] = []

    def set_values(
        self,
        labels: Sequence[str],
        kinds: Sequence[str],
        values: Sequence[float | None],
        written: Sequence[str] | Callable[[float], str],
        limit: float = 1.0,
        *,
        marked: Collection[int] = (),
        frame: str = "bad",
        signed: bool | None = None,
    ) -> None:
        """Of each unit its label, its kind (`Units.kinds`) and its value.

        written: the numbers below, or how a value is written; a token without a value then has none. limit: the value
        of the strongest colour. marked: numbers of units, framed in the colour `frame`. signed: whether values are on
        the signed scale from now on; None leaves it as it is.
        """
        texts = written if isinstance(written, Sequence) else ["" if one is None else written(one) for one in values]
        shares = (None if value is None else value / limit for value in values)
        columns = zip(labels, shares, texts, kinds, strict=True)
        self._signed = self._signed if signed is None else signed
        self.tokens = [
            HeatToken(label, share, text, number in marked, kind == "special", frame)
            for number, (label, share, text, kind) in enumerate(columns)
        ]
        if self.hovered_cell is not None and self.hovered_cell >= len(self.tokens):
            self.hovered_cell = None
        self.setAccessibleDescription(", ".join(f"{token.token} {token.number}" for token in self.tokens[:100]))
        self.lay_out()

    def box_widths(self) -> list[float]:
        words, small = QFontMetrics(self.sized_font(14, bold=True)), QFontMetrics(self.sized_font(10.5))
        padding, most = 2 * self.px(PADDING_PX), float(max(self.width(), 1))
        advances = (max(words.horizontalAdvance(one.token), small.horizontalAdvance(one.number)) for one in self.tokens)
        return [min(advance + padding, most) for advance in advances]

    def selected_cell(self) -> int | None:
        return min(self._selected or 0, len(self.tokens) - 1) if self.tokens else None

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        token = self.tokens[number]
        if token.value is None:
            color, ink = theme.color("card"), theme.color("muted" if token.is_quiet else "ink")
        else:
            color = theme.diverging_color(token.value) if self._signed else theme.sequential_color(token.value)
            ink = theme.ink_on(color)
        is_here, is_marked = number == self.hovered_cell and self.hasFocus(), token.is_marked
        edge = "accent" if is_here else token.frame if is_marked else "ink" if number == self._selected else "line"
        inside, width = box.adjusted(1.5, 1.5, -1.5, -1.5), theme.stroke(2.4) if is_marked or is_here else 1.2
        Box(inside, color, edge, width, self.px(6)).paint(painter)
        if token.value is None and token.number:
            painter.setBrush(QBrush(theme.color("line"), Qt.BrushStyle.BDiagPattern))
            painter.drawRoundedRect(inside, self.px(6), self.px(6))
        painter.setPen(ink)
        painter.setFont(self.sized_font(14, bold=is_marked, medium=not token.is_quiet))
        text = QFontMetrics(painter.font()).elidedText(token.token, Qt.TextElideMode.ElideRight, int(box.width()) - 4)
        above = self.px(17) if token.number else self.px(4)
        painter.drawText(box.adjusted(0, self.px(4), 0, -above), Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(self.sized_font(10.5))
        painter.drawText(box.adjusted(0, self.px(22), 0, -self.px(3)), Qt.AlignmentFlag.AlignCenter, token.number)


class SharesCard(Card):
    """The text with each token as strongly coloured as its share in an answer; who derives lays out the parts."""

    def __init__(self, title: str, name: str, intro: str = " ") -> None:
        """name: of the tokens, for screen readers."""
        super().__init__(title, intro=intro)
        self.line = ProgressLine()
        self.tokens, self.scale = HeatTokens(name, signed=True), ColorBar(signed=True, width_px=SCALE_PX)
        self.units: Units | None = None  # tokens or words
        self.scores: list[float] = []  # (U) as they are shown
        self.attribution: Attribution | None = None
        explain("share", self.tokens, self.scale)

    def show_attribution(self, attribution: Attribution | None) -> None:
        """Of the tokens in `units`. None: not known yet."""
        self.attribution, units = attribution, self.units
        if units is None:
            return
        self.scale.setVisible(attribution is not None)
        self.scores = [] if attribution is None else units.sums(attribution.scores).tolist()
        limit = max(map(abs, self.scores), default=0.0) or 1.0
        digits = 2 if limit >= 0.1 else 4
        self.scale.set_range(-limit, limit)
        values = self.scores or [None] * len(units)
        self.tokens.set_values(units.labels, units.kinds, values, lambda one: numbers.signed(one, digits), limit)
