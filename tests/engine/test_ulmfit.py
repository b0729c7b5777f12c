"""The three ways of fine-tuning of Howard and Ruder 2018, section 3.2 and 3.3, against their formulas."""

import math
from pathlib import Path
from typing import Any

import pytest
from torch.nn import Parameter

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.optimizer import SCHEDULES, make_optimizer
from bertcore.training.start import start_run
from tests.engine.models import tiny_model, word_tokenizer

PEAK, CUT_FRAC, RATIO = 0.01, 0.1, 32


def slanted_triangular(t: int, steps: int) -> float:
    """Equation 3 of the paper, symbol by symbol."""
    cut = math.floor(steps * CUT_FRAC)
    p = t / cut if t < cut else 1 - (t - cut) / (cut * (1 / CUT_FRAC - 1))
    return PEAK * (1 + p * (RATIO - 1)) / RATIO


@pytest.mark.parametrize("steps", [10, 100, 1000])
def test_slanted_triangular_rates(steps: int) -> None:
    slanted = SCHEDULES["slanted"]
    for t in range(steps + 1):
        assert slanted(t / steps, PEAK, CUT_FRAC) == pytest.approx(slanted_triangular(t, steps))


def test_slanted_triangular_rates_by_hand() -> None:
    """Begins and ends at a 32nd, is highest after a tenth; half way up and half way down it is 16.5 / 32."""
    rates = [SCHEDULES["slanted"](fraction, 32.0, 0.1) for fraction in (0.0, 0.05, 0.1, 0.55, 1.0)]
    assert rates == pytest.approx([1.0, 16.5, 32.0, 16.5, 1.0])


def test_discriminative_rates() -> None:
    """Each layer's rate is that of the layer above over 2.6."""
    model = tiny_model(("classify",), num_hidden_layers=3).requires_grad_(True)
    optimizer = make_optimizer(model, PEAK, 0.0, layer_decay=1 / 2.6)
    share = {id(parameter): group["rate_share"] for group in optimizer.param_groups for parameter in group["params"]}

    def of(parameter: Parameter) -> float:
        return float(share[id(parameter)])

    layers = [of(next(layer.parameters())) for layer in model.encoder.layers]
    assert model.classify is not None
    assert of(next(model.classify.parameters())) == 1.0
    assert layers == pytest.approx([1 / 2.6**3, 1 / 2.6**2, 1 / 2.6])
    assert of(model.embeddings.token.weight) == pytest.approx(1 / 2.6**4)


def learning(frozen_layers: int, epoch: int, fraction: float = 0.0) -> set[str]:
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
def test_one_layer_more_in_each_epoch(epoch: int, layers: set[str]) -> None:
    heads = {"pooler", "classify"}
    assert learning(0, epoch) == heads | layers | ({"embeddings"} if epoch >= 4 else set())
    assert learning(2, epoch) == heads | (layers & {"2"})  # what is frozen stays so


def test_three_epochs_reach_the_lowest_layer_too() -> None:
    """Five parts (heads, three layers, embeddings) and three epochs: each part gets a fifth of the budget."""
    parts = [learning(0, epoch, fraction) for epoch, fraction in ((0, 0.1), (0, 0.3), (1, 0.5), (1, 0.65), (2, 0.9))]
    heads, order = {"pooler", "classify"}, ["2", "1", "0", "embeddings"]
    assert parts == [heads | set(order[:more]) for more in range(5)]
    assert learning(1, 2, 0.99) == heads | {"2", "1"}


def test_more_frozen_layers_than_there_are(tmp_path: Path) -> None:
    save_checkpoint(tiny_model(("mlm",)), word_tokenizer(), tmp_path / "model")
    rows = "".join(f"the {animal} sat\t{label}\n" for animal, label in (("cat", 1), ("dog", 0)) * 20)
    (tmp_path / "train.tsv").write_text(f"sentence\tlabel\n{rows}")
    data = TaskDataOptions(task="sst2", train=str(tmp_path / "train.tsv"))

    def run(name: str, **training: Any) -> None:
        options = FinetuneOptions(
            model=str(tmp_path / "model"), data=data, training=TuningOptions(steps=1, threads=1, **training)
        )
        start_run(options, tmp_path / name, resume=False)

    with pytest.raises(BertcoreError, match="The model has 2 layers; freeze at most that many, not 3"):
        run("three", frozen_layers=3)
    run("two", frozen_layers=2)
