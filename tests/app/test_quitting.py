"""A person quits while something is under way: the process ends at once, with 0 and without a word."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUSY = ("computing", "dialog")


def quit_while(how: str, model: Path, home: Path) -> None:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "OMP_NUM_THREADS": "1",
        "BERTSCOPE_HOME": str(home),
        "PYTHONPATH": str(REPOSITORY),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.app.quitting_window", how, str(model), "--theme", "light"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, said) == (0, []), done.stderr
    assert done.stdout == "busy\n"


@pytest.mark.parametrize("how", BUSY)
def test_a_busy_window_is_quit(how: str, model_folder: Path, tmp_path: Path) -> None:
    quit_while(how, model_folder, tmp_path / "home")


@pytest.mark.slow
@pytest.mark.parametrize("how", BUSY)
def test_a_busy_window_is_quit_ten_times(how: str, model_folder: Path, tmp_path: Path) -> None:
    for number in range(10):
        quit_while(how, model_folder, tmp_path / f"home-{number}")
