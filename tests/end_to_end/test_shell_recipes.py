"""`evaluate` and `predict` by a recipe, by flags, and by both; the settings stand beside what came out."""

import json
from pathlib import Path
from typing import Any

import pytest

from bertcore.checkpoint.checkpoint import save_checkpoint
from tests.end_to_end.shell import Shell
from tests.engine.models import tiny_model, word_tokenizer

COLUMNS = {"text": "what", "label": "mood"}


@pytest.fixture
def classifier(tmp_path: Path) -> Path:
    save_checkpoint(tiny_model(("classify",), labels=("bad", "good")), word_tokenizer(), tmp_path / "classifier")
    return tmp_path / "classifier"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "reviews.csv"
    file.write_text("what,mood\nthe cat sang,good\na dog sat,bad\nthe bird sang,good\n")
    return file


def recipe(folder: Path, **settings: Any) -> Path:
    file = folder / "recipe.json"
    file.write_text(json.dumps(settings))
    return file


class TestEvaluate:
    def test_a_recipe_and_flags_say_the_same(self, shell: Shell, classifier: Path, table: Path, tmp_path: Path) -> None:
        written = recipe(tmp_path, model=str(classifier), task="classify", data=str(table), columns=COLUMNS)
        by_recipe = shell("evaluate", "--recipe", written, "--json").json
        flags = ("--task", "classify", "--data", table, "--text", "what", "--label", "mood")
        assert shell("evaluate", classifier, *flags, "--json").json == by_recipe
        assert by_recipe["config"]["columns"] == COLUMNS and by_recipe["config"]["kind"] == "evaluate"
        assert 0 <= by_recipe["metrics"]["accuracy"] <= 1

    def test_flags_go_before_the_recipe(
        self, shell: Shell, model: Path, texts: tuple[Path, Path], tmp_path: Path
    ) -> None:
        written = recipe(tmp_path, model="nowhere", corpus=[str(texts[0])], sequence_length=32, sequences=4)
        answer = shell("evaluate", model, "--recipe", written, "--sequence-length", 16, "--json").json
        config = answer["config"]
        assert (config["model"], config["sequence_length"], config["sequences"]) == (str(model), 16, 4)
        assert answer["perplexity"] > 1

    def test_what_it_printed_can_be_given_back(
        self, shell: Shell, model: Path, texts: tuple[Path, Path], tmp_path: Path
    ) -> None:
        out = tmp_path / "answers" / "numbers.json"
        first = shell("evaluate", model, "--corpus", texts[0], "--sequence-length", 16, "--out", out, "--json").json
        assert json.loads(out.read_text()) == first
        assert shell("evaluate", "--recipe", recipe(tmp_path, **first["config"]), "--json").json == first


class TestPredict:
    def test_a_recipe_with_a_file(self, shell: Shell, classifier: Path, table: Path, tmp_path: Path) -> None:
        out = tmp_path / "said.json"
        written = recipe(tmp_path, model=str(classifier), file=str(table), columns={"text": "what"})
        said = shell("predict", "--recipe", written, "--out", out)
        assert len(said.out.split()) == 3 and set(said.out.split()) <= {"bad", "good"}
        answer = json.loads(out.read_text())
        assert [each["label"] for each in answer["predictions"]] == said.out.split()
        assert answer["config"]["file"] == str(table)

    def test_flags_go_before_the_recipe(self, shell: Shell, classifier: Path, tmp_path: Path) -> None:
        written = recipe(tmp_path, model=str(classifier), a="the cat sang")
        config = shell("predict", "--recipe", written, "--a", "the dog sat", "--json").json["config"]
        assert config["a"] == "the dog sat"


@pytest.mark.parametrize(
    ("command", "settings", "says"),
    [
        ("evaluate", {"datas": "x"}, "no setting named datas"),
        ("evaluate", {"kind": "predict"}, "another kind"),
        ("evaluate", {"corpus": "a.txt"}, "list of file names"),
        ("evaluate", {"corpus": ["a.txt"], "data": "b.tsv"}, "not several"),
        ("evaluate", {"sequences": 0}, "sequences must be"),
        ("evaluate", {"columns": {"texts": "x"}}, "text_b"),
        ("evaluate", {"model": 3}, "model must be text"),
        ("predict", {"text": "x"}, "no setting named text"),
        ("predict", {"format_version": 9}, "version"),
        ("predict", {"a": 3}, "a must be text"),
    ],
)
def test_refused_with_a_sentence(
    shell: Shell, tmp_path: Path, command: str, settings: dict[str, Any], says: str
) -> None:
    assert says in shell(command, "--recipe", recipe(tmp_path, **settings)).sentence
