"""Questions that a run answers at each measurement: the same answers as `bertcore evaluate` would give."""

import json
from pathlib import Path

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.cloze import ClozeSentence, read_cloze
from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import answer_cloze
from bertcore.runs.run_folder import QUESTIONS, RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.questions import GUESSES, Questions
from bertcore.training.start import start_run
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import PLACES, SOUNDS, animal_text, metrics, tiny_run, write_text

SENTENCES = (
    ClozeSentence("The cat [MASK] on the mat.", ("sat", "sang"), "one"),
    ClozeSentence("It was a very [MASK] bird!", ("comfortable", "zebra"), "two"),
    ClozeSentence("[MASK] dog", ("the",), "two"),
)


@pytest.fixture
def asking(tmp_path: Path, fast_disk: None) -> PretrainOptions:
    """A run on the animals that is asked where each of them lives."""
    file = tmp_path / "questions.jsonl"
    asked = [
        {"category": "place", "text": f"The {animal} lives in the [MASK].", "answers": [place]}
        for animal, place in PLACES.items()
    ]
    file.write_text("".join(json.dumps(question) + "\n" for question in asked))
    return tiny_run(write_text(tmp_path), {"questions": str(file)}, evaluations=2)


def test_answers_are_those_of_the_cloze_test(tmp_path: Path) -> None:
    """Padding, several answers, and answers of several tokens included."""
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path))
    answers = Questions.of(SENTENCES, checkpoint.tokenizer, 40).answer(checkpoint.model)
    cloze = answer_cloze(checkpoint, SENTENCES)
    assert answers["is_right"] == [answer.is_first for answer in cloze.answers]
    assert (answers["right"], answers["of"]) == (sum(answers["is_right"]), 3)
    for given, expected in zip(answers["guesses"], cloze.answers, strict=True):
        assert [word for word, _ in given] == [guess.token for guess in expected.guesses[:GUESSES]]
        shares = [guess.probability for guess in expected.guesses[:GUESSES]]
        assert [share for _, share in given] == pytest.approx(shares, abs=1e-4)


def test_the_likeliest_word_is_right_where_it_is_an_answer(tmp_path: Path) -> None:
    """A model whose bias alone decides, for one word whatever the text."""
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path))
    assert checkpoint.model.mlm is not None
    with torch.no_grad():
        checkpoint.model.mlm.bias[checkpoint.tokenizer.id("bird")] += 900
    asked = [ClozeSentence("the [MASK]", answers, "one") for answers in (("cat", "bird"), ("cat",), ("no such word",))]
    assert Questions.of(asked, checkpoint.tokenizer, 40).answer(checkpoint.model)["is_right"] == [True, False, False]


def test_each_measurement_of_a_run_has_the_answers_of_that_moment(asking: PretrainOptions, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    start_run(asking, run.path, resume=False)
    questions = read_cloze(run.path / QUESTIONS)
    assert [question.answers[0] for question in questions] == list(PLACES.values()) and len(SOUNDS) == len(questions)
    measured = {line["step"]: line["questions"] for line in metrics(run.path, "held_out")}
    assert list(measured) == [0, 12, 24]
    for step in (0, 24):
        cloze = answer_cloze(load_checkpoint(run.snapshot_path(step)), questions)
        assert measured[step]["is_right"] == [answer.is_first for answer in cloze.answers]
    assert f"{measured[24]['right']} of 6 are right" in (run.snapshot_path(24) / "README.md").read_text()


def test_questions_change_nothing_of_what_is_learned(asking: PretrainOptions, tmp_path: Path) -> None:
    start_run(asking, tmp_path / "asked", resume=False)
    without = PretrainOptions.from_dict({**asking.to_dict(), "data": {**asking.to_dict()["data"], "questions": None}})
    start_run(without, tmp_path / "silent", resume=False)
    ours, theirs = (RunFolder(tmp_path / name).newest_snapshot() for name in ("asked", "silent"))
    assert ours is not None and theirs is not None
    assert (ours / "model.safetensors").read_bytes() == (theirs / "model.safetensors").read_bytes()
    assert all("questions" not in line for line in metrics(tmp_path / "silent", "held_out"))
    assert not (tmp_path / "silent" / QUESTIONS).exists()


def test_a_run_resumes_without_the_file_that_it_was_given(asking: PretrainOptions, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    start_run(asking, run.path, False, lambda event: run.send("stop") if event.get("step") == 10 else None)
    Path(str(asking.data.questions)).unlink()
    start_run(None, run.path, resume=True)
    assert [line["questions"]["of"] for line in metrics(run.path, "held_out")] == [6, 6, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "is empty"),
        ('{"text": "No mask.", "answers": ["a"], "category": "b"}\n', r"one \[MASK\]"),
        ('{"text": "A [MASK]."}\n', "'answers'"),
    ],
)
def test_a_file_without_questions_is_refused_before_there_is_a_folder(
    asking: PretrainOptions, tmp_path: Path, content: str | None, message: str
) -> None:
    file = Path(str(asking.data.questions))
    file.unlink()
    if content is not None:
        file.write_text(content)
    with pytest.raises(BertcoreError, match=message):
        start_run(asking, tmp_path / "run", resume=False)
    assert not (tmp_path / "run").exists()


def test_a_question_that_is_too_long_is_named(asking: PretrainOptions, tmp_path: Path) -> None:
    long = {"text": "The [MASK] " + "very " * 600 + "sat.", "answers": ["cat"], "category": "long"}
    Path(str(asking.data.questions)).write_text(json.dumps(long))
    with pytest.raises(BertcoreError, match="has more than 512 tokens"):
        start_run(asking, tmp_path / "run", resume=False)


def test_answers_in_a_byte_level_vocabulary_are_those_of_the_cloze_test() -> None:
    """There a word after a space is another token than one that begins the text."""
    tokenizer = Tokenizer.train([animal_text()], 600, kind="bpe")
    asked = [ClozeSentence(f"The {animal} lives in the [MASK].", (place,), "place") for animal, place in PLACES.items()]
    accepted = Questions.of(asked, tokenizer, 40).accepted
    assert [[tokenizer.raw.decode([token]) for token in ids] for ids in accepted] == [
        [f" {place}"] for place in PLACES.values()
    ]
