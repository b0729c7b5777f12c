"""The tab Alike: all heads as points, near where they look at the same (Clark et al. 2019, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.figures.figure import Axis, Numbers
from app.look import theme
from app.rooms.attend.kinds_list import HeadLinks
from app.rooms.attend.shown import Head, Shown
from app.widgets.card import label
from app.widgets.figure_button import FigureButton, Provider
from app.widgets.question import Question, WorkLine

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.analysis.head_map import HeadMap
    from bertcore.checkpoint.checkpoint import Checkpoint

POINT_PX, EDGE_PX = 4.5, 16
NEAREST = 5


class HeadPoints(QWidget):
    """A point for each head, fainter in lower layers; the chosen ones are ringed and named."""

    chosen = Signal(int, int)
    toggled = Signal(int, int)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Heads as points: near where they look at the same")
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.points: np.ndarray | None = None
        self._chosen: list[Head] = []
        self._hovered: Head | None = None

    def set_points(self, points: np.ndarray | None) -> None:
        """points (L,N,2)."""
        self.points, self._hovered = points, None
        self.update()

    def set_chosen(self, heads: Sequence[Head]) -> None:
        self._chosen = list(heads)
        self.update()

    def place_of(self, layer: int, head: int) -> QPointF:
        """Where a head's point stands; one scale for both axes."""
        assert self.points is not None
        edge = theme.px(EDGE_PX)
        low, high = self.points.min(axis=(0, 1)), self.points.max(axis=(0, 1))
        reach = float((high - low).max()) or 1.0
        scale = (min(self.width(), self.height()) - 2 * edge) / reach
        x, y = (self.points[layer, head] - (low + high) / 2) * scale
        return QPointF(self.width() / 2 + x, self.height() / 2 - y)

    def _at(self, event: QMouseEvent) -> Head | None:
        if self.points is None:
            return None
        away = {
            spot: (self.place_of(*spot) - event.position()).manhattanLength()
            for spot in np.ndindex(self.points.shape[:2])
        }
        nearest = min(away, key=lambda spot: away[spot])
        return (nearest[0], nearest[1]) if away[nearest] < theme.px(14) else None

    def _paint_name(self, painter: QPainter, spot: Head) -> None:
        painter.setFont(theme.font(11, bold=True))
        painter.setPen(theme.color("ink"))
        name, at = f"{spot[0] + 1}·{spot[1] + 1}", self.place_of(*spot)
        width = painter.fontMetrics().horizontalAdvance(name)
        left = at.x() + theme.px(8) if at.x() + theme.px(8) + width < self.width() else at.x() - theme.px(8) - width
        painter.drawText(QPointF(left, at.y() - theme.px(4)), name)

    def sizeHint(self) -> QSize:
        return QSize(theme.column_px(280), theme.column_px(230))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(width * 0.8)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("line"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if self.points is None:
            return
        layers = self.points.shape[0]
        radius = theme.px(POINT_PX) if self.points.size < 400 else theme.px(3)
        for layer, head in np.ndindex(self.points.shape[:2]):
            painter.setPen(QPen(theme.color("muted"), 0.8))
            painter.setBrush(theme.sequential_color(0.15 + 0.75 * layer / max(layers - 1, 1)))
            painter.drawEllipse(self.place_of(layer, head), radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for spot in dict.fromkeys([*self._chosen, *([self._hovered] if self._hovered else [])]):
            if spot[0] < layers and spot[1] < self.points.shape[1]:
                painter.setPen(QPen(theme.color("mask" if spot == self._hovered else "accent"), 2))
                painter.drawEllipse(self.place_of(*spot), radius + 3, radius + 3)
                self._paint_name(painter, spot)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._at(event)
        if spot != self._hovered:
            self._hovered = spot
            self.hovered.emit(spot)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._at(event)
        if spot is not None:
            has_ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            (self.toggled if has_ctrl else self.chosen).emit(*spot)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.hovered.emit(None)
        self.update()


class AlikePanel(QWidget):
    """The map, and the heads most like the chosen one."""

    def __init__(self, figure: Provider) -> None:
        super().__init__()
        self.line = WorkLine("which heads are alike")
        self.question = Question("attend.alike", self.line)
        self.points, self.nearest = HeadPoints(), HeadLinks("Heads most like the chosen one")
        self._said = label("", "muted", wrap=True)
        self._chosen: Head = (0, 0)
        self._length = 0
        top = QHBoxLayout()
        top.addWidget(label("Near: they look at the same. Fainter: lower layers.", "muted", wrap=True), 1)
        top.addWidget(FigureButton(figure, self.points, "map of heads"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(7))
        layout.addLayout(top)
        for widget in (self.line, self.points, self.nearest, self._said):
            layout.addWidget(widget)
        self.question.answered.connect(self._show)

    @property
    def said(self) -> str:
        """What the axes are, and which rows were compared."""
        return self._said.text()

    def draw(self, shown: Shown) -> None:
        self._length = len(shown.units)

        def work(checkpoint: Checkpoint, step: Step) -> Any:
            from bertcore.analysis.head_map import head_map

            return head_map(
                shown.stacked(lambda share: step(share * 0.2)), progress=lambda share: step(0.2 + share * 0.8)
            )

        self.question.want(shown.key, work)
        self._show(self.question.answer)

    def leave(self) -> None:
        """The tab is closed."""
        self.question.leave()

    def set_chosen(self, head: Head, heads: Sequence[Head]) -> None:
        self._chosen = head
        self.points.set_chosen(heads)
        self._show_nearest()

    def numbers(self) -> dict[str, Numbers] | None:
        """For the figure; None while there are none."""
        found: HeadMap | None = self.question.answer
        if found is None:
            return None
        layers, heads, _ = found.points.shape
        names = [f"{layer + 1}·{head + 1}" for layer in range(layers) for head in range(heads)]
        points = Numbers(found.points.reshape(-1, 2), (Axis("head", names), Axis("axis", ("1", "2"))))
        return {"points": points, "divergence": Numbers(found.divergence, (Axis("head", names), Axis("other", names)))}

    def _show(self, found: HeadMap | None) -> None:
        self.points.set_points(None if found is None else found.points)
        self._said.setVisible(found is not None)
        self._show_nearest()
        if found is None:
            return
        said = f"The axes keep {found.share[0]:.0%} and {found.share[1]:.0%} of the differences."
        if len(found.rows) < self._length:
            said += f" {len(found.rows)} of {self._length} rows were compared."
        self._said.setText(said)

    def _show_nearest(self) -> None:
        found: HeadMap | None = self.question.answer
        layers, heads = (0, 0) if found is None else found.points.shape[:2]
        layer, head = self._chosen
        is_there = found is not None and layer < layers and head < heads and layers * heads > 1
        self.nearest.setVisible(is_there)
        if found is None or not is_there:
            return
        own = layer * heads + head
        order = [i for i in np.argsort(found.divergence[own], kind="stable").tolist() if i != own][:NEAREST]
        links = [(divmod(i, heads), f"{found.divergence[own, i]:.2f}") for i in order]
        self.nearest.show_rows([(f"like {layer + 1}·{head + 1}", links, "bits apart")])
