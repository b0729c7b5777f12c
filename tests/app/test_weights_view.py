"""The view "Weights": what training changed, against differences computed here; what it offers without a baseline."""

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.runs.stages import start_of
from app.state.baseline import OtherModel, OtherText
from app.widgets.figure_button import FigureButton
from bertcore.checkpoint.weights import read_safetensors
from bertcore.locations import BUILT_IN, GERMAN, TINY, TUNED, assets, shipped_checkpoint, tuned_models
from tests.app.conftest import compare, make_run, read_text, settle, shown_view, wait_until

FIRST = assets() / "runs" / TINY / "snapshots" / "step-00000000"
needs_tuned = pytest.mark.skipif(TUNED[0] not in tuned_models(), reason="no fine-tuned model ships here")


@pytest.fixture
def tiny(open_window):
    return open_window(TINY, "It was 20 degrees in the city.")


@pytest.fixture
def view(tiny):
    return shown_view(tiny, "layers", "weights")


def test_the_start_of_its_training_is_offered_and_each_part_is_the_norm_of_what_changed(view, tiny, qtbot):
    assert view.from_start.isVisible() and not view.try_tiny.isVisible()
    qtbot.mouseClick(view.from_start, Qt.MouseButton.LeftButton)
    settle(tiny)
    wait_until(lambda: view.asked["changes"].answer is not None)
    before, after = (read_safetensors(folder / "model.safetensors") for folder in (FIRST, shipped_checkpoint(TINY)))
    word = "bert.embeddings.word_embeddings.weight"
    query = [f"bert.encoder.layer.1.attention.self.query.{kind}" for kind in ("weight", "bias")]
    change = sum(float(((after[n].double() - before[n].double()) ** 2).sum()) for n in query) ** 0.5
    length = sum(float((before[n].double() ** 2).sum()) for n in query) ** 0.5
    values = view.charts["parts"].values
    assert values.shape == (2, 7)
    assert values[1, 0] == pytest.approx(change / length, rel=1e-5)
    moved = (after[word].double() - before[word].double()).norm(dim=1).numpy()
    shown = view.asked["changes"].answer.words
    assert shown[0].id == int(np.argmax(moved)) and shown[0].distance == pytest.approx(float(moved.max()))
    for figure in view.cards["parts"], view.cards["words"]:
        made = figure.findChildren(FigureButton)[0].figure()
        assert made.numbers and "step 0" in made.caption
    view.unit.setCurrentIndex(1)
    assert view.charts["parts"].values[1, 0] == pytest.approx(change, rel=1e-5)


def test_a_word_shows_its_neighbours_of_now_and_of_before_and_is_selected_in_the_text(view, tiny):
    compare(tiny, OtherModel(str(FIRST)))
    wait_until(lambda: view.asked["changes"].answer is not None)
    row = next(i for i, word in enumerate(view.asked["changes"].answer.words) if word.token == "celsius")
    view.charts["words"].clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    wait_until(lambda: "degrees" in view.near.text())
    now, before = view.near.text().split("Before:")
    assert "degrees" in now and "degrees" not in before
    read_text(tiny, "It was 20 celsius.", "")
    view.charts["words"].clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    assert tiny.state.encoding.tokens[tiny.state.focus] == "celsius"


def test_two_shapes_and_two_texts_have_no_changes_and_it_says_why(view, tiny):
    compare(tiny, OtherModel(None))
    wait_until(lambda: re.search("[26] layers", view.nothing_text.text()) is not None)
    assert view.from_start.isVisible()
    compare(tiny, OtherText("It was cold.", ""))
    assert view.shows_nothing and "layers" not in view.nothing_text.text()


def test_the_tab_is_there_while_something_is_compared(tiny):
    room = tiny.open_room("layers")
    tabs = [spec.key for spec in room.specs if spec.is_about_baseline]
    at = [[spec.key for spec in room.specs].index(key) for key in tabs]
    assert tabs == ["apart", "weights"] and not any(room.tabs.isTabVisible(index) for index in at)
    tiny.state.set_baseline(OtherText("It was cold.", ""))
    assert all(room.tabs.isTabVisible(index) for index in at)
    tiny.state.set_baseline(None)
    assert not any(room.tabs.isTabVisible(index) for index in at)


@needs_tuned
def test_of_a_fine_tuned_model_the_start_is_the_model_it_was_made_from():
    assert start_of(shipped_checkpoint(TUNED[0])) == shipped_checkpoint(BUILT_IN)
    assert start_of(shipped_checkpoint(TINY)) == FIRST.resolve()
    assert start_of(FIRST) is None and start_of(shipped_checkpoint(GERMAN)) is None, "no snapshots of it ship"


def test_from_the_list_of_runs_one_click_compares_with_where_it_began(open_window, own_home):
    run = make_run(own_home / "runs" / "stories", (0, 10, 40))
    window = open_window(TINY, "")
    train = window.open_room("train")
    info = next(one for one in window.services.runs.runs if one.path == run.path)
    texts = {entry[0]: entry[1] for entry in train.run_actions.entries(info) if entry is not None}
    texts["Compare with its start"]()
    settle(window)
    reading, layers = window.state.reading, window.frame.rooms["layers"]
    assert (reading.request.model.step, reading.baseline.request.model.step) == (40, 0)
    assert window.room_key == "layers" and layers.views.key == "weights"
