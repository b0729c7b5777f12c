"""Make the fine-tuned models that ship: train them, store their differences from the built-in model, write the cards.

    python scripts/make_tuned.py TASKS [NAME...] [--out build/tuned] [--threads 1]

TASKS holds the folders sst2, conll2003 and squad. Run it again whenever the built-in model changes: a stored difference
belongs to one version of it. Runs that are done are not made again, others continue where they were stopped. Each
recipe is trained twice, from the built-in model and from random weights, so that the card can say what pretraining is
worth. Several of these commands, each with another NAME, can run side by side.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer
from make_questions import PARTS, part_file, write_questions
from write_difference import save_difference

from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint, sha256_of
from bertcore.checkpoint.weights import SAFETENSORS
from bertcore.errors import BertcoreError
from bertcore.files import read_json, read_json_or_empty, write_json
from bertcore.locations import ABOUT_FILE, BUILT_IN, TUNED, assets, built_in_checkpoint
from bertcore.memory import keep_freed_memory
from bertcore.runs.environment import ENVIRONMENT_FILE
from bertcore.runs.run_folder import RunFolder
from bertcore.tag_schemes import entity_spans
from bertcore.tasks.kinds.base import Prediction
from bertcore.tasks.kinds.span import AnswerExample, AnswerPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction
from bertcore.tasks.predict import TaskEvaluation, as_example, measure, required_kind, right_answers
from bertcore.tasks.readers.reading import TaskFile, task_named
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.start import start_run
from bertcore.training.task_examples import read_examples
from bertcore.training.task_files import evaluate_file, predict_as_learned

CARD = Path(__file__).with_name("tuned_card.md")
WORDS = Path(__file__).with_name("tuned_cards.json")  # what the card of one model says and no other file
PROBES = assets() / "evaluation" / "tuned.jsonl"
RANK = 48  # of the changes that are stored: docs/decisions/0024
PASSAGES = 3000  # made up, to train on
QUESTIONS = "squad/xquad.en.json"
METRICS = {"sst2": ("accuracy",), "conll2003": ("f1", "precision", "recall"), "squad": ("f1", "exact_match")}
MOST_WRONG = 12  # sentences that a card names
Row = Sequence[str | float]


def main(
    tasks: Annotated[Path, typer.Argument(help="Folder with sst2, conll2003 and squad.")],
    names: Annotated[list[str] | None, typer.Argument(help=f"Which: {', '.join(TUNED)}; default: all.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("build/tuned"),
    into: Annotated[Path | None, typer.Option(help="Where the checkpoints go; default: assets/checkpoints.")] = None,
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
    rank: Annotated[int, typer.Option(help="Directions kept of the change of a matrix.")] = RANK,
    steps: Annotated[int | None, typer.Option(help="Fewer steps, to try the command.")] = None,
) -> None:
    keep_freed_memory()
    try:
        base = load_checkpoint(built_in_checkpoint())
        made = [Tuned(name, tasks, out, base, threads, steps) for name in names or TUNED]
        for each in made:
            each.train()
            typer.echo(f"{each.name}: {each.store((into or assets() / 'checkpoints') / each.name, rank):.1f} MB")
            each.write_card((into or assets() / "checkpoints") / each.name, rank)
        for each in made:  # once the models are there: the comparison for their cards
            each.train(from_scratch=True)
            each.write_card((into or assets() / "checkpoints") / each.name, rank)
    except BertcoreError as error:
        raise typer.BadParameter(str(error)) from None


class Tuned:
    """One of the models: its recipe, its runs, what ships of it."""

    def __init__(self, name: str, tasks: Path, out: Path, base: Checkpoint, threads: int, steps: int | None) -> None:
        if name not in TUNED:
            raise BertcoreError(f"{name} is not a fine-tuned model that ships; choose from {', '.join(TUNED)}.")
        self.name, self._base, self._out = name, base, out
        self.words: dict[str, str] = read_json(WORDS)[name]
        self._evaluations: dict[Path, TaskEvaluation] = {}
        recipe = FinetuneOptions.from_file(assets() / "recipes" / f"{name}.json")
        train, dev = str((tasks / recipe.data.train).resolve()), None
        if recipe.data.task == "squad":
            self._questions = (out / "questions").resolve()
            if not (self._questions / "dev.json").is_file():
                write_questions(tasks / QUESTIONS, self._questions, PASSAGES)
            train, dev = str(self._questions / "train.json"), str(self._questions / "dev.json")
        self.options = recipe.with_changes(train=train, dev=dev, threads=threads, steps=steps)

    @property
    def run(self) -> RunFolder:
        return self._run(from_scratch=False)

    def _run(self, from_scratch: bool) -> RunFolder:
        """Another folder for another base or recipe: what was made of those is not taken for this."""
        recipe = json.dumps(self.options.with_changes(train="", dev="", threads=1).to_dict(), sort_keys=True)
        assert self._base.folder is not None
        digest = hashlib.sha256((sha256_of(self._base.folder / SAFETENSORS) + recipe).encode()).hexdigest()[:8]
        return RunFolder(self._out / f"{self.name}-{'random' if from_scratch else 'tuned'}-{digest}")

    def train(self, from_scratch: bool = False) -> None:
        """To the end, from where it was stopped."""
        run, options = self._run(from_scratch), self.options
        if from_scratch:  # nothing of random weights is worth freezing
            options = replace(options, from_scratch=True, training=replace(options.training, frozen_layers=0))
        if run.status().state != "done":
            typer.echo(f"Training {run.path.name}.")
            start_run(options, run.path, resume=True)
        if run.status().state != "done":
            raise BertcoreError(f"The run {run.path} was stopped; give the same command again to continue it.")

    def store(self, folder: Path, rank: int) -> float:
        """Write the difference and what is measured of it; its megabytes."""
        step, snapshot = self.run.snapshots()[-1]
        tuned, data = load_checkpoint(snapshot), self.options.data
        shutil.rmtree(folder, ignore_errors=True)
        about: dict[str, Any] = {
            "name": self.name,
            "step": step,
            "data": {"task": data.task, "max_length": data.max_length, "stride": data.stride},
        }
        save_difference(tuned.model, folder, self._base, rank, about)
        self._evaluations.clear()
        metrics = self._evaluation(folder).metrics
        write_json(folder / ABOUT_FILE, {**read_json(folder / ABOUT_FILE), "metrics": metrics})
        return _megabytes(folder)

    def _evaluation(self, folder: Path, dev: Path | None = None) -> TaskEvaluation:
        """Of the stored model, on all that is held out or one file of it."""
        file = dev or Path(self.options.data.dev or self.options.data.train)
        if file not in self._evaluations:
            self._evaluations[file] = evaluate_file(load_checkpoint(folder), self.options.data.task, str(file), {})
        return self._evaluations[file]

    @cached_property
    def examples(self) -> tuple[TaskFile, TaskFile]:
        return read_examples(self.options)

    # --- the card

    def write_card(self, folder: Path, rank: int) -> None:
        run, training = self.run, self.options.training
        step, snapshot = run.snapshots()[-1]
        config = self._base.config
        fields = {
            "name": self.name,
            "base": BUILT_IN,
            **self.words,
            "task": task_named(self.options.data.task).title,
            "learned": _what_learned(training.frozen_layers, config.num_hidden_layers),
            "examples": len(self.examples[0].examples),
            "steps": step,
            "tokens": read_json_or_empty(snapshot / ABOUT_FILE).get("tokens_seen", 0),
            "minutes": run.status().elapsed_s / 60,
            "machine": _machine(run.path),
            "rate": _peak(run),
            "batch": training.batch_size,
            "megabytes": _megabytes(folder),
            "rank": rank,
            "figures": self._figures(folder),
            "more": self._more(folder),
            **_probed(self.name, load_checkpoint(folder)),
        }
        text = re.sub(r"\n{3,}", "\n\n", CARD.read_text(encoding="utf-8").format(**fields))
        (folder / "README.md").write_text(text, encoding="utf-8")

    def _figures(self, folder: Path) -> str:
        """As stored, before it was stored, the same recipe on random weights, and a simple rule."""
        stored: Mapping[str, float] = read_json(folder / ABOUT_FILE)["metrics"]
        random = self._run(from_scratch=True)
        is_compared = random.status().state == "done"
        columns = [("as it ships", stored), ("before it was stored", _end_of(self.run))]
        columns += [("the same recipe on random weights", _end_of(random))] if is_compared else []
        columns.append((self.words["simple"], simple_answers(*self.examples)))
        head = f"| | {' | '.join(title for title, _ in columns)} |\n|{'---|' * (len(columns) + 1)}"
        rows = [
            f"| {metric.replace('_', ' ')} | {' | '.join(f'{values[metric]:.3f}' for _, values in columns)} |"
            for metric in METRICS[self.options.data.task]
        ]
        return "\n".join((head, *rows, *(() if is_compared else ("", "What random weights reach was not measured."))))

    def _more(self, folder: Path) -> str:
        """What a mean over all hides: the parts of the answering model, the types of names, the two classes."""
        rows: list[Row] = []
        if self.options.data.task == "squad":
            for part in PARTS:
                found = self._evaluation(folder, part_file(self._questions, part)).metrics
                simple = simple_answers(self.examples[0], self._part(part))
                rows.append((part, found["f1"], found["exact_match"], simple["f1"]))
            return _table(("part", "F1", "exact match", f"F1 of {self.words['simple']}"), rows)
        evaluation = self._evaluation(folder)
        assert evaluation.confusion is not None
        if self.options.data.task == "conll2003":
            rows += _by_type(evaluation.labels, evaluation.confusion)
            return _table(("words of", "right", "taken for another type", "missed"), rows)
        for place, (label, counts) in enumerate(zip(evaluation.labels, evaluation.confusion, strict=True)):
            rows.append((f"{label} sentences", counts[place] / max(sum(counts), 1)))
        return _table(("of the", "right"), rows)

    def _part(self, part: str) -> TaskFile:
        options = replace(self.options, data=replace(self.options.data, dev=str(part_file(self._questions, part))))
        return read_examples(options)[1]


def _by_type(labels: Sequence[str], confusion: Sequence[Sequence[int]]) -> list[Row]:
    """Shares of the words of each type of name."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for label, row in zip(labels, confusion, strict=True):
        for other, count in zip(labels, row, strict=True):
            if label != "O":
                how = "missed" if other == "O" else "right" if other[2:] == label[2:] else "other"
                found[label[2:]][how] += count
    return [
        (kind, *(counts[how] / max(counts.total(), 1) for how in ("right", "other", "missed")))
        for kind, counts in found.items()
    ]


def simple_answers(train: TaskFile, dev: TaskFile) -> dict[str, float]:
    """The metrics of the simplest way to answer: the "simple" of tuned_cards.json."""
    gold: Sequence[Any] = right_answers(dev.examples)
    tagged = [each for each in dev.examples if isinstance(each, TaggedExample)]
    asked = [each for each in dev.examples if isinstance(each, AnswerExample)]
    given: list[Any] = [Counter(gold).most_common(1)[0][0]] * len(gold) if not tagged and not asked else []
    if tagged:
        common = _commonest_tags([each for each in train.examples if isinstance(each, TaggedExample)])
        given = [tuple(common.get(word, "O") for word in each.words) for each in tagged]
    elif asked:
        given = [_closest_sentence(each.question, each.passage) for each in asked]
    return measure(task_named(dev.task).kind, gold, given, dev.labels)


def _commonest_tags(examples: Sequence[TaggedExample]) -> dict[str, str]:
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        for word, tag in zip(example.words, example.tags or (), strict=True):
            tags[word][tag] += 1
    return {word: counts.most_common(1)[0][0] for word, counts in tags.items()}


def _closest_sentence(question: str, passage: str) -> str:
    words = set(re.findall(r"\w+", question.lower()))
    sentences = re.split(r"(?<=[.!?])\s+", passage)
    return max(sentences, key=lambda sentence: len(words & set(re.findall(r"\w+", sentence.lower()))))


# --- sentences of our own


def _probed(name: str, checkpoint: Checkpoint) -> dict[str, str]:
    """Our own sentences, by group, and those that it gets wrong."""
    groups: dict[str, list[bool]] = defaultdict(list)
    wrong = []
    for probe in probes(name):
        given = answer_of(checkpoint, probe["a"], probe.get("b"))
        is_right = given == probe["answer"]
        groups[probe["group"]].append(is_right)
        if not is_right:
            asked = " ".join(part for part in (probe["a"], probe.get("b")) if part)
            wrong.append(f"- {asked} It says: {_said(given)}; right: {_said(probe['answer'])}.")
    rows = [(group, f"{sum(found)} of {len(found)}") for group, found in groups.items()]
    return {"groups": _table(("group", "right"), rows), "wrong": "\n".join(wrong[:MOST_WRONG])}


def probes(name: str) -> list[dict[str, Any]]:
    """Our own sentences for a model: group, a, for some b, and the right answer."""
    lines = PROBES.read_text(encoding="utf-8").splitlines()
    return [probe for probe in map(json.loads, lines) if probe["model"] == name]


def answer_of(checkpoint: Checkpoint, a: str, b: str | None = None) -> str | list[str]:
    """What a model says, as the sentences' right answers are written."""
    example = as_example(required_kind(checkpoint), a, b)
    (found,) = predict_as_learned(checkpoint, [example])
    return _plain(found, example.words if isinstance(example, TaggedExample) else ())


def _plain(found: Prediction, words: Sequence[str]) -> str | list[str]:
    if isinstance(found, TagsPrediction):
        return [f"{' '.join(words[span.start : span.end])} {span.type}" for span in entity_spans(found.tags)]
    return found.text if isinstance(found, AnswerPrediction) else str(found.answer)


def _said(answer: str | list[str]) -> str:
    if isinstance(answer, list):
        return ", ".join(answer) or "no names"
    return f"“{answer}”"


# --- small things


def _end_of(run: RunFolder) -> dict[str, float]:
    metrics: dict[str, float] = read_json(run.path / EVALUATION_FILE)["metrics"]
    return metrics


def _machine(run: Path) -> str:
    start = (read_json_or_empty(run / ENVIRONMENT_FILE).get("starts") or [{}])[-1]
    threads, processor = start.get("threads", 1), start.get("processor", "a processor")
    cores = "one core" if threads == 1 else f"{threads} cores"
    return f"{cores} of {processor}, which had other work too"


def _what_learned(frozen: int, layers: int) -> str:
    if not frozen:
        return "everything: the token table, all layers, the new head"
    return (
        f"layers {frozen + 1} to {layers} and the new head; token table and layers 1 to {frozen} are the built-in ones"
    )


def _peak(run: RunFolder) -> float:
    return max(line["learning_rate"] for line in run.tail().read_new() if line["kind"] == "train")


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6


def _table(head: Sequence[str], rows: Sequence[Row]) -> str:
    cells = [[each if isinstance(each, str) else f"{each:.3f}" for each in row] for row in rows]
    return "\n".join(
        [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in cells)]
    )


if __name__ == "__main__":
    typer.run(main)
