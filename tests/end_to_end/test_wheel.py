"""A wheel installs into any environment and works outside the checkout, and takes no names that are not its own."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EVERY_ROOM = Path(__file__).with_name("every_room.py")
PROGRAM = """
import bertcore
from bertcore import locations
from bertcore.tasks.readers.reading import sample_folder, task_named

m = bertcore.load("bertscope-tiny")
assert len(m.fill("The cat sat on the [MASK].", top=5)[0]) == 5
assert sample_folder(task_named("sst2")).is_dir() and locations.sample_corpus().is_file()
print(bertcore.__file__)
"""


MOST_MB = 100  # what the Python Package Index takes of one file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Of a copy of this tree."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("bertcore", "app", "assets"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", "-w", "dist", "."]
    subprocess.run(command, cwd=tree, check=True)
    (made,) = (tree / "dist").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The bin folder of an environment with nothing but the wheel, and the packages it needs from this one."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet", str(wheel)]
    subprocess.run(command, check=True)
    (site,) = (environment / "lib").glob("python*/site-packages")
    # A folder that a .pth names is searched, but its own .pth files are not read: BERTscope's tree stays unknown.
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin"


def run(program, cwd, *arguments):
    env = {"HOME": str(cwd), "PATH": "/usr/bin:/bin", "BERTSCOPE_HOME": str(cwd / "home")}
    command = [str(program), *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.skipif(os.name == "nt", reason="the paths are those of Linux and macOS")
class TestWheel:
    def test_it_is_small_enough_to_send(self, wheel):
        assert wheel.stat().st_size < MOST_MB * 1e6

    def test_it_has_no_names_that_any_program_could_have(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"bertcore", "bertscope"}
        assert "bertcore/py.typed" in names

    def test_it_works_outside_the_checkout(self, installed, tmp_path):
        done = run(installed / "python", tmp_path, "-c", PROGRAM)
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()).is_relative_to(installed.parent)

    def test_its_window_knows_no_other_name(self, installed, tmp_path):
        program = "import sys, bertscope.shell.window; print([m for m in sys.modules if m.split('.')[0] == 'app'])"
        done = run(installed / "python", tmp_path, "-c", program)
        assert done.returncode == 0 and done.stdout.strip() == "[]", done.stderr

    def test_its_shell_fills_a_mask(self, installed, tmp_path):
        done = run(installed / "bertcore", tmp_path, "fill", "--a", "The cat sat on the [MASK].")
        assert done.returncode == 0 and "%" in done.stdout, done.stderr

    def test_its_window_draws_every_room_and_says_its_version(self, installed, tmp_path):
        said = run(installed / "bertscope", tmp_path, "--version").stdout
        assert said == f"bertscope {version('bertscope')}\n"
        done = run(installed / "python", tmp_path, "-c", EVERY_ROOM.read_text(encoding="utf-8"), "pictures")
        assert done.returncode == 0, done.stderr
        drawn = {file.name for file in (tmp_path / "pictures").glob("*.png")}
        assert len(drawn) > 30
        for key in ("map", "embed", "attend", "predict", "layers", "train", "apply"):
            assert any(key in name for name in drawn), key
