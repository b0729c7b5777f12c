"""A lesson as plain values: what its file says, page by page. No Qt, no torch. The format: docs/lessons.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bertcore.analysis.interventions import Direction
from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN

PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}")
PAGE_TEXT = "page"  # what a page can hide until its question is answered
CODE = r"^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1.*$|\Z)"  # of several lines, shown as it is written


@dataclass(frozen=True)
class WordAt:
    """A word of the text: the nth place where it stands, in sentence A or B, or in whichever comes first."""

    word: str
    part: str = ""  # "a", "b" or "" for either
    nth: int = 1

    def __str__(self) -> str:
        return f"{self.part}{':' if self.part else ''}{self.word}{f'#{self.nth}' if self.nth > 1 else ''}"


@dataclass(frozen=True)
class HeadChoice:
    """A head by its numbers, from 0, or by what it does: the one with the highest or lowest score of a kind."""

    layer: int = 0
    head: int = 0
    kind: str = ""
    lowest: bool = False


@dataclass(frozen=True)
class Setup:
    """What a page shows. None: as it was on the page before."""

    text_a: str | None = None
    text_b: str | None = None
    masks: tuple[WordAt, ...] | None = None
    model: str | None = None  # one of those that ship
    step: str | None = None  # "first", "last" or a number; "" for the finished model
    room: str | None = None
    view: str | None = None
    head: HeadChoice | None = None
    layer: int | None = None  # from 0
    select: WordAt | None = None
    words: bool | None = None  # whole words instead of tokens
    specials: bool | None = None
    passage: str | None = None  # that a model finds answers in, in the room Apply
    other: str | None = None  # the text to compare with; "" for none
    contrast: tuple[str, str] | None = None  # at a mask, the word asked about and the one against it
    direction: Direction | None = None  # the side that tokens look at, where it is not both
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)  # "text" -> where in the file it is set

    def then(self, later: Setup) -> Setup:
        """What a later page shows. Another text brings no masks, second sentence, selected token, comparison along."""
        earlier = self
        if later.text_a is not None:
            earlier = replace(earlier, text_b="", masks=(), select=None, other=None, contrast=None, direction=None)
        if later.room is not None:
            earlier = replace(earlier, view=None)
        if later.model is not None:
            earlier = replace(earlier, step=None)
        given = {name: value for name, value in vars(later).items() if value is not None}
        return replace(earlier, **given | {"lines": {**earlier.lines, **later.lines}})


@dataclass(frozen=True)
class Measure:
    """A number or word that is read off the model: its name in `measures.MEASURES`, and of what."""

    name: str
    argument: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.argument}".strip()


@dataclass(frozen=True)
class Condition:
    """Something that holds or does not. value: None for the measure at the beginning of the page."""

    measure: Measure
    operator: str  # one of measures.OPERATORS
    value: float | str | None
    line: int = 0


@dataclass(frozen=True)
class Option:
    """One of the choices. is_right: True, False, or a condition that says so."""

    text: str
    is_right: bool | Condition


@dataclass(frozen=True)
class Question:
    kind: str  # choice, number, word or free
    text: str
    line: int
    options: tuple[Option, ...] = ()  # of a choice
    answer: Measure | tuple[str, ...] | None = None  # of a number or a word: computed, or any of these
    within: tuple[float, bool] = (0.0, False)  # by how much a number may be off; whether that is a share of the answer
    explanation: tuple[str, ...] = ()  # lines, shown on demand
    hint: str = ""  # after a first wrong answer; empty for one that is computed


@dataclass(frozen=True)
class Task:
    """Something to do in the window. solution: what does it, so that a test can."""

    text: str
    done: Condition
    solution: Setup
    line: int
    hint: str = ""


@dataclass(frozen=True)
class Page:
    title: str
    line: int
    text: str  # Markdown, below the question
    setup: Setup  # with what earlier pages have set
    highlights: tuple[str, ...] = ()  # names of widgets.highlights.HIGHLIGHTS
    lead: str = ""  # Markdown above the question: words that it uses
    question: Question | None = None
    task: Task | None = None
    claims: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()  # for the teacher
    covers: tuple[str, ...] = ()  # names of HIGHLIGHTS, and PAGE_TEXT: hidden until the question is answered
    cut: str = ""  # a word whose cutting into pieces the card shows, step by step
    exercise: str = ""  # to write oneself, one of bertcore.exercises
    placeholders: tuple[tuple[int, Measure], ...] = field(default=(), compare=False)  # of all its texts, with lines
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)  # "cover" -> where its first one stands

    @property
    def measures(self) -> list[Measure]:
        """Everything that it wants to know of the window."""
        options, answer = ((), None) if self.question is None else (self.question.options, self.question.answer)
        conditions = [*self.claims, *(option.is_right for option in options if isinstance(option.is_right, Condition))]
        found = [measure for _, measure in self.placeholders] + [condition.measure for condition in conditions]
        found += [] if self.task is None else [self.task.done.measure]
        return [*found, answer] if isinstance(answer, Measure) else found


@dataclass(frozen=True)
class Lesson:
    title: str
    minutes: int
    summary: str
    pages: tuple[Page, ...]
    file: Path
    model: str = BUILT_IN


def unmarked(text: str) -> str:
    """On one line, without the marks of Markdown."""
    plain = re.sub(r"(\*{1,2})(?=\S)(.+?)(?<=\S)\1", r"\2", text.replace("\\", ""), flags=re.DOTALL)
    return " ".join(plain.split())


class LessonError(BertcoreError):
    """One sentence, with the file and line that it is about: `heads.md:12: ...`.

    is_warning: the lesson can be played, but an author will hardly want it so.
    """

    def __init__(self, file: Path, line: int, sentence: str, is_warning: bool = False) -> None:
        super().__init__(f"{file}:{line}: {sentence}")
        self.file, self.line, self.sentence, self.is_warning = file, line, sentence, is_warning


class SetupError(BertcoreError):
    """What a page sets does not go with the model or the text. setting: the command that sets it, such as `head`."""

    def __init__(self, setting: str, sentence: str) -> None:
        super().__init__(sentence)
        self.setting = setting
