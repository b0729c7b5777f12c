"""What a person calls a run, and what they have noted of it: label.json in the run folder, beside its config. No torch.

The folder keeps its name: a process may be at work in it, and other files name its place.
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bertcore.errors import BertcoreError, name_from_file, printable, shortened
from bertcore.files import read_json_or_empty, write_errors, write_json
from bertcore.runs.run_folder import CONFIG

LABEL = "label.json"
MOST_TAGS, MOST_NOTE = 12, 4000  # tags, characters
MOST_BYTES = 2**20  # every label of every run is read while the list of runs waits


@dataclass(frozen=True)
class RunLabel:
    """Empty where nothing was given: the run then has the name that it was started with."""

    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""


def read_label(run: Path) -> RunLabel:
    """What a file from elsewhere says, as far as it can be shown; a damaged one counts as none."""
    values = read_json_or_empty(run / LABEL, MOST_BYTES)
    note, tags = values.get("note"), values.get("tags")
    return RunLabel(
        name_from_file(values.get("name")),
        tidy_tags(tags if isinstance(tags, list) else []),
        shortened("\n".join(map(printable, note.splitlines())), MOST_NOTE) if isinstance(note, str) else "",
    )


def write_label(run: Path, label: RunLabel) -> None:
    """Raises BertcoreError where the folder is no run, or cannot be written; and where there is a label that cannot be
    read just now: whoever is asked for a new one was not shown it."""
    if not (run / CONFIG).is_file():
        raise BertcoreError(f"{run} is not a run folder; it may have been moved.")
    read_json_or_empty(run / LABEL, MOST_BYTES, to_rewrite=True)
    with write_errors(run):
        write_json(run / LABEL, asdict(replace(label, note=label.note[:MOST_NOTE])))


def tidy_tags(tags: list[object]) -> tuple[str, ...]:
    """Each once, in one line, without empty ones."""
    found = dict.fromkeys(name_from_file(tag).strip(" #,") for tag in tags)
    return tuple(tag for tag in found if tag)[:MOST_TAGS]
