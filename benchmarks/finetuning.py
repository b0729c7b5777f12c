"""The same checkpoint fine-tuned here and by `transformers`, with the same settings, three seeds each.

    python -m benchmarks.finetuning TASK FOLDER [--model CHECKPOINT] [--epochs 3] [--max-examples N]

`transformers` runs its class for the task in a plain loop: torch's AdamW, its linear schedule with warm-up, shuffled
batches padded to their longest sequence. Both have the settings of bertcore.training.finetune_options. Prints the
means and standard deviations of the task's main metric, and the examples per second.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.resolve_model import resolve_model
from bertcore.tasks.features.collate import TaskBatches
from bertcore.tasks.features.decode import decode
from bertcore.tasks.features.kinds import Features
from bertcore.tasks.features.make import make_features
from bertcore.tasks.features.predictions import gold_answers
from bertcore.tasks.metrics import measure
from bertcore.tasks.readers.reading import task_named
from bertcore.training.finetune import FineTuning, read_examples, start_or_resume_finetuning
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions

_SEQUENCES = "AutoModelForSequenceClassification"
CLASSES = {"classify": _SEQUENCES, "regress": _SEQUENCES, "tag": "AutoModelForTokenClassification"}


def main(
    task: str,
    folder: str,
    model: str | None = None,
    epochs: float = 3.0,
    max_examples: int | None = None,
    learning_rate: float = 3e-4,
    seeds: Annotated[int, typer.Option()] = 3,
    threads: int = 2,
) -> None:
    data = TaskDataOptions(task=task, train=folder, max_examples=max_examples, max_length=128)
    found: dict[str, list[tuple[float, float]]] = {"bertcore": [], "transformers": []}
    for seed in range(1, seeds + 1):
        training = TuningOptions(
            epochs=epochs, seed=seed, learning_rate=learning_rate, threads=threads, evaluations=1, precision="fp32"
        )
        options = FinetuneOptions(name=task, model=model, data=data, training=training)
        found["bertcore"].append(_ours(options))
        found["transformers"].append(_theirs(options))
        print({name: values[-1] for name, values in found.items()}, flush=True)
    for name, values in found.items():
        scores, speeds = zip(*values, strict=True)
        deviation = statistics.stdev(scores) if len(scores) > 1 else float("nan")
        print(
            f"{task} {task_named(task).metrics[0]} {name}: {statistics.mean(scores):.4f} +- {deviation:.4f}, "
            f"{statistics.median(speeds):.1f} examples/s"
        )


def _ours(options: FinetuneOptions) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        events: list[dict[str, Any]] = []
        start_or_resume_finetuning(options, Path(folder) / "run", False, events.append)
    train = [event for event in events if event["kind"] == "train"]
    held_out = [event for event in events if event["kind"] == "held_out"][-1]
    seconds = train[-1]["elapsed_s"] - train[0]["elapsed_s"]
    examples = options.training.batch_size * (train[-1]["step"] - train[0]["step"])
    return held_out[task_named(options.data.task).metrics[0]], examples / seconds


def _theirs(options: FinetuneOptions) -> tuple[float, float]:
    import transformers

    training, spec = options.training, task_named(options.data.task)
    torch.set_num_threads(training.threads or 1)
    folder = resolve_model(options.model)
    tokenizer = load_checkpoint(folder).tokenizer
    train, dev = read_examples(options)
    features, held_out = (
        make_features(spec.kind, file.examples, tokenizer, train.labels, max_length=options.data.max_length)
        for file in (train, dev)
    )
    torch.manual_seed(training.seed)
    model = getattr(transformers, CLASSES[spec.kind]).from_pretrained(folder, num_labels=max(1, len(train.labels)))
    plain = [p for name, p in model.named_parameters() if "bias" in name or "LayerNorm" in name]
    decayed = [p for name, p in model.named_parameters() if "bias" not in name and "LayerNorm" not in name]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": training.weight_decay}, {"params": plain, "weight_decay": 0.0}],
        lr=options.training.learning_rate or 5e-5,
        eps=1e-6,
        fused=True,
    )
    batches = TaskBatches(features, training.batch_size, tokenizer.pad_id)
    count = len(features.ids)
    steps = FineTuning(options).budget(-(-count // training.batch_size)).steps or 1
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, round(training.warm_up_share * steps), steps)
    rng, order, seconds = np.random.default_rng(training.seed), np.zeros(0, dtype=np.int64), 0.0
    model.train()
    for _ in range(steps):
        if len(order) < training.batch_size:
            order = np.concatenate([order, rng.permutation(count)])
        units, order = order[: training.batch_size], order[training.batch_size :]
        started = time.perf_counter()
        _logits(model, batches, units, features).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.gradient_clip)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        seconds += time.perf_counter() - started
    return _score(model, held_out, tokenizer.pad_id, spec.metrics[0]), steps * training.batch_size / seconds


def _logits(model: Any, batches: TaskBatches, units: Any, features: Features) -> Any:
    batch = batches.batch(np.asarray(units))
    return model(
        input_ids=batch.input_ids,
        attention_mask=batch.attention_mask,
        token_type_ids=batch.segment_ids,
        labels=batch.labels[features.head],
    )


@torch.no_grad()
def _score(model: Any, features: Features, pad_id: int, metric: str) -> float:
    model.eval()
    batches = TaskBatches(features, 32, pad_id, shuffle=False)
    outputs: Sequence[Any] = [(units, _logits(model, batches, units, features).logits) for units in batches.order()]
    given = [prediction.answer for prediction in decode(features, outputs)]
    return float(measure(features.kind, gold_answers(features.examples), given, features.labels)[metric])


if __name__ == "__main__":
    typer.run(main)
