"""The columns that a file of one's own offers, and the ones that usually hold what a task needs."""

from pathlib import Path

from bertcore.tasks.readers.lines import layout_suffix, numbered_lines
from bertcore.tasks.readers.tables import read_rows
from bertcore.tasks.spec import Role, TaskSpec

_LISTS = (".jsonl", ".ndjson", ".parquet")


def columns_in(spec: TaskSpec, file: Path) -> list[str]:
    """The names of the columns that can be chosen, of a CoNLL file their numbers; empty where the layout leaves no
    choice. Raises BertcoreError where the file cannot be read."""
    suffix = layout_suffix(file)
    if spec.layout == "conll" and suffix not in _LISTS:
        first_line = next((line for _, line in numbered_lines(file) if line.strip()), "")
        return [str(number + 1) for number in range(len(first_line.split()))]
    if spec.layout == "cola" or (spec.layout, suffix) == ("squad", ".json"):
        return []
    if spec.layout == "choices" and suffix != ".csv":
        return []
    first = next(iter(read_rows(file)), None)
    return list(first.fields) if first else []


def likely_column(spec: TaskSpec, role: Role, columns: list[str]) -> str | None:
    """The column that the task's files usually have for this role; None where no name is known."""
    if spec.layout == "conll" and columns and columns[0] == "1":
        number = 1 if role == "text" else spec.tag_column or len(columns)
        return str(number) if number <= len(columns) else None
    return next((name for name in spec.columns.get(role, ()) if name in columns), None)
