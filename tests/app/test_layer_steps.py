"""One layer, step by step: the numbers are the model's own, and the parts of each add up to it."""

import importlib
import math

import numpy as np
import pytest
import torch

from app.rooms.layers.layer_steps import activation, layer_steps
from bertcore.analysis.interventions import ablate, set_attention_row
from bertcore.analysis.layer_trace import trace_layer
from bertcore.analysis.trace import trace
from bertcore.config import ACTIVATIONS
from bertcore.errors import BertcoreError
from bertcore.model.torch_parts import ACTIVATION
from tests.engine.models import PAIR, SHAPES, family_model, segments_for, tiny_model

POST = (
    *("entering", "query", "key", "value", "products", "scores", "probs", "context", "attention_output"),
    *("attention_sum", "attention_norm"),
    *("before_activation", "activation", "feed_forward_output", "feed_forward_sum", "feed_forward_norm"),
)
PRE = (
    *("entering", "attention_norm", "query", "key", "value", "products", "scores", "probs", "context"),
    *("attention_output", "middle"),
    *("feed_forward_norm", "before_activation", "activation", "feed_forward_output", "leaving"),
)
HIGHLIGHTS = [(0, 0), (5, 3), (12, 7)]  # row, column: in every grid of the small models
HEAD = 2


def layer_of(model, layer):
    return trace_layer(model, PAIR.ids, segments_for(model), layer=layer)


def by_key(steps):
    return {step.key: step for step in steps}


@pytest.mark.parametrize("name", SHAPES)
def test_steps_are_those_of_the_model_and_the_parts_of_every_number_add_up_to_it(name):
    model = family_model(name)
    whole = trace(model, PAIR.ids, segments_for(model))
    for layer in range(3):
        one = layer_of(model, layer)
        steps = layer_steps(one, HEAD)
        order = [*PRE, *(["final_norm"] if layer == 2 else [])] if name == "pre-norm" else [*POST]
        assert [step.key for step in steps] == order
        found, leaving = by_key(steps), one.leaving if one.normed is None else one.normed
        for ours, theirs in (
            (one.entering, whole.hidden_states[layer]),
            (leaving, whole.hidden_states[layer + 1]),
            (found["probs"].values, whole.attentions[layer, HEAD]),
            (found["query"].values, whole.queries[layer, HEAD]),
        ):
            assert np.abs(ours - theirs).max() <= 1e-5
        for step in steps:
            for row, column in HIGHLIGHTS:
                made = step.derive(row, column)
                assert made.value == float(step.values[row, column])
                assert made.total == pytest.approx(made.value, abs=1e-5), (step.key, made)
                assert made.adds_up
                if made.sum is not None:
                    assert sum(part.value for part in made.terms) + made.rest == pytest.approx(made.sum, abs=1e-9)
                products = [part for part in made.terms if part.factors is not None]
                assert all(math.prod(one.factors) == pytest.approx(one.value, rel=1e-12) for one in products)


@pytest.mark.parametrize("name", ["bert", "pre-norm", "albert"])
def test_beginning_at_the_layer_gives_the_same_as_the_whole_pass(name):
    model = family_model(name)
    whole = trace(model, PAIR.ids, segments_for(model))
    for layer in range(3):
        plain = layer_of(model, layer)
        entering = whole.hidden_states[layer].copy()
        short = trace_layer(model, PAIR.ids, segments_for(model), layer=layer, entering=entering)
        for field in ("query", "probs", "middle", "leaving"):
            assert np.abs(getattr(plain, field) - getattr(short, field)).max() <= 1e-5
        assert (plain.normed is None) == (short.normed is None)


def test_attention_by_hand():
    """Query, key, scores and softmax of one head from the weights alone."""
    model = tiny_model()
    layer = model.encoder.layer(1)
    one = trace_layer(model, PAIR.ids, PAIR.segments, layer=1)
    hidden, size, head = torch.from_numpy(one.entering), 8, 3
    weight, bias = layer.attention.query_key_value.weight, layer.attention.query_key_value.bias
    query, key = (hidden @ weight[at : at + size].T + bias[at : at + size] for at in (head * size, 32 + head * size))
    steps = by_key(layer_steps(one, head))
    assert np.abs(steps["query"].values - query.numpy()).max() <= 1e-5
    products = query @ key.T
    assert np.abs(steps["products"].values - products.numpy()).max() <= 1e-4
    probs = (products / math.sqrt(size)).softmax(-1).numpy()
    assert np.abs(steps["probs"].values - probs).max() <= 1e-5
    made = steps["probs"].derive(4, 6)
    above, below = (part.value for part in made.facts[-2:])
    assert above / below == pytest.approx(probs[4, 6], abs=1e-6)


def test_the_largest_products_come_first_and_name_head_and_dimension():
    model = tiny_model()
    step = by_key(layer_steps(trace_layer(model, PAIR.ids, PAIR.segments, layer=0), 0))["attention_output"]
    made = step.derive(2, 5)
    *products, bias = made.terms
    sizes = [abs(part.value) for part in products]
    assert sizes == sorted(sizes, reverse=True) and made.rest_count == 32 - len(products)
    assert bias.name == "bias"
    assert bias.value == pytest.approx(float(model.encoder.layer(0).attention.output.bias[5]))
    context = trace_layer(model, PAIR.ids, PAIR.segments, layer=0).context
    head, dimension = products[0].name.removeprefix("head ").split(", dim ")
    assert products[0].factors[0] == float(context[int(head) - 1, 2, int(dimension)])


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("x", [-3.2, -0.4, 0.0, 0.7, 5.5])
def test_activations_are_torchs(name, x):
    expected = float(ACTIVATION[name](torch.tensor(x, dtype=torch.float64)))
    assert activation(expected, x, name).total == pytest.approx(expected, abs=1e-12)


def test_named_functions_exist():
    for name in ("bert", "pre-norm"):
        for step in layer_steps(layer_of(family_model(name), 2), 0):
            module, owner, function = step.function.rsplit(".", 2)
            assert callable(getattr(getattr(importlib.import_module(module), owner), function))


def test_what_was_changed_by_hand_does_not_add_up_and_says_so():
    model = tiny_model()
    row = [1.0, *[0.0] * (len(PAIR) - 1)]
    changed = trace_layer(model, PAIR.ids, PAIR.segments, layer=1, changes=set_attention_row(1, 0, 4, row))
    steps = by_key(layer_steps(changed, 0))
    assert steps["probs"].values[4].tolist() == row
    assert not steps["probs"].derive(4, 0).adds_up
    assert steps["probs"].derive(5, 0).adds_up
    assert steps["context"].derive(4, 1).adds_up  # made of the row as it is now


def test_changes_of_earlier_layers_reach_this_one():
    model = tiny_model()
    off = ablate({(0, 0), (0, 1)})
    whole = trace(model, PAIR.ids, PAIR.segments, changes=off)
    one = trace_layer(model, PAIR.ids, PAIR.segments, layer=1, changes=off)
    assert np.abs(one.leaving - whole.hidden_states[2]).max() <= 1e-5
    assert np.abs(one.leaving - layer_of(model, 1).leaving).max() > 1e-3


def test_a_layer_that_is_not_there_is_refused():
    with pytest.raises(BertcoreError, match="no layer 2; this model has layers 0 to 1"):
        trace_layer(tiny_model(), PAIR.ids, PAIR.segments, layer=2)
