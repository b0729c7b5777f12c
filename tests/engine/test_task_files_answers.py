"""Questions on passages: SQuAD's JSON and tables, answers put right or left out, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.readers.reading import read_task

PASSAGE = "  Tom lives in Rome. Anna lives in Oslo, and Rome is far."


def question(*answers: tuple[str, int], **more: Any) -> dict[str, Any]:
    return {
        "id": "q1",
        "question": " Where is it? ",
        "answers": [{"text": text, "answer_start": start} for text, start in answers],
        **more,
    }


def squad(folder: Path, *questions: dict[str, Any], name: str = "train.json") -> Path:
    file = folder / name
    paragraphs = [{"context": PASSAGE, "qas": list(questions)}]
    file.write_text(
        json.dumps({"version": "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]}), encoding="utf-8"
    )
    return file


def refusal(task: str, file: Path, split: str = "train") -> str:
    with pytest.raises(BertcoreError) as error:
        read_task(task, file, split)
    return str(error.value)


def answers(file: Path) -> tuple[tuple[str, int], ...]:
    (example,) = read_task("squad", file).examples
    assert isinstance(example, AnswerExample) and example.passage == PASSAGE and example.question == "Where is it?"
    assert all(example.passage[start : start + len(text)] == text for text, start in example.answers)
    return example.answers


def test_answers_at_their_characters(tmp_path: Path) -> None:
    """Characters count from the passage's very first, which is a space here; equal answers count once."""
    assert answers(squad(tmp_path, question(("Rome", 15), ("Oslo", 35), ("Rome", 15), ("Rome", 45)))) == (
        ("Rome", 15),
        ("Oslo", 35),
        ("Rome", 45),
    )


def test_spaces_around_an_answer_are_no_part_of_it(tmp_path: Path) -> None:
    assert answers(squad(tmp_path, question((" in Rome. ", 11)))) == (("in Rome.", 12),)


def test_an_answer_elsewhere_is_put_right_if_it_stands_once(tmp_path: Path) -> None:
    file = squad(tmp_path, question(("Oslo", 29)))
    assert answers(file) == (("Oslo", 35),)
    found = read_task("squad", file)
    assert found.notes == ("Answers found elsewhere than at the given character: 1.",)
    assert found.dropped == 0


def test_an_answer_that_is_not_to_be_found_is_left_out(tmp_path: Path) -> None:
    """ "Rome" stands twice, so nobody can tell which is meant; "Paris" not at all."""
    lost = [question(("Rome", 0), id="q2"), question(("Paris", 15), id="q3"), question(("", 15), id="q4")]
    found = read_task("squad", squad(tmp_path, question(("Rome", 0), ("Oslo", 35)), *lost))
    assert [example.answers for example in found.examples] == [(("Oslo", 35),)]  # type: ignore[union-attr]
    assert found.dropped == 3
    assert found.notes[0].startswith("Questions left out") and ": 3, the first: " in found.notes[0]
    assert found.notes[0].endswith("passage 1, question 2.")
    assert "has no question whose answer is in its passage" in refusal("squad", squad(tmp_path, *lost))


def test_questions_without_an_answer(tmp_path: Path) -> None:
    plausible = {"is_impossible": True, "plausible_answers": [{"text": "Rome", "answer_start": 15}]}
    file = squad(tmp_path, question(**plausible), question(("Rome", 15), id="q2", is_impossible=False))
    found = read_task("squad2", file)
    assert [example.answers for example in found.examples] == [(), (("Rome", 15),)]  # type: ignore[union-attr]
    expected = "train.json, article 1, passage 1, question 1: expected an answer (squad has one for each question"
    assert expected in refusal("squad", file)
    assert read_task("squad", file, "test").examples[0].answers == ()  # type: ignore[union-attr]


def test_a_test_file_needs_no_answers(tmp_path: Path) -> None:
    bare = {"id": "q1", "question": "Where?"}
    file = squad(tmp_path, bare)
    assert read_task("squad2", file, "test").examples == (AnswerExample("q1", "Where?", PASSAGE),)
    assert 'question 1: expected a list "answers", found nothing.' in refusal("squad2", file)


WRONG: list[tuple[Any, str]] = [
    ({"data": {}}, 'x.json: expected SQuAD\'s JSON, {"data": [...]}'),
    ([], 'x.json: expected SQuAD\'s JSON, {"data": [...]}'),
    ({"data": [{"title": "t"}]}, 'x.json, article 1: expected a list "paragraphs", found nothing.'),
    ({"data": [7]}, 'x.json, article 1: expected a list "paragraphs", found 7.'),
    ({"data": [{"paragraphs": [{"context": PASSAGE}]}]}, 'x.json, article 1, passage 1: expected a list "qas"'),
    ({"data": [{"paragraphs": [{"qas": []}]}]}, "passage 1: expected text (context), found nothing."),
    ({"data": [{"paragraphs": [{"context": " ", "qas": []}]}]}, "passage 1: expected text (context), found ' '."),
    ({"data": [{"paragraphs": [{"context": "a", "qas": ["b"]}]}]}, "question 1: expected a question, {"),
]


@pytest.mark.parametrize(("content", "message"), WRONG, ids=range(len(WRONG)))
def test_other_json_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert message in refusal("squad", file)


def test_wrong_questions_are_refused(tmp_path: Path) -> None:
    assert "question 1: expected text (id), found 5." in refusal("squad", squad(tmp_path, question(("Rome", 15), id=5)))
    wrong = question() | {"answers": [{"text": "Rome"}]}
    assert "question 1: expected an answer, {" in refusal("squad", squad(tmp_path, wrong))
    twice = squad(tmp_path, question(("Rome", 15)), question(("Oslo", 35)))
    assert "has 2 questions with the id 'q1'; give each its own id." in refusal("squad", twice)


def test_json_that_is_cut_off(tmp_path: Path) -> None:
    whole = json.dumps({"data": [{"paragraphs": [{"context": PASSAGE, "qas": []}]}]}, indent=1)
    file = tmp_path / "x.json"
    file.write_text(whole[:60], encoding="utf-8")
    last_line = whole[:60].count("\n") + 1
    assert f"x.json, line {last_line}, column " in refusal("squad", file) and "whole JSON" in refusal("squad", file)
    file.write_text("[" * 100_000, encoding="utf-8")
    assert "nested too deeply" in refusal("squad", file)
    file.write_bytes(b"")
    assert "is empty" in refusal("squad", file)


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "train.csv"
    file.write_text("passage,question,answer\nTom is in Rome.,Where?,Rome\nTom is in Rome.,When?,\n", encoding="utf-8")
    found = read_task("answer", tmp_path)
    assert [(example.id, example.answers) for example in found.examples] == [  # type: ignore[union-attr]
        ("train.csv, line 2", (("Rome", 10),)),
        ("train.csv, line 3", ()),
    ]
    assert found.notes == ()  # no place was named, so none was wrong


def test_lists_of_answers_as_datasets_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "train.jsonl"
    row = {
        "id": "x",
        "context": PASSAGE.strip(),
        "question": "Where?",
        "answers": {"text": [" Rome"], "answer_start": [12]},
    }
    file.write_text(json.dumps(row), encoding="utf-8")
    assert read_task("squad", tmp_path / "train.jsonl").examples[0].answers == (("Rome", 13),)  # type: ignore[union-attr]
    begun = {"context": "  a cat saw a cat", "answers": {"text": ["a cat"], "answer_start": [12]}}
    file.write_text(json.dumps(row | begun), encoding="utf-8")
    (example,) = read_task("squad", tmp_path / "train.jsonl").examples
    passage, ((text, start),) = example.passage, example.answers  # type: ignore[union-attr]
    assert (text, start) == ("a cat", 12) and passage[start:] == "a cat"  # starts count from the very first character
    file.write_text(json.dumps(row | {"answers": {"text": ["Rome"], "answer_start": []}}), encoding="utf-8")
    assert 'line 1: expected answers as {"text": [...], "answer_start": [...]}' in refusal("squad", file)
