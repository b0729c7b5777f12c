"""A model card in the Hugging Face layout: a README.md with a head of YAML, which the hub and its library read.

The head has what a program may want: library, kind of task, and the measured numbers. The rest is for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.files import write_aside

CARD_FILE = "README.md"
# The kind of task as the hub names it; the library has no pipeline for the others.
PIPELINES = {
    "mlm": "fill-mask",
    "classify": "text-classification",
    "regress": "text-classification",
    "multilabel": "text-classification",
    "tag": "token-classification",
    "span": "question-answering",
}
MEANINGS = {
    "loss": "mean loss, its parts added up",
    "mlm_loss": "loss per masked word, in nats",
    "perplexity": "e to the power of that loss: among so many equally likely words it hesitates",
    "mlm_accuracy": "share of masked words whose likeliest guess is right",
    "mlm_top5": "share of masked words that are among the five likeliest guesses",
    "nsp_loss": "loss per sentence pair, in nats",
    "nsp_accuracy": "share of sentence pairs rightly told to follow one another or not",
    "sop_loss": "loss per sentence pair, in nats",
    "sop_accuracy": "share of sentence pairs rightly told to be in order or swapped",
    "words": "masked words that were asked for",
    "pairs": "sentence pairs that were asked for",
    "accuracy": "share of answers that are right",
    "f1": "harmonic mean of precision and recall",
    "f1_macro": "F1 of each label, all labels counting the same",
    "f1_micro": "F1 over all labels of all examples together",
    "precision": "share of what it found that is right",
    "recall": "share of what there is that it found",
    "matthews_correlation": "agreement from -1 to 1; 0 is chance, whatever the sizes of the classes",
    "pearson": "linear correlation of given and right numbers",
    "spearmanr": "correlation of their ranks",
    "mse": "mean squared difference of given and right numbers",
    "exact_match": "share of answers that are word for word an accepted one (SQuAD's normalisation)",
    "has_answer_exact_match": "the same, of questions that have an answer",
    "has_answer_f1": "F1 of their words",
    "no_answer_accuracy": "share of questions without an answer that were rightly left unanswered",
    "best_exact_match": "exact match with the best threshold for no answer, found on these questions",
    "best_f1": "F1 with the best threshold for no answer, found on these questions",
    "best_exact_match_threshold": "that threshold",
    "best_f1_threshold": "that threshold",
    "rouge1": "F1 of single words shared with the reference",
    "rouge2": "F1 of pairs of words shared with the reference",
    "rougeL": "F1 of the longest common sequence of words",
    "rougeLsum": "the same, sentence by sentence",
}


@dataclass(frozen=True)
class ModelCard:
    """`measured`: name -> number, on `dataset`; the same numbers as in the text."""

    name: str
    about: str  # what it is, in a sentence or two
    sections: Sequence[tuple[str, str]]  # title, text
    tags: Sequence[str] = ()
    pipeline: str | None = None
    measured: dict[str, float] | None = None
    dataset: str = "held-out text"

    def text(self) -> str:
        """The whole README.md."""
        body = "\n\n".join(f"## {title}\n\n{text.strip()}" for title, text in self.sections)
        text = f"# {one_line(self.name)}\n\n{self.about.strip()}\n\n{body}\n"
        return f"---\n{self._head()}\n---\n\n" + "".join(f"{line.rstrip()}\n" for line in text.splitlines())

    def write(self, checkpoint: Path) -> None:
        """Put it into a checkpoint's folder."""
        write_aside(checkpoint / CARD_FILE, self.text().encode("utf-8", "replace"))

    def _head(self) -> str:
        from huggingface_hub import EvalResult, ModelCardData  # costs a moment, and only a run's end needs it

        task = self.pipeline or "text"
        results = [
            EvalResult(
                task_type=task,
                dataset_type="text",
                dataset_name=self.dataset,
                metric_type=name,
                metric_value=value,
            )
            for name, value in (self.measured or {}).items()
        ]
        about: dict[str, Any] = {"library_name": "transformers", "tags": ["bertscope", *self.tags]}
        if self.pipeline:
            about["pipeline_tag"] = self.pipeline
        if results:
            about |= {"model_name": self.name, "eval_results": results}
        return ModelCardData(**about).to_yaml().strip()


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = ("", "")) -> str:
    """A table in Markdown. None and empty cells are shown as a dash."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(_cell(value) for value in row) + " |" for row in rows)])


def points(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def one_line(text: str) -> str:
    return " ".join(text.split())


def numbers_table(numbers: dict[str, Any]) -> str:
    """Measured numbers with what each of them means."""
    known = {name: value for name, value in numbers.items() if isinstance(value, int | float)}
    rows = [(name.replace("_", " "), number(value), MEANINGS.get(name, "")) for name, value in known.items()]
    return table(rows, ("measure", "value", "what it says"))


def number(value: object) -> str:
    """As metrics.jsonl has it, with four places."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _cell(value: object) -> str:
    text = one_line(str(value)) if value is not None else ""
    return text.replace("|", "\\|") or "–"
