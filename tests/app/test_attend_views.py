"""The pictures of the room Attend by themselves: the atlas, zooming and moving, lines, strips, the map of heads."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import theme
from app.rooms.attend.atlas import HeadAtlas
from app.rooms.attend.check_view import CheckBars, Column
from app.rooms.attend.lines_view import HeadLines, LinesPicture
from app.rooms.attend.matrix_view import AttentionGrid, usual_high
from app.rooms.attend.query_key_view import BarStrips, Strip
from app.widgets.charts.cells import Labels
from app.widgets.charts.zoom import Zoom
from bertcore.analysis.links import strongest_links
from tests.app.layout_check import faults

pytestmark = pytest.mark.usefixtures("looks")
NO_KEY = Qt.KeyboardModifier.NoModifier


def head_view(size: int, qtbot: QtBot) -> AttentionGrid:
    view = AttentionGrid("one head")
    qtbot.addWidget(view)
    view.resize(640, 600)
    values = np.random.default_rng(0).random((size, size), dtype=np.float32)
    view.set_matrix(values, Labels([f"t{i}" for i in range(size)], ["special"] * size))
    view.show()
    return view


def wheel(view: AttentionGrid, at: QPointF, notches: int) -> None:
    turned = QPoint(0, 120 * notches)
    event = QWheelEvent(at, at, QPoint(), turned, Qt.MouseButton.NoButton, NO_KEY, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(view, event)


def test_zoom_stays_inside_within_its_limits_and_keeps_what_is_under_the_mouse() -> None:
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
    def test_wheel_and_drag_and_reset(self, size: int, qtbot: QtBot) -> None:
        view = head_view(size, qtbot)
        center = view.grid_rect().center()
        with qtbot.waitSignal(view.zoomed):
            wheel(view, center, 2)
        assert view.zoom.span < size
        before = view.zoom.x
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=center.toPoint())
        for step in (10, 20, 40):
            QTest.mouseMove(view, center.toPoint() - QPoint(step, 0))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=center.toPoint() - QPoint(40, 0))
        cell = view.grid_rect().width() / view.zoom.span
        assert view.zoom.x - before == pytest.approx(40 / cell, abs=0.51 / cell + 1e-6)
        QTest.keyClick(view, Qt.Key.Key_0)
        assert view.zoom.is_whole

    def test_keys_zoom_and_move(self, qtbot: QtBot) -> None:
        view = head_view(64, qtbot)
        for key in (Qt.Key.Key_Plus, Qt.Key.Key_Plus, Qt.Key.Key_Right):
            QTest.keyClick(view, key)
        assert view.zoom.span == pytest.approx(64 / 1.25**2) and view.zoom.x > (64 - view.zoom.span) / 2

    def test_signed_values_have_zero_in_the_middle(self, qtbot: QtBot) -> None:
        view = AttentionGrid("a gradient", signed=True)
        qtbot.addWidget(view)
        view.set_matrix(np.array([[-0.5, 0.2], [0.0, 0.1]]), Labels(["a", "b"], ["special"] * 2))
        assert view.color_range == (-0.5, 0.5)


class TestAtlas:
    def test_effects_are_drawn_in_their_places_on_their_own_scale(self, qtbot: QtBot) -> None:
        atlas = HeadAtlas()
        qtbot.addWidget(atlas)
        atlas.resize(290, 300)
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

    def test_24_by_16_heads_in_groups_all_have_a_place(self, qtbot: QtBot) -> None:
        atlas = HeadAtlas()
        qtbot.addWidget(atlas)
        atlas.set_heads(np.zeros((24, 16, 8, 8), dtype=np.float32))
        heads = list(np.ndindex(24, 16))
        atlas.set_groups([("one", tuple(heads[:5])), ("other", tuple(heads[5:]))])
        atlas.resize(290, atlas.heightForWidth(290))
        rects = [atlas.cell_rect(*spot) for spot in heads]
        assert all(rect.right() <= 290 and rect.bottom() <= atlas.height() for rect in rects)
        assert not any(one.intersects(other) for i, one in enumerate(rects[:40]) for other in rects[i + 1 : 60])


def test_lines_know_their_tokens_and_grow_with_them(qtbot: QtBot) -> None:
    view = LinesPicture("lines")
    qtbot.addWidget(view)
    links = strongest_links(np.full((400, 400), 1 / 400), most=1500)
    assert (len(links.weights), links.fitting) == (1500, 160_000)
    lines = HeadLines((0, 0), links, "curve_train", Qt.PenStyle.SolidLine)
    view.set_lines([lines], ["token"] * 400, ["special"] * 400)
    view.resize(500, view.sizeHint().height())
    view.show()
    assert view.height() >= 400 * 15
    with qtbot.waitSignal(view.clicked) as caught:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(20, round(view.row_y(333))))
    assert caught.args[0] == 333
    view.set_row(333)
    with qtbot.waitSignal(view.clicked) as caught:
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert caught.args[0] == 334


def test_strips_have_a_scale_each_and_tell_their_bars(qtbot: QtBot) -> None:
    strips = BarStrips("steps")
    qtbot.addWidget(strips)
    strips.resize(400, 300)
    masked = np.array([1.0, -np.inf, 3.0])
    strips.set_strips([Strip("one", "2", np.array([-1.0, 2.0])), Strip("two", "", masked, ["a", "b", "c"], 2)])
    strips.show()
    assert strips.strips[0].ends == (-1.0, 2.0) and strips.strips[1].ends == (0.0, 3.0)
    with qtbot.waitSignal(strips.hovered) as caught:
        QTest.mouseMove(strips, strips.bar_rect(1, 1).center().toPoint())
    assert caught.args == [(1, 1)]


def test_numbers_of_a_column_are_as_fine_as_its_bars(qtbot: QtBot) -> None:
    view = CheckBars()
    qtbot.addWidget(view)
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


def test_numbers_with_many_decimals_have_room(qtbot: QtBot) -> None:
    view = CheckBars()
    qtbot.addWidget(view)
    values = np.array([-0.000888, 0.000444])
    view.set_columns(
        "a looks at", ["a", "b"], [Column(name, values, True) for name in ("Attention", "Gradient", "Removal")]
    )
    view.resize(400, view.sizeHint().height())
    view.show()
    assert faults(view) == []


def test_colours_of_a_long_text_reach_to_what_is_usual_but_never_to_rounding_errors(looks: QApplication) -> None:
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
