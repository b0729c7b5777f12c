"""Beside a baseline: the bits of Surprise; each is the engine's own."""

from pathlib import Path

import numpy as np
import pytest

from app.look import numbers
from app.rooms.predict.surprise_view import LEAST_CHANGE_BITS, SurpriseView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from app.widgets.charts.tokens import HeatToken
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_B, answered, make_checkpoint, settle
from tests.app.predict_room import page

OTHER = OtherText("The dog sat on the mat.", TEXT_B)
CAT = 2  # "dog" in the other text


# Surprise.


def surprise_beside(window: Window, baseline: Baseline | None) -> SurpriseView:
    view = page("surprise", window, ())
    window.state.set_baseline(baseline)
    settle(window)
    answered(window)
    return view


def tokens_of(view: SurpriseView) -> list[HeatToken]:
    shown: list[HeatToken] = view.charts["bits"].tokens
    return shown


def test_the_bits_of_another_model_stand_before_ours(window: Window, tmp_path: Path) -> None:
    folder = make_checkpoint(tmp_path / "other", seed=7)
    view = surprise_beside(window, OtherModel(str(folder)))
    other, encoding = load_checkpoint(folder), window.state.encoding
    expected = surprises(other.model, [encoding], other.tokenizer.mask_id)[0]
    theirs = dict(zip(expected.positions.tolist(), expected.bits.tolist(), strict=True))
    for position, bits in theirs.items():
        assert view.bits[1][position] == pytest.approx(bits, rel=1e-4)
        assert tokens_of(view)[position].number.startswith(f"{numbers.decimal(bits)} → ")
    assert np.isnan(view.bits[1][0])  # [CLS]
    assert f"baseline {numbers.decimal(expected.pseudo_perplexity)}" in view.perplexity.text()
    surprise_beside(window, None)
    assert np.isnan(view.bits[1]).all() and "→" not in tokens_of(view)[1].number


def test_words_are_paired_with_those_of_another_text(window: Window, model_folder: Path) -> None:
    text = "The dog sat.", TEXT_B
    view = surprise_beside(window, OtherText(*text))
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


def test_a_model_without_words_leaves_ours_alone(window: Window, headless_folder: Path) -> None:
    view = surprise_beside(window, OtherModel(str(headless_folder)))
    assert np.isnan(view.bits[1]).all() and np.isfinite(view.bits[0]).any()
    assert "bits" not in view.differences and "baseline" not in view.perplexity.text()


def test_the_list_is_of_what_changed_most(window: Window) -> None:
    view = surprise_beside(window, OtherText("The dog sat on the mat.", TEXT_B))
    now, before = view.bits
    most = int(np.nanargmax(np.abs(now - before)))
    value, bar = tokens_of(view)[most].value, view.charts["most"].bars[0]
    scale = max(abs(now[most] - before[most]), LEAST_CHANGE_BITS)
    assert value == pytest.approx((now[most] - before[most]) / scale, abs=1e-4)
    assert bar.number == numbers.signed(numbers.difference(before[most], now[most])) and "→" in bar.mark
    assert bar.sign == np.sign(now[most] - before[most])
    window.comparison.toggle_difference()
    assert "bits" not in view.differences and all((token.value or 0) >= 0 for token in tokens_of(view))
