"""docs/notebook.ipynb: every cell runs, it is the page's notebook, and what it shows is there and small."""

import json
from pathlib import Path
from typing import Any

import notebook
import pytest

STORED: dict[str, Any] = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))


def _shape(cell: dict[str, Any]) -> tuple[str, str, list[list[str]]]:
    """What of a cell is the same wherever it ran: its kind, its source, and what kinds of answers it has."""
    outputs = [sorted(output.get("data", [output["output_type"]])) for output in cell.get("outputs", [])]
    return cell["cell_type"], "".join(cell["source"]), outputs


def test_it_is_what_the_page_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails because docs/notebook.md has changed: python scripts/notebook.py."""
    monkeypatch.chdir(tmp_path)
    made = notebook.notebook_of(notebook.SOURCE.read_text(encoding="utf-8"))  # a cell that fails raises
    assert [_shape(cell) for cell in STORED["cells"]] == [_shape(cell) for cell in made["cells"]]
    assert (tmp_path / "attention.html").is_file()


def test_its_pictures_are_stored_and_small() -> None:
    pictures = [
        "".join(output["data"]["text/html"])
        for cell in STORED["cells"]
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    for part in ("bertscope attention", 'class="bars"', 'class="token valued', 'class="cells', "<polyline"):
        assert any(part in picture for picture in pictures), part
    assert notebook.NOTEBOOK.stat().st_size < 400_000


def test_cells_are_the_text_and_the_blocks_in_turn() -> None:
    page = "# A\n\n```python\n1 + 1\n```\n\n```python\nprint('a')\nx = 2\n```\nend\n"
    assert notebook.cells_of(page) == [
        ("markdown", "# A"),
        ("code", "1 + 1"),
        ("code", "print('a')\nx = 2"),
        ("markdown", "end"),
    ]
    sum_, printed = (cell["outputs"] for cell in notebook.notebook_of(page)["cells"] if cell["cell_type"] == "code")
    assert sum_[0]["data"] == {"text/plain": ["2"]} and printed[0]["text"] == ["a\n"]


def test_a_cell_that_fails_is_no_notebook() -> None:
    with pytest.raises(ZeroDivisionError):
        notebook.notebook_of("```python\n1 / 0\n```\n")
