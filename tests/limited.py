"""Code in a process of its own that may take only so much more memory, and only so much time; and files of a size."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
needs_limits = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory, as Linux has them")
_PRELUDE = """
import resource, sys
from pathlib import Path

def limit(mib):
    "From here on, so many MiB more and no further."
    lines = Path("/proc/self/status").read_text().splitlines()
    kib = next(int(line.split()[1]) for line in lines if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, ((kib + mib * 1024) * 1024,) * 2)

"""


def run_limited(code, *arguments, timeout_s=150):
    """The lines that the code printed; it calls `limit(mib)` once all is imported. Fails with what it said last."""
    command = [sys.executable, "-c", _PRELUDE + code, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout_s, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@contextmanager
def no_larger_files():
    """What is yielded sets the largest size a file may have; every write beyond it fails, as on a full disk."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
