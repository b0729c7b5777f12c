"""The model: its two paths agree, the causal mask hides the future, and the hook sees and replaces."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from bertcore.model.bert import Bert, Mask, MissingHeadError
from bertcore.model.hooks import NO_HOOK, Hook, Recorder
from bertcore.model.torch_parts import Dropout, divided_cross_entropy
from tests.engine.models import random_batch, tiny_config, tiny_model

LENGTHS = [12, 5, 1]
SAME = Hook()  # changes nothing, but every step is seen
both_paths = pytest.mark.parametrize("hook", [NO_HOOK, SAME])


def _assert_close(ours: Tensor, other: Tensor) -> None:
    assert float((ours - other).abs().max()) <= 1e-5


@pytest.mark.parametrize("shape", [{}, {"num_hidden_layers": 4, "num_attention_heads": 2}, {"num_attention_heads": 32}])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_fast_path_equals_traced_path(shape: dict[str, Any], padded: bool, causal: bool) -> None:
    model = tiny_model(**shape)
    ids, segments, mask = random_batch(model.config, LENGTHS)
    given = mask if padded else None
    fast = model(ids, segments, given, causal=causal)
    traced = model(ids, segments, given, causal=causal, hook=SAME)
    real = mask.bool() if padded else torch.ones_like(mask).bool()
    _assert_close(fast[real], traced[real])
    assert bool(torch.isfinite(fast).all() and torch.isfinite(traced).all())


@both_paths
def test_padding_changes_nothing(hook: Any) -> None:
    model = tiny_model()
    ids, segments, mask = random_batch(model.config, LENGTHS)
    together = model(ids, segments, mask, hook=hook)
    for row, length in enumerate(LENGTHS):
        alone = model(ids[row : row + 1, :length], segments[row : row + 1, :length], hook=hook)
        _assert_close(together[row, :length], alone[0])


@both_paths
@pytest.mark.parametrize("padded", [False, True])
def test_causal_mask_hides_every_later_token(hook: Any, padded: bool) -> None:
    model = tiny_model()
    ids, segments, mask = random_batch(model.config, [10, 10])
    given = mask if padded else None
    before = model(ids, segments, given, causal=True, hook=hook)
    for changed in range(1, 10):
        other = ids.clone()
        other[:, changed] = (other[:, changed] + 1) % model.config.vocab_size
        difference = (model(other, segments, given, causal=True, hook=hook) - before).abs()
        assert float(difference[:, :changed].max()) < 1e-6
        assert float(difference[:, changed:].max()) > 1e-3  # the token itself and those after it do see it
    record = Recorder()
    model(ids, segments, given, causal=True, hook=record)
    probs = record["layer.1.attention.probs"]
    assert float(probs.triu(1).abs().max()) == 0.0
    assert torch.allclose(probs.sum(-1), torch.ones(()), atol=1e-6)


@both_paths
@pytest.mark.parametrize("part", ["encoder", "layer", "attention"])
def test_every_part_hides_padding_and_the_future_together(hook: Hook, part: str) -> None:
    model = tiny_model()
    hidden = torch.randn(2, 10, model.config.hidden_size, generator=torch.Generator().manual_seed(0))
    mask = (torch.arange(10) < torch.tensor([[10], [6]])).long()  # (B,S)
    layer = model.encoder.layer(0)
    parts = {"encoder": model.encoder, "layer": layer, "attention": layer.attention}

    def answer(hidden: Tensor, causal: bool = True) -> Tensor:
        both = Mask.of(mask, causal, hidden)
        given: Tensor = parts[part](hidden, both, hook=hook)
        return given

    before = answer(hidden)
    later, padding = hidden.clone(), hidden.clone()
    later[:, 5], padding[1, 6:] = 0.0, 0.0
    assert float((answer(later) - before)[:, :5].abs().max()) < 1e-6
    assert float((answer(later) - before)[:, 5:].abs().max()) > 1e-3
    assert float((answer(padding) - before)[1, :6].abs().max()) < 1e-6
    assert float((answer(hidden, causal=False) - before)[:, :5].abs().max()) > 1e-3
    with pytest.raises(ValueError, match=r"Mask\.of"):
        Mask(torch.zeros(1, 1, 1, 4), is_causal=True)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("causal", [False, True])
def test_rows_are_those_of_the_whole_output(layers: int, causal: bool) -> None:
    model = tiny_model(num_hidden_layers=layers)
    ids, segments, mask = random_batch(model.config, LENGTHS)
    chosen = torch.tensor([0, 3, 12, 14, 24, 3])
    whole = model(ids, segments, mask, causal=causal).reshape(-1, model.config.hidden_size)
    _assert_close(model(ids, segments, mask, causal=causal, rows=chosen), whole[chosen])


def test_gradients_through_chosen_rows_are_those_of_the_whole_output() -> None:
    model = tiny_model().requires_grad_(True)
    ids, segments, mask = random_batch(model.config, LENGTHS)
    chosen = torch.tensor([1, 2, 16])
    weight = model.encoder.layers[0].attention.query_key_value.weight
    (saved,) = torch.autograd.grad(model(ids, segments, mask, rows=chosen).square().sum(), weight)
    whole = model(ids, segments, mask).reshape(-1, model.config.hidden_size)[chosen]
    (full,) = torch.autograd.grad(whole.square().sum(), weight)
    assert torch.allclose(saved, full, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="rows"):
        model(ids, segments, rows=chosen, hook=SAME)


class TestHook:
    def test_every_documented_point_passes_with_its_shape(self) -> None:
        model = tiny_model()
        config, (batch, length) = model.config, (2, 6)
        ids, segments, _ = random_batch(config, [length] * batch)
        record = Recorder()
        hidden = model(ids, segments, hook=record)
        model.mlm_logits(hidden, record)
        model.logits("nsp", hidden[:, 0], record)
        wide, heads = (batch, length, config.hidden_size), config.num_attention_heads
        split, square = (batch, heads, length, config.head_size), (batch, heads, length, length)
        expected = {f"embeddings.{name}": wide for name in ("token", "segment", "position", "sum", "output")}
        for i in range(config.num_hidden_layers):
            at = f"layer.{i}"
            expected |= {f"{at}.attention.{name}": split for name in ("query", "key", "value", "context_heads")}
            expected |= {f"{at}.attention.{name}": square for name in ("scores", "probs")}
            expected |= {f"{at}.{name}": wide for name in ("attention.output", "middle", "output")}
            expected |= {f"{at}.{name}": wide for name in ("attention.input", "feed_forward.input")}
            inner = (batch, length, config.intermediate_size)
            expected |= {f"{at}.feed_forward.{name}": inner for name in ("before_activation", "activation")}
            expected[f"{at}.feed_forward.output"] = wide
        expected["pooler.output"] = (batch, config.hidden_size)
        expected["mlm.logits"] = (batch, length, config.vocab_size)
        expected["nsp.logits"] = (batch, 2)
        assert {name: tuple(record[name].shape) for name in list(record._seen)} == expected

    def test_recorder_changes_nothing_and_keeps_only_what_is_wanted(self) -> None:
        model = tiny_model()
        ids, segments, _ = random_batch(model.config, [6])
        record = Recorder(lambda name: name.endswith(".probs"))
        _assert_close(model(ids, segments, hook=record), model(ids, segments))
        assert list(record._seen) == ["layer.0.attention.probs", "layer.1.attention.probs"]
        for name in ("layer.0.attention.scores", "layer.9.output", "nonsense"):
            assert name not in record
            with pytest.raises(KeyError, match=name):
                record[name]

    def test_it_may_be_any_function_and_knows_the_part_it_is_in(self) -> None:
        model, record, points = tiny_model(), Recorder(), list[str]()
        ids, segments, _ = random_batch(model.config, [6])

        def note(point: str, value: Tensor) -> Tensor:
            points.append(point)
            return value

        assert torch.equal(model(ids, segments, hook=note), model(ids, segments, hook=record))
        assert points == list(record._seen)
        record.at("layer.3").at("attention")("probs", torch.ones(1))
        assert list(record._seen)[len(points) :] == ["layer.3.attention.probs"]
        assert NO_HOOK.at("layer.3") is NO_HOOK


@pytest.mark.parametrize(
    ("ask", "part"),
    [
        (lambda model, hidden: model.mlm_logits(hidden), "MLM"),
        (lambda model, hidden: model.pool(hidden[:, 0]), "pooler"),
        (lambda model, hidden: model.logits("nsp", hidden[:, 0]), "NSP"),
    ],
)
def test_asking_for_a_head_that_is_not_there_is_an_error(ask: Callable[[Bert, Tensor], Tensor], part: str) -> None:
    model = tiny_model((), pooler=False)
    with pytest.raises(MissingHeadError, match=part):
        ask(model, torch.zeros(1, 2, model.config.hidden_size))


def test_dropout_is_on_in_training_only() -> None:
    model = tiny_model(hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.3)
    ids, segments, _ = random_batch(model.config, [6])
    assert torch.equal(model(ids, segments), model(ids, segments))
    model.train()
    assert not torch.equal(model(ids, segments), model(ids, segments))


def test_fresh_weights_follow_the_config_and_the_seed() -> None:
    config = tiny_config(initializer_range=0.05)
    first, second, other = (
        Bert(config, generator=torch.Generator().manual_seed(seed)).state_dict() for seed in (1, 1, 2)
    )
    for name, value in first.items():
        assert torch.equal(value, second[name])
        if name.endswith("bias"):
            assert not value.any()
        elif "norm" in name:
            assert bool((value == 1).all())
        else:
            assert 0.035 < float(value.std()) < 0.065 and not torch.equal(value, other[name])
    assert not first["embeddings.token.weight"][config.pad_token_id].any()


class TestDropout:
    def test_drops_the_share_and_keeps_the_mean(self) -> None:
        torch.manual_seed(0)
        dropped = Dropout(0.1)(torch.ones(1000, 1003))
        assert abs(float((dropped == 0).float().mean()) - 0.1) < 0.002
        assert abs(float(dropped.mean()) - 1) < 0.002
        assert dropped.unique().numel() == 2

    @pytest.mark.parametrize("p", [0.001, 0.1])
    def test_many_passes_together_drop_the_very_share(self, p: float) -> None:
        """A single one drops a whole number of 256ths."""
        torch.manual_seed(0)
        dropped = torch.stack([Dropout(p)(torch.ones(1024)) == 0 for _ in range(2000)])
        assert float(dropped.float().mean()) == pytest.approx(p, abs=0.0003)

    def test_neighbours_are_independent(self) -> None:
        torch.manual_seed(0)
        kept = (Dropout(0.5)(torch.ones(400_000)) > 0).float() - 0.5
        for distance in (1, 2, 3, 4, 8):
            assert abs(float((kept[distance:] * kept[:-distance]).mean())) < 0.002

    def test_passes_gradients_of_what_is_kept_sleeps_in_evaluation_and_heeds_the_seed(self) -> None:
        values = torch.ones(50, 7, requires_grad=True)
        dropped = Dropout(0.4)(values)
        dropped.sum().backward()
        torch.testing.assert_close(values.grad, dropped.detach())
        assert Dropout(0.4).eval()(values) is values
        torch.manual_seed(3)
        first = Dropout(0.3)(torch.ones(100))
        torch.manual_seed(3)
        assert torch.equal(first, Dropout(0.3)(torch.ones(100)))


COUNT = torch.tensor(7.0)


class TestDividedCrossEntropy:
    """Against torch's own, which reads all rows at once."""

    @pytest.mark.parametrize("vocab_size", [2, 7, 100_003])  # all rows at once, and two at a time
    @pytest.mark.parametrize("factor", [1.0, 3.0])
    def test_value_and_gradient_are_those_of_torch(self, vocab_size: int, factor: float) -> None:
        generator = torch.Generator().manual_seed(0)
        logits = (torch.randn(9, vocab_size, generator=generator) * 5).requires_grad_()
        labels = torch.randint(0, vocab_size, (9,), generator=generator)
        labels[[0, 4]] = -100
        found = divided_cross_entropy(logits, labels, COUNT)
        expected = functional.cross_entropy(logits, labels, reduction="sum") / COUNT
        torch.testing.assert_close(found, expected)
        (ours,), (theirs,) = (torch.autograd.grad(loss * factor, logits) for loss in (found, expected))
        torch.testing.assert_close(ours, theirs)

    def test_half_precision_is_added_up_in_full(self) -> None:
        logits = torch.randn(5, 40_000, generator=torch.Generator().manual_seed(0)).bfloat16().requires_grad_()
        labels = torch.tensor([3, -100, 39_999, 0, 7])
        found = divided_cross_entropy(logits, labels, COUNT)
        expected = functional.cross_entropy(logits.float(), labels, reduction="sum") / COUNT
        assert found.dtype == torch.float32
        torch.testing.assert_close(found, expected)
        (ours,), (theirs,) = (torch.autograd.grad(loss, logits) for loss in (found, expected))
        assert ours.dtype == torch.bfloat16
        torch.testing.assert_close(ours, theirs)


def test_small_models_of_the_tests_are_theSAME_in_any_order() -> None:
    torch.manual_seed(1)
    first = tiny_model().state_dict()
    torch.manual_seed(2)
    second = tiny_model().state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
