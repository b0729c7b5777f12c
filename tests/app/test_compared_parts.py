"""Embed's Overview with a baseline: lengths of both, and the sum minus the baseline's."""

from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from app.rooms.embed.embedding_parts import EmbeddingPart
from app.rooms.embed.parts_view import PartsView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from app.state.what_if import WhatIf
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_B, make_checkpoint, settle
from tests.app.embed_room import opened, overview

OTHER = OtherText("The dog sat on the mat.", TEXT_B)
CAT = 2  # "dog" in the other text


def compare(window: Window, baseline: Baseline | None, qtbot: QtBot) -> PartsView:
    view = overview(opened(window, qtbot))
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    return view


def difference_of(view: PartsView) -> EmbeddingPart:
    part = view.strips.parts[-1]
    assert part.name == "difference"
    return part


def test_the_difference_is_of_the_two_sums(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    view = compare(window, OTHER, qtbot)
    checkpoint, (ours, theirs) = load_checkpoint(model_folder), (window.state.text_a, OTHER.a)
    encodings = [checkpoint.tokenizer.encode(text, TEXT_B) for text in (ours, theirs)]
    table = checkpoint.model.embeddings.token.weight.detach().numpy()
    part = difference_of(view)
    assert part.values is not None
    expected = table[encodings[0].ids] - table[encodings[1].ids]  # places and segments are the same
    np.testing.assert_allclose(part.values, expected, atol=1e-6)
    assert np.abs(part.values[CAT]).max() > 0 and not part.values[CAT + 1].any()


def test_the_lengths_of_both_stand_below_each_other(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    view = compare(window, OTHER, qtbot)
    window.state.set_focus(CAT)
    checkpoint = load_checkpoint(model_folder)
    encoding = checkpoint.tokenizer.encode(OTHER.a, OTHER.b)
    theirs = trace(checkpoint.model, encoding.ids, encoding.segments)
    bars = view.token.norms.bars
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
    assert f"baseline {np.linalg.norm(theirs.embeddings[CAT]):.2f}" in view.token.length_after.text()
    compare(window, None, qtbot)
    assert [bar.label for bar in view.token.norms.bars] == ["token", "segment", "position", "sum"]
    assert view.strips.parts[-1].name == "LayerNorm"


def test_side_by_side_there_is_no_strip_of_differences(window: Window, qtbot: QtBot) -> None:
    view = compare(window, OTHER, qtbot)
    window.state.set_wants_difference(False)
    assert view.strips.parts[-1].name == "LayerNorm" and len(view.token.norms.bars) == 8


def test_a_token_without_a_counterpart_says_so(window: Window, qtbot: QtBot) -> None:
    view = compare(window, OtherText("The cat sat.", TEXT_B), qtbot)
    reading = window.state.reading
    assert reading is not None and reading.alignment is not None
    alone = reading.alignment.other_positions.index(None)
    window.state.set_focus(alone)
    assert len(view.token.norms.bars) == 4
    values = difference_of(view).values
    assert values is not None and np.isnan(values[alone]).all()
    with qtbot.waitSignal(view.hover_text_changed) as hovered:
        view.strips.hovered.emit((5, alone, 0))
    assert "no counterpart" in hovered.args[0]


def test_vectors_of_another_width_are_not_subtracted(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    view = compare(window, OtherModel(str(make_checkpoint(tmp_path / "wide", hidden=64))), qtbot)
    part = difference_of(view)
    assert part.values is None and "64" in part.reason
    assert len(view.token.norms.bars) == 8


def test_the_model_unchanged_is_compared_where_the_input_was_changed(window: Window, qtbot: QtBot) -> None:
    view = compare(window, None, qtbot)
    window.state.set_wants_difference(True)
    window.state.set_what_if(WhatIf().with_layer(0, True))
    settle(window, qtbot)
    assert len(view.token.norms.bars) == 4 and view.strips.parts[-1].name == "LayerNorm"
    window.state.set_what_if(WhatIf().with_dropped("position", True))
    settle(window, qtbot)
    reading = window.state.reading
    assert reading is not None and reading.unchanged is not None
    np.testing.assert_allclose(difference_of(view).values, -reading.unchanged.trace.position_embeddings, atol=1e-6)
    left_out, before = view.token.norms.bars[4:6]
    assert (left_out.label, left_out.number, before.label) == ("position", "0.00", "baseline")
