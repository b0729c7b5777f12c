"""The loss of each kind of task, as `transformers` computes it; the whole way of every kind to answers and metric."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.tensor_names import class_name
from bertcore.data.pairs import NO_LABEL
from bertcore.model.bert import Bert, MissingHeadError
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import TASK_KINDS, make_features
from bertcore.tasks.kinds.base import DecodeSettings, Decoding, TaskBatch
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import batch_logits, by_unit, example_losses, measure, right_answers, run_task, task_loss
from bertcore.training.objective import Losses
from bertcore.training.optimizer import make_optimizer
from tests.engine.models import decode, epoch_of, tiny_config, tiny_model, word_tokenizer

LABELS = ("O", "B-PER", "I-PER")
BATCH, LENGTH = 4, 9
REAL = torch.tensor([9, 7, 4, 9])
MASK = (torch.arange(LENGTH) < REAL[:, None]).long()
IDS = torch.randint(5, 72, (BATCH, LENGTH), generator=torch.Generator().manual_seed(0)) * MASK
TAGS = torch.tensor([[NO_LABEL, 1, 2, 2, 0, NO_LABEL, 1, 0, NO_LABEL]] * BATCH).masked_fill(MASK == 0, NO_LABEL)
FIRSTS = torch.tensor([0, 4, 9, 18, 20])
ANSWERS = {
    "classify": torch.tensor([0, 2, 1, 2]),
    "choice": torch.tensor([1, 0]),
    "tag": TAGS,
    "crf": TAGS,
    "span": torch.tensor([[1, 3], [2, 2], [NO_LABEL, NO_LABEL], [5, 8]]),
    "summarise": torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0]),
}


def batch_for(head, labels, kind="", mask=MASK):
    """Of the kind that learns the head, where none is named."""
    learned = TASK_KINDS[kind or {"crf": "tag"}.get(head, head)]
    rows = FIRSTS if head == "summarise" else None
    return TaskBatch(learned, head, IDS, torch.zeros_like(IDS), mask, labels, rows, 2 if head == "choice" else 1)


def model_for(head):
    heads = ["tag", "crf"] if head == "crf" else [head]
    return tiny_model(heads, labels=LABELS).requires_grad_(True)


def their_loss(model, folder, head, **answers):
    import transformers

    save_checkpoint(model, word_tokenizer(), folder)
    name, _ = class_name(model.config, model.output_heads)
    theirs = getattr(transformers, name).from_pretrained(folder).eval()
    inputs = {"input_ids": IDS, "attention_mask": MASK, "token_type_ids": torch.zeros_like(IDS)}
    if head == "choice":
        inputs = {key: value.view(2, 2, LENGTH) for key, value in inputs.items()}
    loss = theirs(**inputs, **answers).loss
    return loss.detach()


def test_answers_as_transformers(tmp_path):
    """It takes places outside of the sequence for "not counted", and lets padding compete; ours does not."""
    model = model_for("span")
    labels = torch.tensor([[1, 3], [2, 2], [LENGTH, LENGTH], [5, 8]])
    theirs = their_loss(model, tmp_path, "span", start_positions=labels[:, 0], end_positions=labels[:, 1])
    opened = load_checkpoint(tmp_path).model
    by_hand = [
        torch.nn.functional.cross_entropy(logits[[0, 1, 3]], ANSWERS["span"][[0, 1, 3], place])
        for place, logits in enumerate(opened.logits("span", opened(IDS, None, MASK)).unbind(-1))
    ]
    assert float(sum(by_hand) / 2) == pytest.approx(float(theirs), abs=1e-5)
    assert torch.isfinite(task_loss(model, batch_for("span", ANSWERS["span"], mask=None)))


PROBLEMS = {"regress": "regression", "multilabel": "multi_label_classification"}


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        *((head, ANSWERS[head]) for head in ("classify", "choice", "tag")),
        ("regress", torch.tensor([0.5, 4.0, 2.5, 0.0])),
        ("multilabel", torch.tensor([[0.0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]])),
    ],
)
def test_as_transformers(kind, labels, tmp_path):
    head = "classify" if kind in PROBLEMS else kind
    model = tiny_model((head,), labels=("score",) if kind == "regress" else LABELS, problem_type=PROBLEMS.get(kind))
    assert TASK_KINDS[kind].problem == PROBLEMS.get(kind, TASK_KINDS[kind].problem)
    theirs = their_loss(model, tmp_path, head, labels=labels)
    assert float(task_loss(model, batch_for(head, labels, kind))) == pytest.approx(float(theirs), abs=1e-5)


def test_the_crf_counts_whole_sequences():
    model = model_for("crf")
    loss = task_loss(model, batch_for("crf", TAGS))
    emissions = model.logits("tag", model(IDS, None, MASK))
    likelihood = model.crf.log_likelihood(emissions, TAGS.clamp(min=0), TAGS >= 0)
    assert float(loss) == pytest.approx(-float(likelihood.sum()) / int((TAGS >= 0).sum()), abs=1e-5)
    tags = model.crf.decode(emissions, TAGS >= 0)
    assert [len(row) for row in tags] == (TAGS >= 0).sum(1).tolist()


def test_parts_are_weighted_and_a_batch_without_any_counted_label_costs_nothing():
    parts = {"mlm": torch.tensor(2.0), "nsp": torch.tensor(0.5)}
    assert float(Losses.of(parts, {}, {"nsp": 0.25}).total) == pytest.approx(2.125)
    model, batch = model_for("tag"), batch_for("tag", torch.full_like(TAGS, NO_LABEL))
    loss = task_loss(model, batch)
    loss.backward()
    assert float(loss) == batch.counted == 0
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
    with pytest.raises(MissingHeadError, match="tagging"):
        task_loss(tiny_model(("mlm",)), batch_for("tag", TAGS))


@pytest.mark.parametrize("head", ANSWERS)
def test_only_what_the_head_reads_is_computed_and_it_is_the_same(head):
    """Without a hook the last layer leaves out what no head reads; with one it shows everything."""
    from bertcore.model.hooks import Recorder

    model, batch = model_for(head).eval(), batch_for(head, ANSWERS[head])
    with torch.no_grad():
        fast, seen = batch_logits(model, batch), batch_logits(model, batch, Recorder())
    assert torch.allclose(fast, seen, atol=1e-6) and fast.shape == seen.shape


# --- the whole way: examples, features, batches, a tiny model that learns them, answers, metric

SUBJECTS = ("the cat", "a dog", "the bird", "it", "a very comfortable mat")
TEXTS = [f"{subject} {verb}" for subject in SUBJECTS for verb in ("sat on the mat", "sang")]
ANIMALS = ("cat", "dog", "bird")
ANIMAL_TAGS = ("O", "B-ANIMAL", "I-ANIMAL", "B-ACT")


def tagged(text):
    tag_of = dict.fromkeys((*ANIMALS, "very"), "B-ANIMAL")
    tag_of |= {"sat": "B-ACT", "sang": "B-ACT", "comfortable": "I-ANIMAL"}
    words = tuple(text.split())
    return TaggedExample(words, tuple(tag_of.get(word, "O") for word in words))


def asked(number, text):
    passage = f"{'a mat was very very comfortable . ' * (number % 3)}{text} ."
    if number % 4 == 0:
        return AnswerExample(str(number), "the cat on a dog", passage)
    answer = text.split()[1]
    return AnswerExample(str(number), "it was", passage, ((answer, passage.rindex(answer)),))


def summarised(number, text):
    labels = tuple(place == number % 3 for place in range(3))
    return SummaryExample(tuple(f"{text} ." if chosen else "it was" for chosen in labels), labels)


def chosen(number, text):
    endings = ["on the mat", "sang very", "was"][: 1 + number % 3]
    endings.insert(number % 2, "comfortable")
    return ChoiceExample(text, tuple(endings), number % 2)


CASES = {
    "classify": ("classify", [TextExample(t, None, "ab"["sang" in t]) for t in TEXTS], ("a", "b"), "accuracy"),
    "regress": ("regress", [TextExample(t, "a cat", i / 4) for i, t in enumerate(TEXTS)], ("score",), "pearson"),
    "multilabel": (
        "multilabel",
        [TextExample(t, None, tuple(w for w in ("sang", "the", "dog") if w in t)) for t in TEXTS],
        ("sang", "the", "dog"),
        "accuracy",
    ),
    "tag": ("tag", [tagged(text) for text in TEXTS], ANIMAL_TAGS, "f1"),
    "crf": ("tag", [tagged(text) for text in TEXTS], ANIMAL_TAGS, "f1"),
    "span": ("span", [asked(i, text) for i, text in enumerate(TEXTS)], (), "exact_match"),
    "choice": ("choice", [chosen(i, text) for i, text in enumerate(TEXTS)], (), "accuracy"),
    "summarise": ("summarise", [summarised(i, text) for i, text in enumerate(TEXTS)], (), "rougeLsum"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_ten_examples_are_learned(case):
    kind, examples, labels, metric = CASES[case]
    tokenizer, settings = word_tokenizer(), {"max_length": 22, "crf": case == "crf", "stride": 4, "need_answers": True}
    features = make_features(kind, examples, tokenizer, labels, **settings)
    config = tiny_config(labels=labels, problem_type=PROBLEMS.get(kind), hidden_dropout_prob=0.0, initializer_range=0.1)
    generator = torch.Generator().manual_seed(0)
    model = Bert(config.with_changes(attention_probs_dropout_prob=0.0), [features.head], generator=generator)
    batches, optimizer = TaskBatches(features, 4, tokenizer.pad_id, seed=1), make_optimizer(model, 3e-3, 0.0)
    assert len(examples) == 10 and (kind != "span" or len(features.ids) > 15)
    for epoch in range(250):  # until every loss of an epoch is small
        losses = []
        for batch in epoch_of(batches, epoch):
            optimizer.zero_grad()
            losses.append(task_loss(model, batch))
            losses[-1].backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if max(float(loss.detach()) for loss in losses) < 0.03:
            break
    outputs = run_task(model.eval(), TaskBatches(features, 3, tokenizer.pad_id, shuffle=False))
    decoding = replace(DecodeSettings.of(model, Decoding(sentences=1, max_answer_tokens=5)), no_answer_above=0.0)
    predicted = decode(features, outputs, decoding)
    found = measure(kind, right_answers(examples), [prediction.answer for prediction in predicted], labels)
    assert found[metric] > (0.98 if kind == "regress" else 0.9999), (found, predicted)
    per_example = example_losses(features, by_unit(features, outputs))
    assert len(per_example) == 10 and (per_example < 0.2).all()


def untrained(case, examples):
    kind, _, labels, _ = CASES[case]
    tokenizer, generator = word_tokenizer(), torch.Generator().manual_seed(3)
    features = make_features(kind, examples, tokenizer, labels, max_length=22, crf=case == "crf", stride=4)
    config = tiny_config(labels=labels, problem_type=PROBLEMS.get(kind))
    return Bert(config, [features.head], generator=generator).eval(), TaskBatches(features, 4, tokenizer.pad_id, seed=1)


@pytest.mark.parametrize("case", [case for case in CASES if case != "crf"])
def test_the_loss_of_one_example_is_that_of_a_batch_of_it(case):
    """That of a passage is the mean of its windows."""
    model, batches = untrained(case, CASES[case][1])
    features = batches.features
    with torch.no_grad():
        alone = [float(task_loss(model, batches.batch(np.array([unit])))) for unit in range(len(features.unit_lengths))]
        outputs = run_task(model, batches)
    if case == "span":
        alone = [np.array(alone)[features.example_of == example].mean() for example in range(10)]
    np.testing.assert_allclose(example_losses(features, by_unit(features, outputs)), alone, atol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_without_answers_the_model_still_answers(case):
    """And the loss says that it means nothing, where it can."""
    kind, examples, _, _ = CASES[case]
    field = {"tag": "tags", "span": "answers", "summarise": "labels"}.get(kind, "label")
    model, batches = untrained(case, [replace(each, **{field: () if kind == "span" else None}) for each in examples])
    features, outputs = batches.features, run_task(model, batches)
    assert features.labelled == (kind == "span") and len(decode(features, outputs)) == 10
    assert kind == "span" or np.isnan(example_losses(features, by_unit(features, outputs))).all()
