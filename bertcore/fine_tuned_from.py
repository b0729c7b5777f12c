"""The model that ships from which a fine-tuned one was made, where that is stored as a difference from it."""

from pathlib import Path
from typing import Any

from bertcore.files import is_there, read_json_or_empty
from bertcore.locations import SHIPPED, shipped_checkpoint

ABOUT_FILE = "bertscope.json"  # what the layout of a checkpoint has no place for: name, training step, base ...
DIFFERENCE_FILE = "difference.safetensors"


def base_of(folder: Path) -> Path | None:
    """The checkpoint that this one is stored as a difference from; None for one with weights of its own.

    Raises BertcoreError where the difference is no regular file.
    """
    if not is_there(folder / DIFFERENCE_FILE):
        return None
    base: Any = read_json_or_empty(folder / ABOUT_FILE).get("base")
    name = base.get("name") if isinstance(base, dict) else None
    return shipped_checkpoint(name) if name in SHIPPED else None
