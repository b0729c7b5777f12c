"""Some steps of a run have shorter sequences: how many, which, and what the rest of the run makes of it."""

from pathlib import Path
from typing import Any

import pytest

from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain import Pretraining
from bertcore.training.start import start_run
from tests.engine.training_runs import losses, metrics, stop_at, tiny_run, write_text

USUAL, SHORT, LONG = 16, 8, 24
SEQUENCES = 8  # of the usual length in a batch


def shapes(folder: Path, steps: int, **data: Any) -> list[tuple[int, int]]:
    """Sequences and tokens of each step's batch."""
    options = tiny_run(write_text(folder), {"short_sequence_length": SHORT, **data}, steps=steps)
    (folder / "run").mkdir()
    training = Pretraining(options)
    try:
        training.prepare(folder / "run", lambda words: None)
        planned = training.batches
        batches = [planned.make(planned.plan(step, step / steps)) for step in range(1, steps + 1)]
    finally:
        training.close()
    return [batch.input_ids.shape for batch in batches]


def test_a_share_of_the_steps_has_more_and_shorter_sequences(tmp_path: Path) -> None:
    found = shapes(tmp_path, 200, short_share=0.7, long_share=0.0)
    short, usual = (SEQUENCES * USUAL // SHORT, SHORT), (SEQUENCES, USUAL)
    assert set(found) == {short, usual}
    assert 0.6 < found.count(short) / len(found) < 0.8


def test_long_steps_come_first_and_the_share_is_of_the_others(tmp_path: Path) -> None:
    found = shapes(tmp_path, 40, short_share=1.0, long_share=0.5, long_every=4)
    long = [step for step, (_, tokens) in enumerate(found, 1) if tokens == LONG]
    assert long == [20, 24, 28, 32, 36, 40]
    assert {tokens for _, tokens in found} == {SHORT, LONG}


def test_none_unless_asked_for(tmp_path: Path) -> None:
    assert set(shapes(tmp_path, 20, long_share=0.0)) == {(SEQUENCES, USUAL)}


def test_held_out_text_keeps_the_usual_length(tmp_path: Path) -> None:
    """So that the curves of runs with and without can lie in one picture."""
    text, words = write_text(tmp_path), []
    for share in (0.0, 1.0):
        options = tiny_run(text, {"short_sequence_length": SHORT, "short_share": share}, steps=2)
        start_run(options, tmp_path / str(share), resume=False)
        words.append(metrics(tmp_path / str(share), "held_out")[0]["words"])
    assert words[0] == words[1] > 0


def test_a_resumed_run_is_the_undisturbed_one(tmp_path: Path) -> None:
    options = tiny_run(write_text(tmp_path), {"short_sequence_length": SHORT, "short_share": 0.5}, steps=12)
    start_run(options, tmp_path / "undisturbed", resume=False)
    run = tmp_path / "stopped"
    start_run(options, run, resume=False, on_event=stop_at(run, 5))
    assert RunFolder(run).status().state == "stopped"
    start_run(None, run, resume=True)
    assert losses(run) == losses(tmp_path / "undisturbed")
    card = (sorted((run / "snapshots").iterdir())[-1] / "README.md").read_text(encoding="utf-8")
    assert "8 sequences of 16 tokens; 50% of the steps have more of 8" in card


def test_short_must_not_be_longer(tmp_path: Path) -> None:
    with pytest.raises(BertcoreError, match="short sequence length must be at most"):
        tiny_run(tmp_path / "any.txt", {"short_sequence_length": USUAL + 1, "short_share": 0.1})
    with pytest.raises(BertcoreError, match="short share"):
        tiny_run(tmp_path / "any.txt", {"short_share": 1.5})
