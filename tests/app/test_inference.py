"""The door to torch, the reader and who knows which model is open: the newest request wins, errors are sentences."""

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject
from shiboken6 import delete

from app.compute.inference import Inference
from app.compute.open_model import OpenModel
from app.compute.question import Question
from app.compute.reader import Reader
from app.state.explore_state import ExploreState
from app.state.what_if import NOTHING_CHANGED, WhatIf
from bertcore.analysis.attention_heads import THUMBNAIL_TOKENS, thumbnails
from bertcore.analysis.predict import next_sentence, top_words, word_rank
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from tests.app.conftest import TEXT_A, TEXT_B, TIMEOUT_MS, wait_until


def hold_worker(held, hold, _progress):
    held.set()
    hold.wait()


def parameters_of(checkpoint, progress):
    progress(0.5)
    return checkpoint.parameters


def double(number, progress):
    progress(0.5)
    return int(2 * number)


class Parts:
    """What stands between a state and torch, without a window."""

    def __init__(self):
        self.state, self.inference = ExploreState(), Inference()
        self.opener = OpenModel(self.state, self.inference)
        self.reader = Reader(self.state, self.inference)
        self.readings = []
        self.state.reading_changed.connect(self._note)
        self.state.set_text(TEXT_A, TEXT_B)
        self.asker = QObject()

    def _note(self):
        if self.state.reading is not None:
            self.readings.append(self.state.reading)

    @property
    def masked(self):
        """Of each reading that came."""
        return [reading.request.masked for reading in self.readings]

    def question(self, answered):
        question = Question[Any](self.asker, answered)
        question.requested.connect(self.inference.ask)
        return question

    def hold(self):
        """Keeps the worker busy until the event is set."""
        held, hold = threading.Event(), threading.Event()
        self.inference.post("hold", hold_worker, held, hold, deliver=lambda *_: None)
        assert held.wait(TIMEOUT_MS / 1000)
        return hold


@pytest.fixture
def parts():
    made = Parts()
    yield made
    made.inference.stop()
    assert made.inference.join()


@pytest.fixture
def opened(parts, model_folder):
    parts.opener.open(model_folder)
    settle(parts)
    parts.readings.clear()
    return parts


def settle(parts):
    wait_until(lambda: not (parts.inference.is_busy or parts.opener.is_opening))


def test_a_reading_says_what_the_analysis_says(opened, tokenizer, model_folder):
    opened.state.set_masks([2])
    settle(opened)
    [reading] = opened.readings
    request = reading.request
    direct = trace(load_checkpoint(model_folder).model, request.input_ids, request.encoding.segments, mlm_positions=[2])
    np.testing.assert_allclose(reading.trace.attentions, direct.attentions, atol=1e-5)
    wanted = top_words(direct.mlm_logits[0], tokenizer, 10)
    assert [word.id for word in reading.masks[0].words] == [word.id for word in wanted]
    assert [word.probability for word in reading.masks[0].words] == pytest.approx([w.probability for w in wanted])
    rank = word_rank(direct.mlm_logits[0], request.encoding.ids[2])
    assert reading.masks[0].rank.rank == rank.rank
    assert reading.next_sentence.is_next == pytest.approx(next_sentence(direct.next_sentence_logits).is_next)
    assert reading.forward_ms > 0


def test_only_the_newest_waiting_request_is_read(opened):
    hold = opened.hold()  # requests pile up
    for position in (1, 2, 3):
        opened.state.set_masks([position])
    hold.set()
    settle(opened)
    assert opened.masked == [(3,)]


def test_every_result_that_completes_is_shown_in_order_on_the_windows_thread(opened):
    threads = []
    opened.reader.delivered.connect(lambda _: threads.append(threading.current_thread()))
    for position in range(1, 6):
        opened.state.set_masks([position])
        settle(opened)
    assert opened.masked == [(1,), (2,), (3,), (4,), (5,)] and set(threads) == {threading.main_thread()}


def test_a_request_of_another_models_vocabulary_is_never_read(opened, headless_folder):
    hold = opened.hold()
    opened.opener.open(headless_folder)
    opened.state.set_masks([2])  # waits behind the model that is on its way
    hold.set()
    settle(opened)
    assert {reading.request.model.name for reading in opened.readings} == {"encoder-only"}


def test_the_open_model_answers_while_another_is_fetched(opened, headless_folder, qtbot, monkeypatch):
    arrive = threading.Event()
    monkeypatch.setattr("bertcore.resolve_model.fetch", lambda reference: arrive.wait() and headless_folder)
    opened.opener.open("someone/something", download=True)
    with qtbot.waitSignal(opened.state.reading_changed):
        opened.state.set_masks([2])
    assert opened.opener.is_opening and opened.opener.newest_reference == "someone/something"
    with qtbot.waitSignal(opened.opener.opened) as caught:
        arrive.set()
    assert caught.args[0].name == "encoder-only" and opened.opener.reference == "someone/something"


def test_a_fetch_that_fails_too_late_is_not_told(parts, model_folder, qtbot, monkeypatch):
    arrive, failures = threading.Event(), []

    def slow_fetch(reference):
        arrive.wait()
        raise BertcoreError("There is no such model.")

    monkeypatch.setattr("bertcore.resolve_model.fetch", slow_fetch)
    parts.opener.failed.connect(failures.append)
    parts.opener.open("someone/something", failed=failures.append, download=True)
    with qtbot.waitSignal(parts.opener.opened) as caught:
        parts.opener.open(model_folder)
    assert caught.args[1] == str(model_folder.resolve()) and not parts.opener.is_opening
    arrive.set()
    settle(parts)
    assert failures == []


def test_whoever_opens_a_model_hears_of_that_one(parts, model_folder, headless_folder, tmp_path):
    heard = []
    parts.opener.open(tmp_path, failed=heard.append)
    wait_until(lambda: len(heard) == 1)
    assert "config.json" in heard[0] and parts.state.reading_problem.startswith("No model is open.")
    hold = parts.hold()
    parts.opener.open(model_folder, lambda info: heard.append(info.name))  # replaced before it was begun
    parts.opener.open(headless_folder, lambda info: heard.append(info.name))
    hold.set()
    settle(parts)
    assert heard[1:] == ["encoder-only"] and parts.state.reading_problem == ""


def test_a_failed_opening_keeps_the_model(opened, tmp_path, qtbot):
    model, reference = opened.opener.model, opened.opener.reference
    with qtbot.waitSignal(opened.opener.failed) as caught:
        opened.opener.open(tmp_path)
    assert "config.json" in caught.args[0]
    assert opened.opener.model is model and opened.opener.reference == reference
    opened.state.set_masks([2])
    settle(opened)
    assert opened.masked == [(2,)]


def test_an_answer_goes_to_whoever_asked(opened, model_folder):
    answers, shares = {"one": [], "other": []}, []
    one, other = opened.question(answers["one"].append), opened.question(answers["other"].append)
    one.status_changed.connect(lambda: shares.append(one.share))
    one.ask_model(opened.state.model, parameters_of, pause_ms=0)
    other.ask(double, 21, pause_ms=0)
    settle(opened)
    assert answers == {"one": [load_checkpoint(model_folder).parameters], "other": [42]}
    assert 0.5 in shares and shares[-1] is None


def test_an_error_in_a_question_is_a_sentence_and_the_worker_goes_on(opened, qtbot):
    answers = []
    question = opened.question(answers.append)
    with qtbot.waitSignal(opened.inference.failed) as caught:
        question.ask(double, None, pause_ms=0)
    assert "TypeError" in caught.args[0]
    settle(opened)
    assert "TypeError" in question.sentence and answers == []
    question.ask(double, 21, pause_ms=0)
    settle(opened)
    assert answers == [42] and question.sentence == ""


def test_a_question_to_a_model_that_is_no_longer_open_is_dropped(opened, headless_folder):
    answers = []
    question, model = opened.question(answers.append), opened.state.model
    opened.opener.open(headless_folder)
    settle(opened)
    question.ask_model(model, parameters_of, pause_ms=0)
    settle(opened)
    assert answers == []


def test_who_is_gone_is_told_nothing(opened):
    answers = []
    hold, question = opened.hold(), opened.question(answers.append)
    question.ask(double, 21, pause_ms=0)
    delete(question)
    hold.set()
    settle(opened)
    assert answers == []


def test_what_is_gone_is_let_go_of_on_the_windows_thread(parts):
    """On another thread Qt may just be deleting it, and the process comes down."""
    freed_on = []
    for cancels in (False, True):
        hold = parts.hold()
        view = QObject()
        question = Question[int](view, lambda answer: None)
        question.requested.connect(parts.inference.ask)
        question.ask(double, 21, pause_ms=0)
        weakref.finalize(question, lambda: freed_on.append(threading.current_thread()))
        if cancels:
            question.clear()
        hold.set()
        settle(parts)
        delete(view)
        del question, view
        parts.inference.post("another", double, 21, deliver=lambda *_: None)
        settle(parts)
        gc.collect()
    assert freed_on == [threading.main_thread()] * 2
    assert not parts.inference._recipients


def test_stopping_does_not_wait_for_what_is_under_way():
    parts = Parts()
    hold = parts.hold()
    parts.inference.stop()
    assert not parts.inference.join(0.01)
    hold.set()
    assert parts.inference.join()


def test_thumbnails_keep_single_high_values():
    attentions = np.zeros((2, 3, 300, 300), dtype=np.float32)
    attentions[1, 2, 217, 101] = 0.9
    small = thumbnails(attentions)
    assert small.shape == (2, 3, THUMBNAIL_TOKENS, THUMBNAIL_TOKENS)
    assert small.max() == np.float32(0.9) and np.count_nonzero(small) == 1
    short = attentions[..., :12, :12]
    assert thumbnails(short) is short


def test_what_is_changed_inside_is_read_beside_the_model_as_it_is(opened):
    opened.state.set_masks([2])
    settle(opened)
    opened.state.set_what_if(WhatIf().with_head(0, 1, off=True))
    settle(opened)
    one, other = opened.readings
    assert one.baseline is None and other.baseline is not None and other.baseline.request.what_if == NOTHING_CHANGED
    np.testing.assert_allclose(other.baseline.trace.hidden_states, one.trace.hidden_states, atol=1e-5)
    assert np.abs(other.trace.hidden_states - one.trace.hidden_states).max() > 1e-3
    assert [word.id for word in other.baseline.masks[0].words] == [word.id for word in one.masks[0].words]


def test_what_the_former_model_read_is_not_kept(opened, model_folder):
    """At 512 tokens a reading of BERT-base has some 200 MB."""
    opened.state.set_what_if(WhatIf().with_head(0, 1, off=True))
    settle(opened)
    before = opened.readings[-1].baseline
    kept = weakref.ref(before.trace)
    opened.readings.clear()
    del before
    opened.state.set_what_if(NOTHING_CHANGED)
    settle(opened)
    opened.opener.open(model_folder)
    settle(opened)
    gc.collect()
    assert opened.readings and kept() is None


def test_all_who_wait_for_a_model_hear_of_it(parts, model_folder, tmp_path):
    """A session that offers to download its model, and whoever only wants to select something when it is there."""
    heard = []
    for folder, expected in ((tmp_path / "gone", ["first", "second"]), (model_folder, ["opened", "once more"])):
        heard.clear()
        parts.opener.open(folder, lambda _: heard.append("opened"), lambda _: heard.append("first"))
        parts.opener.when_open(lambda _: heard.append("once more"), lambda _: heard.append("second"))
        parts.opener.when_open(lambda _: None)
        settle(parts)
        assert heard == expected
