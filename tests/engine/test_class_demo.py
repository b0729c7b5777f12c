"""The class demo learns its small world: what a class sees in the Train room."""

from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.evaluation.sets import answer_cloze, read_cloze
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain import start_or_resume
from bertcore.training.pretrain_options import PretrainOptions


@pytest.mark.slow  # half a minute
@pytest.mark.parametrize("seed", [1, 2])
def test_nine_of_ten_questions_are_right_at_the_end_and_were_wrong_at_the_start(tmp_path: Path, seed: int) -> None:
    recipe = PretrainOptions.from_file(assets() / "recipes" / "class-demo.json")
    text = str(assets() / "corpus" / "small-world.txt")
    start_or_resume(recipe.with_changes(corpus=(text,), seed=seed), tmp_path / "run", resume=False)
    questions = read_cloze(assets() / "evaluation" / "small-world.jsonl")
    snapshots = RunFolder(tmp_path / "run").snapshots()
    first, last = (answer_cloze(load_checkpoint(snapshots[i][1]), questions).score.top1.value for i in (0, -1))
    assert first <= 0.1 and last >= 0.9
