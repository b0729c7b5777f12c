"""What everything is compared with: read beside the text, kept while it stays the same, ended by Escape."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.compute import reader
from app.compute.masks import word_through_layers
from app.look import numbers
from app.rooms.predict.lens_view import SHORTEST_SCALE
from app.rooms.predict.predict_sentences import change_of
from app.shell.menus import fill_comparison
from app.state.baseline import OtherModel, OtherText
from app.state.baseline_names import baseline_name, text_name
from app.state.readings import compared_mask
from app.state.session_file import load_session
from app.state.verdicts import _choice
from app.state.what_if import WhatIf
from bertcore.analysis.predict import WordGuess, softmax
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.tokenizer.tokenizer import Tokenizer, same_word
from tests.app.conftest import TEXT_A, TEXT_B, answered, make_checkpoint, press, read_text, settle, wait_until
from tests.app.family_models import save_family
from tests.app.predict_room import page, predict, texts

OTHER = OtherText("The dog sat on the mat.", TEXT_B)


@pytest.fixture
def other_folder(tmp_path):
    """Other layers and heads, the same vocabulary."""
    return make_checkpoint(tmp_path / "other-model", layers=3, heads=2)


@pytest.fixture
def traced(calls):
    """What was asked of every forward pass of the reader."""
    return calls(reader, "read")


def compare(window, baseline):
    window.state.set_baseline(baseline)
    settle(window)


def test_another_text_is_read_with_its_masks(window):
    window.state.set_masks([2, 3])
    compare(window, OTHER)
    theirs = window.state.reading.baseline
    model = load_checkpoint(window.state.reading.request.model.folder)
    encoding = model.tokenizer.encode(OTHER.a, OTHER.b)
    ids = [model.tokenizer.mask_id if i in (2, 3) else token for i, token in enumerate(encoding.ids)]
    direct = trace(model.model, ids, encoding.segments, mlm_positions=[2, 3])
    assert theirs.request.masked == (2, 3)
    np.testing.assert_allclose(theirs.trace.attentions, direct.attentions, atol=1e-5)
    np.testing.assert_allclose(theirs.trace.mlm_logits, direct.mlm_logits, atol=1e-3)
    assert baseline_name(window.state.reading) == "“The dog sat …”"


def test_the_strip_says_which_token_was_another(window):
    compare(window, OTHER)
    assert [chip.below for chip in window.frame.strip.field.chips if chip.below] == ["vs dog"]
    window.state.set_text("The bird sat on the mat.")
    assert window.frame.strip.field.chips[2].below == "vs dog"  # at once, without waiting for the model
    compare(window, None)
    assert not any(chip.below for chip in window.frame.strip.field.chips)


def test_typing_reads_another_text_only_once(window, traced):
    compare(window, OTHER)
    traced.clear()
    for text in ("The cat sat on a mat.", "The cat sat on a rug."):
        read_text(window, text)
    theirs = window.state.reading.baseline.request.input_ids
    assert len(traced) == 2 and theirs not in [request.input_ids for request in traced]


def test_another_model_costs_one_more_pass_at_each_key(window, other_folder, traced):
    compare(window, OtherModel(str(other_folder)))
    traced.clear()
    read_text(window, "The cat sat on a mat.")
    assert sorted(request.model.name for request in traced) == ["other-model", "tiny-model"]
    theirs = window.state.reading.baseline
    direct = trace(load_checkpoint(other_folder).model, theirs.request.input_ids, theirs.encoding.segments)
    np.testing.assert_allclose(theirs.trace.hidden_states, direct.hidden_states, atol=1e-5)
    assert baseline_name(window.state.reading) == "other-model"


def test_the_second_model_is_let_go_with_the_comparison(window, other_folder):
    compare(window, OtherModel(str(other_folder)))
    info = window.state.reading.baseline.request.model
    inference = window.services.inference
    assert inference.checkpoints.is_open(info)
    compare(window, OTHER)
    assert not inference.checkpoints.is_open(info)
    compare(window, None)
    assert window.state.reading.baseline is None and not window.services.reader._on_worker._kept


def test_a_change_inside_is_compared_with_the_model_unchanged_or_with_what_was_chosen(window):
    window.state.set_what_if(WhatIf().with_head(0, 1, off=True))
    settle(window)
    first = window.state.reading
    assert first.baseline is first.unchanged is first.plain and first.alignment is not None
    assert first.alignment.other_positions == tuple(range(first.alignment.other_length))
    compare(window, OTHER)
    both = window.state.reading
    assert both.baseline.encoding.text_a == OTHER.a and both.unchanged is not None
    assert both.plain.encoding.text_a == TEXT_A and not both.plain.request.what_if


def test_words_before_and_now(window):
    """Against probabilities and ranks from the other text's own pass."""
    room = predict(window, (2,))
    compare(window, OTHER)
    mask, theirs = window.state.reading.masks[0], window.state.reading.baseline
    compared = compared_mask(window.state.reading, mask)
    chances = softmax(theirs.trace.mlm_logits[0])
    assert [word.id for word in compared.words] == np.argsort(-chances, kind="stable")[: len(compared.words)].tolist()
    for word in mask.words:
        change = compared.changes[word.id]
        assert change.probability == pytest.approx(chances[word.id])
        assert change.rank == 1 + sum(chances > chances[word.id])
    card = room.words_view.shown_cards[0]
    assert card.shift.isVisible() and not card.bars.isVisible()  # a person has chosen it: the difference
    assert [word.label for word in card.shift.now] == [word.token for word in card.words]
    places = {word.id: row for row, word in enumerate(compared.words)}
    assert [word.before for word in card.shift.now] == [places.get(word.id) for word in card.words]
    is_any_lost = not set(places) <= {word.id for word in card.words}
    assert ("Grey on the left" in card.intro) == is_any_lost
    press(window, "D")
    assert card.bars.isVisible() and not card.shift.isVisible()


def test_only_rooms_that_show_the_difference_alone_offer_it(window):
    predict(window, (2,))
    compare(window, OTHER)
    assert window.frame.switches.difference.isVisible()
    window.open_room("apply")
    assert not window.frame.switches.difference.isVisible() and window.frame.switches.other.isVisible()


def test_both_verdicts_are_the_probability_that_b_follows(window):
    """Of "no" and "unsure" too: 60% beside 96% was that of "no"."""
    room = predict(window, (2,))
    compare(window, OTHER)
    now, before = window.state.reading.next_sentence, window.state.reading.baseline.next_sentence
    pair = room.words_view.pair
    assert pair.verdict == f"B follows A: {numbers.percent(now.is_next)}"
    assert pair.bar.baseline == pytest.approx(before.is_next)
    assert f": {numbers.percent(before.is_next)} (" in texts(pair)
    for share, short in ((0.96, "96% (yes)"), (0.4, "40% (unsure)"), (0.04, "4% (no)")):
        verdict = _choice("B follows A", share, "")
        assert (verdict.short, verdict.share) == (short, share)


def test_a_word_through_the_layers_with_the_baseline(window, model_folder):
    view = page("lens", window, (2,))
    compare(window, OTHER)
    answered(window)
    view.word.setText("dog")
    view.word.textEdited.emit("dog")
    answered(window)
    checkpoint, theirs = load_checkpoint(model_folder), window.state.reading.baseline
    found = word_through_layers(checkpoint, theirs.request.model_input, theirs.encoding, 2, "dog")
    full = max(*found.probability, *view.asked["word"].answer.probability, SHORTEST_SCALE)
    before = [bar.before for bar in view.charts["word"].bars]
    assert before == pytest.approx((found.probability / full).tolist(), rel=1e-3)
    assert "Line across a bar" in view.cards["word"].intro and "Framed: a different word" in view.cards["table"].intro
    window.comparison.end()
    answered(window)
    assert {bar.before for bar in view.charts["word"].bars} == {None} and "Framed" not in view.cards["table"].intro


def test_a_change_in_probability_is_said_in_words_and_by_a_sign():
    for before, now, change in ((0.02, 0.08, (1, "▲ ×4")), (0.08, 0.02, (-1, "▼ ×0.25")), (0.05, 0.0501, (0, ""))):
        assert change_of(WordGuess("cat", 1, before), WordGuess("cat", 1, now)) == change


def test_a_shorter_text_without_the_mask_says_so(window):
    (card,) = predict(window, (5,)).words_view.shown_cards
    compare(window, OtherText("The cat sat.", ""))
    assert "no mask here" in card.changed.text() and card.bars.isVisible()


def test_a_model_with_another_vocabulary(window, tmp_path):
    """Words are found by how they are written; what it has only in pieces is left out."""
    window.state.set_masks([2])
    compare(window, OtherModel(str(save_family("roberta", tmp_path / "other-family"))))
    theirs = window.state.reading.baseline
    assert theirs.request.model.tokenizer.kind != window.state.reading.request.model.tokenizer.kind
    assert len(theirs.masks) == 1
    compared = compared_mask(window.state.reading, window.state.reading.masks[0])
    chances = softmax(theirs.trace.mlm_logits[0])
    for word in window.state.reading.masks[0].words:
        if word.id in compared.changes:
            change = compared.changes[word.id]
            assert theirs.request.model.tokenizer.label(change.baseline_id).strip("·") == word.token
            assert change.probability == pytest.approx(chances[change.baseline_id])


def test_the_same_word_in_another_vocabulary(tmp_path, tokenizer):
    other = Tokenizer.from_folder(save_family("roberta", tmp_path / "other"))
    cat = tokenizer.id("cat")
    assert cat is not None and same_word(tokenizer, tokenizer, cat) == cat
    there = same_word(tokenizer, other, cat)
    assert there is None or other.label(there) == "·cat"


def test_a_model_that_is_not_there_ends_the_comparison(window, tmp_path):
    compare(window, OtherModel(str(tmp_path / "gone")))
    wait_until(lambda: window.state.baseline is None)
    settle(window)
    assert "no folder" in window.frame.banner.text and window.state.reading.baseline is None
    compare(window, OtherModel("nobody/no-such-model"))
    wait_until(lambda: window.state.baseline is None)
    assert window.frame.banner.action is not None and window.frame.banner.action[0] == "Download", "not fetched unasked"


def test_escape_and_the_cross_in_the_title_bar_end_it(window):
    window.state.set_focus(2)
    compare(window, OTHER)
    window.commands["text.deselect"].trigger()
    assert window.state.focus is None and window.state.baseline == OTHER
    window.commands["text.deselect"].trigger()
    assert window.state.baseline is None
    chip = window.frame.title_bar.baseline
    assert chip.button.text() == "Compare" and chip.end.isHidden()
    compare(window, OTHER)
    assert chip.button.text() == "Compared with “The dog sat …”"
    QTest.mouseClick(chip.end, Qt.MouseButton.LeftButton)
    assert window.state.baseline is None and chip.end.isHidden() and not chip.button.isChecked()
    window.state.set_what_if(WhatIf(layers_off=frozenset({0})))
    settle(window)
    assert chip.button.text() == "Compared with the unchanged model" and chip.button.isChecked()
    QTest.mouseClick(chip.end, Qt.MouseButton.LeftButton)
    assert not window.state.what_if and chip.end.isHidden() and chip.button.text() == "Compare"


def test_undo_and_redo_know_it(window):
    compare(window, OTHER)
    window.history.look()
    assert window.history.to_undo == "the comparison"
    window.history.undo()
    assert window.state.baseline is None
    window.history.redo()
    assert window.state.baseline == OTHER


def test_a_session_keeps_it(window, other_folder, tmp_path):
    file = tmp_path / "mine.bertscope.json"
    for baseline in (OTHER, OtherModel(str(other_folder))):
        compare(window, baseline)
        window.state.set_wants_difference(isinstance(baseline, OtherText))
        window.sessions.save(file)
        compare(window, None)
        window.sessions.open(file)
        settle(window)
        assert window.state.baseline == baseline and window.state.reading.baseline is not None
        assert window.state.wants_difference == isinstance(baseline, OtherText)
        assert load_session(file).difference == window.state.wants_difference


def test_swapping_goes_there_and_back(window):
    window.state.set_masks([2])
    compare(window, OTHER)
    window.comparison.swap()
    settle(window)
    assert window.state.text_a == OTHER.a and window.state.baseline == OtherText(TEXT_A, TEXT_B)
    assert window.state.masked == {2} and window.state.reading.baseline.request.masked == (2,)
    window.comparison.swap()
    settle(window)
    assert (window.state.text_a, window.state.baseline, window.state.masked) == (TEXT_A, OTHER, {2})


def test_models_swap_too(window, model_folder, other_folder):
    compare(window, OtherModel(str(other_folder)))
    window.comparison.swap()
    wait_until(lambda: window.state.model.name == "other-model")
    settle(window)
    assert window.state.baseline == OtherModel(str(model_folder))
    assert window.state.reading.baseline.request.model.layers == 2


def test_while_a_key_is_held_the_other_is_shown(window, other_folder):
    """Of a model with fewer heads, the selection stays among those that it has."""
    window.open_room("attend")
    window.state.set_head(1, 3)
    compare(window, OtherModel(str(other_folder)))
    ours = window.state.reading
    QTest.keyPress(window, Qt.Key.Key_X)
    assert window.state.reading is ours.baseline and window.state.selection.head == 1
    QTest.keyRelease(window, Qt.Key.Key_X)
    assert window.state.reading is ours and window.state.selection.head == 3


def test_the_menu_offers_what_there_is_and_the_dialog_begins_with_the_text(window):
    menu = QMenu(window)
    fill_comparison(window, menu)
    texts = [action.text() for action in menu.actions()]
    assert texts == ["The unchanged model", "An earlier step of its training", "Another model", "Another text…"]
    assert not menu.actions()[0].isEnabled()
    palette = window.open_palette()
    palette.line.setText("compare")
    titles = {entry.title for entry in palette.shown}
    assert {"Compare with another text…", "Compare with another model…"} <= titles
    palette.close_palette()
    dialog = window.comparison.ask_for_text()
    assert (dialog.a.text(), dialog.b.text()) == (TEXT_A, TEXT_B)
    dialog.swap.click()
    assert (dialog.a.text(), dialog.b.text()) == (TEXT_B, TEXT_A)
    dialog.compare.click()
    assert window.state.baseline == OtherText(TEXT_B, TEXT_A)


@pytest.mark.parametrize(
    ("ours", "theirs", "name"),
    [
        ("the king of France died", "the king of England died", "“… of England died”"),
        ("one two", "one two", "“one two”"),
        ("one", "two", "“two”"),
        ("a b c", "a c", "“a c”"),
    ],
)
def test_another_text_is_called_by_what_differs(ours, theirs, name):
    assert text_name(ours, theirs) == name
