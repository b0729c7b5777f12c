"""Batches for pretraining: pairs laid out as the model reads them, words masked, labels beside them."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from bertcore.data.masking import PUBLISHED, Fates, choose, hide
from bertcore.data.pairs import NO_LABEL, TokenPair
from bertcore.tokenizer.tokenizer import Tokenizer

BLOCK = 64  # sequences that are made with one generator


@dataclass(frozen=True)
class Batch:
    """B sequences of S tokens; `rows` (R) are indices into B*S at which `labels` (R) are to be predicted.

    It counts its tokens, words and pairs when it is made: on a GPU that would wait for the GPU.
    """

    input_ids: Tensor  # (B,S)
    segment_ids: Tensor  # (B,S)
    attention_mask: Tensor | None  # (B,S), None where nothing is padding
    rows: Tensor
    labels: Tensor
    next_sentence: Tensor  # (B): 0 follows (SOP: in order), 1 does not (swapped), -100 has no second part
    causal: bool  # tokens may look back only, and every next token is to be predicted
    real_tokens: int = -1  # without padding
    words: int = -1  # to be predicted: labels that are not -100
    pairs: int = -1  # sequences that have a second part, and so a label

    def __post_init__(self) -> None:
        if self.words < 0:
            # of a causal batch each token but the first is predicted
            real = len(self.rows) + len(self.input_ids) if self.causal else int(_mask_of(self).sum())
            object.__setattr__(self, "real_tokens", real)
            object.__setattr__(self, "words", int((self.labels != NO_LABEL).sum()))
            object.__setattr__(self, "pairs", int((self.next_sentence != NO_LABEL).sum()))

    def __reduce__(self) -> tuple[Any, ...]:
        """As NumPy arrays: tensors would travel to another process in shared memory, of which a container may have
        little."""
        arrays = {name: value.numpy() for name, value in vars(self).items() if isinstance(value, Tensor)}
        return partial(_of_arrays, **{**vars(self), **arrays}), ()

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


def lay_out(pairs: list[TokenPair], tokenizer: Tokenizer) -> tuple[NDArray, NDArray, NDArray | None]:
    """Pairs as the tokenizer frames them, `[CLS] A [SEP] B [SEP]` or `<s> A </s></s> B </s>`; as `padded`."""
    framed = tokenizer.framing.framed
    rows = [framed(pair.a.tolist(), pair.b.tolist() if len(pair.b) else None) for pair in pairs]
    return padded(rows, tokenizer.pad_id)


def padded(rows: Sequence[tuple[Sequence[int], bytes]], pad_id: int) -> tuple[NDArray, NDArray, NDArray | None]:
    """Sequences, each with the segments of its tokens, padded to the longest: ids, segments and attention mask, (B,S)
    each; no mask where nothing is padding."""
    lengths = np.array([len(ids) for ids, _ in rows])
    ids = np.full((len(rows), int(lengths.max())), pad_id, dtype=np.int64)
    segments = np.zeros_like(ids)
    for index, (row, of_segment) in enumerate(rows):
        ids[index, : len(row)] = row
        segments[index, : len(row)] = np.frombuffer(of_segment, dtype=np.uint8)
    mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
    return ids, segments, None if mask.all() else mask


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
    return _of_arrays(
        input_ids=seen,
        segment_ids=segments,
        attention_mask=attention_mask,
        rows=rows,
        labels=ids.reshape(-1)[rows],
        next_sentence=np.array([pair.label for pair in pairs], dtype=np.int64),
        causal=False,
    )


def causal_batch(pairs: list[TokenPair], tokenizer: Tokenizer) -> Batch:
    """Every token predicts the one after it; nothing is masked, and next sentence is not asked."""
    ids, segments, attention_mask = lay_out(pairs, tokenizer)
    has_next = np.ones(ids.shape, dtype=bool) if attention_mask is None else attention_mask == 1
    has_next = np.pad(has_next[:, 1:], ((0, 0), (0, 1)))  # a position counts where the token after it is real
    rows = np.flatnonzero(has_next)
    return _of_arrays(
        input_ids=ids,
        segment_ids=segments,
        # Looking back only, a token never reaches the padding behind it: no mask is needed, and the fast kernel runs.
        attention_mask=None,
        rows=rows,
        labels=ids.reshape(-1)[rows + 1],
        next_sentence=np.full(len(pairs), NO_LABEL, dtype=np.int64),
        causal=True,
    )


def _of_arrays(**fields: Any) -> Batch:
    """The fields of a batch, with arrays for tensors."""
    tensors = {name: torch.from_numpy(value) for name, value in fields.items() if isinstance(value, np.ndarray)}
    return Batch(**{**fields, **tensors})


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
    return Batch(
        batch.input_ids[start:stop],
        batch.segment_ids[start:stop],
        None if mask is None or mask.all() else mask,
        batch.rows[ours] - start * length,
        batch.labels[ours],
        batch.next_sentence[start:stop],
        batch.causal,
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
    length, first, rows = max(batch.input_ids.shape[1] for batch in batches), 0, []
    for batch in batches:
        row, column = np.divmod(batch.rows.numpy(), batch.input_ids.shape[1])
        rows.append((first + row) * length + column)
        first += len(batch.input_ids)
    # columns of 0 are added: no token sees what they hold, whatever id that is
    ids, segments, mask = (
        np.concatenate([np.pad(values.numpy(), ((0, 0), (0, length - values.shape[1]))) for values in of_batches])
        for of_batches in zip(*((each.input_ids, each.segment_ids, _mask_of(each)) for each in batches), strict=True)
    )
    causal = batches[0].causal
    rest = {name: np.concatenate([getattr(each, name) for each in batches]) for name in ("labels", "next_sentence")}
    return _of_arrays(
        input_ids=ids,
        segment_ids=segments,
        attention_mask=None if causal or mask.all() else mask,
        rows=np.concatenate(rows),
        causal=causal,
        **rest,
    )


def _mask_of(batch: Batch) -> Tensor:
    return torch.ones_like(batch.input_ids) if batch.attention_mask is None else batch.attention_mask


# --- several processes beside this one make them: one thread is too slow for a GPU


CAN_FORK = "fork" in get_all_start_methods()

_make: Callable[[Any], Any]  # in each of the processes


def forked_processes(count: int, make: Callable[[Any], Any]) -> ProcessPoolExecutor:
    """`count` processes for `make_here(plan)`, which is `make(plan)`. They are forked here and now, and so share the
    text in memory."""
    pool = ProcessPoolExecutor(count, get_context("fork"), initializer=_begin, initargs=(make, os.getpid()))
    pool.submit(os.getpid)  # the first task starts all of them
    return pool


def make_here(plan: Any) -> Any:
    """In one of the processes."""
    return _make(plan)


def _begin(make: Callable[[Any], Any], parent: int) -> None:
    global _make
    _make = make
    torch.set_num_threads(1)  # the threads of the process that was forked are not here
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A process that was killed cannot end its children."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
