"""Which words decided, as it is saved: each sentence once, and no minus before nothing."""

from __future__ import annotations

import re

import pytest
from pytestqt.qtbot import QtBot

from app.figures.files import svg, table
from app.rooms.predict.decided_page import DecidedPage
from app.rooms.predict.numbers import signed
from app.shell.window import Window
from tests.app.predict_room import page, predict


def test_what_the_parts_add_up_to_is_said_once(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    view = page(room, DecidedPage, "decided", window, qtbot)
    card = view.cards["integrated"]
    figure = card._figure()
    assert figure is not None and card.said.text() in figure.caption
    words = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg(figure).decode()))
    assert words.count("completeness") == 1
    assert "completeness" in table(figure)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (-0.0, 2, "0.00"),
        (0.0, 2, "0.00"),
        (-0.00004, 4, "0.0000"),
        (0.004, 2, "0.00"),
        (-0.006, 2, "−0.01"),
        (1.5, 1, "+1.5"),
    ],
)
def test_what_rounds_to_nothing_has_no_sign(value: float, digits: int, text: str) -> None:
    assert signed(value, digits) == text
