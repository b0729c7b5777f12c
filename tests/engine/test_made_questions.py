"""The made-up passages that the answering model learns from."""

import json
from pathlib import Path
from string import Formatter

from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.readers.reading import read_task
from scripts.make_questions import HELD_OUT_NAMES, PARTS, part_file, read_facts, write_questions


def published(folder: Path) -> Path:
    """Twelve articles with a question each, in SQuAD's format."""
    qas = [{"id": "{}", "question": "Who sat?", "answers": [{"text": "The cat", "answer_start": 0}]}]
    articles = [
        {"title": f"{i}", "paragraphs": [{"context": "The cat sat.", "qas": [{**qas[0], "id": f"p{i}"}]}]}
        for i in range(12)
    ]
    file = folder / "published.json"
    file.write_text(json.dumps({"version": "1.1", "data": articles}), encoding="utf-8")
    return file


def read(file: Path) -> list[AnswerExample]:
    found = read_task("squad", file)
    assert found.dropped == 0 and found.notes == ()  # every answer is where the file says
    return [each for each in found.examples if isinstance(each, AnswerExample)]


def test_every_answer_is_in_its_passage_once_asked(tmp_path: Path) -> None:
    write_questions(published(tmp_path), tmp_path / "made", 60)
    for name in ("train", "dev", *PARTS):
        for example in read(part_file(tmp_path / "made", name)):
            ((text, start),) = example.answers
            assert example.passage[start : start + len(text)] == text and "{" not in example.question


def test_what_is_held_out_is_not_trained_on(tmp_path: Path) -> None:
    write_questions(published(tmp_path), tmp_path / "made", 60)
    train, dev = (read(tmp_path / "made" / f"{name}.json") for name in ("train", "dev"))
    assert not {each.id for each in train} & {each.id for each in dev}
    assert len(read(part_file(tmp_path / "made", "encyclopedia"))) == 2  # every sixth article, whole
    facts, words = read_facts()
    wordings = [Formatter().parse(wording) for fact in facts if fact.is_new for wording in fact.wordings]
    new = [max((literal for literal, *_ in parts), key=len) for parts in wordings]
    assert len(new) >= 5 and not [each.id for each in train if any(words in each.passage for words in new)]
    assert any(words in each.passage for words in new for each in dev)
    for name in words["last"][-HELD_OUT_NAMES:]:
        assert not any(f" {name} " in each.passage for each in train)


def test_they_are_the_same_each_time(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write_questions(published(tmp_path), tmp_path / folder, 20)
    one, two = (sorted((tmp_path / folder).iterdir()) for folder in ("one", "two"))
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]
