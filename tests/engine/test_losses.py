"""The loss of each head: as `transformers` computes it, by name, with weights, and it can be learned."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.tensor_names import class_name
from bertcore.model.bert import Bert, MissingHeadError
from bertcore.model.losses import NO_LABEL, Losses, TaskBatch, task_losses
from bertcore.training.optimizer import make_optimizer
from tests.engine.models import tiny_model, word_tokenizer

LABELS = ("O", "B-PER", "I-PER")
BATCH, LENGTH = 4, 9
REAL = torch.tensor([9, 7, 4, 9])
MASK = (torch.arange(LENGTH) < REAL[:, None]).long()
IDS = torch.randint(5, 72, (BATCH, LENGTH), generator=torch.Generator().manual_seed(0)) * MASK
TAGS = torch.tensor([[NO_LABEL, 1, 2, 2, 0, NO_LABEL, 1, 0, NO_LABEL]] * BATCH).masked_fill(MASK == 0, NO_LABEL)
FIRSTS = torch.tensor([0, 4, 9, 18, 20])
ANSWERS: dict[str, Tensor] = {
    "classify": torch.tensor([0, 2, 1, 2]),
    "choice": torch.tensor([1, 0]),
    "tag": TAGS,
    "crf": TAGS,
    "span": torch.tensor([[1, 3], [2, 2], [NO_LABEL, NO_LABEL], [5, 8]]),
    "summarise": torch.tensor([1, 0, 0, 1, 1]),
}


def batch_for(labels: Mapping[str, Tensor]) -> TaskBatch:
    rows = {"summarise": FIRSTS}
    return TaskBatch(IDS, torch.zeros_like(IDS), MASK, labels, rows, choices=2)


def model_for(head: str) -> Bert:
    heads = ["tag", "crf"] if head == "crf" else [head]
    return tiny_model(heads, labels=LABELS).requires_grad_(True)


def their_loss(model: Bert, folder: Path, head: str, **answers: Tensor) -> Tensor:
    import transformers

    save_checkpoint(model, word_tokenizer(), folder)
    name, _ = class_name(model.config, model.output_heads)
    theirs = getattr(transformers, name).from_pretrained(folder).eval()
    inputs = {"input_ids": IDS, "attention_mask": MASK, "token_type_ids": torch.zeros_like(IDS)}
    if head == "choice":
        inputs = {key: value.view(2, 2, LENGTH) for key, value in inputs.items()}
    loss: Tensor = theirs(**inputs, **answers).loss
    return loss.detach()


@pytest.mark.parametrize("head", ["classify", "choice", "tag"])
def test_as_transformers(head: str, tmp_path: Path) -> None:
    model = model_for(head)
    theirs = their_loss(model, tmp_path, head, labels=ANSWERS[head])
    ours = task_losses(model, batch_for({head: ANSWERS[head]}))
    assert float(ours.total.detach()) == pytest.approx(float(theirs), abs=1e-5)
    assert set(ours.parts) == set(ours.logits) == {head}


def test_answers_as_transformers(tmp_path: Path) -> None:
    """It takes places outside of the sequence for "not counted", and lets padding compete; ours does not."""
    model = model_for("span")
    labels = torch.tensor([[1, 3], [2, 2], [LENGTH, LENGTH], [5, 8]])
    theirs = their_loss(model, tmp_path, "span", start_positions=labels[:, 0], end_positions=labels[:, 1])
    unpadded = TaskBatch(IDS, torch.zeros_like(IDS), None, {"span": ANSWERS["span"]}, {})
    model_without_mask = load_checkpoint(tmp_path).model
    ours = task_losses(model, unpadded)
    hidden = model_without_mask(IDS, None, MASK)
    start, end = model_without_mask.span_logits(hidden)
    by_hand = [
        torch.nn.functional.cross_entropy(logits[[0, 1, 3]], ANSWERS["span"][[0, 1, 3], place])
        for place, logits in enumerate((start, end))
    ]
    assert float(sum(by_hand) / 2) == pytest.approx(float(theirs), abs=1e-5)
    assert torch.isfinite(ours.total)


@pytest.mark.parametrize(
    ("problem", "labels"),
    [
        ("regression", torch.tensor([0.5, 4.0, 2.5, 0.0])),
        ("multi_label_classification", torch.tensor([[0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]])),
    ],
)
def test_other_problems_of_a_classifier(problem: str, labels: Tensor, tmp_path: Path) -> None:
    names = ("score",) if problem == "regression" else LABELS
    model = tiny_model(("classify",), labels=names, problem_type=problem)
    theirs = their_loss(model, tmp_path, "classify", labels=labels.float())
    ours = task_losses(model, batch_for({"classify": labels}))
    assert float(ours.total) == pytest.approx(float(theirs), abs=1e-5)


def test_the_crf_counts_whole_sequences() -> None:
    model = model_for("crf")
    assert model.crf is not None
    loss = task_losses(model, batch_for({"crf": TAGS}))
    emissions = model.tag_logits(model(IDS, None, MASK))
    likelihood = model.crf.log_likelihood(emissions, TAGS.clamp(min=0), TAGS >= 0)
    assert float(loss.total) == pytest.approx(-float(likelihood.sum()) / int((TAGS >= 0).sum()), abs=1e-5)
    tags = model.best_tags(emissions, TAGS >= 0)
    assert [len(row) for row in tags] == (TAGS >= 0).sum(1).tolist()


def test_parts_are_weighted() -> None:
    parts = {"mlm": torch.tensor(2.0), "nsp": torch.tensor(0.5)}
    assert float(Losses.of(parts, {}, {"nsp": 0.25}).total) == pytest.approx(2.125)


def test_a_batch_without_any_counted_label_costs_nothing() -> None:
    model = model_for("tag")
    loss = task_losses(model, batch_for({"tag": torch.full_like(TAGS, NO_LABEL)})).total
    loss.backward()
    assert float(loss) == 0 and all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def test_a_head_that_is_not_there() -> None:
    with pytest.raises(MissingHeadError, match="tagging"):
        task_losses(tiny_model(("mlm",)), batch_for({"tag": TAGS}))
    with pytest.raises(ValueError, match="no loss for taggg"):
        task_losses(tiny_model(("mlm",)), batch_for({"taggg": TAGS}))
    with pytest.raises(ValueError, match="without labels"):
        task_losses(tiny_model(("mlm",)), batch_for({}))


@pytest.mark.parametrize("head", ANSWERS)
def test_every_head_learns_and_is_read_again(head: str, tmp_path: Path) -> None:
    model = model_for(head)
    batch, optimizer = batch_for({head: ANSWERS[head]}), make_optimizer(model, 1e-2, 0.0)
    first = float(task_losses(model, batch).total)
    for _ in range(40):
        optimizer.zero_grad()
        task_losses(model, batch).total.backward()
        optimizer.step()
    learned = float(task_losses(model, batch).total)
    assert learned < 0.2 * first
    save_checkpoint(model, word_tokenizer(), tmp_path)
    assert float(task_losses(load_checkpoint(tmp_path).model, batch).total) == pytest.approx(learned, abs=1e-6)
