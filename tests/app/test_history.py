"""Undo and redo: one history of texts, masks and what is changed inside."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.shell import time_machine
from app.state import history
from app.state.baseline import OtherModel
from app.state.examples import load_examples
from app.state.explore_state import ExploreState
from app.state.history import History
from app.state.what_if import NOTHING_CHANGED
from tests.app.conftest import TEXT_A, TEXT_B, handle_events, make_run, settle, wait_until

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def clock():
    """A time that a test moves on."""
    return SimpleNamespace(now_s=100.0)


@pytest.fixture
def state(qapp, tokenizer):
    made = ExploreState()
    made.set_tokenizer(tokenizer, 64)
    made.set_text(TEXT_A, TEXT_B)
    return made


@pytest.fixture
def past(state, clock):
    return History(state, lambda: clock.now_s)


def change(past, state, a):
    past.expect_typing()
    state.set_text(a=a)
    past.look()


def test_typing_is_one_step_until_there_is_a_pause(past, state, clock):
    for text in ("The cat r", "The cat ra", "The cat ran"):
        change(past, state, text)
        clock.now_s += 0.4
    clock.now_s += 1.0
    change(past, state, "The cat ran h")
    past.undo()
    assert state.text_a == "The cat ran" and past.to_undo == past.to_redo == "typing in A"
    past.undo()
    assert state.text_a == TEXT_A and past.to_undo == ""
    past.undo()  # nothing left
    for _ in range(2):
        past.redo()
    assert state.text_a == "The cat ran h" and past.to_redo == ""


def test_what_is_typed_elsewhere_or_after_an_undo_is_a_step_of_its_own(past, state):
    change(past, state, "dog")
    state.set_text(b="bird")
    past.look()
    past.undo()
    assert (state.text_a, state.text_b) == ("dog", TEXT_B)
    change(past, state, "dogs")
    assert past.to_redo == "", "something new ends what could be redone"
    past.undo()
    assert state.text_a == "dog"
    past.undo()
    assert state.text_a == TEXT_A


def test_masks_and_what_is_changed_inside_come_back(past, state, clock):
    state.set_masks([2, 5])
    past.look()
    assert past.to_undo == "masking"
    state.set_text("a dog", "")
    past.look()
    assert state.masked == frozenset()
    past.undo()
    assert state.text_a == TEXT_A and state.masked == {2, 5}
    past.undo()
    assert state.masked == frozenset()
    past.redo()
    assert state.masked == {2, 5}
    changed = state.what_if.with_head(1, 2, True)
    state.set_what_if(changed)
    past.look()
    state.set_what_if(NOTHING_CHANGED)
    past.look()
    past.undo()
    assert state.what_if == changed
    past.undo()
    assert state.what_if == NOTHING_CHANGED


def test_the_past_is_bounded(past, state, clock, monkeypatch):
    monkeypatch.setattr(history, "MOST_STEPS", 5)
    for number in range(20):
        clock.now_s += 5
        change(past, state, f"cat {number}")
    for _ in range(20):
        past.undo()
    assert state.text_a == "cat 14"


def test_an_undo_is_told_once_and_makes_no_step(past, state):
    change(past, state, "dog")
    told = []
    past.changed.connect(lambda: told.append(past.to_undo))
    past.undo()
    handle_events()
    assert told == [""] and past.to_redo == "typing in A"


def test_control_z_in_the_sentence_takes_back_a_mask_too(window):
    edit = window.frame.sentences.a
    edit.end(False)
    window.history.look()
    QTest.keyClicks(edit, " dog")
    wait_until(lambda: window.history.to_undo == "typing in A")
    window.state.set_masks([2])
    wait_until(lambda: window.history.to_undo == "masking")
    assert window.commands["edit.undo"].text() == "Undo masking"
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    assert window.state.masked == frozenset() and edit.text() == f"{TEXT_A} dog"
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    assert edit.text() == TEXT_A == window.state.text_a
    for key, modifier in ((Qt.Key.Key_Z, CONTROL | SHIFT), (Qt.Key.Key_Y, CONTROL)):
        QTest.keyClick(edit, key, modifier)
    assert edit.text() == f"{TEXT_A} dog" and window.state.masked == {2}
    settle(window)


@pytest.mark.parametrize(("text", "at"), [(TEXT_A, 7), ("😀😀 cat", 4)], ids=["letters", "each of two units"])
def test_the_cursor_stays_where_the_change_was(window, text, at):
    edit = window.frame.sentences.a
    window.state.set_text(text, "")
    window.history.look()
    edit.setFocus()
    edit.setCursorPosition(at)
    QTest.keyClicks(edit, "s")
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    assert edit.text() == text and edit.cursorPosition() == at


def test_an_example_is_one_step(window):
    window.history.look()
    before = window.history.to_undo
    window.examples.use(next(example for example in load_examples() if example.mask and example.b))
    wait_until(lambda: window.history.to_undo != before)
    window.history.undo()
    assert window.state.text_a == TEXT_A and window.state.masked == frozenset()


def test_another_model_is_no_step(window, headless_folder):
    window.history.look()
    window.state.set_what_if(window.state.what_if.with_head(0, 0, True))
    wait_until(lambda: window.history.to_undo == "the change inside the model")
    window.open_model(str(headless_folder))
    wait_until(lambda: window.state.model.name == "encoder-only")
    settle(window)
    window.history.look()
    undone = []
    while window.history.to_undo:
        undone.append(window.history.to_undo)
        window.history.undo()
    assert "the change inside the model" not in undone  # the head was of the other model
    while window.history.to_redo:
        window.history.redo()
    assert window.state.what_if == NOTHING_CHANGED


def test_words_inserted_one_after_the_other_are_a_step_each(past, state, clock, tokenizer):
    state.set_masks([2, 6])
    past.look()
    for position in (2, 6):
        state.insert_words([(position, tokenizer.id("dog"))])
        clock.now_s += 0.2
        past.look()
    past.undo()
    assert state.text_a == "The dog sat on the mat." and state.masked == {6}


def test_a_button_is_a_step_of_its_own_and_no_typing(past, state):
    for text in ("bird", "house", "mat"):
        state.set_text(b=text)
        past.look()
    assert past.to_undo == "changing B"
    past.undo()
    assert state.text_b == "house"
    change(past, state, "dog")
    state.set_masks([1])
    past.look()
    state.set_text(a="bird")
    past.look()
    assert past.to_undo == "inserting a word"


def test_what_would_change_nothing_is_passed_over(window, headless_folder, qtbot):
    """A head that was switched off in a model that is open no more."""
    window.history.look()
    window.state.set_masks([2])
    window.history.look()
    window.state.set_what_if(window.state.what_if.with_head(0, 0, True))
    window.history.look()
    with qtbot.waitSignal(window.services.open_model.opened):
        window.open_model(str(headless_folder))
    settle(window)
    window.history.look()
    assert window.history.to_undo == "masking"
    window.history.undo()
    assert window.state.masked == frozenset() and window.history.to_redo == "masking"
    window.history.redo()
    assert window.state.masked == {2} and window.history.to_redo == ""


def test_going_to_another_training_step_and_back(own_home, open_window):
    run = make_run(own_home / "runs" / "stories", (0, 5, 40))
    first, last = run.snapshot_path(0).resolve(), run.snapshot_path(40).resolve()
    window = open_window(last)
    settle(window)
    state, past, machine = window.state, window.history, window.services.time_machine

    def is_open(folder):
        wait_until(lambda: state.model is not None and state.model.folder == folder)
        settle(window)
        past.look()

    is_open(last)
    state.set_text("A dog ran.", "")
    past.look()
    machine.open_snapshot(first)
    is_open(first)
    assert past.to_undo == "going to another training step"
    state.set_baseline(OtherModel(str(last)))
    past.look()
    past.undo()  # the comparison
    assert state.baseline is None and state.model is not None and state.model.folder == first
    past.undo()
    is_open(last)
    assert state.text_a == "A dog ran." and past.to_undo != "going to another training step"
    past.redo()
    is_open(first)
    assert past.to_redo == "the comparison" and past.to_undo == "going to another training step"
    past.undo()
    is_open(last)
    past.undo()
    assert state.text_a != "A dog ran." and state.model is not None and state.model.folder == last


@pytest.mark.parametrize("most_kept_bytes", [1 << 30, 0], ids=["kept open", "opened one by one"])
def test_playing_the_snapshots_is_nothing_to_undo(most_kept_bytes, own_home, open_window, monkeypatch):
    monkeypatch.setattr(time_machine, "MOST_KEPT_BYTES", most_kept_bytes)
    for name in ("LAST_MS", "MOST_MS", "LEAST_MS"):
        monkeypatch.setattr(time_machine, name, 1)
    run = make_run(own_home / "runs" / "stories", (0, 5, 40))
    window = open_window(run.snapshot_path(40))
    settle(window)
    window.history.look()
    before = window.history.to_undo
    window.toggle_playing()
    wait_until(lambda: not window.services.playback.is_playing)
    settle(window)
    window.history.look()
    assert window.history.to_undo == before
