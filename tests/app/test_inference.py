"""The worker: newest waiting request wins, results come in order, errors are sentences."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.compute.inference import Inference
from app.state.readings import THUMBNAIL_TOKENS, ModelQuestion, Reading, ReadingRequest, Step, thumbnails
from app.state.what_if import WhatIf
from bertcore.analysis.predict import next_sentence, top_words, word_rank
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Tokenizer

TIMEOUT_MS = 30_000


@pytest.fixture
def inference(qtbot: QtBot) -> Iterator[Inference]:
    made = Inference()
    yield made
    made.close()


@pytest.fixture
def opened(inference: Inference, model_folder: Path, qtbot: QtBot) -> Inference:
    with qtbot.waitSignal(inference.model_opened, timeout=TIMEOUT_MS):
        inference.open_model(str(model_folder))
    return inference


def request_for(inference: Inference, tokenizer: Tokenizer, by_hand: tuple[int, ...] = (2,)) -> ReadingRequest:
    encoding = tokenizer.encode("The cat sat on the mat.", "It was very comfortable.")
    ids = tuple(tokenizer.mask_id if i in by_hand else token for i, token in enumerate(encoding.ids))
    assert inference._info is not None
    return ReadingRequest(inference._info, encoding, ids, by_hand, frozenset(by_hand))


def test_a_reading_says_what_the_analysis_says(
    opened: Inference, tokenizer: Tokenizer, model_folder: Path, qtbot: QtBot
) -> None:
    request = request_for(opened, tokenizer)
    with qtbot.waitSignal(opened.reading_ready, timeout=TIMEOUT_MS) as caught:
        opened.read(request)
    reading: Reading = caught.args[0]
    direct = trace(load_checkpoint(model_folder).model, request.input_ids, request.encoding.segments, mlm_positions=[2])
    assert direct.mlm_logits is not None and direct.next_sentence_logits is not None
    np.testing.assert_allclose(reading.trace.attentions, direct.attentions, atol=1e-6)
    assert reading.masks[0].words == top_words(direct.mlm_logits[0], tokenizer, 10)
    assert reading.masks[0].rank == word_rank(direct.mlm_logits[0], request.encoding.ids[2])
    assert reading.next_sentence == next_sentence(direct.next_sentence_logits)
    assert reading.forward_ms > 0


def test_only_the_newest_waiting_request_is_read(opened: Inference, tokenizer: Tokenizer, qtbot: QtBot) -> None:
    held, hold, shown = threading.Event(), threading.Event(), []
    opened.reading_ready.connect(lambda reading: shown.append(reading.request.masked))
    opened.ask("hold", lambda: (held.set(), hold.wait(10)))  # keeps the worker busy while requests pile up
    assert held.wait(10)
    for position in (1, 2, 3):
        opened.read(request_for(opened, tokenizer, (position,)))
    hold.set()
    qtbot.waitUntil(lambda: not opened.is_busy, timeout=TIMEOUT_MS)
    assert shown == [(3,)]


def test_every_result_that_completes_is_reported_in_order(
    opened: Inference, tokenizer: Tokenizer, qtbot: QtBot
) -> None:
    shown: list[tuple[int, ...]] = []
    opened.reading_ready.connect(lambda reading: shown.append(reading.request.masked))
    for position in range(1, 6):
        opened.read(request_for(opened, tokenizer, (position,)))
        qtbot.waitUntil(lambda: not opened.is_busy, timeout=TIMEOUT_MS)
    assert shown == [(1,), (2,), (3,), (4,), (5,)]


def test_a_request_of_another_models_vocabulary_is_never_read(
    opened: Inference, tokenizer: Tokenizer, headless_folder: Path, qtbot: QtBot
) -> None:
    old = request_for(opened, tokenizer)
    shown: list[object] = []
    opened.reading_ready.connect(shown.append)
    with qtbot.waitSignal(opened.model_opened, timeout=TIMEOUT_MS):
        opened.open_model(str(headless_folder))
    opened.read(old)
    qtbot.waitUntil(lambda: not opened.is_busy, timeout=TIMEOUT_MS)
    assert shown == []


def test_the_open_model_answers_while_another_is_fetched(
    opened: Inference, tokenizer: Tokenizer, headless_folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive = threading.Event()

    def slow_fetch(reference: str) -> Path:
        arrive.wait(30)
        return headless_folder

    monkeypatch.setattr("bertcore.checkpoint.hub.fetch", slow_fetch)
    opened.open_model("someone/something")
    with qtbot.waitSignal(opened.reading_ready, timeout=TIMEOUT_MS):
        opened.read(request_for(opened, tokenizer))
    with qtbot.waitSignal(opened.model_opened, timeout=TIMEOUT_MS) as caught:
        arrive.set()
    assert caught.args[0].name == "encoder-only"


def test_a_fetch_that_fails_too_late_is_not_told(
    inference: Inference, model_folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive, told = threading.Event(), []

    def slow_fetch(reference: str) -> Path:
        arrive.wait(30)
        raise BertcoreError("There is no such model.")

    monkeypatch.setattr("bertcore.checkpoint.hub.fetch", slow_fetch)
    inference.model_failed.connect(told.append)
    inference.open_model("someone/something")
    qtbot.waitUntil(lambda: inference.is_busy, timeout=TIMEOUT_MS)
    with qtbot.waitSignal(inference.model_opened, timeout=TIMEOUT_MS) as caught:
        inference.open_model(str(model_folder))
    assert caught.args[1] == str(model_folder) and not inference.is_opening
    arrive.set()
    qtbot.waitUntil(lambda: not inference.is_busy, timeout=TIMEOUT_MS)
    assert told == []


def test_who_asks_snapshots_gets_an_answer_or_a_sentence(
    inference: Inference, model_folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    asked_for = [model_folder, tmp_path / "thinned away"]
    with qtbot.waitSignal(inference.answer_ready, timeout=TIMEOUT_MS) as caught:
        inference.watch("The [MASK] sat.", asked_for)
    kind, (text, snapshots, words, problem) = caught.args
    assert (kind, text, snapshots, problem) == ("watch", "The [MASK] sat.", asked_for, "")
    assert list(words) == [model_folder] and 0 < words[model_folder].probability <= 1
    with qtbot.waitSignal(inference.answer_ready, timeout=TIMEOUT_MS) as caught:
        inference.watch("the cat " * 100 + "[MASK]", asked_for)
    assert caught.args[1][2] == {} and "[MASK]" in caught.args[1][3]


def test_results_arrive_on_the_windows_thread(opened: Inference, tokenizer: Tokenizer, qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    opened.reading_ready.connect(lambda _: threads.append(threading.current_thread()))
    with qtbot.waitSignal(opened.reading_ready, timeout=TIMEOUT_MS):
        opened.read(request_for(opened, tokenizer))
    assert threads == [threading.main_thread()]


def test_a_failed_opening_keeps_the_model(
    opened: Inference, tokenizer: Tokenizer, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(opened.model_failed, timeout=TIMEOUT_MS) as caught:
        opened.open_model(str(tmp_path))
    assert "config.json" in caught.args[0]
    with qtbot.waitSignal(opened.reading_ready, timeout=TIMEOUT_MS):
        opened.read(request_for(opened, tokenizer))


def test_an_error_in_a_question_is_a_sentence_and_the_worker_goes_on(opened: Inference, qtbot: QtBot) -> None:
    with qtbot.waitSignal(opened.failed, timeout=TIMEOUT_MS) as caught:
        opened.ask("wrong", lambda: 1 / 0)
    assert "ZeroDivisionError" in caught.args[0]
    with qtbot.waitSignal(opened.answer_ready, timeout=TIMEOUT_MS) as answered:
        opened.ask("right", lambda: 42)
    assert answered.args == ["right", 42]


def test_close_ends_the_thread(qtbot: QtBot) -> None:
    inference = Inference()
    inference.close()
    assert not inference._worker.thread.is_alive()


def test_thumbnails_keep_single_high_values() -> None:
    attentions = np.zeros((2, 3, 300, 300), dtype=np.float32)
    attentions[1, 2, 217, 101] = 0.9
    small = thumbnails(attentions)
    assert small.shape == (2, 3, THUMBNAIL_TOKENS, THUMBNAIL_TOKENS)
    assert small.max() == np.float32(0.9)
    assert np.count_nonzero(small) == 1


def test_thumbnails_of_short_texts_are_the_values() -> None:
    attentions = np.random.default_rng(0).random((2, 2, 12, 12), dtype=np.float32)
    assert thumbnails(attentions) is attentions


def test_what_is_changed_inside_is_read_beside_the_model_as_it_is(
    opened: Inference, tokenizer: Tokenizer, qtbot: QtBot
) -> None:
    plain = request_for(opened, tokenizer)
    with qtbot.waitSignal(opened.reading_ready, timeout=TIMEOUT_MS) as before:
        opened.read(plain)
    with qtbot.waitSignal(opened.reading_ready, timeout=TIMEOUT_MS) as after:
        opened.read(replace(plain, what_if=WhatIf().with_head(0, 1, off=True)))
    one, other = before.args[0], after.args[0]
    assert one.before is None and other.before is not None
    np.testing.assert_array_equal(other.before.trace.hidden_states, one.trace.hidden_states)
    assert np.abs(other.trace.hidden_states - one.trace.hidden_states).max() > 1e-3
    assert other.before.masks[0].words == one.masks[0].words


def test_a_question_to_the_model_is_answered_with_its_progress(
    opened: Inference, qtbot: QtBot, model_folder: Path
) -> None:
    shares: list[float] = []
    opened.progress_made.connect(lambda _kind, share: shares.append(share))
    assert opened._info is not None

    def count(checkpoint: Checkpoint, step: Step) -> int:
        step(0.5)
        return checkpoint.parameters

    with qtbot.waitSignal(opened.answer_ready, timeout=TIMEOUT_MS) as caught:
        opened.ask_model("count", ModelQuestion(opened._info, count))
    assert caught.args == ["count", load_checkpoint(model_folder).parameters]
    assert shares == [0.5]


def test_a_question_to_a_model_that_is_no_longer_open_is_dropped(
    opened: Inference, qtbot: QtBot, headless_folder: Path
) -> None:
    answers: list[object] = []
    opened.answer_ready.connect(lambda kind, answer: answers.append((kind, answer)))
    assert opened._info is not None
    question = ModelQuestion(opened._info, lambda checkpoint, step: "answer")
    with qtbot.waitSignal(opened.model_opened, timeout=TIMEOUT_MS):
        opened.open_model(str(headless_folder))
    opened.ask_model("late", question)
    qtbot.waitUntil(lambda: not opened.is_busy, timeout=TIMEOUT_MS)
    assert answers == []
