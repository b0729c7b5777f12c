"""Keys and clicks in every field and button of every room, dialog and lesson: none brings the program down."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEYS = "Enter", "Escape", "Space", "click"
LEAST = {"rooms": 200, "dialogs": 25, "lessons": 60}  # controls that are found, for each key


def press(*keys: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.end_to_end.pressing_window", *keys],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    pressed = {where: int(count) for where, count in re.findall(r"(\w+) (\d+)", done.stdout)}
    assert pressed.keys() == LEAST.keys()
    assert all(pressed[where] >= least * len(keys) for where, least in LEAST.items()), pressed


def test_enter_in_every_field_and_button() -> None:
    press("Enter")


@pytest.mark.slow
def test_every_key_and_a_click_in_every_field_and_button() -> None:
    press(*KEYS)
