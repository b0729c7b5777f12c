"""The runs of a sweep side by side: what differs in their settings, what they measured, how they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableView

from bertcore.runs.sweep_results import Sweep, SweepGroup, SweepRun

from ....look import numbers, theme
from ....look.say import say
from ....runs.run_sentences import setting_name, setting_value
from ....runs.sweep_sentences import mean_sentence, result_cell
from ....state.task_info import metric_name
from ....widgets.table import Index


@dataclass(frozen=True)
class Row:
    run: SweepRun
    cells: list[str]
    is_best: bool = False


class SweepTable(QTableView):
    """A row for each run, by its settings; a click or Enter chooses it."""

    run_chosen = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        self.setModel(_SweepModel(self))
        self.setAccessibleName(say("The runs of the sweep"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for chosen in (self.clicked, self.activated):
            chosen.connect(self._on_index_chosen)

    @property
    def rows(self) -> list[Row]:
        return self.model().rows  # type: ignore[attr-defined]

    def show_sweep(self, sweep: Sweep) -> None:
        settings = [*sweep.varied, *(("seed",) if sweep.seeds > 1 or not sweep.varied else ())]
        titles = [setting_name(name, short=True) for name in settings]
        titles.append(say("final {figure}", figure=metric_name(sweep.metric)))
        titles += [say("mean ± standard deviation")] if sweep.seeds > 1 else []
        titles += [say("held-out loss")] if sweep.metric != "mlm_loss" else []
        rows = []
        for group in sweep.groups:
            is_best = len(sweep.groups) > 1 and group == sweep.best
            for run in group.runs:
                cells = [setting_value(name, run.values.get(name)) for name in settings]
                rows.append(Row(run, [*cells, *_measured(sweep, group, run, is_best=is_best)], is_best))
        for run in sweep.unreadable:
            cells = [run.path.name, *[""] * (len(titles) - 1)]
            cells[len(settings)] = say("its settings cannot be read")
            rows.append(Row(run, cells))
        if (titles, rows) != (self.model().titles, self.rows):  # type: ignore[attr-defined]
            self.model().show(titles, rows)  # type: ignore[attr-defined]
            self.resizeColumnsToContents()
            for column in range(len(titles)):
                more = theme.px(8 if not theme.is_projector() else 1)
                self.setColumnWidth(column, self.columnWidth(column) + more)

    def _on_index_chosen(self, index: QModelIndex) -> None:
        self.run_chosen.emit(self.rows[index.row()].run.path)


def _measured(sweep: Sweep, group: SweepGroup, run: SweepRun, *, is_best: bool) -> list[str]:
    """The score, the mean beside the first run of its settings, the loss where that is another."""
    measured = [result_cell(sweep, run)]
    if sweep.seeds > 1:
        measured.append("" if run is not group.runs[0] or group.mean is None else mean_sentence(sweep, group))
    if is_best and measured[-1]:
        measured[-1] = say("{figure} · best", figure=measured[-1])
    loss = None if run.status.active else run.loss  # the last so far is no final one
    return [*measured, *([numbers.decimal(loss, 3)] if sweep.metric != "mlm_loss" else [])]


class _SweepModel(QAbstractTableModel):
    def __init__(self, parent: QTableView) -> None:
        super().__init__(parent)
        self.titles: list[str] = []
        self.rows: list[Row] = []

    def show(self, titles: list[str], rows: list[Row]) -> None:
        self.beginResetModel()
        self.titles, self.rows = titles, rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        is_title = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self.titles[section] if is_title else super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        run, is_open = row.run, row.run.score is None or row.run.has_diverged
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.cells[index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                return run.status.message or ""
            case Qt.ItemDataRole.ForegroundRole if is_open:
                return theme.color("bad_text" if run.status.state == "failed" or run.has_diverged else "muted")
            case Qt.ItemDataRole.ForegroundRole if row.is_best:
                return theme.color("good_text")
            case Qt.ItemDataRole.FontRole if row.is_best and not is_open:
                return theme.font(medium=True)
        return None
