"""The real files, where they lie beside the repository: all of their examples, as their publishers count them."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from bertcore.tag_schemes import entity_spans
from bertcore.tasks.readers.reading import read_task

FOLDER = Path(__file__).parents[3] / "shared" / "tasks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the real task files are not beside the repository")


@pytest.mark.parametrize(
    ("task", "folder", "split", "count", "of_second_label"),
    [
        ("sst2", "sst2", "dev", 872, 444),
        ("cola", "cola", "train", 8_551, 6_023),
        ("cola", "cola", "dev", 1_043, 721),
        ("mrpc", "mrpc", "train", 3_668, 2_474),
        ("mrpc", "mrpc", "dev", 408, 279),
    ],
)
def test_classes(task, folder, split, count, of_second_label):
    found = read_task(task, FOLDER / folder, split)
    assert len(found.examples) == count and found.dropped == 0 and found.notes == ()
    assert sum(example.label == found.labels[1] for example in found.examples) == of_second_label


@pytest.mark.parametrize("split", ["train", "dev"])
def test_similarity_as_the_csv_module_reads_it(split):
    with (FOLDER / "stsb" / f"{split}.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = read_task("stsb", FOLDER / "stsb", split)
    assert [(e.text_a, e.text_b, e.label) for e in found.examples] == [
        (row["sentence1"].strip(), row["sentence2"].strip(), float(row["score"])) for row in rows
    ]


def test_entities():
    """Sentences and names as the task's own paper counts them (Tjong Kim Sang and De Meulder 2003, table 2)."""
    counts = {"dev": (1837, 922, 1341, 1842), "test": (1668, 702, 1661, 1617)}
    for split, expected in counts.items():
        found = read_task("conll2003", FOLDER / "conll2003", split)
        spans = Counter(s.type for e in found.examples for s in entity_spans(e.tags or ()))
        assert tuple(spans[kind] for kind in ("LOC", "MISC", "ORG", "PER")) == expected
        assert found.scheme == "BIO" and len(found.notes) == 1
    assert len(found.examples) == 3_453


def test_answers_and_choices():
    found = read_task("squad", FOLDER / "squad" / "xquad.en.json")
    assert len(found.examples) == 1_190 and found.dropped == 0 and found.notes == ()
    for example in found.examples:
        ((text, start),) = example.answers
        assert example.passage[start : start + len(text)] == text
    found = read_task("commonsenseqa", FOLDER / "commonsenseqa", "dev")
    assert len(found.examples) == 1_221
    assert Counter(example.label for example in found.examples) == {0: 239, 1: 255, 2: 241, 3: 251, 4: 235}


@pytest.mark.slow
def test_news_extracts_give_labels():
    """The labelled sentences are the extract, but for where our splitter ends a sentence elsewhere."""
    file = FOLDER / "news-summaries" / "bbc.jsonl"
    found = read_task("summaries", file)
    with file.open(encoding="utf-8") as stream:
        extracts = [json.loads(line)["summary"] for line in stream]
    labelled = [example for example in found.examples if example.labels]
    assert len(found.examples) == 2_225 and len(labelled) >= 2_220
    exact = 0
    for example, extract in zip(found.examples, extracts, strict=True):
        chosen = "".join(s for s, is_in in zip(example.sentences, example.labels or (), strict=False) if is_in)
        exact += sorted(chosen.replace(" ", "")) == sorted("".join(extract.split()))
    assert exact > 0.7 * len(found.examples)
