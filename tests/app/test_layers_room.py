"""The room Layers: every number it shows is the engine's, and each control does what it says."""

import re
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.figures.figure import Figure
from app.figures.files import image_of
from app.look import numbers, theme
from app.rooms.layers.layer_steps import layer_steps
from app.rooms.layers.neurons_view import MOST_WORDS
from app.rooms.layers.number_table import MOST_WHOLE, NumberTable, short
from app.rooms.layers.word_view import verdict
from app.state.what_if import EditedRow
from app.widgets.figure_button import FigureButton
from bertcore.analysis.layer_trace import trace_layer
from bertcore.analysis.passes import as_text
from bertcore.analysis.residual import neuron_activations, pushed_words, residual_stream, strongest_neurons
from bertcore.analysis.vectors import GroupSimilarity, cosines, group_similarity, lengths, pca, word_in_sentences
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import click, placed, press, read_changed, settle, shown_room, shown_view, wait_until, words_of

NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def room(window):
    found = shown_room(window, "layers")
    window.state.set_head(0, 0)
    return found


@pytest.fixture
def opened(room, window):
    """Opens a view of the room."""
    return partial(shown_view, window, "layers")


@pytest.fixture
def checkpoint(model_folder):
    return load_checkpoint(model_folder)


@pytest.fixture
def reading(room, window):
    return window.state.reading


def test_lengths_and_cosines_are_the_engines(room, opened, reading):
    charts, states = opened("hidden").charts, reading.trace.hidden_states
    assert charts["lengths"].values == pytest.approx(lengths(states).T, rel=1e-5)
    assert charts["lengths"].color_range[0] == 0  # LayerNorm made them alike
    for stage in (0, 2):
        room.slider.track.setValue(stage)
        assert charts["cosines"].values == pytest.approx(cosines(states)[stage], abs=1e-5)
    assert room.slider.name.text() == "after layer 2" and room.state.layer == 1


def test_arrow_keys_and_clicks_move_the_layer_and_other_rooms_follow(room, window, opened):
    assert window.state.selection.stage == 1
    room.slider.track.setFocus()
    press(room.slider.track, "Right")
    assert (window.state.selection.stage, window.state.layer) == (2, 1)
    for _ in range(2):
        press(room.slider.track, "Left")
    assert (window.state.selection.stage, window.state.layer, room.slider.name.text()) == (0, 0, "embeddings")
    window.state.set_head(1, 3)
    assert window.state.selection.stage == 2 and room.slider.track.value() == 2
    chart = opened("hidden").charts["lengths"]
    click(chart, chart.cell_rect(4, 2))
    assert (window.state.focus, window.state.selection.stage) == (4, 2)
    press(chart, "Down")
    assert window.state.focus == 5 and chart.selected == (5, 2)


def test_paths_are_the_engines_and_follow_the_selection(opened, window, reading):
    view, found = opened("paths"), pca(reading.trace.hidden_states)
    chart = view.charts["paths"]
    assert np.array_equal(chart.points.places, found.points)
    assert f"it shows {found.explained_variance_ratio.sum():.0%} of the differences" in view.cards["paths"].hint
    assert "“the” is most like “the” at the start" in view.cards["paths"].intro
    chart.setFocus()
    window.state.set_focus(2)
    press(chart, "Right")
    assert window.state.focus == 3 and chart.selected == [3]


def test_what_is_added_is_the_engines_for_the_current_token(opened, room, window, reading, checkpoint):
    view, model = opened("added"), checkpoint.model
    stream = residual_stream(model, as_text(model, reading.request.input_ids, reading.request.segments))
    keys = {"lengths": ("entering", "attention", "feed_forward"), "cosines": ("attention", "feed_forward")}
    for token in (3, 6):
        window.state.set_focus(token)
        for chart, key in ((chart, key) for chart, names in keys.items() for key in names):
            expected = getattr(stream, f"{key}_cosine" if chart == "cosines" else key)[:, token]
            assert view.charts[chart].points(key)[1] == pytest.approx(expected, rel=1e-4, abs=1e-5)
    assert not room.slider.isVisible()


def test_neurons_are_the_engines_and_arrow_keys_choose(opened, window, reading, checkpoint):
    view, model = opened("neurons"), checkpoint.model
    charts, text = view.charts, as_text(model, reading.request.input_ids, reading.request.segments)
    window.state.set_focus(4)
    found = strongest_neurons(model, text)
    named = [list(zip(*pair, strict=True)) for pair in zip(found.layers.tolist(), found.neurons.tolist(), strict=True)]
    assert rows_of(view) == named[4]
    shared = [sum(neuron in one for one in named) for neuron in named[4]]
    first = charts["strongest"].selected_cell()
    assert first == shared.index(min(shared))  # the one that fires for the fewest others
    press(charts["strongest"], "Down")
    settle(window)
    layer, neuron = named[4][min(first + 1, len(named[4]) - 1)]
    assert view.chosen == (layer, neuron) and view.cards["tokens"].title == f"Layer {layer + 1} · Neuron {neuron}"
    fires = neuron_activations(model, text, layer, neuron)
    assert numbers_of(charts["tokens"]) == pytest.approx(sorted(fires, reverse=True)[:MOST_WORDS], abs=0.0051)
    up = pushed_words(model, checkpoint.tokenizer, layer, neuron, MOST_WORDS).up
    assert [bar.label for bar in charts["words"].bars] == [word for word, _ in up]
    assert numbers_of(charts["words"]) == pytest.approx([score for _, score in up], abs=0.0051)


def numbers_of(bars):
    """As they are shown, with two digits."""
    return [float(bar.number.replace("−", "-")) for bar in bars.bars]


def rows_of(view):
    """(layer, neuron) of each bar, from 0."""
    found = [re.findall(r"\d+", bar.label) for bar in view.charts["strongest"].bars]
    return [(int(layer) - 1, int(neuron)) for layer, neuron in found]


def test_an_activation_of_nothing_has_no_sign(opened, window, monkeypatch):
    small = np.resize(np.array([-0.0, -1e-9, -0.004], dtype=np.float32), len(window.state.encoding))
    monkeypatch.setattr("bertcore.analysis.residual.neuron_activations", lambda *_given, **_options: small)
    assert {bar.number for bar in opened("neurons").charts["tokens"].bars} == {"0.00"}


def test_a_chosen_neuron_stays_while_the_mouse_moves_and_shows_the_token_looked_at(opened, window):
    view = opened("neurons")

    def choose(neuron):
        view.charts["strongest"].clicked.emit(rows_of(view).index(neuron), NO_KEY)
        settle(window)

    window.state.set_focus(4)
    settle(window)
    found = view.asked["all"].answer
    rows = [set(zip(*pair, strict=True)) for pair in zip(found.layers.tolist(), found.neurons.tolist(), strict=True)]
    neuron, other = next((one, i) for one in sorted(rows[4]) for i, row in enumerate(rows) if one not in row)
    choose(neuron)
    window.state.set_hover(other)
    assert view.chosen == neuron and not any(bar.is_strong for bar in view.charts["strongest"].bars)
    window.state.set_hover(None)
    shared = next(i for i in range(len(rows)) if i != 4 and rows[4] & rows[i])
    both = min(rows[4] & rows[shared])
    choose(both)
    window.state.set_focus(shared)
    settle(window)
    strong = [bar.note for bar in view.charts["tokens"].bars if bar.is_strong]
    assert view.chosen == both and strong == [str(shared)]


def test_one_word_is_compared_in_the_persons_sentences(opened, window, checkpoint):
    view = opened("word")
    assert len(view.compared[1].sentences) == 4
    for line, text in zip(view.editor.lines, ("A cat sat.", "The cat ran home.", "A happy cat!", "A dog"), strict=True):
        line.text.clear()
        QTest.keyClicks(line.text, text)
    view.editor.word.clear()
    QTest.keyClicks(view.editor.word, "cat")
    view.editor.lines[1].meaning.click()
    wait_until(lambda: view.compared is not None and view.compared[1].sentences == [0, 1, 2])
    found = word_in_sentences(checkpoint.model, checkpoint.tokenizer, "cat", view.editor.uses.texts)
    assert view.compared[1].cosines == pytest.approx(found.cosines, abs=1e-5)
    assert view.charts["matrix"].values == pytest.approx(found.cosines[window.state.selection.stage], abs=1e-5)
    parted = group_similarity(found.cosines, [1, 2, 2])
    assert view.charts["curves"].points("between")[1] == pytest.approx(parted.between, abs=1e-5)
    assert view.verdict.text() == verdict(parted)
    assert "not in this sentence" in view.editor.lines[3].missing.text()


def test_a_word_in_no_sentence_is_said(opened):
    view = opened("word")
    QTest.keyClicks(view.editor.word, "x")
    wait_until(lambda: "No sentence contains the word “bankx”" in view.progress.text)
    assert view.compared is None and not view.verdict.text()
    assert not len(view.charts["curves"].points("within")[0]) and view.charts["matrix"].values is None
    view.editor.add.click()
    assert len(view.editor.lines) == 5
    view.editor.lines[4].remove.click()
    assert len(view.editor.lines) == 4


def test_the_verdict_names_the_layer():
    far = GroupSimilarity(np.array([0.9, 0.8]), np.array([0.85, 0.5]), 1)
    assert verdict(far) == (
        "The meanings are furthest apart after layer 1: cosine 0.80 within a meaning, 0.50 between meanings."
    )
    assert "do not separate" in verdict(GroupSimilarity(np.array([0.1]), np.array([0.2]), 0))
    assert "at least two sentences" in verdict(GroupSimilarity(np.array([0.1]), np.array([np.nan]), None))


def test_sentences_and_view_outlive_a_frame_of_another_size(opened, room, window):
    QTest.keyClicks(opened("word").editor.lines[0].text, "!")
    window.appearance.set_look(projector=True)
    settle(window)
    again = window.open_room("layers")
    assert again is not room and again.views.key == "word" and again.view.editor.uses.texts[0].startswith("!")
    assert len(again.view.editor.lines) == 4


def test_every_step_shows_the_engines_numbers_and_their_parts(opened, room, window, reading, checkpoint):
    view = opened("steps")
    table = view.table
    room.slider.track.setValue(2)
    settle(window)
    window.state.set_head(1, 3)
    window.state.set_focus(5)
    layer = trace_layer(checkpoint.model, reading.request.input_ids, reading.request.segments, layer=1)
    expected = layer_steps(layer, 3)
    assert [header.key for header in view.headers] == [step.key for step in expected]
    for header, step in zip(view.headers, expected, strict=True):
        if not header.isChecked():
            header.click()
        assert view.open_key == step.key and header.shape == "{} × {}".format(*step.values.shape)
        assert table.numbers.values == pytest.approx(step.values, rel=1e-4, abs=1e-4)
        table.setCurrentIndex(table.numbers.index(6, 2))
        made, value = view.derivation.derivation, float(table.numbers.values[6, 2])
        assert window.state.focus == 6 and made.value == value
        assert made.total == pytest.approx(made.value, rel=1e-5, abs=1e-5)
        assert view.derivation.number.text() == numbers.exact(made.value)
        tip = str(table.numbers.data(table.numbers.index(6, 2), Qt.ItemDataRole.ToolTipRole))
        assert tip.endswith(f": {numbers.number(value, 9)}")


def test_each_step_says_in_a_sentence_what_it_does_to_the_token(opened, window, checkpoint, reading):
    view, row, head = opened("steps"), 5, 3
    window.state.set_head(1, head)
    window.state.set_focus(row)
    settle(window)
    one = trace_layer(checkpoint.model, reading.request.input_ids, reading.request.segments, layer=1)
    stories, tokens = {header.key: header.story for header in view.headers}, window.state.reading.shown_tokens
    assert len(stories) == len(view.steps) and all(story.endswith(".") for story in stories.values())
    best = int(one.probs[head, row].argmax())
    score, share = float(one.query[head, row] @ one.key[head, best]), float(one.probs[head, row, best])
    assert f"“{tokens[best]}” best: their score is {numbers.number(score)}." in stories["products"]
    assert f"“{tokens[best]}” gets {numbers.percent(share)} of the attention of “{tokens[row]}”" in stories["probs"]
    fire = int((one.activation[row] > 0).sum())
    assert stories["activation"].startswith(f"{fire} of the {one.activation.shape[1]} neurons fire")
    added = np.linalg.norm(one.attention_output[row]) / np.linalg.norm(one.entering[row])
    assert numbers.percent(float(added)) in stories["attention_sum"]
    window.state.set_focus(2)
    assert tokens[2] in view.headers[0].story and view.headers[0].story != stories["entering"]


def test_a_changed_row_is_said_not_to_add_up(opened, window):
    view, row = opened("steps"), (1.0, *[0.0] * (len(window.state.encoding or []) - 1))
    read_changed(window, window.state.what_if.with_row(EditedRow(0, 0, 4, row)))
    wait_until(lambda: view.asked["layer"].answer is not None)
    view.open_step("probs")
    window.state.set_focus(4)
    assert view.table.numbers.values[4].tolist() == list(row)
    assert view.derivation.changed.isVisible()
    window.state.set_focus(5)
    assert not view.derivation.changed.isVisible()


@pytest.fixture
def view(window):
    return shown_view(window, "layers", "steps")


def opened_step(view, columns, window):
    """Of the first step with so many columns, which is open now."""
    key = next(step.key for step in view.steps if step.values.shape[1] == columns)
    if key != view.open_key:
        view.open_step(key)
    settle(window)
    return figure_of(view)


def figure_of(view):
    return view.card.findChild(FigureButton).figure()


@pytest.mark.parametrize("theme_name", ["light", "dark"])
@pytest.mark.parametrize("column", [0, 1, 2], ids=["negative", "nothing", "positive"])
def test_the_chosen_cell_is_framed_in_its_own_colour(qapp, qtbot, column, theme_name):
    theme.apply(qapp, theme_name)
    table = placed(NumberTable(), qtbot, 500, 200)
    table.numbers.set_values(np.array([[-0.9, 0.0, 0.67], [-1.0, 0.5, 1.0]]), ["a", "b"], [])
    table.choose(0, column)
    seen, place = table.viewport().grab().toImage(), table.visualRect(table.numbers.index(0, column))
    inside = seen.pixelColor(place.topLeft() + QPoint(5, 5))
    assert inside == table.numbers.fill(float(table.numbers.values[0, column]))
    assert seen.pixelColor(place.topLeft()) == seen.pixelColor(place.bottomRight()) == theme.color("ink")
    other = table.visualRect(table.numbers.index(1, column))
    assert seen.pixelColor(other.bottomRight()) == table.numbers.fill(float(table.numbers.values[1, column]))


def test_a_picture_has_all_rows_and_says_which_columns(view, window):
    window.resize(1000, 720)
    opened_step(view, 64, window)
    view.table.horizontalScrollBar().setValue(100)
    shown = view.table.pictured_columns
    assert shown.start == 2 and 0 < len(shown) < 64
    figure = figure_of(view)
    assert figure.hint.endswith(f"columns {shown[0]}–{shown[-1]} of 64")
    words = words_of(figure)
    numbers = view.table.numbers
    for row in numbers.values[:, shown.start : shown.stop]:
        assert all(short(float(value)) in words for value in row)
    tokens = window.state.reading.shown_tokens
    assert words.count(str(shown[-1])) == 1 and set(tokens) <= set(words)
    assert next(iter(figure.numbers.values())).values.shape == numbers.values.shape


def test_a_picture_has_cells_where_scroll_bars_would_be(view, window):
    opened_step(view, 64, window)
    table, picture = view.table, view.table.picture()
    last = table.numbers.rowCount() - 1, table.pictured_columns[-1]
    seen = image_of(Figure("", picture, {}, "", "")).pixelColor(QPoint(picture.width - 2, picture.height - 2) * 2)
    assert seen == table.numbers.fill(float(table.numbers.values[last]))


def test_the_list_ends_below_a_whole_line_once_the_layer_is_computed(view, window):
    wait_until(lambda: bool(view.headers))
    view.open_step("query")
    wait_until(lambda: not view._after_layout.isActive())
    QApplication.processEvents()
    viewport = view._area.viewport()
    places = [(header.mapTo(viewport, QPoint(0, 0)).y(), header.height()) for header in view.headers]
    assert places[-1][0] > viewport.height()  # there are more than fit
    assert [top for top, height in places if top < viewport.height() - 4 < viewport.height() < top + height] == []


def test_a_table_with_few_columns_is_pictured_whole(view, window):
    window.resize(1000, 720)
    count = len(window.state.reading.shown_tokens)
    view.open_step("probs")
    settle(window)
    assert count <= MOST_WHOLE and view.table.horizontalScrollBar().maximum() > 0
    assert "columns" not in figure_of(view).hint and view.table.pictured_columns == range(count)


def test_nothing_has_no_sign():
    values = {-0.0: "0.0000", -0.00001: "0.0000", 0.00001: "0.0000"}
    values |= {-0.00148: "−0.0015", -12.345: "−12.345", -123.4: "−123.40"}
    assert {value: short(value) for value in values} == values
