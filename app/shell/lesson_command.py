"""`bertscope lesson check [FILE...]`: whether lessons hold what they say, and a student's exercises do; `exercise`."""

import argparse
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from bertcore.errors import BertcoreError, printable
from bertcore.exercises import EXERCISES, mark
from bertcore.files import read_bytes

from ..figures.files import write_whole
from ..lessons.exercise_box import ENDING
from ..lessons.lesson import Lesson, LessonError
from ..lessons.parser import load_lesson
from ..lessons.shipped import shipped_files
from ..lessons.verify import Bench, answers_of, check_lesson
from ..look import language, say, translated
from .rooms import prediction_rooms, room_views


def main(arguments: list[str]) -> int:
    """Prints what does not hold, and warnings, with file and line. Returns the exit code: 0, or 2 for the former."""
    parser = argparse.ArgumentParser(prog="bertscope lesson", description="Lessons: docs/lessons.md.")
    parser.add_argument("--language", choices=("en", "de"), default="en", help="of exercises and what is said of them")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="read lessons, and try everything they say and ask; mark exercises")
    check.add_argument("files", nargs="*", type=Path, metavar="FILE", help="default: the lessons that ship")
    check.add_argument("--answers", action="store_true", help="say of each page what is right, and what it explains")
    check.add_argument("--hints", action="store_true", help="say of an exercise what would put it right, too")
    exercise = commands.add_parser("exercise", help="write a Python file with gaps, to be filled in and checked")
    exercise.add_argument("name", choices=list(EXERCISES))
    exercise.add_argument("folder", nargs="?", type=Path, default=Path(), help="default: the current one")
    options = parser.parse_args(arguments)
    if options.language != "en":
        language.install(QCoreApplication.instance() or QCoreApplication([]), options.language)
    if options.command == "exercise":
        return _exercise(f"{options.name}{ENDING}", options.folder)
    bench, problems = Bench(), 0
    for file in options.files or shipped_files():
        if file.suffix == ENDING:
            problems += _mark(file, options.hints)
            continue
        try:
            lesson = load_lesson(file, room_views())
            found = check_lesson(lesson, bench, prediction_rooms())
            for line in answers_of(lesson, bench) if options.answers else ():
                print(printable(line))
        except LessonError as error:
            found = [error]
        for problem in found:
            print(problem, file=sys.stderr)
        if all(problem.is_warning for problem in found):
            print(printable(_summary(lesson, len(found))))
        problems += sum(not problem.is_warning for problem in found)
    return 2 if problems else 0


def _exercise(name: str, folder: Path) -> int:
    file = folder / name
    try:
        if file.exists():
            raise BertcoreError(say("{file} is there already; nothing is written over it.", file=file))
        write_whole(file, read_bytes(translated.asset(f"exercises/{name}")))
    except BertcoreError as error:
        print(error, file=sys.stderr)
        return 2
    print(printable(say("Saved {file}. When the gaps are filled in: bertscope lesson check {file}", file=file)))
    return 0


def _mark(file: Path, wants_hints: bool) -> int:
    """Prints a line for each function, as soon as it is marked; how many are not right."""
    wrong, is_hinted = 0, False
    try:
        for found in mark(file):
            print(printable(f"{found.name}: {say(found.says, **found.values)}"), flush=True)
            wrong += not found.is_right
            is_hinted = is_hinted or bool(found.hint)
            if wants_hints and found.hint:
                print(printable(f"    {say(found.hint)}"), flush=True)
    except BertcoreError as error:
        print(error, file=sys.stderr)
        return 1
    if is_hinted and not wants_hints:
        print(say("With --hints it says what would put it right."))
    return wrong


def _summary(lesson: Lesson, warnings: int) -> str:
    questions = sum(page.question is not None for page in lesson.pages)
    tasks = sum(page.task is not None for page in lesson.pages)
    end = say("all right") if not warnings else say("it works, with %n warning(s)", n=warnings)
    counted = say("%n page(s)", n=len(lesson.pages)), say("%n question(s)", n=questions), say("%n task(s)", n=tasks)
    return f"{lesson.file.name}: {', '.join(counted)}: {end}."
