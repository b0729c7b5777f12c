"""`bertcore batch`: a step's batch of a run, drawn again."""

from pathlib import Path

import pytest

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.locations import CLASS_DEMO, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.drawn_batches import FATES, open_batches
from tests.end_to_end.shell import Shell

RUN = assets() / "runs" / CLASS_DEMO


def test_a_batch_as_a_table_and_as_json(shell: Shell) -> None:
    shown = shell("batch", RUN, "--step", "252")
    assert shown.code == 0, shown.err
    assert "by the snapshot of step 250" in shown.out and "ordered 80%" in shown.out
    assert "text of further documents only fills the sequence" in shown.out
    batch = shell("batch", RUN, "--step", "252", "--snapshot", "600", "--json").json
    drawn = open_batches(RUN).at(252)
    assert (batch["snapshot"], batch["shape"]) == (600, list(drawn.ids.shape))
    for row, sequence in enumerate(batch["sequences"]):
        fates = [FATES.index(token.get("fate", "")) for token in sequence["tokens"]]
        assert fates == drawn.fates[row][~drawn.is_padding[row]].tolist()
        losses = [token["loss"] for token in sequence["tokens"] if "loss" in token]
        assert len(losses) == (drawn.labels[row] != NO_LABEL).sum()
    one = shell("batch", RUN, "--step", "252", "--sequence", "2").out
    assert "first guess" in one and one.count("hidden") == 1 + 5


def test_a_run_of_another_kind_is_told_in_words_for_the_shell(shell: Shell, tmp_path: Path) -> None:
    for kind in ("sweep", 7, None):
        run = RunFolder.create(tmp_path / f"run-{kind}", {"kind": kind})
        sentence = shell("batch", run.path, "--step", "1").sentence
        assert f"There is no kind of run {kind!r}" in sentence and "open_examples" not in sentence
    tuned = RunFolder.create(tmp_path / "tuned", {"kind": "finetune"})
    with pytest.raises(BertcoreError, match="was fine-tuned, so its batches are examples and not plain text.$"):
        open_batches(tuned.path)


def test_what_is_not_there_is_one_sentence(shell: Shell) -> None:
    assert "taken 600 steps so far" in shell("batch", RUN, "--step", "601").err
    assert "no snapshot of step 7" in shell("batch", RUN, "--step", "7", "--snapshot", "7").err
    assert "no sequence 99" in shell("batch", RUN, "--step", "7", "--sequence", "99").err
