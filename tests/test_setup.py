"""The set-up: when it is done, what it asks pip and apt for, what it says when it cannot go on. Installs nothing."""

import importlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and sh are for Linux and macOS")


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """scripts/setup.py of a copy of the tree, without a .venv."""
    tree = tmp_path / "a tree"
    shutil.copytree(ROOT / "scripts", tree / "scripts")
    for name in ("pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "requirements", tree / "requirements")
    monkeypatch.syspath_prepend(str(tree / "scripts"))
    for name in ("setup", "qt_libraries"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module("setup")
    assert Path(module.__file__ or "").parent.parent == tree
    return module


def pretend_it_is_done(setup):
    setup.VENV_PYTHON.parent.mkdir(parents=True)
    setup.VENV_PYTHON.symlink_to(sys.executable)
    setup.STAMP.write_text(setup.fingerprint())


def skip(setup, monkeypatch, *steps, **answers):
    """These functions of setup do nothing, or give these answers."""
    for name, answer in {**dict.fromkeys(steps), **answers}.items():
        monkeypatch.setattr(setup, name, lambda answer=answer: answer)


def fake_program(path, script):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_it_is_done_until_the_packages_asked_for_change_or_python_goes(setup):
    assert not setup.is_done()
    pretend_it_is_done(setup)
    assert setup.is_done()
    with (setup.LOCKS / "app.txt").open("a") as file:
        file.write("another==1.0\n")
    assert not setup.is_done()
    setup.STAMP.write_text(setup.fingerprint())
    assert setup.is_done()
    setup.VENV_PYTHON.unlink()
    setup.VENV_PYTHON.symlink_to("/nowhere/python")
    assert not setup.is_done() and not setup.is_usable_venv()


def test_what_only_tests_need_is_installed_only_for_them(setup, monkeypatch, tmp_path):
    asked = tmp_path / "asked"
    pretend_it_is_done(setup)
    setup.STAMP.unlink()
    skip(setup, monkeypatch, "check_imports", "install_qt_libraries", is_usable_venv=True, torch_lock="torch.txt")
    monkeypatch.setattr(setup, "pip_command", lambda: [str(fake_program(tmp_path / "pip", f'echo "$@" >> "{asked}"'))])
    setup.set_up(with_tests=False)
    assert setup.is_done() and not setup.is_done(with_tests=True)
    lines = asked.read_text().splitlines()
    assert ["--require-hashes" in line for line in lines] == [True, True, False]  # a folder, BERTscope itself, has none
    assert "build.txt" in lines[0] and "app.txt" in lines[1] and "torch.txt" in lines[1] and "--no-deps" in lines[2]
    setup.set_up(with_tests=True)
    assert setup.is_done() and setup.is_done(with_tests=True)
    added = asked.read_text().splitlines()[3:]
    assert len(added) == 1 and "test.txt" in added[0] and "--require-hashes" in added[0]


def test_a_venv_that_was_cut_off_is_made_afresh(setup, monkeypatch):
    made = []
    monkeypatch.setattr(setup, "make_venv", lambda: made.append("venv"))
    skip(setup, monkeypatch, "install_qt_libraries", "install_app", "check_imports", is_usable_venv=True)
    pretend_it_is_done(setup)
    setup.UNFINISHED.touch()
    for _ in range(2):
        setup.set_up(with_tests=False)
        assert made == ["venv"] and setup.is_done() and not setup.UNFINISHED.exists()


def test_a_set_up_that_fails_leaves_its_mark(setup, monkeypatch, capsys):
    pretend_it_is_done(setup)
    monkeypatch.setattr(setup, "is_done", lambda with_tests: False)
    skip(setup, monkeypatch, "install_qt_libraries", is_usable_venv=True, torch_lock="torch.txt", pip_command=["false"])
    assert setup.main([]) == 1
    assert setup.UNFINISHED.exists() and not setup.STAMP.exists()
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("platform", "card", "pip", "asked"),
    [
        ("linux", False, "true", "torch-cpu.txt"),
        ("linux", False, "false", "torch.txt"),  # the index has none
        ("linux", True, "true", "torch.txt"),
        ("darwin", False, "true", "torch.txt"),
    ],
)
def test_torch_is_the_cpu_build_on_linux_without_a_card_where_the_index_has_one(
    setup, monkeypatch, platform, card, pip, asked
):
    monkeypatch.setattr(sys, "platform", platform)
    skip(setup, monkeypatch, has_nvidia_card=card, pip_command=[pip])
    assert setup.torch_lock() == asked


def test_libraries_only_an_administrator_can_install_are_named_in_a_sentence(setup, monkeypatch, tmp_path):
    libraries = setup.qt_libraries
    fake_program(tmp_path / "bin" / "apt-get", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    sentence = libraries.install(["libEGL.so.1", "libgthread-2.0.so.0", "libglib-2.0.so.0"])
    assert sentence.endswith("sudo apt install libegl1 libglib2.0-0")


def test_apt_is_asked_again_after_an_update(setup, monkeypatch, tmp_path):
    """On a fresh container apt knows no packages until `apt-get update`."""
    libraries = setup.qt_libraries
    calls, updated = tmp_path / "calls", tmp_path / "updated"
    script = f'echo "$@" >> "{calls}"; case "$*" in *update*) touch "{updated}";; *) test -e "{updated}";; esac'
    fake_program(tmp_path / "bin" / "apt-get", script)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert libraries.install(["libz.so.1"]) == ""  # there already, so that it is found afterwards
    words = [re.findall(r"(?<!-)\b(?:install|update|zlib1g)\b", line) for line in calls.read_text().splitlines()]
    assert words == [["install", "zlib1g"], ["update"], ["install", "zlib1g"]]


def test_a_display_for_the_tests_is_asked_for_once_and_its_lack_fails_nothing(setup, monkeypatch, tmp_path, capsys):
    monkeypatch.delitem(sys.modules, "display_for_tests", raising=False)
    display = importlib.import_module("display_for_tests")
    calls = tmp_path / "calls"
    apt = fake_program(tmp_path / "bin" / "apt-get", f'echo "$@" >> "{calls}"; exit 1')
    monkeypatch.setenv("PATH", str(apt.parent))  # no Xvfb there
    monkeypatch.setattr(display.qt_libraries, "missing", lambda libraries: [])
    skip(display.qt_libraries, monkeypatch, _root_prefix=["/usr/bin/env", f"PATH={apt.parent}:/usr/bin:/bin"])
    display.TRIED.parent.mkdir()
    assert display.main() == display.main() == 0
    assert len(re.findall(r"install .*xvfb", calls.read_text())) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "left out" in said[0] and said[0].endswith("needs: xvfb")


def test_an_old_python_gets_one_sentence(tmp_path):
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    old = fake_program(tmp_path / "old python", "echo 3.9")
    command = ["sh", str(tmp_path / "scripts" / "setup.sh")]
    done = subprocess.run(command, env={**os.environ, "PYTHON": str(old)}, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "needs Python 3.11 or newer" in done.stderr and "(3.9)" in done.stderr


def test_the_locks_have_every_package_of_the_project_with_hashes():
    """Where this fails after a change of pyproject.toml: `make lock`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    app, tests = (_names(group) for group in (project["dependencies"], project["optional-dependencies"]["test"]))
    texts = {file.stem: file.read_text() for file in (ROOT / "requirements").glob("*.txt")}
    assert not any("://" in text or "index" in text for text in texts.values())  # of packages: which one is your choice
    locked = {name: _locked(text) for name, text in texts.items()}
    assert app - {*locked["app"], "torch"} == set()
    assert tests - {*locked["app"], *locked["test"]} == set()
    assert locked["build"] == {"setuptools": locked["app"]["setuptools"]}
    assert not set(locked["app"]) & set(locked["test"])  # what a test alone needs is not in everyone's way
    version = locked["torch"]["torch"][0]
    assert locked["torch-cpu"]["torch"][0] == f"{version}+cpu"
    assert len(locked["torch-cpu"]["torch"][1]) >= 2 * 3  # x86-64 and aarch64, Python 3.11 to 3.13
    for packages in locked.values():
        assert [name for name, (_, hashes) in packages.items() if not hashes] == []


def _names(requirements):
    return {_normal(re.split(r"[<>=]", requirement)[0]) for requirement in requirements}


def _locked(text):
    """Package -> its version and the hashes of its files."""
    found = re.findall(r"(?m)^([\w.-]+)==(\S+).*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text)
    assert len(found) == len(re.findall(r"(?m)^\w", text))  # no line of another form
    return {_normal(name): (version, set(re.findall("[0-9a-f]{64}", hashes))) for name, version, hashes in found}


def _normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_a_line_on_why_it_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = _names([*project["dependencies"], *extras["parquet"], *extras["test"]])
    rows = [line for line in (ROOT / "docs" / "dependencies.md").read_text().splitlines() if line.startswith("| ")]
    named = _normal(" ".join(line.split("|")[1] for line in rows)).replace(", -", " pytest-")
    assert [name for name in wanted if name not in re.split(r"[ ,();]+", named)] == []


# A run that a fixture of the module makes, before any test has a home of its own; and a window.
SUBSET = (
    "tests/engine/test_finetune.py::test_it_learns_and_says_how_well",
    "tests/app/test_window.py::test_typing_updates_strip_and_room",
)


def test_the_tests_write_nothing_into_the_home_folder(tmp_path):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("BERTSCOPE_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *SUBSET]
    env = {**inherited, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout
    assert not (tmp_path / ".bertscope").exists()
