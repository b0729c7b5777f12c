"""What a step on a GPU needs, as far as a CPU can show it: no waiting, fixed shapes, batches made in processes."""

import json
import shutil
import threading
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from bertcore.config import BertConfig
from bertcore.data.batches import causal_batch, masked_batch
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import PairRules, PairSampler
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training import pretrain
from bertcore.training.compute import parts_that_fit
from bertcore.training.loop import TrainingLoop
from bertcore.training.objective import compiled_losses, losses_of_heads, pretraining_loss, step_metrics
from bertcore.training.start import start_run
from bertcore.training.step_observers import is_measured
from tests.engine.corpora import STORIES
from tests.engine.models import TOKENIZER, tiny_model
from tests.engine.training_runs import tiny_run, write_text

SHARE = 0.25


@pytest.fixture
def sampler(tmp_path):
    (tmp_path / "stories.txt").write_text(STORIES, encoding="utf-8")
    rules = PairRules.of(TOKENIZER, "nsp", pack=True)
    return PairSampler(load_corpus([tmp_path / "stories.txt"], TOKENIZER), False, 16, 0, rules)


@pytest.fixture
def model():
    changes = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    return tiny_model(("mlm", "nsp"), vocab_size=TOKENIZER.vocab_size, **changes).train().requires_grad_(True)


def _batches(sampler, count=2):
    """Masked and causal ones by turns, of 12 sequences."""
    rng = np.random.default_rng(1)
    made = []
    for number in range(count):
        pairs = sampler.pairs(sampler.windows(12), rng)
        masked = number % 2 == 0
        made.append(masked_batch(pairs, TOKENIZER, rng, SHARE, "words") if masked else causal_batch(pairs, TOKENIZER))
    return made


def test_a_fixed_shape_changes_neither_loss_nor_gradient_nor_metrics(sampler, model):
    for batch in _batches(sampler):
        values = []
        for form in (batch, batch.in_fixed_shape(SHARE)):
            model.zero_grad()
            loss = pretraining_loss(model, form)
            loss.total.backward()
            gradients = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
            values.append((float(loss.total.detach()), gradients, step_metrics(loss, form)))
        (loss, gradient, metrics), (loss_2, gradient_2, metrics_2) = values
        assert loss == pytest.approx(loss_2, rel=1e-6)
        torch.testing.assert_close(gradient, gradient_2, rtol=1e-5, atol=1e-6)
        known, known_2 = ({k: v for k, v in each.items() if v is not None} for each in (metrics, metrics_2))
        assert known == pytest.approx(known_2, rel=1e-6)


def test_one_graph_serves_all_batches_of_a_shape(sampler, model):
    """However many words and pairs they have. torch's compiler without the code that it would make."""
    from torch._dynamo.testing import CompileCounter

    counter = CompileCounter()
    compiled = torch.compile(losses_of_heads, dynamic=False, backend=counter, fullgraph=True)
    words = set()
    for batch in _batches(sampler, 6):
        form = batch.in_fixed_shape(SHARE)
        expected = float(pretraining_loss(model, batch).total.detach())
        assert float(pretraining_loss(model, form, losses=compiled).total.detach()) == pytest.approx(expected, rel=1e-6)
        words.add((form.words, form.pairs))
    assert counter.frame_count == 2 and len(words) > 2  # masked and causal


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no compiler for what torch writes")
def test_what_is_compiled_has_the_same_loss_and_gradient(sampler, model):
    """With the code that torch makes for this processor: some twenty seconds for each kind of batch."""
    compiled = compiled_losses()
    for batch in _batches(sampler, 2):
        form = batch.in_fixed_shape(SHARE)
        values = []
        for way in (losses_of_heads, compiled):
            model.zero_grad()
            loss = pretraining_loss(model, form, losses=way)
            loss.total.backward()
            values.append((loss.total.detach(), [p.grad for p in model.parameters() if p.grad is not None]))
        torch.testing.assert_close(values[1], values[0], rtol=1e-4, atol=1e-5)


READS = ("item", "tolist", "numpy", "cpu", "nonzero", "__float__", "__int__", "__bool__", "__index__")


def test_steps_without_a_log_line_read_nothing(tmp_path, monkeypatch, fast_disk):
    """On a GPU each of these would wait until it has done all that it was given."""
    reads, steps = Counter(), Counter()
    watched = []  # whether the step that is being taken is logged; empty between steps
    for name in READS:
        whole = getattr(Tensor, name)

        def read(*given, name=name, whole=whole, **more):
            if watched and threading.current_thread() is threading.main_thread():  # not where batches are made
                reads.update([(watched[0], name)])
            return whole(*given, **more)

        monkeypatch.setattr(Tensor, name, read)
    take_step = TrainingLoop.take_step

    def watch(loop):
        logged = loop._is_logged(loop.clock.step + 1) or is_measured(loop.clock.step + 1)
        steps[logged] += 1
        if loop.clock.step:  # the first batch is made on this thread
            watched.append(logged)
        take_step(loop)
        watched.clear()
        if loop.clock.step == 35:
            RunFolder(tmp_path / "run").send("stop")

    monkeypatch.setattr(TrainingLoop, "take_step", watch)
    options = tiny_run(write_text(tmp_path), {"masking": "words"}, steps=2000, causal_share=0.0, optimizer="muon")
    start_run(options, tmp_path / "run", resume=False)
    assert steps[False] > 20 and steps[True] >= 3
    assert not {key: count for key, count in reads.items() if not key[0]}
    assert any(logged for logged, _ in reads)  # those that are logged do


def test_a_loss_that_is_none_is_named_with_its_batch(text, run, monkeypatch):
    whole, calls = pretrain.pretraining_loss, []

    def broken(*given):
        calls.append(1)
        loss = whole(*given)
        return replace(loss, total=loss.total * float("nan")) if len(calls) == 14 else loss

    monkeypatch.setattr(pretrain, "pretraining_loss", broken)
    with pytest.raises(BertcoreError, match="infinite or undefined at step 14, on the batch that begins with"):
        start_run(tiny_run(text, steps=2000, causal_share=0.0), run, resume=False)
    assert len(calls) > 14 and (run / "bad_batch.json").is_file()
    assert [step for step, _ in RunFolder(run).snapshots()][-1] == 10


def test_what_the_program_chose_is_in_the_run_folder(text, run):
    start_run(tiny_run(text, steps=1), run, resume=False)
    (start,) = json.loads((run / "environment.json").read_text())["starts"]
    choices = start["choices"]
    assert (choices["precision"], choices["because"]["precision"]) == ("fp32", "fp32 as requested")
    assert start["device"] != "cpu" or (choices["compiled"], choices["batch_processes"]) == (False, 0)
    assert choices["parts_of_a_batch"] >= 1
    assert "CPU threads: 1, fp32 as requested; " in (run / "log.txt").read_text(encoding="utf-8")


def test_a_batch_has_the_fewest_parts_that_fit():
    config = BertConfig.preset("small", num_hidden_layers=8, vocab_size=16_384)
    assert parts_that_fit(config, 65_536, 130 * 2**30) == 1
    small = parts_that_fit(config, 65_536, 8 * 2**30)
    assert small > 1
    assert parts_that_fit(config, -(-65_536 // small), 8 * 2**30) == 1
    assert parts_that_fit(config, -(-65_536 // (small - 1)), 8 * 2**30) > 1
