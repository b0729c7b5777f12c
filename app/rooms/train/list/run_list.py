"""The list of runs: name, how it stands, a bar of how far it is."""

from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle

from bertcore.errors import printable

from ....look import theme
from ....look.fitting import fitting_line
from ....look.say import say
from ....runs.run_info import RunInfo
from ....runs.run_sentences import shown_name, state_line, sweep_line
from ....runs.sweep_rows import SweepRow, rows_of
from ....widgets.row_list import RowList

GAP_PX, BAR_PX, PADDING_PX, INDENT_PX = 6, 4, 8, 16
STATE_COLORS = {"starting": "accent", "running": "accent", "paused": "warn", "done": "good", "failed": "bad"}
Row = RunInfo | SweepRow


class RunList(RowList):
    """Runs and sweeps; the runs of the sweep that is open are below it."""

    chosen = Signal(object)  # Path
    sweep_chosen = Signal(str)  # its id
    row_px = 64

    def __init__(self) -> None:
        super().__init__(say("Runs"))
        self._runs: list[RunInfo] = []
        self._selected: Path | str | None = None
        self._diverged: frozenset[Path] = frozenset()
        self.row_chosen.connect(self._on_row_chosen)

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

    def state_line(self, run: RunInfo) -> str:
        return state_line(run, say("Diverged") if run.path in self._diverged else "")

    def row_text(self, row: Row) -> str:
        if isinstance(row, SweepRow):
            return f"{row.name}, {say('sweep')}, {sweep_line(row)}"
        return ", ".join(filter(None, (row.name, _does(row), self.state_line(row))))

    def row_tip(self, row: Row) -> str:
        if isinstance(row, SweepRow):
            return f"{row.name}\n{sweep_line(row)}"
        tags = " ".join(f"#{tag}" for tag in row.tags)
        title = " · ".join(filter(None, (row.name, _does(row))))
        lines = (title, row.about, self.state_line(row), tags, row.note, printable(str(row.path)))
        return "\n".join(filter(None, lines))

    def paint_row(self, painter: QPainter, box: QRectF, row: Row, state: QStyle.StateFlag) -> None:
        box, pad = box.adjusted(0, 0, 0, -theme.px(GAP_PX)), theme.px(PADDING_PX)
        if isinstance(row, SweepRow):
            name, does, line = row.name, say("sweep"), sweep_line(row)
            fraction, color, is_bad = row.fraction, "accent" if row.is_active else "good", False
        else:
            name, line, is_bad = shown_name(row, short=True), self.state_line(row), row.status.state == "failed"
            does = "" if row.sweep is not None else _does(row)
            fraction = 1.0 if row.status.state == "done" else row.status.fraction
            color = "warn" if row.path in self._diverged else STATE_COLORS.get(row.status.state, "muted")
            if row.sweep is not None:
                box.setLeft(theme.px(INDENT_PX))
        is_selected = _key(row) == self._selected
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(theme.color("accent_tint" if is_selected else "hover"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, theme.px(6), theme.px(6))
        inner = box.adjusted(pad, theme.px(6), -pad, -pad)
        does = f" · {does}" if does else ""
        name_width = min(_width(name, is_bold=True), inner.width() - _width(does))
        _write(painter, QRectF(inner.left(), inner.top(), name_width + 1, inner.height()), name, "ink", is_bold=True)
        _write(painter, inner.adjusted(name_width, theme.px(1), 0, 0), does, "muted")
        _write(painter, inner.adjusted(0, theme.px(19), 0, 0), line, "bad" if is_bad else "muted")
        _paint_bar(painter, inner, fraction, color)

    def _fill(self) -> None:
        selected = next((run for run in self._runs if run.path == self._selected), None)
        open_sweep = self._selected if isinstance(self._selected, str) else None
        if selected is not None and selected.sweep is not None:
            open_sweep = selected.sweep.id
        self.set_rows(rows_of(self._runs, open_sweep))
        keys = list(map(_key, self.rows))
        self.set_current(keys.index(self._selected) if self._selected in keys else None)

    def _on_row_chosen(self, row: Row) -> None:
        if isinstance(row, RunInfo):
            self.chosen.emit(row.path)
        else:
            self.sweep_chosen.emit(row.id)


def _does(run: RunInfo) -> str:
    """The name of a run that ships says it."""
    return "" if run.is_built_in else run.does


def _key(row: Row) -> Path | str:
    return row.path if isinstance(row, RunInfo) else row.id


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


def _write(painter: QPainter, box: QRectF, text: str, color: str, *, is_bold: bool = False) -> None:
    theme.draw_text(painter, box, text, color, 13 if is_bold else 12, align=Qt.AlignmentFlag.AlignTop, medium=is_bold)


def _width(text: str, *, is_bold: bool = False) -> float:
    return QFontMetricsF(theme.font(13 if is_bold else 12, medium=is_bold)).horizontalAdvance(fitting_line(text))
