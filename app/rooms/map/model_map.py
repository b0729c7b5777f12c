"""The widget with the picture of the whole model. It is given values, and says which part is under the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...look import numbers, theme
from ...look.say import say
from ...widgets.charts.pointer import ARROWS, PointerWidget
from .base_picture import paint_base
from .content import EMBEDDINGS, Answer, Caption, Content, embedding
from .overlay import Overlay
from .plan import MapPart, Plan, Sizes, choose_rows

if TYPE_CHECKING:
    from ...compute.feed_forward import FeedForwardActivity

LEAST_TYPE_PX = 10


class ModelMap(PointerWidget):
    """Cells are `MapPart`s. What does not change under the pointer is kept as a picture.

    Where there are too many layers for all to be open, the one under the pointer opens.
    """

    has_hand = True
    hint_px = (900, 560)
    rows_changed = Signal()  # other tokens have a row of their own

    def __init__(self) -> None:
        name = say("The whole model: words, tokens, embeddings, layers, answers")
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(420), theme.px(300))
        self.plan: Plan | None = None
        self.content: Content | None = None
        self.answer = Answer(0)
        self.describe: Callable[[MapPart], Caption] = lambda _part: Caption("", "")
        self._around, self._keep = 0, list[int]()
        self._head = (0, 0)
        self._open_layer = 0
        self._base = QPixmap()
        self._base_key: tuple[object, ...] = ()
        self._corner: QWidget | None = None
        self._progress: QWidget | None = None

    # What it is given.

    def set_content(self, content: Content, around: int, keep: Sequence[int]) -> None:
        """around: the position whose neighbours have rows where there is no room for all; keep: others that should."""
        self.content, self._around, self._keep = content, around, list(keep)
        self._lay_out()

    def set_around(self, around: int) -> None:
        """Another token is looked at: rows are those around it, where there is no room for all."""
        if around != self._around:
            self._around = around
            self._lay_out()

    def set_activity(self, activity: FeedForwardActivity, rows: Sequence[int]) -> None:
        """rows: the positions it is of."""
        if self.content is not None:
            self.content.activity, self.content.activity_rows, self._base_key = activity, list(rows), ()
            self.update()

    def set_answer(self, answer: Answer) -> None:
        self.answer = answer
        said = ", ".join(f"{word} {numbers.percent(share)}" for word, share in answer.words)
        self.setAccessibleDescription(f"{answer.title} {said}" if said else answer.reason)
        if self.plan is not None:
            self.plan.place_answer(answer.position)
        self.update()

    def set_head(self, layer: int, head: int) -> None:
        """The head that is selected in all rooms."""
        if (layer, head) != self._head:
            self._head = layer, head
            self.open_layer(layer)
            self.update()

    def open_layer(self, layer: int) -> None:
        """Unfolds a layer, where not all are."""
        if layer != self._open_layer:
            self._open_layer = layer
            if self.plan is not None and self.plan.is_folded:
                self._lay_out()

    def set_floating(self, corner: QWidget, progress: QWidget) -> None:
        """Small widgets on the picture: one in the top right corner, one at the bottom left, where nothing else is.

        In a layout the progress line would change the height, so the rows, so what is asked for, and so itself.
        """
        for widget in (corner, progress):
            widget.setParent(self)
        self._corner, self._progress = corner, progress

    # Where things are.

    @property
    def positions(self) -> list[int]:
        """Of the tokens that have a row of their own."""
        return [] if self.plan is None else self.plan.positions

    def _lay_out(self) -> None:
        content, before = self.content, self.positions
        if content is None:
            return
        layers, heads = content.sheet.layers, content.sheet.heads
        has = [name for name in EMBEDDINGS if embedding(content.reading, name) is not None]
        least_type = theme.type_px(LEAST_TYPE_PX)
        sizes = Sizes(
            self.width(), self.height(), theme.scale(), layers, heads, tuple(has), self._open_layer, least_type
        )
        rows = choose_rows(len(content.reading.encoding), sizes.most_rows, self._around, self._keep)
        self.plan = Plan(sizes, rows)
        in_words = {position for positions in content.words for position in positions}
        for position in set(self.plan.positions) - in_words:
            self.plan.parts.pop(MapPart("word", position=position), None)
        self.plan.place_answer(self.answer.position)
        if self._progress is not None:
            left, right = self.plan.tokens_and_words
            top, bottom = self.plan.feed_forward_top, self.plan.feed_forward_bottom
            self._progress.setGeometry(QRectF(left, top, right - left, bottom - top).toRect())
        if self.hovered_cell is not None and self.hovered_cell not in self.plan.parts:
            self.set_hovered(None)
        self._base_key = ()
        self.update()
        if self.plan.positions != before:
            self.rows_changed.emit()

    def cell_at(self, point: QPointF) -> MapPart | None:
        return None if self.plan is None else self.plan.at(point)

    def cell_after(self, cell: MapPart | None, key: int) -> MapPart | None:
        if self.plan is None or key not in ARROWS:
            return None
        if cell is None or cell not in self.plan.parts:
            return self.selected_cell()
        return self.plan.beside(cell, *ARROWS[key])

    def selected_cell(self) -> MapPart | None:
        head = MapPart("head", *self._head)
        return head if self.plan is not None and head in self.plan.parts else None

    def set_hovered(self, cell: MapPart | None) -> None:
        if cell is not None and cell.layer >= 0:
            self.open_layer(cell.layer)
        super().set_hovered(cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        plan, point = self.plan, event.position()
        if plan is not None and plan.heads_top - plan.sizes.titles <= point.y() <= plan.feed_forward_bottom:
            layer = plan.layer_at(point.x())
            if layer is not None:
                self.open_layer(layer)  # first: where its parts are depends on it
        super().mouseMoveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._corner is not None:
            self._corner.move(self.width() - self._corner.width() - theme.px(6), theme.px(6))
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.plan is None or self.content is None:
            return
        ratio = self.devicePixelRatioF()
        key = (theme.active().name, theme.scale(), ratio, self.width(), self.height())
        if key != self._base_key:
            self._base = QPixmap(self.size() * ratio)
            self._base.setDevicePixelRatio(ratio)
            self._base.fill(Qt.GlobalColor.transparent)
            with theme.painter(self._base) as base:
                paint_base(base, self.plan, self.content)
            self._base_key = key  # last: what failed is painted again
        painter = theme.painter(self)
        painter.drawPixmap(0, 0, self._base)
        is_compared = self.content.compared is not None
        Overlay(painter, self.plan, self.answer, self._head, self.hovered_cell, self.describe, is_compared).paint()
