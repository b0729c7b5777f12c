"""How likely a word is at a position, one token or several; and how surprising each word of a sentence is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bertcore.analysis.interventions import check_rows
from bertcore.analysis.passes import MAX_TOKENS, Batch, Text, as_text, changed, grouped, open_cost
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import NO_HOOK, Changes, Hook
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer, word_ids_at


@dataclass(frozen=True)
class WordProbability:
    """How a word fares at a position. Of several pieces: p = product of each piece's p, given the pieces before it."""

    pieces: list[str]
    piece_probabilities: list[float]
    piece_ranks: list[int]  # of each piece among all tokens at its position, 1 the likeliest
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
    """As `word_ids_at`; raises BertcoreError also for a position that the text does not have."""
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
    text, variants, positions = piece_by_piece(model, tokenizer, text, position, word_ids)
    logits = _mlm(model, text.hidden(model, variants, positions))  # (K,V)
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


@torch.inference_mode()
def surprises(
    model: Bert,
    encodings: Sequence[Encoding],
    mask_id: int | None,
    *,
    texts: Sequence[Text] | None = None,
    groups: Sequence[Sequence[int]] | None = None,
    max_tokens: int = MAX_TOKENS,
    changes: Changes | None = None,
    progress: ReportProgress = no_progress,
) -> list[Surprise]:
    """Mask each token of each text in turn and see how likely the model finds it; at most `max_tokens` in a batch.

    `texts` are what the model reads, where that is not the encodings as they are. With `groups` (the word of each token
    of each text) the later pieces of its word are masked too, so that a rare word's end does not give away its
    beginning (Kauf and Ivanova 2023). A mask in a text itself is no word and is left out. `changes` are made in every
    pass. Raises BertcoreError where there is no MLM head, or no mask in the vocabulary.
    """
    if mask_id is None:
        raise BertcoreError("This model's vocabulary has no mask, so no word can be masked in turn.")
    counted = [
        [at for at, part in enumerate(encoding.parts) if part != "special" and encoding.ids[at] != mask_id]
        for encoding in encodings
    ]
    texts = texts or [as_text(model, encoding.ids, encoding.segments) for encoding in encodings]
    bits = [np.zeros(len(encoding)) for encoding in encodings]
    variants = [
        (number, at) for number, positions in enumerate(counted) for at in positions
    ]  # a text, and what is masked
    lengths = [len(texts[number]) for number, _ in variants]
    row = model.config.vocab_size // 1024  # a row of logits takes the room of that many tokens
    costs = [(open_cost if changes else len)(texts[number]) + row for number, _ in variants]
    done = 0
    for chosen in grouped(lengths, costs, max_tokens, alike=bool(changes)):
        numbers, positions = zip(*(variants[each] for each in chosen), strict=True)
        batch = Batch.of([texts[number] for number in numbers])
        at = torch.tensor(positions, device=batch.ids.device)[:, None]  # (B,1)
        column = torch.arange(batch.ids.shape[1], device=at.device)
        covered = column == at  # (B,S)
        if groups is not None:
            words = pad_sequence([torch.tensor(groups[number], device=at.device) for number in numbers], True, -1)
            covered |= (column > at) & (words == words.gather(1, at))
        masked = replace(batch, ids=batch.ids.masked_fill(covered, mask_id))
        with changed(model, changes) as hook:
            logits = _mlm(model, _hidden_at(model, masked, positions, hook), hook)  # (B,V)
        found = -_own_log_probability(logits, batch.ids.gather(1, at)[:, 0]) / np.log(2)
        for number, position, each in zip(numbers, positions, found.tolist(), strict=True):
            bits[number][position] = each
        done += len(chosen)
        progress(done / len(variants))
    return [
        Surprise(np.array(positions, dtype=np.int64), each[positions])
        for positions, each in zip(counted, bits, strict=True)
    ]


def _hidden_at(model: Bert, batch: Batch, positions: Sequence[int], hook: Hook) -> Tensor:
    """Last hidden states of one token of each text (B,H)."""
    count, length = batch.ids.shape
    if hook is NO_HOOK:
        row = torch.arange(count, device=batch.ids.device) * length
        return batch.hidden(model, rows=row + torch.tensor(positions, device=row.device))
    return batch.hidden(model, hook)[range(count), list(positions)]  # what is changed on the way has to pass whole


def _mlm(model: Bert, hidden: Tensor, hook: Hook = NO_HOOK) -> Tensor:
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so it gives no word a probability.")
    return model.mlm_logits(hidden, hook)


def _own_log_probability(logits: Tensor, own: Tensor) -> NDArray[np.float64]:
    """Logits (B,V) and one token each (B) -> ln p (B)."""
    return logits.cpu().double().log_softmax(dim=-1).gather(1, own.cpu()[:, None])[:, 0].numpy()


def _spread(values: Tensor, position: int, instead: Sequence[int]) -> list[int]:
    return [*values[:position].tolist(), *instead, *values[position + 1 :].tolist()]
