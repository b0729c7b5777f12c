"""The model card of a finished run: a README.md in the Hugging Face layout.

Its head is YAML for programs: library, kind of task, measured numbers. The rest is for people: how it was trained, how
well it does, what to keep in mind, how to open it. Nothing of this machine's paths stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.checkpoint.tensor_names import class_name
from bertcore.files import read_json_or_empty, write_atomic
from bertcore.locations import built_in_checkpoint
from bertcore.model.bert import Bert
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.runs.metrics_file import HELD_OUT
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sources import noted_sources
from bertcore.tasks.evaluate import TaskEvaluation
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.spec import TaskSpec
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import Budget
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.trainable import RunEnd

CARD_FILE = "README.md"
_MEANINGS = {  # of the numbers that do not speak for themselves
    "mlm_loss": "per masked word, in nats",
    "mlm_accuracy": "masked words whose likeliest guess is right",
    "mlm_top5": "masked words among the five likeliest guesses",
    "nsp_accuracy": "pairs judged rightly: B follows A, or comes from another document",
    "sop_accuracy": "pairs judged rightly: in order, or swapped",
    "exact_match": "answers equal to an accepted one (SQuAD's normalisation)",
    "best_exact_match": "with the best threshold for no answer, found on these questions",
    "best_f1": "with the best threshold for no answer, found on these questions",
}
_OBJECTIVES = {
    "nsp": "masked words and next sentence",
    "sop": "masked words and sentence order",
    "none": "masked words in running text",
}
MASKED = {"tokens": "single tokens", "words": "whole words", "spans": "spans of words"}
_HUB_CACHE = re.compile(r"models--([^/\\]+)--([^/\\]+)")

Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class ModelCard:
    """`measured`: name -> number, on `dataset`; the same numbers as in the text."""

    name: str
    about: str  # what it is, in a sentence or two
    sections: Sequence[tuple[str, str]]  # title, text
    tags: Sequence[str] = ()
    pipeline: str | None = None
    measured: Mapping[str, float] | None = None
    dataset: str = "held-out text"

    def text(self) -> str:
        """The whole README.md."""
        body = "\n\n".join(f"## {title}\n\n{text.strip()}" for title, text in self.sections)
        text = f"# {' '.join(self.name.split())}\n\n{self.about.strip()}\n\n{body}\n"
        return f"---\n{self._head()}\n---\n\n" + "".join(f"{line.rstrip()}\n" for line in text.splitlines())

    def write(self, checkpoint: Path) -> None:
        write_atomic(checkpoint / CARD_FILE, self.text().encode("utf-8", "replace"))

    def _head(self) -> str:
        from huggingface_hub import EvalResult, ModelCardData  # costs a moment, and only a run's end needs it

        about: dict[str, Any] = {"library_name": "transformers", "tags": ["bertscope", *self.tags]}
        if self.pipeline:
            about["pipeline_tag"] = self.pipeline
        if self.measured:
            task = self.pipeline or "text"
            results = [EvalResult(task, "text", self.dataset, name, value) for name, value in self.measured.items()]
            about |= {"model_name": self.name, "eval_results": results}
        return str(ModelCardData(**about).to_yaml()).strip()


@dataclass(frozen=True)
class RunStory:
    """A run as the snapshot that it ends with and its files have it."""

    snapshot: Path
    step: int
    trained: str  # how long, in words
    stopped_early: str  # a sentence; empty where it was not
    phases: frozenset[str]
    held_out: dict[str, Any]  # the last measurement of this step or before it, with its step
    files: str  # what it learned from, without folders

    @classmethod
    def of(cls, folder: RunFolder, end: RunEnd, budget: Budget) -> RunStory:
        """Of a folder with that snapshot."""
        step, snapshot = end.step, folder.snapshot_path(end.step)
        lines = [line for line in folder.tail().read_new() if (line.get("step") or 0) <= step]
        held_out = [line for line in lines if line.get("kind") == HELD_OUT]
        if end.held_out is not None:
            held_out.append({"step": step, **end.held_out})
        times = [float(line.get("elapsed_s") or 0.0) for line in lines]  # of training, pauses not counted
        elapsed_s = max([*times, folder.status().elapsed_s if step == end.last_step else 0.0])
        tokens = int(read_json_or_empty(snapshot / "bertscope.json").get("tokens_seen") or 0)
        time = f"{elapsed_s / 60:,.1f} minutes" if elapsed_s >= 120 else f"{elapsed_s:.1f} seconds"
        stopped_early = ""
        if step < end.last_step:
            best = f"Step {step:,} was the best of {end.last_step:,} steps on held-out data"
            stopped_early = f"**{best}, and is the one here.**"
        elif not end.done:
            stopped_early = (
                f"**The run was stopped early, at step {step:,}: {budget.fraction(step, elapsed_s):.0%} of its "
                "budget.** The learning rate had not come down yet, so a finished run of this kind does better."
            )
        files = [Path(each["file"]).name for each in noted_sources(folder.path) if "sha256" not in each]
        return cls(
            snapshot,
            step,
            f"{step:,} steps, {tokens:,} tokens, {time}",
            stopped_early,
            phases=frozenset(line["phase"] for line in lines if line.get("kind") == "phase"),
            held_out=held_out[-1] if held_out else {},
            files=", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else ""),
        )


@dataclass(frozen=True)
class Teaching:
    """What a distillation has besides: the teacher's name, the losses in words, and both models side by side."""

    teacher: str
    objective: str
    comparison: Mapping[str, Any]


def pretraining_card(
    options: PretrainOptions, model: Bert, tokenizer: Tokenizer, story: RunStory, teaching: Teaching | None = None
) -> ModelCard:
    """Of pretraining, from scratch or from a checkpoint, and of distillation."""
    data, training = options.data, options.training
    left_out = ("kind", "kinds", "questions", "step", "tokens")
    numbers = {name: value for name, value in story.held_out.items() if name not in left_out}
    origin = f"trained further from {place_of(options.start)}" if options.start else "trained from scratch"
    origin = f"distilled from {teaching.teacher}" if teaching else origin
    measured_at = story.held_out.get("step", story.step)
    late = "" if measured_at == story.step else f" Measured at step {measured_at:,}."
    longest = data.long_sequence_length if "longer" in story.phases else data.sequence_length
    limits = [
        "Held-out documents are from the same files, chosen by a hash of their text; parts of one book count as "
        "separate documents. Text from other sources would score lower; that was not measured.",
        _ONE_SEED,
        "It repeats what its text says, including views about people.",
    ]
    if longest < model.config.max_length and options.start is None:
        limits.append(f"Positions beyond {longest} were never trained.")
    if training.patience is not None:
        limits.append("The held-out text also decided which step to keep, so it flatters the model a little.")
    batch = f"{training.batch_size} sequences of {data.sequence_length} tokens"
    if data.short_share:
        batch += f"; {data.short_share:.0%} of the steps have more of {data.short_sequence_length}"
    rows = [
        *_model_rows(model, tokenizer),
        ("started from", place_of(options.start) if options.start else "random weights"),
        ("text", story.files),
        ("objective", teaching.objective if teaching else _OBJECTIVES[data.pairs]),
        ("masked", f"{data.mask_share:.0%} of the tokens, chosen as {MASKED[data.masking]}"),
        ("trained", story.trained),
        ("batch", batch),
        ("learning rate", f"{options.peak_rate:g} at its peak, {training.optimizer}"),
    ]
    held_out = (
        f"On {numbers.get('words') or 0:,} masked words (15% of the tokens) in sequences of {data.sequence_length} "
        f"tokens, from held-out documents.{late}"
    )
    if asked := story.held_out.get("questions"):
        held_out += f" Of its questions {asked['right']:,} of {asked['of']:,} are right."
    return ModelCard(
        options.name,
        f"A {_size_of(model)}, {origin} by BERTscope. {story.stopped_early}",
        [
            ("The model", table(rows)),
            ("Held-out text", f"{held_out}\n\n{numbers_table(numbers)}"),
            *([("Beside its teacher", _comparison(teaching.comparison))] if teaching else []),
            ("Limits", _points(limits)),
            ("How to open it", _how_to_open(model, "mlm")),
        ],
        tags=(model.config.model_type, "masked-lm", *(["distillation"] if teaching else [])),
        pipeline="fill-mask",
        measured={name: value for name, value in numbers.items() if isinstance(value, float)},
        dataset=f"held-out documents of {story.files}",
    )


def task_card(
    options: FinetuneOptions,
    task: TaskSpec,
    model: Bert,
    tokenizer: Tokenizer,
    examples: tuple[int, int],
    rate: float,
    evaluation: TaskEvaluation,
    story: RunStory,
) -> ModelCard:
    """Of fine-tuning; `examples` to train on and held out, `rate` is the learning rate at its peak."""
    training, origin = options.training, place_of(options.model)
    rows = [
        *_model_rows(model, tokenizer),
        ("task", f"{task.title} ({task.name})"),
        ("labels", ", ".join(evaluation.labels) or None),
        ("started from", f"random weights, in the shape of {origin}" if options.from_scratch else origin),
        ("files", story.files),
        ("training examples", f"{examples[0]:,}"),
        ("trained", story.trained),
        ("batch", f"{training.batch_size} examples of {options.data.max_length} tokens at most"),
        ("learning rate", f"{rate:g} at its peak, {training.schedule}"),
    ]
    numbers = {"loss": evaluation.loss, **evaluation.metrics}
    limits = [
        f"With {examples[1]:,} held-out examples, one more right answer is worth {100 / max(examples[1], 1):.2f} "
        "percentage points.",
        _ONE_SEED,
    ]
    if evaluation.examples_cut:
        limits.append(
            f"{evaluation.examples_cut:,} of these are longer than the {model.config.max_length:,} tokens that the "
            "model reads; it did not see their ends."
        )
    if training.patience is not None:
        limits.append("The held-out examples also decided which step to keep, so they flatter it a little.")
    return ModelCard(
        options.name,
        f"A {_size_of(model)}, fine-tuned for a task: {task.title}. {story.stopped_early}",
        [
            ("The model", table(rows)),
            ("Held-out examples", numbers_table(numbers)),
            ("Limits", _points(limits)),
            ("How to open it", _how_to_open(model, task.kind)),
        ],
        tags=(model.config.model_type, task.kind),
        pipeline=TASK_KINDS[task.kind].pipeline,
        measured=numbers,
        dataset=f"held-out examples of {story.files}",
    )


_ONE_SEED = "One run, one seed: another seed gives somewhat other numbers."


def place_of(model: str | None) -> str:
    """A checkpoint by name: run and step, hub id, or the folder's name; nothing of this machine's paths."""
    if model is None:
        return built_in_checkpoint().name
    path = Path(model)
    if cached := _HUB_CACHE.search(model):
        return f"{cached[1]}/{cached[2]}"
    if path.parent.name == "snapshots":
        step = path.name.removeprefix("step-").lstrip("0") or "0"
        return f"the run {path.parent.parent.name}, step {step}"
    return path.name if path.is_absolute() or path.exists() else model


def _size_of(model: Bert) -> str:
    config, parameters = model.config, sum(parameter.numel() for parameter in model.parameters())
    return f"{config.family.title} of {config.num_hidden_layers} x {config.hidden_size} ({parameters:,} parameters)"


def _model_rows(model: Bert, tokenizer: Tokenizer) -> Rows:
    config, case = model.config, "lower case" if tokenizer.lowercase else "upper and lower case"
    shape = f"{config.num_hidden_layers} layers x {config.hidden_size} wide, {config.num_attention_heads} heads"
    kind = "WordPiece" if tokenizer.kind == "wordpiece" else tokenizer.kind
    heads = ", ".join(HEAD_TITLES[head] for head in model.output_heads)
    return [
        ("architecture", f"{config.family.title}, {shape}, feed-forward {config.intermediate_size}; heads: {heads}"),
        ("positions", f"{config.max_length:,}"),
        ("vocabulary", f"{tokenizer.vocab_size:,} tokens, {kind}, {case}"),
    ]


def _comparison(comparison: Mapping[str, Any]) -> str:
    teacher, student = comparison["teacher"], comparison["student"]
    rows = [(name.replace("_", " "), number(teacher[name]), number(student.get(name))) for name in teacher]
    return table(rows, ("", "teacher", "student"))


def _how_to_open(model: Bert, task: str) -> str:
    architecture, held = class_name(model.config, model.output_heads)
    left_out = [HEAD_TITLES[each] for each in model.output_heads if each not in held]
    beside = f"\n\n`transformers` has no place for its {', '.join(left_out)} head; BERTscope has." if left_out else ""
    command = "bertcore fill FOLDER" if task == "mlm" else "bertcore predict FOLDER"
    return (
        f"With FOLDER for the folder of this file: `bertscope FOLDER` opens it in the window, `{command}` runs it.\n\n"
        f"```python\nfrom transformers import AutoTokenizer, {architecture}\n\n"
        f'model = {architecture}.from_pretrained("FOLDER")\ntokenizer = AutoTokenizer.from_pretrained("FOLDER")\n```'
        f"{beside}\n\nNo licence is named here: it follows from the text's. Name one before you pass the model on."
    )


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = ("", "")) -> str:
    """A table in Markdown. None and empty cells are shown as a dash."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(_cell(value) for value in row) + " |" for row in rows)])


def numbers_table(numbers: Mapping[str, Any]) -> str:
    """Measured numbers, with what the less usual ones mean."""
    known = {name: value for name, value in numbers.items() if isinstance(value, int | float)}
    rows = [(name.replace("_", " "), number(value), _MEANINGS.get(name, "")) for name, value in known.items()]
    return table(rows, ("measure", "value", ""))


def number(value: object) -> str:
    """As metrics.jsonl has it, with four places."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _points(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _cell(value: object) -> str:
    text = " ".join(str(value).split()) if value is not None else ""
    return text.replace("|", "\\|") or "–"
