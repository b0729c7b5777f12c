"""What a LoadedModel says of its parts: each number against plain NumPy on a trace, or against the thing done alone."""

import json
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from bertcore.analysis.interventions import set_attention_row
from bertcore.analysis.predict import softmax
from bertcore.analysis.residual import residual_stream, strongest_neurons
from bertcore.analysis.trace import activations
from bertcore.analysis.vectors import NearestWords, pca, word_in_sentences
from bertcore.errors import BertcoreError
from bertcore.loaded_model import LoadedModel
from bertcore.model.hooks import Intervention
from tests.engine.family_models import MASKED, PAIR, SHAPES, TOKENIZER, family_model, pair_text
from tests.engine.models import tiny_model

A, B = "The cat [MASK] very.", "It was comfortable!"  # the text of PAIR
CAT, DOG = (TOKENIZER.id(word) or 0 for word in ("cat", "dog"))
families = pytest.mark.parametrize("family", SHAPES)


@pytest.fixture
def m() -> LoadedModel:
    return LoadedModel.of(family_model("bert"), TOKENIZER)


def log_p(m: LoadedModel, **changed: Any) -> float:
    logits = m.trace(A, B, **changed).mlm_logits
    return math.log(softmax(logits[MASKED])[CAT])


def test_a_grid_is_a_table(m: LoadedModel) -> None:
    found = m.attention_norms(A, B)
    rows = found.rows()
    assert len(rows) == 3 * 4 * 13 * 13 and len(repr(found)) < 100
    row = rows[((1 * 4 + 2) * 13 + 3) * 13 + 5]
    assert (row["layer"], row["head"], row["from_position"], row["to_position"]) == (1, 2, 3, 5)
    assert (row["from"], row["to"]) == (PAIR.tokens[3], PAIR.tokens[5])
    assert row["norm"] == found["norm"][1, 2, 3, 5]
    assert set(m.pca(A).rows()[0]) == {"layer", "position", "token", "pc1", "pc2"}
    assert len(json.loads(m.neurons(A, top=2).to_json())) == 2 * len(m.encode(A))


def test_effects_of_heads_are_those_of_each_head_off(m: LoadedModel) -> None:
    found = m.head_effects(A, B, wanted="cat")
    assert found.about["value"] == pytest.approx(log_p(m), abs=1e-5)
    for at in ((0, 1), (2, 3)):
        assert found["effect"][at] == pytest.approx(log_p(m, heads_off=[at]) - log_p(m), abs=1e-5)


def test_effects_of_links_are_those_of_a_changed_row(m: LoadedModel) -> None:
    found = m.link_effects(A, B, layer=1, head=2, from_position=MASKED, wanted="cat")
    row = m.trace(A, B).attentions[1, 2, MASKED]
    np.testing.assert_allclose(found["attention"], row, atol=1e-6)
    for to in (0, 5):
        left = np.where(np.arange(len(row)) == to, 0, row)
        changes = set_attention_row(1, 2, MASKED, left / left.sum())
        assert found["effect"][to] == pytest.approx(log_p(m, changes=changes) - log_p(m), abs=1e-5)
    step = 1e-2
    up, down = (set_attention_row(1, 2, MASKED, row + sign * step * np.eye(len(row))[5]) for sign in (1, -1))
    slope = (log_p(m, changes=up) - log_p(m, changes=down)) / (2 * step)
    assert found["gradient"][5] == pytest.approx(slope, abs=1e-3)


@families
def test_the_parts_of_a_logit_add_up_to_it(family: str) -> None:
    m = LoadedModel.of(family_model(family), TOKENIZER)
    b = None if family in ("roberta", "distilbert") else B
    logits = m.trace(A, b).mlm_logits
    for against in (None, "dog"):
        found = m.logit_parts(A, b, wanted="cat", against=against, position=MASKED)
        logit = logits[MASKED, CAT] - (logits[MASKED, DOG] if against else 0)
        parts = [*found.embeddings.values(), found.biases, *found.heads.flat, *found.feed_forward]
        assert found.logit == pytest.approx(logit, abs=1e-5) and sum(parts) == pytest.approx(logit, abs=1e-5)
        assert abs(found.error) < 1e-5 and len(found.rows()) == len(parts)
        assert sum(row["logit"] for row in found.rows()) == pytest.approx(logit, abs=1e-5)


def test_a_model_that_trains_has_parts_too() -> None:
    model = family_model("bert").requires_grad_(True)
    found = LoadedModel.of(model, TOKENIZER).logit_parts(A, wanted="cat", position=MASKED)
    assert abs(found.error) < 1e-5 and all(parameter.grad is None for parameter in model.parameters())


@families
def test_the_part_of_a_head_is_its_gradient_with_all_else_held_fixed(family: str, monkeypatch: Any) -> None:
    """By autograd: what is linear once deviations, the activation's ratio and what other parts read are held fixed."""
    model = family_model(family).double()
    found = LoadedModel.of(model, TOKENIZER).logit_parts(A, wanted="cat", position=MASKED)
    text = LoadedModel.of(model, TOKENIZER)._read(A, None)[1]

    def held(x: torch.Tensor, _shape: Any, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
        deviation = (x.var(-1, keepdim=True, correction=0) + eps).sqrt().detach()
        return (x - x.mean(-1, keepdim=True)) / deviation * weight + bias

    monkeypatch.setattr(F, "layer_norm", held)
    activation = model.mlm.activation
    model.mlm.activation = lambda z: z * (activation(z) / z).detach()
    names = [f"layer.{layer}" for layer in range(3)]
    inputs = [f"{name}.{part}.input" for name in names for part in ("attention", "feed_forward")]
    kept: dict[str, torch.Tensor] = {}

    def leaf(point: str) -> Any:
        def made(value: torch.Tensor) -> torch.Tensor:
            kept[point] = value.detach().clone().requires_grad_()
            return kept[point]

        return made

    points = [f"{name}.{part}" for name in names for part in ("attention.context_heads", "feed_forward.output")]
    changes = {point: leaf(point) for point in points} | dict.fromkeys(inputs, torch.Tensor.detach)
    with torch.enable_grad():
        hidden = text.hidden(model, hook=Intervention(changes))
        model.mlm_logits(hidden[0, MASKED])[CAT].backward()
    for layer, name in enumerate(names):
        context, added = kept[f"{name}.attention.context_heads"], kept[f"{name}.feed_forward.output"]
        heads = (context * context.grad)[0, :, MASKED].sum(-1).detach().numpy()
        np.testing.assert_allclose(found.heads[layer], heads, atol=1e-5)
        whole = float((added * added.grad)[0, MASKED].sum().detach())
        assert found.feed_forward[layer] == pytest.approx(whole, abs=1e-5)


@families
def test_norms_are_lengths_of_what_adds_up_to_attentions_output(family: str) -> None:
    model = family_model(family)
    m = LoadedModel.of(model, TOKENIZER)
    found, traced = m.attention_norms(A), m.trace(A)
    outputs = activations(model, m._read(A, None)[1], [f"layer.{layer}.attention.output" for layer in range(3)])
    for layer in range(3):
        output = model.encoder.layer(layer).attention.output
        weight = output.weight.numpy().reshape(32, 4, -1)  # (H,N,D)
        taken = np.einsum("nst,ntd,hnd->nsth", traced.attentions[layer], traced.values[layer], weight)
        np.testing.assert_allclose(found["norm"][layer], np.linalg.norm(taken, axis=-1), atol=1e-5)
        whole = taken.sum(axis=(0, 2)) + output.bias.numpy()
        np.testing.assert_allclose(outputs[f"layer.{layer}.attention.output"], whole, atol=1e-5)


def test_rollout_and_flow(m: LoadedModel) -> None:
    attentions = m.trace(A, B, heads_off=[(1, 2)]).attentions.astype(float)
    attentions[1, 2] = np.eye(13)  # what adds nothing leaves a token with what it had
    rolled = np.eye(13)
    for layer in attentions[:2]:
        rolled = (0.5 * np.eye(13) + 0.5 * layer.mean(axis=0)) @ rolled
    found = m.attention_flow(A, B, layer=1, heads_off=[(1, 2)])
    np.testing.assert_allclose(found["amount"], rolled, atol=1e-6)
    flow = m.attention_flow("The cat.", layer=0, method="flow")["amount"]
    one = 0.5 * np.eye(5) + 0.5 * m.trace("The cat.").attentions[0].mean(axis=0)
    np.testing.assert_allclose(flow, one, atol=1e-6)  # a single layer lets pass what its edge holds


def test_neurons_and_what_layers_add(m: LoadedModel) -> None:
    text, found = pair_text(m.bert), m.neurons(A, B, top=4)
    strongest = strongest_neurons(m.bert, text, k=4)
    np.testing.assert_allclose(found["activation"], strongest.activations, atol=1e-5)
    assert found["layer"].tolist() == strongest.layers.tolist()
    assert found["neuron"].tolist() == strongest.neurons.tolist()
    assert len(m.neuron_words(1, 3, top=3).rows()) == 6
    np.testing.assert_allclose(m.residual_stream(A, B)["attention"], residual_stream(m.bert, text).attention, rtol=1e-5)


def test_nearest_words_are_those_of_the_table(m: LoadedModel) -> None:
    table = m.bert.embeddings.token.weight.numpy()
    expected = NearestWords(table, TOKENIZER).near([CAT], 3, "distance")
    assert [word.token_id for word in m.nearest("cat", top=3, by="distance")] == [word.token_id for word in expected]
    assert m.nearest(table[CAT], top=1)[0].token_id == CAT
    assert m.nearest("cat").to_json().startswith('[{"token_id"')


def test_a_word_in_sentences_and_principal_components(m: LoadedModel) -> None:
    sentences = ["The cat sat.", "A bird.", "A cat sang."]
    found, expected = m.word_in_sentences("cat", sentences), word_in_sentences(m.bert, TOKENIZER, "cat", sentences)
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-5)
    assert [row["cosine"] for row in found.rows()] == pytest.approx(expected.cosines[:, 0, 1].tolist(), abs=1e-5)
    plane, points = m.pca(A, B), pca(m.trace(A, B).hidden_states)
    np.testing.assert_allclose(plane["pc2"], points.points[..., 1], atol=1e-4)
    ratio = points.explained_variance_ratio.tolist()
    assert plane.about["explained_variance_ratio"] == pytest.approx(ratio, abs=1e-5)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda m: m.head_effects("The cat."), "no \\[MASK\\]"),
        (
            lambda m: LoadedModel.of(tiny_model(("nsp",)), TOKENIZER).logit_parts(A, B),
            "Only the logit of a word|masked",
        ),
        (lambda m: m.link_effects(A, layer=3, head=0, from_position=0), "no layer 3"),
        (lambda m: m.link_effects(A, layer=0, head=0, from_position=99), "no token 99"),
        (lambda m: m.neuron_words(0, 48), "no neuron 48"),
        (lambda m: m.attention_flow(A, layer=7), "no layer 7"),
        (lambda m: m.attention_flow(A, method="walk"), "no method 'walk'"),
        (lambda m: m.nearest(np.zeros(3)), "one vector of 32 numbers"),
        (lambda m: m.nearest("☃"), "has no '☃'"),
        (lambda m: m.word_in_sentences("cat", ["A bird."]), "No sentence contains"),
    ],
)
def test_what_cannot_be_is_a_sentence(m: LoadedModel, ask: Any, says: str) -> None:
    with pytest.raises(BertcoreError, match=says):
        ask(m)
