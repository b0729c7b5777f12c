"""From pieces to whole words: any matrix or row of vectors over tokens, over words instead.

Clark et al. 2019 ("What Does BERT Look At?", section 4.1): attention to a split word is the sum over its pieces,
attention from it the mean over them, so that rows go on summing to 1. S tokens, W words.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bertcore.tokenizer.tokenizer import Encoding


def word_groups(encoding: Encoding) -> list[int]:
    """The word that each token belongs to, numbered from 0 in order (S); a special token is a word of its own."""
    groups: list[int] = []
    before: int | None = None
    for word in encoding.words:
        goes_on = bool(groups) and word is not None and word == before
        groups.append(groups[-1] + (not goes_on) if groups else 0)
        before = word
    return groups


def merge_matrix(matrix: NDArray, groups: Sequence[int]) -> NDArray[np.float64]:
    """(..., S,S) -> (..., W,W): columns of a word's pieces are added up, then their rows averaged.

    `groups` says for each token its word, 0 to W-1.
    """
    member = _membership(groups)  # (W,S)
    return _mean(member) @ (matrix @ member.T)


def merge_vectors(vectors: NDArray, groups: Sequence[int]) -> NDArray[np.float64]:
    """(..., S,H) -> (..., W,H): the mean over each word's pieces."""
    return _mean(_membership(groups)) @ vectors


def sum_scores(scores: NDArray, groups: Sequence[int]) -> NDArray[np.float64]:
    """(..., S) -> (..., W): what adds up over a word, its attribution or surprise."""
    return scores @ _membership(groups).T


def merge_encoding(encoding: Encoding, groups: Sequence[int]) -> Encoding:
    """The encoding with a word in place of its pieces, so that `head_facts` and the like read merged attention.

    A word is written as its pieces, joined; its id, segment and part are those of its first piece.
    """
    pieces: list[list[int]] = [[] for _ in range(max(groups, default=-1) + 1)]
    for index, group in enumerate(groups):
        pieces[group].append(index)
    first = [members[0] for members in pieces]
    unknown = set(encoding.unknown)
    return replace(
        encoding,
        tokens=[_joined([encoding.tokens[i] for i in members]) for members in pieces],
        ids=[encoding.ids[i] for i in first],
        segments=[encoding.segments[i] for i in first],
        positions=list(range(len(pieces))),
        offsets=[(encoding.offsets[members[0]][0], encoding.offsets[members[-1]][1]) for members in pieces],
        parts=[encoding.parts[i] for i in first],
        words=[encoding.words[i] for i in first],
        labels=[_joined([encoding.labels[i] for i in members]) for members in pieces],
        unknown=[word for word, members in enumerate(pieces) if unknown & set(members)],
    )


def _joined(pieces: Sequence[str]) -> str:
    """One word of its pieces; only WordPiece marks those that go on, with ##."""
    return pieces[0] + "".join(piece.removeprefix("##") for piece in pieces[1:])


def _membership(groups: Sequence[int]) -> NDArray[np.float64]:
    """(W,S): 1 where the token belongs to the word."""
    member = np.asarray(groups)[None, :] == np.arange(max(groups, default=-1) + 1)[:, None]
    if not member.any(axis=1).all():
        raise ValueError("groups must number the words from 0 without gaps")
    return member.astype(np.float64)


def _mean(member: NDArray[np.float64]) -> NDArray[np.float64]:
    return member / member.sum(axis=1, keepdims=True)
