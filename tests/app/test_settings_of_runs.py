"""Settings of a run in a file: what the form says is what the shell reads, there and back, for every kind."""

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.rooms.train.new_run_form import NewRunForm
from app.runs.run_kinds import RUN_KINDS, read_settings
from bertcore.locations import assets
from bertcore.settings import read_recipe
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions


@pytest.fixture
def form(qtbot: QtBot) -> NewRunForm:
    made = NewRunForm()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("kind", [kind.key for kind in RUN_KINDS])
def test_there_and_back(kind: str, form: NewRunForm, tmp_path: Path, qtbot: QtBot) -> None:
    form.set_kind(kind)
    form.name.setText("another name")
    form.length.set_length("steps", 77)
    form.advanced.set_value("seed", "5")
    form.advanced.set_value("learning_rate", "1.2345e-4")
    file = tmp_path / "settings.json"
    form.save(file)
    wanted = form.planned().options
    assert type(wanted).from_file(file) == wanted, "the shell reads the same"
    other = NewRunForm()
    qtbot.addWidget(other)
    other.load(file)
    assert other.run_kind.key == kind and other.planned().options == wanted
    assert other.name.text() == "another name" and other.length.number == 77


def test_what_has_no_field_is_kept(form: NewRunForm, tmp_path: Path) -> None:
    options = PretrainOptions(preset="tiny").with_changes(name="mine", evaluations=7, next_sentence_weight=0.5)
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({**options.to_dict(), "data": {"corpus": [str(assets() / "corpus" / "mirror.txt")]}}))
    form.load(file)
    found = form.planned().options
    assert isinstance(found, PretrainOptions) and found.data.corpus == (str(assets() / "corpus" / "mirror.txt"),)
    assert (found.training.evaluations, found.training.next_sentence_weight) == (7, 0.5)
    form.set_kind("pretrain")
    assert form.planned().options.training.evaluations == 20, "another start forgets them"


@pytest.mark.parametrize("file", sorted((assets() / "recipes").glob("*.json")), ids=lambda file: file.stem)
def test_recipes_that_ship(file: Path, form: NewRunForm) -> None:
    """But for the texts, which are named on the command line."""
    form.load(file)
    wanted, found = read_settings(read_recipe(file), file.name), form.planned().options
    is_task = isinstance(wanted, FinetuneOptions)
    assert ("no file or folder" in form.problem.text()) == is_task
    assert type(found) is type(wanted) and found.name == wanted.name
    differing = {
        name for name, value in wanted.training.__dict__.items() if value not in (None, getattr(found.training, name))
    }
    assert not differing


def test_own_file_with_its_columns(form: NewRunForm, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("id,said,mood\n1,Hello.,good\n2,Go away.,bad\n")
    options = FinetuneOptions(name="moods").with_changes(
        task="classify", train=str(table), columns={"text": "said", "label": "mood"}
    )
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(options.to_dict()))
    form.load(file)
    found = form.command().options
    assert isinstance(found, FinetuneOptions)
    assert found.data.columns == {"text": "said", "label": "mood"} and found.data.train == str(table)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("not json", "not valid JSON"),
        ('{"kind": "evaluate"}', "does not contain the settings of a run"),
        ('{"presett": "tiny"}', "presett"),
    ],
)
def test_what_is_no_settings(form: NewRunForm, tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content)
    form.load(file)
    assert said in form.problem.text()
