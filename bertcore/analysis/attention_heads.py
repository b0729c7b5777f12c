"""What one attention head does in one text, in a few numbers.

The kinds are those described by Clark et al. 2019 ("What Does BERT Look At?") and Kovaleva et al. 2019; the score of a
kind is the share of attention that its pattern explains, averaged over the tokens that look.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.tokenizer.tokenizer import Encoding

KINDS = (
    "previous token",
    "next token",
    "same token",
    "same word in the other sentence",
    "same word elsewhere",
    "[CLS]/[SEP] sink",
    "local",
    "broad",
)
PLAIN_KINDS = ("previous token", "next token", "same word in the other sentence", "same word elsewhere")
_DOMINANT = 0.5  # a pattern names the head if it explains at least half of the attention
_BROAD = 0.85  # entropy as a share of the largest possible
_NEAR_TOKENS = 2  # "local" is attention to tokens at most this far away
_ABOVE_CHANCE = 1.5  # "local" must be this many times what even attention would give; in short texts all is near
_REPEATED = 0.25  # share of the tokens that must occur again before a "same word" kind may name the head


@dataclass(frozen=True)
class HeadFacts:
    entropy_nats: float  # mean over rows; 0 = looks at one token, ln(S) = at all alike
    mean_distance_tokens: float  # how far away what it looks at is, weighted by attention
    a_to_b: float | None  # mean share of attention that A's tokens pay to B's; None without a second sentence
    on_special: float  # mean share of attention paid to special tokens: [CLS] and [SEP], or <s> and </s>


@dataclass(frozen=True)
class HeadKind:
    """One of KINDS, or "mixed"; and the scores behind it."""

    kind: str
    score: float  # 0..1, of the kind; of the best pattern if mixed
    scores: dict[str, float]  # 0..1 for each of KINDS that the text allows; no word repeated, no "same word"


def head_facts(attention: NDArray, encoding: Encoding) -> HeadFacts:
    """Facts of one head's attention (S,S), rows summing to 1."""
    parts = np.array(encoding.parts)
    place = np.arange(len(parts))
    distance = np.abs(place[:, None] - place[None, :])
    a, b = parts == "a", parts == "b"
    a_to_b = float(attention[np.ix_(a, b)].sum(axis=1).mean()) if a.any() and b.any() else None
    return HeadFacts(
        entropy_nats=float(row_entropy(attention).mean()),
        mean_distance_tokens=float((attention * distance).sum(axis=1).mean()),
        a_to_b=a_to_b,
        on_special=float(attention[:, parts == "special"].sum(axis=1).mean()),
    )


def classify_heads(attentions: NDArray, encoding: Encoding) -> list[HeadKind]:
    """Kinds of K heads, attention (K,S,S) with rows summing to 1.

    Rows of special tokens do not vote, nor does a token without the thing looked for: the first has no previous one. A
    "same word" score counts only tokens that occur again, and names a head only if a quarter of the tokens do. "broad"
    is scored by entropy: its share of the largest possible, ln(S).
    """
    looking = np.array(encoding.parts) != "special"
    if not looking.any() or len(looking) < 2:
        return [HeadKind("mixed", 0.0, {}) for _ in attentions]
    patterns = {name: pattern[looking] for name, pattern in _patterns(encoding).items()}  # (words, S) each
    limits = {name: _least(name, pattern) for name, pattern in patterns.items()}
    voters = np.array([pattern.any(axis=1).sum() for pattern in patterns.values()])  # (kinds)
    wanted = np.stack([pattern.ravel() for pattern in patterns.values()]).astype(attentions.dtype)  # (kinds, words * S)
    kinds = []
    for attention in attentions:
        rows = attention[looking]  # (words, S)
        explained = (wanted @ rows.ravel()) / voters
        scores = dict(zip(patterns, explained.tolist(), strict=True))
        scores["broad"] = float(row_entropy(rows).mean() / np.log(len(looking)))
        kinds.append(_named(scores, limits))
    return kinds


def clearest_head(attentions: NDArray, encoding: Encoding) -> tuple[int, int]:
    """Layer and head, from 0, of (L,N,S,S) that does best what a person recognises at once: one of PLAIN_KINDS."""
    looking = np.array(encoding.parts) != "special"
    best = np.zeros(attentions.shape[:2])
    for name, pattern in _patterns(encoding).items() if looking.any() else ():
        seen = pattern & looking[:, None]
        voters = int(seen.any(axis=1).sum())
        if name in PLAIN_KINDS and voters and _least(name, pattern[looking]) <= 1:
            best = np.maximum(best, attentions[:, :, seen].sum(axis=-1, dtype=np.float64) / voters)
    layer, head = np.unravel_index(int(best.argmax()), best.shape)
    return int(layer), int(head)


def row_entropy(attention: NDArray) -> NDArray[np.float64]:
    """Entropy of each row in nats; 0 log 0 counts as 0."""
    rows = np.asarray(attention, dtype=np.float64)
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return -(rows * logs).sum(axis=-1)


def _patterns(encoding: Encoding) -> dict[str, NDArray[np.bool_]]:
    """Where a head of each kind looks: (S,S), row: the token that looks. A kind that no token can show is left out."""
    parts = np.array(encoding.parts)
    size = len(parts)
    special = parts == "special"
    _, tokens = np.unique(encoding.tokens, return_inverse=True)  # a number for each different token
    known = ~special & ~np.isin(np.arange(size), encoding.unknown)  # two unknown words need not be the same
    elsewhere = (tokens[:, None] == tokens) & np.outer(known, known) & ~np.eye(size, dtype=bool)
    steps = np.arange(size)[None, :] - np.arange(size)[:, None]
    patterns = {
        "previous token": steps == -1,
        "next token": steps == 1,
        "same token": steps == 0,
        "same word in the other sentence": elsewhere & (parts[:, None] != parts),
        "same word elsewhere": elsewhere,
        "[CLS]/[SEP] sink": np.tile(special, (size, 1)),
        "local": np.abs(steps) <= _NEAR_TOKENS,
    }
    return {name: pattern for name, pattern in patterns.items() if pattern[~special].any()}


def _least(name: str, pattern: NDArray[np.bool_]) -> float:
    """The score from which a kind may name a head; above 1 where it may not in this text. Pattern (words, S)."""
    if name == "local":
        return max(_DOMINANT, _ABOVE_CHANCE * float(pattern.mean()))
    if name.startswith("same word") and pattern.any(axis=1).mean() < _REPEATED:
        return np.inf
    return _DOMINANT


def _named(scores: dict[str, float], limits: dict[str, float]) -> HeadKind:
    """The exact pattern with the highest score; if none reaches its limit then broad, or else local."""
    exact = [name for name in limits if name != "local"]
    reached = [name for name in exact if scores[name] >= limits[name]]
    if reached:
        kind = max(reached, key=lambda name: scores[name])  # the first of equals: "other sentence" before "elsewhere"
    elif scores["broad"] >= _BROAD:
        kind = "broad"
    elif scores["local"] >= limits["local"]:
        kind = "local"
    else:
        return HeadKind("mixed", max(scores[name] for name in exact), scores)
    return HeadKind(kind, scores[kind], scores)
