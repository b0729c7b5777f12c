"""What a student hands in: one small JSON file with a name, the answers, and what the window showed at each.

    {"format_version": 1, "name": "Anna", "lesson": "Kinds of heads", "answers": [
        {"page": "Heads have habits", "kind": "choice", "asked": "...", "given": "...", "right": true, "state": {...},
         "tries": 2, "first": "...", "hint": "..."}]}

docs/lessons.md says what each is; `state` is a session (state/session_file.py). Earlier files lack the last three.
How far a lesson is, its page and what is chosen or typed on each, is a file of its own:

    {"format_version": 1, "file": ".../02-heads.md", "page": 3, "choices": {"Heads have habits": "1"},
     "revealed": ["Heads have habits"], "missed": {"Heads have habits": "0"}}
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes, reason_of
from bertcore.json_text import parse_json

from ..look import mark, say
from ..state.session_file import Session, as_values, session_of

FORMAT_VERSION = 1
ENDING = ".answers.json"
MOST_BYTES, MOST_ANSWERS, MOST_CHARACTERS = 5_000_000, 200, 4_000


@dataclass(frozen=True)
class Answer:
    page: str  # its title
    kind: str  # choice, number, word, free or task
    asked: str
    given: str
    right: bool | None
    state: Session
    tries: int = 1  # 2: after a hint
    first: str = ""  # what was given then, where another try followed
    hint: str = ""  # that was shown


@dataclass(frozen=True)
class HandIn:
    name: str
    lesson: str
    answers: tuple[Answer, ...]


@dataclass
class Progress:
    file: Path  # of the lesson; what follows is by the titles of its pages
    page: int = 0  # its number, from 0
    choices: dict[str, str] = field(default_factory=dict)  # what is chosen or typed, shown or not
    revealed: dict[str, bool] = field(default_factory=dict)  # whose answer is on show
    missed: dict[str, str] = field(default_factory=dict)  # what was given first, and wrong
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)  # by page and kind


def answers_as_json(hand_in: HandIn) -> str:
    answers = [{**vars(answer), "state": as_values(answer.state)} for answer in hand_in.answers]
    return _as_json({"name": hand_in.name, "lesson": hand_in.lesson, "answers": answers})


def load_answers(file: Path) -> HandIn:
    """Raises BertcoreError, in one sentence, for a file that nobody has handed in."""
    try:
        values = _values_of(file)
        answers = values["answers"]
        if set(values) != {"name", "lesson", "answers"} or len(answers) > MOST_ANSWERS:
            raise ValueError
        return HandIn(_text(values["name"]), _text(values["lesson"]), tuple(_answer(each, file) for each in answers))
    except OSError as error:
        sentence = mark("{file} could not be opened: {reason}.")
        raise BertcoreError(say(sentence, file=file.name, reason=reason_of(error))) from error
    except (ValueError, TypeError, KeyError, AttributeError, BertcoreError):
        sentence = mark("{file} has no answers that BERTscope can read; ask for the file again.")
        raise BertcoreError(say(sentence, file=file.name)) from None


def progress_as_json(progress: Progress) -> str:
    values = {name: value for name, value in vars(progress).items() if name != "answers"}
    return _as_json({**values, "file": str(progress.file), "revealed": sorted(progress.revealed)})


def load_progress(file: Path, answers: Iterable[Answer]) -> Progress:
    """Raises BertcoreError where the file has none."""
    try:
        values = _values_of(file)
        if type(values["page"]) is not int:
            raise ValueError
        given = {name: {str(a): str(b) for a, b in values.get(name, {}).items()} for name in ("choices", "missed")}
        revealed, by_page = dict.fromkeys(map(str, values["revealed"]), True), {(a.page, a.kind): a for a in answers}
        return Progress(Path(values["file"]), values["page"], **given, revealed=revealed, answers=by_page)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BertcoreError(f"{file} does not say how far a lesson was.") from error


def _as_json(values: dict[str, Any]) -> str:
    return json.dumps({"format_version": FORMAT_VERSION, **values}, indent=1, ensure_ascii=False) + "\n"


def _values_of(file: Path) -> dict[str, Any]:
    values = parse_json(read_bytes(file, MOST_BYTES).decode("utf-8"))
    if not isinstance(values, dict) or values.pop("format_version", None) != FORMAT_VERSION:
        raise ValueError
    return values


def _answer(value: Any, file: Path) -> Answer:
    right, tries, value = value["right"], value.get("tries", 1), {"first": "", "hint": ""} | value
    texts = {name: _text(value[name]) for name in ("page", "kind", "asked", "given", "first", "hint")}
    is_known = value.keys() <= {*texts, "right", "tries", "state"} and type(tries) is int and tries > 0
    if not is_known or (right is not None and type(right) is not bool):
        raise ValueError
    return Answer(**texts, right=right, tries=tries, state=session_of(value["state"], file))


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        raise ValueError
    value.encode("utf-8")  # half a character would stop every later step
    return value
