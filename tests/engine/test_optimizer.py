"""Muon against torch's own, and the ways of fine-tuning of Howard and Ruder 2018 against their formulas."""

import math

import pytest
import torch

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions, TuningOptions
from bertcore.training.optimizer import (
    SCHEDULES,
    Muon,
    make_optimizer,
    optimizer_tensors,
    restore_optimizer,
    takes_matrix,
    warmup_stable_decay,
)
from tests.engine.models import tiny_model
from tests.engine.runs_of_each_kind import fine_tuning


def _model():
    config = BertConfig.preset("tiny", vocab_size=40, num_hidden_layers=1, hidden_size=16, num_attention_heads=2)
    return Bert(config, generator=torch.Generator().manual_seed(0))


def _with_gradients(model, seed):
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)


@pytest.mark.parametrize("shape", [(16, 16), (16, 48), (48, 16)])
def test_steps_are_those_of_torch(shape):
    start = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    ours, theirs = (torch.nn.Parameter(start.clone()) for _ in range(2))
    muon = Muon([{"params": [ours], "matrices": 1}], lr=0.02, weight_decay=0.1, fused=True)
    peer = torch.optim.Muon([theirs], lr=0.02, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for seed in range(4):
        ours.grad = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
        theirs.grad = ours.grad.clone()
        muon.step()
        peer.step()
    moved = (theirs - start).norm()
    assert (ours - theirs).norm() < 0.02 * moved  # torch iterates in bf16


def test_query_key_and_value_are_made_orthogonal_one_by_one():
    model = _model()
    before = model.encoder.layers[0].attention.query_key_value.weight.detach().clone()
    _with_gradients(model, 0)
    optimizer = make_optimizer(model, 0.01, 0.0, kind="muon")
    optimizer.step()
    steps = (before - model.encoder.layers[0].attention.query_key_value.weight).detach() / (0.01 * 0.2 * 16**0.5)
    for step in steps.chunk(3):
        assert torch.linalg.svdvals(step).max() < 1.25
    assert torch.linalg.svdvals(steps).max() > 1.25  # which all three together are not


def test_what_is_no_matrix_of_a_layer_learns_as_with_adamw():
    model, peer = _model(), _model()
    muon, adamw = make_optimizer(model, 1e-2, 0.1, kind="muon"), make_optimizer(peer, 1e-2, 0.1)
    for seed in range(3):
        for each, optimizer in ((model, muon), (peer, adamw)):
            _with_gradients(each, seed)
            optimizer.step()
    others = dict(peer.named_parameters())
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, others[name]) != bool(takes_matrix(name, parameter)), name
    assert takes_matrix("embeddings.token.weight", model.embeddings.token.weight) == 0


def test_goes_on_from_its_saved_state_as_if_nothing_had_happened():
    straight, broken = _model(), _model()
    optimizer, first = (make_optimizer(each, 1e-2, 0.1, kind="muon") for each in (straight, broken))
    for seed in (1, 2):
        if seed == 2:
            second = make_optimizer(broken, 1e-2, 0.1, kind="muon")
            restore_optimizer(second, broken, optimizer_tensors(first, broken))
        for each, its in ((straight, optimizer), (broken, first if seed == 1 else second)):
            _with_gradients(each, seed)
            its.step()
    assert all(torch.equal(*pair) for pair in zip(straight.parameters(), broken.parameters(), strict=True))


@pytest.mark.parametrize(
    ("name", "rates"),  # at 0, 5%, 10%, 55% and 100% of the way; it rises for a tenth of it
    [
        ("linear", [0.0, 16.0, 32.0, 16.0, 0.0]),
        ("constant", [0.0, 16.0, 32.0, 32.0, 32.0]),
    ],
)
def test_schedules_by_hand(name, rates):
    assert [SCHEDULES[name](x, 32.0, 0.1) for x in (0.0, 0.05, 0.1, 0.55, 1.0)] == pytest.approx(rates)
    assert SCHEDULES["linear"](0.25, 2.0, 0.0) == pytest.approx(1.5)
    falls = [warmup_stable_decay(x, 2.0, 0.1, 0.2) for x in (0.05, 0.1, 0.5, 0.8, 0.9, 1.0)]
    assert falls == pytest.approx([1.0, 2.0, 2.0, 2.0, 1.0, 0.0])
    assert warmup_stable_decay(1.0, 2.0, 0.0, 0.0) == 2.0


# --- Howard and Ruder 2018, sections 3.2 and 3.3

PEAK, CUT_FRAC, RATIO = 0.01, 0.1, 32


def slanted_triangular(t, steps):
    """Equation 3 of the paper, symbol by symbol."""
    cut = math.floor(steps * CUT_FRAC)
    p = t / cut if t < cut else 1 - (t - cut) / (cut * (1 / CUT_FRAC - 1))
    return PEAK * (1 + p * (RATIO - 1)) / RATIO


@pytest.mark.parametrize("steps", [10, 100, 1000])
def test_slanted_triangular_rates(steps):
    slanted = SCHEDULES["slanted"]
    for t in range(steps + 1):
        assert slanted(t / steps, PEAK, CUT_FRAC) == pytest.approx(slanted_triangular(t, steps))


def test_discriminative_rates():
    """Each layer's rate is that of the layer above over 2.6."""
    model = tiny_model(("classify",), num_hidden_layers=3).requires_grad_(True)
    optimizer = make_optimizer(model, PEAK, 0.0, layer_decay=1 / 2.6)
    share = {id(parameter): group["rate_share"] for group in optimizer.param_groups for parameter in group["params"]}
    parts = (model.classify, *reversed(model.encoder.layers), model.embeddings.token)
    assert [share[id(next(part.parameters()))] for part in parts] == pytest.approx([1 / 2.6**n for n in range(5)])


def learning(frozen_layers, epoch, fraction=0.0):
    """Which parts of a model of three layers learn in an epoch of gradual unfreezing."""
    training = TuningOptions(gradual_unfreezing=True, frozen_layers=frozen_layers)
    work, model = FineTuning(FinetuneOptions(training=training)), tiny_model(("classify",), num_hidden_layers=3)
    work.model = model
    work._freeze()
    work._train_from(work._lowest_trained(epoch, fraction))
    names = (name for name, parameter in model.named_parameters() if parameter.requires_grad)
    return {name.split(".")[2] if name.startswith("encoder.layers.") else name.split(".")[0] for name in names}


@pytest.mark.parametrize(
    ("epoch", "layers"), [(0, set()), (1, {"2"}), (2, {"2", "1"}), (3, {"2", "1", "0"}), (4, {"2", "1", "0"})]
)
def test_one_layer_more_in_each_epoch(epoch, layers):
    heads = {"pooler", "classify"}
    assert learning(0, epoch) == heads | layers | ({"embeddings"} if epoch >= 4 else set())
    assert learning(2, epoch) == heads | (layers & {"2"})  # what is frozen stays so


def test_three_epochs_reach_the_lowest_layer_too():
    """Five parts (heads, three layers, embeddings) and three epochs: each part gets a fifth of the budget."""
    parts = [learning(0, epoch, fraction) for epoch, fraction in ((0, 0.1), (0, 0.3), (1, 0.5), (1, 0.65), (2, 0.9))]
    heads, order = {"pooler", "classify"}, ["2", "1", "0", "embeddings"]
    assert parts == [heads | set(order[:more]) for more in range(5)]
    assert learning(1, 2, 0.99) == heads | {"2", "1"}


def test_more_frozen_layers_than_there_are(tmp_path):
    fine_tuning(tmp_path, steps=1, frozen_layers=2)(tmp_path / "2")
    with pytest.raises(BertcoreError, match="The model has 2 layers; freeze at most that many, not 3"):
        fine_tuning(tmp_path, steps=1, frozen_layers=3)(tmp_path / "3")
