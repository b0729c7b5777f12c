"""The view "Swap in": what comes back where one place is swapped, as the engine computes it cell by cell."""

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.rooms.layers.room import LayersRoom
from app.rooms.layers.swap_view import SwapView
from app.shell.window import Window
from app.state.baseline import ComparisonOffer, OtherText
from bertcore.analysis.passes import as_text
from bertcore.analysis.patching import patched_at
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.model.tap import Intervention
from tests.app.conftest import TEXT_A, TIMEOUT_MS, settle

OURS, THEIRS = "The cat sat on the [MASK].", "The dog sat on the [MASK]."


@pytest.fixture
def view(window: Window, qtbot: QtBot) -> SwapView:
    room = window.open_room("layers")
    assert isinstance(room, LayersRoom)
    view = room.open_view("swap")
    assert isinstance(view, SwapView)
    settle(window, qtbot)
    return view


def compare(window: Window, view: SwapView, ours: str, theirs: str, qtbot: QtBot) -> None:
    view.comparison_wanted.emit(ComparisonOffer(OtherText(theirs, ""), text=ours))
    settle(window, qtbot)
    qtbot.waitUntil(lambda: view.maps.answer is not None or not view.maps.is_running, timeout=TIMEOUT_MS)


def test_each_cell_is_a_pass_with_one_place_swapped(view: SwapView, window: Window, qtbot: QtBot) -> None:
    compare(window, view, OURS, THEIRS, qtbot)
    maps, reading, chosen = view.maps.answer, window.state.reading, view.chosen
    assert maps is not None and reading is not None and reading.baseline is not None and chosen is not None
    model = load_checkpoint(reading.request.model.folder).model
    text, other = (as_text(model, one.request.input_ids, one.request.segments) for one in (reading, reading.baseline))
    with torch.inference_mode():
        scores = [float(chosen.target.of(model, one.hidden(model))) for one in (text, other)]
        for row, column in ((0, 2), (1, 2), (2, 6)):
            tap = Intervention(patched_at(model, other, "state", row, column))
            score = float(chosen.target.of(model, text.hidden(model, tap=tap)))
            share = (score - scores[0]) / (scores[1] - scores[0])
            assert view.states.values is not None
            assert view.states.values[row, column] == pytest.approx(share, abs=1e-3)
    assert view.heads.values is not None and np.allclose(view.heads.values, maps.heads.shares)
    assert view.states.columns.texts[2] == "cat → dog" and view.states.columns.texts[1] == "the"


def test_the_word_that_gains_is_asked_about_first(view: SwapView, window: Window, qtbot: QtBot) -> None:
    compare(window, view, OURS, THEIRS, qtbot)
    chosen, maps = view.chosen, view.maps.answer
    assert chosen is not None and chosen.target.against is not None and maps is not None
    assert maps.states.other > maps.states.text
    view.target.setCurrentIndex(1)
    view.target.activated.emit(1)
    qtbot.waitUntil(lambda: view.maps.answer is not None and view.maps.answer is not maps, timeout=TIMEOUT_MS)
    assert view.chosen is not None and view.chosen.target.against is None


def test_a_click_on_a_place_says_what_it_brings_back(view: SwapView, window: Window, qtbot: QtBot) -> None:
    compare(window, view, OURS, THEIRS, qtbot)
    view.states.clicked.emit((0, 2), Qt.KeyboardModifier.NoModifier)
    assert "“dog” swapped in" in view.cell.text() and window.state.focus == 2
    view.heads.clicked.emit((1, 0), Qt.KeyboardModifier.NoModifier)
    assert (window.state.layer, window.state.head) == (1, 0)
    figure = view._states_figure()
    assert figure is not None and set(figure.numbers) == {"share", "target"}


@pytest.mark.parametrize(
    ("ours", "theirs", "title"),
    [
        (OURS, "The dog sat on the big [MASK].", "differ in length"),
        ("The cat sat.", "The dog sat.", "No prediction"),
    ],
)
def test_what_cannot_be_swapped_is_said(
    view: SwapView, window: Window, qtbot: QtBot, ours: str, theirs: str, title: str
) -> None:
    compare(window, view, ours, theirs, qtbot)
    assert title in view.nothing_title.text() and view.nothing_text.isVisible()


def test_equal_texts_have_no_difference_to_locate(view: SwapView, window: Window, qtbot: QtBot) -> None:
    compare(window, view, OURS, OURS, qtbot)
    qtbot.waitUntil(lambda: bool(view.maps.sentence), timeout=TIMEOUT_MS)
    assert "no difference to locate" in view.maps.sentence


def test_without_another_text_it_offers_two(view: SwapView, window: Window, qtbot: QtBot) -> None:
    assert view.try_it.isVisible() and "same length" in view.nothing_text.text()
    view.try_it.click()
    settle(window, qtbot)
    assert isinstance(window.state.baseline, OtherText) and window.state.text_a != TEXT_A
