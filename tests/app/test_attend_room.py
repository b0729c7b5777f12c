"""The room Attend in a window with a tiny model: what it shows is what the functions say; what each control does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.rooms.attend.large_card import LINES, SCORE
from app.rooms.attend.lines_page import A_TO_B, LEAST, WITHIN
from app.rooms.attend.links import strongest_links
from app.rooms.attend.matrix_page import FLOW, GRADIENT, MEAN, ROLLOUT
from app.rooms.attend.room import AttendRoom
from app.rooms.attend.score_steps import score_steps
from app.shell.window import Window
from app.state.what_if import WhatIf
from bertcore.analysis.attention_gradient import attention_gradient
from bertcore.analysis.flow import attention_flow, rollout
from bertcore.analysis.heads import classify_heads
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.attend_room import answered, attend, traced
from tests.app.conftest import settle

Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def room(window: Window, qtbot: QtBot) -> AttendRoom:
    return attend(window, qtbot)


def click(
    room: AttendRoom, layer: int, head: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    atlas = room.heads_card.atlas
    spot = atlas.cell_rect(layer, head).center().toPoint()
    QTest.mouseClick(atlas, Qt.MouseButton.LeftButton, modifier, pos=spot)


class TestChoosing:
    def test_clicks_choose_one_head_or_several(self, room: AttendRoom, window: Window) -> None:
        click(room, 1, 2)
        assert (window.state.layer, window.state.head) == (1, 2) and room.chosen_heads == [(1, 2)]
        click(room, 0, 1, Control)
        assert room.chosen_heads == [(1, 2), (0, 1)] and window.state.layer == 0
        click(room, 1, 2, Control)
        assert room.chosen_heads == [(0, 1)]
        click(room, 0, 1, Control)  # the last one stays
        assert room.chosen_heads == [(0, 1)]
        click(room, 1, 0, Shift)
        assert room.chosen_heads == [(0, 1), (0, 2), (0, 3), (1, 0)]
        assert (window.state.layer, window.state.head) == (1, 0)
        click(room, 0, 0)
        assert room.chosen_heads == [(0, 0)]

    def test_keys_choose_too(self, room: AttendRoom, window: Window) -> None:
        atlas = room.heads_card.atlas
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right):
            QTest.keyClick(atlas, key)
        assert room.chosen_heads == [(1, 2)]
        QTest.keyClick(atlas, Qt.Key.Key_Up, Control)
        assert room.chosen_heads == [(1, 2)]
        QTest.keyClick(atlas, Qt.Key.Key_Space)
        assert room.chosen_heads == [(1, 2), (0, 2)]
        QTest.keyClick(atlas, Qt.Key.Key_Right, Shift)
        assert room.chosen_heads[0] == (1, 2) and (0, 3) in room.chosen_heads

    def test_sorted_by_kind_every_head_stands_under_its_kind(self, room: AttendRoom, window: Window) -> None:
        room.heads_card.sorted.setChecked(True)
        atlas = room.heads_card.atlas
        reading = window.state.reading
        assert reading is not None
        kinds = [classify_heads(layer, reading.encoding) for layer in traced(window).attentions]
        rows = {head: atlas.cell_rect(*head).y() for head in np.ndindex(2, 4)}
        for one in rows:
            for other in rows:
                if rows[one] == rows[other]:
                    assert kinds[one[0]][one[1]].kind == kinds[other[0]][other[1]].kind
        click(room, 1, 3)
        assert room.chosen_heads == [(1, 3)]
        room.heads_card.sorted.setChecked(False)
        assert atlas.cell_rect(1, 0).x() == atlas.cell_rect(0, 0).x()

    def test_another_head_from_elsewhere_is_the_one_chosen(self, room: AttendRoom, window: Window) -> None:
        room.choose_heads([(0, 0), (0, 1)])
        window.state.set_head(1, 1)
        assert room.chosen_heads == [(1, 1)] and room.large.title == "Layer 2 · Head 2"


class TestPictures:
    def test_what_is_off_carries_nothing(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        """Each token then keeps what it had: in that layer of the rollout it looks at itself alone."""
        window.state.set_what_if(WhatIf(layers_off=frozenset({0})))
        settle(window, qtbot)
        page = room.large.matrix
        room.choose_heads([(0, 0)])
        page.picture.setCurrentText(ROLLOUT)
        answered(window, room, qtbot)
        np.testing.assert_allclose(page.view.values, np.eye(len(page.view.values)), atol=1e-6)

    def test_an_empty_picture_can_be_dragged(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        window.state.set_text("A cat sat.", "")
        window.state.set_masks([])
        room.large.matrix.picture.setCurrentText(GRADIENT)
        settle(window, qtbot)
        view = room.large.matrix.view
        assert view.values is None
        middle = view.rect().center()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseMove(view, middle + QPoint(30, 30))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle + QPoint(30, 30))
        assert not window.frame.banner.is_shown

    def test_mean_rollout_and_flow(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        page, attentions = room.large.matrix, traced(window).attentions
        room.choose_heads([(1, 2), (0, 1)])
        page.picture.setCurrentText(MEAN)
        np.testing.assert_allclose(page.view.values, (attentions[1, 2] + attentions[0, 1]) / 2, atol=1e-6)
        assert room.large.title == "Mean of 2 heads"
        for picture, expected in (
            (ROLLOUT, rollout(attentions)[1]),
            (FLOW, attention_flow(attentions, range(attentions.shape[-1]))),
        ):
            page.picture.setCurrentText(picture)
            answered(window, room, qtbot)
            assert room.large.title == f"{picture} · layers 1–2"
            np.testing.assert_allclose(page.view.values, expected, atol=1e-6)

    def test_the_gradient_is_of_the_chosen_word(
        self, room: AttendRoom, window: Window, model_folder: Path, qtbot: QtBot
    ) -> None:
        page = room.large.matrix
        page.picture.setCurrentText(GRADIENT)
        window.state.set_masks((2,))
        settle(window, qtbot)
        answered(window, room, qtbot)
        target, request = room.targets.chosen, window.state.reading.request  # type: ignore[union-attr]
        assert target is not None and target.target.position == 2
        model = load_checkpoint(model_folder).model
        found = attention_gradient(model, request.input_ids, request.segments, target.target, 0)
        np.testing.assert_allclose(page.view.values, found.gradient[0], atol=1e-5)
        other = next(other for other in room.targets.all if other.target.head == "nsp")
        room.targets.choose(other)
        answered(window, room, qtbot)
        found = attention_gradient(model, request.input_ids, request.segments, other.target, 0)
        np.testing.assert_allclose(page.view.values, found.gradient[0], atol=1e-5)
        assert "without your changes" not in room.large.hint and "by tokens" not in room.large.hint
        window.state.set_what_if(window.state.what_if.with_head(1, 0, True))
        window.state.set_token_view(words=True)
        settle(window, qtbot)
        answered(window, room, qtbot)
        np.testing.assert_allclose(page.view.values, found.gradient[0], atol=1e-5)
        assert "by tokens, specials included · without your changes inside" in room.large.hint

    def test_words_and_special_tokens_are_switched_everywhere(
        self, room: AttendRoom, window: Window, qtbot: QtBot
    ) -> None:
        window.state.set_text("comfortable dogs", "a rug")
        settle(window, qtbot)
        window.state.set_token_view(words=True, specials=False)
        answered(window, room, qtbot)
        units = room.units
        assert units is not None and len(units) < len(window.state.encoding)  # type: ignore[arg-type]
        expected = units.attention(traced(window).attentions)
        np.testing.assert_allclose(room.large.matrix.view.values, expected[0, 0], atol=1e-6)
        assert room.large.matrix.view.tokens == units.labels
        np.testing.assert_allclose(expected.sum(-1), 1, atol=1e-5)
        assert room.side.facts[3].text() == "left out"
        window.state.set_focus(0)  # [CLS], which is not shown
        assert "left out in this view" in room.side._hint.text()
        room.large.set_mode(LINES)
        assert room.large.lines.view.strands[0].links.rows.max() < len(units)

    def test_a_square_tells_its_value_and_keeps_its_row(self, room: AttendRoom, window: Window) -> None:
        view = room.large.matrix.view
        spot = view.cell_rect(3, 6).center().toPoint()
        QTest.mouseMove(view, spot)
        value = traced(window).attentions[0, 0, 3, 6]
        assert room.large.matrix.readout.text() == f"sat (3) looks at mat (6) with {value:.4f}"
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
        assert window.state.focus == 3


class TestLines:
    def test_lines_are_the_strongest_links_of_each_chosen_head(self, room: AttendRoom, window: Window) -> None:
        page = room.large.lines
        room.large.set_mode(LINES)
        room.choose_heads([(1, 3), (0, 2)])
        assert [strand.head for strand in page.view.strands] == [(1, 3), (0, 2)]
        for strand in page.view.strands:
            expected = strongest_links(traced(window).attentions[strand.head], share=0.6)
            assert np.array_equal(strand.links.rows, expected.rows)
            assert np.array_equal(strand.links.columns, expected.columns)
        assert len({strand.color for strand in page.view.strands}) == len({s.style for s in page.view.strands}) == 2
        assert "2·4" in page.legend.text() and "1·3" in page.legend.text()

    def test_a_threshold_and_filters(self, room: AttendRoom, window: Window) -> None:
        page, attention = room.large.lines, traced(window).attentions[0, 0]
        room.large.set_mode(LINES)
        page.limit.setCurrentText(LEAST)
        page.percent.set_value(15)
        QTest.keyClick(page.percent, Qt.Key.Key_Down)
        assert len(page.view.strands[0].links.weights) == int((attention >= 0.10).sum())
        parts = np.array(window.state.encoding.parts)  # type: ignore[union-attr]
        page.filter.setCurrentText(A_TO_B)
        links = page.view.strands[0].links
        assert set(parts[links.rows]) <= {"a"} and set(parts[links.columns]) <= {"b"}
        assert len(links.rows) == int((attention[np.ix_(parts == "a", parts == "b")] >= 0.10).sum())
        page.filter.setCurrentText(WITHIN)
        links = page.view.strands[0].links
        assert (parts[links.rows] == parts[links.columns]).all() and "special" not in parts[links.rows]

    def test_without_b_nothing_leads_there_and_it_is_said(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        window.state.set_text(b="")
        settle(window, qtbot)
        room.large.set_mode(LINES)
        room.large.lines.filter.setCurrentText(A_TO_B)
        assert len(room.large.lines.view.strands[0].links.rows) == 0
        assert "no sentence B" in room.large.lines._why_empty.text()


class TestScore:
    def test_every_step_is_shown_and_adds_up(self, room: AttendRoom, window: Window) -> None:
        room.large.set_mode(SCORE)
        window.state.set_head(1, 1)
        window.state.set_focus(9)
        QTest.mouseMove(window, window.rect().topLeft())
        found, strips = traced(window), room.large.score.strips.strips
        column = int(found.attentions[1, 1, 9].argmax())
        steps = score_steps(found.queries[1, 1, 9], found.keys[1, 1], column)
        for strip, values in zip(
            strips,
            (
                found.queries[1, 1, 9],
                found.keys[1, 1, column],
                steps.products,
                steps.scores,
                steps.scaled,
                steps.masked,
            ),
            strict=False,
        ):
            np.testing.assert_array_equal(strip.values, values)
        assert strips[2].values.sum() == pytest.approx(float(strips[3].values[column]), abs=1e-12)
        assert strips[2].result == f"sum = {steps.score:.4f}"
        np.testing.assert_allclose(strips[6].values, found.attentions[1, 1, 9], atol=1e-6)
        assert strips[6].result.endswith(f"= {steps.weights[column]:.4f}")

    def test_a_click_chooses_another_column(self, room: AttendRoom, window: Window) -> None:
        room.large.set_mode(SCORE)
        widget = room.large.score.strips
        spot = widget.bar_rect(4, 2).center().toPoint()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=spot)
        assert room.large.score.steps is not None and room.large.score.steps.column == 2
        QTest.keyClick(widget, Qt.Key.Key_Right)
        assert room.large.score.steps.column == 3

    def test_an_edited_row_is_said(self, room: AttendRoom, window: Window, qtbot: QtBot) -> None:
        room.large.set_mode(SCORE)
        assert room.large.score.note == ""
        room.side.what_if.weight_set.emit(room.current, 5, 0.9)
        settle(window, qtbot)
        assert "went on with 0.9000 instead of the softmax" in room.large.score.note
