"""A file tried in another process (no module here loads torch): what the library says of it, and its limits."""

import os
import threading
from pathlib import Path

import pytest

from bertcore import trial
from bertcore.trial import TrialFailed, try_file
from tests.limited import needs_limits

SMALL = """
import sys
sys.path[:] = sys.argv[6:]
import bertcore.trial as trial
trial.TRIAL_BYTES = 200 << 20
trial.run(*sys.argv[1:6])
"""


def read_well(file):
    Path(file).read_bytes()


def read_for_ever(_file):
    while True:
        pass


def wait_for_ever(_file):
    threading.Event().wait()


def read_too_much(_file):
    bytearray(500 << 20)


def end_the_process(_file):
    os.abort()


def say(file):
    """What stands in it."""
    raise ValueError(Path(file).read_text(encoding="utf-16", errors="surrogatepass"))


@pytest.fixture
def file(tmp_path):
    (tmp_path / "-a file").write_text("x")
    return tmp_path / "-a file"


def why(read, file, **limits):
    with pytest.raises(TrialFailed) as failed:
        try_file(read, file, **limits)
    return failed.value.why


def test_what_the_library_says_is_one_line(file):
    try_file(read_well, file)
    assert "No such file" in why(read_well, file.with_name("gone"))
    assert why(end_the_process, file) == ""
    for said, shortest, longest in (("x" * 10_000_000 + "\nmore", 1, 2000), ("\ud800", 0, 0), ("\n", 17, 17)):
        file.write_bytes(said.encode("utf-16", "surrogatepass"))
        assert shortest <= len(why(say, file)) <= longest
    assert why(say, file) == "it cannot be read"


@needs_limits
def test_memory_and_time_have_limits(file, monkeypatch):
    assert why(read_for_ever, file, seconds=1) == ""
    monkeypatch.setattr(trial, "_PROGRAM", SMALL)
    assert why(read_too_much, file) in ("", "it cannot be read")
    try_file(read_too_much, file, more_bytes=1 << 30)


def test_without_such_limits_it_still_ends(file, monkeypatch):
    """As on Windows, which has no module `resource`."""
    program = SMALL.replace("import sys\n", "import sys\nsys.modules['resource'] = None\n")
    monkeypatch.setattr(trial, "_PROGRAM", program)
    try_file(read_well, file)
    assert "No such file" in why(read_well, file.with_name("gone"))
    monkeypatch.setattr(trial, "_MOST_WAITING_S", 2.0)
    assert why(wait_for_ever, file) == ""
