"""What every painted widget has in common: the left button clicks, the right one opens a menu, arrow keys move."""

import ast
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.widgets.charts.cells import LABELS_PX, LabelledGrid, Labels, round_step
from app.widgets.charts.pointer import PointerWidget
from app.widgets.context_menu import show_context_menu
from app.widgets.scatter import WORD, Points, Scatter
from tests.app.layout_check import faults

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton


class Row(PointerWidget):
    """Five cells of 20 pixels."""

    def cell_at(self, point: QPointF) -> int | None:
        cell = int(point.x() // 20)
        return cell if 0 <= cell < 5 else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        return None if step is None else min(max((-1 if cell is None else cell) + step, 0), 4)


@pytest.fixture
def row(looks: QApplication, qtbot: QtBot) -> Row:
    made = Row("Numbers")
    qtbot.addWidget(made)
    made.resize(200, 20)
    made.show()
    return made


def test_only_the_left_button_is_a_click(row: Row) -> None:
    clicks: list[tuple[int, Qt.KeyboardModifier]] = []
    row.clicked.connect(lambda cell, keys: clicks.append((cell, keys)))
    for button in (RIGHT, MIDDLE):
        QTest.mouseClick(row, button, pos=QPoint(45, 5))
    assert clicks == []
    QTest.mouseClick(row, LEFT, Qt.KeyboardModifier.ControlModifier, QPoint(45, 5))
    QTest.mouseClick(row, LEFT, pos=QPoint(150, 5))  # beside all cells
    assert clicks == [(2, Qt.KeyboardModifier.ControlModifier)]


def test_a_second_click_counts_unless_double_clicks_mean_something(row: Row) -> None:
    clicks: list[int] = []
    row.clicked.connect(lambda cell: clicks.append(cell))
    QTest.mouseClick(row, LEFT, pos=QPoint(45, 5))
    QTest.mouseDClick(row, LEFT, pos=QPoint(45, 5))  # the second of two clicks, as Qt gives it
    assert clicks == [2, 2]
    doubles: list[int] = []
    row.double_clicked.connect(lambda cell: doubles.append(cell))
    QTest.mouseDClick(row, LEFT, pos=QPoint(5, 5))
    assert (clicks, doubles) == ([2, 2], [0])


def test_arrow_keys_hover_and_enter_clicks(row: Row) -> None:
    told: list[int | None] = []
    clicks: list[int] = []
    row.hovered.connect(told.append)
    row.clicked.connect(lambda cell: clicks.append(cell))
    row.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(row, key)
    assert (told, clicks) == ([0, 1], [1])
    row.clearFocus()
    assert told[-1] is None


def test_a_right_click_asks_for_a_menu_of_its_cell(row: Row) -> None:
    asked: list[tuple[int | None, QPoint]] = []
    row.context_menu_requested.connect(lambda cell, at: asked.append((cell, at)))
    for reason, x in ((QContextMenuEvent.Reason.Mouse, 65), (QContextMenuEvent.Reason.Mouse, 150)):
        at = row.mapToGlobal(QPoint(x, 5))
        QApplication.sendEvent(row, QContextMenuEvent(reason, QPoint(x, 5), at))
    assert [cell for cell, _ in asked] == [3, None]
    done: list[str] = []
    menu = show_context_menu(row, asked[0][1], [("Mask", lambda: done.append("mask")), None])
    assert menu is not None and menu.isVisible()
    menu.actions()[0].trigger()
    menu.close()
    assert done == ["mask"] and show_context_menu(row, QPoint(), [None]) is None


@pytest.fixture
def grid(looks: QApplication, qtbot: QtBot) -> LabelledGrid:
    made = LabelledGrid("Weights", square=True, tilted=True, zooms=True)
    qtbot.addWidget(made)
    made.resize(600, 500)
    labels = Labels([f"token{i}" for i in range(12)])
    made.set_grid(np.arange(144.0).reshape(12, 12), labels, labels, 0, 143)
    made.show()
    return made


def test_numbers_along_a_side_go_in_round_steps() -> None:
    assert [round_step(least) for least in (0.2, 1, 1.5, 3, 7.2, 12, 20.1, 37, 51, 180, 1000)] == [
        *(1, 1, 2, 5, 10, 20, 50, 50, 100, 200, 1000)
    ]


def test_a_cell_of_the_grid_is_hovered_clicked_and_moved_by_keys(grid: LabelledGrid) -> None:
    clicks: list[tuple[int, int]] = []
    grid.clicked.connect(lambda cell: clicks.append(cell))
    QTest.mouseClick(grid, LEFT, pos=grid.cell_rect(3, 7).center().toPoint())
    grid.set_selected(3, 7)
    QTest.keyClick(grid, Qt.Key.Key_Down)
    grid.set_selected(4, 7)
    QTest.keyClick(grid, Qt.Key.Key_Left)
    assert clicks == [(3, 7), (4, 7), (4, 6)]


def test_a_zoomed_grid_is_dragged_not_clicked_and_its_cells_are_found(grid: LabelledGrid) -> None:
    clicks: list[tuple[int, int]] = []
    grid.clicked.connect(lambda cell: clicks.append(cell))
    rect = grid.grid_rect()
    _wheel(grid, rect.center(), 3)
    assert grid.zoom.span < 12
    before = grid.cell_at(rect.center())
    start = rect.center().toPoint()
    QTest.mousePress(grid, LEFT, pos=start)
    QTest.mouseMove(grid, start + QPoint(60, 0))
    QTest.mouseRelease(grid, LEFT, pos=start + QPoint(60, 0))
    after = grid.cell_at(rect.center())
    assert clicks == [] and before is not None and after is not None and after[1] < before[1]
    assert grid.cell_at(grid.cell_rect(*after).center()) == after
    QTest.keyClick(grid, Qt.Key.Key_0)
    assert grid.zoom.is_whole


@pytest.fixture
def scatter(looks: QApplication, qtbot: QtBot) -> Scatter:
    made = Scatter("Map")
    qtbot.addWidget(made)
    made.resize(400, 300)
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    made.set_points(Points(places, ["a", "b", "c", "word"], ["segment_a", "segment_b", "mask", WORD]))
    made.show()
    return made


def test_points_are_clicked_and_words_around_them_only_hovered(scatter: Scatter) -> None:
    clicks: list[int] = []
    told: list[int | None] = []
    scatter.clicked.connect(lambda point: clicks.append(point))
    scatter.hovered.connect(told.append)
    spots = scatter.spots
    assert spots[0].y() > spots[2].y() and spots[1].x() > spots[0].x()  # up and right are larger
    for spot in spots:
        QTest.mouseMove(scatter, spot.toPoint())
        QTest.mouseClick(scatter, LEFT, pos=spot.toPoint())
    assert clicks == [0, 1, 2] and [one for one in told if one is not None] == [0, 1, 2, 3]
    scatter.set_selected([2])
    QTest.keyClick(scatter, Qt.Key.Key_Right)
    assert clicks[-1] == 2  # the last that can be chosen


def test_zooming_keeps_the_point_under_the_mouse_where_it_is(scatter: Scatter) -> None:
    spot = scatter.spots[1]
    _wheel(scatter, spot, 4)
    moved = scatter.spots
    assert (moved[1] - spot).manhattanLength() < 1 and not scatter.rect().contains(moved[2].toPoint())
    assert scatter.cell_at(spot) == 1
    QTest.keyClick(scatter, Qt.Key.Key_0)
    assert (scatter.spots[1] - spot).manhattanLength() < 1


def test_points_stand_at_their_stage_on_their_paths(scatter: Scatter) -> None:
    paths = np.array([[[0.0, 0.0], [1.0, 1.0]], [[2.0, 0.0], [3.0, 1.0]]])  # (T,P,2)
    scatter.set_points(Points(paths, ["a", "b"], ["segment_a", "segment_b"], stage_names=["emb.", "1"]))
    scatter.set_selected([0])
    first = scatter.spots
    scatter.set_stage(1)
    assert scatter.spots[0].x() > first[0].x() and scatter.cell_at(first[0]) is None


def _wheel(widget: LabelledGrid | Scatter, at: QPointF, notches: int) -> None:
    none = Qt.MouseButton.NoButton
    keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(
        at, QPointF(widget.mapToGlobal(at.toPoint())), QPoint(), QPoint(0, 120 * notches), none, keys, phase, False
    )
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize(
    ("far", "expected"),
    [([], []), ([(0.0, 40.0)], [12]), ([(0.0, 40.0), (5.0, 44.0)], [12, 13]), ([(0.0, 2.9)], [])],
    ids=["none", "one", "two", "not far"],
)
def test_points_far_off_stand_at_the_edge(
    looks: QApplication, qtbot: QtBot, far: list[tuple[float, float]], expected: list[int]
) -> None:
    """One of them left the others a corner: [CLS] beside the words of a sentence."""
    made = Scatter("Map")
    qtbot.addWidget(made)
    made.resize(600, 300)
    near = [(x, y) for x in range(4) for y in range(3)]
    names = [str(i) for i in range(len(near) + len(far))]
    made.set_points(Points(np.array([*near, *far], dtype=float), names, ["segment_a"] * len(names)))
    assert made.far == expected
    spots = made.spots
    inside = [spots[i] for i in range(len(near))]
    assert all(made.rect().contains(spot.toPoint()) for spot in spots)
    down, across = ([getattr(spot, axis)() for spot in inside] for axis in ("y", "x"))
    assert max(down) - min(down) > (200 if len(expected) == len(far) else 100)
    scale = (max(across) - min(across)) / 3, (max(down) - min(down)) / 2
    assert scale[0] == pytest.approx(scale[1])  # proportions are kept
    for i in expected:
        assert spots[i].y() < min(down)  # above the others, as it should be


def test_no_widget_takes_another_button_for_a_click() -> None:
    """Who handles a press by hand asks which button it was; all others inherit it. Any click ends a blank screen."""
    careless = []
    for file in sorted((Path(__file__).parents[2] / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_press = isinstance(node, ast.FunctionDef) and node.name == "mousePressEvent"
            if is_press and "LeftButton" not in ast.unparse(node):
                careless.append(file.name)
    assert careless == ["presenting.py"]


# The labels of a matrix can be read, however small it is: some are left out instead.

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
        return draw(painter, *about)

    with monkeypatch.context() as patch:
        patch.setattr(QPainter, "drawText", heard)
        grid.grab()
    return {text: size for text, size in sizes.items() if text.startswith(begin)}
