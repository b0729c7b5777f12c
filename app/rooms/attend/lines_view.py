"""The view Lines: two columns of tokens, and lines for what one or several heads connect."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QLayout, QSizePolicy, QWidget

from bertcore.analysis.links import Links, between, strongest_links

from ...figures.figure import Axis, Numbers, joined
from ...figures.values import Values, tokens
from ...look import mark, numbers, say, theme
from ...state import Reading, Selection
from ...state.baseline_names import baseline_name, where_compared
from ...widgets.card import label, scrolled
from ...widgets.charts.drawing import Drawing, Shape, Words
from ...widgets.charts.pointer import next_of
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import hbox, vbox
from ...widgets.rich_text import RichLabel
from ..pictures import Picture
from .attentions import Attentions, Head
from .sentences import LEAST_CHANGE, about_signs, legend_of
from .view import ROOM, PairedView

ROW_PX, LARGEST_ROW_PX = 17, 30
WIDTHS_PX = 220, 420  # at least, and at best
WIDEST_PX = 5.0
COLUMN_PX = 130  # for tokens, on each side
ALL, A_TO_B, B_TO_A, WITHIN = range(4)
PAIRS = {A_TO_B: [("a", "b")], B_TO_A: [("b", "a")], WITHIN: [("a", "a"), ("b", "b")]}  # parts that are connected
TOP_SHARE, LEAST = range(2)
FIRST_PERCENTS = {(TOP_SHARE, False): 60.0, (LEAST, False): 20.0, (TOP_SHARE, True): 60.0, (LEAST, True): 5.0}
MOST_LINES = 1500  # of one head: beyond that nobody tells them apart
Line = Qt.PenStyle
LOOKS = (  # of the heads: a colour, a kind of line, and how the legend writes that
    ("curve_train", Line.SolidLine, "━━"),
    ("curve_held_out", Line.DashLine, "╍╍"),
    ("curve_mlm", Line.DotLine, "┈┈"),
    ("curve_nsp", Line.DashDotLine, "┅┅"),
    ("curve_norm", Line.DashDotDotLine, "┅┅"),
    ("muted", Line.SolidLine, "━━"),
)


@dataclass(frozen=True, eq=False)
class HeadLines:
    """The lines of one head."""

    head: Head
    links: Links
    color: str
    style: Qt.PenStyle
    signs: np.ndarray | None = None  # (K) of a difference: 1 more attention than in the baseline, -1 less
    full: float = 1.0  # the weight of the thickest line

    def paint_color(self, link: int) -> QColor:
        return theme.color(self.color) if self.signs is None else theme.signed_color(float(self.signs[link]))


class LinesPicture(Drawing):
    """Lines between the tokens; those of the token on show stand out. As tall as its tokens need."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.hovered.connect(lambda _row: self.redraw())
        self.lines: list[HeadLines] = []
        self._tokens: Sequence[str] = []
        self._kinds: Sequence[str] = []
        self.row: int | None = None

    def set_lines(self, lines: Sequence[HeadLines], tokens: Sequence[str], kinds: Sequence[str]) -> None:
        """tokens (U), kinds (U): colour names of the labels."""
        is_resized = len(tokens) != len(self._tokens)
        self.lines, self._tokens, self._kinds = list(lines), tokens, kinds
        self.setAccessibleDescription(
            say("{lines} lines of {heads} heads", lines=sum(len(one.links.weights) for one in lines), heads=len(lines))
        )
        if is_resized:
            self.updateGeometry()
        self.redraw()

    def set_row(self, row: int | None) -> None:
        if row != self.row:
            self.row = row
            self.redraw()

    def row_y(self, row: int) -> float:
        """The middle of a token's line."""
        return (row + 0.5) * self._row_height()

    def cell_at(self, point: QPointF) -> int | None:
        """A token of the left column."""
        row = int(point.y() / self._row_height())
        return row if point.x() < self.edges()[0] and 0 <= row < len(self._tokens) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(len(self._tokens), cell, key)

    def selected_cell(self) -> int | None:
        return self.row

    def _row_height(self) -> float:
        fits = self.height() / max(len(self._tokens), 1)
        return min(max(fits, theme.row_px(ROW_PX)), theme.px(LARGEST_ROW_PX))

    def edges(self) -> tuple[float, float]:
        """Where lines begin and end."""
        column = min(theme.px(COLUMN_PX), self.width() * 0.3)
        return column, self.width() - column

    def shapes(self) -> Iterator[Shape]:
        (left, right), height, targets = self.edges(), self._row_height(), self._targets_of_row()
        for lines in self.lines if self._tokens else ():
            yield DrawnLines(self, lines)
        size, width = 13 if height >= theme.px(20) else 11.5, left - theme.px(8)
        for i, (token, kind) in enumerate(zip(self._tokens, self._kinds, strict=True)):
            is_row = i in (self.row, self.hovered_cell)
            box, color = QRectF(0, i * height, width, height), "accent" if is_row else kind
            yield Words(box, token, color, size, is_row, theme.RIGHT)
            yield Words(box.translated(right + theme.px(8), 0), token, kind, size, i in targets)

    def _targets_of_row(self) -> set[int]:
        """What lines of the token on show lead to."""
        targets: set[int] = set()
        for lines in self.lines:
            targets |= set(lines.links.columns[lines.links.rows == self.row].tolist())
        return targets

    def sizeHint(self) -> QSize:
        return QSize(theme.px(WIDTHS_PX[1]), max(len(self._tokens), 1) * theme.row_px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(WIDTHS_PX[0]), self.sizeHint().height())


@dataclass(frozen=True)
class DrawnLines:
    """The lines of one head that are seen; those of the token on show stand out."""

    picture: LinesPicture
    lines: HeadLines

    def paint(self, painter: QPainter) -> None:
        picture, links = self.picture, self.lines.links
        (left, right), seen, sizes = picture.edges(), picture.seen, links.weights / self.lines.full
        for link, (row, column, size) in enumerate(zip(links.rows, links.columns, sizes, strict=True)):
            y1, y2 = picture.row_y(int(row)), picture.row_y(int(column))
            if max(y1, y2) < seen.top() or min(y1, y2) > seen.bottom():
                continue
            is_strong = picture.row is None or int(row) == picture.row
            color = self.lines.paint_color(link)
            color.setAlpha(round((70 + 185 * float(size)) if is_strong else 28))
            painter.setPen(QPen(color, max(WIDEST_PX * float(size), 1.0), self.lines.style))
            painter.drawLine(QLineF(left, y1, right, y2))


@dataclass(frozen=True, kw_only=True)
class Connected(Picture):
    """Lines between the tokens: an array (U,U,K) of K heads. `detail`: the heads, and what `strongest_links` is given.

    Of a difference all have one scale, whose thickest line is the largest difference in any of these heads.
    """

    on: str = ROOM
    name: str = mark("Attention as lines: the tokens on the left look at those on the right")
    chart: Callable[..., LinesPicture] = LinesPicture
    subtracts, writes_both = True, False

    def frame(self, chart: QWidget) -> QWidget:
        return scrolled(chart)

    def show(self, chart: LinesPicture, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        detail, full = dict(values.detail), 1.0
        if baseline is not None:
            values = values.minus(baseline, LEAST_CHANGE)
            full = values.range[1]
        heads, lines = detail.pop("heads"), []
        for place, (head, (color, style, _dash)) in enumerate(zip(heads, LOOKS, strict=False)):
            weights = values.array[..., place]
            links = strongest_links(np.abs(weights), most=MOST_LINES, **detail)
            signs = np.sign(weights[links.rows, links.columns]) if is_difference else None
            lines.append(HeadLines(head, links, color, style, signs, full))
        chart.set_lines(lines, values.rows.labels, values.rows.colors)
        return values

    def select(self, chart: LinesPicture, row: int | None, column: int | None) -> None:
        chart.set_row(row)


class LinesView(PairedView):
    """Up to six of the selected heads, each in a colour and a kind of line of its own.

    A difference has two colours, for more and for less attention than in the baseline.
    """

    asks = PairedView.asks
    pictures = (Connected(key="lines", beside=Connected(key="theirs")),)

    def lay_out(self) -> QLayout:
        self.picture: LinesPicture = self.charts["lines"]
        self.filter, self.limit = Choice(say("Which tokens are connected")), Choice(say("Which lines are drawn"))
        self.filter.addItems([say("All tokens"), say("A → B"), say("B → A"), say("Within A, within B")])
        self.limit.addItems([say("Each token’s strongest lines, together at least"), say("All lines stronger than")])
        name = say("Share of each token’s attention, or smallest weight, in percent")
        self.percent = NumberBox(name, 0, 100, step=5, suffix=numbers.percent_sign())
        self._percents = dict(FIRST_PERCENTS)
        self.percent.show_value(self._percents[TOP_SHARE, False])
        self.legend = RichLabel(say("Which colour is which head"))
        self.legend.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.why_empty = label("", "muted", wrap=True)
        self.filter.currentIndexChanged.connect(lambda _index: self.redraw())
        self.limit.currentIndexChanged.connect(lambda _index: self.redraw())
        self.percent.valueChanged.connect(self._on_percent_changed)
        controls = hbox(self.filter, self.limit, self.percent, None, gap_px=8)
        return vbox(controls, self.why_empty, (self.pairs["lines"], 1), self.legend, gap_px=6)

    @property
    def heads(self) -> tuple[Head, ...]:
        """The newest of those that are selected."""
        return self.shared.heads[-len(LOOKS) :]

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        self.percent.show_value(self._percents[self._percent_key])
        of = self.attentions_of(reading)
        return self._connected(of, self.heads, of.units.unit_of(selection.position))

    def values_beside(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        attentions, row = self.attentions, self.attentions.units.unit_of(selection.position)
        assert attentions.baseline is not None
        theirs = None if row is None else attentions.alignment.other_positions[row]
        return self._connected(attentions.baseline, self._heads_beside(), theirs)

    def name_beside(self, reading: Reading) -> str:
        return self.baseline_title(next(iter(self._heads_beside()[::-1]), None)) if reading.baseline else ""

    def _heads_beside(self) -> list[Head]:
        """The same heads of the baseline, or in a model of another shape the most similar ones."""
        return [found for found in map(self.baseline_head, self.heads) if found is not None]

    def _connected(self, of: Attentions, heads: Sequence[Head], row: int | None) -> Values:
        """row: the unit whose lines are never left out."""
        count, limit, pairs = len(of.units), self.percent.value() / 100, PAIRS.get(self.filter.currentIndex())
        among = np.any([between(of.encoding.parts, *pair) for pair in pairs], axis=0) if pairs else None
        by_share, least = self.limit.currentIndex() == TOP_SHARE, LEAST_CHANGE if self.is_difference else 0.0
        share, least = (limit, least) if by_share else (None, max(limit, least))
        detail = {"heads": heads, "among": among, "least": least, "share": share, "always": row}
        array = np.stack([of.weights(*head) for head in heads], axis=-1) if heads else np.zeros((count, count, 0))
        return Values(array, tokens(of.units), tokens(of.units), detail=detail)

    def words(self) -> tuple[str, str, str]:
        title = say("%n head(s)", n=len(self.heads)) if len(self.heads) > 1 else self.attentions.title(*self.head)
        return title, "", self.about_comparison()

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        self.legend.write(self._legend)
        needs_b = self.filter.currentIndex() in (A_TO_B, B_TO_A) and "b" not in self.attentions.encoding.parts
        is_same = self.is_difference and not any(len(one.links.weights) for one in self.picture.lines)
        self.why_empty.setText(
            say("There is no sentence B. Type one to see how the two are connected.")
            if needs_b
            else say("This head has not changed. Moved, on the left, lists the heads that have.")
        )
        self.why_empty.setVisible(needs_b or is_same)

    def _now(self) -> list[object]:
        """Where some lines are left out, none of the token on show is."""
        some = any(len(lines.links.weights) < lines.links.fitting for lines in self.picture.lines)
        return [*super()._now(), self.selection.position if some else None]

    @property
    def _percent_key(self) -> tuple[int, bool]:
        return self.limit.currentIndex(), self.reading is not None and self.is_difference

    def _legend(self) -> str:
        """Which colour and kind of line is which head; as it was, where the room has been left and a theme changes."""
        if self.shared.attentions is None:
            return self.legend.text()
        lines, selected, texts = self.picture.lines, len(self.shared.heads), []
        what = {"is_difference": self.is_difference, "is_alone": len(lines) == 1}
        for one, (color, _style, dash) in zip(lines, LOOKS, strict=False):
            is_off = one.head in self.attentions.off
            texts.append(legend_of(one.head, one.links, (color, dash), is_off=is_off, **what))
        if selected > len(lines):
            texts.append(say("the last {shown} of {chosen} selected heads", shown=len(lines), chosen=selected))
        elif selected == 1 and not self.is_difference:
            texts.append(say("Ctrl+click another head to compare it"))
        full = max((one.full for one in lines), default=LEAST_CHANGE)
        signs = about_signs(self.attentions, full) if self.is_difference else ""
        return signs + "&nbsp;&nbsp; ".join(texts)

    def _on_percent_changed(self, percent: float) -> None:
        self._percents[self._percent_key] = percent
        self.redraw()

    # What is saved.

    def saved(self, key: str) -> list[QWidget]:
        return [self.picture, self.legend]

    def numbers(self, key: str) -> dict[str, Numbers]:
        """The lines that are drawn."""
        labels, drawn = self.attentions.units.labels, {}
        for lines in self.picture.lines:
            values = np.zeros((len(labels), len(labels)), dtype=np.float32)
            values[lines.links.rows, lines.links.columns] = lines.links.weights * (
                1 if lines.signs is None else lines.signs
            )
            axes = Axis("looks", labels), Axis("is looked at", labels)
            drawn[f"layer {lines.head[0] + 1} head {lines.head[1] + 1}"] = Numbers(values, axes)
        return drawn

    def caption(self, key: str) -> dict[str, Any]:
        limit = f"{self.limit.currentText()} {numbers.percent(self.percent.value() / 100)}"
        hint, minus = say("left looks at right · thicker: more attention"), ""
        if self.is_difference:
            reading = self.attentions.reading
            there, minus = where_compared(reading), f"now minus {baseline_name(reading)}"
            hint = say("left looks at right · red: more attention than {there}, blue: less", there=there)
        settings = joined(minus, self.filter.currentText(), limit)
        return {"title": self.title, "hint": hint, "settings": settings, "head": len(self.picture.lines) == 1}
