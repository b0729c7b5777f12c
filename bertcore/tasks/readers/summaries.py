"""Documents to be summarised by sentences of their own: JSONL, and the labels that a written summary gives them.

A row has its sentences as a list ("sentences"), or a text that is split here ("document"); and labels, one for each
sentence, or a reference ("summary"). Where the reference is made of the document's own sentences, these are the labels;
else it is kept, and `Summarise.labelled` makes the best of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from bertcore.data.tokenising import split_sentences
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.readers.lines import refuse
from bertcore.tasks.readers.tables import Row, read_rows, text_in
from bertcore.tasks.spec import Contents, Request

_SPACES = re.compile(r"\s+")
_SHORTEST_RUN = 20  # characters that the reference and the document share; fewer may be chance
_LEFT_OVER = 0.1  # share of the reference that may not stand in the document; above that it is someone's own words


def read_summaries(request: Request) -> Contents:
    """Documents with labels, or a reference, or on a test file neither: the layout "summaries"."""
    examples = [_example(request, row) for row in read_rows(request.file)]
    if not examples:
        raise BertcoreError(f"The file {request.file} has no documents; it needs one JSON object in each line.")
    return Contents(examples)


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
