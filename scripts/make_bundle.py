"""A folder in which BERTscope runs without Python, and a Debian package of it: `make bundle` (docs/bundle.md).

The folder is this Python, the packages of .venv without what is for developers, and BERTscope as its wheel has it.
Libraries of the system go along in two kinds: those that Python links to are always used; those that Qt and torch link
to only where the system has none, because its graphics drivers need its own.
"""

from __future__ import annotations

import compileall
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from app.shell.installed_packages import packages
from bertcore.runs.environment import BERTSCOPE, version_of

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
OUT = ROOT / "build" / "bundle"
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
NOT_RUN = ("setuptools",)  # torch asks for it, for building extensions
QT_LIBRARIES = "Core|Gui|Widgets|OpenGL|OpenGLWidgets|DBus|Svg|XcbQpa|WaylandClient|WlShellIntegration"
QT_PLUGINS = "platforms|platformthemes|platforminputcontexts|imageformats|iconengines|wayland-(?:shell|decoration)[^/]*"
FOR_DEVELOPERS = re.compile(
    r"\.(?:pyi|pxd|c|cpp|h|hpp|a|lib|cmake)$|(?:^|/)tests?/"
    r"|^torch/(?:bin/(?!torch_shm_manager)|(?:include|share)/)|^torch/lib/[^/]*_test\.so$"
    r"|^numpy/_core/include/|^pyqtgraph/examples/"
    r"|^PySide6/(?!Qt/|__init__\.py|_config\.py|_git_pyside_version\.py|support/|libpyside6\.abi3|Qt(?:Core|Gui|Widgets|Svg|OpenGL|OpenGLWidgets)\.abi3)"
    rf"|^PySide6/Qt/(?!lib/|plugins/(?:{QT_PLUGINS})/|translations/qt(?:base)?_de\.qm)"
    rf"|^PySide6/Qt/lib/(?!libicu|libQt6(?:{QT_LIBRARIES})\.so)"
    r"|^PySide6/Qt/plugins/(?:platforms/libq(?:eglfs|vnc|linuxfb|minimalegl|vkkhrdisplay)|platformthemes/libqgtk3)"
)
NOT_OF_PYTHON = re.compile(
    r"^(?:test|idlelib|tkinter|turtledemo|lib2to3|ensurepip|pydoc_data|sqlite3|curses|dbm|site-packages|config-[^/]*)/"
    r"|(?:^|/)tests?/|^lib-dynload/(?:_tkinter|_test|_curses|_sqlite3|_dbm|_gdbm|_crypt|readline|nis|ossaudiodev|spwd|_ctypes_test|xxlimited)"
)
OF_THE_SYSTEM = re.compile(
    r"^(?:ld-linux.*|lib(?:c|m|dl|rt|pthread|util|resolv)\.so\.\d+|linux-vdso.*)$"
)  # the C library
CORE = ("libgcc_s.so.1", "libstdc++.so.6")  # without a window, too
LICENCES_OF_QT = ("LGPL-3", "GPL-3")  # PySide6's wheels have none


def main() -> int:
    if not sys.platform.startswith("linux"):
        print(
            "make bundle has been tried on Linux alone; docs/bundle.md says what is known of other systems.",
            file=sys.stderr,
        )
        return 1
    if "+cpu" not in (version_of("torch") or ""):
        print(
            "The bundle takes torch's CPU build, and .venv has another: TORCH_INDEX=... make clean setup.",
            file=sys.stderr,
        )
        return 1
    name = f"{BERTSCOPE}-{version_of(BERTSCOPE)}-linux-{platform.machine()}"
    folder = OUT / name
    shutil.rmtree(OUT, ignore_errors=True)
    copy_python(folder / "python")
    site = folder / "python" / "lib" / PYTHON / "site-packages"
    copy_packages(site)
    unpack_wheel(site)
    copy_libraries(folder)
    copy_licences(folder / "python" / "share" / BERTSCOPE / "licences")
    for program in ("bertscope", "bertcore"):
        write_program(
            folder / program, (PACKAGING / "start.sh").read_text(encoding="utf-8").replace("PROGRAM", program)
        )
    shutil.copy(PACKAGING / "sitecustomize.py", site)
    compileall.compile_dir(str(folder / "python" / "lib"), quiet=2)
    print(f"{folder.relative_to(ROOT)}: {megabytes(folder):,.0f} MB")
    package = make_deb(folder)
    print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:,.0f} MB")
    return 0


def copy_python(target: Path) -> None:
    """The interpreter and its library, at places from which it finds the one from the other."""
    (target / "bin").mkdir(parents=True)
    shutil.copy2(Path(getattr(sys, "_base_executable", "") or sys.executable).resolve(), target / "bin" / "python3")
    library = Path(sysconfig.get_path("stdlib"))
    copy_tree(library, target / "lib" / PYTHON, NOT_OF_PYTHON)


def copy_packages(site: Path) -> None:
    for package in packages():
        if package.name in (BERTSCOPE, *NOT_RUN):
            continue
        there = distribution(package.name)
        for file in there.files or ():
            relative = file.as_posix()
            source, target = Path(str(file.locate())), site / relative
            is_wanted = not relative.startswith("..") and not FOR_DEVELOPERS.search(relative)
            if is_wanted and source.is_file() and not target.exists():
                link_or_copy(source, target)


def unpack_wheel(site: Path) -> None:
    """Of a copy of the tree: in the tree itself setuptools would leave a build folder, and take old files from it."""
    tree = OUT / "tree"
    for name in ("bertcore", "app", "assets"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
        "-w",
        str(OUT),
        ".",
    ]
    subprocess.run(command, cwd=tree, check=True)
    shutil.rmtree(tree)
    (wheel,) = OUT.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)


def copy_libraries(folder: Path) -> None:
    """lib: what Python links to; lib/core and lib/window: what torch and Qt do, with the order to load them in."""
    site = folder / "python" / "lib" / PYTHON / "site-packages"
    own = [folder / "python" / "bin" / "python3", *(folder / "python" / "lib" / PYTHON / "lib-dynload").glob("*.so")]
    for name, path in needed(own, {}).items():
        link_or_copy(path, folder / "lib" / name)
    inside = {file.name for file in site.rglob("*.so*")} | {file.name for file in (folder / "lib").iterdir()}
    others = needed([file for file in site.rglob("*.so*") if file.is_file()], {})
    groups: dict[str, list[str]] = {"core": [], "window": []}
    for name, path in others.items():
        if name not in inside:
            group = "core" if name in CORE else "window"
            groups[group].append(name)
            link_or_copy(path, folder / "lib" / group / name)
    for group, names in groups.items():
        (folder / "lib" / group / "order").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def needed(files: list[Path], found: dict[str, Path]) -> dict[str, Path]:
    """Name -> file of all libraries of the system that these link to, each after those that it needs itself."""
    for file in files:
        said = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", said, re.MULTILINE):
            is_ours = Path(path).is_relative_to(OUT)
            if name in found or OF_THE_SYSTEM.match(name) or is_ours:
                continue
            needed([Path(path)], found)
            found.setdefault(name, Path(path))
    return found


def copy_licences(target: Path) -> None:
    """Of the system's libraries, from the Debian packages that they are of; and Qt's."""
    target.mkdir(parents=True)
    names = "|".join(re.escape(file.name) for file in (target.parents[3] / "lib").rglob("*.so*"))
    owners = subprocess.run(["dpkg", "--search", "*.so*"], capture_output=True, text=True, check=False).stdout
    found = {line.split(":")[0] for line in owners.splitlines() if re.search(rf"/(?:{names})$", line)}
    for package in sorted(found):
        file = Path("/usr/share/doc") / package / "copyright"
        if file.is_file():
            shutil.copy(file, target / f"{package}.txt")
    for name in LICENCES_OF_QT:
        shutil.copy(Path("/usr/share/common-licenses") / name, target / f"Qt and PySide6 ({name}).txt")


def make_deb(folder: Path) -> Path:
    """With the desktop entry, the icon and the type of sessions, which open on a double click."""
    version, machine = str(version_of(BERTSCOPE)), {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    tree = OUT / "deb"
    shutil.copytree(folder, tree / "usr" / "lib" / BERTSCOPE, copy_function=link_or_copy, symlinks=True)
    for program in ("bertscope", "bertcore"):
        write_program(tree / "usr" / "bin" / program, f'#!/bin/sh\nexec /usr/lib/{BERTSCOPE}/{program} "$@"\n')
    for name, place in (
        ("bertscope.desktop", "applications"),
        ("bertscope-session.xml", "mime/packages"),
        ("bertscope.svg", "icons/hicolor/scalable/apps"),
    ):
        link_or_copy(PACKAGING / name, tree / "usr" / "share" / place / name)
    control = (PACKAGING / "control").read_text(encoding="utf-8")
    values = {"VERSION": version, "ARCHITECTURE": machine, "SIZE": f"{megabytes(folder) * 1e6 / 1024:.0f}"}
    values["LIBC"] = platform.libc_ver()[1]  # its libraries were linked to this one
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN" / "control").write_text(re.sub("VERSION|ARCHITECTURE|SIZE|LIBC", lambda m: values[m[0]], control))
    package = OUT / f"{BERTSCOPE}_{version}_{machine}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z10", "--build", str(tree), str(package)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shutil.rmtree(tree)
    return package


def copy_tree(source: Path, target: Path, leave_out: re.Pattern[str]) -> None:
    for file in source.rglob("*"):
        relative = file.relative_to(source).as_posix()
        if file.is_file() and not leave_out.search(relative) and "site-packages/" not in relative:
            link_or_copy(file, target / relative)


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """A second name of the same file where the disk allows it: nothing here is changed afterwards."""
    source, target = Path(source).resolve(), Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def write_program(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
