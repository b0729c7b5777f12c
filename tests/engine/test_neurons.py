"""Feed-forward neurons: which fire most, where, and which words they push up."""

import numpy as np
import pytest

from bertcore.analysis.interventions import ablate
from bertcore.analysis.residual import neuron_activations, pushed_words, strongest_neurons
from bertcore.analysis.trace import activations
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from tests.engine.family_models import PAIR, SHAPES, TOKENIZER, family_model, pair_text
from tests.engine.models import tiny_model


def all_activations(model: Bert) -> np.ndarray:
    """(L,S,I)."""
    points = [f"layer.{layer}.feed_forward.activation" for layer in range(model.config.num_hidden_layers)]
    found = activations(model, pair_text(model), points)
    return np.stack([found[point] for point in points])


@pytest.mark.parametrize("name", SHAPES)
def test_the_strongest_are_those_of_a_full_sort(name: str) -> None:
    model = family_model(name)
    whole = all_activations(model)
    found = strongest_neurons(model, pair_text(model), k=7)
    for row in range(len(PAIR)):
        flat = np.sort(whole[:, row].ravel())[::-1][:7]
        assert found.activations[row] == pytest.approx(flat, abs=1e-5)
        named = whole[found.layers[row], row, found.neurons[row]]
        assert named == pytest.approx(found.activations[row], abs=1e-5)


def test_more_than_there_are_gives_all() -> None:
    found = strongest_neurons(tiny_model(), pair_text(tiny_model()), k=1000)
    assert found.neurons.shape == (len(PAIR), 2 * 48)
    pairs = {(layer, neuron) for layer, neuron in zip(found.layers[0], found.neurons[0], strict=True)}
    assert len(pairs) == 2 * 48


def test_a_words_activation_is_the_mean_of_its_pieces() -> None:
    model = tiny_model()
    whole, members = all_activations(model), [[1], [4, 5, 6]]
    found = strongest_neurons(model, pair_text(model), k=5, members=members)
    mean = whole[:, 4:7].mean(axis=1)  # (L,I)
    assert found.activations[1] == pytest.approx(np.sort(mean.ravel())[::-1][:5], abs=1e-5)
    one = neuron_activations(model, pair_text(model), 1, 3, members=members)
    assert one == pytest.approx([whole[1, 1, 3], mean[1, 3]], abs=1e-5)


def test_one_neuron_over_the_text() -> None:
    model = tiny_model()
    one = neuron_activations(model, pair_text(model), 1, 17)
    assert one == pytest.approx(all_activations(model)[1, :, 17], abs=1e-5)
    changed = neuron_activations(model, pair_text(model), 1, 17, changes=ablate({(0, 0)}))
    assert np.abs(changed - one).max() > 1e-3


@pytest.mark.parametrize("name", SHAPES)
def test_pushed_words_are_products_with_the_token_table(name: str) -> None:
    model = family_model(name)
    found = pushed_words(model, TOKENIZER, 2, 11, k=4)
    table, projection = model.embeddings.token.weight.numpy(), model.embeddings.projection
    if projection is not None:
        table = table @ projection.weight.numpy().T  # (V,E) -> (V,H)
    written = model.encoder.layer(2).feed_forward_out.weight.numpy()[:, 11]
    scores = {
        TOKENIZER.label(i): float(table[i] @ written) for i in range(len(table)) if i not in TOKENIZER.special_ids
    }
    ordered = sorted(scores.items(), key=lambda item: -item[1])
    assert [word for word, _ in found.up] == [word for word, _ in ordered[:4]]
    assert [word for word, _ in found.down] == [word for word, _ in ordered[::-1][:4]]
    assert found.up[0][1] == pytest.approx(ordered[0][1], abs=1e-5)
    assert found.output_length == pytest.approx(float(np.linalg.norm(written)), rel=1e-5)


@pytest.mark.parametrize(("layer", "neuron", "says"), [(2, 0, "no layer 2"), (0, 48, "no neuron 48"), (0, -1, "-1")])
def test_what_is_not_there_is_refused(layer: int, neuron: int, says: str) -> None:
    with pytest.raises(BertcoreError, match=says):
        neuron_activations(tiny_model(), pair_text(tiny_model()), layer, neuron)
