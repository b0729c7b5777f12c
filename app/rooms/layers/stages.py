"""The stages of a text on its way through the model: their names, and the slider that chooses one.

Stage 0 is the embeddings, stage l what leaves layer l.
"""

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from ...figures.values import stage_name
from ...look import say, theme
from ...widgets.card import label
from ...widgets.charts.drawing import Line
from ...widgets.layouts import hbox

LEAST_PX, MOST_PX, HEIGHT_PX = 70, 240, 28
MARGIN_PX = 9
HANDLE_PX = 7
MANY = 30  # stages; from here on they get no dots of their own


class StageTrack(QSlider):
    """A line with a dot for each stage; a click goes to the nearest one."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setPageStep(1)
        self.setAccessibleName(say("Layer"))
        self.setToolTip(say("Layer (the arrow keys change it)"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(theme.column_px(LEAST_PX))
        self.setMaximumWidth(theme.column_px(MOST_PX))
        self.setFixedHeight(theme.px(HEIGHT_PX))

    def place_of(self, stage: int) -> QPointF:
        margin, steps = theme.px(MARGIN_PX), max(self.maximum() - self.minimum(), 1)
        share = (stage - self.minimum()) / steps
        return QPointF(margin + share * (self.width() - 2 * margin), self.height() / 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, stages = theme.painter(self), range(self.minimum(), self.maximum() + 1)
        here = self.place_of(self.value())
        for color, stop in (("line", self.place_of(stages[-1])), ("accent", here)):
            Line(self.place_of(stages[0]), stop, color, theme.px(3), snaps=False).paint(painter)
        painter.setPen(Qt.PenStyle.NoPen)
        for stage in stages if len(stages) <= MANY else ():
            painter.setBrush(theme.color("accent" if stage <= self.value() else "faint"))
            painter.drawEllipse(self.place_of(stage), theme.px(2.5), theme.px(2.5))
        painter.setBrush(theme.color("accent"))
        painter.drawEllipse(here, theme.px(HANDLE_PX), theme.px(HANDLE_PX))
        if self.hasFocus():
            painter.setPen(theme.focus_pen())
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(6), theme.px(6))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            margin = theme.px(MARGIN_PX)
            share = (event.position().x() - margin) / max(self.width() - 2 * margin, 1)
            self.setValue(self.minimum() + round(share * (self.maximum() - self.minimum())))  # Qt keeps it within

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()


class StageSlider(QWidget):
    """The name of the stage on show, and the track to choose another."""

    moved = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.name = label("", "strong")
        self.name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.track = StageTrack()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        hbox(None, self.name, (self.track, 100), parent=self, gap_px=4)
        self.track.valueChanged.connect(self._show)
        self.track.valueChanged.connect(self.moved)

    def set_stages(self, stage: int, last: int, first: int = 0) -> None:
        """Shows a stage, one of first..last; `moved` is not emitted."""
        with QSignalBlocker(self.track):
            self.track.setRange(first, last)
            self.track.setValue(stage)
        self.track.update()
        self._show(stage)
        names = map(self._name_of, range(first, last + 1))
        self.name.setMinimumWidth(max(map(self.name.fontMetrics().horizontalAdvance, names)))

    def _name_of(self, stage: int) -> str:
        return say("layer {layer}", layer=stage) if self.track.minimum() else stage_name(stage)

    def _show(self, stage: int) -> None:
        self.name.setText(self._name_of(stage))
        self.track.setAccessibleDescription(self.name.text())
