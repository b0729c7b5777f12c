"""The demos of the Train room learn what they promise, through the same engine as any run."""

from pathlib import Path

import numpy as np
import pytest

from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.cloze import read_cloze
from bertcore.evaluation.sets import answer_cloze
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run
from tests.engine.training_runs import metrics


def _train(recipe: str, text: str, run: Path, seed: int) -> RunFolder:
    options = PretrainOptions.from_file(assets() / "recipes" / f"{recipe}.json")
    corpus, questions = assets() / "corpus" / f"{text}.txt", assets() / "evaluation" / f"{text}.jsonl"
    start_run(options.with_changes(corpus=(str(corpus),), questions=str(questions), seed=seed), run, resume=False)
    return RunFolder(run)


@pytest.mark.slow  # half a minute
@pytest.mark.parametrize("seed", [1, 2])
def test_nine_of_ten_questions_are_right_at_the_end_and_were_wrong_at_the_start(tmp_path: Path, seed: int) -> None:
    run = _train("class-demo", "small-world", tmp_path / "run", seed)
    questions = read_cloze(assets() / "evaluation" / "small-world.jsonl")
    snapshots = run.snapshots()
    first, last = (answer_cloze(load_checkpoint(snapshots[i][1]), questions).score.top1.value for i in (0, -1))
    assert first <= 0.1 and last >= 0.9
    shares = [line["questions"]["right"] / line["questions"]["of"] for line in metrics(run.path, "held_out")]
    assert (shares[0], shares[-1]) == (first, last) and len(shares) > 20


@pytest.mark.slow  # some five seconds each
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_one_head_of_the_ten_second_demo_looks_at_the_mirrored_letter(tmp_path: Path, seed: int) -> None:
    """On lines that it has never read: the letter behind the mask, and where the head looks, from each place."""
    run = _train("ten-seconds", "mirror", tmp_path / "run", seed)
    questions = read_cloze(assets() / "evaluation" / "mirror.jsonl")
    untrained, trained = (load_checkpoint(run.snapshots()[i][1]) for i in (0, -1))
    assert (trained.config.num_hidden_layers, trained.config.num_attention_heads) == (1, 1)
    assert answer_cloze(untrained, questions).score.top1.value < 0.2
    assert answer_cloze(trained, questions).score.top1.value > 0.95
    mirrored = []
    for question in questions:
        encoding = trained.tokenizer.encode(question.text)
        attention = trace(trained.model, encoding.ids, encoding.segments, mlm_positions=[]).attentions[0, 0]  # (S,S)
        letters = np.arange(1, len(encoding) - 1)
        mirrored.append(attention[letters, len(encoding) - 1 - letters].mean())
    assert np.mean(mirrored) > 0.8
