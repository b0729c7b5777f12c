"""Attend's Lines and Query × Key beside a baseline: the differences are those of the two passes, computed directly."""

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.rooms.attend.lines_view import LEAST_CHANGE, LinesView
from app.rooms.attend.query_key_view import ScoreView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from tests.app.attend_room import AnyView, answered, attend, open_view
from tests.app.conftest import TEXT_B, make_checkpoint, settle

ONE_WORD = OtherText("The dog sat on the mat.", TEXT_B)
SHORTER = OtherText("The dog sat.", TEXT_B)


def compare(window: Window, key: str, kind: type[AnyView], baseline: Baseline | None, qtbot: QtBot) -> AnyView:
    room = attend(window, qtbot)
    view = open_view(room, key, kind)
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    answered(window, room, qtbot)
    return view


def attentions(window: Window) -> tuple[np.ndarray, np.ndarray]:
    """Of the head on show: now, and in the baseline."""
    reading, spot = window.state.reading, (window.state.layer, window.state.head)
    assert reading is not None and reading.baseline is not None
    return reading.trace.attentions[spot], reading.baseline.trace.attentions[spot]


def test_lines_are_what_changed_by_more_than_the_limit(window: Window, qtbot: QtBot) -> None:
    view = compare(window, "lines", LinesView, ONE_WORD, qtbot)
    view.limit.setCurrentIndex(1)
    view.percent.setValue(2)
    now, before = attentions(window)
    (lines,) = view.picture.lines
    assert lines.signs is not None and len(lines.signs)
    expected = {
        (int(row), int(column)): now[row, column] - before[row, column]
        for row, column in np.argwhere(np.abs(now - before) >= 0.02)
    }
    drawn = zip(lines.links.rows.tolist(), lines.links.columns.tolist(), lines.links.weights * lines.signs, strict=True)
    assert {(row, column): pytest.approx(value, abs=1e-6) for row, column, value in drawn} == expected
    assert lines.full == pytest.approx(np.abs(now - before).max()) and "Red: it looks there more" in view.about
    more, less = lines.paint_color(int(lines.signs.argmax())), lines.paint_color(int(lines.signs.argmin()))
    assert more.red() > more.blue() and less.blue() > less.red()


def test_the_same_text_has_no_lines(window: Window, qtbot: QtBot) -> None:
    state = window.state
    view = compare(window, "lines", LinesView, OtherText(state.text_a, state.text_b), qtbot)
    assert not len(view.picture.lines[0].links.weights) and "nothing differs" in view.legend.text()
    assert view.percent.value() == 60


def test_side_by_side_has_the_lines_of_both(window: Window, qtbot: QtBot) -> None:
    view = compare(window, "lines", LinesView, SHORTER, qtbot)
    window.comparison.toggle_difference()
    window.state.set_focus(window.state.input_ids.index(window.state.input_ids[-1]))
    _, before = attentions(window)
    (theirs,) = view.other.lines
    np.testing.assert_allclose(theirs.links.weights, before[theirs.links.rows, theirs.links.columns], atol=1e-6)
    assert view.other.isVisible() and view.other.row_y(0) > 0 and theirs.signs is None
    own = len(before) - 1  # their last token is compared with our last
    view.other.clicked.emit(own, None)
    assert window.state.reading is not None and window.state.focus == len(window.state.reading.encoding) - 1


def test_of_a_shorter_text_nothing_stands_in_for_what_it_lacks(window: Window, qtbot: QtBot) -> None:
    view = compare(window, "lines", LinesView, SHORTER, qtbot)
    reading = window.state.reading
    assert reading is not None and reading.alignment is not None
    lacking = {i for i, place in enumerate(reading.alignment.other_positions) if place is None}
    (lines,) = view.picture.lines
    assert lacking and not lacking.intersection([*lines.links.rows.tolist(), *lines.links.columns.tolist()])
    assert lines.full >= LEAST_CHANGE and "in only one text" in view.legend.text()


def test_heads_of_another_model_are_the_most_similar_ones(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    other = OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2)))
    view = compare(window, "lines", LinesView, other, qtbot)
    assert view.other.lines and view.other.isVisible() and "cannot be paired" in view.about
    score = compare(window, "score", ScoreView, other, qtbot)
    assert (
        score.baseline_steps is not None
        and score.baseline_steps.products is None
        and "most similar" in score.note.text()
    )
    assert score.strips.strips[0].before is None and score.strips.strips[-1].before is not None


def test_the_score_of_both_and_what_makes_the_difference(window: Window, qtbot: QtBot) -> None:
    view = compare(window, "score", ScoreView, ONE_WORD, qtbot)
    window.state.set_focus(4)
    view.cell_clicked.emit(4, 2)
    reading, spot = window.state.reading, (window.state.layer, window.state.head)
    assert reading is not None and reading.baseline is not None
    both = []
    for trace in (reading.trace, reading.baseline.trace):
        products = trace.queries[spot][4].astype(float) * trace.keys[spot].astype(float)  # (S,D)
        both.append((products[2], products.sum(1), trace.attentions[spot][4]))
    (now, scores, weights), (before, baseline_scores, baseline_weights) = both
    strips = view.strips.strips
    np.testing.assert_allclose(strips[2].values, now - before, atol=1e-5)
    np.testing.assert_allclose(strips[3].values, scores - baseline_scores, atol=1e-5)
    np.testing.assert_allclose(strips[-1].values, weights - baseline_weights, atol=1e-5)
    assert strips[2].values.sum() == pytest.approx(strips[3].values[2], abs=1e-5)  # the products add up to it
    low, high = strips[3].ends
    assert low == -high and "→" in strips[-1].result
    window.comparison.toggle_difference()
    strips = view.strips.strips
    np.testing.assert_allclose(strips[-1].values, weights, atol=1e-5)
    np.testing.assert_allclose(strips[-1].before, baseline_weights, atol=1e-5)


def test_a_token_without_a_counterpart_says_so(window: Window, qtbot: QtBot) -> None:
    view = compare(window, "score", ScoreView, SHORTER, qtbot)
    reading = window.state.reading
    assert reading is not None and reading.alignment is not None
    window.state.set_focus(reading.alignment.other_positions.index(None))
    assert "has no counterpart" in view.note.text() and not any(strip.is_difference for strip in view.strips.strips)
