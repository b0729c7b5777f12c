"""What a stranger's model holds is printed, and never obeyed, by a terminal."""

import ast
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.cli.main import app
from bertcore.cli.output import cell, print_json, say
from bertcore.errors import BertcoreError, brief, name_from_file, printable, shortened
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.models import tiny_model
from tests.test_rules import ROOT

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
