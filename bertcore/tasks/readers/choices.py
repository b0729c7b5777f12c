"""A beginning and some endings, one of them right: SWAG's CSV and CommonsenseQA's JSONL.

Sources: Zellers et al. 2018 (SWAG), Talmor et al. 2019 (CommonsenseQA).
"""

import re
from collections.abc import Sequence
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.readers.lines import label_text, refuse
from bertcore.tasks.readers.tables import Row, read_rows, text_in
from bertcore.tasks.spec import Contents, Request

_ENDING = re.compile(r"ending_?(\d+)")
_FEWEST = 2


def read_choices(request: Request) -> Contents:
    """Contexts with endings: the layout "choices". All must have as many endings as the first."""
    examples: list[ChoiceExample] = []
    for row in read_rows(request.file):
        is_common_sense = isinstance(row.fields.get("question"), dict)
        example = _common_sense(request, row) if is_common_sense else _swag(request, row)
        count = len(examples[0].endings) if examples else max(_FEWEST, len(example.endings))
        if len(example.endings) != count:
            raise refuse(row.place, f"{count} endings to choose from", list(example.endings))
        examples.append(example)
    if not examples:
        raise BertcoreError(f"The file {request.file} has no examples; choose one with rows below its header.")
    return Contents(examples)


def _swag(request: Request, row: Row) -> ChoiceExample:
    """Columns sent1, sent2, ending0, ending1 ..., label. sent2 is how every ending begins; it may be absent."""
    available = list(row.fields)
    context = request.column("text", available)
    begins = request.column("text_b", available, required=False)
    label = request.column("label", available, request.needs_labels)
    start = f"{row.text(begins)} " if begins and row.fields.get(begins) not in (None, "") else ""
    texts = tuple((start + ending).strip() for ending in _endings(request, row, available))
    value = label_text(row.fields.get(label)) if label else None
    return ChoiceExample(row.text(context or ""), texts, _which(request, row.place, value, _numbers(len(texts))))


def _endings(request: Request, row: Row, available: list[str]) -> list[str]:
    """Those of the columns ending0, ending1 ..., in the order of their numbers; or of one list "endings" in JSON."""
    listed = row.fields.get("endings")
    if isinstance(listed, list):
        return [text_in(row.place, "an ending", ending) for ending in listed]
    endings = {int(match[1]): name for name in available if (match := _ENDING.fullmatch(name))}
    if not endings:
        there_are = ", ".join(repr(name[:40]) for name in available[:20])
        raise BertcoreError(f"{request.file.name} has no columns ending0, ending1 ...; it has {there_are}.")
    return [row.text(name) for _, name in sorted(endings.items())]


def _common_sense(request: Request, row: Row) -> ChoiceExample:
    """{"question": {"stem", "choices": [{"label": "A", "text"}, ...]}, "answerKey": "A"}."""
    question = row.fields.get("question")
    choices = question.get("choices") if isinstance(question, dict) else None
    if not isinstance(question, dict) or not isinstance(choices, list) or not choices:
        raise refuse(row.place, '"question" with "stem" and "choices"', question)
    names = [_key(row, choice, "label") for choice in choices]
    endings = tuple(_key(row, choice, "text") for choice in choices)
    label = _which(request, row.place, label_text(row.fields.get("answerKey")), names)
    return ChoiceExample(text_in(row.place, "stem", question.get("stem")), endings, label)


def _key(row: Row, choice: Any, key: str) -> str:
    return text_in(row.place, f"{key} of a choice", choice.get(key) if isinstance(choice, dict) else choice)


def _which(request: Request, place: str, label: str | None, names: Sequence[str]) -> int | None:
    """Which ending is the right one, from 0."""
    if label in names:
        return names.index(label)
    if not request.needs_labels and label in (None, "-1"):
        return None
    raise refuse(place, f"the right ending, one of {', '.join(names)}", label)


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]
