"""Fine-tuning runs: they learn, stop and go on as if nothing had been, and leave a folder that tells the story."""

import json
import shutil
from dataclasses import replace

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.predict import as_example, predict, task_kind
from bertcore.training.finetune import EVALUATION_FILE, FineTuning
from bertcore.training.finetune_options import TaskDataOptions
from bertcore.training.start import start_run
from bertcore.training.task_files import evaluate_file
from tests.engine.models import tiny_model, word_tokenizer
from tests.engine.runs_of_each_kind import tuning
from tests.engine.training_runs import losses, metrics, stop_at
from tests.text_file import text_file

GOOD, BAD = (
    ("the cat sang", "a very comfortable mat", "the bird sang on"),
    ("the dog sat", "it was a dog", "dog on a mat"),
)
pytestmark = pytest.mark.usefixtures("fast_disk")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finetune") / "model"
    changes = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}  # a resume has to draw the same
    save_checkpoint(tiny_model(("mlm", "nsp"), num_hidden_layers=2, **changes), word_tokenizer(), folder)
    return folder


def sentences(folder, rows=30):
    """Whatever has a dog in it is bad."""
    texts = [(text, label) for label, texts in ((1, GOOD), (0, BAD)) for text in texts]
    lines = [f"{text} {'.' * (i % 3)}\t{label}" for i in range(rows) for text, label in texts]
    return text_file(folder / "train.tsv", "sentence\tlabel\n" + "\n".join(lines) + "\n")


def options(model, train, task="sst2", own=None, **training):
    settings = {"steps": 24, "seed": 3, "evaluations": 3, "save_minutes": 1e-2, **training}
    return tuning(model, train, task, {"max_length": 24}, own, **settings)


@pytest.fixture(scope="module")
def learned(model, tmp_path_factory):
    """A finished run, for all who only look at it."""
    folder = tmp_path_factory.mktemp("learned")
    start_run(options(model, sentences(folder), steps=60), folder / "run", resume=False)
    return folder / "run"


def newest(run):
    return RunFolder(run).snapshots()[-1][1]


def test_it_learns_and_says_how_well(learned):
    evaluation = json.loads((learned / EVALUATION_FILE).read_text())
    assert evaluation["metrics"]["accuracy"] == 1.0 and evaluation["labels"] == ["negative", "positive"]
    assert sum(map(sum, evaluation["confusion"])) == 18 and evaluation["confusion"][0][1] == 0
    assert {"example", "right", "given", "loss"} <= set(evaluation["worst"][0])
    status = RunFolder(learned).status()
    assert status.state == "done" and status.step == 60
    assert [line["phase"] for line in metrics(learned, "phase")] == ["task"]
    train = metrics(learned)
    assert train[-1]["epoch"] == pytest.approx(60 / 21, abs=1e-3) and train[-1]["classify_loss"] == train[-1]["loss"]
    assert [line["step"] for line in metrics(learned, "held_out")] == [0, 20, 40, 60]


def test_what_it_learned_opens_here_and_in_transformers(learned):
    import transformers

    snapshot = newest(learned)
    opened = load_checkpoint(snapshot)
    assert task_kind(opened) == "classify"
    said = predict(opened, [as_example("classify", text) for text in ("it was a dog", "the cat sang")])
    assert [prediction.answer for prediction in said] == ["negative", "positive"]
    theirs = transformers.BertForSequenceClassification.from_pretrained(snapshot).eval()
    ids = torch.tensor([opened.tokenizer.encode("it was a dog").ids])
    with torch.no_grad():
        assert torch.allclose(theirs(ids).logits, opened.model.logits("classify", opened.model(ids)[:, 0]), atol=1e-5)
    assert theirs.config.id2label == {0: "negative", 1: "positive"}


@pytest.fixture(scope="module")
def whole(model, tmp_path_factory):
    """A run that nothing disturbed, with what can go wrong in a resume."""
    folder = tmp_path_factory.mktemp("whole")
    chosen = options(model, sentences(folder), gradual_unfreezing=True, accumulate=2, layer_decay=0.8)
    start_run(chosen, folder / "run", resume=False)
    return chosen, folder / "run"


@pytest.mark.parametrize("step", [1, 7, 23])
def test_a_stop_leaves_no_trace_in_the_curve(whole, tmp_path, step):
    """Bit for bit, dropout and the order of batches too; and the model that it began with may be gone by then."""
    (chosen, undisturbed), broken = whole, tmp_path / "broken"
    moved = shutil.copytree(str(chosen.model), tmp_path / "model")
    start_run(replace(chosen, model=str(moved)), broken, resume=False, on_event=stop_at(broken, step))
    assert RunFolder(broken).status().state == "stopped"
    shutil.rmtree(moved)
    start_run(None, broken, resume=True)
    assert losses(broken) == losses(undisturbed)
    ends = [load_checkpoint(newest(run)).model.state_dict() for run in (undisturbed, broken)]
    assert all(torch.equal(value, ends[1][name]) for name, value in ends[0].items())


def test_an_evaluation_says_what_the_run_said(model, tmp_path):
    """Of a file with columns of its own, and texts that are longer than the run reads them."""
    for name in ("train", "dev"):
        rows = [f"{'it was ' * (7 + i % 3)}{text},{label}" for i in range(4) for label in (1, 5) for text in GOOD + BAD]
        (tmp_path / f"{name}.csv").write_text("review,stars\n" + "\n".join(rows) + "\n", encoding="utf-8")
    chosen = options(model, tmp_path / "train.csv", "classify", steps=3)
    columns = {"text": "review", "label": "stars"}
    chosen = replace(chosen, data=replace(chosen.data, dev=str(tmp_path / "dev.csv"), columns=columns, max_length=16))
    snapshot = start_run(chosen, tmp_path / "run", resume=False)
    told = json.loads((tmp_path / "run" / EVALUATION_FILE).read_text())
    found = evaluate_file(load_checkpoint(snapshot), "classify", str(tmp_path / "dev.csv"), {})
    assert found.loss == pytest.approx(told["loss"], rel=1e-5) and found.metrics == pytest.approx(told["metrics"])


def test_every_score_of_a_regression_counts(model, tmp_path):
    """-100 marks what is no label elsewhere; among scores it is one."""
    file = tmp_path / "scores.tsv"
    rows = [f"{text}\ta mat\t{score}" for score in (-100, -100, 50) for text in (*GOOD, *BAD)]
    file.write_text("text\ttext_b\tscore\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run = FineTuning(options(model, file, "similarity", accumulate=2))
    run.prepare(tmp_path, lambda sentence: None)
    try:
        _, batch = run.planned.take(1, 0.0)
    finally:
        run.close()
    assert run.model.config.number_range == (-100.0, 50.0)
    assert any((part.labels == -100).any() for part in batch.parts)
    assert batch.labels == [len(part.input_ids) for part in batch.parts]


def test_frozen_layers_stay_as_they_are_and_random_weights_are_others(model, tmp_path, run):
    table = sentences(tmp_path)
    snapshot = start_run(options(model, table, frozen_layers=1, steps=4), run, resume=False)
    before, after = load_checkpoint(model).model.state_dict(), load_checkpoint(snapshot).model.state_dict()
    same = {name for name in before if name in after and torch.equal(before[name], after[name])}
    assert all(name in same for name in before if name.startswith(("embeddings.", "encoder.layers.0.")))
    assert not any(name in same for name in before if name.startswith("encoder.layers.1.") and name.endswith("weight"))
    start_run(options(model, table, own={"from_scratch": True}, steps=1), tmp_path / "random", resume=False)
    first = load_checkpoint(RunFolder(tmp_path / "random").snapshots()[0][1]).model.embeddings.token.weight
    assert not torch.allclose(first, load_checkpoint(model).model.embeddings.token.weight, atol=0.1)


def test_tags_with_a_crf(model, tmp_path):
    file = text_file(tmp_path / "train.conll", "the O\ncat B-ANIMAL\nsat O\n\na O\ndog B-ANIMAL\nsang O\n\n" * 15)
    chosen = options(model, file, "tag", own={"crf": True}, steps=40)
    opened = load_checkpoint(start_run(chosen, tmp_path / "run", resume=False))
    assert opened.output_heads == ("tag", "crf")
    assert predict(opened, [as_example("tag", "a cat sang")])[0].answer == ("O", "B-ANIMAL", "O")


def test_refused(model, learned, tmp_path):
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "train.tsv").write_text("sentence\tlabel\nthe cat\t1\na dog\t0\n", encoding="utf-8")
    table = sentences(tmp_path)
    for chosen, says in (
        (options(model, tmp_path / "few"), "too few"),
        (replace(options(model, table), data=TaskDataOptions()), "--train"),
        (options(model, table, own={"crf": True}), "taggers"),
    ):
        with pytest.raises(BertcoreError, match=says):
            start_run(chosen, tmp_path / "run", resume=False)
        assert says != "too few" or not (tmp_path / "run").exists()
    with pytest.raises(BertcoreError, match="was not fine-tuned on similarity"):
        evaluate_file(load_checkpoint(newest(learned)), "similarity", str(table), {})
    with pytest.raises(BertcoreError, match="not fine-tuned on a task"):
        predict(load_checkpoint(model), [as_example("classify", "the cat")])


def test_a_long_passage_can_be_given_up(learned):
    """The window does so when something else is typed."""
    checkpoint = load_checkpoint(newest(learned))
    kind = task_kind(checkpoint)
    examples = [as_example(kind, f"the cat sang {'on ' * i}") for i in range(40)]  # three batches
    shares = []
    assert len(predict(checkpoint, examples, shares.append)) == 40
    assert shares == pytest.approx([0, 1 / 3, 2 / 3])

    def give_up(share):
        if share:
            raise InterruptedError

    checkpoint.model.train()
    with pytest.raises(InterruptedError):
        predict(checkpoint, examples, give_up)
    assert checkpoint.model.training


TAGGED = "the B-PER\ncat O\nsat O\n\na O\ndog B-PER\nsang I-PER\nand O\nthe O\nbird B-LOC\nsat O\n\n"


@pytest.mark.parametrize("crf", [False, True])
def test_parts_of_a_batch_add_up_to_its_gradient(model, tmp_path, crf):
    """A tagger's loss is a mean over words, and the sentences have 3 and 7 of them."""
    (tmp_path / "train.txt").write_text(TAGGED * 8, encoding="utf-8")
    (tmp_path / "dev.txt").write_text(TAGGED * 2, encoding="utf-8")
    gradients, values = [], []
    for parts in (1, 4):
        chosen = options(model, tmp_path, "conll2003", {"crf": crf}, dropout=0.0, accumulate=parts)
        training = FineTuning(chosen)
        training.prepare(tmp_path, lambda sentence: None)
        values.append(float(training.forward_backward(*training.planned.take(1, 0.0)).loss))
        training.close()
        parameters = training.model.named_parameters()
        gradients.append({name: each.grad for name, each in parameters if each.grad is not None})
    assert values[1] == pytest.approx(values[0], rel=1e-5)
    for name, whole in gradients[0].items():
        assert torch.allclose(gradients[1][name], whole, rtol=1e-4, atol=1e-6), name
