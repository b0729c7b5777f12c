"""One layer, step by step: every number between what enters it and what leaves it, and how each was computed.

    steps = layer_steps(trace_layer(model, ids, segments, layer=2), head=0)
    steps[3].values[5, 7], steps[3].derive(5, 7)

S tokens, H hidden, N heads, D head size. Layers, heads and dimensions count from 0 in code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertcore.analysis.layer_trace import Affine, Floats, LayerTrace, trace_layer

from ...look.say import mark, say
from . import derivation
from .derivation import Derivation, Name

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.progress import ReportProgress

    from ...state.readings import Reading
MODEL = "bertcore.model.bert"
FORMULAS = {
    "gelu": "x · Φ(x)",
    "gelu_new": "x · Φ(x), Φ ≈ tanh",
    "gelu_pytorch_tanh": "x · Φ(x), Φ ≈ tanh",
    "relu": "max(0, x)",
    "silu": "x · σ(x)",
    "tanh": "tanh(x)",
}
TITLES = {
    "entering": mark("Hidden state in"),
    "query": mark("Query"),
    "key": mark("Key"),
    "value": mark("Value"),
    "products": mark("Score"),
    "scores": mark("Scaled score"),
    "probs": mark("Softmax"),
    "context": mark("Context"),
    "attention_output": mark("Output projection"),
    "attention_sum": mark("Residual sum"),
    "middle": mark("Residual sum"),
    "attention_norm": mark("LayerNorm"),
    "before_activation": mark("Feed-forward in"),
    "activation": mark("Activation"),
    "feed_forward_output": mark("Feed-forward out"),
    "feed_forward_sum": mark("Residual sum"),
    "leaving": mark("Residual sum"),
    "feed_forward_norm": mark("LayerNorm"),
    "final_norm": mark("Final LayerNorm"),
}


@dataclass(frozen=True, eq=False)
class LayerStep:
    """One operation of a layer: its result for every token, and the function that did it."""

    key: str  # of TITLES
    formula: str
    function: str  # dotted name in bertcore of what computed it
    values: Floats  # (S, columns); rows are tokens
    columns: str  # what a column is: "dimension", "token", "neuron"
    derive: Callable[[int, int], Derivation]  # row, column -> how that number was computed

    @property
    def title(self) -> str:
        return say(TITLES[self.key])


def layer_of(checkpoint: Checkpoint, reading: Reading, layer: int, _progress: ReportProgress) -> LayerTrace:
    """`trace_layer` of a reading; nothing is computed anew where nothing is changed inside."""
    request, entering = reading.request, None if reading.request.what_if else reading.trace.hidden_states[layer]
    read, changes = (request.input_ids, request.segments, request.positions), request.what_if.changes()
    return trace_layer(checkpoint.model, *read, layer=layer, changes=changes, entering=entering)


def layer_steps(one: LayerTrace, head: int) -> list[LayerStep]:
    """In the order in which a post-norm or pre-norm layer computes them; of the heads this one (from 0)."""
    entering = _entering(one)
    attention, feed_forward, layer = _attention_steps(one, head), _feed_forward_steps(one), _kind(one)
    if one.pre_norm:
        steps = [
            entering,
            _norm("attention_norm", one, one.entering, one.attention_input),
            *attention,
            _residual("middle", layer, one.entering, one.attention_output, one.middle, is_attention=True),
            _norm("feed_forward_norm", one, one.middle, one.feed_forward_input),
            *feed_forward,
            _residual("leaving", layer, one.middle, one.feed_forward_output, one.leaving, is_attention=False),
        ]
        return [*steps, _norm("final_norm", one, one.leaving, one.normed)] if one.normed is not None else steps
    # In single precision, as the model adds: the very numbers that its LayerNorm reads.
    middle_sum, leaving_sum = one.entering + one.attention_output, one.middle + one.feed_forward_output
    return [
        entering,
        *attention,
        _residual("attention_sum", layer, one.entering, one.attention_output, middle_sum, is_attention=True),
        _norm("attention_norm", one, middle_sum, one.middle),
        *feed_forward,
        _residual("feed_forward_sum", layer, one.middle, one.feed_forward_output, leaving_sum, is_attention=False),
        _norm("feed_forward_norm", one, leaving_sum, one.leaving),
    ]


def _entering(one: LayerTrace) -> LayerStep:
    values = one.entering
    if one.layer:
        source = say("from layer {layer}", layer=one.layer)
        function = f"{MODEL}.Layer.forward"
    else:
        source = say("from the embeddings")
        function = f"{MODEL}.Embeddings.forward"

    def derive(row: int, column: int) -> Derivation:
        return derivation.given(float(values[row, column]), source)

    return LayerStep("entering", f"x, {source}", function, values, "dimension", derive)


def _attention_steps(one: LayerTrace, head: int) -> list[LayerStep]:
    query, key, value = one.query[head], one.key[head], one.value[head]  # 3 x (S,D)
    scores, probs, context = one.scores[head], one.probs[head], one.context[head]
    products = query @ key.T  # (S,S)
    size = query.shape[1]
    heads = np.ascontiguousarray(one.context.transpose(1, 0, 2)).reshape(len(query), -1)  # (N,S,D) -> (S,H)

    def product(row: int, column: int) -> Derivation:
        names = say("query × key")
        return derivation.dot_product(float(products[row, column]), query[row], key[column], _dimension, names)

    def score(row: int, column: int) -> Derivation:
        return derivation.scaled(float(scores[row, column]), float(products[row, column]), size)

    def weight(row: int, column: int) -> Derivation:
        return derivation.softmax(float(probs[row, column]), scores[row], column)

    def mean(row: int, column: int) -> Derivation:
        names = say("attention × value")
        return derivation.dot_product(float(context[row, column]), probs[row], value[:, column], None, names)

    def output_name(index: int) -> str:
        return say("head {head}, dim {dimension}", head=index // size + 1, dimension=index % size)

    product_formula = say("query · key, head {head}", head=head + 1)
    score_formula = say("score / √{size}", size=size)
    weight_formula = say("exp(s) / Σ exp(s), by row")
    context_formula = say("Σ weight × value, over tokens")
    output_formula = say("all heads · W_O + b")
    inside, output = f"{MODEL}.SelfAttention.forward", one.weights["output"]
    return [
        *(_projection(one, head, place) for place in range(3)),
        LayerStep("products", product_formula, inside, products, "token", product),
        LayerStep("scores", score_formula, inside, scores, "token", score),
        LayerStep("probs", weight_formula, inside, probs, "token", weight),
        LayerStep("context", context_formula, inside, context, "dimension", mean),
        _linear(
            "attention_output",
            output_formula,
            "SelfAttention.project",
            heads,
            output,
            one.attention_output,
            output_name,
        ),
    ]


def _projection(one: LayerTrace, head: int, place: int) -> LayerStep:
    """Query, key or value of one head: its rows of the fused product."""
    key = ("query", "key", "value")[place]
    values: Floats = getattr(one, key)[head]  # (S,D)
    fused, size = one.weights["query_key_value"], values.shape[1]
    first = place * one.entering.shape[1] + head * size
    rows = slice(first, first + size)
    formula = say("x · {matrix} + b, head {head}", matrix=f"W_{key[0].upper()}", head=head + 1)
    own = Affine(fused.weight[rows], fused.bias[rows])
    return _linear(key, formula, "SelfAttention.forward", one.attention_input, own, values, _dimension)


def _feed_forward_steps(one: LayerTrace) -> list[LayerStep]:
    before, after = one.before_activation, one.activation

    def activate(row: int, column: int) -> Derivation:
        return derivation.activation(float(after[row, column]), float(before[row, column]), one.hidden_act)

    enter, leave = one.weights["feed_forward_in"], one.weights["feed_forward_out"]
    formula, inside = f"{one.hidden_act}: {FORMULAS[one.hidden_act]}", "Layer.feed_forward"
    return [
        _linear(
            "before_activation", "x · W_in + b", inside, one.feed_forward_input, enter, before, _dimension, "neuron"
        ),
        LayerStep("activation", formula, f"{MODEL}.{inside}", after, "neuron", activate),
        _linear("feed_forward_output", "a · W_out + b", inside, after, leave, one.feed_forward_output, _neuron),
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

    def derive(row: int, column: int) -> Derivation:
        bias, names = float(weights.bias[column]), say("input × weight")
        row_of_weights = weights.weight[column]
        return derivation.dot_product(float(values[row, column]), inputs[row], row_of_weights, name, names, bias)

    return LayerStep(key, formula, f"{MODEL}.{function}", values, columns, derive)


def _residual(key: str, layer: str, there: Floats, added: Floats, total: Floats, *, is_attention: bool) -> LayerStep:
    def derive(row: int, column: int) -> Derivation:
        addends = float(there[row, column]), float(added[row, column])
        return derivation.residual(float(total[row, column]), *addends, is_attention)

    formula = say("what was there + attention") if is_attention else say("what was there + feed-forward")
    return LayerStep(key, formula, f"{MODEL}.{layer}.forward", total, "dimension", derive)


def _norm(key: str, one: LayerTrace, before: Floats, after: Floats) -> LayerStep:
    weights = one.weights[key]

    def derive(row: int, column: int) -> Derivation:
        value = float(after[row, column])
        return derivation.layer_norm(value, before[row], column, weights.weight, weights.bias, one.epsilon)

    function = f"{MODEL}.Encoder.forward" if key == "final_norm" else f"{MODEL}.{_kind(one)}.forward"
    formula = say("(x − mean) / √(variance + ε) × scale + shift")
    return LayerStep(key, formula, function, after, "dimension", derive)


def _kind(one: LayerTrace) -> str:
    return "PreNormLayer" if one.pre_norm else "PostNormLayer"


def _dimension(index: int) -> str:
    return say("dim {dimension}", dimension=index)


def _neuron(index: int) -> str:
    return say("neuron {neuron}", neuron=index)
