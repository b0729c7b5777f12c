"""Batches for pretraining: pairs laid out as the model reads them, words masked, labels beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus
from bertcore.data.masking import choose, replace
from bertcore.data.pairs import NEXT_SENTENCE, NO_LABEL, Pair, PairRules, cut_windows, make_pair
from bertcore.errors import BertcoreError
from bertcore.special_tokens import Layout, layouts
from bertcore.tokenization import Tokenizer


@dataclass(frozen=True)
class Batch:
    """B sequences of S tokens; `rows` (R) are indices into B*S at which `labels` (R) are to be predicted."""

    input_ids: NDArray[np.int64]  # (B,S)
    segment_ids: NDArray[np.int64]  # (B,S)
    attention_mask: NDArray[np.int64] | None  # (B,S), None where nothing is padding
    rows: NDArray[np.int64]
    labels: NDArray[np.int64]
    next_sentence: NDArray[np.int64]  # (B): 0 follows (SOP: in order), 1 does not (swapped), -100 has no second part
    causal: bool  # tokens may look back only, and every next token is to be predicted
    real_tokens: int  # without padding


class PairSampler:
    """Walks through the windows of one side of a corpus, epoch after epoch, in an order that the seed alone fixes.

    `state` (epoch, position) is all that a resume needs. Raises BertcoreError where no document has a sentence pair.
    """

    def __init__(
        self, corpus: Corpus, held_out: bool, length: int, seed: int, rules: PairRules = NEXT_SENTENCE
    ) -> None:
        self.corpus, self.length, self.seed, self.rules = corpus, length, seed, rules
        self.documents = corpus.documents(held_out)
        self.epoch, self.position = 0, 0
        self._windows = self._cut()
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
        self.epoch, self.position = state
        self._windows = self._cut()

    def take(self, count: int, rng: np.random.Generator) -> list[Pair]:
        """The next `count` pairs; `rng` decides where each is split and which B comes from elsewhere."""
        pairs = []
        for _ in range(count):
            if self.position >= len(self._windows):
                self.epoch, self.position = self.epoch + 1, 0
                self._windows = self._cut()
            window = self._windows[self.position]
            pairs.append(make_pair(self.corpus, self.documents, window, self.length, self.rules, rng))
            self.position += 1
        return pairs

    def _cut(self) -> NDArray[np.int64]:
        rng = np.random.default_rng([self.seed, self.epoch])
        room = self.rules.room(self.length)
        return cut_windows(self.corpus, self.documents, room, rng, self.rules.fewest_sentences)


def lay_out(pairs: list[Pair], tokenizer: Tokenizer) -> tuple[NDArray, NDArray, NDArray | None]:
    """Pairs as the tokenizer frames them, `[CLS] A [SEP] B [SEP]` or `<s> A </s></s> B </s>`: ids, segments and
    attention mask, each (B,S), padded to the longest."""
    rows = [_row(pair, _layouts(tokenizer)[len(pair.b) > 0]) for pair in pairs]
    lengths = np.array([len(ids) for ids, _ in rows])
    ids = np.full((len(rows), int(lengths.max())), tokenizer.pad_id, dtype=np.int64)
    segments = np.zeros_like(ids)
    for index, (row, of_segment) in enumerate(rows):
        ids[index, : len(row)] = row
        segments[index, : len(row)] = of_segment
    mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
    return ids, segments, None if mask.all() else mask


def _row(pair: Pair, layout: Layout) -> tuple[NDArray, NDArray]:
    parts = {"a": pair.a, "b": pair.b}
    pieces = [[slot.special_id] if slot.part == "special" else parts[slot.part] for slot in layout]
    segments = np.repeat([slot.segment for slot in layout], [len(piece) for piece in pieces])
    return np.concatenate(pieces), segments


@lru_cache(maxsize=8)
def _layouts(tokenizer: Tokenizer) -> tuple[Layout, Layout]:
    return layouts(tokenizer.raw, tokenizer.special, tokenizer.kind)


def masked_batch(
    pairs: list[Pair],
    tokenizer: Tokenizer,
    rng: np.random.Generator,
    mask_share: float = 0.15,
    masking: str = "tokens",
) -> Batch:
    """`mask_share` of the ordinary tokens are to be predicted, chosen as `masking` says; see bertcore.data.masking."""
    ids, segments, attention_mask = lay_out(pairs, tokenizer)
    ordinary = ~np.isin(ids, (tokenizer.pad_id, tokenizer.cls_id, tokenizer.sep_id))  # also those typed in the text
    if attention_mask is not None:
        ordinary &= attention_mask == 1
    chosen = choose(masking, ids, ordinary, mask_share, tokenizer, rng)
    seen, rows = replace(ids, chosen, tokenizer, rng)
    labels = ids.reshape(-1)[rows]
    next_sentence = np.array([pair.label for pair in pairs], dtype=np.int64)
    real = ids.size if attention_mask is None else int(attention_mask.sum())
    return Batch(seen, segments, attention_mask, rows, labels, next_sentence, causal=False, real_tokens=real)


def causal_batch(pairs: list[Pair], tokenizer: Tokenizer) -> Batch:
    """Every token predicts the one after it; nothing is masked, and next sentence is not asked."""
    ids, segments, attention_mask = lay_out(pairs, tokenizer)
    has_next = np.ones(ids.shape, dtype=bool) if attention_mask is None else attention_mask == 1
    has_next = np.pad(has_next[:, 1:], ((0, 0), (0, 1)))  # a position counts where the token after it is real
    rows = np.flatnonzero(has_next)
    labels = ids.reshape(-1)[rows + 1]
    no_labels = np.full(len(pairs), NO_LABEL, dtype=np.int64)
    # Looking back only, a token never reaches the padding behind it: no mask is needed, and the fast kernel runs.
    real = ids.size if attention_mask is None else int(attention_mask.sum())
    return Batch(ids, segments, None, rows, labels, no_labels, causal=True, real_tokens=real)
