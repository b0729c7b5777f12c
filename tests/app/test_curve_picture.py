"""The picture of a pretraining run: where its phases begin."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtWidgets import QApplication

from scripts.curve_picture import _mark_phases, _plot, phase_starts


def phase(step: int, name: str) -> dict[str, Any]:
    return {"kind": "phase", "step": step, "phase": name}


def train(step: int, tokens: int) -> dict[str, Any]:
    return {"kind": "train", "step": step, "tokens": tokens, "phase": "masked"}


def test_a_phase_begins_at_the_tokens_seen_before_its_first_step() -> None:
    lines = [
        {"kind": "held_out", "step": 0, "tokens": 0},
        phase(1, "causal"),
        train(10, 1000),
        phase(16, "masked"),  # between two lines
        train(20, 2000),
        phase(21, "longer"),
        train(30, 4000),
    ]
    assert phase_starts(lines) == [("masked words", 1500.0), ("longer sequences", 2000.0)]


def test_each_phase_is_marked_in_both_plots_and_named_in_the_first(qapp: QApplication) -> None:
    picture = pg.GraphicsLayoutWidget()
    plots = [_plot(picture, row, "loss") for row in range(2)]
    _mark_phases(plots, [("masked words", 2e6), ("longer sequences", 5e6)])
    lines = [[item for item in plot.items if isinstance(item, pg.InfiniteLine)] for plot in plots]
    assert [[line.value() for line in found] for found in lines] == [[2.0, 5.0], [2.0, 5.0]]
    assert [line.label.format for line in lines[0]] == ["masked words", "longer sequences"]
    assert not any(hasattr(line, "label") for line in lines[1])
    picture.close()
