"""Vectors: lengths, cosines, principal components; nearest words; one word in several sentences.

One word in several sentences, compared with itself: Ethayarajh 2019 ("How Contextual are Contextualized Word
Representations?"). L layers, S tokens, H width of the vectors, K sentences that have the word, V vocabulary, E width of
the token table. Importable without torch.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

NearestBy = Literal["cosine", "distance"]


@dataclass(frozen=True, eq=False)
class Pca:
    """Vectors on their K principal components, the one that explains most first."""

    points: NDArray[np.float64]  # (...,K)
    explained_variance_ratio: NDArray[np.float64]  # (K) fraction of the variance of all vectors

    @property
    def kept(self) -> float:
        """Fraction of the variance that the K components show, 0..1; 1 where nothing varies."""
        return float(self.explained_variance_ratio.sum()) if self.explained_variance_ratio.any() else 1.0


@dataclass(frozen=True, eq=False)
class Clusters:
    """P vectors by k-means, which always finds as many groups as it is asked for, and names none.

    They mean something where `apart` is far above `apart_by_chance`, that of a cloud as wide in each direction.
    """

    groups: NDArray[np.int64]  # (P)
    points: NDArray[np.float64]  # (P,2) on the first two principal components
    shown: float  # the share of the variance that these have
    apart: float  # the share of the variance that lies between groups
    apart_by_chance: float


def clusters_of(vectors: NDArray, count: int, chance: np.random.Generator) -> Clusters:
    """Of vectors (P,H). Raises BertcoreError where fewer than `count` of them differ."""
    different = len(np.unique(vectors.round(4), axis=0))
    if different < count:
        raise BertcoreError(f"{count} clusters need {count} different vectors at least; here there are {different}.")
    groups, apart = k_means(vectors, count, chance)
    normal, centred = chance.standard_normal((len(vectors), len(vectors))), vectors - vectors.mean(axis=0)
    by_chance = k_means(normal @ centred / len(vectors) ** 0.5, count, chance)[1]
    return Clusters(groups, (plane := pca(vectors)).points, plane.kept, apart, by_chance)


def k_means(vectors: NDArray, count: int, chance: np.random.Generator) -> tuple[NDArray[np.int64], float]:
    """The group of each vector, and the share of their variance that lies between groups: the best of ten tries."""
    from scipy.cluster.vq import ClusterError, kmeans2

    total = vectors.var(axis=0).sum()
    best = np.zeros(len(vectors), dtype=np.int64), total  # all in one
    for _ in range(10 if total > 1e-9 else 0):
        with suppress(ClusterError):  # a group without any
            centres, groups = kmeans2(vectors, count, iter=30, minit="++", missing="raise", seed=chance)
            best = min(best, (groups, (vectors - centres[groups]).var(axis=0).sum()), key=lambda each: each[1])
    return best[0], 1 - float(best[1] / max(total, 1e-9))


def lengths(vectors: NDArray) -> NDArray[np.float32]:
    """L2 norm of each vector: (...,H) -> (...)."""
    return np.linalg.norm(vectors, axis=-1).astype(np.float32)


def units_of(vectors: NDArray) -> NDArray[np.float32]:
    """(...,H), each of length 1."""
    exact = np.asarray(vectors, dtype=np.float32)
    return exact / np.maximum(np.linalg.norm(exact, axis=-1, keepdims=True), 1e-30)


def cosine(first: NDArray, second: NDArray) -> float:
    """Cosine of the angle between two vectors (H): 1 alike, 0 unrelated; 0 where one has no length."""
    return float(cosines(np.stack([first, second]))[0, 1])


def cosines(vectors: NDArray) -> NDArray[np.float64]:
    """Every vector with every other: (...,S,H) -> (...,S,S). A vector of zeros is like nothing, itself included.

    Of hidden states (L+1,S,H): token by token, at each layer (Ethayarajh 2019, section 3).
    """
    exact = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(exact, axis=-1, keepdims=True)
    unit = np.divide(exact, norms, out=np.zeros_like(exact), where=norms > 0)
    products: NDArray[np.float64] = np.clip(unit @ np.swapaxes(unit, -1, -2), -1, 1)  # rounding can leave it
    return products


def pca(vectors: NDArray, k: int = 2) -> Pca:
    """All vectors (...,H) on their k common principal components; with fewer of these, zeros follow.

    Of hidden states (L+1,S,H) it is one PCA for all layers, so that a step from layer to layer is a step in one plane.
    A component's sign is free; here its largest entry is positive, so that a picture does not flip. Works on the
    smaller of the two product matrices: 512 tokens in 24 layers of width 1024 take a second.
    """
    flat = vectors.reshape(-1, vectors.shape[-1])  # (P,H)
    centred = flat - flat.mean(axis=0, dtype=np.float64).astype(flat.dtype)
    components, total = _components(centred, k)  # (K,H)
    scores = (centred @ components.T.astype(centred.dtype)).astype(np.float64)  # (P,K)
    points, explained = np.zeros((len(flat), k)), np.zeros(k)
    points[:, : scores.shape[1]] = scores
    if total > 0:
        explained[: scores.shape[1]] = np.square(scores).sum(axis=0) / total
    return Pca(points.reshape(*vectors.shape[:-1], k), explained)


def _components(centred: NDArray, k: int) -> tuple[NDArray[np.float64], float]:
    """At most k directions (K,H) of most variance, of length 1, and the whole sum of squares."""
    count, width = centred.shape
    if count < width:
        sizes, left = np.linalg.eigh((centred @ centred.T).astype(np.float64))  # ascending
        directions = left[:, ::-1][:, :k].T @ centred
    else:
        sizes, right = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        directions = right[:, ::-1][:, :k].T
    total = float(np.maximum(sizes, 0).sum())
    directions = directions[sizes[::-1][:k] > 1e-9 * max(total, 1e-30)]
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30)
    largest = np.abs(directions).argmax(axis=1) if directions.size else np.zeros(0, dtype=int)
    sign = np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)
    return directions * sign[:, None], total


def part_fractions(parts: Mapping[str, NDArray | None]) -> dict[str, NDArray[np.float64]]:
    """Each part's fraction of the sum, token by token: (S,H) each -> (S) each; what is None is left out.

    p.x / |x|^2 of a part p, with x the sum of the parts: the length of its projection on the sum, as a fraction of the
    sum's length. They add up to 1. One is negative where the part points against the sum, and more than 1 where
    others take something away. Where the sum is zero, all are 0.
    """
    exact = {name: part.astype(np.float64) for name, part in parts.items() if part is not None}
    total = sum(exact.values(), start=np.zeros(()))
    squares = (total * total).sum(axis=-1) if exact else np.zeros(())  # (S)
    return {
        name: np.divide((part * total).sum(axis=-1), squares, out=np.zeros_like(squares), where=squares > 0)
        for name, part in exact.items()
    }


@dataclass(frozen=True)
class NearWord:
    """A word near another one, by both measures."""

    token_id: int
    word: str  # as the vocabulary writes it
    cosine: float
    distance: float  # Euclidean (L2)


@dataclass(frozen=True, eq=False)
class WordsAround:
    """Words near several others, each once."""

    words: list[NearWord]  # measured from the first of those they are near to
    vectors: NDArray[np.float32]  # (K,E) their rows of the token table
    of: list[int]  # (K) which of the groups that were asked for each is near to


class NearestWords:
    """Search in a token table (V,E); the length of each row is worked out once."""

    def __init__(self, token_table: NDArray[np.float32], tokenizer: Tokenizer) -> None:
        self._table, self._tokenizer = token_table, tokenizer
        self._lengths = np.linalg.norm(token_table, axis=1)  # (V)
        known = set(tokenizer.raw.get_vocab(with_added_tokens=True).values()) - set(tokenizer.special_ids)
        self._left_out = np.ones(len(token_table), dtype=bool)  # rows of special tokens, and of none (decision 0006)
        self._left_out[[row for row in known if row < len(token_table)]] = False

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> NearestWords:
        """In the token table of a model as it is now."""
        return cls(checkpoint.model.embeddings.token.weight.detach().float().cpu().numpy(), checkpoint.tokenizer)

    def near(self, token_ids: Sequence[int], k: int, by: NearestBy = "cosine") -> list[NearWord]:
        """The k words nearest to the mean vector of these, nearest first; they and special tokens are left out."""
        return self.near_vector(self._table[list(token_ids)].mean(axis=0), k, by, token_ids)

    def near_vector(
        self, query: NDArray, k: int, by: NearestBy = "cosine", left_out: Sequence[int] = ()
    ) -> list[NearWord]:
        """The k words nearest to a vector (E), nearest first, without special tokens and those `left_out`."""
        products = self._table @ query  # (V)
        if by == "cosine":
            farness = -products / np.maximum(self._lengths, np.finfo(np.float32).tiny)
        else:
            farness = self._lengths**2 - 2 * products  # squared distance, but for what is the same for all
        farness[self._left_out] = np.inf
        farness[list(left_out)] = np.inf
        k = min(k, len(farness) - 1)
        best = np.argpartition(farness, k - 1)[:k]
        words = [self._measured(int(i), query) for i in best if np.isfinite(farness[i])]
        return sorted(words, key=lambda word: (-word.cosine if by == "cosine" else word.distance, word.token_id))

    def around(
        self, groups: Sequence[Sequence[int]], k: int, by: NearestBy, progress: ReportProgress = no_progress
    ) -> WordsAround:
        """The k words nearest to each group of tokens (a word's pieces); none that is itself in a group."""
        here = {token_id for group in groups for token_id in group}
        words: dict[int, NearWord] = {}
        of: dict[int, int] = {}
        for number, group in enumerate(groups):
            progress(number / len(groups))
            for word in self.near(group, k, by):
                if word.token_id not in here and word.token_id not in words:
                    words[word.token_id], of[word.token_id] = word, number
        vectors = np.ascontiguousarray(self._table[list(words)], dtype=np.float32)  # (K,E)
        return WordsAround(list(words.values()), vectors, [of[token_id] for token_id in words])

    def _measured(self, token_id: int, query: NDArray) -> NearWord:
        """Measured anew in double precision: the search's differences of large numbers are not exact."""
        vector, exact = self._table[token_id].astype(np.float64), query.astype(np.float64)
        distance = float(np.linalg.norm(vector - exact))
        return NearWord(token_id, self._tokenizer.word(token_id), cosine(vector, exact), distance)


@dataclass(frozen=True, eq=False, repr=False)
class WordInSentences(Table):
    """The word in each sentence that contains it."""

    sentences: list[int]  # (K) which of those given have the word
    pieces: list[list[str]]  # (K) the tokens it is written with there
    positions: list[list[int]]  # (K) where they stand
    vectors: NDArray[np.float32]  # (L+1,K,H) mean over its pieces
    cosines: NDArray[np.float64]  # (L+1,K,K)

    def rows(self) -> list[dict[str, Any]]:
        """For each layer (0: the embeddings), every two uses of the word, by the numbers of their sentences."""
        return [
            {"layer": layer, "sentence": first, "other_sentence": second, "cosine": float(cosines[i, j])}
            for layer, cosines in enumerate(self.cosines)
            for (i, first), (j, second) in itertools.combinations(enumerate(self.sentences), 2)
        ]


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
    named = word.strip()
    match = re.search(rf"(?<!\w){re.escape(named)}(?!\w)", encoding.text_a, re.IGNORECASE) if named else None
    if match is None:
        return []
    start, stop = match.span()
    return [
        position
        for position, ((first, last), part) in enumerate(zip(encoding.offsets, encoding.parts, strict=True))
        if part == "a" and first < stop and last > start
    ]


def word_in_sentences(
    model: Bert, tokenizer: Tokenizer, word: str, sentences: Sequence[str], progress: ReportProgress = no_progress
) -> WordInSentences:
    """Raises BertcoreError where no sentence has the word."""
    from bertcore.analysis.passes import for_each, hidden_states, open_cost

    encodings = [tokenizer.encode(sentence, None, model.config.max_length) for sentence in sentences]
    found = {number: at for number, encoding in enumerate(encodings) if (at := word_positions(encoding, word))}
    if not found:
        raise BertcoreError(f"No sentence contains the word “{word.strip()}”; write one that does.")
    kept, positions = [encodings[number] for number in found], list(found.values())
    states = for_each(  # K x (L+1, pieces, H)
        model,
        kept,
        lambda batch, _: hidden_states(model, batch, [positions[number] for number in batch.numbers]),
        cost=open_cost,
        progress=progress,
    )
    vectors = np.stack([each.mean(axis=1) for each in states], axis=1)  # (L+1,K,H)
    pieces = [[encoding.labels[at] for at in here] for encoding, here in zip(kept, positions, strict=True)]
    return WordInSentences(list(found), pieces, positions, vectors, cosines(vectors))


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


def _mean(pairs: NDArray) -> NDArray[np.float64]:
    """(L+1, pairs) -> (L+1), NaN without pairs."""
    return pairs.mean(axis=1) if pairs.shape[1] else np.full(len(pairs), np.nan)
