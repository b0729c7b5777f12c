"""From words to a `Target`: what a person names, or what a model predicts of a text when nothing is named.

Of two texts it is what distinguishes the two predictions: the other text's likeliest answer against this one's.
S tokens, K labels.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_rows
from bertcore.analysis.passes import Batch, as_text, predict_heads, task_logits
from bertcore.analysis.predict import cut_off_mask
from bertcore.analysis.targets import Measure, Target
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.hooks import Changes
from bertcore.tasks.kinds import kind_of_model
from bertcore.tasks.kinds.base import TaskKind
from bertcore.tasks.predict import labels_of
from bertcore.tokenizer.tokenizer import Encoding, word_id_at

Scores = Callable[[Encoding], NDArray]  # of a text, for each of its K possible answers
_ENDS = ("start", "end")
_VERDICTS: dict[Literal["nsp", "sop"], tuple[str, str]] = {
    "nsp": ("next sentence", "random sentence"),
    "sop": ("in order", "swapped"),
}


@dataclass(frozen=True)
class NamedTarget:
    target: Target
    name: str  # such as "her", "her against his", "positive", "B-PER at anna", "start at paris"


def find_target(
    checkpoint: Checkpoint,
    text: Encoding,
    other: Encoding | None = None,
    *,
    wanted: str | None = None,
    against: str | None = None,
    position: int | None = None,
    target: Target | None = None,
    changes: Changes | None = None,
) -> NamedTarget:
    """A prediction of the text, by its name: word, label, tag, "start" or "end" of an answer, verdict; or any `target`.

    With a [MASK] in the text, or a `position` where the model has an MLM head and no head for a task, it is a word
    there. Else it is what the model was fine-tuned on: a label; a tag, and where an answer starts or ends, at
    `position`. Else the verdict on the pair. `against` names another word or label, whose number is subtracted.
    Absent, `wanted` is the likeliest answer to the `other` text against the likeliest to this one, where these differ;
    without an `other`, to this text. An absent `position` is the first [MASK]; for a tag, the first token in which the
    texts differ, or else the first with another tag than "O"; for an answer, where it likeliest is.
    `changes` are made in the passes that look. Raises BertcoreError where the model has no such head, word or label, or
    the text no such token, and for two names of one: a target, and a word, a place ... beside it.
    """
    if target is not None:
        if any(each is not None for each in (wanted, against, position)):
            raise BertcoreError("Name a prediction by its word or label and place, or give a target, not both.")
        return NamedTarget(target, "target")
    if position is not None:
        check_rows([position], len(text))
    output_heads, mask_id = checkpoint.output_heads, checkpoint.tokenizer.mask_id
    choice = _Choice(checkpoint, text, other, wanted, against, changes)
    is_masked = mask_id is not None and mask_id in text.ids
    if not is_masked and "mlm" in output_heads and (cut := cut_off_mask(checkpoint.tokenizer, text)):
        raise BertcoreError(cut)
    if is_masked and "mlm" in output_heads:
        return choice.word(text.ids.index(mask_id or 0) if position is None else position)
    if (kind := kind_of_model(output_heads, checkpoint.config)) is not None:
        return choice.of_task(kind, position)
    if position is not None and "mlm" in output_heads:
        return choice.word(position)
    for verdict in ("nsp", "sop"):
        if verdict in output_heads and text.text_b:
            return choice.verdict(verdict)
    if is_masked or "mlm" not in output_heads:
        raise BertcoreError(checkpoint.missing["mlm"])
    raise BertcoreError("There is no [MASK] in the text; write one where a word should be predicted.")


@dataclass(frozen=True)
class _Choice:
    """One answer out of those that a head gives scores for."""

    checkpoint: Checkpoint
    text: Encoding
    other: Encoding | None
    wanted: str | None
    against: str | None
    changes: Changes | None

    def word(self, position: int) -> NamedTarget:
        tokenizer = self.checkpoint.tokenizer

        def scores(encoding: Encoding) -> NDArray:
            batch = Batch.of([as_text(self.checkpoint.model, encoding.ids, encoding.segments)])
            (said,) = predict_heads(self.checkpoint.model, batch, [[position]], self.changes)
            if said.mlm_logits is None:
                raise BertcoreError(self.checkpoint.missing["mlm"])
            return said.mlm_logits[0]

        if self.other is not None and (self.text.ids[position] == tokenizer.mask_id) != (
            self.other.ids[position : position + 1] == [tokenizer.mask_id]
        ):
            raise BertcoreError(f"Only one of the texts has its [MASK] at token {position}; write it there in both.")

        def index(word: str) -> int:
            return word_id_at(word, tokenizer, self.text, position)

        return self.answer("mlm", position, index, tokenizer.word, scores)

    def of_task(self, kind: TaskKind[Any, Any], position: int | None) -> NamedTarget:
        """A label of the text, or of a token; where an answer starts or ends; or the one number that the head gives."""
        if kind.chooses_tokens:
            return self.end_of_answer(kind.head, position)
        if kind.number_name:
            if self.wanted is not None or self.against is not None:
                raise BertcoreError(f"This model gives one number, the {kind.number_name}; leave out the word.")
            measure: Measure = "log_probability" if kind.probability else "logit"
            return NamedTarget(Target(kind.head, measure=measure), kind.number_name)
        if kind.reads == "first":
            return self.label(kind.head, 0, lambda encoding: self._logits(encoding, kind.head))
        at = self._tagged_token(kind.head) if position is None else position
        found = self.label(kind.head, at, lambda encoding: self._logits(encoding, kind.head)[at])
        return replace(found, name=f"{found.name} at {self.text.labels[at]}")

    def end_of_answer(self, head: str, position: int | None) -> NamedTarget:
        if not self.text.text_b:
            raise BertcoreError("There is no passage; put the text that holds the answer into B.")
        wanted = self.wanted or _ENDS[0]
        if wanted not in _ENDS:
            raise BertcoreError(f"An answer has a start and an end; there is no {wanted!r} of it to explain.")
        if self.against is not None:
            raise BertcoreError("The start or end of an answer is compared at a position; leave out the other word.")
        which, against = _ENDS.index(wanted), None
        if position is None:
            position, against = self._likeliest(lambda encoding: self._answer_scores(encoding, head)[:, which])
        names = [self.text.labels[at] for at in (position, against) if at is not None]
        return NamedTarget(Target(head, which, position, against=against), f"{wanted} at {' against '.join(names)}")

    def verdict(self, head: Literal["nsp", "sop"]) -> NamedTarget:
        names = _VERDICTS[head]
        index = 0 if self.wanted is None else self._index(names, self.wanted)
        if self.against is not None:
            raise BertcoreError(f"There are two verdicts, {' and '.join(names)}; name one of them.")
        return NamedTarget(Target(head, index), names[index])

    def answer(
        self, head: str, position: int, index: Callable[[str], int], name: Callable[[int], str], scores: Scores
    ) -> NamedTarget:
        """The answer that is wanted, else the likeliest one, and the one it is set against."""
        wanted, against = (None if each is None else index(each) for each in (self.wanted, self.against))
        if wanted is None:
            wanted, against = self._likeliest(scores, against)
        if wanted == against:
            raise BertcoreError(f"{name(wanted)!r} is compared with itself; name another word or label.")
        names = [name(each) for each in (wanted, against) if each is not None]
        return NamedTarget(Target(head, wanted, position, against=against), " against ".join(names))

    def label(self, head: str, position: int, scores: Scores) -> NamedTarget:
        names = labels_of(self.checkpoint)
        return self.answer(head, position, lambda name: self._index(names, name), names.__getitem__, scores)

    def _likeliest(self, scores: Scores, against: int | None = None) -> tuple[int, int | None]:
        """The likeliest answer to the other text, against the one to ours where that is another."""
        best = [int(scores(text).argmax()) for text in (self.text, self.other) if text is not None]
        return best[-1], best[0] if against is None and best[0] != best[-1] else against

    def _index(self, names: Sequence[str], name: str) -> int:
        if name not in names:
            raise BertcoreError(f"The model {self.checkpoint.name} has no label {name!r}; it has {', '.join(names)}.")
        return names.index(name)

    def _tagged_token(self, head: str) -> int:
        """The first token that the other text has another of; or the first that has a tag; or the first word."""
        words = [at for at, part in enumerate(self.text.parts) if part != "special"]
        if not words:
            raise BertcoreError("There is no text to look at; write at least one word.")
        if self.other is not None:
            pairs = enumerate(zip(self.text.ids, self.other.ids, strict=False))
            return next((at for at, (ours, theirs) in pairs if ours != theirs), words[0])
        names, best = labels_of(self.checkpoint), self._logits(self.text, head).argmax(axis=-1)
        return next((at for at in words if names[best[at]] != "O"), words[0])

    def _answer_scores(self, encoding: Encoding, head: str) -> NDArray[np.float32]:
        """Start and end (S,2), of the passage alone."""
        scores = self._logits(encoding, head).copy()
        scores[[part != "b" for part in encoding.parts]] = -np.inf
        return scores

    def _logits(self, encoding: Encoding, head: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            text = replace(as_text(self.checkpoint.model, encoding.ids, encoding.segments), changes=self.changes)
            hidden = text.hidden(self.checkpoint.model)
        return task_logits(self.checkpoint.model, hidden[0].float().cpu().numpy())[head]
