"""The words beside curves: every curve has a name, and what is said of a phase stays within it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.rooms.train import words
from app.rooms.train.plots import look_of
from app.rooms.train.run_view import BEFORE_SWITCH, BEFORE_SWITCH_SHORT
from app.runs.run_info import RunInfo
from app.widgets.curve_plot import CurvePlot, CurveSpec, Mark, PlotSpec
from bertcore.runs.run_folder import RunStatus

PRETRAIN = RunInfo(Path("run"), "stories", "tiny", RunStatus("done"))
SPEC = PlotSpec("Loss", (CurveSpec("loss", "held out", "curve_train", dots=True),), left_label="loss")
STEPS, SWITCH = 11_068, 2_151


@pytest.fixture
def plot(looks: QApplication, qtbot: QtBot) -> CurvePlot:
    made = CurvePlot(SPEC)
    qtbot.addWidget(made)
    made.load_canvas()
    made.set_points({"loss": (np.linspace(0, STEPS, 60), np.linspace(9, 3, 60))})
    made.set_marks([Mark(SWITCH, "then", BEFORE_SWITCH, BEFORE_SWITCH_SHORT)])
    made.show()
    return made


@pytest.mark.parametrize(
    "info",
    [PRETRAIN, replace(PRETRAIN, kind="distil"), replace(PRETRAIN, metrics=("accuracy", "f1"))],
    ids=["pretrain", "distil", "task"],
)
def test_every_curve_has_a_name_and_dots_differ_in_shape(info: RunInfo) -> None:
    for spec in look_of(info).specs:
        assert all(curve.name for curve in spec.curves)
        shapes = [curve.symbol for curve in spec.curves if curve.dots]
        assert len(set(shapes)) == len(shapes)


def test_what_is_said_of_a_phase_stays_within_it(plot: CurvePlot, qtbot: QtBot) -> None:
    canvas, said = plot._canvas, set()
    assert canvas is not None
    for width in range(300, 1500, 60):
        plot.resize(width, 300)
        qtbot.wait(5)
        inside = canvas._plot.getViewBox()
        begins, ends = (inside.mapViewToScene(QPointF(step, 3)).x() for step in (0, SWITCH))
        for text, box, _ in canvas.words():
            if text.startswith("first"):
                said.add(text)
                assert begins + 6 < box.left() and box.right() < ends, f"{text!r} at {width}"
    assert said == {BEFORE_SWITCH, BEFORE_SWITCH_SHORT}


def test_steps_are_written_one_way(plot: CurvePlot) -> None:
    canvas = plot._canvas
    assert canvas is not None
    assert words.count(15_759) == "15,759"
    assert canvas._plot.getAxis("bottom").tickStrings([15_759.0], 1, 1) == ["15,759"]
