"""Finding heads, the map, effects and the check in the room Attend, against the functions behind them."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.compute.head_questions import AskedText, check_head, effects_of_heads
from app.rooms.attend.heads_card import ALIKE, EFFECTS, FIND
from app.rooms.attend.large_card import CHECK, LINES, SCORE
from app.rooms.attend.room import AttendRoom
from app.rooms.attend.shown import Shown
from app.shell.window import Window
from bertcore.analysis.find_heads import find_heads
from bertcore.analysis.head_map import head_map
from bertcore.analysis.interventions import switch_off_heads
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.attend_room import answered, attend, traced
from tests.app.conftest import settle


@pytest.fixture
def room(window: Window, qtbot: QtBot) -> AttendRoom:
    return attend(window, qtbot)


class TestFind:
    def test_a_position_is_the_number_that_the_window_shows(
        self, room: AttendRoom, window: Window, qtbot: QtBot
    ) -> None:
        """Where [CLS] and [SEP] are left out, the rows of the view count otherwise."""
        panel = room.heads_card.finder
        room.heads_card.open_tab(FIND)
        window.state.set_token_view(specials=False)
        answers = []
        for query in ("attn(cat -> sat) > 0", "attn(#2 -> #3) > 0"):
            panel.query.setText(query)
            settle(window, qtbot)
            answered(window, room, qtbot)
            answers.append(panel.question.answer.matches)
        assert answers[0] == answers[1] and answers[0]

    def test_what_is_found_is_what_the_function_finds(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        panel = room.heads_card.finder
        room.heads_card.open_tab(FIND)
        query = "attn(A -> B) > 0.05"
        panel.query.setText(query)
        answered(window, room, qtbot)
        reading = window.state.reading
        assert reading is not None
        expected = find_heads(query, reading.trace.attentions, reading.encoding)
        assert panel.question.answer.matches == expected.matches and len(expected.matches) > 0
        assert panel.said == f"{len(expected.matches)} heads, by attention from A to B"
        QTest.keyClick(panel.query, Qt.Key.Key_Return)
        assert room.chosen_heads == [(expected.matches[0].layer, expected.matches[0].head)]
        panel._take.click()
        assert room.chosen_heads == [(match.layer, match.head) for match in expected.matches[:6]]

    def test_what_cannot_be_read_is_said_in_place(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        panel = room.heads_card.finder
        room.heads_card.open_tab(FIND)
        panel.query.setText("attn(it -> zebra) > 0.3")
        answered(window, room, qtbot)
        assert panel.line.text.startswith("There is no zebra in this text") and panel.found.isHidden()
        assert not window.frame.banner.is_shown
        panel.query.clear()
        assert panel.line.isHidden()


class TestAlike:
    def test_the_map_is_that_of_the_function(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        panel = room.heads_card.alike
        assert panel.question.key == ()  # a tab that is closed asks for nothing
        room.heads_card.open_tab(ALIKE)
        answered(window, room, qtbot)
        expected = head_map(traced(window).attentions)
        np.testing.assert_allclose(panel.points.points, expected.points, atol=1e-9)
        nearest = int(np.argsort(expected.divergence[0])[1])
        layer, head = divmod(nearest, 4)
        assert f'href="{layer},{head}"' in panel.nearest.text()
        spot = panel.points.place_of(1, 2).toPoint()
        QTest.mouseClick(panel.points, Qt.MouseButton.LeftButton, pos=spot)
        assert room.chosen_heads == [(1, 2)]


class TestEffects:
    def test_effects_are_drawn_over_the_heads(
        self, room: AttendRoom, window: Window, model_folder: Path, qtbot: QtBot
    ) -> None:
        window.state.set_masks((2, 5))
        settle(window, qtbot)
        room.heads_card.open_tab(EFFECTS)
        answered(window, room, qtbot)
        request, target = window.state.reading.request, room.targets.chosen  # type: ignore[union-attr]
        assert target is not None and target.target.head == "mlm"
        text = AskedText(request.input_ids, request.segments)
        checkpoint = load_checkpoint(model_folder)
        expected = effects_of_heads(checkpoint, text, target, lambda share: None)
        np.testing.assert_allclose(room.heads_card.atlas.effects, expected, atol=1e-5)
        other = next(target for target in room.targets.all if target.target.position == 5)
        room.targets.choose(other)
        answered(window, room, qtbot)
        expected = effects_of_heads(checkpoint, text, other, lambda share: None)
        np.testing.assert_allclose(room.heads_card.atlas.effects, expected, atol=1e-5)
        room.heads_card.open_tab(ALIKE)
        assert room.heads_card.atlas.effects is None

    def test_without_a_mask_the_pair_is_asked_about_and_without_both_it_is_said(
        self, room: AttendRoom, window: Window, qtbot: QtBot
    ) -> None:
        room.heads_card.open_tab(EFFECTS)
        answered(window, room, qtbot)
        assert room.targets.chosen is not None and room.targets.chosen.target.head == "nsp"
        assert room.heads_card.atlas.effects is not None
        window.state.set_text(b="")
        settle(window, qtbot)
        answered(window, room, qtbot)
        assert room.heads_card.effects.line.text.startswith("Mask a word (M)")
        assert room.heads_card.atlas.effects is None

    def test_stop_ends_it_and_it_can_begin_again(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        panel = room.heads_card.effects
        room.heads_card.open_tab(EFFECTS)
        assert panel.line.is_working
        panel.line._stop.click()
        assert panel.line.text == "Stopped." and not panel.line.is_working
        answered(window, room, qtbot)
        assert panel.effects is None
        panel.line._again.click()
        answered(window, room, qtbot)
        assert panel.effects is not None and panel.line.isHidden()


class TestCheck:
    def test_three_columns_of_the_same_row(
        self, room: AttendRoom, window: Window, model_folder: Path, qtbot: QtBot
    ) -> None:
        window.state.set_masks((2,))
        window.state.set_focus(2)
        settle(window, qtbot)
        window.state.set_head(1, 0)
        room.large.set_mode(CHECK)
        answered(window, room, qtbot)
        request, target = window.state.reading.request, room.targets.chosen  # type: ignore[union-attr]
        assert target is not None
        checkpoint = load_checkpoint(model_folder)
        text = AskedText(request.input_ids, request.segments)
        expected = check_head(checkpoint, text, target, 1, 0, 2, lambda share: None)
        columns = room.large.check.view.columns
        for column, values in zip(columns, (expected.attention, expected.gradient, expected.without), strict=True):
            np.testing.assert_allclose(column.values, values, atol=1e-5)
        logits = [
            trace(checkpoint.model, request.input_ids, request.segments, mlm_positions=[2], changes=changes).mlm_logits
            for changes in (None, switch_off_heads([(1, 0)]))
        ]
        before, after = (float(torch.tensor(row[0]).log_softmax(0)[target.target.index].exp()) for row in logits)
        assert f"{before:.3g} → {after:.3g}".replace("-", "−") in room.large.check.summary

    def test_what_is_said_is_said_of_what_was_chosen(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        page = room.large.check
        room.large.set_mode(CHECK)
        answered(window, room, qtbot)
        assert page.meanings.count("ln p of “B follows A”") == 2 and "“B follows A”" in page.summary
        window.state.set_masks((2,))
        settle(window, qtbot)
        word = next(target for target in room.targets.all if target.label == "cat at 2" and target.note)
        room.targets.choose(word)
        answered(window, room, qtbot)
        assert page.meanings.count("ln p of “cat at 2”") == 2 and "“cat at 2”" in page.summary
        window.state.set_masks(())
        window.state.set_text(b="")
        settle(window, qtbot)
        assert page.meanings.count("ln p of the prediction") == 2

    def test_it_does_not_follow_the_mouse(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        window.state.set_focus(3)
        room.large.set_mode(CHECK)
        answered(window, room, qtbot)
        key = room.large.check.questions[0].key
        window.state.set_hover(7)
        assert room.large.check.questions[0].key == key


def test_the_room_that_is_left_asks_for_nothing_and_keeps_no_reading(
    room: AttendRoom, window: Window, qtbot: QtBot
) -> None:
    room.heads_card.open_tab(EFFECTS)
    window.open_room("embed")
    assert not any(question.is_waiting for question in room.questions)
    settle(window, qtbot)
    window.open_room("attend")
    answered(window, room, qtbot)
    assert room.heads_card.atlas.effects is not None


def test_no_reading_is_kept_alive_by_what_was_asked_about_it(room: AttendRoom, window: Window, qtbot: QtBot) -> None:
    for mode, tab in ((LINES, FIND), (CHECK, EFFECTS), (SCORE, ALIKE)):
        room.large.set_mode(mode)
        room.heads_card.open_tab(tab)
        answered(window, room, qtbot)
    old = weakref.ref(window.state.reading)
    for text in ("A dog ran.", "A bird sat."):
        window.state.set_text(a=text)
        settle(window, qtbot)
        answered(window, room, qtbot)
    gc.collect()
    assert old() is None


@pytest.mark.parametrize("mode", ["Matrix", LINES, SCORE, CHECK])
def test_each_picture_can_be_taken_away(room: AttendRoom, window: Window, mode: str, qtbot: QtBot) -> None:
    window.state.set_masks((2,))
    settle(window, qtbot)
    room.large.set_mode(mode)
    answered(window, room, qtbot)
    figure = room._large_figure()
    assert figure is not None and figure.title == room.large.title and "layer 1, head 1" in figure.caption
    if mode == "Matrix":
        np.testing.assert_array_equal(figure.numbers["attention"].values, traced(window).attentions[0, 0])
    assert all(np.isfinite(numbers.values).any() for numbers in figure.numbers.values())
    for provider in (room._atlas_figure, room._bars_figure):
        assert provider() is not None


def test_every_head_is_shown_in_the_view_that_was_chosen_after_the_room_was_left(
    room: AttendRoom, window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a long text they are made small on the worker, and nothing asks for them twice."""
    monkeypatch.setattr(Shown, "is_small", property(lambda self: False))
    window.state.set_token_view(specials=False)
    settle(window, qtbot)
    answered(window, room, qtbot)
    units = len(window.state.encoding or ()) - 3
    assert room.heads_card.atlas.thumbnails.shape[-1] == units
    window.open_room("embed")
    window.open_room("attend")
    answered(window, room, qtbot)
    assert room.heads_card.atlas.thumbnails.shape[-1] == units
