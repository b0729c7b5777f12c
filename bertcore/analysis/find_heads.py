"""Which heads do that? By a kind, `previous token`, or by what they look at, `attn(it -> cat) > 0.3`.

    found = find_heads("attn(it -> cat) > 0.3 and spread < 2", trace.attentions, encoding)
    found.matches[0].layer, found.matches[0].head, found.matches[0].score

A query is one condition or several joined by `and`. A condition is a measure, with a comparison or without:

    attn(WHO -> WHAT)   attention from one to the other: added up over WHAT, the mean over WHO
    spread              over how many tokens, e^entropy  distance    mean distance in tokens
    entropy             mean over rows, in nats          special     share of attention on special tokens
    a kind of head      its score, 0..1

WHO and WHAT are a word of the text, all tokens of a sentence (`A`, `B`), `special`, `any`, or a token by its position
(`#9`); in quotes, "A" is a word. L layers, N heads, S tokens.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.attention_heads import KINDS, classify_heads, row_entropy
from bertcore.errors import BertcoreError
from bertcore.tokenizer.token_labels import SHOWN_SPACE
from bertcore.tokenizer.tokenizer import Encoding

Scores = NDArray[np.float64]  # (L,N)
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
    unit: str = ""  # of the score: "nats", "tokens", or none: a share 0..1


@dataclass(frozen=True)
class _Condition:
    measure: str
    comparison: str = ""
    number: float = 0.0


def find_heads(query: str, attentions: NDArray, encoding: Encoding) -> FoundHeads:
    """Heads (L,N,S,S) that a query describes, rows summing to 1.

    Raises BertcoreError, in a sentence, for a query that cannot be read and for words the text has not.
    """
    conditions = [_condition(part) for part in _AND.split(query.strip().replace("→", "->"))]
    fits = np.ones(attentions.shape[:2], dtype=bool)
    measured = [_measured(condition.measure, attentions, encoding) for condition in conditions]
    for condition, (scores, _) in zip(conditions, measured, strict=True):
        if condition.comparison:
            fits &= COMPARISONS[condition.comparison](scores, condition.number)
    scores, words = measured[0]
    sign = 1 if conditions[0].comparison.startswith("<") else -1
    order = np.argsort(sign * scores, axis=None, kind="stable").tolist()
    places = [divmod(flat, attentions.shape[1]) for flat in order]
    matches = [HeadMatch(at[0], at[1], float(scores[at])) for at in places if fits[at]]
    return FoundHeads(matches, words, _COUNTED_IN.get(conditions[0].measure, ""))


def _condition(written: str) -> _Condition:
    compared = _COMPARED.fullmatch(written.strip())
    measure = compared["measure"] if compared else written.strip()
    if not measure or (not _ATTENTION.fullmatch(measure) and re.search(r"[<>=()]", measure)):
        raise BertcoreError(f"{written.strip()!r} cannot be understood. Write {EXAMPLES}.")
    measure = measure if _ATTENTION.fullmatch(measure) else measure.lower()
    if compared is None:
        return _Condition(measure)
    number = float(compared["number"]) / (100 if compared["percent"] else 1)
    return _Condition(measure, compared["comparison"], number)


def _measured(measure: str, attentions: NDArray, encoding: Encoding) -> tuple[Scores, str]:
    """Scores (L,N), and what they are in words."""
    attention = _ATTENTION.fullmatch(measure)
    if attention:
        who, what = _places(attention["who"], encoding), _places(attention["what"], encoding)
        sums = attentions[..., who, :][..., what].sum(axis=-1, dtype=np.float64)  # (L,N,who)
        return sums.mean(axis=-1), f"attention from {attention['who']} to {attention['what']}"
    if measure in ("entropy", "spread"):
        entropy = np.stack([row_entropy(layer).mean(axis=-1) for layer in attentions])
        return (entropy, "mean entropy of its rows") if measure == "entropy" else (np.exp(entropy), "spread")
    if measure == "distance":
        place = np.arange(attentions.shape[-1])
        away = np.abs(place[:, None] - place)
        return np.stack([(layer * away).sum(-1).mean(-1) for layer in attentions]).astype(np.float64), "mean distance"
    if measure == "special":
        special = _places("special", encoding)
        return attentions[..., special].sum(-1).mean(-1).astype(np.float64), "attention on special tokens"
    kind = kind_named(measure)
    scores = [[named.scores.get(kind, np.nan) for named in classify_heads(layer, encoding)] for layer in attentions]
    if np.isnan(scores).any():
        raise BertcoreError(f"No head can show “{kind}” in this text: it has no two tokens of that kind.")
    return np.array(scores, dtype=np.float64), f"score of “{kind}”"


def kind_named(written: str) -> str:
    """The one kind of head that some of its words name. Raises BertcoreError where none or several fit."""
    wanted = re.findall(r"\w+", written.lower())
    fitting = [kind for kind in KINDS if wanted and set(wanted) <= set(re.findall(r"\w+", kind.lower()))]
    exact = [kind for kind in fitting if re.findall(r"\w+", kind.lower()) == wanted]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if fitting:
        raise BertcoreError(f"{written!r} could mean {' or '.join(fitting)}; write it in full.")
    raise BertcoreError(f"{written!r} is not a kind of head. Write {EXAMPLES}. The kinds: {', '.join(KINDS)}.")


def _places(name: str, encoding: Encoding) -> list[int]:
    """Positions of the tokens that a name stands for: a group, a position, a token, or the pieces of a word."""
    parts = encoding.parts
    groups = {"A": "a", "B": "b", "special": "special"}
    quoted = re.fullmatch(r"([\"'“])(.+)[\"'”]", name)
    if name == "any":
        return list(range(len(parts)))
    if name in groups:
        return _some([i for i, part in enumerate(parts) if part == groups[name]], name)
    if re.fullmatch(r"#\d{1,9}", name):
        return _some([i for i, position in enumerate(encoding.positions) if position == int(name[1:])], name)
    return _some(_of_word((quoted[2] if quoted else name).lower(), encoding), name)


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
    return [i for places in pieces.values() for i in places if "".join(bare[j] for j in places) == word]


def _some(places: list[int], name: str) -> list[int]:
    if not places:
        raise BertcoreError(f"There is no {name} in this text; name one of its words, A, B, special, any or #position.")
    return places
