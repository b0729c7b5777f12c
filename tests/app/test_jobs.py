"""What the worker is asked holds no widget, and its keys no reading: looked at while all views are walked through."""

import ast
import gc
import threading
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, SignalInstance

import app
from app.compute.batches import TextBatchReader
from app.compute.inference import Inference
from app.compute.question import Job, Question
from app.compute.reader import TextReader
from app.compute.worker import UnwantedError, Worker
from app.lessons.exercise_box import ExerciseBox
from app.rooms.attend import attentions
from app.rooms.attend.attentions import Attentions
from app.rooms.attend.heads_card import PANELS
from app.rooms.attend.large_card import SPECS
from app.rooms.train.batch.page import BatchPage
from app.rooms.train.snapshots.cards import HeadsCard, WatchCard
from app.runs.run_info import read_run
from app.runs.run_state import RunState
from app.shell.rooms import ROOMS
from app.state.baseline import OtherModel, OtherText
from app.state.readings import Reading
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.locations import TINY
from tests.app.conftest import TEXT_B, make_checkpoint, settle, wait_until
from tests.app.family_models import save_family
from tests.app.run_window import STEPS, last_snapshot, run
from tests.app.test_apply_room import make_model

__all__ = ["last_snapshot", "run"]  # fixtures
OTHER = OtherText("The dog sat on the mat.", TEXT_B)
ASKS = {"ask_model": 1, "ask": 0, "ask_about_target": 0, "post": 1, "post_outside": 0}  # where the function stands
LESSON = """---
title: Small
minutes: 5
summary: For a test.
---
# First
:: text The dog [MASK] the cat.
:: room predict
:: ask number After which layer?
:: answer computed settles
:: explain After {{settles}}.
:: exercise masking
"""


def held_by(thing):
    """All that is kept alive through closures, arguments, containers and objects; not through modules and classes."""
    seen, waiting = set[int](), [thing]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, ModuleType | type | str | bytes | int | float | None):
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, FunctionType):
            waiting += [*(one.__closure__ or ()), one.__defaults__, one.__kwdefaults__]  # not the names of its module
        elif isinstance(one, MethodType | BuiltinFunctionType):
            waiting.append(one.__self__)
        elif isinstance(one, CellType):
            waiting.append(one.cell_contents)
        elif not isinstance(one, QObject | weakref.ref):
            waiting += gc.get_referents(one)


class Watched:
    """What was asked while it watches, and what was wrong with it."""

    def __init__(self):
        self.asked = set()
        self.faults = []

    def look(self, job):
        name = job.function.__qualname__
        self.asked.add(name)
        for one in held_by(job):
            if isinstance(one, QObject | SignalInstance):
                self.faults.append(f"{name} holds {one!r}")
        others = [one for one in job.arguments if not isinstance(one, Reading | TextReader | Attentions)]
        if any(isinstance(one, Reading) for one in held_by((job.function, others))):
            self.faults.append(f"{name} holds a reading besides its arguments")

    def look_at_keys(self, window):
        for question in window.findChildren(Question):
            for one in held_by(question.key):
                if isinstance(one, QObject | Reading | Checkpoint):
                    self.faults.append(f"the key {question.key} holds {one!r}")


@pytest.fixture
def watched(monkeypatch):
    made, post, outside = Watched(), Worker.post, Inference._run_outside

    def watch(self, kind, number, job):
        made.look(job)
        post(self, kind, number, job)

    def watch_outside(self, number, job):
        made.look(job)
        outside(self, number, job)

    monkeypatch.setattr(Worker, "post", watch)
    monkeypatch.setattr(Inference, "_run_outside", watch_outside)
    return made


def calm(window):
    """All that was asked has its answer."""
    questions = partial(window.findChildren, Question)
    wait_until(lambda: window.is_settled() and not any(question.is_running for question in questions()))


def asked_in_app():
    """The functions that `app` names where it asks."""
    found = set()
    for file in Path(app.__file__).parent.rglob("*.py"):
        if file.name == "evidence_questions.py":  # runs on the worker, and asks itself
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKS:
                place = ASKS[node.func.attr]
                starred = [isinstance(one, ast.Starred) for one in node.args[: place + 1]]
                if starred and not any(starred) and isinstance(function := node.args[place], ast.Name | ast.Attribute):
                    found.add(ast.unparse(function))
    found -= {"function", "self.function", "encoding"}  # one of those that follow; the last is asked of an index
    return found | {"rollout_of", "flow_of", "Attentions.thumbnails", "Attentions.small_differences", "neighbours"}


def test_no_job_holds_a_widget_and_no_key_a_reading(watched, last_snapshot, run, tmp_path, qtbot, monkeypatch):
    monkeypatch.setattr(attentions, "SMALL", 0)  # all heads are merged on the worker
    window, state = last_snapshot, last_snapshot.state

    def go(room, view):
        window.open_view(room, view)
        calm(window)
        watched.look_at_keys(window)
        return getattr(window.frame.room, "view", window.frame.room)

    def go_everywhere():
        for spec in ROOMS:
            views = spec.view_keys if spec.key != "attend" else [*(one.key for one in SPECS), *panels]
            for key in views:
                go(spec.key, key)

    attend = window.open_room("attend")
    panels = [panel.key for panel in attend.panels]
    attend.open_view("find").query.setText("previous token")
    go_everywhere()
    state.set_token_view(words=True)
    state.set_baseline(OTHER)
    go_everywhere()
    for shown in ("token", "one", "all"):
        go("embed", "map").show_vectors(shown)
        calm(window)
    go("predict", "fill").fill(1)
    go("predict", "lens").word.setText("dog")
    calm(window)
    texts = go("predict", "texts")
    texts.box.setPlainText("The cat sat.")
    texts.ask()
    state.set_baseline(OtherModel(str(run.snapshot_path(STEPS[0]))))
    go("layers", "weights").charts["words"].clicked.emit(0, Qt.KeyboardModifier.NoModifier)
    calm(window)
    state.set_baseline(OtherModel(str(make_checkpoint(tmp_path / "other-shape", layers=3, heads=2))))
    for key in ("matrix", "moved"):
        go("attend", key)
    state.set_baseline(None)
    film = go("film", "")
    wait_until(lambda: len(film.strip.film.frames) == len(STEPS))
    window.services.playback.start(tuple(run.snapshots()), 0)
    wait_until(lambda: "keep_snapshots" in watched.asked)
    window.services.playback.stop()
    calm(window)
    lesson = tmp_path / "small.md"
    lesson.write_text(LESSON, encoding="utf-8")
    window.lessons.open(lesson)
    window.findChild(ExerciseBox).mark(tmp_path / "there is none.py")
    calm(window)
    window.lessons.player.close()
    family = go("map", "family")
    family._choose(next(one for one in family.table.shown if one.name == TINY))
    family.measure.click()
    wait_until(lambda: "speed_of" in watched.asked)
    family.measured.cancel()
    window.services.open_model.open("nobody/nothing")
    wait_until(lambda: not window.services.open_model.is_opening)
    for folder in (make_model(tmp_path / "classes", "classify"), save_family("minilm", tmp_path / "minilm")):
        with qtbot.waitSignal(window.services.open_model.opened):
            window.open_model(folder)
        calm(window)
        state.set_text("The cat sat.", TEXT_B)
        go("apply", "")
        go("predict", "words")
    for made in (WatchCard, HeadsCard, BatchPage):  # of Train, of a run that is there as a folder
        card = made(RunState())
        qtbot.addWidget(card)
        card.question_requested.connect(lambda question: watched.look(question.job))
        card.show()
        card._state.show_run(read_run(run.path))
        if isinstance(card, HeadsCard):
            card.show_text("The [MASK] sat.")
        if isinstance(card, BatchPage):
            card.show_step(1)
        else:
            card._state.set_snapshots(run.snapshots())
        watched.look_at_keys(card)
    watched.look(Job(TextBatchReader.drawn, (TextBatchReader(run.path), 1)))  # asked of a run with text
    assert not watched.faults
    assert asked_in_app() <= watched.asked


class Asker(QObject):
    def ask(self, _progress):
        pass


def nothing(*_given):
    pass


def test_what_could_hold_a_widget_or_change_is_refused():
    parent, local, asker = QObject(), [1], Asker()

    def closure(_progress):
        return local

    question = Question[None](parent, nothing)
    functions = [closure, lambda _progress: None, asker.ask, partial(nothing, asker)]
    for refused in (*((one,) for one in functions), *((nothing, one) for one in ([1], {}, np.zeros(1), asker))):
        with pytest.raises(TypeError):
            question.ask(*refused, pause_ms=0)
        assert question.job is None and question.key == ()


def test_questions_never_share_a_name():
    """The worker knows a job by it: one that took over a name would end what the other has asked."""
    names = [Question[None](QObject(), nothing).kind for _ in range(50)]
    assert len(set(names)) == len(names)


def count_to(number, _progress):
    yield from range(number)
    return -1


def test_pieces_come_in_order_before_the_answer(window):
    parent, heard = QObject(), list[Any]()
    question = Question[Any](parent, heard.append, heard.append)
    question.requested.connect(window.services.inference.ask)
    question.ask(count_to, 4, pause_ms=0)
    settle(window)
    assert heard == [0, 1, 2, 3, -1] and question.answer == -1


def test_a_piece_that_nobody_waits_for_is_dropped():
    parent, heard = QObject(), list[Any]()
    question = Question[Any](parent, nothing, heard.append)
    question.ask(count_to, 4, pause_ms=0)
    first = question.job
    question.ask(count_to, 5, pause_ms=0)
    question.take(first, "of the first")
    question.cancel(can_restart=True)
    question.take(question.job, "after Stop")
    assert heard == []


SHOWN = [f"{room.key} {view}" for room in ROOMS if room.views for view in room.view_keys]


@pytest.mark.parametrize("view", [*SHOWN, *(f"attend {panel.key}" for panel in PANELS)])
def test_a_reading_that_is_off_the_screen_is_kept_by_nothing(view, window):
    """At 512 tokens a reading of BERT-base has some 200 MB, and its baseline as much."""
    state = window.state
    state.set_masks([2])
    state.set_baseline(OTHER)
    window.open_view(*view.split())
    calm(window)
    reading = state.reading
    kept = [weakref.ref(reading), weakref.ref(reading.baseline)]
    del reading
    window.open_room("train")
    state.set_baseline(None)
    state.set_text("A dog ran home.", "")
    settle(window)
    gc.collect()
    assert [one() for one in kept] == [None, None]


WAIT_S = 120


class Noted:
    """A worker, and what was reported of its jobs, in order."""

    def __init__(self, first=("read",)):
        self.worker = Worker[Callable[[], Any]](first, lambda _kind, _number, job: job(), self._report)
        self.kinds = []  # by the number of the job
        self.reports = []

    def post(self, kind, job):
        self.kinds.append(kind)
        self.worker.post(kind, len(self.kinds) - 1, job)

    def post_long(self, kind, result):
        """A job that is at work until the event is set, then looks whether it is still wanted."""
        begun, go_on = threading.Event(), threading.Event()

        def long():
            begun.set()
            assert go_on.wait(WAIT_S)
            self.worker.step(kind)
            return result

        self.post(kind, long)
        assert begun.wait(WAIT_S)
        return go_on

    def _report(self, number, result, problem):
        self.reports.append((self.kinds[number], problem or result))
        self.worker.acknowledge()


@pytest.fixture
def noted():
    made = Noted()
    yield made
    made.worker.stop()
    assert made.worker.join(WAIT_S)


def wait(worker):
    ended = threading.Event()
    while worker.is_busy:
        ended.wait(0.005)


def test_a_long_job_lets_urgent_ones_cut_in(noted):
    go_on = noted.post_long("map", "map is done")
    noted.post("other", lambda: "other")
    noted.post("read", lambda: "text")
    go_on.set()
    wait(noted.worker)
    assert noted.reports == [("read", "text"), ("map", "map is done"), ("other", "other")]


def test_a_cancelled_job_ends_at_its_next_step_and_gives_nothing(noted):
    go_on = noted.post_long("map", "never")
    noted.worker.cancel("map")
    go_on.set()
    wait(noted.worker)
    [(kind, problem)] = noted.reports
    assert kind == "map" and isinstance(problem, UnwantedError)


def test_asked_anew_the_old_job_ends_and_the_new_one_answers(noted):
    go_on = noted.post_long("map", "old")
    noted.post("map", lambda: "new")
    go_on.set()
    wait(noted.worker)
    (_, problem), new = noted.reports
    assert isinstance(problem, UnwantedError) and new == ("map", "new")


class PanicException(BaseException):
    """As a library written in Rust raises it: it ended the thread, and every model after it opened for ever."""


@pytest.mark.parametrize("problem", [ValueError("no"), PanicException("index out of bounds")])
def test_what_goes_wrong_is_reported_and_the_worker_goes_on(noted, problem):
    def broken():
        raise problem

    noted.post("one", broken)
    wait(noted.worker)
    noted.post("two", lambda: 2)
    wait(noted.worker)
    assert noted.reports == [("one", problem), ("two", 2)]


def test_stopping_ends_a_long_job_at_its_next_step():
    noted = Noted(())
    begun, closing = threading.Event(), threading.Event()

    def long():
        begun.set()
        while True:
            noted.worker.step("map")
            closing.wait(0.005)

    noted.post("map", long)
    assert begun.wait(WAIT_S)
    noted.worker.stop()
    assert noted.worker.join(WAIT_S) and isinstance(noted.reports[0][1], UnwantedError)
