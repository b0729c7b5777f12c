"""A person quits while something is under way: the process ends at once, with 0 and without a word."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bertcore.runs.run_folder import RunFolder

REPOSITORY = Path(__file__).resolve().parents[2]
TIMEOUT_S = 250
BUSY = ("computing", "dialog")


def quit_while(how: str, model: Path, home: Path) -> str:
    """What it said before it ended."""
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
        timeout=TIMEOUT_S,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, said) == (0, []), done.stderr
    assert done.stdout.startswith("busy\n")
    return done.stdout


@pytest.mark.parametrize("how", BUSY)
def test_a_busy_window_is_quit(how: str, model_folder: Path, tmp_path: Path) -> None:
    quit_while(how, model_folder, tmp_path / "home")


def test_a_run_goes_on_when_the_window_is_quit(model_folder: Path, tmp_path: Path) -> None:
    run = RunFolder(Path(quit_while("run", model_folder, tmp_path / "home").splitlines()[-1]))
    until = time.monotonic() + TIMEOUT_S
    while run.status().state in ("starting", "running"):
        assert time.monotonic() < until, run.status()
        time.sleep(0.1)
    assert (run.status().state, run.status().step) == ("done", 3)


@pytest.mark.slow
@pytest.mark.parametrize("how", BUSY)
def test_a_busy_window_is_quit_ten_times(how: str, model_folder: Path, tmp_path: Path) -> None:
    for number in range(10):
        quit_while(how, model_folder, tmp_path / f"home-{number}")
