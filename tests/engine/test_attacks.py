"""Files made to exhaust memory or time end in one sentence that names the file, or are read, within 500 MB and seconds.

Each group runs in a process of its own (attacks.py), which the system limits.
"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.engine.attacks import GROUPS
from tests.engine.models import tiny_checkpoint

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")

ROOT = Path(__file__).parents[2]
MOST_MIB, MOST_SECONDS = 500, 10
# Large, and no attack
ARE_READ = ("8 GB of an unknown tensor", "one word", "a book in a line", "20,000 columns", "5,000 labels")
ARE_READ = (*ARE_READ, "many added in turn")


@pytest.fixture(scope="session")
def outcomes(tmp_path_factory):
    checkpoint = tiny_checkpoint(tmp_path_factory.mktemp("sound"))

    @cache
    def of_group(group):
        folder = tmp_path_factory.mktemp(group)
        command = [sys.executable, "-m", "tests.engine.attacks", str(folder), str(checkpoint), group]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == 0, (done.stderr[-2000:], lines[-1:])
        return {line["name"]: line for line in lines}

    return of_group


CASES = [
    pytest.param(group, name, marks=[pytest.mark.slow] if group == "slow" else [])
    for group, attacks in GROUPS.items()
    for name in attacks
]


@pytest.mark.parametrize(("group", "name"), CASES)
def test_an_attack_ends_in_one_sentence(outcomes, group, name):
    outcome = outcomes(group)[name]
    assert outcome["broke"] is None, outcome["broke"]
    assert outcome["mib"] < MOST_MIB and outcome["seconds"] < MOST_SECONDS, outcome
    if name in ARE_READ:
        assert outcome["said"] is None
    else:
        sentence = outcome["said"]
        assert sentence and sentence.endswith(".") and "\n" not in sentence and len(sentence) < 2000, sentence
        assert name.split(",")[0] not in ("one line", "no blank line") or ", line " in sentence
