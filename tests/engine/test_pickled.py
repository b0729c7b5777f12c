"""Our reader of pytorch_model.bin against torch's own, and what it does not open."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bertcore.checkpoint.pickled import list_pickled
from bertcore.checkpoint.weights import read_tensors
from bertcore.errors import BertcoreError

KINDS = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8)
SQUARE = torch.arange(12, dtype=torch.float32).view(3, 4)
CONTENTS: dict[str, dict[str, Tensor]] = {
    "plain": {"a": SQUARE, "b": torch.ones(5)},
    "every kind": {str(kind): torch.arange(6).to(kind).view(2, 3) for kind in (*KINDS, torch.uint8, torch.bool)},
    "transposed": {"a": SQUARE.T, "b": SQUARE.contiguous()},
    "parts of one": {"a": SQUARE[1:], "b": SQUARE[:, 1:3], "c": SQUARE},
    "parameters": {"a": torch.nn.Parameter(SQUARE), "b": torch.nn.Parameter(SQUARE, requires_grad=False)},
    "empty and single": {"a": torch.zeros(0, 3), "b": torch.tensor(2.5), "c": torch.zeros(3, 0, 2)},
    "a module's": torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3)).state_dict(),
}


@pytest.mark.parametrize("is_new", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("name", CONTENTS)
def test_the_tensors_are_those_that_torch_reads(tmp_path: Path, name: str, is_new: bool) -> None:
    file = tmp_path / "pytorch_model.bin"
    torch.save(CONTENTS[name], file, _use_new_zipfile_serialization=is_new)
    expected, found = torch.load(file, weights_only=True), read_tensors(list_pickled(file))
    assert list(found) == list(expected)
    for each, tensor in expected.items():
        assert found[each].dtype == tensor.dtype and torch.equal(found[each], tensor), each


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"a": torch.nn.Linear(2, 2)}, "torch.nn.modules.linear.Linear"),
        ({"a": bytearray(3)}, "builtin__.bytearray"),
        ({"a": {1, 2}}, "builtin__.set"),
        ({"a": torch.device("cpu")}, "torch.device"),
        ({(1, 2): SQUARE}, "named tensors"),
        ({"a": 3}, "named tensors"),
        (SQUARE, "named tensors"),
    ],
    ids=str,
)
def test_anything_else_is_named(tmp_path: Path, content: Any, named: str) -> None:
    file = tmp_path / "pytorch_model.bin"
    for is_new in (True, False):
        torch.save(content, file, _use_new_zipfile_serialization=is_new)
        with pytest.raises(BertcoreError, match="pytorch_model.bin") as caught:
            list_pickled(file)
        assert named in str(caught.value), caught.value
