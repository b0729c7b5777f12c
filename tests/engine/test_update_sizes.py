"""The sizes of gradients and updates are those of the weights and of the log."""

from pathlib import Path

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.training.start import start_run
from bertcore.training.step_observers import is_measured, part_of
from tests.engine.training_runs import metrics, tiny_run, write_text


@pytest.fixture(scope="module", params=["adamw", "muon"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(str(request.param))
    options = tiny_run(write_text(folder), steps=20, optimizer=request.param, gradient_clip=0.5)
    start_run(options, folder / "run", resume=False)
    return folder / "run"


def test_all_parts_together_have_the_gradient_norm_that_is_logged(run: Path) -> None:
    logged = {line["step"]: line["gradient_norm"] for line in metrics(run)}
    lines = metrics(run, "updates")
    assert [line["step"] for line in lines] == [1, 2, 5, 10, 20]
    assert max(logged.values()) > 0.5  # some of them were clipped
    for line in lines:
        total = sum(value**2 for value in line["gradient"].values()) ** 0.5
        assert total == pytest.approx(logged[line["step"]], rel=1e-4)
        assert set(line["gradient"]) <= {"embeddings", "layers.0.attention", "layers.0.feed_forward", "heads"}


def test_the_ratio_is_how_far_the_weights_moved(run: Path) -> None:
    """From the snapshots of steps 0, 1 and 2, as anybody could compute it."""
    snapshots = dict(RunFolder(run).snapshots())
    weights = {step: load_checkpoint(snapshots[step]).model.state_dict() for step in (0, 1, 2)}
    for line in metrics(run, "updates")[:2]:
        step = line["step"]
        for part, ratio in line["ratio"].items():
            old, new = weights[step - 1], weights[step]
            names = [name for name in old if part_of(name) == part and not torch.equal(old[name], new[name])]
            before, after = (torch.cat([state[name].flatten() for name in names]) for state in (old, new))
            assert ratio == pytest.approx(float((after - before).norm() / before.norm()), rel=1e-3), part


def test_measured_often_at_first_and_seldom_later() -> None:
    steps = [step for step in range(1, 100_001) if is_measured(step)]
    assert steps[:6] == [1, 2, 5, 10, 20, 30] and len(steps) < 500 and steps[-1] == 100_000
