"""Which number of a prediction an analysis asks about: the score of a word, or the verdict on a pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert

Measure = Literal["log_probability", "logit"]


@dataclass(frozen=True)
class Target:
    """One number that is read from the last hidden state of one token."""

    position: int  # the token, from 0
    read: Callable[[Bert, Tensor], Tensor]  # its last hidden states in B variants (B,H) -> the number in each (B)

    def of(self, model: Bert, hidden: Tensor) -> Tensor:
        """Last hidden states (B,S,H) -> (B)."""
        self.check(hidden.shape[1])
        return self.read(model, hidden[:, self.position])

    def check(self, length: int) -> None:
        """Raises BertcoreError where the text of `length` tokens has no such token."""
        if not 0 <= self.position < length:
            raise BertcoreError(f"There is no token {self.position} in this text; its tokens are 0 to {length - 1}.")


def word_target(position: int, token_id: int, measure: Measure = "log_probability") -> Target:
    """How strongly the model puts one word at a place: ln p, in nats, or the logit (MLM head)."""

    def read(model: Bert, rows: Tensor) -> Tensor:
        if model.mlm is None:
            raise BertcoreError("This model has no masked-word (MLM) head, so it gives no word a probability.")
        if not 0 <= token_id < model.config.vocab_size:
            raise BertcoreError(f"There is no token {token_id} in this model's vocabulary.")
        return _measured(model.mlm_logits(rows), token_id, measure)

    return Target(position, read)


def pair_target(task: Literal["nsp", "sop"] = "nsp", verdict: int = 0, measure: Measure = "log_probability") -> Target:
    """The verdict on a pair: next sentence (0 follows, 1 does not) or sentence order (0 in order, 1 swapped)."""

    def read(model: Bert, rows: Tensor) -> Tensor:
        if getattr(model, task) is None:
            raise BertcoreError(f"This model has no {task.upper()} head, so it says nothing about a pair.")
        logits = model.nsp_logits if task == "nsp" else model.sop_logits
        return _measured(logits(model.pool(rows)), verdict, measure)

    return Target(0, read)


def _measured(logits: Tensor, index: int, measure: Measure) -> Tensor:
    return (logits if measure == "logit" else logits.log_softmax(dim=-1))[:, index]
