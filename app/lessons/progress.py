"""How far a lesson is, for a file: its page, what is chosen or typed on each, which answers are on show. No widgets.

    {"format_version": 1, "file": ".../02-heads.md", "page": 3, "choices": {"Heads have habits": "1"},
     "revealed": ["Heads have habits"]}

Answers are a file of their own, as they are handed in (answers.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes
from bertcore.json_text import parse_json

from .answers import Answer

FORMAT_VERSION = 1
MOST_BYTES = 5_000_000


@dataclass(frozen=True)
class Progress:
    file: Path  # of the lesson
    page: int  # from 0
    choices: dict[str, str]  # page -> what is chosen or typed there
    revealed: frozenset[str]  # pages whose answer is on show
    answers: tuple[Answer, ...] = ()


def progress_as_json(progress: Progress) -> str:
    values = {
        "format_version": FORMAT_VERSION,
        "file": str(progress.file),
        "page": progress.page,
        "choices": progress.choices,
        "revealed": sorted(progress.revealed),
    }
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def load_progress(file: Path, answers: tuple[Answer, ...]) -> Progress:
    """Raises BertcoreError where the file has none."""
    try:
        values = parse_json(read_bytes(file, MOST_BYTES).decode("utf-8"))
        if values.pop("format_version") != FORMAT_VERSION or type(values["page"]) is not int:
            raise ValueError
        choices = {str(page): str(given) for page, given in values["choices"].items()}
        return Progress(Path(values["file"]), values["page"], choices, frozenset(map(str, values["revealed"])), answers)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BertcoreError(f"{file} does not say how far a lesson was.") from error
