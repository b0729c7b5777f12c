"""How well a model reads held-out text: masked words (of all, of single sentences, by position), next sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.batches import Batch, lay_out, masked_batch
from bertcore.data.pairs import PairRules, TokenPair
from bertcore.evaluation.sets import Estimate
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import HELD_OUT_MASK_SHARE
from bertcore.training.options import HELD_OUT_SEED
from model_report.documents import (
    Document,
    Window,
    batches,
    by_source,
    cut,
    evenly,
    following,
    random_next_sentence,
    single_sentences,
    whole_sentences,
)
from model_report.estimates import expected_calibration_error, mean_by_document

MOST_TOKENS = 8192  # in one batch: its logits are some 1,200 rows of the vocabulary
FEWEST_TOKENS = 5  # of a sentence that is read by itself: fewer say nothing about each other
POSITION_LIMITS = (0, 64, 128, 256, 384, 512)  # where one range of positions ends and the next begins


@dataclass(frozen=True)
class MaskedWords:
    """R masked words, one entry each."""

    documents: NDArray[np.int64]  # number of its document
    positions: NDArray[np.int64]  # in the sequence, from 0
    losses: NDArray[np.float32]  # -ln p of the right word
    ranks: NDArray[np.int32]  # of the right word among all, 1 the likeliest
    hidden: NDArray[np.bool_]  # True where [MASK] stood in its place; else the word itself did, or a random one
    confidences: NDArray[np.float32]  # probability of the likeliest word

    @classmethod
    def joined(cls, parts: Sequence[MaskedWords]) -> MaskedWords:
        return cls(
            documents=np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
            positions=np.concatenate([np.zeros(0, np.int64), *(part.positions for part in parts)]),
            losses=np.concatenate([np.zeros(0, np.float32), *(part.losses for part in parts)]),
            ranks=np.concatenate([np.zeros(0, np.int32), *(part.ranks for part in parts)]),
            hidden=np.concatenate([np.zeros(0, np.bool_), *(part.hidden for part in parts)]),
            confidences=np.concatenate([np.zeros(0, np.float32), *(part.confidences for part in parts)]),
        )

    def counted_from(self, first: int) -> MaskedWords:
        """The same words, their documents numbered from `first` on."""
        return replace(self, documents=self.documents + first)

    def at(self, first: int, stop: int) -> MaskedWords:
        """Those at positions [first, stop)."""
        inside = (self.positions >= first) & (self.positions < stop)
        return MaskedWords(*(getattr(self, field.name)[inside] for field in fields(self)))

    def summary(self) -> WordSummary:
        right, confidences, documents = self.ranks[self.hidden] <= 1, self.confidences[self.hidden], self.documents
        return WordSummary(
            loss=mean_by_document(self.losses, documents),
            top1=mean_by_document(self.ranks <= 1, documents),
            top1_masked=mean_by_document(right, documents[self.hidden]),
            top5=mean_by_document(self.ranks <= 5, documents),
            confidence=mean_by_document(confidences, documents[self.hidden]),
            calibration_error=expected_calibration_error(confidences, right),
            documents=len(np.unique(self.documents)),
        )


@dataclass(frozen=True)
class WordSummary:
    """Means over masked words; standard errors from how documents differ."""

    loss: Estimate  # nats
    top1: Estimate  # share right
    top1_masked: Estimate  # share right of those behind [MASK]
    top5: Estimate  # share among the first five
    confidence: Estimate  # probability of the likeliest word behind [MASK]
    calibration_error: float  # of these probabilities
    documents: int

    @property
    def perplexity(self) -> float:
        return math.exp(min(self.loss.value, 700.0))


@dataclass(frozen=True)
class PositionRange:
    """Positions [first, stop) of the sequence, counted from 0."""

    first: int
    stop: int
    words: WordSummary


def rules_for(checkpoint: Checkpoint) -> PairRules:
    """Two parts where the model has a head that compares them, else one: as it was trained."""
    paired = {"nsp", "sop"} & set(checkpoint.output_heads)
    return PairRules.of(checkpoint.tokenizer, "nsp" if paired else "none")


def masked_words(checkpoint: Checkpoint, documents: Sequence[Document], length: int) -> MaskedWords:
    """15% of the tokens of whole documents, in sequences of at most `length`; the same ones each time."""
    windows = cut(documents, length, rules_for(checkpoint))
    return _predicted(checkpoint.model, checkpoint.tokenizer, documents, windows)


def words_by_position(checkpoint: Checkpoint, documents: Sequence[Document], sequences: int) -> list[PositionRange]:
    """Masked words by position, in full sequences of 512 tokens (fewer where the model reads fewer), at most so many.

    Every range counts words of the same sequences, so that they differ by position alone. Empty where no document
    is long enough.
    """
    length = min(POSITION_LIMITS[-1], checkpoint.config.max_length)
    windows = evenly(cut(documents, length, rules_for(checkpoint), only_full=True), sequences)
    words = _predicted(checkpoint.model, checkpoint.tokenizer, documents, windows)
    ends = [*(end for end in POSITION_LIMITS if end < length), length]
    ranges = [PositionRange(first, stop, words.at(first, stop).summary()) for first, stop in pairwise(ends)]
    return ranges if windows else []


def words_of_single_sentences(
    checkpoint: Checkpoint, documents: Sequence[Document], length: int, sentences: int
) -> MaskedWords:
    """Masked words of at most so many single sentences, spread over all documents, with nothing around them.

    So a person types them: 15% of each one's tokens, one at least, all of them behind the mask. Sentences that are
    longer than `length` are left out.
    """
    budget = PairRules.of(checkpoint.tokenizer, "none").token_budget(length)
    windows = evenly(single_sentences(documents, FEWEST_TOKENS, budget), sentences)
    return _predicted(checkpoint.model, checkpoint.tokenizer, documents, windows, all_masked=True)


@torch.inference_mode()
def _predicted(
    model: Bert,
    tokenizer: Tokenizer,
    documents: Sequence[Document],
    windows: Sequence[Window],
    all_masked: bool = False,
) -> MaskedWords:
    """all_masked: each behind the mask; else, as in training, one in ten is seen as it is and one as a random word."""
    rng = np.random.default_rng(HELD_OUT_SEED)
    device = model.embeddings.token.weight.device
    found = []
    for chosen in batches([window.stop - window.first for window in windows], MOST_TOKENS):
        pairs = [following(documents, windows[i]) for i in chosen]
        batch = masked_batch(pairs, tokenizer, rng, HELD_OUT_MASK_SHARE)
        if all_masked and tokenizer.mask_id is not None:
            batch.input_ids.reshape(-1)[batch.rows] = tokenizer.mask_id
        of_window, place = np.divmod(batch.rows.numpy(), batch.input_ids.shape[1])  # (R)
        losses, ranks, confidences = _losses_and_ranks(model, batch.to(device))
        document = np.array([windows[i].document for i in chosen])[of_window]
        hidden = batch.input_ids.reshape(-1)[batch.rows].numpy() == tokenizer.mask_id  # (R)
        found.append(MaskedWords(document, place, losses, ranks, hidden, confidences))
    return MaskedWords.joined(found)


def _losses_and_ranks(model: Bert, batch: Batch) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]:
    """Of each masked word (R): -ln p, its rank, and the probability of the likeliest word."""
    hidden = model(batch.input_ids, batch.segment_ids, batch.attention_mask, rows=batch.rows)  # (R,H)
    logits = model.mlm_logits(hidden).float()  # (R,V)
    own = logits.gather(1, batch.labels[:, None])  # (R,1)
    total = logits.logsumexp(dim=-1)
    ranks = (logits > own).sum(dim=-1, dtype=torch.int32) + 1
    confidences = (logits.max(dim=-1).values - total).exp()
    return (total - own[:, 0]).cpu().numpy(), ranks.cpu().numpy(), confidences.cpu().numpy()


SAME_DOCUMENT, SAME_FILE, OTHER_FILE = "another place in the document", "another document of the file", "another file"
ANY_RANDOM = "any of these"


@dataclass(frozen=True)
class NextSentences:
    """Shares judged rightly; standard errors from how documents differ. Half of all pairs follow."""

    right: Estimate  # balanced accuracy: the mean of the other two
    true_next: Estimate  # of the pairs in which B follows A
    random_next: Estimate  # of those in which it comes from elsewhere


def next_sentences(
    checkpoint: Checkpoint, documents: Sequence[Document], every: Sequence[Document], length: int, windows: int
) -> dict[str, NextSentences]:
    """By where the random B comes from: pairs of at most `length` tokens from each of so many windows, once with the
    true B and once with each random one. Random Bs are taken from `every` document, these among them.

    Empty where the model has no next-sentence head or no document has two connected sentences.
    """
    if "nsp" not in checkpoint.output_heads:
        return {}
    rng, rules = np.random.default_rng(HELD_OUT_SEED), rules_for(checkpoint)
    documents = [document for document in documents if document.is_connected]
    files = by_source([document for document in every if document.is_connected])
    chosen = evenly(whole_sentences(documents, length, rules), windows)
    follows = _says_next(checkpoint, [following(documents, window) for window in chosen])
    judged = {}  # of each random B: (document, whether its A's own B was accepted, whether it was rejected)
    for place in (SAME_DOCUMENT, SAME_FILE, OTHER_FILE):
        pairs, kept = [], []
        for number, window in enumerate(chosen):
            document = documents[window.document]
            pair = random_next_sentence(
                document,
                window,
                _pools(place, document, files),
                rules.token_budget(length),
                rng,
                is_same_document=place == SAME_DOCUMENT,
            )
            if pair is not None:
                pairs.append(pair)
                kept.append(number)
        if pairs:
            of_document = np.array([chosen[number].document for number in kept])
            judged[place] = np.stack([of_document, follows[kept], ~_says_next(checkpoint, pairs)])  # (3,P)
    if len(judged) > 1:
        judged[ANY_RANDOM] = np.concatenate(list(judged.values()), axis=1)
    return {place: _next_sentences(*found) for place, found in judged.items()}


def _pools(place: str, document: Document, files: Mapping[str, list[Document]]) -> list[list[Document]]:
    if place == SAME_DOCUMENT:
        return [[document]]
    if place == SAME_FILE:
        return [files[document.source]]
    return [of_file for name, of_file in files.items() if name != document.source]


def _next_sentences(documents: NDArray, accepted: NDArray, rejected: NDArray) -> NextSentences:
    """All (P)."""
    return NextSentences(
        right=mean_by_document(np.concatenate([accepted, rejected]), np.concatenate([documents, documents])),
        true_next=mean_by_document(accepted, documents),
        random_next=mean_by_document(rejected, documents),
    )


@torch.inference_mode()
def _says_next(checkpoint: Checkpoint, pairs: Sequence[TokenPair]) -> NDArray[np.bool_]:
    """For each pair whether the model takes B to follow A."""
    model, device = checkpoint.model, checkpoint.model.embeddings.token.weight.device
    says = np.zeros(len(pairs), dtype=bool)
    for chosen in batches([len(pair.a) + len(pair.b) for pair in pairs], MOST_TOKENS):
        ids, segments, mask = lay_out([pairs[i] for i in chosen], checkpoint.tokenizer)
        first = torch.arange(0, ids.size, ids.shape[1], device=device)  # [CLS] of each sequence
        on_device = [None if array is None else torch.from_numpy(array).to(device) for array in (ids, segments, mask)]
        logits = model.logits("nsp", model(*on_device, rows=first))  # (B,2)
        says[chosen] = logits.argmax(dim=-1).cpu().numpy() == 0
    return says
