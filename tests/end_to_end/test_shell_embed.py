"""`bertcore embed` writes the vectors that `LoadedModel.embed` gives, line by line."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from bertcore.loaded_model import load
from tests.end_to_end.shell import Shell

TEXTS = ["A cat sat.", "It was a very warm and comfortable day, said the cat.", "Dogs bark."]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "texts.txt").write_text("\n".join([TEXTS[0], "", *TEXTS[1:]]) + "\n", encoding="utf-8")
    return tmp_path / "texts.txt"


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_the_arrays_are_those_of_python(shell: Shell, texts: Path, tmp_path: Path, pooling: str) -> None:
    out = tmp_path / "vectors.npz"
    found = shell("embed", "bertscope-tiny", "--file", str(texts), "--pooling", pooling, "--out", str(out), "--json")
    assert found.json["texts"] == 3 and found.json["file"] == str(out)
    with np.load(out) as arrays:
        assert arrays["texts"].tolist() == TEXTS
        expected = load("bertscope-tiny").embed(TEXTS, pooling=pooling)  # type: ignore[call-overload]
        assert np.allclose(arrays["vectors"], expected, atol=1e-6)


def test_a_text_that_is_cut_off_is_told_in_a_line(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("the cat sat " * 300, encoding="utf-8")
    found = shell("embed", "bertscope-tiny", "--file", str(file), "--out", str(tmp_path / "vectors.npz"))
    assert found.code == 0
    assert found.err == (
        "bertcore: The text is longer than the 512 tokens that the model reads; what is said is of its beginning.\n"
    )


def test_a_table_and_a_packed_file(shell: Shell, texts: Path, tmp_path: Path) -> None:
    packed, out = tmp_path / "texts.txt.gz", tmp_path / "vectors.csv"
    packed.write_bytes(gzip.compress(texts.read_bytes()))
    assert shell("embed", "bertscope-tiny", "--file", str(packed), "--out", str(out)).code == 0
    with out.open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    vectors = load("bertscope-tiny").embed(TEXTS)
    assert head[:2] == ["text", "0"] and [row[0] for row in rows] == TEXTS
    assert np.allclose(np.array([row[1:] for row in rows], dtype=np.float32), vectors, atol=1e-6)


def test_what_it_needs_is_said(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n\n")
    assert "--file TEXTS" in shell("embed", "bertscope-tiny").err
    assert "has no text" in shell("embed", "bertscope-tiny", "--file", str(tmp_path / "empty.txt")).err
