"""What if, in the room Embed: parts left out, other segments, swapped positions; and another vocabulary."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.rooms.embed.room import EmbedRoom
from app.rooms.embed.vocabularies_view import VocabulariesView
from app.rooms.embed.what_if_view import WhatIfView
from app.shell.window import Window
from app.state.what_if import NOTHING_CHANGED
from bertcore.analysis.predict import next_sentence, top_words
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.app.conftest import TIMEOUT_MS, settle
from tests.app.embed_room import opened, overview
from tests.app.family_models import save_family


@pytest.fixture
def room(window: Window, qtbot: QtBot) -> EmbedRoom:
    return opened(window, qtbot)


def what_if(room: EmbedRoom) -> WhatIfView:
    view = room.open_view("what_if")
    assert isinstance(view, WhatIfView)
    return view


def click(widget: object, rect: QRectF) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=rect.center().toPoint())  # type: ignore[call-overload]


def test_a_part_left_out_is_shown_as_off_and_the_rest_adds_up(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    before = {part.name: part.values for part in overview(room).charts["strips"].parts}
    menu = overview(room).menu.open_menu()
    actions = {action.text(): action for action in menu.actions()}
    assert list(actions) == ["Token embedding", "Segment embedding", "Position embedding"]
    assert all(action.isChecked() for action in actions.values())
    actions["Segment embedding"].trigger()
    menu.close()
    settle(window, qtbot)
    after = {part.name: part for part in overview(room).charts["strips"].parts}
    assert after["segment"].values is None and after["segment"].reason.startswith("Left out")
    expected = before["token"] + before["position"]  # type: ignore[operator]
    assert after["sum"].values == pytest.approx(expected, abs=1e-6)
    own = {
        bar.label: bar.number for bar in overview(room).charts["lengths"].bars[::2]
    }  # the others are the model unchanged
    assert list(own) == ["token", "segment", "position", "sum"] and own["segment"] == "0.00"
    overview(room).what_if_edited.emit(lambda what_if: what_if.with_dropped("segment", False))
    assert window.state.what_if == NOTHING_CHANGED


def test_the_first_steps_are_taken_at_a_click(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    """A card with one grey line said what to do; it can do it."""
    view, label = what_if(room), window.state.encoding.labels  # type: ignore[union-attr]
    mask, change = view.mask_first, view.change_first
    assert mask.isVisible() and not change.isVisible() and not view.effects.isVisible()
    window.state.set_focus(3)
    assert mask.text() == f"Mask “{label[3]}”"
    mask.click()
    settle(window, qtbot)
    assert window.state.masked == {3} and change.isVisible() and not mask.isVisible()
    change.click()
    settle(window, qtbot)
    assert window.state.what_if.dropped == {"position"}
    assert not view.first.isVisible() and view.effects.isVisible() and view.effects.rows
    window.state.set_masks(())
    settle(window, qtbot)
    assert mask.isVisible() and view.effects.isVisible()


def test_what_is_said_before_and_after_is_the_engines(
    room: EmbedRoom, window: Window, model_folder: Path, qtbot: QtBot
) -> None:
    checkpoint, view = load_checkpoint(model_folder), what_if(room)
    window.state.set_masks([2])
    settle(window, qtbot)
    assert view.effects.effects == [] and "Nothing is changed" in view.effects.sentence
    segments = list(window.state.encoding.segments)  # type: ignore[union-attr]
    click(view.tiles, view.tiles.letter_rect(2))
    click(view.tiles, view.tiles.number_rect(3))
    assert "to swap with" in view.how.text()
    click(view.tiles, view.tiles.number_rect(5))
    view.parts["position"].click()
    view.parts["position"].click()
    settle(window, qtbot)
    places = list(range(len(segments)))
    places[3], places[5] = 5, 3
    ids = window.state.input_ids
    was = trace(checkpoint.model, ids, segments, mlm_positions=[2])
    segments[2] = 1
    now = trace(checkpoint.model, ids, segments, places, mlm_positions=[2])
    shown = {effect.name: effect for effect in view.effects.effects}
    for number, traced in enumerate((was, now)):
        assert traced.mlm_logits is not None and traced.next_sentence_logits is not None
        best = top_words(traced.mlm_logits[0], checkpoint.tokenizer, 1)[0]
        mask = view.effects.effects[0]
        word, said = checkpoint.tokenizer.label(best.id), (mask.before, mask.after)[number]
        assert mask.name.startswith("[MASK] (2)") and (f"“{word}”" in mask.name or said.startswith(f"“{word}” "))
        assert mask.numbers[number] == pytest.approx(best.probability, abs=1e-5)
        follows = next_sentence(traced.next_sentence_logits).is_next
        assert shown["B follows A"].numbers[number] == pytest.approx(follows, abs=1e-5)
    tiles = view.tiles.tiles
    assert (tiles[2].segment, tiles[2].is_moved) == (1, True)
    assert [(tile.position, tile.is_swapped) for tile in tiles[3:6]] == [(5, True), (4, False), (3, True)]


def test_the_keyboard_moves_and_swaps(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    view = what_if(room)
    window.state.set_focus(3)
    view.tiles.setFocus()
    QTest.keyClick(view.tiles, Qt.Key.Key_Space)
    settle(window, qtbot)
    assert dict(window.state.what_if.segments) == {3: 1}
    QTest.keyClick(view.tiles, Qt.Key.Key_Space)
    assert dict(window.state.what_if.segments) == {}
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(view.tiles, key)
    assert window.state.what_if.positions == ((3, 4), (4, 3))
    QTest.keyClick(view.tiles, Qt.Key.Key_Return)
    window.state.set_focus(None)  # Esc
    assert "swap with" not in view.how.text()


def test_all_of_b_is_read_as_a_and_back(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    view = what_if(room)
    view.b_as_a.click()
    settle(window, qtbot)
    assert window.state.reading is not None and not any(window.state.reading.request.segments)
    assert view.b_as_a.isChecked()
    view.b_as_a.click()
    assert window.state.what_if == NOTHING_CHANGED
    window.state.set_text(b="")
    settle(window, qtbot)
    assert not view.b_as_a.isEnabled()


def test_the_two_buttons_beside_the_strips(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    card = overview(room).change
    window.state.set_focus(9)  # of B
    assert card.to_other.text() == "Move to segment A"
    card.to_other.click()
    settle(window, qtbot)
    assert window.state.what_if.segments == ((9, 0),) and card.to_other.text() == "Move to segment B"
    assert "read as segment A" in overview(room).cards["lengths"].hint
    assert [effect.name for effect in card.effects.effects] == ["B follows A"]
    card.swap.click()
    window.state.set_hover(4)
    window.state.set_hover(None)
    assert card.swap.isChecked() and card.waiting.isVisible()
    window.state.set_focus(4)  # a click on it, in the strip
    assert window.state.what_if.positions == ((4, 9), (9, 4)) and not card.swap.isChecked()
    card.swap.click()
    window.state.set_focus(None)  # Esc
    assert not card.swap.isChecked() and window.state.what_if.positions == ((4, 9), (9, 4))
    card.swap.click()
    window.open_room("attend")
    window.state.set_focus(7)  # a click there is none of this room's
    assert window.state.what_if.positions == ((4, 9), (9, 4))


def test_moving_back_is_no_change(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("cat sat", "a dog")
    own = encoding.segments
    once = NOTHING_CHANGED.with_other_segment([1, 5], own)
    assert dict(once.segments) == {1: 1 - encoding.segments[1], 5: 1 - encoding.segments[5]}
    assert once.with_other_segment([1, 5], own) == NOTHING_CHANGED
    all_a = NOTHING_CHANGED.with_b_as_a(own, True)
    assert not any(all_a.segments_for(own)) and all_a.reads_b_as_a(own)
    assert all_a.with_b_as_a(own, False) == NOTHING_CHANGED


@pytest.mark.parametrize(("name", "effects"), [("discriminator", ["judged replaced"]), ("minilm", []), ("roberta", [])])
def test_models_that_predict_something_else(
    name: str, effects: list[str], open_window: Callable[[Path], Window], qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(save_family(name, tmp_path / name))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_masks(())
    window.state.set_text("the cat sat", "a dog ran")
    room = opened(window, qtbot)
    view = what_if(room)
    view.what_if_edited.emit(lambda what_if: what_if.with_dropped("position", True))
    settle(window, qtbot)
    assert [effect.name for effect in view.effects.effects] == effects
    reading, at = window.state.reading, window.state.selection.position
    assert reading is not None and reading.baseline is not None
    one, other = (each.trace.hidden_states[-1][at].astype(float) for each in (reading, reading.baseline))
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert f"cosine of {cosine:.2f}".replace("-", "−") in view.effects.sentence
    has_segments = window.state.model.has_segments  # type: ignore[union-attr]
    assert (
        view.tiles.has_segments == view.b_as_a.isEnabled() == overview(room).change.to_other.isEnabled() == has_segments
    )


def test_another_vocabulary_splits_the_same_text(room: EmbedRoom, window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    other = Tokenizer.train(["abcdefghijklmnopqrstuvwxyz. cat"] * 2, 80)
    other.save(tmp_path / "letters")
    view = room.open_view("vocabularies")
    assert isinstance(view, VocabulariesView)
    view.recent_models = lambda: [str(tmp_path / "letters")]
    menu = view.menu.open_menu()
    next(action for action in menu.actions() if action.text() == "letters").trigger()
    menu.close()
    settle(window, qtbot)
    encoding, cut = window.state.encoding, other.encode(window.state.text_a, window.state.text_b)
    assert encoding is not None and view.asked["compared"].answer is not None
    shown = view.picture.spans
    assert [p.label for one in shown for p in one.first] == [
        label for label, part in zip(encoding.labels, encoding.parts, strict=True) if part != "special"
    ]
    assert [p.label for one in shown for p in one.second] == [
        label for label, part in zip(cut.labels, cut.parts, strict=True) if part != "special"
    ]
    assert f"{len(encoding)} tokens" in view.first.text() and f"{len(cut)} tokens" in view.second.text()
    assert f"{sum(not one.is_same for one in shown)} of {len(shown)} words" in view.note.text()
    window.state.set_focus(2)
    assert shown[view.picture.selected_cell() or 0].first[0].position == 2
    QTest.keyClick(view.picture, Qt.Key.Key_Right)
    assert window.state.focus == 3
    window.state.set_text("a cat", "")
    settle(window, qtbot)
    assert view.asked["compared"].answer is not None and len(view.picture.spans) == 2


def test_a_vocabulary_that_cannot_be_read_is_said_in_place(
    room: EmbedRoom, window: Window, tmp_path: Path, qtbot: QtBot
) -> None:
    view = room.open_view("vocabularies")
    assert isinstance(view, VocabulariesView)
    view.compare_with(str(tmp_path))
    settle(window, qtbot)
    assert view.line.isVisible() and view.line.text and view.picture.spans == []
    assert not window.frame.banner.isVisible()
