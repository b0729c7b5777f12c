"""A short round of `make fuzz` with the tests: every reader takes its sound files, and some damaged ones."""

import subprocess
import sys
from functools import cache

import pytest
from hypothesis import HealthCheck, given, seed, settings

from benchmarks.fuzz import MOST_MIB, problem_with
from benchmarks.fuzz_readers import Reader, damaged, readers
from benchmarks.measured import Outcome, measured
from bertcore.errors import BertcoreError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
INPUTS = 25
INPUTS_IN_A_PROCESS = 4  # that torch reads first in a process of its own, which takes some seconds to start


@cache
def made(name):
    return readers()[name]()


@pytest.mark.parametrize("name", readers())
def test_sound_files_are_read(name):
    reader = made(name)
    for file, content in reader.seeds.items():
        assert problem_with(reader, file, content) is None


@pytest.mark.parametrize("name", readers())
def test_damaged_files_are_read_or_refused(name):
    reader = made(name)

    @seed(1)
    @settings(
        max_examples=INPUTS_IN_A_PROCESS if name == "pickled" else INPUTS,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(reader.seeds))
    def try_some(case):
        problem = problem_with(reader, *case)
        assert problem is None, problem

    try_some()


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("recipe", "recipe.json", b'{"a\\nb": 1}'),
        ("resume", "training_state.json", b'{"a\\nb": 1, "samplers": {}}'),
        ("task-classify", "train.csv", b"\x1b[2Jtext,label\ngood,a\nbad,b\n"),
    ],
)
def test_what_was_found(name, file, content):
    """Each of these was a finding once."""
    assert problem_with(made(name), file, content) is None


def test_what_a_finding_is(monkeypatch):
    def says(sentence):
        def read(_):
            raise BertcoreError(sentence)

        return Reader(read, {"a": b""}, {})

    assert problem_with(says("The file a is damaged."), "a", b"") is None
    assert "single sentence" in (problem_with(says("One.\nTwo."), "a", b"") or "")
    assert "ZeroDivisionError" in (problem_with(Reader(lambda _: 1 / 0, {"a": b""}, {}), "a", b"") or "")
    needs_much = Outcome(None, None, mib=MOST_MIB + 1, seconds=0.1)
    monkeypatch.setattr("benchmarks.fuzz.measured", lambda action: needs_much)
    assert "MiB" in (problem_with(Reader(lambda _: None, {"a": b""}, {}), "a", b"") or "")


def test_the_peak_of_memory_is_measured():
    """In a small process: the system may page out a large one's libraries meanwhile, which then seem to be a gain."""
    program = "from benchmarks.measured import Outcome, measured; print(measured(lambda: b'x' * (400 << 20)).mib)"
    peak = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert 300 < float(peak) < 500
    assert measured(lambda: None).mib < 50
