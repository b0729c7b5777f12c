"""What a class has handed in, question by question: who chose what, who skipped it, and what most got wrong."""

import csv
import io
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import reason_of

from ..look import say
from .answers import ENDING, Answer, HandIn, load_answers
from .lesson import PLACEHOLDER, Lesson, unmarked

MOST_FILES, MOST_QUESTIONS, MOST_GROUPS = 2_000, 120, 8
LIMIT_S = 0.1  # of reading, between two looks at the window
FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")  # what a spreadsheet would run
Given = tuple[str, Answer | None]  # by whom, and what; None: skipped


class HandedIn:
    """A folder that is followed: each file is read when it is new, and when it has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hides_names = self.is_behind = False
        self._files: dict[str, tuple[tuple[int, int], HandIn | str]] = {}  # in the order of arrival
        self._problem = ""  # with the folder

    def update(self) -> bool:
        """Whether anything is another than before. `is_behind`: there is more to read."""
        before, known = self._problem, {name: stamp for name, (stamp, _) in self._files.items()}
        try:
            with os.scandir(self.folder) as entries:
                files = (entry for entry in entries if entry.name.lower().endswith(ENDING) and entry.is_file())
                about = {entry.name: entry.stat() for entry in islice(files, MOST_FILES)}
            stamps = {name: (stat.st_mtime_ns, stat.st_size) for name, stat in about.items()}
            self._problem = ""
        except OSError as error:
            stamps, self._problem = known, say("The folder cannot be read: {reason}.", reason=reason_of(error))
        for name in known.keys() - stamps.keys():
            del self._files[name]
        new = [name for name in sorted(stamps, key=stamps.__getitem__) if stamps[name] != known.get(name)]
        until, read = time.monotonic() + LIMIT_S, 0
        while read < len(new) and time.monotonic() < until:
            try:
                found: HandIn | str = load_answers(self.folder / new[read])
            except BertcoreError as error:
                found = str(error)
            self._files[new[read]] = stamps[new[read]], found
            read += 1
        self.is_behind = read < len(new)
        return bool(new) or known.keys() != stamps.keys() or before != self._problem

    @property
    def problems(self) -> list[str]:
        """A sentence for each file that cannot be read."""
        found = [self._problem, *(found for _, found in self._files.values())]
        return [each for each in found if isinstance(each, str) and each]

    @property
    def hand_ins(self) -> list[HandIn]:
        """By name; or in the order in which files arrived, with a number in the place of the name."""
        found = [found for _, found in self._files.values() if isinstance(found, HandIn)]
        if self.hides_names:
            return [replace(each, name=str(place)) for place, each in enumerate(found, start=1)]
        return sorted(found, key=lambda each: each.name.casefold())


@dataclass(frozen=True)
class Group:
    """Those who gave the same answer. right: None where nobody can say."""

    text: str
    right: bool | None
    members: tuple[Given, ...]


@dataclass(frozen=True)
class Asked:
    """A question or a task, and what everybody who has handed in its lesson made of it."""

    lesson: str
    page: str
    kind: str
    text: str
    options: Mapping[str, bool | None]  # of a choice, where the lesson is known; None: that depends on the model
    given: tuple[Given, ...]

    @property
    def wrong(self) -> int:
        """How many, at the first try."""
        return sum(answer is not None and (answer.right is False or answer.tries > 1) for _, answer in self.given)

    @property
    def groups(self) -> list[Group]:
        """Choices in the order of the lesson; numbers and words, right ones first, by how many gave them."""
        skipped = tuple(each for each in self.given if each[1] is None)
        answered = [(name, answer) for name, answer in self.given if answer is not None]
        is_task = self.kind == "task"
        if is_task or self.kind == "free":
            made = [Group(say("done") if is_task else say("answered"), is_task or None, tuple(answered))]
        else:
            members: dict[str, list[tuple[str, Answer]]] = {text: [] for text in self.options}
            for name, answer in answered:
                text = unmarked(answer.given)
                members.setdefault(text if self.kind == "choice" else text.casefold(), []).append((name, answer))
            rights = {text: {answer.right for _, answer in those} - {None} for text, those in members.items()}
            judged = {text: True in found if found else self.options.get(text) for text, found in rights.items()}
            made = [Group(text, judged[text], tuple(those)) for text, those in members.items()]
            if self.kind != "choice":
                made.sort(key=lambda group: (not group.right, -len(group.members)))
            rest = tuple(member for group in made[MOST_GROUPS:] for member in group.members)
            made[MOST_GROUPS:] = [Group(say("other answers"), made[-1].right, rest)] if rest else []
        return [*made, Group(say("not done") if is_task else say("skipped"), None, skipped)] if skipped else made


def questions(hand_ins: Sequence[HandIn], lesson_of: Callable[[str], Lesson | None]) -> list[Asked]:
    """What most got wrong first, else in the order of the lesson.

    lesson_of: by its title; where it is known, what nobody chose or answered is there as well.
    """
    made: list[Asked] = []
    for title in dict.fromkeys(each.lesson for each in hand_ins):
        found: dict[tuple[str, str], tuple[str, dict[str, bool | None]]] = {}
        lesson = lesson_of(title)
        for page in lesson.pages if lesson is not None else ():
            if page.question is not None:
                rights = {unmarked(option.text): option.is_right for option in page.question.options}
                options = {text: right if isinstance(right, bool) else None for text, right in rights.items()}
                found[page.title, page.question.kind] = PLACEHOLDER.sub("…", page.question.text), options
            if page.task is not None:
                found[page.title, "task"] = PLACEHOLDER.sub("…", page.task.text), {}
        those = [each for each in hand_ins if each.lesson == title]
        answers = [(each.name, {(answer.page, answer.kind): answer for answer in each.answers}) for each in those]
        for key, answer in (item for _, given in answers for item in given.items()):
            found[key] = answer.asked, found[key][1] if key in found else {}  # with the numbers that were on show
        for key, (text, options) in islice(found.items(), MOST_QUESTIONS - len(made)):
            given = tuple((name, given.get(key)) for name, given in answers)
            made.append(Asked(title, *key, unmarked(text), options, given))
    return sorted(made, key=lambda asked: -asked.wrong)


def as_csv(asked: Sequence[Asked]) -> str:
    """A line for each answer, and for what was skipped: whoever wants another table makes it with a pivot."""
    out, marks = io.StringIO(), {True: "yes", False: "no", None: ""}
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", "lesson", "page", "kind", "asked", "given", "right", "tries", "first"])
    for one in asked:
        for name, answer in one.given:
            said = (answer.given, marks[answer.right]) if answer else ("", "skipped")
            tries = (str(answer.tries), answer.first) if answer else ("0", "")
            values = one.page, one.kind, one.text, *said, *tries
            cells = [re.sub(r"\r\n?|\0", "\n", value) for value in (name, one.lesson, *values)]
            writer.writerow([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in cells])
    return out.getvalue()
