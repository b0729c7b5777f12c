"""What a figure says of itself is what its numbers are of, not what happens to be chosen in the window."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.rooms.predict.fill_view import ORDERS, FillView
from app.rooms.predict.surprise_view import SurpriseView
from app.shell.window import Window
from app.state.token_units import MERGING
from app.state.what_if import WhatIf
from tests.app import attend_room
from tests.app.conftest import TEXT_A, TEXT_B, TIMEOUT_MS, settle
from tests.app.family_models import save_family
from tests.app.predict_room import MASKS, answered, figure_of, page, predict

OFF = WhatIf(heads_off=frozenset({(1, 2)}))
SAID_OFF = "head 2·3 off"
Opener = Callable[[Path | str], Window]


def test_effects_are_said_to_be_of_the_model_as_it_is(window: Window, qtbot: QtBot) -> None:
    """The pictures under them are of the model as it is changed."""
    room = attend_room.attend(window, qtbot)
    window.state.set_masks((2,))
    window.state.set_what_if(OFF)
    settle(window, qtbot)
    room.heads_card.open("effects")
    attend_room.answered(window, room, qtbot)
    figure = room.heads_card.atlas_figure()
    assert figure is not None and "effect" in figure.numbers
    assert SAID_OFF in figure.caption and "squares: of the model as it is" in figure.caption


def test_surprise_is_of_the_text_as_typed(window: Window, qtbot: QtBot) -> None:
    window.state.set_what_if(OFF)
    figure = figure_of(page(SurpriseView, window, qtbot))
    assert figure is not None and TEXT_A in figure.caption and SAID_OFF in figure.caption
    assert "masked:" not in figure.caption


def test_likeness_is_of_the_sentences_as_typed_and_the_model_as_it_is(
    open_window: Opener, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(save_family("minilm", tmp_path / "minilm"))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text(TEXT_A, TEXT_B)
    window.state.set_token_view(words=True)
    window.state.set_what_if(OFF)
    room = predict(window, qtbot, (2,))
    qtbot.waitUntil(lambda: figure_of(room.words_view.pair) is not None, timeout=TIMEOUT_MS)
    figure, said = figure_of(room.words_view.pair), room.words_view.pair.verdict
    assert figure is not None and "cosine" in figure.numbers and TEXT_A in figure.caption
    assert not any(part in figure.caption for part in ("masked:", SAID_OFF, MERGING))
    room.words_view.pair.swap.click()
    answered(window, qtbot)
    assert [one.verdict for one in room.words_view.pair.pairs] == [said]
    room.words_view.similarity.clear()  # another text: the former pair's verdict is on show until this one's comes
    assert figure_of(room.words_view.pair) is None


def test_the_verdict_of_a_head_is_of_what_it_read(window: Window, qtbot: QtBot) -> None:
    window.state.set_what_if(OFF)
    room = predict(window, qtbot, (2,))
    figure, said = figure_of(room.words_view.pair), room.words_view.pair.verdict
    assert figure is not None and "masked: 2" in figure.caption and SAID_OFF in figure.caption
    room.words_view.pair.swap.click()
    answered(window, qtbot)
    assert [one.verdict for one in room.words_view.pair.pairs] == [f"{said} (with changes)"]


def test_the_order_of_filling_is_that_of_the_steps(window: Window, qtbot: QtBot) -> None:
    """Not the one that is chosen by now."""
    view = page(FillView, window, qtbot)

    def said() -> str:
        figure = figure_of(view)
        assert figure is not None
        return figure.hint

    view.order.setCurrentText(ORDERS["clicks"])
    for position in (MASKS[2], MASKS[0]):
        tokens = view.charts["text"]
        QTest.mouseClick(tokens, Qt.MouseButton.LeftButton, pos=tokens.rect_of(position).center().toPoint())
        answered(window, qtbot)
    view.order.setCurrentText(ORDERS["most certain first"])
    view.order.activated.emit(1)
    assert said() == ORDERS["clicks"]
    view.next.click()
    answered(window, qtbot)
    assert len(view.steps) == 3 and said() == "in mixed order"
    view.undo.click()
    assert said() == ORDERS["clicks"]
    view.restart.click()
    view.all.click()
    answered(window, qtbot)
    assert said() == ORDERS["most certain first"]
