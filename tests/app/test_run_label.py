"""A run's name, tags and note, in a file beside the others, and the command that starts a run like it."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.rooms.train.list.actions import shell_command
from app.runs.run_info import LABEL, MOST_BYTES, MOST_NOTE, MOST_TAGS, RunLabel, read_label, tidy_tags, write_label
from bertcore.cli.main import app as cli
from bertcore.errors import MOST_NAME, BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import PretrainOptions

TEACHER = str(built_in_checkpoint().resolve())
NAMES = ["a/b\\c", "../../etc", "x" * 300, "🐈 Katze", "two\nlines", "\x1b[31mred", "<b>bold</b>", "ünï", "C:", "."]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return RunFolder.create(tmp_path / "run", PretrainOptions(name="started").to_dict()).path


class TestLabel:
    def test_without_a_file_there_is_nothing(self, run: Path) -> None:
        assert read_label(run) == RunLabel()

    @pytest.mark.parametrize("name", NAMES)
    def test_any_name_comes_back_on_one_line_and_the_folder_stays(self, run: Path, name: str) -> None:
        write_label(run, RunLabel(name, ("small", name), f"first line\n{name}"))
        label = read_label(run)
        assert label.name and len(label.name) <= 120 and label.name.isprintable()
        assert label.note.startswith("first line\n") and RunFolder(run).config()["name"] == "started"
        assert sorted(path.name for path in run.parent.iterdir()) == ["run"]
        if len(name) < 100 and name.isprintable():
            assert label.name == name

    def test_tags_are_tidy(self) -> None:
        assert tidy_tags([" a ", "#a", "", "b c", 3, "b  c", "c,"]) == ("a", "b c", "c")
        assert len(tidy_tags([str(number) for number in range(99)])) == MOST_TAGS

    @pytest.mark.parametrize(
        "content", ["", "[]", '{"name": 3, "tags": "x", "note": []}', '{"tags": [null, {}]}', "\x00", "{" * 5000]
    )
    def test_a_damaged_file_counts_as_none(self, run: Path, content: str) -> None:
        (run / LABEL).write_text(content)
        assert read_label(run) == RunLabel()

    def test_what_is_shown_of_a_huge_one_is_short(self, run: Path) -> None:
        huge = "\x1b[2J\u202e" * 500
        values = {"name": huge, "tags": [huge] * 50 + ["x"] * 5_000, "note": f"{huge}\n{huge}", "more": [huge]}
        (run / LABEL).write_text(json.dumps(values))
        label = read_label(run)
        assert 0 < len(label.name) <= MOST_NAME and len(label.note) <= MOST_NOTE and len(label.tags) <= MOST_TAGS
        assert all(len(tag) <= MOST_NAME for tag in label.tags)
        shown = "".join((label.name, label.note, *label.tags))
        assert "\x1b" not in shown and "\u202e" not in shown
        (run / LABEL).write_text(json.dumps({"name": "x", "note": "x" * MOST_BYTES}))
        assert read_label(run) == RunLabel()

    def test_a_book_as_a_note_is_cut_when_it_is_written(self, run: Path) -> None:
        write_label(run, RunLabel("mine", note="ü" * 1_000_000))
        assert read_label(run) == RunLabel("mine", note="ü" * MOST_NOTE)

    @pytest.mark.skipif(os.name == "nt", reason="pipes and links as POSIX has them")
    def test_what_is_no_regular_file_is_not_read_and_not_written_through(self, run: Path, tmp_path: Path) -> None:
        os.mkfifo(run / LABEL)
        assert read_label(run) == RunLabel()
        (run / LABEL).unlink()
        precious = tmp_path / "precious"
        precious.write_text("mine")
        (run / LABEL).symlink_to(precious)
        write_label(run, RunLabel("new"))
        assert precious.read_text() == "mine" and read_label(run).name == "new"
        (run / LABEL).unlink()
        (run / LABEL).symlink_to("/dev/zero")
        assert read_label(run) == RunLabel()

    def test_what_is_no_run_gets_none(self, tmp_path: Path) -> None:
        with pytest.raises(BertcoreError, match="not a run folder"):
            write_label(tmp_path, RunLabel("x"))
        assert list(tmp_path.iterdir()) == []


def options_of(command: str, monkeypatch: pytest.MonkeyPatch) -> RunOptions:
    """What the shell would start."""
    got: list[RunOptions] = []

    def start(options: Any, *_: object) -> Path:
        got.append(options)
        raise BertcoreError("stopped here")

    monkeypatch.setattr("bertcore.training.start.start_run", start)
    program, *arguments = shlex.split(command)
    result = CliRunner().invoke(cli, arguments)
    assert program == "bertcore" and got, result.exception
    return got[0]


class TestShellCommand:
    @pytest.mark.parametrize(
        "options",
        [
            PretrainOptions.from_dict({"name": "my run", "data": {"corpus": ["/t/a b.txt", "/t/ü.txt"]}}),
            PretrainOptions.from_dict(
                {
                    "name": "x",
                    "preset": "mini",
                    "data": {"corpus": ["/t/a.txt"], "sequence_length": 64, "long_sequence_length": 64},
                    "training": {"steps": 70, "learning_rate": 3e-4, "causal_share": 0.0},
                }
            ),
            FinetuneOptions.from_dict(
                {
                    "name": "films",
                    "data": {"task": "classify", "train": "/t/films.tsv", "columns": {"text": "review", "label": "y"}},
                    "training": {"epochs": 4, "seed": 3},
                }
            ),
            DistilOptions.from_dict({"name": "student", "teacher": TEACHER, "data": {"corpus": ["/t/a.txt"]}}),
            PretrainOptions.from_dict(
                {"name": "sized", "model": {"num_hidden_layers": 3}, "data": {"corpus": ["/t/a"]}}
            ),
        ],
        ids=["files", "numbers", "columns", "distil", "recipe"],
    )
    def test_it_starts_a_run_with_the_same_settings(
        self, options: RunOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = RunFolder.create(tmp_path / "a run", options.to_dict())
        command = shell_command(run.path)
        assert options_of(command, monkeypatch).to_dict() == options.to_dict()

    @pytest.mark.parametrize(
        "changes",
        [
            {"name": "x\x1b[201~\ncurl elsewhere | sh\n"},
            {"name": "x\r"},
            {"name": "\u202ex"},
            {"data": {"corpus": ["a.txt", "--out", "/home"]}},
        ],
    )
    def test_a_strangers_run_commands_no_terminal(self, run: Path, changes: dict[str, Any]) -> None:
        (run / "config.json").write_text(json.dumps(RunFolder(run).config() | changes))
        assert shell_command(run) == f"bertcore pretrain --recipe {shlex.quote(str(run / 'config.json'))}"
        odd = run.rename(run.with_name("a\nrun"))
        with pytest.raises(BertcoreError, match="control characters in the name or kind of the run"):
            shell_command(odd)

    def test_flags_are_only_of_what_is_not_usual(self, run: Path) -> None:
        assert shell_command(run) == "bertcore pretrain --name started"
