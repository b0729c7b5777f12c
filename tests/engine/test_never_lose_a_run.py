"""Killed at any moment, crippled or damaged: a run goes on as if nothing had been, or says in a sentence why not.

Each fault is really caused; what must not differ from an undisturbed run is compared bit for bit (`story`).
"""

import os
import shutil
import signal
import sys

import pytest

from benchmarks.kills import kill_test
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import NO_WORD, RunFolder
from bertcore.runs.snapshots import can_resume
from tests.engine.runs_of_each_kind import RUNS, STEPS, pretraining, story
from tests.engine.training_runs import at_step, stop_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks, and limits of the system")


_STORIES = {}


def undisturbed(folder, kind="pretrain"):
    """Texts and models are the same in each test, so one run will do for all."""
    if kind not in _STORIES:
        RUNS[kind](folder)(folder / "undisturbed")
        _STORIES[kind] = story(folder / "undisturbed")
    return _STORIES[kind]


def killed_at(elsewhere, run, kind, at, below):
    """What stood among the snapshots when it was killed; None where it came to its end before."""
    shutil.rmtree(run, ignore_errors=True)
    end = elsewhere.train(kind, run, "killed at a change", at, below)
    if end.code == 0:
        return None
    assert end.was_killed, end
    return sorted(path.name for path in run.glob("snapshots/*"))


class TestKilled:
    def test_while_a_snapshot_is_written(self, elsewhere, folder, run):
        """Before its third file operation, its eighth, and so on, to the one that gives it its name."""
        expected, name, half_written = undisturbed(folder), "step-00000005", 0
        for at in range(3, 1000, 5):
            left = killed_at(elsewhere, run, "pretrain", at, name)
            if left is None:
                break
            half_written += f"{name}.partial" in left
            assert RunFolder(run).status().message == NO_WORD
            pretraining(folder)(run)
            assert story(run) == expected, (at, left)
        assert half_written >= 2

    @pytest.mark.slow
    @pytest.mark.timeout(3600)
    @pytest.mark.parametrize("kind", RUNS)
    def test_before_any_change_to_any_file(self, elsewhere, folder, run, kind):
        """The cache and the vocabulary too, which are made anew each time."""
        expected = undisturbed(folder, kind)
        for at in range(1, 1000):
            shutil.rmtree(os.environ["BERTSCOPE_HOME"], ignore_errors=True)
            left = killed_at(elsewhere, run, kind, at, str(folder))
            if left is None:
                break
            assert elsewhere.train(kind, run).code == 0
            assert story(run) == expected, (at, left)
        assert at > 100

    @pytest.mark.skipif(sys.platform != "linux", reason="a limit that other systems enforce otherwise")
    def test_in_the_middle_of_a_file(self, elsewhere, folder, run):
        expected = undisturbed(folder)
        size = len(expected["weights"][expected["steps"].index(5)])
        end = elsewhere.train("pretrain", run, "killed in a file", 4, size // 2)
        assert end.code == -signal.SIGXFSZ
        assert (run / "snapshots" / "step-00000005.partial").is_dir()
        pretraining(folder)(run)
        assert story(run) == expected

    def test_while_paused(self, elsewhere, folder, run):
        assert elsewhere.train("pretrain", run, "killed while paused", 3).was_killed
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", 3)
        pretraining(folder)(run)
        assert story(run) == undisturbed(folder)

    @pytest.mark.parametrize(("at", "below"), [(1, "step-00000000"), (2, "config.json")])
    def test_before_the_first_snapshot_and_before_its_settings_stood(self, elsewhere, folder, run, at, below):
        assert killed_at(elsewhere, run, "pretrain", at, below) == []
        if below == "config.json":  # written aside, not yet in its place
            assert [file.name.split(".")[1] for file in run.glob(".config.json.*")] == ["config"]
        else:
            assert (run / "tokenizer").is_dir() and not RunFolder(run).is_alive()
        pretraining(folder)(run)
        assert story(run) == undisturbed(folder)


def test_a_second_process_is_refused_and_disturbs_nothing(elsewhere, folder, run):
    ends = []

    def act():
        before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
        ends.append(elsewhere.train("pretrain", run))
        assert {file: file.read_bytes() for file in run.rglob("*") if file.is_file()} == before

    pretraining(folder)(run, at_step(3, act))
    assert [end.code for end in ends] == [1]
    assert ends[0].said == f"Another process ({os.getpid()}) is already training in this folder: {run}."
    assert story(run) == undisturbed(folder)
    assert [step for step, path in RunFolder(run).snapshots() if can_resume(path)] == [5, STEPS]  # the last two


class TestDamage:
    """What a failing disk does to files that were whole."""

    @pytest.mark.parametrize("name", ["model.safetensors", "training_state.json", "training_state.safetensors"])
    def test_the_snapshot_before_stands_in_for_it(self, folder, run, name):
        kind = "distil" if name == "training_state.safetensors" else "pretrain"
        RUNS[kind](folder)(run, stop_at(run, 5))
        file = RunFolder(run).snapshot_path(5) / name
        os.truncate(file, file.stat().st_size // 2)
        RUNS[kind](folder)(run)
        assert story(run) == undisturbed(folder, kind)
        assert "resumed at step 2" in (run / "log.txt").read_text()
        assert "step-00000005 is damaged, and will be written again" in (run / "log.txt").read_text()

    def test_where_none_is_whole_the_run_is_refused_and_nothing_is_touched(self, folder, run):
        pretraining(folder)(run, stop_at(run, 5))
        whole = [path for _, path in RunFolder(run).snapshots() if can_resume(path)]
        for path in whole:
            (path / "training_state.json").write_text("{")
        left = {file: file.read_bytes() for file in (run / "snapshots").rglob("*") if file.is_file()}
        with pytest.raises(BertcoreError, match="step-00000005 is damaged, and no other holds a training state"):
            pretraining(folder)(run)
        assert {file: file.read_bytes() for file in (run / "snapshots").rglob("*") if file.is_file()} == left
        assert load_checkpoint(RunFolder(run).snapshot_path(5)).step == 5

    @pytest.mark.parametrize("content", [b"", b'{"kind": "pretrain", "da', b"[]", None])
    def test_settings_cut_off_or_gone(self, folder, run, content):
        pretraining(folder)(run, stop_at(run, 5))
        config = run / "config.json"
        config.unlink() if content is None else config.write_bytes(content)
        says = "config.json is damaged; its snapshots remain.*-00000005"
        with pytest.raises(BertcoreError, match=says if content is not None else "of a run whose config.json is gone"):
            pretraining(folder, **({} if content is not None else {"learning_rate": 1e-4}))(run)
        assert load_checkpoint(RunFolder(run).snapshot_path(5)).step == 5

    @pytest.mark.parametrize("content", [b"", b"\xff{", b"[1]"])
    def test_other_files_are_no_hindrance(self, folder, run, content):
        pretraining(folder)(run, stop_at(run, 5))
        for name in ("status.json", "environment.json", "metrics.jsonl", "sources.json", "log.txt"):
            (run / name).write_bytes(content)
        pretraining(folder)(run)
        ours, expected = story(run), undisturbed(folder)
        assert ours["told"][-2:] == expected["told"][-2:]  # the numbers before are lost with the file
        assert {**ours, "told": []} == {**expected, "told": []}


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_random_kills_of_the_shell_command():
    """The kill test of `python -m benchmarks.kills`, scaled down."""
    outcome = kill_test(kills=4, steps=100, seed=7)
    assert len(outcome.kills) == 4 and len(outcome.undisturbed) == 100
    assert outcome.holds and outcome.trained >= 100
