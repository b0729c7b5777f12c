"""The gradient of attention against finite differences, links taken away against patterns put in, and the questions."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from app.compute import head_questions
from app.compute.head_questions import HeadTarget, check_of_head, effects_of_heads, flow_of
from app.state.readings import ModelInput
from app.state.what_if import NOTHING_CHANGED
from bertcore.analysis.effects import attention_gradient, link_effects
from bertcore.analysis.flow import attention_flow
from bertcore.analysis.head_check import check_head
from bertcore.analysis.interventions import ablate, put, set_attention_row
from bertcore.analysis.passes import Text, as_text
from bertcore.analysis.targets import Target
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from tests.engine.models import VOCABULARY, tiny_checkpoint, tiny_model, word_tokenizer

TOKENIZER = word_tokenizer()
PAIR = TOKENIZER.encode("the [MASK] sat.", "it was very comfortable!")


def pair_text(model: Bert) -> Text:
    return as_text(model, PAIR.ids, PAIR.segments)


MASKED, CAT = 2, VOCABULARY.index("cat")
TEXT = ModelInput(tuple(PAIR.ids), tuple(PAIR.segments))
WORD = HeadTarget("cat", Target("mlm", CAT, MASKED))


def log_p(model: Bert, changes: object = None) -> float:
    logits = trace(model, PAIR.ids, PAIR.segments, mlm_positions=[MASKED], changes=changes).mlm_logits
    return float(torch.tensor(logits[0]).double().log_softmax(0)[CAT])


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("model"), num_hidden_layers=3))


@pytest.mark.parametrize("family", ["bert", "pre-norm", "albert"])
@pytest.mark.parametrize("layer", [0, 2])
def test_the_gradient_is_the_slope(layer: int, family: str) -> None:
    shapes = {"bert": {}, "pre-norm": {"norm": "pre"}, "albert": {"model_type": "albert", "num_hidden_groups": 1}}
    tasks = ("mlm",) if family == "albert" else ("mlm", "nsp")
    model = tiny_model(tasks, num_hidden_layers=3, **shapes[family]).double()
    found = attention_gradient(model, pair_text(model), Target("mlm", CAT, MASKED), layer)
    assert found.value == pytest.approx(log_p(model), abs=1e-5)
    rng = np.random.default_rng(layer)
    for _ in range(3):
        head, column = int(rng.integers(4)), int(rng.integers(len(PAIR)))
        row = MASKED if layer == 2 else int(rng.integers(len(PAIR)))
        numbers = []
        for change in (-1e-3, 1e-3):
            pattern = found.attention[head].copy()
            pattern[row, column] += change
            numbers.append(log_p(model, {f"layer.{layer}.attention.probs": put((head,), pattern)}))
        slope = (numbers[1] - numbers[0]) / 2e-3
        assert found.gradient[head, row, column] == pytest.approx(slope, rel=0.02, abs=2e-3)
    assert np.abs(found.gradient).max() > 0.02


def test_in_the_last_layer_only_the_row_of_the_prediction_counts() -> None:
    found = attention_gradient(tiny_model(), pair_text(tiny_model()), Target("mlm", CAT, MASKED), 1)
    others = [row for row in range(len(PAIR)) if row != MASKED]
    assert np.abs(found.gradient[:, MASKED]).min() > 0 and not found.gradient[:, others].any()


def test_a_gradient_is_to_be_had_in_inference_mode_and_for_a_pair() -> None:
    model = tiny_model()
    with torch.inference_mode():
        inside = attention_gradient(model, pair_text(model), Target("nsp"), 0)
    outside = attention_gradient(model, pair_text(model), Target("nsp"), 0)
    assert np.array_equal(inside.gradient, outside.gradient) and np.abs(inside.gradient).max() > 0


@pytest.mark.parametrize("max_tokens", [1, 40, 4096])
def test_a_link_taken_away_is_a_row_put_in(max_tokens: int) -> None:
    model, shares = tiny_model(), []
    before = trace(model, PAIR.ids, PAIR.segments).attentions[0, 3, MASKED]
    columns = [0, 2, 5, 6]
    target = Target("mlm", CAT, MASKED)
    found = link_effects(
        model, pair_text(model), target, 0, 3, MASKED, columns, max_tokens=max_tokens, progress=shares.append
    )
    for column, effect in zip(columns, found, strict=True):
        row = before.copy()
        row[column] = 0
        changed = log_p(model, set_attention_row(0, 3, MASKED, row / row.sum()))
        assert effect == pytest.approx(changed - log_p(model), abs=1e-5)
    assert shares[-1] == 1 and shares == sorted(shares)


def test_a_check_holds_all_three(checkpoint: Checkpoint) -> None:
    shares: list[float] = []
    model, text = checkpoint.model, pair_text(checkpoint.model)
    found = check_head(model, text, WORD.target, 1, 2, MASKED, most_links=4, progress=shares.append)
    plain = trace(model, PAIR.ids, PAIR.segments)
    assert found.attention == pytest.approx(plain.attentions[1, 2, MASKED], abs=1e-6)
    gradient = attention_gradient(model, pair_text(model), Target("mlm", CAT, MASKED), 1).gradient[2]
    assert np.array_equal(found.gradient, gradient[MASKED])
    strongest = set(np.argsort(-found.attention)[:4].tolist())
    assert set(np.flatnonzero(~np.isnan(found.without)).tolist()) == strongest
    off = log_p(model, ablate([(1, 2)])) - log_p(model)
    assert found.without_head == pytest.approx(off, abs=1e-5)
    assert shares == sorted(shares)


def next_sentence(model: Bert, changes: object = None) -> float:
    logits = trace(model, PAIR.ids, PAIR.segments, changes=changes).next_sentence_logits
    return float(torch.tensor(logits).log_softmax(0)[0])


@pytest.mark.parametrize(
    ("target", "value"),
    [(WORD, log_p), (HeadTarget("B follows A", Target("nsp")), next_sentence)],
    ids=["word", "pair"],
)
def test_effects_of_all_heads(target: HeadTarget, value: Callable[..., float], checkpoint: Checkpoint) -> None:
    shares: list[float] = []
    found = effects_of_heads(checkpoint, TEXT, target, shares.append)
    for head in ((0, 0), (2, 3)):
        off = value(checkpoint.model, ablate([head])) - value(checkpoint.model)
        assert found[head] == pytest.approx(off, abs=1e-5)
    assert found.shape == (3, 4) and shares[-1] == 1


@pytest.mark.parametrize(
    ("layer", "head", "row", "said"), [(3, 0, 0, "no layer 3"), (0, 4, 0, "no head 4"), (0, 0, 99, "no token 99")]
)
def test_what_is_not_there_is_said(checkpoint: Checkpoint, layer: int, head: int, row: int, said: str) -> None:
    with pytest.raises(BertcoreError, match=said):
        check_of_head(checkpoint, TEXT, WORD, layer, head, row, lambda share: None)


def test_a_model_without_word_head_says_so(tmp_path: Path) -> None:
    bare = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=(), pooler=False))
    with pytest.raises(BertcoreError, match="no masked-word"):
        check_of_head(bare, TEXT, WORD, 0, 0, 0, lambda share: None)


def test_flow_of_all_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    attentions = np.random.default_rng(0).dirichlet(np.ones(5), size=(3, 2, 5))
    trace, request = SimpleNamespace(attentions=attentions), SimpleNamespace(what_if=NOTHING_CHANGED)
    reading: Any = SimpleNamespace(trace=trace, request=request, encoding=range(5))
    shares: list[float] = []
    found = flow_of(reading, 1, shares.append)
    assert np.array_equal(found, attention_flow(attentions, list(range(5)), 2))
    assert shares == pytest.approx([0.2, 0.4, 0.6, 0.8, 1])
    monkeypatch.setattr(head_questions, "MOST_FLOW_TOKENS", 4)
    with pytest.raises(BertcoreError, match="up to 4 tokens; this one has 5"):
        flow_of(reading, 1, shares.append)
