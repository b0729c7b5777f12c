"""Batches for pretraining: pairs laid out as the model reads them, words masked, labels beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import pairwise
from threading import Thread
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from bertcore.data.corpus import Corpus
from bertcore.data.masking import PUBLISHED, Fates, choose, hide
from bertcore.data.pairs import (
    NEXT_SENTENCE,
    NO_LABEL,
    PairRules,
    TokenPair,
    WindowCounts,
    cut_windows,
    has_random_starts,
    make_pair,
    with_pieces,
)
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

BLOCK = 64  # sequences that are made with one generator
_LONG_EPOCH = 100_000  # windows; fewer are cut within a tenth of a second
_MANY_EPOCHS = 8  # from so many on, counting their windows is faster than cutting them


@dataclass(frozen=True)
class Batch:
    """B sequences of S tokens; `rows` (R) are indices into B*S at which `labels` (R) are to be predicted.

    It counts its words and pairs when it is made: on a GPU that would wait for the GPU.
    """

    input_ids: Tensor  # (B,S)
    segment_ids: Tensor  # (B,S)
    attention_mask: Tensor | None  # (B,S), None where nothing is padding
    rows: Tensor
    labels: Tensor
    next_sentence: Tensor  # (B): 0 follows (SOP: in order), 1 does not (swapped), -100 has no second part
    causal: bool  # tokens may look back only, and every next token is to be predicted
    real_tokens: int  # without padding
    words: int = -1  # to be predicted: labels that are not -100
    pairs: int = -1  # sequences that have a second part, and so a label

    def __post_init__(self) -> None:
        if self.words < 0:
            object.__setattr__(self, "words", int((self.labels != NO_LABEL).sum()))
            object.__setattr__(self, "pairs", int((self.next_sentence != NO_LABEL).sum()))

    def to(self, device: torch.device) -> Batch:
        """On a GPU the copies are only begun: what is computed there next waits for them, and nobody else."""
        if self.input_ids.device == device:
            return self
        pinned = device.type == "cuda"
        moved: dict[str, Any] = {
            name: (value.pin_memory() if pinned else value).to(device, non_blocking=pinned)
            for name, value in vars(self).items()
            if isinstance(value, Tensor)
        }
        return replace(self, **moved)

    def in_fixed_shape(self, mask_share: float) -> Batch:
        """With rows that predict nothing added up to the most that so many sequences can have, and always a mask.

        One word that alone is longer than the share of its sequence can make it more, which is rare.
        """
        sequences, length = self.input_ids.shape
        most = sequences * (length - 1 if self.causal else max(1, math.ceil((length - 2) * mask_share)))
        added = (0, max(0, most - len(self.rows)))
        mask = None if self.causal else _mask_of(self)
        return replace(
            self, attention_mask=mask, rows=F.pad(self.rows, added), labels=F.pad(self.labels, added, value=NO_LABEL)
        )


class PairSampler:
    """Walks through the windows of one side of a corpus, epoch after epoch, in an order that the seed alone fixes.

    `state` (epoch, position) is all that a resume needs. Raises BertcoreError where no document has a sentence pair.
    """

    def __init__(
        self, corpus: Corpus, held_out: bool, length: int, seed: int, rules: PairRules = NEXT_SENTENCE
    ) -> None:
        self.corpus = with_pieces(corpus, rules.token_budget(length)) if rules.cut_long else corpus
        self.length, self.seed, self.rules = length, seed, rules
        self.documents = corpus.documents(held_out)
        self._ahead: tuple[int, Future[NDArray[np.int64]]] | None = None  # an epoch, and its windows to come
        self._begin_epoch(0)
        if not len(self._windows):
            raise BertcoreError(
                "No document in the text has two sentences; leave a blank line only where a new document begins."
            )

    @property
    def state(self) -> tuple[int, int]:
        return self.epoch, self.position

    @property
    def windows_per_epoch(self) -> int:
        return len(self._windows)

    def restore(self, state: tuple[int, int]) -> None:
        epoch, position = state
        if epoch != self.epoch:
            self._begin_epoch(epoch)
        self.position = position

    def windows(self, count: int) -> NDArray[np.int64]:
        """The next `count` windows, (count,3), over the ends of epochs where need be."""
        parts: list[NDArray[np.int64]] = []
        while count > 0:
            if self.position >= len(self._windows):
                self._begin_epoch(self.epoch + 1)
            part = self._windows[self.position : self.position + count]
            self.position, count = self.position + len(part), count - len(part)
            parts.append(part)
        self._cut_ahead()
        return np.concatenate(parts) if parts else self._windows[:0]

    def skip(self, count: int) -> None:
        """As `windows` leaves it, in a fraction of the time: the windows of the epochs between are counted, not cut."""
        left, epoch = len(self._windows) - self.position, self.epoch
        if count <= left:
            self.position += count
            return
        budget, each = self.rules.token_budget(self.length), len(self._windows)
        fewest = self.rules.fewest_sentences
        if not has_random_starts(self.corpus, self.documents, budget):  # as many in every epoch
            epochs = (count - left - 1) // each
            count, epoch = count - epochs * each, epoch + epochs
        elif (count - left) // each >= _MANY_EPOCHS:
            counted = WindowCounts(self.corpus, self.documents, budget, fewest)
            while (now := counted.of_epoch(self._generator(epoch + 1))) < count - left:
                count, epoch = count - now, epoch + 1
        count -= left
        self._begin_epoch(epoch + 1)
        while count > len(self._windows):
            count -= len(self._windows)
            self._begin_epoch(self.epoch + 1)
        self.position = count

    def pairs(self, windows: NDArray[np.int64], rng: np.random.Generator, label: int | None = None) -> list[TokenPair]:
        """A pair of each window; `rng` decides where it is split and, without a `label`, which B is from elsewhere."""
        return [
            make_pair(self.corpus, self.documents, window, self.length, self.rules, rng, label) for window in windows
        ]

    def take(self, count: int, rng: np.random.Generator) -> list[TokenPair]:
        """The pairs of the next `count` windows."""
        return self.pairs(self.windows(count), rng)

    def _begin_epoch(self, epoch: int) -> None:
        ahead, self._ahead = self._ahead, None
        self.epoch, self.position = epoch, 0
        self._windows = ahead[1].result() if ahead and ahead[0] == epoch else self._cut(epoch)

    def _cut_ahead(self) -> None:
        """Towards the end of a long epoch cut the next one on a thread beside: it may take half a minute."""
        nearly_over = self.position > 0.75 * len(self._windows)
        if nearly_over and self._ahead is None and len(self._windows) >= _LONG_EPOCH:
            epoch, windows = self.epoch + 1, Future[NDArray[np.int64]]()
            self._ahead = epoch, windows
            # a daemon, unlike the threads of an executor: a run that is stopped does not wait for it
            Thread(target=self._cut_into, args=(windows, epoch), name="windows", daemon=True).start()

    def _cut_into(self, windows: Future[NDArray[np.int64]], epoch: int) -> None:
        try:
            windows.set_result(self._cut(epoch))
        except BaseException as error:  # raised where they are waited for
            windows.set_exception(error)

    def _cut(self, epoch: int) -> NDArray[np.int64]:
        budget, rng = self.rules.token_budget(self.length), self._generator(epoch)
        return cut_windows(self.corpus, self.documents, budget, rng, self.rules.fewest_sentences)

    def _generator(self, epoch: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, epoch])


def lay_out(pairs: list[TokenPair], tokenizer: Tokenizer) -> tuple[NDArray, NDArray, NDArray | None]:
    """Pairs as the tokenizer frames them, `[CLS] A [SEP] B [SEP]` or `<s> A </s></s> B </s>`: ids, segments and
    attention mask, each (B,S), padded to the longest."""
    framing = tokenizer.framing
    rows = [framing.framed(pair.a.tolist(), pair.b.tolist() if len(pair.b) else None) for pair in pairs]
    lengths = np.array([len(ids) for ids, _ in rows])
    ids = np.full((len(rows), int(lengths.max())), tokenizer.pad_id, dtype=np.int64)
    segments = np.zeros_like(ids)
    for index, (row, of_segment) in enumerate(rows):
        ids[index, : len(row)] = row
        segments[index, : len(row)] = np.frombuffer(of_segment, dtype=np.uint8)
    mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
    return ids, segments, None if mask.all() else mask


def lay_out_texts(encodings: Iterable[Encoding], tokenizer: Tokenizer) -> tuple[NDArray, NDArray, NDArray | None]:
    """As `lay_out`, of texts in one part each."""
    parts = [
        [token for token, part in zip(each.ids, each.parts, strict=True) if part != "special"] for each in encodings
    ]
    none = np.zeros(0, dtype=np.int64)
    return lay_out([TokenPair(np.array(part, dtype=np.int64), none, NO_LABEL) for part in parts], tokenizer)


def masked_batch(
    pairs: list[TokenPair],
    tokenizer: Tokenizer,
    rng: np.random.Generator,
    mask_share: float = 0.15,
    masking: str = "tokens",
    *,
    fates: Fates = PUBLISHED,
    exact: bool = False,
) -> Batch:
    """`mask_share` of the ordinary tokens are to be predicted, chosen as `masking` says; see bertcore.data.masking."""
    ids, segments, attention_mask = lay_out(pairs, tokenizer)
    ordinary = ~np.isin(ids, (tokenizer.pad_id, tokenizer.cls_id, tokenizer.sep_id))  # also those typed in the text
    if attention_mask is not None:
        ordinary &= attention_mask == 1
    chosen = choose(masking, ids, ordinary, mask_share, tokenizer, rng, exact)
    seen, rows = hide(ids, chosen, tokenizer, rng, fates, exact)
    next_sentence = np.array([pair.label for pair in pairs], dtype=np.int64)
    real = ids.size if attention_mask is None else int(attention_mask.sum())
    return _batch(
        seen, segments, attention_mask, rows, ids.reshape(-1)[rows], next_sentence, causal=False, real_tokens=real
    )


def causal_batch(pairs: list[TokenPair], tokenizer: Tokenizer) -> Batch:
    """Every token predicts the one after it; nothing is masked, and next sentence is not asked."""
    ids, segments, attention_mask = lay_out(pairs, tokenizer)
    has_next = np.ones(ids.shape, dtype=bool) if attention_mask is None else attention_mask == 1
    has_next = np.pad(has_next[:, 1:], ((0, 0), (0, 1)))  # a position counts where the token after it is real
    rows = np.flatnonzero(has_next)
    labels = ids.reshape(-1)[rows + 1]
    no_labels = np.full(len(pairs), NO_LABEL, dtype=np.int64)
    # Looking back only, a token never reaches the padding behind it: no mask is needed, and the fast kernel runs.
    real = ids.size if attention_mask is None else int(attention_mask.sum())
    return _batch(ids, segments, None, rows, labels, no_labels, causal=True, real_tokens=real)


def _batch(
    ids: NDArray, segments: NDArray, mask: NDArray | None, *rest: NDArray, causal: bool, real_tokens: int
) -> Batch:
    """`rest`: rows, labels, next_sentence."""
    tensor = torch.from_numpy
    rows, labels, next_sentence = map(tensor, rest)
    mask_tensor = None if mask is None else tensor(mask)
    return Batch(tensor(ids), tensor(segments), mask_tensor, rows, labels, next_sentence, causal, real_tokens)


def make_rows(
    start: int, stop: int, count: int, seed: tuple[int, ...], make: Callable[[int, int, np.random.Generator], Batch]
) -> Batch:
    """Rows [start, stop) of a batch of `count`, the same ones whoever makes the others.

    `make(first, last, rng)` makes rows [first, last). It is asked for whole blocks: a block's generator follows from
    `seed` and the block's number, so nobody has to make more than the blocks that hold his rows.
    """
    parts = []
    for first in range(start - start % BLOCK, stop, BLOCK):
        last, number = min(first + BLOCK, count), first // BLOCK
        block = make(first, last, np.random.default_rng([*seed, number] if number else [*seed]))
        parts.append(rows_of(block, max(start - first, 0), min(stop, last) - first))
    return joined(parts)


def rows_of(batch: Batch, start: int, stop: int) -> Batch:
    """Some sequences of a batch."""
    count, length = batch.input_ids.shape
    if (start, stop) == (0, count):
        return batch
    ours = slice(*np.searchsorted(batch.rows.numpy(), (start * length, stop * length)))
    mask = None if batch.attention_mask is None else batch.attention_mask[start:stop]
    rows = batch.rows[ours] - start * length
    real = (stop - start) * length if mask is None else int(mask.sum())
    return Batch(
        batch.input_ids[start:stop],
        batch.segment_ids[start:stop],
        None if mask is None or mask.all() else mask,
        rows,
        batch.labels[ours],
        batch.next_sentence[start:stop],
        batch.causal,
        real_tokens=len(rows) + stop - start if batch.causal else real,  # each token but the first is predicted
    )


def in_parts(batch: Batch, count: int) -> list[Batch]:
    """The sequences of a batch in `count` parts of like size, fewer where there are fewer sequences."""
    rows = len(batch.input_ids)
    edges = [rows * part // count for part in range(count + 1)] if count < rows else list(range(rows + 1))
    return [rows_of(batch, start, stop) for start, stop in pairwise(edges)] if count > 1 and rows > 1 else [batch]


def joined(batches: list[Batch]) -> Batch:
    """Batches of one kind as one, filled up to the longest sequence."""
    if len(batches) == 1:
        return batches[0]
    length = max(batch.input_ids.shape[1] for batch in batches)
    firsts = np.cumsum([0, *(len(batch.input_ids) for batch in batches)])
    places = [np.divmod(batch.rows.numpy(), batch.input_ids.shape[1]) for batch in batches]
    mask = None
    if not batches[0].causal and any(b.attention_mask is not None or b.input_ids.shape[1] < length for b in batches):
        mask = np.concatenate([_widened(_mask_of(batch), length) for batch in batches])
    return _batch(
        np.concatenate([_widened(batch.input_ids, length) for batch in batches]),
        np.concatenate([_widened(batch.segment_ids, length) for batch in batches]),
        mask,
        np.concatenate([(row + at) * length + col for (row, col), at in zip(places, firsts[:-1], strict=True)]),
        np.concatenate([batch.labels for batch in batches]),
        np.concatenate([batch.next_sentence for batch in batches]),
        causal=batches[0].causal,
        real_tokens=sum(batch.real_tokens for batch in batches),
    )


def _mask_of(batch: Batch) -> Tensor:
    return torch.ones_like(batch.input_ids) if batch.attention_mask is None else batch.attention_mask


def _widened(values: Tensor, length: int) -> NDArray:
    """(B,S) with columns of 0 added: no token sees what they hold, whatever id that is."""
    return np.pad(values.numpy(), ((0, 0), (0, length - values.shape[1])))
