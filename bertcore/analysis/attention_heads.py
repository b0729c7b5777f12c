"""Attention heads: what one does in one text, in a few numbers; which do what a query describes; and which are alike.

The kinds are those described by Clark et al. 2019 ("What Does BERT Look At?") and Kovaleva et al. 2019; the score of a
kind is the fraction of attention that its pattern explains, averaged over the tokens that look. Which heads are alike:
Clark et al. 2019, section 6, Jensen-Shannon divergence between heads, then classical multidimensional scaling.
L layers, N heads, S tokens; head n of layer l is row l*N + n of a matrix over heads.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Records
from bertcore.tokenizer.special_tokens import SHOWN_SPACE
from bertcore.tokenizer.tokenizer import Encoding

Scores = NDArray[np.float64]  # (L,N)

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
THUMBNAIL_TOKENS = 64
_DOMINANT = 0.5  # a pattern names the head if it explains at least half of the attention
_BROAD = 0.85  # entropy as a fraction of the largest possible
_NEAR_TOKENS = 2  # "local" is attention to tokens at most this far away
_ABOVE_CHANCE = 1.5  # "local" must be this many times what even attention would give; in short texts all is near
_REPEATED = 0.25  # fraction of the tokens that must occur again before a "same word" kind may name the head
COMPARISONS: dict[str, Callable[[Scores, float], NDArray[np.bool_]]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
EXAMPLES = "a kind of head, such as previous token, or a condition, such as attn(it -> cat) > 0.3"
_AND = re.compile(r"\s+and\s+(?![^()]*\))", re.IGNORECASE)  # not the word "and" inside attn(...)
_COMPARED = re.compile(r"(?P<measure>.*?)\s*(?P<comparison>>=|<=|>|<)\s*(?P<number>\d+\.?\d*|\.\d+)\s*(?P<percent>%?)")
_ATTENTION = re.compile(r"(?:attn|attention)\s*\(\s*(?P<who>.+?)\s*->\s*(?P<what>.+?)\s*\)", re.IGNORECASE)
_COUNTED_IN = {"entropy": "nats", "spread": "tokens", "distance": "tokens"}
MOST_VALUES = 150_000_000  # compared in all, some three seconds; beyond it, rows are sampled


@dataclass(frozen=True)
class HeadFacts:
    entropy_nats: float  # mean over rows; 0 = looks at one token, ln(S) = at all alike
    mean_distance_tokens: float  # how far away what it looks at is, weighted by attention
    a_to_b: float | None  # mean fraction of attention that A's tokens pay to B's; None without a second sentence
    on_special: float  # mean fraction of attention paid to special tokens: [CLS] and [SEP], or <s> and </s>


@dataclass(frozen=True)
class HeadKind:
    """One of KINDS, or "mixed"; and the scores behind it."""

    kind: str
    score: float  # 0..1, of the kind; of the best pattern if mixed
    scores: dict[str, float]  # 0..1 for each of KINDS that the text allows; no word repeated, no "same word"


@dataclass(frozen=True)
class HeadMatch:
    """A head, layers and heads from 0, and the number it is ranked by."""

    layer: int
    head: int
    score: float


@dataclass(frozen=True)
class FoundHeads:
    """Heads that fulfil every condition, the best by the first condition first."""

    matches: list[HeadMatch]
    measured: str  # what the score is, in words
    unit: str = ""  # of the score: "nats", "tokens", or none: a fraction 0..1


@dataclass(frozen=True)
class HeadMap:
    """Points whose distance is, as far as a plane allows, the root of the divergence."""

    points: NDArray[np.float64]  # (L,N,2)
    explained_variance_ratio: NDArray[np.float64]  # (2) fraction of the variance that each axis keeps
    divergence: NDArray[np.float64]  # (LN,LN) bits: 0 the same, 1 nothing in common
    rows: NDArray[np.int64]  # the tokens whose rows were compared; all of them in a short text


def head_facts(attention: NDArray, encoding: Encoding) -> HeadFacts:
    """Facts of one head's attention (S,S), rows summing to 1."""
    parts = np.array(encoding.parts)
    a, b = parts == "a", parts == "b"
    a_to_b = float(attention[np.ix_(a, b)].sum(axis=1).mean()) if a.any() and b.any() else None
    return HeadFacts(
        entropy_nats=float(row_entropy(attention).mean()),
        mean_distance_tokens=float(_mean_distance(attention)),
        a_to_b=a_to_b,
        on_special=float(attention[:, parts == "special"].sum(axis=1).mean()),
    )


def classify_heads(attentions: NDArray, encoding: Encoding) -> list[HeadKind]:
    """Kinds of K heads, attention (K,S,S) with rows summing to 1.

    Rows of special tokens do not vote, nor does a token without the thing looked for: the first has no previous one. A
    "same word" score counts only tokens that occur again, and names a head only if a quarter of the tokens do. "broad"
    is scored by entropy: its fraction of the largest possible, ln(S).
    """
    looking = np.array(encoding.parts) != "special"
    if not looking.any() or len(looking) < 2:
        return [HeadKind("mixed", 0.0, {}) for _ in attentions]
    patterns = {name: pattern[looking] for name, pattern in _patterns(encoding).items()}  # (words, S) each
    limits = {name: _least(name, pattern) for name, pattern in patterns.items()}
    voters = np.array([pattern.any(axis=1).sum() for pattern in patterns.values()])  # (kinds)
    flat = np.stack([pattern.ravel() for pattern in patterns.values()]).astype(attentions.dtype)  # (kinds, words * S)
    kinds = []
    for attention in attentions:
        rows = attention[looking]  # (words, S)
        explained = (flat @ rows.ravel()) / voters
        scores = dict(zip(patterns, explained.tolist(), strict=True))
        scores["broad"] = float(row_entropy(rows).mean() / np.log(len(looking)))
        kinds.append(_named(scores, limits))
    return kinds


def clearest_head(attentions: NDArray, encoding: Encoding, besides: tuple[int, int] | None = None) -> tuple[int, int]:
    """Layer and head, from 0, of (L,N,S,S) that does best what a person recognises at once: one of PLAIN_KINDS.

    besides: a head that is left out, where there are others.
    """
    looking = np.array(encoding.parts) != "special"
    best = np.zeros(attentions.shape[:2])
    for name, pattern in _patterns(encoding).items() if looking.any() else ():
        seen = pattern & looking[:, None]
        voters = int(seen.any(axis=1).sum())
        if name in PLAIN_KINDS and voters and _least(name, pattern[looking]) <= 1:
            best = np.maximum(best, attentions[:, :, seen].sum(axis=-1, dtype=np.float64) / voters)
    if besides is not None:
        best[besides] = -1.0
    layer, head = np.unravel_index(int(best.argmax()), best.shape)
    return int(layer), int(head)


def thumbnails(attentions: NDArray, *, signed: bool = False) -> NDArray:
    """(…,S,S) -> (…,T,T), T at most THUMBNAIL_TOKENS: the highest value of each block, so that thin lines stay.

    signed: the largest, whatever its sign.
    """
    size = attentions.shape[-1]
    if size <= THUMBNAIL_TOKENS:
        return attentions
    edges = np.linspace(0, size, THUMBNAIL_TOKENS, endpoint=False).astype(int)
    high: NDArray = np.maximum.reduceat(np.maximum.reduceat(attentions, edges, axis=-2), edges, axis=-1)
    low: NDArray = -thumbnails(-attentions) if signed else high
    return np.where(-low > high, low, high) if signed else high


def row_entropy(attention: NDArray) -> NDArray[np.float64]:
    """Entropy of each row in nats; 0 log 0 counts as 0."""
    rows = np.asarray(attention, dtype=np.float64)
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return -(rows * logs).sum(axis=-1)


def find_heads(query: str, attentions: NDArray, encoding: Encoding) -> FoundHeads:
    """Heads (L,N,S,S) that a query describes, rows summing to 1: `previous token`, or `attn(it -> cat) > 0.3`.

        found = find_heads("attn(it -> cat) > 0.3 and spread < 2", trace.attentions, encoding)
        found.matches[0].layer, found.matches[0].head, found.matches[0].score

    A query is one condition or several joined by `and`. A condition is a measure, with a comparison or without:

        attn(WHO -> WHAT)   attention from one to the other: added up over WHAT, the mean over WHO
        spread              over how many tokens, e^entropy  distance    mean distance in tokens
        entropy             mean over rows, in nats          special     fraction of attention on special tokens
        a kind of head      its score, 0..1

    WHO and WHAT are a word of the text, all tokens of a sentence (`A`, `B`), `special`, `any`, or a token by its
    position (`#9`); in quotes, "A" is a word.
    Raises BertcoreError, in a sentence, for a query that cannot be read and for words the text has not.
    """
    conditions = [_condition(part) for part in _AND.split(query.strip().replace("→", "->"))]
    measured = [_measured(measure, attentions, encoding) for measure, _, _ in conditions]
    fits = np.ones(attentions.shape[:2], dtype=bool)
    for (_, comparison, number), (scores, _) in zip(conditions, measured, strict=True):
        if comparison:
            fits &= COMPARISONS[comparison](scores, number)
    (measure, comparison, _), (scores, words) = conditions[0], measured[0]
    order = np.argsort(scores if comparison.startswith("<") else -scores, axis=None, kind="stable")
    heads = [divmod(flat, attentions.shape[1]) for flat in order.tolist()]
    matches = [HeadMatch(head[0], head[1], float(scores[head])) for head in heads if fits[head]]
    return FoundHeads(matches, words, _COUNTED_IN.get(measure, ""))


@dataclass(frozen=True)
class HeadReport:
    """What one attention head does in one text (`head_reports`)."""

    layer: int  # from 0
    head: int  # from 0
    kind: str  # such as "previous token", or "mixed"
    kind_score: float  # 0..1
    entropy_nats: float
    mean_distance_tokens: float
    a_to_b: float | None  # fraction of attention that A's tokens pay to B's; None without B
    on_special: float  # fraction of attention on special tokens


def head_reports(attentions: NDArray, encoding: Encoding, where: str | None = None) -> Records[HeadReport]:
    """Every head (L,N,S,S) in numbers; with `where`, those that it describes, the best first (`find_heads`)."""
    kinds = [classify_heads(layer, encoding) for layer in attentions]
    heads = [(layer, head) for layer, row in enumerate(kinds) for head in range(len(row))]
    if where is not None:
        heads = [(match.layer, match.head) for match in find_heads(where, attentions, encoding).matches]
    return Records[HeadReport](
        HeadReport(
            layer=layer,
            head=head,
            kind=kinds[layer][head].kind,
            kind_score=kinds[layer][head].score,
            **vars(head_facts(attentions[layer, head], encoding)),
        )
        for layer, head in heads
    )


def kind_named(written: str) -> str:
    """The one kind of head that some of its words name. Raises BertcoreError where none or several fit."""
    words = re.findall(r"\w+", written.lower())
    fitting = [kind for kind in KINDS if words and set(words) <= set(re.findall(r"\w+", kind.lower()))]
    exact = [kind for kind in fitting if re.findall(r"\w+", kind.lower()) == words]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if fitting:
        raise BertcoreError(f"{written!r} could mean {' or '.join(fitting)}; write it in full.")
    raise BertcoreError(f"{written!r} is not a kind of head. Write {EXAMPLES}. The kinds: {', '.join(KINDS)}.")


def head_map(attentions: NDArray, *, most_values: int = MOST_VALUES, progress: ReportProgress = no_progress) -> HeadMap:
    """All heads (L,N,S,S) in a plane.

    Where L, N and S are so large that more than `most_values` numbers had to be compared, only some rows are, evenly
    spread over the text; every column of them counts.
    """
    layers, heads, length, _ = attentions.shape
    rows = compared_rows(layers * heads, length, most_values)
    divergence = divergence_between_heads(attentions[:, :, rows], progress)
    points, explained = scaled_to_plane(divergence)
    return HeadMap(points.reshape(layers, heads, 2), explained, divergence, rows)


def compared_rows(heads: int, length: int, most_values: int = MOST_VALUES) -> NDArray[np.int64]:
    """Which of `length` rows to compare, so that all pairs of heads together compare at most `most_values` numbers."""
    pairs = max(heads * (heads - 1) // 2, 1)
    count = min(max(most_values // (pairs * length), 1), length)
    return np.linspace(0, length - 1, count).round().astype(np.int64)


def divergence_between_heads(attentions: NDArray, progress: ReportProgress = no_progress) -> NDArray[np.float64]:
    """(L,N,R,S), rows summing to 1 -> (LN,LN): Jensen-Shannon divergence in bits, mean over the R rows (Lin 1991)."""
    shape = attentions.shape
    heads = np.asarray(attentions, dtype=np.float32).reshape(-1, *shape[2:])  # (L,N,R,S) -> (LN,R,S)
    entropy = mean_entropy(heads)  # (LN)
    divergence = np.zeros((len(heads), len(heads)))
    for i in range(len(heads) - 1):
        mixed = mixed_entropy(heads[i], heads[i + 1 :])
        divergence[i, i + 1 :] = mixed - (entropy[i + 1 :] + entropy[i]) / 2
        left = (len(heads) - i - 1) / len(heads)
        progress(1 - left * left)
    return in_bits(divergence + divergence.T)


def mean_entropy(heads: NDArray) -> NDArray[np.float64]:
    """(...,R,S), rows summing to 1 -> (...): entropy in nats, mean over the rows."""
    from scipy.special import entr  # here: it takes 0.2 s, which the window's start need not wait for

    entropy: NDArray[np.float64] = entr(heads).sum(-1, dtype=np.float64).mean(-1)
    return entropy


def mixed_entropy(head: NDArray, others: NDArray) -> NDArray[np.float64]:
    """One head (R,S) and K others (K,R,S) -> (K): entropy of their mean. The divergence is it less the mean entropy."""
    blocks = [others[start : start + 16] for start in range(0, len(others), 16)]  # fit into the processor's cache
    return np.concatenate([mean_entropy((block + head) / 2) for block in blocks])


def in_bits(divergence: NDArray) -> NDArray[np.float64]:
    """Jensen-Shannon divergence in nats -> in bits, 0 to 1; rounding can leave it."""
    bits: NDArray[np.float64] = np.clip(divergence / np.log(2), 0, 1)
    return bits


def scaled_to_plane(squared: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Squared distances (K,K) -> points (K,2) and the fraction of variance of each axis (2), largest first.

    Classical scaling (Torgerson 1952): with J = I - 1/K, the eigenvectors of -J D J / 2 times the roots of their
    eigenvalues. An axis' sign is free; here its largest entry is positive, so that a picture does not flip.
    """
    size = len(squared)
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    values = np.clip(values, 0, None)
    points, explained = np.zeros((size, 2)), np.zeros(2)
    for axis, at in enumerate(range(size - 1, max(size - 3, -1), -1)):
        vector = vectors[:, at]
        points[:, axis] = vector * np.sqrt(values[at]) * (-1 if vector[np.abs(vector).argmax()] < 0 else 1)
        explained[axis] = values[at] / values.sum() if values.sum() > 0 else 0
    return points, explained


def _mean_distance(attention: NDArray) -> NDArray:
    """(...,S,S) -> (...): how many tokens away what is looked at is, weighted by attention."""
    position = np.arange(attention.shape[-1])
    distances: NDArray = (attention * np.abs(position[:, None] - position)).sum(-1).mean(-1)
    return distances


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


def _condition(written: str) -> tuple[str, str, float]:
    """A measure, a comparison ("" for none) and the number it is compared with."""
    compared = _COMPARED.fullmatch(written.strip())
    measure = compared["measure"] if compared else written.strip()
    is_attention = _ATTENTION.fullmatch(measure) is not None
    if not measure or (not is_attention and re.search(r"[<>=()]", measure)):
        raise BertcoreError(f"{written.strip()!r} cannot be understood. Write {EXAMPLES}.")
    measure = measure if is_attention else measure.lower()
    if compared is None:
        return measure, "", 0.0
    return measure, compared["comparison"], float(compared["number"]) / (100 if compared["percent"] else 1)


def _measured(measure: str, attentions: NDArray, encoding: Encoding) -> tuple[Scores, str]:
    """Scores (L,N), and what they are in words."""
    attention = _ATTENTION.fullmatch(measure)
    if attention:
        who, what = _positions(attention["who"], encoding), _positions(attention["what"], encoding)
        sums = attentions[..., who, :][..., what].sum(axis=-1, dtype=np.float64)  # (L,N,who)
        return sums.mean(axis=-1), f"attention from {attention['who']} to {attention['what']}"
    if measure in ("entropy", "spread"):
        entropy = np.stack([row_entropy(layer).mean(axis=-1) for layer in attentions])
        return (entropy, "mean entropy of its rows") if measure == "entropy" else (np.exp(entropy), "spread")
    if measure == "distance":
        return np.stack([_mean_distance(layer) for layer in attentions]).astype(np.float64), "mean distance"
    if measure == "special":
        special = _positions("special", encoding)
        return attentions[..., special].sum(-1).mean(-1).astype(np.float64), "attention on special tokens"
    kind = kind_named(measure)
    scores = [[named.scores.get(kind, np.nan) for named in classify_heads(layer, encoding)] for layer in attentions]
    if np.isnan(scores).any():
        raise BertcoreError(f"No head can show “{kind}” in this text: it has no two tokens of that kind.")
    return np.array(scores, dtype=np.float64), f"score of “{kind}”"


def _positions(name: str, encoding: Encoding) -> list[int]:
    """Positions of the tokens that a name stands for: a group, a position, a token, or the pieces of a word."""
    groups = {"A": "a", "B": "b", "special": "special"}
    quoted = re.fullmatch(r"([\"'“])(.+)[\"'”]", name)
    if name == "any":
        found = list(range(len(encoding)))
    elif name in groups:
        found = [i for i, part in enumerate(encoding.parts) if part == groups[name]]
    elif re.fullmatch(r"#\d{1,9}", name):
        found = [i for i, position in enumerate(encoding.positions) if position == int(name[1:])]
    else:
        found = _of_word((quoted[2] if quoted else name).lower(), encoding)
    if not found:
        raise BertcoreError(f"There is no {name} in this text; name one of its words, A, B, special, any or #position.")
    return found


def _of_word(word: str, encoding: Encoding) -> list[int]:
    """Tokens that are shown so; else the pieces of such a word."""
    shown = [label.lower() for label in encoding.labels]
    bare = [label.removeprefix("##").removeprefix(SHOWN_SPACE) for label in shown]
    exact = [i for i, labels in enumerate(zip(shown, bare, strict=True)) if word in labels]
    if exact:
        return exact
    pieces: dict[int, list[int]] = {}
    for i, number in enumerate(encoding.words):
        if number is not None:
            pieces.setdefault(number, []).append(i)
    return [i for positions in pieces.values() for i in positions if "".join(bare[j] for j in positions) == word]
