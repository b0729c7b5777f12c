"""The small files that ship: what assets/tasks/README.md promises of them."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from bertcore.data.examples import AnswerExample, ChoiceExample, Example, SummaryExample, TaggedExample, TextExample
from bertcore.data.tag_schemes import entity_spans
from bertcore.data.tasks import TASKS, TaskFile, read_task, sample_folder
from bertcore.locations import assets, built_in_checkpoint
from bertcore.tokenization import Tokenizer

SAMPLED = [name for name, spec in TASKS.items() if spec.sample]
FOLDERS = {spec.sample: name for name, spec in TASKS.items() if spec.sample}  # one task for each


def both(task: str) -> tuple[TaskFile, TaskFile]:
    folder = sample_folder(TASKS[task])
    assert folder is not None
    train = read_task(task, folder)
    return train, read_task(task, folder, "dev", labels=train.labels)


def texts(example: Example) -> list[str]:
    """What must not stand in both parts."""
    if isinstance(example, TextExample):
        return [f"{example.text_a}|{example.text_b}"]
    if isinstance(example, TaggedExample):
        return [" ".join(example.words)]
    if isinstance(example, AnswerExample):
        return [example.passage, f"{example.passage}|{example.question}"]
    return [example.context] if isinstance(example, ChoiceExample) else list(example.sentences)


@pytest.mark.parametrize("task", SAMPLED)
def test_readable_as_it_stands(task: str) -> None:
    for part in both(task):
        assert len(part.examples) >= 4 and part.dropped == 0 and part.notes == ()


def test_every_kind_of_task_can_be_tried() -> None:
    assert {TASKS[name].kind for name in SAMPLED} == {spec.kind for spec in TASKS.values()}
    assert {folder.name for folder in (assets() / "tasks").iterdir() if folder.is_dir()} == set(FOLDERS)
    own = ("classify", "pairs", "similarity", "multilabel", "tag", "answer", "choose", "summarise")
    assert set(own) <= set(SAMPLED)


@pytest.mark.parametrize("task", FOLDERS.values())
def test_nothing_stands_twice(task: str) -> None:
    train, dev = ([text for example in part.examples for text in texts(example)] for part in both(task))
    assert not set(train) & set(dev)
    if TASKS[task].kind != "span":  # a passage has several questions
        assert len(set(train)) == len(train) and len(set(dev)) == len(dev)


@pytest.mark.parametrize("task", ["sst2", "cola", "mrpc", "mnli"])
def test_classes_are_equally_many(task: str) -> None:
    for part in both(task):
        counts = Counter(example.label for example in part.examples)  # type: ignore[union-attr]
        assert set(counts) == set(part.labels) and len(set(counts.values())) == 1


def test_a_first_sentence_does_not_give_the_answer_away() -> None:
    """Every first sentence of the pairs comes with each of the labels, so both sentences must be read."""
    for task in ("mrpc", "mnli"):
        for part in both(task):
            pairs = {(example.text_a, example.label) for example in part.examples}  # type: ignore[union-attr]
            assert len(pairs) == len({text for text, _ in pairs}) * len(part.labels)


def test_similarity_covers_its_range() -> None:
    for part in both("stsb"):
        fifths = Counter(min(4, int(example.label)) for example in part.examples)  # type: ignore[union-attr, arg-type]
        assert set(fifths) == {0, 1, 2, 3, 4} and max(fifths.values()) <= 0.35 * len(part.examples)


def test_topics() -> None:
    for part in both("multilabel"):
        counts = Counter(label for example in part.examples for label in example.label)  # type: ignore[union-attr]
        sizes = Counter(len(example.label) for example in part.examples)  # type: ignore[union-attr, arg-type]
        assert set(counts) == {"animals", "food", "school", "weather"} and min(counts.values()) * 2 > max(
            counts.values()
        )
        assert set(sizes) == {0, 1, 2}


def test_names() -> None:
    for part in both("tag"):
        spans = [span for example in part.examples for span in entity_spans(example.tags or ())]  # type: ignore[union-attr]
        counts = Counter(span.type for span in spans)
        assert set(counts) == {"PER", "LOC", "ORG"} and min(counts.values()) * 2 >= max(counts.values())
        assert any(not set(example.tags or ()) - {"O"} for example in part.examples)  # type: ignore[union-attr]


def test_answers_stand_at_their_characters_as_whole_words() -> None:
    for part in both("squad2"):
        for example in part.examples:
            assert isinstance(example, AnswerExample)
            for text, start in example.answers:
                assert example.passage[start : start + len(text)] == text
                around = example.passage[:start][-1:] + example.passage[start + len(text) :][:1]
                assert not re.search(r"\w", around), (example.question, text)
        unanswerable = sum(not example.answers for example in part.examples)  # type: ignore[union-attr]
        assert 0.1 <= unanswerable / len(part.examples) <= 0.3


def test_the_right_ending_is_at_every_place_equally_often() -> None:
    for part in both("swag"):
        places = Counter(example.label for example in part.examples)  # type: ignore[union-attr]
        assert set(places.values()) == {len(part.examples) // 4}


def test_summaries_are_short_and_do_not_always_begin_at_the_top() -> None:
    for part in both("summaries"):
        labels = [example.labels for example in part.examples if isinstance(example, SummaryExample)]
        assert all(6 <= len(row or ()) <= 10 and 2 <= sum(row or ()) <= 4 for row in labels)
        assert {row[0] for row in labels if row} == {True, False}


def test_the_built_in_model_knows_the_words() -> None:
    """No unknown piece, and hardly more than a piece for a word."""
    tokenizer = Tokenizer.from_folder(built_in_checkpoint())
    lines = [text for task in FOLDERS.values() for part in both(task) for e in part.examples for text in texts(e)]
    encodings = [tokenizer.encode(line.replace("|", " "), max_length=10_000) for line in lines]
    assert not any(encoding.unknown for encoding in encodings)
    words = sum(len(re.findall(r"\w+|[^\w\s]", line.replace("|", " "))) for line in lines)
    assert sum(len(encoding.tokens) - 2 for encoding in encodings) < 1.25 * words
