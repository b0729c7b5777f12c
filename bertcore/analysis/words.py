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
def word_probability(model: Bert, tokenizer: Tokenizer, text: Text, position: int, word_ids: Sequence[int]) -> float:
    """How likely a word of K pieces is in place of the token at `position`: the product of each piece's probability.

    The token becomes K masks, filled from left to right: piece k is read where pieces 1 to k-1 stand and the rest are
    masks. Raises BertcoreError where there is no room for the pieces, no such position, no mask or no MLM head.
    """
    batch = Batch.of(piece_by_piece(model, tokenizer, text, position, word_ids))
    logits = _mlm(model, batch.hidden(model, at=range(position, position + len(word_ids))))  # (K,V)
    return float(np.exp(_own_log_probability(logits, logits.new_tensor(word_ids, dtype=torch.long)).sum()))


def piece_by_piece(model: Bert, tokenizer: Tokenizer, text: Text, position: int, word_ids: Sequence[int]) -> list[Text]:
    """The K texts in which the pieces are read, at `position` and those behind it, with K masks in place of one token.

    Several pieces make the text longer, so that its positions are counted anew. Errors as in `word_probability`.
    """
    if tokenizer.mask_id is None:
        raise BertcoreError("This vocabulary has no mask, so no word can be predicted at a position.")
    check_rows([position], len(text))
    count = len(word_ids)

    def spread(values: Tensor, instead: Sequence[int]) -> list[int]:
        return [*values[:position].tolist(), *instead, *values[position + 1 :].tolist()]

    segments = None if text.segments is None else spread(text.segments, [int(text.segments[position])] * count)
    positions = text.positions.tolist() if count == 1 else None
    masks = [tokenizer.mask_id] * count
    return [
        as_text(model, spread(text.ids, [*word_ids[:step], *masks[step:]]), segments, positions)
        for step in range(count)
    ]


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
            logits = _mlm(model, masked.hidden(model, hook, positions), hook)  # (B,V)
        found = -_own_log_probability(logits, batch.ids.gather(1, at)[:, 0]) / np.log(2)
        for number, position, each in zip(numbers, positions, found.tolist(), strict=True):
            bits[number][position] = each
        done += len(chosen)
        progress(done / len(variants))
    return [
        Surprise(np.array(positions, dtype=np.int64), each[positions])
        for positions, each in zip(counted, bits, strict=True)
    ]


def _mlm(model: Bert, hidden: Tensor, hook: Hook = NO_HOOK) -> Tensor:
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so it gives no word a probability.")
    return model.mlm_logits(hidden, hook)


def _own_log_probability(logits: Tensor, own: Tensor) -> NDArray[np.float64]:
    """Logits (B,V) and one token each (B) -> ln p (B)."""
    return logits.cpu().double().log_softmax(dim=-1).gather(1, own.cpu()[:, None])[:, 0].numpy()
