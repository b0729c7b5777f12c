"""A new kind of task is one class: here one that gives two numbers for a text, from its file to its answers."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.loaded_model import load
from bertcore.tasks.kinds import TASK_KINDS, base
from bertcore.tasks.kinds.regress import Regress, finite
from bertcore.tasks.kinds.texts import LABEL_COLUMNS, TEXT_COLUMNS
from bertcore.tasks.readers.reading import TASKS, read_task, register
from bertcore.tasks.spec import TaskSpec
from bertcore.training.data_facts import TaskFacts, task_facts
from bertcore.training.drawn_examples import example_answers, label_counts, open_examples
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from tests.engine.models import tiny_model, word_tokenizer
from tests.text_file import text_file

pytestmark = pytest.mark.usefixtures("fast_disk")
TEXTS = ("the cat sang", "a dog sat on the mat", "it was very comfortable", "the bird sang on a mat")


@dataclass(frozen=True)
class PointPrediction(base.Prediction):
    """How pleasant a text is, and how exciting."""

    answer_field = "point"
    point: tuple[float, ...]


class Feeling(Regress):
    name = "feeling"
    metrics = ("distance",)
    tasks = (
        TaskSpec("feeling", "feeling", "Feelings", "table", (), columns={"text": TEXT_COLUMNS, "label": LABEL_COLUMNS}),
    )

    def label_in(self, request, place, label):
        point = tuple(map(finite, (label or "").split("/")))
        return "two numbers with / between", point if len(point) == 2 and np.isfinite(point).all() else None

    def answers(self, examples, numbers):
        return np.array([(np.nan, np.nan) if each.label is None else each.label for each in examples], np.float32)

    def config(self, spec, labels, examples):
        return base.TaskKind.config(self, spec, ("pleasant", "exciting"), examples)

    def fits(self, heads, config):
        return super().fits(heads, config) and config.label_count == 2

    def refuse(self, name, config):
        """It shows all that the model says."""

    def decode(self, features, logits, settings):
        return [PointPrediction(tuple(row.tolist())) for row in logits]

    def measure(self, gold, predicted, labels):
        return {"distance": np.linalg.norm(np.array(gold) - np.array(predicted), axis=1).mean()}

    def first_answer(self, features, right, scores, loss):
        return base.TokenAnswer(0, 0, self.label_written(right), self.label_written(scores), loss, None)

    def label_written(self, label):
        return "" if label is None else " / ".join(f"{each:.2f}" for each in label)

    def label_counts(self, examples):
        return base.TaskKind.label_counts(self, examples)


@pytest.fixture
def registered():
    kinds = dict(TASK_KINDS)
    register(Feeling())
    yield
    TASK_KINDS.clear()
    TASK_KINDS.update(kinds)
    del TASKS["feeling"]


def test_it_goes_all_the_way(registered, tmp_path, run):
    save_checkpoint(tiny_model(("mlm",), num_hidden_layers=1), word_tokenizer(), tmp_path / "model")
    rows = [f"{text}\t{i % 3 - 1}/{i % 5 / 2}" for i, text in enumerate(TEXTS * 6)]
    file = text_file(tmp_path / "feelings.tsv", "text\tlabel\n" + "\n".join(rows) + "\n")
    options = FinetuneOptions(
        model=str(tmp_path / "model"),
        data=TaskDataOptions(task="feeling", train=str(file), dev=str(file), max_length=24),
        training=TuningOptions(steps=4, batch_size=8, threads=1, evaluations=1, precision="fp32"),
    )

    facts = task_facts(options, word_tokenizer())
    assert facts.train == 24 and facts.rows[1].label == "0.00 / 0.50" and facts.lengths.counted == 24
    assert TaskFacts.from_dict(facts.to_dict()) == facts

    start_run(options, run, resume=False)
    written = json.loads((run / EVALUATION_FILE).read_text())
    assert set(written["metrics"]) == {"distance"} and written["labels"] == []
    m = load(run)
    assert m.task_kind == "feeling" and m.config.labels == ("pleasant", "exciting")
    assert m.evaluate(file).metrics == pytest.approx(written["metrics"], rel=1e-6)
    predicted = m.predict(TEXTS[0])
    assert isinstance(predicted, PointPrediction) and len(predicted.answer) == 2
    assert next(iter(m.predict_file(file))).answer == pytest.approx(predicted.answer, abs=1e-5)

    wrong = text_file(tmp_path / "wrong.tsv", "text\tlabel\nthe cat\t1/high\n")
    with pytest.raises(BertcoreError, match=r"line 2: expected two numbers with / between in column 'label', found"):
        read_task("feeling", wrong)

    batches = open_examples(run)
    drawn = batches.at(2)
    assert label_counts(drawn.features) == {} and drawn.batch.labels.shape == (8, 2)
    answers = example_answers(m.bert, drawn, batches.tokenizer.label)
    assert answers.loss == pytest.approx(np.mean([unit.loss for unit in answers.units]), rel=1e-5)
    assert answers.units[0].right == Feeling().label_written(drawn.features.answers[drawn.units[0]])
