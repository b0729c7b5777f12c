"""Checkpoints from the Hugging Face hub, by id."""

from pathlib import Path

from bertcore.errors import BertcoreError, brief
from bertcore.files import is_disk_full, read_json_or_empty

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
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    log_in = "log in with `hf auth login`"
    errors = _chain(error)
    if any(is_disk_full(one) for one in errors):
        return (
            f"The disk is full: {hub_id} cannot be stored in {constants.HF_HUB_CACHE}; free some space, or set HF_HOME."
        )
    if any(isinstance(one, PermissionError) for one in errors):
        return f"{hub_id} cannot be stored in {constants.HF_HUB_CACHE}: permission denied; set HF_HOME."
    answer = next((one for one in errors if isinstance(one, HfHubHTTPError)), None)
    status = answer.response.status_code if answer is not None else 0
    if isinstance(answer, GatedRepoError):
        return f"{hub_id} is only for people who have accepted its terms: do so on its page, and {log_in}."
    if isinstance(answer, RepositoryNotFoundError) or status == 404:  # 401 too, where nobody is logged in
        return f"There is no folder {hub_id}, and the hub has no model of that name; if it is private, {log_in}."
    if status in (401, 403):
        return f"The account on this machine may not download {hub_id} (status {status}); {log_in} again."
    if status == 429:
        return f"The hub has had too many requests from this machine to send {hub_id} now; try again in a few minutes."
    if status:
        return f"The hub failed to send {hub_id} (its error {status}); try again later."
    if any(isinstance(one, OfflineModeIsEnabled) for one in errors):  # HF_HUB_OFFLINE, as in a run of the window's
        return f"The model {hub_id} is not on this machine, and it is not downloaded here; open it by its name first."
    return f"There is no folder {hub_id}, and the model hub cannot be reached to look for it there."


def _chain(error: BaseException | None) -> list[BaseException]:
    """The error and those that it came from."""
    errors: list[BaseException] = []
    while error is not None and error not in errors:
        errors.append(error)
        error = error.__cause__ or error.__context__
    return errors
