"""One layer, step by step: every number between what enters it and what leaves it, and how each was computed.

    steps = layer_steps(trace_layer(model, ids, segments, layer=2), head=0)
    steps[3].values[5, 7], steps[3].derive(5, 7)

S tokens, H hidden, N heads, D head size. Layers, heads and dimensions count from 0 in code. How a number was computed
is NumPy in double precision over numbers that the model computed in single; `value` is the model's own number, `total`
what the parts give, and they agree to 1e-5 where nothing was changed by hand in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.layer_trace import Affine, Floats, LayerTrace
from bertcore.analysis.vectors import cosine

from ...look import mark, names, numbers, say

MODEL = "bertcore.model.bert"
TITLES: dict[str, str] = names("steps of a layer")
STORIES: dict[str, str] = names("stories of steps")  # what each does to one token, with its words and numbers
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


@dataclass(frozen=True, eq=False)
class LayerStep:
    """One operation of a layer: its result for every token, and the function that did it."""

    key: str  # of TITLES
    formula: str
    function: str  # dotted name in bertcore of what computed it
    values: Floats  # (S, columns); rows are tokens
    how: Callable[[float, int, int], Derivation]  # value, row, column -> how that number was computed
    columns: str = "dimension"  # what a column is: or "token", "neuron"

    @property
    def title(self) -> str:
        return say(TITLES[self.key])

    def derive(self, row: int, column: int) -> Derivation:
        return self.how(float(self.values[row, column]), row, column)


def facts_of(one: LayerTrace, head: int, row: int, tokens: Sequence[str]) -> dict[str, Any]:
    """What stands in the STORIES of one token."""
    best, fires = int(one.probs[head, row].argmax()), one.activation[row]
    score = float(one.query[head, row] @ one.key[head, best])
    entering, size, was = one.entering[row], one.query.shape[2], (one.entering[row], one.middle[row])
    added, fed = one.attention_output[row], one.feed_forward_output[row]
    shares = [float(np.linalg.norm(new) / np.linalg.norm(old)) for new, old in zip((added, fed), was, strict=True)]
    return {
        "token": tokens[row],
        "best": tokens[best],
        "source": say("layer {layer}", layer=one.layer) if one.layer else say("the embeddings"),
        "size": numbers.count(len(entering)),
        "dims": numbers.count(size),
        "head": numbers.count(head + 1),
        "heads": numbers.count(len(one.query)),
        "score": numbers.number(score),
        "scaled": numbers.number(score / math.sqrt(size)),
        "weight": numbers.percent(float(one.probs[head, row, best])),
        "added": numbers.percent(shares[0]),
        "neurons": numbers.count(len(fires)),
        "fire": numbers.count(int((fires > 0).sum())),
        "neuron": numbers.count(int(fires.argmax())),
        "most": numbers.number(float(fires.max())),
        "fed": numbers.percent(shares[1]),
        "same": numbers.decimal(cosine(entering, one.leaving[row]), 2),
    }


def layer_steps(one: LayerTrace, head: int) -> list[LayerStep]:
    """In the order in which a post-norm or pre-norm layer computes them; of the heads this one (from 0)."""
    source = say("from layer {layer}", layer=one.layer) if one.layer else say("from the embeddings")
    function = f"{MODEL}.Layer.forward" if one.layer else f"{MODEL}.Embeddings.forward"
    start = LayerStep("entering", f"x, {source}", function, one.entering, lambda value, _r, _c: given(value, source))
    attention, feed_forward = _attention_steps(one, head), _feed_forward_steps(one)
    attends = say("what was there + attention"), say("what attention adds")
    feeds = say("what was there + feed-forward"), say("what feed-forward adds")
    if one.pre_norm:
        steps = [
            start,
            _norm("attention_norm", one, one.entering, one.attention_input),
            *attention,
            _residual("middle", one, one.entering, one.attention_output, one.middle, attends),
            _norm("feed_forward_norm", one, one.middle, one.feed_forward_input),
            *feed_forward,
            _residual("leaving", one, one.middle, one.feed_forward_output, one.leaving, feeds),
        ]
        return [*steps, _norm("final_norm", one, one.leaving, one.normed)] if one.normed is not None else steps
    # In single precision, as the model adds: the very numbers that its LayerNorm reads.
    middle_sum, leaving_sum = one.entering + one.attention_output, one.middle + one.feed_forward_output
    return [
        start,
        *attention,
        _residual("attention_sum", one, one.entering, one.attention_output, middle_sum, attends),
        _norm("attention_norm", one, middle_sum, one.middle),
        *feed_forward,
        _residual("feed_forward_sum", one, one.middle, one.feed_forward_output, leaving_sum, feeds),
        _norm("feed_forward_norm", one, leaving_sum, one.leaving),
    ]


def _attention_steps(one: LayerTrace, head: int) -> list[LayerStep]:
    query, key, value = one.query[head], one.key[head], one.value[head]  # 3 x (S,D)
    scores, probs, context = one.scores[head], one.probs[head], one.context[head]
    products, size = query @ key.T, query.shape[1]  # (S,S)
    heads = np.ascontiguousarray(one.context.transpose(1, 0, 2)).reshape(len(query), -1)  # (N,S,D) -> (S,H)
    inside, by_key, by_value = f"{MODEL}.SelfAttention.forward", say("query × key"), say("attention × value")

    def product(made: float, row: int, column: int) -> Derivation:
        return dot_product(made, query[row], key[column], _dimension, by_key)

    def score(made: float, row: int, column: int) -> Derivation:
        return scaled(made, float(products[row, column]), size)

    def weight(made: float, row: int, column: int) -> Derivation:
        return softmax(made, scores[row], column)

    def mean(made: float, row: int, column: int) -> Derivation:
        return dot_product(made, probs[row], value[:, column], None, by_value)

    def output_name(index: int) -> str:
        return say("head {head}, dim {dimension}", head=index // size + 1, dimension=index % size)

    attended, output = (heads, one.weights["output"], one.attention_output), "SelfAttention.project"
    return [
        *(_projection(one, head, place) for place in range(3)),
        LayerStep("products", say("query · key, head {head}", head=head + 1), inside, products, product, "token"),
        LayerStep("scores", say("score / √{size}", size=size), inside, scores, score, "token"),
        LayerStep("probs", say("exp(s) / Σ exp(s), by row"), inside, probs, weight, "token"),
        LayerStep("context", say("Σ weight × value, over tokens"), inside, context, mean),
        _linear("attention_output", say("all heads · W_O + b"), output, *attended, output_name),
    ]


def _projection(one: LayerTrace, head: int, place: int) -> LayerStep:
    """Query, key or value of one head: its rows of the fused product."""
    key = ("query", "key", "value")[place]
    values: Floats = getattr(one, key)[head]  # (S,D)
    fused, size = one.weights["query_key_value"], values.shape[1]
    first = place * one.entering.shape[1] + head * size
    own = Affine(fused.weight[first : first + size], fused.bias[first : first + size])
    formula = say("x · {matrix} + b, head {head}", matrix=f"W_{key[0].upper()}", head=head + 1)
    return _linear(key, formula, "SelfAttention.forward", one.attention_input, own, values, _dimension)


def _feed_forward_steps(one: LayerTrace) -> list[LayerStep]:
    middle, after, weights, inside = one.before_activation, one.activation, one.weights, "Layer.feed_forward"
    entering, leaving = (one.feed_forward_input, weights["feed_forward_in"], middle), weights["feed_forward_out"]
    formula = f"{one.hidden_act}: {ACTIVATIONS[one.hidden_act][0]}"

    def activate(made: float, row: int, column: int) -> Derivation:
        return activation(made, float(middle[row, column]), one.hidden_act)

    def neuron(index: int) -> str:
        return say("neuron {neuron}", neuron=index)

    return [
        _linear("before_activation", say("x · W₁ + b"), inside, *entering, _dimension, "neuron"),
        LayerStep("activation", formula, f"{MODEL}.{inside}", after, activate, "neuron"),
        _linear("feed_forward_output", say("a · W₂ + b"), inside, after, leaving, one.feed_forward_output, neuron),
    ]


def _linear(
    key: str,
    formula: str,
    function: str,
    inputs: Floats,
    weights: Affine,
    values: Floats,
    name: Name,
    columns: str = "dimension",
) -> LayerStep:
    """values[row, column] = inputs[row] . weight[column] + bias[column]; name: of each product."""
    factors = say("input × weight")

    def how(made: float, row: int, column: int) -> Derivation:
        bias = float(weights.bias[column])
        return dot_product(made, inputs[row], weights.weight[column], name, factors, bias)

    return LayerStep(key, formula, f"{MODEL}.{function}", values, how, columns)


def _residual(
    key: str, one: LayerTrace, there: Floats, added: Floats, total: Floats, words: tuple[str, str]
) -> LayerStep:
    """words: the formula, and what is added."""

    def how(made: float, row: int, column: int) -> Derivation:
        return residual(made, float(there[row, column]), float(added[row, column]), words[1])

    return LayerStep(key, words[0], f"{MODEL}.{_kind(one)}.forward", total, how)


def _norm(key: str, one: LayerTrace, entering: Floats, leaving: Floats) -> LayerStep:
    weights = one.weights[key]

    def how(made: float, row: int, column: int) -> Derivation:
        return layer_norm(made, entering[row], column, weights.weight, weights.bias, one.epsilon)

    owner = "Encoder" if key == "final_norm" else _kind(one)
    return LayerStep(key, say("(x − mean) / √(variance + ε) × scale + shift"), f"{MODEL}.{owner}.forward", leaving, how)


def _kind(one: LayerTrace) -> str:
    return "PreNormLayer" if one.pre_norm else "PostNormLayer"


def _dimension(index: int) -> str:
    return say("dim {dimension}", dimension=index)
