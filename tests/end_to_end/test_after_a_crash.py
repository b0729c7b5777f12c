"""A crash costs nothing: the next start says so and brings back text, model, room, lesson and what was typed there."""

import json
import os
import signal

import pytest

from app.lessons.shipped import tour_file
from tests.end_to_end.crashing_window import LESSON, TEXT, TYPED
from tests.end_to_end.shell import run_python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a crash has another exit code there")


def run(how, home, offer="unexpectedly"):
    return run_python("-m", "tests.end_to_end.crashing_window", how, offer, BERTSCOPE_HOME=str(home))


def test_what_was_on_show_comes_back(tmp_path):
    crashed = run("crash", tmp_path)
    assert crashed.returncode == -signal.SIGSEGV, crashed.stderr
    restored = run("restore", tmp_path)
    assert restored.returncode == 0, restored.stderr
    shown = json.loads(restored.stdout)
    assert (shown["text"], shown["lesson"], shown["typed"]) == (TEXT, LESSON.name, TYPED)
    assert shown["is_question"] and shown["model"] == "bertscope-mini"
    (log,) = (tmp_path / "crashes").glob("*/log.txt")
    said = log.read_text(encoding="utf-8")
    assert said.startswith("BERTscope ") and "Segmentation fault" in said and "work_and_crash" in said
    again = run("restore", tmp_path, "was open when BERTscope was closed")  # in the middle of the lesson
    assert again.returncode == 0, again.stderr
    shown = json.loads(again.stdout)
    assert (shown["text"], shown["lesson"], shown["typed"]) == (TEXT, LESSON.name, TYPED) and shown["is_question"]


def test_an_offer_that_nobody_has_answered_is_made_again(tmp_path):
    left = tmp_path / "windows" / "20260101-000000-0"
    left.mkdir(parents=True)
    progress = {"file": str(tour_file()), "page": 2, "choices": {}, "revealed": []}
    (left / "lesson.json").write_text(json.dumps({"format_version": 1, **progress}), encoding="utf-8")
    answered = {"format_version": 1, "name": "", "lesson": "A tour", "answers": []}
    (left / "hand-in.answers.json").write_text(json.dumps(answered), encoding="utf-8")
    for _ in range(2):
        looked = run("look", tmp_path, "“A tour” was open when BERTscope was closed, at page 3")
        assert looked.returncode == 0 and json.loads(looked.stdout)["offer"]


def test_a_window_without_a_lesson_leaves_nothing(tmp_path):
    for _ in range(2):
        looked = run("look", tmp_path)
        assert looked.returncode == 0 and not json.loads(looked.stdout)["offer"]
    assert list((tmp_path / "windows").iterdir()) == []


def test_what_is_damaged_is_said_in_one_sentence(tmp_path):
    left = tmp_path / "windows" / "20260101-000000-0"
    left.mkdir(parents=True)
    for text in ("{", '{"format_version": 1, "file": "x.md", "page": 1, "choices": [], "revealed": []}'):
        (left / "lesson.json").write_text(text, encoding="utf-8")
        looked = run("look", tmp_path, "its file is damaged")
        assert looked.returncode == 0 and json.loads(looked.stdout)["offer"]


def test_a_window_that_is_at_work_is_not_taken_for_a_crash(tmp_path):
    from filelock import FileLock

    other = tmp_path / "windows" / "20260101-000000-0"
    other.mkdir(parents=True)
    with FileLock(f"{other}.lock"):
        looked = run("look", tmp_path)
    assert looked.returncode == 0 and not json.loads(looked.stdout)["offer"] and other.is_dir()
