"""Keys and clicks in every field and button of every room, dialog and lesson: none brings the program down."""

import re

import pytest

from tests.end_to_end.shell import run_python

KEYS = "Enter", "Escape", "Space", "click"
LEAST = {"rooms": 300, "dialogs": 25, "lessons": 60}  # controls that are found, for each key


def press(*keys):
    done = run_python("-m", "tests.end_to_end.pressing_window", *keys)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    pressed = {where: int(count) for where, count in re.findall(r"(\w+) (\d+)", done.stdout)}
    assert pressed.keys() == LEAST.keys()
    assert all(pressed[where] >= least * len(keys) for where, least in LEAST.items()), pressed


def test_enter_in_every_field_and_button():
    press("Enter")


@pytest.mark.slow
def test_every_key_and_a_click_in_every_field_and_button():
    press(*KEYS)
