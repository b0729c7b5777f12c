"""The loss of each kind of task: as `transformers` computes it, and it can be learned."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.tensor_names import class_name
from bertcore.data.pairs import NO_LABEL
from bertcore.model.bert import Bert, MissingHeadError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import TaskBatch
from bertcore.tasks.predict import batch_logits, task_loss
from bertcore.training.objective import Losses
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
    "summarise": torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0]),
}


def batch_for(head: str, labels: Tensor, kind: str = "", mask: Tensor | None = MASK) -> TaskBatch:
    """Of the kind that learns the head, where none is named."""
    learned = TASK_KINDS[kind or {"crf": "tag"}.get(head, head)]
    rows = FIRSTS if head == "summarise" else None
    return TaskBatch(learned, head, IDS, torch.zeros_like(IDS), mask, labels, rows, 2 if head == "choice" else 1)


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
    ours = task_loss(model, batch_for(head, ANSWERS[head]))
    assert float(ours.detach()) == pytest.approx(float(theirs), abs=1e-5)


def test_answers_as_transformers(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("regress", torch.tensor([0.5, 4.0, 2.5, 0.0])),
        ("multilabel", torch.tensor([[0.0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]])),
    ],
)
def test_other_problems_of_a_classifier(kind: str, labels: Tensor, tmp_path: Path) -> None:
    names = ("score",) if kind == "regress" else LABELS
    model = tiny_model(("classify",), labels=names, problem_type=TASK_KINDS[kind].problem)
    theirs = their_loss(model, tmp_path, "classify", labels=labels)
    ours = task_loss(model, batch_for("classify", labels, kind))
    assert float(ours) == pytest.approx(float(theirs), abs=1e-5)


def test_the_crf_counts_whole_sequences() -> None:
    model = model_for("crf")
    assert model.crf is not None
    loss = task_loss(model, batch_for("crf", TAGS))
    emissions = model.logits("tag", model(IDS, None, MASK))
    likelihood = model.crf.log_likelihood(emissions, TAGS.clamp(min=0), TAGS >= 0)
    assert float(loss) == pytest.approx(-float(likelihood.sum()) / int((TAGS >= 0).sum()), abs=1e-5)
    tags = model.crf.decode(emissions, TAGS >= 0)
    assert [len(row) for row in tags] == (TAGS >= 0).sum(1).tolist()


def test_parts_are_weighted() -> None:
    parts = {"mlm": torch.tensor(2.0), "nsp": torch.tensor(0.5)}
    assert float(Losses.of(parts, {}, {"nsp": 0.25}).total) == pytest.approx(2.125)


def test_a_batch_without_any_counted_label_costs_nothing() -> None:
    model = model_for("tag")
    batch = batch_for("tag", torch.full_like(TAGS, NO_LABEL))
    loss = task_loss(model, batch)
    loss.backward()
    assert float(loss) == batch.counted == 0
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def test_a_head_that_is_not_there() -> None:
    with pytest.raises(MissingHeadError, match="tagging"):
        task_loss(tiny_model(("mlm",)), batch_for("tag", TAGS))


@pytest.mark.parametrize("head", ANSWERS)
def test_only_what_the_head_reads_is_computed_and_it_is_the_same(head: str) -> None:
    """Without a hook the last layer leaves out what no head reads; with one it shows everything."""
    from bertcore.model.hooks import Recorder

    model, batch = model_for(head).eval(), batch_for(head, ANSWERS[head])
    with torch.no_grad():
        fast, seen = batch_logits(model, batch), batch_logits(model, batch, Recorder())
    assert torch.allclose(fast, seen, atol=1e-6) and fast.shape == seen.shape


@pytest.mark.parametrize("head", ANSWERS)
def test_every_head_learns_and_is_read_again(head: str, tmp_path: Path) -> None:
    model = model_for(head)
    batch, optimizer = batch_for(head, ANSWERS[head]), make_optimizer(model, 1e-2, 0.0)
    first = float(task_loss(model, batch))
    for _ in range(40):
        optimizer.zero_grad()
        task_loss(model, batch).backward()
        optimizer.step()
    learned = float(task_loss(model, batch))
    assert learned < 0.2 * first
    save_checkpoint(model, word_tokenizer(), tmp_path)
    assert float(task_loss(load_checkpoint(tmp_path).model, batch)) == pytest.approx(learned, abs=1e-6)
