"""Views for experts are behind More, and still there for the command list and for lessons."""

import pytest

from app.shell.window import Window
from tests.app.conftest import settle


@pytest.mark.parametrize(
    ("room_key", "expert", "student"), [("layers", "neurons", "hidden"), ("predict", "attribution", "words")]
)
def test_a_view_for_experts_has_a_tab_when_it_is_wanted(
    window: Window, room_key: str, expert: str, student: str
) -> None:
    room = window.open_room(room_key)
    settle(window)
    keys = [spec.key for spec in room.specs]
    assert room.tabs.isTabVisible(keys.index(student)) and not room.tabs.isTabVisible(keys.index(expert))
    room.more.click()
    assert room.tabs.isTabVisible(keys.index(expert))
    room.more.click()
    window.open_view(room_key, expert)
    assert room.view is room.get_view(expert) and room.tabs.isTabVisible(keys.index(expert))


def test_a_matrix_for_experts_is_chosen_in_its_row(window: Window) -> None:
    """Flow was shown without its tab."""
    room = window.open_room("attend")
    settle(window)
    tabs = room.large.matrices
    flow = [spec.key for spec in room.specs].index("flow")
    assert not tabs.isTabVisible(flow)
    room.open_view("flow")
    assert tabs.isTabVisible(flow) and tabs.currentIndex() == flow and tabs.tabRect(flow).width() > 20
    assert tabs.rect().contains(tabs.tabRect(flow))


def test_check_and_effects_come_with_a_click_on_more(window: Window) -> None:
    room = window.open_room("attend")
    settle(window)
    assert not room.large.buttons.buttons["check"].isVisible()
    room.large.buttons.more.click()
    assert room.large.buttons.buttons["check"].isVisible()
    room.large.buttons.more.click()
    room.open_view("check")
    assert room.views.key == "check" and room.heads_card.panels.key == "effects"
    assert room.heads_card.buttons.buttons["effects"].isVisible()
