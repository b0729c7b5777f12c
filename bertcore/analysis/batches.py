"""Many texts at once: those of like length together, padded, within a budget of memory; results in the order given.

B texts of a batch, S tokens of the longest of them.
"""

from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bertcore.analysis.passes import MAX_TOKENS, Text, states_at
from bertcore.model.bert import Bert
from bertcore.model.hooks import NO_HOOK, Changes, Hook
from bertcore.progress import ReportProgress, no_progress, part_of

R = TypeVar("R")
T = TypeVar("T")
_LIKE = 0.75  # a text shorter than this fraction of the longest begins a new batch: padding takes time, too


@dataclass(frozen=True, eq=False)
class Batch:
    """B texts on the model's device, the shorter ones padded at their ends."""

    numbers: list[int]  # (B) which of all texts
    lengths: list[int]  # (B) tokens, without padding
    ids: Tensor  # (B,S)
    segments: Tensor | None  # (B,S); None where the model has no segments
    positions: Tensor  # (B,S)
    mask: Tensor  # (B,S) 1 for tokens, 0 for padding

    @classmethod
    def of(cls, texts: Sequence[Text], numbers: Sequence[int] | None = None) -> "Batch":
        lengths = list(map(len, texts))
        segments = [text.segments for text in texts if text.segments is not None]
        return cls(
            numbers=list(range(len(texts)) if numbers is None else numbers),
            lengths=lengths,
            ids=pad_sequence([text.ids for text in texts], batch_first=True),
            segments=pad_sequence(segments, batch_first=True) if segments else None,
            positions=pad_sequence([text.positions for text in texts], batch_first=True),
            mask=pad_sequence([torch.ones_like(text.ids) for text in texts], batch_first=True),
        )

    def hidden(self, model: Bert, hook: Hook = NO_HOOK, rows: Tensor | None = None) -> Tensor:
        """Last hidden states (B,S,H); of the `rows` (R), indices into B*S, alone: (R,H)."""
        mask = self.mask if len(set(self.lengths)) > 1 else None  # torch's kernel is faster without
        return model(self.ids, self.segments, mask, self.positions, rows=rows, hook=hook)

    def index(self, places: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
        """Some tokens of each text -> (R) the text, and (R) the position, of each of them all."""
        return [row for row, each in enumerate(places) for _ in each], [at for each in places for at in each]


def open_cost(text: Sized) -> int:
    """What a text takes of the budget in a pass with a hook, where attention (N,S,S) is computed openly."""
    return len(text) + len(text) ** 2 // 64


def grouped(
    lengths: Sequence[int], costs: Sequence[int], max_tokens: int = MAX_TOKENS, *, alike: bool = False
) -> Iterator[list[int]]:
    """The numbers of the texts of each batch, the longest texts first.

    costs: what each text takes of the budget `max_tokens`, in tokens; a batch takes that of its dearest for each text.
    alike: only texts of one length share a batch, so that nothing is padded.
    """
    group: list[int] = []
    dearest = 0
    for number in sorted(range(len(lengths)), key=lambda each: -lengths[each]):  # stable
        dearest = max(dearest, costs[number])
        least = lengths[group[0]] * (1 if alike else _LIKE) if group else 0
        if group and (lengths[number] < least or dearest * (len(group) + 1) > max_tokens):
            yield group
            group, dearest = [], costs[number]
        group.append(number)
    if group:
        yield group


@torch.inference_mode()
def for_each(
    texts: Sequence[Text],
    answer: Callable[[Batch], Sequence[R]],
    *,
    costs: Sequence[int] | None = None,
    alike: bool = False,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> list[R]:
    """The answer to each text, in their order; `answer` gives those to a batch.

    `costs` (absent: lengths), `alike` and `max_tokens` as in `grouped`; `progress` gets the fraction done, in tokens,
    after each batch.
    """
    lengths = list(map(len, texts))
    found: dict[int, R] = {}
    done, total = 0, sum(lengths)
    for numbers in grouped(lengths, lengths if costs is None else costs, max_tokens, alike=alike):
        batch = Batch.of([texts[number] for number in numbers], numbers)
        found.update(zip(numbers, answer(batch), strict=True))
        done += sum(batch.lengths)
        progress(done / total)
    return [found[number] for number in range(len(texts))]


def one_by_one(
    answer: Callable[[T, ReportProgress], R], texts: Sequence[T], progress: ReportProgress = no_progress
) -> list[R]:
    """The answer to each text, of what makes batches of a single text itself."""
    count = len(texts)
    return [answer(text, part_of(progress, done / count, 1 / count)) for done, text in enumerate(texts)]


@torch.inference_mode()
def hidden_states_at(
    model: Bert, batch: Batch, places: Sequence[Sequence[int]], changes: Changes | None = None
) -> list[NDArray[np.float32]]:
    """Hidden states of some tokens of each text, from the embeddings up, the last one as the model gives it: B x
    (L+1,R,H)."""
    states = states_at(model, lambda hook: batch.hidden(model, hook), batch.index(places), changes)
    return [each.float().cpu().numpy() for each in states.split([len(each) for each in places], dim=1)]
