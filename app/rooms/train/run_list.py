"""The list of runs: name, how it stands, a bar of how far it is."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip

from bertcore.errors import printable
from bertcore.runs.run_folder import RunStatus

from ...look import numbers, theme
from ...look.fitting import fitting_line, plain_tip
from ...look.say import say
from ...runs.run_info import RunInfo
from ...runs.sweep_rows import SweepRow, rows_of, shown_name
from ...state.task_info import metric_name, metric_value
from ...widgets.charts.pointer import ARROWS, PointerWidget

ROW_PX, GAP_PX, BAR_PX, PADDING_PX, INDENT_PX = 58, 6, 4, 8, 16
STATE_COLORS = {"starting": "accent", "running": "accent", "paused": "warn", "done": "good", "failed": "bad"}


class RunList(PointerWidget):
    """A click or the arrow keys choose a run, or a sweep; the runs of the sweep that is open are below it."""

    chosen = Signal(object)  # Path
    sweep_chosen = Signal(str)  # its id
    arrows_click = True

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("Runs"))
        self.rows: list[RunInfo | SweepRow] = []
        self._runs: list[RunInfo] = []
        self._selected: Path | str | None = None
        self._diverged: frozenset[Path] = frozenset()
        self.clicked.connect(self._on_clicked)

    @property
    def shown_runs(self) -> list[RunInfo]:
        return [row for row in self.rows if isinstance(row, RunInfo)]

    def set_runs(self, runs: list[RunInfo]) -> None:
        self._runs = runs
        self._fill()

    def set_diverged(self, runs: frozenset[Path]) -> None:
        """The finished runs of a sweep that are worse than untrained: their folders do not say so."""
        if runs != self._diverged:
            self._diverged = runs
            self._fill()

    def set_selected(self, selected: Path | str | None) -> None:
        """The folder of a run, or the id of a sweep."""
        self._selected = selected
        self._fill()

    def _fill(self) -> None:
        selected = next((run for run in self._runs if run.path == self._selected), None)
        open_sweep = self._selected if isinstance(self._selected, str) else None
        if selected is not None and selected.sweep is not None:
            open_sweep = selected.sweep.id
        self.rows = rows_of(self._runs, open_sweep)
        described = (
            f"{row.name}, {row.does}, {self.state_line(row)}"
            if isinstance(row, RunInfo)
            else f"{row.name}, {say('sweep')}, {sweep_line(row)}"
            for row in self.rows
        )
        self.setAccessibleDescription("; ".join(described))
        self.setMinimumHeight(len(self.rows) * theme.px(ROW_PX + GAP_PX))
        self.update()

    def state_line(self, run: RunInfo) -> str:
        return state_line(run, say("Diverged") if run.path in self._diverged else "")

    def _on_clicked(self, index: int, _modifiers: Qt.KeyboardModifier) -> None:
        row = self.rows[index]
        if isinstance(row, RunInfo):
            self.chosen.emit(row.path)
        else:
            self.sweep_chosen.emit(row.id)

    def row_rect(self, index: int) -> QRectF:
        """Where a row is drawn, in this widget's pixels."""
        return QRectF(0, index * theme.px(ROW_PX + GAP_PX), self.width(), theme.px(ROW_PX))

    def cell_at(self, point: QPointF) -> int | None:
        index = int(point.y() // theme.px(ROW_PX + GAP_PX))
        return index if 0 <= index < len(self.rows) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = ARROWS.get(key, (0, 0))[0]
        index = (-1 if cell is None else cell) + step
        return index if step and 0 <= index < len(self.rows) else None

    def selected_cell(self) -> int | None:
        keys = list(map(_key, self.rows))
        return keys.index(self._selected) if self._selected in keys else None

    def _paint_row(self, painter: QPainter, index: int, run: RunInfo | SweepRow) -> None:
        rect, pad = self.row_rect(index), theme.px(PADDING_PX)
        if isinstance(run, RunInfo) and run.sweep is not None:
            rect.setLeft(theme.px(INDENT_PX))
        is_selected = _key(run) == self._selected
        if is_selected or index == self.hovered_cell:
            painter.setBrush(theme.color("accent_tint" if is_selected else "hover"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        inner = rect.adjusted(pad, theme.px(6), -pad, -pad)
        if isinstance(run, SweepRow):
            does, line_text, is_bad = say("sweep"), sweep_line(run), False
        else:
            does, line_text, is_bad = run.does, self.state_line(run), run.status.state == "failed"
            does = "" if run.is_built_in or run.sweep is not None else does
        kind_width = _width(f" · {does}") if does else 0.0
        name = shown_name(run, short=True) if isinstance(run, RunInfo) else run.name
        name_width = min(_width(name, bold=True), inner.width() - kind_width)
        _write(painter, QRectF(inner.left(), inner.top(), name_width + 1, inner.height()), name, "ink", bold=True)
        if kind_width:
            _write(painter, inner.adjusted(name_width, theme.px(1), 0, 0), f" · {does}", "muted")
        line = inner.adjusted(0, theme.px(19), 0, 0)
        _write(painter, line, line_text, "bad" if is_bad else "muted")
        if isinstance(run, SweepRow):
            _paint_bar(painter, inner, run.fraction, "accent" if run.is_active else "good")
        else:
            fraction = 1.0 if run.status.state == "done" else run.status.fraction
            color = "warn" if run.path in self._diverged else STATE_COLORS.get(run.status.state, "muted")
            _paint_bar(painter, inner, fraction, color)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(220), len(self.rows) * theme.px(ROW_PX + GAP_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for index, run in enumerate(self.rows):
            if self.row_rect(index).intersects(QRectF(event.rect())):
                self._paint_row(painter, index, run)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.cell_at(QPointF(event.pos()))
            text = "" if index is None else plain_tip(self._tool_tip(self.rows[index]))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _tool_tip(self, run: RunInfo | SweepRow) -> str:
        if isinstance(run, SweepRow):
            return "\n".join((run.name, sweep_line(run)))
        tags = " ".join(f"#{tag}" for tag in run.tags)
        lines = [f"{run.name} · {run.does}", run.about, self.state_line(run), tags, run.note, printable(str(run.path))]
        return "\n".join(line for line in lines if line)


def state_name(state: str) -> str:
    """A run's state as a person reads it."""
    return {
        "waiting": say("Waiting"),
        "starting": say("Starting"),
        "running": say("Running"),
        "paused": say("Paused"),
        "stopped": say("Stopped"),
        "done": say("Done"),
        "failed": say("Failed"),
    }.get(state, say("Unreadable"))


def state_line(run: RunInfo, outcome: str = "") -> str:
    """How a run stands, in one line: "Running · 61% · 14 min left". outcome: in place of "Done"."""
    status = run.status
    parts = [outcome or state_name(status.state)]
    if status.state == "running":
        parts.append(numbers.percent(status.fraction))
        if status.remaining_s is not None:
            left = say("{time} left")
            parts.append(left.format(time=numbers.duration(status.remaining_s)))
    elif status.state == "paused":
        parts.append(_at_step(status))
    elif status.message and status.message.startswith(parts[0]):
        parts = [status.message]
    elif status.message and (status.state != "done" or status.ends_with is None):  # else the strip of its end says it
        parts.append(status.message)
    elif status.state in ("done", "stopped"):
        measured = _measured(run.held_out or {}, run.metrics)
        if not (run.metrics and measured):
            parts.append(_at_step(status))
        parts.append(measured)
    return " · ".join(part for part in parts if part)


def sweep_line(row: SweepRow) -> str:
    """How a sweep stands: "3 of 5 runs done"."""
    text = say("{done} of {of} runs done")
    parts = [text.format(done=numbers.count(row.done), of=numbers.count(row.of))]
    at_work = next((run for run in row.runs if run.status.state in ("running", "paused")), None)
    if at_work is not None:
        parts.insert(0, state_name(at_work.status.state))
    return " · ".join(parts)


def _key(row: RunInfo | SweepRow) -> Path | str:
    return row.path if isinstance(row, RunInfo) else row.id


def _at_step(status: RunStatus) -> str:
    step = status.step if status.ends_with is None else status.ends_with
    return say("step {step}", step=numbers.count(step))


def _measured(held_out: dict[str, Any], metrics: tuple[str, ...]) -> str:
    """The newest measurement of the main metric, which comes first in `metrics`."""
    name = next((name for name in metrics if isinstance(held_out.get(name), int | float)), None)
    if name is not None:
        return f"{metric_name(name)} {metric_value(name, held_out[name])}"
    asked = held_out.get("questions")
    if isinstance(asked, dict) and isinstance(asked.get("right"), int) and isinstance(asked.get("of"), int):
        right = say("{right} of {all} right")
        return right.format(right=numbers.count(asked["right"]), all=numbers.count(asked["of"]))
    accuracy = held_out.get("mlm_accuracy")
    if not isinstance(accuracy, int | float):
        return ""
    return say("{share} correct", share=numbers.percent(accuracy))


def _paint_bar(painter: QPainter, inner: QRectF, fraction: float, color: str) -> None:
    height = theme.px(BAR_PX)
    track = QRectF(inner.left(), inner.bottom() - height, inner.width(), height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("track"))
    painter.drawRoundedRect(track, height / 2, height / 2)
    if fraction > 0:
        track.setWidth(max(height, fraction * track.width()))
        painter.setBrush(theme.color(color))
        painter.drawRoundedRect(track, height / 2, height / 2)


def _write(painter: QPainter, rect: QRectF, text: str, color: str, bold: bool = False) -> None:
    theme.draw_text(painter, rect, text, color, 13 if bold else 12, align=Qt.AlignmentFlag.AlignTop, medium=bold)


def _width(text: str, bold: bool = False) -> float:
    return QFontMetricsF(theme.font(13 if bold else 12, medium=bold)).horizontalAdvance(fitting_line(text))
