"""The steps of a layer in the order of its computation, post-norm or pre-norm, each with what its numbers are made of.

S tokens, H hidden, N heads, D head size, I feed-forward width.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from app.compute import made_of
from app.compute.layer_steps import ATTENTION, LAYER, Affine, Floats, LayerStep, OneLayer
from app.compute.made_of import MadeOf

FORMULAS = {
    "gelu": "x · Φ(x)",
    "gelu_new": "x · Φ(x), Φ approximated",
    "gelu_pytorch_tanh": "x · Φ(x), Φ approximated",
    "relu": "max(0, x)",
    "silu": "x · σ(x)",
    "tanh": "tanh(x)",
}


def steps_of(one: OneLayer, head: int) -> list[LayerStep]:
    """All steps, of the heads this one (from 0)."""
    entering = _given("entering", "Hidden state in", one.entering, one.layer)
    attention = _attention_steps(one, head)
    feed_forward = _feed_forward_steps(one)
    if one.pre_norm:
        first = _norm("attention_norm", one, one.entering, one.attention_input)
        second = _norm("feed_forward_norm", one, one.middle, one.feed_forward_input)
        middle = _residual("middle", one.entering, one.attention_output, one.middle, "attention")
        leaving = _residual("leaving", one.middle, one.feed_forward_output, one.leaving, "feed-forward")
        steps = [entering, first, *attention, middle, second, *feed_forward, leaving]
        return [*steps, _norm("final_norm", one, one.leaving, one.normed)] if one.normed is not None else steps
    # In single precision, as the model adds: the very numbers that its LayerNorm reads.
    middle_sum, leaving_sum = one.entering + one.attention_output, one.middle + one.feed_forward_output
    return [
        entering,
        *attention,
        _residual("attention_sum", one.entering, one.attention_output, middle_sum, "attention"),
        _norm("attention_norm", one, middle_sum, one.middle),
        *feed_forward,
        _residual("feed_forward_sum", one.middle, one.feed_forward_output, leaving_sum, "feed-forward"),
        _norm("feed_forward_norm", one, leaving_sum, one.leaving),
    ]


def _attention_steps(one: OneLayer, head: int) -> list[LayerStep]:
    query, key, value = one.query[head], one.key[head], one.value[head]  # 3 x (S,D)
    probs, context = one.probs[head], one.context[head]
    products = query @ key.T  # (S,S)
    size = query.shape[1]
    heads = np.ascontiguousarray(one.context.transpose(1, 0, 2)).reshape(len(query), -1)  # (N,S,D) -> (S,H)
    number = head + 1

    def score(row: int, column: int) -> MadeOf:
        return made_of.dot_product(float(products[row, column]), query[row], key[column], _dimension)

    def scaled(row: int, column: int) -> MadeOf:
        return made_of.scaled(float(one.scores[head, row, column]), float(products[row, column]), size)

    def weight(row: int, column: int) -> MadeOf:
        return made_of.softmax(float(probs[row, column]), one.scores[head, row], column, _token)

    def mixed(row: int, column: int) -> MadeOf:
        return made_of.dot_product(float(context[row, column]), probs[row], value[:, column], _token)

    inside = f"{ATTENTION}._step_by_step"
    return [
        *(_projection(one, head, place) for place in range(3)),
        LayerStep("products", "Score", f"query · key, head {number}", inside, products, "token", score),
        LayerStep("scores", "Divided by √D", f"score / √{size}", inside, one.scores[head], "token", scaled),
        LayerStep("probs", "Softmax", "exp(s) / Σ exp(s), by row", inside, probs, "token", weight),
        LayerStep("context", "Context", "Σ weight × value, over tokens", inside, context, "dimension", mixed),
        _linear(
            "attention_output",
            "Output projection",
            "all heads · W_O + b",
            LAYER,
            heads,
            one.weights["output"],
            one.attention_output,
            lambda i: f"head {i // size + 1}, dim {i % size}",
        ),
    ]


def _projection(one: OneLayer, head: int, place: int) -> LayerStep:
    """Query, key or value of one head: its rows of the fused product."""
    name = ("query", "key", "value")[place]
    values: Floats = getattr(one, name)[head]  # (S,D)
    fused, size = one.weights["query_key_value"], values.shape[1]
    first = place * one.entering.shape[1] + head * size
    rows = slice(first, first + size)
    letter = name[0].upper()
    formula = f"x · W_{letter} + b, head {head + 1}"
    own = Affine(fused.weight[rows], fused.bias[rows])
    return _linear(name, name.capitalize(), formula, ATTENTION, one.attention_input, own, values, _dimension)


def _feed_forward_steps(one: OneLayer) -> list[LayerStep]:
    def activated(row: int, column: int) -> MadeOf:
        before, after = one.before_activation[row, column], one.activation[row, column]
        return made_of.activation(float(after), float(before), one.hidden_act)

    enter, leave = one.weights["feed_forward_in"], one.weights["feed_forward_out"]
    formula = f"{one.hidden_act}: {FORMULAS[one.hidden_act]}"
    return [
        _linear(
            "before_activation",
            "Feed-forward in",
            "x · W_in + b",
            LAYER,
            one.feed_forward_input,
            enter,
            one.before_activation,
            _dimension,
            "neuron",
        ),
        LayerStep("activation", "Activation", formula, f"{LAYER}.forward", one.activation, "neuron", activated),
        _linear(
            "feed_forward_output",
            "Feed-forward out",
            "a · W_out + b",
            LAYER,
            one.activation,
            leave,
            one.feed_forward_output,
            lambda i: f"neuron {i}",
        ),
    ]


def _given(key: str, title: str, values: Floats, layer: int) -> LayerStep:
    source = f"layer {layer}" if layer else "the embeddings"
    function = f"{LAYER}.forward" if layer else "bertcore.model.embeddings.Embeddings.forward"

    def comes(row: int, column: int) -> MadeOf:
        return made_of.given(float(values[row, column]), f"comes from {source}")

    return LayerStep(key, title, f"x, from {source}", function, values, "dimension", comes)


def _linear(
    key: str,
    title: str,
    formula: str,
    owner: str,
    inputs: Floats,
    weights: Affine,
    values: Floats,
    name: Callable[[int], str],
    columns: str = "dimension",
) -> LayerStep:
    """values[row, column] = inputs[row] . weight[column] + bias[column]."""

    def product(row: int, column: int) -> MadeOf:
        bias = float(weights.bias[column])
        return made_of.dot_product(float(values[row, column]), inputs[row], weights.weight[column], name, bias)

    return LayerStep(key, title, formula, f"{owner}.forward", values, columns, product)


def _residual(key: str, there: Floats, added: Floats, total: Floats, who: str) -> LayerStep:
    def both(row: int, column: int) -> MadeOf:
        parts = float(there[row, column]), float(added[row, column])
        return made_of.residual(float(total[row, column]), *parts, who)

    return LayerStep(key, "Residual sum", f"what was there + {who}", f"{LAYER}.forward", total, "dimension", both)


def _norm(which: str, one: OneLayer, before: Floats, after: Floats) -> LayerStep:
    weights = one.weights[which]
    explain = partial(_normed, before=before, after=after, weights=weights, epsilon=one.epsilon)
    is_last = which == "final_norm"
    function = "bertcore.model.encoder.Encoder.forward" if is_last else f"{LAYER}.forward"
    title = "Last LayerNorm" if is_last else "LayerNorm"
    formula = "(x − mean) / √(variance + ε) × scale + shift"
    return LayerStep(which, title, formula, function, after, "dimension", explain)


def _normed(row: int, column: int, before: Floats, after: Floats, weights: Affine, epsilon: float) -> MadeOf:
    value = float(after[row, column])
    return made_of.layer_norm(value, before[row], column, weights.weight, weights.bias, epsilon)


def _dimension(index: int) -> str:
    return f"dim {index}"


def _token(index: int) -> str:
    return f"token {index}"
