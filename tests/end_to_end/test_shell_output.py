"""What the commands print: JSON that is JSON, tables that lose nothing, and nothing that a terminal would obey."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.cli.main import app
from bertcore.cli.output import Listing, cell, print_answer, print_json, say, shown
from bertcore.errors import BertcoreError, brief, name_from_file, printable, shortened
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.models import tiny_model
from tests.test_rules import ROOT

# --- what a stranger's model holds is printed, and never obeyed, by a terminal

EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eabc\r\x08\x7f"


def obeyed(text: str) -> set[str]:
    return {letter for letter in text if letter not in "\n\t" and not letter.isprintable()}


def test_control_characters_are_spelled_out() -> None:
    assert printable(EVIL) == r"\x1b[2J\x1b]0;owned\x07\x9b31m\u202eabc\r\x08\x7f"
    assert printable("Größe 漢字 🐻‍❄️\n\tend") == "Größe 漢字 🐻‍❄️\n\tend"
    assert printable("\ud800") == "\\ud800"
    assert not obeyed(str(BertcoreError(f"The tensor {EVIL} is missing.")))
    assert not obeyed(brief(EVIL)) and not obeyed(name_from_file(EVIL)) and not obeyed(cell(EVIL))


def test_what_a_sentence_quotes_is_short() -> None:
    assert len(brief("x" * 10**6)) == len(brief(["x"] * 10**5)) == 80
    assert brief("cat") == "'cat'" and brief(None) == "None"
    assert name_from_file(["a"], "run") == name_from_file("  ", "run") == "run"
    assert shortened("a" * 10, 10) == "a" * 10 and len(shortened("a" * 5000 + "b", 600)) == 600
    assert len(str(BertcoreError("x" * 10**6))) == 2000


def test_lines_and_json_are_safe_and_json_stays_what_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    say(EVIL)
    print_json({EVIL: [EVIL]})
    line, text = capsys.readouterr().out.splitlines()
    assert not obeyed(line) and not obeyed(text)
    assert json.loads(text) == {EVIL: [EVIL]}


def test_a_vocabulary_with_commands_for_the_terminal(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(["the cat sat"] * 20, 60)
    save_checkpoint(tiny_model(("mlm",), vocab_size=tokenizer.vocab_size), tokenizer, tmp_path)
    (tmp_path / "vocab.txt").unlink()
    file = tmp_path / "tokenizer.json"
    vocabulary = file.read_text(encoding="utf-8")
    file.write_text(vocabulary.replace('"the"', json.dumps(EVIL)), encoding="utf-8")
    about = json.loads((tmp_path / "bertscope.json").read_text())
    (tmp_path / "bertscope.json").write_text(json.dumps(about | {"name": EVIL}))
    (tmp_path / "texts.txt").write_text(f"[cat|{EVIL}] [MASK] sat".replace("\r", ""), encoding="utf-8")
    for arguments in (
        ["info", str(tmp_path)],
        ["tokenize", str(tmp_path), "--a", f"the cat {EVIL}"],
        ["fill", str(tmp_path), "--a", "the [MASK] sat", "--top", "60"],
        ["fill", str(tmp_path), "--a", "the [MASK] sat", "--json"],
        ["compare", str(tmp_path), "--a", "the [MASK] sat", "--other-a", f"{EVIL} [MASK] sat"],
        ["patch", str(tmp_path), "--a", "the [MASK] sat", "--other-a", "the [MASK] cat"],
        ["score", str(tmp_path / "texts.txt"), "--model", str(tmp_path)],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        assert not obeyed(result.output), arguments


def test_the_log_of_a_run_is_safe_to_print(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", {})
    run.log(EVIL * 1000)
    text = (run.path / "log.txt").read_text(encoding="utf-8")
    assert not obeyed(text) and len(text) < 3000 and text.count("\n") == 1


def test_no_other_line_of_the_shell_is_printed() -> None:
    """`say`, `print_answer`, and the progress bar are all there is."""
    found = set()
    for file in (ROOT / "bertcore" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("typer.echo", "print", "click.echo"):
                found.add(file.name)
    assert found == {"output.py"}


# --- JSON that is JSON, and tables that lose nothing


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
