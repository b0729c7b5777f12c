"""Documents and their summaries: labels given, found in an extract, or made greedily from someone's own words."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.summarise import SummaryExample, greedy_labels
from bertcore.tasks.readers.reading import read_task
from bertcore.tasks.readers.tables import verbatim_labels

SENTENCES = (
    "The old mill burned down on Friday.",
    "Nobody was hurt in the fire.",
    "A baker rang the bell.",
    "The mill will be built again next year.",
)


def document(folder: Path, **row: Any) -> Path:
    file = folder / "train.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return file


def test_labels_as_given(tmp_path: Path) -> None:
    file = document(tmp_path, sentences=SENTENCES, labels=[1, 0, False, True], summary="The mill burned.")
    expected = SummaryExample(SENTENCES, (True, False, False, True), "The mill burned.")
    assert read_task("summarise", file).examples == (expected,)


def test_an_extract_gives_labels(tmp_path: Path) -> None:
    """As news extracts come: sentences in any order, with no space between them; a text in paragraphs."""
    text = "Mill burns\n\n" + " ".join(SENTENCES[:2]) + "\n" + " ".join(SENTENCES[2:])
    file = document(tmp_path, topic="news", document=text, summary=SENTENCES[3] + SENTENCES[0])
    (example,) = read_task("summaries", file).examples
    assert isinstance(example, SummaryExample)
    assert example.sentences == ("Mill burns", *SENTENCES)
    assert example.labels == (False, True, False, False, True)
    assert example.reference == SENTENCES[3] + SENTENCES[0]


def test_a_summary_in_other_words_stays_a_reference(tmp_path: Path) -> None:
    file = document(tmp_path, sentences=SENTENCES, summary="A fire destroyed the old mill, but nobody was hurt in it.")
    (example,) = read_task("summaries", file).examples
    assert isinstance(example, SummaryExample) and example.labels is None
    labels = greedy_labels(example.sentences, example.reference or "", most=1)
    assert labels == (False, True, False, False)  # 12/18 + 6/16 against 6/19 + 4/17
    with pytest.raises(ValueError, match="nothing to learn from"):
        TASK_KINDS["summarise"].labelled(SummaryExample(SENTENCES))


def test_an_extract_split_elsewhere() -> None:
    """The extract has the half of a sentence that another splitter made of it; more than half counts."""
    sentences = ("He said on Friday: it will be built again by all of us.", "Nobody was hurt in the fire.")
    assert verbatim_labels(sentences, "it will be built again by all of us.") == (True, False)
    assert verbatim_labels((sentences[0] + " " + "x" * 60, sentences[1]), sentences[0]) == (False, False)
    assert verbatim_labels(sentences, "Nobody was hurt. All will be well, he said.") is None


def test_a_short_sentence_is_not_found_inside_a_long_one() -> None:
    sentences = ("The mill burned.", "On Friday night it was the mill burned down to the ground, they say.")
    assert verbatim_labels(sentences, sentences[1]) == (False, True)


def test_documents_without_a_summary_are_for_testing_only(tmp_path: Path) -> None:
    file = document(tmp_path, text=" ".join(SENTENCES))
    assert read_task("summarise", file, "test").examples == (SummaryExample(SENTENCES),)
    with pytest.raises(BertcoreError, match="train.jsonl has no column 'labels'; it has 'text'"):
        read_task("summarise", file)


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"sentences": SENTENCES, "labels": [1, 0]},
        "line 1: expected 4 labels of 0 or 1, one for each sentence, found [1, 0].",
    ),
    ({"sentences": SENTENCES, "labels": [1, 0, 2, 0]}, "line 1: expected 4 labels of 0 or 1"),
    ({"sentences": SENTENCES, "labels": [1, 0, [], 0]}, "line 1: expected 4 labels of 0 or 1"),
    ({"sentences": [], "labels": []}, "line 1: expected text (sentences), found []."),
    ({"sentences": ["a", ""], "labels": [1, 0]}, "line 1: expected text (a sentence), found nothing."),
    ({"document": " ", "summary": "b"}, "line 1: expected text (document), found ' '."),
    ({"document": "a", "summary": ""}, "line 1: expected text (summary), found nothing."),
    (
        {"body": "a", "summary": "b"},
        "has no column 'sentences'; it has 'body', 'summary'. Name the right one with --text.",
    ),
]


@pytest.mark.parametrize(("row", "message"), WRONG, ids=range(len(WRONG)))
def test_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(BertcoreError) as error:
        read_task("summaries", document(tmp_path, **row))
    assert message in str(error.value)


class Oracle:
    """ROUGE-1 F + ROUGE-2 F with the counting and the arithmetic of rouge-score; pairs within sentences."""

    def __init__(self, reference: str) -> None:
        scorer = pytest.importorskip("rouge_score.rouge_scorer")
        tokens = pytest.importorskip("rouge_score.tokenizers").DefaultTokenizer(use_stemmer=False)
        self._counts = lambda text, n: scorer._create_ngrams(tokens.tokenize(text), n)
        self._score = scorer._score_ngrams
        self._reference = reference

    def __call__(self, sentences: Sequence[str]) -> float:
        total = 0.0
        for n in (1, 2):
            counts = sum((self._counts(sentence, n) for sentence in sentences), Counter())
            total += self._score(self._counts(self._reference, n), counts).fmeasure
        return total

    def greedy(self, sentences: Sequence[str], most: int) -> tuple[bool, ...]:
        chosen: list[int] = []
        best = 0.0
        while len(chosen) < most and len(chosen) < len(sentences):
            left = [place for place in range(len(sentences)) if place not in chosen]
            scores = [self([sentences[one] for one in sorted([*chosen, place])]) for place in left]
            if max(scores) <= best + 1e-12:
                break
            best = max(scores)
            chosen.append(left[min(i for i, score in enumerate(scores) if score > best - 1e-12)])
        return tuple(place in chosen for place in range(len(sentences)))


@pytest.mark.parametrize("seed", range(40))
def test_greedy_labels_as_rouge_score_counts(seed: int) -> None:
    rng = random.Random(seed)
    words = ["mill", "Fire", "the", "old", "town's", "7,000", "x_y", "burned", "and"][: rng.randint(2, 9)]
    sentence = lambda: " ".join(rng.choices(words, k=rng.randint(0, 8)))  # noqa: E731
    sentences, reference, most = [sentence() for _ in range(rng.randint(1, 7))], sentence(), rng.randint(1, 4)
    assert greedy_labels(sentences, reference, most) == Oracle(reference).greedy(sentences, most)


def test_greedy_labels_by_hand() -> None:
    """Against a b c d: "a b x" has 4/7 + 2/5, "c d" 4/6 + 2/4 and is first; both 8/9 + 4/6; all three 8/11 + 4/7."""
    assert greedy_labels(["a b x", "c d", "y z"], "a b c d") == (True, True, False)
    assert greedy_labels(["a b x", "c d", "y z"], "a b c d", most=1) == (False, True, False)
    assert greedy_labels(["a b", "a b"], "a b") == (True, False)
    assert greedy_labels(["p q"], "a b") == (False,)
    assert greedy_labels([], "a b") == ()
    assert greedy_labels(["Старая мельница сгорела", "Дождь"], "мельница сгорела") == (True, False)
