"""One word in several sentences: how alike its hidden states are at each layer, and where its meanings part.

Ethayarajh 2019 ("How Contextual are Contextualized Word Representations?") compares a word with itself like this.
L layers, K sentences that have the word, H hidden. Importable without torch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.vectors import cosines
from bertcore.errors import BertcoreError
from bertcore.model.hooks import Hook, hidden_points
from bertcore.progress import ReportProgress

if TYPE_CHECKING:
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Encoding, Tokenizer


@dataclass(frozen=True, eq=False)
class WordInSentences:
    """The word as it stands in each sentence that has it."""

    sentences: list[int]  # (K) which of those given have the word
    pieces: list[list[str]]  # (K) the tokens it is written with there
    positions: list[list[int]]  # (K) where they stand
    vectors: NDArray[np.float32]  # (L+1,K,H) mean over its pieces
    cosines: NDArray[np.float64]  # (L+1,K,K)


@dataclass(frozen=True, eq=False)
class GroupSimilarity:
    """Mean cosine of every two uses of the word: of one group, and of two different ones."""

    within: NDArray[np.float64]  # (L+1); NaN where no group has two uses
    between: NDArray[np.float64]  # (L+1); NaN where there is one group
    layer: int | None  # where within - between is largest: 0 the embeddings, l after layer l; None without both


def word_positions(encoding: Encoding, word: str) -> list[int]:
    """The tokens of sentence A that write the word where it first stands, large or small letters; none: it is absent.

    Only whole words count: "bank" is not found in "banks".
    """
    wanted = word.strip()
    match = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", encoding.text_a, re.IGNORECASE) if wanted else None
    if match is None:
        return []
    start, stop = match.span()
    return [
        position
        for position, ((first, last), part) in enumerate(zip(encoding.offsets, encoding.parts, strict=True))
        if part == "a" and first < stop and last > start
    ]


def word_in_sentences(
    model: Bert, tokenizer: Tokenizer, word: str, sentences: Sequence[str], progress: ReportProgress | None = None
) -> WordInSentences:
    """One pass for each sentence. `progress` is told the share done between them.

    Raises BertcoreError where no sentence has the word.
    """
    encodings = [tokenizer.encode(sentence, None, model.config.max_length) for sentence in sentences]
    places = [word_positions(encoding, word) for encoding in encodings]
    kept = [i for i, positions in enumerate(places) if positions]
    if not kept:
        raise BertcoreError(f"No sentence contains the word “{word.strip()}”; write one that does.")
    vectors = []
    for done, i in enumerate(kept):
        if progress is not None:
            progress(done / len(kept))
        vectors.append(_states(model, encodings[i], places[i]))
    stacked = np.stack(vectors, axis=1)  # (L+1,K,H)
    return WordInSentences(
        sentences=kept,
        pieces=[[encodings[i].labels[position] for position in places[i]] for i in kept],
        positions=[places[i] for i in kept],
        vectors=stacked,
        cosines=cosines(stacked),
    )


def group_similarity(cosines: NDArray, groups: Sequence[int]) -> GroupSimilarity:
    """Cosines (L+1,K,K) of the uses of a word, and the group (its meaning) of each (K)."""
    group = np.asarray(groups)
    if len(group) != cosines.shape[-1]:
        raise ValueError(f"{len(group)} groups for {cosines.shape[-1]} uses")
    first, second = np.triu_indices(len(group), 1)
    pairs = cosines[:, first, second]  # (L+1, pairs)
    same = group[first] == group[second]
    within, between = _mean(pairs[:, same]), _mean(pairs[:, ~same])
    apart = within - between
    return GroupSimilarity(within, between, None if np.isnan(apart).any() else int(apart.argmax()))


def _states(model: Bert, encoding: Encoding, positions: Sequence[int]) -> NDArray[np.float32]:
    """(L+1,H) the mean over these tokens, after the embeddings and each layer; the last one as the model gives it."""
    import torch

    from bertcore.analysis.passes import as_text

    states: list[torch.Tensor] = []
    rows, points = list(positions), hidden_points(model.config.num_hidden_layers)

    def keep(name: str, value: torch.Tensor) -> torch.Tensor:
        if name in points:
            states.append(value[0, rows].float().mean(dim=0))
        return value

    segments = encoding.segments if model.config.type_vocab_size > 1 else [0] * len(encoding)
    with torch.inference_mode():
        last = as_text(model, encoding.ids, segments).hidden(model, hook=Hook(keep))
        states[-1] = last[0, rows].float().mean(dim=0)
        vectors: NDArray[np.float32] = torch.stack(states).cpu().numpy()
    return vectors


def _mean(pairs: NDArray) -> NDArray[np.float64]:
    """(L+1, pairs) -> (L+1), NaN without pairs."""
    return pairs.mean(axis=1) if pairs.shape[1] else np.full(len(pairs), np.nan)
