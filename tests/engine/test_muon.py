"""Muon against torch's own, against the singular value decomposition, and beside AdamW."""

import pytest
import torch

from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.training.optimizer import (
    Muon,
    make_optimizer,
    optimizer_tensors,
    orthogonal,
    restore_optimizer,
    takes_matrix,
    warmup_stable_decay,
)


def _model() -> Bert:
    return Bert(
        BertConfig.preset("tiny", vocab_size=40, num_hidden_layers=1, hidden_size=16, num_attention_heads=2),
        generator=torch.Generator().manual_seed(0),
    )


def _with_gradients(model: Bert, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)


def test_the_singular_vectors_stay_and_the_singular_values_become_about_one() -> None:
    matrices = torch.randn(3, 12, 40, generator=torch.Generator().manual_seed(1))
    for before, after in zip(matrices, orthogonal(matrices), strict=True):
        left, _, right = torch.linalg.svd(before, full_matrices=False)
        values = left.T @ after @ right.T  # diagonal where the singular vectors are the same
        assert (values - torch.diag(values.diagonal())).abs().max() < 1e-4
        assert values.diagonal().min() > 0.65 and values.diagonal().max() < 1.25


@pytest.mark.parametrize("shape", [(16, 16), (16, 48), (48, 16)])
def test_steps_are_those_of_torch(shape: tuple[int, int]) -> None:
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


def test_query_key_and_value_are_made_orthogonal_one_by_one() -> None:
    model = _model()
    before = model.encoder.layers[0].attention.query_key_value.weight.detach().clone()
    _with_gradients(model, 0)
    optimizer = make_optimizer(model, 0.01, 0.0, kind="muon")
    optimizer.step()
    steps = (before - model.encoder.layers[0].attention.query_key_value.weight).detach() / (0.01 * 0.2 * 16**0.5)
    for step in steps.chunk(3):
        assert torch.linalg.svdvals(step).max() < 1.25
    assert torch.linalg.svdvals(steps).max() > 1.25  # which all three together are not


def test_what_is_no_matrix_of_a_layer_learns_as_with_adamw() -> None:
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


def test_goes_on_from_its_saved_state_as_if_nothing_had_happened() -> None:
    straight, broken = _model(), _model()
    optimizer, first = make_optimizer(straight, 1e-2, 0.1, kind="muon"), make_optimizer(broken, 1e-2, 0.1, kind="muon")
    for each, its in ((straight, optimizer), (broken, first)):
        _with_gradients(each, 1)
        its.step()
    second = make_optimizer(broken, 1e-2, 0.1, kind="muon")
    restore_optimizer(second, broken, optimizer_tensors(first, broken))
    for each, its in ((straight, optimizer), (broken, second)):
        _with_gradients(each, 2)
        its.step()
    for one, other in zip(straight.parameters(), broken.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_rate_rises_stays_and_falls() -> None:
    assert [warmup_stable_decay(x, 2.0, 0.1, 0.2) for x in (0.05, 0.1, 0.5, 0.8, 0.9, 1.0)] == pytest.approx(
        [1.0, 2.0, 2.0, 2.0, 1.0, 0.0]
    )
    assert warmup_stable_decay(1.0, 2.0, 0.0, 0.0) == 2.0
