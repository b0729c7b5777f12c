"""Finding heads, the map, effects and the check in the room Attend, against the functions behind them."""

import numpy as np
import pytest

from app.compute.head_questions import check_of_head, effects_of_heads
from app.compute.question import Question
from app.look import numbers
from app.rooms.attend.attentions import Attentions
from app.rooms.attend.large_card import SPECS
from app.widgets.figure_button import figure_buttons
from bertcore.analysis.attention_heads import find_heads, head_map
from bertcore.analysis.interventions import ablate
from bertcore.analysis.predict import softmax
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.attend_room import attend, traced
from tests.app.conftest import answered, click, press, read_masked, read_text, settle, shown_view


@pytest.fixture
def room(window):
    return attend(window)


class TestFind:
    @pytest.fixture
    def find(self, room):
        return room.open_view("find")

    def ask(self, find, query, window, room):
        find.query.setText(query)
        answered(window)
        return find.asked["find"].answer

    def test_what_is_found_is_what_the_function_finds(self, find, room, window):
        found = self.ask(find, "attn(A -> B) > 0.05", window, room)
        expected = find_heads("attn(A -> B) > 0.05", traced(window).attentions, window.state.encoding)
        assert found.matches == expected.matches and expected.matches
        assert find.summary.text() == f"{len(expected.matches)} heads, ranked by attention from A to B"
        press(find.query, "Return")
        assert list(room.shared.heads) == [(expected.matches[0].layer, expected.matches[0].head)]
        find.choose.click()
        assert list(room.shared.heads) == [(match.layer, match.head) for match in expected.matches[:6]]

    def test_a_kind_has_the_name_that_the_window_gives_it(self, find, room, window):
        self.ask(find, "nearly everywhere", window, room)
        assert "“nearly everywhere”" in find.summary.text()

    def test_a_position_is_the_number_that_the_window_shows(self, find, room, window):
        """Where [CLS] and [SEP] are left out, the rows of the view count otherwise."""
        window.state.set_token_view(specials=False)
        queries = ("attn(cat -> sat) > 0", "attn(#2 -> #3) > 0")
        word, place = (self.ask(find, query, window, room).matches for query in queries)
        assert word == place and word

    def test_what_cannot_be_read_is_said_in_place(self, find, room, window):
        find.query.setText("attn(it -> zebra) > 0.3")
        answered(window)
        assert find.line.text.startswith("There is no zebra in this text") and find.links.isHidden()
        assert not window.frame.banner.is_shown
        find.query.clear()
        answered(window)
        assert find.line.isHidden()


def test_the_map_of_heads_is_that_of_the_function(room, window):
    view = shown_view(window, "attend", "alike")
    expected = head_map(traced(window).attentions)
    np.testing.assert_allclose(view.points.points.places, expected.points.reshape(-1, 2), atol=1e-9)
    layer, head = divmod(int(np.argsort(expected.divergence[0])[1]), 4)
    assert f'href="{layer},{head}"' in view.links.text()
    click(view.points, view.points.spots[1 * 4 + 2])
    assert list(room.shared.heads) == [(1, 2)]


class TestEffects:
    def test_effects_are_drawn_over_the_heads(self, room, window, model_folder):
        read_masked(window, (2, 5))
        shown_view(window, "attend", "effects")
        checkpoint, text = load_checkpoint(model_folder), window.state.reading.request.model_input
        assert room.shared.targets.target.target.head == "mlm"
        other = next(target for target in room.shared.targets.all if target.target.position == 5)
        for target in (room.shared.targets.target, other):
            room.shared.targets.choose(target)
            answered(window)
            expected = effects_of_heads(checkpoint, text, target, lambda share: None)
            np.testing.assert_allclose(room.heads_card.atlas.effects, -expected, atol=1e-5)  # what they add
            (_, helping, _), (_, hurting, _) = room.open_view("effects").links.rows
            assert all(expected[head] < 0 for head, _ in helping) and all(expected[head] > 0 for head, _ in hurting)
            strongest = {divmod(int(at), expected.shape[1]) for at in (expected.argmin(), expected.argmax())}
            assert {row[0][0] for row in (helping, hurting) if row} <= strongest and (helping or hurting)
        room.heads_card.open("alike")
        assert room.heads_card.atlas.effects is None

    def test_without_a_mask_the_pair_is_asked_about_and_without_both_it_is_said(self, room, window):
        room.heads_card.open("effects")
        answered(window)
        assert room.shared.targets.target.target.head == "nsp"
        window.state.set_text(b="")
        answered(window)
        assert room.open_view("effects").line.text.startswith("Mask a word (M)")
        assert room.heads_card.atlas.effects is None

    def test_stop_ends_it_and_it_can_begin_again(self, room, window):
        view = room.open_view("effects")
        assert view.asked["effects"].is_running
        view.asked["effects"].cancel(can_restart=True)
        assert view.line.text == "Stopped." and not view.asked["effects"].is_running
        answered(window)
        assert view.effects is None
        view.asked["effects"].start()
        answered(window)
        assert view.effects is not None and view.line.isHidden()


class TestCheck:
    def test_three_columns_of_the_same_row_and_what_follows_a_click_not_the_mouse(self, room, window, model_folder):
        window.state.set_masks((2,))
        window.state.set_focus(2)
        settle(window)
        window.state.set_head(1, 0)
        view = shown_view(window, "attend", "check")
        request, target = window.state.reading.request, room.shared.targets.target
        checkpoint = load_checkpoint(model_folder)
        expected = check_of_head(checkpoint, request.model_input, target, 1, 0, 2, lambda share: None)
        columns = (expected.attention, expected.gradient, -expected.without)
        for column, values in zip(view.bars.columns, columns, strict=True):
            np.testing.assert_allclose(column.values, values, atol=1e-5)
        asked = checkpoint.model, request.input_ids, request.segments
        before, after = (
            float(softmax(trace(*asked, mlm_positions=[2], changes=changes).mlm_logits[0])[target.target.index])
            for changes in (None, ablate([(1, 0)]))
        )
        assert f"{numbers.number(before)} → {numbers.number(after)}" in view.summary.text()
        key = view.asked["check"].key
        window.state.set_hover(7)
        assert view.asked["check"].key == key

    def test_what_is_said_is_said_of_what_was_chosen(self, room, window):
        page = room.open_view("check")
        answered(window)
        assert "ln p of “B follows A”" in page.meanings.text() and "“B follows A”" in page.summary.text()
        read_masked(window, (2,))
        word = next(target for target in room.shared.targets.all if target.label == "cat at 2" and target.note)
        room.shared.targets.choose(word)
        answered(window)
        assert "ln p of “cat at 2”" in page.meanings.text() and "“cat at 2”" in page.summary.text()
        window.state.set_masks(())
        read_text(window, b="")
        assert "ln p of the prediction" in page.meanings.text()


def test_the_room_that_is_left_asks_for_nothing(room, window):
    room.heads_card.open("effects")
    window.open_room("embed")
    assert not any(question.is_running for question in room.findChildren(Question))
    settle(window)
    window.open_room("attend")
    answered(window)
    assert room.heads_card.atlas.effects is not None


@pytest.mark.parametrize("key", [spec.key for spec in SPECS])
def test_each_picture_can_be_taken_away(room, window, key):
    read_masked(window, (2,))
    room.open_view(key)
    answered(window)
    figure = room.view.figure_of("room")
    assert figure.title == room.large.title
    assert ("layer 1, head 1" in figure.caption) == (key not in ("mean", "rollout", "flow"))
    if key == "matrix":
        np.testing.assert_array_equal(figure.numbers["attention"].values, traced(window).attentions[0, 0])
    assert all(np.isfinite(drawn.values).any() for drawn in figure.numbers.values())
    for made in figure_buttons(room):
        assert made.figure() is not None


def test_every_head_is_shown_in_the_view_that_was_chosen_after_the_room_was_left(room, window, monkeypatch):
    """Of a long text they are made small on the worker, and nothing asks for them twice."""
    monkeypatch.setattr(Attentions, "is_small", property(lambda self: False))
    window.state.set_token_view(specials=False)
    answered(window)
    units = len(window.state.encoding or ()) - 3
    assert room.heads_card.atlas.thumbnails.shape[-1] == units
    window.open_room("embed")
    window.open_room("attend")
    answered(window)
    assert room.heads_card.atlas.thumbnails.shape[-1] == units
