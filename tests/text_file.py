"""A file and what stands in it, in one line."""

from pathlib import Path


def text_file(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file
