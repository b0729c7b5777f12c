"""Bars with a word before and a number behind: probabilities, norms, cosines, attention."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...look import theme
from ...look.fitting import fitting_line
from .pointer import Chart, next_of

ROW_PX = 22
BAR_PX = 14
NUMBER_PX, WHOLE_NUMBER_PX = 48, 150
LEAST_ROWS = 4
LABEL_SHARE = 0.42  # of the width, at most


@dataclass(frozen=True)
class Bar:
    """One row. `fraction` is the bar's length, 0..1 of the longest that fits; `color` a name in the theme."""

    label: str
    number: str
    fraction: float
    color: str = "bar"
    is_strong: bool = False  # the row that matters: bold, and `mark` behind its number
    mark: str = ""
    note: str = ""  # small and muted, behind the label: the position of a token
    sign: int = 0  # of a difference, 1 more or -1 less: its colour in the place of `color`
    before: float | None = None  # the baseline's length, as a line across the bar


class BarList(Chart):
    """Rows of bars that begin at zero. With `clickable`, a row answers mouse and keyboard."""

    has_hand = True

    def __init__(
        self,
        name: str,
        *,
        clickable: bool = False,
        arrows_click: bool = False,
        stretch_to_px: int = ROW_PX,
        may_cut: bool = False,
        label_share: float = LABEL_SHARE,
        line_at: float | None = None,
        of_whole: bool = False,
    ) -> None:
        """name: what the bars are, for screen readers. arrows_click: the arrow keys choose the next row. stretch_to_px:
        rows grow up to this where the layout stretches the list. may_cut: the last rows may be left out where there is
        no room. label_share: of the width, which long labels may take. line_at: a length, 0..1, with a dotted line
        through all rows. of_whole: fractions of 1, which the empty part of a bar shows; the scale is the same whatever
        stands behind the bars."""
        focus = Qt.FocusPolicy.StrongFocus if arrows_click else Qt.FocusPolicy.TabFocus
        super().__init__(name, focus if clickable else Qt.FocusPolicy.NoFocus)
        self.arrows_click = arrows_click
        self.bars: list[Bar] = []
        self._clickable, self._widths = clickable, (0, 0)  # of the labels, and of the numbers behind the bars
        self._may_cut, self._label_share = may_cut, label_share
        self._line_at, self.is_of_whole = line_at, of_whole
        self._most_row = theme.px(stretch_to_px)
        grows = stretch_to_px > ROW_PX or may_cut
        vertical = QSizePolicy.Policy.Expanding if grows else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)

    def set_bars(self, bars: list[Bar]) -> None:
        self.bars = bars = [replace(bar, label=fitting_line(bar.label)) for bar in bars]
        if self.hovered_cell is not None and self.hovered_cell >= len(bars):
            self.hovered_cell = None
        self.setAccessibleDescription(", ".join(f"{bar.label} {_number(bar)}" for bar in bars))
        self.values_changed()

    def set_strong(self, row: int | None, colors: tuple[str, str] | None = None) -> None:
        """The row that matters, None for none. colors: of this one and of the others, where it has one of its own."""
        for place, bar in enumerate(self.bars):
            is_strong = place == row
            color = bar.color if colors is None else colors[not is_strong]
            self.bars[place] = replace(bar, is_strong=is_strong, color=color)
        self.values_changed()

    def row_rect(self, row: int) -> QRectF:
        height = self._row_height()
        return QRectF(0, row * height, self.width(), height)

    def line_top(self, y: float) -> float:
        """Where the row at this height begins: where the list is scrolled, none is cut in two."""
        row = int(y // self._row_height())
        return self.row_rect(row).y() if row < len(self.bars) else y

    def _row_height(self) -> float:
        if not self.bars:
            return float(theme.px(ROW_PX))
        return max(float(theme.px(ROW_PX)), min(self.height() / len(self.bars), self._most_row))

    def lay_out(self) -> None:
        self._widths = self._label_width(), self._number_width()

    def _label_width(self) -> int:
        metrics = QFontMetrics(theme.font(13, bold=True))
        notes = QFontMetrics(theme.font(10.5))
        widths = [metrics.horizontalAdvance(bar.label) + notes.horizontalAdvance(bar.note + " ") for bar in self.bars]
        widest = max(widths, default=0)
        return min(max(widest + theme.px(14), theme.px(62)), round(self.width() * self._label_share))

    def _number_width(self) -> int:
        """What is kept free behind the longest bar: one width for all rows, so that their lengths compare."""
        metrics = QFontMetrics(theme.font(13, bold=True))
        bold = [bar for bar in self.bars if bar.mark or bar.is_strong]
        wide = [metrics.horizontalAdvance(_number(bar)) + theme.px(10) for bar in bold]
        return max([theme.px(WHOLE_NUMBER_PX if self.is_of_whole else NUMBER_PX), *wide])

    def _paint_row(self, painter: QPainter, row: int, label_width: int, number_width: int) -> None:
        bar, rect = self.bars[row], self.row_rect(row)
        if row == self.hovered_cell:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(rect.adjusted(-2, 0, 0, 0), theme.px(5), theme.px(5))
        font = theme.font(13, bold=bar.is_strong)
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        note_width = QFontMetrics(theme.font(10.5)).horizontalAdvance(bar.note + "  ") if bar.note else 0
        text = QFontMetrics(font).elidedText(
            bar.label, Qt.TextElideMode.ElideRight, label_width - theme.px(6) - note_width
        )
        painter.drawText(QRectF(theme.px(4), rect.y(), label_width, rect.height()), left, text)
        if bar.note:
            note = QRectF(0, rect.y(), label_width - theme.px(7), rect.height())
            theme.draw_text(painter, note, bar.note, "muted", 10.5, align=theme.RIGHT)
            painter.setFont(font)
        longest = max(rect.width() - label_width - number_width, 1.0)
        height = min(theme.px(BAR_PX) + (rect.height() - theme.px(ROW_PX)) * 0.4, rect.height() - 4)
        length = max(longest * min(max(bar.fraction, 0.0), 1.0), 2.0)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.is_of_whole:
            painter.setBrush(theme.color("track"))
            painter.drawRoundedRect(QRectF(label_width, rect.center().y() - height / 2, longest, height), 2.5, 2.5)
        painter.setBrush(theme.signed_color(bar.sign) if bar.sign else theme.color(bar.color))
        painter.drawRoundedRect(QRectF(label_width, rect.center().y() - height / 2, length, height), 2.5, 2.5)
        if bar.before is not None:
            painter.setPen(QPen(theme.color("ink"), theme.stroke(2)))
            x, length = label_width + longest * min(bar.before, 1.0), max(length, longest * min(bar.before, 1.0))
            painter.drawLine(QLineF(x, rect.center().y() - height / 2 - 2, x, rect.center().y() + height / 2 + 2))
        painter.setPen(theme.color("ink" if bar.is_strong else "muted"))
        end = longest if self.is_of_whole or self._line_at is not None else length  # no number on a line
        behind = QRectF(label_width + end + theme.px(7), rect.y(), number_width * 2, rect.height())
        painter.drawText(behind, left, _number(bar))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), max(len(self.bars), 1) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        rows = max(len(self.bars), 1)
        return QSize(theme.px(120), (min(rows, LEAST_ROWS) if self._may_cut else rows) * theme.px(ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        widths = self._widths
        rows = min(len(self.bars), int((self.height() + 1) // self._row_height()))
        for row in range(rows):
            self._paint_row(painter, row, *widths)
        if self._line_at is not None and rows:
            painter.setPen(QPen(theme.color("ink"), theme.stroke(1.2), Qt.PenStyle.DotLine))
            x = widths[0] + self._line_at * max(self.width() - sum(widths), 1.0)
            painter.drawLine(QPointF(x, 0), QPointF(x, rows * self._row_height()))

    def cell_at(self, point: QPointF) -> int | None:
        row = int(point.y() // self._row_height())
        return row if self._clickable and 0 <= row < len(self.bars) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(len(self.bars), cell, key) if self._clickable else None

    def selected_cell(self) -> int | None:
        if self.arrows_click:
            return self.strong_row
        return 0 if self._clickable and self.bars else None

    @property
    def strong_row(self) -> int | None:
        """The first row that matters."""
        return next((row for row, bar in enumerate(self.bars) if bar.is_strong), None)


def _number(bar: Bar) -> str:
    return f"{bar.number}  {bar.mark}" if bar.mark else bar.number
