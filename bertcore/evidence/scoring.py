"""How well a model does on each row of a collection, as it is or with a part of it changed: masked words, or a task.

R rows: a sentence with some of its words masked, or an example of a task. M answers: a masked word, or an example.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.passes import Batch, changed, for_each, open_cost
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Sentence
from bertcore.model.hooks import Changes
from bertcore.progress import ReportProgress, no_progress
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import USUAL, DecodeSettings, Example, TaskKind
from bertcore.tasks.predict import by_unit, example_losses, reading_batches, required_kind, right_answers, run_task
from bertcore.tasks.readers.reading import sample_folder, task_named
from bertcore.tasks.spec import Role
from bertcore.tokenizer.tokenizer import Encoding
from bertcore.training.task_files import data_of_run, examples_of_file

MASKED = 0.15  # of the words of a sentence, one at least


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said: M answers, each of a row."""

    row: NDArray[np.int64]  # (M)
    loss: NDArray[np.float64]  # (M) -ln p of what is right
    confidence: NDArray[np.float64]  # (M) probability of the answer that it gave; NaN where it gives none
    is_right: NDArray[np.bool_]  # (M)
    given: tuple[str, ...]  # (M) in words
    right: tuple[str, ...]  # (M)
    likely: tuple[Mapping[str, float], ...] = ()  # (M) the probability of each label, of models that choose one

    def by_row(self, rows: int) -> NDArray[np.float64]:
        """(R,3): of each row the sum of its losses, and how many answers are right, and how many there are."""
        values = self.loss, self.is_right.astype(float), np.ones_like(self.loss)
        return np.stack([np.bincount(self.row, each, rows) for each in values], axis=1)


class Scored(ABC):
    """Rows that a model can be measured on."""

    def __init__(self, checkpoint: Checkpoint, name: str, sha256: str, rows: Sequence[Any] = ()) -> None:
        self.checkpoint, self.name, self.sha256, self.rows = checkpoint, name, sha256, list(rows)

    def __len__(self) -> int:
        return len(self.rows)

    @abstractmethod
    def texts(self) -> Sequence[Encoding]:
        """(R) as the model reads them."""

    @abstractmethod
    def answers(
        self, changes: Changes | None = None, rows: NDArray | None = None, progress: ReportProgress = no_progress
    ) -> Answers:
        """Those of all rows, or of some."""


class MaskedWords(Scored):
    """Some words of each sentence masked, always the same ones for a seed; a sentence that has none is left out.

    masks: the tokens to mask of each sentence, where they are not to be drawn. first: of a part of a collection, the
    number of its first row, from which words are drawn as for the whole.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        collection: Collection[Sentence],
        seed: int = 0,
        masks: Sequence[Sequence[int]] | None = None,
        first: int = 0,
    ) -> None:
        super().__init__(checkpoint, collection.name, collection.sha256)
        tokenizer = checkpoint.tokenizer
        if "mlm" in checkpoint.missing or tokenizer.mask_id is None:
            raise BertcoreError(checkpoint.missing.get("mlm", "This vocabulary has no mask, so no word can be hidden."))
        self.masks, self._masked, self._hidden = list[list[int]](), list[Encoding](), list[list[int]]()
        for number, sentence in enumerate(collection.rows):
            read = checkpoint.encode(sentence.text)
            parts = enumerate(zip(read.ids, read.parts, strict=True))
            words = [at for at, (token, part) in parts if part != "special" and token != tokenizer.mask_id]
            if words:
                chance, count = np.random.default_rng([seed, first + number]), max(1, round(MASKED * len(words)))
                drawn = chance.choice(words, count, replace=False).tolist() if masks is None else masks[number]
                ids = [tokenizer.mask_id if at in drawn else token for at, token in enumerate(read.ids)]
                self.rows.append(sentence)
                self.masks.append(sorted(drawn))
                self._masked.append(replace(read, ids=ids))
                self._hidden.append([read.ids[at] for at in self.masks[-1]])

    def texts(self) -> Sequence[Encoding]:
        return self._masked

    def answers(
        self, changes: Changes | None = None, rows: NDArray | None = None, progress: ReportProgress = no_progress
    ) -> Answers:
        """Each masked word of all rows, or of some, and the likeliest word in its place."""
        model, chosen = self.checkpoint.model, list(range(len(self)) if rows is None else rows)
        hidden = [self._hidden[row] for row in chosen]

        def answer(batch: Batch, _: ReportProgress) -> list[NDArray]:
            masks = [self.masks[chosen[number]] for number in batch.numbers]
            right = torch.tensor([each for number in batch.numbers for each in hidden[number]])
            with changed(model, changes) as hook:
                states = batch.hidden(model, hook)[batch.index(masks)]  # (M,H)
                logs = model.mlm_logits(states, hook).log_softmax(-1).cpu()  # (M,V)
            best, word = logs.max(-1)
            found = torch.stack([-logs.gather(1, right[:, None])[:, 0], best.exp(), word], 1)  # (M,3)
            return np.split(found.double().numpy(), np.cumsum([len(each) for each in masks])[:-1])

        row = 4 * (model.config.vocab_size // 1024)  # a row of logits takes the room of so many tokens
        cost, texts = open_cost if changes else len, [self._masked[row] for row in chosen]
        found = for_each(model, texts, answer, cost=lambda each: cost(each) + row, progress=progress)
        loss, confidence, given = np.concatenate(found).T
        right: NDArray[np.int64] = np.concatenate(hidden)
        label, rows_of = self.checkpoint.tokenizer.label, np.repeat(chosen, list(map(len, hidden)))
        words = [tuple(label(int(each)) for each in ids) for ids in (given, right)]
        return Answers(rows_of, loss, confidence, given == right, words[0], words[1])


class TaskExamples(Scored):
    """Labelled examples of the task that a model was fine-tuned on."""

    def __init__(self, checkpoint: Checkpoint, examples: Sequence[Example], name: str, sha256: str) -> None:
        super().__init__(checkpoint, name, sha256, [each for each in examples if each.answer is not None])
        if not self.rows:
            raise BertcoreError(f"{name} has no examples with their right answers.")

    @classmethod
    def read(
        cls,
        checkpoint: Checkpoint,
        file: Path | None,
        task: str | None = None,
        columns: Mapping[Role, str] | None = None,
    ) -> "TaskExamples":
        """Those of a file, as `examples_of_file` reads it; None: of the sample that ships for the model's task.

        Raises BertcoreError where there is none, or it does not fit.
        """
        if file is None:
            learned, kind = data_of_run(checkpoint.folder), TASK_KINDS[required_kind(checkpoint)]
            folder = sample_folder(kind.tasks[0] if learned is None else task_named(learned.task))
            file = next(iter(sorted(folder.glob("dev.*"))), None) if folder is not None else None
        if file is None:
            raise BertcoreError("No sample ships for the task of this model; open a file of examples.")
        examples = examples_of_file(checkpoint, str(file), task, columns or {})
        return cls(checkpoint, examples, file.name, sha256(repr(examples).encode("utf-8", "replace")).hexdigest())

    def part(self, rows: Iterable[int]) -> "TaskExamples":
        """Some of them."""
        return TaskExamples(self.checkpoint, [self.rows[row] for row in rows], self.name, self.sha256)

    def texts(self) -> Sequence[Encoding]:
        written = map(TASK_KINDS[required_kind(self.checkpoint)].written, self.rows)
        return [self.checkpoint.encode(text_a, text_b or None) for text_a, text_b, _ in written]

    def answers(
        self, changes: Changes | None = None, rows: NDArray | None = None, progress: ReportProgress = no_progress
    ) -> Answers:
        """Each example, or some; right where the answer is as a whole (one of several right ones will do)."""
        chosen = np.arange(len(self)) if rows is None else np.asarray(rows)
        model, examples = self.checkpoint.model, [self.rows[number] for number in chosen]
        batches = reading_batches(model, self.checkpoint.tokenizer, examples, need_answers=True)
        logits = by_unit(batches.features, run_task(model, batches, progress, changes=changes))
        kind = batches.features.kind
        said = kind.decode(batches.features, logits, DecodeSettings.of(model, USUAL))
        sure = np.array([np.nan if each.certainty is None else each.certainty for each in said])
        gold = right_answers(batches.features.examples)
        is_right = np.array([_is_right(kind, each.answer, right) for each, right in zip(said, gold, strict=True)])
        words = tuple(str(each.answer) for each in said), tuple(map(str, gold))
        likely = tuple(shares for each in said if isinstance(shares := getattr(each, "probabilities", None), dict))
        return Answers(chosen, example_losses(batches.features, logits), sure, is_right, *words, likely)


def _is_right(kind: TaskKind[Any, Any], given: Any, right: Any) -> bool:
    return bool(kind.measure([right], [given], [])["exact_match"]) if "exact_match" in kind.metrics else given == right
