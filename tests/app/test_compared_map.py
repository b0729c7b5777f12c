"""The room Map beside a baseline: the guesses of both, and how far each line is from where it was."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from app.rooms.map.key import key_line_px, key_of, paint_key
from app.rooms.map.plan import MapPart
from app.rooms.map.room import MapRoom
from app.rooms.map.view import MapView
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from bertcore.analysis.passes import layer_lens
from bertcore.analysis.predict import softmax
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_B, TIMEOUT_MS, make_checkpoint, settle

ONE_WORD = OtherText("The dog sat on the mat.", TEXT_B)


def compare(window: Window, baseline: Baseline | None, qtbot: QtBot) -> MapView:
    window.resize(1440, 900)
    room = window.open_room("map")
    assert isinstance(room, MapRoom) and isinstance(room.view, MapView)
    view = room.view
    window.state.set_masks([3])
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    qtbot.waitUntil(
        lambda: not any(one.is_running for one in view.questions) and not window.services.inference.is_busy,
        timeout=TIMEOUT_MS,
    )
    return view


def test_the_guesses_of_both_are_those_of_each_layer(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    view, reading = compare(window, ONE_WORD, qtbot), window.state.reading
    assert reading is not None and reading.baseline is not None
    checkpoint, request = load_checkpoint(model_folder), reading.baseline.request
    direct = trace(checkpoint.model, request.input_ids, request.segments)
    logits = layer_lens(checkpoint.model, direct.hidden_states, [3])[:, 0]  # (L+1,V)
    label, answer = checkpoint.tokenizer.label, view.map.answer
    assert [guess.token for guess in answer.guesses_before] == [label(int(row.argmax())) for row in logits]
    chances = softmax(logits[-1])
    mask = reading.masks[0]
    expected = [float(chances[word.id]) for word in mask.words[: len(answer.words)]]
    assert answer.words_before == pytest.approx(expected, abs=1e-5)
    for stage, (now, before) in enumerate(zip(answer.guesses, answer.guesses_before, strict=True)):
        found = answer.guess_before(stage)
        assert (found is None) == (now.token == before.token)
    view.map.grab()


def test_lines_are_coloured_by_one_minus_the_cosine(window: Window, qtbot: QtBot) -> None:
    view, reading = compare(window, ONE_WORD, qtbot), window.state.reading
    assert reading is not None and reading.baseline is not None and view.map.content is not None
    compared = view.map.content.compared
    assert compared is not None and compared.distances is not None
    ours, theirs = (one.trace.hidden_states.astype(float) for one in (reading, reading.baseline))
    lengths = np.linalg.norm(ours, axis=-1) * np.linalg.norm(theirs, axis=-1)
    np.testing.assert_allclose(compared.distances, (1 - (ours * theirs).sum(-1) / lengths).T, atol=1e-6)
    assert compared.share(2, 0) == pytest.approx(compared.distances[2, 0] / compared.limit)  # cat and dog
    assert compared.share(1, 0) == pytest.approx(0, abs=1e-6)
    said = view.map.describe(MapPart("state", 1, position=2, stage=2)).text
    assert f"{1 - compared.distances[2, 2]:.2f}" in said
    window.comparison.toggle_difference()
    assert view.map.content.compared is None and "stronger" not in view.map.content.title.text
    window.comparison.end()
    settle(window, qtbot)
    assert "Compared" not in view.map.content.title.title


def test_what_only_this_text_has_is_left_without_colour(window: Window, qtbot: QtBot) -> None:
    view, reading = compare(window, OtherText("The dog sat.", TEXT_B), qtbot), window.state.reading
    assert reading is not None and reading.alignment is not None and view.map.content is not None
    compared = view.map.content.compared
    assert compared is not None
    for position, place in enumerate(reading.alignment.other_positions):
        assert (compared.share(position, 1) is None) == (place is None)
    view.map.grab()


def test_another_shape_says_why_and_keeps_the_words(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    view = compare(window, OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2))), qtbot)
    content, answer = view.map.content, view.map.answer
    assert content is not None and content.compared is None and "cannot be measured" in content.title.text
    assert len(answer.guesses_before) == 4 and answer.guess_before(0) is None  # only the last layers are compared
    view.map.grab()


def test_the_key_fits_on_a_projector(window: Window, qtbot: QtBot) -> None:
    window.appearance.set_look(projector=True)
    view = compare(window, ONE_WORD, qtbot)
    window.resize(1280, 720)
    settle(window, qtbot)
    assert view.map.plan is not None and view.map.content is not None
    key = key_of(view.map.plan, view.map.content)
    assert [entry.colors for entry in key] == ["distance", "signed", "sequential"]
    picture = QImage(1280, 720, QImage.Format.Format_RGB32)
    painter, free = QPainter(picture), QRectF(118, 135, 450, 80)
    taken = paint_key(painter, view.map.plan, key, free)
    painter.end()
    assert taken.height() == pytest.approx(3 * key_line_px(view.map.plan)) and taken.height() <= free.height()
    window.appearance.set_look(projector=False)
