"""A fine-tuned checkpoint stored as its difference from a model that ships: a few megabytes instead of all weights.

The folder is a checkpoint like any other, but has DIFFERENCE_FILE in place of model.safetensors and no tokenizer files:
those are the base's, which it names in `bertscope.json`: {"base": {"name": "bertscope-mini", "sha256": "..."},
"difference": {"sha256": "..."}}, with the checksums of the base's weights file and of its own.
By our tensor names the file holds what the base does not have or has differently: a tensor as it is, or the two factors
of what is added to a matrix of the base, NAME.up (out,R) and NAME.down (R,in), as in LoRA (Hu et al. 2021).
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bertcore.checkpoint.weights import SAFETENSORS, read_safetensors, with_mantissa, write_tensors
from bertcore.errors import BertcoreError
from bertcore.locations import DIFFERENCE_FILE, SHIPPED, shipped_checkpoint
from bertcore.model.output_heads import HEAD_TITLES

UP, DOWN = ".up", ".down"
FACTOR_BITS = 4  # of the mantissa: a third less when packed, the same answers (docs/decisions/0024)


def base_folder(folder: Path, about: Mapping[str, Any]) -> Path:
    """The checkpoint that this one is stored as a difference from; `about` is what bertscope.json says.

    Raises BertcoreError where it does not ship, is not there, or has other weights than those it was made from.
    """
    said = about.get("base")
    base: Mapping[str, Any] = said if isinstance(said, dict) else {}
    name = base.get("name")
    if name not in SHIPPED:
        raise BertcoreError(
            f"The checkpoint {folder} is stored as a difference from another model ({name}), and that must be one of "
            f"those that ship: {', '.join(SHIPPED)}."
        )
    found = shipped_checkpoint(name)
    if not (found / SAFETENSORS).is_file():
        raise BertcoreError(f"The checkpoint {folder} is stored as a difference from {name}, which is missing here.")
    if sha256_of(found / SAFETENSORS) != base.get("sha256"):
        raise BertcoreError(
            f"The checkpoint {folder} is stored as a difference from another version of {name} than the one here; "
            "make it again (make tuned)."
        )
    return found


def sha256_of(file: Path) -> str:
    """In hex digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def with_difference(base: Mapping[str, Tensor], folder: Path, about: Mapping[str, Any]) -> dict[str, Tensor]:
    """The folder's weights by our names, float32: the encoder of `base` with the folder's changes, and its own heads.

    `about` is what bertscope.json says. Raises BertcoreError for a file that is damaged or does not fit the base.
    """
    said = about.get("difference")
    kept = said.get("sha256") if isinstance(said, dict) else None  # older differences have none
    if kept is not None and sha256_of(folder / DIFFERENCE_FILE) != kept:
        raise BertcoreError(
            f"The weights file {folder / DIFFERENCE_FILE} is damaged: its checksum is another; fetch the checkpoint "
            "again."
        )
    stored = {name: value.float() for name, value in read_safetensors(folder / DIFFERENCE_FILE).items()}
    weights = {name: value for name, value in base.items() if name.partition(".")[0] not in HEAD_TITLES}
    for name, value in stored.items():
        if name.endswith(DOWN):
            continue
        if not name.endswith(UP):
            weights[name] = value
            continue
        name = name.removesuffix(UP)
        down, matrix = stored.get(name + DOWN), weights.get(name)
        if down is None or matrix is None or not _fit(value, down, matrix):
            raise BertcoreError(f"The change of {name} in {folder} does not fit its base; fetch the checkpoint again.")
        weights[name] = matrix + value @ down
    return weights


def _fit(up: Tensor, down: Tensor, matrix: Tensor) -> bool:
    """Before they are multiplied: two thin matrices can make one that no memory holds."""
    if up.ndim != 2 or down.ndim != 2:
        return False
    return up.shape[1] == down.shape[0] and (up.shape[0], down.shape[1]) == tuple(matrix.shape)


def write_difference(state: Mapping[str, Tensor], base: Mapping[str, Tensor], folder: Path, rank: int | None) -> str:
    """Store what `state` has differently from `base`, both by our names, in fp16. Returns the file's SHA-256.

    rank: of a matrix's change only so many directions are kept, the strongest ones (its singular value decomposition);
    None keeps all.
    """
    kept: dict[str, Tensor] = {}
    for name, value in state.items():
        old = base.get(name)
        if old is not None and name.partition(".")[0] not in HEAD_TITLES:
            if torch.equal(value.half(), old.half()):
                continue
            if rank is not None and value.ndim == 2 and rank * sum(value.shape) < value.numel():
                kept[name + UP], kept[name + DOWN] = _factors(value - old, rank)
                continue
        kept[name] = value.half().contiguous()
    write_tensors(kept, folder / DIFFERENCE_FILE)
    return sha256_of(folder / DIFFERENCE_FILE)


def _factors(change: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """(out,in) -> (out,R), (R,in), whose product is the best approximation of that rank (Eckart and Young 1936)."""
    up, strengths, down = torch.linalg.svd(change.float(), full_matrices=False)
    roots = strengths[:rank].sqrt()
    factors = up[:, :rank] * roots, roots[:, None] * down[:rank]
    made_up, made_down = (with_mantissa(factor, FACTOR_BITS).half().contiguous() for factor in factors)
    return made_up, made_down
