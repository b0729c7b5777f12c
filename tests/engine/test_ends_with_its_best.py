"""With patience a run ends with the step that measured best: a snapshot, kept, opened by whoever names the run.

What a measurement finds is prescribed here, since nothing may depend on how a short training turns out; the weights are
those of the real steps.
"""

import json

import pytest

import bertcore
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.resolve_model import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_record import read_record
from bertcore.training.finetune import FineTuning
from bertcore.training.pretrain import Pretraining
from tests.engine.runs_of_each_kind import RUNS, story
from tests.engine.training_runs import metrics, stop_at

STEPS, EVALUATIONS = 40, 20  # a measurement every second step
BEST = 14  # no step whose snapshot is kept otherwise
SCORES = {0: 0.3, 2: 0.4, 4: 0.5, 6: 0.5, 8: 0.55, 10: 0.6, 12: 0.7, BEST: 0.9, 16: 0.8, 18: 0.85, 20: 0.7, 22: 0.95}


@pytest.fixture(autouse=True)
def prescribed(monkeypatch, fast_disk):
    """Each measurement on the way finds what SCORES says of its step; later ones are worse."""
    for kind in (FineTuning, Pretraining):

        def measure(self, fraction, real=kind.measure):
            score = SCORES.get(round(fraction * STEPS), 0.1)
            numbers = real(self, fraction)
            name = "accuracy" if "accuracy" in numbers else "loss"
            return {**numbers, name: score if name == "accuracy" else 10 - score}

        monkeypatch.setattr(kind, "measure", measure)


def started(kind, folder, **training):
    settings = {"steps": STEPS, "evaluations": EVALUATIONS, "patience": 3, "save_minutes": 60.0, **training}
    return RUNS[kind](folder, **settings)


def best_of(run):
    return RunFolder(run).snapshot_path(BEST)


@pytest.mark.parametrize("kind", RUNS)
def test_the_best_is_kept_and_is_what_the_run_ends_with(folder, run, kind):
    ended_with = started(kind, folder)(run)
    status = RunFolder(run).status()
    assert (status.state, status.step, status.ends_with) == ("done", 20, BEST)
    sentence = f"Stopped early: step {BEST} was the best of 20 steps; the run ends with it."
    assert status.message.startswith(sentence)
    assert sentence in (run / "log.txt").read_text()
    steps = [step for step, _ in RunFolder(run).snapshots()]
    assert BEST in steps and steps[-1] == 20
    assert 12 not in steps, "what was the best for a while and is no more"
    assert ended_with == resolve_model(run) == RunFolder(run).final_snapshot() == best_of(run)
    assert bertcore.load(run).checkpoint.folder == best_of(run) == bertcore.Run(run).model.checkpoint.folder
    card = (best_of(run) / "README.md").read_text()
    assert f"**Step {BEST} was the best of 20 steps on held-out data, and is the one here.**" in card
    assert f"| trained | {BEST} steps" in card and "decided which step to keep" in card
    assert not (RunFolder(run).snapshot_path(20) / "README.md").exists()


def test_its_evaluation_and_its_diagnosis_are_of_the_best(folder, run):
    started("finetune", folder)(run)
    evaluation = json.loads((run / "evaluation.json").read_text())
    (line,) = metrics(run, "evaluation")
    assert evaluation["step"] == BEST == line["step"] == load_checkpoint(best_of(run)).step
    assert line["loss"] == evaluation["loss"] and line["accuracy"] == evaluation["metrics"]["accuracy"]
    assert bertcore.Run(run).metrics["accuracy"] == evaluation["metrics"]["accuracy"]
    here = bertcore.load(best_of(run)).evaluate(folder / "train.tsv", "sst2")
    last = bertcore.load(RunFolder(run).snapshot_path(20)).evaluate(folder / "train.tsv", "sst2")
    assert here.loss != last.loss, "the weights are others"
    record = read_record(run)
    assert record.scores["accuracy"][0].tolist()[-1] == BEST and record.train_loss[0].max() == BEST


def test_that_of_pretraining_too_and_the_best_stays_where_there_is_no_room(folder, run):
    started("pretrain", folder, snapshots_mib=0.01)(run)
    assert [step for step, _ in RunFolder(run).snapshots()] == [0, BEST, 20]
    evaluation = json.loads((run / "evaluation.json").read_text())
    assert evaluation["held_out"]["step"] == BEST == metrics(run, "evaluation")[0]["step"]
    corpus = RunFolder(run).config()["data"]["corpus"]
    here = bertcore.load(best_of(run)).evaluate_text(corpus, sequence_length=16, sequences=16)
    assert evaluation["held_out"]["mlm_loss"] == pytest.approx(here["mlm_loss"], rel=1e-5)


@pytest.mark.parametrize(
    ("patience", "ends_with", "says"),
    [(100, 22, f"Step 22 was the best of {STEPS} steps; the run ends with it."), (None, None, None)],
)
def test_a_budget_that_is_spent_ends_with_the_best_too_but_not_without_patience(folder, run, patience, ends_with, says):
    started("pretrain", folder, patience=patience)(run)
    status = RunFolder(run).status()
    assert (status.step, status.ends_with, status.message) == (STEPS, ends_with, says)
    assert resolve_model(run) == RunFolder(run).snapshot_path(ends_with or STEPS)


def test_a_run_that_someone_stops_ends_with_its_last(folder, run):
    started("pretrain", folder)(run, stop_at(run, 17))
    assert RunFolder(run).status().state == "stopped" and resolve_model(run) == RunFolder(run).snapshot_path(17)
    started("pretrain", folder)(run)
    undisturbed = folder / "undisturbed"
    started("pretrain", folder)(undisturbed)
    assert resolve_model(run) == best_of(run) and RunFolder(undisturbed).status().ends_with == BEST
    ours, theirs = (best_of(each) / "model.safetensors" for each in (run, undisturbed))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("kind", RUNS)
def test_it_goes_on_from_where_it_stood_not_from_the_best(folder, kind):
    """With more patience, as if it had had that from the beginning."""
    run, undisturbed = folder / "run", folder / "undisturbed"
    started(kind, folder)(run)
    started(kind, folder, patience=6)(run)
    started(kind, folder, patience=6)(undisturbed)
    status = RunFolder(run).status()
    assert (status.ends_with, status.step) == (22, 34) == (RunFolder(undisturbed).status().ends_with, 34)
    ours, theirs = story(run), story(undisturbed)
    assert {**ours, "steps": 0, "weights": 0} == {**theirs, "steps": 0, "weights": 0}
    assert ours["weights"][-1] == theirs["weights"][-1]


def test_a_best_that_was_measured_before_anybody_asked_for_it(folder, run):
    """Without patience its step was no snapshot: the run says that it ends with another."""
    started("pretrain", folder, patience=None)(run, stop_at(run, 17))
    started("pretrain", folder, patience=2)(run)
    status = RunFolder(run).status()
    assert status.ends_with is None and resolve_model(run) == RunFolder(run).newest_snapshot()
    assert f"step {BEST} was the best of 18 steps, but no snapshot" in status.message


def test_an_old_status_opens_and_a_damaged_one_is_no_hindrance(folder, run):
    started("pretrain", folder, steps=2, evaluations=1)(run)
    newest = RunFolder(run).newest_snapshot()
    status = json.loads((run / "status.json").read_text())
    for ends_with in (None, 1, 77, "x", -5):
        (run / "status.json").write_text(json.dumps({**status, "ends_with": ends_with}))
        expected = RunFolder(run).snapshot_path(1) if ends_with == 1 else newest
        assert RunFolder(run).final_snapshot() == expected
    del status["ends_with"]
    (run / "status.json").write_text(json.dumps(status))
    assert RunFolder(run).status().state == "done" and RunFolder(run).final_snapshot() == newest
