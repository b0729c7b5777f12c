"""Checkpoints from the Hugging Face hub, by id."""

from __future__ import annotations

from pathlib import Path

from bertcore.errors import BertcoreError

_WANTED = ["config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "tokenizer_config.json"]


def fetch(hub_id: str) -> Path:
    """Download a checkpoint's files, or take them from the hub's cache; shows a progress bar in a terminal.

    Raises BertcoreError where the id is unknown or the network cannot be reached.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
    )

    try:
        return Path(snapshot_download(hub_id, allow_patterns=_WANTED, local_files_only=True))
    except (LocalEntryNotFoundError, ValueError):
        pass
    try:
        files = HfApi().list_repo_files(hub_id)
        wanted = _WANTED if "model.safetensors" in files else [*_WANTED, "pytorch_model.bin"]
        return Path(snapshot_download(hub_id, allow_patterns=wanted))
    except HfHubHTTPError:
        raise BertcoreError(f"There is no folder {hub_id}, and the hub has no model of that name to show.") from None
    except (OfflineModeIsEnabled, LocalEntryNotFoundError, ValueError, OSError):
        raise BertcoreError(
            f"There is no folder {hub_id}, and the model hub cannot be reached to look for it there."
        ) from None
