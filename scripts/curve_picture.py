"""The curves of a pretraining run as a picture: losses above, held-out shares below, over the tokens seen.

python scripts/curve_picture.py assets/runs/bertscope-mini docs/images/training-bertscope-mini.png
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pyqtgraph as pg
import typer
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.look import theme
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain import LONGER
from bertcore.training.pretraining_batches import CAUSAL, MASKED

SIZE = (1000, 760)
INK, GRID_ALPHA = "#1b2430", 0.15
PHASE = "#8b95a1"  # of the line where one begins
PHASES = {CAUSAL: "next word", MASKED: "masked words", LONGER: "longer sequences"}
OTHER = "other settings"  # from where a run goes on with them
ANCHORS = [(0, 0.5), (0, 0.5)]  # of a label: its left end is at the line, on both sides
TRAINING = {  # of the training lines
    "next_word_loss": ("next word, training (causal warm-up)", "#e0b070"),
    "mlm_loss": ("masked words, training", "#9fc8ea"),
}
HELD_OUT = {"mlm_loss": ("masked words, held out", "#0b3d70"), "nsp_loss": ("next sentence, held out", "#d55e00")}
SHARES = {
    "nsp_accuracy": ("next sentence right", "#d55e00"),
    "mlm_top5": ("masked word in the top five", "#3f8fd0"),
    "mlm_accuracy": ("masked word right", "#0b3d70"),
}

Curves = dict[str, tuple[str, str]]
Line = dict[str, Any]


def main(
    run: Annotated[Path, typer.Argument(help="A pretraining run.")],
    file: Annotated[Path, typer.Argument(help="The PNG.")],
) -> None:
    lines = RunFolder(run).tail().read_new()
    trained, measured = ([line for line in lines if line["kind"] == kind] for kind in ("train", "held_out"))
    application = QApplication.instance() or QApplication([])
    theme.register_fonts()
    pg.setConfigOptions(antialias=True, background="w", foreground=INK)
    picture = pg.GraphicsLayoutWidget()
    picture.resize(*SIZE)
    above, below = (
        _plot(picture, row, title) for row, title in enumerate(("loss (nats)", "share of held-out text, %"))
    )
    _draw(above, trained, TRAINING, width=1.0)
    _draw(above, measured, HELD_OUT, width=2.2)
    _draw(below, measured, SHARES, width=2.2, scale=100)
    _mark_phases((above, below), phase_starts(lines))
    below.setLabel("bottom", "tokens seen, millions")
    below.setXLink(above)
    for _ in range(3):
        application.processEvents()
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.grab().save(str(file))


def phase_starts(lines: Sequence[Line]) -> list[tuple[str, float]]:
    """Each phase of the run and the tokens seen when it began; the causal warm-up begins with the run itself."""
    known = np.array([(line["step"], line["tokens"]) for line in lines if line.get("tokens") is not None])  # (N,2)
    begun = [(PHASES[line["phase"]], line["step"] - 1) for line in lines if line["kind"] == "phase"]
    begun += [(OTHER, line["step"]) for line in lines if line.get("changed")]
    found = [(name, float(np.interp(step, *known.T))) for name, step in begun]
    return [(name, tokens) for name, tokens in found if tokens > 0]


def _mark_phases(plots: Sequence[pg.PlotItem], starts: Sequence[tuple[str, float]]) -> None:
    """A dashed line where each phase begins; its name in the first plot."""
    pen = pg.mkPen(PHASE, width=1.0, style=Qt.PenStyle.DashLine)
    for number, plot in enumerate(plots):
        for name, tokens in starts:
            label = {} if number else {"label": name, "labelOpts": {"position": 0.25, "color": INK, "anchors": ANCHORS}}
            line = pg.InfiniteLine(tokens / 1e6, angle=90, pen=pen, **label)
            line.setZValue(-1)
            plot.addItem(line)


def _plot(picture: pg.GraphicsLayoutWidget, row: int, title: str) -> pg.PlotItem:
    plot = picture.addPlot(row=row, col=0)
    plot.setLabel("left", title)
    plot.showGrid(x=True, y=True, alpha=GRID_ALPHA)
    plot.addLegend(offset=(-20, 10 if row == 0 else -10), labelTextColor=INK, labelTextSize="11pt", brush="#ffffffe0")
    for side in ("bottom", "left"):
        plot.getAxis(side).label.setFont(theme.font(14))
        plot.getAxis(side).setStyle(tickFont=theme.font(12))
    plot.getAxis("left").setWidth(60)
    return plot


def _draw(plot: pg.PlotItem, lines: list[Line], curves: Curves, width: float, scale: float = 1.0) -> None:
    for key, (name, color) in curves.items():
        found = [(line["tokens"] / 1e6, scale * line[key]) for line in lines if line.get(key) is not None]
        if found:
            pen = pg.mkPen(color, width=width, style=Qt.PenStyle.SolidLine)
            plot.plot(*zip(*found, strict=True), pen=pen, name=name)


if __name__ == "__main__":
    typer.run(main)
