"""Why “her”, and not “his”? Words typed with real keys; numbers by plain autograd and NumPy, on a model that ships."""

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.state.baseline import OtherText
from app.state.selection import NO_CONTRAST, Contrast
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import TINY, shipped_checkpoint
from tests.app.conftest import compare, press, settle, shown_view, wait_until

OURS, THEIRS = "The man put on [MASK] hat.", "The woman put on [MASK] hat."
HER_HIS = Contrast("her", "his")


@pytest.fixture
def opened(open_window):
    return open_window(TINY, OURS)


@pytest.fixture(scope="module")
def checkpoint():
    return load_checkpoint(shipped_checkpoint(TINY))


def type_words(window, fields, contrast):
    """As a person does: into the first field, Tab, into the second, Enter."""
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window)
    for field, word, key in (
        (fields.wanted, contrast.wanted, Qt.Key.Key_Tab),
        (fields.against, contrast.against, Qt.Key.Key_Return),
    ):
        field.setFocus()
        field.selectAll()
        press(field, "Del")
        QTest.keyClicks(field, word) if word.isascii() else field.insert(word)  # pasted
        QTest.keyClick(field, key)
    assert window.state.contrast == contrast
    settle(window)


def log_odds(reading):
    """ln p(her) - ln p(his) at the mask, by NumPy."""
    logits, tokenizer = reading.trace.mlm_logits[0].astype(np.float64), reading.request.model.tokenizer
    p = np.exp(logits - logits.max())
    her, his = ((p / p.sum())[tokenizer.id(word)] for word in ("her", "his"))
    return float(np.log(her) - np.log(his))


def log_odds_of(checkpoint, hook, text=OURS):
    """The same by a pass of the model, with something done at named points."""
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    encoding = tokenizer.encode(text)
    hidden = model(torch.tensor([encoding.ids]), torch.tensor([encoding.segments]), hook=hook)
    p = model.mlm_logits(hidden[0, encoding.ids.index(tokenizer.mask_id or 0)]).softmax(-1)
    return p[tokenizer.id("her")].log() - p[tokenizer.id("his")].log()


def test_effects_are_of_the_log_odds(opened, checkpoint):
    view = shown_view(opened, "attend", "effects")
    type_words(opened, view.choice.fields, HER_HIS)
    wait_until(lambda: view.effects is not None)
    effects = view.effects
    heads = checkpoint.config.num_attention_heads
    with torch.inference_mode():
        for layer, head in ((0, 0), (len(effects) - 1, heads - 1)):

            def without(name, value, layer=layer, head=head):
                if name != f"layer.{layer}.attention.context_heads":  # (B,N,S,D)
                    return value
                return value * torch.tensor([float(i != head) for i in range(heads)])[None, :, None, None]

            now, then = (float(log_odds_of(checkpoint, hook)) for hook in (lambda _, value: value, without))
            assert now == pytest.approx(log_odds(opened.state.reading), abs=1e-4)
            assert effects[layer, head] == pytest.approx(now - then, abs=1e-4)
    assert "ln p of “her” − ln p of “his”" in view.meaning.text()


def test_check_is_of_the_log_odds(opened, checkpoint):
    view = shown_view(opened, "attend", "check")
    opened.state.set_focus(2)
    type_words(opened, view.choice.fields, HER_HIS)
    wait_until(lambda: view.asked["check"].answer is not None)
    check, (layer, head) = view.asked["check"].answer, view.head
    assert check.value == pytest.approx(log_odds(opened.state.reading), abs=1e-4)
    looked = []

    def kept(name, value):
        if name == f"layer.{layer}.attention.probs":
            value = value.detach().requires_grad_()
            looked.append(value)
        return value

    value = log_odds_of(checkpoint, kept)
    (gradient,) = torch.autograd.grad(value, looked[0])  # (B,N,S,S)
    np.testing.assert_allclose(check.gradient, gradient[0, head, 2].numpy(), atol=1e-4)
    assert "“her” rather than “his”" in view.summary.text() and "ln p of “her” − ln p of “his”" in view.meanings.text()


def test_shares_of_words_are_of_the_log_odds(opened, checkpoint):
    view = shown_view(opened, "predict", "attribution")
    type_words(opened, view.choice.fields, HER_HIS)
    wait_until(lambda: all(question.answer for question in view.asked.values()))
    inputs = []

    def kept(name, value):
        if name == "embeddings.output":
            value = value.detach().requires_grad_()
            inputs.append(value)
        return value

    value = log_odds_of(checkpoint, kept)
    (gradient,) = torch.autograd.grad(value, inputs[0])
    product = view.asked["gradient_x_input"].answer
    np.testing.assert_allclose(product.scores, (inputs[0] * gradient).sum(-1)[0].detach().numpy(), atol=1e-4)
    one_out = view.asked["leave_one_out"].answer
    assert one_out.value == pytest.approx(log_odds(opened.state.reading), abs=1e-4)
    assert "Log odds" in view.summaries["leave_one_out"].text()
    assert view.targets.target.target.against == checkpoint.tokenizer.id("his")


def test_a_swap_moves_the_log_odds(opened, checkpoint):
    view = shown_view(opened, "layers", "swap")
    compare(opened, OtherText(THEIRS, ""))
    defaults = view.result.choice.fields.wanted.placeholderText(), view.result.choice.fields.against.placeholderText()
    reading = opened.state.reading
    firsts = [one.masks[0].words[0].token for one in (reading.other_text, reading.plain)]
    assert view.targets.target.answers == defaults
    assert firsts[0] == firsts[1] or list(defaults) == firsts, "what each text guesses first"
    type_words(opened, view.result.choice.fields, HER_HIS)
    wait_until(lambda: not view.is_running and view.asked["places"].answer is not None)
    found = view.asked["places"].answer
    assert (found.text, found.other) == pytest.approx((log_odds(reading), log_odds(reading.other_text)), abs=1e-4)
    states = {}

    def kept(name, value):
        states[name] = value
        return value

    def swapped(name, value):
        if name == "layer.0.output":
            value = value.clone()
            value[:, 2] = states[name][:, 2]
        return value

    with torch.inference_mode():
        log_odds_of(checkpoint, kept, THEIRS)
        assert found.patched[1, 2] == pytest.approx(float(log_odds_of(checkpoint, swapped)), abs=1e-3)


def test_what_is_typed_once_is_asked_about_in_every_room(opened):
    """Until it is cleared, or something else is chosen from a list."""
    view = shown_view(opened, "predict", "attribution")
    type_words(opened, view.choice.fields, HER_HIS)
    room = opened.open_room("attend")
    check = shown_view(opened, "attend", "check")
    assert room.shared.targets.target.answers == ("her", "his")
    fields = check.choice.fields
    assert (fields.wanted.text(), fields.against.text()) == ("her", "his")
    check.choice.box.setCurrentIndex(1)
    check.choice.box.activated.emit(1)
    settle(opened)
    assert opened.state.contrast == NO_CONTRAST and not room.shared.targets.target.is_contrast
    assert (fields.wanted.text(), fields.against.text()) == ("", "")
    for contrast in (HER_HIS, NO_CONTRAST):
        type_words(opened, fields, contrast)
    first = opened.state.reading.masks[0].words[0]
    chosen = room.shared.targets.target
    assert (chosen.target.index, chosen.target.against) == (first.id, None)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (Contrast("unbelievableness", "his"), "pieces in this vocabulary"),
        (Contrast("her", "her"), "“her” is compared with itself; type another word."),
        (Contrast("her", "\N{SNOWMAN}"), "This vocabulary does not have “\N{SNOWMAN}”; type another word."),
    ],
)
def test_a_word_that_cannot_be_asked_about_gets_one_sentence(typed, says, opened):
    check, attribution = (shown_view(opened, *which) for which in (("attend", "check"), ("predict", "attribution")))
    type_words(opened, attribution.choice.fields, typed)
    assert says in attribution.choice.fields.problem.text() and attribution.choice.fields.problem.isVisible()
    assert not attribution.targets.target.is_contrast
    shown_view(opened, "attend", "check")
    assert says in check.choice.fields.problem.text() and not check.shared.targets.target.is_contrast


def test_one_word_alone_and_the_other_left_out(opened):
    """As in Python: without `against` it is ln p of the word; without `wanted` the first guess is asked about."""
    view = shown_view(opened, "predict", "attribution")
    tokenizer = opened.state.reading.request.model.tokenizer
    type_words(opened, view.choice.fields, Contrast("her", ""))
    assert (view.targets.target.target.index, view.targets.target.target.against) == (tokenizer.id("her"), None)
    type_words(opened, view.choice.fields, Contrast("", "her"))
    first = opened.state.reading.masks[0].words[0].id
    assert (view.targets.target.target.index, view.targets.target.target.against) == (first, tokenizer.id("her"))


def test_it_stays_when_the_window_is_built_anew(opened):
    view = shown_view(opened, "predict", "attribution")
    type_words(opened, view.choice.fields, HER_HIS)
    opened.appearance.set_look(projector=True)
    settle(opened)
    again = shown_view(opened, "predict", "attribution")
    wait_until(lambda: again.targets.target is not None)
    assert again is not view and again.targets.target.answers == ("her", "his")


def test_without_a_mask_there_are_no_fields(opened):
    opened.state.set_text("The man put on his hat.", "He went out.")
    check = shown_view(opened, "attend", "check")
    assert check.choice.fields.isHidden() and check.shared.targets.target
