"""The model cards of the three kinds of runs: what was trained, on what, how, and how well it does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertcore.checkpoint.tensor_names import class_name
from bertcore.data.corpus import Corpus
from bertcore.locations import built_in_checkpoint
from bertcore.model.bert import Bert
from bertcore.model.heads import HEAD_TITLES
from bertcore.runs.model_card import PIPELINES, ModelCard, number, numbers_table, points, table
from bertcore.runs.run_story import RunStory
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate_task import TaskEvaluation
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import DataOptions, PretrainOptions

if TYPE_CHECKING:
    from bertcore.training.finetune import TaskMaterials
    from bertcore.training.materials import PretrainingMaterials

MOST_LABELS = 12  # of a confusion table that a card shows
_HUB_CACHE = re.compile(r"models--([^/\\]+)--([^/\\]+)")
_KINDS = {"wordpiece": "WordPiece", "words": "whole words", "byte-level": "byte-level BPE"}
_PAIRS = {
    "nsp": "masked words and next sentence: whether B follows A, or comes from another document",
    "sop": "masked words and sentence order: whether A and B are swapped",
    "none": "masked words in running text, without sentence pairs",
}
MASKED = {"tokens": "single tokens", "words": "whole words", "spans": "spans of words"}
_OPTIMIZERS = {"adamw": "AdamW", "muon": "Muon, and AdamW for vectors and tables"}
_PROMISE = (
    "It repeats what its text says, that text's views of people included: look at them, talk about them, and use it "
    "for nothing that decides about people."
)


@dataclass(frozen=True)
class Teaching:
    """What a distillation has besides: the teacher by name, the losses in words, and both side by side."""

    teacher: str
    objective: str
    comparison: Mapping[str, Any]


def pretraining_card(
    options: PretrainOptions,
    materials: PretrainingMaterials,
    story: RunStory,
    teaching: Teaching | None = None,
) -> ModelCard:
    """Of pretraining, from scratch or from a checkpoint, and of distillation."""
    model, corpus = materials.model, next(iter(materials.samplers.values())).corpus
    how = _pretraining(options, materials.precision.name, story, teaching)
    values = {name: value for name, value in story.held_out.items() if name not in ("kind", "step", "tokens")}
    origin = f"trained on from {place_of(options.start)}" if options.start else "trained from scratch"
    origin = f"distilled from {teaching.teacher}" if teaching else origin
    at = story.held_out.get("step", story.step)
    measured = (
        "" if at == story.step else f"Measured at step {at:,}; the weights here are those of step {story.step:,}."
    )
    held_out = (
        f"{values.get('words') or 0:,} masked words (15% of the tokens) in sequences of "
        f"{options.data.sequence_length} tokens, from documents that were kept apart. {measured}"
    )
    sections = [
        ("The model", _model(model, materials.tokenizer)),
        ("What it was trained on", _corpus(corpus, story)),
        ("How it was trained", f"{story.ended}\n\n{how}"),
        ("Held-out text", f"{held_out}\n\n{numbers_table(values)}"),
        *([("Beside its teacher", _comparison(teaching.comparison))] if teaching else []),
        ("What to know of these numbers", points(_limits(options, model, story))),
        *_last_sections(model, story, "mlm"),
    ]
    return ModelCard(
        options.name,
        f"A {_size(model)}, {origin} by BERTscope. {'' if story.done else story.ended}",
        sections,
        tags=(model.config.model_type, "masked-lm", *(["distillation"] if teaching else [])),
        pipeline=PIPELINES["mlm"],
        measured={name: float(value) for name, value in values.items() if isinstance(value, float)},
        dataset=f"held-out documents of {_names(story)}",
    )


def task_card(
    options: FinetuneOptions,
    materials: TaskMaterials,
    rate: float,
    evaluation: TaskEvaluation,
    story: RunStory,
) -> ModelCard:
    """Of fine-tuning; `rate` is the learning rate at its peak."""
    model, task = materials.model, materials.task
    counts = [len(batches.features.examples) for batches in (materials.batches, materials.held_out)]
    how = _tuning(options, rate, materials.precision.name, story)
    labels = evaluation.labels
    dev = Path(options.data.dev).name if options.data.dev else None
    apart = f"the file {dev}" if dev else f"{counts[1]:,} examples that were kept apart"
    learned = [
        ("task", f"{task.title} ({task.name})"),
        ("labels", ", ".join(labels) if labels else None),
        ("examples to learn from", f"{counts[0]:,}"),
        ("held out", f"{counts[1]:,}, from {apart}"),
    ]
    numbers = {"loss": evaluation.loss, **evaluation.metrics}
    sections = [
        ("The model", _model(model, materials.tokenizer)),
        ("What it was taught", f"{table(learned)}\n\n{story.files_table}"),
        ("How it was trained", f"{story.ended}\n\n{how}"),
        ("Held-out examples", numbers_table(numbers) + _confusion(evaluation)),
        ("What to know of these numbers", points(_task_limits(options, counts[1], dev))),
        *_last_sections(model, story, task.kind),
    ]
    return ModelCard(
        options.name,
        f"A {_size(model)} that was taught a task: {task.title}. {'' if story.done else story.ended}",
        sections,
        tags=(model.config.model_type, task.kind),
        pipeline=PIPELINES.get(task.kind),
        measured=numbers,
        dataset=f"held-out examples of {_names(story)}",
    )


def place_of(model: str | None) -> str:
    """A checkpoint by name: run and step, hub id, or the folder's name; nothing of this machine's paths."""
    if model is None:
        return built_in_checkpoint().name
    path = Path(model)
    if found := _HUB_CACHE.search(model):
        return f"{found[1]}/{found[2]}"
    if path.parent.name == "snapshots":
        step = path.name.removeprefix("step-").lstrip("0") or "0"
        return f"the run {path.parent.parent.name}, step {step}"
    return path.name if path.is_absolute() or path.exists() else model


def _size(model: Bert) -> str:
    config = model.config
    layers, parameters = config.num_hidden_layers, sum(parameter.numel() for parameter in model.parameters())
    return f"{config.family.title} of {layers} x {config.hidden_size} ({parameters:,} parameters)"


def _model(model: Bert, tokenizer: Tokenizer) -> str:
    config = model.config
    letters = "lower case" if tokenizer.lowercase else "upper and lower case"
    shape = f"{config.num_hidden_layers} layers x {config.hidden_size} wide, {config.num_attention_heads} heads"
    rows = [
        ("architecture", f"{config.family.title}, {shape}, feed-forward {config.intermediate_size}"),
        ("parameters", f"{sum(parameter.numel() for parameter in model.parameters()):,}, with its heads"),
        ("heads", ", ".join(HEAD_TITLES[task] for task in model.tasks)),
        ("positions", f"{config.max_length:,}"),
        ("vocabulary", f"{tokenizer.vocab_size:,} tokens, {_KINDS.get(tokenizer.kind, tokenizer.kind)}, {letters}"),
        ("file", "fp32, in safetensors"),
    ]
    return table(rows)


def _corpus(corpus: Corpus, story: RunStory) -> str:
    train, held_out = (corpus.count_tokens(side) for side in (False, True))
    rows = [
        ("documents", f"{len(corpus.documents(False)):,}", f"{len(corpus.documents(True)):,}"),
        ("tokens", f"{train:,}", f"{held_out:,}"),
    ]
    passes = f"The run read {story.tokens:,} tokens: {story.tokens / max(train, 1):.2f} times through its text."
    return f"{story.files_table}\n\n{table(rows, ('', 'to train on', 'held out'))}\n\n{passes}"


def _pretraining(options: PretrainOptions, precision: str, story: RunStory, teaching: Teaching | None) -> str:
    data, training = options.data, options.training
    steps, seconds = options.budget
    lengths = _shorter(data) + _longer(data, story)
    fall = 1.0 - training.warm_up_share if training.fall_share is None else training.fall_share
    rows = [
        ("began with", place_of(options.start) if options.start else "random weights"),
        ("objective", teaching.objective if teaching else _PAIRS[data.pairs]),
        ("masked", f"{data.mask_share:.0%} of the tokens, chosen as {MASKED[data.masking]}"),
        ("causal warm-up", _warm_up(options, story)),
        ("budget", f"{steps:,} steps" if steps else f"{(seconds or 0) / 60:g} minutes of training"),
        ("batch", f"{training.batch_size} sequences of {data.sequence_length} tokens{lengths}"),
        ("optimiser", _OPTIMIZERS[training.optimizer]),
        ("weight decay", f"{training.weight_decay:g}; gradients are cut to length {training.gradient_clip:g}"),
        ("learning rate", f"{options.peak_rate:g} at its peak"),
        ("schedule", f"rises over {training.warm_up_share:.0%} of the budget, falls over the last {fall:.0%}"),
        ("precision", precision),
        ("seed", training.seed),
        *_spent(story),
    ]
    return table(rows)


def _tuning(options: FinetuneOptions, rate: float, precision: str, story: RunStory) -> str:
    training, origin = options.training, place_of(options.model)
    budgets = ((training.epochs, "epochs"), (training.steps, "steps"), (training.minutes, "minutes"))
    budget = next((f"{amount:g} {unit}" for amount, unit in budgets if amount is not None), "three epochs or more")
    rows = [
        ("began with", f"random weights, in the shape of {origin}" if options.from_scratch else origin),
        ("budget", budget),
        ("batch", f"{training.batch_size} examples of {options.data.max_length} tokens at most"),
        ("learning rate", f"{rate:g} at its peak, each layer's {training.layer_decay:g} times the one above's"),
        ("schedule", f"{training.schedule}, after rising over {training.warm_up_share:.0%} of the budget"),
        ("frozen layers", training.frozen_layers or "none"),
        ("gradual unfreezing", "yes" if training.gradual_unfreezing else "no"),
        ("optimiser", "AdamW"),
        ("weight decay", f"{training.weight_decay:g}; gradients are cut to length {training.gradient_clip:g}"),
        ("precision", precision),
        ("seed", training.seed),
        *_spent(story),
    ]
    return table(rows)


def _warm_up(options: PretrainOptions, story: RunStory) -> str:
    """As it came about, which a stop or another budget may have changed."""
    names = [phase for _, phase in story.phases]
    if "causal" not in names:
        return "none"
    every = options.training.causal_masked_every
    what = f"next words with a causal mask, and masked words one step in {every}"
    if "masked" not in names:
        return f"all of the run so far: {what}; masked words alone never came"
    until = story.phases[names.index("masked")][0] - 1
    return f"steps 1 to {until:,} ({until / max(story.step, 1):.0%}): {what}; masked words after that"


def _shorter(data: DataOptions) -> str:
    if not data.short_share:
        return ""
    return f", in {data.short_share:.0%} of the steps (by chance) more and shorter ones of {data.short_sequence_length}"


def _longer(data: DataOptions, story: RunStory) -> str:
    """As it came about: a run that was stopped may not have reached its longer sequences."""
    first = next((step for step, phase in story.phases if phase == "longer"), None)
    if first is None:
        return ""
    which = "" if data.long_every == 1 else f" in one step of {data.long_every}"
    return f", {data.long_sequence_length} tokens{which} from step {first:,} on"


def _spent(story: RunStory) -> list[tuple[str, object]]:
    seconds = story.elapsed_s
    time = f"{seconds / 60:,.1f} minutes" if seconds >= 120 else f"{seconds:.1f} seconds"
    return [("trained", f"{story.step:,} steps, {story.tokens:,} tokens, {time}")]


def _comparison(comparison: Mapping[str, Any]) -> str:
    teacher, student = comparison["teacher"], comparison["student"]
    shares = comparison.get("student_of_teacher", {})
    rows = [
        (name.replace("_", " "), _number(teacher[name]), _number(student.get(name)), _percent(shares.get(name)))
        for name in teacher
    ]
    return table(rows, ("", "teacher", "student", "student of teacher"))


def _number(value: object) -> str:
    return "" if value is None else number(value)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _confusion(evaluation: TaskEvaluation) -> str:
    labels = evaluation.labels
    if not evaluation.confusion:
        return ""
    if len(labels) > MOST_LABELS:
        return f"\n\nWhat was taken for what, of {len(labels)} labels, is in the run's evaluation.json."
    rows = [(f"**{label}**", *counts) for label, counts in zip(labels, evaluation.confusion, strict=True)]
    return "\n\nWhat was taken for what:\n\n" + table(rows, ("right \\ given", *labels))


def _limits(options: PretrainOptions, model: Bert, story: RunStory) -> list[str]:
    data = options.data
    longest = data.long_sequence_length if _longer(data, story) else data.sequence_length
    lines = [
        "Held-out documents are from the same files, chosen by a hash of their text. Parts of one book count as "
        "documents of their own, so a held-out part may have sister parts in the training text. Text from elsewhere "
        "would score lower; that was not measured."
    ]
    if data.tokenizer is None:
        lines.append("The vocabulary was learned on all of the text, the held-out part too.")
    if data.pairs == "nsp":
        lines.append("A random sentence from another document is often given away by its topic and style.")
    if longest < model.config.max_length and options.start is None:
        lines.append(f"Positions beyond {longest} were never trained.")
    if not story.done:
        lines.append("It was stopped early, so all of this is of a model that had not learned all it could.")
    return [*lines, "One run, one seed: another seed gives somewhat other numbers.", _PROMISE]


def _task_limits(options: FinetuneOptions, held_out: int, dev: str | None) -> list[str]:
    lines = [
        f"With {held_out:,} held-out examples, one more right answer is worth {100 / max(held_out, 1):.2f} "
        "percentage points."
    ]
    if dev is None:
        lines.append(
            "The held-out examples come from the same place as the others; texts from elsewhere would score lower. "
            "That was not measured."
        )
    if options.training.patience is not None:
        lines.append("They also decided when to stop, so they flatter it a little.")
    return [*lines, "One run, one seed: another seed gives somewhat other numbers.", _PROMISE]


def _last_sections(model: Bert, story: RunStory, task: str) -> list[tuple[str, str]]:
    architecture, held = class_name(model.config, model.tasks)
    left_out = [HEAD_TITLES[each] for each in model.tasks if each not in held]
    beside = f"\n\n`transformers` has no place for its {', '.join(left_out)} head; BERTscope has." if left_out else ""
    ask = "bertcore fill FOLDER" if task == "mlm" else "bertcore predict FOLDER"
    opening = (
        f"With FOLDER for the folder of this file: `bertscope FOLDER` opens it in the window, `{ask}` asks it.\n\n"
        f"```python\nfrom transformers import AutoTokenizer, {architecture}\n\n"
        f'model = {architecture}.from_pretrained("FOLDER")\ntokenizer = AutoTokenizer.from_pretrained("FOLDER")\n```'
    )
    licence = "No licence is named here: it follows from the text's. Name one before you pass the model on."
    return [
        ("How to open it", opening + beside),
        ("Where it was trained", story.environment_table),
        ("Licence", licence),
    ]


def _names(story: RunStory) -> str:
    shown = [name for name, _ in story.files[:3]]
    return ", ".join(shown) + (f" and {len(story.files) - 3} more" if len(story.files) > 3 else "")
