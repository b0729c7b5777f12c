"""What every painted widget has in common: the left button clicks, the right one opens a menu, arrow keys move."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.figures.figure import picture_of
from app.look import theme
from app.rooms.attend.atlas import HeadAtlas
from app.rooms.attend.check_view import CheckBars, Column
from app.rooms.attend.lines_view import HeadLines, LinesPicture
from app.rooms.attend.matrix_view import AttentionGrid, usual_high
from app.rooms.attend.query_key_view import BarStrips, Strip
from app.widgets.card import scrolled
from app.widgets.charts.cells import LABELS_PX, LabelledGrid, Labels, round_step
from app.widgets.charts.pointer import PointerWidget
from app.widgets.charts.zoom import Zoom
from app.widgets.context_menu import show_context_menu
from app.widgets.layouts import vbox
from app.widgets.scatter import WORD, Points, Scatter
from bertcore.analysis.links import strongest_links
from tests.app.conftest import placed, press, settle
from tests.app.layout_check import faults, hear

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton


class Row(PointerWidget):
    """Five cells of 20 pixels."""

    def cell_at(self, point):
        cell = int(point.x() // 20)
        return cell if 0 <= cell < 5 else None

    def cell_after(self, cell, key):
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        return None if step is None else min(max((-1 if cell is None else cell) + step, 0), 4)


@pytest.fixture
def row(qtbot):
    return placed(Row("Numbers"), qtbot, 200, 20)


def test_only_the_left_button_is_a_click(row):
    clicks = []
    row.clicked.connect(lambda cell, keys: clicks.append((cell, keys)))
    for button in (RIGHT, MIDDLE):
        QTest.mouseClick(row, button, pos=QPoint(45, 5))
    assert clicks == []
    QTest.mouseClick(row, LEFT, Qt.KeyboardModifier.ControlModifier, QPoint(45, 5))
    QTest.mouseClick(row, LEFT, pos=QPoint(150, 5))  # beside all cells
    assert clicks == [(2, Qt.KeyboardModifier.ControlModifier)]


def test_a_second_click_counts_unless_double_clicks_mean_something(row):
    clicks, doubles = [], []
    row.clicked.connect(lambda cell: clicks.append(cell))
    QTest.mouseClick(row, LEFT, pos=QPoint(45, 5))
    QTest.mouseDClick(row, LEFT, pos=QPoint(45, 5))  # the second of two clicks, as Qt gives it
    assert clicks == [2, 2]
    row.double_clicked.connect(lambda cell: doubles.append(cell))
    QTest.mouseDClick(row, LEFT, pos=QPoint(5, 5))
    assert (clicks, doubles) == ([2, 2], [0])


def test_arrow_keys_hover_and_enter_clicks(row):
    told, clicks = [], []
    row.hovered.connect(told.append)
    row.clicked.connect(lambda cell: clicks.append(cell))
    row.setFocus()
    press(row, "Right", "Right", "Return")
    assert (told, clicks) == ([0, 1], [1])
    row.clearFocus()
    assert told[-1] is None


def test_a_right_click_asks_for_a_menu_of_its_cell(row):
    asked = []
    row.context_menu_requested.connect(lambda cell, at: asked.append((cell, at)))
    for reason, x in ((QContextMenuEvent.Reason.Mouse, 65), (QContextMenuEvent.Reason.Mouse, 150)):
        at = row.mapToGlobal(QPoint(x, 5))
        QApplication.sendEvent(row, QContextMenuEvent(reason, QPoint(x, 5), at))
    assert [cell for cell, _ in asked] == [3, None]
    done = []
    menu = show_context_menu(row, asked[0][1], [("Mask", lambda: done.append("mask")), None])
    assert menu.isVisible()
    menu.actions()[0].trigger()
    menu.close()
    assert done == ["mask"] and show_context_menu(row, QPoint(), [None]) is None


@pytest.fixture
def grid(qtbot):
    made = placed(LabelledGrid("Weights", square=True, tilted=True, zooms=True), qtbot, 600, 500)
    labels = Labels([f"token{i}" for i in range(12)])
    made.set_grid(np.arange(144.0).reshape(12, 12), labels, labels, 0, 143)
    return made


def test_numbers_along_a_side_go_in_round_steps():
    least = (0.2, 1, 1.5, 3, 7.2, 12, 20.1, 37, 51, 180, 1000)
    assert [round_step(one) for one in least] == [1, 1, 2, 5, 10, 20, 50, 50, 100, 200, 1000]


def test_a_cell_of_the_grid_is_hovered_clicked_and_moved_by_keys(grid):
    clicks = []
    grid.clicked.connect(lambda cell: clicks.append(cell))
    QTest.mouseClick(grid, LEFT, pos=grid.cell_rect(3, 7).center().toPoint())
    grid.set_selected(3, 7)
    press(grid, "Down")
    grid.set_selected(4, 7)
    press(grid, "Left")
    assert clicks == [(3, 7), (4, 7), (4, 6)]


@pytest.fixture
def scatter(qtbot):
    made = placed(Scatter("Map"), qtbot, 400, 300)
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    made.set_points(Points(places, ["a", "b", "c", "word"], ["segment_a", "segment_b", "mask", WORD]))
    return made


def test_points_are_clicked_and_words_around_them_only_hovered(scatter):
    clicks, told = [], []
    scatter.clicked.connect(lambda point: clicks.append(point))
    scatter.hovered.connect(told.append)
    spots = scatter.spots
    assert spots[0].y() > spots[2].y() and spots[1].x() > spots[0].x()  # up and right are larger
    for spot in spots:
        QTest.mouseMove(scatter, spot.toPoint())
        QTest.mouseClick(scatter, LEFT, pos=spot.toPoint())
    assert clicks == [0, 1, 2] and [one for one in told if one is not None] == [0, 1, 2, 3]
    scatter.set_selected([2])
    press(scatter, "Right")
    assert clicks[-1] == 2  # the last that can be chosen


def test_zooming_keeps_the_point_under_the_mouse_where_it_is(scatter):
    spot = scatter.spots[1]
    _wheel(scatter, spot, 4)
    moved = scatter.spots
    assert (moved[1] - spot).manhattanLength() < 1 and not scatter.rect().contains(moved[2].toPoint())
    assert scatter.cell_at(spot) == 1
    press(scatter, "0")
    assert (scatter.spots[1] - spot).manhattanLength() < 1


def test_points_stand_at_their_stage_on_their_paths(scatter):
    paths = np.array([[[0.0, 0.0], [1.0, 1.0]], [[2.0, 0.0], [3.0, 1.0]]])  # (T,P,2)
    scatter.set_points(Points(paths, ["a", "b"], ["segment_a", "segment_b"], stage_names=["emb.", "1"]))
    scatter.set_selected([0])
    first = scatter.spots
    scatter.set_stage(1)
    assert scatter.spots[0].x() > first[0].x() and scatter.cell_at(first[0]) is None


def _wheel(widget, at, notches):
    places = at, QPointF(widget.mapToGlobal(at.toPoint())), QPoint(), QPoint(0, 120 * notches)
    nothing = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(widget, QWheelEvent(*places, *nothing, False))


@pytest.mark.parametrize(
    ("far", "expected"),
    [([], []), ([(0.0, 40.0)], [12]), ([(0.0, 40.0), (5.0, 44.0)], [12, 13]), ([(0.0, 2.9)], [])],
    ids=["none", "one", "two", "not far"],
)
def test_points_far_off_stand_at_the_edge(qtbot, far, expected):
    """One of them left the others a corner: [CLS] beside the words of a sentence."""
    made = placed(Scatter("Map"), qtbot, 600, 300)
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


TOKENS = Labels([f"token{number}" for number in range(13)])
COLUMNS = Labels([f"column{number}" for number in range(13)])


@pytest.mark.parametrize(("side", "is_complete"), [(500, True), (330, True), (270, False), (235, False)])
def test_labels_are_left_out_before_they_are_too_small(side, is_complete, qtbot, monkeypatch):
    grid = matrix(np.zeros((13, 13), dtype=np.float32), TOKENS, side, qtbot)
    written = drawn(grid, monkeypatch, "token")
    assert min(written.values()) >= min(LABELS_PX) and "token4" in written
    assert (len(written) == 13) == is_complete
    assert faults(grid) == []


@pytest.mark.parametrize("strongest", range(13))
def test_what_the_selected_row_looks_at_most_has_its_name(strongest, qtbot, monkeypatch):
    values = np.zeros((13, 13), dtype=np.float32)
    values[4, strongest] = 0.5
    values[5:, :] = 1  # of no interest: other rows
    written = drawn(matrix(values, COLUMNS, 270, qtbot), monkeypatch, "column")
    assert f"column{strongest}" in written and 4 <= len(written) < 13


def matrix(values, columns, side, qtbot):
    """With its fifth row selected."""
    grid = LabelledGrid("Matrix", square=True, tilted=True)
    grid.set_grid(values, TOKENS, columns, 0, 1)
    grid.set_selected(4)
    grid.setMinimumSize(0, 0)
    return placed(grid, qtbot, side, side)


def drawn(grid, monkeypatch, begin):
    """Labels with such a beginning, and the size of their type."""
    sizes = {}
    with monkeypatch.context() as patch:
        hear(patch, lambda painter, *about: sizes.update({str(about[-1]): painter.font().pixelSize()}))
        grid.grab()
    return {text: size for text, size in sizes.items() if text.startswith(begin)}


def test_columns_are_counted_anew_in_each_layer(qtbot, monkeypatch):
    grid, texts = placed(LabelledGrid("heads"), qtbot, 260, 120), []
    columns = Labels([str(head + 1) for head in range(6)] * 6, groups=list("123456"))
    grid.set_grid(np.zeros((1, 36)), Labels(["a"]), columns, 0, 1)
    with monkeypatch.context() as patch:
        hear(patch, lambda painter, *about: texts.append(str(about[-1])))
        grid.grab()
    assert texts[1:] == [*["1"] * 6, "layer", *columns.groups, "1", "0"]


class Patch(QWidget):
    """So high, and of one colour."""

    def __init__(self, color, height):
        super().__init__()
        self.color = QColor(color)
        self.setFixedHeight(height)

    def paintEvent(self, event):
        QPainter(self).fillRect(self.rect(), self.color)


@pytest.mark.parametrize("scrolled_by", [0, 10_000])
def test_what_scrolls_is_drawn_in_full_and_covers_nothing(qtbot, scrolled_by):
    column = QWidget()
    above, tall, below = Patch("red", 20), Patch("lime", 500), Patch("blue", 30)
    area = scrolled(tall)
    vbox(above, area, below, parent=column)
    placed(column, qtbot, 200, 300)
    area.verticalScrollBar().setValue(scrolled_by)
    picture = picture_of([above, tall, below])
    image = QImage(picture.width, picture.height, QImage.Format.Format_RGB32)
    image.fill("white")  # what nothing is drawn on would be anything that stood in memory before
    painter = QPainter(image)
    picture.paint(painter)
    painter.end()
    seen = [image.pixelColor(100, y).name() for y in range(image.height())]
    for color, height in (("red", 20), ("lime", 500), ("blue", 30)):
        assert seen.count(QColor(color).name()) == height, color


def test_lines_of_a_long_text_are_saved_above_their_legend(window):
    room = window.open_room("attend")
    window.state.set_text("the cat sat on the mat " * 12, "")
    page = room.open_view("lines")
    settle(window)
    assert page.picture.height() > page.height()
    figure = room.view.figure_of("room")
    assert figure.picture.height >= page.picture.height() + page.legend.height()


def head_view(size, qtbot):
    view = placed(AttentionGrid("one head"), qtbot, 640, 600)
    values = np.random.default_rng(0).random((size, size), dtype=np.float32)
    view.set_matrix(values, Labels([f"t{i}" for i in range(size)], ["special"] * size))
    return view


def test_zoom_stays_inside_within_its_limits_and_keeps_what_is_under_the_mouse():
    zoom = Zoom()
    zoom.set_size(100)
    zoom.zoom(3, 0.25, 0.75)
    assert zoom.x + 0.25 * zoom.span == pytest.approx(25) and zoom.y + 0.75 * zoom.span == pytest.approx(75)
    zoom.set_size(20)
    zoom.zoom(100, 1, 1)
    assert zoom.span == 6 and zoom.x + zoom.span == 20
    zoom.move(50, -50)
    assert (zoom.x, zoom.y) == (14, 0)
    zoom.set_size(20)
    assert not zoom.is_whole  # of the same size
    zoom.zoom(-100, 0.5, 0.5)
    assert zoom.is_whole and (zoom.x, zoom.y) == (0, 0)
    zoom.zoom(100, 0.5, 0.5)
    assert (zoom.x, zoom.y, zoom.span) == (7, 7, 6)
    for row, y in ((0, 0), (3, 0), (19, 14), (16, 14)):
        zoom.show_row(row)
        assert (zoom.x, zoom.y) == (7, y)
    zoom.set_size(3)
    zoom.zoom(5, 0, 0)
    assert zoom.is_whole


class TestMatrix:
    @pytest.mark.parametrize("size", [10, 512])
    def test_wheel_and_drag_and_reset(self, size, qtbot):
        view, clicks = head_view(size, qtbot), list[tuple[int, int]]()
        view.clicked.connect(lambda cell: clicks.append(cell))
        center = view.grid_rect().center()
        with qtbot.waitSignal(view.zoomed):
            _wheel(view, center, 2)
        assert view.zoom.span < size
        before = view.zoom.x
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=center.toPoint())
        for step in (10, 20, 40):
            QTest.mouseMove(view, center.toPoint() - QPoint(step, 0))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=center.toPoint() - QPoint(40, 0))
        cell = view.grid_rect().width() / view.zoom.span
        assert view.zoom.x - before == pytest.approx(40 / cell, abs=0.51 / cell + 1e-6) and clicks == []
        found = view.cell_at(view.grid_rect().center())
        assert view.cell_at(view.cell_rect(*found).center()) == found
        press(view, "0")
        assert view.zoom.is_whole

    def test_keys_zoom_and_move(self, qtbot):
        view = head_view(64, qtbot)
        press(view, "+", "+", "Right")
        assert view.zoom.span == pytest.approx(64 / 1.25**2) and view.zoom.x > (64 - view.zoom.span) / 2


class TestAtlas:
    def test_effects_are_drawn_in_their_places_on_their_own_scale(self, qtbot):
        atlas = placed(HeadAtlas(), qtbot, 290, 300)
        atlas.set_heads(np.zeros((2, 3, 4, 4), dtype=np.float32))
        effects = np.zeros((2, 3))
        effects[1, 2], effects[0, 1] = -2.0, 2.0
        atlas.set_effects(effects, 2.0)
        image, table = atlas.grab().toImage(), theme.diverging_table()
        for spot, level in (((1, 2), 0), ((0, 1), 255)):
            pixel = image.pixelColor(atlas.cell_rect(*spot).center().toPoint())
            assert pixel.rgb() == table[level]
        atlas.set_effects(None)
        assert atlas.effects is None

    def test_24_by_16_heads_in_groups_all_have_a_place(self, qtbot):
        atlas = HeadAtlas()
        qtbot.addWidget(atlas)
        atlas.set_heads(np.zeros((24, 16, 8, 8), dtype=np.float32))
        heads = list(np.ndindex(24, 16))
        atlas.set_groups([("one", tuple(heads[:5])), ("other", tuple(heads[5:]))])
        atlas.resize(290, atlas.heightForWidth(290))
        rects = [atlas.cell_rect(*spot) for spot in heads]
        assert all(rect.right() <= 290 and rect.bottom() <= atlas.height() for rect in rects)
        assert not any(one.intersects(other) for i, one in enumerate(rects[:40]) for other in rects[i + 1 : 60])


def test_lines_know_their_tokens_and_grow_with_them(qtbot):
    view = placed(LinesPicture("lines"), qtbot, 500, 300)
    links = strongest_links(np.full((400, 400), 1 / 400), most=1500)
    assert (len(links.weights), links.fitting) == (1500, 160_000)
    lines = HeadLines((0, 0), links, "curve_train", Qt.PenStyle.SolidLine)
    view.set_lines([lines], ["token"] * 400, ["special"] * 400)
    view.resize(500, view.sizeHint().height())
    assert view.height() >= 400 * 15
    with qtbot.waitSignal(view.clicked) as caught:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(20, round(view.row_y(333))))
    assert caught.args[0] == 333
    view.set_row(333)
    with qtbot.waitSignal(view.clicked) as caught:
        press(view, "Down")
    assert caught.args[0] == 334


def test_strips_have_a_scale_each_and_tell_their_bars(qtbot):
    strips = placed(BarStrips("steps"), qtbot, 400, 300)
    masked = np.array([1.0, -np.inf, 3.0])
    dimensions = Strip("query", "one", "2", np.array([-1.0, 2.0]))
    strips.set_strips([dimensions, Strip("masked", "two", "", masked, True, ["a", "b", "c"], 2)])
    assert strips.strips[0].ends == (-1.0, 2.0) and strips.strips[1].ends == (0.0, 3.0)
    with qtbot.waitSignal(strips.hovered) as caught:
        QTest.mouseMove(strips, strips.bar_rect(1, 1).center().toPoint())
    assert caught.args == [(1, 1)]


def test_numbers_of_a_column_are_as_fine_as_its_bars(qtbot):
    view = placed(CheckBars(), qtbot, 400, 300)
    columns = [
        Column("Attention", np.array([0.8, 0.05, 0.0001]), False),
        Column("Gradient", np.array([0.0012, -0.0003, np.nan]), True),
        Column("Removal", np.array([-3e-7, 2.5e-8, 0.0]), True),
        Column("Nothing", np.zeros(3), True),
    ]
    view.set_columns("a looks at", ["a", "b", "c"], columns)
    assert view.accessibleDescription().split(". ") == [
        "a: Attention 0.800, Gradient +0.00120, Removal −3e−7, Nothing 0",
        "b: Attention 0.050, Gradient −0.00030, Removal +2.5e−8, Nothing 0",
        "c: Attention 0, Gradient –, Removal 0, Nothing 0",
    ]
    values = np.array([-0.000888, 0.000444])  # many decimals have room
    columns = [Column(name, values, True) for name in ("Attention", "Gradient", "Removal")]
    view.set_columns("a looks at", ["a", "b"], columns)
    view.resize(400, view.sizeHint().height())
    assert faults(view) == []


def test_colours_of_a_long_text_reach_to_what_is_usual_but_never_to_rounding_errors():
    size = 300
    spread = np.arange(size * size, dtype=np.float32).reshape(size, size) / size**2
    assert usual_high(spread) == pytest.approx(0.995, abs=0.01)
    one_hot = np.full((size, size), 1e-14, np.float32)
    np.fill_diagonal(one_hot, 0.9)
    assert usual_high(one_hot) == pytest.approx(0.018)
    view, signed = AttentionGrid("one head"), AttentionGrid("a gradient", signed=True)
    labels = Labels(["a"] * size, ["segment_a"] * size)
    signed.set_matrix(one_hot - 0.5, labels)
    assert signed.color_range == pytest.approx((-0.5, 0.5))
    view.set_matrix(one_hot, labels)
    assert view.color_range == pytest.approx((0, 0.018))
    view.set_matrix(one_hot[:5, :5], Labels(["a"] * 5, ["segment_a"] * 5))
    assert view.color_range == pytest.approx((0, 0.9))
