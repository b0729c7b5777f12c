"""What one number inside a layer was made from: the parts of a sum, a fraction, a LayerNorm, with their values.

Everything here is NumPy in double precision over numbers that the model computed in single; `value` is the model's own
number, `total` what the parts give, and they agree to 1e-5 where nothing was changed by hand in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_TERMS = 12
Name = Callable[[int], str]


@dataclass(frozen=True)
class Part:
    """A named number; where it is a product, of which two."""

    name: str
    value: float
    factors: tuple[float, float] | None = None


@dataclass(frozen=True)
class MadeOf:
    """One number and its parts.

    `terms` and `rest` add up to `sum`, which is the number itself or, in a softmax, what it is divided by.
    """

    value: float  # as the model has it
    total: float  # as the parts give it
    formula: str  # with the numbers put in
    facts: tuple[Part, ...] = ()  # named numbers that the formula speaks of
    terms: tuple[Part, ...] = ()  # the largest addends, by size
    rest: float = 0.0  # all other addends together
    rest_count: int = 0
    sum: float | None = None  # of terms and rest; None where there are no addends
    sum_name: str = "sum"

    @property
    def adds_up(self) -> bool:
        """False where the number was changed on its way, by a what-if."""
        return abs(self.value - self.total) <= 1e-4 * max(1.0, abs(self.value), *(abs(p.value) for p in self.terms))


def number(value: float) -> str:
    """Four digits, with a real minus."""
    return f"{value:.4g}".replace("-", "\u2212")


def given(value: float, source: str) -> MadeOf:
    """A number that comes in from elsewhere."""
    return MadeOf(value, value, source)


def dot_product(
    value: float, left: NDArray, right: NDArray, name: Name, bias: float | None = None, formula: str = ""
) -> MadeOf:
    """sum over i of left[i] * right[i], and the bias: (n), (n)."""
    products = left.astype(np.float64) * right
    order = np.argsort(-np.abs(products), kind="stable")[:MOST_TERMS]
    terms = [Part(name(i), float(products[i]), (float(left[i]), float(right[i]))) for i in order.tolist()]
    total = float(products.sum())
    rest = total - float(products[order].sum())
    if bias is not None:
        terms.append(Part("bias", bias))
        total += bias
    return MadeOf(
        value,
        total,
        formula or f"sum of {len(products):,} products{'' if bias is None else ' and the bias'} = {number(total)}",
        terms=tuple(terms),
        rest=rest,
        rest_count=len(products) - len(order),
        sum=total,
    )


def scaled(value: float, score: float, head_size: int) -> MadeOf:
    """score / sqrt(D)."""
    total = score / math.sqrt(head_size)
    facts = (Part("query · key", score), Part(f"√{head_size}", math.sqrt(head_size)))
    return MadeOf(value, total, f"{number(score)} / √{head_size} = {number(total)}", facts)


def softmax(value: float, scores: NDArray, column: int, name: Name) -> MadeOf:
    """exp(s_j - max) / sum over k of exp(s_k - max), of a row of scores (S)."""
    exact = scores.astype(np.float64)
    highest = float(exact.max())
    raised = np.exp(exact - highest)
    above, below = float(raised[column]), float(raised.sum())
    order = np.argsort(-raised, kind="stable")[:MOST_TERMS]
    return MadeOf(
        value,
        above / below,
        f"{number(above)} / {number(below)} = {number(above / below)}",
        facts=(
            Part("score", float(exact[column])),
            Part("highest score of the row", highest),
            Part("numerator, exp(score − highest)", above),
            Part("denominator, the sum over all tokens", below),
        ),
        terms=tuple(Part(name(i), float(raised[i])) for i in order.tolist()),
        rest=below - float(raised[order].sum()),
        rest_count=len(raised) - len(order),
        sum=below,
        sum_name="denominator",
    )


def residual(value: float, there: float, added: float, who: str) -> MadeOf:
    """What was there and what a sublayer adds."""
    total = there + added
    terms = (Part("what was there", there), Part(f"what {who} adds", added))
    return MadeOf(value, total, f"{number(there)} + {number(added)} = {number(total)}", terms=terms, sum=total)


def layer_norm(value: float, row: NDArray, column: int, scale: NDArray, shift: NDArray, epsilon: float) -> MadeOf:
    """(x - mean) / sqrt(variance + epsilon) * scale + shift, over a row (H) (Ba et al. 2016, section 3)."""
    exact = row.astype(np.float64)
    mean, variance = float(exact.mean()), float(exact.var())
    x, gain, bias = float(exact[column]), float(scale[column]), float(shift[column])
    total = (x - mean) / math.sqrt(variance + epsilon) * gain + bias
    formula = (
        f"({number(x)} − {number(mean)}) / √({number(variance)} + {epsilon:g}) × {number(gain)} + {number(bias)}"
        f" = {number(total)}"
    )
    facts = (
        Part("x, the number before", x),
        Part("mean of the row", mean),
        Part("variance of the row", variance),
        Part("scale", gain),
        Part("shift", bias),
    )
    return MadeOf(value, total, formula, facts)


def activation(value: float, x: float, name: str) -> MadeOf:
    """One of the feed-forward layer's functions, by the config's name for it."""
    formula, helper, total = ACTIVATIONS[name](x)
    facts = (Part("x, the number before", x), *([helper] if helper else []))
    return MadeOf(value, total, f"{formula} = {number(total)}", facts)


def _gelu(x: float) -> tuple[str, Part, float]:
    """x times the normal distribution function (Hendrycks and Gimpel 2016)."""
    share = (1 + math.erf(x / math.sqrt(2))) / 2
    return f"x · Φ(x) = {number(x)} × {number(share)}", Part("Φ(x), normal distribution", share), x * share


def _gelu_tanh(x: float) -> tuple[str, Part, float]:
    """The same with an approximation of the distribution (section 2 there)."""
    share = (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    return f"x · Φ(x) = {number(x)} × {number(share)}", Part("Φ(x), approximated with tanh", share), x * share


def _relu(x: float) -> tuple[str, None, float]:
    return f"max(0, {number(x)})", None, max(0.0, x)


def _silu(x: float) -> tuple[str, Part, float]:
    share = 1 / (1 + math.exp(-x)) if x > -700 else 0.0
    return f"x · σ(x) = {number(x)} × {number(share)}", Part("σ(x), logistic function", share), x * share


def _tanh(x: float) -> tuple[str, None, float]:
    return f"tanh({number(x)})", None, math.tanh(x)


ACTIVATIONS: dict[str, Callable[[float], tuple[str, Part | None, float]]] = {
    "gelu": _gelu,
    "gelu_new": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "relu": _relu,
    "silu": _silu,
    "tanh": _tanh,
}
