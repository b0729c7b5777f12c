"""The room Predict's pages that ask the model: what is shown equals the functions' results, each control acts."""

from typing import get_args

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.compute.head_questions import HeadTarget, targets_of
from app.compute.masks import fill_masks, lens_at, word_through_layers
from app.compute.word_questions import attribution_of, surprise_of
from app.figures.files import table
from app.figures.values import Side, Values
from app.look import numbers
from app.rooms.predict.fill_view import ORDERS
from app.rooms.predict.predict_sentences import agreement, top_guesses, word_sentence
from app.rooms.predict.room import PredictRoom
from app.state.what_if import EditedRow, WhatIf
from bertcore.analysis.effects import Method
from bertcore.analysis.targets import Target
from tests.app.conftest import TEXT_A, TEXT_B, answered, click, handle_events, press, units_of, wait_until, words_of
from tests.app.family_models import save_family
from tests.app.predict_room import MASKS, asked, figure_of, nothing, page, predict
from tests.app.test_apply_room import make_model

VIEWS = [spec.key for spec in PredictRoom.specs]
OFF = WhatIf(heads_off=frozenset({(1, 2)}))


def assert_same_words(shown, expected):
    assert [word.id for word in shown] == [word.id for word in expected]
    assert [word.probability for word in shown] == pytest.approx([one.probability for one in expected], rel=1e-3)


def typed(view, word, window):
    view.word.setText(word)
    view.word.textEdited.emit(word)
    answered(window)


def test_the_table_is_the_lens_and_chooses_a_mask(window):
    view = page("lens", window)
    checkpoint, _, reading = asked(window)
    lens = lens_at(checkpoint, reading.trace.hidden_states[:, list(MASKS)])
    table = view.charts["table"]
    shown = [word for row in table.guesses for words, _ in row for word in words]
    expected = [word for row in lens.words for words in row for word in words]
    assert_same_words(shown, expected)
    click(table, table.cell_rect(1, 2))
    assert window.state.focus == MASKS[2] and table.selected == (None, 2)
    word = table.guesses[1][2][0][0].token
    assert [entry[0] for entry in view.entries("table", 1, 2) if entry] == [f"Insert “{word}”", f"Copy “{word}”"]
    press(table, "Left")
    assert window.state.focus == MASKS[1] and table.selected == (None, 1)
    assert [bar.mark for bar in view.charts["word"].bars] == [f"rank {rank:,}" for rank in lens.rank[:, 1]]


@pytest.mark.parametrize("word", ["dog", "comfortably"])
def test_a_typed_word_is_followed_through_the_layers(window, word):
    view = page("lens", window)
    window.state.set_focus(MASKS[1])
    typed(view, word, window)
    checkpoint, text, reading = asked(window)
    found = word_through_layers(checkpoint, text, reading.encoding, MASKS[1], word)
    tops = top_guesses(view.lens, 1)
    assert view.verdict.text() == word_sentence(word, found.probability, found.rank, tops)
    figure = figure_of(view, 1)
    assert figure.numbers["probability"].values == pytest.approx(found.probability, rel=1e-3)
    if found.rank is None:
        assert view.pieces.isVisible() and " ".join(found.pieces) in view.pieces.text()
        assert [bar.mark for bar in view.charts["word"].bars] == [""] * 3
    else:
        assert [bar.mark for bar in view.charts["word"].bars] == [f"rank {rank:,}" for rank in found.rank]


def test_what_cannot_be_followed_is_said_in_place(window):
    view = page("lens", window)
    typed(view, "日本", window)
    assert "cannot spell" in view.line.text and not view.charts["word"].isVisible()
    size = len(window.state.reading.encoding)
    window.state.set_what_if(WhatIf(rows=(EditedRow(0, 0, 4, (1.0, *[0.0] * (size - 1))),)))
    typed(view, "comfortably", window)
    assert "pieces" in view.line.text
    typed(view, "dog", window)
    assert view.line.text == "" and view.charts["word"].isVisible()


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        ((4, 1, 1), "“dog” leads from layer 1 (35%) to the last (60%); just before, the guess is “word 0”."),
        ((4, 2, 1), "“dog” wins only in the last layer (60%); after layer 1, the guess is “word 1”."),
        ((4, 2, 2, 1), "“dog” wins only in the last layer (60%); after layer 2, the guess is still “word 2”."),
        ((2, 1), "“dog” wins only in the last layer (60%); before the first layer, the guess is “word 0”."),
        ((1, 1, 1), "“dog” leads from the embeddings to the last layer (60%)."),
        ((1, 2, 1), "“dog” leads before the first layer, “word 1” overtakes it in layer 1, and “dog” wins in "),
        ((1, 1, 2, 1, 1), "“dog” leads up to layer 1, “word 2” overtakes it in layer 2, and “dog” leads again from "),
        ((4, 1, 1, 1, 2), "“dog” leads in layers 1 to 3, but not at the end: its final probability is 60%, rank 2."),
        ((9, 5, 2, 1, 1, 2, 1), "“dog” leads in layers 3 and 4, “word 5” overtakes it in layer 5, and “dog” wins in "),
        ((4, 3, 1200), "“dog” never ranks first; its best rank is 3, after layer 1. Its final probability is 60%, "),
        (None, "“dog” is most likely after layer 2; its final probability is 60%."),
    ],
)  # fmt: skip
def test_the_sentence_on_a_word_names_the_layer(ranks, sentence):
    tops = ["dog" if rank == 1 else f"word {stage}" for stage, rank in enumerate(ranks or (2, 2, 2))]
    if ranks == (4, 2, 2, 1):
        tops[1] = tops[2]
    chances = np.linspace(0.1, 0.6, len(tops))
    assert word_sentence("dog", chances, None if ranks is None else np.array(ranks), tops).startswith(sentence)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("what_if", [WhatIf(), OFF], ids=["as it is", "head off"])
def test_surprise_is_the_engines_over_tokens_and_words(window, words, what_if):
    window.state.set_token_view(words=words, specials=False)
    window.state.set_what_if(what_if)
    view = page("surprise", window)
    checkpoint, text, reading = asked(window)
    found = surprise_of(checkpoint, reading.encoding, text, whole_words=words, what_if=what_if)
    expected = units_of(window).sums(found.by_token(len(reading.encoding)))
    bits, tokens = view.bits[0], view.charts["bits"].tokens
    assert bits == pytest.approx(expected, abs=1e-4)
    assert [token.number.split(" → ")[-1] for token in tokens] == [f"{one:.2f}" for one in bits]  # before: unchanged
    total = view.perplexity.text().split(" · ")[0]
    is_worse = found.pseudo_perplexity > reading.request.model.config.vocab_size
    assert total.startswith(f"pseudo-perplexity {numbers.decimal(found.pseudo_perplexity, 1)}")
    assert total.endswith("(worse than guessing at random)") == is_worse
    assert "[MASK]" not in [token.token for token in tokens]
    order, most = np.argsort(-expected, kind="stable"), view.charts["most"]
    assert most.bars[0].number == f"{expected[order[0]]:.2f}"
    assert most.bars[0].note == str(units_of(window).first_positions[order[0]])
    assert view.sentence("bits", 1, None).startswith(f"{tokens[1].token}: {expected[1]:.2f} bits, probability ")
    most.clicked.emit(0, Qt.KeyboardModifier.NoModifier)
    assert window.state.focus == units_of(window).first_positions[order[0]]


def test_surprise_can_be_stopped_and_begun_again(window):
    room = predict(window)
    view = room.open_view("surprise")
    assert view.asked["bits"].is_running
    view.asked["bits"].cancel(can_restart=True)
    handle_events()
    answered(window)
    assert room.progress.text == "Stopped." and view.perplexity.isHidden()
    view.asked["bits"].start()
    answered(window)
    assert view.perplexity.text().startswith("pseudo-perplexity")
    window.state.set_text("The [MASK] sat.", "")  # a mask that was typed has no surprise
    answered(window)
    assert np.isnan(view.bits[0]).tolist() == [True, False, True, False, False, True]


def pick(view, mask, word):
    """By hand, from the list."""
    guess = view.reading.masks[mask].words[word]
    index = [one.target for one in view.targets.all].index(Target("mlm", guess.id, MASKS[mask]))
    view.choice.box.activated.emit(index)


def test_each_methods_parts_are_the_engines(window):
    window.state.set_token_view(words=True)
    view = page("attribution", window)
    for place, word in ((0, 0), (2, 3)):
        pick(view, place, word)
        answered(window)
        checkpoint, text, reading = asked(window)
        guess = reading.masks[place].words[word]
        target = HeadTarget(f"{guess.token} at {MASKS[place]}", Target("mlm", guess.id, MASKS[place]))
        assert view.targets.target == target and view.choice.box.currentText() == target.label
        for method in get_args(Method):
            found = attribution_of(checkpoint, text, target, method)
            expected = units_of(window).sums(found.scores)
            assert view.shown[method].array == pytest.approx(expected, abs=1e-4)
            values = [token.value for token in view.charts[method].tokens]
            assert max(map(abs, values)) == pytest.approx(1) and np.sign(values).tolist() == np.sign(expected).tolist()
            if found.completeness_error is not None:
                summary = view.summaries[method].text()
                assert "completeness error" in summary
                assert f"{found.completeness_error:+.4f}".lstrip("+-") in summary


def test_the_verdict_on_the_pair_can_be_asked_too_and_needs_no_mask(window):
    view = page("attribution", window, ())
    assert view.targets.target == HeadTarget("B follows A", Target("nsp")) and len(view.targets.all) == 1
    checkpoint, text, _ = asked(window)
    found = attribution_of(checkpoint, text, HeadTarget("", Target("nsp")), "leave_one_out")
    assert view.shown["leave_one_out"].array == pytest.approx(found.scores, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "head", "count"),
    [("classify", "classify", 3), ("tag", "tag", 3), ("span", "span", 4), ("choice", "choice", 1)],
)
def test_a_fine_tuned_model_can_be_asked_which_words_decided(kind, head, count, open_window, tmp_path):
    """It was refused: the model has no masked-word head."""
    window = open_window(make_model(tmp_path / kind, kind), TEXT_A, TEXT_B)
    view = page("attribution", window, ())
    assert nothing(view) == "" and view.targets.target is not None and view.targets.target.target.head == head
    assert len(view.targets.all) == count
    checkpoint, text, reading = asked(window)
    best = max(targets_of(reading, 1)[:count], key=lambda one: one.value(reading))
    if kind in ("classify", "tag"):
        assert view.targets.target.target == best.target
    for method in ("gradient_x_input", "leave_one_out"):
        found = attribution_of(checkpoint, text, view.targets.target, method)
        assert view.shown[method].array == pytest.approx(found.scores, abs=1e-4)
    if kind == "tag":  # the tag of another token
        tokens = view.charts["gradient_x_input"]
        click(tokens, tokens.rect_of(4))
        answered(window)
        assert view.targets.target.target.position == 4


def test_a_click_and_not_the_mouse_alone_chooses_what_is_asked_about(window):
    view = page("attribution", window)

    def position():
        assert view.targets.target.target.head == "mlm"
        return view.targets.target.target.position

    window.state.set_focus(None)
    window.state.set_hover(4)
    assert position() == MASKS[0]
    window.state.set_focus(MASKS[1])
    assert position() == MASKS[1]
    pick(view, 0, 0)
    answered(window)
    window.state.set_hover(5)
    assert position() == MASKS[0] and not view.is_running
    window.state.set_focus(MASKS[2])
    assert position() == MASKS[2]


@pytest.mark.parametrize("order", ["left to right", "most certain first"])
def test_filling_follows_the_order_and_undo_takes_back(window, order):
    view = page("fill", window)
    view.order.setCurrentText(order)
    checkpoint, text, _ = asked(window)
    expected = fill_masks(checkpoint, text, MASKS, order)
    for count in (1, 2):
        view.next.click()
        answered(window)
        assert [step.position for step in view.steps] == [step.position for step in expected[:count]]
        assert_same_words([step.word for step in view.steps], [step.word for step in expected[:count]])
    view.undo.click()
    tokens = view.charts["text"]
    assert len(view.steps) == 1 and len(view.charts["steps"].bars) == 1
    assert tokens.tokens[expected[1].position].number == "?"
    view.all.click()
    answered(window)
    assert [step.word.id for step in view.steps] == [step.word.id for step in expected] and view.open_masks == []
    shown = tokens.tokens[expected[2].position]
    assert (shown.token, shown.value) == (expected[2].word.token, pytest.approx(expected[2].word.probability, rel=1e-3))
    assert not view.next.isEnabled() and not view.all.isEnabled()
    view.restart.click()
    assert view.steps == () and not view.undo.isEnabled()


def test_masks_are_filled_in_the_order_of_the_clicks(window):
    view = page("fill", window)
    view.order.setCurrentText(ORDERS["clicks"])
    view.order.activated.emit(2)
    assert not view.next.isEnabled()
    tokens = view.charts["text"]
    for position in (MASKS[2], MASKS[0]):
        click(tokens, tokens.rect_of(position))
        answered(window)
    checkpoint, text, _ = asked(window)
    expected = fill_masks(checkpoint, text, MASKS, [MASKS[2], MASKS[0]])
    assert [(step.position, step.word.id) for step in view.steps] == [(s.position, s.word.id) for s in expected]
    tokens.setFocus()
    for _ in range(MASKS[1] + 1):
        press(tokens, "Right")
    press(tokens, "Return")
    answered(window)
    assert view.open_masks == []


def test_what_is_filled_in_goes_into_the_text_in_one_step(window):
    view = page("fill", window)
    view.next.click()
    answered(window)
    window.state.set_masks((3, 5))  # another text: the filling begins anew
    answered(window)
    assert view.steps == () and view.open_masks == [3, 5]
    view.all.click()
    answered(window)
    words = {step.position: step.word.id for step in view.steps}
    before = window.state.text_a
    view.insert.click()
    answered(window)
    if all(not step.word.token.startswith("##") for step in view.steps):
        assert [window.state.encoding.ids[position] for position in words] == list(words.values())
    assert window.state.masked == frozenset() and view.steps == ()
    window.history.undo()
    assert window.state.text_a == before and window.state.masked == {3, 5}


@pytest.mark.slow
def test_512_tokens_are_masked_in_turn_while_typing_goes_on(open_window, tmp_path):
    folder = save_family("pre-norm", tmp_path / "long", max_position_embeddings=512)
    window = open_window(folder, "the cat sat on the mat " * 100)
    room = predict(window, (5,))
    assert len(window.state.reading.encoding) == 512
    view, shares = room.open_view("surprise"), []
    view.asked["bits"].status_changed.connect(lambda: shares.append(view.asked["bits"].share or 0.0))
    wait_until(lambda: len(shares) > 3)
    assert view.asked["bits"].is_running
    window.state.set_text(a="the dog sat on the mat " * 100)  # the old question ends, the text is read at once
    wait_until(lambda: window.state.reading.encoding is window.state.encoding)
    wait_until(lambda: view.asked["bits"].answer is not None)
    assert max(shares) == 1 and len(view.asked["bits"].answer.positions) == 510
    window.state.set_masks((5,))
    wait_until(lambda: bool(window.state.reading.masks))
    questions = room.open_view("attribution").questions
    wait_until(lambda: all(question.answer is not None for question in questions))


def test_the_thirteenth_mask_is_not_shown_and_breaks_nothing(window):
    window.state.set_text("cat dog mat " * 5, "")
    view = page("lens", window, tuple(range(1, 15)))
    window.state.set_focus(14)
    answered(window)
    assert view.mask_number == 0 and view.followed and not window.frame.banner.is_shown


def test_what_decided_is_said_once_and_of_the_model_as_it_is(window):
    view = page("attribution", window)
    figure, summary = view.figure_of("integrated_gradients"), view.summaries["integrated_gradients"].text()
    assert summary in figure.caption
    assert " ".join(words_of(figure)).count("completeness") == 1 and "completeness" in table(figure)
    scores = view.shown["leave_one_out"].array
    window.state.set_what_if(OFF)
    answered(window)
    assert view.shown["leave_one_out"].array.tolist() == scores.tolist() and "without your changes" in view.note.text()


STRONG = "Strong by every method (a third of the strongest, or more):"


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (
            [0.9, 0.3, -0.5, 0.1],
            [0.4, 0.1, 0.3, 0.4],
            f"{STRONG} “a”.",
        ),
        (
            [0.9, 0.3, -0.5, 0.1],
            [3.0, 1.0, 0.9, 0.0],
            f"{STRONG} “a”, “b”.",
        ),
        ([0.9, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.2], "The methods name different words: trust none of them far."),
        ([0.9, 0.0, 0.0, 0.0], [-0.1, 0.0, 0.0, 0.0], ""),  # nothing supports it
        ([0.9, 0.0, 0.0, 0.0], [np.nan] * 4, ""),  # still at work
    ],
)
def test_words_that_all_methods_find_strong_are_said(one, other, says):
    methods = [Values(np.array(each), Side("token", list("abcd"))) for each in (one, other)]
    assert agreement(methods) == says
