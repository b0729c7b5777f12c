"""The runs of a sweep side by side: what differs in their settings, what they measured, how they stand."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem

from bertcore.runs.sweep_results import Sweep, SweepGroup, SweepRun

from ...look import numbers, theme
from ...look.say import say
from ...runs.sweep_findings import mean_in_words, setting_name, setting_value
from ...state.task_info import metric_name, metric_value
from .run_list import state_name


class SweepTable(QTableWidget):
    """A row for each run, by its settings; a click or Enter chooses it."""

    run_chosen = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        self._sweep: Sweep | None = None
        self.setAccessibleName(say("The runs of the sweep"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.cellClicked.connect(self._on_cell_chosen)
        self.cellActivated.connect(self._on_cell_chosen)

    def show_sweep(self, sweep: Sweep) -> None:
        self._sweep = sweep
        settings = [*sweep.varied, *(("seed",) if sweep.seeds > 1 or not sweep.varied else ())]
        figure = say("final {figure}", figure=metric_name(sweep.metric))
        titles = [setting_name(name, short=True) for name in settings] + [figure]
        titles += [say("mean ± standard deviation")] if self._has_means else []
        titles += [say("held-out loss")] if sweep.metric != "mlm_loss" else []
        self.setColumnCount(len(titles))
        self.setRowCount(len(sweep.runs) + len(sweep.unreadable))
        self.setHorizontalHeaderLabels(titles)
        rows = [(group, run) for group in sweep.groups for run in group.runs]
        for at, (group, run) in enumerate(rows):
            cells = [setting_value(name, run.values.get(name)) for name in settings]
            for column, text in enumerate([*cells, *self._measured(group, run)]):
                self.setItem(at, column, self._item(text, run, is_best=self._is_best(group)))
        for at, run in enumerate(sweep.unreadable, start=len(rows)):
            cells = [run.path.name, *[""] * (len(titles) - 1)]
            cells[len(settings)] = say("its settings cannot be read")
            for column, text in enumerate(cells):
                self.setItem(at, column, self._item(text, run, is_best=False))
        self.resizeColumnsToContents()
        for column in range(len(titles)):
            self.setColumnWidth(column, self.columnWidth(column) + theme.px(8 if not theme.is_projector() else 1))

    @property
    def _has_means(self) -> bool:
        return self._sweep is not None and self._sweep.seeds > 1

    def _is_best(self, group: SweepGroup) -> bool:
        return self._sweep is not None and len(self._sweep.groups) > 1 and group == self._sweep.best

    def _measured(self, group: SweepGroup, run: SweepRun) -> list[str]:
        """The figure, the mean beside the first run of its settings, the loss where that is another."""
        assert self._sweep is not None
        best, name = say("{figure} · best"), self._sweep.metric
        figure = metric_value(name, run.score) if run.score is not None else self._state(run)
        if run.score is not None and run.has_diverged:
            figure = say("{figure} · diverged", figure=figure)
        if self._has_means:
            mean = "" if run is not group.runs[0] or group.mean is None else self._mean(group)
            measured = [figure, best.format(figure=mean) if mean and self._is_best(group) else mean]
        else:
            measured = [best.format(figure=figure) if self._is_best(group) else figure]
        loss = None if run.status.active else run.loss  # the last so far is no final one
        return [*measured, *([numbers.decimal(loss, 3)] if name != "mlm_loss" else [])]

    def _mean(self, group: SweepGroup) -> str:
        """With how many runs it is of, where that could be doubted."""
        assert self._sweep is not None
        mean, measured = mean_in_words(self._sweep, group), len(group.scores)
        if measured < len(group.runs):
            text = say("{mean} · {measured} of {all}")
            return text.format(mean=mean, measured=numbers.count(measured), all=numbers.count(len(group.runs)))
        if group.has_diverged:
            return say("{mean} · all {count} runs", mean=mean, count=numbers.count(measured))
        return mean

    def _state(self, run: SweepRun) -> str:
        """Of a run that has no figure."""
        if run.has_diverged:
            return say("diverged")
        status = run.status
        state, step, total = state_name(status.state), numbers.count(status.step), status.total_steps
        if status.state not in ("running", "paused"):
            return state
        if total is None:  # not in percent: this column has accuracies
            return say("{state} · step {step}", state=state, step=step)
        return say("{state} · step {step} of {total}", state=state, step=step, total=numbers.count(total))

    def _item(self, text: str, run: SweepRun, is_best: bool) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setData(Qt.ItemDataRole.UserRole, run.path)  # as text it would lose what is no UTF-8
        item.setToolTip(run.status.message or "")
        if run.score is None or run.has_diverged:
            is_bad = run.status.state == "failed" or run.has_diverged
            item.setForeground(theme.color("bad_text" if is_bad else "muted"))
        elif is_best:
            item.setForeground(theme.color("good_text"))
            item.setFont(theme.font(medium=True))
        return item

    def _on_cell_chosen(self, row: int, _column: int) -> None:
        item = self.item(row, 0)
        if item is not None:
            self.run_chosen.emit(item.data(Qt.ItemDataRole.UserRole))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._sweep is not None:
            self.show_sweep(self._sweep)
