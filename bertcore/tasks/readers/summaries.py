"""Documents to be summarised by sentences of their own: JSONL, and the labels that a written summary gives them.

A row has its sentences as a list ("sentences"), or a text that is split here ("document"); and labels, one for each
sentence, or a reference ("summary"). Where the reference is made of the document's own sentences, these are the labels;
else it is kept, and `greedy_labels` makes the best of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from bertcore.data.tokenising import split_sentences
from bertcore.errors import BertcoreError
from bertcore.tasks.examples import SummaryExample
from bertcore.tasks.readers.lines import refuse
from bertcore.tasks.readers.spec import Contents, Request
from bertcore.tasks.readers.tables import Row, read_rows, text_in
from bertcore.tasks.rouge import f_measure

_WORD = re.compile(r"[^\W_]+")
_SPACES = re.compile(r"\s+")
_SHORTEST_RUN = 20  # characters that the reference and the document share; fewer may be chance
_LEFT_OVER = 0.1  # share of the reference that may not stand in the document; above that it is someone's own words

NGram = tuple[str, ...]


def read_summaries(request: Request) -> Contents:
    """Documents with labels, or a reference, or on a test file neither: the layout "summaries"."""
    examples = [_example(request, row) for row in read_rows(request.file)]
    if not examples:
        raise BertcoreError(f"The file {request.file} has no documents; it needs one JSON object in each line.")
    return Contents(examples)


def with_labels(example: SummaryExample, most: int = 3) -> SummaryExample:
    """The example with greedy labels where it has a reference only. Raises ValueError if it has neither."""
    if example.labels is not None:
        return example
    if example.reference is None:
        raise ValueError("a document without labels or reference has nothing to learn from")
    return replace(example, labels=greedy_labels(example.sentences, example.reference, most))


def greedy_labels(sentences: Sequence[str], reference: str, most: int = 3) -> tuple[bool, ...]:
    """Which sentences, at most so many, come close to a summary that someone wrote.

    One is added after the other, each time the one that raises ROUGE-1 F + ROUGE-2 F most, until none does (Nallapati
    et al. 2017, section 3; Liu and Lapata 2019, section 4.1). Pairs of words are counted within sentences. On equal
    gains the earlier sentence is taken. Words as rouge-score has them, without stemming, with letters of any script.
    """
    target = _Counts([reference])
    counted = [_Counts([sentence]) for sentence in sentences]
    chosen: set[int] = set()
    best, so_far = 0.0, _Counts([])
    while len(chosen) < most:
        left = [place for place in range(len(sentences)) if place not in chosen]
        scores = {place: (so_far + counted[place]).score(target) for place in left}
        winner = max(left, key=lambda place: scores[place], default=None)
        if winner is None or scores[winner] <= best:
            break
        best, so_far = scores[winner], so_far + counted[winner]
        chosen.add(winner)
    return tuple(place in chosen for place in range(len(sentences)))


def verbatim_labels(sentences: Sequence[str], reference: str) -> tuple[bool, ...] | None:
    """Which sentences the reference is made of; None if it is not made of the document's own text.

    The reference is covered with the longest runs of characters that the document has too; a sentence is labelled
    if such runs hold more than half of it. So it does not matter where someone else's splitter ended a sentence.
    Spaces do not count: extracts have often lost those between their sentences.
    """
    parts = [_SPACES.sub("", sentence) for sentence in sentences]
    document, target = "".join(parts), _SPACES.sub("", reference)
    covered = bytearray(len(document))
    left_over = begin = 0
    while begin < len(target):
        size = _longest_shared(document, target, begin)
        place = document.find(target[begin : begin + size])
        covered[place : place + size] = b"\1" * size
        left_over += not size
        begin += max(1, size)
    if left_over > _LEFT_OVER * len(target):
        return None
    ends = list(accumulate(map(len, parts)))
    return tuple(2 * sum(covered[end - len(part) : end]) > len(part) for part, end in zip(parts, ends, strict=True))


def _longest_shared(document: str, target: str, begin: int) -> int:
    """How many characters of `target` from `begin` on stand in the document in one run; 0 if it is a short run."""
    low, high = _SHORTEST_RUN, len(target) - begin
    if target[begin : begin + low] not in document:
        return 0
    low = min(low, high)
    while low < high:
        middle = (low + high + 1) // 2
        if target[begin : begin + middle] in document:
            low = middle
        else:
            high = middle - 1
    return low


class _Counts:
    """How often each word and each pair of words occurs in some sentences."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.one: Counter[NGram] = Counter()
        self.two: Counter[NGram] = Counter()
        for sentence in sentences:
            words = _WORD.findall(sentence.lower())
            self.one.update((word,) for word in words)
            self.two.update(pairwise(words))

    def __add__(self, other: _Counts) -> _Counts:
        both = _Counts([])
        both.one, both.two = self.one + other.one, self.two + other.two
        return both

    def score(self, target: _Counts) -> float:
        """ROUGE-1 F + ROUGE-2 F."""
        return f_measure(self.one, target.one) + f_measure(self.two, target.two)


def _example(request: Request, row: Row) -> SummaryExample:
    available = list(row.fields)
    text = request.column("text", available)
    label = request.column("label", available, request.needs_labels)
    sentences = _sentences(row, text or "")
    value = row.fields.get(label) if label else None
    if isinstance(value, list):
        reference = row.fields.get("summary")
        return SummaryExample(
            sentences, _labels(row, value, len(sentences)), reference if isinstance(reference, str) else None
        )
    if value is None and not request.needs_labels:
        return SummaryExample(sentences)
    reference = text_in(row.place, label or "", value)
    return SummaryExample(sentences, verbatim_labels(sentences, reference), reference)


def _sentences(row: Row, column: str) -> tuple[str, ...]:
    value = row.fields.get(column)
    if isinstance(value, list) and value:
        return tuple(text_in(row.place, "a sentence", sentence) for sentence in value)
    paragraphs = row.text(column).split("\n")
    return tuple(sentence for paragraph in paragraphs for sentence in split_sentences(paragraph))


def _labels(row: Row, values: list[object], count: int) -> tuple[bool, ...]:
    if len(values) != count or any(value not in (0, 1) for value in values):
        raise refuse(row.place, f"{count} labels of 0 or 1, one for each sentence", values)
    return tuple(bool(value) for value in values)
