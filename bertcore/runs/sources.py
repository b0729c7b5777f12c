"""The files a run learns from as they were when it began, noted in its folder so that a change can be named."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.files import read_json_or_empty, write_errors, write_json
from bertcore.runs.run_folder import RunFolder

SOURCES_FILE = "sources.json"


def note_sources(run: Path, files: Iterable[Path], exact: Iterable[Path] = ()) -> None:
    """Write down the files, as long as the run has no snapshot: until then they may change.

    `exact`: files whose content is written down too, because nothing else of the run depends on all of it.
    """
    if RunFolder(run).snapshots():
        return
    noted = [_facts(file) for file in dict.fromkeys(files)]
    noted += [{**_facts(file), "sha256": _digest(file)} for file in exact]
    with write_errors(run):
        write_json(run / SOURCES_FILE, {"files": noted})


def tokenised_keys(run: Path) -> list[str]:
    """The cache's keys of the files, in their order; none where the run reads the files themselves."""
    keys = read_json_or_empty(run / SOURCES_FILE).get("tokenised")
    return [str(key) for key in keys.values()] if isinstance(keys, dict) else []


def refuse_changed(run: Path, files: Sequence[Path], exact: Sequence[Path] = ()) -> None:
    """Raises BertcoreError where a file's size, or the content of one of `exact`, is not as it was noted.

    A look at the sizes takes no time, while a long text would first be tokenised anew.
    """
    noted, now = noted_sources(run), [*dict.fromkeys(files), *exact]
    if not noted:  # a run of an earlier version
        return
    changed = []
    for file, before in zip(now, noted, strict=False):
        digest = before.get("sha256")
        if _facts(file)["bytes"] != before["bytes"] or (digest is not None and digest != _digest(file)):
            changed.append(file)
    missing = [Path(before["file"]) for before in noted[len(now) :]]
    if changed or missing or len(now) > len(noted):
        raise sources_changed([*changed, *now[len(noted) :], *missing])


def changed_since(run: Path) -> BertcoreError:
    """What to say where the run's data as a whole is known to have changed: names what has another size or time."""
    noted = noted_sources(run)
    touched = [Path(before["file"]) for before in noted if not _facts(Path(before["file"])).items() <= before.items()]
    return sources_changed(touched or [Path(before["file"]) for before in noted])


def sources_changed(files: Sequence[Path]) -> BertcoreError:
    names = ", ".join(map(str, files)) or "the text"
    return BertcoreError(
        f"The data of this run has changed since it began: {names}; put it back as it was, or start a new run."
    )


def _facts(file: Path) -> dict[str, Any]:
    try:
        stat = file.stat()
    except OSError:
        return {"file": str(file), "bytes": None, "changed_at": None}
    return {"file": str(file), "bytes": stat.st_size, "changed_at": stat.st_mtime}


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def noted_sources(run: Path) -> list[dict[str, Any]]:
    """Empty where there is no note, or a damaged one."""
    files = read_json_or_empty(run / SOURCES_FILE).get("files")
    files = files if isinstance(files, list) else []
    return [file for file in files if isinstance(file, dict) and {"file", "bytes", "changed_at"} <= set(file)]
