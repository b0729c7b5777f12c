"""What if in the room Attend: what the switches and edits ask of the model, and what is said of the effect."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.look import numbers
from app.state.session_file import as_json, read_session
from app.state.what_if import WhatIf
from bertcore.analysis.interventions import ablate, set_attention_row
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.attend_room import attend, set_weight, traced
from tests.app.conftest import answered, press, read_changed, read_masked, read_text, settle, units_of, wait_until
from tests.app.layout_walk import walk


@pytest.fixture
def room(window):
    return attend(window)


def test_switches_say_and_show_what_is_off(room, window):
    switches = room.side.what_if.head_off, room.side.what_if.layer_off
    window.state.set_head(1, 2)
    for switch in switches:
        switch.click()
        settle(window)
    assert window.state.what_if == WhatIf(heads_off=frozenset({(1, 2)}), layers_off=frozenset({1}))
    for head, expected in (((0, 2), [False, False]), ((1, 2), [True, True])):
        window.state.set_head(*head)
        assert [switch.isChecked() for switch in switches] == expected
    for switch in switches:
        switch.click()
    assert not window.state.what_if


def test_what_is_off_is_shown_as_off(room, window):
    """Its attention is still worked out, but nothing comes of it."""
    panel, atlas = room.side.what_if, room.heads_card.atlas
    kinds = room.open_view("kinds").links
    before = {spot: cell_of(atlas, spot) for spot in ((0, 1), (1, 2), (1, 3))}
    window.state.set_head(1, 2)
    panel.head_off.click()
    answered(window)
    assert panel.head_off.text() == "Switch head 2·3 on again" and panel.layer_off.text() == "Skip this layer"
    assert room.large.title == "Layer 2 · Head 3 · off" and room.side.head_title.text() == "Head 2·3 · off"
    assert room.large.intro == "Switched off, so it has no effect."
    assert atlas.accessibleDescription() == "Switched off: 2·3"
    window.state.set_head(0, 0)  # whose frame is not around the cells below
    assert {spot for spot in before if cell_of(atlas, spot) != before[spot]} == {(1, 2)}
    rows = kinds.text().split("<tr>")
    assert ["switched off" in row for row in rows if 'href="1,2"' in row] == [True]
    assert room.large.title == "Layer 1 · Head 1" and panel.head_off.text() == "Switch head 1·1 off"
    assert "no effect" not in room.large.intro

    window.state.set_head(1, 0)
    panel.layer_off.click()
    settle(window)
    assert panel.layer_off.text() == "Use this layer again" and panel.head_off.text() == "Switch head 2·1 off"
    for key in ("matrix", "lines", "score"):
        room.show_view(key)
        assert room.large.title == "Layer 2 · Head 1 · off"
    assert atlas.off == {(1, head) for head in range(4)}
    read_changed(window, WhatIf())
    assert not atlas.off and room.large.title == "Layer 2 · Head 1" and atlas.accessibleDescription() == ""
    assert panel.layer_off.text() == "Skip this layer"


def cell_of(atlas, spot):
    """As it is drawn, without its frame."""
    return atlas.grab(atlas.cell_rect(*spot).toRect().adjusted(5, 5, -5, -5)).toImage()


def test_heads_that_are_off_are_said_to_be_in_groups_finds_and_lines(room, window):
    room.heads_card.by_kind.setChecked(True)
    window.state.set_what_if(WhatIf(heads_off=frozenset({(0, 3)}), layers_off=frozenset({1})))
    answered(window)
    atlas = room.heads_card.atlas
    lowest = {spot for spot in np.ndindex(2, 4) if atlas.cell_rect(*spot).y() > atlas.cell_rect(0, 2).y()}
    assert atlas.off == {(0, 3), (1, 0), (1, 1), (1, 2), (1, 3)} and atlas.off <= lowest
    room.open_view("find").query.setText("attn(A -> B) >= 0")
    window.state.set_what_if(WhatIf(layers_off=frozenset({1})))
    answered(window)
    found = room.open_view("find").links.text().split("<a ")[1:]
    assert {("off</span>" in link, 'href="1,' in link) for link in found} == {(True, True), (False, False)}
    view = room.open_view("lines")
    read_changed(window, WhatIf(heads_off=frozenset({(0, 1)})))
    room.shared.choose((0, 1), (1, 0))
    assert "1·2 off" in view.legend.text() and "2·1 off" not in view.legend.text()


@pytest.mark.parametrize("projector", [False, True], ids=["normal", "projector"])
def test_the_words_for_what_is_off_have_room(window, projector):
    window.appearance.set_look(projector=projector)
    read_changed(window, WhatIf(heads_off=frozenset({(0, 0)}), layers_off=frozenset({0})))
    assert walk(window, ("attend",)) == {}


def test_the_effect_on_the_words_and_on_the_pair_is_told(room, window, model_folder):
    read_masked(window, (2,))
    assert room.side.what_if.effect.isHidden()
    room.side.what_if.head_off.click()
    settle(window)
    request, model = window.state.reading.request, load_checkpoint(model_folder).model
    before, after = (
        trace(model, request.input_ids, request.segments, mlm_positions=[2], changes=changes)
        for changes in (None, ablate([(0, 0)]))
    )
    words = [torch.tensor(found.mlm_logits[0]).softmax(0) for found in (before, after)]
    best = int(words[0].argmax())
    name = request.model.tokenizer.label(best)
    rows = room.side.what_if.effect.rows
    assert rows[0] == (f"[MASK] (2): “{name}”", *(numbers.probability(float(one[best]), fine=True) for one in words))
    pair = [float(torch.tensor(found.next_sentence_logits).softmax(0)[0]) for found in (before, after)]
    assert rows[-1] == ("B follows A", *(numbers.probability(one, fine=True) for one in pair))


def test_without_a_mask_it_says_how_to_see_the_words(room, window):
    room.side.what_if.head_off.click()
    settle(window)
    panel = room.side.what_if
    assert panel.effect.sentence == "Mask a word (M) to see what this does to it."
    panel.mask_button.click()
    settle(window)
    assert len(window.state.masked) == 1 and panel.mask_button.isHidden() and panel.effect.rows


def test_a_typed_weight_is_put_into_the_row(room, window, model_folder):
    window.state.set_head(1, 1)
    window.state.set_focus(3)
    panel = room.side.what_if
    panel.column.setCurrentIndex(6)
    panel.column.activated.emit(6)
    before = traced(window).attentions[1, 1, 3].copy()
    assert panel.weight.value() == pytest.approx(float(before[6]), abs=5e-4)
    panel.weight.selectAll()
    QTest.keyClicks(panel.weight, "0.75")
    press(panel.weight, "Return")
    settle(window)
    row = before * (0.25 / (1 - before[6]))
    row[6] = 0.75
    np.testing.assert_allclose(traced(window).attentions[1, 1, 3], row, atol=1e-5)
    assert not panel.reset.isHidden() and "sums to 1" in panel.is_edited.text()
    request = window.state.reading.request
    edit = set_attention_row(1, 1, 3, row)
    direct = trace(load_checkpoint(model_folder).model, request.input_ids, request.segments, changes=edit)
    np.testing.assert_allclose(traced(window).hidden_states[-1], direct.hidden_states[-1], atol=1e-4)
    panel.reset.click()
    assert not window.state.what_if
    settle(window)
    np.testing.assert_allclose(traced(window).attentions[1, 1, 3], before, atol=1e-6)


def test_a_square_is_dragged_to_another_weight(room, window):
    page = room.open_view("matrix")
    view, left = page.grid, Qt.MouseButton.LeftButton
    page.edit.click()
    before = traced(window).attentions[0, 0, 4].copy()
    column = int(before.argmin())
    start = view.cell_rect(4, column).center().toPoint()
    QTest.mouseMove(view, start)
    QTest.mousePress(view, left, pos=start)
    QTest.mouseMove(view, start - QPoint(0, 40))
    QTest.mouseMove(view, start - QPoint(0, 80))
    assert "the rest of the row makes up the difference" in page.readout.text()
    assert not window.state.what_if  # one change for the whole drag
    QTest.mouseRelease(view, left, pos=start - QPoint(0, 80))
    settle(window)
    after = traced(window).attentions[0, 0, 4]
    assert after[column] == pytest.approx(before[column] + 0.5, abs=1e-5) and after.sum() == pytest.approx(1, abs=1e-5)


def test_an_edit_of_a_word_is_one_of_all_its_pieces(room, window):
    window.state.set_text("comfortable dogs", "a rug")
    window.state.set_token_view(words=True, specials=False)
    settle(window)
    units = units_of(window)
    row = next(i for i, unit in enumerate(units.members) if len(unit) > 1)
    column = len(units) - 1
    set_weight(room, row, column, 0.6)
    settle(window)
    shown = units_of(window).attention(traced(window).attentions[0, 0])
    assert shown[row, column] == pytest.approx(0.6, abs=1e-4)
    np.testing.assert_allclose(traced(window).attentions[0, 0].sum(-1), 1, atol=1e-5)
    before = window.state.reading.baseline.trace.attentions[0, 0]
    specials = [i for i, part in enumerate(window.state.encoding.parts) if part == "special"]
    np.testing.assert_allclose(traced(window).attentions[0, 0][:, specials], before[:, specials], atol=1e-5)


def test_weights_set_to_1_come_back_from_a_file(room, window):
    """Rows as the model gives them sum to a little more than 1 now and then."""
    layers, heads, size, _ = traced(window).attentions.shape
    for layer, head, row in np.ndindex(layers, heads, size):
        window.state.set_head(layer, head)
        set_weight(room, row, 1, 1.0)
    session = window.sessions.current()
    assert len(session.changes.rows) == layers * heads * size
    assert read_session(as_json(session), Path("mine")).changes == session.changes
    assert max(max(row.weights) for row in session.changes.rows) == 1


def test_another_text_forgets_what_was_edited_or_typed(room, window):
    set_weight(room, 2, 3, 0.9)
    settle(window)
    read_text(window, a="A dog ran home.")
    assert not window.state.what_if and room.side.what_if.reset.isHidden()
    type_weight(room, window, "0.9")
    read_text(window, "a dog ran", "")
    assert room.side.what_if.weight.text() != "0.9" and not window.state.what_if


def type_weight(room, window, weight):
    window.activateWindow()
    room.side.what_if.weight.setFocus()
    wait_until(room.side.what_if.weight.hasFocus)
    room.side.what_if.weight.selectAll()
    QTest.keyClicks(room.side.what_if.weight, weight)


def test_a_weight_goes_into_the_row_and_column_that_it_was_typed_for(room, window):
    """On its way to the next click the mouse passes over other tokens."""
    window.state.set_head(1, 1)
    window.state.set_focus(3)
    panel = room.side.what_if
    column = panel.column.currentIndex()
    type_weight(room, window, "0.9")
    window.state.set_hover(6)
    window.state.set_focus(6)
    assert panel.weight.text() == "0.9" and panel.column.currentIndex() == column
    press(panel.weight, "Return")
    (row,) = window.state.what_if.rows
    assert row.position == 3 and row.weights[column] == pytest.approx(0.9)
    window.state.set_focus(3)
    panel.column.setCurrentIndex(6)
    panel.column.activated.emit(6)
    window.state.set_hover(5)
    assert panel.column.currentIndex() == 6


@pytest.mark.parametrize("leave", ["enter", "another field"])
@pytest.mark.parametrize(("typed", "counts"), [("0,5", 0.5), ("2", 1.0), ("-1", 0.0), ("abc", None), ("nan", None)])
def test_what_is_typed_counts_or_goes_away(room, window, typed, counts, leave):
    window.state.set_focus(3)
    panel = room.side.what_if
    column, before = panel.column.currentIndex(), panel.weight.text()
    type_weight(room, window, typed)
    if leave == "enter":
        press(panel.weight, "Return")
    else:
        panel.column.setFocus()
    if counts is None:
        assert panel.weight.text() == before and not window.state.what_if
        return
    (row,) = window.state.what_if.rows
    assert row.position == 3 and row.weights[column] == pytest.approx(counts)
    assert panel.weight.text() == f"{counts:.3f}"
    settle(window)
    assert panel.weight.text() == f"{counts:.3f}"
