"""Beside a baseline: the bits of Surprise, the parts of Embed; each is the engine's own."""

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.embed.embedding_parts import EmbeddingPart
from app.rooms.embed.parts_view import PartsView
from app.rooms.predict.surprise_view import LEAST_CHANGE_BITS, SurpriseView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from app.state.what_if import WhatIf
from app.widgets.charts.tokens import HeatToken
from bertcore.analysis.trace import trace
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_B, make_checkpoint, settle
from tests.app.embed_room import opened, overview
from tests.app.predict_room import answered, page

OTHER = OtherText("The dog sat on the mat.", TEXT_B)
CAT = 2  # "dog" in the other text


# Surprise.


def surprise_beside(window: Window, baseline: Baseline | None, qtbot: QtBot) -> SurpriseView:
    view = page(SurpriseView, window, qtbot, ())
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    answered(window, qtbot)
    return view


def tokens_of(view: SurpriseView) -> list[HeatToken]:
    shown: list[HeatToken] = view.charts["bits"].tokens
    return shown


def test_the_bits_of_another_model_stand_before_ours(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    folder = make_checkpoint(tmp_path / "other", seed=7)
    view = surprise_beside(window, OtherModel(str(folder)), qtbot)
    other, encoding = load_checkpoint(folder), window.state.encoding
    assert encoding is not None
    expected = surprises(other.model, [encoding], other.tokenizer.mask_id)[0]
    theirs = dict(zip(expected.positions.tolist(), expected.bits.tolist(), strict=True))
    for position, bits in theirs.items():
        assert view.bits[1][position] == pytest.approx(bits, rel=1e-4)
        assert tokens_of(view)[position].number.startswith(f"{numbers.decimal(bits)} → ")
    assert np.isnan(view.bits[1][0])  # [CLS]
    assert f"baseline {numbers.decimal(expected.pseudo_perplexity)}" in view.perplexity.text()
    surprise_beside(window, None, qtbot)
    assert np.isnan(view.bits[1]).all() and "→" not in tokens_of(view)[1].number


def test_words_are_paired_with_those_of_another_text(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    text = "The dog sat.", TEXT_B
    view = surprise_beside(window, OtherText(*text), qtbot)
    checkpoint, reading = load_checkpoint(model_folder), window.state.reading
    encoding = checkpoint.tokenizer.encode(*text)
    expected = surprises(checkpoint.model, [encoding], checkpoint.tokenizer.mask_id)[0].by_token(len(encoding))
    assert reading is not None and reading.alignment is not None
    other_positions = reading.alignment.other_positions
    (now, before), shown = view.bits, tokens_of(view)
    assert before[2] == pytest.approx(expected[2], rel=1e-4)
    assert shown[2].token == "cat (vs dog)" and shown[1].token == "the"
    assert other_positions[-2] == len(encoding) - 2 and before[-2] == pytest.approx(expected[-2], rel=1e-4)
    assert np.isnan(before[other_positions.index(None)])
    alone = next(i for i, place in enumerate(other_positions) if place is None and not np.isnan(now[i]))
    assert shown[alone].value is None and shown[alone].number and "→" not in shown[alone].number
    assert "Striped:" in view.explanation.text() and "not directly comparable" in view.perplexity.text()


def test_a_model_without_words_leaves_ours_alone(window: Window, headless_folder: Path, qtbot: QtBot) -> None:
    view = surprise_beside(window, OtherModel(str(headless_folder)), qtbot)
    assert np.isnan(view.bits[1]).all() and np.isfinite(view.bits[0]).any()
    assert "bits" not in view.differences and "baseline" not in view.perplexity.text()


def test_the_list_is_of_what_changed_most(window: Window, qtbot: QtBot) -> None:
    view = surprise_beside(window, OtherText("The dog sat on the mat.", TEXT_B), qtbot)
    now, before = view.bits
    most = int(np.nanargmax(np.abs(now - before)))
    value, bar = tokens_of(view)[most].value, view.charts["most"].bars[0]
    scale = max(abs(now[most] - before[most]), LEAST_CHANGE_BITS)
    assert value == pytest.approx((now[most] - before[most]) / scale, abs=1e-4)
    assert bar.number == numbers.signed(numbers.difference(before[most], now[most])) and "→" in bar.mark
    assert bar.sign == np.sign(now[most] - before[most])
    window.comparison.toggle_difference()
    assert "bits" not in view.differences and all((token.value or 0) >= 0 for token in tokens_of(view))


# Embed.


def parts_beside(window: Window, baseline: Baseline | None, qtbot: QtBot) -> PartsView:
    view = overview(opened(window, qtbot))
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    return view


def difference_of(view: PartsView) -> EmbeddingPart:
    part = view.charts["strips"].parts[-1]
    assert part.name == "difference"
    return part


def test_the_difference_is_of_the_two_sums(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    view = parts_beside(window, OTHER, qtbot)
    checkpoint, (ours, theirs) = load_checkpoint(model_folder), (window.state.text_a, OTHER.a)
    encodings = [checkpoint.tokenizer.encode(text, TEXT_B) for text in (ours, theirs)]
    table = checkpoint.model.embeddings.token.weight.detach().numpy()
    part = difference_of(view)
    assert part.values is not None
    expected = table[encodings[0].ids] - table[encodings[1].ids]  # places and segments are the same
    np.testing.assert_allclose(part.values, expected, atol=1e-6)
    assert np.abs(part.values[CAT]).max() > 0 and not part.values[CAT + 1].any()


def test_the_lengths_of_both_stand_below_each_other(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    view = parts_beside(window, OTHER, qtbot)
    window.state.set_focus(CAT)
    checkpoint = load_checkpoint(model_folder)
    encoding = checkpoint.tokenizer.encode(OTHER.a, OTHER.b)
    theirs = trace(checkpoint.model, encoding.ids, encoding.segments)
    bars = view.charts["lengths"].bars
    assert [bar.label for bar in bars] == [
        "token",
        "baseline",
        "segment",
        "baseline",
        "position",
        "baseline",
        "sum",
        "baseline",
    ]
    lengths = [np.linalg.norm(values[CAT]) for values in (theirs.token_embeddings, theirs.embedding_sum)]
    assert [bars[1].number, bars[7].number] == [f"{length:.2f}" for length in lengths]
    assert f"baseline {np.linalg.norm(theirs.embeddings[CAT]):.2f}" in view.length_after.text()
    parts_beside(window, None, qtbot)
    assert [bar.label for bar in view.charts["lengths"].bars] == ["token", "segment", "position", "sum"]
    assert view.charts["strips"].parts[-1].name == "LayerNorm"


def test_side_by_side_there_is_no_strip_of_differences(window: Window, qtbot: QtBot) -> None:
    view = parts_beside(window, OTHER, qtbot)
    window.state.set_wants_difference(False)
    assert view.charts["strips"].parts[-1].name == "LayerNorm" and len(view.charts["lengths"].bars) == 8


def test_a_token_without_a_counterpart_says_so(window: Window, qtbot: QtBot) -> None:
    view = parts_beside(window, OtherText("The cat sat.", TEXT_B), qtbot)
    reading = window.state.reading
    assert reading is not None and reading.alignment is not None
    alone = reading.alignment.other_positions.index(None)
    window.state.set_focus(alone)
    assert len(view.charts["lengths"].bars) == 4
    values = difference_of(view).values
    assert values is not None and np.isnan(values[alone]).all()
    with qtbot.waitSignal(view.hover_text_changed) as hovered:
        view.charts["strips"].set_hovered((5, alone, 0))
    assert "no counterpart" in hovered.args[0]


def test_vectors_of_another_width_are_not_subtracted(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    view = parts_beside(window, OtherModel(str(make_checkpoint(tmp_path / "wide", hidden=64))), qtbot)
    part = difference_of(view)
    assert part.values is None and "64" in part.reason
    assert len(view.charts["lengths"].bars) == 8


def test_the_model_unchanged_is_compared_where_the_input_was_changed(window: Window, qtbot: QtBot) -> None:
    view = parts_beside(window, None, qtbot)
    window.state.set_wants_difference(True)
    window.state.set_what_if(WhatIf().with_layer(0, True))
    settle(window, qtbot)
    assert len(view.charts["lengths"].bars) == 4 and view.charts["strips"].parts[-1].name == "LayerNorm"
    window.state.set_what_if(WhatIf().with_dropped("position", True))
    settle(window, qtbot)
    reading = window.state.reading
    assert reading is not None and reading.unchanged is not None
    np.testing.assert_allclose(difference_of(view).values, -reading.unchanged.trace.position_embeddings, atol=1e-6)
    left_out, before = view.charts["lengths"].bars[4:6]
    assert (left_out.label, left_out.number, before.label) == ("position", "0.00", "baseline")
