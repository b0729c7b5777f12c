"""What fires a unit: the one pass against all activations at once; what it matters against passes by hand."""

import numpy as np
import pytest
import torch

from bertcore.analysis.interventions import ablate
from bertcore.analysis.passes import as_text
from bertcore.analysis.trace import activations
from bertcore.errors import BertcoreError
from bertcore.evidence import fires as module
from bertcore.evidence.fires import BARS, POINTS, fires
from bertcore.model.hooks import Intervention
from tests.engine.test_evidence_nearest import CHECKPOINT, sentences

DIRECTIONS = np.random.default_rng(0).standard_normal((3, 32)).astype(np.float32)


def all_strengths(kind, layer):
    """(T,U) of every token, and the row of each, from a pass for each sentence."""
    found, rows, point = [], [], f"layer.{layer}.{POINTS[kind]}"
    for row, sentence in enumerate(sentences().rows):
        encoding = CHECKPOINT.tokenizer.encode(sentence.text)
        text = as_text(CHECKPOINT.model, encoding.ids, encoding.segments)
        value = activations(CHECKPOINT.model, text, [point])[point]
        if kind == "direction":
            value = value @ (DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)).T
        if kind == "head":
            weight = CHECKPOINT.model.encoder.layer(layer).attention.output.weight.numpy()  # (H,N*D)
            parts = [np.linalg.norm(x @ weight[:, 8 * n : 8 * n + 8].T, axis=1) for n, x in enumerate(value)]
            value = np.stack(parts, axis=1)
        found.append(value[1:-1])
        rows += [row] * (len(encoding) - 2)
    return np.concatenate(found), np.array(rows)


@pytest.mark.parametrize("kind, units", [("neuron", 48), ("head", 4), ("direction", 3)])
@pytest.mark.parametrize("layer", [0, 1])
def test_the_strongest_contexts_and_all_bars(kind, units, layer, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 10)
    found = fires(CHECKPOINT, sentences(), layer, kind, directions=DIRECTIONS if kind == "direction" else None)
    values, rows = all_strengths(kind, layer)
    assert found.strength.shape == (units, 10)
    np.testing.assert_allclose(found.sample_strength, values[found.sample], atol=1e-4)
    assert len(set(rows[found.sample].tolist())) == 10
    for unit in range(units):
        of_rows = [np.flatnonzero(rows == row) for row in range(rows.max() + 1)]
        best = np.array([at[values[at, unit].argmax()] for at in of_rows])
        order = best[np.argsort(-values[best, unit])][:10]
        np.testing.assert_allclose(found.strength[unit], values[order, unit], atol=1e-4)
        assert found.top[unit].tolist() == order.tolist()
        reach = float(found.reach[unit])
        assert np.abs(values[:, unit]).max() <= reach < max(2.01 * np.abs(values[:, unit]).max(), 0.07)
        bars, _ = np.histogram(values[:, unit], BARS, (-reach, reach))
        assert np.abs(bars.cumsum() - found.bars[unit].cumsum()).max() <= 1  # on an edge


def test_words_of_a_unit_and_how_clear_it_is():
    found = fires(CHECKPOINT, sentences(), 1, seed=4)
    tokens, label = found.tokens, CHECKPOINT.tokenizer.label
    unit = found.order()[0]
    uses = found.contexts(unit)
    own = [label(int(tokens.ids[use.token])) for use in uses]
    assert found.clear[unit] == max(map(own.count, own)) / len(own) == found.clear.max()
    assert found.words(unit)[0] == (max(own, key=own.count), max(map(own.count, own)))
    before = [label(int(tokens.ids[use.token - 1])) for use in uses if use.position > 1]
    assert dict(found.words(unit, -1)) == {word: before.count(word) for word in before}
    assert 0 < found.clear_by_chance < 1 and len(found.at_random(unit)) == 50
    assert found.rows()[0]["neuron"] == unit and len(found.rows()) == 48


@pytest.mark.parametrize("kind", ["neuron", "head"])
def test_what_the_next_word_loses_without_it(kind):
    found = fires(CHECKPOINT, sentences(), 1, kind)
    matters = found.matters(2)
    gains = []
    for use in found.contexts(2):
        encoding = CHECKPOINT.tokenizer.encode(sentences().rows[use.row].text)
        if use.position + 1 < len(encoding) - 1:
            right = encoding.ids[use.position + 1]
            encoding.ids[use.position + 1] = CHECKPOINT.tokenizer.mask_id or 0
            losses = []
            for off in (False, True):

                def zero(value):
                    return torch.cat([value[..., :2], 0 * value[..., 2:3], value[..., 3:]], -1)

                change = ablate([(1, 2)]) if kind == "head" else {"layer.1.feed_forward.activation": zero}
                text = as_text(CHECKPOINT.model, encoding.ids, encoding.segments)
                with torch.no_grad():
                    hidden = text.hidden(CHECKPOINT.model, Intervention(change if off else {}))
                    logs = CHECKPOINT.model.mlm_logits(hidden)[0, use.position + 1].log_softmax(-1)
                losses.append(-float(logs[right]))
            gains.append(losses[1] - losses[0])
    assert matters.strongest.count == len(gains) and matters.strongest.value == pytest.approx(np.mean(gains), abs=1e-4)
    assert matters.strongest.low < matters.strongest.value < matters.strongest.high
    with pytest.raises(BertcoreError, match=f"There is no {kind} 99"):
        found.matters(99)


def test_what_cannot_be_looked_for():
    with pytest.raises(BertcoreError, match="no layer 2"):
        fires(CHECKPOINT, sentences(), 2)
    with pytest.raises(BertcoreError, match="A direction has 32 numbers"):
        fires(CHECKPOINT, sentences(), 1, "direction", directions=np.ones(5))
