"""A pytorch_model.bin is torch's to read, in a process with limits first; what is no plain tensor is named."""

from pathlib import Path
from typing import Any

import pytest
import torch

from bertcore.checkpoint.weights import check_pickled, list_pickled, read_tensors
from bertcore.errors import BertcoreError

SQUARE = torch.arange(12, dtype=torch.float32).view(3, 4)
CONTENT = {
    "plain": SQUARE,
    "transposed": SQUARE.T,
    "a part": SQUARE[:, 1:3],
    "half": torch.arange(6).half(),
    "whole": torch.arange(6),
    "a parameter": torch.nn.Parameter(SQUARE),
    "empty": torch.zeros(0, 3),
    "single": torch.tensor(2.5),
}


@pytest.mark.parametrize("is_new", [True, False], ids=["zip", "legacy"])
def test_the_tensors_are_those_that_were_saved(tmp_path: Path, is_new: bool) -> None:
    file = tmp_path / "pytorch_model.bin"
    torch.save(CONTENT, file, _use_new_zipfile_serialization=is_new)
    listed = list_pickled(file)
    assert [(each.dtype, each.shape) for each in listed.values()] == [(t.dtype, t.shape) for t in CONTENT.values()]
    found = read_tensors(listed)
    assert list(found) == list(CONTENT)
    for name, tensor in CONTENT.items():
        assert torch.equal(found[name], tensor), name


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"a": torch.nn.Linear(2, 2)}, "torch.nn.modules.linear.Linear"),
        ({"a": bytearray(3)}, "named tensors"),
        ({"a": {1, 2}}, "named tensors"),
        ({"a": torch.device("cpu")}, "named tensors"),
        ({(1, 2): SQUARE}, "named tensors"),
        ({"a": 3}, "named tensors"),
        (SQUARE, "named tensors"),
        ({"a": torch.zeros(2, device="meta")}, "without numbers"),
        ({"a": torch.zeros(2, dtype=torch.complex64)}, "quantised, sparse or without numbers: a"),
        ({"a": torch.zeros(1).expand(3)}, "stride 0"),
    ],
    ids=str,
)
def test_anything_else_is_named(tmp_path: Path, content: Any, named: str) -> None:
    file = tmp_path / "pytorch_model.bin"
    for is_new in (True, False):
        torch.save(content, file, _use_new_zipfile_serialization=is_new)
        with pytest.raises(ValueError, match=named):
            check_pickled(str(file))
    if named.startswith("torch"):
        with pytest.raises(BertcoreError, match=f"pytorch_model.bin.*{named}.*could run code"):
            list_pickled(file)
