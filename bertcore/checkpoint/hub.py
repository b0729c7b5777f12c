"""Checkpoints from the Hugging Face hub, by id."""

from __future__ import annotations

from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import object_in

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
            parts = object_in(folder / index).get("weight_map")
            return isinstance(parts, dict) and all((folder / str(part)).is_file() for part in parts.values())
    return any((folder / name).is_file() for name in ("model.safetensors", "pytorch_model.bin"))


def fetch(hub_id: str) -> Path:
    """Download a checkpoint's files, or take them from the hub's cache; shows a progress bar in a terminal.

    Raises BertcoreError where the id is unknown or the network cannot be reached.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        found = on_this_machine(hub_id)
    except HFValidationError:  # no name that the hub could have given
        raise BertcoreError(f"There is no folder {hub_id}.") from None
    if found is not None and _has_weights(found):
        return found
    try:
        # asked for once, without the retries of the listing calls: no network is to be said at once
        files = [file.rfilename for file in HfApi().model_info(hub_id, timeout=_ANSWER_WITHIN_S).siblings or []]
        has_safetensors = any(file.endswith(".safetensors") and file.startswith("model") for file in files)
        wanted = _WANTED if has_safetensors else [*_WANTED, *_PICKLED]
        return Path(snapshot_download(hub_id, allow_patterns=wanted))
    except HfHubHTTPError:
        raise BertcoreError(f"There is no folder {hub_id}, and the hub has no model of that name to show.") from None
    except Exception:  # no network has as many types as there are layers below
        raise BertcoreError(
            f"There is no folder {hub_id}, and the model hub cannot be reached to look for it there."
        ) from None
