"""The rooms beside a lesson on a projector: no page of any lesson cuts words off, squeezes them or scrolls sideways."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.lessons.shipped import in_language, shipped_files
from app.look import language
from app.rooms.attend.large_card import SPECS
from app.shell.window import Window
from app.widgets.folding_card import FoldingCard
from bertcore.locations import built_in_checkpoint
from tests.app.conftest import Opener, wait_until
from tests.app.layout_check import faults
from tests.app.layout_walk import SIZE, is_drawn

FILES = shipped_files()
EVERY = [
    pytest.param(
        code, file, id=f"{code}-{file.stem}", marks=() if (code, file) == ("de", FILES[0]) else pytest.mark.slow
    )
    for code in language.LANGUAGES
    for file in FILES
]


@pytest.fixture
def projected(open_window: Opener) -> Window:
    window = open_window(built_in_checkpoint())
    wait_until(lambda: window.state.reading is not None)
    window.appearance.set_look(projector=True)
    window.resize(SIZE)
    return window


@pytest.mark.parametrize(("code", "file"), EVERY)
def test_every_page_has_room(code: str, file: Path, projected: Window, qapp: QApplication) -> None:
    language.install(qapp, code)
    projected._rebuild()
    projected.lessons.open(in_language(file))
    player = projected.lessons.player
    assert player is not None and player.lesson is not None
    found = {}
    for number in range(len(player.lesson.pages)):
        player.go(number)
        wait_until(lambda: player.start is not None)
        wait_until(lambda: is_drawn(projected))
        if wrong := faults(projected, SIZE):
            found[number + 1] = wrong
    assert found == {}


def test_the_rail_shows_icons_alone_while_a_card_is_beside_the_room(projected: Window) -> None:
    rail = projected.frame.rail
    wide = rail.width()
    projected.lessons.open(FILES[0])
    wait_until(lambda: rail.width() < 0.7 * wide)
    projected.lessons.close()
    wait_until(lambda: rail.width() == wide)


def test_one_list_has_all_views_of_attention_while_a_card_is_beside_the_room(projected: Window) -> None:
    room = projected.open_room("attend")
    large = room.large
    wait_until(large.buttons.buttons["matrix"].isVisible)
    assert not large.every.isVisible()
    projected.lessons.open(FILES[0])
    projected.open_room("attend")
    wait_until(large.every.isVisible)
    assert not any(tab.isVisible() for tab in large.buttons.buttons.values())
    for index, spec in enumerate(SPECS):
        large.every.activated.emit(index)
        assert room.views.key == spec.key and large.every.currentIndex() == index
        assert spec.shown_title in large.every.currentText()


def test_a_card_that_a_page_has_opened_closes_with_it(projected: Window) -> None:
    projected.lessons.open(FILES[0])
    player, name = projected.lessons.player, "attend.heads"
    assert player is not None and player.lesson is not None
    spots = [page.highlights for page in player.lesson.pages]
    at = next(number for number, names in enumerate(spots) if name in names)
    assert name not in spots[at + 1]
    player.go(at)
    wait_until(lambda: _opened(projected) == [name])
    player.go(at + 1)
    wait_until(lambda: _opened(projected) == [])


def _opened(window: Window) -> list[str]:
    folds = window.frame.findChildren(FoldingCard)
    return [fold.card.objectName() for fold in folds if not fold.tab.isHidden() and fold.tab.isChecked()]
