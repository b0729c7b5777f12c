"""Positions that only the last part of a run trains."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.analysis.vectors import cosines
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.training import pretrain
from bertcore.training.pretrain import repeat_positions
from bertcore.training.start import start_run
from tests.engine.training_runs import metrics, stop_at, tiny_run, write_text

SHORT, LONG = 16, 24  # of tiny_run


def small(**changes: object) -> Bert:
    config = BertConfig(
        vocab_size=30, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, **changes
    )
    return Bert(config, ["mlm"], False, generator=torch.Generator().manual_seed(0))


def test_later_places_take_the_vectors_of_trained_ones_in_turn() -> None:
    model = small(max_position_embeddings=12)
    before = model.embeddings.position.weight.detach().clone()
    repeat_positions(model, 5)
    after = model.embeddings.position.weight
    assert torch.equal(after[:5], before[:5])
    assert torch.equal(after[5:], before[[1, 2, 3, 4, 1, 2, 3]])


def test_places_are_counted_from_the_first_one_that_a_token_can_have() -> None:
    model = small(model_type="roberta", type_vocab_size=1, pad_token_id=1, max_position_embeddings=10)
    before = model.embeddings.position.weight.detach().clone()
    repeat_positions(model, 4)
    assert torch.equal(model.embeddings.position.weight, before[[0, 1, 2, 3, 4, 5, 3, 4, 5, 3]])


@pytest.mark.parametrize("trained", [1, 12, 20])
def test_nothing_happens_where_there_is_nothing_to_repeat(trained: int) -> None:
    model = small(max_position_embeddings=12)
    before = model.embeddings.position.weight.detach().clone()
    repeat_positions(model, trained)
    assert torch.equal(model.embeddings.position.weight, before)


def later_rows_are_repeats(run: Path) -> bool:
    """Nearer to the row that they would repeat than random rows could be."""
    newest = sorted((run / "snapshots").iterdir())[-1]
    table = load_checkpoint(newest).model.embeddings.position.weight.numpy()
    alike = [cosines(table[[place, 1 + (place - 1) % (SHORT - 1)]])[0, 1] for place in range(SHORT, LONG)]
    return bool(np.mean(alike) > 0.8)


def test_a_run_repeats_them_once_when_its_long_part_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = tiny_run(write_text(tmp_path), steps=12, learning_rate=1e-3)  # the last 3 steps are long
    run, asked = tmp_path / "repeated", []

    def noted(model: Bert, trained: int) -> None:
        asked.append(trained)
        repeat_positions(model, trained)

    monkeypatch.setattr(pretrain, "repeat_positions", noted)
    start_run(options, run, False, stop_at(run, 11))
    assert RunFolder(run).status().step == 11 and asked == [SHORT]
    start_run(options, run, resume=True)
    assert RunFolder(run).status().state == "done" and asked == [SHORT]
    assert later_rows_are_repeats(run)
    assert [line["step"] for line in metrics(run, "phase") if line["phase"] == "longer"] == [10]
    kept = replace(options, data=replace(options.data, repeat_positions=False))
    start_run(kept, tmp_path / "kept", resume=False)
    assert not later_rows_are_repeats(tmp_path / "kept")


def test_the_last_part_may_keep_short_sequences_between(tmp_path: Path) -> None:
    options = tiny_run(write_text(tmp_path), {"long_share": 0.5, "long_every": 2}, steps=8)
    start_run(options, tmp_path / "run", resume=False)
    tokens = [0, *(line["tokens"] for line in metrics(tmp_path / "run"))]
    most_if_long = 8 * SHORT // LONG * LONG  # a short batch has nearly 8 x 16 tokens
    are_long = [after - before <= most_if_long for before, after in pairwise(tokens)]
    assert are_long == [False, False, False, False, False, True, False, True]
    told = [(line["step"], line["message"]) for line in metrics(tmp_path / "run", "phase") if line["phase"] == "longer"]
    assert told == [(6, f"Longer sequences from here on: {LONG} tokens in one step of 2.")]


def test_a_run_that_began_with_a_checkpoint_keeps_its_positions_unless_told(tmp_path: Path) -> None:
    options = tiny_run(write_text(tmp_path))
    assert options.repeats_positions
    continued = replace(options, start="checkpoint")
    assert not continued.repeats_positions
    assert replace(continued, data=replace(options.data, repeat_positions=True)).repeats_positions
    all_long = replace(options, data=replace(options.data, long_share=1.0, repeat_positions=True))
    assert not all_long.repeats_positions and replace(all_long, start="checkpoint").repeats_positions
