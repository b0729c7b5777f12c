"""A wheel installs into any environment and works outside the checkout, and takes no names that are not its own."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
import bertcore
from bertcore import locations
from bertcore.tasks.readers.reading import sample_folder, task_named

m = bertcore.load("bertscope-tiny")
assert len(m.fill("The cat sat on the [MASK].", top=5)[0]) == 5
assert sample_folder(task_named("sst2")).is_dir() and locations.sample_corpus().is_file()
print(bertcore.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import from, with what a wheel of a copy of this tree holds."""
    tree, target = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("installed")
    for name in ("bertcore", "app", "assets"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", "-w", "dist", "."]
    subprocess.run(command, cwd=tree, check=True)
    (wheel,) = (tree / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def python(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
class TestWheel:
    def test_it_has_no_names_that_any_program_could_have(self, installed: Path) -> None:
        names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
        assert names == {"bertcore", "bertscope"}
        assert (installed / "bertcore" / "py.typed").is_file()

    def test_it_works_outside_the_checkout(self, installed: Path, tmp_path: Path) -> None:
        done = python(installed, tmp_path, "-c", PROGRAM)
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()).is_relative_to(installed)

    def test_its_window_knows_no_other_name(self, installed: Path, tmp_path: Path) -> None:
        program = "import sys, bertscope.shell.window; print([m for m in sys.modules if m.split('.')[0] == 'app'])"
        done = python(installed, tmp_path, "-c", program)
        assert done.returncode == 0 and done.stdout.strip() == "[]", done.stderr

    def test_its_shell_fills_a_mask(self, installed: Path, tmp_path: Path) -> None:
        done = python(installed, tmp_path, "-m", "bertcore", "fill", "--a", "The cat sat on the [MASK].")
        assert done.returncode == 0 and "%" in done.stdout, done.stderr
