"""The lessons that ship, by what their first lines say. Menus are filled with it, so it needs no parser."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bertcore.locations import TUNED, assets, tuned_models

from ..look import translated
from ..look.language import LANGUAGES


@dataclass(frozen=True)
class ShippedLesson:
    file: Path
    number: int  # of the lesson; 0: the tour of the window
    title: str
    minutes: str
    summary: str


def shipped_files() -> list[Path]:
    """In the order of the menu, in English; without lessons on fine-tuned models that are not there."""
    absent = set(TUNED) - set(tuned_models())
    files = sorted((assets() / "lessons").glob("*.md"))
    return [file for file in files if not any(name in file.read_text(encoding="utf-8") for name in absent)]


def tour_file() -> Path:
    """The tour that is offered at the first start."""
    return assets() / "lessons" / "00-tour.md"


def in_language(file: Path) -> Path:
    """A lesson that ships, in the language of the window; any other file itself."""
    of_language = [translated.folder_of(code) / "lessons" for code in LANGUAGES]
    return translated.asset(f"lessons/{file.name}") if file.parent in (assets() / "lessons", *of_language) else file


def shipped_lessons() -> tuple[ShippedLesson, ...]:
    """In the order of the menu and the language of the window."""
    return _read(tuple(in_language(file) for file in shipped_files()))


@cache
def _read(files: tuple[Path, ...]) -> tuple[ShippedLesson, ...]:
    made = []
    for file in files:
        front = file.read_text(encoding="utf-8").split("---", 2)[1]
        said = dict(line.split(": ", 1) for line in front.strip().splitlines())
        number = int(file.stem.partition("-")[0])
        made.append(ShippedLesson(file, number, said["title"], said["minutes"], said["summary"]))
    return tuple(made)
