"""What a person meets first: one thing to click, one room marked, whole sentences before formulas."""

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton

from app.rooms.attend.head_panels import words_to_choose
from app.shell.rooms import ROOMS, room_views
from app.state.baseline import OtherText
from bertcore.analysis.attention_heads import find_heads
from bertcore.analysis.vectors import cosines
from tests.app.conftest import answered, compare, settle, shown_view


def primary_buttons(window):
    """In the accent's colour, on show in the room."""
    buttons = window.frame.room.findChildren(QPushButton)
    return [one.text() for one in buttons if one.property("look") == "primary" and one.isVisible()]


@pytest.mark.parametrize("what", ["a mask", "nothing typed", "compared"])
def test_each_room_has_one_primary_button_at_most_and_one_is_marked_in_the_rail(what, window):
    if what == "nothing typed":
        window.state.set_text("", "")
    elif what == "compared":
        compare(window, OtherText("The dog sat on the mat.", ""))
    else:
        window.state.set_masks([3])
    settle(window)
    seen = {}
    for key, views in room_views().items():
        for view in views or [""]:
            window.open_view(key, view)
            answered(window)
            seen[key, view] = primary_buttons(window)
            marked = [room for room, button in window.frame.rail._buttons.items() if button.isChecked()]
            spec = next(spec for spec in ROOMS if spec.key == key)
            assert marked == [spec.belongs_to or key]
    window.open_room("train").runs_card.show_form()
    seen["train", "form"] = primary_buttons(window)
    assert not {place: buttons for place, buttons in seen.items() if len(buttons) > 1}


class TestFind:
    @pytest.fixture
    def find(self, window):
        window.state.set_text("The cat saw a dog.", "It ran.")
        return shown_view(window, "attend", "find")

    def test_it_begins_with_a_sentence_and_the_formula_is_behind_it(self, find, window):
        assert (find.who.currentText(), find.what.currentText()) == ("ran", "the") and find.query.isHidden()
        expected = find_heads("attn(ran -> the) > 0.3", window.state.reading.trace.attentions, window.state.encoding)
        assert find.asked["find"].answer == expected
        count = len(expected.matches)
        assert find.summary.text() == f"{count} head{'s' * (count != 1)} in which “ran” looks at “the” a lot"
        find.more.click()
        assert not find.query.isHidden() and find.query.placeholderText() == "attn(ran -> the) > 0.3"

    def test_a_word_that_was_chosen_stays_while_it_is_in_the_text(self, find, window):
        find.who.setCurrentIndex(find.who.findText("cat"))
        find.who.activated.emit(find.who.currentIndex())
        answered(window)
        assert find.query.placeholderText() == "attn(cat -> the) > 0.3"
        for text, who in (("The cat ate.", "cat"), ("The dog ate it.", "it")):
            window.state.set_text(text, "")
            answered(window)
            assert find.who.currentText() == who

    def test_each_word_can_be_asked_about(self, find, window):
        window.state.set_text("A special [MASK] any the the!", "")
        answered(window)
        encoding = window.state.encoding
        for name in words_to_choose(encoding):
            found = find_heads(f"attn({name} -> {name}) >= 0", window.state.reading.trace.attentions, encoding)
            assert len(found.matches) == window.state.reading.trace.attentions[:, :, 0, 0].size


def test_one_tokens_strips_add_up_and_all_tokens_are_a_click_away(window):
    view, trace = shown_view(window, "embed", "parts"), window.state.reading.trace
    window.state.set_focus(2)
    parts = {part.name: part.values for part in view.charts["strips"].parts}
    assert list(parts) == ["token", "segment", "position", "sum"] and len(parts["sum"]) == 1
    np.testing.assert_allclose(parts["token"] + parts["segment"] + parts["position"], parts["sum"], atol=1e-6)
    np.testing.assert_allclose(parts["sum"][0], trace.embedding_sum[2], atol=1e-6)
    view.which.setCurrentIndex(1)
    parts = {part.name: part.values for part in view.charts["strips"].parts}
    assert len(parts) == 5 and len(parts["sum"]) == len(trace.embedding_sum)


def test_the_tokens_beside_the_matrix_are_its_row(window):
    view = shown_view(window, "layers", "hidden")
    window.state.set_focus(2)
    row = cosines(window.state.reading.trace.hidden_states[window.state.selection.stage])[2]
    np.testing.assert_allclose(view.shown["nearest"].array, np.sort(np.delete(row, 2))[::-1], atol=1e-6)
    assert view.charts["lengths"].isHidden() or not view.charts["lengths"].isVisible()


def test_the_token_that_differs_most_is_named(window):
    compare(window, OtherText("The dog sat on the mat.", "It was happy."))
    view = shown_view(window, "layers", "apart")
    distance = view.shown["distance"]
    row, stage = divmod(int(distance.array.argmax()), distance.array.shape[1])
    where = f"after layer {stage}" if stage else "embeddings"
    assert view.furthest.text().startswith(f"Furthest apart: “{distance.rows.labels[row]}”, {where}.")
