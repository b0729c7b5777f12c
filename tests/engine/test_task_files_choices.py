"""Endings to choose from: SWAG's columns and CommonsenseQA's JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.readers.reading import read_task

SWAG = (
    ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n"
    '0,v1,1,"It rains. She","It rains, and she waits.",She,gold,'
    'runs home.,"sings, loudly.",eats a chair.,sleeps on it.,1\n'
)


def common_sense(answer: str | None = "B", **more: Any) -> str:
    choices = [{"label": "A", "text": "bank "}, {"label": "B", "text": "library"}]
    question = {"question_concept": "book", "choices": choices, "stem": "Where do you find a book?"} | more
    return json.dumps({"id": "x", "question": question} | ({"answerKey": answer} if answer else {})) + "\n"


def refusal(file: Path, content: str, split: str = "train") -> str:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BertcoreError) as error:
        read_task("choose", file, split)
    return str(error.value)


def test_swag(tmp_path: Path) -> None:
    (tmp_path / "val.csv").write_text(SWAG, encoding="utf-8")
    endings = ("She runs home.", "She sings, loudly.", "She eats a chair.", "She sleeps on it.")
    expected = ChoiceExample("It rains, and she waits.", endings, 1)
    assert read_task("swag", tmp_path, "dev").examples == (expected,)


def test_common_sense(tmp_path: Path) -> None:
    (tmp_path / "train_rand_split.jsonl").write_text(common_sense() + common_sense("A"), encoding="utf-8")
    first, second = read_task("commonsenseqa", tmp_path).examples
    assert first == ChoiceExample("Where do you find a book?", ("bank", "library"), 1)
    assert second.label == 0  # type: ignore[union-attr]


def test_ones_own(tmp_path: Path) -> None:
    row = {"context": "It rains.", "endings": ["Run!", "Sing!", "Sleep!"], "label": 2}
    (tmp_path / "train.jsonl").write_text(json.dumps(row), encoding="utf-8")
    expected = ChoiceExample("It rains.", ("Run!", "Sing!", "Sleep!"), 2)
    assert read_task("choose", tmp_path).examples == (expected,)
    endings = ",".join(f"ending{number}" for number in (10, 2, 0))
    (tmp_path / "mine.csv").write_text(f"start,{endings},right\nIt rains.,c,b,a,1\n", encoding="utf-8")
    found = read_task("choose", tmp_path / "mine.csv", columns={"text": "start", "label": "right"})
    assert found.examples == (ChoiceExample("It rains.", ("a", "b", "c"), 1),)


@pytest.mark.parametrize("begins", [5, ["She"], True, {"a": "b"}])
def test_how_the_endings_begin_must_be_text(tmp_path: Path, begins: object) -> None:
    row = {"sent1": "It rains.", "sent2": begins, "ending0": "runs.", "ending1": "sings.", "label": 0}
    assert "line 1: expected text (sent2)" in refusal(tmp_path / "train.jsonl", json.dumps(row))


@pytest.mark.parametrize("begins", [None, ""])
def test_endings_may_stand_alone(tmp_path: Path, begins: object) -> None:
    row = {"sent1": "It rains.", "sent2": begins, "ending0": "She runs.", "ending1": "She sings.", "label": 0}
    (tmp_path / "train.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert read_task("choose", tmp_path).examples[0].endings == ("She runs.", "She sings.")  # type: ignore[union-attr]


def test_test_files_need_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "test.jsonl"
    file.write_text(common_sense(None), encoding="utf-8")
    assert read_task("commonsenseqa", tmp_path, "test").examples[0].label is None  # type: ignore[union-attr]
    assert (
        refusal(file, common_sense(None))
        == "test.jsonl, line 1: expected the right ending, one of A, B, found nothing."
    )


def test_refused(tmp_path: Path) -> None:
    csv, jsonl = tmp_path / "x.csv", tmp_path / "x.jsonl"
    wrong = SWAG.replace(",1\n", ",4\n")
    assert refusal(csv, wrong) == "x.csv, line 2: expected the right ending, one of 0, 1, 2, 3, found '4'."
    assert "x.csv, line 2: expected text (ending2), found nothing." in refusal(csv, SWAG.replace("eats a chair.", ""))
    assert "x.csv has no column 'sent1'; it has 'a', 'b'." in refusal(csv, "a,b\n1,2\n")
    assert "x.csv has no columns ending0, ending1 ...; it has 'sent1', 'label'." in refusal(csv, "sent1,label\na,0\n")
    assert "has no examples" in refusal(csv, SWAG.split("\n")[0] + "\n")
    assert refusal(jsonl, common_sense("C")).endswith("expected the right ending, one of A, B, found 'C'.")
    assert 'line 1: expected "question" with "stem" and "choices"' in refusal(jsonl, common_sense(choices=[]))
    assert "line 1: expected text (stem), found nothing." in refusal(jsonl, common_sense(stem=None))
    assert "line 1: expected text (text of a choice), found" in refusal(jsonl, common_sense(choices=[{"label": "A"}]))


def test_all_must_have_as_many_endings(tmp_path: Path) -> None:
    """A model ranks the endings of a whole batch, so their number must be one."""
    three = [{"label": name, "text": name} for name in "ABC"]
    message = refusal(tmp_path / "x.jsonl", common_sense() + common_sense(choices=three))
    assert message == "x.jsonl, line 2: expected 2 endings to choose from, found ['A', 'B', 'C']."
    assert "line 1: expected 2 endings" in refusal(tmp_path / "x.jsonl", common_sense("A", choices=three[:1]))
