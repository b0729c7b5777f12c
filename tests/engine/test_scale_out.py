"""Two processes under torchrun train as one: same losses, one folder, one end. What one process does is the oracle.

Sums in another order differ in their last bits (fp32: 6e-8); after 20 steps of Adam losses agree to 2e-5.
"""

import itertools
import json
import os
import queue
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from bertcore.data.batches import Batch, joined, make_rows, rows_of
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RESUME, RunFolder
from bertcore.training import pretraining_batches
from bertcore.training.objective import pretraining_loss
from bertcore.training.options import Budget
from bertcore.training.start import start_run
from bertcore.training.trainable import PlannedBatches, StepPlan
from tests.engine.models import tiny_checkpoint, tiny_model
from tests.engine.process_group_runs import STEPS, STOP, fine_tuning, pretraining, stops
from tests.engine.training_runs import write_text

ROOT = Path(__file__).parents[2]
TOLERANCE = 2e-5
NUMBERS = ("loss", "mlm_loss", "next_word_loss", "nsp_loss", "mlm_accuracy", "nsp_accuracy", "gradient_norm", "tokens")
CONLL = "the B-PER\ncat O\nsat O\n\na O\ndog B-PER\nsang I-PER\nand O\nthe O\nbird B-LOC\n\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A text, a model and two small tasks."""
    folder = tmp_path_factory.mktemp("scale")
    write_text(folder)
    tiny_checkpoint(folder / "model")
    rows = [f"the cat sat on the mat {'.' * (i % 4)}\t1\na dog sang {'!' * (i % 3)}\t0" for i in range(8)]
    for task, text in {"sst2": "sentence\tlabel\n" + "\n".join(rows) + "\n", "conll2003": CONLL * 6}.items():
        (folder / task).mkdir()
        for name in ("train", "dev"):
            ending = "tsv" if task == "sst2" else "txt"
            (folder / task / f"{name}.{ending}").write_text(text, encoding="utf-8")
    return folder


def torchrun(*command):
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    return subprocess.run([*launcher, *command], capture_output=True, text=True, env=environment)


def run_processes(place, *names):
    return torchrun(str(ROOT / "tests" / "engine" / "process_group_runs.py"), str(place), *names)


def lines(run):
    """Without those that say where a later process goes on."""
    read = map(json.loads, (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
    return [line for line in read if line["kind"] != "resume"]


def assert_same_run(run, alone):
    ours, theirs = lines(run), lines(alone)
    assert [(line["kind"], line["step"]) for line in ours] == [(line["kind"], line["step"]) for line in theirs]
    for one, other in zip(ours, theirs, strict=True):
        for name in set(NUMBERS) & set(one):
            expected = other[name] if other[name] is None else pytest.approx(other[name], rel=TOLERANCE, abs=1e-6)
            assert one[name] == expected, (one["step"], name)
    ends = [RunFolder(path).newest_snapshot() for path in (run, alone)]
    assert ends[0].name == ends[1].name
    for file in ("model.safetensors", "training_state.safetensors"):
        left, right = (load_file(end / file) for end in ends)
        assert set(left) == set(right)
        assert max(float(np.abs(left[key] - right[key]).max()) for key in left) < 1e-4, file


@pytest.fixture(scope="module")
def two(place):
    """Runs of two processes in one start of torchrun; the last one fails."""
    done = run_processes(place, "pretrain", "stop", "sst2", "small", "fail")
    assert done.returncode != 0 and (place / "two-fail").exists(), done.stderr[-3000:]
    return place


@pytest.fixture(scope="module")
def two_more(place):
    """Further ones, which end well but the last; process 0 does not notice by itself that it is to end."""
    stops(place, place / "two-resume")
    names = ("resume", "conll2003", "unfreeze", "signal", "hang")
    done = run_processes(place, *names)
    assert done.returncode != 0 and (place / "two-hang").exists(), done.stderr[-3000:]
    return place


@pytest.fixture(scope="module")
def alone(place):
    start_run(pretraining(place), place / "alone", resume=False)
    assert len([line for line in lines(place / "alone") if line["kind"] == "train"]) == STEPS
    return place / "alone"


def forget_stop(run):
    """The lines of the snapshot that was written when the run stopped, and of the process that went on."""
    kept = [line for line in lines(run) if (line["kind"], line["step"]) not in (("snapshot", STOP), (RESUME, STOP))]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


class TestPretraining:
    def test_two_processes_are_one_run_with_one_folder_and_one_voice(self, two, alone):
        run = two / "two-pretrain"
        assert_same_run(run, alone)
        assert (run / "log.txt").read_text(encoding="utf-8").count("done at step") == 1
        assert not RunFolder(run).is_alive() and RunFolder(run).status().state == "done"
        first = json.loads((run / "first_batch.json").read_text(encoding="utf-8"))
        assert len(first["sequences"]) == 4  # of 9: what process 0 reads

    def test_one_process_goes_on_where_two_stopped(self, two, alone):
        run = two / "two-stop"
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("stopped", STOP)
        start_run(None, run, resume=True)
        forget_stop(run)
        assert_same_run(run, alone)

    @pytest.mark.slow
    def test_two_processes_go_on_where_one_stopped(self, two_more, alone):
        forget_stop(two_more / "two-resume")
        assert_same_run(two_more / "two-resume", alone)

    @pytest.mark.slow
    def test_the_command_speaks_once(self, place, alone):
        recipe, run = place / "recipe.json", place / "two-command"
        recipe.write_text(json.dumps(pretraining(place).to_dict()), encoding="utf-8")
        done = torchrun("-m", "bertcore", "pretrain", "--recipe", str(recipe), "--out", str(run), "--json")
        assert done.returncode == 0 and json.loads(done.stdout)["state"] == "done", done.stderr[-3000:]
        assert_same_run(run, alone)
        again = torchrun("-m", "bertcore", "pretrain", "--recipe", str(recipe), "--out", str(run))
        assert again.returncode != 0 and again.stderr.count("already holds a run") == 1

    @pytest.mark.slow
    def test_a_pause_holds_all_and_a_signal_to_any_stops_all(self, two_more):
        status = RunFolder(two_more / "two-signal").status()
        assert (status.state, status.step) == ("stopped", 4)


class TestFineTuning:
    def test_two_processes_are_one_run(self, two):
        """Parts of 3 and 2 units, and a last batch of 1 that leaves one process without any."""
        start_run(fine_tuning(two, "sst2"), two / "alone-sst2", resume=False)
        assert_same_run(two / "two-sst2", two / "alone-sst2")

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["conll2003", "unfreeze"])
    def test_so_they_are_with_a_crf_and_with_layers_that_begin_later(self, two_more, name):
        task, more = ("sst2", {"gradual_unfreezing": True}) if name == "unfreeze" else (name, {})
        start_run(fine_tuning(two_more, task, **more), two_more / f"alone-{name}", resume=False)
        assert_same_run(two_more / f"two-{name}", two_more / f"alone-{name}")


def message_of(run):
    status = RunFolder(run).status()
    assert status.state == "failed"
    return status.message


def test_what_one_process_says_ends_all(two):
    assert message_of(two / "two-fail").startswith("In process 1 of 2: There is not enough memory")
    assert "A batch of 1 sequences is too small for 2 processes" in message_of(two / "two-small")


@pytest.mark.slow
def test_a_process_that_waits_for_a_lost_one_is_ended(two_more):
    assert message_of(two_more / "two-hang").startswith("In process 1 of 2: There is not enough memory")


@pytest.mark.parametrize("processes", [1, 2, 3, 8])
@pytest.mark.parametrize("causal", [False, True])
def test_a_batch_is_the_same_whoever_makes_it(processes, causal):
    """200 sequences, some shorter, in blocks of 64: parts that begin and end within blocks."""

    def made(start, stop):
        return make_rows(start, stop, 200, (3, 7), lambda first, last, rng: _block(first, last, rng, causal))

    whole, bounds = made(0, 200), [200 * number // processes for number in range(processes + 1)]
    parts = [made(start, stop) for start, stop in itertools.pairwise(bounds)]
    again = joined(parts)
    assert again.real_tokens == whole.real_tokens == sum(part.real_tokens for part in parts)
    for name in ("input_ids", "attention_mask", "rows", "labels", "next_sentence"):
        left, right = getattr(again, name), getattr(whole, name)
        assert (left is None and right is None) or np.array_equal(left, right), name


def test_a_small_batch_is_what_its_seed_always_gave_and_labels_go_with_their_rows():
    expected = _block(0, 9, np.random.default_rng([3, 7]), False)
    made = make_rows(0, 9, 9, (3, 7), lambda first, last, rng: _block(first, last, rng, False))
    assert np.array_equal(made.input_ids, expected.input_ids) and np.array_equal(made.rows, expected.rows)
    block = _block(0, 12, np.random.default_rng(0), False)
    part = rows_of(block, 5, 9)
    assert np.array_equal(part.input_ids.reshape(-1)[part.rows], part.labels) and len(part.rows) > 3
    assert np.array_equal(part.input_ids, block.input_ids[5:9])


def _block(first, last, rng, causal):
    """Some random sequences of 6 to 12 tokens that are what is to be predicted, too; id 0 is padding."""
    count = last - first
    lengths = rng.integers(6, 13, count)
    is_real = np.arange(lengths.max()) < lengths[:, None]
    ids = np.where(is_real, rng.integers(1, 100, is_real.shape), 0)
    chosen = np.flatnonzero(is_real[:, 1:].ravel() if causal else is_real & (rng.random(ids.shape) < 0.3))
    rows = chosen + chosen // (ids.shape[1] - 1) if causal else chosen  # (B,S-1) -> (B,S): each token but the last
    labels = ids.reshape(-1)[rows + 1] if causal else ids.reshape(-1)[rows]
    arrays = (ids, np.zeros_like(ids), is_real.astype(np.int64), rows, labels, rng.integers(0, 2, count))
    ids, segments, mask, rows, labels, pairs = map(torch.from_numpy, arrays)
    return Batch(ids, segments, None if causal else mask, rows, labels, pairs, causal, int(is_real.sum()))


class TestPlannedBatches:
    @pytest.mark.parametrize("budget", [Budget(6, None), Budget(None, 60.0)])
    def test_they_come_in_order_and_are_made_ahead(self, budget):
        made = queue.Queue()
        planned = []

        def plan(step, fraction):
            planned.append(step)
            return StepPlan(step, fraction, ("task",), "task", np.arange(step))

        make = lambda plan: made.put(plan.step) or plan.step  # noqa: E731
        batches = PlannedBatches(plan, make, budget, lambda: {"planned": len(planned)})
        for step in range(1, 7):
            assert made.empty() if step == 1 else made.get() == step  # it needs nobody to ask for it
            plan_taken, batch = batches.take(step, (step - 0.5) / 6)
            assert plan_taken.step == batch == step and batches.position == {"planned": step}
            assert step > 1 or made.get() == 1
        batches.close()
        assert planned == list(range(1, 7 if budget.steps else 8))

    def test_an_error_in_making_is_the_runs(self, place, monkeypatch, tmp_path):
        whole, calls = pretraining_batches.causal_batch, []

        def broken(*given):
            calls.append(1)
            if len(calls) == 4:
                raise OSError(5, "Input/output error")
            return whole(*given)

        monkeypatch.setattr(pretraining_batches, "causal_batch", broken)
        with pytest.raises(BertcoreError, match="Input/output error"):
            start_run(pretraining(place), tmp_path / "run", resume=False)
        assert RunFolder(tmp_path / "run").status().step == 3


class TestCompiling:
    def test_a_pass_is_one_graph_with_the_same_loss(self):
        """torch's compiler without the code that it would make: a GPU is needed for that to pay."""
        model, compiled = (tiny_model(("mlm", "nsp"), vocab_size=100) for _ in range(2))
        compiled.load_state_dict(model.state_dict())
        compiled.compile(backend="eager", fullgraph=True)
        for seed, causal in ((0, False), (1, True), (2, False)):
            batch = _block(0, 6, np.random.default_rng(seed), causal)
            expected = float(pretraining_loss(model, batch).total.detach())
            assert float(pretraining_loss(compiled, batch).total.detach()) == pytest.approx(expected, rel=1e-6)
        assert list(compiled.state_dict()) == list(model.state_dict())

    @pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
    def test_without_a_gpu_it_is_refused(self, place, tmp_path):
        with pytest.raises(BertcoreError, match="leave out --compile"):
            start_run(pretraining(place, compile=True), tmp_path / "run", resume=False)
