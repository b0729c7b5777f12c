"""Room Map and the line of predictions: what is drawn is the reading, and every part is a door to the right place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.map import model_map
from app.rooms.map.base_picture import paint_base
from app.rooms.map.plan import Gap, MapPart, Plan, Sizes, choose_rows
from app.rooms.map.room import MapRoom
from app.rooms.map.view import MapView
from app.shell.window import Window
from app.state.verdicts import SURE
from app.widgets.prediction_line import VERDICT
from bertcore.analysis.passes import as_text, layer_lens
from bertcore.analysis.predict import next_sentence, softmax, top_words
from bertcore.analysis.residual import neuron_activations
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TIMEOUT_MS, make_checkpoint, settle
from tests.app.family_models import save_family

Opener = Callable[[Path | str], Window]
EMBEDDINGS = ("token", "segment", "position", "sum")


def shown_map(window: Window, qtbot: QtBot) -> MapView:
    room = window.open_room("map")
    assert isinstance(room, MapRoom) and isinstance(room.view, MapView)
    settle(window, qtbot)
    return room.view


def plan_of(view: MapView) -> Plan:
    assert view.map.plan is not None
    return view.map.plan


def open_text(open_window: Opener, folder: Path, a: str, b: str, masks: tuple[int, ...], qtbot: QtBot) -> Window:
    window = open_window(folder)
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text(a, b)
    window.state.set_masks(masks)
    settle(window, qtbot)
    return window


# The plan: where things are, for any size.


@pytest.mark.parametrize("size", [1, 2, 5, 12, 13, 100, 512])
@pytest.mark.parametrize("most", [5, 12, 30])
def test_rows_cover_the_text_and_fit(size: int, most: int) -> None:
    around = size * 2 // 3
    rows = choose_rows(size, most, around, [size // 3])
    assert len(rows) <= most and around in rows and 0 in rows and size - 1 in rows
    covered = [p for row in rows for p in (range(row.first, row.last + 1) if isinstance(row, Gap) else [row])]
    assert covered == list(range(size))
    assert all(len(row) > 1 for row in rows if isinstance(row, Gap))


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (4, 4), (6, 6), (12, 12), (24, 16)])
@pytest.mark.parametrize(("width", "height", "scale"), [(1340, 730, 1.0), (1150, 600, 1.5), (900, 450, 1.0)])
def test_every_part_is_on_the_map_and_apart(layers: int, heads: int, width: int, height: int, scale: float) -> None:
    sizes = Sizes(width, height, scale, layers, heads, EMBEDDINGS, open_layer=layers // 2)
    plan = Plan(sizes, choose_rows(32, sizes.most_rows, 10))
    assert {(part.layer, part.head) for part in plan.parts if part.kind == "head"} == {
        (layer, head) for layer in range(layers) for head in range(heads)
    }
    for part, rect in plan.parts.items():
        assert rect.width() > 0 and rect.height() > 0, part
        assert rect.left() >= 0 and rect.right() <= width + 0.5 and rect.top() >= 0 and rect.bottom() <= height + 0.5, (
            part
        )
    cells = [rect for part, rect in plan.parts.items() if part.kind == "head"]
    apart = [one.intersected(other).isEmpty() for i, one in enumerate(cells) for other in cells[:i]]
    assert all(apart)


def test_a_layer_that_opens_stays_under_the_pointer() -> None:
    """Else two layers would open in turn while the mouse rests."""
    plans = []
    for opened in range(24):
        sizes = Sizes(1340, 730, 1.0, 24, 16, EMBEDDINGS, open_layer=opened)
        plans.append(Plan(sizes, choose_rows(20, sizes.most_rows, 1)))
        assert plans[-1].is_folded
        assert [layer.number for layer in plans[-1].layers if layer.is_open] == [opened]
    for plan in plans:
        for x in np.linspace(plan.layer_zone.left() + 1, plan.layer_zone.right() - 1, 300).tolist():
            layer = plan.layer_at(x)
            assert layer is not None and plans[layer].layer_at(x) == layer


# What is drawn.


def test_the_map_shows_this_pass(window: Window, model_folder: Path, qtbot: QtBot) -> None:
    window.state.set_masks([2, 5])
    window.state.set_focus(5)
    settle(window, qtbot)
    view, reading = shown_map(window, qtbot), window.state.reading
    assert reading is not None
    checkpoint = load_checkpoint(model_folder)
    ids, segments = reading.request.input_ids, reading.request.segments
    direct = trace(checkpoint.model, ids, segments)
    np.testing.assert_allclose(view.map.content.sheet.thumbnails, direct.attentions, atol=1e-5)

    assert view.guesses is not None and set(view.guesses) == {2, 5}
    logits = layer_lens(checkpoint.model, direct.hidden_states, [5])[:, 0]  # (L+1,V)
    label = checkpoint.tokenizer.label
    assert [guess.token for guess in view.map.answer.guesses] == [label(int(row.argmax())) for row in logits]
    best = top_words(logits[-1], checkpoint.tokenizer, 3)
    assert [word for word, _ in view.map.answer.words[:3]] == [label(guess.id) for guess in best]
    assert [share for _, share in view.map.answer.words[:3]] == pytest.approx([guess.probability for guess in best])
    assert direct.next_sentence_logits is not None and view.map.content.verdict is not None
    yes = next_sentence(direct.next_sentence_logits).is_next
    assert view.map.content.verdict.share == pytest.approx(yes, abs=1e-5)

    activity = view.map.content.activity
    assert activity is not None and activity.activations.shape[:2] == (2, len(view.map.positions))
    for layer, column in ((0, 0), (1, 27)):
        neuron = int(activity.neurons[layer, column])
        whole = neuron_activations(checkpoint.model, as_text(checkpoint.model, ids, segments), layer, neuron)
        np.testing.assert_allclose(activity.activations[layer, :, column], whole[view.map.positions], atol=1e-5)


def test_without_a_mask_the_token_under_the_mouse_is_followed(window: Window, qtbot: QtBot) -> None:
    view = shown_map(window, qtbot)
    assert view.map.answer.position == 1
    window.state.set_hover(4)
    assert view.map.answer.position == 4 and len(view.map.answer.guesses) == 3
    window.state.set_hover(None)
    window.state.set_focus(3)
    assert view.map.answer.position == 3
    reading = window.state.reading
    assert reading is not None
    assert (
        view.map.describe(MapPart("state", 1, position=3, stage=2)).title
        == f"“{reading.shown_tokens[3]}” after layer 2"
    )


def test_words_are_as_they_were_typed(window: Window, qtbot: QtBot) -> None:
    window.state.set_masks([2])
    settle(window, qtbot)
    view = shown_map(window, qtbot)
    assert list(view.map.content.words.values())[:4] == ["The", "cat", "sat", "on"]


# Doors.


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
def test_a_click_opens_the_place(
    part: MapPart, room: str, view: str, selected: dict[str, Any], window: Window, qtbot: QtBot
) -> None:
    window.resize(1440, 900)
    window.state.set_masks([2])
    settle(window, qtbot)
    shown = shown_map(window, qtbot)
    caption = shown.map.describe(part)
    assert part.kind == "section" or (caption.title and caption.text)
    center = plan_of(shown).parts[part].center()
    assert shown.map.cell_at(center) == part
    QTest.mouseClick(shown.map, Qt.MouseButton.LeftButton, pos=center.toPoint())
    assert window.room_key == room
    opened: Any = window.frame.room
    assert opened.views.key == view
    assert {name: getattr(window.state, name) for name in selected} == selected


def test_arrow_keys_walk_and_enter_opens(window: Window, qtbot: QtBot) -> None:
    window.resize(1440, 900)
    window.state.set_head(0, 0)
    view = shown_map(window, qtbot)
    picture = view.map
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: picture.hovered_cell == MapPart("head", 0, 0), timeout=TIMEOUT_MS)
    QTest.keyClick(picture, Qt.Key.Key_Right)
    assert picture.hovered_cell == MapPart("head", 0, 1)
    reached = set()
    for _ in range(60):
        QTest.keyClick(picture, Qt.Key.Key_Down)
        reached.add(picture.hovered_cell.kind)
    assert {"state", "feed_forward"} <= reached
    for _ in range(60):
        QTest.keyClick(picture, Qt.Key.Key_Up)
    picture.set_hovered(MapPart("head", 0, 1))
    QTest.keyClick(picture, Qt.Key.Key_Return)
    assert window.room_key == "attend" and (window.state.layer, window.state.head) == (0, 1)


# Other models and texts.


@pytest.mark.parametrize(
    "family", ["roberta", "albert", "distilbert", "discriminator", "minilm", "pre-norm", "encoder"]
)
def test_any_family(family: str, open_window: Opener, tmp_path: Path, qtbot: QtBot) -> None:
    folder = save_family(family, tmp_path / family)
    window = open_text(open_window, folder, "The cat sat on the mat.", "It was very comfortable.", (), qtbot)
    view, model = shown_map(window, qtbot), window.state.model
    assert model is not None
    view.map.grab()
    predicts = "mlm" in model.output_heads
    assert bool(view.map.answer.words) == bool(view.map.answer.guesses) == predicts
    assert bool(view.map.answer.reason) == (not predicts)
    assert (view.map.content.verdict is not None) == bool({"nsp", "sop"} & set(model.output_heads))
    assert view.map.content.pair.text
    assert ("segment" in plan_of(view).embeddings) == (model.config.type_vocab_size > 0)
    assert plan_of(view).is_folded == (model.layers > 12)
    for part in list(plan_of(view).parts):
        assert view.door_of(part).room in ("embed", "attend", "predict", "layers")
        view.map.describe(part)


@pytest.mark.parametrize("a", ["", "a", "the cat sat on the mat " * 9])
def test_any_length(a: str, open_window: Opener, model_folder: Path, qtbot: QtBot) -> None:
    window = open_text(open_window, model_folder, a, "", (), qtbot)
    window.resize(1280, 720)
    view, reading = shown_map(window, qtbot), window.state.reading
    assert reading is not None
    view.map.grab()
    shown = view.map.positions
    assert shown[0] == 0 and shown[-1] == len(reading.encoding) - 1
    assert (len(shown) < len(reading.encoding)) == (len(reading.encoding) > 30)
    window.state.set_focus(len(reading.encoding) // 2)
    settle(window, qtbot)
    assert len(reading.encoding) // 2 in view.map.positions
    assert view.map.content.activity is not None and view.map.content.activity.activations.shape[1] == len(
        view.map.positions
    )


def test_the_layer_under_the_pointer_opens(open_window: Opener, tmp_path: Path, qtbot: QtBot) -> None:
    window = open_text(open_window, save_family("encoder", tmp_path / "large"), "The cat sat.", "", (), qtbot)
    view = shown_map(window, qtbot)
    box = plan_of(view).head_boxes[17].center()
    QTest.mouseMove(view.map, box.toPoint())
    qtbot.waitUntil(lambda: plan_of(view).layers[17].is_open, timeout=TIMEOUT_MS)
    assert view.map.hovered_cell is None or view.map.hovered_cell.layer == 17


def test_144_heads_are_drawn(open_window: Opener, tmp_path: Path, qtbot: QtBot) -> None:
    """How fast: `make bench`."""
    folder = save_family("pre-norm", tmp_path / "base", num_hidden_layers=12, num_attention_heads=12, hidden_size=48)
    text = "the cat sat on the mat and a dog ran home . " * 2
    window = open_text(open_window, folder, text, "It was very comfortable.", (3,), qtbot)
    window.resize(1440, 900)
    view = shown_map(window, qtbot)
    assert not view.map.grab().isNull() and len(plan_of(view).head_boxes) == 12


# The line of predictions.


def test_the_line_says_the_best_words_and_the_verdict(window: Window, qtbot: QtBot) -> None:
    line, state = window.frame.prediction, window.state
    window.open_room("attend")
    assert line.isVisible() and line.prediction.words == () and "Double-click" in line.prediction.hint
    state.set_masks([2, 5])
    settle(window, qtbot)
    assert state.reading is not None and state.reading.trace.mlm_logits is not None
    assert line.prediction.title == "[MASK] (2) could be"
    row = softmax(state.reading.trace.mlm_logits[0])
    assert [share for _, share in line.prediction.words] == pytest.approx(sorted(row.tolist())[::-1][:3])
    state.set_focus(5)
    assert line.prediction.title == "[MASK] (5) could be"
    assert [word for word, _ in line.prediction.words] == [word.token for word in state.reading.masks[1].words[:3]]
    assert state.reading.next_sentence is not None and line.prediction.verdict is not None
    yes = state.reading.next_sentence.is_next
    answer = ("yes" if yes >= 0.5 else "no") if max(yes, 1 - yes) >= SURE else "unsure"
    assert line.prediction.verdict[:2] == ("B follows A", f"{numbers.percent(yes)} ({answer})")
    state.set_text(None, "")
    settle(window, qtbot)
    assert line.prediction.verdict is None


def test_a_click_on_the_line_opens_predict(window: Window, qtbot: QtBot) -> None:
    window.state.set_masks([2])
    window.open_room("embed")
    settle(window, qtbot)
    line = window.frame.prediction
    assert line.cell_at(QPointF(line.width() - 10, 5)) == VERDICT
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert window.room_key == "predict"


def test_which_rooms_have_the_line_and_the_tokens(window: Window) -> None:
    for room, has_tokens, has_line in (("map", False, False), ("layers", True, True), ("apply", True, False)):
        window.open_room(room)
        assert window.frame.strip.isVisible() == has_tokens and window.frame.prediction.isVisible() == has_line


def test_a_model_without_heads_says_nothing(open_window: Opener, tmp_path: Path, qtbot: QtBot) -> None:
    folder = make_checkpoint(tmp_path / "encoder", output_heads=())
    window = open_text(open_window, folder, "The cat sat.", "It was.", (), qtbot)
    window.open_room("embed")
    prediction = window.frame.prediction.prediction
    assert (prediction.title, prediction.words, prediction.hint, prediction.verdict) == ("", (), "", None)


def test_a_map_that_failed_to_paint_is_painted_again(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = shown_map(window, qtbot).map
    before = shown.grab().toImage()
    faults = [ValueError("broken")]

    def fail_once(*arguments: Any) -> None:
        if faults:
            raise faults.pop()
        paint_base(*arguments)

    monkeypatch.setattr(model_map, "paint_base", fail_once)
    shown._base_key = ()  # to be painted anew, as after a change of theme
    with pytest.raises(ValueError):
        shown.paintEvent(QPaintEvent(shown.rect()))
    assert faults == [] and shown.grab().toImage() == before
