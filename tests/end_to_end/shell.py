"""Calling `bertcore` from a test, and looking at how it answers."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PAIR = ("--a", "The cat sat.", "--b", "It was comfortable!")
SMALL = ("--preset", "tiny", "--vocab-size", "120", "--batch-size", "4", "--sequence-length", "16")
SMALL = (*SMALL, "--threads", "1", "--precision", "fp32")


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """What a refused command says, after checking that it is refused well."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == "" and "Traceback" not in self.err
        assert self.err.startswith("bertcore: ") and self.err.count("\n") == 1 and self.err.endswith(".\n"), self.err
        return self.err.removeprefix("bertcore: ").strip()


Shell = Callable[..., Answer]


def in_own_process(*arguments: str, **environment: str) -> Answer:
    command = [sys.executable, "-m", "bertcore", *arguments]
    done = subprocess.run(command, capture_output=True, env={**os.environ, **environment})
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
