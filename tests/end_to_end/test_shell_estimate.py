"""`--estimate` says what a run would take, and trains nothing."""

import json
from pathlib import Path

import pytest

from bertcore.locations import home
from bertcore.runs.known_runs import known_runs
from tests.end_to_end.shell import Shell


def test_both_are_printed_and_nothing_is_trained(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertcore.training.trial_run.TRIAL_S", 0.2)
    told = shell("finetune", "sst2", "--max-examples", "16", "--steps", "2", "--estimate", "--json")
    assert told.code == 0, told.err
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert [line["kind"] for line in lines] == ["data", "estimate"]
    assert lines[0]["train"] == 16 and lines[1]["steps"] == 2
    assert not [run for run in known_runs() if home() in run.parents]


def test_a_fault_is_shown_with_its_lines(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text("text\tlabel\nOne.\ta\nTwo.\tb\nThree, without a label.\n")
    told = shell("finetune", "classify", "--train", file, "--estimate")
    assert told.code == 2 and "mine.tsv, line 4" in told.err
    assert "3  Two.\tb" in told.out and "4  Three, without a label." in told.out
