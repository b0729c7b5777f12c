"""The token strip with more tokens than it has lines for."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.widgets.token_strip import Chip, TokenStrip


@pytest.mark.usefixtures("looks")
def test_the_mouse_over_tokens_does_not_scroll_back_to_the_clicked_one(qtbot: QtBot) -> None:
    strip = TokenStrip()
    qtbot.addWidget(strip)
    strip.resize(600, 40)
    strip.show()
    strip.set_chips([Chip(f"word{i}", i, 0, "segment_a", str) for i in range(300)])
    strip.set_selection(299, 299)
    bar = strip.verticalScrollBar()
    assert bar.value() > 0
    bar.setValue(0)
    for hovered in (2, 3, 299):  # 299: the mouse has left the strip
        strip.set_selection(hovered, 299)
        assert bar.value() == 0
    strip.set_selection(298, 298)
    assert bar.value() > 0
    bar.setValue(0)
    strip.set_selection(1, None)
    strip.set_selection(298, 298)
    assert bar.value() > 0
