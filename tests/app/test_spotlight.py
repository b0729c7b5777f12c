"""The ring of a lesson: around what is to be seen of a widget, which is scrolled into view for it."""

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.lessons.spotlight import Spotlight
from app.widgets.highlights import HIGHLIGHTS
from tests.app.conftest import handle_events, wait_until


def test_a_widget_beyond_the_edge_is_scrolled_into_view_and_the_ring_stays_inside(
    looks: QApplication, qtbot: QtBot
) -> None:
    over, card, wide = QWidget(), QWidget(), QWidget()
    qtbot.addWidget(over)
    over.resize(500, 200)
    area = QScrollArea(over)
    area.setGeometry(0, 0, 300, 200)
    wide.setFixedSize(900, 100)
    area.setWidget(wide)
    name = next(iter(HIGHLIGHTS))
    card.setParent(wide)
    card.setObjectName(name)
    card.setGeometry(600, 0, 250, 80)
    over.show()
    names = [name]
    spotlight = Spotlight(over, area, lambda: names[-1:] if names[-1] else [])
    wait_until(lambda: spotlight.targets == [card])
    assert area.horizontalScrollBar().value() >= 550
    ring = spotlight._rect_of(card)
    assert QRect(0, 0, 300, 200).contains(ring) and ring.width() >= 240
    area.horizontalScrollBar().setValue(0)
    spotlight.update_spots()
    handle_events()
    assert area.horizontalScrollBar().value() == 0  # a person may scroll elsewhere
    assert spotlight._rect_of(card).isEmpty()
    area.horizontalScrollBar().setValue(500)
    names.append("")
    spotlight.update_spots()
    wait_until(lambda: spotlight.targets == [])
    assert area.horizontalScrollBar().value() == 0  # the room begins at its top, with its tabs


def test_a_widget_that_is_hidden_for_a_while_gets_its_ring_back(looks: QApplication, qtbot: QtBot) -> None:
    over, card, bright = QWidget(), QWidget(), QWidget()
    qtbot.addWidget(over)
    over.resize(400, 200)
    inside = QWidget(over)
    inside.resize(400, 200)
    first, second = QWidget(inside), QWidget(inside)
    for widget, name, left in ((first, "tokens", 10), (second, "prediction", 120)):
        widget.setObjectName(name)
        widget.setGeometry(left, 10, 100, 50)
    bright.setParent(over)
    card.setParent(over)
    over.show()
    spotlight = Spotlight(over, bright, lambda: ("tokens", "prediction"))
    wait_until(lambda: spotlight.targets == [first, second])
    picture = over.grab().toImage()
    first.hide()
    wait_until(lambda: spotlight.targets == [second])
    assert over.grab().toImage() != picture
    first.show()  # nothing tells the spotlight but the widget itself
    wait_until(lambda: spotlight.targets == [first, second])
    assert over.grab().toImage() == picture
    second.setParent(None)
    second.deleteLater()
    wait_until(lambda: spotlight.targets == [first])
