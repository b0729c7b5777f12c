"""How likely a word is at a place, one token or several; and how surprising each word of a sentence is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.interventions import check_rows
from bertcore.analysis.passes import MAX_TOKENS, Text, as_text, changed, chunks
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import NO_HOOK, Changes, Hook
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer
from bertcore.tokenizer.word_ids import word_ids_at


@dataclass(frozen=True)
class WordProbability:
    """How a word fares at a place. Of several pieces: p = product of each piece's p, given the pieces before it."""

    pieces: list[str]
    piece_probabilities: list[float]
    piece_ranks: list[int]  # of each piece among all tokens at its place, 1 the likeliest
    probability: float
    surprise_bits: float  # -log2 p

    @property
    def rank(self) -> int | None:
        """Rank among all tokens; None for a word of several pieces, as there is no list of all words to rank it in."""
        return self.piece_ranks[0] if len(self.pieces) == 1 else None


@dataclass(frozen=True)
class Surprise:
    """How little the model expected each token, all others seen (pseudo-log-likelihood, Salazar et al. 2020)."""

    positions: NDArray[np.int64]  # (R) the tokens that count: all but the special ones
    bits: NDArray[np.float64]  # (R) -log2 p of each

    @property
    def pseudo_perplexity(self) -> float:
        """2 to the mean surprise in bits per token; 1 if all were certain. NaN for a text without words."""
        return float(2 ** self.bits.mean()) if len(self.bits) else float("nan")

    def by_token(self, length: int) -> NDArray[np.float64]:
        """Bits of every token of the text (S), 0 for special ones; `merging.sum_scores` makes words of it."""
        bits = np.zeros(length)
        bits[self.positions] = self.bits
        return bits


def pieces_at(word: str, tokenizer: Tokenizer, encoding: Encoding, position: int) -> list[int]:
    """As `word_ids_at`; raises BertcoreError also for a place that the text does not have."""
    check_rows([position], len(encoding))
    return word_ids_at(word, tokenizer, encoding, position)


@torch.inference_mode()
def word_probability(
    model: Bert, tokenizer: Tokenizer, text: Text, position: int, word_ids: Sequence[int]
) -> WordProbability:
    """How likely a word of K pieces is in place of the token at `position`.

    The token becomes K masks, filled from left to right: piece k is read where pieces 1 to k-1 stand and the rest are
    masks. Raises BertcoreError where there is no room for the pieces, no such position, no mask or no MLM head.
    """
    text, variants, places = piece_by_piece(model, tokenizer, text, position, word_ids)
    logits = _mlm(model, text.hidden(model, variants, places))  # (K,V)
    own = torch.tensor(list(word_ids), device=logits.device)
    logs = _own_log_probability(logits, own)
    ranks = (logits > logits.gather(1, own[:, None])).sum(dim=1) + 1
    return WordProbability(
        pieces=[tokenizer.word(token) for token in word_ids],
        piece_probabilities=np.exp(logs).tolist(),
        piece_ranks=ranks.tolist(),
        probability=float(np.exp(logs.sum())),
        surprise_bits=float(-logs.sum() / np.log(2)),
    )


def piece_by_piece(
    model: Bert, tokenizer: Tokenizer, text: Text, position: int, word_ids: Sequence[int]
) -> tuple[Text, Tensor, Tensor]:
    """The text with K masks in place of one token; its K variants (K,S), and where piece k is read in each (K).

    Several pieces make the text longer, so that its positions are counted anew. Errors as in `word_probability`.
    """
    if tokenizer.mask_id is None:
        raise BertcoreError("This vocabulary has no mask, so no word can be predicted at a position.")
    check_rows([position], len(text))
    count = len(word_ids)
    ids = _spread(text.ids, position, [tokenizer.mask_id] * count)
    segments = (
        None if text.segments is None else _spread(text.segments, position, [int(text.segments[position])] * count)
    )
    text = as_text(model, ids, segments, text.positions.tolist() if count == 1 else None)
    variants = text.ids.repeat(count, 1)
    for step in range(1, count):
        variants[step, position : position + step] = torch.tensor(list(word_ids[:step]), device=text.ids.device)
    return text, variants, position + torch.arange(count, device=text.ids.device)


def surprise(
    model: Bert,
    encoding: Encoding,
    mask_id: int | None,
    *,
    groups: Sequence[int] | None = None,
    max_tokens: int = MAX_TOKENS,
    segment_ids: Sequence[int] | None = None,
    position_ids: Sequence[int] | None = None,
    changes: Changes | None = None,
    progress: ReportProgress = no_progress,
) -> Surprise:
    """As `surprises`, of one text. `segment_ids` and `position_ids` (S) replace the text's own."""
    read = as_text(model, encoding.ids, encoding.segments if segment_ids is None else segment_ids, position_ids)
    together = None if groups is None else [groups]
    return _surprises(model, [encoding], [read], mask_id, together, max_tokens, changes, progress)[0]


def surprises(
    model: Bert,
    encodings: Sequence[Encoding],
    mask_id: int | None,
    *,
    groups: Sequence[Sequence[int]] | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> list[Surprise]:
    """Mask each token of each text in turn and see how likely the model finds it; at most `max_tokens` in a batch.

    Texts of the same number of tokens share batches, so that there is no padding. With `groups` (the word of each token
    of each text) the later pieces of its word are masked too, so that a rare word's end does not give away its
    beginning (Kauf and Ivanova 2023). A mask in a text itself is no word and is left out. `progress` gets the share
    done after each batch. Raises BertcoreError where there is no MLM head, or no mask in the vocabulary.
    """
    texts = [as_text(model, encoding.ids, encoding.segments) for encoding in encodings]
    return _surprises(model, encodings, texts, mask_id, groups, max_tokens, None, progress)


@torch.inference_mode()
def _surprises(
    model: Bert,
    encodings: Sequence[Encoding],
    texts: Sequence[Text],
    mask_id: int | None,
    groups: Sequence[Sequence[int]] | None,
    max_tokens: int,
    changes: Changes | None,
    progress: ReportProgress,
) -> list[Surprise]:
    """`changes` are made in every pass."""
    if mask_id is None:
        raise BertcoreError("This model's vocabulary has no mask, so no word can be masked in turn.")
    counted = [
        [at for at, part in enumerate(encoding.parts) if part != "special" and encoding.ids[at] != mask_id]
        for encoding in encodings
    ]
    bits = [np.empty(len(places)) for places in counted]
    by_length: dict[int, list[int]] = {}
    for number, text in enumerate(texts):
        by_length.setdefault(len(text), []).append(number)
    done, total = 0, sum(map(len, counted))
    for length, numbers in by_length.items():
        batch = _Alike([texts[i] for i in numbers], None if groups is None else [groups[i] for i in numbers])
        # (R): the text of each masked token, its position in it, and its number among the text's counted ones
        masked = [(row, at, k) for row, i in enumerate(numbers) for k, at in enumerate(counted[i])]
        cost = length + model.config.vocab_size // 1024  # a row of logits takes the room of that many tokens
        for part in chunks(len(masked), cost, max_tokens):
            rows, places, _ = torch.tensor(masked[part], device=batch.ids.device).unbind(1)  # (B) each
            logits = batch.logits(model, rows, places, mask_id, changes)  # (B,V)
            found = -_own_log_probability(logits, batch.ids[rows, places]) / np.log(2)
            for (row, _, k), each in zip(masked[part], found.tolist(), strict=True):
                bits[numbers[row]][k] = each
            done += len(rows)
            progress(done / total)
    return [Surprise(np.array(at, dtype=np.int64), each) for at, each in zip(counted, bits, strict=True)]


class _Alike:
    """T texts of S tokens each."""

    def __init__(self, texts: Sequence[Text], groups: Sequence[Sequence[int]] | None) -> None:
        self.ids = torch.stack([text.ids for text in texts])  # (T,S)
        segments = [text.segments for text in texts if text.segments is not None]
        self.segments = torch.stack(segments) if segments else None  # (T,S)
        self.positions = torch.stack([text.positions for text in texts])  # (T,S)
        self.words = None if groups is None else torch.tensor(list(map(list, groups)), device=self.ids.device)  # (T,S)

    def logits(self, model: Bert, rows: Tensor, places: Tensor, mask_id: int, changes: Changes | None) -> Tensor:
        """(B,V) of variants of the texts `rows` (B) with a mask at one of the `places` (B) each, and on the later
        pieces of its word."""
        length, count = self.ids.shape[1], torch.arange(len(rows), device=self.ids.device)
        covered = torch.arange(length, device=self.ids.device) == places[:, None]  # (B,S)
        if self.words is not None:
            words = self.words[rows]
            later = torch.arange(length, device=self.ids.device) > places[:, None]
            covered |= later & (words == words.gather(1, places[:, None]))
        variants = self.ids[rows].masked_fill(covered, mask_id)
        segments = None if self.segments is None else self.segments[rows]
        with changed(model, changes) as hook:
            if hook is NO_HOOK:
                at = count * length + places
                hidden = model(variants, segments, position_ids=self.positions[rows], rows=at)  # (B,H)
            else:  # what is changed on the way has to pass whole
                hidden = model(variants, segments, position_ids=self.positions[rows], hook=hook)[count, places]  # (B,H)
            return _mlm(model, hidden, hook)


def _mlm(model: Bert, hidden: Tensor, hook: Hook = NO_HOOK) -> Tensor:
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so it gives no word a probability.")
    return model.mlm_logits(hidden, hook)


def _own_log_probability(logits: Tensor, own: Tensor) -> NDArray[np.float64]:
    """Logits (B,V) and one token each (B) -> ln p (B)."""
    return logits.cpu().double().log_softmax(dim=-1).gather(1, own.cpu()[:, None])[:, 0].numpy()


def _spread(values: Tensor, position: int, instead: Sequence[int]) -> list[int]:
    return [*values[:position].tolist(), *instead, *values[position + 1 :].tolist()]
