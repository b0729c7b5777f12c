"""The labels of a matrix can be read, however small it is: some are left out instead."""

import numpy as np
import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.widgets.charts.cells import LABELS_PX, LabelledGrid, Labels
from tests.app.layout_check import faults

TOKENS = Labels([f"token{number}" for number in range(13)])
COLUMNS = Labels([f"column{number}" for number in range(13)])


@pytest.mark.parametrize(("side", "is_complete"), [(500, True), (330, True), (270, False), (235, False)])
def test_labels_are_left_out_before_they_are_too_small(
    side: int, is_complete: bool, looks: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = matrix(np.zeros((13, 13), dtype=np.float32), TOKENS, side, qtbot)
    written = drawn(grid, monkeypatch, "token")
    assert min(written.values()) >= min(LABELS_PX) and "token4" in written
    assert (len(written) == 13) == is_complete
    assert faults(grid) == []


@pytest.mark.parametrize("strongest", range(13))
def test_what_the_selected_row_looks_at_most_has_its_name(
    strongest: int, looks: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.zeros((13, 13), dtype=np.float32)
    values[4, strongest] = 0.5
    values[5:, :] = 1  # of no interest: other rows
    written = drawn(matrix(values, COLUMNS, 270, qtbot), monkeypatch, "column")
    assert f"column{strongest}" in written and 4 <= len(written) < 13


def matrix(values: np.ndarray, columns: Labels, side: int, qtbot: QtBot) -> LabelledGrid:
    """With its fifth row selected."""
    grid = LabelledGrid("Matrix", square=True, tilted=True)
    qtbot.addWidget(grid)
    grid.set_grid(values, TOKENS, columns, 0, 1)
    grid.set_selected(4)
    grid.setMinimumSize(0, 0)
    grid.resize(side, side)
    grid.show()
    return grid


def drawn(grid: LabelledGrid, monkeypatch: pytest.MonkeyPatch, begin: str) -> dict[str, int]:
    """Labels with such a beginning, and the size of their type."""
    sizes: dict[str, int] = {}
    draw = QPainter.drawText

    def heard(painter: QPainter, *about: object) -> object:
        sizes[str(about[-1])] = painter.font().pixelSize()
        return draw(painter, *about)  # type: ignore[call-overload]

    with monkeypatch.context() as patch:
        patch.setattr(QPainter, "drawText", heard)
        grid.grab()
    return {text: size for text, size in sizes.items() if text.startswith(begin)}
