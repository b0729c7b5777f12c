"""Questions on passages in SQuAD's JSON, 1.1 and 2.0; or as a table with a passage, a question and an answer a row.

Every answer must stand in its passage at the character that the file names. One that does not is put right if its text
stands in the passage exactly once; else it is left out, with its question if that had no other, and this is counted.
Sources: Rajpurkar et al. 2016 (1.1) and 2018 (2.0: questions that the passage does not answer).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.json_text import parse_json
from bertcore.limits import JSON_VALUES
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.readers.lines import layout_suffix, line_of, quoted, refuse, whole_text
from bertcore.tasks.readers.tables import read_rows, text_in
from bertcore.tasks.spec import Contents, Request

_NO_PLACE = -1  # of an answer whose file names no character

Answer = tuple[str, int]  # text, the character where it begins


@dataclass
class _Collected:
    """What is read so far, and what was wrong with it."""

    request: Request
    examples: list[AnswerExample] = field(default_factory=list)
    repaired: int = 0
    lost: list[str] = field(default_factory=list)  # where questions stood that were left out

    def add(self, place: str, example: AnswerExample) -> None:
        """Keep a question with its answers put right. Raises BertcoreError if it has none and needs one."""
        placed = [self._place(example.passage, answer) for answer in example.answers]
        answers = tuple(dict.fromkeys(answer for answer in placed if answer))
        if example.answers and not answers:
            self.lost.append(place)
            return
        if not answers and self.request.needs_labels and not self.request.spec.has_unanswerable:
            raise refuse(
                place,
                f"an answer ({self.request.spec.name} has one for each question; if some have none: squad2)",
                None,
            )
        self.examples.append(AnswerExample(example.id, example.question, example.passage, answers))

    def _place(self, passage: str, answer: Answer) -> Answer | None:
        """The answer where it stands, without spaces around it; None if that is not to be known."""
        text, start = answer
        start += len(text) - len(text.lstrip())
        text = text.strip()
        if text and start >= 0 and passage.startswith(text, start):
            return text, start
        if not text or passage.count(text) != 1:
            return None
        self.repaired += answer[1] != _NO_PLACE
        return text, passage.index(text)

    def contents(self) -> Contents:
        name = self.request.file.name
        if not self.examples:
            raise BertcoreError(f"{name} has no question whose answer is in its passage; choose another file.")
        twice, count = Counter(example.id for example in self.examples).most_common(1)[0]
        if count > 1:
            raise BertcoreError(f"{name} has {count} questions with the id {quoted(twice)}; give each its own id.")
        notes = [f"Answers found elsewhere than at the given character: {self.repaired}."]
        notes = notes if self.repaired else []
        if self.lost:
            notes.append(
                "Questions left out, since their answers do not stand in the passage or nobody can tell where: "
                f"{len(self.lost)}, the first: {self.lost[0]}."
            )
        return Contents(self.examples, dropped=len(self.lost), notes=tuple(notes))


def read_answers(request: Request) -> Contents:
    """Questions with passages and answers: the layout "squad". Raises BertcoreError for a file that is none."""
    collected = _Collected(request)
    if layout_suffix(request.file) == ".json":
        _read_json(collected, _parse(request))
    else:
        _read_table(collected)
    return collected.contents()


def _parse(request: Request) -> list[Any]:
    text = whole_text(request.file)
    if sum(map(text.count, ",[{")) > JSON_VALUES:
        raise BertcoreError(f"{request.file} has more than {JSON_VALUES:,} values; divide it into several files.")
    try:
        whole = parse_json(text, most_parts=JSON_VALUES)
    except JSONDecodeError as error:
        place = f"{line_of(request.file, error.lineno)}, column {error.colno}"
        near = text[max(0, error.pos - 20) : error.pos + 20]
        raise refuse(place, f"whole JSON ({error.msg[:1].lower()}{error.msg[1:]})", near) from None
    except ValueError as error:
        raise BertcoreError(f"{request.file.name} is not a SQuAD file: {error}.") from None
    if not isinstance(whole, dict) or not isinstance(whole.get("data"), list):
        raise refuse(request.file.name, 'SQuAD\'s JSON, {"data": [...]}', text[:40])
    return whole["data"]


def _read_json(collected: _Collected, articles: list[Any]) -> None:
    name = collected.request.file.name
    for a, article in enumerate(articles, start=1):
        for p, paragraph in enumerate(_list(article, "paragraphs", f"{name}, article {a}"), start=1):
            place = f"{name}, article {a}, passage {p}"
            questions = _list(paragraph, "qas", place)
            passage = paragraph.get("context")
            text_in(place, "context", passage)  # not its result: the answers count characters from the very first
            for q, question in enumerate(questions, start=1):
                _read_question(collected, f"{place}, question {q}", passage, question)


def _read_question(collected: _Collected, place: str, passage: str, question: object) -> None:
    if not isinstance(question, dict):
        raise refuse(place, 'a question, {"id": ..., "question": ..., "answers": [...]}', question)
    has_none = question.get("is_impossible") is True  # then what stands there is only plausible
    may_have_none = "answers" not in question and not collected.request.needs_labels
    answers = [] if has_none or may_have_none else list(_answers(question, place))
    identity = text_in(place, "id", question.get("id"))
    question_text = text_in(place, "question", question.get("question"))
    collected.add(place, AnswerExample(identity, question_text, passage, tuple(answers)))


def _answers(question: Mapping[str, Any], place: str) -> Iterator[Answer]:
    for answer in _list(question, "answers", place):
        text = answer.get("text") if isinstance(answer, dict) else None
        start = answer.get("answer_start") if isinstance(answer, dict) else None
        if not isinstance(text, str) or not isinstance(start, int):
            raise refuse(place, 'an answer, {"text": ..., "answer_start": a number}', answer)
        yield text, start


def _list(holder: object, key: str, place: str) -> list[Any]:
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, list):
        raise refuse(place, f'a list "{key}"', value if isinstance(holder, dict) else holder)
    return value


def _read_table(collected: _Collected) -> None:
    """A passage, a question and its answer in each row. The answer must stand in the passage once; empty: no answer."""
    request = collected.request
    columns: tuple[str | None, str | None, str | None] | None = None
    for row in read_rows(request.file):
        available = list(row.fields)
        columns = columns or (
            request.column("text", available),
            request.column("text_b", available),
            request.column("label", available, request.needs_labels),
        )
        row.text(columns[0] or "")  # not its result: starts count characters from the very first
        passage, question = row.fields[columns[0] or ""], row.text(columns[1] or "")
        answers = tuple(_given(row.fields.get(columns[2] or ""), row.place))
        identity = row.fields.get("id")
        name = identity if isinstance(identity, str) and identity else row.place
        collected.add(row.place, AnswerExample(name, question, passage, answers))


def _given(value: object, place: str) -> Iterator[Answer]:
    """Answers of one field: a text whose place is to be found, or lists of texts and starts as `datasets` has them."""
    if isinstance(value, dict):
        texts, starts = value.get("text"), value.get("answer_start")
        if not isinstance(texts, list) or not isinstance(starts, list) or len(texts) != len(starts):
            raise refuse(place, 'answers as {"text": [...], "answer_start": [...]}', value)
        for text, start in zip(texts, starts, strict=True):
            if not isinstance(text, str) or not isinstance(start, int):
                raise refuse(place, "an answer's text and the number of its first character", (text, start))
            yield text, start
    elif isinstance(value, str) and value.strip():
        yield value.strip(), _NO_PLACE
    elif value not in (None, ""):
        raise refuse(place, "an answer", value)
