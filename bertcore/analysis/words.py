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
from bertcore.model.tap import Changes, Tap, identity
from bertcore.progress import Progress
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer


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
    """The ids of a word as the tokenizer would cut it at this place of the text, or of a token written out (##able).

    Byte-level vocabularies write a word after a space otherwise than one that begins the text.
    Raises BertcoreError for an empty word and for one that the vocabulary cannot write.
    """
    check_rows([position], len(encoding))
    space = " " if _after_space(encoding, position) else ""
    ids = tokenizer.encode_batch_ids([space + word.strip()])[0] if word.strip() else []
    verbatim = tokenizer.id(word.strip())
    if verbatim is not None and len(ids) != 1:
        ids = [verbatim]
    if not ids or (tokenizer.unk_id in ids and verbatim is None):
        raise BertcoreError(f"This vocabulary cannot spell {word.strip()!r}; try another word.")
    return ids


@torch.inference_mode()
def word_probability(
    model: Bert,
    tokenizer: Tokenizer,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    position: int,
    word_ids: Sequence[int],
) -> WordProbability:
    """How likely a word of K pieces is in place of the token at `position`.

    The token becomes K masks, filled from left to right: piece k is read where pieces 1 to k-1 stand and the rest are
    masks. Raises BertcoreError where there is no room for the pieces, no such position, no mask or no MLM head.
    """
    text, variants, places = piece_by_piece(model, tokenizer, input_ids, segment_ids, position, word_ids)
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
    model: Bert,
    tokenizer: Tokenizer,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    position: int,
    word_ids: Sequence[int],
    position_ids: Sequence[int] | None = None,
) -> tuple[Text, Tensor, Tensor]:
    """The text with K masks in place of one token; its K variants (K,S), and where piece k is read in each (K).

    Errors as in `word_probability`. `position_ids` fit one piece only: more make the text longer.
    """
    if tokenizer.mask_id is None:
        raise BertcoreError("This vocabulary has no mask, so no word can be predicted at a position.")
    check_rows([position], len(input_ids))
    count = len(word_ids)
    ids = _spread(input_ids, position, [tokenizer.mask_id] * count)
    segments = None if segment_ids is None else _spread(segment_ids, position, [segment_ids[position]] * count)
    text = as_text(model, ids, segments, position_ids)
    variants = text.ids.repeat(count, 1)
    for step in range(1, count):
        variants[step, position : position + step] = torch.tensor(list(word_ids[:step]), device=text.ids.device)
    return text, variants, position + torch.arange(count, device=text.ids.device)


@torch.inference_mode()
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
    progress: Progress | None = None,
) -> Surprise:
    """Mask each token in turn and see how likely the model finds it; at most `max_tokens` in a batch.

    With `groups` (the word of each token) the later pieces of its word are masked too, so that a rare word's end does
    not give away its beginning (Kauf and Ivanova 2023). A mask in the text itself is no word and is left out.
    `segment_ids` and `position_ids` (S) replace the text's own; `changes` are made in every pass. `progress` gets the
    share done after each batch. Raises BertcoreError where there is no MLM head, or no mask in the vocabulary.
    """
    if mask_id is None:
        raise BertcoreError("This model's vocabulary has no mask, so no word can be masked in turn.")
    text = as_text(model, encoding.ids, encoding.segments if segment_ids is None else segment_ids, position_ids)
    counted = [i for i, part in enumerate(encoding.parts) if part != "special" and encoding.ids[i] != mask_id]
    places = torch.tensor(counted, dtype=torch.long).to(text.ids.device)
    bits = np.empty(len(places))
    cost = len(text) + model.config.vocab_size // 1024  # a row of logits takes the room of that many tokens
    for part in chunks(len(places), cost, max_tokens):
        variants = _masked(text, places[part], mask_id, groups)
        with changed(model, changes) as tap:
            if tap is identity:
                hidden = text.hidden(model, variants, places[part])  # (B,H)
            else:  # what is changed on the way has to pass whole
                whole = text.hidden(model, variants, tap=tap)  # (B,S,H)
                hidden = whole[torch.arange(len(variants), device=whole.device), places[part]]
            logits = _mlm(model, hidden, tap)
        bits[part] = -_own_log_probability(logits, text.ids[places[part]]) / np.log(2)
        if progress is not None:
            progress(part.stop / len(places))
    return Surprise(places.cpu().numpy(), bits)


def _masked(text: Text, places: Tensor, mask_id: int, groups: Sequence[int] | None) -> Tensor:
    """Variants (B,S) of the text with a mask at one place each, and on the later pieces of its word."""
    covered = torch.arange(len(text), device=places.device) == places[:, None]  # (B,S)
    if groups is not None:
        word = torch.tensor(list(groups), device=places.device)
        later = torch.arange(len(text), device=places.device) > places[:, None]
        covered |= later & (word == word[places][:, None])
    return text.ids.masked_fill(covered, mask_id)


def _mlm(model: Bert, hidden: Tensor, tap: Tap = identity) -> Tensor:
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so it gives no word a probability.")
    return model.mlm_logits(hidden, tap)


def _own_log_probability(logits: Tensor, own: Tensor) -> NDArray[np.float64]:
    """Logits (B,V) and one token each (B) -> ln p (B)."""
    return logits.cpu().double().log_softmax(dim=-1).gather(1, own.cpu()[:, None])[:, 0].numpy()


def _spread(values: Sequence[int], position: int, instead: Sequence[int]) -> list[int]:
    return [*values[:position], *instead, *values[position + 1 :]]


def _after_space(encoding: Encoding, position: int) -> bool:
    """Whether white space stands before the token in the typed text."""
    text = (encoding.text_b or "") if encoding.parts[position] == "b" else encoding.text_a
    start, end = encoding.offsets[position]
    return text[max(start - 1, 0) : min(start + 1, end)].strip() != text[max(start - 1, 0) : min(start + 1, end)]
