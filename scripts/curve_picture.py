"""The curves of a pretraining run as a picture: losses above, held-out shares below, over the tokens seen.

python scripts/curve_picture.py assets/runs/bertscope-mini docs/images/training-bertscope-mini.png
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
import typer
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.fonts import font, register_fonts
from bertcore.training.run_folder import RunFolder

SIZE = (1000, 760)
INK, GRID_ALPHA = "#1b2430", 0.15
TRAINING = {  # of the training lines
    "next_word_loss": ("next word, training (causal warm-up)", "#e0b070"),
    "mlm_loss": ("masked words, training", "#9fc8ea"),
}
HELD_OUT = {"mlm_loss": ("masked words, held out", "#0b3d70"), "nsp_loss": ("next sentence, held out", "#d55e00")}
SHARES = {
    "nsp_accuracy": ("next sentence right", "#d55e00"),
    "mlm_top5": ("masked word among the first five", "#3f8fd0"),
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
    register_fonts()
    pg.setConfigOptions(antialias=True, background="w", foreground=INK)
    picture = pg.GraphicsLayoutWidget()
    picture.resize(*SIZE)
    above, below = (
        _plot(picture, row, title) for row, title in enumerate(("loss (nats)", "share of held-out text, %"))
    )
    _draw(above, trained, TRAINING, width=1.0)
    _draw(above, measured, HELD_OUT, width=2.2)
    _draw(below, measured, SHARES, width=2.2, scale=100)
    below.setLabel("bottom", "tokens seen, millions")
    below.setXLink(above)
    for _ in range(3):
        application.processEvents()
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.grab().save(str(file))


def _plot(picture: pg.GraphicsLayoutWidget, row: int, title: str) -> pg.PlotItem:
    plot = picture.addPlot(row=row, col=0)
    plot.setLabel("left", title)
    plot.showGrid(x=True, y=True, alpha=GRID_ALPHA)
    plot.addLegend(offset=(-20, 10 if row == 0 else -10), labelTextColor=INK, labelTextSize="11pt")
    for side in ("bottom", "left"):
        plot.getAxis(side).label.setFont(font(14))
        plot.getAxis(side).setStyle(tickFont=font(12))
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
