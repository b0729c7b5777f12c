"""The system libraries that Qt links to and no Python package brings: which are missing, and installing them.

The names come from `readelf -d` on PySide6-Essentials 6.11: QtGui, QtWidgets, QtDBus and the platform plugins.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping

# library -> Debian package. Without these QtGui does not load, display or not.
ALWAYS = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}

# Without these no window opens on X11 (xcb) or Wayland.
DISPLAY = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}

APT_TIMEOUT_S = 600
APT_OPTIONS = ["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=2"]


def missing(libraries: Iterable[str]) -> list[str]:
    """Those of `libraries` that cannot be loaded; none on macOS and Windows, where Qt brings what it needs."""
    if not sys.platform.startswith("linux"):
        return []
    return [name for name in libraries if not _loads(name)]


def install(libraries: Iterable[str]) -> str:
    """Installs them with apt where this user may. Returns what is left to say: one sentence, or nothing."""
    libraries = list(libraries)
    packages = debian_packages(libraries, {**ALWAYS, **DISPLAY})
    if shutil.which("apt-get") is None:
        return f"Qt needs the system libraries {', '.join(libraries)}; install them with your system's package manager."
    problem = install_packages(packages, "Qt")
    if problem:
        return problem
    left = missing(libraries)
    return f"Qt still cannot load {', '.join(left)} after apt installed {' '.join(packages)}." if left else ""


def install_packages(packages: list[str], who: str) -> str:
    """With apt, for `who` needs them. Returns what is left to say: one sentence, or nothing."""
    prefix = _root_prefix()
    if prefix is None:
        return (
            f"{who} needs system packages that only an administrator can install: sudo apt install {' '.join(packages)}"
        )
    print(f"Installing system packages for {who}: {' '.join(packages)}", flush=True)
    if not (_apt(prefix, "install", packages) or (_apt(prefix, "update", []) and _apt(prefix, "install", packages))):
        return f"apt could not install the system packages that {who} needs: {' '.join(packages)}"
    return ""


def debian_packages(libraries: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Each package once, in order."""
    return list(dict.fromkeys(names[library] for library in libraries))


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _root_prefix() -> list[str] | None:
    """What to put before a command to run it as root; None where that would need a password."""
    if os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n"]
    return None


def _apt(prefix: list[str], action: str, packages: list[str]) -> bool:
    yes = ["--yes", "--no-install-recommends"] if action == "install" else []
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    command = [*prefix, *environment, "apt-get", "--quiet", *APT_OPTIONS, action, *yes, *packages]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=APT_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
