"""Each illness is found in a run that was given it, by training, and in no healthy one.

Where a run is ill by its settings alone, it is ill on every machine. Each outcome here was the same with five seeds;
what another machine's last bits change is far less.
"""

import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import PairRules
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.runs.diagnosis import Suggestion, diagnose, normal
from bertcore.runs.diagnosis_words import in_words
from bertcore.runs.run_folder import RunStatus
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import HeadActivity, RunRecord, read_record, record_of
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import HeldOutText
from bertcore.training.head_activity import head_activity
from bertcore.training.pretraining_batches import TrainingText
from bertcore.training.start import start_run
from tests.engine.models import tiny_model, word_tokenizer
from tests.engine.runs_of_each_kind import tuning
from tests.engine.training_runs import metrics, tiny_run, write_text
from tests.text_file import text_file

pytestmark = pytest.mark.usefixtures("fast_disk")
WORDS_OF_TASK = ["the", "cat", "sat", "on", "mat", "it", "was", "very", "a", "dog", "sang", "bird", "and"]


def pretrained(folder, text=None, model=None, **training):
    run = folder / "run"
    options = tiny_run(text or write_text(folder), **{"evaluations": 10, **training})
    start_run(replace(options, model={**options.model, **(model or {})}), run, resume=False)
    return run


@pytest.fixture
def base(folder):
    folder = folder / "model"
    save_checkpoint(tiny_model(("mlm", "nsp"), num_hidden_layers=2), word_tokenizer(), folder)
    return folder


LABELS = {  # of the words of a sentence
    "no dog": lambda words, _pick: "dog" not in words,
    # one label in five is wrong, so that nobody can be right more than four times in five
    "pets or wrong": lambda words, pick: ("dog" in words or "cat" in words) != (pick.random() < 0.2),
    "mostly good": lambda _words, pick: pick.random() < 0.7,
    "by chance": lambda _words, pick: bool(pick.randrange(2)),
}


def task_file(folder, label, rows):
    pick = random.Random(0)
    lines = []
    for _ in range(rows):
        words = [pick.choice(WORDS_OF_TASK) for _ in range(5)]
        lines.append(f"{' '.join(words)}\t{int(LABELS[label](words, pick))}")
    return text_file(folder / "train.tsv", "sentence\tlabel\n" + "\n".join(lines) + "\n")


BY_HEART = {"learning_rate": 2e-3, "dropout": 0.0}


def tuned(folder, model, label="no dog", rows=300, held_out=None, **training):
    """held_out: lines of a table; absent: some of the rows."""
    run = folder / "run"
    dev = None if held_out is None else str(text_file(folder / "dev.tsv", held_out))
    settings = {"steps": 60, "evaluations": 8, "seed": 3, **training}
    data = {"dev": dev, "max_length": 24}
    start_run(tuning(model, task_file(folder, label, rows), data=data, **settings), run, resume=False)
    return run


def only(run):
    """What is wrong with it, and nothing else is."""
    (found,) = diagnose(read_record(run))
    words = in_words(found)
    assert words.seen and words.why and "{" not in words.seen + words.suggestion
    return found


def without_queries_and_keys(base):
    """And the layers that made them."""
    checkpoint = load_checkpoint(base)
    products = [layer.attention.query_key_value for layer in checkpoint.model.encoder.layers]
    for product in products:
        product.weight.data[: 2 * checkpoint.config.hidden_size] = 0.0
        product.bias.data[: 2 * checkpoint.config.hidden_size] = 0.0
    return checkpoint, products


class TestPretraining:
    def test_a_healthy_run(self, folder):
        record = read_record(pretrained(folder, steps=200))
        assert diagnose(record) == []
        fine = normal(record)
        assert in_words(fine).seen.startswith("This looks normal")
        assert record.phase_from == 101 and not record.is_causal
        now = [(line["step"], line["mlm_loss"]) for line in metrics(folder / "run") if line["step"] >= 101]
        measured = [(line["step"], line["mlm_loss"]) for line in metrics(folder / "run", "held_out")]
        moved = [(line["step"], max(line["ratio"].values())) for line in metrics(folder / "run", "updates")]
        of_record = (record.train_loss, record.held_out_loss, record.update_ratio)
        for (steps, values), lines in zip(of_record, (now, measured, moved), strict=True):
            assert list(zip(steps.tolist(), values.tolist(), strict=True)) == lines

    @pytest.mark.parametrize(
        ("kind", "settings", "better"),
        [
            ("too_high", {"steps": 60, "learning_rate": 0.3}, 0.03),
            ("too_low", {"steps": 40, "learning_rate": 1e-6}, 1e-3),
            # the weights move, but far too little for so few steps
            ("stuck", {"steps": 60, "learning_rate": 2e-5, "causal_share": 0.0}, 6e-5),
            # the rate rises to the very end
            ("diverging", {"steps": 160, "learning_rate": 1.0, "warm_up_share": 0.95, "causal_share": 0.0}, 0.33),
        ],
    )
    def test_a_rate_too_high_or_too_low(self, folder, kind, settings, better):
        run = pretrained(folder, **settings)
        found, losses = only(run), [line["mlm_loss"] for line in metrics(run, "held_out")]
        assert found.kind == kind and found.suggestion == Suggestion("learning_rate", settings["learning_rate"], better)
        if kind == "stuck":
            assert (found.values["start"], found.values["loss"]) == (losses[0], losses[-1])
        if kind == "diverging":
            assert found.values["last"] > 1.5 * found.values["best"]

    def test_overfitting(self, folder, monkeypatch):
        """The run is a real one; how it does on held-out text is given: when a run turns worse depends on chance."""
        given = [4.7, 3.5, 3.2, 3.3, 3.5, 3.7, 3.9, 4.1, 4.3]
        rest = iter(given)

        def measure(_self, _model):
            loss = next(rest)
            return {"loss": loss, "mlm_loss": loss, "mlm_accuracy": 0.3, "mlm_top5": 0.5}

        monkeypatch.setattr(HeldOutText, "measure", measure)
        found = only(pretrained(folder, steps=200, causal_share=0.0, evaluations=8))
        assert found.kind == "overfitting" and found.suggestion == Suggestion("steps", 200.0, 50)
        assert found.values["best"] == min(given) and found.values["last"] == given[-1]

    def test_words_by_their_frequency_alone(self, folder):
        """Too slow and too small to use context in this time."""
        found = only(pretrained(folder, steps=320, causal_share=0.0, learning_rate=7e-4, batch_size=4))
        assert found.kind == "by_frequency" and found.suggestion == Suggestion("causal_share", None, 0.5)

    def test_a_loss_that_became_infinite(self, folder, base):
        """Each step makes the weights nine times as large: that overflows at one of the first 40, whatever the data."""
        with pytest.raises(BertcoreError, match="at step") as failed:
            tuned(folder, base, learning_rate=1.0, weight_decay=10.0, warm_up_share=0.0, steps=200)
        found = only(folder / "run")
        assert found.kind == "not_finite" and f"at step {found.values['step']:.0f}" in str(failed.value)
        assert found.suggestion.setting == "learning_rate"

    def test_the_loss_of_guessing_by_frequency(self, folder):
        """Counted by hand, from the text and its held-out labels."""
        run = pretrained(folder, steps=1, causal_share=0.0)
        tokenizer, options = Tokenizer.from_folder(run / "tokenizer"), tiny_run(write_text(folder))
        corpus = load_corpus([Path(options.data.corpus[0])], tokenizer)
        counts = Counter(range(tokenizer.vocab_size))  # 1 for each
        for document in corpus.documents(held_out=False):
            first, last = corpus.document_starts[document : document + 2]
            counts.update(corpus.tokens[corpus.sentence_starts[first] : corpus.sentence_starts[last]].tolist())
        rules = PairRules.of(tokenizer, "nsp", True, True)
        batches = TrainingText([corpus], []).held_out(tokenizer, 16, 16, rules).batches
        labels = [label for batch in batches for label in batch.labels.tolist()]
        mean = sum(math.log(counts.total() / counts[label]) for label in labels) / len(labels)
        assert metrics(run, "held_out")[-1]["by_frequency"] == pytest.approx(mean, rel=1e-9)


class TestTasks:
    def test_a_healthy_run(self, folder, base):
        record = read_record(tuned(folder, base, steps=100))
        fine = normal(record)
        assert diagnose(record) == [] and fine.values["name"] == "accuracy"

    def test_always_the_same_answer(self, folder, base):
        found = only(tuned(folder, base, "mostly good"))
        assert found.kind == "one_class" and found.values["label"] == "positive" and found.values["share"] == 1.0
        assert found.values["right"] == pytest.approx(metrics(folder / "run", "held_out")[-1]["accuracy"], abs=1e-4)
        assert found.suggestion == Suggestion("learning_rate", 3e-3, 1e-3)

    def test_learning_by_heart(self, folder, base):
        """Of labels that have nothing to do with the text; held out, all are the other way round."""
        rows = task_file(folder, "by chance", 100).read_text(encoding="utf-8").translate({ord("0"): "1", ord("1"): "0"})
        found = only(tuned(folder, base, "by chance", rows=100, held_out=rows, steps=300, **BY_HEART))
        assert found.kind == "memorised" and found.suggestion == Suggestion("steps", 300.0, 100)
        losses = [line["loss"] for line in metrics(folder / "run", "held_out")]
        assert (found.values["start"], found.values["loss"]) == (losses[0], losses[-1]) and losses[-1] > losses[0]
        assert float(found.values["train"]) < 0.05, "it knows all of them"

    def test_a_plateau_at_a_high_rate(self, folder, base):
        """It is as right as the labels are, and the rate does not fall. The last losses differ by .003; .005 is ill."""
        settings = {"learning_rate": 1e-3, "schedule": "constant", "batch_size": 64, "evaluations": 12}
        run = tuned(folder, base, "pets or wrong", rows=3000, steps=400, **settings)
        found = only(run)
        assert found.kind == "plateau" and found.suggestion == Suggestion("learning_rate", 1e-3, 3.3e-4)
        losses = {line["step"]: line["loss"] for line in metrics(run, "held_out")}
        assert losses[int(found.values["step"])] == found.values["before"] and losses[400] == found.values["loss"]
        assert metrics(run, "held_out")[-1]["accuracy"] > 0.75, "nobody gets more than 0.8"

    def test_heads_that_look_everywhere_alike(self, folder, base):
        """Without queries and keys: no gradient can bring them back, because each is multiplied by the other."""
        checkpoint, _ = without_queries_and_keys(base)
        save_checkpoint(checkpoint.model, checkpoint.tokenizer, folder / "headless")
        found = only(tuned(folder, folder / "headless", steps=210))
        heads = checkpoint.config.num_hidden_layers * checkpoint.config.num_attention_heads
        assert found.kind == "dead_heads_even" and found.values == {"count": heads, "all": heads}
        activity = read_record(folder / "run").heads
        assert activity.even == pytest.approx(1.0, abs=1e-3)

    def test_heads_that_look_at_one_token(self, folder, base):
        """With frozen layers, so that no training brings them back: [CLS] sees itself alone, whatever the text."""
        checkpoint, products = without_queries_and_keys(base)
        model, width = checkpoint.model, checkpoint.config.hidden_size
        for table in (model.embeddings.token, model.embeddings.segment, model.embeddings.position):
            table.weight.data[:, 0] = 0.0
        model.embeddings.position.weight.data[0, 0] = 30.0  # only the first position has anything in dimension 0 ...
        for product in products:
            product.weight.data[width : 2 * width, 0] = 5.0  # ... which all keys are made from, and all queries match
            product.bias.data[:width] = 10.0
        save_checkpoint(model, checkpoint.tokenizer, folder / "one-token")
        results = diagnose(read_record(tuned(folder, folder / "one-token", steps=210, frozen_layers=2)))
        # it cannot read, so it says one thing
        assert [each.kind for each in results] == ["one_class", "dead_heads_one"]
        heads = checkpoint.config.num_hidden_layers * checkpoint.config.num_attention_heads
        assert results[1].values == {"count": heads, "all": heads}
        assert results[1].suggestion == Suggestion("frozen_layers", None, 0)
        activity = read_record(folder / "run").heads
        assert activity.even == pytest.approx(0.0, abs=1e-3)

    def test_heads_that_all_look_at_one_token(self):
        heads = HeadActivity(np.array([0.0, 0.01, 0.4]), np.array([0.0, 0.02, 0.5]))
        (found,) = diagnose(RunRecord(heads=heads, train_loss=(np.array([300.0]), np.array([3.0]))))
        assert found.kind == "dead_heads_one" and found.values == {"count": 2, "all": 3}


def test_how_far_heads_tell_tokens_apart_is_counted_right(base):
    """Token by token, from the attention that `trace` records."""
    checkpoint = load_checkpoint(base)
    encodings = [checkpoint.tokenizer.encode(text) for text in ("the cat sat on a mat", "a dog sang")]
    length = max(map(len, encodings))
    ids = torch.tensor([each.ids + [0] * (length - len(each)) for each in encodings])
    mask = torch.tensor([[1] * len(each) + [0] * (length - len(each)) for each in encodings])
    model = checkpoint.model
    found = head_activity(model, ids, None, mask)
    for layer in range(2):
        for head in range(model.config.num_attention_heads):
            varies, even = [], []
            for each in encodings:
                rows = trace(model, each.ids, each.segments).attentions[layer, head].astype(float)
                mean = rows.mean(axis=0)
                varies += [0.5 * abs(row - mean).sum() for row in rows]
                even += [-(row * np.log(row)).sum() / np.log(len(row)) for row in rows]
            assert found["varies"][layer][head] == pytest.approx(np.mean(varies), abs=1e-4)
            assert found["even"][layer][head] == pytest.approx(np.mean(even), abs=1e-4)


def record_from(lines, status):
    read = RunMetrics()
    read.append(lines)
    return record_of(read, {}, status)


def held_out(losses, **more):
    lines = [{"kind": "phase", "step": 1, "phase": "masked"}]
    lines += [{"kind": "held_out", "step": 100 * at, "mlm_loss": loss, **more} for at, loss in enumerate(losses)]
    lines += [{"kind": "train", "step": step, "phase": "masked", "learning_rate": 1e-3} for step in range(1000)]
    return record_from(lines, RunStatus("running", fraction=0.5))


@pytest.mark.parametrize(
    ("losses", "kind"),
    [
        ([9.0, 6.0, 5.0, 4.5, 4.2, 4.0, 3.9, 3.8, 3.7, 3.6], ""),
        ([9.0, 6.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0], "plateau"),
        ([9.0, 9.0, 9.0, 8.99, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0], "stuck"),
        ([9.0, 6.0, 4.0, 4.2, 4.5, 4.8, 5.0, 5.0, 5.1, 5.2], "overfitting"),
        ([9.0, 6.0, 4.0, 4.02, 4.5], ""),  # one bad measurement at the end
    ],
)
def test_curves_of_held_out_text(losses, kind):
    assert [found.kind for found in diagnose(held_out(losses))] == [kind] * bool(kind)


@pytest.mark.parametrize(
    ("scores", "is_ill"),
    [
        ([0.5, 0.55, 0.6, 0.65, 0.7, 0.75], False),
        ([0.5, 0.7, 0.8, 0.8, 0.8, 0.8], False),
        ([0.5, 0.7, 0.8, 0.8, 0.75, 0.75], False),  # of 20 one more is wrong
        ([0.5, 0.7, 0.8, 0.75, 0.7, 0.65], True),
        ([0.5, 0.5, 0.55, 0.5, 0.5, 0.5], True),
    ],
)
def test_one_that_is_surer_of_its_mistakes_but_right_as_often_is_well(scores, is_ill):
    lines = [
        {"kind": "held_out", "step": 100 * at, "loss": loss, "accuracy": score, "examples": 20}
        for at, (loss, score) in enumerate(zip([0.7, 0.6, 0.5, 0.55, 0.6, 0.7], scores, strict=True))
    ]
    record = record_from(lines, RunStatus("done", fraction=1.0))
    assert [each.kind for each in diagnose(record)] == ["overfitting"] * is_ill
    fine = normal(record)
    assert (fine is None) == (scores[-1] == scores[0])
    if fine is not None:  # and it is said that the loss rose
        assert fine.kind == "normal_surer" and "from 0.50 at step 200 to 0.70" in in_words(fine).seen


def test_what_a_run_began_with_counts():
    """The best measurement is the first after the start."""
    lines = [{"kind": "phase", "step": 1, "phase": "task"}]
    losses = [1.67, 1.58, 1.89, 2.38, 2.79]
    lines += [{"kind": "held_out", "step": 10 * at, "loss": loss, "accuracy": 0.2} for at, loss in enumerate(losses)]
    (found,) = diagnose(record_from(lines, RunStatus("done", fraction=1.0)))
    assert found.kind == "overfitting" and found.values["step"] == 10


ODD = ({"heads": 3}, {"heads": {"varies": [["x"]], "even": []}}, {"answers": []}, {"answers": {"share": "all"}})


@pytest.mark.parametrize("odd", [*ODD, {"by_frequency": "?"}])
def test_damaged_lines_count_as_none(odd):
    record = held_out([9.0, 6.0, 5.0], **odd)
    assert (record.heads, record.answer, record.by_frequency) == (None, None, None) and diagnose(record) == []


def test_the_runs_that_ship_are_well_and_nothing_is_said_before_anything_is_known():
    for run in filter(Path.is_dir, (assets() / "runs").iterdir()):
        record = read_record(run)
        assert diagnose(record) == [] and normal(record) is not None, run.name
    for record in (RunRecord(), RunRecord(state="failed", message="The disk is full.")):
        assert diagnose(record) == [] and normal(record) is None
