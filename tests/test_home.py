"""The tests leave the person's own BERTscope folder alone: what they train is no run of anybody's."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# A run that a fixture of the module makes, before any test has a home of its own; and a window.
SUBSET = (
    "tests/engine/test_finetune.py::test_it_learns_and_says_how_well",
    "tests/app/test_window.py::test_typing_updates_strip_and_room",
)


def test_the_tests_write_nothing_into_the_home_folder(tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("BERTSCOPE_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *SUBSET],
        cwd=ROOT,
        env={**inherited, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
    assert not (tmp_path / ".bertscope").exists()
