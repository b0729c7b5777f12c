"""Reads a lesson file: Markdown with lines that begin with `::`. The format is described in docs/lessons.md.

Anything that is not understood is an error with its file and line: a lesson never fails in front of a class.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from bertcore.analysis.attention_heads import KINDS
from bertcore.files import read_bytes, reason_of
from bertcore.locations import BUILT_IN, NAMED

from ..look.say import say
from ..widgets.spots import SPOTS
from .errors import LessonError
from .lesson import (
    PAGE_TEXT,
    PLACEHOLDER,
    Condition,
    HeadChoice,
    Lesson,
    Measure,
    Option,
    Page,
    Question,
    Setup,
    Task,
    WordAt,
)
from .measures import MEASURES, OPERATORS, parse_measure, parse_word

MOST_BYTES, MOST_PAGES, MOST_LINE, MOST_MINUTES = 200_000, 60, 2_000, 120
FRONT = ("title", "minutes", "summary", "model")
KINDS_OF_QUESTIONS = ("choice", "number", "word", "free")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_COMMAND = re.compile(r"::\s*(\S+)\s*(.*)")
_CONDITION = re.compile(r"(.+?)\s+(>=|<=|!=|=|>|<)\s+(.+)")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)%?")
Rooms = Mapping[str, Sequence[str]]  # room -> its views; a room without views has none


def load_lesson(file: Path, rooms: Rooms) -> Lesson:
    """Raises LessonError for a file that cannot be read or is no lesson."""
    try:
        text = read_bytes(file, MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        if error.errno == errno.EFBIG:
            sentence = say("The file is larger than {size} kB, the most that a lesson may have.")
            raise LessonError(file, 1, sentence.format(size=MOST_BYTES // 1000)) from None
        sentence = say("The file could not be opened: {reason}.")
        raise LessonError(file, 1, sentence.format(reason=reason_of(error))) from error
    except UnicodeDecodeError:
        raise LessonError(file, 1, say("The file is not text in UTF-8; save it as a text file.")) from None
    return parse_lesson(text, file, rooms)


def parse_lesson(text: str, file: Path, rooms: Rooms) -> Lesson:
    """rooms: of the window, with their views. Raises LessonError."""
    return _Parser(file, rooms).parse(text)


class _Builder:
    """What the lines of one page have said so far."""

    def __init__(self, title: str, line: int) -> None:
        self.title, self.line = title, line
        self.setup: dict[str, Any] = {}
        self.lines: dict[str, int] = {}  # where each command stands first
        self.markdown: list[str] = []
        self.texts: list[tuple[int, str]] = []  # in which placeholders may stand
        self.cut = ""
        self.claims: list[Condition] = []
        self.highlights: list[tuple[int, str]] = []  # the line, the part of the window
        self.covers: list[tuple[int, str]] = []
        self.notes: list[str] = []
        self.question: dict[str, Any] | None = None
        self.task: dict[str, Any] | None = None


class _Parser:
    def __init__(self, file: Path, rooms: Rooms) -> None:
        self._file, self._rooms = file, rooms
        self._line = 1
        self._page: _Builder | None = None

    def parse(self, text: str) -> Lesson:
        if "\0" in text:
            self._fail(say("The file is not text: it has a zero byte."))
        lines = text.splitlines()
        front, begins = self._front(lines)
        setup, pages = Setup(model=front["model"]), list[Page]()
        fence = ""
        for number, line in enumerate(lines[begins:], begins + 1):
            self._line = number
            if len(line) > MOST_LINE:
                self._fail(say("The line is longer than {most} characters.", most=MOST_LINE))
            mark = _FENCE.match(line)
            if mark and (not fence or fence == mark[1]):
                fence = "" if fence else mark[1]
            if not fence and not mark and line.startswith("# "):
                setup = self._finish(setup, pages)
                self._page = _Builder(line[2:].strip(), number)
            elif not fence and line.startswith("::"):
                self._command(line)
            elif self._page is not None:
                self._markdown(line, is_code=bool(fence or mark))
            elif line.strip():
                self._fail(say("Text before the first page; begin a page with “# Title”."))
        self._finish(setup, pages)
        if not pages:
            self._fail(say("The lesson has no pages; begin one with “# Title”."))
        return Lesson(front["title"], front["minutes"], front["summary"], tuple(pages), self._file, front["model"])

    # Front matter.

    def _front(self, lines: list[str]) -> tuple[dict[str, Any], int]:
        """The values, and the number of lines that they take."""
        marks = [number for number, line in enumerate(lines) if line.strip() == "---"]
        if not lines or lines[0].strip() != "---" or len(marks) < 2:
            self._fail(say("The first lines are ---, title:, minutes:, summary: and --- again."))
        values: dict[str, Any] = {"model": BUILT_IN}
        seen = set()
        for self._line, line in enumerate(lines[1 : marks[1]], 2):
            name, colon, value = line.partition(":")
            name, value = name.strip(), value.strip()
            if not line.strip():
                continue
            if not colon or name not in FRONT:
                self._fail(
                    say("“{name}” is not known here; write one of {known}.", name=name[:40], known=", ".join(FRONT))
                )
            if name in seen:
                self._fail(say("“{name}” is given twice.", name=name))
            seen.add(name)
            values[name] = self._front_value(name, value)
        self._line = 1
        for name in FRONT:
            if name not in values:
                self._fail(say("The lesson has no {name}.", name=name))
        return values, marks[1] + 1

    def _front_value(self, name: str, value: str) -> str | int:
        if name == "minutes":
            return self._whole_number(value, MOST_MINUTES)
        if name == "model":
            return self._model_name(value)
        if not value or len(value) > 300:
            self._fail(say("“{name}” needs a line of text.", name=name))
        return value

    # Pages.

    def _markdown(self, line: str, is_code: bool) -> None:
        if "![" in line:
            self._fail(say("A lesson has no pictures: the window itself is shown; use highlight."))
        self._made.markdown.append(line)
        if not is_code:
            self._text(line)

    def _finish(self, setup: Setup, pages: list[Page]) -> Setup:
        """Ends the page that is open; returns what later pages begin with."""
        made = self._page
        if made is None:
            return setup
        self._line = made.line
        if len(pages) == MOST_PAGES:
            self._fail(say("A lesson has at most {most} pages.", most=MOST_PAGES))
        if not made.title:
            self._fail(say("The page has no title."))
        setup = setup.then(Setup(**made.setup, lines=made.lines))
        if setup.room is None or setup.text_a is None:
            self._fail(say("The first page needs a text and a room."))
        for self._line, name in (*made.highlights, *made.covers):
            if "." in name and name.partition(".")[0] != setup.room:
                sentence = say("“{name}” is in another room than the page, which shows {room}.")
                self._fail(sentence.format(name=name, room=setup.room))
        if made.covers and made.question is None:
            self._line = made.lines["cover"]
            self._fail(say("The page covers something but asks no question; write “:: ask”."))
        unknown = [view for view in (setup.view or "").split() if view not in self._rooms[setup.room]]
        if unknown:
            known, self._line = ", ".join(self._rooms[setup.room]), setup.lines["view"]
            sentence = say("The room {room} has no view “{view}”; it has: {known}.")
            self._fail(sentence.format(room=setup.room, view=unknown[0][:40], known=known))
        page = Page(
            made.title,
            made.line,
            "\n".join(made.markdown).strip(),
            setup,
            tuple(name for _, name in made.highlights),
            self._question(made.question),
            self._task(made.task),
            tuple(made.claims),
            "\n".join(made.notes),
            tuple(name for _, name in made.covers),
            made.cut,
            tuple(self._placeholders(made.texts)),
            made.lines,
        )
        pages.append(page)
        return setup

    def _placeholders(self, texts: list[tuple[int, str]]) -> Iterator[tuple[int, Measure]]:
        """What stands between {{ and }}, and where."""
        for self._line, text in texts:
            yield from ((self._line, self._measure(found)) for found in PLACEHOLDER.findall(text))

    def _question(self, said: dict[str, Any] | None) -> Question | None:
        if said is None:
            return None
        self._line, kind = said["line"], said["kind"]
        options = said.get("options", [])
        if kind == "choice" and (len(options) < 2 or not any(option.is_right for option in options)):
            self._fail(say("A choice needs two options or more, and one that is right."))
        if kind != "choice" and options:
            lines = self._made.lines
            self._line = min(lines[name] for name in ("option", "correct", "option-if") if name in lines)
            self._fail(say("Only a choice has options."))
        if kind in ("number", "word") and "answer" not in said:
            self._fail(say("The question has no answer; write “:: answer” below it."))
        if kind in ("choice", "free") and "answer" in said:
            self._line = self._made.lines["answer"]
            self._fail(say("Only number and word questions have an “:: answer”; remove it."))
        if not said.get("explanation"):
            self._fail(say("The question has nothing to show as its answer; write “:: explain”."))
        if kind == "number":
            answer = said["answer"]
            if isinstance(answer, Measure):
                is_number = MEASURES[answer.name].unit != "word"
            else:
                is_number = all(_NUMBER.fullmatch(each) for each in answer)
            if not is_number:
                self._line = self._made.lines["answer"]
                self._fail(say("The answer to a number question has to be a number."))
        return Question(
            kind,
            said["text"],
            said["line"],
            tuple(options),
            said.get("answer"),
            said.get("within", 0.0),
            said.get("is_share", False),
            said["explanation"],
        )

    def _task(self, said: dict[str, Any] | None) -> Task | None:
        if said is None:
            return None
        self._line = said["line"]
        for name in ("done", "solution"):
            if name not in said:
                self._fail(say("The task has no “:: {name}”.", name=name))
        solution = Setup(**said["solution"], lines=said["solution_lines"])
        return Task(said["text"], said["done"], solution, said["line"], said.get("hint", ""))

    # Commands.

    def _command(self, line: str) -> None:
        match = _COMMAND.fullmatch(line.rstrip())
        if match is None:
            self._fail(say("A command is missing after “::”."))
        name, argument = match[1], match[2]
        if name not in COMMANDS:
            self._fail(
                say("There is no command “{name}”; use one of {known}.", name=name[:40], known=", ".join(COMMANDS))
            )
        if self._page is None:
            self._fail(say("A command before the first page; begin a page with “# Title”."))
        if not argument and name not in ("text-b", "mask"):
            self._fail(say("“:: {name}” needs something after it.", name=name))
        self._page.lines.setdefault(name, self._line)
        COMMANDS[name](self, argument)

    @property
    def _made(self) -> _Builder:
        assert self._page is not None
        return self._page

    def _set(self, name: str, value: object) -> None:
        self._set_in(self._made.setup, name, value)

    def _set_in(self, said: dict[str, Any], name: str, value: object) -> None:
        if name in said:
            self._fail(say("This is set twice on the page: {name}.", name=name.replace("_", "-")))
        said[name] = value

    def _do_setup(self, name: str, argument: str, said: dict[str, Any]) -> None:
        """One of SETTINGS, for the page or for the solution of its task."""
        readers: dict[str, Callable[[str], tuple[str, object]]] = {
            "text": lambda value: ("text_a", value),
            "text-b": lambda value: ("text_b", value),
            "mask": lambda value: ("masks", tuple(self._word(word) for word in value.split())),
            "model": lambda value: ("model", self._model_name(value)),
            "step": lambda value: ("step", self._step(value)),
            "room": lambda value: ("room", self._one_of(value, list(self._rooms))),
            "view": lambda value: ("view", value),
            "head": lambda value: ("head", self._head(value)),
            "layer": lambda value: ("layer", self._whole_number(value, 999) - 1),
            "select": lambda value: ("select", self._word(value)),
            "whole-words": lambda value: ("words", self._one_of(value, ["on", "off"]) == "on"),
            "specials": lambda value: ("specials", self._one_of(value, ["on", "off"]) == "on"),
            "passage": lambda value: ("passage", value),
        }
        self._set_in(said, *readers[name](argument))

    def _do_highlight(self, argument: str) -> None:
        self._made.highlights += [(self._line, self._one_of(name, list(SPOTS))) for name in argument.split()]

    def _do_cover(self, argument: str) -> None:
        known = [*SPOTS, PAGE_TEXT]
        self._made.covers += [(self._line, self._one_of(name, known)) for name in argument.split()]

    def _do_cut(self, argument: str) -> None:
        if len(argument.split()) != 1 or len(argument) > 60:
            self._fail(say("“:: cut” takes one word."))
        self._made.cut = argument

    def _do_note(self, argument: str) -> None:
        self._made.notes.append(argument)

    def _do_claim(self, argument: str) -> None:
        condition = self._condition(argument)
        if condition.value is None:
            self._fail(say("“start” is for tasks: a claim holds when the page opens."))
        self._made.claims.append(condition)

    def _do_ask(self, argument: str) -> None:
        kind, _, text = argument.partition(" ")
        self._one_of(kind, list(KINDS_OF_QUESTIONS))
        if not text.strip():
            self._fail(say("The question has no words."))
        if self._made.question is not None:
            self._fail(say("A page asks one question; this is the second."))
        self._made.question = {"kind": kind, "text": self._text(text.strip()), "line": self._line}

    def _text(self, text: str) -> str:
        """Placeholders may stand in it."""
        self._made.texts.append((self._line, text))
        return text

    def _asked(self) -> dict[str, Any]:
        if self._made.question is None:
            self._fail(say("This belongs to a question; write “:: ask” before it."))
        return self._made.question

    def _do_option(self, argument: str, is_right: bool = False) -> None:
        self._asked().setdefault("options", []).append(Option(self._text(argument), is_right))

    def _do_correct(self, argument: str) -> None:
        self._do_option(argument, is_right=True)

    def _do_option_if(self, argument: str) -> None:
        condition, colon, text = argument.partition(" : ")
        if not colon or not text.strip():
            self._fail(say("Write “:: option-if CONDITION : text”."))
        made = self._condition(condition.strip())
        self._asked().setdefault("options", []).append(Option(self._text(text.strip()), made))

    def _do_answer(self, argument: str) -> None:
        answer: Measure | tuple[str, ...]
        if argument.partition(" ")[0] == "computed":
            answer = self._measure(argument.partition(" ")[2])
        else:
            answer = tuple(part.strip() for part in argument.split(",") if part.strip())
        self._set_in(self._asked(), "answer", answer)

    def _do_within(self, argument: str) -> None:
        asked = self._asked()
        if not _NUMBER.fullmatch(argument):
            self._fail(say("“:: within” takes a number, such as 1 or 10%."))
        self._set_in(asked, "within", abs(_number(argument)))
        asked["is_share"] = argument.endswith("%")

    def _do_explain(self, argument: str) -> None:
        asked = self._asked()
        asked["explanation"] = "\n".join(part for part in (asked.get("explanation"), self._text(argument)) if part)

    def _do_task(self, argument: str) -> None:
        if self._made.task is not None:
            self._fail(say("A page has one task; this is the second."))
        self._made.task = {"text": self._text(argument), "line": self._line}

    def _tasked(self) -> dict[str, Any]:
        if self._made.task is None:
            self._fail(say("This belongs to a task; write “:: task” before it."))
        return self._made.task

    def _do_done(self, argument: str) -> None:
        self._set_in(self._tasked(), "done", self._condition(argument))

    def _do_hint(self, argument: str) -> None:
        self._set_in(self._tasked(), "hint", self._text(argument))

    def _do_solution(self, argument: str) -> None:
        name, _, value = argument.partition(" ")
        self._one_of(name, [known for known in SETTINGS if known not in ("model", "room", "view", "passage")])
        said = self._tasked()
        said.setdefault("solution_lines", {})[name] = self._line
        self._do_setup(name, value.strip(), said.setdefault("solution", {}))

    # Values.

    def _condition(self, text: str) -> Condition:
        match = _CONDITION.fullmatch(text)
        if match is None:
            sentence = say("“{text}” is no condition; write MEASURE, one of {operators}, and a value.")
            self._fail(sentence.format(text=text[:60], operators=" ".join(OPERATORS)))
        measure = self._measure(match[1])
        value, operator = match[3].strip(), match[2]
        if value == "start":
            return Condition(measure, operator, None, self._line)
        if MEASURES[measure.name].unit == "word":
            if operator not in ("=", "!="):
                self._fail(say("A word is compared by = or !=."))
            return Condition(measure, operator, value, self._line)
        if not _NUMBER.fullmatch(value):
            self._fail(say("“{value}” is not a number.", value=value[:40]))
        return Condition(measure, operator, _number(value), self._line)

    def _measure(self, text: str) -> Measure:
        measure = parse_measure(text)
        if isinstance(measure, str):
            self._fail(measure)
        return measure

    def _word(self, text: str) -> WordAt:
        word = parse_word(text)
        if word is None:
            self._fail(say("“{text}” is no word; write cat, b:cat or cat#2.", text=text[:40]))
        return word

    def _head(self, text: str) -> HeadChoice:
        """`2.3`, counted from 1 as on the screen, `best KIND` or `least KIND`."""
        match = re.fullmatch(r"(\d{1,3})[.·](\d{1,3})", text)
        if match is not None and match[1] != "0" and match[2] != "0":
            return HeadChoice(int(match[1]) - 1, int(match[2]) - 1)
        how, _, kind = text.partition(" ")
        if how not in ("best", "least") or kind not in KINDS:
            sentence = say("“{text}” is no head; write 2.3, best KIND or least KIND. Kinds: {kinds}.")
            self._fail(sentence.format(text=text[:40], kinds=", ".join(KINDS)))
        return HeadChoice(kind=kind, lowest=how == "least")

    def _step(self, text: str) -> str:
        if not re.fullmatch(r"first|last|finished|\d{1,9}", text):
            self._fail(say("A step is first, last, finished or the number of a snapshot."))
        return "" if text == "finished" else text

    def _model_name(self, text: str) -> str:
        """Only what ships: a lesson shall not read other folders, or download."""
        return self._one_of(text, list(NAMED))

    def _whole_number(self, text: str, most: int) -> int:
        if not re.fullmatch(r"\d{1,6}", text) or not 1 <= int(text) <= most:
            sentence = say("“{text}” is not a whole number from 1 to {most}.")
            self._fail(sentence.format(text=text[:40], most=most))
        return int(text)

    def _one_of(self, text: str, known: list[str]) -> str:
        if text not in known:
            sentence = say("“{text}” is not known here; use one of {known}.")
            self._fail(sentence.format(text=text[:60], known=", ".join(known)))
        return text

    def _fail(self, sentence: str) -> NoReturn:
        raise LessonError(self._file, self._line, sentence)


def _number(text: str) -> float:
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


SETTINGS = (
    "text",
    "text-b",
    "mask",
    "model",
    "step",
    "room",
    "view",
    "head",
    "layer",
    "select",
    "whole-words",
    "specials",
    "passage",
)


def _setting(name: str) -> Callable[[_Parser, str], object]:
    return lambda parser, argument: parser._do_setup(name, argument, parser._made.setup)


COMMANDS: Mapping[str, Callable[[_Parser, str], object]] = {
    **{name: _setting(name) for name in SETTINGS},
    "highlight": _Parser._do_highlight,
    "cover": _Parser._do_cover,
    "cut": _Parser._do_cut,
    "ask": _Parser._do_ask,
    "option": _Parser._do_option,
    "correct": _Parser._do_correct,
    "option-if": _Parser._do_option_if,
    "answer": _Parser._do_answer,
    "within": _Parser._do_within,
    "explain": _Parser._do_explain,
    "task": _Parser._do_task,
    "done": _Parser._do_done,
    "solution": _Parser._do_solution,
    "hint": _Parser._do_hint,
    "claim": _Parser._do_claim,
    "note": _Parser._do_note,
}
