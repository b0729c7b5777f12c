"""No room, no memory, no numbers, another text, another cache: really caused, said in a sentence, and nothing lost."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.data import corpus as corpus_module
from bertcore.data.corpus import load_corpus
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from bertcore.training.loop import run_training
from bertcore.training.pretrain import Pretraining
from bertcore.training.pretrain_options import continued
from bertcore.training.step_observers import BAD_BATCH_FILE
from tests.engine.corpora import words_only
from tests.engine.elsewhere import ROOT, Elsewhere
from tests.engine.runs_of_each_kind import distilling, fine_tuning, pretraining, story
from tests.engine.test_never_lose_a_run import undisturbed
from tests.engine.training_runs import at_step, metrics, stop_at, tiny_run, write_text
from tests.limited import no_larger_files
from tests.text_file import text_file


def assert_failed(run, sentence, step):
    status = RunFolder(run).status()
    assert (status.state, status.message) == ("failed", sentence)
    assert sentence in (run / "log.txt").read_text()
    assert load_checkpoint(RunFolder(run).newest_snapshot()).step == step


class TestNoRoom:
    @pytest.mark.parametrize("what", ["a snapshot", "the metrics"])
    def test_the_run_says_why_and_goes_on_when_there_is_room(self, folder, run, what):
        def act():
            limit(30_000 if what == "a snapshot" else (run / "metrics.jsonl").stat().st_size + 50)

        with no_larger_files() as limit, pytest.raises(BertcoreError, match="--resume") as caught:
            pretraining(folder)(run, at_step(4, act))
        sentence = str(caught.value)
        assert sentence.startswith(f"A file in {run} would be larger than its disk or a limit")
        assert_failed(run, sentence, step=2)
        assert not list(run.glob("snapshots/*.partial"))
        pretraining(folder)(run)
        assert story(run) == undisturbed(folder)

    @pytest.mark.skipif(not shutil.which("unshare"), reason="mounts a small disk of its own")
    def test_on_a_disk_that_is_really_full(self, folder, run):
        """Of 3 MB, with 0 to 90 kB left from step 4 on: status, metrics or snapshot find no more room."""
        folder.joinpath("disk").mkdir()
        mount = f"mount -t tmpfs -o size=3m tmpfs {folder}/disk && exec {sys.executable} -m tests.engine.full_disk"
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"{mount} {folder}/disk {folder}"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if "mount:" in done.stderr or "unshare:" in done.stderr:
            pytest.skip(done.stderr)
        assert done.returncode == 0, done.stderr
        for found in json.loads(done.stdout):
            assert found["said"].startswith(f"The disk is full: free some space where {folder}/disk/run lies, then go")
            assert found["said"].count(".") == found["said"].count(". ") + 1
            assert (found["state"], found["message"]) == ("failed", found["said"])
            assert found["newest"] == 2 and found["same"], found


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that other systems do not keep")
def test_no_memory(folder, run):
    elsewhere = Elsewhere()
    end = elsewhere.train("pretrain", run, "without memory", 2, batch_size=256, causal_share=0.9)
    elsewhere.close()
    assert end.code == 1
    assert end.said.startswith("There is not enough memory for this run: lower the batch size or the sequence length")
    assert_failed(run, end.said, step=2)


class TestNoNumbers:
    def test_a_rate_that_is_far_too_high(self, folder, run):
        """Weights that grow ninefold with each step."""
        options = tiny_run(write_text(folder), steps=200, learning_rate=1.0, weight_decay=10.0, warm_up_share=0.0)
        with pytest.raises(BertcoreError) as caught:
            run_training(Pretraining(options), RunFolder.create(run, options.to_dict()))
        step = RunFolder(run).status().step + 1
        told, sentence = json.loads((run / BAD_BATCH_FILE).read_text()), str(caught.value)
        begin = " ".join(told["sequences"][0]["tokens"][:8])
        assert f"infinite or undefined at step {step}, on the batch that begins with “{begin}”" in sentence
        assert str(run / BAD_BATCH_FILE) in sentence and sentence.endswith("Start again with a lower learning rate.")
        kept = RunFolder(run).snapshots()
        assert f"the snapshot of step {kept[-1][0]} is kept" in sentence
        for _, snapshot in kept:
            weights = load_checkpoint(snapshot).model.state_dict().values()
            assert all(bool(torch.isfinite(value).all()) for value in weights)
        assert len(told["sequences"]) == 8 and told == _batch_of(options, step, folder / "again")

    @pytest.mark.parametrize(
        ("value", "says"),
        [
            (float("nan"), "weights became infinite or undefined at step 5.*step 2 is kept"),
            (float("inf"), "weights became infinite or undefined at step 5.*step 2 is kept"),
            # a word that the model holds for impossible, and that then stands there: the gradient is finite
            (-float("inf"), "loss or its gradient became infinite or undefined at step 5"),
        ],
    )
    def test_weights_that_go_wrong_are_not_saved(self, folder, run, value, says):
        """Between the step's own look at loss and gradient and its snapshot."""
        options = tiny_run(write_text(folder))
        work = Pretraining(options)

        def poison():
            if value < 0:
                work.model.mlm.bias.data[work.tokenizer.encode(".").ids[1]] = value
            else:
                work.model.encoder.layers[0].feed_forward_in.weight.data[3, 4] = value

        with pytest.raises(BertcoreError, match=says):
            run_training(work, RunFolder.create(run, options.to_dict()), at_step(4 if value < 0 else 5, poison))
        assert [step for step, _ in RunFolder(run).snapshots()] == [0, 1, 2]
        assert (run / BAD_BATCH_FILE).exists()
        pretraining(folder, steps=24, evaluations=1)(run)
        pretraining(folder, steps=24, evaluations=1)(folder / "undisturbed")
        assert story(run) == story(folder / "undisturbed")

    def test_in_fine_tuning(self, folder, run):
        with pytest.raises(BertcoreError) as caught:
            fine_tuning(folder, steps=200, learning_rate=1.0, weight_decay=10.0, warm_up_share=0.0)(run)
        bad = json.loads((run / BAD_BATCH_FILE).read_text())
        assert len(bad["sequences"]) == len(bad["labels"]["classify"]) == 8
        assert set(bad["labels"]["classify"]) <= {"negative", "positive"}
        assert "“[CLS] the cat says" in str(caught.value)
        assert load_checkpoint(RunFolder(run).snapshots()[-1][1])


def _batch_of(options, step, run):
    """The batch of a step as another run of the same settings draws it."""
    RunFolder.create(run, options.to_dict())
    work = Pretraining(options)
    work.prepare(run, lambda words: None)
    for number in range(1, step + 1):
        _, batch = work.planned.take(number, (number - 0.5) / 200)
    work.write_batch(batch, "again.json")
    work.close()
    return json.loads((run / "again.json").read_text())


class TestChangedSince:
    def test_a_text_is_named_and_what_is_only_touched_will_do(self, folder, run):
        options = tiny_run(write_text(folder), steps=6)
        other = text_file(folder / "other.txt", "The owl says hoo.\nThe owl lives in the tree.\n\n" * 9)
        options = options.with_changes(corpus=(str(folder / "animals.txt"), str(other)))
        run_training(Pretraining(options), RunFolder.create(run, options.to_dict()), stop_at(run, 3))
        before = other.read_bytes()
        for changed in (before.replace(b"hoo", b"woo"), before + b"\n\nMore. And more."):  # of the same size, and not
            other.write_bytes(changed)
            with pytest.raises(BertcoreError) as caught:
                run_training(Pretraining(options), RunFolder(run))
            assert f"has changed since it began: {other}; put it back as it was" in str(caught.value)
            assert load_checkpoint(RunFolder(run).snapshot_path(3)).step == 3
        other.write_bytes(before)
        run_training(Pretraining(options), RunFolder(run))
        assert RunFolder(run).status().state == "done"

    @pytest.mark.parametrize(
        ("kind", "name"),
        [(fine_tuning, "train.tsv"), (distilling, "animals.txt"), (distilling, "model/model.safetensors")],
    )
    def test_a_training_file_a_text_and_a_teacher(self, folder, run, kind, name):
        start, file = kind(folder), folder / name
        start(run, stop_at(run, 3))
        before = file.read_bytes()
        if name.startswith("model"):
            opened = load_checkpoint(file.parent)
            opened.model.encoder.layers[0].feed_forward_in.bias.data[0] += 0.5
            save_checkpoint(opened.model, opened.tokenizer, file.parent)
            assert file.stat().st_size == len(before)
        else:
            file.write_bytes(before.replace(b"meow", b"moan"))
        with pytest.raises(BertcoreError, match=f"has changed since it began: {file};"):
            start(run)
        file.write_bytes(before)
        start(run)
        assert RunFolder(run).status().state == "done"

    def test_a_checkpoint_to_begin_with_is_needed_only_to_begin(self, folder, run):
        fine_tuning(folder)  # makes the model
        options = continued(tiny_run(write_text(folder), steps=6), folder / "model")
        run_training(Pretraining(options), RunFolder.create(run, options.to_dict()), stop_at(run, 3))
        shutil.rmtree(folder / "model")
        run_training(Pretraining(options), RunFolder(run))
        assert [line["step"] for line in metrics(run)] == [1, 2, 3, 4, 5, 6]


class TestCaches:
    def test_the_files_of_another_vocabulary_under_this_ones_name(self, folder):
        text = write_text(folder)
        right = words_only()
        backwards = Tokenizer(raw_from_words((*SPECIAL_TOKENS, "sat", "cat", "the", "on", "mat")))
        expected = np.array(load_corpus([text], right).tokens)
        assert not np.array_equal(expected, load_corpus([text], backwards).tokens)
        corpora = Path(os.environ["BERTSCOPE_HOME"]) / "cache" / "corpora"
        ours, theirs = (
            next(corpora.glob(f"{corpus_module.corpus_key([text], tokenizer)}-*/")) for tokenizer in (right, backwards)
        )
        shutil.rmtree(ours)
        shutil.copytree(theirs, ours)
        assert np.array_equal(load_corpus([text], right).tokens, expected)
