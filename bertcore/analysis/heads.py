"""What one attention head does in one text, in a few numbers.

The kinds are those described by Clark et al. 2019 ("What Does BERT Look At?") and Kovaleva et al. 2019; the score of a
kind is the share of attention that its pattern explains, averaged over the tokens that look.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.tokenization import Encoding

KINDS = ("previous token", "next token", "same token", "[CLS]/[SEP] sink", "broad")
_DOMINANT = 0.5  # a pattern names the head if it explains at least half of the attention
_BROAD = 0.85  # entropy as a share of the largest possible


@dataclass(frozen=True)
class HeadFacts:
    entropy_nats: float  # mean over rows; 0 = looks at one token, ln(S) = at all alike
    mean_distance_tokens: float  # how far away what it looks at is, weighted by attention
    a_to_b: float | None  # mean share of attention that A's tokens pay to B's; None without a second sentence
    on_special: float  # mean share of attention paid to [CLS] and [SEP]


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


def head_kind(attention: NDArray, encoding: Encoding) -> tuple[str, float]:
    """The kind whose pattern explains most of a head's attention (S,S), with its score 0..1; "mixed" if none does.

    Rows of special tokens do not vote. "broad" is scored by entropy: its share of the largest possible, ln(S).
    """
    parts = np.array(encoding.parts)
    looking = parts != "special"
    size = len(parts)
    if not looking.any() or size < 2:
        return "mixed", 0.0
    rows = attention[looking]  # (words, S)
    breadth = float(row_entropy(rows).mean() / np.log(size))
    scores = {
        "previous token": _diagonal(attention, looking, -1),
        "next token": _diagonal(attention, looking, +1),
        "same token": _diagonal(attention, looking, 0),
        "[CLS]/[SEP] sink": float(rows[:, ~looking].sum(axis=1).mean()),
    }
    kind = max(scores, key=lambda name: scores[name])
    if scores[kind] >= _DOMINANT:
        return kind, scores[kind]
    if breadth >= _BROAD:
        return "broad", breadth
    return "mixed", scores[kind]


def row_entropy(attention: NDArray) -> NDArray[np.float64]:
    """Entropy of each row in nats; 0 log 0 counts as 0."""
    rows = np.asarray(attention, dtype=np.float64)
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    entropy: NDArray[np.float64] = -(rows * logs).sum(axis=-1)
    return entropy


def _diagonal(attention: NDArray, looking: NDArray, shift: int) -> float:
    """Mean attention that the looking tokens pay to the token `shift` places on."""
    rows = np.flatnonzero(looking)
    rows = rows[(rows + shift >= 0) & (rows + shift < len(attention))]
    return float(attention[rows, rows + shift].mean()) if len(rows) else 0.0
