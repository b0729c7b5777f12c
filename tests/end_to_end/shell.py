"""Calling `bertcore` from a test, and looking at how it answers."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAIR = ("--a", "The cat sat.", "--b", "It was comfortable!")
SMALL = ("--preset", "tiny", "--vocab-size", "120", "--batch-size", "4", "--sequence-length", "16")
SMALL = (*SMALL, "--threads", "1", "--precision", "fp32")


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self):
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def sentence(self):
        """What a refused command says, after checking that it is refused well."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == "" and "Traceback" not in self.err
        assert self.err.startswith("bertcore: ") and self.err.count("\n") == 1 and self.err.endswith(".\n"), self.err
        return self.err.removeprefix("bertcore: ").strip()


def run_python(*arguments, cwd=ROOT, **environment):
    """Python in a process of its own, where it finds the repository; a variable that is None is left out."""
    given = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), **environment}
    env = {name: value for name, value in given.items() if value is not None}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def in_own_process(*arguments, **environment):
    done = run_python("-m", "bertcore", *arguments, **environment)
    return Answer(done.returncode, done.stdout, done.stderr)
