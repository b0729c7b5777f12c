"""A checkpoint's config.json: the architecture, read without weights and without torch."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError

CONFIG_FILE = "config.json"


def read_config(folder: Path) -> BertConfig:
    """The architecture in a checkpoint folder's config.json. Needs no weights."""
    if not folder.is_dir():
        raise BertcoreError(f"There is no folder {folder}; choose a checkpoint folder with a config.json in it.")
    if not (folder / CONFIG_FILE).is_file():
        raise BertcoreError(f"The folder {folder} is no checkpoint: it has no config.json.")
    values = read_json(folder / CONFIG_FILE)
    family = values.get("model_type", "bert")
    if family != "bert":
        raise BertcoreError(f"The checkpoint {folder} is of the family {family!r}; this version opens BERT only.")
    if values.get("position_embedding_type", "absolute") != "absolute":
        raise BertcoreError(
            f"The checkpoint {folder} uses {values['position_embedding_type']} positions; only absolute ones are known."
        )
    if values.get("is_decoder"):
        raise BertcoreError(f"The checkpoint {folder} is a decoder; BERTscope opens encoders.")
    # config.json also holds keys that concern other programs; ours are taken by name, the rest changes no number here.
    known = {item.name for item in fields(BertConfig)}
    return BertConfig.from_dict({key: value for key, value in values.items() if key in known and value is not None})


def read_json(file: Path) -> dict[str, Any]:
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise BertcoreError(f"The file {file} is not readable JSON; fetch the checkpoint again.") from None
    if not isinstance(values, dict):
        raise BertcoreError(f"The file {file} does not hold a JSON object; fetch the checkpoint again.")
    return values
