"""The room Predict's first view and its pair: layers on the cards, before and after, other pairs to ask about."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.compute.mask_lens import lens_at
from app.look import theme
from app.rooms.predict.numbers import probability_text
from app.rooms.predict.page import decided_sentence
from app.rooms.predict.room import PAGES
from app.rooms.predict.verdict import ShareBar
from app.shell.window import Window
from app.state.examples import load_examples
from app.state.what_if import WhatIf
from bertcore.analysis.predict import next_sentence, softmax
from bertcore.analysis.trace import trace
from tests.app.conftest import TEXT_A, TEXT_B, TIMEOUT_MS, make_checkpoint, settle
from tests.app.family_models import save_family
from tests.app.predict_room import MASKS, answered, asked, predict, reading_of

OFF = WhatIf(layers_off=frozenset({0}))


def test_each_card_tells_at_which_layer_it_decides(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    checkpoint, _, reading = asked(window)
    lens = lens_at(checkpoint, reading.trace.hidden_states[:, list(MASKS)])
    assert [card.position for card in room.mask_cards] == list(MASKS)
    for number, card in enumerate(room.mask_cards):
        assert card.layer_words == [stage[number][0].token for stage in lens.words]
        assert card.layer_words[-1] == card.words[0][0]
        assert card.decided == decided_sentence(lens, number)


def test_the_cards_of_another_text_are_of_that_text(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    window.state.set_text(a="The dog sat on the rug.")
    window.state.set_masks((2, 5))
    answered(window, room, qtbot)
    checkpoint, _, reading = asked(window)
    lens = lens_at(checkpoint, reading.trace.hidden_states[:, [2, 5]])
    assert [card.layer_words for card in room.mask_cards] == [
        [stage[number][0].token for stage in lens.words] for number in range(2)
    ]


def test_without_masks_every_page_says_what_to_do(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot, ())
    assert "press M" in room.invitation and room.mask_cards == []
    for key in ("lens", "fill"):
        assert "press M" in room.open_view(key).nothing
    window.state.set_text(b="")
    answered(window, room, qtbot)
    assert "press M" in room.open_view("decided").nothing
    assert room.open_view("surprise").nothing == ""
    window.state.set_masks((2,))
    answered(window, room, qtbot)
    assert [room.open_view(key).nothing for key in PAGES] == [""] * len(PAGES)


def test_a_model_without_words_says_so_on_every_page(open_window, headless_folder: Path, qtbot: QtBot) -> None:  # type: ignore[no-untyped-def]
    window = open_window(headless_folder)
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    room = predict(window, qtbot)
    for key in PAGES:
        if key != "words":
            assert "no masked-word (MLM) head" in room.open_view(key).nothing
    assert room.verdict.swap.isHidden() and room.verdict.other.isHidden() and room.verdict.said == ""


def test_what_is_changed_inside_shows_before_and_now(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    assert all(card.before == "" for card in room.mask_cards) and room.verdict.before == ""
    checkpoint, text, reading = asked(window)
    plain = trace(checkpoint.model, text.input_ids, text.segments, mlm_positions=list(MASKS))
    was = {card.position: card.words[0] for card in room.mask_cards}
    window.state.set_what_if(OFF)
    answered(window, room, qtbot)
    assert plain.mlm_logits is not None and plain.next_sentence_logits is not None
    for number, card in enumerate(room.mask_cards):
        word, chance = was[card.position]
        assert card.before.startswith(
            f"Before your changes: {word} {probability_text(chance)} → now: {card.words[0][0]} "
        )
        chances = softmax(plain.mlm_logits[number])
        for token_id, bar in zip(card._ids, card.bars, strict=True):
            assert bar.mark.endswith(f"before {probability_text(float(chances[token_id]))}")
    said = next_sentence(plain.next_sentence_logits)
    assert f"{round(max(said.is_next, said.not_next) * 100)} %" in room.verdict.before.replace("over ", "")
    window.state.set_what_if(WhatIf())
    answered(window, room, qtbot)
    assert all(card.before == "" for card in room.mask_cards) and room.verdict.before == ""
    assert reading.request.input_ids == reading_of(window).request.input_ids


def test_a_word_put_in_keeps_the_former_guesses_beside_it(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    card = room.mask_cards[0]
    row = next(i for i, bar in enumerate(card.bars) if bar.label.isalpha() and bar.label != "cat")
    word, tops = card.bars[row].label, [f"{c.words[0][0]} {probability_text(c.words[0][1])}" for c in room.mask_cards]
    verdict = room.verdict.said
    card._bars.clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    answered(window, room, qtbot)
    kept = room.words_page.kept_card
    assert kept.isVisible() and kept.title == f"Before “{word}” was put in"
    now = [f"{c.words[0][0]} {probability_text(c.words[0][1])}" for c in room.mask_cards]
    assert [(row.position, row.before, row.now) for row in kept.rows] == [
        (MASKS[0], tops[0], f"{word}, put in"),
        (MASKS[1], tops[1], now[0]),
        (MASKS[2], tops[2], now[1]),
    ]
    assert kept.pair == f"{verdict} → {room.verdict.said}"
    window.set_look(projector=True)
    settle(window, qtbot)
    again = window.open_room("predict").words_page.kept_card  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: [row.before for row in again.rows] == tops, timeout=TIMEOUT_MS)
    again.dismissed.emit()
    assert not again.isVisible()
    window.set_look(projector=False)


def test_the_guesses_of_another_model_are_no_former_ones(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    """With the same vocabulary, its guesses would stand beside those of the model that is open now."""
    room = predict(window, qtbot, (2, 4))
    row = next(i for i, bar in enumerate(room.mask_cards[0].bars) if bar.label.isalpha() and bar.label != "cat")
    room.mask_cards[0]._bars.clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    answered(window, room, qtbot)
    assert room.words_page.kept_card.isVisible()
    before = window.state.model
    window.open_model(make_checkpoint(tmp_path / "another", layers=3))
    qtbot.waitUntil(lambda: window.state.model is not before, timeout=TIMEOUT_MS)
    answered(window, room, qtbot)
    assert room.mask_cards and not room.words_page.kept_card.isVisible()


def test_what_was_put_in_and_taken_back_is_no_former_any_more(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot, (2,))
    row = next(i for i, bar in enumerate(room.mask_cards[0].bars) if bar.label.isalpha() and bar.label != "cat")
    room.mask_cards[0]._bars.clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    answered(window, room, qtbot)
    assert room.words_page.kept_card.isVisible()
    window.state.set_text(a=TEXT_A)
    answered(window, room, qtbot)
    assert not room.words_page.kept_card.isVisible()


def test_swap_and_back(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot, ())
    said = room.verdict.said
    room.verdict.swap.click()
    answered(window, room, qtbot)
    assert (window.state.text_a, window.state.text_b) == (TEXT_B, TEXT_A)
    assert [(one.a, one.b, one.said) for one in room.verdict.former.all] == [(TEXT_A, TEXT_B, said)]
    swapped = room.verdict.said
    room.verdict.former.chosen.emit(room.verdict.former.all[0])
    answered(window, room, qtbot)
    assert (window.state.text_a, window.state.text_b, room.verdict.said) == (TEXT_A, TEXT_B, said)
    assert [(one.a, one.said) for one in room.verdict.former.all] == [(TEXT_B, swapped)]


def test_another_b_comes_from_the_examples(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot, ())
    known = {example.b for example in load_examples() if example.b}
    seen = []
    for _ in range(6):
        room.verdict.other.click()
        answered(window, room, qtbot)
        seen.append(window.state.text_b)
    assert set(seen) <= known and all(one != other for one, other in pairwise(seen))
    assert window.state.text_a == TEXT_A and len(room.verdict.former.all) <= 4
    assert all(one.b != window.state.text_b for one in room.verdict.former.all)
    window.state.set_text(b="")
    answered(window, room, qtbot)
    assert not room.verdict.swap.isEnabled() and room.verdict.other.isEnabled()
    assert "Type a second sentence" in room.verdict.text


@pytest.mark.parametrize("name", ["albert", "minilm"])
def test_other_verdicts_can_be_tried_too(name: str, open_window, qtbot: QtBot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    window = open_window(save_family(name, tmp_path / name))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text(TEXT_A, TEXT_B)
    room = predict(window, qtbot, ())
    qtbot.waitUntil(lambda: room.verdict.said != "", timeout=TIMEOUT_MS)
    said = room.verdict.said
    assert room.verdict.swap.isVisible()
    room.verdict.swap.click()
    answered(window, room, qtbot)
    assert [one.said for one in room.verdict.former.all] == [said]


def test_words_act_on_what_the_model_read(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    for words, specials in ((False, True), (True, False)):
        window.state.set_token_view(words=words, specials=specials)
        assert room.units is not None
        shown = re.findall(r"<span[^>]*>([^<]*)</span>", room.words_page.read_text.text())
        assert shown == room.units.labels


def test_pages_are_reached_by_keyboard_and_stay_open(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    tabs = room.pages.tabs
    tabs.setFocus()
    while room.pages.open_key != "surprise":
        before = tabs.currentIndex()
        QTest.keyClick(tabs, Qt.Key.Key_Right)
        assert tabs.currentIndex() == before + 1
    assert tabs.tabData(tabs.currentIndex()) == "surprise"
    window.set_look(projector=True)
    settle(window, qtbot)
    assert window.open_room("predict").pages.open_key == "surprise"  # type: ignore[attr-defined]
    window.set_look(projector=False)


def test_a_word_that_is_taken_back_leaves_nothing_beside_the_guesses(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    window.history.look()
    card = room.mask_cards[0]
    row = next(i for i, bar in enumerate(card.bars) if bar.label.isalpha() and bar.label != "cat")
    card._bars.clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    answered(window, room, qtbot)
    assert room.words_page.kept_card.isVisible()
    window.history.undo()
    answered(window, room, qtbot)
    assert window.state.masked == set(MASKS) and not room.words_page.kept_card.isVisible()


def test_without_an_a_there_is_no_verdict(window: Window, qtbot: QtBot) -> None:
    room = predict(window, qtbot)
    window.state.set_text("  ", "It was dark.")
    answered(window, room, qtbot)
    assert room.verdict.said == "" and "A is empty" in room.verdict.text


def test_the_bar_of_a_verdict_grows_from_the_middle(qtbot: QtBot) -> None:
    bar = ShareBar()
    qtbot.addWidget(bar)
    bar.resize(200, 14)
    for share, left, right in ((0.02, "bad", "track"), (0.98, "track", "good"), (0.51, "track", "track")):
        bar.set_share(share, "B follows A", True)
        picture = bar.grab().toImage()
        assert [picture.pixelColor(x, 7).name() for x in (30, 170)] == [theme.color(c).name() for c in (left, right)]
