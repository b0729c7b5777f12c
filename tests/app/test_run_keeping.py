"""Runs that are there: names, tags and notes, the bin, one file to take along, and their settings taken up again."""

import json
import os
import shlex
import sys
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from typer.testing import CliRunner

from app.rooms.train.form.new_run_form import NewRunForm
from app.rooms.train.list.actions import LabelDialog, shell_command
from app.runs.run_info import LABEL, MOST_BYTES, MOST_NOTE, MOST_TAGS, RunLabel, read_label, read_run, write_label
from app.runs.run_keeping import export_name, write_run
from app.runs.run_state import RunState
from bertcore.cli.main import app as cli
from bertcore.errors import MOST_NAME, BertcoreError
from bertcore.locations import TINY, assets, built_in_checkpoint, shipped_checkpoint
from bertcore.runs.diagnosis import Suggestion
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import wait_until
from tests.app.train_room import stored_run

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
TEACHER = str(built_in_checkpoint().resolve())
NAMES = ["a/b\\c", "../../etc", "x" * 300, "🐈 Katze", "two\nlines", "\x1b[31mred", "<b>bold</b>", "C:", ".", " "]


@pytest.fixture(autouse=True)
def bin_folder(tmp_path, monkeypatch):
    """The bin of a desktop, as freedesktop.org has it, in a home folder that has no folder for it yet."""
    data = tmp_path / "home" / ".local" / "share"
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data / "Trash"


@pytest.fixture
def run():
    return stored_run(lines=[{"kind": "train", "step": 1, "mlm_loss": 5.0}], snapshots=(10, 20))


@pytest.fixture
def problems(service):
    found = []
    service.problem_found.connect(found.append)
    return found


def test_any_name_is_kept_on_one_line_and_the_folder_stays(service, run):
    assert read_label(run.path) == RunLabel()
    for name in (*NAMES, ""):
        service.keeper.set_label(run.path, RunLabel(name, ("small", name), f"first line\n{name}"))
        (info,), label = service.runs, read_label(run.path)
        assert info.name.isprintable() and 0 < len(info.name) <= 120 and info.path == run.path
        assert info.tags == label.tags and "small" in info.tags and info.note == label.note
        assert label.note.startswith("first line\n" if name.strip() else "first line")
        if len(name) < 100 and name.isprintable():
            assert info.name == (name if name.strip() else "stories")
        made = export_name(name)  # of the file to take along
        assert made.endswith(".zip") and len(made) < 70 and Path(made).name == made and "/" not in made
        assert made != ".zip"
    assert run.config()["name"] == "stories" and [path.name for path in run.path.parent.iterdir()] == ["stories"]


def test_the_dialog_gives_what_was_typed(run, qtbot):
    dialog = LabelDialog(read_run(run.path), None)
    qtbot.addWidget(dialog)
    assert dialog.label == RunLabel("stories")
    dialog.name.setText("  my   run ")
    dialog.tags.setText("small, #first,,small")
    dialog.note.setPlainText("why\nnot")
    assert dialog.label == RunLabel("my run", ("small", "first"), "why\nnot")
    dialog.tags.setText(",".join([" a ", "#a", "", "b c", "b  c", *"defghijklmnopqrstuvwxyz"]))
    assert dialog.label.tags[:3] == ("a", "b c", "d") and len(dialog.label.tags) == MOST_TAGS


def test_a_run_at_work_can_be_renamed_and_what_is_no_run_gets_no_label(service, run, problems, tmp_path):
    with run.acquire():
        run.write_status(state="running")
        service.keeper.set_label(run.path, RunLabel("other"))
        run.write_status(state="done")
    assert read_run(run.path).name == "other" and run.status().state == "done"
    nowhere = tmp_path / "elsewhere"
    nowhere.mkdir()
    service.keeper.set_label(nowhere, RunLabel("x"))
    assert len(problems) == 1 and "not a run folder" in problems[0] and not list(nowhere.iterdir())


def test_a_damaged_label_counts_as_none_and_what_is_shown_of_a_huge_one_is_short(run):
    huge, file = "\x1b[2J\u202e" * 500, run.path / LABEL
    for damaged in ("", "[]", '{"name": 3, "tags": "x", "note": []}', '{"tags": [null, {}]}', "\x00", "{" * 5000):
        file.write_text(damaged)
        assert read_label(run.path) == RunLabel()
    values = {"name": huge, "tags": [huge] * 50 + ["x"] * 5_000, "note": f"{huge}\n{huge}", "more": [huge]}
    file.write_text(json.dumps(values))
    label = read_label(run.path)
    assert 0 < len(label.name) <= MOST_NAME and len(label.note) <= MOST_NOTE and len(label.tags) <= MOST_TAGS
    assert all(len(tag) <= MOST_NAME for tag in label.tags)
    shown = "".join((label.name, label.note, *label.tags))
    assert "\x1b" not in shown and "\u202e" not in shown
    file.write_text(json.dumps({"name": "x", "note": "x" * MOST_BYTES}))
    assert read_label(run.path) == RunLabel()
    write_label(run.path, RunLabel("mine", note="ü" * 1_000_000))  # a book is cut when it is written
    assert read_label(run.path) == RunLabel("mine", note="ü" * MOST_NOTE)


@pytest.mark.skipif(os.name == "nt", reason="pipes and links as POSIX has them")
def test_what_is_no_regular_file_is_not_read_and_not_written_through(run, tmp_path):
    file, precious = run.path / LABEL, tmp_path / "precious"
    os.mkfifo(file)
    assert read_label(run.path) == RunLabel()
    file.unlink()
    precious.write_text("mine")
    file.symlink_to(precious)
    write_label(run.path, RunLabel("new"))
    assert precious.read_text() == "mine" and read_label(run.path).name == "new"
    file.unlink()
    file.symlink_to("/dev/zero")
    assert read_label(run.path) == RunLabel()


def test_a_deleted_run_is_in_the_bin_and_comes_back(room, service, run, bin_folder):
    other = stored_run("other")
    files = sorted(file.relative_to(run.path) for file in run.path.rglob("*"))
    service.refresh()
    service.select(run.path)
    service.delete_requested.emit(read_run(run.path))
    assert not run.path.exists() and (bin_folder / "files" / "stories" / "config.json").is_file()
    assert [info.path for info in service.runs] == [other.path] and service.selected == other.path
    offer = room.runs_card._bin_offer
    assert "stories" in offer.accessibleName()
    offer.accept_button.click()
    assert sorted(file.relative_to(run.path) for file in run.path.rglob("*")) == files
    assert service.selected == run.path and not list((bin_folder / "info").iterdir())
    service.delete_requested.emit(read_run(run.path))
    stored_run()  # another of the same name
    service.put_back_requested.emit()
    assert str(bin_folder / "files" / "stories") in room.runs_card._problem.text(), "it stays, and its place is said"


def test_its_launch_files_go_with_it(service, own_home):
    """Those of a sweep, which are called by its name, with the last of its runs."""
    runs = {name: stored_run(name) for name in ("cats", "cats-2", "dogs-rate-1", "dogs-rate-2")}
    launched = own_home / "launched"
    launched.mkdir()
    for name in ("cats", "cats-2", "dogs"):
        for ending in ("txt", "json"):
            (launched / f"{name}.{ending}").touch()
    two = {"cats-2", "dogs"}
    for name, left in (("cats", two), ("dogs-rate-1", two), ("dogs-rate-2", {"cats-2"})):
        service.keeper.move_to_bin(read_run(runs[name].path))
        assert {file.stem for file in launched.iterdir()} == left


def test_a_run_at_work_stays(room, service, run):
    problem = room.runs_card._problem
    with run.acquire():
        run.write_status(state="running")
        info = read_run(run.path)
        room.run_actions.ask_delete(info)
        assert room.run_actions.question is None, "it is not even asked"
        assert "still running" in problem.text()
        room.runs_card.show_problem("")
        service.delete_requested.emit(info)  # it began between the question and the answer
        assert "still running" in problem.text() and run.path.exists()


def test_it_is_asked_first_and_a_name_is_no_markup_in_the_question(room, run):
    for name in ("stories", "<img src='/dev/zero'>"):
        write_label(run.path, RunLabel(name))
        room.run_actions.ask_delete(read_run(run.path))
        question = room.run_actions.question
        assert name in question.text() and question.textFormat() == Qt.TextFormat.PlainText
        question.reject()
        assert run.path.exists()


def test_a_run_that_ships_and_one_that_is_only_linked_here_stay(service, problems, run, tmp_path, monkeypatch):
    elsewhere = run.path.rename(tmp_path / "elsewhere")
    run.path.symlink_to(elsewhere)
    service.refresh()
    service.keeper.move_to_bin(service.runs[0])
    assert "is only a link" in problems[0] and elsewhere.is_dir()
    ships = stored_run("ships").path
    monkeypatch.setattr("app.runs.run_keeping.is_built_in", lambda path: True)
    service.keeper.move_to_bin(read_run(ships))
    assert ships.exists() and "comes with BERTscope" in problems[1]


def test_a_link_in_a_run_goes_and_what_it_points_to_stays(service, run, tmp_path, bin_folder):
    precious = (run.path / "snapshots").rename(tmp_path / "precious")
    files = sorted(precious.rglob("*"))
    (run.path / "snapshots").symlink_to(precious)
    info = read_run(run.path)
    assert info.status.state == "unknown" and "snapshots is a link to elsewhere" in str(info.status.message)
    service.keeper.move_to_bin(info)
    assert not run.path.exists() and sorted(precious.rglob("*")) == files
    assert (bin_folder / "files" / "stories" / "snapshots").is_symlink()


def unpacked(run, folder):
    write_run(run.path, folder / "out.zip")
    with zipfile.ZipFile(folder / "out.zip") as archive:
        assert archive.testzip() is None
        archive.extractall(folder / "unpacked")
    return RunFolder(folder / "unpacked" / "stories")


def test_a_run_that_ships_is_exported_with_its_model(tmp_path):
    write_run(assets() / "runs" / TINY, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(tmp_path)
    ((step, folder),) = RunFolder(tmp_path / TINY).snapshots()
    assert step == RunFolder(assets() / "runs" / TINY).status().step
    name = "model.safetensors"
    assert (folder / name).read_bytes() == (shipped_checkpoint(TINY) / name).read_bytes()


def test_unpacked_it_is_the_run_with_its_newest_snapshot(run, tmp_path):
    precious, original = tmp_path / "precious", run.newest_snapshot()
    precious.write_text("mine")
    (original / "README.md").write_text("# The card")
    for link in (run.path / "linked.txt", tmp_path / ".out.zip.part"):  # in the run; in place of the unfinished file
        link.symlink_to(precious)
    copy = unpacked(run, tmp_path)
    assert copy.config() == run.config() and copy.status().state == "done"
    assert [step for step, _ in copy.snapshots()] == [20]
    for name in ("README.md", "model.safetensors"):
        assert (copy.newest_snapshot() / name).read_bytes() == (original / name).read_bytes()
    assert (copy.path / "metrics.jsonl").read_text() == (run.path / "metrics.jsonl").read_text()
    assert not (copy.path / "linked.txt").exists() and not (copy.path / "lock").exists()
    assert precious.read_text() == "mine"


def test_it_has_the_snapshot_that_the_run_ends_with(run, tmp_path):
    run.write_status(ends_with=10)
    copy = unpacked(run, tmp_path)
    assert [step for step, _ in copy.snapshots()] == [10, 20]
    assert copy.final_snapshot().name == run.snapshot_path(10).name


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
def test_a_name_that_a_zip_cannot_hold_is_said(service, run, tmp_path, qtbot):
    os.mkfifo(run.path / "pipe")
    Path(os.fsdecode(bytes(run.path) + b"/\xff")).write_text("x")
    with qtbot.waitSignal(service.problem_found) as said:
        service.keeper.export(read_run(run.path), tmp_path / "run.zip")
    assert "could not be exported" in said.args[0] and "a file in it is not UTF-8" in said.args[0]
    assert not list(tmp_path.glob("*run.zip*")) and not list(tmp_path.glob(".run.zip*"))


def test_it_is_said_when_it_is_done_or_cannot_be(service, problems, run, tmp_path, qtbot):
    with qtbot.waitSignal(service.done) as said:
        service.keeper.export(read_run(run.path), tmp_path / "run.zip")
    assert "run.zip" in said.args[0] and zipfile.is_zipfile(tmp_path / "run.zip") and not problems
    service.keeper.export(read_run(run.path), tmp_path / "no" / "run.zip")
    wait_until(lambda: len(problems) == 1)
    assert "could not be exported" in problems[0]


@pytest.fixture
def copy_form(qtbot):
    made = NewRunForm(RunState())
    qtbot.addWidget(made)
    return made


def test_everything_but_what_was_changed_is_the_runs_own(copy_form):
    training = {"steps": 300, "batch_size": 7, "learning_rate": 9e-4}
    run = stored_run("cats", PretrainOptions.from_dict({"name": "cats", "preset": "tiny", "training": training}))
    copy_form.show_run(read_run(run.path), Suggestion("learning_rate", 9e-4, 3e-4))
    assert copy_form.mark.text() == "Try a learning rate of 0.0003 instead of 0.0009."
    copy_form.name.setText("slower")
    copy_form.length.set_length("steps", 50)
    made, own = copy_form.command().options.to_dict(), run.config()
    assert made["training"] == {**own["training"], "steps": 50, "learning_rate": pytest.approx(3e-4)}
    assert made["name"] == "slower" and made["data"] == json.loads(json.dumps(own["data"])) | made["data"]
    copy_form.advanced.set_value("learning_rate", "fast")
    copy_form.submit()
    assert "Learning rate: type a number" in copy_form.problem.text()


def test_a_copy_of_a_task(copy_form):
    options = FinetuneOptions.from_dict({"name": "films", "data": {"task": "sst2"}, "training": {"epochs": 3}})
    copy_form.show_run(read_run(stored_run("films", options).path))
    copy_form.length.set_length("epochs", 1.5)
    made = copy_form.command()
    assert made.options.training.learning_rate == options.training.learning_rate
    assert made.kind == "finetune" and made.options.training.epochs == 1.5


TEXTS, LENGTHS = {"corpus": ["/t/a.txt"]}, {"sequence_length": 64, "long_sequence_length": 64}
FILMS = {"task": "classify", "train": "/t/films.tsv", "columns": {"text": "review", "label": "y"}}
STEPS = {"steps": 70, "learning_rate": 3e-4, "causal_share": 0.0}
SETTINGS = {
    "files": (PretrainOptions, {"data": {"corpus": ["/t/a b.txt", "/t/ü.txt"]}}),
    "numbers": (PretrainOptions, {"preset": "mini", "data": TEXTS | LENGTHS, "training": STEPS}),
    "columns": (FinetuneOptions, {"data": FILMS, "training": {"epochs": 4, "seed": 3}}),
    "distil": (DistilOptions, {"teacher": TEACHER, "data": TEXTS}),
    "recipe": (PretrainOptions, {"model": {"num_hidden_layers": 3}, "data": TEXTS}),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_the_shell_command_starts_a_run_with_the_same_settings(case, monkeypatch):
    made, settings = SETTINGS[case]
    options = made.from_dict({"name": f"my {case}", **settings})
    got = []

    def start(options, *_):
        got.append(options)
        raise BertcoreError("stopped here")

    monkeypatch.setattr("bertcore.training.start.start_run", start)
    program, *arguments = shlex.split(shell_command(stored_run("a run", options).path))
    result = CliRunner().invoke(cli, arguments)
    assert program == "bertcore" and got, result.exception
    assert got[0].to_dict() == options.to_dict()


def test_a_strangers_run_commands_no_terminal(run):
    file, own = run.path / "config.json", run.config()
    names = [{"name": name} for name in ("x\x1b[201~\ncurl elsewhere | sh\n", "x\r", "\u202ex")]
    for changes in (*names, {"data": {"corpus": ["a.txt", "--out", "/home"]}}):
        file.write_text(json.dumps(own | changes))
        assert shell_command(run.path) == f"bertcore pretrain --recipe {shlex.quote(str(file))}"
    odd = run.path.rename(run.path.with_name("a\nrun"))
    with pytest.raises(BertcoreError, match="control characters in the name or kind of the run"):
        shell_command(odd)


def test_flags_are_only_of_what_is_not_usual_and_go_to_the_clipboard(room):
    run = stored_run("started", PretrainOptions(name="started"))
    room.run_actions.copy_command(read_run(run.path))
    assert QApplication.clipboard().text() == "bertcore pretrain --name started"
