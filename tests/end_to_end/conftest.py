"""The shell in this process, and what it is asked about."""

import sys

import pytest

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.cli.main import main
from tests.end_to_end.shell import Answer
from tests.engine.models import tiny_checkpoint, tiny_model, word_tokenizer
from tests.engine.training_runs import animal_text


@pytest.fixture
def shell(monkeypatch, capsys):
    """The `bertcore` command in this process: importing torch for each call would take minutes."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bertcore", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return Answer(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_checkpoint(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def encoder_only(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    save_checkpoint(tiny_model((), pooler=True), word_tokenizer(), folder)
    return folder


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("bertcore.runs.run_folder.to_disk", lambda folder: None)  # it only costs time here


@pytest.fixture
def texts(tmp_path):
    files = tmp_path / "a.txt", tmp_path / "b.txt"
    for seed, file in enumerate(files):
        file.write_text(animal_text(40, seed), encoding="utf-8")
    return files
