"""Values as JSON has them, and files of JSON that are damaged."""

import errno
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.errors import BertcoreError
from bertcore.files import is_out_of_memory, jsonable, read_json, read_json_or_empty, write_json


def test_numbers_keep_their_kind() -> None:
    values = {"count": np.int64(3), "rows": torch.tensor([1, 2]), "on": np.bool_(True), "share": np.float32(0.5)}
    made = jsonable(values)
    assert made == {"count": 3, "rows": [1, 2], "on": True, "share": 0.5}
    assert [type(made[name]) for name in ("count", "on", "share")] == [int, bool, float]
    assert jsonable([np.float64("nan"), torch.tensor(float("inf")), Path("a")]) == [None, None, "a"]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"name": "Größe", "ids": np.arange(3)})
    assert read_json(tmp_path / "a.json") == {"name": "Größe", "ids": [0, 1, 2]}


@pytest.mark.parametrize("content", ["", "[1", "[1]", "[" * 100_000])
def test_a_damaged_file_is_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(BertcoreError, match=r"a\.json.*start anew"):
        read_json(file, "start anew")
    assert read_json_or_empty(file) == {} == read_json_or_empty(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("could not create a primitive"), True),  # oneDNN
        (RuntimeError("[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("shapes do not fit"), False),
        (OSError(errno.ENOSPC, "No space left on device"), False),
    ],
)
def test_a_lack_of_memory_is_known_by_any_name(error: Exception, is_memory: bool) -> None:
    assert is_out_of_memory(error) == is_memory
