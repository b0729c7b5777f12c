"""What a MODEL argument means: a name that ships, a folder, a run or a hub id, which is fetched. No torch."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bertcore.checkpoint.config_file import CONFIG_FILE, config_values
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError, UnreadableError, brief, shortened
from bertcore.files import is_disk_full, is_there, read_json_or_empty, write_errors, write_json
from bertcore.locations import ABOUT_FILE, NAMED, built_in_checkpoint, home, shipped_checkpoint
from bertcore.runs.known_runs import is_run, run_around, run_behind

MOST_PATH = 200  # characters of a path that a sentence quotes
MOST_HUB_ID = 96  # characters: the hub's own limit
_FETCH_AGAIN = "; fetch the checkpoint again."  # what sentences on damaged files end with
UNTRAINED = "untrained:"  # before the name of a published model: one of its shape, with random weights
_HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?")


def resolve_model(reference: str | Path | None, download: bool = True) -> Path:
    """The checkpoint folder that `reference` names; None is the built-in model.

    In this order: the name of a model that ships ("./bertscope-tiny" is a folder of that name), "untrained:" and the
    name of a published one, a checkpoint folder, a
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
    if text.startswith(UNTRAINED):
        return untrained_checkpoint(text.removeprefix(UNTRAINED))
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


def untrained_checkpoint(name: str) -> Path:
    """A folder with the shape of a published model and the built-in vocabulary, in which no weights are stored:
    opening it draws them, always the same way. Its token table has the rows of that vocabulary.

    Raises BertcoreError where there is no such model, or the folder cannot be written.
    """
    config, folder = BertConfig.preset(name), home() / "untrained" / name
    if not is_there(folder / ABOUT_FILE):
        from bertcore.tokenizer.tokenizer import Tokenizer

        tokenizer = Tokenizer.from_folder(built_in_checkpoint())
        config = config.with_changes(vocab_size=tokenizer.largest_id + 1)
        with write_errors(folder):
            tokenizer.save(folder, config.max_length)
            write_json(folder / CONFIG_FILE, config_values(config, f"{config.family.class_prefix}Model"))
            write_json(folder / ABOUT_FILE, {"name": f"{name}, untrained", "untrained": True})
    return folder


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


# --- checkpoints from the Hugging Face hub, by id


_ABOUT = ["config.json", "1_Pooling/config.json", "2_Normalize/*", "modules.json", "bertscope.json", "README.md"]
_VOCABULARY = ["vocab.txt", "vocab.json", "merges.txt", "tokenizer.json", "tokenizer_config.json"]
_VOCABULARY += ["special_tokens_map.json", "added_tokens.json"]
_VOCABULARIES = (("tokenizer.json",), ("vocab.txt",), ("vocab.json", "merges.txt"))  # one of these is enough
_WEIGHTS = ["model.safetensors", "model.safetensors.index.json", "model-*.safetensors", "bertscope_heads.safetensors"]
_PICKLED = ["pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*.bin"]
_WANTED = [*_ABOUT, *_VOCABULARY, *_WEIGHTS]
_ANSWER_WITHIN_S = 10.0


def on_this_machine(hub_id: str) -> Path | None:
    """What the hub's cache has of a checkpoint, if that is at least its config and a vocabulary."""
    from huggingface_hub import try_to_load_from_cache

    for names in _VOCABULARIES:
        found = [try_to_load_from_cache(hub_id, name) for name in ("config.json", *names)]
        if all(isinstance(file, str) for file in found):
            return Path(str(found[0])).parent
    return None


def _has_weights(folder: Path) -> bool:
    """All files of them; one that is cut off is not under its name."""
    for index in ("model.safetensors.index.json", "pytorch_model.bin.index.json"):
        if (folder / index).is_file():
            parts = read_json_or_empty(folder / index).get("weight_map")
            return isinstance(parts, dict) and all((folder / str(part)).is_file() for part in parts.values())
    return any((folder / name).is_file() for name in ("model.safetensors", "pytorch_model.bin"))


def cached_checkpoint(hub_id: str) -> Path | None:
    """A checkpoint that the hub's cache has whole; no connection is opened.

    Raises BertcoreError for what cannot be an id.
    """
    from huggingface_hub.errors import HFValidationError

    try:
        cached = on_this_machine(hub_id)
    except HFValidationError:  # no name that the hub could have given
        raise BertcoreError(f"There is no folder {brief(hub_id)}.") from None
    return cached if cached is not None and _has_weights(cached) else None


def fetch(hub_id: str) -> Path:
    """Download a checkpoint's files, or take them from the hub's cache; shows a progress bar in a terminal.

    Raises BertcoreError where the id is unknown, the hub does not give it, or it cannot be reached or stored.
    """
    from huggingface_hub import HfApi, snapshot_download

    cached = cached_checkpoint(hub_id)
    if cached is not None:
        return cached
    try:
        # asked for once, without the retries of the listing calls, so that a missing network is reported at once
        files = [file.rfilename for file in HfApi().model_info(hub_id, timeout=_ANSWER_WITHIN_S).siblings or []]
        has_safetensors = any(file.endswith(".safetensors") and file.startswith("model") for file in files)
        wanted = _WANTED if has_safetensors else [*_WANTED, *_PICKLED]
        return Path(snapshot_download(hub_id, allow_patterns=wanted))
    except Exception as error:  # a missing network has as many types as there are layers below
        raise BertcoreError(_why_not(hub_id, error)) from None


def _why_not(hub_id: str, error: Exception) -> str:
    """Why the hub's library could not fetch a model, as one sentence."""
    from huggingface_hub import constants
    from huggingface_hub import errors as hub_errors

    log_in = "log in with `hf auth login`"
    errors = _chain(error)
    if any(is_disk_full(one) for one in errors):
        return (
            f"The disk is full: {hub_id} cannot be stored in {constants.HF_HUB_CACHE}; free some space, or set HF_HOME."
        )
    if any(isinstance(one, PermissionError) for one in errors):
        return f"{hub_id} cannot be stored in {constants.HF_HUB_CACHE}: permission denied; set HF_HOME."
    answer = next((one for one in errors if isinstance(one, hub_errors.HfHubHTTPError)), None)
    status = answer.response.status_code if answer is not None else 0
    if isinstance(answer, hub_errors.GatedRepoError):
        return f"{hub_id} is only for people who have accepted its terms: do so on its page, and {log_in}."
    if isinstance(answer, hub_errors.RepositoryNotFoundError) or status == 404:  # 401 too, where nobody is logged in
        return f"There is no folder {hub_id}, and the hub has no model of that name; if it is private, {log_in}."
    if status in (401, 403):
        return f"The account on this machine may not download {hub_id} (status {status}); {log_in} again."
    if status == 429:
        return f"The hub has had too many requests from this machine to send {hub_id} now; try again in a few minutes."
    if status:
        return f"The hub failed to send {hub_id} (its error {status}); try again later."
    # HF_HUB_OFFLINE, as in a run of the window's
    if any(isinstance(one, hub_errors.OfflineModeIsEnabled) for one in errors):
        return f"The model {hub_id} is not on this machine, and it is not downloaded here; open it by its name first."
    return f"There is no folder {hub_id}, and the model hub cannot be reached to look for it there."


def _chain(error: BaseException | None) -> list[BaseException]:
    """The error and those that it came from."""
    errors: list[BaseException] = []
    while error is not None and error not in errors:
        errors.append(error)
        error = error.__cause__ or error.__context__
    return errors
