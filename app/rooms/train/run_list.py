"""The list of runs: name, how it stands, a bar of how far it is."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip

from bertcore.runs.run_folder import RunStatus

from ...look import numbers, theme
from ...look.fitting import fitting_line, plain_tip
from ...runs.run_info import RunInfo
from ...state.task_info import metric_name
from ...widgets.pointer import ARROWS, PointerWidget

ROW_PX, GAP_PX, BAR_PX, PADDING_PX = 58, 6, 4, 8
STATE_COLORS = {"starting": "accent", "running": "accent", "paused": "warn", "done": "good", "failed": "bad"}


class RunList(PointerWidget):
    """A click or the arrow keys choose a run."""

    chosen = Signal(object)  # Path
    arrows_click = True

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Runs"))
        self.shown_runs: list[RunInfo] = []
        self._selected: Path | None = None
        self.clicked.connect(lambda index, _modifiers: self.chosen.emit(self.shown_runs[index].path))

    def set_runs(self, runs: list[RunInfo]) -> None:
        self.shown_runs = runs
        described = (f"{run.name}, {run.does}, {state_line(run)}" for run in runs)
        self.setAccessibleDescription("; ".join(described))
        self.setMinimumHeight(len(runs) * theme.px(ROW_PX + GAP_PX))
        self.update()

    def set_selected(self, path: Path | None) -> None:
        self._selected = path
        self.update()

    def row_rect(self, index: int) -> QRectF:
        """Where a row is drawn, in this widget's pixels."""
        return QRectF(0, index * theme.px(ROW_PX + GAP_PX), self.width(), theme.px(ROW_PX))

    def cell_at(self, point: QPointF) -> int | None:
        index = int(point.y() // theme.px(ROW_PX + GAP_PX))
        return index if 0 <= index < len(self.shown_runs) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = ARROWS.get(key, (0, 0))[0]
        index = (-1 if cell is None else cell) + step
        return index if step and 0 <= index < len(self.shown_runs) else None

    def selected_cell(self) -> int | None:
        paths = [run.path for run in self.shown_runs]
        return paths.index(self._selected) if self._selected in paths else None

    def _paint_row(self, painter: QPainter, index: int, run: RunInfo) -> None:
        rect, pad = self.row_rect(index), theme.px(PADDING_PX)
        is_selected = run.path == self._selected
        if is_selected or index == self.hovered_cell:
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
        _write(painter, line, state_line(run), "bad" if run.status.state == "failed" else "muted")
        _paint_bar(painter, inner, run)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(220), len(self.shown_runs) * theme.px(ROW_PX + GAP_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for index, run in enumerate(self.shown_runs):
            if self.row_rect(index).intersects(QRectF(event.rect())):
                self._paint_row(painter, index, run)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.cell_at(QPointF(event.pos()))
            text = "" if index is None else plain_tip(_tool_tip(self.shown_runs[index]))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)


def state_name(state: str) -> str:
    """A run's state as a person reads it."""
    translate = QCoreApplication.translate
    return {
        "waiting": translate("RunList", "Waiting"),
        "starting": translate("RunList", "Starting"),
        "running": translate("RunList", "Running"),
        "paused": translate("RunList", "Paused"),
        "stopped": translate("RunList", "Stopped"),
        "done": translate("RunList", "Done"),
        "failed": translate("RunList", "Failed"),
    }.get(state, translate("RunList", "Unreadable"))


def state_line(run: RunInfo) -> str:
    """How a run stands, in one line: "Running · 61% · 14 min left"."""
    status, translate = run.status, QCoreApplication.translate
    parts = [state_name(status.state)]
    if status.state == "running":
        parts.append(numbers.percent(status.fraction))
        if status.remaining_s is not None:
            left = translate("RunList", "{time} left")
            parts.append(left.format(time=numbers.duration(status.remaining_s)))
    elif status.state == "paused":
        parts.append(_at_step(status))
    elif status.message and status.message.startswith(parts[0]):
        parts = [status.message]
    elif status.message:
        parts.append(status.message)
    elif status.state in ("done", "stopped"):
        measured = _measured(run.held_out or {}, run.metrics)
        if not (run.metrics and measured):
            parts.append(_at_step(status))
        parts.append(measured)
    return " · ".join(part for part in parts if part)


def _at_step(status: RunStatus) -> str:
    return QCoreApplication.translate("RunList", "step {step}").format(step=numbers.count(status.step))


def _measured(held_out: dict[str, Any], metrics: tuple[str, ...]) -> str:
    """The newest measurement of the main metric, which comes first in `metrics`."""
    name = next((name for name in metrics if isinstance(held_out.get(name), int | float)), None)
    if name is not None:
        return f"{metric_name(name)} {numbers.decimal(held_out[name], 3)}"
    asked = held_out.get("questions")
    if isinstance(asked, dict) and isinstance(asked.get("right"), int) and isinstance(asked.get("of"), int):
        right = QCoreApplication.translate("RunList", "{right} of {all} right")
        return right.format(right=numbers.count(asked["right"]), all=numbers.count(asked["of"]))
    accuracy = held_out.get("mlm_accuracy")
    if not isinstance(accuracy, int | float):
        return ""
    return QCoreApplication.translate("RunList", "{share} correct").format(share=numbers.percent(accuracy))


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
    theme.draw_text(painter, rect, text, color, 13 if bold else 12, align=Qt.AlignmentFlag.AlignTop, medium=bold)


def _width(text: str, bold: bool = False) -> float:
    return QFontMetricsF(theme.font(13 if bold else 12, medium=bold)).horizontalAdvance(fitting_line(text))


def _tool_tip(run: RunInfo) -> str:
    tags = " ".join(f"#{tag}" for tag in run.tags)
    lines = [f"{run.name} · {run.does}", run.about, state_line(run), tags, run.note, str(run.path)]
    return "\n".join(line for line in lines if line)
