"""Training: the loss is the right one, it falls, and the same seed always gives the same run."""

import math
from collections import Counter
from dataclasses import replace
from itertools import count, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from transformers import BertForPreTraining

from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.data.batches import Batch
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import NO_LABEL
from bertcore.locations import BUILT_IN
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.compute import choose_precision
from bertcore.training.evaluate import HeldOutText
from bertcore.training.objective import next_sentence_accuracy, pretraining_loss, word_accuracy
from bertcore.training.optimizer import make_optimizer
from bertcore.training.start import start_run
from tests.engine.models import random_batch, tiny_model, word_tokenizer
from tests.engine.training_runs import PLACES, SOUNDS, animal_text, losses, metrics, tiny_run, write_text


def _random_tensors(causal=False, padded=True):
    ids, segments, mask = random_batch(tiny_model().config, [12, 7, 9] if padded else [12, 12, 12])
    ids.clamp_(min=1)  # `transformers` gives [PAD] no gradient, even where it is typed
    rows = torch.tensor([1, 5, 13, 14, 25])
    labels = torch.tensor([7, 8, 9, 10, 11])
    next_sentence = torch.tensor([0, 1, NO_LABEL])
    return Batch(ids, segments, mask if padded else None, rows, labels, next_sentence, causal, ids.numel())


class TestLoss:
    @pytest.mark.parametrize("padded", [True, False])
    def test_loss_and_gradients_are_those_of_transformers(self, tmp_path, padded):
        model, batch = tiny_model(), _random_tensors(padded=padded)
        save_checkpoint(model, word_tokenizer(), tmp_path)
        theirs = BertForPreTraining.from_pretrained(tmp_path).eval()
        labels = torch.full_like(batch.input_ids, -100)
        labels.view(-1)[batch.rows] = batch.labels
        given = {"input_ids": batch.input_ids, "token_type_ids": batch.segment_ids}
        given |= {"attention_mask": batch.attention_mask, "labels": labels, "next_sentence_label": batch.next_sentence}
        out, loss = theirs(**given), pretraining_loss(model.requires_grad_(True), batch)
        assert float((loss.total - out.loss).abs().detach()) < 1e-5
        loss.total.backward()
        out.loss.backward()
        for ours, their in (
            (model.embeddings.token, theirs.bert.embeddings.word_embeddings),
            (model.embeddings.position, theirs.bert.embeddings.position_embeddings),
            (model.encoder.layers[0].feed_forward_in, theirs.bert.encoder.layer[0].intermediate.dense),
            (model.pooler.dense, theirs.bert.pooler.dense),
        ):
            assert float((ours.weight.grad - their.weight.grad).abs().max()) < 1e-4

    def test_causal_loss_is_that_of_the_next_word_alone(self):
        model, batch = tiny_model(), _random_tensors(causal=True, padded=False)
        loss = pretraining_loss(model, batch)
        hidden = model(batch.input_ids, batch.segment_ids, causal=True).flatten(0, 1)[batch.rows]
        assert float((loss.total - F.cross_entropy(model.mlm_logits(hidden), batch.labels)).abs()) < 1e-5
        assert set(loss.parts) == set(loss.logits) == {"mlm"}

    def test_accuracies_by_hand(self):
        logits = torch.tensor([[3.0, 2, 1, 0], [3, 2, 1, 0], [0, 1, 2, 3]])
        labels = torch.tensor([0, 1, 0])
        assert word_accuracy(logits, labels) == pytest.approx(1 / 3)
        assert word_accuracy(logits, labels, top=2) == pytest.approx(2 / 3)
        assert word_accuracy(logits, labels, top=9) == 1.0
        pairs = torch.tensor([[1.0, 0], [1, 0], [0, 1]])
        assert next_sentence_accuracy(pairs, torch.tensor([0, 1, NO_LABEL])) == 0.5
        assert next_sentence_accuracy(pairs, torch.tensor([NO_LABEL] * 3)) is None


class TestOptimizer:
    def test_only_matrices_decay(self):
        model = tiny_model().requires_grad_(True)
        groups = make_optimizer(model, 1e-3, 0.01).param_groups
        decay = {id(p): group["weight_decay"] for group in groups for p in group["params"]}
        for name, parameter in model.named_parameters():
            plain = name.endswith("bias") or "norm" in name
            assert decay[id(parameter)] == (0.0 if plain else 0.01), name
        assert len(decay) == len(list(model.parameters()))

    def test_a_step_is_that_of_the_adamw_formula(self):
        layer = torch.nn.Linear(3, 2)
        before = layer.weight.detach().clone().double()
        optimizer = make_optimizer(layer, 1e-2, 0.1)
        layer(torch.tensor([[1.0, -2.0, 3.0]])).sum().backward()
        gradient = layer.weight.grad.double()
        optimizer.step()
        expected = before * (1 - 1e-2 * 0.1) - 1e-2 * gradient / (gradient.abs() + 1e-6)  # both moments are unbiased
        assert torch.allclose(layer.weight.double(), expected, atol=1e-6)


def test_held_out_text_is_measured_the_same_way_every_time(text):
    tokenizer = Tokenizer.train(animal_text().splitlines(), 200)
    corpus = load_corpus([text], tokenizer)
    first, second = (HeldOutText.of(corpus, tokenizer, 16, 12) for _ in range(2))
    model = tiny_model(vocab_size=tokenizer.vocab_size).train()
    numbers = first.measure(model)
    assert numbers == second.measure(model) and model.training
    rows = [float(pretraining_loss(model.eval(), batch).parts["mlm"]) for batch in first.batches]
    words = [len(batch.labels) for batch in first.batches]
    assert numbers["mlm_loss"] == pytest.approx(np.average(rows, weights=words))
    assert numbers["perplexity"] == pytest.approx(math.exp(numbers["mlm_loss"]))
    assert numbers["words"] == sum(words) and 0 <= numbers["mlm_accuracy"] <= numbers["mlm_top5"] <= 1


def _guess(checkpoint, a, b):
    encoding = checkpoint.tokenizer.encode(a, b)
    mask = encoding.ids.index(checkpoint.tokenizer.mask_id)
    result = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[mask])
    return top_words(result.mlm_logits[0], checkpoint.tokenizer, 1)[0].token


class TestRuns:
    def test_it_really_learns(self, text, run):
        """Held-out loss falls well below what word frequencies alone allow: context was learned.

        With six seeds: a loss of 0.78 to 0.85, an accuracy of 0.71 to 0.75, and all 12 right.
        """
        settings = {"steps": 400, "batch_size": 32, "learning_rate": 1e-2, "causal_share": 0.3}
        stories_alone = {"long_share": 0.0, "pack": False}  # a story is shorter than two sequences
        options = tiny_run(text, stories_alone, **settings, held_out_sequences=64)
        snapshot = start_run(options, run, resume=False)
        first, *_, last = metrics(run, "held_out")
        assert last["step"] == 400
        checkpoint = load_checkpoint(snapshot)
        words = Counter(i for line in animal_text().splitlines() for i in checkpoint.tokenizer.encode(line).ids[1:-1])
        total = sum(words.values())
        by_frequency = -sum(n / total * math.log(n / total) for n in words.values())
        assert last["mlm_loss"] < 0.5 * by_frequency < by_frequency < first["mlm_loss"]
        assert last["mlm_accuracy"] > 0.6 > first["mlm_accuracy"]
        right = 0
        for animal, sound in SOUNDS.items():
            home = f"in the {PLACES[animal]}."
            right += _guess(checkpoint, f"The {animal} [MASK] {sound}.", f"The {animal} lives {home}") == "says"
            right += _guess(checkpoint, f"The {animal} says {sound}.", f"The {animal} [MASK] {home}") == "lives"
        assert right >= 10  # of 12: which verb it is, only what follows can tell

    def test_what_a_short_run_writes(self, text, run):
        snapshot = start_run(tiny_run(text, evaluations=2), run, resume=False)
        train = metrics(run)
        assert [line["step"] for line in train] == list(range(1, 25))
        names = {"loss", "mlm_loss", "nsp_loss", "mlm_accuracy", "nsp_accuracy", "learning_rate", "gradient_norm"}
        names |= {"tok_per_s", "tokens", "phase", "elapsed_s", "cores"}
        for line in train:
            assert names <= set(line) and math.isfinite(line["loss"])
            assert 0 <= line["cores"] < math.inf
            assert (line["mlm_loss"] is None) == (line["nsp_loss"] is None) == (line["phase"] == "causal")
        assert [line["phase"] for line in train[:12]].count("masked") == 1  # one in eight
        assert {line["phase"] for line in train[12:]} == {"masked"}
        phases = [(line["step"], line["phase"]) for line in metrics(run, "phase")]
        assert phases == [(1, "causal"), (13, "masked"), (19, "longer")]
        assert [line["step"] for line in metrics(run, "held_out")] == [0, 12, 24]
        assert [step for step, _ in RunFolder(run).snapshots()] == [0, 1, 2, 5, 10, 20, 24]
        assert all((run / line["path"]).parent == run / "snapshots" for line in metrics(run, "snapshot"))
        status = RunFolder(run).status()
        assert (status.state, status.step, status.total_steps, status.fraction) == ("done", 24, 24, 1.0)
        opened = load_checkpoint(snapshot)
        assert opened.step == 24 and opened.output_heads == ("mlm", "nsp")

    def test_same_seed_same_run_other_seed_other_run(self, text, tmp_path):
        runs = {}
        for name, seed in (("a", 3), ("b", 3), ("c", 4)):
            start_run(tiny_run(text, seed=seed, steps=5), tmp_path / name, resume=False)
            runs[name] = losses(tmp_path / name)
        assert runs["a"] == runs["b"]
        assert [loss for _, loss in runs["a"]] != [loss for _, loss in runs["c"]]
        opened = [(step, load_checkpoint(path)) for step, path in RunFolder(tmp_path / "a").snapshots()]
        assert [checkpoint.step for _, checkpoint in opened] == [step for step, _ in opened] == [0, 1, 2, 5]
        tables = [checkpoint.model.embeddings.token.weight for _, checkpoint in opened]
        assert all(not torch.equal(a, b) for a, b in pairwise(tables))

    def test_a_budget_in_minutes_is_kept(self, text, run, monkeypatch):
        """By a clock that moves 10 ms at each look: twice a step, and twice at the two measurements."""
        ticks, seconds = count(), count()
        clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 100, monotonic=lambda: float(next(seconds)))
        monkeypatch.setattr("bertcore.training.loop.time", clock)
        start_run(tiny_run(text, steps=None, minutes=0.01, evaluations=1), run, resume=False)
        status = RunFolder(run).status()
        assert (status.state, status.elapsed_s, status.total_steps) == ("done", 0.61, None)
        assert status.step == 59 and metrics(run)[-1]["learning_rate"] < 3e-3 / 20

    @pytest.mark.parametrize("ships", [False, True])
    def test_a_vocabulary_that_is_given_and_no_causal_steps(self, text, tmp_path, ships):
        word_tokenizer().save(tmp_path / "words")
        data = {"tokenizer": BUILT_IN if ships else str(tmp_path / "words")}
        snapshot = start_run(tiny_run(text, data, steps=2, causal_share=0.0), tmp_path / "run", resume=False)
        assert load_checkpoint(snapshot).tokenizer.vocab_size == (16384 if ships else word_tokenizer().vocab_size)
        assert {line["phase"] for line in metrics(tmp_path / "run")} == {"masked"}


@pytest.mark.parametrize(("unit", "name"), [("avx512_bf16", "bf16"), ("amx_bf16", "bf16"), ("avx512_f", "fp32")])
def test_auto_precision_goes_by_what_the_machine_has(monkeypatch, unit, name):
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: {unit: True, "architecture": "x86_64"})
    assert choose_precision("auto", torch.device("cpu")).name == name


def test_a_batch_in_parts_is_the_batch(tmp_path):
    """Nine sequences at once, in four parts, and one by one: sums in another order, so equal up to rounding."""
    text = write_text(tmp_path)
    plain = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    runs = []
    for parts in (1, 4, 9):
        options = tiny_run(text, steps=12, batch_size=9, accumulate=parts)
        start_run(replace(options, model={**options.model, **plain}), tmp_path / str(parts), resume=False)
        runs.append([line for line in metrics(tmp_path / str(parts)) if line["kind"] in ("train", "held_out")])
    for other in runs[1:]:
        assert len(other) == len(runs[0])
        for one, same in zip(runs[0], other, strict=True):
            for name in ("loss", "mlm_loss", "nsp_accuracy", "mlm_accuracy", "gradient_norm", "tokens"):
                assert same.get(name) == (pytest.approx(one[name], rel=2e-4) if one.get(name) else one.get(name))
