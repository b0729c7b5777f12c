"""The room Layers: every number it shows is the engine's, and each control does what it says."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.layers.added_view import AddedView
from app.rooms.layers.hidden_view import HiddenView
from app.rooms.layers.layer_steps import layer_steps
from app.rooms.layers.neurons_view import MOST_WORDS, NeuronsView
from app.rooms.layers.paths_view import PathsView
from app.rooms.layers.room import LayersRoom
from app.rooms.layers.steps_view import StepsView
from app.rooms.layers.word_view import WordView, verdict
from app.rooms.view import View
from app.shell.window import Window
from app.widgets.charts.bars import BarList
from bertcore.analysis.layer_trace import trace_layer
from bertcore.analysis.passes import as_text
from bertcore.analysis.residual import neuron_activations, pushed_words, residual_stream, strongest_neurons
from bertcore.analysis.vectors import GroupSimilarity, cosines, group_similarity, lengths, pca, word_in_sentences
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TIMEOUT_MS, settle
from tests.app.family_models import SHAPES, save_family

AnyView = TypeVar("AnyView", bound=View)


@pytest.fixture
def room(window: Window, qtbot: QtBot) -> LayersRoom:
    found = window.open_room("layers")
    assert isinstance(found, LayersRoom)
    settle(window, qtbot)
    window.state.set_head(0, 0)
    return found


def opened(window: Window, qtbot: QtBot, key: str, kind: type[AnyView]) -> AnyView:
    room = window.frame.rooms["layers"]
    assert isinstance(room, LayersRoom)
    view = room.open_view(key)
    settle(window, qtbot)
    assert isinstance(view, kind) and view.isVisible()
    return view


def test_lengths_and_cosines_are_the_engines(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    view = opened(window, qtbot, "hidden", HiddenView)
    assert window.state.reading is not None
    states = window.state.reading.trace.hidden_states
    assert view.charts["lengths"].values == pytest.approx(lengths(states).T, rel=1e-5)
    assert (view.charts["lengths"].color_range or (1, 1))[0] == 0  # LayerNorm made them alike
    for stage in (0, 2):
        room.slider.track.setValue(stage)
        assert view.charts["cosines"].values == pytest.approx(cosines(states)[stage], abs=1e-5)
    assert room.slider.name.text() == "after layer 2" and window.state.layer == 1


def test_arrow_keys_move_the_layer_and_other_rooms_follow(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    assert window.state.selection.stage == 1
    room.slider.track.setFocus()
    QTest.keyClick(room.slider.track, Qt.Key.Key_Right)
    assert (window.state.selection.stage, window.state.layer) == (2, 1)
    for _ in range(2):
        QTest.keyClick(room.slider.track, Qt.Key.Key_Left)
    assert (window.state.selection.stage, window.state.layer, room.slider.name.text()) == (0, 0, "embeddings")
    window.state.set_head(1, 3)
    assert window.state.selection.stage == 2 and room.slider.track.value() == 2


def test_a_click_on_a_length_chooses_token_and_layer(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    view = opened(window, qtbot, "hidden", HiddenView)
    rect, rows = view.charts["lengths"].grid_rect(), len(window.state.encoding or [])
    at = rect.topLeft().toPoint()
    at.setX(round(rect.x() + rect.width() * 2.5 / 3))
    at.setY(round(rect.y() + rect.height() * 4.5 / rows))
    QTest.mouseClick(view.charts["lengths"], Qt.MouseButton.LeftButton, pos=at)
    assert (window.state.focus, window.state.selection.stage) == (4, 2)
    QTest.keyClick(view.charts["lengths"], Qt.Key.Key_Down)
    assert window.state.focus == 5 and view.charts["lengths"].selected == (5, 2)


def test_paths_are_the_engines_and_follow_the_selection(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    view = opened(window, qtbot, "paths", PathsView)
    assert window.state.reading is not None
    found = pca(window.state.reading.trace.hidden_states)
    assert np.array_equal(view.charts["paths"].points.places, found.points)
    assert f"across: {found.explained_variance_ratio[0]:.0%} of the variance" in view.cards["paths"].hint
    view.charts["paths"].setFocus()
    window.state.set_focus(2)
    QTest.keyClick(view.charts["paths"], Qt.Key.Key_Right)
    assert window.state.focus == 3 and view.charts["paths"].selected == [3]


def test_what_is_added_is_the_engines_for_the_current_token(
    room: LayersRoom, window: Window, qtbot: QtBot, model_folder: Path
) -> None:
    view = opened(window, qtbot, "added", AddedView)
    reading = window.state.reading
    assert reading is not None
    model = load_checkpoint(model_folder).model
    stream = residual_stream(model, as_text(model, reading.request.input_ids, reading.request.segments))
    for token in (3, 6):
        window.state.set_focus(token)
        keys = ("entering", "attention", "feed_forward")
        shown = {key: view.charts["lengths"].points(key)[1] for key in keys}
        shown |= {f"{key}_cosine": view.charts["cosines"].points(key)[1] for key in keys[1:]}
        for name, values in shown.items():
            assert values == pytest.approx(getattr(stream, name)[:, token], rel=1e-4, abs=1e-5)
    assert not room.slider.isVisible()


def test_neurons_are_the_engines_and_arrow_keys_choose(
    room: LayersRoom, window: Window, qtbot: QtBot, model_folder: Path
) -> None:
    view, reading = opened(window, qtbot, "neurons", NeuronsView), window.state.reading
    assert reading is not None
    checkpoint = load_checkpoint(model_folder)
    text = as_text(checkpoint.model, reading.request.input_ids, reading.request.segments)
    window.state.set_focus(4)
    found = strongest_neurons(checkpoint.model, text)
    labels = [f"layer {a + 1} · {b}" for a, b in zip(found.layers[4], found.neurons[4], strict=True)]
    assert [bar.label for bar in view.charts["strongest"].bars] == labels
    named = [set(zip(a.tolist(), b.tolist(), strict=True)) for a, b in zip(found.layers, found.neurons, strict=True)]
    shared = [
        sum((int(a), int(b)) in one for one in named) for a, b in zip(found.layers[4], found.neurons[4], strict=True)
    ]
    first = view.charts["strongest"].selected_cell()
    assert first == shared.index(min(shared))  # the one that fires for the fewest others
    QTest.keyClick(view.charts["strongest"], Qt.Key.Key_Down)
    settle(window, qtbot)
    row = min(first + 1, len(labels) - 1)
    layer, neuron = int(found.layers[4, row]), int(found.neurons[4, row])
    assert view.chosen == (layer, neuron) and view.cards["tokens"].title == f"Layer {layer + 1} · Neuron {neuron}"
    fires = neuron_activations(checkpoint.model, text, layer, neuron)
    assert numbers_of(view.charts["tokens"]) == pytest.approx(sorted(fires, reverse=True)[:MOST_WORDS], abs=0.0051)
    up = pushed_words(checkpoint.model, checkpoint.tokenizer, layer, neuron, MOST_WORDS).up
    assert [bar.label for bar in view.charts["words"].bars] == [word for word, _ in up]
    assert numbers_of(view.charts["words"]) == pytest.approx([score for _, score in up], abs=0.0051)


def numbers_of(bars: BarList) -> list[float]:
    """As they are shown, with two digits."""
    return [float(bar.number.replace("−", "-")) for bar in bars.bars]


@pytest.mark.parametrize("value", [-0.0, -1e-9, -0.004])
def test_an_activation_of_nothing_has_no_sign(
    room: LayersRoom, window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    from bertcore.analysis import residual

    def almost_nothing(*_given: object, **_options: object) -> np.ndarray:
        return np.full(len(window.state.encoding or []), value, dtype=np.float32)

    monkeypatch.setattr(residual, "neuron_activations", almost_nothing)
    view = opened(window, qtbot, "neurons", NeuronsView)
    assert {bar.number for bar in view.charts["tokens"].bars} == {"0.00"}


def rows_of(view: NeuronsView) -> list[tuple[int, int]]:
    """(layer, neuron) of each bar, from 0."""
    numbers = [re.findall(r"\d+", bar.label) for bar in view.charts["strongest"].bars]
    return [(int(layer) - 1, int(neuron)) for layer, neuron in numbers]


def test_a_chosen_neuron_stays_while_the_mouse_moves_and_shows_the_token_looked_at(
    room: LayersRoom, window: Window, qtbot: QtBot
) -> None:
    view = opened(window, qtbot, "neurons", NeuronsView)
    window.state.set_focus(4)
    settle(window, qtbot)
    found = view.asked["all"].answer
    assert found is not None
    rows = [
        set(zip(found.layers[i].tolist(), found.neurons[i].tolist(), strict=True)) for i in range(len(found.layers))
    ]
    pairs = ((neuron, other) for neuron in sorted(rows[4]) for other in range(len(rows)) if neuron not in rows[other])
    neuron, other = next(pairs)
    view.charts["strongest"].clicked.emit(rows_of(view).index(neuron), Qt.KeyboardModifier.NoModifier)
    settle(window, qtbot)
    window.state.set_hover(other)
    assert view.chosen == neuron and not any(bar.is_strong for bar in view.charts["strongest"].bars)
    window.state.set_hover(None)
    shared = next(i for i in range(len(rows)) if i != 4 and rows[4] & rows[i])
    both = min(rows[4] & rows[shared])
    view.charts["strongest"].clicked.emit(rows_of(view).index(both), Qt.KeyboardModifier.NoModifier)
    settle(window, qtbot)
    window.state.set_focus(shared)
    settle(window, qtbot)
    strong = [bar.note for bar in view.charts["tokens"].bars if bar.is_strong]
    assert view.chosen == both and strong == [str(shared)]


def test_one_word_is_compared_in_the_persons_sentences(
    room: LayersRoom, window: Window, qtbot: QtBot, model_folder: Path
) -> None:
    view, checkpoint = opened(window, qtbot, "word", WordView), load_checkpoint(model_folder)
    assert view.compared is not None and len(view.compared[1].sentences) == 4
    for line, text in zip(view.editor.lines, ("A cat sat.", "The cat ran home.", "A happy cat!", "A dog"), strict=True):
        line.text.clear()
        QTest.keyClicks(line.text, text)
    view.editor.word.clear()
    QTest.keyClicks(view.editor.word, "cat")
    view.editor.lines[1].meaning.click()
    qtbot.waitUntil(lambda: view.compared is not None and view.compared[1].sentences == [0, 1, 2], timeout=TIMEOUT_MS)
    found = word_in_sentences(checkpoint.model, checkpoint.tokenizer, "cat", view.editor.uses.texts)
    assert view.compared[1].cosines == pytest.approx(found.cosines, abs=1e-5)
    assert view.charts["matrix"].values == pytest.approx(found.cosines[window.state.selection.stage], abs=1e-5)
    parted = group_similarity(found.cosines, [1, 2, 2])
    assert view.charts["curves"].points("between")[1] == pytest.approx(parted.between, abs=1e-5)
    assert view.verdict.text() == verdict(parted)
    assert "not in this sentence" in view.editor.lines[3].missing.text()


def test_a_word_in_no_sentence_is_said(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    view = opened(window, qtbot, "word", WordView)
    QTest.keyClicks(view.editor.word, "x")
    qtbot.waitUntil(lambda: "No sentence contains the word “bankx”" in view.progress.text, timeout=TIMEOUT_MS)
    assert (
        view.compared is None
        and not len(view.charts["curves"].points("within")[0])
        and view.charts["matrix"].values is None
        and not view.verdict.text()
    )
    view.editor.add.click()
    assert len(view.editor.lines) == 5
    view.editor.lines[4].remove.click()
    assert len(view.editor.lines) == 4


def test_the_verdict_names_the_layer() -> None:
    far = GroupSimilarity(np.array([0.9, 0.8]), np.array([0.85, 0.5]), 1)
    assert verdict(far) == (
        "The meanings are furthest apart after layer 1: cosine 0.80 within a meaning, 0.50 between meanings."
    )
    assert "do not separate" in verdict(GroupSimilarity(np.array([0.1]), np.array([0.2]), 0))
    assert "at least two sentences" in verdict(GroupSimilarity(np.array([0.1]), np.array([np.nan]), None))


def test_sentences_and_view_outlive_a_frame_of_another_size(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    view = opened(window, qtbot, "word", WordView)
    QTest.keyClicks(view.editor.lines[0].text, "!")
    window.appearance.set_look(projector=True)
    settle(window, qtbot)
    again = window.open_room("layers")
    assert isinstance(again, LayersRoom) and again is not room and again.views.key == "word"
    assert isinstance(again.view, WordView) and again.view.editor.uses.texts[0].startswith("!")
    window.appearance.set_look(projector=False)


def test_every_step_shows_the_engines_numbers_and_their_parts(
    room: LayersRoom, window: Window, qtbot: QtBot, model_folder: Path
) -> None:
    view, reading = opened(window, qtbot, "steps", StepsView), window.state.reading
    assert reading is not None
    room.slider.track.setValue(2)
    settle(window, qtbot)
    window.state.set_head(1, 3)
    window.state.set_focus(5)
    model = load_checkpoint(model_folder).model
    expected = layer_steps(trace_layer(model, reading.request.input_ids, reading.request.segments, layer=1), 3)
    assert [header.key for header in view.headers] == [step.key for step in expected]
    for header, step in zip(view.headers, expected, strict=True):
        if not header.isChecked():
            header.click()
        assert view.open_key == step.key
        assert view.table.numbers.values == pytest.approx(step.values, rel=1e-4, abs=1e-4)
        assert header.shape == f"{step.values.shape[0]} × {step.values.shape[1]}"
        view.table.setCurrentIndex(view.table.numbers.index(6, 2))
        made = view.derivation.derivation
        assert made is not None and window.state.focus == 6
        assert made.value == float(view.table.numbers.values[6, 2])
        assert made.total == pytest.approx(made.value, rel=1e-5, abs=1e-5)
        assert view.derivation.number.text() == numbers.exact(made.value)


def test_cells_say_their_exact_value(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    view = opened(window, qtbot, "steps", StepsView)
    index = view.table.numbers.index(4, 1)
    exact = numbers.number(float(view.table.numbers.values[4, 1]), 9)
    assert str(view.table.numbers.data(index, Qt.ItemDataRole.ToolTipRole)).endswith(f": {exact}")


def test_a_changed_row_is_said_not_to_add_up(room: LayersRoom, window: Window, qtbot: QtBot) -> None:
    from app.state.what_if import EditedRow

    view = opened(window, qtbot, "steps", StepsView)
    size = len(window.state.encoding or [])
    row = (1.0, *[0.0] * (size - 1))
    window.state.set_what_if(window.state.what_if.with_row(EditedRow(0, 0, 4, row)))
    settle(window, qtbot)
    qtbot.waitUntil(lambda: view.asked["layer"].answer is not None, timeout=TIMEOUT_MS)
    view.open_step("probs")
    window.state.set_focus(4)
    assert view.table.numbers.values[4].tolist() == list(row)
    assert view.derivation.changed.isVisible()
    window.state.set_focus(5)
    assert not view.derivation.changed.isVisible()


OFTEN = ("pre-norm", "albert")  # the others differ in what the engine's own tests see


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in SHAPES])
def test_every_view_works_for_every_family_and_for_little_text(
    name: str, open_window: Callable[[Path], Window], qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(save_family(name, tmp_path / name))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    room = window.open_room("layers")
    assert isinstance(room, LayersRoom)
    for text, specials in (("The cat sat on the mat.", True), ("cat", False), ("", False)):
        window.state.set_token_view(specials=specials)
        window.state.set_text(text, "")
        settle(window, qtbot)
        for key in (spec.key for spec in LayersRoom.specs):
            room.open_view(key).repaint()
            settle(window, qtbot)
            room.view.repaint()
    assert not window.frame.banner.isVisible()
