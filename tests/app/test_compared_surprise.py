"""The view Surprise with a baseline: the bits of both, each the engine's own."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.predict.surprise_view import LEAST_CHANGE_BITS, SurpriseView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_B, make_checkpoint, settle
from tests.app.predict_room import answered, page, predict


def compare(window: Window, baseline: Baseline | None, qtbot: QtBot) -> SurpriseView:
    room = predict(window, qtbot, ())
    view = page(room, SurpriseView, "surprise", window, qtbot)
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    answered(window, room, qtbot)
    return view


def test_the_bits_of_another_model_stand_before_ours(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    folder = make_checkpoint(tmp_path / "other", seed=7)
    view = compare(window, OtherModel(str(folder)), qtbot)
    other, encoding = load_checkpoint(folder), window.state.encoding
    assert encoding is not None
    expected = surprises(other.model, [encoding], other.tokenizer.mask_id)[0]
    theirs = dict(zip(expected.positions.tolist(), expected.bits.tolist(), strict=True))
    for position, bits in theirs.items():
        assert view.baseline_bits[position] == pytest.approx(bits, rel=1e-4)
        assert view.tokens.tokens[position].number.startswith(f"{numbers.decimal(bits)} → ")
    assert view.baseline_bits[0] is None  # [CLS]
    assert f"baseline {numbers.decimal(expected.pseudo_perplexity)}" in view.perplexity.text()
    compare(window, None, qtbot)
    assert not any(view.baseline_bits) and "→" not in view.tokens.tokens[1].number


def test_words_are_paired_with_those_of_another_text(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    text = "The dog sat.", TEXT_B
    view = compare(window, OtherText(*text), qtbot)
    checkpoint, reading = load_checkpoint(model_folder), window.state.reading
    encoding = checkpoint.tokenizer.encode(*text)
    expected = surprises(checkpoint.model, [encoding], checkpoint.tokenizer.mask_id)[0].by_token(len(encoding))
    assert reading is not None and reading.alignment is not None
    other_positions = reading.alignment.other_positions
    assert view.baseline_bits[2] == pytest.approx(expected[2], rel=1e-4)
    assert view.tokens.tokens[2].token == "cat (vs dog)" and view.tokens.tokens[1].token == "the"
    assert other_positions[-2] == len(encoding) - 2 and view.baseline_bits[-2] == pytest.approx(expected[-2], rel=1e-4)
    assert view.baseline_bits[other_positions.index(None)] is None
    alone = next(i for i, place in enumerate(other_positions) if place is None and view.bits[i] is not None)
    assert view.tokens.tokens[alone].value is None and "→" not in view.tokens.tokens[alone].number
    assert "Striped:" in view.explanation.text() and "not directly comparable" in view.perplexity.text()


def test_a_model_without_words_leaves_ours_alone(window: Window, headless_folder: Path, qtbot: QtBot) -> None:
    view = compare(window, OtherModel(str(headless_folder)), qtbot)
    assert not any(view.baseline_bits) and any(view.bits)


def test_the_colours_are_what_changed(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    text = "The dog sat on the mat.", TEXT_B
    view = compare(window, OtherText(*text), qtbot)
    checkpoint, encoding = load_checkpoint(model_folder), window.state.encoding
    assert encoding is not None
    mask = checkpoint.tokenizer.mask_id
    now = surprises(checkpoint.model, [encoding], mask)[0].by_token(len(encoding))
    before = surprises(checkpoint.model, [checkpoint.tokenizer.encode(*text)], mask)[0].by_token(len(encoding))
    changed = [i for i, change in enumerate(view.changes) if change is not None]
    assert changed and all(view.changes[i] == pytest.approx(now[i] - before[i], abs=0.0101) for i in changed)
    most = max(changed, key=lambda i: abs(now[i] - before[i]))
    value = view.tokens.tokens[most].value
    scale = max(abs(now[most] - before[most]), LEAST_CHANGE_BITS)
    assert value == pytest.approx((now[most] - before[most]) / scale, abs=0.02)
    bar = view.bars.bars[0]
    assert bar.number == numbers.signed(numbers.difference(before[most], now[most])) and "→" in bar.mark
    window.comparison.toggle_difference()
    assert not any(view.changes) and all((token.value or 0) >= 0 for token in view.tokens.tokens)
