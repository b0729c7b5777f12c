"""How well a model does on each row of a collection, as it is or with a part of it changed: masked words, or a task.

R rows: a sentence with some of its words masked, or an example of a task. M answers: a masked word, or an example.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.passes import Batch, changed, for_each, open_cost
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Sentence
from bertcore.model.hooks import Changes
from bertcore.progress import ReportProgress, no_progress
from bertcore.tasks.kinds.base import USUAL, DecodeSettings, Example
from bertcore.tasks.predict import by_unit, example_losses, reading_batches, right_answers, run_task
from bertcore.tokenizer.tokenizer import Encoding

MASKED = 0.15  # of the words of a sentence, one at least


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said: M answers, each of a row."""

    row: NDArray[np.int64]  # (M)
    loss: NDArray[np.float64]  # (M) -ln p of what is right
    confidence: NDArray[np.float64]  # (M) probability of the answer that it gave; NaN where it gives none
    is_right: NDArray[np.bool_]  # (M)
    given: tuple[str, ...] = ()  # (M) in words, where a person may look at them
    right: tuple[str, ...] = ()  # (M)

    def by_row(self, values: NDArray, rows: int) -> tuple[NDArray, NDArray]:
        """Of values (M) the sum in each row, and how many there are, (R) each."""
        return np.bincount(self.row, values, rows), np.bincount(self.row, np.ones(len(self.row)), rows)

    def of(self, rows: NDArray) -> "Answers":
        """Those of some rows alone, which keep their numbers."""
        kept = np.isin(self.row, rows)
        words = (
            [each for each, keep in zip(all_, kept, strict=True) if keep] for all_ in (self.given, self.right) if all_
        )
        return Answers(self.row[kept], self.loss[kept], self.confidence[kept], self.is_right[kept], *map(tuple, words))


class Scored(Protocol):
    """Rows that a model can be measured on."""

    checkpoint: Checkpoint
    name: str
    sha256: str

    def __len__(self) -> int: ...
    def answers(
        self, changes: Changes | None = None, rows: NDArray | None = None, progress: ReportProgress = no_progress
    ) -> Answers: ...
    def baseline(self) -> str: ...


class MaskedWords:
    """Some words of each sentence masked, always the same ones for a seed; a sentence that has none is left out.

    masks: the tokens to mask of each sentence, where they are not to be drawn.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        collection: Collection[Sentence],
        seed: int = 0,
        masks: Sequence[Sequence[int]] | None = None,
    ) -> None:
        mask_id = checkpoint.tokenizer.mask_id
        if "mlm" in checkpoint.missing or mask_id is None:
            raise BertcoreError(checkpoint.missing.get("mlm", "This vocabulary has no mask, so no word can be hidden."))
        self.checkpoint, self.name, self.sha256 = checkpoint, collection.name, collection.sha256
        self.encodings, self.masks, self.rows = list[Encoding](), list[list[int]](), list[Sentence]()
        self._hidden = list[list[int]]()  # the ids below the masks
        for number, sentence in enumerate(collection.rows):
            encoding = checkpoint.tokenizer.encode(sentence.text, max_length=checkpoint.config.max_length)
            words = [at for at, part in enumerate(encoding.parts) if part != "special" and encoding.ids[at] != mask_id]
            if words:
                chance = np.random.default_rng([seed, number])
                chosen = chance.choice(words, max(1, round(MASKED * len(words))), replace=False).tolist()
                self.masks.append(sorted(chosen if masks is None else masks[number]))
                self._hidden.append([encoding.ids[at] for at in self.masks[-1]])
                for at in self.masks[-1]:
                    encoding.ids[at] = mask_id
                self.encodings.append(encoding)
                self.rows.append(sentence)
        if not self.rows:
            raise BertcoreError(f"{collection.name} has no words that could be masked.")

    def __len__(self) -> int:
        return len(self.rows)

    def answers(
        self, changes: Changes | None = None, rows: NDArray | None = None, progress: ReportProgress = no_progress
    ) -> Answers:
        """Each masked word, and the likeliest word in its place."""
        chosen = np.arange(len(self)) if rows is None else np.asarray(rows)
        model, label = self.checkpoint.model, self.checkpoint.tokenizer.label

        def answer(batch: Batch, _: ReportProgress) -> list[NDArray]:
            numbers = [int(chosen[number]) for number in batch.numbers]
            masks, hidden = [self.masks[number] for number in numbers], [self._hidden[number] for number in numbers]
            with changed(model, changes) as hook:
                states = batch.hidden(model, hook)[batch.index(masks)]  # (M,H)
                logs = model.mlm_logits(states, hook).log_softmax(-1)  # (M,V)
            right = torch.tensor([each for one in hidden for each in one], device=logs.device)
            best, word = logs.max(-1)
            found = torch.stack([-logs.gather(1, right[:, None])[:, 0], best.exp(), word, right], 1)  # (M,4)
            return np.split(found.cpu().double().numpy(), np.cumsum([len(each) for each in masks])[:-1])

        row = model.config.vocab_size // 1024  # a row of logits takes the room of that many tokens
        texts = [self.encodings[number] for number in chosen]
        cost = open_cost if changes else len
        found = for_each(model, texts, answer, cost=lambda each: cost(each) + 4 * row, progress=progress)
        numbers = np.repeat(chosen, [len(each) for each in found])
        loss, confidence, best, hidden = np.concatenate(found).T
        words = (tuple(label(int(each)) for each in ids) for ids in (best, hidden))
        return Answers(numbers, loss, confidence, best == hidden, *words)

    def baseline(self) -> str:
        """The word that is masked most often."""
        ids = [each for hidden in self._hidden for each in hidden]
        return self.checkpoint.tokenizer.label(int(np.bincount(ids).argmax()))


class TaskExamples:
    """Labelled examples of the task that a model was fine-tuned on."""

    def __init__(self, checkpoint: Checkpoint, examples: Sequence[Example], name: str, sha256: str) -> None:
        self.checkpoint, self.name, self.sha256 = checkpoint, name, sha256
        self.rows = [each for each in examples if each.answer is not None]
        if not self.rows:
            raise BertcoreError(f"{name} has no examples with their right answers.")

    def __len__(self) -> int:
        return len(self.rows)

    def answers(
        self, changes: Changes | None = None, rows: NDArray | None = None, progress: ReportProgress = no_progress
    ) -> Answers:
        """Each example; right where the answer is the right one as a whole."""
        chosen = np.arange(len(self)) if rows is None else np.asarray(rows)
        model, examples = self.checkpoint.model, [self.rows[number] for number in chosen]
        batches = reading_batches(model, self.checkpoint.tokenizer, examples, need_answers=True)
        logits = by_unit(batches.features, run_task(model, batches, progress, changes=changes))
        said = batches.features.kind.decode(batches.features, logits, DecodeSettings.of(model, USUAL))
        sure = [np.nan if each.certainty is None else each.certainty for each in said]
        gold = right_answers(batches.features.examples)
        is_right = np.array([each.answer == right for each, right in zip(said, gold, strict=True)])
        words = tuple(str(each.answer) for each in said), tuple(map(str, gold))
        return Answers(chosen, example_losses(batches.features, logits), np.array(sure), is_right, *words)

    def baseline(self) -> str:
        """The answer that is right most often."""
        answers = [str(each.answer) for each in self.rows]
        return max(set(answers), key=answers.count)
