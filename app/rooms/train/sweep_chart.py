"""The held-out figure of each run of a sweep against the setting that it varies: a dot for each run, a line through the
means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip

from bertcore.runs.sweep_results import Sweep, SweepGroup, SweepRun

from ...look import numbers, theme
from ...look.say import say
from ...runs.sweep_findings import setting_name, setting_value
from ...state.task_info import SHARES, metric_name, metric_value
from ...widgets.charts.pointer import ARROWS, PointerWidget
from .curve_grid import RUN_COLORS

LEFT_PX, BOTTOM_PX, TOP_PX, NAMES_PX, RIGHT_PX = 52, 38, 12, 24, 16
DOT_PX, REACH_PX, CROSS_PX = 4.5, 12, 5
MOST_TICKS = 5


@dataclass(frozen=True)
class _Dot:
    run: SweepRun
    at: QPointF
    color: str
    is_failed: bool = False


class SweepChart(PointerWidget):
    """A click or Enter chooses a run."""

    run_chosen = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__(say("Results of the sweep"), Qt.FocusPolicy.StrongFocus)
        self.sweep: Sweep | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.clicked.connect(self._on_clicked)
        self.hovered.connect(self._on_hovered)

    def show_sweep(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.setAccessibleName(self.title)
        described = (f"{self._x_text(run)}: {metric_value(sweep.metric, run.score)}" for run in sweep.runs)
        self.setAccessibleDescription("; ".join(described))
        self.update()

    @property
    def title(self) -> str:
        if self.sweep is None:
            return ""
        text = say("Held-out {figure} by {setting}")
        return text.format(figure=metric_name(self.sweep.metric), setting=setting_name(self._axis))

    @property
    def legend(self) -> str:
        """What the marks are, of those that there are."""
        if self.sweep is None:
            return ""
        parts, groups = [say("dot: a run")], self.sweep.groups
        if self._ringed is not None:
            parts.append(say("ring: the best run"))
        if any(dot.is_failed for dot in self._dots()):
            parts.append(say("×: diverged or failed"))
        if self._axis != "seed" and any(g.deviation is not None and not g.has_diverged for g in groups):
            parts.append(say("pale bar: ± standard deviation"))
        return " · ".join(parts)

    @property
    def _ringed(self) -> SweepRun | None:
        """The best run, where settings differ."""
        return self.sweep.winner if self.sweep is not None and len(self.sweep.groups) > 1 else None

    @property
    def _axis(self) -> str:
        """The setting along the lower axis."""
        return self.sweep.varied[0] if self.sweep is not None and self.sweep.varied else "seed"

    def _x_value(self, run: SweepRun) -> float:
        return float(run.values.get(self._axis) or 0)

    def _x_text(self, run: SweepRun) -> str:
        return setting_value(self._axis, run.values.get(self._axis))

    # --- where things are

    def _plot(self) -> QRectF:
        left = theme.px(LEFT_PX)
        top = theme.px(TOP_PX if self.sweep is None or len(self.sweep.varied) < 2 else NAMES_PX)
        return QRectF(
            left, top, self.width() - left - theme.px(RIGHT_PX), max(self.height() - top - theme.px(BOTTOM_PX), 1)
        )

    def _x_range(self) -> tuple[float, float]:
        assert self.sweep is not None
        values = [self._scaled(self._x_value(run)) for run in self.sweep.runs]
        low, high = min(values), max(values)
        margin = 0.12 * (high - low) or 0.5
        return low - margin, high + margin

    def _scaled(self, value: float) -> float:
        """Rates, sizes and epochs on a logarithmic axis; seeds as they are."""
        return value if self._axis == "seed" or value <= 0 else math.log10(value)

    def _y_range(self) -> tuple[float, float]:
        assert self.sweep is not None
        figures = [run.score for run in self.sweep.runs if run.score is not None and _has_place(run)]
        if not figures:
            return 0.0, 1.0
        if self.sweep.chance is not None:
            figures.append(self.sweep.chance)
        for group in self.sweep.groups if self._axis != "seed" else ():
            if group.mean is not None and group.deviation is not None and not group.has_diverged:
                figures += [group.mean - group.deviation, group.mean + group.deviation]
        low, high = min(figures), max(figures)
        margin = max(0.12 * (high - low), 0.01)
        return low - margin, high + margin

    def _point(self, value: float, figure: float) -> QPointF:
        plot, (left, right), (low, high) = self._plot(), self._x_range(), self._y_range()
        x = plot.left() + plot.width() * (self._scaled(value) - left) / (right - left)
        return QPointF(x, plot.bottom() - plot.height() * (figure - low) / (high - low))

    def _color(self, group: SweepGroup) -> str:
        """Of the other settings, where several are varied."""
        assert self.sweep is not None
        others = list(dict.fromkeys(_others(each, self._axis) for each in self.sweep.groups))
        return RUN_COLORS[others.index(_others(group, self._axis)) % len(RUN_COLORS)]

    def _dots(self) -> list[_Dot]:
        """Of the runs that are over. One that failed or diverged is a cross: at its figure, or at the edge where
        figures are bad."""
        found = []
        for group in self.sweep.groups if self.sweep is not None else ():
            for run in group.runs:
                if run.score is not None and _has_place(run):
                    at = self._point(self._x_value(run), run.score)
                    found.append(_Dot(run, at, self._color(group), is_failed=run.has_diverged))
                elif run.status.state == "failed" or run.has_diverged:
                    low, high = self._y_range()
                    away = theme.px(CROSS_PX + 2) * (-1 if run.higher_is_better else 1)
                    at = self._point(self._x_value(run), low if run.higher_is_better else high)
                    found.append(_Dot(run, at + QPointF(0, away), "bad", is_failed=True))
        return sorted(found, key=lambda dot: dot.is_failed)  # a cross is drawn on top of a dot

    # --- mouse and keys

    def cell_at(self, point: QPointF) -> Path | None:
        def distance(dot: _Dot) -> float:
            return math.hypot(dot.at.x() - point.x(), dot.at.y() - point.y())

        near = min(self._dots(), key=distance, default=None)
        return near.run.path if near is not None and distance(near) <= theme.px(REACH_PX) else None

    def cell_after(self, cell: Path | None, key: int) -> Path | None:
        step = sum(ARROWS.get(key, (0, 0)))
        paths = [dot.run.path for dot in sorted(self._dots(), key=lambda dot: dot.at.x())]
        index = paths.index(cell) + step if cell in paths else 0
        return paths[index] if step and 0 <= index < len(paths) else None

    def _on_clicked(self, path: Path, _modifiers: Qt.KeyboardModifier) -> None:
        self.run_chosen.emit(path)

    def _on_hovered(self, path: Path | None) -> None:
        dot = next((dot for dot in self._dots() if dot.run.path == path), None)
        text = ""
        if dot is not None:
            assert self.sweep is not None
            figure = metric_value(self.sweep.metric, dot.run.score)
            if dot.is_failed:
                figure = say("diverged") if dot.run.has_diverged else say("failed")
            seed = numbers.number(dot.run.values.get("seed"))
            line = say("{setting} {value}, seed {seed}: {figure}")
            text = line.format(setting=setting_name(self._axis), value=self._x_text(dot.run), seed=seed, figure=figure)
        QToolTip.showText(self.mapToGlobal(dot.at.toPoint()) if dot is not None else self.pos(), text, self)
        self.update()

    # --- painting

    def sizeHint(self) -> QSize:
        return QSize(theme.px(360), theme.px(230))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(220), theme.px(105))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.sweep is None or not self.sweep.runs:
            return
        painter = theme.painter(self)
        self._paint_axes(painter)
        self._paint_chance(painter)
        self._paint_means(painter, self.sweep.groups)
        self._paint_series_names(painter)
        best = self._ringed
        for dot in self._dots():
            self._paint_dot(painter, dot, is_best=best is not None and dot.run.path == best.path)

    def _paint_axes(self, painter: QPainter) -> None:
        assert self.sweep is not None
        plot, (low, high) = self._plot(), self._y_range()
        line = QPen(theme.color("line"), theme.stroke(1.0))
        height = theme.px(16)
        if any(run.score is not None for run in self.sweep.runs):
            for tick in _ticks(low, high):
                y = plot.bottom() - plot.height() * (tick - low) / (high - low)
                painter.setPen(line)
                painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
                room = QRectF(0, y - height / 2, plot.left() - theme.px(6), height)
                text = numbers.percent(tick) if self.sweep.metric in SHARES else numbers.number(tick)
                theme.draw_text(painter, room, text, "muted", 11, align=theme.RIGHT)
        painter.setPen(line)
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        center = Qt.AlignmentFlag.AlignCenter
        metrics, last = QFontMetrics(theme.font(11)), -math.inf
        for value, text in sorted({(self._x_value(run), self._x_text(run)) for run in self.sweep.runs}):
            x, width = self._point(value, low).x(), metrics.horizontalAdvance(text) + theme.px(6)
            if x - width / 2 >= last:
                room = QRectF(x - width / 2, plot.bottom() + theme.px(3), width, height)
                theme.draw_text(painter, room, text, "muted", 11, align=center)
                last = x + width / 2
        name = setting_name(self._axis)
        if self._axis != "seed":
            name = say("{setting} (logarithmic)", setting=name)
        below = QRectF(plot.left(), plot.bottom() + height + theme.px(3), plot.width(), height)
        theme.draw_text(painter, below, name, "muted", 11, align=center)

    def _paint_chance(self, painter: QPainter) -> None:
        """What takes no learning, as a dashed line with its name at the right end."""
        assert self.sweep is not None
        if self.sweep.chance is None:
            return
        plot, y = self._plot(), self._point(self._x_value(self.sweep.runs[0]), self.sweep.chance).y()
        painter.setPen(QPen(theme.color("muted"), theme.stroke(1.0), Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        room = QRectF(plot.left(), y - theme.px(18), plot.width(), theme.px(16))
        theme.draw_text(painter, room, chance_in_words(self.sweep.chance), "muted", 11)

    def _paint_means(self, painter: QPainter, groups: Sequence[SweepGroup]) -> None:
        """A line through the means of each series; the deviation over the seeds as an upright bar."""
        series: dict[tuple[object, ...], list[SweepGroup]] = {}
        for group in groups:
            if group.mean is not None and not group.has_diverged:
                series.setdefault(_others(group, self._axis), []).append(group)
        for members in series.values():
            color = theme.color(self._color(members[0]))
            if self._axis == "seed":
                self._paint_mean_of_seeds(painter, members[0])
                continue
            painter.setPen(QPen(color, theme.stroke(1.6)))
            painter.drawPolyline(QPolygonF([self._mean_point(group) for group in members]))
            for group in members:
                if group.deviation is not None and group.mean is not None:
                    x = float(group.values.get(self._axis) or 0)
                    ends = [self._point(x, group.mean + sign * group.deviation) for sign in (-1, 1)]
                    painter.setPen(QPen(theme.color(self._color(group), 110), theme.stroke(4.0)))
                    painter.drawLine(*ends)

    def _paint_series_names(self, painter: QPainter) -> None:
        """What the colours are, where more than one setting is varied; from the right, as far as there is room."""
        assert self.sweep is not None
        series = {_others(group, self._axis): group for group in self.sweep.groups}
        if len(series) < 2:
            return
        metrics, plot = QFontMetrics(theme.font(11)), self._plot()
        right, height = plot.right(), theme.px(16)
        for group in reversed(series.values()):
            others = {name: value for name, value in group.values.items() if name != self._axis}
            text = ", ".join(f"{setting_name(name)} {setting_value(name, value)}" for name, value in others.items())
            left = right - metrics.horizontalAdvance(text) - theme.px(14)
            if left < plot.left():
                return
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(self._color(group)))
            painter.drawEllipse(QPointF(left + theme.px(5), height / 2), theme.px(3.5), theme.px(3.5))
            theme.draw_text(painter, QRectF(left + theme.px(12), 0, right - left, height), text, "muted", 11)
            right = left - theme.px(8)

    def _mean_point(self, group: SweepGroup) -> QPointF:
        return self._point(float(group.values.get(self._axis) or 0), group.mean or 0.0)

    def _paint_mean_of_seeds(self, painter: QPainter, group: SweepGroup) -> None:
        plot, mean = self._plot(), group.mean or 0.0
        y = self._point(self._x_value(group.runs[0]), mean).y()
        painter.setPen(QPen(theme.color("curve_train"), theme.stroke(1.6), Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        assert self.sweep is not None
        text = say("mean {figure}", figure=metric_value(self.sweep.metric, mean))
        room = QRectF(plot.left() + theme.px(4), y - theme.px(18), plot.width(), theme.px(16))
        theme.draw_text(painter, room, text, "muted", 11)

    def _paint_dot(self, painter: QPainter, dot: _Dot, is_best: bool) -> None:
        at, radius = dot.at, theme.px(DOT_PX)
        if dot.is_failed:
            size = theme.px(CROSS_PX)
            painter.setPen(QPen(theme.color("bad"), theme.stroke(2.0)))
            painter.drawLine(at + QPointF(-size, -size), at + QPointF(size, size))
            painter.drawLine(at + QPointF(-size, size), at + QPointF(size, -size))
            return
        painter.setPen(QPen(theme.color("card"), theme.stroke(1.0)))
        painter.setBrush(theme.color(dot.color))
        painter.drawEllipse(at, radius, radius)
        if is_best or dot.run.path == self.hovered_cell:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("good" if is_best else "accent"), theme.stroke(2.0)))
            painter.drawEllipse(at, 2 * radius, 2 * radius)


def chance_in_words(chance: float) -> str:
    text = say("always the most common answer: {share}")
    return text.format(share=metric_value("accuracy", chance))


def _has_place(run: SweepRun) -> bool:
    """A share stays between 0 and 1; the loss of a run that diverged would press all others into one line."""
    return run.higher_is_better or not run.has_diverged


def _others(group: SweepGroup, axis: str) -> tuple[object, ...]:
    return tuple(value for name, value in group.values.items() if name != axis)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers inside the range, at most a handful."""
    rough = (high - low) / MOST_TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = math.ceil(low / step)
    return [round(index * step, 10) for index in range(first, math.floor(high / step) + 1)]
