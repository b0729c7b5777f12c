"""The list of runs: name, how it stands, a bar of how far it is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.look import theme
from app.rooms.train import words
from app.runs.run_info import RunInfo

ROW_PX, GAP_PX, BAR_PX, PADDING_PX = 58, 6, 4, 8
STATE_COLORS = {"starting": "accent", "running": "accent", "paused": "warn", "done": "good", "failed": "bad"}


class RunList(QWidget):
    """Click, or arrow keys, choose a run."""

    chosen = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[RunInfo] = []
        self._selected: Path | None = None
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Runs")

    def set_runs(self, runs: list[RunInfo]) -> None:
        self._runs = runs
        described = (f"{run.name}, {run.does}, {_stands(run)}" for run in runs)
        self.setAccessibleDescription("; ".join(described))
        self.setMinimumHeight(len(runs) * theme.px(ROW_PX + GAP_PX))
        self.update()

    def set_selected(self, path: Path | None) -> None:
        self._selected = path
        self.update()

    def row_rect(self, index: int) -> QRectF:
        """Where a row is drawn, in this widget's pixels."""
        return QRectF(0, index * theme.px(ROW_PX + GAP_PX), self.width(), theme.px(ROW_PX))

    def _index_at(self, y: float) -> int | None:
        index = int(y // theme.px(ROW_PX + GAP_PX))
        return index if 0 <= index < len(self._runs) else None

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._runs):
            self.chosen.emit(self._runs[index].path)

    def _paint_row(self, painter: QPainter, index: int, run: RunInfo) -> None:
        rect, pad = self.row_rect(index), theme.px(PADDING_PX)
        is_selected = run.path == self._selected
        if is_selected or index == self._hovered:
            painter.setBrush(theme.color("accent_tint" if is_selected else "hover"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        inner = rect.adjusted(pad, theme.px(6), -pad, -pad)
        kind_width = _width(f" · {run.does}") if not run.is_built_in else 0.0
        name_width = min(_width(run.name, bold=True), inner.width() - kind_width)
        _write(painter, QRectF(inner.left(), inner.top(), name_width + 1, inner.height()), run.name, "ink", bold=True)
        if kind_width:
            _write(painter, inner.adjusted(name_width, theme.px(1), 0, 0), f" · {run.does}", "muted")
        line = inner.adjusted(0, theme.px(19), 0, 0)
        color = "bad" if run.status.state == "failed" else "muted"
        _write(painter, line, _stands(run), color)
        _paint_bar(painter, inner, run)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(220), len(self._runs) * theme.px(ROW_PX + GAP_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, run in enumerate(self._runs):
            if self.row_rect(index).intersects(QRectF(event.rect())):
                self._paint_row(painter, index, run)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().y())
        if index is not None:
            self._choose(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._index_at(event.position().y())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if event.key() not in steps:
            super().keyPressEvent(event)
            return
        paths = [run.path for run in self._runs]
        at = paths.index(self._selected) if self._selected in paths else -1
        self._choose(at + steps[Qt.Key(event.key())])

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self._index_at(event.pos().y())
            text = "" if index is None else _tool_tip(self._runs[index])
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)


def _paint_bar(painter: QPainter, inner: QRectF, run: RunInfo) -> None:
    height = theme.px(BAR_PX)
    track = QRectF(inner.left(), inner.bottom() - height, inner.width(), height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("track"))
    painter.drawRoundedRect(track, height / 2, height / 2)
    fraction = 1.0 if run.status.state == "done" else run.status.fraction
    if fraction > 0:
        track.setWidth(max(height, fraction * track.width()))
        painter.setBrush(theme.color(STATE_COLORS.get(run.status.state, "muted")))
        painter.drawRoundedRect(track, height / 2, height / 2)


def _write(painter: QPainter, rect: QRectF, text: str, color: str, bold: bool = False) -> None:
    font = _font(bold)
    painter.setFont(font)
    painter.setPen(theme.color(color))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
    painter.drawText(rect, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, shown)


def _font(bold: bool) -> QFont:
    return theme.font(13 if bold else 12, medium=bold)


def _width(text: str, bold: bool = False) -> float:
    return QFontMetricsF(_font(bold)).horizontalAdvance(text)


def _stands(run: RunInfo) -> str:
    return words.state_line(run.status, run.held_out, run.metrics)


def _tool_tip(run: RunInfo) -> str:
    lines = [f"{run.name} · {run.does}", run.about, _stands(run), str(run.path)]
    return "\n".join(line for line in lines if line)
