"""Attend beside a baseline: differences in the places of our tokens, computed directly, and which heads moved most."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.rooms.attend.attentions import Attentions
from app.rooms.attend.lines_view import LEAST_CHANGE
from app.state.baseline import TWO_TEXTS, OtherModel, OtherText
from app.state.token_units import TokenView
from tests.app.attend_room import attend
from tests.app.conftest import TEXT_B, answered, click, make_checkpoint, settle, wait_until

SHORTER, ONE_WORD = OtherText("The dog sat.", TEXT_B), OtherText("The dog sat on the mat.", TEXT_B)


@pytest.fixture
def room(window):
    return attend(window)


@pytest.fixture
def compare(room, window):
    def compared(key, baseline):
        view = room.open_view(key)
        window.state.set_baseline(baseline)
        answered(window)
        return view

    return compared


def readings(window):
    return window.state.reading, window.state.reading.baseline


def weights(window):
    """Of the head on show: now, and in the baseline."""
    return tuple(one.trace.attentions[window.state.layer, window.state.head] for one in readings(window))


def places(window):
    """Of our tokens in the baseline."""
    return list(window.state.reading.alignment.other_positions)


def js_bits(p, q):
    """Jensen-Shannon divergence of the rows of two matrices, from its definition, and their mean."""
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = [np.nan_to_num(one * np.log2(one / middle)).sum(-1) for one in (p, q)]
    return float(((kl[0] + kl[1]) / 2).mean())


class TestMatrix:
    def test_differences_are_now_minus_before_or_both_stand_side_by_side(self, compare, room, window):
        view = compare("matrix", ONE_WORD)
        now, before = weights(window)
        ours, theirs = (one.trace.attentions for one in readings(window))
        np.testing.assert_allclose(room.heads_card.atlas.thumbnails, ours - theirs, atol=1e-6)
        np.testing.assert_allclose(view.grid.values, now - before, atol=1e-6)
        low, high = view.grid.color_range or (0, 0)
        assert low == -high and high == pytest.approx(np.abs(now - before).max())
        assert "cat (vs dog)" in view.grid.rows.texts and room.heads_card.difference_scale.isVisible()
        window.comparison.toggle_difference()
        np.testing.assert_allclose(view.grid.values, now)
        np.testing.assert_allclose(view.charts["theirs"].values, before)
        assert view.charts["theirs"].isVisible() and view.grid.color_range == view.charts["theirs"].color_range
        np.testing.assert_allclose(room.heads_card.atlas.thumbnails, readings(window)[0].thumbnails)

    @pytest.mark.parametrize(("baseline", "words"), [(SHORTER, False), (ONE_WORD, True)], ids=["shorter", "words"])
    def test_only_what_both_have_is_compared(self, baseline, words, compare, window):
        compare("matrix", baseline)
        both = Attentions(readings(window)[0], TokenView(words=words, specials=not words))
        assert (None in both.alignment.other_positions) != words
        theirs = both.baseline.weights(0, 1)
        before, places = both.placed(theirs), both.alignment.other_positions
        for (row, column), value in np.ndenumerate(before):
            at = places[row], places[column]
            assert np.isnan(value) if None in at else value == theirs[at]

    def test_a_model_of_another_shape_is_beside_with_the_most_similar_head(self, compare, room, window, tmp_path):
        other_model = OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2)))
        view = compare("matrix", other_model)
        assert "2 × 4 and 3 × 2 heads" in view.about and view.charts["theirs"].isVisible()
        ours, theirs = (one.trace.attentions.astype(float) for one in readings(window))
        mine = ours[window.state.layer, window.state.head]
        best = min(np.ndindex(3, 2), key=lambda head: js_bits(mine, theirs[head]))
        np.testing.assert_allclose(view.charts["theirs"].values, theirs[best], atol=1e-6)
        np.testing.assert_allclose(room.heads_card.atlas.thumbnails, readings(window)[0].thumbnails)  # no difference
        lines = compare("lines", other_model)
        assert lines.charts["theirs"].lines and lines.charts["theirs"].isVisible() and "cannot be paired" in lines.about
        score = compare("score", other_model)
        assert score.baseline_steps.products is None
        assert "most similar" in score.note.text()
        assert score.strips.strips[0].before is None and score.strips.strips[-1].before is not None


class TestMoved:
    def test_the_heads_that_moved_most_lead_there(self, compare, window):
        panel = compare("moved", ONE_WORD)
        now, before = (one.trace.attentions.astype(float) for one in readings(window))
        direct = np.array(
            [[js_bits(*head) for head in zip(*layer, strict=True)] for layer in zip(now, before, strict=True)]
        )
        np.testing.assert_allclose(panel.map.values, direct, atol=1e-4)
        assert panel.heads[0] == divmod(int(direct.argmax()), direct.shape[1])
        last = len(panel.heads) - 1
        click(panel.bars, panel.bars.row_rect(last))
        assert (window.state.layer, window.state.head) == panel.heads[last]

    def test_without_a_baseline_two_texts_are_offered_at_a_click(self, compare, window, qtbot):
        panel = compare("moved", None)
        assert "Compare with" in panel.about_moved.text() and not panel.bars.isVisible() and panel.try_it.isVisible()
        qtbot.mouseClick(panel.try_it, Qt.MouseButton.LeftButton)
        settle(window)
        assert window.state.text_a == TWO_TEXTS.text and window.state.baseline == TWO_TEXTS.baseline
        assert not panel.try_it.isVisible()

    def test_texts_without_a_common_word_say_so(self, compare, room):
        panel = compare("moved", OtherText("happy dog", ""))
        assert "no word in common" in panel.about_moved.text() and "no word in common" in room.view.about

    def test_a_comparison_begins_with_the_head_that_moved_most(self, compare, room, window):
        """The picture of the head that was on show was empty."""

        def is_on_show(place):
            return bool(panel.heads) and (window.state.layer, window.state.head) == panel.heads[place]

        panel = compare("moved", None)
        window.state.set_baseline(ONE_WORD)
        wait_until(lambda: is_on_show(0))
        window.state.set_head(*panel.heads[-1])
        room.open_view("kinds")
        room.open_view("moved")
        settle(window)
        assert is_on_show(-1)  # a person chose it
        window.state.set_baseline(SHORTER)
        settle(window)
        wait_until(lambda: is_on_show(0))

    def test_a_window_built_anew_keeps_the_head_that_was_chosen(self, compare, window):
        chosen = compare("moved", ONE_WORD).heads[-1]
        window.state.set_head(*chosen)
        window.appearance.set_look(projector=True)
        panel = window.open_room("attend").open_view("moved")
        wait_until(lambda: bool(panel.heads))
        settle(window)
        assert (window.state.layer, window.state.head) == chosen

    def test_a_head_that_is_switched_off_stays_on_show(self, compare, room, window):
        panel = compare("moved", None)
        window.state.set_head(0, 1)
        room.side.what_if.head_off.click()
        wait_until(lambda: bool(panel.heads))
        settle(window)
        assert (window.state.layer, window.state.head) == (0, 1)
        assert room.side.intro == "Switched off, so it has no effect."


class TestLines:
    def test_lines_are_what_changed_by_more_than_the_limit(self, compare, window):
        view = compare("lines", ONE_WORD)
        view.limit.setCurrentIndex(1)
        view.percent.setValue(2)
        now, before = weights(window)
        (lines,), changes = view.picture.lines, now - before
        assert len(lines.signs)
        expected = {tuple(spot): changes[tuple(spot)] for spot in np.argwhere(np.abs(changes) >= 0.02).tolist()}
        spots = zip(lines.links.rows.tolist(), lines.links.columns.tolist(), strict=True)
        drawn = dict(zip(spots, (lines.links.weights * lines.signs).tolist(), strict=True))
        assert drawn == pytest.approx(expected, abs=1e-6)
        assert lines.full == pytest.approx(np.abs(changes).max()) and "Red: it looks there more" in view.about
        more, less = (lines.paint_color(int(place)) for place in (lines.signs.argmax(), lines.signs.argmin()))
        assert more.red() > more.blue() and less.blue() > less.red()

    def test_the_same_text_has_no_lines(self, compare, window):
        view = compare("lines", OtherText(window.state.text_a, window.state.text_b))
        assert not len(view.picture.lines[0].links.weights) and "nothing differs" in view.legend.text()
        assert view.percent.value() == 60

    def test_of_a_shorter_text_nothing_stands_in_for_what_it_lacks(self, compare, window):
        view = compare("lines", SHORTER)
        lacking = {i for i, place in enumerate(places(window)) if place is None}
        (lines,) = view.picture.lines
        assert lacking and not lacking.intersection([*lines.links.rows.tolist(), *lines.links.columns.tolist()])
        assert lines.full >= LEAST_CHANGE and "in only one text" in view.legend.text()
        window.comparison.toggle_difference()  # side by side
        last = len(readings(window)[0].encoding) - 1
        window.state.set_focus(last)
        _, before = weights(window)
        (theirs,) = view.charts["theirs"].lines
        np.testing.assert_allclose(theirs.links.weights, before[theirs.links.rows, theirs.links.columns], atol=1e-6)
        assert view.charts["theirs"].isVisible() and theirs.signs is None
        window.state.set_focus(0)
        view.charts["theirs"].clicked.emit(len(before) - 1, None)  # their last token is compared with our last
        assert window.state.focus == last


class TestScore:
    def test_the_score_of_both_and_what_makes_the_difference(self, compare, window):
        view = compare("score", ONE_WORD)
        window.state.set_focus(4)
        view.shared.choose_column(2)
        head = window.state.layer, window.state.head
        made = []
        for trace in (one.trace for one in readings(window)):
            products = trace.queries[head][4].astype(float) * trace.keys[head].astype(float)  # (S,D)
            made.append((products[2], products.sum(1), trace.attentions[head][4]))
        for row, now, before in zip((2, 3, 6), *made, strict=True):
            np.testing.assert_allclose(view.strips.strips[row].values, now - before, atol=1e-5)
        strips = view.strips.strips
        assert strips[2].values.sum() == pytest.approx(strips[3].values[2], abs=1e-5)  # the products add up to it
        low, high = strips[3].ends
        assert low == -high and "→" in strips[-1].result
        window.comparison.toggle_difference()
        last = view.strips.strips[-1]
        np.testing.assert_allclose(last.values, made[0][2], atol=1e-5)
        np.testing.assert_allclose(last.before, made[1][2], atol=1e-5)

    def test_a_token_without_a_counterpart_says_so(self, compare, window):
        view = compare("score", SHORTER)
        window.state.set_focus(places(window).index(None))
        assert "has no counterpart" in view.note.text() and not any(one.is_difference for one in view.strips.strips)


class TestSideCard:
    def test_what_a_token_looked_at_stands_behind_the_bars(self, compare, room, window):
        compare("matrix", ONE_WORD)
        window.state.set_focus(3)
        now, before = weights(window)
        marks = [float(bar.mark.removeprefix("vs ")) for bar in room.side.bars.bars]
        order = np.argsort(-now[3], kind="stable")[: len(marks)]
        assert marks == pytest.approx(before[3][order].tolist(), abs=6e-3)

    def test_a_head_of_a_skipped_layer_says_so_and_cannot_be_switched_off(self, room, window):
        window.state.set_head(0, 1)
        panel = room.side.what_if
        panel.layer_off.click()
        settle(window)
        assert room.side.intro == room.large.intro == "Layer 1 is skipped, so this head has no effect."
        assert not panel.head_off.isEnabled() and panel.layer_off.isEnabled()
        window.state.set_head(1, 1)
        assert panel.head_off.isEnabled() and "add up to 1" in room.side.intro

    def test_it_has_the_row_of_the_large_picture(self, room, window):
        hints = set()
        window.state.set_head(1, 2)
        window.state.set_focus(3)
        for key in ("matrix", "mean", "rollout", "flow"):
            view = room.open_view(key)
            answered(window)
            np.testing.assert_array_equal(room.side.row, view.grid.values[3])
            hints.add(room.side.hint)
        assert len(hints) == 4
