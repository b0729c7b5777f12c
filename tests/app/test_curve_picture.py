"""The picture of a run that was trained in several stages."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtWidgets import QApplication

from scripts.curve_picture import _mark_stages, _plot, stages


def phase(step: int, name: str) -> dict[str, Any]:
    return {"kind": "phase", "step": step, "phase": name}


def train(step: int, tokens: int) -> dict[str, Any]:
    return {"kind": "train", "step": step, "tokens": tokens, "phase": "masked"}


def test_a_stage_begins_where_a_phase_is_told_again() -> None:
    lines = [
        {"kind": "held_out", "step": 0, "tokens": 0},
        phase(1, "causal"),
        train(10, 1000),
        phase(16, "masked"),
        phase(18, "longer"),
        train(20, 2000),
        phase(21, "masked"),  # the second stage, at the end of the first
        phase(22, "longer"),
        train(30, 4000),
        train(40, 6000),
        phase(36, "masked"),  # the third, between two lines
        phase(51, "causal"),  # the fourth
        train(60, 8000),
    ]
    assert stages(lines) == [2000.0, 5000.0, 7000.0]


def test_a_run_of_one_stage_has_no_mark() -> None:
    assert stages([train(10, 1000), phase(1, "causal"), phase(5, "masked"), phase(8, "longer"), train(20, 2000)]) == []
    assert stages([phase(1, "masked"), train(10, 1000)]) == []


def test_each_stage_is_marked_in_both_plots_and_named_once(qapp: QApplication) -> None:
    picture = pg.GraphicsLayoutWidget()
    plots = [_plot(picture, row, "loss") for row in range(2)]
    _mark_stages(plots, [2e6, 5e6])
    for plot in plots:
        assert [item.value() for item in plot.items if isinstance(item, pg.InfiniteLine)] == [2.0, 5.0]
    assert [label.text for plot in plots for _, label in plot.legend.items] == ["a stage begins"]
    picture.close()
