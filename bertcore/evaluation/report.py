"""How good a pretrained model is, in one object: our own sets, and text, file by file."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.cloze import read_cloze
from bertcore.data.corpus import Lines, load_corpus
from bertcore.data.text import Documents, TextFormat, text_files
from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import (
    Cloze,
    MinimalPairs,
    answer_cloze,
    cloze_file,
    judge_minimal_pairs,
    read_minimal_pairs,
    second_cloze_file,
)
from bertcore.files import jsonable
from bertcore.locations import minimal_pairs_file
from bertcore.table import Table
from bertcore.training.evaluate import data_of_pretraining, evaluate_corpus

MOST_SEQUENCES = 1024  # of each file: 130,000 tokens at the usual length
ALL_FILES = "all"


@dataclass(frozen=True, repr=False)
class ModelReport(Table):
    """What `bertcore evaluate --all` and `LoadedModel.report` give."""

    name: str
    step: int | None
    parameters: int
    # By file, and of several files of "all": the numbers of `evaluate_text`. Empty where no text was given.
    text: dict[str, dict[str, float | None]]
    cloze: Cloze
    second_cloze: Cloze  # the test set: no setting was chosen by it
    minimal_pairs: MinimalPairs

    def to_dict(self) -> dict[str, Any]:
        """JSON's own types; a number that is not known is None."""
        values = asdict(replace(self, cloze=None, second_cloze=None, minimal_pairs=None))  # type: ignore[arg-type]
        sets = {name: getattr(self, name).to_dict() for name in ("cloze", "second_cloze", "minimal_pairs")}
        found: dict[str, Any] = jsonable({**values, **sets})
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One figure each: what it is of, its name, and its value with the standard error, where it has one."""
        found = [
            {"of": file, "figure": name, "value": value, "standard_error": None, "count": numbers["words"]}
            for file, numbers in self.text.items()
            for name, value in numbers.items()
            if value is not None and name not in ("words", "pairs", "documents", "documents_in_text")
        ]
        for title, cloze in (("cloze set", self.cloze), ("second cloze set", self.second_cloze)):
            for figure, share in (("top1", cloze.score.top1), ("top5", cloze.score.top5)):
                found.append({"of": title, "figure": figure, **asdict(share)})
        for row in self.minimal_pairs.rows():
            found.append({"of": "minimal pairs", "figure": row.pop("phenomenon"), **row})
        return found


def measure_model(
    checkpoint: Checkpoint,
    files: Sequence[Path] = (),
    *,
    whole: bool = False,
    sequence_length: int = 128,
    tell: Callable[[str], None] = lambda sentence: None,
) -> ModelReport:
    """Our own sets, and the part of each file that a run on all of these files holds out; with `whole`, all of it.

    `tell` is called with a sentence about what is being measured. The same checkpoint and files give the same report.
    Raises BertcoreError where the model has no masked-word head, or the text cannot be read.
    """
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    files = text_files(files)  # raises at once for what is not there
    tell("The cloze sets and the minimal pairs.")
    return ModelReport(
        name=checkpoint.name,
        step=checkpoint.step,
        parameters=checkpoint.parameters,
        cloze=answer_cloze(checkpoint, read_cloze(cloze_file())),
        second_cloze=answer_cloze(checkpoint, read_cloze(second_cloze_file())),
        minimal_pairs=judge_minimal_pairs(checkpoint, read_minimal_pairs(minimal_pairs_file())),
        text=_text(checkpoint, files, sequence_length, whole, tell) if files else {},
    )


def _text(
    checkpoint: Checkpoint, files: list[Path], length: int, whole: bool, tell: Callable[[str], None]
) -> dict[str, dict[str, float | None]]:
    form = data_of_pretraining(checkpoint.folder).text_format
    corpus = load_corpus(files, checkpoint.tokenizer, form=form)
    measured = np.ones_like(corpus.held_out) if whole else corpus.held_out
    names, counts = names_of(files), _documents_by_file(files, form, len(measured))
    of_file = np.repeat(np.arange(len(counts)), counts)  # (D) number of each document's file
    parts = {names[number]: of_file == number for number in range(len(counts))}
    if len(parts) != 1:
        parts[ALL_FILES] = np.ones_like(measured)
    found = {}
    for name, part in parts.items():
        if (measured & part).any():
            tell(f"{name}: masked words and next sentence.")
            most = MOST_SEQUENCES * (len(files) if name == ALL_FILES else 1)
            found[name] = evaluate_corpus(checkpoint, replace(corpus, held_out=measured & part), length, most)
            found[name]["documents_in_text"] = int(part.sum())
    return found


def _documents_by_file(files: Sequence[Path], form: TextFormat, documents: int) -> list[int]:
    """How many of the `documents` of a corpus are of each file. Empty where some have no token: the corpus leaves them
    out, and so does not say where one file ends."""
    for kind in (Documents, Lines):  # as `load_corpus`, which reads a tiny text line by line
        counts = [sum(1 for _ in kind([file], form)) for file in files]
        if sum(counts) == documents:
            return counts
    return []


def names_of(files: Sequence[Path]) -> list[str]:
    """What each file is called in a table: with its folder, or a number, where two would be called the same."""
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        names = [f"{file.absolute().parent.name}/{file.name}" for file in files]
    taken = {name for name in names if names.count(name) > 1} | {ALL_FILES}
    return [f"{number}: {name}" if name in taken else name for number, name in enumerate(names, 1)]
