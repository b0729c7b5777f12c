"""What the commands print: JSON that is JSON, and tables that lose nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

from bertcore.cli.output import Listing, print_answer, print_json, shown


def test_a_number_that_is_none_becomes_null(capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and Infinity are no JSON: jq and browsers refuse the whole answer for one of them."""
    print_json({"loss": float("nan"), "shares": [np.float32(0.5), np.inf], "count": np.int64(3), "word": "café"})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"loss": None, "shares": [0.5, None], "count": 3.0, "word": "café"}
    assert "café" in printed


ROWS = [
    {"layer": 0, "token": "a [red]word[/red]", "probability": 0.25, "other": None, "is_right": True},
    {"layer": 11, "token": "incomprehensibilities " * 3, "probability": None, "other": None, "is_right": False},
]


@pytest.mark.parametrize("columns", ["20", "80", "300"])
def test_a_table_cuts_no_word_however_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    table = Listing(ROWS, "layer:+1 token probability:.1% other is_right", "What was found:")
    assert print_answer({"rows": ROWS}, table, None, "That is all.", as_json=False)
    printed = capsys.readouterr().out
    words = printed.split()
    assert printed.startswith("What was found:\n") and printed.endswith("That is all.\n")
    assert words.count("incomprehensibilities") == 3 and "[red]word[/red]" in words and "25.0%" in words
    assert "other" not in words and {"1", "12", "yes", "no"} <= set(words)


def test_as_json_nothing_else_is_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "new" / "found.json"
    assert not print_answer({"rows": ROWS}, "a sentence", Listing(ROWS, "token"), as_json=True, out=out)
    assert json.loads(capsys.readouterr().out) == json.loads(out.read_text()) == {"rows": ROWS}


def test_values_as_a_person_reads_them() -> None:
    values = (None, True, 1234567, 0.5, ("a", 2), "text")
    assert [shown(value) for value in values] == ["", "yes", "1,234,567", "0.5000", "a, 2", "text"]
    assert shown(0.5, "+.2f") == "+0.50" and shown(0, "+1") == "1"
