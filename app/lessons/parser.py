"""Reads a lesson file: Markdown with lines that begin with `::`. The format is described in docs/lessons.md.

Anything that is not understood is an error with its file and line: a lesson never fails in front of a class.
"""

import errno
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from bertcore.analysis.attention_heads import KINDS
from bertcore.analysis.interventions import DIRECTIONS
from bertcore.exercises import EXERCISES
from bertcore.files import read_bytes, reason_of
from bertcore.locations import NAMED

from ..look import mark, say
from ..widgets.highlights import HIGHLIGHTS
from .lesson import (
    PAGE_TEXT,
    PLACEHOLDER,
    Condition,
    HeadChoice,
    Lesson,
    LessonError,
    Measure,
    Option,
    Page,
    Question,
    Setup,
    Task,
    WordAt,
)
from .measures import MEASURES, OPERATORS, nearest, number_of, parse_measure, parse_word

MOST_BYTES, MOST_PAGES, MOST_LINE, MOST_MINUTES = 200_000, 60, 2_000, 120
KINDS_OF_QUESTIONS = ("choice", "number", "word", "free")
_FENCE = re.compile(r" {0,3}(```|~~~)")  # as in `lesson.CODE`
_COMMAND = re.compile(r"::\s*(\S+)\s*(.*)")
_CONDITION = re.compile(r"(.+?)\s+(>=|<=|!=|=|>|<)\s+(.+)")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)%?")
Found = TypeVar("Found")
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
    """What the lines of one page have said so far."""

    parts: dict[str, dict[str, Any]]  # page, setup, question, task, solution -> field -> value
    lines: dict[str, int] = field(default_factory=dict)  # where each command stands first
    solution_lines: dict[str, int] = field(default_factory=dict)
    markdown: list[str] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)  # in which placeholders may stand, with their lines
    names: list[tuple[int, str]] = field(default_factory=list)  # of parts of the window


class _Parser:
    def __init__(self, file: Path, rooms: Rooms) -> None:
        self._file, self.rooms = file, rooms
        self._line = 1
        self._draft = _Draft({})  # of the page that is open; without parts: of none
        self._pages: list[Page] = []

    def parse(self, text: str) -> Lesson:
        self._need("\0" not in text, mark("The file is not text: it has a zero byte."))
        lines = re.split(r"\r\n|\r|\n", text)  # as editors count them
        front, begins = self._front(lines)
        lesson = Lesson(**front, pages=(), file=self._file)
        setup, fence = Setup(model=lesson.model), ""
        for number, line in enumerate(lines[begins:], begins + 1):
            self._line = number
            self._need(len(line) <= MOST_LINE, mark("The line is longer than {most} characters."), most=MOST_LINE)
            border = _FENCE.match(line)
            if border and fence in ("", border[1]):
                fence = "" if fence else border[1]
            is_code = bool(fence or border)
            if line.startswith("# ") and not is_code:
                setup = self._finish(setup)
                self._draft = _Draft({"page": {"title": line[2:].strip(), "line": number}, "setup": {}})
            elif line.startswith("::") and not is_code:
                self._command(line)
            elif self._draft.parts:
                no_picture = mark("A lesson has no pictures: the window itself is shown; use highlight.")
                self._need("![" not in line, no_picture)
                self._draft.markdown.append(line if is_code else self.text(line))
            else:
                self._need(not line.strip(), mark("Text before the first page; begin a page with “# Title”."))
        self._finish(setup)
        self._need(self._pages, mark("The lesson has no pages; begin one with “# Title”."))
        return replace(lesson, pages=tuple(self._pages))

    def _front(self, lines: list[str]) -> tuple[dict[str, Any], int]:
        """The values of the front matter, and the number of lines that they take."""
        borders = [number for number, line in enumerate(lines) if line.strip() == "---"]
        is_there = borders[:1] == [0] and len(borders) > 1
        self._need(is_there, mark("The first lines are ---, title:, minutes:, summary: and --- again."))
        values: dict[str, Any] = {}
        for self._line, line in enumerate(lines[1 : borders[1]], 2):
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            unknown = mark("“{name}” is not known here; write one of {known}.")
            self._need(colon and name in FRONT, unknown, name=name[:40], known=", ".join(FRONT))
            self._need(name not in values, mark("“{name}” is given twice."), name=name)
            self._need(0 < len(value) <= 300, mark("“{name}” needs a line of text."), name=name)
            values[name] = FRONT[name](self, value)
        self._line = 1
        for name in list(FRONT)[:3]:
            self._need(name in values, mark("The lesson has no {name}."), name=name)
        return values, borders[1] + 1

    def _command(self, line: str) -> None:
        match = self._need(_COMMAND.fullmatch(line.rstrip()), mark("A command is missing after “::”."))
        name, argument, draft = match[1], match[2], self._draft
        unknown = mark("There is no command “{name}”; use one of {known}.")
        self._need(name in COMMANDS, unknown, name=name[:40], known=", ".join(COMMANDS))
        self._need(draft.parts, mark("A command before the first page; begin a page with “# Title”."))
        self._need(argument or name in ("text-b", "mask"), mark("“:: {name}” needs something after it."), name=name)
        draft.lines.setdefault(name, self._line)
        command = COMMANDS[name]
        if name == "task":
            self._need("task" not in draft.parts, mark("A page has one task; this is the second."))
            draft.parts |= {"task": {"line": self._line}, "solution": {}}
        elif name == "ask":
            kind, _, argument = argument.partition(" ")
            self.one_of(kind, KINDS_OF_QUESTIONS)
            argument = self._need(argument.strip(), mark("The question has no words."))
            self._need("question" not in draft.parts, mark("A page asks one question; this is the second."))
            draft.parts["question"] = {"kind": kind, "line": self._line}
            draft.parts["page"]["lead"] = "\n".join(draft.markdown).strip()
            draft.markdown.clear()
        elif name == "solution":
            setting, _, argument = (part.strip() for part in argument.partition(" "))
            command = replace(COMMANDS[self.one_of(setting, SOLVING)], part="solution")
            draft.solution_lines[setting] = self._line
        elif name == "hint" and "task" not in draft.parts:
            command = replace(command, part="question")
        if command.part == "question":
            self._need("question" in draft.parts, mark("This belongs to a question; write “:: ask” before it."))
        self._need(command.part in draft.parts, mark("This belongs to a task; write “:: task” before it."))
        values, value, key = draft.parts[command.part], command.read(self, argument), command.field
        if command.is_list:
            values[key] = (*values.get(key, ()), *value)
            return
        self._need(key not in values, mark("This is set twice on the page: {name}."), name=name)
        values[key] = value

    def _finish(self, setup: Setup) -> Setup:
        """Ends the page that is open; returns what later pages begin with."""
        draft = self._draft
        if not draft.parts:
            return setup
        page = draft.parts["page"]
        self._line = page["line"]
        self._need(len(self._pages) < MOST_PAGES, mark("A lesson has at most {most} pages."), most=MOST_PAGES)
        self._need(page["title"], mark("The page has no title."))
        setup = setup.then(Setup(**draft.parts["setup"], lines=draft.lines))
        room = None if setup.text_a is None else setup.room
        room = self._need(room, mark("The first page needs a text and a room."))
        for line, name in draft.names:
            is_here = "." not in name or name.partition(".")[0] == room
            elsewhere = mark("“{name}” is in another room than the page, which shows {room}.")
            self._need(is_here, elsewhere, at=line, name=name, room=room)
        is_asked = "question" in draft.parts or "covers" not in page
        unasked = mark("The page covers something but asks no question; write “:: ask”.")
        self._need(is_asked, unasked, at=draft.lines.get("cover"))
        views, unknown = self.rooms[room], mark("The room {room} has no view “{view}”; it has: {known}.")
        for view in (setup.view or "").split():
            named = {"room": room, "view": view[:40], "known": ", ".join(views)}
            self._need(view in views, unknown, at=setup.lines["view"], **named)
        text, question, task = "\n".join(draft.markdown).strip(), self._question(draft), self._task(draft)
        found: list[tuple[int, Measure]] = []
        for self._line, words in draft.texts:
            found += [(self._line, self.measure(name)) for name in PLACEHOLDER.findall(words)]
        made = Page(**page, text=text, setup=setup, question=question, task=task, lines=draft.lines)
        self._pages.append(replace(made, placeholders=tuple(found)))
        return setup

    def _question(self, draft: _Draft) -> Question | None:
        if "question" not in draft.parts:
            return None
        asked, lines = Question(**draft.parts["question"]), draft.lines
        is_choice, is_typed, self._line = asked.kind == "choice", asked.kind in ("number", "word"), asked.line
        can_choose = len(asked.options) > 1 and any(option.is_right for option in asked.options)
        if isinstance(asked.answer, Measure):
            unit = MEASURES[asked.answer.name].unit
            is_number, is_share = unit != "word", unit == "share"
        else:
            is_number = all(map(_NUMBER.fullmatch, asked.answer or ()))
            is_share = any(answer.endswith("%") for answer in asked.answer or ())
        takes_all = is_share and asked.within[0] >= 1
        is_answered, at = asked.answer is not None, lines.get("answer")
        first = min((lines[name] for name in ("option", "correct", "option-if") if name in lines), default=None)
        for is_good, problem, line in (
            (can_choose or not is_choice, mark("A choice needs two options or more, and one that is right."), None),
            (is_choice or not asked.options, mark("Only a choice has options."), first),
            (is_answered or not is_typed, mark("The question has no answer; write “:: answer” below it."), None),
            (is_typed or not is_answered, mark("Only number and word questions have an “:: answer”; remove it."), at),
            (asked.explanation, mark("The question has nothing to show as its answer; write “:: explain”."), None),
            (is_number or asked.kind != "number", mark("The answer to a number question has to be a number."), at),
            (not takes_all, mark("Shares go from 0 to 1: for 10 percentage points, write 0.1."), lines.get("within")),
        ):
            self._need(is_good, problem, at=line)
        return asked

    def _task(self, draft: _Draft) -> Task | None:
        asked = draft.parts.get("task")
        if asked is None:
            return None
        self._line = asked["line"]
        for name, is_there in (("done", "done" in asked), ("solution", bool(draft.parts["solution"]))):
            self._need(is_there, mark("The task has no “:: {name}”."), name=name)
        return Task(**asked, solution=Setup(**draft.parts["solution"], lines=draft.solution_lines))

    # What commands are followed by; each raises LessonError for what it cannot be.

    def text(self, text: str) -> str:
        """Placeholders may stand in it."""
        self._draft.texts.append((self._line, text))
        return text

    def here(self, names: str, known: Iterable[str]) -> list[str]:
        """Parts of the window."""
        found = [self.one_of(name, known) for name in names.split()]
        self._draft.names += [(self._line, name) for name in found]
        return found

    def one_word(self, text: str) -> str:
        self._need(len(text.split()) == 1 and len(text) <= 60, mark("“:: cut” takes one word."))
        return text

    def two_words(self, text: str) -> tuple[str, str]:
        words = text.split()
        self._need(len(words) == 2, mark("“:: contrast” takes two words, the one asked about and the one against it."))
        return words[0], words[1]

    def claim(self, text: str) -> Condition:
        condition = self.condition(text)
        needless = mark("“start” is for tasks: a claim holds when the page opens.")
        self._need(condition.value is not None, needless)
        return condition

    def option_if(self, text: str) -> Option:
        condition, _, words = (part.strip() for part in text.partition(" : "))
        self._need(words, mark("Write “:: option-if CONDITION : text”."))
        return Option(self.text(words), self.condition(condition))

    def answer(self, text: str) -> Measure | tuple[str, ...]:
        first, _, rest = text.partition(" ")
        if first == "computed":
            return self.measure(rest)
        return tuple(part.strip() for part in text.split(",") if part.strip())

    def within(self, text: str) -> tuple[float, bool]:
        """By how much, and whether that is a share of the answer."""
        self._need(_NUMBER.fullmatch(text), mark("“:: within” takes a number, such as 1 or 10%."))
        return abs(number_of(text)), text.endswith("%")

    def condition(self, text: str) -> Condition:
        no_condition = mark("“{text}” is no condition; write MEASURE, one of {operators}, and a value.")
        match = self._need(_CONDITION.fullmatch(text), no_condition, text=text[:60], operators=" ".join(OPERATORS))
        measure, operator, text = self.measure(match[1]), match[2], match[3].strip()
        value: float | str | None = None
        if MEASURES[measure.name].unit == "word":
            self._need(operator in ("=", "!="), mark("A word is compared by = or !=."))
            value = text
        elif text != "start":
            self._need(_NUMBER.fullmatch(text), mark("“{value}” is not a number."), value=text[:40])
            value = number_of(text)
        return Condition(measure, operator, None if text == "start" else value, self._line)

    def measure(self, text: str) -> Measure:
        try:
            return parse_measure(text)
        except ValueError as error:
            raise LessonError(self._file, self._line, str(error)) from None

    def word(self, text: str) -> WordAt:
        return self._need(parse_word(text), mark("“{text}” is no word; write cat, b:cat or cat#2."), text=text[:40])

    def head(self, text: str) -> HeadChoice:
        """`2.3`, counted from 1 as on the screen, `best KIND` or `least KIND`."""
        match = re.fullmatch(r"([1-9]\d{0,2})[.·]([1-9]\d{0,2})", text)
        if match is not None:
            return HeadChoice(int(match[1]) - 1, int(match[2]) - 1)
        how, _, kind = text.partition(" ")
        no_head = mark("“{text}” is no head; write 2.3, best KIND or least KIND. Kinds: {kinds}.")
        self._need(how in ("best", "least") and kind in KINDS, no_head, text=text[:40], kinds=", ".join(KINDS))
        return HeadChoice(kind=kind, lowest=how == "least")

    def step(self, text: str) -> str:
        is_step = re.fullmatch(r"first|last|finished|\d{1,9}", text)
        self._need(is_step, mark("A step is first, last, finished or the number of a snapshot."))
        return "" if text == "finished" else text

    def whole_number(self, text: str, most: int) -> int:
        is_one = re.fullmatch(r"\d{1,6}", text) and 1 <= int(text) <= most
        self._need(is_one, mark("“{text}” is not a whole number from 1 to {most}."), text=text[:40], most=most)
        return int(text)

    def one_of(self, text: str, known: Iterable[str]) -> str:
        unknown = mark("“{text}” is not known here; use one of {known}.")
        self._need(text in known, unknown, text=text[:60], known=", ".join(nearest(text, known)))
        return text

    def _need(self, found: Found | None, problem: str, /, at: int | None = None, **values: Any) -> Found:
        """What was found. Raises LessonError with the problem where it is nothing; at: its line, left out, this one."""
        if not found:
            raise LessonError(self._file, at or self._line, say(problem, **values))
        return found


def _as_it_is(_: _Parser, text: str) -> str:
    return text


FRONT: Mapping[str, Callable[[_Parser, str], Any]] = {
    "title": _as_it_is,
    "minutes": lambda p, text: p.whole_number(text, MOST_MINUTES),
    "summary": _as_it_is,
    "model": lambda p, text: p.one_of(text, NAMED),  # a lesson shall not read other folders, or download
}


@dataclass(frozen=True)
class Command:
    """What a line that begins with `::` sets. is_list: it may stand again; what it reads is added to the others."""

    part: str  # of the page: a key of _Draft.parts
    field: str
    read: Callable[[_Parser, str], Any] = _as_it_is
    is_list: bool = False


COMMANDS: Mapping[str, Command] = {
    "text": Command("setup", "text_a"),
    "text-b": Command("setup", "text_b"),
    "mask": Command("setup", "masks", lambda p, text: tuple(map(p.word, text.split()))),
    "model": Command("setup", "model", lambda p, text: p.one_of(text, NAMED)),
    "step": Command("setup", "step", _Parser.step),
    "room": Command("setup", "room", lambda p, text: p.one_of(text, p.rooms)),
    "view": Command("setup", "view"),
    "head": Command("setup", "head", _Parser.head),
    "layer": Command("setup", "layer", lambda p, text: p.whole_number(text, 999) - 1),
    "select": Command("setup", "select", _Parser.word),
    "whole-words": Command("setup", "words", lambda p, text: p.one_of(text, ("on", "off")) == "on"),
    "specials": Command("setup", "specials", lambda p, text: p.one_of(text, ("on", "off")) == "on"),
    "passage": Command("setup", "passage"),
    "other": Command("setup", "other"),
    "contrast": Command("setup", "contrast", _Parser.two_words),
    "direction": Command("setup", "direction", lambda p, text: p.one_of(text, DIRECTIONS)),
    "highlight": Command("page", "highlights", lambda p, text: p.here(text, HIGHLIGHTS), is_list=True),
    "cover": Command("page", "covers", lambda p, text: p.here(text, [*HIGHLIGHTS, PAGE_TEXT]), is_list=True),
    "cut": Command("page", "cut", _Parser.one_word),
    "exercise": Command("page", "exercise", lambda p, text: p.one_of(text, EXERCISES)),
    "ask": Command("question", "text", _Parser.text),
    "option": Command("question", "options", lambda p, text: [Option(p.text(text), False)], is_list=True),
    "correct": Command("question", "options", lambda p, text: [Option(p.text(text), True)], is_list=True),
    "option-if": Command("question", "options", lambda p, text: [p.option_if(text)], is_list=True),
    "answer": Command("question", "answer", _Parser.answer),
    "within": Command("question", "within", _Parser.within),
    "explain": Command("question", "explanation", lambda p, text: [p.text(text)], is_list=True),
    "task": Command("task", "text", _Parser.text),
    "done": Command("task", "done", _Parser.condition),
    "solution": Command("solution", ""),
    "hint": Command("task", "hint", _Parser.text),
    "claim": Command("page", "claims", lambda p, text: [p.claim(text)], is_list=True),
    "note": Command("page", "notes", lambda _, text: [text], is_list=True),
}
SETTINGS = tuple(name for name, command in COMMANDS.items() if command.part == "setup")
_NOT_SOLVING = ("model", "room", "view", "passage", "other", "contrast")
SOLVING = tuple(name for name in SETTINGS if name not in _NOT_SOLVING)  # what a person sets
