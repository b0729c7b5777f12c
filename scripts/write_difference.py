"""A fine-tuned model written as its difference from one that ships; `bertcore.checkpoint.checkpoint` reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bertcore.checkpoint import tensor_names
from bertcore.checkpoint.checkpoint import DOWN, UP, Checkpoint, sha256_of
from bertcore.checkpoint.config_file import CONFIG_FILE, config_values
from bertcore.checkpoint.weights import SAFETENSORS, write_tensors
from bertcore.files import write_json
from bertcore.locations import ABOUT_FILE, DIFFERENCE_FILE
from bertcore.model.bert import Bert
from bertcore.model.output_heads import HEAD_TITLES

FACTOR_BITS = 4  # of the mantissa: a third less when packed, the same answers (docs/decisions/0024)


def save_difference(model: Bert, folder: Path, base: Checkpoint, rank: int | None, about: Mapping[str, Any]) -> None:
    """Write a fine-tuned model as its difference from `base`, one of those that ship and whose vocabulary it has.

    about: what bertscope.json says besides the base, such as the name.
    """
    assert base.folder is not None
    folder.mkdir(parents=True, exist_ok=True)
    state = {key: value.detach().cpu() for key, value in model.state_dict().items()}
    difference = write_difference(state, base.model.state_dict(), folder, rank)
    architecture, _ = tensor_names.class_name(model.config, model.output_heads)
    write_json(folder / CONFIG_FILE, config_values(model.config, architecture))
    base_about = {"name": base.name, "sha256": sha256_of(base.folder / SAFETENSORS)}
    write_json(folder / ABOUT_FILE, {**about, "base": base_about, "difference": {"sha256": difference}})


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


def with_mantissa(values: Tensor, bits: int) -> Tensor:
    """Rounded so that so many bits of each number's mantissa are enough."""
    fraction, exponent = torch.frexp(values)  # 0.5 <= |fraction| < 1: its first bit is always 1 and is not stored
    scale = 2 ** (bits + 1)
    return torch.ldexp((fraction * scale).round() / scale, exponent)
