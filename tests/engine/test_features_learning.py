"""The whole way for every kind: examples, features, batches, a tiny model that learns them, answers, metric."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from bertcore.model.bert import Bert
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings, Decoding
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import by_unit, example_losses, measure, right_answers, run_task, task_loss
from bertcore.training.optimizer import make_optimizer
from tests.engine.models import decode, epoch_of, tiny_config, word_tokenizer

SUBJECTS = ("the cat", "a dog", "the bird", "it", "a very comfortable mat")
TEXTS = [f"{subject} {verb}" for subject in SUBJECTS for verb in ("sat on the mat", "sang")]
ANIMALS = ("cat", "dog", "bird")
TAGS = ("O", "B-ANIMAL", "I-ANIMAL", "B-ACT")


def tagged(text: str) -> TaggedExample:
    tag_of = dict.fromkeys((*ANIMALS, "very"), "B-ANIMAL") | {
        "sat": "B-ACT",
        "sang": "B-ACT",
        "comfortable": "I-ANIMAL",
    }
    words = tuple(text.split())
    return TaggedExample(words, tuple(tag_of.get(word, "O") for word in words))


def asked(number: int, text: str) -> AnswerExample:
    passage = f"{'a mat was very very comfortable . ' * (number % 3)}{text} ."
    if number % 4 == 0:
        return AnswerExample(str(number), "the cat on a dog", passage)
    answer = text.split()[1]
    return AnswerExample(str(number), "it was", passage, ((answer, passage.rindex(answer)),))


def summarised(number: int, text: str) -> SummaryExample:
    labels = tuple(place == number % 3 for place in range(3))
    return SummaryExample(tuple(f"{text} ." if chosen else "it was" for chosen in labels), labels)


def chosen(number: int, text: str) -> ChoiceExample:
    endings = ["on the mat", "sang very", "was"][: 1 + number % 3]
    endings.insert(number % 2, "comfortable")
    return ChoiceExample(text, tuple(endings), number % 2)


CASES: dict[str, tuple[str, list[Any], tuple[str, ...], str]] = {
    "classify": ("classify", [TextExample(t, None, "ab"["sang" in t]) for t in TEXTS], ("a", "b"), "accuracy"),
    "regress": ("regress", [TextExample(t, "a cat", i / 4) for i, t in enumerate(TEXTS)], ("score",), "pearson"),
    "multilabel": (
        "multilabel",
        [TextExample(t, None, tuple(w for w in ("sang", "the", "dog") if w in t)) for t in TEXTS],
        ("sang", "the", "dog"),
        "accuracy",
    ),
    "tag": ("tag", [tagged(text) for text in TEXTS], TAGS, "f1"),
    "crf": ("tag", [tagged(text) for text in TEXTS], TAGS, "f1"),
    "span": ("span", [asked(i, text) for i, text in enumerate(TEXTS)], (), "exact_match"),
    "choice": ("choice", [chosen(i, text) for i, text in enumerate(TEXTS)], (), "accuracy"),
    "summarise": ("summarise", [summarised(i, text) for i, text in enumerate(TEXTS)], (), "rougeLsum"),
}  # fmt: skip
PROBLEMS = {"regress": "regression", "multilabel": "multi_label_classification"}


def train(model: Bert, batches: TaskBatches) -> None:
    """Until every loss of an epoch is small."""
    optimizer = make_optimizer(model, 3e-3, 0.0)
    for epoch in range(250):
        losses = []
        for batch in epoch_of(batches, epoch):
            optimizer.zero_grad()
            losses.append(task_loss(model, batch))
            losses[-1].backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if max(float(loss.detach()) for loss in losses) < 0.03:
            return


@pytest.mark.parametrize("case", CASES)
def test_ten_examples_are_learned(case: str) -> None:
    kind, examples, labels, metric = CASES[case]
    tokenizer = word_tokenizer()
    features = make_features(
        kind, examples, tokenizer, labels, max_length=22, crf=case == "crf", stride=4, need_answers=True
    )  # type: ignore[arg-type]
    config = tiny_config(labels=labels, problem_type=PROBLEMS.get(kind), hidden_dropout_prob=0.0, initializer_range=0.1)
    model = Bert(
        config.with_changes(attention_probs_dropout_prob=0.0),
        [features.head],
        generator=torch.Generator().manual_seed(0),
    )
    batches = TaskBatches(features, 4, tokenizer.pad_id, seed=1)
    assert len(examples) == 10 and (kind != "span" or len(features.ids) > 15)
    train(model, batches)
    held_out = TaskBatches(features, 3, tokenizer.pad_id, shuffle=False)
    outputs = run_task(model.eval(), held_out)
    settings = replace(DecodeSettings.of(model, Decoding(sentences=1, max_answer_tokens=5)), no_answer_above=0.0)
    predicted = decode(features, outputs, settings)
    found = measure(kind, right_answers(examples), [prediction.answer for prediction in predicted], labels)  # type: ignore[arg-type]
    assert found[metric] > (0.98 if kind == "regress" else 0.9999), (found, predicted)
    per_example = example_losses(features, by_unit(features, outputs))
    assert len(per_example) == 10 and (per_example < 0.2).all()


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("crf", "span")])
def test_the_loss_of_one_example_is_that_of_a_batch_of_it(case: str) -> None:
    kind, examples, labels, _ = CASES[case]
    tokenizer = word_tokenizer()
    features = make_features(kind, examples, tokenizer, labels, max_length=22)  # type: ignore[arg-type]
    model = Bert(
        tiny_config(labels=labels, problem_type=PROBLEMS.get(kind)),
        [features.head],
        generator=torch.Generator().manual_seed(3),
    ).eval()
    batches = TaskBatches(features, 4, tokenizer.pad_id, seed=1)
    with torch.no_grad():
        alone = [float(task_loss(model, batches.batch(np.array([unit])))) for unit in range(10)]
        outputs = run_task(model, batches)
    np.testing.assert_allclose(example_losses(features, by_unit(features, outputs)), alone, atol=1e-5)


def test_the_loss_of_a_passage_is_the_mean_of_its_windows() -> None:
    tokenizer = word_tokenizer()
    examples = CASES["span"][1]
    features = make_features("span", examples, tokenizer, max_length=22, stride=4)
    model = Bert(tiny_config(), ["span"], generator=torch.Generator().manual_seed(3)).eval()
    batches = TaskBatches(features, 4, tokenizer.pad_id, seed=1)
    with torch.no_grad():
        alone = np.array([float(task_loss(model, batches.batch(np.array([i])))) for i in range(len(features.ids))])
        outputs = run_task(model, batches)
    by_hand = [alone[features.example_of == example].mean() for example in range(10)]
    np.testing.assert_allclose(example_losses(features, by_unit(features, outputs)), by_hand, atol=1e-5)


def test_without_answers_the_model_still_answers() -> None:
    """And the loss says that it means nothing, where it can."""
    tokenizer = word_tokenizer()
    for case, (kind, examples, labels, _) in CASES.items():
        field = {"tag": "tags", "span": "answers", "summarise": "labels"}.get(kind, "label")
        unknown = [replace(example, **{field: () if kind == "span" else None}) for example in examples]
        features = make_features(kind, unknown, tokenizer, labels, max_length=22, crf=case == "crf")  # type: ignore[arg-type]
        assert features.labelled == (kind == "span")
        model = Bert(
            tiny_config(labels=labels, problem_type=PROBLEMS.get(kind)),
            [features.head],
            generator=torch.Generator().manual_seed(3),
        ).eval()
        batches = TaskBatches(features, 4, tokenizer.pad_id)
        outputs = run_task(model, batches)
        assert len(decode(features, outputs)) == 10
        if kind != "span":
            assert np.isnan(example_losses(features, by_unit(features, outputs))).all()
