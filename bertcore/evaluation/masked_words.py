"""Masked words of held-out text: loss, perplexity, how many are right; of all text, and by place in the sequence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.batches import masked_batch
from bertcore.data.pairs import PairRules
from bertcore.evaluation.documents import Document
from bertcore.evaluation.estimates import Estimate, mean_by_document
from bertcore.evaluation.sequences import Window, batches, cut, evenly, following, single_sentences
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import HELD_OUT_MASK_SHARE, HELD_OUT_SEED
from bertcore.training.objective import BatchTensors

MOST_TOKENS = 8192  # in one batch: its logits are some 1,200 rows of the vocabulary
FEWEST_ALONE = 5  # tokens of a sentence that is read alone: fewer say nothing about each other
BANDS = (0, 64, 128, 256, 384, 512)  # places in the sequence where a band ends and the next begins


@dataclass(frozen=True)
class MaskedWords:
    """R masked words, one entry each."""

    documents: NDArray[np.int64]  # number of its document
    places: NDArray[np.int64]  # in the sequence, from 0
    losses: NDArray[np.float32]  # -ln p of the right word
    ranks: NDArray[np.int32]  # of the right word among all, 1 the likeliest
    hidden: NDArray[np.bool_]  # True where [MASK] stood in its place; else the word itself did, or a random one

    @classmethod
    def joined(cls, parts: Sequence[MaskedWords]) -> MaskedWords:
        return cls(
            documents=np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
            places=np.concatenate([np.zeros(0, np.int64), *(part.places for part in parts)]),
            losses=np.concatenate([np.zeros(0, np.float32), *(part.losses for part in parts)]),
            ranks=np.concatenate([np.zeros(0, np.int32), *(part.ranks for part in parts)]),
            hidden=np.concatenate([np.zeros(0, np.bool_), *(part.hidden for part in parts)]),
        )

    def counted_from(self, first: int) -> MaskedWords:
        """The same words, their documents numbered from `first` on."""
        return replace(self, documents=self.documents + first)

    def at(self, first: int, stop: int) -> MaskedWords:
        """Those at places [first, stop)."""
        inside = (self.places >= first) & (self.places < stop)
        return MaskedWords(*(getattr(self, field.name)[inside] for field in fields(self)))

    def summary(self) -> WordSummary:
        return WordSummary(
            loss=mean_by_document(self.losses, self.documents),
            top1=mean_by_document(self.ranks <= 1, self.documents),
            top1_hidden=mean_by_document(self.ranks[self.hidden] <= 1, self.documents[self.hidden]),
            top5=mean_by_document(self.ranks <= 5, self.documents),
            documents=len(np.unique(self.documents)),
        )


@dataclass(frozen=True)
class WordSummary:
    """Means over masked words; standard errors from how documents differ."""

    loss: Estimate  # nats
    top1: Estimate  # share right
    top1_hidden: Estimate  # share right of those behind [MASK]
    top5: Estimate  # share among the first five
    documents: int

    @property
    def perplexity(self) -> float:
        return math.exp(min(self.loss.value, 700.0))


@dataclass(frozen=True)
class Band:
    """Places [first, stop) of the sequence, counted from 0."""

    first: int
    stop: int
    words: WordSummary


def rules_for(checkpoint: Checkpoint) -> PairRules:
    """Two parts where the model has a head that compares them, else one: as it was trained."""
    paired = {"nsp", "sop"} & set(checkpoint.tasks)
    return PairRules.of(checkpoint.tokenizer, "nsp" if paired else "none")


def masked_words(checkpoint: Checkpoint, documents: Sequence[Document], length: int) -> MaskedWords:
    """15% of the tokens of whole documents, in sequences of at most `length`; the same ones each time."""
    windows = cut(documents, length, rules_for(checkpoint))
    return _predicted(checkpoint.model, checkpoint.tokenizer, documents, windows)


def by_place(checkpoint: Checkpoint, documents: Sequence[Document], sequences: int) -> list[Band]:
    """Masked words by place, in full sequences of 512 tokens (fewer where the model reads fewer), at most so many.

    Every band counts words of the same sequences, so that the bands differ by place alone. Empty where no document is
    long enough.
    """
    length = min(BANDS[-1], checkpoint.config.max_length)
    windows = evenly(cut(documents, length, rules_for(checkpoint), only_full=True), sequences)
    words = _predicted(checkpoint.model, checkpoint.tokenizer, documents, windows)
    ends = [*(end for end in BANDS if end < length), length]
    bands = [Band(first, stop, words.at(first, stop).summary()) for first, stop in pairwise(ends)]
    return bands if windows else []


def alone(checkpoint: Checkpoint, documents: Sequence[Document], length: int, sentences: int) -> MaskedWords:
    """Masked words of at most so many single sentences, spread over all documents, with nothing around them.

    So a person types them: 15% of each one's tokens, one at least, all of them behind the mask. Sentences that are
    longer than `length` are left out.
    """
    room = PairRules.of(checkpoint.tokenizer, "none").room(length)
    windows = evenly(single_sentences(documents, FEWEST_ALONE, room), sentences)
    return _predicted(checkpoint.model, checkpoint.tokenizer, documents, windows, all_hidden=True)


@torch.inference_mode()
def _predicted(
    model: Bert,
    tokenizer: Tokenizer,
    documents: Sequence[Document],
    windows: Sequence[Window],
    all_hidden: bool = False,
) -> MaskedWords:
    """all_hidden: each behind the mask; else, as in training, one in ten is seen as it is and one as a random word."""
    rng = np.random.default_rng(HELD_OUT_SEED)
    device = model.embeddings.token.weight.device
    found = []
    for chosen in batches([window.stop - window.first for window in windows], MOST_TOKENS):
        pairs = [following(documents, windows[i]) for i in chosen]
        batch = masked_batch(pairs, tokenizer, rng, HELD_OUT_MASK_SHARE)
        if all_hidden and tokenizer.mask_id is not None:
            batch.input_ids.reshape(-1)[batch.rows] = tokenizer.mask_id
        of_window, place = np.divmod(batch.rows, batch.input_ids.shape[1])  # (R)
        losses, ranks = _losses_and_ranks(model, BatchTensors.of(batch, device))
        document = np.array([windows[i].document for i in chosen])[of_window]
        hidden = batch.input_ids.reshape(-1)[batch.rows] == tokenizer.mask_id  # (R)
        found.append(MaskedWords(document, place, losses, ranks, hidden))
    return MaskedWords.joined(found)


def _losses_and_ranks(model: Bert, batch: BatchTensors) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Of each masked word (R): -ln p, and its rank."""
    hidden = model(batch.input_ids, batch.segment_ids, batch.attention_mask, rows=batch.rows)  # (R,H)
    logits = model.mlm_logits(hidden).float()  # (R,V)
    own = logits.gather(1, batch.labels[:, None])  # (R,1)
    losses = logits.logsumexp(dim=-1) - own[:, 0]
    ranks = (logits > own).sum(dim=-1, dtype=torch.int32) + 1
    return losses.cpu().numpy(), ranks.cpu().numpy()
