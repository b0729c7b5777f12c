"""A tensor that a file holds: its name, kind and shape are known, its numbers are read when they are asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor


@dataclass(frozen=True)
class StoredTensor:
    """Where in a file a tensor is, and what it is like."""

    file: Path
    start: int  # its first byte
    size: int  # bytes
    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None  # in elements; None: contiguous

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def read(self) -> Tensor:
        """The tensor in memory of its own. Raises ValueError where the file has become shorter, OSError."""
        tensor = torch.empty(self.size, dtype=torch.uint8)
        view = tensor.numpy().data
        with self.file.open("rb", buffering=0) as stream:
            stream.seek(self.start)
            while len(view):  # one call gives 2 GiB at most
                count = stream.readinto(view)
                if not count:
                    raise ValueError("it ends too early")
                view = view[count:]
        numbers = tensor.view(self.dtype)
        return numbers.view(self.shape) if self.strides is None else numbers.as_strided(self.shape, self.strides)
