"""How one number inside a layer was computed: the parts of a sum, a fraction, a LayerNorm, with their values.

Everything here is NumPy in double precision over numbers that the model computed in single; `value` is the model's own
number, `total` what the parts give, and they agree to 1e-5 where nothing was changed by hand in between.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...look import numbers
from ...look.say import say

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
    order = np.argsort(-np.abs(products), kind="stable")[:MOST_TERMS]
    terms = [_term(i, float(products[i]), name, (float(left[i]), float(right[i]))) for i in order.tolist()]
    total = float(products.sum())
    rest = total - float(products[order].sum())
    formula = say("sum of {count} products = {total}")
    if bias is not None:
        formula = say("sum of {count} products and the bias = {total}")
        terms.append(Term(say("bias"), bias))
        total += bias
    return Derivation(
        value,
        total,
        formula.format(count=numbers.count(len(products)), total=numbers.exact(total)),
        terms=tuple(terms),
        rest=rest,
        rest_count=len(products) - len(order),
        sum=total,
        sum_name=say("sum"),
        factors=factors,
    )


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
    order = np.argsort(-raised, kind="stable")[:MOST_TERMS]
    return Derivation(
        value,
        above / below,
        f"{numbers.exact(above)} / {numbers.exact(below)} = {numbers.exact(above / below)}",
        facts=(
            Term(say("score"), float(exact[column])),
            Term(say("highest score in the row"), highest),
            Term(say("numerator, exp(score − highest)"), above),
            Term(say("denominator, the sum over all tokens"), below),
        ),
        terms=tuple(_term(i, float(raised[i]), None) for i in order.tolist()),
        rest=below - float(raised[order].sum()),
        rest_count=len(raised) - len(order),
        sum=below,
        sum_name=say("denominator"),
    )


def residual(value: float, there: float, added: float, is_attention: bool) -> Derivation:
    """What was there and what a sublayer adds."""
    total = there + added
    adds = say("what attention adds") if is_attention else say("what feed-forward adds")
    terms = (Term(say("what was there"), there), Term(adds, added))
    formula = f"{numbers.exact(there)} + {numbers.exact(added)} = {numbers.exact(total)}"
    return Derivation(value, total, formula, terms=terms, sum=total, sum_name=say("sum"))


def layer_norm(value: float, row: NDArray, column: int, scale: NDArray, shift: NDArray, epsilon: float) -> Derivation:
    """(x - mean) / sqrt(variance + epsilon) * scale + shift, over a row (H) (Ba et al. 2016, section 3)."""
    exact = row.astype(np.float64)
    mean, variance = float(exact.mean()), float(exact.var())
    x, gain, bias = float(exact[column]), float(scale[column]), float(shift[column])
    total = (x - mean) / math.sqrt(variance + epsilon) * gain + bias
    before, middle, spread, times, plus, after = map(numbers.exact, (x, mean, variance, gain, bias, total))
    formula = f"({before} − {middle}) / √({spread} + {epsilon:g}) × {times} + {plus} = {after}"
    facts = (
        Term(say("x, the number before this step"), x),
        Term(say("mean of the row"), mean),
        Term(say("variance of the row"), variance),
        Term(say("scale"), gain),
        Term(say("shift"), bias),
    )
    return Derivation(value, total, formula, facts)


def activation(value: float, x: float, name: str) -> Derivation:
    """One of the feed-forward layer's functions, by the config's name for it."""
    formula, helper, total = ACTIVATIONS[name](x)
    before = Term(say("x, the number before this step"), x)
    return Derivation(value, total, f"{formula} = {numbers.exact(total)}", (before, *([helper] if helper else [])))


def _term(index: int, value: float, name: Name | None, factors: tuple[float, float] | None = None) -> Term:
    return Term("", value, factors, position=index) if name is None else Term(name(index), value, factors)


def _gelu(x: float) -> tuple[str, Term, float]:
    """x times the normal distribution function (Hendrycks and Gimpel 2016)."""
    share = (1 + math.erf(x / math.sqrt(2))) / 2
    return (
        f"x · Φ(x) = {numbers.exact(x)} × {numbers.exact(share)}",
        Term(say("Φ(x), normal distribution"), share),
        x * share,
    )


def _gelu_tanh(x: float) -> tuple[str, Term, float]:
    """The same with an approximation of the distribution (section 2 there)."""
    share = (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    return (
        f"x · Φ(x) = {numbers.exact(x)} × {numbers.exact(share)}",
        Term(say("Φ(x), approximated with tanh"), share),
        x * share,
    )


def _relu(x: float) -> tuple[str, None, float]:
    return f"max(0, {numbers.exact(x)})", None, max(0.0, x)


def _silu(x: float) -> tuple[str, Term, float]:
    share = 1 / (1 + math.exp(-x)) if x > -700 else 0.0
    return (
        f"x · σ(x) = {numbers.exact(x)} × {numbers.exact(share)}",
        Term(say("σ(x), logistic function"), share),
        x * share,
    )


def _tanh(x: float) -> tuple[str, None, float]:
    return f"tanh({numbers.exact(x)})", None, math.tanh(x)


ACTIVATIONS: dict[str, Callable[[float], tuple[str, Term | None, float]]] = {
    "gelu": _gelu,
    "gelu_new": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "relu": _relu,
    "silu": _silu,
    "tanh": _tanh,
}
