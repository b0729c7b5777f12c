"""A training run for the tour: at work while it is looked at, in a folder of its own, and gone afterwards."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bertcore.locations import TINY, assets

from ..runs.process import child_environment

SAMPLE = assets() / "tasks" / "names"


@contextmanager
def sample_run() -> Iterator[Path]:
    """The tiny model learns to find names in a sample file, for longer than a tour takes. The person's own runs do not
    learn of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        run = Path(home) / "names"
        settings = {"train": SAMPLE, "model": TINY, "name": run.name, "steps": 5000, "evaluations": 1, "threads": 1}
        flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "bertcore", "finetune", "conll2003", *flags, "--out", str(run)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**child_environment(), "BERTSCOPE_HOME": home},
        )
        try:
            yield run
        finally:
            child.terminate()
            child.wait()
