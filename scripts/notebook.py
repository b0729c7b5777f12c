"""Runs docs/notebook.md and writes docs/notebook.ipynb with what its cells answer: `python scripts/notebook.py`.

The Python blocks of the page are the code cells, what stands between them the text. They run in one namespace and in a
folder that is deleted afterwards, as a kernel would run them; no Jupyter is needed for it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE, NOTEBOOK = ROOT / "docs" / "notebook.md", ROOT / "docs" / "notebook.ipynb"
CODE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def cells_of(page: str) -> list[tuple[str, str]]:
    """("markdown" or "code", its text), in order."""
    parts = CODE.split(page)  # text and code take turns
    kinds = ["markdown", "code"] * len(parts)
    return [(kind, text) for kind, part in zip(kinds, parts, strict=False) if (text := part.strip())]


def notebook_of(page: str) -> dict[str, Any]:
    """The notebook with its outputs, in the format nbformat 4.5. What a cell raises is raised here."""
    cells: list[dict[str, Any]] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, (kind, text) in enumerate(cells_of(page)):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": _lines(text)}
        if kind == "code":
            count = 1 + sum(each["cell_type"] == "code" for each in cells)
            cell |= {"execution_count": count, "outputs": _outputs(text, names, count)}
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _outputs(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What the cell prints, and the value of its last line where that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = _lines(value._repr_html_())
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        made = notebook_of(SOURCE.read_text(encoding="utf-8"))
        os.chdir(ROOT)
    NOTEBOOK.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{NOTEBOOK.relative_to(ROOT)}: {NOTEBOOK.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main()
