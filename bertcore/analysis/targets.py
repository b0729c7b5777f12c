"""What an analysis asks "why" about: one number of a prediction, by any head that a model has.

Importable without torch: a target is plain data, so that it can be named, compared and sent to where torch is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bertcore.analysis.interventions import check_rows
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import TaskKind

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.model.bert import Bert

TaskHead = str  # "mlm", "nsp", "sop", "rtd", "similarity", or the head of a kind of task
Measure = Literal["log_probability", "logit"]


@dataclass(frozen=True)
class Target:
    """One number that a head gives for a text: ln p, in nats, or the logit.

    With `against` it is a contrast: ln p(index) - ln p(against), the log of how many times likelier the one is.
    A classifier of several labels at once gives each a probability of its own; a regression and the score of one choice
    have none: their measure is "logit".
    """

    head: TaskHead
    # the word's id; 0 follows, 1 does not (nsp; sop and rtd alike); the class; the tag; span: 0 start, 1 end
    index: int = 0
    position: int = 0  # the token it is about, from 0
    measure: Measure = "log_probability"
    against: int | None = None  # another index (span: another token), whose number is subtracted

    @property
    def reads_all(self) -> bool:
        """Whether it needs the last hidden states of all tokens, as start and end of an answer do; else of one."""
        return any(kind.chooses_tokens for kind in TASK_KINDS.values() if kind.head == self.head)

    def of(self, model: Bert, hidden: Tensor) -> Tensor:
        """Last hidden states (B,S,H) -> (B)."""
        self.check(hidden.shape[1])
        return self.read(model, hidden if self.reads_all else hidden[:, self.position])

    def read(self, model: Bert, hidden: Tensor) -> Tensor:
        """Last hidden states of its token (B,H), or of all (B,S,H) where it `reads_all` -> (B)."""
        if getattr(model, self.head) is None:
            raise BertcoreError(_MISSING.get(self.head) or self._kind(model).missing_head)
        logits = self._logits(model, hidden)  # (B,K)
        index = self.position if self.reads_all else self.index
        number = self._measured(model, logits, index)
        return number if self.against is None else number - self._measured(model, logits, self.against)

    def check(self, length: int) -> None:
        """Raises BertcoreError where the text of `length` tokens has no such token."""
        check_rows([self.position], length)

    def _logits(self, model: Bert, hidden: Tensor) -> Tensor:
        """All that the number is one of, (B,K); for start and end of an answer the tokens, (B,S)."""
        logits = model.logits(self.head, hidden)
        if self.head == "rtd":
            return logits[:, None] * logits.new_tensor([1.0, -1.0])  # replaced, the text's own
        return logits[..., self.index] if self.reads_all else logits

    def _kind(self, model: Bert) -> TaskKind[Any, Any]:
        """What its head has learned."""
        return next(kind for kind in TASK_KINDS.values() if kind.fits([self.head], model.config))

    def _measured(self, model: Bert, logits: Tensor, index: int) -> Tensor:
        from torch.nn.functional import logsigmoid

        if not 0 <= index < logits.shape[-1]:
            raise BertcoreError(
                f"There is no token {index} in this model's vocabulary."
                if self.head == "mlm"
                else f"This model gives {logits.shape[-1]} scores here; there is no score {index}."
            )
        if self.measure == "logit":
            return logits[:, index]
        probability = _PROBABILITY.get(self.head) or self._kind(model).probability
        if probability is None:
            raise BertcoreError("This head gives a number, not a probability; use its logit.")
        if probability == "sigmoid":
            return logsigmoid(logits[:, index])  # each by itself
        return logits.log_softmax(dim=-1)[:, index]


@dataclass(frozen=True)
class SimilarityTarget(Target):
    """Cosine of the text's vector with that of another text, as a sentence encoder compares them."""

    head: TaskHead = "similarity"
    measure: Measure = "logit"  # a number, no probability
    vector: tuple[float, ...] = ()  # (H) of the other text
    pooling: str = "mean"  # of all tokens, or "cls": as in `Pooling.kind`

    @property
    def reads_all(self) -> bool:
        return True

    def read(self, model: Bert, hidden: Tensor) -> Tensor:
        """Last hidden states (B,S,H) -> (B)."""
        from torch.nn.functional import cosine_similarity

        pooled = hidden[:, 0] if self.pooling == "cls" else hidden.mean(dim=1)  # (B,H)
        return cosine_similarity(pooled, hidden.new_tensor(self.vector)[None], dim=-1)


_PROBABILITY = {"mlm": "softmax", "nsp": "softmax", "sop": "softmax", "rtd": "sigmoid"}
_MISSING = {
    "mlm": "This model has no masked-word (MLM) head, so it gives no word a probability.",
    "nsp": "This model has no NSP head, so it says nothing about a pair.",
    "sop": "This model has no SOP head, so it says nothing about a pair.",
    "rtd": "This model has no head that says which tokens were replaced.",
}
