"""Texts of a few lines, as tutorials have them: each line is a document, and one document gives both answers."""

from pathlib import Path

import numpy as np
import pytest

from bertcore.data.corpus import Corpus
from bertcore.data.pairs import IS_NEXT, NOT_NEXT, PairRules, PairSampler
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.pretrain_options import DataOptions
from bertcore.training.start import start_run
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import metrics, tiny_run

pytestmark = pytest.mark.usefixtures("fast_disk")
ROMEO = """Hello, how are you? I am Romeo.
Hello, Romeo My name is Juliet. Nice to meet you.
Nice meet you too. How are you today?
Great. My baseball team won the competition.
Oh Congratulations, Juliet
Thanks you Romeo
"""


TWO_LINES = "The cat sat. The dog sat.\nA bird sang. It was warm.\n"


@pytest.mark.parametrize("text", [ROMEO, TWO_LINES], ids=["romeo", "two"])
@pytest.mark.parametrize("pack", [True, False])
def test_a_few_lines_without_blank_ones_are_trained_on(tmp_path: Path, text: str, pack: bool) -> None:
    file, run = tmp_path / "lines.txt", tmp_path / "run"
    file.write_text(text)
    options = tiny_run(file, data={"long_share": 0.0, "pack": pack}, steps=6, causal_share=0.0)
    start_run(options, run, resume=False)
    assert RunFolder(run).status().state == "done"
    assert all(line["nsp_loss"] is not None for line in metrics(run))


def test_a_single_document_gives_both_answers() -> None:
    """Four sentences of two tokens: what follows A is never given as a B that does not follow."""
    corpus = Corpus(np.arange(8, dtype=np.uint16), np.arange(0, 9, 2), np.array([0, 4]), np.array([False]))
    sampler = PairSampler(corpus, held_out=False, length=16, seed=0, rules=PairRules())
    pairs = sampler.pairs(sampler.windows(60), np.random.default_rng(0))
    assert {pair.label for pair in pairs} == {IS_NEXT, NOT_NEXT}
    for pair in pairs:
        assert (pair.b[0] == pair.a[-1] + 1) == (pair.label == IS_NEXT)


@pytest.mark.parametrize("text", ["One line.", "Two lines.\nOf a sentence each.\n", ""])
def test_what_is_refused_leaves_no_run(tmp_path: Path, text: str) -> None:
    file = tmp_path / "little.txt"
    file.write_text(text)
    with pytest.raises(BertcoreError, match="too little text|is empty"):
        start_run(tiny_run(file), tmp_path / "run", resume=False)
    distil = DistilOptions(teacher=str(tiny_checkpoint(tmp_path / "teacher")), data=DataOptions(corpus=(str(file),)))
    with pytest.raises(BertcoreError, match="too little text|is empty"):
        start_run(distil, tmp_path / "student", resume=False)
    assert not (tmp_path / "run").exists() and not (tmp_path / "student").exists()
