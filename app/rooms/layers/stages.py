"""The stages of a text on its way through the model: their names, and the slider that chooses one.

Stage 0 is the embeddings, stage l what leaves layer l.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from ...figures.values import stage_name
from ...look import theme
from ...look.say import say
from ...widgets.card import label
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
        self.setMaximumWidth(theme.column_px(MOST_PX))

    def spot(self, stage: int) -> QPointF:
        """Where a stage stands."""
        margin, steps = theme.px(MARGIN_PX), max(self.maximum() - self.minimum(), 1)
        share = (stage - self.minimum()) / steps
        return QPointF(margin + share * (self.width() - 2 * margin), self.height() / 2)

    def _stage_at(self, x: float) -> int:
        margin = theme.px(MARGIN_PX)
        share = (x - margin) / max(self.width() - 2 * margin, 1)
        stage = self.minimum() + round(share * (self.maximum() - self.minimum()))
        return min(max(stage, self.minimum()), self.maximum())

    def sizeHint(self) -> QSize:
        return QSize(theme.column_px(MOST_PX), theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.column_px(LEAST_PX), theme.px(HEIGHT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        first, here, last = (self.spot(stage) for stage in (self.minimum(), self.value(), self.maximum()))
        painter.setPen(QPen(theme.color("line"), theme.px(3)))
        painter.drawLine(first, last)
        painter.setPen(QPen(theme.color("accent"), theme.px(3)))
        painter.drawLine(first, here)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.maximum() - self.minimum() < MANY:
            for stage in range(self.minimum(), self.maximum() + 1):
                painter.setBrush(theme.color("accent" if stage <= self.value() else "faint"))
                painter.drawEllipse(self.spot(stage), theme.px(2.5), theme.px(2.5))
        painter.setBrush(theme.color("accent"))
        painter.drawEllipse(here, theme.px(HANDLE_PX), theme.px(HANDLE_PX))
        if self.hasFocus():
            painter.setPen(theme.focus_pen())
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(6), theme.px(6))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setValue(self._stage_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.setValue(self._stage_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()


class StageSlider(QWidget):
    """The name of the stage on show, and the track to choose another."""

    moved = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._name = label("", "strong")
        self._name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.track = StageTrack()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        hbox(None, self._name, (self.track, 100), parent=self, gap_px=4)
        self.track.valueChanged.connect(self._on_track_changed)

    @property
    def stage(self) -> int:
        return self.track.value()

    @property
    def name(self) -> str:
        """What stands beside the track."""
        return self._name.text()

    def set_stages(self, stage: int, last: int, first: int = 0) -> None:
        """Shows a stage, one of first..last; `moved` is not emitted."""
        self.track.blockSignals(True)
        self.track.setRange(first, last)
        self.track.setValue(stage)
        self.track.blockSignals(False)
        self.track.update()
        self._show()
        names = map(self._name_of, range(first, last + 1))
        self._name.setMinimumWidth(max(map(self._name.fontMetrics().horizontalAdvance, names)))

    def _name_of(self, stage: int) -> str:
        return say("layer {layer}", layer=stage) if self.track.minimum() else stage_name(stage)

    def _show(self) -> None:
        name = self._name_of(self.track.value())
        self._name.setText(name)
        self.track.setAccessibleDescription(name)

    def _on_track_changed(self, stage: int) -> None:
        self._show()
        self.moved.emit(stage)
