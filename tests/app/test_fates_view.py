"""80 / 10 / 10 in Predict: draws and totals against the engine, and what the prepared runs say."""

import numpy as np
import pytest

from app.look import numbers
from bertcore.analysis.masked_draws import masked_draws
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_A, answered
from tests.app.predict_room import nothing, predict


@pytest.fixture
def view(window):
    window.state.set_text(TEXT_A, "")
    view = predict(window).open_view("fates")
    answered(window)
    return view


def drawn(view):
    request = view.reading.request
    checkpoint, encoding = load_checkpoint(request.model.folder), view.reading.encoding
    return masked_draws(checkpoint.model, checkpoint.tokenizer, encoding.ids, encoding.segments), checkpoint.tokenizer


def test_a_draw_is_shown_as_the_model_reads_it_and_another_at_a_click(window, view):
    found, tokenizer = drawn(view)
    for number in (0, 1):
        tokens, fate = view.charts["draw"].tokens, found.fate[number]
        assert [each.token for each in tokens] == [tokenizer.label(one) for one in found.seen[number].tolist()]
        shown = view.shown["draw"]
        assert np.array_equal(np.isnan(shown.array), fate < 0)
        np.testing.assert_allclose(shown.array[fate >= 0], found.probability[number][fate >= 0], atol=1e-6)
        assert shown.detail["marked"] == set(np.flatnonzero((fate >= 0) & (fate <= 2)).tolist())
        assert f"draw {number + 1}" in view.cards["draw"].hint
        view.another.click()
    assert view.number == 2


def test_the_totals_are_the_means_of_all_draws(window, view):
    found, _ = drawn(view)
    shown = view.shown["fates"]
    for fate, name in enumerate(shown.rows.labels):
        met = found.fate == fate
        assert f", {met.sum()} time" in name and name.endswith(numbers.probability(found.probability[met].mean()))
        for place in range(found.fate.shape[1]):
            own = found.probability[met[:, place], place]
            assert shown.detail["hatched"][fate, place] == (not len(own))
            assert shown.array[fate, place] == pytest.approx(own.mean() if len(own) else 0, abs=1e-6)
    assert view.sentence("fates", 0, 0) == "" and "probability" in view.sentence("fates", 3, 2)  # [CLS] is never chosen


def test_what_small_models_learned_is_said_with_its_numbers(window, view):
    shown = view.shown["trained"]
    assert shown.columns.labels == ["80 / 10 / 10", "100% [MASK]", "100% random"] and shown.array.shape == (4, 3)
    assert view.figure_of("trained") is not None
    assert [round(100 * share) for share in shown.array[2, :2]] == [99, 75]  # as the lesson on both directions has it


def test_a_text_with_a_mask_one_without_words_and_a_model_without_any(window, view, open_window, headless_folder):
    window.state.set_text("the [MASK] cat", "")
    answered(window)
    assert np.isnan(view.shown["draw"].array).sum() == 3  # [CLS], [SEP], and the mask that was typed
    window.state.set_text("", "")
    answered(window)
    other = open_window(headless_folder)
    room = predict(other)
    room.open_view("fates")
    answered(other)
    assert "no masked-word (MLM) head" in nothing(room.open_view("fates"))
