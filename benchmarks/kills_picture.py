"""The picture of the kill test: both curves laid over each other, and where the run was killed."""

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QApplication

from app.look import theme

SIZE = (1000, 460)
INK, BROAD, NARROW, KILLED = "#1b2430", "#9fc8ea", "#0b3d70", "#d55e00"


def draw(
    title: str, undisturbed: dict[int, float], interrupted: dict[int, float], kills: list[int], file: Path
) -> None:
    """Write a PNG. Losses by step; kills: at which steps."""
    application = QApplication.instance() or QApplication([])
    theme.register_fonts()
    pg.setConfigOptions(antialias=True, background="w", foreground=INK)
    plot = pg.PlotWidget()
    plot.resize(*SIZE)
    item = plot.getPlotItem()
    item.setTitle(title, color=INK, size="12pt")
    for side, text in (("bottom", "step"), ("left", "training loss (nats)")):
        item.setLabel(side, text)
        item.getAxis(side).label.setFont(theme.font(14))
        item.getAxis(side).setStyle(tickFont=theme.font(12))
    legend = item.addLegend(offset=(-20, 12), labelTextColor=INK, labelTextSize="11pt")
    for step in kills:
        item.addItem(pg.InfiniteLine(step, pen=_pen(KILLED, 1.2, Qt.PenStyle.DashLine)))
    _curve(item, undisturbed, BROAD, 6.0, "undisturbed")
    _curve(item, interrupted, NARROW, 1.2, "killed and resumed")
    legend.addItem(pg.PlotDataItem(pen=_pen(KILLED, 1.2, Qt.PenStyle.DashLine)), "killed here")
    item.setXRange(0, max(undisturbed), padding=0.01)
    application.processEvents()
    file.parent.mkdir(parents=True, exist_ok=True)
    plot.grab().save(str(file))


def _curve(item: pg.PlotItem, losses: dict[int, float], colour: str, width: float, name: str) -> None:
    item.plot(list(losses), list(losses.values()), pen=_pen(colour, width), name=name)


def _pen(colour: str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    return pg.mkPen(colour, width=width, style=style)
