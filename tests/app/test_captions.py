"""What a figure says of itself is what its numbers are of, not what happens to be chosen in the window."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.rooms.predict.fill_view import ORDERS
from app.shell.window import Window
from app.state.token_units import MERGING
from app.state.what_if import WhatIf
from tests.app import attend_room
from tests.app.conftest import TEXT_A, TEXT_B, Opener, answered, settle, wait_until
from tests.app.family_models import save_family
from tests.app.predict_room import MASKS, figure_of, page, predict

OFF = WhatIf(heads_off=frozenset({(1, 2)}))
SAID_OFF = "head 2·3 off"


def test_effects_are_said_to_be_of_the_model_as_it_is(window: Window) -> None:
    """The pictures under them are of the model as it is changed."""
    room = attend_room.attend(window)
    window.state.set_masks((2,))
    window.state.set_what_if(OFF)
    settle(window)
    room.heads_card.open("effects")
    answered(window)
    figure = room.heads_card.atlas_figure()
    assert figure is not None and "effect" in figure.numbers
    assert SAID_OFF in figure.caption and "squares: of the model as it is" in figure.caption


def test_surprise_is_of_the_text_as_typed(window: Window) -> None:
    window.state.set_what_if(OFF)
    figure = figure_of(page("surprise", window))
    assert figure is not None and TEXT_A in figure.caption and SAID_OFF in figure.caption
    assert "masked:" not in figure.caption


def test_likeness_is_of_the_sentences_as_typed_and_the_model_as_it_is(open_window: Opener, tmp_path: Path) -> None:
    window = open_window(save_family("minilm", tmp_path / "minilm"), TEXT_A, TEXT_B)
    window.state.set_token_view(words=True)
    window.state.set_what_if(OFF)
    room = predict(window, (2,))
    wait_until(lambda: figure_of(room.words_view.pair) is not None)
    figure, said = figure_of(room.words_view.pair), room.words_view.pair.verdict
    assert figure is not None and "cosine" in figure.numbers and TEXT_A in figure.caption
    assert not any(part in figure.caption for part in ("masked:", SAID_OFF, MERGING))
    room.words_view.pair.swap.click()
    answered(window)
    assert [one.verdict for one in room.words_view.pair.pairs] == [said]
    room.words_view.similarity.clear()  # another text: the former pair's verdict is on show until this one's comes
    assert figure_of(room.words_view.pair) is None


def test_the_verdict_of_a_head_is_of_what_it_read(window: Window) -> None:
    window.state.set_what_if(OFF)
    room = predict(window, (2,))
    figure, said = figure_of(room.words_view.pair), room.words_view.pair.verdict
    assert figure is not None and "masked: 2" in figure.caption and SAID_OFF in figure.caption
    room.words_view.pair.swap.click()
    answered(window)
    assert [one.verdict for one in room.words_view.pair.pairs] == [f"{said} (with changes)"]


def test_the_order_of_filling_is_that_of_the_steps(window: Window) -> None:
    """Not the one that is chosen by now."""
    view = page("fill", window)

    def said() -> str:
        figure = figure_of(view)
        return figure.hint

    view.order.setCurrentText(ORDERS["clicks"])
    for position in (MASKS[2], MASKS[0]):
        tokens = view.charts["text"]
        QTest.mouseClick(tokens, Qt.MouseButton.LeftButton, pos=tokens.rect_of(position).center().toPoint())
        answered(window)
    view.order.setCurrentText(ORDERS["most certain first"])
    view.order.activated.emit(1)
    assert said() == ORDERS["clicks"]
    view.next.click()
    answered(window)
    assert len(view.steps) == 3 and said() == "in mixed order"
    view.undo.click()
    assert said() == ORDERS["clicks"]
    view.restart.click()
    view.all.click()
    answered(window)
    assert said() == ORDERS["most certain first"]
