"""Room Map and the line of predictions: what is drawn is the reading, and every part leads to the right place."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest

from app.look import numbers
from app.rooms.map import model_map
from app.rooms.map.base_picture import base_shapes, key_line_px, key_of, key_shapes
from app.rooms.map.plan import MapPart, Plan, Sizes, choose_rows
from app.state.baseline import OtherModel, OtherText
from app.state.verdicts import SURE
from app.widgets.prediction_line import VERDICT
from bertcore.analysis.passes import as_text, layer_lens
from bertcore.analysis.predict import next_sentence, softmax, top_words
from bertcore.analysis.residual import neuron_activations
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_A, TEXT_B, answered, click, make_checkpoint, press, read_masked, settle, wait_until
from tests.app.family_models import SHAPES, save_family

EMBEDDINGS = ("token", "segment", "position", "sum")
ONE_WORD, SHORTER = OtherText("The dog sat on the mat.", TEXT_B), OtherText("The dog sat.", TEXT_B)


def shown_map(window):
    """The view when all is answered; its plan and content are there."""
    view = window.open_room("map").view
    answered(window)
    return view


@pytest.mark.parametrize("size", [1, 2, 5, 12, 13, 100, 512])
@pytest.mark.parametrize("most", [5, 12, 30])
def test_rows_cover_the_text_and_fit(size, most):
    around = size * 2 // 3
    rows = choose_rows(size, most, around, [size // 3])
    assert len(rows) <= most and around in rows and size // 3 in rows
    assert most == 5 or (0 in rows and size - 1 in rows), "the ends give way to what is kept"
    assert [at for row in rows for at in (row if isinstance(row, range) else [row])] == list(range(size))
    assert all(len(row) > 1 for row in rows if isinstance(row, range))


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (4, 4), (6, 6), (12, 12), (24, 16)])
@pytest.mark.parametrize(("width", "height", "scale"), [(1340, 730, 1.0), (1150, 600, 1.5), (900, 450, 1.0)])
def test_every_part_is_on_the_map_and_apart(layers, heads, width, height, scale):
    plan = Plan(Sizes(width, height, scale, layers, heads, EMBEDDINGS, open_layer=layers // 2), 32, 10)
    placed_heads = {(part.layer, part.head) for part in plan.parts if part.kind == "head"}
    assert placed_heads == set(np.ndindex(layers, heads))
    for part, rect in plan.parts.items():
        assert not rect.isEmpty() and QRectF(0, 0, width + 0.5, height + 0.5).contains(rect), part
    cells = [rect for part, rect in plan.parts.items() if part.kind == "head"]
    assert all(one.intersected(other).isEmpty() for i, one in enumerate(cells) for other in cells[:i])


def test_a_layer_that_opens_stays_under_the_pointer():
    """Else two layers would open in turn while the mouse rests."""
    plans = [Plan(Sizes(1340, 730, 1.0, 24, 16, EMBEDDINGS, open_layer=opened), 20, 1) for opened in range(24)]
    for opened, plan in enumerate(plans):
        assert plan.is_folded and [layer.number for layer in plan.layers if layer.is_open] == [opened]
        for x in np.linspace(plan.layer_zone.left() + 1, plan.layer_zone.right() - 1, 300).tolist():
            layer = plan.layer_at(x)
            assert layer is not None and plans[layer].layer_at(x) == layer


def test_the_map_shows_this_pass(window, model_folder):
    window.state.set_masks([2, 5])
    window.state.set_focus(5)
    settle(window)
    view, request, checkpoint = shown_map(window), window.state.reading.request, load_checkpoint(model_folder)
    ids, segments, content, answer = request.input_ids, request.segments, view.map.content, view.map.answer
    assert list(content.words.values())[:4] == ["The", "cat", "sat", "on"]  # as they were typed, though masked
    direct = trace(checkpoint.model, ids, segments)
    np.testing.assert_allclose(content.sheet.thumbnails, direct.attentions, atol=1e-5)
    assert set(view.answer_of("guesses", view.reading)) == {2, 5}
    logits = layer_lens(checkpoint.model, direct.hidden_states, [5])[:, 0]  # (L+1,V)
    label = checkpoint.tokenizer.label
    assert [guess.token for guess in answer.guesses] == [label(int(row.argmax())) for row in logits]
    best = top_words(logits[-1], checkpoint.tokenizer, 3)
    assert [word for word, _ in answer.words[:3]] == [label(guess.id) for guess in best]
    assert [share for _, share in answer.words[:3]] == pytest.approx([guess.probability for guess in best])
    yes = next_sentence(direct.next_sentence_logits).is_next
    assert content.verdict.share == pytest.approx(yes, abs=1e-5)
    activity = content.activity
    assert activity.activations.shape[:2] == (2, len(view.map.positions))
    for layer, column in ((0, 0), (1, 27)):
        neuron = int(activity.neurons[layer, column])
        whole = neuron_activations(checkpoint.model, as_text(checkpoint.model, ids, segments), layer, neuron)
        np.testing.assert_allclose(activity.activations[layer, :, column], whole[view.map.positions], atol=1e-5)


def test_without_a_mask_the_token_under_the_mouse_is_followed(window):
    view = shown_map(window)
    assert view.map.answer.position == 1
    window.state.set_hover(4)
    assert view.map.answer.position == 4 and len(view.map.answer.guesses) == 3
    window.state.set_hover(None)
    window.state.set_focus(3)
    assert view.map.answer.position == 3
    title = view.map.describe(MapPart("state", 1, position=3, stage=2)).title
    assert title == f"“{window.state.reading.shown_tokens[3]}” after layer 2"


def test_a_map_that_failed_to_paint_is_painted_again(window, monkeypatch):
    shown = shown_map(window).map
    before, faults = shown.grab().toImage(), [ValueError("broken")]

    def fail_once(*arguments):
        if faults:
            raise faults.pop()
        return base_shapes(*arguments)

    monkeypatch.setattr(model_map, "base_shapes", fail_once)
    shown.redraw()
    with pytest.raises(ValueError):
        shown.paintEvent(QPaintEvent(shown.rect()))
    assert faults == [] and shown.grab().toImage() == before


@pytest.mark.parametrize(
    ("part", "room", "view", "selected"),
    [
        (MapPart("word", position=3), "embed", "vocabularies", {"focus": 3}),
        (MapPart("token", position=3), "embed", "parts", {"focus": 3}),
        (MapPart("embedding", position=4, name="segment"), "embed", "parts", {"focus": 4}),
        (MapPart("head", 1, 2), "attend", "matrix", {"layer": 1, "head": 2}),
        (MapPart("feed_forward", 1), "layers", "neurons", {"layer": 1}),
        (MapPart("attention_sum", 0), "layers", "added", {"layer": 0}),
        (MapPart("layer", 1), "layers", "steps", {"layer": 1}),
        (
            MapPart("state", 1, position=4, stage=2),
            "layers",
            "hidden",
            {"focus": 4, "layer": 1, "at_embeddings": False},
        ),
        (MapPart("state", position=4, stage=0), "layers", "hidden", {"focus": 4, "at_embeddings": True}),
        (MapPart("state", 1, position=2, stage=2), "predict", "lens", {"focus": 2, "layer": 1}),
        (MapPart("answer", position=2), "predict", "words", {"focus": 2}),
        (MapPart("verdict"), "predict", "words", {}),
        (MapPart("section", name="think"), "layers", "neurons", {}),
    ],
    ids=lambda value: f"{value.kind} {value.name}".strip() if isinstance(value, MapPart) else "",
)
def test_a_click_opens_the_place(part, room, view, selected, window):
    window.resize(1440, 900)
    read_masked(window, [2])
    shown = shown_map(window).map
    caption, center = shown.describe(part), shown.plan.parts[part].center()
    assert part.kind == "section" or (caption.title and caption.text)
    named = dict.fromkeys(("feed_forward", "attention_sum", "layer"), f"Layer {part.layer + 1}")
    named |= {"head": f"Layer {part.layer + 1} · Head {part.head + 1}"}
    named |= {"state": f"after layer {part.stage}" if part.stage else "before the first layer"}
    assert named.get(part.kind, "") in caption.title
    assert shown.cell_at(center) == part
    click(shown, center)
    opened = window.frame.room
    assert (window.room_key, opened.views.key) == (room, view)
    assert {name: getattr(window.state, name) for name in selected} == selected


def test_arrow_keys_walk_and_enter_opens(window):
    window.resize(1440, 900)
    window.state.set_head(0, 0)
    picture = shown_map(window).map
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    wait_until(lambda: picture.hovered_cell == MapPart("head", 0, 0))
    press(picture, "Right")
    assert picture.hovered_cell == MapPart("head", 0, 1)
    reached = set()
    for _ in range(60):
        press(picture, "Down")
        reached.add(picture.hovered_cell.kind)
    assert {"state", "feed_forward"} <= reached
    picture.set_hovered(MapPart("head", 0, 1))
    press(picture, "Return")
    assert window.room_key == "attend" and (window.state.layer, window.state.head) == (0, 1)


@pytest.mark.parametrize("family", SHAPES)
def test_any_family(family, open_window, tmp_path):
    window = open_window(save_family(family, tmp_path / family), TEXT_A, TEXT_B)
    read_masked(window, ())
    shown, model = shown_map(window).map, window.state.model
    shown.grab()
    answer, content, predicts = shown.answer, shown.content, "mlm" in model.output_heads
    assert bool(answer.words) == bool(answer.guesses) == predicts == (not answer.reason and not answer.task)
    assert (content.verdict is not None) == bool({"nsp", "sop"} & set(model.output_heads))
    assert bool(content.pair.text) != bool(answer.task)
    assert ("segment" in shown.plan.embeddings) == (model.config.type_vocab_size > 0)
    assert shown.plan.is_folded == (model.layers > 12)
    for part in shown.plan.parts:
        assert part.kind == "section" or shown.describe(part).text
    if shown.plan.is_folded:
        QTest.mouseMove(shown, shown.plan.layers[17].heads.center().toPoint())
        wait_until(lambda: shown.plan.layers[17].is_open)
        assert shown.hovered_cell is None or shown.hovered_cell.layer == 17


@pytest.mark.parametrize("a", ["", "a", "the cat sat on the mat " * 9])
def test_any_length(a, open_window, model_folder):
    window = open_window(model_folder, a, "a dog")
    read_masked(window, ())
    window.resize(1280, 720)
    shown, encoding = shown_map(window).map, window.state.reading.encoding
    size = len(encoding)
    shown.grab()
    assert encoding.tokens.index("[SEP]") in shown.positions
    assert shown.positions[0] == 0 and shown.positions[-1] == size - 1
    assert (len(shown.positions) < size) == (size > 30)
    window.state.set_focus(size // 2)
    shown_map(window)
    assert size // 2 in shown.positions
    assert shown.content.activity.activations.shape[1] == len(shown.positions)


def beside(window, baseline):
    window.resize(1440, 900)
    window.state.set_masks([3])
    window.state.set_baseline(baseline)
    settle(window)
    shown = shown_map(window).map
    shown.grab()
    return shown


def test_the_guesses_of_both_are_those_of_each_layer(window, model_folder):
    answer, reading = beside(window, ONE_WORD).answer, window.state.reading
    checkpoint, request = load_checkpoint(model_folder), reading.baseline.request
    direct = trace(checkpoint.model, request.input_ids, request.segments)
    logits = layer_lens(checkpoint.model, direct.hidden_states, [3])[:, 0]  # (L+1,V)
    label, chances = checkpoint.tokenizer.label, softmax(logits[-1])
    assert [guess.token for guess in answer.baseline_guesses] == [label(int(row.argmax())) for row in logits]
    expected = [float(chances[word.id]) for word in reading.masks[0].words[: len(answer.words)]]
    assert answer.baseline_shares == pytest.approx(expected, abs=1e-5)
    for stage, (now, then) in enumerate(zip(answer.guesses, answer.baseline_guesses, strict=True)):
        assert (answer.baseline_guess(stage) is None) == (now.token == then.token)


@pytest.mark.parametrize("baseline", [ONE_WORD, SHORTER], ids=["one word", "shorter"])
def test_lines_are_coloured_by_one_minus_the_cosine(baseline, window):
    shown, reading = beside(window, baseline), window.state.reading
    distances, other_positions = shown.content.distances, reading.alignment.other_positions
    for position, place in enumerate(other_positions):
        if place is None:
            assert distances.share(position, 1) is None
            assert "no such token" in shown.describe(MapPart("state", 0, position=position, stage=1)).text
            continue
        ours = reading.trace.hidden_states[:, position].astype(float)
        theirs = reading.baseline.trace.hidden_states[:, place].astype(float)
        cosines = (ours * theirs).sum(-1) / np.linalg.norm(ours, axis=-1) / np.linalg.norm(theirs, axis=-1)
        np.testing.assert_allclose(distances.values[position], 1 - cosines, atol=1e-6)
        assert distances.share(position, 2) == pytest.approx((1 - cosines[2]) / distances.limit, abs=1e-6)
        described = shown.describe(MapPart("state", 1, position=position, stage=2)).text
        assert numbers.decimal(float(cosines[2])) in described
    window.comparison.toggle_difference()
    assert shown.content.distances is None and "stronger" not in shown.content.title.text
    window.comparison.end()
    settle(window)
    assert "Compared" not in shown.content.title.title


def test_another_shape_says_why_and_keeps_the_words(window, tmp_path):
    shown = beside(window, OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2))))
    assert shown.content.distances is None and "cannot be measured" in shown.content.title.text
    answer = shown.answer
    assert len(answer.baseline_guesses) == 4 and answer.baseline_guess(0) is None  # only the last layers are compared


def test_the_key_fits_on_a_projector(window):
    window.appearance.set_look(projector=True)
    shown = beside(window, ONE_WORD)
    window.resize(1280, 720)
    settle(window)
    entries, free = key_of(shown.plan, shown.content), QRectF(118, 135, 450, 80)
    assert [entry.colors for entry in entries] == ["distance", "signed", "sequential"]
    shapes, taken = key_shapes(shown.plan, entries, free)
    assert len(shapes) == 12 and free.contains(taken)
    assert taken.height() == pytest.approx(3 * key_line_px(shown.plan))


def test_the_line_says_the_best_words_and_the_verdict(window):
    line, state = window.frame.prediction, window.state
    window.open_room("attend")
    assert line.isVisible() and line.prediction.words == () and "Double-click" in line.prediction.hint
    state.set_masks([2, 5])
    settle(window)
    reading = window.state.reading
    assert line.prediction.title == "[MASK] (2) could be"
    row = softmax(reading.trace.mlm_logits[0])
    assert [share for _, share in line.prediction.words] == pytest.approx(sorted(row.tolist())[::-1][:3])
    state.set_focus(5)
    assert line.prediction.title == "[MASK] (5) could be"
    assert [word for word, _ in line.prediction.words] == [word.token for word in reading.masks[1].words[:3]]
    yes = reading.next_sentence.is_next
    answer = ("yes" if yes >= 0.5 else "no") if max(yes, 1 - yes) >= SURE else "unsure"
    assert line.prediction.verdict[:2] == ("B follows A", f"{numbers.percent(yes)} ({answer})")
    assert line.cell_at(QPointF(line.width() - 10, 5)) == VERDICT
    state.set_text(None, "")
    settle(window)
    assert line.prediction.verdict is None
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert window.room_key == "predict"


def test_which_rooms_have_the_line_and_the_tokens_and_a_model_without_heads_says_nothing(window, headless_folder):
    for room, has_tokens, has_line in (("map", False, False), ("layers", True, True), ("apply", True, False)):
        window.open_room(room)
        assert window.frame.strip.isVisible() == has_tokens and window.frame.prediction.isVisible() == has_line
    window.open_model(headless_folder)
    settle(window)
    window.open_room("embed")
    prediction = window.frame.prediction.prediction
    assert (prediction.title, prediction.words, prediction.hint, prediction.verdict) == ("", (), "", None)
