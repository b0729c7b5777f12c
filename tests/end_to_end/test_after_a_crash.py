"""A crash costs nothing: the next start says so and brings back text, model, room, lesson and what was typed there."""

import json
import os
import signal

import pytest

from tests.end_to_end.crashing_window import LESSON, TEXT, TYPED
from tests.end_to_end.shell import run_python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a crash has another exit code there")


def run(how, home):
    return run_python("-m", "tests.end_to_end.crashing_window", how, BERTSCOPE_HOME=str(home))


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
    assert list((tmp_path / "windows").iterdir()) == []
    again = run("look", tmp_path)
    assert again.returncode == 0 and not json.loads(again.stdout)["offer"]


def test_a_window_that_is_at_work_is_not_taken_for_a_crash(tmp_path):
    from filelock import FileLock

    other = tmp_path / "windows" / "20260101-000000-0"
    other.mkdir(parents=True)
    with FileLock(f"{other}.lock"):
        looked = run("look", tmp_path)
    assert looked.returncode == 0 and not json.loads(looked.stdout)["offer"] and other.is_dir()
