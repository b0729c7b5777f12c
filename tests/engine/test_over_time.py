"""What the snapshots of a run say for a masked word."""

from pathlib import Path

import pytest
import torch

from app.compute.word_questions import words_over_time
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer

TEXTS = ["the cat sat on the mat", "a dog ran to the house", "the cat and the dog ran"]


def _snapshot(folder: Path, loved_word: str) -> Path:
    """A checkpoint whose MLM bias makes it say one word, whatever it reads."""
    tokenizer = Tokenizer.train(TEXTS, 100, True)
    model = Bert(
        BertConfig.preset("tiny", vocab_size=tokenizer.vocab_size, max_position_embeddings=32),
        generator=torch.Generator().manual_seed(0),
    )
    assert model.mlm is not None
    with torch.no_grad():
        model.mlm.bias[tokenizer.id(loved_word)] = 50.0
    folder.mkdir()
    save_checkpoint(model, tokenizer, folder, name="little", step=1)
    return folder


def test_each_snapshot_says_its_own_word(tmp_path: Path) -> None:
    snapshots = [_snapshot(tmp_path / word, word) for word in ("cat", "dog")]
    guesses = words_over_time(snapshots, "the [MASK] ran")
    assert [guesses[path].token for path in snapshots] == ["cat", "dog"]
    assert all(guess.probability > 0.99 for guess in guesses.values())


def test_snapshot_that_the_run_thinned_away_is_left_out(tmp_path: Path) -> None:
    there = _snapshot(tmp_path / "there", "mat")
    assert list(words_over_time([tmp_path / "gone", there], "on the [MASK]")) == [there]


def test_sentence_without_a_mask_is_told(tmp_path: Path) -> None:
    with pytest.raises(BertcoreError, match=r"Write \[MASK\]"):
        words_over_time([_snapshot(tmp_path / "one", "cat")], "the cat ran")


def test_mask_that_was_cut_off_is_told(tmp_path: Path) -> None:
    with pytest.raises(BertcoreError, match="too long"):
        words_over_time([_snapshot(tmp_path / "one", "cat")], "the cat ran " * 30 + "[MASK]")
