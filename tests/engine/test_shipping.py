"""What the scripts say of a model that ships follows from its runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bertcore.analysis.apply import as_example
from bertcore.training.options import DataOptions, PretrainOptions, TrainingOptions
from bertcore.training.run_folder import RunFolder
from scripts.ship_checkpoint import Piece, _lengths
from scripts.what_pretraining_buys import TRIALS, _run
from tests.engine.models import tiny_checkpoint


@pytest.mark.parametrize(
    ("data", "minutes", "has"),
    [
        ({"long_sequence_length": 512}, 10.0003, False),  # the last step ends a little after the budget
        ({"long_sequence_length": 512, "long_share": 0.2}, 7.0, False),
        ({"long_sequence_length": 512, "long_share": 0.2}, 9.0, True),
        ({"long_sequence_length": 128, "long_share": 1.0}, 9.0, False),
    ],
)
def test_a_long_part_is_said_where_there_was_one(data: dict[str, float], minutes: float, has: bool) -> None:
    options = PretrainOptions(
        data=DataOptions(sequence_length=128, **data),  # type: ignore[arg-type]
        training=TrainingOptions(minutes=10),
    )
    assert Piece(RunFolder(Path("run")), options, Path("snapshot"), 500, 1000, minutes).has_long_part is has


def test_runs_from_random_weights_are_shared_by_checkpoints_of_one_architecture_alone(tmp_path: Path) -> None:
    model, twin = tiny_checkpoint(tmp_path / "model"), tmp_path / "twin"
    shutil.copytree(model, twin)
    (twin / "model.safetensors").write_bytes(b"other weights")
    deeper = tiny_checkpoint(tmp_path / "deeper", num_hidden_layers=3)

    def run(kind: str, folder: Path, rate: float | None = None) -> Path:
        return _run(tmp_path, TRIALS[0], kind, str(folder), rate)

    assert run("random", model) == run("random", twin) != run("random", deeper)
    assert run("pretrained", model) != run("pretrained", twin)
    assert run("random", model, 1e-4) != run("random", model) != run("pretrained", model)


def test_a_b_of_blanks_is_no_second_text() -> None:
    assert as_example("classify", "A fine film.", " ") == as_example("classify", "A fine film.")


def piece(minutes: float = 10.0, **data: float) -> Piece:
    options = PretrainOptions(
        data=DataOptions(sequence_length=128, long_sequence_length=512, **data),  # type: ignore[arg-type]
        training=TrainingOptions(minutes=10),
    )
    return Piece(RunFolder(Path("run")), options, Path("snapshot"), 500, 1000, minutes)


def test_the_lengths_of_sequences_are_told_in_their_order() -> None:
    plain, ended_long = piece(), piece(long_share=0.2)
    mixed, short = piece(long_share=1.0, long_every=4), piece(long_share=1.0, long_every=4, short_share=0.7)
    assert _lengths([plain, plain], 128) == "128 tokens"
    assert (
        _lengths([plain, ended_long, mixed, short], 512)
        == "128, then 512, then 128 and 512, then 32 and 128 and 512 tokens"
    )
    assert _lengths([plain, piece(5.0, long_share=0.2)], 512).endswith("**positions beyond 128 were never trained**")
    assert _lengths([piece(long_share=1.0)], 512) == "512 tokens"
    assert _lengths([piece(short_share=1.0)], 128) == "32 tokens; **positions beyond 32 were never trained**"
