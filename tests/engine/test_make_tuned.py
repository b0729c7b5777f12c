"""The command that makes the fine-tuned models, from a small model as the built-in one and on sample files."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.locations import BUILT_IN, TUNED, assets
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.readers.reading import TaskFile
from scripts.make_tuned import main, simple_answers
from tests.engine.models import tiny_model, word_tokenizer

SENTIMENT = TUNED[0]


def test_it_trains_stores_measures_and_writes_a_card_and_does_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(assets() / "tasks" / "sentiment", tmp_path / "tasks" / "sst2")
    base = tmp_path / "checkpoints" / BUILT_IN
    save_checkpoint(tiny_model(), word_tokenizer(), base, name=BUILT_IN, store_as=torch.float16)
    monkeypatch.setattr("bertcore.locations.assets", lambda: tmp_path)
    for number in range(2):
        main(tmp_path / "tasks", [SENTIMENT], tmp_path / "runs", tmp_path / "checkpoints", 1, 4, 2)
        said = capsys.readouterr().out
        assert said.count("Training") == (2 if number == 0 else 0)  # from the model, from random weights
    folder = tmp_path / "checkpoints" / SENTIMENT
    about = json.loads((folder / "bertscope.json").read_text(encoding="utf-8"))
    assert about["step"] == 2 and about["base"]["name"] == BUILT_IN and 0 <= about["metrics"]["accuracy"] <= 1
    assert load_checkpoint(folder).config.labels == ("negative", "positive")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"| accuracy | {about['metrics']['accuracy']:.3f} |" in card and "| negation |" in card
    assert "{" not in card and str(tmp_path) not in card
    save_checkpoint(tiny_model(seed=1), word_tokenizer(), base, name=BUILT_IN, store_as=torch.float16)
    main(tmp_path / "tasks", [SENTIMENT], tmp_path / "runs", tmp_path / "checkpoints", 1, 4, 2)
    assert "Training" in capsys.readouterr().out  # of another version of the built-in model all is made again


def test_the_simple_ways_to_answer_by_hand() -> None:
    train = (TaggedExample(("Anna", "saw", "Paris"), ("B-PER", "O", "B-LOC")), TaggedExample(("Paris",), ("B-LOC",)))
    dev = (TaggedExample(("Paris", "saw", "Tom"), ("B-LOC", "O", "B-PER")),)
    labels = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    files = [TaskFile("conll2003", Path("x"), "train", each, labels, "BIO", 0, ()) for each in (train, dev)]
    found = simple_answers(*files)
    assert (found["precision"], found["recall"]) == (1.0, 0.5)
    question = AnswerExample("1", "Who built the mill?", "It rained. Tom built the mill.", (("Tom", 11),))
    spans = TaskFile("squad", Path("x"), "dev", (question,), (), None, 0, ())
    found = simple_answers(spans, spans)
    assert found["exact_match"] == 0 and found["f1"] == pytest.approx(2 * (1 / 3) / (1 / 3 + 1))  # "tom built mill"
