"""Step by step: a chosen number keeps the colour that says its sign, and a picture has whole cells."""

import re
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.figures.figure import Figure
from app.figures.files import image_of, svg
from app.look import theme
from app.rooms.layers.number_table import MOST_WHOLE, NumberTable, short
from app.shell.window import Window
from app.widgets.figure_button import FigureButton
from tests.app.conftest import settle, shown_view, wait_until


@pytest.fixture
def view(window: Window) -> Any:
    return shown_view(window, "layers", "steps")


def opened(view: Any, columns: int, window: Window) -> Figure:
    """Of the first step with so many columns, which is open now."""
    key = next(step.key for step in view.steps if step.values.shape[1] == columns)
    if key != view.open_key:
        view.open_step(key)
    settle(window)
    return figure_of(view)


def figure_of(view: Any) -> Any:
    return view.card.findChild(FigureButton).figure()


@pytest.mark.parametrize("theme_name", ["light", "dark"])
@pytest.mark.parametrize("column", [0, 1, 2], ids=["negative", "nothing", "positive"])
def test_the_chosen_cell_is_framed_in_its_own_colour(
    looks: QApplication, qtbot: QtBot, column: int, theme_name: str
) -> None:
    theme.apply(looks, theme_name)
    table = NumberTable()
    qtbot.addWidget(table)
    table.resize(500, 200)
    table.numbers.set_values(np.array([[-0.9, 0.0, 0.67], [-1.0, 0.5, 1.0]]), ["a", "b"], [])
    table.choose(0, column)
    table.show()
    seen, place = table.viewport().grab().toImage(), table.visualRect(table.numbers.index(0, column))
    inside = seen.pixelColor(place.topLeft() + QPoint(5, 5))
    assert inside == table.numbers.fill(float(table.numbers.values[0, column]))
    assert seen.pixelColor(place.topLeft()) == seen.pixelColor(place.bottomRight()) == theme.color("ink")
    other = table.visualRect(table.numbers.index(1, column))
    assert seen.pixelColor(other.bottomRight()) == table.numbers.fill(float(table.numbers.values[1, column]))


def test_a_picture_has_all_rows_and_says_which_columns(view: Any, window: Window) -> None:
    window.resize(1000, 720)
    opened(view, 64, window)
    view.table.horizontalScrollBar().setValue(100)
    shown = view.table.pictured_columns
    assert shown.start == 2 and 0 < len(shown) < 64
    figure = figure_of(view)
    assert figure.hint.endswith(f"columns {shown[0]}–{shown[-1]} of 64")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", svg(figure).decode())
    numbers = view.table.numbers
    for row in numbers.values[:, shown.start : shown.stop]:
        assert all(short(float(value)) in words for value in row)
    tokens = window.state.reading.shown_tokens
    assert words.count(str(shown[-1])) == 1 and set(tokens) <= set(words)
    assert next(iter(figure.numbers.values())).values.shape == numbers.values.shape


def test_a_picture_has_cells_where_scroll_bars_would_be(view: Any, window: Window) -> None:
    opened(view, 64, window)
    figure, table = figure_of(view), view.table
    last = table.numbers.rowCount() - 1, table.pictured_columns[-1]
    table_picture = table.picture()
    image = image_of(figure.__class__("", table_picture, {}, "", ""))
    corner = QPoint(theme.px(16) + table_picture.width - 2, theme.px(16) + table_picture.height - 2)
    expected = table.numbers.fill(float(table.numbers.values[last]))
    assert image.pixelColor(corner * 2) == expected


def test_the_list_ends_below_a_whole_line_once_the_layer_is_computed(view: Any, window: Window) -> None:
    wait_until(lambda: bool(view.headers) and not view._after_layout.isActive())
    QApplication.processEvents()
    viewport = view._area.viewport()
    places = [(header.mapTo(viewport, QPoint(0, 0)).y(), header.height()) for header in view.headers]
    assert places[-1][0] > viewport.height()  # there are more than fit
    assert [top for top, height in places if top < viewport.height() - 4 < viewport.height() < top + height] == []


def test_a_table_with_few_columns_is_pictured_whole(view: Any, window: Window) -> None:
    window.resize(1000, 720)
    tokens = window.state.reading.shown_tokens
    view.open_step("probs")
    settle(window)
    assert len(tokens) <= MOST_WHOLE and view.table.horizontalScrollBar().maximum() > 0
    figure = figure_of(view)
    assert "columns" not in figure.hint
    assert list(view.table.pictured_columns) == list(range(len(tokens)))


def test_nothing_has_no_sign() -> None:
    values = {-0.0: "0.0000", -0.00001: "0.0000", 0.00001: "0.0000"}
    values |= {-0.00148: "−0.0015", -12.345: "−12.345", -123.4: "−123.40"}
    assert {value: short(value) for value in values} == values
