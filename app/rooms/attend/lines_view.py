"""The view Lines: two columns of tokens, and lines for what one or several heads connect."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy

from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...widgets.card import label, scrolled
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import fill
from ...widgets.pointer import PointerWidget
from .attentions import Head, head_name
from .strong_links import Links, between, strongest_links
from .view import AttendView

ALL, A_TO_B, B_TO_A, WITHIN = range(4)
TOP_SHARE, LEAST = range(2)
FIRST_PERCENTS = {TOP_SHARE: 60.0, LEAST: 20.0}
MOST_LINES = 1500  # of one head: beyond that nobody tells them apart
HEAD_COLORS = ("curve_train", "curve_held_out", "curve_mlm", "curve_nsp", "curve_norm", "muted")
STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
    Qt.PenStyle.SolidLine,
)
DASHES = {Qt.PenStyle.SolidLine: "━━", Qt.PenStyle.DashLine: "╍╍", Qt.PenStyle.DotLine: "┈┈"}
ROW_PX, LARGEST_ROW_PX = 17, 30
WIDEST_PX = 5.0
COLUMN_PX = 130  # for tokens, on each side


@dataclass(frozen=True, eq=False)
class HeadLines:
    """The lines of one head."""

    head: Head
    links: Links
    color: str
    style: Qt.PenStyle


class LinesPicture(PointerWidget):
    """Lines between the tokens; those of the token on show stand out. As tall as its tokens need."""

    arrows_click = True

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Attention as lines: the tokens on the left look at those on the right"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.lines: list[HeadLines] = []
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self._row: int | None = None

    def set_lines(self, lines: Sequence[HeadLines], tokens: list[str], kinds: list[str]) -> None:
        """tokens (U), kinds (U): colour names of the labels."""
        is_resized = len(tokens) != len(self._tokens)
        self.lines, self._tokens, self._kinds = list(lines), tokens, kinds
        self.setAccessibleDescription(
            self.tr("{lines} lines of {heads} heads").format(
                lines=sum(len(one.links.weights) for one in lines), heads=len(lines)
            )
        )
        if is_resized:
            self.updateGeometry()
        self.update()

    def set_row(self, row: int | None) -> None:
        if row != self._row:
            self._row = row
            self.update()

    def row_y(self, row: int) -> float:
        """The middle of a token's line."""
        return (row + 0.5) * self._row_height()

    def cell_at(self, point: QPointF) -> int | None:
        """A token of the left column."""
        row = int(point.y() / self._row_height())
        return row if point.x() < self._edges()[0] and 0 <= row < len(self._tokens) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(key)
        if step is None or not self._tokens:
            return None
        return min(max((-1 if cell is None else cell) + step, 0), len(self._tokens) - 1)

    def selected_cell(self) -> int | None:
        return self._row

    def _row_height(self) -> float:
        fits = self.height() / max(len(self._tokens), 1)
        return min(max(fits, theme.px(ROW_PX)), theme.px(LARGEST_ROW_PX))

    def _edges(self) -> tuple[float, float]:
        """Where lines begin and end."""
        column = min(theme.px(COLUMN_PX), self.width() * 0.3)
        return column, self.width() - column

    def _paint_lines(self, painter: QPainter, lines: HeadLines, seen: tuple[float, float]) -> None:
        left, right = self._edges()
        links = lines.links
        for row, column, weight in zip(links.rows, links.columns, links.weights, strict=True):
            y1, y2 = self.row_y(int(row)), self.row_y(int(column))
            if max(y1, y2) < seen[0] or min(y1, y2) > seen[1]:
                continue
            is_strong = self._row is None or int(row) == self._row
            color = theme.color(lines.color, round((70 + 185 * float(weight)) if is_strong else 28))
            painter.setPen(QPen(color, max(WIDEST_PX * float(weight), 1.0), lines.style))
            painter.drawLine(QLineF(left, y1, right, y2))

    def _paint_tokens(self, painter: QPainter, seen: tuple[float, float]) -> None:
        left, right = self._edges()
        height, targets = self._row_height(), self._targets_of_row()
        first, last = max(int(seen[0] / height), 0), min(int(seen[1] / height) + 1, len(self._tokens))
        size = 13 if height >= theme.px(20) else 11.5
        for i in range(first, last):
            y = i * height
            is_row = i in (self._row, self.hovered_cell)
            token, kind, width = self._tokens[i], self._kinds[i], left - theme.px(8)
            color, box = "accent" if is_row else kind, QRectF(0, y, width, height)
            theme.draw_text(painter, box, token, color, size, align=theme.RIGHT, bold=is_row)
            box.moveLeft(right + theme.px(8))
            theme.draw_text(painter, box, token, kind, size, bold=i in targets)

    def _targets_of_row(self) -> set[int]:
        """What lines of the token on show lead to."""
        targets: set[int] = set()
        for lines in self.lines:
            targets |= set(lines.links.columns[lines.links.rows == self._row].tolist())
        return targets

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(220), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._tokens:
            return
        painter = theme.painter(self)
        seen = (float(event.rect().top()), float(event.rect().bottom()))
        for lines in self.lines:
            self._paint_lines(painter, lines, seen)
        self._paint_tokens(painter, seen)


class LinesView(AttendView):
    """Up to six of the chosen heads, each in a colour and a kind of line of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.picture = LinesPicture()
        self.filter, self.limit = (
            Choice(self.tr("Which tokens are connected")),
            Choice(self.tr("Which lines are drawn")),
        )
        self.filter.addItems([self.tr("All tokens"), self.tr("A → B"), self.tr("B → A"), self.tr("Within A, within B")])
        self.limit.addItems([self.tr("Each token’s strongest, together"), self.tr("Stronger than")])
        name = self.tr("Share of each token’s attention, or smallest weight, in percent")
        self.percent = NumberBox(name, 0, 100, step=5, suffix=" %")
        self._percents = dict(FIRST_PERCENTS)
        self.percent.show_value(self._percents[TOP_SHARE])
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.legend.setAccessibleName(self.tr("Which colour is which head"))
        self.why_empty = label("", "muted", wrap=True)
        fill(self.controls, self.filter, self.limit, self.percent, None)
        fill(self.body, self.controls, self.why_empty, (scrolled(self.picture), 1), self.legend)
        self.filter.currentIndexChanged.connect(lambda _index: self.redraw())
        self.limit.currentIndexChanged.connect(self._on_limit_changed)
        self.percent.valueChanged.connect(self._on_percent_changed)
        self.picture.hovered.connect(lambda row: self.hover_unit(row))
        self.picture.clicked.connect(self._on_picture_clicked)
        self.add_token_menu(self.picture)

    def draw(self) -> None:
        chosen, attentions = self.chosen.heads, self.attentions
        heads = chosen[-len(HEAD_COLORS) :]  # the newest
        one = attentions.title(*self.head)
        self.set_title(self.tr("%n head(s)", "", len(heads)) if len(heads) > 1 else one)
        row = attentions.units.unit_of(self.selection.position)
        lines = [self._lines_of(head, number, row) for number, head in enumerate(heads)]
        self.picture.set_lines(lines, attentions.units.labels, attentions.units.kinds)
        self.picture.set_row(row)
        self._show_legend(lines)
        needs_b = self.filter.currentIndex() in (A_TO_B, B_TO_A) and "b" not in attentions.parts
        self.why_empty.setText(self.tr("There is no sentence B. Type one to see how the two are connected."))
        self.why_empty.setVisible(needs_b)

    def draw_position(self) -> None:
        if any(len(lines.links.weights) < lines.links.fitting for lines in self.picture.lines):
            self.draw()  # some are left out, but none of this token
        else:
            self.picture.set_row(self.attentions.units.unit_of(self.selection.position))

    def make_figure(self) -> Figure | None:
        if not self.picture.lines or self.reading is None:
            return None
        labels = self.attentions.units.labels
        drawn = {}
        for lines in self.picture.lines:
            values = np.zeros((len(labels), len(labels)), dtype=np.float32)
            values[lines.links.rows, lines.links.columns] = lines.links.weights
            axes = Axis("looks", labels), Axis("is looked at", labels)
            drawn[f"layer {lines.head[0] + 1} head {lines.head[1] + 1}"] = Numbers(values, axes)
        limit = f"{self.limit.currentText()} {numbers.decimal(self.percent.value(), 0)} %"
        settings = f"{self.filter.currentText()} · {limit}"
        is_one = len(self.picture.lines) == 1
        widgets = [self.picture, self.legend]
        hint = self.tr("left looks at right · thicker: more attention")
        return self.figure(self.title, widgets, drawn, hint=hint, settings=settings, head=is_one)

    def _lines_of(self, head: Head, number: int, row: int | None) -> HeadLines:
        by_share = self.limit.currentIndex() == TOP_SHARE
        limit = self.percent.value() / 100
        links = strongest_links(
            self.attentions.weights(*head),
            among=self._among(),
            least=0.0 if by_share else limit,
            share=limit if by_share else None,
            most=MOST_LINES,
            always=row,
        )
        return HeadLines(head, links, HEAD_COLORS[number], STYLES[number])

    def _among(self) -> np.ndarray | None:
        """(U,U) which pairs of tokens the filter lets through."""
        parts, chosen = self.attentions.parts, self.filter.currentIndex()
        if chosen == ALL:
            return None
        if chosen == WITHIN:
            within: np.ndarray = between(parts, "a", "a") | between(parts, "b", "b")
            return within
        return between(parts, "a", "b") if chosen == A_TO_B else between(parts, "b", "a")

    def _show_legend(self, lines: Sequence[HeadLines]) -> None:
        texts = [self._legend_of(one) for one in lines]
        chosen = len(self.chosen.heads)
        if chosen > len(lines):
            texts.append(self.tr("the last {shown} of {chosen} selected heads").format(shown=len(lines), chosen=chosen))
        elif chosen == 1:
            texts.append(self.tr("Ctrl+click another head to compare it"))
        self.legend.setText("&nbsp;&nbsp; ".join(texts))

    def _legend_of(self, lines: HeadLines) -> str:
        links, name = lines.links, head_name(*lines.head)
        if lines.head in self.attentions.off:
            name = self.tr("{head} off").format(head=name)
        count = len(links.weights)
        if count < links.fitting:
            text = self.tr("the strongest {count} of {all} lines, {share} of the attention")
        elif count == 1:
            text = self.tr("1 line, {share} of the attention")
        else:
            text = self.tr("{count} lines, {share} of the attention")
        said = text.format(
            count=numbers.count(count), all=numbers.count(links.fitting), share=numbers.percent(links.share)
        )
        color, dash = theme.color(lines.color).name(), DASHES.get(lines.style, "┅┅")
        return f'<span style="color:{color}"><b>{dash}</b></span> <b>{html.escape(name)}</b>: {html.escape(said)}'

    def changeEvent(self, event: QEvent) -> None:
        """The legend's colours stand in its text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.reading is not None:
            self._show_legend(self.picture.lines)

    def _on_limit_changed(self, limit: int) -> None:
        self.percent.show_value(self._percents[limit])
        self.redraw()

    def _on_percent_changed(self, percent: float) -> None:
        self._percents[self.limit.currentIndex()] = percent
        self.redraw()

    def _on_picture_clicked(self, row: int, modifiers: object) -> None:
        self.click_unit(row)
