"""The room Predict's first view and its pair: layers on the cards, before and after, other pairs to ask about."""

import re
from itertools import pairwise

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.compute.masks import lens_at
from app.look import numbers, theme
from app.rooms.predict.predict_sentences import decided_sentence
from app.rooms.predict.room import PredictRoom
from app.state.examples import load_examples
from app.state.readings import compared_mask
from app.state.what_if import WhatIf
from app.widgets.charts.cells import Labels
from app.widgets.charts.scale import ShareBar
from bertcore.analysis.predict import WordGuess, next_sentence, softmax
from bertcore.analysis.trace import trace
from tests.app.conftest import TEXT_A, TEXT_B, answered, click, make_checkpoint, press, settle, units_of, wait_until
from tests.app.family_models import save_family
from tests.app.predict_room import MASKS, asked, nothing, predict, texts
from tests.app.test_theme_colors import ratio

VIEWS = [spec.key for spec in PredictRoom.specs]
OFF = WhatIf(layers_off=frozenset({0}))


def best_words(card):
    """The likeliest after each layer."""
    return [words[0].token for words in card.strip.stages]


def best_guesses(view):
    """The likeliest at each mask, as it is written beside others."""
    tops = (card.words[0] for card in view.shown_cards)
    return [f"{word.token} {numbers.probability(word.probability)}" for word in tops]


def plain_row(card):
    """A predicted word that is whole, and not the one in the text."""
    return next(i for i, bar in enumerate(card.bars.bars) if bar.label.isalpha() and bar.label != "cat")


def insert(card):
    """A click on such a word."""
    row = plain_row(card)
    click(card.bars, card.bars.row_rect(row))
    return card.bars.bars[row].label


def test_each_card_tells_at_which_layer_it_decides(window):
    view = predict(window).words_view
    for masks in (MASKS, (2, 5)):  # then of another text
        checkpoint, _, reading = asked(window)
        lens = lens_at(checkpoint, reading.trace.hidden_states[:, list(masks)])
        assert [card.position for card in view.shown_cards] == list(masks)
        for number, card in enumerate(view.shown_cards):
            assert best_words(card) == [stage[number][0].token for stage in lens.words]
            assert best_words(card)[-1] == card.words[0].token
            assert card.decided.text() == decided_sentence(lens, number)
        window.state.set_text(a="The dog sat on the rug.")
        window.state.set_masks((2, 5))
        answered(window)


def test_without_masks_every_page_says_what_to_do(window):
    room = predict(window, ())
    assert "press M" in nothing(room.words_view) and room.words_view.shown_cards == []
    for key in ("words", "lens", "fill"):
        view = room.open_view(key)
        assert "press M" in nothing(view) and view.mask_button.isVisible()
        window.state.set_focus(3)
        assert view.mask_button.text() == "Mask “sat”"
    view.mask_button.click()
    assert window.state.masked == {3}
    window.state.set_text(b="")
    window.state.set_masks(())
    answered(window)
    assert "press M" in nothing(room.open_view("attribution"))
    assert nothing(room.open_view("surprise")) == ""
    window.state.set_masks((2,))
    answered(window)
    assert [nothing(room.open_view(key)) for key in VIEWS] == [""] * len(VIEWS)


def test_a_model_without_words_says_so_on_every_page(open_window, headless_folder):
    window = open_window(headless_folder, TEXT_A, TEXT_B)
    room = predict(window)
    for key in VIEWS:
        if key != "words":
            assert "no masked-word (MLM) head" in nothing(room.open_view(key))
    pair = room.words_view.pair
    assert pair.swap.isHidden() and pair.other.isHidden() and pair.verdict == ""
    window.state.set_text("The [MASK] sat.", "It was.")
    settle(window)
    assert "no masked-word (MLM) head" in nothing(room.words_view) and "no next-sentence (NSP) head" in texts(pair)
    assert "3 layers × 2 heads" in window.frame.title_bar.model.text() and window.frame.title_bar.step.isHidden()
    assert window.open_room("attend").is_drawn


def test_what_is_changed_inside_shows_before_and_now(window):
    view = predict(window).words_view
    checkpoint, text, reading = asked(window)
    plain = trace(checkpoint.model, text.input_ids, text.segments, mlm_positions=list(MASKS))
    was = {card.position: card.words[0] for card in view.shown_cards}
    window.state.set_what_if(OFF)
    answered(window)
    for number, card in enumerate(view.shown_cards):
        word, chance = was[card.position].token, was[card.position].probability
        then, now = f"“{word}” {numbers.probability(chance, fine=True)}", f"“{card.words[0].token}” "
        assert card.changed.text().startswith(f"With the unchanged model: {then} → now: {now}")
        chances = softmax(plain.mlm_logits[number])
        compared = compared_mask(window.state.reading, window.state.reading.masks[number])
        pairs = zip([*card.bars.bars, *card._baseline_bars.bars], [*card.words, *compared.words], strict=True)
        scales = [bar.fraction / one.probability for bar, one in pairs]  # both lists are on one
        assert max(scales) == pytest.approx(min(scales)) and max(bar.fraction for bar in card._baseline_bars.bars) <= 1
        for guess in card.words:
            change = compared.changes[guess.id]
            assert change.probability == pytest.approx(chances[guess.id])
            assert change.rank == list(np.argsort(-chances)).index(guess.id) + 1
    said = next_sentence(plain.next_sentence_logits)
    assert f": {numbers.percent(said.is_next)} (" in texts(view.pair)
    window.state.set_what_if(WhatIf())
    answered(window)
    assert all(card.changed.isHidden() for card in view.shown_cards) and "With" not in texts(view.pair)
    assert reading.request.input_ids == window.state.reading.request.input_ids


def test_a_switch_leaves_one_direction_and_another_click_both(window):
    view = predict(window).words_view
    checkpoint, text, _ = asked(window)
    switches = view.directions.switches
    for direction, causal in (("left", True), ("right", False)):
        switches[direction].click()
        answered(window)
        assert [switches[one].isChecked() for one in ("left", "right")] == [causal, not causal]
        assert f"every token looks {direction} only" in window.frame.what_if.text
        assert "not what a model trained to read in one direction" in view.one_sided.text()
        if causal:  # equal to the pass that the causal part of training makes
            ids, segments = torch.tensor([text.input_ids]), torch.tensor([text.segments])
            with torch.no_grad():
                hidden = checkpoint.model(ids, segments, causal=True)[0]
                logits = checkpoint.model.mlm_logits(hidden[list(MASKS)]).numpy()
            for row, card in zip(logits, view.shown_cards, strict=True):
                assert card.words[0].probability == pytest.approx(softmax(row)[card.words[0].id], abs=1e-5)
                assert card.words[0].id == row.argmax()
    assert all("With the unchanged model" in card.changed.text() for card in view.shown_cards)
    switches["right"].click()
    answered(window)
    assert not window.state.what_if and "BERT looks in both directions" in view.one_sided.text()


def test_a_word_put_in_keeps_the_former_guesses_beside_it(window):
    view = predict(window).words_view
    tops, verdict = best_guesses(view), view.pair.verdict
    word = insert(view.shown_cards[0])
    assert window.frame.sentences.a.text() == TEXT_A.replace("cat", word)
    answered(window)
    kept, now = view.previous_card, best_guesses(view)
    assert kept.isVisible() and kept.title == f"Before “{word}” was inserted"
    rows = list(zip(map(str, MASKS), tops, [f"{word}, inserted", *now], strict=True))
    assert kept.changes.rows == rows and kept.changes.sentence == f"{verdict} → {view.pair.verdict}"
    window.appearance.set_look(projector=True)
    settle(window)
    again = window.open_room("predict").words_view.previous_card
    wait_until(lambda: again.changes.rows == rows)
    again.dismissed.emit()
    assert not again.isVisible()


def another_model(window, folder):
    """With the same vocabulary, its guesses would stand beside those of the model that is open now."""
    before = window.state.model
    window.open_model(make_checkpoint(folder, layers=3))
    wait_until(lambda: window.state.model is not before)


ENDS = {
    "another model": another_model,
    "typed back": lambda window, folder: window.state.set_text(a=TEXT_A),
    "undone": lambda window, folder: window.history.undo(),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_is_of_another_model_or_taken_back_is_no_former_guess(end, window, tmp_path):
    view = predict(window, (2,) if end == "typed back" else MASKS).words_view
    window.history.look()
    insert(view.shown_cards[0])
    answered(window)
    assert view.previous_card.isVisible()
    ENDS[end](window, tmp_path / "another")
    answered(window)
    assert not view.previous_card.isVisible()
    assert end != "undone" or window.state.masked == set(MASKS)


def test_swap_and_back(window):
    pair = predict(window, ()).words_view.pair
    said = pair.verdict
    pair.swap.click()
    answered(window)
    assert (window.state.text_a, window.state.text_b) == (TEXT_B, TEXT_A)
    assert [(one.a, one.b, one.verdict) for one in pair.pairs] == [(TEXT_A, TEXT_B, said)]
    swapped = pair.verdict
    pair.go_to(TEXT_A, TEXT_B)
    answered(window)
    assert (window.state.text_a, window.state.text_b, pair.verdict) == (TEXT_A, TEXT_B, said)
    assert [(one.a, one.verdict) for one in pair.pairs] == [(TEXT_B, swapped)]


def test_another_b_comes_from_the_examples(window):
    pair = predict(window, ()).words_view.pair
    known = {example.b for example in load_examples() if example.b}
    seen = []
    for _ in range(6):
        pair.other.click()
        answered(window)
        seen.append(window.state.text_b)
    assert set(seen) <= known and all(one != other for one, other in pairwise(seen))
    assert window.state.text_a == TEXT_A and len(pair.pairs) <= 4
    assert all(one.b != window.state.text_b for one in pair.pairs)
    window.state.set_text(b="")
    answered(window)
    assert not pair.swap.isEnabled() and pair.other.isEnabled()
    assert "Type a second sentence" in texts(pair)
    window.state.set_text("  ", "It was dark.")
    answered(window)
    assert pair.verdict == "" and "A is empty" in texts(pair)


@pytest.mark.parametrize("name", ["albert", "minilm"])
def test_other_verdicts_can_be_tried_too(name, open_window, tmp_path):
    window = open_window(save_family(name, tmp_path / name), TEXT_A, TEXT_B)
    pair = predict(window, ()).words_view.pair
    wait_until(lambda: pair.verdict != "")
    said = pair.verdict
    assert pair.swap.isVisible()
    pair.swap.click()
    answered(window)
    assert [one.verdict for one in pair.pairs] == [said]


def test_words_act_on_what_the_model_read(window):
    room = predict(window)
    for words, specials in ((False, True), (True, False)):
        window.state.set_token_view(words=words, specials=specials)
        shown = re.findall(r"<span[^>]*>([^<]*)</span>", room.words_view.read_text.text())
        assert shown == units_of(window).labels


def test_pages_are_reached_by_keyboard_and_stay_open(window):
    room = predict(window)
    tabs = room.tabs
    tabs.setFocus()
    while room.views.key != "surprise":
        before = tabs.currentIndex()
        press(tabs, "Right")
        assert tabs.currentIndex() == before + 1
    assert tabs.tabData(tabs.currentIndex()) == "surprise"
    window.appearance.set_look(projector=True)
    settle(window)
    assert window.open_room("predict").views.key == "surprise"


def test_a_right_click_on_a_predicted_word_offers_what_can_be_done_with_it(window):
    """It rewrote the sentence as a left click does."""
    card, text = predict(window).words_view.shown_cards[0], window.state.text_a
    row, bars = plain_row(card), card.bars
    word, at = card.words[row].token, bars.row_rect(row).center().toPoint()
    QTest.mouseClick(bars, Qt.MouseButton.RightButton, pos=at)
    QApplication.sendEvent(bars, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, bars.mapToGlobal(at)))
    assert window.state.text_a == text and window.state.masked == set(MASKS)
    menu = next(menu for menu in window.findChildren(QMenu) if menu.isVisible())
    actions = {action.text(): action for action in menu.actions()}
    assert {f"Insert “{word}”", f"Copy “{word}”", "Pin “cat”", "Remove the mask", "Save picture…"} <= set(actions)
    actions[f"Insert “{word}”"].trigger()
    menu.close()
    assert window.state.text_a == text.replace("cat", word) and window.state.masked == set(MASKS[1:])


@pytest.mark.parametrize("theme_name", ["light", "dark"])
def test_words_in_coloured_cells_can_be_read(theme_name, window):
    """Dark words stood on mid blue: contrast under 4.5."""
    window.appearance.set_look(theme_name)
    table = predict(window).open_view("lens").charts["table"]
    for probability in np.linspace(0, 1, 21):
        guesses = [[([WordGuess("mmmmmmmm", 5, float(probability))], None), ([WordGuess("m", 6, 1.0)], None)]]
        names = Labels(["embeddings"]), Labels(["position 1", "position 2"])
        table.set_grid(np.array([[probability, 1.0]]), *names, 0, 1)  # the whole scale
        table.set_guesses(guesses, earlier=False, marks_others=False)
        table.resize(800, table.height())
        cell = table.cell_rect(0, 0).toRect().adjusted(4, 4, -4, -4)
        picture = table.grab().toImage()
        points = [(x, y) for x in range(cell.left(), cell.right()) for y in range(cell.top(), cell.bottom())]
        colors = sorted({picture.pixelColor(x, y).name() for x, y in points}, key=lambda name: ratio(name, "black"))
        assert ratio(colors[0], colors[-1]) >= 4.5, float(probability)


def test_the_bar_of_a_verdict_begins_at_zero(qtbot):
    bar = ShareBar()
    qtbot.addWidget(bar)
    bar.resize(200, 14)
    for share, colors in ((0.72, ("good", "good", "track")), (0.3, ("good", "track", "track"))):
        bar.set_share(share, "B follows A", "good")
        picture = bar.grab().toImage()
        assert [picture.pixelColor(x, 7).name() for x in (30, 135, 170)] == [theme.color(c).name() for c in colors]


def test_a_probability_is_said_as_one_and_the_bar_is_as_long(window):
    """72% that B does not follow looked like 20% when the bar grew from its middle."""
    pair, said = predict(window, ()).words_view.pair, window.state.reading.next_sentence
    share = max(said.is_next, said.not_next)
    assert pair.bar.value == pytest.approx(share) and numbers.percent(share) in pair.verdict
    room = predict(window)
    ranks = [mask.rank for mask in window.state.reading.masks if mask.rank is not None]
    assert any(rank.probability < 0.0005 for rank in ranks), "the test needs an unlikely word"
    for card, rank in zip(room.words_view.shown_cards, ranks, strict=True):
        assert f"probability {numbers.percent(rank.probability)}" in card.hint and " p " not in card.hint
    lens = room.open_view("lens")
    lens.word.setText("comfortable")
    lens.word.textEdited.emit("comfortable")
    answered(window)
    assert "p <" not in lens.verdict.text() and "probability" in lens.verdict.text()
