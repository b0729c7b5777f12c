"""What a run reports is what its model does: the same figures by `evaluate` and `predict`, to the last digit."""

import json
from dataclasses import replace

import pytest
import torch

import bertcore
from bertcore.cli.output import watching
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import PairRules
from bertcore.loaded_model import load
from bertcore.runs.diagnosis import normal
from bertcore.runs.diagnosis_words import in_words
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import read_record
from bertcore.runs.sweep_results import SweepPlace, read_sweep, write_place
from bertcore.tasks.predict import PassageWindows, measure, predict, right_answers
from bertcore.tasks.readers.reading import read_task
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import EVALUATION_FILE, HeldOutText
from bertcore.training.start import start_run
from tests.engine.clock import Clock
from tests.engine.models import tiny_checkpoint
from tests.engine.runs_of_each_kind import fine_tuning, story, tuning
from tests.engine.training_runs import metrics, stop_at, tiny_run, write_text
from tests.text_file import text_file

pytestmark = pytest.mark.usefixtures("fast_disk")
WORDS = ["the", "cat", "sat", "on", "a", "mat", "it", "was", "dog", "bird", "sang", "very", "comfortable"]


def _model(folder):
    return tiny_checkpoint(folder, max_position_embeddings=64)


def _tagged(file, sentences, words):
    """Dogs and cats are names, but not in every fourth sentence, and nothing says so."""
    lines = []
    for number in range(sentences):
        chosen = [WORDS[(number * 7 + place * (1 + number % 5)) % len(WORDS)] for place in range(words)]
        lines += [f"{word}\t{'B-PET' if word in ('cat', 'dog') and number % 4 else 'O'}" for word in chosen] + [""]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _tagger(folder, dev_words=40, **training):
    train = _tagged(folder / "train.txt", 24, 10)
    data = {"dev": str(_tagged(folder / "dev.txt", 9, dev_words)), "max_length": 16}  # held-out sentences are longer
    return tuning(_model(folder / "model"), train, "tag", data, **{"steps": 100, "seed": 3, **training})


def _reported(run):
    return dict(json.loads((run / EVALUATION_FILE).read_text()))


@pytest.mark.parametrize("training", [{"precision": "fp32"}, {"precision": "bf16"}, {"accumulate": 3}], ids=str)
def test_run_evaluate_and_predict_report_one_figure(tmp_path, training):
    options, run = _tagger(tmp_path, **training), tmp_path / "run"
    start_run(options, run, resume=False)
    reported, opened = _reported(run), load(run)
    evaluated = opened.evaluate(options.data.dev, "tag")
    assert evaluated.metrics == reported["metrics"] and evaluated.loss == reported["loss"]
    gold = read_task("tag", options.data.dev, "dev", {}).examples
    said = [each.answer for each in opened.predict_file(options.data.dev)]
    assert measure("tag", right_answers(gold), said, opened.config.labels) == reported["metrics"]
    assert 0 < reported["metrics"]["f1"] < 1  # a figure that could differ
    last = metrics(run, "held_out")[-1]
    assert last["loss"] == reported["loss"] and last["f1"] == reported["metrics"]["f1"] and last["examples"] == 9


def test_passages_are_read_in_the_windows_of_their_run(tmp_path):
    passage = " ".join(WORDS[number % len(WORDS)] for number in range(50))
    start = passage.index("comfortable")
    answers = [{"text": "comfortable", "answer_start": start}]
    questions = [{"id": str(number), "question": "the cat", "answers": answers} for number in range(9)]
    file = tmp_path / "train.json"
    file.write_text(json.dumps({"data": [{"paragraphs": [{"context": passage, "qas": questions}]}]}))
    data = {"dev": str(file), "max_length": 24, "stride": 8}
    start_run(tuning(_model(tmp_path / "model"), file, "squad", data, steps=8), tmp_path / "run", resume=False)
    opened, examples = load(tmp_path / "run"), read_task("squad", str(file), "dev", {}).examples
    said = [each.answer for each in opened.predict_file(file)]
    scores = [each.score for each in opened.predict_file(file)]
    assert scores == [each.score for each in predict(opened.checkpoint, examples, windows=PassageWindows(24, 8))]
    assert scores != [each.score for each in predict(opened.checkpoint, examples, windows=PassageWindows(64, 16))]
    assert measure("span", right_answers(examples), said) == _reported(tmp_path / "run")["metrics"]


def test_where_held_out_text_is_cut_it_is_said(tmp_path):
    options, run = _tagger(tmp_path, dev_words=100, steps=2), tmp_path / "run"  # the model has 64 positions
    snapshot = start_run(options, run, resume=False)
    assert (_reported(run)["examples"], _reported(run)["examples_cut"]) == (9, 9)
    assert "9 examples (9 of them cut) held out" in (run / "log.txt").read_text()
    assert "9 of these are longer than the 64 tokens" in (snapshot / "README.md").read_text()
    few = replace(options.data, dev=str(_tagged(tmp_path / "short.txt", 9, 40)), max_held_out=5)
    start_run(replace(options, data=few), tmp_path / "few", resume=False)
    assert (_reported(tmp_path / "few")["examples"], _reported(tmp_path / "few")["examples_cut"]) == (5, 0)


def test_held_out_text_is_measured_as_by_evaluate(tmp_path, capsys):
    """And the terminal says what the log says."""
    options, run = tiny_run(write_text(tmp_path), precision="bf16", steps=6), tmp_path / "run"
    with watching(quiet=False) as bar:
        snapshot = start_run(options, run, resume=False, on_event=bar)
    found = load(snapshot).evaluate_text(options.data.corpus, sequence_length=16, sequences=16)
    last = metrics(run, "held_out")[-1]
    for name in ("loss", "mlm_loss", "mlm_accuracy", "nsp_accuracy"):
        assert found[name] == last[name]
    lines = (run / "log.txt").read_text().splitlines()
    logged = [line.split("held out: ")[1] for line in lines if "held out: " in line]
    printed = " ".join(capsys.readouterr().err.split())
    assert len(logged) == 2 and all(" ".join(line.split()) in printed for line in logged)
    assert f"loss {last['loss']:.3f}" in logged[-1]


def test_measuring_takes_a_tenth_of_a_time_budget(tmp_path, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("bertcore.training.loop.time", clock)

    def slow(self, model):
        clock.pass_s(0.125)
        return {"loss": 1.0, "mlm_loss": 1.0, "mlm_accuracy": 0.0, "mlm_top5": 0.0}

    monkeypatch.setattr(HeldOutText, "measure", slow)
    options = tiny_run(write_text(tmp_path), steps=None, minutes=0.05, evaluations=20, causal_share=0.0)
    start_run(options, tmp_path / "run", resume=False)
    lines = metrics(tmp_path / "run", "held_out")
    assert 0.125 * len(lines[:-1]) <= 0.1 * 3.0 + 0.02 and 2 <= len(lines) < 6
    assert lines[-1]["step"] == RunFolder(tmp_path / "run").status().step  # the end is measured in any case


def test_held_out_pairs_are_balanced(tmp_path):
    file = write_text(tmp_path)
    tokenizer = Tokenizer.train(file.read_text().splitlines(), 200)
    rules = PairRules.of(tokenizer, "nsp", pack=True, exact=True)
    held_out = HeldOutText.of(load_corpus([file], tokenizer), tokenizer, 16, 40, rules)
    labels = torch.cat([batch.next_sentence for batch in held_out.batches])
    assert (labels == 0).sum() == (labels == 1).sum() == 20


# --- each measurement on the way is of the same held-out examples; one of all of them, at the end, stands apart

HELD_OUT = 150


@pytest.fixture
def folder(tmp_path, fast_disk):
    """40 examples to learn from, 150 held out: a measurement of all of them would take longer than the steps."""
    rows = [f"the cat says {sound} {'.' * (i % 4)}\t{i % 2}" for i in range(20) for sound in ("meow", "woof")]
    text_file(tmp_path / "train.tsv", "sentence\tlabel\n" + "\n".join(rows) + "\n")
    dev = [f"the dog says {sound} {i}\t{int(i % 5 < 3)}" for i in range(HELD_OUT // 2) for sound in ("meow", "woof")]
    text_file(tmp_path / "dev.tsv", "sentence\tlabel\n" + "\n".join(dev) + "\n")
    return tmp_path


def started(folder, **training):
    fine_tuning(folder)  # makes the model
    data = {"dev": str(folder / "dev.tsv"), "max_length": 16}
    options = tuning(folder / "model", folder / "train.tsv", data=data, **{"evaluations": 3, **training})
    return lambda run, on_event=None: start_run(options, run, resume=True, on_event=on_event)


def test_all_points_of_a_curve_are_of_the_same_examples_and_one_of_all_stands_apart(folder):
    run = folder / "run"
    started(folder)(run)
    curve = metrics(run, "held_out")
    assert [line["step"] for line in curve] == [0, 2, 4, 6]
    assert {line["examples"] for line in curve} == {64}
    assert len({line["answers"]["chance"] for line in curve}) == 1, "what guessing gets is the same"
    (line,) = metrics(run, "evaluation")
    evaluation = json.loads((run / "evaluation.json").read_text())
    assert (line["examples"], evaluation["examples"]) == (HELD_OUT, HELD_OUT)
    assert (line["step"], evaluation["step"]) == (6, 6)
    assert line["answers"] == evaluation["answers"] and line["answers"]["chance"] == 0.6
    assert f"all held out ({HELD_OUT} examples)" in (run / "log.txt").read_text()
    assert bertcore.Run(run).metrics["examples"] == HELD_OUT
    found = RunMetrics()
    found.append(RunFolder(run).tail().read_new())
    assert (found.examples, found.evaluation["examples"]) == (64, HELD_OUT)
    assert found.series["loss_task_held_out"].arrays[0].tolist() == [0, 2, 4, 6]
    write_place(run, SweepPlace("abc", "new", 1, 1))
    (of_sweep,) = read_sweep([run]).runs  # it takes the figure on all
    assert (of_sweep.score, of_sweep.loss) == (evaluation["metrics"]["accuracy"], evaluation["loss"])
    assert [each.examples for each in of_sweep.measurements] == [64] * 4


def test_where_all_are_measured_each_time_there_is_no_second_one(folder):
    run = folder / "run"
    started(folder, evaluations=1, steps=160)(run)
    assert {line["examples"] for line in metrics(run, "held_out")} == {HELD_OUT}
    assert metrics(run, "evaluation") == []


def test_a_resumed_run_is_the_undisturbed_one_and_a_longer_budget_keeps_the_examples_of_its_curve(folder):
    """With it there would be time to measure more of them."""
    run, undisturbed = folder / "run", folder / "undisturbed"
    started(folder)(run, stop_at(run, 3))
    assert [line["step"] for line in metrics(run, "evaluation")] == [3]
    for place in (run, undisturbed):
        started(folder)(place)
    assert story(run) == story(undisturbed)
    started(folder, steps=400)(run)
    assert {line["examples"] for line in metrics(run, "held_out")} == {64}
    assert [line["step"] for line in metrics(run, "evaluation")] == [400], "that of its first end counts no more"


# --- folders of earlier versions: 64 before the first step, 185 on the way, all 200 at the end


def of_earlier(folder, *more):
    run = RunFolder.create(folder / "old", {"kind": "finetune", "data": {"task": "sst2"}, "name": "old"})
    numbers = [(0, 64, 0.5625), (50, 185, 0.519), (100, 185, 0.65), (150, 185, 0.7), (200, 200, 0.705)]
    for step, examples, accuracy in numbers:
        chance = {64: 0.5625, 185: 0.519, 200: 0.515}[examples]
        answers = {"label": "positive", "share": 0.5, "right": 0.5, "chance": chance}
        line = {"kind": "held_out", "step": step, "loss": 1 - accuracy, "accuracy": accuracy, "examples": examples}
        run.append_metric({**line, "answers": answers})
    for line in more:
        run.append_metric(line)
    run.append_metric({"kind": "train", "step": 200, "loss": 0.5})
    run.write_status(state="done", step=200)
    return run.path


def test_their_curves_are_shown_whole(folder):
    run, found = of_earlier(folder), RunMetrics()
    found.append(RunFolder(run).tail().read_new())
    steps, accuracies = found.series["metric_accuracy"].arrays
    assert steps.tolist() == [0, 50, 100, 150, 200] and accuracies[-1] == pytest.approx(0.705)
    assert (found.examples, found.last_measured["answers"]["chance"], found.evaluation) == (200, 0.515, {})
    said = normal(read_record(run))
    assert "on 200 held-out examples its accuracy" in in_words(said).seen
    write_place(run, SweepPlace("abc", "old", 1, 1))
    (of_sweep,) = read_sweep([run]).runs
    assert (of_sweep.score, of_sweep.final.examples) == (0.705, 200)


@pytest.mark.parametrize("examples", [None, "x", -1, 10**30, True, [1]])
def test_lines_from_elsewhere_may_say_anything(folder, examples):
    strange = {"kind": "held_out", "step": 210, "loss": 0.1, "accuracy": 0.9, "examples": examples}
    run = of_earlier(folder, strange, {**strange, "kind": "evaluation"})
    found = RunMetrics()
    found.append(RunFolder(run).tail().read_new())
    assert found.examples is None and len(found.series["metric_accuracy"]) == 6
    read_record(run)  # a strange line is no reason to refuse it
