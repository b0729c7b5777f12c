"""Makes `.venv` ready: pinned packages, BERTscope itself, and the system libraries Qt needs.

With `test` also what only tests, lint and translations need. With --check first it only tells, by its exit code,
whether everything is there already. Standard library only.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import qt_libraries

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LOCKS = ROOT / "requirements"  # exact versions with the hashes of their files; `make lock` writes them
STAMP = VENV / "setup-done"  # holds the fingerprint of what was installed
UNFINISHED = VENV / "setup-unfinished"  # lies there while a set-up works, and stays when it is cut off
MINIMUM_PYTHON = (3, 11)


class SetupError(Exception):
    """The set-up cannot go on; the message is one sentence for the person."""


def main(arguments: list[str]) -> int:
    with_tests = arguments[-1:] == ["test"]
    if arguments[:1] == ["--check"]:
        return 0 if is_done(with_tests) else 1
    try:
        with only_one():
            if not is_done(with_tests):
                set_up(with_tests)
    except (SetupError, OSError) as error:
        print(f"Set-up stopped: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Set-up interrupted; the next make starts it afresh.", file=sys.stderr)
        return 130
    return 0


def is_done(with_tests: bool = False) -> bool:
    """True when this tree's .venv holds what pyproject.toml and the locks ask, and Qt can be loaded."""
    return (
        os.path.exists(VENV_PYTHON)  # False, too, where this user may not look
        and STAMP.is_file()
        and STAMP.read_text(encoding="utf-8") in {fingerprint(True), fingerprint(with_tests)}
        and not qt_libraries.missing(qt_libraries.ALWAYS)
    )


def fingerprint(with_tests: bool = False) -> str:
    """Changes with the packages asked for and with the place of the tree: a .venv cannot be moved."""
    files = (ROOT / "pyproject.toml", ROOT / "setup.py", *sorted(LOCKS.glob("*.txt")))
    parts = [*(file.read_bytes() for file in files), os.fsencode(ROOT)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest() + (" with tests" if with_tests else "")


def set_up(with_tests: bool) -> None:
    had_tests = STAMP.is_file() and STAMP.read_text(encoding="utf-8").endswith(" with tests")
    with_tests = with_tests or had_tests  # which are to fit what is installed now
    print("Setting up BERTscope in .venv: a few minutes the first time.", flush=True)
    install_qt_libraries()
    has_app = STAMP.is_file() and STAMP.read_text(encoding="utf-8") == fingerprint() and not UNFINISHED.exists()
    STAMP.unlink(missing_ok=True)
    if UNFINISHED.exists() or not is_usable_venv():
        make_venv()
        has_app = False
    UNFINISHED.touch()  # a .venv of an earlier set-up is being changed
    if not has_app:
        install_app()
    if with_tests:
        install("what the tests need", "test.txt")
    check_imports()
    UNFINISHED.unlink()
    STAMP.write_text(fingerprint(with_tests), encoding="utf-8")
    print("BERTscope is set up.", flush=True)


def install_qt_libraries() -> None:
    """Without those in ALWAYS there is no test and no window; the others matter only to a person with a display."""
    needed = qt_libraries.missing(qt_libraries.ALWAYS)
    wanted = qt_libraries.missing(qt_libraries.DISPLAY)
    if not (needed or wanted):
        return
    problem = qt_libraries.install([*needed, *wanted])
    if problem and qt_libraries.missing(qt_libraries.ALWAYS):
        raise SetupError(problem)
    if problem and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        print(f"The window may not open: {problem}", file=sys.stderr)


def is_usable_venv() -> bool:
    """True when .venv has a Python that is new enough, with a working pip."""
    check = f"import sys, pip; sys.exit(sys.version_info < {MINIMUM_PYTHON})"
    try:
        return subprocess.run([VENV_PYTHON, "-c", check], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_venv() -> None:
    """A fresh .venv. Debian's Python comes without `ensurepip`; then its own pip puts one in."""
    python = getattr(sys, "_base_executable", None) or sys.executable  # not the .venv that may be active
    has_ensurepip = importlib.util.find_spec("ensurepip") is not None
    if not has_ensurepip and not has_pip(python):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetupError(f"this Python has neither pip nor ensurepip; install python{version}-venv, then try again.")
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    shutil.rmtree(VENV, ignore_errors=True)
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    extra = [] if has_ensurepip else ["--without-pip"]
    run([python, "-m", "venv", *extra, str(VENV)], f"no virtual environment could be made in {VENV}")
    if not has_ensurepip:
        run([python, "-m", "pip", "--python", str(VENV_PYTHON), "install", "-q", "pip"], "pip could not be installed")


def has_pip(python: str) -> bool:
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def install_app() -> None:
    """The packages at their pinned versions, torch in the build that fits, BERTscope as an editable install."""
    install("what builds packages", "build.txt")
    install("the packages", "app.txt", torch_lock())
    pip(["--no-deps", "--no-build-isolation", "--editable", "."], "BERTscope itself could not be installed")


def install(what: str, *locks: str) -> None:
    """Exactly the files whose hashes are in the locks."""
    files = [part for lock in locks for part in ("--requirement", str(LOCKS / lock))]
    # font-roboto and rouge-score come as source: no isolation, so that a pinned setuptools builds them
    pip(["--require-hashes", "--no-build-isolation", *files], f"pip could not install {what}; its message says why")


def torch_lock() -> str:
    """On a Linux without an NVIDIA card the CPU build, if the package index offers one; else what pip takes."""
    if not sys.platform.startswith("linux") or has_nvidia_card():
        return "torch.txt"
    wanted = ["--no-deps", "--require-hashes", "--requirement", str(LOCKS / "torch-cpu.txt")]
    looked = subprocess.run(
        [*pip_command(), "install", "--dry-run", "--quiet", *index_options(), *wanted],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if looked.returncode == 0:
        return "torch-cpu.txt"
    print(
        "Your package index does not offer the CPU build of torch: taking the full one, several GB on some machines. "
        "TORCH_INDEX=<address of an index that has it> avoids that.",
        flush=True,
    )
    return "torch.txt"


def has_nvidia_card() -> bool:
    if Path("/proc/driver/nvidia/version").exists():
        return True
    tool = shutil.which("nvidia-smi")
    return tool is not None and subprocess.run([tool, "-L"], capture_output=True, check=False).returncode == 0


def pip(arguments: list[str], failed: str) -> None:
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    run([*pip_command(), "install", *quiet, *index_options(), *arguments], failed)


def pip_command() -> list[str]:
    return [str(VENV_PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input"]


def index_options() -> list[str]:
    """TORCH_INDEX in the environment names one more package index to look for torch in."""
    index = os.environ.get("TORCH_INDEX")
    return ["--extra-index-url", index] if index else []


def check_imports() -> None:
    """What was installed can be loaded here."""
    check = "import numpy, torch, tokenizers, safetensors, pyqtgraph, PySide6.QtWidgets, bertcore, bertscope"
    looked = subprocess.run([VENV_PYTHON, "-c", check], cwd=VENV, capture_output=True, text=True, check=False)
    if looked.returncode != 0:
        last_line = (looked.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(f"the packages are installed, but cannot be loaded: {last_line}")


def run(command: list[str], failed: str) -> None:
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise SetupError(f"{failed}.")


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Two makes started at the same time: the second waits for the first."""
    if os.name == "nt":
        yield
        return
    import fcntl

    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
