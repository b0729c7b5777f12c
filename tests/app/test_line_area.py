"""Where a column scrolls, its lower edge cuts no line of words in two."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.rooms.attend.head_panels import HeadLinks
from app.widgets.card import intro_line, label, scrolled
from app.widgets.charts.bars import Bar, BarList
from app.widgets.layouts import vbox
from tests.app.conftest import handle_events, wait_until

LINES = "\n".join(f"line {number} of these words" for number in range(30))


def _links() -> QWidget:
    made = HeadLinks("Heads")
    made.show_rows([(f"kind {row}", [((row, head), "0.5") for head in range(12)], "") for row in range(6)])
    return made


def _bars() -> QWidget:
    made = BarList("Bars")
    made.set_bars([Bar(f"word {row}", "0.5", 0.5) for row in range(20)])
    return made


def _buttons() -> QWidget:
    made = QWidget()
    vbox(*(QPushButton(f"Button {number}") for number in range(12)), parent=made, gap_px=6)
    return made


MADE: dict[str, Callable[[], QWidget]] = {
    "plain": lambda: label(LINES, wrap=True),
    "links": _links,
    "linked": lambda: intro_line("The attention of a head says where a token looks. " * 30),
    "bars": _bars,
    "buttons": _buttons,
}


@pytest.mark.parametrize("kind", MADE)
def test_the_lower_edge_is_between_two_lines(kind: str, looks: QApplication, qtbot: QtBot) -> None:
    inside = QWidget()
    vbox(MADE[kind](), None, parent=inside)
    area = scrolled(inside)
    qtbot.addWidget(area)
    area.resize(260, 200)
    area.show()
    wait_until(lambda: area.verticalScrollBar().maximum() > 0)
    heights = set()
    for height in range(150, 190, 3):
        area.resize(260, height)
        for value in (0, 13, 40):
            area.verticalScrollBar().setValue(value)
            handle_events()
            edge = area.verticalScrollBar().value() + area.viewport().height()
            assert not _cuts_ink(inside, edge), (height, value)
        heights.add(area.viewport().height())
    assert len(heights) > 1  # line by line, it shows more in a higher window


def test_at_the_end_everything_is_seen(looks: QApplication, qtbot: QtBot) -> None:
    inside = QWidget()
    last = QLabel("the last line")
    vbox(label(LINES, wrap=True), last, parent=inside)
    area = scrolled(inside)
    qtbot.addWidget(area)
    area.resize(260, 173)
    area.show()
    bar = area.verticalScrollBar()
    wait_until(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    handle_events()
    assert area.viewport().height() == 173 and not last.visibleRegion().isEmpty()
    assert last.visibleRegion().boundingRect().height() == last.height()


def test_what_fits_is_left_alone(looks: QApplication, qtbot: QtBot) -> None:
    area: QScrollArea = scrolled(label("one line"))
    qtbot.addWidget(area)
    area.resize(260, 173)
    area.show()
    handle_events()
    assert area.viewport().height() == 173


def _cuts_ink(content: QWidget, y: int) -> bool:
    """Whether something is drawn across the line between two rows of pixels."""
    picture = content.grab().toImage()
    if y >= picture.height():
        return False
    empty = picture.pixel(picture.width() - 1, y)
    return any(picture.pixel(x, y - 1) != empty != picture.pixel(x, y) for x in range(picture.width()))
