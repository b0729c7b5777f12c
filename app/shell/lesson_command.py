"""`bertscope lesson check [FILE...]`: whether lessons can be read and what they say holds."""

import argparse
import sys
from pathlib import Path

from bertcore.errors import BertcoreError, printable

from ..lessons.lesson import Lesson
from ..lessons.parser import load_lesson
from ..lessons.shipped import shipped_files
from ..lessons.verify import Bench, check_lesson
from .rooms import room_views


def main(arguments: list[str]) -> int:
    """Returns the exit code: 0, or 2 where something does not hold, each with file and line."""
    options = _parser().parse_args(arguments)
    bench, problems = Bench(), 0
    for file in options.files or shipped_files():
        found: list[BertcoreError] = []
        try:
            lesson = load_lesson(file, room_views())
            found += check_lesson(lesson, bench)
        except BertcoreError as error:
            found.append(error)
        for problem in found:
            print(problem, file=sys.stderr)
        if not found:
            print(printable(_summary(lesson)))
        problems += len(found)
    return 2 if problems else 0


def _summary(lesson: Lesson) -> str:
    questions = sum(page.question is not None for page in lesson.pages)
    tasks = sum(page.task is not None for page in lesson.pages)
    return f"{lesson.file.name}: {len(lesson.pages)} pages, {questions} questions, {tasks} tasks: all right."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bertscope lesson", description="Lessons: docs/lessons.md.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="read lessons, and try everything they say and ask")
    check.add_argument("files", nargs="*", type=Path, metavar="FILE", help="default: the lessons that ship")
    return parser
