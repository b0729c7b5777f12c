"""Side cards that fold away beside a picture."""

from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.folding_card import Folded
from app.widgets.layouts import hbox


def test_one_of_two_cards_is_open_at_a_time(looks: QApplication, qtbot: QtBot) -> None:
    row = QWidget()
    qtbot.addWidget(row)
    left, right = Folded(QLabel("left"), "Left"), Folded(QLabel("right"), "Right")
    hbox(left, right, parent=row)
    for each in (left, right):
        each.set_foldable(True)
    assert left.card.isHidden() and right.card.isHidden()
    left.unfold()
    assert not left.card.isHidden()
    right.tab.click()
    assert left.card.isHidden() and not right.card.isHidden()


def test_cards_that_do_not_fold_stay_open(looks: QApplication, qtbot: QtBot) -> None:
    row = QWidget()
    qtbot.addWidget(row)
    left, right = Folded(QLabel("left"), "Left"), Folded(QLabel("right"), "Right")
    hbox(left, right, parent=row)
    right.set_foldable(True)
    right.unfold()
    assert not left.card.isHidden() and not right.card.isHidden()
