"""The lessons that ship, by what their first lines say. Menus are filled with it, so it needs no parser."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bertcore.locations import assets


@dataclass(frozen=True)
class ShippedLesson:
    file: Path
    title: str
    minutes: str
    summary: str


def shipped_files() -> list[Path]:
    """In the order of the menu."""
    return sorted((assets() / "lessons").glob("*.md"))


@cache
def shipped_lessons() -> tuple[ShippedLesson, ...]:
    made = []
    for file in shipped_files():
        front = file.read_text(encoding="utf-8").split("---", 2)[1]
        said = dict(line.split(": ", 1) for line in front.strip().splitlines())
        made.append(ShippedLesson(file, said["title"], said["minutes"], said["summary"]))
    return tuple(made)
