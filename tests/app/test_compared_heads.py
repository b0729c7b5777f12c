"""Attend beside a baseline: differences in the places of our tokens, and which heads moved most."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.rooms.attend.attentions import Attentions
from app.rooms.attend.head_panels import MovedView
from app.rooms.attend.matrices import HeadMatrix
from app.rooms.attend.matrix_view import MatrixView
from app.rooms.attend.room import AttendRoom
from app.shell.window import Window
from app.state.baseline import TWO_TEXTS, Baseline, OtherModel, OtherText
from app.state.token_units import TokenView
from tests.app.conftest import TEXT_B, TIMEOUT_MS, make_checkpoint, settle

SHORTER = OtherText("The dog sat.", TEXT_B)
ONE_WORD = OtherText("The dog sat on the mat.", TEXT_B)


def attend(window: Window, baseline: Baseline | None, qtbot: QtBot, panel: str = "kinds") -> AttendRoom:
    room = window.open_room("attend")
    assert isinstance(room, AttendRoom)
    room.open_view(panel)
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    qtbot.waitUntil(lambda: not window.services.inference.is_busy, timeout=TIMEOUT_MS)
    return room


def both_of(window: Window, view: TokenView | None = None) -> Attentions:
    assert window.state.reading is not None
    return Attentions(window.state.reading, view or TokenView())


def js_bits(p: np.ndarray, q: np.ndarray) -> float:
    """Jensen-Shannon divergence of two distributions, from its definition."""
    middle = (p + q) / 2

    def kl(one: np.ndarray) -> float:
        return float(sum(x * np.log2(x / m) for x, m in zip(one, middle, strict=True) if x > 0))

    return (kl(p) + kl(q)) / 2


def test_differences_are_now_minus_before(window: Window, qtbot: QtBot) -> None:
    room = attend(window, ONE_WORD, qtbot)
    reading = window.state.reading
    assert reading is not None and reading.baseline is not None
    expected = reading.trace.attentions - reading.baseline.trace.attentions
    np.testing.assert_allclose(room.heads_card.atlas.thumbnails, expected, atol=1e-6)
    view, spot = room.view, (window.state.layer, window.state.head)
    assert isinstance(view, HeadMatrix) and view.grid.values is not None
    np.testing.assert_allclose(view.grid.values, expected[spot], atol=1e-6)
    low, high = view.grid.color_range or (0, 0)
    assert low == -high and high == pytest.approx(np.abs(expected[spot]).max())
    assert "cat (vs dog)" in view.grid.rows.texts and room.heads_card.difference_scale.isVisible()


def test_side_by_side_shows_both(window: Window, qtbot: QtBot) -> None:
    room = attend(window, ONE_WORD, qtbot)
    window.comparison.toggle_difference()
    reading, view = window.state.reading, room.view
    assert (
        isinstance(view, HeadMatrix) and view.other.isVisible() and reading is not None and reading.baseline is not None
    )
    spot = window.state.layer, window.state.head
    np.testing.assert_allclose(view.grid.values, reading.trace.attentions[spot])
    np.testing.assert_allclose(view.other.values, reading.baseline.trace.attentions[spot])
    assert view.grid.color_range == view.other.color_range
    np.testing.assert_allclose(room.heads_card.atlas.thumbnails, reading.thumbnails)


def test_of_a_shorter_text_only_what_both_have_is_compared(window: Window, qtbot: QtBot) -> None:
    attend(window, SHORTER, qtbot)
    both, reading = both_of(window), window.state.reading
    assert reading is not None and reading.baseline is not None
    ours, theirs = reading.trace.attentions[1, 2], reading.baseline.trace.attentions[1, 2]
    before, difference = both.baseline_weights(1, 2), both.difference(ours, theirs)
    for row, theirs_row in enumerate(both.alignment.other_positions):
        for column, theirs_column in enumerate(both.alignment.other_positions):
            if theirs_row is None or theirs_column is None:
                assert np.isnan(before[row, column]) and difference[row, column] == 0
            else:
                assert before[row, column] == theirs[theirs_row, theirs_column]
                assert difference[row, column] == pytest.approx(ours[row, column] - before[row, column])
    assert None in both.alignment.other_positions


def test_whole_words_are_compared_as_words(window: Window, qtbot: QtBot) -> None:
    attend(window, ONE_WORD, qtbot)
    both = both_of(window, TokenView(words=True, specials=False))
    assert both.baseline is not None
    assert both.alignment.other_positions == tuple(range(both.alignment.other_length)) and len(
        both.labels_of_difference
    ) == len(both.units)
    expected = both.weights(0, 1) - both.baseline.weights(0, 1)
    found = both.difference(both.weights(0, 1), both.baseline.weights(0, 1))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_heads_that_moved_most_lead_there(window: Window, qtbot: QtBot) -> None:
    room = attend(window, ONE_WORD, qtbot, "moved")
    panel = room.heads_card.panels.get("moved")
    assert isinstance(panel, MovedView)
    qtbot.waitUntil(lambda: bool(panel.heads), timeout=TIMEOUT_MS)
    reading = window.state.reading
    assert reading is not None and reading.baseline is not None
    now, before = reading.trace.attentions.astype(float), reading.baseline.trace.attentions.astype(float)
    layers, heads, size, _ = now.shape
    direct = np.array(
        [
            [np.mean([js_bits(now[i, j, k], before[i, j, k]) for k in range(size)]) for j in range(heads)]
            for i in range(layers)
        ]
    )
    np.testing.assert_allclose(panel.map.values, direct, atol=1e-4)
    assert panel.heads[0] == divmod(int(direct.argmax()), heads)
    last = panel.heads[-1]
    QTest.mouseClick(
        panel.bars, Qt.MouseButton.LeftButton, pos=panel.bars.row_rect(len(panel.heads) - 1).center().toPoint()
    )
    assert (window.state.layer, window.state.head) == last


def test_without_a_baseline_the_panel_says_what_to_do(window: Window, qtbot: QtBot) -> None:
    panel = attend(window, None, qtbot, "moved").heads_card.panels.get("moved")
    assert isinstance(panel, MovedView) and "Compare with" in panel.sentence.text() and not panel.bars.isVisible()


def test_a_model_of_another_shape_is_shown_beside_with_the_most_similar_head(
    window: Window, tmp_path: Path, qtbot: QtBot
) -> None:
    room = attend(window, OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2))), qtbot, "moved")
    view, panel = room.view, room.heads_card.panels.get("moved")
    assert isinstance(view, HeadMatrix) and isinstance(panel, MovedView)
    qtbot.waitUntil(lambda: bool(panel.heads) and view.other.values is not None, timeout=TIMEOUT_MS)
    assert "2 × 4 and 3 × 2 heads" in view.about and view.other.isVisible()
    reading = window.state.reading
    assert reading is not None and reading.baseline is not None
    mine = reading.trace.attentions[window.state.layer, window.state.head].astype(float)
    others = reading.baseline.trace.attentions.astype(float)
    distance = {
        (i, j): np.mean([js_bits(mine[k], others[i, j, k]) for k in range(len(mine))])
        for i in range(3)
        for j in range(2)
    }
    best = min(distance, key=lambda spot: distance[spot])
    np.testing.assert_allclose(view.other.values, others[best], atol=1e-6)
    np.testing.assert_allclose(room.heads_card.atlas.thumbnails, reading.thumbnails)  # no difference is drawn


def test_texts_without_a_common_word_say_so(window: Window, qtbot: QtBot) -> None:
    room = attend(window, OtherText("happy dog", ""), qtbot, "moved")
    panel = room.heads_card.panels.get("moved")
    assert isinstance(panel, MovedView) and "no word in common" in panel.sentence.text()
    assert "no word in common" in room.view.about


def test_what_a_token_looked_at_stands_behind_the_bars(window: Window, qtbot: QtBot) -> None:
    room = attend(window, ONE_WORD, qtbot)
    window.state.set_focus(3)
    reading = window.state.reading
    assert reading is not None and reading.baseline is not None
    before = reading.baseline.trace.attentions[window.state.layer, window.state.head, 3]
    order = np.argsort(-reading.trace.attentions[window.state.layer, window.state.head, 3], kind="stable")
    marks = [bar.mark for bar in room.side.bars.bars]
    assert [float(mark.removeprefix("vs ")) for mark in marks] == pytest.approx(
        [float(before[i]) for i in order[: len(marks)]], abs=6e-3
    )


def test_without_a_baseline_two_texts_are_offered_at_a_click(window: Window, qtbot: QtBot) -> None:
    room = attend(window, None, qtbot, "moved")
    panel = room.heads_card.panels.get("moved")
    assert isinstance(panel, MovedView) and panel.try_it.isVisible()
    qtbot.mouseClick(panel.try_it, Qt.MouseButton.LeftButton)
    settle(window, qtbot)
    assert window.state.text_a == TWO_TEXTS.text and window.state.baseline == TWO_TEXTS.baseline
    assert not panel.try_it.isVisible()


def test_a_comparison_begins_with_the_head_that_moved_most(window: Window, qtbot: QtBot) -> None:
    """The picture of the head that was on show was empty."""
    room = attend(window, None, qtbot, "moved")
    panel = room.heads_card.panels.get("moved")
    assert isinstance(panel, MovedView)
    window.state.set_baseline(ONE_WORD)
    qtbot.waitUntil(lambda: bool(panel.heads), timeout=TIMEOUT_MS)
    most = panel.heads[0]
    qtbot.waitUntil(lambda: (window.state.layer, window.state.head) == most, timeout=TIMEOUT_MS)
    other = panel.heads[-1]
    window.state.set_head(*other)
    room.open_view("kinds")
    room.open_view("moved")
    settle(window, qtbot)
    assert (window.state.layer, window.state.head) == other  # a person chose it
    window.state.set_baseline(SHORTER)
    settle(window, qtbot)
    qtbot.waitUntil(lambda: (window.state.layer, window.state.head) == panel.heads[0], timeout=TIMEOUT_MS)


def test_a_head_that_is_switched_off_stays_on_show(window: Window, qtbot: QtBot) -> None:
    room = attend(window, None, qtbot, "moved")
    window.state.set_head(0, 1)
    room.side.what_if.head_off.click()
    settle(window, qtbot)
    panel = room.heads_card.panels.get("moved")
    assert isinstance(panel, MovedView)
    qtbot.waitUntil(lambda: bool(panel.heads), timeout=TIMEOUT_MS)
    settle(window, qtbot)
    assert (window.state.layer, window.state.head) == (0, 1) and room.side.intro == "Switched off, so it has no effect."


def test_a_head_of_a_skipped_layer_says_so_and_cannot_be_switched_off(window: Window, qtbot: QtBot) -> None:
    room = attend(window, None, qtbot)
    window.state.set_head(0, 1)
    room.side.what_if.layer_off.click()
    settle(window, qtbot)
    assert room.side.intro == room.large.intro == "Layer 1 is skipped, so this head has no effect."
    assert not room.side.what_if.head_off.isEnabled() and room.side.what_if.layer_off.isEnabled()
    window.state.set_head(1, 1)
    assert room.side.what_if.head_off.isEnabled() and "add up to 1" in room.side.intro


def test_the_side_card_has_the_row_of_the_large_picture(window: Window, qtbot: QtBot) -> None:
    room, hints = attend(window, None, qtbot), set()
    window.state.set_head(1, 2)
    window.state.set_focus(3)
    for key in ("matrix", "mean", "rollout", "flow"):
        view = room.open_view(key)
        assert isinstance(view, MatrixView)
        qtbot.waitUntil(lambda view=view: view.grid.values is not None, timeout=TIMEOUT_MS)
        assert view.grid.values is not None and room.side.row is not None
        np.testing.assert_array_equal(room.side.row, view.grid.values[3])
        hints.add(room.side.hint)
    assert len(hints) == 4


def test_a_window_built_anew_keeps_the_head_that_was_chosen(window: Window, qtbot: QtBot) -> None:
    room = attend(window, ONE_WORD, qtbot, "moved")
    panel = room.heads_card.panels.get("moved")
    assert isinstance(panel, MovedView)
    qtbot.waitUntil(lambda: bool(panel.heads), timeout=TIMEOUT_MS)
    settle(window, qtbot)
    chosen = panel.heads[-1]
    window.state.set_head(*chosen)
    window.appearance.set_look(projector=True)
    again = attend(window, ONE_WORD, qtbot, "moved").heads_card.panels.get("moved")
    assert isinstance(again, MovedView) and again is not panel
    qtbot.waitUntil(lambda: bool(again.heads), timeout=TIMEOUT_MS)
    settle(window, qtbot)
    window.appearance.set_look(projector=False)
    assert (window.state.layer, window.state.head) == chosen
