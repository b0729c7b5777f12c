"""How one number inside a layer was computed: the parts of a sum, a fraction, a LayerNorm, with their values.

Everything here is NumPy in double precision over numbers that the model computed in single; `value` is the model's own
number, `total` what the parts give, and they agree to 1e-5 where nothing was changed by hand in between.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...look import numbers
from ...look.say import mark, say

MOST_TERMS = 12
Name = Callable[[int], str]


@dataclass(frozen=True)
class Term:
    """A named number; where it is a product, of which two."""

    name: str
    value: float
    factors: tuple[float, float] | None = None
    position: int | None = None  # of the token that it stands for, in the place of a name


@dataclass(frozen=True)
class Derivation:
    """One number and what it was computed from.

    `terms` and `rest` add up to `sum`, which is the number itself or, in a softmax, what it is divided by.
    """

    value: float  # as the model has it
    total: float  # as the parts give it
    formula: str  # with the numbers filled in
    facts: tuple[Term, ...] = ()  # named numbers that the formula mentions
    terms: tuple[Term, ...] = ()  # the largest addends, by size
    rest: float = 0.0  # all other addends together
    rest_count: int = 0
    sum: float | None = None  # of terms and rest; None where there are no addends
    sum_name: str = ""
    factors: str = ""  # what those of each term are: "input × weight"

    @property
    def adds_up(self) -> bool:
        """False where the number was changed on its way, by a what-if."""
        return abs(self.value - self.total) <= 1e-4 * max(1.0, abs(self.value), *(abs(t.value) for t in self.terms))


def given(value: float, source: str) -> Derivation:
    """A number that comes in from elsewhere."""
    return Derivation(value, value, source)


def dot_product(
    value: float, left: NDArray, right: NDArray, name: Name | None, factors: str, bias: float | None = None
) -> Derivation:
    """sum over i of left[i] * right[i], and the bias: (n), (n). name: of each product; None: i is a position.
    factors: what left and right are."""
    products = left.astype(np.float64) * right
    terms, rest, rest_count = _largest(products, name, list(zip(left.tolist(), right.tolist(), strict=True)))
    total = float(products.sum())
    formula = mark("sum of {count} products = {total}")
    if bias is not None:
        formula = mark("sum of {count} products and the bias = {total}")
        terms.append(Term(say("bias"), bias))
        total += bias
    text = say(formula, count=numbers.count(len(products)), total=numbers.exact(total))
    return Derivation(value, total, text, (), tuple(terms), rest, rest_count, total, say("sum"), factors)


def scaled(value: float, score: float, head_size: int) -> Derivation:
    """score / sqrt(D)."""
    total = score / math.sqrt(head_size)
    facts = (Term(say("query · key"), score), Term(f"√{head_size}", math.sqrt(head_size)))
    return Derivation(value, total, f"{numbers.exact(score)} / √{head_size} = {numbers.exact(total)}", facts)


def softmax(value: float, scores: NDArray, column: int) -> Derivation:
    """exp(s_j - max) / sum over k of exp(s_k - max), of a row of scores (S)."""
    exact = scores.astype(np.float64)
    highest = float(exact.max())
    raised = np.exp(exact - highest)
    above, below = float(raised[column]), float(raised.sum())
    terms, rest, rest_count = _largest(raised)
    formula = f"{numbers.exact(above)} / {numbers.exact(below)} = {numbers.exact(above / below)}"
    facts = (
        Term(say("score"), float(exact[column])),
        Term(say("highest score in the row"), highest),
        Term(say("numerator, exp(score − highest)"), above),
        Term(say("denominator, the sum over all tokens"), below),
    )
    return Derivation(value, above / below, formula, facts, tuple(terms), rest, rest_count, below, say("denominator"))


def residual(value: float, there: float, added: float, adds: str) -> Derivation:
    """What was there and what a sublayer adds."""
    total, terms = there + added, (Term(say("what was there"), there), Term(adds, added))
    formula = f"{numbers.exact(there)} + {numbers.exact(added)} = {numbers.exact(total)}"
    return Derivation(value, total, formula, terms=terms, sum=total, sum_name=say("sum"))


def layer_norm(value: float, row: NDArray, column: int, scale: NDArray, shift: NDArray, epsilon: float) -> Derivation:
    """(x - mean) / sqrt(variance + epsilon) * scale + shift, over a row (H) (Ba et al. 2016, section 3)."""
    exact = row.astype(np.float64)
    mean, variance = float(exact.mean()), float(exact.var())
    x, gain, bias = float(exact[column]), float(scale[column]), float(shift[column])
    total = (x - mean) / math.sqrt(variance + epsilon) * gain + bias
    entering, middle, spread, times, plus, leaving = map(numbers.exact, (x, mean, variance, gain, bias, total))
    formula = f"({entering} − {middle}) / √({spread} + {epsilon:g}) × {times} + {plus} = {leaving}"
    facts = (
        Term(say(X), x),
        Term(say("mean of the row"), mean),
        Term(say("variance of the row"), variance),
        Term(say("scale"), gain),
        Term(say("shift"), bias),
    )
    return Derivation(value, total, formula, facts)


def activation(value: float, x: float, name: str) -> Derivation:
    """One of the feed-forward layer's functions, by the config's name for it."""
    text, share_name, function = ACTIVATIONS[name]
    made, facts = function(x), [Term(say(X), x)]
    if not share_name:
        formula = text.replace("x)", f"{numbers.exact(x)})")
        return Derivation(value, made, f"{formula} = {numbers.exact(made)}", tuple(facts))
    facts.append(Term(say(share_name), made))
    formula = f"{text.partition(',')[0]} = {numbers.exact(x)} × {numbers.exact(made)} = {numbers.exact(x * made)}"
    return Derivation(value, x * made, formula, tuple(facts))


def _largest(
    addends: NDArray, name: Name | None = None, factors: Sequence[tuple[float, float]] = ()
) -> tuple[list[Term], float, int]:
    """The largest terms of a sum, and of all others their sum and number. name: of each; None: i is a position."""
    order = np.argsort(-np.abs(addends), kind="stable")[:MOST_TERMS].tolist()
    terms = [
        Term(name(i) if name else "", float(addends[i]), factors[i] if factors else None, None if name else i)
        for i in order
    ]
    return terms, float(addends.sum()) - float(addends[order].sum()), len(addends) - len(order)


X = mark("x, the number before this step")
_BY_TANH = (
    "x · Φ(x), Φ ≈ tanh",
    mark("Φ(x), approximated with tanh"),  # Hendrycks and Gimpel 2016, section 2
    lambda x: (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
)
# Formula, what x is multiplied by, and how that is computed; without a name: the function itself.
ACTIVATIONS: dict[str, tuple[str, str, Callable[[float], float]]] = {
    "gelu": ("x · Φ(x)", mark("Φ(x), normal distribution"), lambda x: (1 + math.erf(x / math.sqrt(2))) / 2),
    "gelu_new": _BY_TANH,
    "gelu_pytorch_tanh": _BY_TANH,
    "relu": ("max(0, x)", "", lambda x: max(0.0, x)),
    "silu": ("x · σ(x)", mark("σ(x), logistic function"), lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0),
    "tanh": ("tanh(x)", "", math.tanh),
}
