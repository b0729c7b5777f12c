"""The view "Swap in": what comes back where one place is swapped, as the engine computes it cell by cell."""

import re

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt

from app.compute.head_questions import HeadTarget
from app.compute.patching import SwapMap
from app.look import numbers, theme
from app.rooms.layers.swap_sentences import formula_sentence, scores_sentence, swap_sentence
from app.rooms.layers.swap_view import PARTS
from app.state.baseline import OtherText
from app.state.baseline_names import baseline_name
from app.state.what_if import NOTHING_CHANGED, Swap, WhatIf
from app.widgets.charts.cells import LEAST_ROW_PX
from bertcore.analysis.effects import patched_at
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.model.hooks import Intervention
from tests.app.conftest import TEXT_A, compare_texts, make_checkpoint, read_changed, settle, shown_view, wait_until

OURS, THEIRS = "The cat sat on the [MASK].", "The dog sat on the [MASK]."


@pytest.fixture
def empty(window):
    """The view with no other text."""
    return shown_view(window, "layers", "swap")


@pytest.fixture
def view(empty, window):
    """The view with two texts that differ in one word."""
    compare_texts(window, empty, OURS, THEIRS)
    return empty


def choose(view, index):
    """Another prediction to explain."""
    view.result.choice.box.setCurrentIndex(index)
    view.result.choice.box.activated.emit(index)
    wait_until(lambda: not view.is_running)


def click(grid, cell):
    grid.clicked.emit(cell, Qt.KeyboardModifier.NoModifier)


def test_each_cell_is_a_pass_with_one_place_swapped(view, window):
    reading, target, charts = window.state.reading, view.targets.target.target, view.charts
    model = load_checkpoint(reading.request.model.folder).model
    text, other = (as_text(model, one.request.input_ids, one.request.segments) for one in (reading, reading.baseline))
    with torch.inference_mode():
        ours, theirs = (float(target.of(model, one.hidden(model))) for one in (text, other))
        for row, column in ((0, 2), (1, 2), (2, 6)):
            hook = Intervention(patched_at(model, other, "state", row, column))
            share = (float(target.of(model, text.hidden(model, hook=hook))) - ours) / (theirs - ours)
            assert charts["states"].values[row, column] == pytest.approx(share, abs=1e-3)
    assert np.allclose(charts["heads"].values, view.asked["heads"].answer.shares)
    assert charts["states"].columns.texts[1:3] == ["the", "cat → dog"]
    assert target.against is not None and theirs > ours  # the word that gains comes first
    choose(view, 1)
    assert view.targets.target.target.against is None


def test_a_click_on_a_place_says_what_it_brings_back(view, window):
    click(view.charts["states"], (1, 2))
    assert "“dog” after layer 1 swapped in" in view.result.cell.text() and window.state.focus == 2
    click(view.charts["heads"], (1, 0))
    assert (window.state.layer, window.state.head) == (1, 0)
    assert set(view.figure_of("states").numbers) == {"share", "target"}


def test_the_formula_gives_the_share_from_the_odds_that_are_printed(monkeypatch):
    """Of the plain ratios it would be 68%."""
    monkeypatch.setattr(numbers, "_is_technical", False)
    her = HeadTarget("“her” rather than “his”", Target("mlm", 5, 9, against=6), answers=("her", "his"))
    found = SwapMap("state", np.log(1 / 59), np.log(2.2), np.log([[1.5]]), (0,), 0.0)
    scores = scores_sentence(her, found, (OURS, THEIRS))
    cell = swap_sentence(her, Swap("state", 0, 0, OtherText(THEIRS, ""), "woman"), found, 0, is_on=False)
    odds = re.compile(r"“([^”]+)” is ([\d.]+) times as likely as “([^”]+)”")
    assert odds.findall(scores) == [("his", "59", "her"), ("her", "2.2", "his")]
    assert odds.findall(cell) == [("her", "1.5", "his")] and "log scale" in formula_sentence(her)
    assert OURS in scores and THEIRS in scores
    share = (np.log(1.5) - np.log(1 / 59)) / (np.log(2.2) - np.log(1 / 59))
    assert f"{share:.0%} of the way" in cell and f"{share:.0%}" == "92%"


@pytest.mark.parametrize(
    ("ours", "theirs", "title"),
    [(OURS, "The dog sat on the big [MASK].", "differ in length"), ("The cat sat.", "The dog sat.", "No prediction")],
)
def test_what_cannot_be_swapped_is_said(empty, window, ours, theirs, title):
    compare_texts(window, empty, ours, theirs)
    assert title in empty.nothing_title.text() and empty.nothing_text.isVisible()


def test_without_another_text_it_offers_two(empty, window):
    compare_texts(window, empty, OURS, OURS)  # which have no difference to locate
    wait_until(lambda: "no difference to locate" in empty.asked["places"].sentence)
    window.comparison.end()
    settle(window)
    assert empty.try_it.isVisible() and "same length" in empty.nothing_text.text()
    empty.try_it.click()
    settle(window)
    assert isinstance(window.state.baseline, OtherText) and window.state.text_a not in (OURS, TEXT_A)


def test_predict_has_the_number_of_the_cell(view, window):
    choose(view, next(i for i, one in enumerate(view.targets.all) if one.target.against is None))

    def check(chart, found, cell):
        click(view.charts[chart], cell)
        settle(window)
        value = view.targets.target.value(window.state.reading)
        assert window.state.what_if.swap is not None and value == pytest.approx(np.exp(found.patched[cell]), rel=1e-4)

    for part, name in enumerate(PARTS):
        view.part.setCurrentIndex(part)
        view.part.activated.emit(part)
        wait_until(lambda: not view.is_running)
        found = view.asked["places"].answer
        assert found.part == name
        for cell in ((0, 2), (1, 2), (len(found.patched) - 1, 6)):
            check("states", found, cell)
    check("heads", view.asked["heads"].answer, (1, 3))


def test_it_is_compared_with_this_text_and_the_map_stays(view, window):
    found, plain = view.asked["places"].answer, window.state.reading
    before = plain.baseline.trace.hidden_states
    click(view.charts["states"], (1, 2))
    settle(window)
    reading = window.state.reading
    assert np.allclose(reading.trace.hidden_states[1, 2], before[1, 2], atol=1e-6)
    assert np.allclose(reading.trace.hidden_states[1, 1], plain.trace.hidden_states[1, 1], atol=1e-6)
    assert np.array_equal(reading.baseline.trace.hidden_states, plain.trace.hidden_states)
    assert reading.other_text.encoding.text_a == THEIRS
    assert baseline_name(reading) == "no swap" and window.state.wants_difference
    assert view.asked["places"].answer is found and view.charts["states"].selected == (1, 2)
    assert window.frame.strip.field.chips[2].below == "dog swapped in"


@pytest.mark.parametrize("way", ["cell", "chip", "escape", "reset", "undo", "text"])
def test_it_ends(view, window, way):
    window.history.look()
    click(view.charts["states"], (1, 2))
    settle(window)
    chip = window.frame.what_if.swap
    assert chip.isVisible() and chip.text() == "Swapped in: “dog” after layer 1  ×"
    window.history.look()
    ends = {
        "cell": lambda: click(view.charts["states"], (1, 2)),
        "chip": chip.click,
        "escape": window.escape,
        "reset": lambda: window.state.set_what_if(NOTHING_CHANGED),
        "undo": window.history.undo,
        "text": lambda: window.state.set_text("The cat sat on the big [MASK]."),
    }
    ends[way]()
    settle(window)
    reading = window.state.reading
    assert window.state.what_if.swap is None and not chip.isVisible()
    assert window.state.baseline.a == THEIRS and reading.baseline is reading.other_text
    if way == "undo":
        window.history.redo()
        settle(window)
        assert chip.isVisible() and window.state.reading.request.what_if.swap == window.state.what_if.swap


def test_a_mask_is_put_into_both_texts(view, window):
    click(view.charts["states"], (2, 2))
    window.state.toggle_mask(3)
    settle(window)
    wait_until(lambda: not view.is_running)
    reading = window.state.reading
    theirs = reading.other_text
    assert theirs.request.masked == reading.request.masked == (3, 6)
    assert np.allclose(reading.trace.hidden_states[2, 2], theirs.trace.hidden_states[2, 2], atol=1e-6)


def test_other_changes_act_as_well(view, window):
    click(view.charts["states"], (1, 2))
    settle(window)
    read_changed(window, window.state.what_if.with_head(1, 0, True))
    assert window.frame.what_if.text == "What if:  head 2·1 off" and window.frame.what_if.swap.isVisible()
    reading = window.state.reading
    assert "swapped in: “dog” after layer 1" in " ".join(reading.request.what_if.described(reading.shown_tokens))


def test_a_text_of_another_length_is_not_swapped_in(window):
    """A session may ask for it: one sentence says why not, and the text is read without it."""
    read_changed(window, WhatIf(swap=Swap("state", 1, 2, OtherText("Short.", ""))))
    assert window.state.what_if == NOTHING_CHANGED
    assert window.state.reading.unchanged is None and "same number of tokens" in window.frame.banner.text


def test_a_long_text_has_the_tokens_that_matter_first(empty, window, monkeypatch):
    monkeypatch.setattr("app.rooms.layers.swap_view.MOST_S", 0.0)
    view = empty
    compare_texts(window, view, OURS, THEIRS)
    found = view.asked["places"].answer
    assert found.places == (2, 6) and view.charts["states"].columns.texts == ["cat → dog", "[MASK]"]
    assert "2 of 9" in view.some.text() and view.all_places.isVisible()
    assert view.asked["heads"].answer is None and "takes about" in view.lines["heads"].text
    view.asked["heads"].start()
    view.all_places.click()
    assert view.asked["places"].answer is None and view.charts["states"].values is not None, "the known stays on show"
    view.asked["places"].cancel(can_restart=True)
    assert view.charts["states"].columns.texts == ["cat → dog", "[MASK]"] and "Stopped" in view.lines["places"].text
    view.asked["places"].start()
    wait_until(lambda: not view.is_running)
    whole, heads = view.asked["places"].answer, view.asked["heads"].answer
    assert heads is not None and whole.places == tuple(range(9))
    assert np.allclose(whole.patched[:, [2, 6]], found.patched, atol=1e-5) and not view.all_places.isVisible()


def test_each_share_is_written_in_a_small_window(open_window, tmp_path):
    """Rows too low for a number would be colours only."""
    window = open_window(make_checkpoint(tmp_path / "six-layers", layers=6), TEXT_A)
    window.resize(1280, 720)
    view = window.open_room("layers").open_view("swap")
    for grid in (view.charts["states"], view.charts["heads"]):
        wait_until(lambda grid=grid: grid.cell_rect(0, 0).height() >= theme.px(LEAST_ROW_PX - 1))
