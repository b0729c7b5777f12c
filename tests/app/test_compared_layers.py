"""The view Compared of the room Layers: cosines to the baseline, and layers against layers."""

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.rooms.layers.apart_view import ApartView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from bertcore.analysis.compare import linear_cka
from tests.app.conftest import TEXT_B, TIMEOUT_MS, make_checkpoint, settle

OTHER = OtherText("The dog sat on the mat.", TEXT_B)


def apart(window: Window, baseline: Baseline | None, qtbot: QtBot) -> ApartView:
    window.open_view("layers", "apart")
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    view = window.frame.rooms["layers"].view  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: not view.asked["apart"].is_running, timeout=TIMEOUT_MS)
    return view


def test_distances_are_one_minus_the_cosine_of_each_pair(window: Window, qtbot: QtBot) -> None:
    view, reading = apart(window, OTHER, qtbot), window.state.reading
    assert reading.baseline is not None and view.charts["distance"].values is not None
    ours, theirs = (one.trace.hidden_states.astype(float) for one in (reading, reading.baseline))
    for token in range(ours.shape[1]):
        for stage in range(len(ours)):
            one, other = ours[stage, token], theirs[stage, token]
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            assert view.charts["distance"].values[token, stage] == pytest.approx(1 - cosine, abs=1e-5)
    assert view.charts["distance"].rows.texts[2] == "cat (vs dog)" and view.charts["distance"].values[
        1, 0
    ] == pytest.approx(0, abs=1e-6)


def test_a_model_of_another_shape_has_layers_to_compare_but_no_cosine(
    window: Window, tmp_path: Path, qtbot: QtBot
) -> None:
    view = apart(window, OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2))), qtbot)
    assert view.problem.isVisible() and "CKA" in view.problem.text() and not view.charts["distance"].isVisible()
    reading = window.state.reading
    assert reading.alignment is not None
    expected = linear_cka(reading.trace.hidden_states, reading.baseline.trace.hidden_states, reading.alignment)
    np.testing.assert_allclose(view.charts["cka"].values, np.maximum(expected, 0), atol=1e-6)
    assert expected.shape == (3, 4)
    best = int(expected[-1].argmax())
    assert f"after layer {best} (CKA {expected[-1, best]:.2f})" in view.finding.text() and best
    assert "Compared:" not in view.finding.text()  # all tokens have a counterpart


def test_words_that_only_one_text_has_are_said_to_be_left_out(window: Window, qtbot: QtBot) -> None:
    view = apart(window, OtherText("The dog sat.", TEXT_B), qtbot)
    reading = window.state.reading
    pairs, count = len(reading.alignment.pairs), len(reading.encoding)
    assert pairs < count and f"Compared: {pairs} of {count} tokens" in view.finding.text()


def test_without_a_baseline_it_says_what_to_do(window: Window, qtbot: QtBot) -> None:
    view = apart(window, None, qtbot)
    assert (
        "“Compare”" in view.nothing_text.text()
        and not view.charts["distance"].isVisible()
        and not view.charts["cka"].isVisible()
    )
    assert view.try_it.isVisible()
    view.try_it.click()
    qtbot.waitUntil(lambda: view.asked["apart"].answer is not None, timeout=TIMEOUT_MS)
    assert not view.try_it.isVisible() and isinstance(window.state.baseline, OtherText)
