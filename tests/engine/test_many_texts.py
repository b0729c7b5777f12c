"""Lists of texts, changes in a pass, and what a model says of its parts: each number against a text alone, or NumPy."""

import json
import math
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from bertcore.analysis.flow import rollout, without
from bertcore.analysis.interventions import ablate, set_attention_row
from bertcore.analysis.passes import for_each, grouped
from bertcore.analysis.predict import softmax
from bertcore.analysis.residual import residual_stream, strongest_neurons
from bertcore.analysis.trace import activations, points
from bertcore.analysis.vectors import NearestWords, pca, word_in_sentences
from bertcore.errors import BertcoreError
from bertcore.loaded_model import LoadedModel, load
from bertcore.model.hooks import Intervention, Recorder
from tests.engine.models import MASKED as AT
from tests.engine.models import PAIR, SHAPES, TOKENIZER, family_model, pair_text, tiny_checkpoint, tiny_model

MASKED = ["The cat [MASK] very comfortable.", "A [MASK].", "[MASK] sat on the mat.", "It was a [MASK] bird!"]
OTHERS = ["The dog [MASK] very comfortable.", "It [MASK].", "[MASK] sang on the mat.", "It was a [MASK] dog!"]
families = pytest.mark.parametrize("family", list(SHAPES))
CHANGED = [{}, {"heads_off": [(0, 1), (2, 3)]}, {"layers_off": [1]}, {"changes": ablate({(1, 2)})}]
ASKED = {
    **{name: getattr(LoadedModel, name) for name in ("fill", "score", "surprise", "embed", "trace", "heads", "lens")},
    "whole words": partial(LoadedModel.surprise, whole_words=True),
    "embed, layer 2": partial(LoadedModel.embed, layer=2, pooling="cls"),
    "run": partial(LoadedModel.run, keep="*"),
    "attribute": partial(LoadedModel.attribute, wanted="cat", steps=3),
}


@pytest.fixture(scope="module")
def model_of():
    made = {name: LoadedModel.of(family_model(name), TOKENIZER, name) for name in SHAPES}
    return made.__getitem__


def numbers(result):
    """All numbers of a result, in order."""
    if isinstance(result, float | int | np.ndarray):
        return [np.asarray(result, dtype=np.float64)]
    if isinstance(result, dict):
        return [number for value in result.values() for number in numbers(value)]
    if isinstance(result, list | tuple):
        return [number for value in result for number in numbers(value)]
    return numbers(vars(result)) if hasattr(result, "__dict__") else []


def assert_same_numbers(ours, theirs):
    for found, expected in zip(numbers(ours), numbers(theirs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-5)


@families
@pytest.mark.parametrize("ask", list(ASKED))
@pytest.mark.parametrize("changed", CHANGED, ids=["intact", "heads_off", "layers_off", "changes"])
def test_a_list_gives_what_each_text_gives(model_of, family, ask, changed):
    m = model_of(family)
    together, alone = ASKED[ask](m, MASKED, **changed), [ASKED[ask](m, text, **changed) for text in MASKED]
    assert len(together) == len(alone)
    for found, expected in zip(together, alone, strict=True):
        assert_same_numbers(found, expected)
    if changed:
        intact = numbers(ASKED[ask](m, MASKED[0]))
        assert any(not np.allclose(one, other, atol=1e-4) for one, other in zip(numbers(alone[0]), intact, strict=True))


def test_pairs_and_patches_of_a_list(model_of):
    m = model_of("bert")
    for ask in (m.fill, m.trace, m.lens, m.surprise):
        for found, a, b in zip(ask(MASKED, OTHERS), MASKED, OTHERS, strict=True):
            assert_same_numbers(found, ask(a, b))
    together = m.patch(MASKED, other_a=OTHERS, wanted="cat")
    for patched, a, other in zip(together, MASKED, OTHERS, strict=True):
        np.testing.assert_allclose(patched.map, m.patch(a, other_a=other, wanted="cat").map, atol=1e-5)


class TestActivations:
    @families
    @pytest.mark.parametrize("heads", [("mlm",), ("mlm", "nsp"), ("classify",), ("tag", "span", "choice", "summarise")])
    def test_the_points_are_those_that_pass(self, family, heads):
        """Whatever the model is made of: every point of a pass is listed with its shape, and no other."""
        labels = ("no", "perhaps", "yes")
        model = tiny_model(heads, num_hidden_layers=2, labels=labels, **SHAPES[family])
        m, record = LoadedModel.of(model, TOKENIZER), Recorder()
        found = m.run(MASKED[0], keep=["*"])
        assert list(found) == list(points(model)) == list(m.points)
        sizes = {"S": len(m.encode(MASKED[0])), "H": 32, "E": model.config.embedding_width, "N": 4, "D": 8, "I": 48}
        sizes |= {"V": model.config.vocab_size, "K": 3, "C": 1, "1": 1, "2": 2}
        for point, shape in points(model).items():
            assert found[point].shape == tuple(sizes[side] for side in shape), point
        model(torch.tensor([m.encode(MASKED[0]).ids]), hook=record)
        encoder = [point for point in found if not point.endswith("logits") and point != "pooler.output"]
        assert sorted(record._seen) == sorted(encoder)
        for point in encoder:
            np.testing.assert_allclose(found[point], record[point][0], atol=1e-5)

    def test_only_what_is_named_is_recorded(self, model_of, monkeypatch):
        kept = set()
        plain = Recorder.__call__

        def noted(self, point, value):
            made = plain(self, point, value)
            kept.update([point] if point in self else [])
            return made

        monkeypatch.setattr(Recorder, "__call__", noted)
        m = model_of("bert")
        m.lens(MASKED)
        m.fill(MASKED)
        assert kept == set()  # the masks' rows alone
        m.heads(MASKED)
        assert kept == {f"layer.{layer}.attention.probs" for layer in range(3)}
        kept.clear()
        found = m.run(MASKED, keep=["layer.1.*.probs", "pooler.output"])
        assert kept == set(found[0]) == {"layer.1.attention.probs", "pooler.output"}
        assert [each.shape for each in found["pooler.output"]] == [(32,)] * 4

    @families
    def test_a_trace_by_point_is_what_passes_there(self, model_of, family):
        m = model_of(family)
        t, found = m.trace(MASKED[0]), m.run(MASKED[0], keep="*")
        kept = 0
        for point, array in found.items():
            try:
                ours = t[point]
            except Exception as error:
                assert "does not keep" in str(error)
                continue
            kept += 1
            np.testing.assert_allclose(ours, array, atol=1e-5, err_msg=point)
        assert kept >= 3 * 5 + 4
        assert not hasattr(m.trace(MASKED[0], keep=["queries"]), "keys") and hasattr(t, "keys")


class TestAblation:
    def test_with_a_mean_heads_give_the_mean(self, model_of):
        """Against plain NumPy over every token of every text."""
        m = model_of("bert")
        usual, point = m.mean_activations(MASKED), "layer.1.attention.context_heads"
        every = np.concatenate(m.run(MASKED, keep=[point])[point], axis=1)  # (N, all tokens, D)
        np.testing.assert_allclose(usual[point], every.mean(axis=1), atol=1e-5)
        found = m.run(MASKED, keep=[point], heads_off=[(1, 2)], ablate_with=usual)[point]
        for array, intact in zip(found, m.run(MASKED, keep=[point])[point], strict=True):
            np.testing.assert_allclose(array[2], np.broadcast_to(usual[point][2], array[2].shape), atol=1e-6)
            np.testing.assert_allclose(array[[0, 1, 3]], intact[[0, 1, 3]], atol=1e-5)

    def test_with_the_same_text_nothing_changes(self, model_of):
        m = model_of("pre-norm")
        for off in ({"heads_off": [(1, 2), (0, 0)]}, {"layers_off": [0, 2]}):
            same = m.run(MASKED[0], keep="mlm.logits", ablate_with=MASKED[0], **off)
            np.testing.assert_allclose(same["mlm.logits"], m.run(MASKED[0], keep="mlm.logits")["mlm.logits"], atol=1e-4)

    def test_with_another_text_is_the_patch_of_the_head(self, model_of):
        m = model_of("bert")
        patched = m.patch(MASKED[0], other_a=OTHERS[0], wanted="cat", part="head").patched
        for layer, head in ((0, 1), (2, 3)):
            cat = m.tokenizer.id("cat") or 0
            found = m.fill(MASKED[0], targets=["cat"], heads_off=[(layer, head)], ablate_with=OTHERS[0])
            assert found[0][0].id == cat
            assert np.log(found[0][0].probability) == pytest.approx(patched[layer, head], abs=1e-4)

    def test_a_fine_tuned_model_predicts_without_a_head(self, tmp_path):
        m = load(tiny_checkpoint(tmp_path / "model", output_heads=("classify",), labels=("bad", "good")))
        intact, off = (m.predict("The cat sat.", heads_off=heads) for heads in ([], [(0, 1), (1, 2)]))
        assert abs(intact.probabilities["good"] - off.probabilities["good"]) > 1e-4
        found = m.attribute("The cat sat.", wanted="good", heads_off=[(0, 1), (1, 2)], method="leave_one_out")
        assert np.exp(found.value) == pytest.approx(off.probabilities["good"], abs=1e-5)


@pytest.mark.parametrize("head", ["classify", "tag", "span"])
def test_predictions_of_a_list_are_those_of_each_text(tmp_path, head):
    labels = () if head == "span" else ("O", "B-PER", "I-PER")
    m = load(tiny_checkpoint(tmp_path / "model", output_heads=(head,), labels=labels))
    texts = [text.replace("[MASK]", "cat") for text in MASKED]
    passages = [f"{text} It sat on a mat." for text in texts] if head == "span" else None
    for off in ([], [(0, 1)]):
        together = m.predict(texts, passages, heads_off=off)
        for number, (found, text) in enumerate(zip(together, texts, strict=True)):
            alone = m.predict(text, passages[number] if passages else None, heads_off=off)
            assert found.answer == alone.answer
            assert_same_numbers(vars(found), vars(alone))


class TestSmallCalls:
    def test_similarity_is_the_cosine_of_the_vectors(self, model_of):
        m = model_of("albert")
        first, second = m.embed(MASKED), m.embed(OTHERS[:3])
        unit = [vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (first, second)]
        np.testing.assert_allclose(m.similarity(MASKED, OTHERS[:3]), unit[0] @ unit[1].T, atol=1e-5)
        np.testing.assert_allclose(m.similarity(MASKED[0], OTHERS[:3]), unit[0][0] @ unit[1].T, atol=1e-5)
        assert m.to("cpu") is m and m.device == torch.device("cpu")
        assert m.similarity(MASKED, OTHERS[0]).shape == (4,) and isinstance(m.similarity(MASKED[0], OTHERS[0]), float)

    def test_vectors_of_a_layer_are_its_hidden_states(self, model_of):
        for family in ("bert", "pre-norm"):
            m = model_of(family)
            states = m.trace(MASKED[0]).hidden_states
            for layer in range(4):
                np.testing.assert_allclose(m.embed(MASKED[0], layer=layer), states[layer].mean(axis=0), atol=1e-5)
            np.testing.assert_allclose(m.embed(MASKED[0], pooling="cls"), states[-1][0], atol=1e-5)

    def test_targets_have_the_probabilities_of_the_whole_vocabulary(self, model_of):
        m = model_of("bert")
        every = {word.token: word.probability for word in m.fill(MASKED[0], top=10_000)[0]}
        found = m.fill(MASKED[0], targets=["dog", "cat", "mat"])[0]
        assert {word.token: word.probability for word in found} == {word: every[word] for word in ("dog", "cat", "mat")}
        assert [word.probability for word in found] == sorted((word.probability for word in found), reverse=True)

    def test_an_empty_baseline_and_more_steps(self, model_of):
        m = model_of("bert")
        ask = partial(m.attribute, MASKED[0], wanted="cat")
        zero, few, many = ask(steps=64), ask(baseline="[PAD]", steps=2), ask(baseline="[PAD]", steps=64)
        assert zero.baseline != many.baseline == few.baseline
        assert abs(many.completeness_error or 0) < abs(few.completeness_error or 0)
        np.testing.assert_allclose(many.scores.sum(), many.value - (many.baseline or 0), atol=1e-2)


# --- groups of texts

PAIRS = [("The cat [MASK] very.", "It was comfortable!"), ("The bird sang.", "It was [MASK].")]
TEXTS = [TOKENIZER.encode(*pair) for pair in (PAIRS[0], *((text, None) for text in MASKED), PAIRS[1], ("It.", None))]


class TestGroups:
    @pytest.mark.parametrize("alike", [False, True])
    @pytest.mark.parametrize("most", [1, 20, 64, 10_000])
    def test_hold_every_text_once_and_keep_to_the_budget(self, alike, most):
        lengths = np.random.default_rng(0).integers(1, 40, 200).tolist()
        costs = [length + length**2 // 8 for length in lengths]
        groups = list(grouped(lengths, costs, most, alike=alike))
        assert sorted(number for group in groups for number in group) == list(range(200))
        for group in groups:
            own = [lengths[number] for number in group]
            assert len(group) == 1 or max(costs[number] for number in group) * len(group) <= most
            assert len(set(own)) == 1 if alike else min(own) >= 0.75 * max(own)

    def test_answers_come_in_the_order_of_the_texts(self):
        model, shares = family_model("bert"), []
        tell = lambda batch, _: list(zip(batch.numbers, batch.encodings, batch.lengths, strict=True))  # noqa: E731
        found = for_each(model, TEXTS, tell, progress=shares.append)
        assert found == [(number, encoding, len(encoding)) for number, encoding in enumerate(TEXTS)]
        assert shares == sorted(shares) and shares[-1] == 1.0


# --- what a LoadedModel says of its parts: each number against plain NumPy on a trace, or against the thing done alone

A, B = "The cat [MASK] very.", "It was comfortable!"  # the text of PAIR
CAT, DOG = (TOKENIZER.id(word) or 0 for word in ("cat", "dog"))


@pytest.fixture
def m():
    return LoadedModel.of(family_model("bert"), TOKENIZER)


def log_p(m, **changed):
    logits = m.trace(A, B, **changed).mlm_logits
    return math.log(softmax(logits[AT])[CAT])


def test_a_grid_is_a_table(m):
    found = m.attention_norms(A, B)
    rows = found.rows()
    assert len(rows) == 3 * 4 * 13 * 13 and len(repr(found)) < 100
    row = rows[((1 * 4 + 2) * 13 + 3) * 13 + 5]
    assert (row["layer"], row["head"], row["from_position"], row["to_position"]) == (1, 2, 3, 5)
    assert (row["from"], row["to"]) == (PAIR.tokens[3], PAIR.tokens[5])
    assert row["norm"] == found["norm"][1, 2, 3, 5]
    assert set(m.pca(A).rows()[0]) == {"layer", "position", "token", "pc1", "pc2"}
    assert len(json.loads(m.neurons(A, top=2).to_json())) == 2 * len(m.encode(A))


def test_effects_of_heads_are_those_of_each_head_off(m):
    found = m.head_effects(A, B, wanted="cat")
    assert found.about["value"] == pytest.approx(log_p(m), abs=1e-5)
    for at in ((0, 1), (2, 3)):
        assert found["effect"][at] == pytest.approx(log_p(m, heads_off=[at]) - log_p(m), abs=1e-5)


def test_effects_of_links_are_those_of_a_changed_row(m):
    found = m.link_effects(A, B, layer=1, head=2, from_position=AT, wanted="cat")
    row = m.trace(A, B).attentions[1, 2, AT]
    np.testing.assert_allclose(found["attention"], row, atol=1e-6)
    for to in (0, 5):
        left = np.where(np.arange(len(row)) == to, 0, row)
        changes = set_attention_row(1, 2, AT, left / left.sum())
        assert found["effect"][to] == pytest.approx(log_p(m, changes=changes) - log_p(m), abs=1e-5)
    step = 1e-2
    up, down = (set_attention_row(1, 2, AT, row + sign * step * np.eye(len(row))[5]) for sign in (1, -1))
    slope = (log_p(m, changes=up) - log_p(m, changes=down)) / (2 * step)
    assert found["gradient"][5] == pytest.approx(slope, abs=1e-3)


@families
def test_the_parts_of_a_logit_add_up_to_it_also_where_the_model_trains(family):
    m = LoadedModel.of(family_model(family).requires_grad_(family == "bert"), TOKENIZER)
    b = None if family in ("roberta", "distilbert") else B
    logits = m.trace(A, b).mlm_logits
    for against in (None, "dog"):
        found = m.logit_parts(A, b, wanted="cat", against=against, position=AT)
        logit = logits[AT, CAT] - (logits[AT, DOG] if against else 0)
        parts = [*found.embeddings.values(), found.biases, *found.heads.flat, *found.feed_forward]
        assert found.logit == pytest.approx(logit, abs=1e-5) and sum(parts) == pytest.approx(logit, abs=1e-5)
        assert abs(found.error) < 1e-5 and len(found.rows()) == len(parts)
        assert sum(row["logit"] for row in found.rows()) == pytest.approx(logit, abs=1e-5)
    assert all(parameter.grad is None for parameter in m.bert.parameters())


@families
def test_the_part_of_a_head_is_its_gradient_with_all_else_held_fixed(family, monkeypatch):
    """By autograd: what is linear once deviations, the activation's ratio and what other parts read are held fixed."""
    model = family_model(family).double()
    found = LoadedModel.of(model, TOKENIZER).logit_parts(A, wanted="cat", position=AT)
    text = LoadedModel.of(model, TOKENIZER)._read(A, None)[1]

    def held(x, _shape, weight, bias, eps):
        deviation = (x.var(-1, keepdim=True, correction=0) + eps).sqrt().detach()
        return (x - x.mean(-1, keepdim=True)) / deviation * weight + bias

    monkeypatch.setattr(F, "layer_norm", held)
    activation = model.mlm.activation
    model.mlm.activation = lambda z: z * (activation(z) / z).detach()
    names = [f"layer.{layer}" for layer in range(3)]
    inputs = [f"{name}.{part}.input" for name in names for part in ("attention", "feed_forward")]
    kept = {}

    def leaf(point):
        def made(value):
            kept[point] = value.detach().clone().requires_grad_()
            return kept[point]

        return made

    points = [f"{name}.{part}" for name in names for part in ("attention.context_heads", "feed_forward.output")]
    changes = {point: leaf(point) for point in points} | dict.fromkeys(inputs, torch.Tensor.detach)
    with torch.enable_grad():
        hidden = text.hidden(model, hook=Intervention(changes))
        model.mlm_logits(hidden[0, AT])[CAT].backward()
    for layer, name in enumerate(names):
        context, added = kept[f"{name}.attention.context_heads"], kept[f"{name}.feed_forward.output"]
        heads = (context * context.grad)[0, :, AT].sum(-1).detach().numpy()
        np.testing.assert_allclose(found.heads[layer], heads, atol=1e-5)
        whole = float((added * added.grad)[0, AT].sum().detach())
        assert found.feed_forward[layer] == pytest.approx(whole, abs=1e-5)


@families
def test_norms_are_lengths_of_what_adds_up_to_attentions_output(family):
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


def test_rollout_and_flow(m):
    attentions = without(m.trace(A, B, heads_off=[(1, 2)]).attentions, heads_off={(1, 2)})
    found = m.attention_flow(A, B, layer=1, heads_off=[(1, 2)])
    np.testing.assert_allclose(found["amount"], rollout(attentions)[1], atol=1e-6)
    flow = m.attention_flow("The cat.", layer=0, method="flow")["amount"]
    one = 0.5 * np.eye(5) + 0.5 * m.trace("The cat.").attentions[0].mean(axis=0)
    np.testing.assert_allclose(flow, one, atol=1e-6)  # a single layer lets pass what its edge holds


def test_neurons_and_what_layers_add(m):
    text, found = pair_text(m.bert), m.neurons(A, B, top=4)
    strongest = strongest_neurons(m.bert, text, k=4)
    np.testing.assert_allclose(found["activation"], strongest.activations, atol=1e-5)
    assert found["layer"].tolist() == strongest.layers.tolist()
    assert found["neuron"].tolist() == strongest.neurons.tolist()
    assert len(m.neuron_words(1, 3, top=3).rows()) == 6
    np.testing.assert_allclose(m.residual_stream(A, B)["attention"], residual_stream(m.bert, text).attention, rtol=1e-5)


def test_nearest_words_are_those_of_the_table(m):
    table = m.bert.embeddings.token.weight.numpy()
    expected = NearestWords(table, TOKENIZER).near([CAT], 3, "distance")
    assert [word.token_id for word in m.nearest("cat", top=3, by="distance")] == [word.token_id for word in expected]
    assert m.nearest(table[CAT], top=1)[0].token_id == CAT
    assert m.nearest("cat").to_json().startswith('[{"token_id"')


def test_a_word_in_sentences_and_principal_components(m):
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
def test_what_cannot_be_is_a_sentence(m, ask, says):
    with pytest.raises(BertcoreError, match=says):
        ask(m)
