"""`bertscope lesson check [FILE...]`: whether lessons can be read and what they say holds."""

import argparse
import sys
from pathlib import Path

from bertcore.errors import printable

from ..lessons.lesson import Lesson, LessonError
from ..lessons.parser import load_lesson
from ..lessons.shipped import shipped_files
from ..lessons.verify import Bench, check_lesson
from .rooms import prediction_rooms, room_views


def main(arguments: list[str]) -> int:
    """Prints what does not hold, and warnings, with file and line. Returns the exit code: 0, or 2 for the former."""
    parser = argparse.ArgumentParser(prog="bertscope lesson", description="Lessons: docs/lessons.md.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="read lessons, and try everything they say and ask")
    check.add_argument("files", nargs="*", type=Path, metavar="FILE", help="default: the lessons that ship")
    options = parser.parse_args(arguments)
    bench, problems = Bench(), 0
    for file in options.files or shipped_files():
        try:
            lesson = load_lesson(file, room_views())
            found = check_lesson(lesson, bench, prediction_rooms())
        except LessonError as error:
            found = [error]
        for problem in found:
            print(problem, file=sys.stderr)
        if all(problem.is_warning for problem in found):
            print(printable(_summary(lesson, len(found))))
        problems += sum(not problem.is_warning for problem in found)
    return 2 if problems else 0


def _summary(lesson: Lesson, warnings: int) -> str:
    questions = sum(page.question is not None for page in lesson.pages)
    tasks = sum(page.task is not None for page in lesson.pages)
    end = "all right" if not warnings else f"it works, with {warnings} warning{'s' if warnings > 1 else ''}"
    return f"{lesson.file.name}: {len(lesson.pages)} pages, {questions} questions, {tasks} tasks: {end}."
