"""The room Attend in a window with a tiny model: what it shows is what the functions say; what each control does."""

import re

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea

from app.rooms.attend.lines_view import A_TO_B, LEAST, WITHIN
from app.state.what_if import WhatIf
from bertcore.analysis.attention_heads import classify_heads, clearest_head, head_facts
from bertcore.analysis.effects import attention_gradient
from bertcore.analysis.flow import attention_flow, rollout
from bertcore.analysis.links import strongest_links
from bertcore.analysis.passes import as_text
from bertcore.analysis.score_steps import score_steps
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.loaded_model import load
from tests.app.attend_room import attend, set_weight, traced, values
from tests.app.conftest import answered, press, read_changed, read_text, settle, units_of, wait_until

Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def room(window):
    return attend(window)


def click(room, layer, head, modifier=Qt.KeyboardModifier.NoModifier):
    atlas = room.heads_card.atlas
    spot = atlas.cell_rect(layer, head).center().toPoint()
    QTest.mouseClick(atlas, Qt.MouseButton.LeftButton, modifier, pos=spot)


def test_it_opens_on_the_clearest_head_until_someone_chooses(open_window, model_folder):
    window = open_window(model_folder)
    settle(window)
    clear = clearest_head(traced(window).attentions, window.state.reading.encoding)
    assert (window.state.layer, window.state.head) == clear
    read_text(window, "A wholly different text about cats and dogs.")
    assert (window.state.layer, window.state.head) == clear  # a text that is typed does not move the head
    other = (clear[0], (clear[1] + 1) % 2)
    window.state.set_head(*other)
    read_text(window, "The cat sat.")
    assert (window.state.layer, window.state.head) == other


class TestChoosing:
    def test_clicks_and_keys_choose_one_head_or_several(self, room, window):
        click(room, 1, 2)
        assert (window.state.layer, window.state.head) == (1, 2) and list(room.shared.heads) == [(1, 2)]
        click(room, 0, 1, Control)
        assert list(room.shared.heads) == [(1, 2), (0, 1)] and window.state.layer == 0
        click(room, 1, 2, Control)
        assert list(room.shared.heads) == [(0, 1)]
        click(room, 0, 1, Control)  # the last one stays
        assert list(room.shared.heads) == [(0, 1)]
        click(room, 1, 0, Shift)
        assert list(room.shared.heads) == [(0, 1), (0, 2), (0, 3), (1, 0)]
        assert (window.state.layer, window.state.head) == (1, 0)
        click(room, 0, 0)
        assert list(room.shared.heads) == [(0, 0)]
        atlas = room.heads_card.atlas
        press(atlas, "Down", "Right", "Right")
        assert list(room.shared.heads) == [(1, 2)]
        press(atlas, "Ctrl+Up")
        assert list(room.shared.heads) == [(1, 2)]
        press(atlas, "Space")
        assert list(room.shared.heads) == [(1, 2), (0, 2)]
        press(atlas, "Shift+Right")
        assert room.shared.heads[0] == (1, 2) and (0, 3) in room.shared.heads

    def test_sorted_by_kind_every_head_stands_under_its_kind(self, room, window):
        room.heads_card.by_kind.setChecked(True)
        atlas, reading = room.heads_card.atlas, window.state.reading
        kinds = [classify_heads(layer, reading.encoding) for layer in traced(window).attentions]
        rows = {}
        for layer, head in np.ndindex(2, 4):
            rows.setdefault(atlas.cell_rect(layer, head).y(), set()).add(kinds[layer][head].kind)
        assert all(len(found) == 1 for found in rows.values())
        click(room, 1, 3)
        assert list(room.shared.heads) == [(1, 3)]
        room.heads_card.by_kind.setChecked(False)
        assert atlas.cell_rect(1, 0).x() == atlas.cell_rect(0, 0).x()

    def test_another_head_from_elsewhere_is_the_one_chosen(self, room, window):
        room.shared.choose((0, 0), (0, 1))
        window.state.set_head(1, 1)
        assert list(room.shared.heads) == [(1, 1)] and room.large.title == "Layer 2 · Head 2"


class TestPictures:
    def test_the_side_card_says_what_the_functions_say(self, room, window):
        window.state.set_head(1, 2)
        window.state.set_focus(5)
        attention, (entropy, unit) = traced(window).attentions[1, 2], room.side.facts[0][1].text().split()
        assert float(entropy) == pytest.approx(head_facts(attention, window.state.encoding).entropy_nats, abs=0.011)
        bars = room.side.bars.bars
        assert unit == "nats" and bars[0].note == str(int(attention[5].argmax()))
        assert [float(bar.number) for bar in bars] == sorted((float(bar.number) for bar in bars), reverse=True)

    def test_what_is_off_carries_nothing(self, room, window):
        """Each token then keeps what it had: in that layer of the rollout it looks at itself alone."""
        read_changed(window, WhatIf(layers_off=frozenset({0})))
        room.shared.choose((0, 0))
        room.open_view("rollout")
        answered(window)
        np.testing.assert_allclose(values(room), np.eye(len(values(room))), atol=1e-6)

    def test_an_empty_picture_can_be_dragged(self, room, window):
        window.state.set_text("A cat sat.", "")
        window.state.set_masks([])
        view = room.open_view("gradient").grid
        settle(window)
        assert view.values is None
        middle = view.rect().center()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseMove(view, middle + QPoint(30, 30))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle + QPoint(30, 30))
        assert not window.frame.banner.is_shown

    def test_mean_rollout_and_flow(self, room, window):
        attentions = traced(window).attentions
        room.shared.choose((1, 2), (0, 1))
        room.open_view("mean")
        np.testing.assert_allclose(values(room), (attentions[1, 2] + attentions[0, 1]) / 2, atol=1e-6)
        assert room.large.title == "Mean of 2 heads"
        of_one_head = room.side.head_title, room.side.what_if.row_editor
        assert not any(each.isVisible() for each in of_one_head) and room.side.what_if.layer_off.isVisible()
        room.shared.choose((1, 2))  # one says nothing new: then all of its layer
        np.testing.assert_allclose(values(room), attentions[1].mean(axis=0), atol=1e-6)
        assert room.large.title == "Mean of all heads of layer 2"
        flow = attention_flow(attentions, range(attentions.shape[-1]))
        for key, title, expected in (("rollout", "Rollout", rollout(attentions)[1]), ("flow", "Flow", flow)):
            room.open_view(key)
            answered(window)
            assert room.large.title == f"{title} · after layers 1–2"
            np.testing.assert_allclose(values(room), expected, atol=1e-6)

    def test_weights_are_edited_where_that_can_be_seen_alone(self, room, window):
        """Not in another picture, where there is no button for it."""
        room.open_view("matrix").edit.click()
        for key in ("rollout", "mean", "gradient"):
            grid = room.open_view(key).grid
            answered(window)
            for _ in range(2):
                QTest.mouseMove(grid, grid.cell_rect(3, 3).center().toPoint())
                QTest.mouseMove(grid, QPoint(1, 1))  # off the picture, and on it again
            start = grid.cell_rect(4, 2).center().toPoint()
            QTest.mousePress(grid, Qt.MouseButton.LeftButton, pos=start)
            QTest.mouseMove(grid, start - QPoint(0, 40))
            QTest.mouseRelease(grid, Qt.MouseButton.LeftButton, pos=start - QPoint(0, 40))
            assert not window.state.what_if

    def test_the_gradient_is_of_the_chosen_word(self, room, window, model_folder):
        room.open_view("gradient")
        window.state.set_masks((2,))
        answered(window)
        target, request = room.shared.targets.target, window.state.reading.request
        assert target.target.position == 2
        model = load_checkpoint(model_folder).model
        other = next(other for other in room.shared.targets.all if other.target.head == "nsp")
        for chosen in (target, other):
            room.shared.targets.choose(chosen)
            answered(window)
            found = attention_gradient(model, as_text(model, request.input_ids, request.segments), chosen.target, 0)
            np.testing.assert_allclose(values(room), found.gradient[0], atol=1e-5)
        assert "without your changes" not in room.large.hint and "by tokens" not in room.large.hint
        window.state.set_what_if(window.state.what_if.with_head(1, 0, True))
        window.state.set_token_view(words=True)
        answered(window)
        np.testing.assert_allclose(values(room), found.gradient[0], atol=1e-5)
        assert "by tokens, special tokens included · without your changes inside" in room.large.hint
        figure = room.view.figure_of("room")
        assert "off" not in figure.caption and "pieces merged" not in figure.caption

    def test_words_and_special_tokens_are_switched_everywhere(self, room, window):
        read_text(window, "comfortable dogs", "a rug")
        window.state.set_token_view(words=True, specials=False)
        answered(window)
        units = units_of(window)
        assert len(units) < len(window.state.encoding)
        expected = units.attention(traced(window).attentions)
        np.testing.assert_allclose(values(room), expected[0, 0], atol=1e-6)
        assert room.open_view("matrix").grid.rows.texts == units.labels
        np.testing.assert_allclose(expected.sum(-1), 1, atol=1e-5)
        assert room.side.facts[3][1].text() == "left out"
        window.state.set_focus(0)  # [CLS], which is not shown
        assert "left out of this view" in room.side.hint
        assert room.open_view("lines").picture.lines[0].links.rows.max() < len(units)

    def test_a_square_tells_its_value_and_keeps_its_row(self, room, window):
        view = room.open_view("matrix").grid
        spot = view.cell_rect(3, 6).center().toPoint()
        QTest.mouseMove(view, spot)
        value = traced(window).attentions[0, 0, 3, 6]
        assert room.view.readout.text() == f"sat (3) looks at mat (6) with weight {value:.4f}"
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
        assert window.state.focus == 3


class TestLines:
    def test_lines_are_the_strongest_links_of_each_chosen_head(self, room, window):
        view = room.open_view("lines")
        room.shared.choose((1, 3), (0, 2))
        assert [lines.head for lines in view.picture.lines] == [(1, 3), (0, 2)]
        for lines in view.picture.lines:
            expected = strongest_links(traced(window).attentions[lines.head], share=0.6)
            assert np.array_equal(lines.links.rows, expected.rows)
            assert np.array_equal(lines.links.columns, expected.columns)
        styles = {lines.style for lines in view.picture.lines}
        assert len({lines.color for lines in view.picture.lines}) == len(styles) == 2
        assert "2·4" in view.legend.text() and "1·3" in view.legend.text()

    def test_a_threshold_and_filters(self, room, window):
        view, attention = room.open_view("lines"), traced(window).attentions[0, 0]
        view.limit.setCurrentIndex(LEAST)
        view.percent.setValue(15)
        press(view.percent, "Down")
        assert len(view.picture.lines[0].links.weights) == int((attention >= 0.10).sum())
        parts = np.array(window.state.encoding.parts)
        view.filter.setCurrentIndex(A_TO_B)
        links = view.picture.lines[0].links
        assert set(parts[links.rows]) <= {"a"} and set(parts[links.columns]) <= {"b"}
        assert len(links.rows) == int((attention[np.ix_(parts == "a", parts == "b")] >= 0.10).sum())
        view.filter.setCurrentIndex(WITHIN)
        links = view.picture.lines[0].links
        assert (parts[links.rows] == parts[links.columns]).all() and "special" not in parts[links.rows]

    def test_without_b_nothing_leads_there_and_it_is_said(self, room, window):
        read_text(window, b="")
        view = room.open_view("lines")
        view.filter.setCurrentIndex(A_TO_B)
        assert len(view.picture.lines[0].links.rows) == 0
        assert view.why_empty.isVisible() and "no sentence B" in view.why_empty.text()


class TestScore:
    def test_every_step_is_shown_and_adds_up(self, room, window):
        view = room.open_view("score")
        window.state.set_head(1, 1)
        window.state.set_focus(9)
        QTest.mouseMove(window, window.rect().topLeft())
        found, strips = traced(window), view.strips.strips
        column = int(found.attentions[1, 1, 9].argmax())
        steps = score_steps(found.queries[1, 1, 9], found.keys[1, 1], column)
        assert np.array_equal(steps.query, found.queries[1, 1, 9])
        assert np.array_equal(steps.key, found.keys[1, 1, column])
        for strip, expected in zip(strips, steps.rows[:-1], strict=False):
            np.testing.assert_array_equal(strip.values, expected)
        assert strips[2].values.sum() == pytest.approx(float(strips[3].values[column]), abs=1e-12)
        assert strips[2].result == f"sum = {steps.score:.4f}"
        size = len(steps.query)
        assert strips[4].title == f"divided by √{size} = {size**0.5:.5g}"
        np.testing.assert_allclose(strips[6].values, found.attentions[1, 1, 9], atol=1e-6)
        assert strips[6].result.endswith(f"{steps.weights[column]:.4f}")

    def test_what_the_padding_mask_does(self, room, window):
        view = room.open_view("score")
        window.state.set_head(1, 1)
        view.pads.click()
        answered(window)
        m, request, position = (
            load(str(window.state.model.folder)),
            window.state.reading.request,
            view.selection.position,
        )
        size = len(request.input_ids)
        padded = m.trace(request.encoding.text_a, request.encoding.text_b, length=size + 2)
        scores = padded.keys[1, 1] @ padded.queries[1, 1, position]
        np.testing.assert_allclose(view.steps.scores, scores, rtol=1e-4, atol=1e-4)
        assert np.isinf(view.steps.masked[size:]).all() and view.tokens[size:] == ["[PAD]"] * 2
        np.testing.assert_allclose(view.steps.weights, padded.attentions[1, 1, position], atol=1e-6)
        view.shared.choose_column(size + 1)
        results = [strip.result for strip in view.strips.strips]
        assert results[5] == "−∞" and results[6].endswith("0.0000")
        view.pads.click()
        assert len(view.steps.weights) == size and "nothing is padded" in view.strips.strips[5].title
        window.state.set_what_if(WhatIf(direction="left"))
        settle(window)
        weights = window.state.reading.trace.attentions[1, 1, position]
        np.testing.assert_allclose(view.steps.weights, weights, atol=1e-5)
        assert np.isinf(view.steps.masked[position + 1 :]).all() and not view.pads.isEnabled()
        assert "instead of the softmax" not in view.note.text()

    def test_a_click_chooses_another_column_and_an_edited_row_is_said(self, room, window):
        view = room.open_view("score")
        spot = view.strips.bar_rect(4, 2).center().toPoint()
        QTest.mouseClick(view.strips, Qt.MouseButton.LeftButton, pos=spot)
        assert view.steps.column == 2
        press(view.strips, "Right")
        assert view.steps.column == 3
        assert view.note.text() == "Red: above 0. Blue: below."
        set_weight(room, window.state.selection.position, 5, 0.9)
        settle(window)
        assert "used 0.9000 instead of the softmax result" in view.note.text()

    def test_the_way_on_is_that_of_torchs_own_attention(self, room, window):
        """From the values to the token's line: `torch.nn.MultiheadAttention` with the layer's weights."""
        view, model = room.open_view("score"), load_checkpoint(window.state.model.folder).model
        window.state.set_head(1, 1)
        window.state.set_focus(9)
        view.page.setCurrentIndex(1)
        answered(window)
        own, trace = model.encoder.layer(1).attention, window.state.reading.trace
        heads, hidden = trace.attentions.shape[1], trace.hidden_states.shape[2]
        theirs = torch.nn.MultiheadAttention(hidden, heads, batch_first=True)
        names = {"in_proj_": own.query_key_value, "out_proj.": own.output}
        state = {f"{name}{part}": getattr(one, part) for name, one in names.items() for part in ("weight", "bias")}
        theirs.load_state_dict(state)
        entering = torch.from_numpy(trace.hidden_states[1])[None]
        with torch.no_grad():
            output, weights = theirs(entering, entering, entering, average_attn_weights=False)
        weights, column = weights[0, 1, 9].numpy(), int(trace.attentions[1, 1, 9].argmax())
        rows = {strip.name: strip.values for strip in view.strips.strips}
        np.testing.assert_allclose(rows["after"] - rows["before"], output[0, 9].numpy(), atol=1e-4)
        np.testing.assert_array_equal(rows["before"], trace.hidden_states[1, 9])
        np.testing.assert_allclose(rows["weight × value"], weights[column] * rows["value"], atol=1e-5)
        added = sum(self.added_by(view, window, head) for head in range(heads)) + own.output.bias.detach().numpy()
        np.testing.assert_allclose(added, output[0, 9].numpy(), atol=1e-4)
        assert len(rows["length"]) == len(weights) and np.linalg.norm(rows["sum"]) <= rows["length"].sum() + 1e-5
        window.state.set_head(1, 1)
        settle(window)
        assert view.strips.selected_cell() == (2, column) and "“" in view._asked.text()
        press(view.strips, "Right" if column == 0 else "Left")
        assert view.strips.selected_cell() == (2, column + 1 if column == 0 else column - 1)

    def added_by(self, view, window, head):
        window.state.set_head(1, head)
        settle(window)
        return next(strip.values for strip in view.strips.strips if strip.name == "added")

    def test_what_is_under_the_mouse_is_read_from_all_rows(self, room, window):
        view = room.open_view("score")
        view.strips.hovered.emit((2, 3))
        assert re.fullmatch(r"dimension 3: query \S+, key \S+, product \S+", view.readout.text())
        view.strips.hovered.emit((6, 2))
        assert re.fullmatch(r"\S+ \(2\): scores \S+, scaled \S+, masked \S+, softmax \S+", view.readout.text())


def test_the_menu_of_a_head_chooses_nothing(room, window):
    atlas = room.heads_card.atlas
    spot = atlas.cell_rect(1, 2).center().toPoint()
    QTest.mouseClick(atlas, Qt.MouseButton.RightButton, pos=spot)
    assert list(room.shared.heads) == [(0, 0)]
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, atlas.mapToGlobal(spot))
    QApplication.sendEvent(atlas, event)
    (menu,) = (found for found in room.findChildren(QMenu) if found.isVisible())
    actions = {action.text(): action for action in menu.actions()}
    actions["Switch head 2·3 off"].trigger()
    assert window.state.what_if.heads_off == {(1, 2)}
    actions["Compare it with the selected heads"].trigger()
    assert list(room.shared.heads) == [(0, 0), (1, 2)]
    menu.close()


def test_the_heads_fold_away_while_the_other_card_takes_their_room(room, window):
    """Between the two the large picture would be a stamp."""
    window.resize(1100, 900)
    assert room.right.tab.isVisible() and not room.left.tab.isVisible()
    room.right.tab.click()
    assert room.side.isVisible() and not room.heads_card.isVisible()
    room.left.tab.click()
    assert room.heads_card.isVisible() and not room.side.isVisible() and not room.left.tab.isVisible()


def test_in_a_narrow_window_the_side_cards_fold_away(room, window):
    """The large picture comes first, and nothing has to be scrolled sideways."""
    cards = room.heads_card, room.side
    window.resize(1440, 900)
    wait_until(lambda: all(card.isVisible() for card in cards))
    assert not room.left.tab.isVisible() and not room.right.tab.isVisible()
    window.resize(1024, 700)
    wait_until(lambda: not room.side.isVisible())
    area = next(area for area in window.findChildren(QScrollArea) if area.isAncestorOf(room))
    assert area.horizontalScrollBar().maximum() == 0 and room.heads_card.isVisible()
    room.right.tab.click()
    assert room.side.isVisible()
    window.appearance.set_look(projector=True)
    window.resize(1280, 720)
    again = attend(window)
    wait_until(lambda: not again.heads_card.isVisible() and not again.side.isVisible())
    wait_until(lambda: again.large.width() > 0.75 * window.width())
