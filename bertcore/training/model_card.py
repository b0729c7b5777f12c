"""The model card of a finished run: a README.md in the Hugging Face layout.

Its head is YAML for programs: library, kind of task, measured numbers. The rest, for people, stands in `model_card.md`
beside this file, whose fields are filled in here. Nothing of this machine's paths stands in it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from bertcore.checkpoint.tensor_names import class_name
from bertcore.files import read_bytes, read_json_or_empty, write_atomic
from bertcore.locations import built_in_checkpoint
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.runs.metrics_file import HELD_OUT
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sources import noted_sources
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.predict import TaskEvaluation
from bertcore.training.options import Budget
from bertcore.training.trainable import RunEnd, Trainable

CARD_FILE = "README.md"
_TEXT = Path(__file__).with_suffix(".md")
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


def write_pretraining_card(
    run: Any, folder: RunFolder, end: RunEnd, of_teacher: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Of a run of `Pretraining`, from scratch or from a checkpoint, or of `Distilling`. Returns the measurement that it
    shows: the last of this step or before it, with its step. of_teacher: what a distillation says instead."""
    data, config, lines = run.options.data, run.model.config, _lines(folder, end.step)
    held_out: dict[str, Any] = next((line for line in reversed(lines) if line.get("kind") == HELD_OUT), {})
    left_out = ("kind", "kinds", "questions", "step", "tokens")
    numbers = {name: value for name, value in held_out.items() if name not in left_out}
    start = place_of(run.options.start) if run.options.start else None
    is_longer = any(line.get("phase") == "longer" for line in lines if line.get("kind") == "phase")
    longest = data.long_sequence_length if is_longer else data.sequence_length
    shorter = f"; {data.short_share:.0%} of the steps have more of {data.short_sequence_length}"
    asked, step = held_out.get("questions"), held_out.get("step", end.step)
    fields = {
        "pretrained": "",
        "what": f"trained {f'further from {start}' if start else 'from scratch'} by BERTscope",
        "started_from": cell(start or "random weights"),
        "objective": _OBJECTIVES[data.pairs],
        "masked": MASKED[data.masking],
        "last": "" if data.last_mask_share is None else f", at the end {data.last_mask_share:.0%},",
        "shorter": shorter if data.short_share else "",
        "rate": run.options.peak_rate,
        "words": numbers.get("words") or 0,
        "late": "" if step == end.step else f" Measured at step {step:,}.",
        "questions": f" Of its questions {asked['right']:,} of {asked['of']:,} are right." if asked else "",
        "untrained_from": longest if longest < config.max_length and start is None else None,
        **(of_teacher or {}),
    }
    measured = {name: value for name, value in numbers.items() if isinstance(value, float)}
    about = {"tags": ["masked-lm", *(["distillation"] if of_teacher else [])], "pipeline": "fill-mask"}
    _write(run, folder, end, fields, numbers, measured=measured, dataset="documents", **about)
    return held_out


def write_task_card(run: Any, folder: RunFolder, end: RunEnd, evaluation: TaskEvaluation) -> None:
    """Of a run of `FineTuning`."""
    options, held_out = run.options, len(run.held_out.features.examples)
    origin, kind = place_of(options.model), TASK_KINDS[run.task.kind]
    fields = {
        "tuned": "",
        "what": f"fine-tuned for a task: {run.task.title}",
        "task": run.task,
        "labels": cell(", ".join(evaluation.labels)),
        "started_from": cell(f"random weights, in the shape of {origin}" if options.from_scratch else origin),
        "examples": len(run.batches.features.examples),
        "rate": run.peak_rate,
        "held_out": held_out,
        "one_more": 100 / max(held_out, 1),
        "cut": evaluation.examples_cut or None,
        "command": "predict",
    }
    numbers = {"loss": evaluation.loss, **evaluation.metrics}
    about = {"tags": [kind.name], "pipeline": kind.pipeline, "measured": numbers, "dataset": "examples"}
    _write(run, folder, end, fields, numbers, **about)


def _write(
    run: Trainable, folder: RunFolder, end: RunEnd, fields: Mapping[str, Any], numbers: Mapping[str, Any], **about: Any
) -> None:
    """Beside the snapshot that the run ends with. `fields`: what this kind of run has; a line of the text with a field
    that is None is left out."""
    config, heads, snapshot = run.model.config, run.model.output_heads, folder.snapshot_path(end.step)
    architecture, held = class_name(config, heads)
    names = [Path(each["file"]).name for each in noted_sources(folder.path) if "sha256" not in each]
    files = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    usual = {
        **dict.fromkeys(("pretrained", "tuned", "untrained_from", "cut")),
        "heading": " ".join(run.name.split()),
        "parameters": sum(parameter.numel() for parameter in run.model.parameters()),
        **_how_long(folder, end, run.budget),
        "config": config,
        "options": run.options,
        "tokenizer": run.tokenizer,
        "vocabulary": "WordPiece" if run.tokenizer.kind == "wordpiece" else run.tokenizer.kind,
        "case": "lower case" if run.tokenizer.lowercase else "upper and lower case",
        "heads": ", ".join(HEAD_TITLES[head] for head in heads),
        "files": cell(files),
        "numbers": _numbers(numbers),
        "beside_teacher": "",
        "watched": None if run.loop_options.patience is None else "",
        "architecture": architecture,
        "command": "fill",
        "classifier": config.classifier_in_words or None,
        "heads_left_out": ", ".join(HEAD_TITLES[each] for each in heads if each not in held) or None,
    }
    about |= {"tags": [config.model_type, *about["tags"]], "dataset": f"held-out {about['dataset']} of {files}"}
    text = f"---\n{head(run.name, **about)}\n---\n\n{_filled(read_bytes(_TEXT).decode(), {**usual, **fields})}"
    write_atomic(snapshot / CARD_FILE, text.encode("utf-8", "replace"))


def _filled(text: str, fields: Mapping[str, Any]) -> str:
    lines = []
    for line in text.splitlines():
        named = {name.split(".")[0] for _, name, _, _ in Formatter().parse(line) if name}
        if not any(fields.get(name) is None for name in named):
            lines.append(line.format_map(fields).rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def head(name: str, tags: Sequence[str], pipeline: str | None, measured: Mapping[str, float], dataset: str) -> str:
    """YAML. `measured`: name -> number, on `dataset`; the same numbers as in the text."""
    from huggingface_hub import EvalResult, ModelCardData  # costs a moment, and only a run's end needs it

    about: dict[str, Any] = {"library_name": "transformers", "tags": ["bertscope", *tags]}
    if pipeline:
        about["pipeline_tag"] = pipeline
    if measured:
        results = [EvalResult(pipeline or "text", "text", dataset, each, value) for each, value in measured.items()]
        about |= {"model_name": name, "eval_results": results}
    return str(ModelCardData(**about).to_yaml()).strip()


def _lines(folder: RunFolder, until: int) -> list[dict[str, Any]]:
    """What the run wrote up to a step."""
    return [line for line in folder.tail().read_new() if int(line.get("step") or 0) <= until]


def _how_long(folder: RunFolder, end: RunEnd, budget: Budget) -> dict[str, str]:
    """How long it was trained, and a sentence where it was stopped early."""
    times = [float(line.get("elapsed_s") or 0.0) for line in _lines(folder, end.step)]  # of training, without pauses
    elapsed_s = max([*times, folder.status().elapsed_s if end.step == end.last_step else 0.0])
    tokens = int(read_json_or_empty(folder.snapshot_path(end.step) / "bertscope.json").get("tokens_seen") or 0)
    time = f"{elapsed_s / 60:,.1f} minutes" if elapsed_s >= 120 else f"{elapsed_s:.1f} seconds"
    stopped_early = ""
    if end.step < end.last_step:
        best = f"Step {end.step:,} was the best of {end.last_step:,} steps on held-out data"
        stopped_early = f"**{best}, and is the one here.**"
    elif not end.done:
        stopped_early = (
            f"**The run was stopped early, at step {end.step:,}: {budget.fraction(end.step, elapsed_s):.0%} of its "
            "budget.** The learning rate had not come down yet, so a finished run of this kind does better."
        )
    return {"trained": f"{end.step:,} steps, {tokens:,} tokens, {time}", "stopped_early": stopped_early}


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


def beside_teacher(comparison: Mapping[str, Any]) -> str:
    """Both models side by side, as a section."""
    teacher, student = comparison["teacher"], comparison["student"]
    rows = [(name.replace("_", " "), _number(teacher[name]), _number(student.get(name))) for name in teacher]
    return f"## Beside its teacher\n\n{_table(rows, ('', 'teacher', 'student'))}"


def _numbers(numbers: Mapping[str, Any]) -> str:
    """Measured numbers, with what the less usual ones mean."""
    known = {name: value for name, value in numbers.items() if isinstance(value, int | float)}
    rows = [(name.replace("_", " "), _number(value), _MEANINGS.get(name, "")) for name, value in known.items()]
    return _table(rows, ("measure", "value", ""))


def _table(rows: Iterable[Sequence[str]], head: Sequence[str]) -> str:
    """In Markdown."""
    cells = [head, *([cell(value) for value in row] for row in rows)]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _number(value: object) -> str:
    """As metrics.jsonl has it, with four places."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def cell(text: str) -> str:
    """Of a table in Markdown; an empty one is shown as a dash."""
    return " ".join(text.split()).replace("|", "\\|") or "–"
