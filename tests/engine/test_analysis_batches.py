"""Texts in padded batches: the same numbers as one by one, in every family; batches within the budget."""

from typing import Any

import numpy as np
import pytest
import torch

from bertcore.analysis.passes import Batch, as_text, for_each, grouped, pooled, predict_heads
from bertcore.analysis.trace import trace, traces
from bertcore.analysis.words import surprises
from bertcore.checkpoint.config_file import Pooling
from tests.engine.family_models import SHAPES, TOKENIZER, family_model, segments_for

TEXTS = [
    TOKENIZER.encode(*pair)
    for pair in (
        ("The cat [MASK] very.", "It was comfortable!"),
        ("A [MASK].", None),
        ("[MASK] sat on the mat.", None),
        ("The bird sang.", "It was [MASK]."),
        ("It.", None),
    )
]
families = pytest.mark.parametrize("family", list(SHAPES))


def texts_for(model: Any) -> list[Any]:
    return [as_text(model, each.ids, segments_for(model, each)) for each in TEXTS]


class TestGroups:
    @pytest.mark.parametrize("alike", [False, True])
    @pytest.mark.parametrize("most", [1, 20, 64, 10_000])
    def test_hold_every_text_once_and_keep_to_the_budget(self, alike: bool, most: int) -> None:
        lengths = np.random.default_rng(0).integers(1, 40, 200).tolist()
        costs = [length + length**2 // 8 for length in lengths]
        groups = list(grouped(lengths, costs, most, alike=alike))
        assert sorted(number for group in groups for number in group) == list(range(200))
        for group in groups:
            own = [lengths[number] for number in group]
            assert len(group) == 1 or max(costs[number] for number in group) * len(group) <= most
            assert len(set(own)) == 1 if alike else min(own) >= 0.75 * max(own)

    def test_answers_come_in_the_order_of_the_texts(self) -> None:
        model, shares = family_model("bert"), list[float]()
        found = for_each(
            model,
            TEXTS,
            lambda batch, _: list(zip(batch.numbers, batch.encodings, batch.lengths, strict=True)),
            progress=shares.append,
        )
        assert found == [(number, encoding, len(encoding)) for number, encoding in enumerate(TEXTS)]
        assert shares == sorted(shares) and shares[-1] == 1.0


@families
def test_a_padded_batch_says_what_each_text_says_alone(family: str) -> None:
    model = family_model(family)
    texts = texts_for(model)
    masks = [[at for at, id_ in enumerate(each.ids) if id_ == TOKENIZER.mask_id] for each in TEXTS]
    batch = Batch.of(texts)
    with torch.inference_mode():
        whole, said = traces(model, batch), predict_heads(model, batch, masks)
        for kind in ("mean", "cls"):
            alone = np.concatenate([pooled(model, Batch.of([text]), Pooling(kind, True)) for text in texts])
            np.testing.assert_allclose(pooled(model, batch, Pooling(kind, True)), alone, atol=1e-5)
    for number, (encoding, text) in enumerate(zip(TEXTS, texts, strict=True)):
        one = trace(model, encoding.ids, segments_for(model, encoding))
        assert whole[number].keys() == vars(one).keys()
        for name, array in one.arrays().items():
            assert whole[number][name].shape == array.shape
            np.testing.assert_allclose(whole[number][name], array, atol=1e-5, err_msg=name)
        for name, found in vars(said[number]).items():
            if found is not None and name.endswith("logits"):
                (single,) = predict_heads(model, Batch.of([text]), [masks[number]])
                np.testing.assert_allclose(found, getattr(single, name), atol=1e-5, err_msg=name)


@families
@pytest.mark.parametrize("whole_words", [False, True])
def test_surprise_in_batches_is_that_of_each_text(family: str, whole_words: bool) -> None:
    model = family_model(family)
    encodings = [each for each in TEXTS if each.text_b is None or model.config.type_vocab_size > 1]
    groups = [[each if word is None else 100 + word for each, word in enumerate(text.words)] for text in encodings]
    together = surprises(model, encodings, TOKENIZER.mask_id, groups=groups if whole_words else None)
    for encoding, words, found in zip(encodings, groups, together, strict=True):
        alone = surprises(model, [encoding], TOKENIZER.mask_id, groups=[words] if whole_words else None)[0]
        assert found.positions.tolist() == alone.positions.tolist()
        np.testing.assert_allclose(found.bits, alone.bits, atol=1e-5)


def test_nothing_is_kept_that_was_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only given back, but held: what a pass records is what is asked for."""
    kept: list[str] = []
    plain = __import__("bertcore.model.hooks", fromlist=["Recorder"]).Recorder.__call__

    def noted(self: Any, name: str, value: torch.Tensor) -> torch.Tensor:
        made = plain(self, name, value)
        kept.extend([name] if name in self else [])
        return made

    monkeypatch.setattr("bertcore.model.hooks.Recorder.__call__", noted)
    model = family_model("bert")
    (found,) = traces(model, Batch.of(texts_for(model)[:1]), ["attentions"])
    assert set(kept) == {f"layer.{layer}.attention.probs" for layer in range(3)}
    assert found.keys() == {"attentions", "absent", "input_ids", "segment_ids", "position_ids"}
