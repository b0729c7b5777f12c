"""A snapshot that cannot be read just now may be whole: the run stops with a sentence and touches nothing.

Only what was read and found broken counts as damaged, and even that is kept under another name.
"""

import json
import os

import pytest
import torch

from app.runs.run_info import RunLabel, read_label, write_label
from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import read_json_or_empty
from bertcore.runs.environment import note_environment
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import can_resume
from tests.engine.runs_of_each_kind import RUNS, pretraining, story
from tests.engine.test_never_lose_a_run import undisturbed
from tests.engine.training_runs import stop_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
STATE, MOMENTS, WEIGHTS = "training_state.json", "training_state.safetensors", "model.safetensors"


def kept(run):
    """All that a run has learned."""
    return {file: file.read_bytes() for file in (run / "snapshots").rglob("*") if file.is_file()} | {
        run / name: (run / name).read_bytes() for name in ("metrics.jsonl", "config.json")
    }


@pytest.mark.parametrize(
    ("kind", "name", "error", "said"),
    [
        ("pretrain", STATE, "permission", "training_state.json cannot be read: you have no permiss"),
        ("pretrain", STATE, "memory", "There is not enough memory for this run"),
        ("pretrain", STATE, "disk", "training_state.json cannot be read: input/output error"),
        ("pretrain", MOMENTS, "permission", "training_state.safetensors cannot be read: you have n"),
        ("pretrain", WEIGHTS, "memory", "There is not enough memory for this run"),
        ("finetune", WEIGHTS, "disk", "model.safetensors cannot be read (Input/output error)"),
        ("distil", MOMENTS, "memory", "There is not enough memory for this run"),
        ("pretrain", "", "permission", "snapshots of the run {run} cannot be read: permission denied; not"),
    ],
)
def test_the_run_stops_and_goes_on_from_there_once_it_can_be_read(elsewhere, folder, run, kind, name, error, said):
    RUNS[kind](folder)(run, stop_at(run, 5))
    before = kept(run)
    end = elsewhere.train(kind, run, "unreadable", f"step-00000005/{name}" if name else "run/snapshots", error)
    assert end.code == 1 and said.format(run=run) in end.said and end.said.endswith("."), end
    assert kept(run) == before
    RUNS[kind](folder)(run)
    assert story(run) == undisturbed(folder, kind)
    assert "resumed at step 5" in (run / "log.txt").read_text()


class TestDamage:
    def test_a_damaged_snapshot_is_kept_under_another_name(self, folder, run):
        pretraining(folder)(run, stop_at(run, 5))
        snapshot = RunFolder(run).snapshot_path(5)
        for number in range(2):
            weights = (snapshot / WEIGHTS).read_bytes()
            (snapshot / STATE).write_text("{")
            pretraining(folder)(run, stop_at(run, 5))
            aside = snapshot.with_name(f"damaged-step-00000005{'-2' if number else ''}")
            assert (aside / WEIGHTS).read_bytes() == weights and (aside / STATE).read_text() == "{"
            assert f"it is kept as {aside.name}" in (run / "log.txt").read_text()
        assert [step for step, _ in RunFolder(run).snapshots()] == [0, 1, 2, 5]
        pretraining(folder)(run)
        assert story(run) == undisturbed(folder)

    @pytest.mark.parametrize("all_of_them", [False, True])
    def test_a_state_of_other_data_blocks_no_other(self, folder, run, all_of_them):
        """Where all are of other data the text has changed."""
        pretraining(folder)(run, stop_at(run, 5))
        whole = [path for _, path in RunFolder(run).snapshots() if can_resume(path)]
        for path in whole if all_of_them else whole[-1:]:
            values = json.loads((path / STATE).read_text())
            (path / STATE).write_text(json.dumps({**values, "corpus_key": "another"}))
        before = kept(run)
        if all_of_them:
            with pytest.raises(BertcoreError, match="data of this run has changed since it began"):
                pretraining(folder)(run)
            assert kept(run) == before
        else:
            pretraining(folder)(run)
            assert story(run) == undisturbed(folder)
            assert "resumed at step 2" in (run / "log.txt").read_text()

    def test_what_lies_in_a_snapshots_place_is_moved_and_only_halves_are_cleared(self, tmp_path):
        run = RunFolder.create(tmp_path / "run", {"kind": "pretrain"})
        for name in ("step-00000004.partial", "mine.partial", "step-00000003"):
            (run.path / "snapshots" / name).mkdir()
        (run.snapshot_path(3) / "mine.txt").write_text("mine")
        with run.acquire(), run.begin_snapshot(3) as begun:
            (begun / "config.json").write_text("{}")
        left = sorted(path.name for path in (run.path / "snapshots").iterdir())
        assert left == ["damaged-step-00000003", "mine.partial", "step-00000003"]
        assert (run.path / "snapshots" / "damaged-step-00000003" / "mine.txt").read_text() == "mine"
        assert (run.snapshot_path(3) / "config.json").is_file()


def test_notes_and_records_that_cannot_be_read_are_not_replaced(tmp_path, monkeypatch):
    run = RunFolder.create(tmp_path / "run", {"kind": "pretrain"}).path
    write_label(run, RunLabel("mine", ("first",), "of some use"))
    (run / "environment.json").write_text('{"starts": [{"seed": 1}]}')

    def refuse(path, most_bytes=0):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr("bertcore.files.read_bytes", refuse)
        with pytest.raises(UnreadableError, match="label.json cannot be read: you have no permission"):
            write_label(run, RunLabel("another"))
        with pytest.raises(UnreadableError):
            note_environment(run, 2, torch.device("cpu"), {})
    assert read_label(run) == RunLabel("mine", ("first",), "of some use")
    assert (run / "environment.json").read_text() == '{"starts": [{"seed": 1}]}'
    (run / "broken.json").write_text("{")  # what is not there or broken holds nothing
    assert [read_json_or_empty(run / name, to_rewrite=True) for name in ("none.json", "broken.json")] == [{}, {}]
