"""Reads a lesson file: Markdown with lines that begin with `::`. The format is described in docs/lessons.md.

Anything that is not understood is an error with its file and line: a lesson never fails in front of a class.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
        why = say("The file could not be opened: {reason}.", reason=reason_of(error))
        if error.errno == errno.EFBIG:
            size = MOST_BYTES // 1000
            why = say("The file is larger than {size} kB, the most that a lesson may have.", size=size)
        raise LessonError(file, 1, why) from error
    except UnicodeDecodeError:
        raise LessonError(file, 1, say("The file is not text in UTF-8; save it as a text file.")) from None
    return parse_lesson(text, file, rooms)


def parse_lesson(text: str, file: Path, rooms: Rooms) -> Lesson:
    """rooms: of the window, with their views. Raises LessonError."""
    return _Parser(file, rooms).parse(text)


@dataclass
class _Draft:
    """What the lines of one page have said so far. Questions and tasks are None until one is asked or set."""

    title: str
    line: int
    setup: dict[str, Any] = field(default_factory=dict)
    page: dict[str, Any] = field(default_factory=dict)
    question: dict[str, Any] | None = None
    task: dict[str, Any] | None = None
    solution: dict[str, Any] = field(default_factory=dict)
    solution_lines: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # where each command stands first
    markdown: list[str] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)  # in which placeholders may stand


class _Parser:
    def __init__(self, file: Path, rooms: Rooms) -> None:
        self._file, self._rooms = file, rooms
        self._line = 1
        self._page: _Draft | None = None

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
                self._page = _Draft(line[2:].strip(), number)
            elif not fence and line.startswith("::"):
                self._command(line)
            elif self._page is not None:
                if "![" in line:
                    self._fail(say("A lesson has no pictures: the window itself is shown; use highlight."))
                self._page.markdown.append(line)
                if not (fence or mark):
                    self.text(line)
            elif line.strip():
                self._fail(say("Text before the first page; begin a page with “# Title”."))
        self._finish(setup, pages)
        if not pages:
            self._fail(say("The lesson has no pages; begin one with “# Title”."))
        return Lesson(front["title"], front["minutes"], front["summary"], tuple(pages), self._file, front["model"])

    def _front(self, lines: list[str]) -> tuple[dict[str, Any], int]:
        """The values of the front matter, and the number of lines that they take."""
        marks = [number for number, line in enumerate(lines) if line.strip() == "---"]
        if not lines or lines[0].strip() != "---" or len(marks) < 2:
            self._fail(say("The first lines are ---, title:, minutes:, summary: and --- again."))
        values: dict[str, Any] = {}
        for self._line, line in enumerate(lines[1 : marks[1]], 2):
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            if not colon or name not in FRONT:
                known = ", ".join(FRONT)
                self._fail(say("“{name}” is not known here; write one of {known}.", name=name[:40], known=known))
            if name in values:
                self._fail(say("“{name}” is given twice.", name=name))
            if name == "minutes":
                values[name] = self.whole_number(value, MOST_MINUTES)
            elif name == "model":
                values[name] = self.model(value)
            elif not value or len(value) > 300:
                self._fail(say("“{name}” needs a line of text.", name=name))
            else:
                values[name] = value
        self._line = 1
        values.setdefault("model", BUILT_IN)
        for name in FRONT:
            if name not in values:
                self._fail(say("The lesson has no {name}.", name=name))
        return values, marks[1] + 1

    # Commands.

    def _command(self, line: str) -> None:
        match = _COMMAND.fullmatch(line.rstrip())
        if match is None:
            self._fail(say("A command is missing after “::”."))
        name, argument = match[1], match[2]
        if name not in COMMANDS:
            known = ", ".join(COMMANDS)
            self._fail(say("There is no command “{name}”; use one of {known}.", name=name[:40], known=known))
        if self._page is None:
            self._fail(say("A command before the first page; begin a page with “# Title”."))
        if not argument and name not in ("text-b", "mask"):
            self._fail(say("“:: {name}” needs something after it.", name=name))
        self._page.lines.setdefault(name, self._line)
        if name == "solution":
            setting, _, argument = argument.partition(" ")
            command = COMMANDS[self.one_of(setting, SOLVING)]
            self._part("task")
            self._page.solution_lines[setting] = self._line
            self._keep(self._page.solution, command, argument.strip())
        elif name in ("ask", "task"):
            self._begin(name, argument)
        else:
            self._keep(self._part(COMMANDS[name].part), COMMANDS[name], argument)

    def _begin(self, name: str, argument: str) -> None:
        """The question or the task of the page."""
        page = self._draft
        if name == "task":
            if page.task is not None:
                self._fail(say("A page has one task; this is the second."))
            page.task = {"text": self.text(argument), "line": self._line}
            return
        kind, _, text = argument.partition(" ")
        self.one_of(kind, KINDS_OF_QUESTIONS)
        if not text.strip():
            self._fail(say("The question has no words."))
        if page.question is not None:
            self._fail(say("A page asks one question; this is the second."))
        page.question = {"kind": kind, "text": self.text(text.strip()), "line": self._line}

    @property
    def _draft(self) -> _Draft:
        assert self._page is not None
        return self._page

    def _part(self, name: str) -> dict[str, Any]:
        said: dict[str, Any] | None = getattr(self._draft, name)
        if said is None and name == "question":
            self._fail(say("This belongs to a question; write “:: ask” before it."))
        if said is None:
            self._fail(say("This belongs to a task; write “:: task” before it."))
        return said

    def _keep(self, said: dict[str, Any], command: Command, argument: str) -> None:
        value, name = command.read(self, argument), command.field
        if command.is_list:
            said.setdefault(name, []).extend(value)
            return
        if name in said:
            self._fail(say("This is set twice on the page: {name}.", name=name.replace("_", "-")))
        said[name] = value

    # Pages.

    def _finish(self, setup: Setup, pages: list[Page]) -> Setup:
        """Ends the page that is open; returns what later pages begin with."""
        made = self._page
        if made is None:
            return setup
        self._line, page = made.line, made.page
        highlights, covers = page.get("highlights", []), page.get("covers", [])
        if len(pages) == MOST_PAGES:
            self._fail(say("A lesson has at most {most} pages.", most=MOST_PAGES))
        if not made.title:
            self._fail(say("The page has no title."))
        setup = setup.then(Setup(**made.setup, lines=made.lines))
        if setup.room is None or setup.text_a is None:
            self._fail(say("The first page needs a text and a room."))
        for self._line, name in (*highlights, *covers):
            if "." in name and name.partition(".")[0] != setup.room:
                room = setup.room
                self._fail(say("“{name}” is in another room than the page, which shows {room}.", name=name, room=room))
        if covers and made.question is None:
            self._line = made.lines["cover"]
            self._fail(say("The page covers something but asks no question; write “:: ask”."))
        views, wanted = self._rooms[setup.room], (setup.view or "").split()
        for view in wanted:
            if view not in views:
                self._line = setup.lines["view"]
                named: dict[str, Any] = {"room": setup.room, "view": view[:40], "known": ", ".join(views)}
                self._fail(say("The room {room} has no view “{view}”; it has: {known}.", **named))
        question, task = self._question(made), self._task(made)
        placeholders = []
        for self._line, text in made.texts:
            placeholders += [(self._line, self.measure(found)) for found in PLACEHOLDER.findall(text)]
        pages.append(
            Page(
                title=made.title,
                line=made.line,
                text="\n".join(made.markdown).strip(),
                setup=setup,
                highlights=tuple(name for _, name in highlights),
                question=question,
                task=task,
                claims=tuple(page.get("claims", ())),
                notes="\n".join(page.get("notes", ())),
                covers=tuple(name for _, name in covers),
                cut=page.get("cut", ""),
                placeholders=tuple(placeholders),
                lines=made.lines,
            )
        )
        return setup

    def _question(self, made: _Draft) -> Question | None:
        said, lines = made.question, made.lines
        if said is None:
            return None
        self._line, kind = said["line"], said["kind"]
        options, answer = tuple(said.get("options", ())), said.get("answer")
        if kind == "choice" and (len(options) < 2 or not any(option.is_right for option in options)):
            self._fail(say("A choice needs two options or more, and one that is right."))
        if kind != "choice" and options:
            self._line = min(lines[name] for name in ("option", "correct", "option-if") if name in lines)
            self._fail(say("Only a choice has options."))
        if kind in ("number", "word") and answer is None:
            self._fail(say("The question has no answer; write “:: answer” below it."))
        if kind in ("choice", "free") and answer is not None:
            self._line = lines["answer"]
            self._fail(say("Only number and word questions have an “:: answer”; remove it."))
        if "explanation" not in said:
            self._fail(say("The question has nothing to show as its answer; write “:: explain”."))
        if kind == "number":
            is_word = isinstance(answer, Measure) and MEASURES[answer.name].unit == "word"
            if is_word or (isinstance(answer, tuple) and not all(map(_NUMBER.fullmatch, answer))):
                self._line = lines["answer"]
                self._fail(say("The answer to a number question has to be a number."))
        within, is_share = said.get("within", (0.0, False))
        return Question(
            kind, said["text"], said["line"], options, answer, within, is_share, "\n".join(said["explanation"])
        )

    def _task(self, made: _Draft) -> Task | None:
        said = made.task
        if said is None:
            return None
        self._line = said["line"]
        for name, is_there in (("done", "done" in said), ("solution", bool(made.solution_lines))):
            if not is_there:
                self._fail(say("The task has no “:: {name}”.", name=name))
        solution = Setup(**made.solution, lines=made.solution_lines)
        return Task(said["text"], said["done"], solution, said["line"], said.get("hint", ""))

    # What commands are followed by; each raises LessonError for what it cannot be.

    def text(self, text: str) -> str:
        """Placeholders may stand in it."""
        self._draft.texts.append((self._line, text))
        return text

    def here(self, names: str, known: Iterable[str]) -> list[tuple[int, str]]:
        """Parts of the window, with the line that names them."""
        return [(self._line, self.one_of(name, known)) for name in names.split()]

    def one_word(self, text: str) -> str:
        if len(text.split()) != 1 or len(text) > 60:
            self._fail(say("“:: cut” takes one word."))
        return text

    def claim(self, text: str) -> Condition:
        condition = self.condition(text)
        if condition.value is None:
            self._fail(say("“start” is for tasks: a claim holds when the page opens."))
        return condition

    def option_if(self, text: str) -> Option:
        condition, colon, words = (part.strip() for part in text.partition(" : "))
        if not colon or not words:
            self._fail(say("Write “:: option-if CONDITION : text”."))
        return Option(self.text(words), self.condition(condition))

    def answer(self, text: str) -> Measure | tuple[str, ...]:
        first, _, rest = text.partition(" ")
        if first == "computed":
            return self.measure(rest)
        return tuple(part.strip() for part in text.split(",") if part.strip())

    def within(self, text: str) -> tuple[float, bool]:
        """By how much, and whether that is a share of the answer."""
        if not _NUMBER.fullmatch(text):
            self._fail(say("“:: within” takes a number, such as 1 or 10%."))
        return abs(_number(text)), text.endswith("%")

    def condition(self, text: str) -> Condition:
        match = _CONDITION.fullmatch(text)
        if match is None:
            named: dict[str, Any] = {"text": text[:60], "operators": " ".join(OPERATORS)}
            self._fail(say("“{text}” is no condition; write MEASURE, one of {operators}, and a value.", **named))
        measure = self.measure(match[1])
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

    def measure(self, text: str) -> Measure:
        measure = parse_measure(text)
        if isinstance(measure, str):
            self._fail(measure)
        return measure

    def word(self, text: str) -> WordAt:
        word = parse_word(text)
        if word is None:
            self._fail(say("“{text}” is no word; write cat, b:cat or cat#2.", text=text[:40]))
        return word

    def head(self, text: str) -> HeadChoice:
        """`2.3`, counted from 1 as on the screen, `best KIND` or `least KIND`."""
        match = re.fullmatch(r"(\d{1,3})[.·](\d{1,3})", text)
        if match is not None and match[1] != "0" and match[2] != "0":
            return HeadChoice(int(match[1]) - 1, int(match[2]) - 1)
        how, _, kind = text.partition(" ")
        if how not in ("best", "least") or kind not in KINDS:
            named: dict[str, Any] = {"text": text[:40], "kinds": ", ".join(KINDS)}
            self._fail(say("“{text}” is no head; write 2.3, best KIND or least KIND. Kinds: {kinds}.", **named))
        return HeadChoice(kind=kind, lowest=how == "least")

    def step(self, text: str) -> str:
        if not re.fullmatch(r"first|last|finished|\d{1,9}", text):
            self._fail(say("A step is first, last, finished or the number of a snapshot."))
        return "" if text == "finished" else text

    def model(self, text: str) -> str:
        """Only what ships: a lesson shall not read other folders, or download."""
        return self.one_of(text, NAMED)

    def room(self, text: str) -> str:
        return self.one_of(text, self._rooms)

    def is_on(self, text: str) -> bool:
        return self.one_of(text, ("on", "off")) == "on"

    def whole_number(self, text: str, most: int) -> int:
        if not re.fullmatch(r"\d{1,6}", text) or not 1 <= int(text) <= most:
            self._fail(say("“{text}” is not a whole number from 1 to {most}.", text=text[:40], most=most))
        return int(text)

    def one_of(self, text: str, known: Iterable[str]) -> str:
        if text not in known:
            named: dict[str, Any] = {"text": text[:60], "known": ", ".join(known)}
            self._fail(say("“{text}” is not known here; use one of {known}.", **named))
        return text

    def _fail(self, sentence: str) -> NoReturn:
        raise LessonError(self._file, self._line, sentence)


def _number(text: str) -> float:
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def _as_it_is(_parser: _Parser, text: str) -> str:
    return text


@dataclass(frozen=True)
class Command:
    """What a line that begins with `::` sets. is_list: it may stand again; what it reads is added to the others."""

    part: str  # of the page: a field of _Draft
    field: str
    read: Callable[[_Parser, str], Any] = _as_it_is
    is_list: bool = False


COMMANDS: Mapping[str, Command] = {
    "text": Command("setup", "text_a"),
    "text-b": Command("setup", "text_b"),
    "mask": Command("setup", "masks", lambda p, text: tuple(map(p.word, text.split()))),
    "model": Command("setup", "model", _Parser.model),
    "step": Command("setup", "step", _Parser.step),
    "room": Command("setup", "room", _Parser.room),
    "view": Command("setup", "view"),
    "head": Command("setup", "head", _Parser.head),
    "layer": Command("setup", "layer", lambda p, text: p.whole_number(text, 999) - 1),
    "select": Command("setup", "select", _Parser.word),
    "whole-words": Command("setup", "words", _Parser.is_on),
    "specials": Command("setup", "specials", _Parser.is_on),
    "passage": Command("setup", "passage"),
    "highlight": Command("page", "highlights", lambda p, text: p.here(text, SPOTS), is_list=True),
    "cover": Command("page", "covers", lambda p, text: p.here(text, [*SPOTS, PAGE_TEXT]), is_list=True),
    "cut": Command("page", "cut", _Parser.one_word),
    "ask": Command("question", "text"),
    "option": Command("question", "options", lambda p, text: [Option(p.text(text), False)], is_list=True),
    "correct": Command("question", "options", lambda p, text: [Option(p.text(text), True)], is_list=True),
    "option-if": Command("question", "options", lambda p, text: [p.option_if(text)], is_list=True),
    "answer": Command("question", "answer", _Parser.answer),
    "within": Command("question", "within", _Parser.within),
    "explain": Command("question", "explanation", lambda p, text: [p.text(text)], is_list=True),
    "task": Command("task", "text"),
    "done": Command("task", "done", _Parser.condition),
    "solution": Command("task", "solution"),
    "hint": Command("task", "hint", _Parser.text),
    "claim": Command("page", "claims", lambda p, text: [p.claim(text)], is_list=True),
    "note": Command("page", "notes", lambda _, text: [text], is_list=True),
}
SETTINGS = tuple(name for name, command in COMMANDS.items() if command.part == "setup")
SOLVING = tuple(name for name in SETTINGS if name not in ("model", "room", "view", "passage"))  # what a person sets
