"""Files of assets/ that are translated: help, glossary, lessons, examples. No Qt: whoever reads them may have none."""

from pathlib import Path

from bertcore.locations import assets

_language = "en"


def set_language(code: str) -> None:
    """What `language.install` calls."""
    global _language
    _language = code


def language() -> str:
    return _language


def folder_of(code: str) -> Path:
    """Where the translation into a language is: its .ts, and what this module finds."""
    return assets() / "languages" / code


def asset(name: str) -> Path:
    """A file by its name below assets/, "help/map.md": its translation where there is one."""
    file = folder_of(_language) / name
    return file if file.is_file() else assets() / name
