"""Running a model with a task head: its logits, its loss, what it predicts for texts or a whole file; and how well it
does on held-out examples: loss, metrics, confusion, and the best and worst examples."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.config import BertConfig
from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.limits import CONFUSION_LABELS
from bertcore.model.bert import Bert
from bertcore.model.hooks import NO_HOOK, Changes, Hook, Intervention
from bertcore.model.torch_parts import evaluation_mode
from bertcore.progress import ReportProgress
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import TASK_KINDS, base, kind_named, kind_of_model, make_features
from bertcore.tasks.packed import Floats, Ints
from bertcore.tokenizer.tokenizer import Tokenizer

BATCH_SIZE = 16
STRIDE = 128  # where no run says otherwise, a window of a long passage begins every so many tokens
Outputs = Iterable[tuple[Ints, NDArray]]  # the units of a batch, and the logits for them


class PassageWindows(NamedTuple):
    """How a long passage is cut: into windows of `length` tokens, one of which begins every `stride` tokens."""

    length: int
    stride: int


def task_kind(checkpoint: Checkpoint) -> str | None:
    """What the checkpoint was fine-tuned on, as one of the kinds of tasks; None where it has no such head."""
    kind = kind_of_model(checkpoint.output_heads, checkpoint.config)
    return None if kind is None else kind.name


def required_kind(checkpoint: Checkpoint) -> str:
    """As `task_kind`. Raises BertcoreError where it is None."""
    kind = task_kind(checkpoint)
    if kind is None:
        raise BertcoreError(
            f"The model {checkpoint.name} was not fine-tuned on a task; "
            "fine-tune it (bertcore finetune) or open another."
        )
    return kind


def as_example(kind: str, text_a: str, text_b: str | None = None) -> base.Example:
    """What was typed, as an example of a task; how the texts are read: `TaskKind.typed`.

    Raises BertcoreError where a part is missing.
    """
    if not text_a.strip():
        raise BertcoreError("There is no text; type a sentence.")
    example: base.Example = TASK_KINDS[kind].typed(text_a, text_b)
    return example


def predict(
    checkpoint: Checkpoint,
    examples: Sequence[base.Example],
    progress: ReportProgress | None = None,
    *,
    windows: PassageWindows | None = None,
    decoding: base.Decoding = base.USUAL,
    changes: Changes | None = None,
    tell_cut: Callable[[int], object] = lambda _: None,
) -> list[base.Prediction]:
    """What the model says of each example, in their order; `windows` as in `reading_batches`, `progress` and `changes`
    as in `run_task`. `tell_cut` is called with how many examples the model does not read to their end.

    Raises BertcoreError where the model has no head for a task.
    """
    kind, model = TASK_KINDS[required_kind(checkpoint)], checkpoint.model
    kind.refuse(checkpoint.name, checkpoint.config)
    batches = reading_batches(model, checkpoint.tokenizer, [kind.unanswered(each) for each in examples], windows)
    tell_cut(batches.features.examples_cut)
    logits = by_unit(batches.features, run_task(model, batches, progress, changes=changes))
    return list(kind.decode(batches.features, logits, base.DecodeSettings.of(model, decoding)))


def reading_batches(
    model: Bert,
    tokenizer: Tokenizer,
    examples: Sequence[base.Example],
    windows: PassageWindows | None = None,
    *,
    need_answers: bool = False,
) -> TaskBatches:
    """What a model reads outside training. Whoever predicts or measures reads this, so that their numbers agree.

    Texts are cut where the model's positions end, whatever the length in training; passages are read in windows like
    those that the model learned from. `need_answers` as in `make_features`.
    Raises ValueError for a model without a head for a task.
    """
    kind = kind_of_model(model.output_heads, model.config)
    if kind is None:
        raise ValueError("this model has no head for a task")
    whole = model.config.max_length
    windows = windows or PassageWindows(whole, min(STRIDE, whole // 4))
    features = make_features(
        kind.name,
        examples,
        tokenizer,
        label_names(kind, model.config),
        max_length=min(windows.length, whole) if kind.chooses_tokens else whole,
        crf=model.crf is not None,
        stride=windows.stride,
        need_answers=need_answers,
    )
    return TaskBatches(features, BATCH_SIZE, tokenizer.pad_id, segments=model.config.type_vocab_size > 1, shuffle=False)


def labels_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """What its classifier or tagger chooses from."""
    kind = kind_of_model(checkpoint.output_heads, checkpoint.config)
    return () if kind is None else label_names(kind, checkpoint.config)


def label_names(kind: base.TaskKind[Any, Any], config: BertConfig) -> tuple[str, ...]:
    """What a model of the kind chooses from; none where that is not named."""
    if not kind.has_labels:
        return ()
    return config.labels or tuple(f"LABEL_{number}" for number in range(config.label_count))


def batch_logits(model: Bert, batch: base.TaskBatch, hook: Hook = NO_HOOK) -> torch.Tensor:
    """Logits of the task's head, laid out as the kind's `losses` take them.

    Without a hook the last layer computes only the hidden states that the head reads.
    """
    kind, rows, length = batch.kind, batch.rows, batch.input_ids.shape[1]
    if kind.reads == "first":
        rows = torch.arange(0, batch.input_ids.numel(), length, device=batch.input_ids.device)
    only = rows if hook is NO_HOOK else None
    hidden = model(batch.input_ids, batch.segment_ids, batch.attention_mask, rows=only, hook=hook)  # (B,S,H) or (R,H)
    if rows is not None and only is None:
        hidden = hidden.flatten(0, 1)[rows]
    return kind.arrange(model.logits(kind.head, hidden, hook), batch.choices)


def task_loss(model: Bert, batch: base.TaskBatch) -> torch.Tensor:
    """What fine-tuning minimises: the mean of the kind's `losses` over the labels that count; 0 where none does."""
    return batch.kind.loss(model, batch_logits(model, batch), batch)


@torch.no_grad()
def run_task(
    model: Bert, batches: TaskBatches, progress: ReportProgress | None = None, *, changes: Changes | None = None
) -> list[tuple[Ints, NDArray]]:
    """The units of each batch with the head's logits for them; `progress` is called before each batch.

    changes: what is made of the tensors at some hook points, as in `trace`.
    """
    hook, device = Intervention(changes) if changes else NO_HOOK, model.embeddings.token.weight.device
    outputs = []
    order = list(batches.order())
    with evaluation_mode(model):
        for number, units in enumerate(order):
            if progress is not None:
                progress(number / len(order))
            logits = batch_logits(model, batches.batch(units).to(device), hook)
            outputs.append((units, logits.float().cpu().numpy()))
    return outputs


def by_unit(features: base.Features, outputs: Outputs) -> list[Floats]:
    """The logits of each unit, by number and without padding. Raises ValueError where those of one are missing."""
    of_unit: dict[int, Floats] = {}
    for units, logits in outputs:
        rows = features.kind.split(features, units, np.asarray(logits, dtype=np.float64))
        of_unit.update(zip(units.tolist(), rows, strict=True))
    missing = [unit for unit in range(features.units) if unit not in of_unit]
    if missing:
        raise ValueError(f"no logits for {len(missing)} of {features.units}, the first of them number {missing[0]}")
    return [of_unit[unit] for unit in range(features.units)]


def unit_losses(features: base.Features, units: Iterable[int], logits: Sequence[Floats]) -> list[Floats]:
    """For each of these units, by number, the losses of its labels, in their shape; NaN where a label is not known."""
    losses = []
    for unit, row in zip(units, logits, strict=True):
        labels = torch.from_numpy(np.asarray(features.answers[unit]))[None]
        labels = labels if labels.is_floating_point() else labels.long()
        found = features.kind.losses(torch.from_numpy(row)[None], labels)
        if not labels.is_floating_point():
            found = found.masked_fill(labels == NO_LABEL, torch.nan)
        losses.append(found[0].numpy())
    return losses


def example_losses(features: base.Features, logits: Sequence[Floats]) -> Floats:
    """(E) the mean over the labels of each example alone; NaN where its answer is not known."""
    known = [losses[~np.isnan(losses)] for losses in unit_losses(features, range(features.units), logits)]
    of_units = [float(losses.mean()) if losses.size else np.nan for losses in known]
    example_of = features.example_of[features.unit_starts[:-1]]
    count = len(features.examples)
    return np.bincount(example_of, of_units, minlength=count) / np.bincount(example_of, minlength=count)


# --- how well it does


EXAMPLES_SHOWN = 8
_SHORT = 600  # characters of an example that are written down


@dataclass(frozen=True)
class TaskEvaluation:
    loss: float  # mean over the examples
    metrics: dict[str, float]
    labels: tuple[str, ...]
    confusion: list[list[int]] | None  # rows: right labels, columns: given ones; None without labels, or with too many
    best: list[dict[str, Any]]  # examples with the lowest loss, and what was said of them
    worst: list[dict[str, Any]]
    examples: int  # how many were measured
    examples_cut: int  # of these, how many are longer than the model reads: it did not see their ends


def evaluate_task(model: Bert, batches: TaskBatches, decoding: base.Decoding = base.USUAL) -> TaskEvaluation:
    """Measure on all examples of `batches`, whose answers have to be known."""
    features, kind = batches.features, batches.features.kind
    logits = by_unit(features, run_task(model, batches))
    predictions = kind.decode(features, logits, base.DecodeSettings.of(model, decoding))
    gold, given = right_answers(features.examples), [prediction.answer for prediction in predictions]
    losses = example_losses(features, logits)
    metrics = {**measure(kind.name, gold, given, features.labels), **kind.measure_scores(features, logits, gold)}

    def described(at: int) -> dict[str, Any]:
        known = {name: value for name, value in asdict(features.examples[at]).items() if value not in (None, ())}
        is_long = {name for name, value in known.items() if isinstance(value, str) and len(value) > _SHORT}
        example = {name: value[:_SHORT] + " ..." if name in is_long else value for name, value in known.items()}
        loss = round(float(losses[at]), 4)
        return {"example": example, "right": gold[at], "given": given[at], "loss": loss}

    has_table = kind.has_confusion and 0 < len(features.labels) <= CONFUSION_LABELS
    best, worst = ranked(losses, EXAMPLES_SHOWN)
    return TaskEvaluation(
        loss=float(np.nanmean(losses)),
        metrics=metrics,
        labels=features.labels,
        confusion=confusion(gold, given, features.labels).tolist() if has_table else None,
        best=list(map(described, best)),
        worst=list(map(described, worst)),
        examples=len(features.examples),
        examples_cut=features.examples_cut,
    )


def right_answers(examples: Sequence[base.Example]) -> list[Any]:
    """What the examples themselves say, in the form that the metrics compare; None where nothing is known."""
    return [example.answer for example in examples]


def measure(kind: str, gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str] = ()) -> dict[str, float]:
    """Metrics by name; which, says the kind's own `measure`. Shares are 0..1 (papers often show them times 100).

    `gold` and `predicted` as `right_answers` and `Prediction.answer` give them, one per example.
    Raises BertcoreError where there is nothing to compare, or an answer is not known.
    """
    measured = kind_named(kind)
    if not len(gold) or len(gold) != len(predicted):
        raise BertcoreError(f"There are {len(gold)} right answers for {len(predicted)} predictions; give one for each.")
    if unknown := [i for i, answer in enumerate(gold) if answer is None]:
        raise BertcoreError(f"Example {unknown[0] + 1} has no right answer to compare with; leave it out.")
    return {name: float(value) for name, value in measured.measure(gold, predicted, list(labels)).items()}


def confusion(gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str]) -> NDArray[np.int64]:
    """(K,K) how often the right label (row) was given as each (column). Tags of sentences count word by word.

    What is not among `labels` is left out.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    pairs = [pair for pair in zip(base.flat(gold), base.flat(predicted), strict=True) if numbers.keys() >= set(pair)]
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    if pairs:
        rows, columns = zip(*([numbers[label] for label in pair] for pair in pairs), strict=True)
        np.add.at(table, (rows, columns), 1)
    return table


def ranked(losses: Sequence[float] | NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """Numbers of the k examples with the lowest losses, best first, and of the k with the highest, worst first.

    No example is in both: where there are too few for that, each gets half. NaN is left out; ties go by number.
    """
    values = np.asarray(losses, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    worst_first = np.argsort(-values, kind="stable")[: len(order)]
    best = order[: min(k, (len(order) + 1) // 2)].tolist()
    return best, [i for i in worst_first.tolist() if i not in best][: min(k, len(order) // 2)]
