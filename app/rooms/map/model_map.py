"""The widget with the picture of the whole model. It is given values, and says which part is under the pointer."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...compute.feed_forward import FeedForwardActivity
from ...look import numbers, say, theme
from ...widgets.charts.drawing import Box, Drawing, Shape
from ...widgets.charts.pointer import ARROWS
from .base_picture import base_shapes
from .content import EMBEDDINGS, Answer, Caption, Content, embedding
from .overlay import answer_shapes, bubble, followed_line
from .plan import MapPart, Plan, Sizes

LEAST_TYPE_PX = 10


class Still:
    """Shapes that are drawn once, and from then on as one picture."""

    def __init__(self, rect: QRectF, shapes: Sequence[Shape], opacity: float = 1.0) -> None:
        self.rect, self._shapes, self._picture, self._opacity = rect, shapes, QPixmap(), opacity

    def paint(self, painter: QPainter) -> None:
        ratio = painter.device().devicePixelRatioF()
        if self._picture.isNull() or self._picture.devicePixelRatioF() != ratio:
            picture = QPixmap((self.rect.size() * ratio).toSize())
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            with theme.painter(picture) as once:
                for shape in self._shapes:
                    shape.paint(once)
            self._picture = picture
        painter.setOpacity(self._opacity)
        painter.drawPixmap(0, 0, self._picture)
        painter.setOpacity(1.0)

    def paint_part(self, painter: QPainter, source: QRectF, x: float) -> None:
        """A part of what has been painted before, moved to the left or right."""
        ratio, corner = self._picture.devicePixelRatio(), QPointF(x, source.top())
        pixels = QRectF(source.topLeft() * ratio, source.size() * ratio)
        painter.drawPixmap(QRectF(corner, source.size()), self._picture, pixels)


class ModelMap(Drawing):
    """Cells are `MapPart`s. Where there are too many layers for all to be open, the one under the pointer opens."""

    has_hand = True
    hint_px, least_px = (900, 560), (420, 300)
    is_bare = False  # no answers, no captions
    rows_changed = Signal()  # other tokens have a row of their own

    def __init__(self, name: str = "") -> None:
        name = name or say("The whole model: words, tokens, embeddings, layers, answers")
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.plan: Plan | None = None
        self.content: Content | None = None
        self.answer = Answer(0)
        self.positions: list[int] = []  # of the tokens that have a row of their own
        self.describe: Callable[[MapPart], Caption] = lambda _part: Caption()  # the words beside what is pointed at
        self._around, self._keep = 0, list[int]()
        self._head = MapPart("head", 0, 0)
        self._open_layer = 0
        self._floating: tuple[QWidget, QWidget] | None = None
        self.still: Still | None = None

    # What it is given.

    def set_content(self, content: Content, around: int, keep: Sequence[int]) -> None:
        """around: the position whose neighbours have rows where there is no room for all; keep: others that should."""
        self.content, self._around, self._keep = content, around, list(keep)
        self._lay_out()

    def set_selected(self, around: int, layer: int, head: int, answer: Answer) -> None:
        """Another token is looked at, or another head: what is selected in all rooms. around: see `set_content`."""
        if around != self._around:
            self._around = around
            self._lay_out()
        if self._head != MapPart("head", layer, head):
            self._head = MapPart("head", layer, head)
            self.open_layer(layer)
        self.answer = answer
        words = ", ".join(f"{word} {numbers.percent(share)}" for word, share in answer.words)
        self.setAccessibleDescription(f"{answer.title} {words}" if words else answer.reason)
        if self.plan is not None:
            self.plan.place_answer(answer.place, answer.ends, is_alone=bool(answer.task))
        self.update()

    def set_activity(self, activity: FeedForwardActivity, rows: Sequence[int]) -> None:
        """rows: the positions it is of."""
        if self.content is not None:
            self.content.activity, self.content.activity_rows = activity, rows
            self.redraw()

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
        self._floating = corner, progress
        for widget in self._floating:
            widget.setParent(self)

    # Where things are.

    def _lay_out(self) -> None:
        content = self.content
        if content is None:
            return
        names = ("sum",) if self.is_bare else EMBEDDINGS
        has = tuple(name for name in names if embedding(content.reading, name) is not None)
        shape, least_type = (content.sheet.layers, content.sheet.heads), theme.type_px(LEAST_TYPE_PX)
        size = self.width(), self.height(), theme.scale()
        sizes = Sizes(*size, *shape, has, self._open_layer, least_type, self.is_bare)
        self.plan = plan = Plan(sizes, len(content.reading.encoding), self._around, self._keep)
        for position in set(plan.positions).difference(*content.words):
            plan.parts.pop(MapPart("word", position=position), None)
        plan.place_answer(self.answer.place, self.answer.ends, is_alone=bool(self.answer.task))
        if self._floating is not None:
            corner, progress = self._floating
            corner.adjustSize()
            corner.move(self.width() - corner.width() - theme.px(6), theme.px(6))
            height = plan.feed_forward_bottom - plan.feed_forward_top
            place = QRectF(plan.words.left(), plan.feed_forward_top, plan.tokens.right() - plan.words.left(), height)
            progress.setGeometry(place.toRect())
        if self.hovered_cell is not None and self.hovered_cell not in plan.parts:
            self.set_hovered(None)
        self.redraw()
        if plan.positions != self.positions:
            self.positions = plan.positions
            self.rows_changed.emit()

    def cell_at(self, point: QPointF) -> MapPart | None:
        parts = {} if self.plan is None else self.plan.parts
        return next((part for part, rect in parts.items() if rect.contains(point)), None)

    def cell_after(self, cell: MapPart | None, key: int) -> MapPart | None:
        if self.plan is None or key not in ARROWS:
            return None
        return self.plan.beside(cell, *ARROWS[key]) if cell in self.plan.parts else self.selected_cell()

    def selected_cell(self) -> MapPart | None:
        return self._head if self.plan is not None and self._head in self.plan.parts else None

    def set_hovered(self, cell: MapPart | None) -> None:
        if cell is not None and cell.layer >= 0:
            self.open_layer(cell.layer)
        super().set_hovered(cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        plan, point = self.plan, event.position()
        if plan is not None and plan.heads_top - plan.titles <= point.y() <= plan.feed_forward_bottom:
            layer = plan.layer_at(point.x())
            if layer is not None:
                self.open_layer(layer)  # first: where its parts are depends on it
        super().mouseMoveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    # What is drawn.

    def shapes(self) -> Iterator[Shape]:
        if self.plan is not None and self.content is not None:
            self.still = Still(QRectF(self.rect()), list(base_shapes(self.plan, self.content)))
            yield self.still

    def overlay(self) -> Iterator[Shape]:
        plan, part = self.plan, self.hovered_cell
        if plan is None or self.content is None:
            return
        yield from followed_line(plan, self.answer, is_compared=self.content.distances is not None)
        yield from answer_shapes(plan, self.answer)
        if self._head in plan.parts:
            frame = plan.parts[self._head].adjusted(-1, -1, 1, 1)
            yield Box(frame, line="accent", line_px=theme.stroke(1.6))
        if part in plan.parts:
            box, caption = plan.parts[part], self.describe(part)
            yield Box(box.adjusted(-1.5, -1.5, 1.5, 1.5), "", "accent", theme.stroke(2), 3)
            beside = plan.layers[part.layer].heads.united(box) if part.kind == "head" else box
            if caption.title:
                yield from bubble(plan, beside, box.center().x(), caption)
