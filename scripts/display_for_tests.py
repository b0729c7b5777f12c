"""A display for the tests: has Xvfb installed where it is missing, and what Qt needs to open a window on it.

Tried once for each .venv. Without it the tests that drive a real window are left out, so this never fails.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import qt_libraries

TRIED = Path(__file__).resolve().parent.parent / ".venv" / "display-tried"
LEFT_OUT = "The tests of a window on a real display are left out."


def main() -> int:
    libraries = qt_libraries.missing(qt_libraries.DISPLAY)
    has_xvfb = shutil.which("Xvfb") is not None
    if not sys.platform.startswith("linux") or (has_xvfb and not libraries) or TRIED.exists():
        return 0
    packages = [*([] if has_xvfb else ["xvfb"]), *qt_libraries.debian_packages(libraries, qt_libraries.DISPLAY)]
    problem = _install(packages)
    if problem:
        print(f"{LEFT_OUT} {problem}", file=sys.stderr)
        TRIED.touch()
    return 0


def _install(packages: list[str]) -> str:
    if shutil.which("apt-get") is None:
        return "They need Xvfb; install it with your system's package manager."
    return qt_libraries.install_packages(packages, "the tests' window")


if __name__ == "__main__":
    sys.exit(main())
