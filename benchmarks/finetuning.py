"""Which learning rate suits small models in fine-tuning, and what `transformers` reaches with the same settings.

    python -m benchmarks.finetuning search TASKS OUT
    python -m benchmarks.finetuning compare TASKS OUT [--learning-rate RATE] [--seeds 3]

TASKS holds the folders sst2, cola, mrpc, conll2003 and stsb. `search` trains each task at each rate and measures on a
third of the training examples, so that the dev files, which `compare` measures on, have no say in the rate.
`compare` trains the same weights here and with `transformers`: its class for the task in a plain loop with torch's
AdamW, its linear schedule with warm-up, and our batches, which hold sequences of similar length (as its Trainer's with
group_by_length do). All other settings are those of bertcore.training.finetune_options, and both use the same number
format. What is done is kept in OUT and not
done again; both commands print their table from there.
"""

import json
import os
import shutil
import statistics
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.memory import keep_freed_memory
from bertcore.resolve_model import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings, TaskBatch
from bertcore.tasks.predict import BATCH_SIZE, by_unit, measure, right_answers
from bertcore.tasks.readers.reading import find_file, task_named
from bertcore.training.compute import choose_precision
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from bertcore.training.task_examples import read_examples

TITLES = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC", "conll2003": "CoNLL-2003", "stsb": "STS-B"}
METRICS = {"cola": "matthews_correlation", "stsb": "spearmanr"}  # where it is not the first of the task's own
RATES = (5e-5, 1e-4, 2e-4, 4e-4, 8e-4)
SEARCH_SEED, SEARCH_EXAMPLES, SEARCH_HELD_OUT = 7, 3000, 1 / 3
SEQUENCES = "AutoModelForSequenceClassification"
CLASSES = {"classify": SEQUENCES, "regress": SEQUENCES, "tag": "AutoModelForTokenClassification"}
app = typer.Typer(add_completion=False)


@app.command()
def search(
    tasks: Path,
    out: Path,
    model: str | None = None,
    examples: int = SEARCH_EXAMPLES,
    epochs: float = 3.0,
    rate: Annotated[list[float] | None, typer.Option(help="Only these.")] = None,
) -> None:
    """Each task at each rate, with one seed."""
    keep_freed_memory()
    rates = sorted(rate or RATES)
    for peak, task in product(rates, TITLES):
        file = str(find_file(task_named(task), tasks / task, "train"))  # not the folder, which has a dev file
        data = TaskDataOptions(task=task, train=file, max_examples=examples, dev_share=SEARCH_HELD_OUT)
        score_of(out / "search", "ours", options_of(data, model, epochs, peak, SEARCH_SEED))
    print_row("task", "metric", *(f"{peak:g}" for peak in rates))
    print_row(*["---"] * (len(rates) + 2))
    for task in TITLES:
        found = (kept(out / "search", "ours", task, peak, SEARCH_SEED) for peak in rates)
        print_row(TITLES[task], metric_of(task).partition("_")[0], *(f"{score:.3f}" for score in found))


@app.command()
def compare(
    tasks: Path,
    out: Path,
    learning_rate: float | None = None,
    model: str | None = None,
    seeds: int = 3,
    examples: int = 1000,
    held_out: int | None = 1000,
    epochs: float = 3.0,
) -> None:
    """Ours and `transformers`, each task with some seeds; the rate is the default one if none is given."""
    keep_freed_memory()
    numbers, whose = range(1, seeds + 1), ("ours", "theirs")
    for seed, task, side in product(numbers, TITLES, whose):
        data = TaskDataOptions(task=task, train=str(tasks / task), max_examples=examples, max_held_out=held_out)
        score_of(out / "compare", side, options_of(data, model, epochs, learning_rate, seed))
    print_row("task", "metric", "BERTscope", "`transformers`", "difference")
    print_row(*["---"] * 5)
    for task in TITLES:
        ours, theirs = ([kept(out / "compare", side, task, learning_rate, seed) for seed in numbers] for side in whose)
        difference = statistics.mean(ours) - statistics.mean(theirs)
        cells = (metric_of(task).partition("_")[0], mean_and_deviation(ours), mean_and_deviation(theirs))
        print_row(TITLES[task], *cells, f"{difference:+.3f}")


def options_of(
    data: TaskDataOptions, model: str | None, epochs: float, rate: float | None, seed: int
) -> FinetuneOptions:
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    training = TuningOptions(epochs=epochs, seed=seed, learning_rate=rate, threads=threads, evaluations=1)
    return FinetuneOptions(name=data.task, model=model, data=data, training=training)


def metric_of(task: str) -> str:
    return METRICS.get(task, task_named(task).metrics[0])


def result_file(out: Path, side: str, task: str, rate: float | None, seed: int) -> Path:
    return out / f"{task}-{'default' if rate is None else f'{rate:g}'}-{seed}-{side}.json"


def kept(out: Path, side: str, task: str, rate: float | None, seed: int) -> float:
    metrics = json.loads(result_file(out, side, task, rate, seed).read_text(encoding="utf-8"))
    return float(metrics[metric_of(task)])


def score_of(out: Path, side: str, options: FinetuneOptions) -> None:
    """Train and keep the metrics, where that is not done."""
    training = options.training
    file = result_file(out, side, options.data.task, training.learning_rate, training.seed)
    if file.is_file():
        return
    out.mkdir(parents=True, exist_ok=True)
    metrics = _ours(options, file.with_suffix("")) if side == "ours" else _theirs(options)
    file.write_text(json.dumps(metrics) + "\n", encoding="utf-8")
    print(file.stem, round(metrics[metric_of(options.data.task)], 4), flush=True)


def mean_and_deviation(values: list[float]) -> str:
    deviation = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.3f}{deviation}"


def print_row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


def _ours(options: FinetuneOptions, run: Path) -> dict[str, float]:
    start_run(options, run, resume=True)
    if RunFolder(run).status().state != "done":
        raise SystemExit(f"The run {run} was stopped; the same command continues it.")
    metrics: dict[str, float] = json.loads((run / EVALUATION_FILE).read_text(encoding="utf-8"))["metrics"]
    shutil.rmtree(run)  # a hundred megabytes of snapshots
    return metrics


def _theirs(options: FinetuneOptions) -> dict[str, float]:
    import transformers

    transformers.logging.set_verbosity_error()  # that the head is new
    training, spec = options.training, task_named(options.data.task)
    torch.set_num_threads(training.threads or 1)
    precision = choose_precision(training.precision, torch.device("cpu"))
    folder = resolve_model(options.model)
    checkpoint = load_checkpoint(folder)
    train, dev = read_examples(options)
    features = make_features(
        spec.kind, train.examples, checkpoint.tokenizer, train.labels, max_length=options.data.max_length
    )
    torch.manual_seed(training.seed)
    model: Any = getattr(transformers, CLASSES[spec.kind]).from_pretrained(folder, num_labels=max(1, len(train.labels)))
    plain = [p for name, p in model.named_parameters() if "bias" in name or "LayerNorm" in name]
    decayed = [p for name, p in model.named_parameters() if "bias" not in name and "LayerNorm" not in name]
    tuning = FineTuning(options)
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": training.weight_decay}, {"params": plain, "weight_decay": 0.0}],
        lr=options.peak_rate(checkpoint.config.hidden_size),
        eps=1e-6,
        fused=True,
    )
    batches = TaskBatches(features, training.batch_size, checkpoint.tokenizer.pad_id, training.seed)
    steps = tuning.budget_of(len(batches)).steps or 1
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, round(training.warm_up_share * steps), steps)
    model.train()
    for step in range(steps):
        epoch, place = divmod(step, len(batches))
        with precision.autocast(torch.device("cpu")):
            _output(model, batches.batch(batches.order(epoch)[place])).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.gradient_clip)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
    features = make_features(
        spec.kind,
        dev.examples,
        checkpoint.tokenizer,
        train.labels,
        max_length=checkpoint.config.max_length,
        need_answers=True,
    )
    held_out = TaskBatches(features, BATCH_SIZE, checkpoint.tokenizer.pad_id, shuffle=False)
    return _metrics(model, held_out)


def _output(model: Any, batch: TaskBatch) -> Any:
    return model(
        input_ids=batch.input_ids,
        attention_mask=batch.attention_mask,
        token_type_ids=batch.segment_ids,
        labels=batch.labels,
    )


@torch.no_grad()
def _metrics(model: Any, batches: TaskBatches) -> dict[str, float]:
    """On the very batches that our own measurement reads, in fp32."""
    model.eval()
    features = batches.features
    outputs = [(units, _output(model, batches.batch(units)).logits.cpu().numpy()) for units in batches.order()]
    predictions = features.kind.decode(features, by_unit(features, outputs), DecodeSettings())
    given = [prediction.answer for prediction in predictions]
    found = measure(features.kind.name, right_answers(features.examples), given, features.labels)
    return {name: float(value) for name, value in found.items() if value is not None}


if __name__ == "__main__":
    app()
