"""Rooms and their views: who gets an answer, what ends a question, and that nothing is done for what nobody sees."""

import threading

import pytest

from app.rooms.room import Room
from app.rooms.view import View, ViewSpec
from app.widgets.progress_line import DELAY_MS
from bertcore.errors import BertcoreError
from tests.app.conftest import make_checkpoint, placed, read_text, settle, wait_until


class Asking(View):
    """Asks for what a test gives it, and writes down what it is shown and answered."""

    def __init__(self):
        super().__init__()
        self.shown = []
        self.selections = []
        self.answers = []
        self.restored = None
        self.question = self.add_question(self.answers.append)

    def show_reading(self, reading, selection):
        self.shown.append(reading)

    def show_selection(self, reading, selection):
        self.selections.append(selection)

    def restore(self, kept):
        self.restored = kept


class Other(Asking):
    pass


class TwoViews(Room):
    key = "test"
    specs = (ViewSpec("one", "One", "The first", Asking), ViewSpec("two", "Two", "The second", Other))

    def view_of(self, key):
        return self.get_view(key)


def shown_room(window, qtbot):
    """A room that asks the window's worker, in a window of its own."""
    made, inference = TwoViews(window.state), window.services.inference
    made.question_requested.connect(inference.ask)
    return placed(made, qtbot, 900, 600)


@pytest.fixture
def room(window, qtbot):
    return shown_room(window, qtbot)


class Slow:
    """What goes on until it is let go, or until nobody wants it any more."""

    def __init__(self):
        self.begun, self.free, self.ended = threading.Event(), threading.Event(), threading.Event()


def go_slowly(*given):
    """Asked with a checkpoint or without."""
    *_, slow, progress = given
    slow.begun.set()
    try:
        while not slow.free.wait(0.01):
            progress(0.5)
    finally:
        slow.ended.set()
    return "slow"


def said(*given):
    return given[-2]


def unfound(_progress):
    raise BertcoreError("No sentence has the word.")


class Computed:
    """How often something is computed, with what."""

    def __init__(self):
        self.numbers = []


def noted(computed, number, _progress):
    computed.numbers.append(number)


def test_an_answer_goes_to_who_asked_and_to_nobody_else(room, window, qtbot):
    other = shown_room(window, qtbot)
    room.view_of("one").question.ask(said, "mine", pause_ms=0)
    other.view_of("one").question.ask(said, "theirs", pause_ms=0)
    settle(window)
    assert room.view_of("one").answers == ["mine"] and other.view_of("one").answers == ["theirs"]
    assert room.view_of("two").answers == other.view_of("two").answers == []


def test_what_was_asked_last_is_answered(room, window):
    view, slow = room.view_of("one"), Slow()
    view.question.ask(go_slowly, slow, pause_ms=0)
    wait_until(slow.begun.is_set)
    view.question.ask(said, "second", pause_ms=0)
    slow.free.set()  # the first has its answer after the second was asked for
    settle(window)
    assert view.answers == ["second"] and view.question.answer == "second"


def test_the_same_is_not_computed_twice_and_an_answer_stays_while_the_view_is_left(room, window):
    question, computed = room.view_of("one").question, Computed()
    for _ in range(2):
        question.ask(noted, computed, 1, pause_ms=0)
        settle(window)
    assert computed.numbers == [1]
    view = room.view_of("one")
    view.question.ask(said, "kept", pause_ms=0)
    settle(window)
    room.open_view("two")
    assert view.question.answer == "kept" and view.question.job is None


def test_within_the_pause_only_the_last_question_is_computed(room, window):
    view, computed = room.view_of("one"), Computed()
    for number in range(5):
        view.question.ask(noted, computed, number, pause_ms=50)
    assert view.question.is_waiting
    wait_until(lambda: len(view.answers) == 1)
    assert computed.numbers == [4]


def test_stop_ends_the_work_and_it_can_be_started_again(room, window):
    view, slow = room.view_of("one"), Slow()
    view.question.ask(go_slowly, slow, pause_ms=0)
    wait_until(lambda: room.progress.is_running)
    view.question.cancel(can_restart=True)
    wait_until(slow.ended.is_set)
    settle(window)
    assert view.answers == [] and view.question.can_restart and room.progress.text == "Stopped."
    slow.free.set()
    view.question.start()
    settle(window)
    assert view.answers == ["slow"] and room.progress.text == ""


def test_what_is_quickly_done_shows_no_progress(room, window):
    view, seen = room.view_of("one"), list[bool]()
    view.question.status_changed.connect(lambda: seen.append(room.progress.isVisible()))
    for number in range(3):
        view.question.ask(said, number, pause_ms=0)
        settle(window)
    assert seen and not any(seen) and DELAY_MS > 100


@pytest.mark.parametrize("how", ["other view", "hidden"])
def test_a_view_that_is_left_waits_for_nothing(room, window, how):
    view, slow = room.view_of("one"), Slow()
    view.question.ask(go_slowly, slow, pause_ms=0)
    wait_until(slow.begun.is_set)
    if how == "hidden":
        room.hide()
    else:
        room.open_view("two")
    wait_until(slow.ended.is_set)
    settle(window)
    assert view.answers == [] and view.reading is None and not view.question.is_running


def test_another_model_ends_a_question_about_the_first(room, window, tmp_path):
    view, slow, first = room.view_of("one"), Slow(), window.state.model
    view.question.ask_model(first, go_slowly, slow, pause_ms=0)
    wait_until(slow.begun.is_set)
    slow.free.set()
    window.open_model(make_checkpoint(tmp_path / "other", layers=1))
    wait_until(lambda: window.state.model is not first)
    settle(window)
    view.answers.clear()  # it may have come before the other model was open
    view.question.ask_model(first, said, "of the first", pause_ms=0)
    settle(window)
    assert view.answers == []


def test_a_fault_in_the_work_is_a_sentence_in_its_place(room, window):
    room.view_of("one").question.ask(unfound, pause_ms=0)
    settle(window)
    assert room.progress.text == "No sentence has the word." and room.view_of("one").answers == []
    assert not window.frame.banner.isVisible()


def test_a_hidden_room_is_shown_nothing_and_catches_up(room, window):
    view = room.view_of("one")
    room.hide()
    before = len(view.shown)
    window.state.set_text("A dog ran home.", "")
    window.state.set_focus(3)
    settle(window)
    window.state.set_head(1, 2)
    assert len(view.shown) == before and view.selections == []
    room.show()
    assert view.shown[-1] is window.state.reading and view.selection.head == 2


@pytest.mark.parametrize("what", ["token", "head"])
def test_what_is_selected_while_a_reading_arrives_comes_with_the_reading(window, qtbot, what):
    """As a lesson does, which hears of the reading before the room: positions may be some that are not on show yet."""
    state = window.state
    select = {"token": lambda: state.set_focus(len(state.input_ids) - 1), "head": lambda: state.set_head(1, 2)}[what]
    state.reading_changed.connect(select)
    view = shown_room(window, qtbot).view_of("one")
    state.set_text(f"{state.text_a} {state.text_a}")
    settle(window)
    assert view.selections == [] and view.shown[-1] is view.reading is state.reading
    assert view.selection == state.selection


def test_a_view_that_is_not_on_show_is_shown_nothing(room, window):
    first, second = room.view_of("one"), room.view_of("two")
    read_text(window, "A dog ran home.", "")
    assert second.shown == [] and first.shown[-1] is window.state.reading
    room.open_view("two")
    assert second.shown == [window.state.reading]


def test_typing_makes_questions_wait_and_a_click_does_not(room, window):
    view = room.view_of("one")
    assert view.pause_ms == 0  # just opened
    read_text(window, "A dog ran home.", "")
    assert view.pause_ms > 0
    window.state.set_focus(2)
    assert view.pause_ms == 0 and view.selections[-1].pinned == 2


def test_what_a_view_keeps_comes_back_in_the_next_window(room, window, qtbot):
    room.view_of("two").kept_changed.emit("distance")
    room.open_view("two")
    again = shown_room(window, qtbot)
    assert again.views.key == "two"
    assert again.view_of("two").restored == "distance" and again.view_of("one").restored is None


def test_an_edit_adds_to_what_is_changed_by_then_and_is_of_the_text_on_show(room, window):
    window.state.set_text("A", "")  # the reading on show is of the longer text before
    room.view_of("one").what_if_edited.emit(lambda what_if: what_if.with_segment(9, 0))
    assert not window.state.what_if
    settle(window)
    view = room.view_of("one")
    for name in ("token", "position"):  # the second before the first has been read
        view.what_if_edited.emit(lambda what_if, name=name: what_if.with_dropped(name, True))
    assert window.state.what_if.dropped == {"token", "position"}


@pytest.mark.parametrize(
    ("room_key", "expert", "student"), [("layers", "neurons", "hidden"), ("predict", "attribution", "words")]
)
def test_a_view_for_experts_has_a_tab_when_it_is_wanted(window, room_key, expert, student):
    room = window.open_room(room_key)
    settle(window)
    keys = [spec.key for spec in room.specs]
    assert room.tabs.isTabVisible(keys.index(student)) and not room.tabs.isTabVisible(keys.index(expert))
    room.more.click()
    assert room.tabs.isTabVisible(keys.index(expert))
    room.more.click()
    window.open_view(room_key, expert)
    assert room.view is room.get_view(expert) and room.tabs.isTabVisible(keys.index(expert))


def test_a_matrix_for_experts_is_chosen_in_its_row(window):
    """Flow was shown without its tab."""
    room = window.open_room("attend")
    settle(window)
    tabs = room.large.matrices
    flow = [spec.key for spec in room.specs].index("flow")
    assert not tabs.isTabVisible(flow)
    room.open_view("flow")
    assert tabs.isTabVisible(flow) and tabs.currentIndex() == flow and tabs.tabRect(flow).width() > 20
    assert tabs.rect().contains(tabs.tabRect(flow))


def test_check_and_effects_come_with_a_click_on_more(window):
    room = window.open_room("attend")
    settle(window)
    assert not room.large.buttons.buttons["check"].isVisible()
    room.large.buttons.more.click()
    assert room.large.buttons.buttons["check"].isVisible()
    room.large.buttons.more.click()
    room.open_view("check")
    assert room.views.key == "check" and room.heads_card.panels.key == "effects"
    assert room.heads_card.buttons.buttons["effects"].isVisible()


def switch_views(window):
    window.state.set_token_view(words=not window.state.token_view.words)
    window.state.set_token_view(specials=not window.state.token_view.specials)


def test_no_model_at_all_is_said_in_place_whatever_is_switched(open_window, tmp_path):
    window = open_window(tmp_path / "nothing")
    room = window.open_room("embed")
    assert room.waiting.sentence == "Loading the model…"
    wait_until(lambda: window.frame.banner.is_shown)
    assert room.waiting.is_waiting
    switch_views(window)
    for key in ("embed", "attend", "predict"):
        room = window.open_room(key)
        wait_until(lambda room=room: room.waiting.sentence.startswith("No model is open."))


def test_another_view_does_not_hide_why_a_text_could_not_be_read(open_window, model_folder, monkeypatch):
    why = "The text could not be read."

    def fail(*_):
        raise BertcoreError(why)

    with monkeypatch.context() as patch:
        patch.setattr("app.compute.reader.read", fail)
        window = open_window(model_folder)
        room = window.open_room("embed")
        wait_until(lambda: window.frame.banner.is_shown)
        assert room.waiting.sentence == why
        switch_views(window)
        assert room.waiting.sentence == why
    window.open_model(model_folder)
    heard = []
    window.state.model_changed.connect(lambda: heard.append(room.waiting.sentence))
    wait_until(lambda: heard != [])
    assert heard == ["Reading the text…"]  # what was said of the last model counts no more
    settle(window)
    assert room.is_drawn
