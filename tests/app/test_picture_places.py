"""Where the parts of a saved picture stand, when some of them are longer than the window and scroll."""

from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.figures.figure import picture_of
from app.shell.window import Window
from app.widgets.card import scrolled
from tests.app.conftest import settle


class Patch(QWidget):
    """So high, and of one colour."""

    def __init__(self, color: str, height: int) -> None:
        super().__init__()
        self.color = QColor(color)
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.color)


@pytest.mark.parametrize("scrolled_by", [0, 10_000])
def test_what_scrolls_is_drawn_in_full_and_covers_nothing(looks: QApplication, qtbot: QtBot, scrolled_by: int) -> None:
    column = QWidget()
    above, tall, below = Patch("red", 20), Patch("lime", 500), Patch("blue", 30)
    area = scrolled(tall)
    layout = QVBoxLayout(column)
    for widget in (above, area, below):
        layout.addWidget(widget)
    qtbot.addWidget(column)
    column.resize(200, 300)
    column.show()
    area.verticalScrollBar().setValue(scrolled_by)
    picture = picture_of([above, tall, below])
    image = QImage(picture.width, picture.height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    picture.paint(painter)
    painter.end()
    seen = [image.pixelColor(100, y).name() for y in range(image.height())]
    for color, height in (("red", 20), ("lime", 500), ("blue", 30)):
        assert seen.count(QColor(color).name()) == height, color


def test_lines_of_a_long_text_are_saved_above_their_legend(window: Window) -> None:
    room: Any = window.open_room("attend")
    window.state.set_text("the cat sat on the mat " * 12, "")
    page = room.open_view("lines")
    settle(window)
    assert page.picture.height() > page.height()
    figure = room.view.figure_of("room")
    assert figure.picture.height >= page.picture.height() + page.legend.height()
