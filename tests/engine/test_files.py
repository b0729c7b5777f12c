"""Values as JSON has them, and files of JSON that are damaged."""

from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.errors import BertcoreError
from bertcore.files import jsonable, read_json, read_json_or_empty, write_json


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
