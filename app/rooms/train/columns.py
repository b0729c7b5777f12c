"""The columns of a person's own file, and what each may hold. No torch, no widgets."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.look.language import QT_TRANSLATE_NOOP
from bertcore.tasks.readers.lines import layout_suffix, numbered_lines
from bertcore.tasks.readers.reading import find_file, read_task
from bertcore.tasks.readers.spec import Role, TaskSpec
from bertcore.tasks.readers.tables import read_rows

READ_WHOLE_BYTES = 300_000  # a file up to this size is read before the start: it takes some milliseconds
_NUMBER = QT_TRANSLATE_NOOP("Columns", "Column with the number")
_ROLES: dict[str, dict[Role, str]] = {
    "tag": {
        "text": QT_TRANSLATE_NOOP("Columns", "Column with the words"),
        "label": QT_TRANSLATE_NOOP("Columns", "Column with the tags"),
    },
    "span": {
        "text": QT_TRANSLATE_NOOP("Columns", "Column with the passage"),
        "text_b": QT_TRANSLATE_NOOP("Columns", "Column with the question"),
        "label": QT_TRANSLATE_NOOP("Columns", "Column with the answer"),
    },
    "choice": {
        "text": QT_TRANSLATE_NOOP("Columns", "Column with the beginning"),
        "label": QT_TRANSLATE_NOOP("Columns", "Column with the number of the right ending"),
    },
    "summarise": {
        "text": QT_TRANSLATE_NOOP("Columns", "Column with the text"),
        "label": QT_TRANSLATE_NOOP("Columns", "Column with the summary"),
    },
}
_TEXTS: dict[Role, str] = {
    "text": QT_TRANSLATE_NOOP("Columns", "Column with the text"),
    "text_b": QT_TRANSLATE_NOOP("Columns", "Column with the second text"),
    "label": QT_TRANSLATE_NOOP("Columns", "Column with the label"),
}
_LISTS = (".jsonl", ".ndjson", ".parquet")


def columns_in(spec: TaskSpec, file: Path) -> list[str]:
    """Names of the columns that can be chosen; of a CoNLL file their numbers. None for a layout without a choice.

    Raises BertcoreError where the file cannot be read.
    """
    suffix = layout_suffix(file)
    if spec.layout == "conll" and suffix not in _LISTS:
        return [str(number + 1) for number in range(_columns_of_lines(file))]
    has_none = (
        spec.layout == "cola"
        or (spec.layout == "squad" and suffix == ".json")
        or (spec.layout == "choices" and suffix != ".csv")
    )
    if has_none:
        return []
    first = next(iter(read_rows(file)), None)
    return list(first.fields) if first else []


def roles_of(spec: TaskSpec) -> dict[Role, str]:
    """The columns that a task needs, each with the title of its field."""
    titles = _ROLES.get(spec.kind, _TEXTS)
    if spec.kind == "regress":
        titles = {**titles, "label": _NUMBER}
    return {
        role: QCoreApplication.translate("Columns", title) for role, title in titles.items() if role in spec.columns
    }


def likely_column(spec: TaskSpec, role: Role, columns: list[str]) -> str | None:
    """The column that the task's files usually have for this; None where no name is known."""
    if spec.layout == "conll" and columns and columns[0] == "1":
        number = 1 if role == "text" else spec.tag_column or len(columns)
        return str(number) if number <= len(columns) else None
    return next((name for name in spec.columns.get(role, ()) if name in columns), None)


def check_examples(spec: TaskSpec, place: Path, columns: dict[Role, str]) -> None:
    """Reads a small file whole, as the run will. Raises BertcoreError, one sentence, where it does not fit.

    A large file is left to the run, which reads it first of all.
    """
    file = find_file(spec, place, "train")
    if file.stat().st_size <= READ_WHOLE_BYTES:
        read_task(spec, file, "train", columns)


def _columns_of_lines(file: Path) -> int:
    first = next((line for _, line in numbered_lines(file) if line.strip()), "")
    return len(first.split())
