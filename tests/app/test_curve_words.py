"""The words beside curves: every curve has a name, and what is said of a phase stays within it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.train.curves.plots import plots_of
from app.runs.run_info import RunInfo
from app.widgets.curve_plot import CurvePlot
from app.widgets.curve_specs import CurveSpec, Mark, PlotSpec
from bertcore.runs.run_folder import RunStatus
from tests.app.conftest import handle_events
from tests.app.layout_check import curve_words

PRETRAIN = RunInfo(Path("run"), "stories", "tiny", RunStatus("done"))
SPEC = PlotSpec("Loss", (CurveSpec("loss", "held out", "curve_train", dots=True),), left_label="loss")
STEPS, SWITCH = 11_068, 2_151


@pytest.fixture
def plot(looks: QApplication, qtbot: QtBot) -> CurvePlot:
    made = CurvePlot(SPEC)
    qtbot.addWidget(made)
    made.set_points({"loss": (np.linspace(0, STEPS, 60), np.linspace(9, 3, 60))})
    made.change(marks=[Mark(SWITCH, "then", "first: predict the next word ", "first: next word ")])
    made.show()
    qtbot.waitUntil(lambda: made.is_loaded)
    return made


@pytest.mark.parametrize(
    "info",
    [PRETRAIN, replace(PRETRAIN, kind="distil"), replace(PRETRAIN, metrics=("accuracy", "f1"))],
    ids=["pretrain", "distil", "task"],
)
def test_every_curve_has_a_name_and_dots_differ_in_shape(info: RunInfo) -> None:
    plots = plots_of(info)
    for spec in (*plots.specs, *plots.more):
        assert all(curve.name for curve in spec.curves)
        shapes = [curve.symbol for curve in spec.curves if curve.dots]
        assert len(set(shapes)) == len(shapes)


def test_what_is_said_of_a_phase_stays_within_it(plot: CurvePlot, qtbot: QtBot) -> None:
    canvas, said = plot._canvas, set()
    assert canvas is not None
    for width in range(300, 1500, 60):
        plot.resize(width, 300)
        handle_events()
        inside = canvas._plot.getViewBox()
        begins, ends = (inside.mapViewToScene(QPointF(step, 3)).x() for step in (0, SWITCH))
        for text, box, _ in curve_words(canvas):
            if text.startswith("first"):
                said.add(text)
                assert begins + 6 < box.left() and box.right() < ends, f"{text!r} at {width}"
    assert said == {"first: predict the next word ", "first: next word "}


def test_steps_are_written_one_way(plot: CurvePlot) -> None:
    canvas = plot._canvas
    assert canvas is not None
    assert numbers.count(15_759) == "15,759"
    assert canvas._plot.getAxis("bottom").tickStrings([15_759.0], 1, 1) == ["15,759"]


def _axes(plot: CurvePlot) -> tuple[list[float], list[float]]:
    assert plot._canvas is not None
    return tuple(plot._canvas._plot.getViewBox().viewRange())  # type: ignore[return-value]


def test_axes_of_one_point_have_nothing_below_zero(plot: CurvePlot, qtbot: QtBot) -> None:
    """pyqtgraph keeps the span of the run before: from -4,000."""
    plot.set_points({"loss": (np.array([10.0]), np.array([8.0]))})
    (first, last), (low, high) = _axes(plot)
    assert first >= -0.5 and last < 100 and 2 < low < 8 < high < 14
    plot.set_points({"loss": (np.linspace(0, STEPS, 60), np.linspace(9, 3, 60))})
    qtbot.waitUntil(lambda: _axes(plot)[0][1] >= STEPS)
    assert -0.03 * STEPS < _axes(plot)[0][0] <= 0


def test_the_legend_has_the_last_values_up_to_a_marked_step_and_words_before_it_have_room(
    looks: QApplication, qtbot: QtBot
) -> None:
    plot = CurvePlot(PlotSpec("Loss", (CurveSpec("loss", "training", "curve_train", numbers.decimal),), "loss"))
    qtbot.addWidget(plot)
    plot.resize(600, 300)
    plot.show()
    qtbot.waitUntil(lambda: plot.is_loaded)
    plot.set_points({"loss": (np.array([0.0, 224.0, 226.0]), np.array([8.0, 2.27, 2.13]))})
    plot.set_marked(225)
    assert plot.legend_values == {"loss": "2.27"}
    qtbot.waitUntil(lambda: _axes(plot)[1][1] >= 8)
    highest = _axes(plot)[1][1]
    plot.change(marks=[Mark(200, "then: masked words", "first: next word")])
    qtbot.waitUntil(lambda: _axes(plot)[1][1] > highest)


def test_places_have_names_and_are_clicked(looks: QApplication, qtbot: QtBot) -> None:
    curves = (CurveSpec("a", "attention", "curve_train", markers=True),)
    made = CurvePlot(PlotSpec("Length", curves, "length", bottom_label="layer", at="layer {x}", includes_zero=True))
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.set_points({"a": (np.arange(4.0), np.array([np.nan, 2.0, 3.0, 4.0]))}, ["emb.", "1", "2", "3"])
    made.set_marked(2)
    made.show()
    qtbot.waitUntil(lambda: made.is_loaded)
    canvas = made._canvas
    assert canvas is not None and made.legend_values == {"a": "3"} and _axes(made)[1][0] <= 0
    clicks: list[float] = []
    told: list[float | None] = []
    made.clicked.connect(clicks.append)
    made.hovered.connect(told.append)
    handle_events()
    view = canvas._plot.getViewBox()
    at = canvas._view.mapFromScene(view.mapViewToScene(QPointF(0.9, 3)))
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.LeftButton):
        QTest.mouseClick(canvas._view.viewport(), button, pos=at)
    canvas.hovered.emit(3.2)
    canvas.hovered.emit(None)
    assert clicks == [1.0] and told[-2:] == [3.0, None]
    assert canvas._plot.getAxis("bottom").tickStrings([0, 1, 2.5, 3, 4], 1, 1) == ["emb.", "1", "", "3", ""]
