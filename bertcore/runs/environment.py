"""Where and with what a run computes: written beside its results, so that they can be told apart later."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertcore.files import read_json_or_empty, write_errors, write_json

if TYPE_CHECKING:
    import torch

BERTSCOPE = "bertscope"  # the package
ENVIRONMENT_FILE = "environment.json"
_PACKAGES = ("bertscope", "torch", "numpy", "tokenizers", "safetensors", "scipy")


def note_environment(run: Path, seed: int, device: torch.device, choices: Mapping[str, Any]) -> None:
    """Write it into the run's folder: of the start and of each time the run went on, the newest last."""
    file = run / ENVIRONMENT_FILE
    before = read_json_or_empty(file, to_rewrite=True).get("starts")
    with write_errors(run):
        now = {**environment(seed, device), "choices": dict(choices)}
        write_json(file, {"starts": [*(before if isinstance(before, list) else []), now]})


def environment(seed: int, device: torch.device) -> dict[str, Any]:
    """Versions, git revision, machine and seed, as plain values."""
    import torch
    import torch.distributed as dist

    return {
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": sys.argv,
        "python": platform.python_version(),
        "packages": dict(_versions()),
        "git_revision": git_revision(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "threads": torch.get_num_threads(),
        "processes": dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "seed": seed,
    }


def version_of(package: str) -> str | None:
    """None where it is not installed."""
    found = installed_package(package)
    return None if found is None else found.version


def installed_package(name: str) -> Distribution | None:
    """An .egg-info that a build left in a checkout, on whatever day, counts last."""
    found = list(distributions(name=name))
    recorded = (one for one in found if len(found) == 1 or any(file.name == "RECORD" for file in one.files or ()))
    return next(recorded, found[0] if found else None)


@cache
def git_revision() -> str | None:
    """Of the program's own clone, with "+" where files in it were changed; None where it is no clone.

    As it is when first asked: what is loaded stays. A sweep would ask for each of its runs, three processes each time.
    Installed into a folder inside another repository, it is not tracked there: that one's revision says nothing of it.
    """
    here = Path(__file__).parent
    try:
        _git(here, "ls-files", "--error-unmatch", Path(__file__).name)
        revision = _git(here, "rev-parse", "HEAD")
        return revision + ("+" if _git(here, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def memory_mib() -> float | None:
    """The most memory that this process has held so far; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)


class CoresAtWork:
    """How many cores this process keeps busy."""

    def __init__(self) -> None:
        self._since = time.perf_counter(), time.process_time()

    def since_last(self) -> float | None:
        """On average since this was last asked; None where no time has passed."""
        now = time.perf_counter(), time.process_time()
        seconds, busy_s = (after - before for after, before in zip(now, self._since, strict=True))
        self._since = now
        return round(busy_s / seconds, 2) if seconds > 0 else None


@cache
def _versions() -> dict[str, str | None]:
    return {name: version_of(name) for name in _PACKAGES}


def _memory_gib() -> float | None:
    """Of the machine; None where the system does not say."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):  # Windows
        return None


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
