"""What a MODEL argument means: a name that ships, a folder, a run or a hub id. No torch."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bertcore.checkpoint.hub import cached_checkpoint, fetch
from bertcore.errors import BertcoreError, UnreadableError, shortened
from bertcore.locations import NAMED, built_in_checkpoint, shipped_checkpoint
from bertcore.runs.known_runs import is_run, run_around, run_behind

MOST_PATH = 200  # characters of a path that a sentence quotes
MOST_HUB_ID = 96  # characters: the hub's own limit
_FETCH_AGAIN = "; fetch the checkpoint again."  # what sentences on damaged files end with
_HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?")


def resolve_model(reference: str | Path | None, download: bool = True) -> Path:
    """The checkpoint folder that `reference` names; None is the built-in model.

    In this order: the name of a model that ships ("./bertscope-tiny" is a folder of that name), a checkpoint folder, a
    run folder (the snapshot that it ends with: its newest, or the best), the id of a model on the hub, which is
    downloaded once.
    Without `download` only what is on this machine counts: for a reference that stands in a file, and which no person
    has chosen. Raises BertcoreError where there is nothing of the kind.
    """
    if reference is None:
        return built_in_checkpoint()
    text = str(reference)
    if text in NAMED and isinstance(reference, str):
        return shipped_checkpoint(text)
    try:
        path = Path(reference).expanduser()
        is_folder, exists = path.is_dir(), path.exists()
    except (RuntimeError, OSError, ValueError):  # no such person, a name too long, a NUL in it
        raise BertcoreError(f"There is no folder {shortened(text, MOST_PATH)}.") from None
    if is_folder:
        return _final_snapshot(path) if is_run(path) else path
    if exists:
        raise BertcoreError(f"{path} is a file; choose the folder with the checkpoint's files.")
    if _is_path(reference):
        raise BertcoreError(f"There is no folder {shortened(text, MOST_PATH)}.")
    if download:
        return fetch(text)
    cached = cached_checkpoint(text)
    if cached is None:
        raise BertcoreError(f"The model {text} is not on this machine; open it by its name to download it.")
    return cached


def resolve_step(checkpoint: Path | None, step: int) -> Path:
    """The snapshot at a step of the run that a checkpoint comes from.

    Raises BertcoreError where it comes from none, or where the run has kept no such step.
    """
    from bertcore.runs.run_folder import RunFolder

    run = run_behind(checkpoint)
    if run is not None:
        RunFolder(run).refuse_links()
    snapshots = dict(RunFolder(run).snapshots()) if run is not None else {}
    if checkpoint is None or not snapshots:
        name = "this model" if checkpoint is None else checkpoint.name
        raise BertcoreError(f"There are no training steps of {name} here; name a model or a run folder.")
    if step not in snapshots:
        steps = ", ".join(f"{each:,}" for each in sorted(snapshots))
        raise BertcoreError(f"The run of {checkpoint.name} has kept no step {step:,}; choose one of {steps}.")
    return snapshots[step]


@contextmanager
def snapshot_errors(checkpoint: Path) -> Iterator[None]:
    """Where a run's own snapshot turns out to be damaged, says which older one can be opened: there is nowhere to fetch
    it from again."""
    try:
        yield
    except UnreadableError:
        raise
    except BertcoreError as error:
        run = run_around(checkpoint)
        if run is None or not str(error).endswith(_FETCH_AGAIN):
            raise
        older = _whole_before(checkpoint, run)
        what = "no older snapshot of the run can be opened" if older is None else f"open an older snapshot: {older}"
        raise BertcoreError(f"{str(error).removesuffix(_FETCH_AGAIN)}; {what}.") from None


def _whole_before(snapshot: Path, run: Path) -> Path | None:
    """The newest snapshot before this one that opens."""
    from bertcore.checkpoint.checkpoint import load_checkpoint
    from bertcore.runs.run_folder import RunFolder

    snapshots = [path for _, path in RunFolder(run).snapshots()]
    same = [path.resolve() for path in snapshots]
    before = snapshots[: same.index(snapshot.resolve())] if snapshot.resolve() in same else []
    for older in reversed(before):
        with suppress(BertcoreError):
            load_checkpoint(older)
            return older
    return None


def can_be_downloaded(reference: str) -> bool:
    """Whether this may be the id of a model on the hub; nobody is asked."""
    return reference not in NAMED and not os.path.exists(reference) and not _is_path(reference)


def _is_path(reference: str | Path) -> bool:
    """Whether this can only mean a folder here, though none is there: it must not be looked for on the hub."""
    text = str(reference)
    if isinstance(reference, Path) or len(text) > MOST_HUB_ID or not _HUB_ID.fullmatch(text):
        return True
    parent = os.path.dirname(text)
    return bool(parent) and os.path.isdir(parent)


def _final_snapshot(run: Path) -> Path:
    from bertcore.runs.run_folder import RunFolder  # its lock library costs the window's start 50 ms

    RunFolder(run).refuse_links()
    final = RunFolder(run).final_snapshot()
    if final is None:
        raise BertcoreError(f"The run {run} has no snapshot yet; wait a moment and open it again.")
    return final
