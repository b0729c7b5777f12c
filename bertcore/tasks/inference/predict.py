"""Running a model with a task head: what it predicts for texts that someone types, or for a whole file."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.config import BertConfig
from bertcore.data.tokenising import split_sentences
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.evaluation_mode import evaluation_mode
from bertcore.model.hooks import NO_HOOK, Changes, Hook, Intervention
from bertcore.model.losses import TaskBatch
from bertcore.progress import ReportProgress
from bertcore.tasks.decoding import USUAL, Decoding
from bertcore.tasks.examples import (
    AnswerExample,
    ChoiceExample,
    Example,
    Kind,
    SummaryExample,
    TaggedExample,
    TextExample,
)
from bertcore.tasks.features.collate import TaskBatches, to_device
from bertcore.tasks.features.decode import DecodeSettings, decode
from bertcore.tasks.features.make import make_features
from bertcore.tasks.features.predictions import Prediction
from bertcore.tokenizer.tokenizer import Tokenizer

BATCH_SIZE = 16
STRIDE = 128  # where no run says otherwise, a window of a long passage begins every so many tokens
_KINDS: dict[str, Kind] = {
    "single_label_classification": "classify",
    "multi_label_classification": "multilabel",
    "regression": "regress",
}
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


class Windows(NamedTuple):
    """How a long passage is cut: into windows of `length` tokens, one of which begins every `stride` tokens."""

    length: int
    stride: int


def task_kind(checkpoint: Checkpoint) -> Kind | None:
    """What the checkpoint was fine-tuned on, as one of the kinds of tasks; None where it has no such head."""
    heads = checkpoint.output_heads
    if "classify" in heads:
        return _KINDS[checkpoint.config.problem]
    kinds: tuple[Kind, ...] = ("tag", "span", "choice", "summarise")
    return next((kind for kind in kinds if kind in heads), None)


def required_kind(checkpoint: Checkpoint) -> Kind:
    """As `task_kind`. Raises BertcoreError where it is None."""
    kind = task_kind(checkpoint)
    if kind is None:
        raise BertcoreError(
            f"The model {checkpoint.name} was not fine-tuned on a task; "
            "fine-tune it (bertcore finetune) or open another."
        )
    return kind


def as_example(kind: Kind, text_a: str, text_b: str | None = None) -> Example:
    """What was typed, as an example of a task.

    "span": A is the question, B the passage. "choice": A is the beginning, each line of B an ending. "tag": A is cut
    into words and signs. "summarise": A is cut into sentences. Raises BertcoreError where a part is missing.
    """
    if not text_a.strip():
        raise BertcoreError("There is no text; type a sentence.")
    if kind == "tag":
        return TaggedExample(tuple(_WORD.findall(text_a)))
    if kind == "summarise":
        return SummaryExample(tuple(split_sentences(text_a)))
    if kind == "span":
        if not (text_b or "").strip():
            raise BertcoreError("There is no passage; put the text that holds the answer into B.")
        return AnswerExample("typed", text_a, text_b or "")
    if kind == "choice":
        endings = tuple(line.strip() for line in (text_b or "").splitlines() if line.strip())
        if len(endings) < 2:
            raise BertcoreError("There is nothing to choose from; put two or more endings into B, one on each line.")
        return ChoiceExample(text_a, endings)
    return TextExample(text_a, text_b if text_b and text_b.strip() else None)


def predict(
    checkpoint: Checkpoint,
    examples: Sequence[Example],
    progress: ReportProgress | None = None,
    *,
    windows: Windows | None = None,
    decoding: Decoding = USUAL,
    changes: Changes | None = None,
    tell_cut: Callable[[int], object] = lambda _: None,
) -> list[Prediction]:
    """What the model says of each example, in their order; `windows` as in `reading_batches`, `progress` and `changes`
    as in `run_task`. `tell_cut` is called with how many examples the model does not read to their end.

    Raises BertcoreError where the model has no head for a task.
    """
    kind, config = required_kind(checkpoint), checkpoint.config
    if kind == "regress" and config.label_count > 1:
        raise BertcoreError(
            f"The model {checkpoint.name} gives {config.label_count} numbers at once; only one is shown here."
        )
    batches = reading_batches(
        kind,
        [_unanswered(example) for example in examples],
        checkpoint.tokenizer,
        labels_of(checkpoint),
        config,
        windows,
        crf="crf" in checkpoint.output_heads,
    )
    tell_cut(batches.features.examples_cut)
    device = checkpoint.model.embeddings.token.weight.device
    outputs = run_task(checkpoint.model, batches, device, progress, changes=changes)
    return decode(batches.features, outputs, settings_for(checkpoint.model, decoding))


def reading_batches(
    kind: Kind,
    examples: Sequence[Example],
    tokenizer: Tokenizer,
    labels: tuple[str, ...],
    config: BertConfig,
    windows: Windows | None = None,
    *,
    crf: bool = False,
    need_answers: bool = False,
) -> TaskBatches:
    """What a model reads outside training. Whoever predicts or measures reads this, so that their figures agree.

    Texts are cut where the model's positions end, whatever the length in training; passages are read in windows like
    those that the model learned from. `need_answers` as in `make_features`.
    """
    whole = config.max_length
    windows = windows or Windows(whole, min(STRIDE, whole // 4))
    features = make_features(
        kind,
        examples,
        tokenizer,
        labels,
        max_length=min(windows.length, whole) if kind == "span" else whole,
        crf=crf,
        doc_stride=windows.stride,
        need_answers=need_answers,
    )
    return TaskBatches(features, BATCH_SIZE, tokenizer.pad_id, segments=config.type_vocab_size > 1, shuffle=False)


def _unanswered(example: Example) -> Example:
    """Without what a file says is right: it may be written in other words than the model's labels."""
    if isinstance(example, TaggedExample):
        return replace(example, tags=None)
    if isinstance(example, AnswerExample):
        return replace(example, answers=())
    if isinstance(example, SummaryExample):
        return replace(example, labels=None, reference=None)
    return replace(example, label=None)


def labels_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """What its classifier or tagger chooses from."""
    config = checkpoint.config
    if task_kind(checkpoint) in ("classify", "multilabel", "tag"):
        return config.labels or tuple(f"LABEL_{number}" for number in range(config.label_count))
    return ()


@torch.no_grad()
def run_task(
    model: Bert,
    batches: TaskBatches,
    device: torch.device,
    progress: ReportProgress | None = None,
    *,
    changes: Changes | None = None,
) -> list[tuple[NDArray[np.int64], NDArray]]:
    """The units of each batch with the head's logits for them; `progress` is called before each batch.

    changes: what is made of the tensors at some hook points, as in `trace`.
    """
    hook = Intervention(changes) if changes else NO_HOOK
    outputs = []
    order = list(batches.order())
    with evaluation_mode(model):
        for number, units in enumerate(order):
            if progress is not None:
                progress(number / len(order))
            logits = task_logits(model, batches.batch(units), batches.features.head, device, hook)
            outputs.append((units, logits.float().cpu().numpy()))
    return outputs


def task_logits(model: Bert, batch: TaskBatch, head: str, device: torch.device, hook: Hook = NO_HOOK) -> torch.Tensor:
    """Logits of the head: (B,K), (B/C,C), (B,S,K), (B,S,2), or (R) for the sentences of a summary."""
    batch = to_device(batch, device)
    hidden = model(batch.input_ids, batch.segment_ids, batch.attention_mask, hook=hook)  # (B,S,H)
    if head == "classify":
        return model.classify_logits(hidden[:, 0], hook)
    if head == "choice":
        return model.choice_logits(hidden[:, 0], batch.choices, hook)
    if head in ("tag", "crf"):
        return model.tag_logits(hidden, hook)
    if head == "span":
        start, end = model.span_logits(hidden, hook)
        return torch.stack([start, end], dim=-1)
    if head == "summarise":
        return model.sentence_logits(hidden.flatten(0, 1)[batch.rows[head]], hook)
    raise ValueError(f"{head} is no head of a task")


def settings_for(model: Bert, decoding: Decoding = USUAL) -> DecodeSettings:
    """How this model's scores become answers: by the CRF if it has one, with "no answer" if it learned to say so."""
    device, crf = model.embeddings.token.weight.device, model.crf
    return DecodeSettings(
        best_tags=None if crf is None else lambda scores, mask: crf.decode(scores.to(device), mask.to(device)),
        tag_shares=None if crf is None else lambda scores, mask: crf.marginals(scores.to(device), mask.to(device)),
        no_answer_above=0.0 if model.config.no_answer else None,
        max_answer_tokens=decoding.max_answer_tokens,
        sentences=decoding.sentences,
        ratio=decoding.ratio,
    )
