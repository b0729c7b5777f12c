"""Shorter and longer steps of a run, positions that only its last part trains, and the sizes of its updates."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from bertcore.analysis.vectors import cosines
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.training import pretrain
from bertcore.training.pretrain import Pretraining, repeat_positions
from bertcore.training.start import start_run
from bertcore.training.step_observers import is_measured, part_of
from tests.engine.training_runs import metrics, stop_at, tiny_run, write_text

USUAL, SHORT, LONG = 16, 8, 24
SEQUENCES = 8  # of the usual length in a batch


def shapes(folder, steps, **data):
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


def test_a_share_of_the_steps_has_more_and_shorter_sequences(tmp_path):
    short, usual = (SEQUENCES * USUAL // SHORT, SHORT), (SEQUENCES, USUAL)
    for share, expected in ((0.7, {short, usual}), (0.0, {usual})):
        found = shapes(tmp_path, 200, short_share=share, long_share=0.0)
        assert set(found) == expected
        assert share - 0.1 <= found.count(short) / len(found) < share + 0.1
        shutil.rmtree(tmp_path / "run")


def test_long_steps_come_first_and_the_share_is_of_the_others(tmp_path):
    found = shapes(tmp_path, 40, short_share=1.0, long_share=0.5, long_every=4)
    long = [step for step, (_, tokens) in enumerate(found, 1) if tokens == LONG]
    assert long == [20, 24, 28, 32, 36, 40]
    assert {tokens for _, tokens in found} == {SHORT, LONG}


def test_held_out_text_keeps_the_usual_length_and_the_card_says_how_long_steps_are(tmp_path):
    """So that the curves of runs with and without can lie in one picture. How it resumes: test_drawn_batches."""
    text, words = write_text(tmp_path), []
    for share in (0.0, 0.5):
        options = tiny_run(text, {"short_sequence_length": SHORT, "short_share": share}, steps=2)
        snapshot = start_run(options, tmp_path / str(share), resume=False)
        words.append(metrics(tmp_path / str(share), "held_out")[0]["words"])
    assert words[0] == words[1] > 0
    card = (snapshot / "README.md").read_text(encoding="utf-8")
    assert "8 sequences of 16 tokens; 50% of the steps have more of 8" in card


def test_short_must_not_be_longer(tmp_path):
    with pytest.raises(BertcoreError, match="short sequence length must be at most"):
        tiny_run(tmp_path / "any.txt", {"short_sequence_length": USUAL + 1, "short_share": 0.1})
    with pytest.raises(BertcoreError, match="short share"):
        tiny_run(tmp_path / "any.txt", {"short_share": 1.5})


# --- positions that only the last part of a run trains


ROBERTA = {"model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1}


@pytest.mark.parametrize(
    ("family", "places", "trained", "rows"),
    [
        ({}, 12, 5, [0, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3]),  # later places take the vectors of trained ones in turn
        (ROBERTA, 10, 4, [0, 1, 2, 3, 4, 5, 3, 4, 5, 3]),  # counted from the first one that a token can have
        *(({}, 12, trained, range(12)) for trained in (1, 12, 20)),  # nothing to repeat
    ],
)
def test_places_that_are_repeated(family, places, trained, rows):
    shape = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=30, max_position_embeddings=places, **shape, **family)
    model = Bert(config, ["mlm"], False, generator=torch.Generator().manual_seed(0))
    before = model.embeddings.position.weight.detach().clone()
    repeat_positions(model, trained)
    assert torch.equal(model.embeddings.position.weight, before[list(rows)])


def later_rows_are_repeats(run):
    """Nearer to the row that they would repeat than random rows could be."""
    newest = sorted((run / "snapshots").iterdir())[-1]
    table = load_checkpoint(newest).model.embeddings.position.weight.numpy()
    alike = [cosines(table[[place, 1 + (place - 1) % (USUAL - 1)]])[0, 1] for place in range(USUAL, LONG)]
    return bool(np.mean(alike) > 0.8)


def test_a_run_repeats_them_once_when_its_long_part_begins(tmp_path, monkeypatch):
    options = tiny_run(write_text(tmp_path), steps=12, learning_rate=1e-3)  # the last 3 steps are long
    run, asked = tmp_path / "repeated", []

    def noted(model, trained):
        asked.append(trained)
        repeat_positions(model, trained)

    monkeypatch.setattr(pretrain, "repeat_positions", noted)
    start_run(options, run, False, stop_at(run, 11))
    assert RunFolder(run).status().step == 11 and asked == [USUAL]
    start_run(options, run, resume=True)
    assert RunFolder(run).status().state == "done" and asked == [USUAL]
    assert later_rows_are_repeats(run)
    assert [line["step"] for line in metrics(run, "phase") if line["phase"] == "longer"] == [10]
    kept = replace(options, data=replace(options.data, repeat_positions=False))
    start_run(kept, tmp_path / "kept", resume=False)
    assert not later_rows_are_repeats(tmp_path / "kept")


def test_a_run_that_began_with_a_checkpoint_keeps_its_positions_unless_told(tmp_path):
    options = tiny_run(write_text(tmp_path))
    assert options.repeats_positions
    continued = replace(options, start="checkpoint")
    assert not continued.repeats_positions
    assert replace(continued, data=replace(options.data, repeat_positions=True)).repeats_positions
    all_long = replace(options, data=replace(options.data, long_share=1.0, repeat_positions=True))
    assert not all_long.repeats_positions and replace(all_long, start="checkpoint").repeats_positions


# --- gradients and updates: those of the weights and of the log


@pytest.fixture(scope="module", params=["adamw", "muon"])
def measured(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(str(request.param))
    options = tiny_run(write_text(folder), steps=20, optimizer=request.param, gradient_clip=0.5)
    start_run(options, folder / "run", resume=False)
    return folder / "run"


def test_all_parts_together_have_the_gradient_norm_that_is_logged(measured):
    logged = {line["step"]: line["gradient_norm"] for line in metrics(measured)}
    lines = metrics(measured, "updates")
    assert [line["step"] for line in lines] == [1, 2, 5, 10, 20]
    assert max(logged.values()) > 0.5  # some of them were clipped
    for line in lines:
        total = sum(value**2 for value in line["gradient"].values()) ** 0.5
        assert total == pytest.approx(logged[line["step"]], rel=1e-4)
        assert set(line["gradient"]) <= {"embeddings", "layers.0.attention", "layers.0.feed_forward", "heads"}


def test_the_ratio_is_how_far_the_weights_moved(measured):
    """From the snapshots of steps 0, 1 and 2, as anybody could compute it."""
    snapshots = dict(RunFolder(measured).snapshots())
    weights = {step: load_checkpoint(snapshots[step]).model.state_dict() for step in (0, 1, 2)}
    for line in metrics(measured, "updates")[:2]:
        step = line["step"]
        for part, ratio in line["ratio"].items():
            old, new = weights[step - 1], weights[step]
            names = [name for name in old if part_of(name) == part and not torch.equal(old[name], new[name])]
            before, after = (torch.cat([state[name].flatten() for name in names]) for state in (old, new))
            assert ratio == pytest.approx(float((after - before).norm() / before.norm()), rel=1e-3), part


def test_measured_often_at_first_and_seldom_later():
    steps = [step for step in range(1, 100_001) if is_measured(step)]
    assert steps[:6] == [1, 2, 5, 10, 20, 30] and len(steps) < 500 and steps[-1] == 100_000
