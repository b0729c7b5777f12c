"""Runs that are there: names, tags and notes, the bin, one file to take along, a copy of the settings, and what is said
at the end."""

import errno
import json
import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.rooms.train.form.new_run_form import CopyForm
from app.rooms.train.list.actions import LabelDialog
from app.rooms.train.room import TrainRoom
from app.runs.ending_sentences import ending_of, nearest_snapshot
from app.runs.finding import APPLY, BEST, COMPARE, CONTINUE, COPY, LOG, OPEN, RESUME, SLOWER, Finding
from app.runs.run_info import RunInfo, RunLabel, read_run, write_label
from app.runs.run_keeping import export_name, write_run
from app.runs.run_sentences import state_line
from app.runs.run_state import RunState
from app.runs.service import RunsService
from bertcore.runs.diagnosis import Suggestion
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import RunMetrics
from bertcore.training.failures import as_sentence
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.train_room import chosen_step

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
TIMEOUT_MS = 120_000
NAMES = ["a/b", "../../etc/passwd", "x" * 300, "🐈 Katze", "two\nlines", " ", ""]


@pytest.fixture(autouse=True)
def bin_folder(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bin of a desktop, as freedesktop.org has it, in a home folder that has no folder for it yet."""
    data = tmp_path / "home" / ".local" / "share"
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data / "Trash"


def make_run(home: Path, name: str = "stories", state: str = "done", **training: object) -> RunFolder:
    options = PretrainOptions.from_dict({"name": name, "preset": "tiny", "training": training})
    run = RunFolder.create(home / "runs" / name, options.to_dict())
    run.append_metric({"kind": "train", "step": 1, "mlm_loss": 5.0})
    for step in (10, 20):
        with run.begin_snapshot(step) as folder:
            (folder / "config.json").write_text("{}")
            (folder / "README.md").write_text("# The card")
            (folder / "model.safetensors").write_bytes(bytes(1000 + step))
    run.write_status(state=state, step=20, elapsed_s=60.0)
    return run


class TestLabels:
    @pytest.mark.parametrize("name", NAMES)
    def test_any_name_is_shown_on_one_line(
        self, room: TrainRoom, service: RunsService, own_home: Path, name: str
    ) -> None:
        run = make_run(own_home)
        service.refresh()
        service.keeper.set_label(run.path, RunLabel(name, ("first",), "a note"))
        (info,) = service.runs
        assert info.path == run.path and info.tags == ("first",) and info.note == "a note"
        assert info.name.isprintable() and 0 < len(info.name) <= 120
        assert info.name == ("stories" if not name.strip() else info.name)

    def test_the_dialog_gives_what_was_typed(self, own_home: Path, qtbot: QtBot) -> None:
        dialog = LabelDialog(read_run(make_run(own_home).path), None)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        assert dialog.label == RunLabel("stories")
        dialog.name.setText("  my   run ")
        dialog.tags.setText("small, #first,,small")
        dialog.note.setPlainText("why\nnot")
        assert dialog.label == RunLabel("my run", ("small", "first"), "why\nnot")

    def test_a_run_at_work_can_be_renamed(self, service: RunsService, own_home: Path) -> None:
        run = make_run(own_home)
        with run.acquire():
            run.write_status(state="running")
            service.keeper.set_label(run.path, RunLabel("other"))
            run.write_status(state="done")
        assert read_run(run.path).name == "other" and run.status().state == "done"

    def test_a_folder_that_is_gone_is_said(self, service: RunsService, own_home: Path) -> None:
        keeper, problems = service.keeper, list[str]()
        service.problem_found.connect(problems.append)
        keeper.set_label(own_home / "runs" / "gone", RunLabel("x"))
        assert len(problems) == 1 and "not a run folder" in problems[0]


class TestBin:
    def test_a_deleted_run_is_in_the_bin_and_comes_back(
        self, room: TrainRoom, service: RunsService, own_home: Path, bin_folder: Path
    ) -> None:
        run, other = make_run(own_home), make_run(own_home, "other")
        before = sorted(file.relative_to(run.path) for file in run.path.rglob("*"))
        service.refresh()
        service.select(run.path)
        room.state.delete_requested.emit(read_run(run.path))
        assert not run.path.exists() and (bin_folder / "files" / "stories" / "config.json").is_file()
        assert [info.path for info in service.runs] == [other.path] and service.selected == other.path
        assert room.runs_card._bin_offer is not None and "stories" in room.runs_card._bin_offer.accessibleName()
        room.runs_card._bin_offer.accept_button.click()
        assert sorted(file.relative_to(run.path) for file in run.path.rglob("*")) == before
        assert service.selected == run.path and not list((bin_folder / "info").iterdir())

    def test_its_launch_files_go_with_it(self, service: RunsService, own_home: Path, bin_folder: Path) -> None:
        """Those of a sweep, which are called by its name, with the last of its runs."""
        runs = {name: make_run(own_home, name) for name in ("cats", "cats-2", "dogs-rate-1", "dogs-rate-2")}
        launched = own_home / "launched"
        launched.mkdir()
        for name in ("cats", "cats-2", "dogs"):
            for ending in ("txt", "json"):
                (launched / f"{name}.{ending}").touch()
        keeper = service.keeper
        for name, left in (
            ("cats", {"cats-2", "dogs"}),
            ("dogs-rate-1", {"cats-2", "dogs"}),
            ("dogs-rate-2", {"cats-2"}),
        ):
            keeper.move_to_bin(read_run(runs[name].path))
            assert {file.stem for file in launched.iterdir()} == left

    def test_what_cannot_be_put_back_is_said_with_its_place(
        self, room: TrainRoom, service: RunsService, own_home: Path, bin_folder: Path
    ) -> None:
        run = make_run(own_home)
        room.state.delete_requested.emit(read_run(run.path))
        make_run(own_home)  # another of the same name
        room.state.put_back_requested.emit()
        assert str(bin_folder / "files" / "stories") in room.runs_card._problem.text()

    def test_a_run_at_work_stays(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        run = make_run(own_home)
        with run.acquire():
            run.write_status(state="running")
            info = read_run(run.path)
            room.run_actions.ask_delete(info)
            assert room.run_actions.question is None, "it is not even asked"
            assert "still running" in room.runs_card._problem.text()
            room.runs_card.show_problem("")
            room.state.delete_requested.emit(info)  # it began between the question and the answer
            assert "still running" in room.runs_card._problem.text() and run.path.exists()

    def test_it_is_asked_first(self, room: TrainRoom, own_home: Path) -> None:
        run = make_run(own_home)
        room.run_actions.ask_delete(read_run(run.path))
        question = room.run_actions.question
        assert question is not None and "stories" in question.text() and run.path.exists()
        question.reject()
        assert run.path.exists()

    def test_a_name_is_no_markup_in_the_question(self, room: TrainRoom, own_home: Path) -> None:
        run = make_run(own_home)
        write_label(run.path, RunLabel("<img src='/dev/zero'>"))
        room.run_actions.ask_delete(read_run(run.path))
        question = room.run_actions.question
        assert question is not None and question.textFormat() == Qt.TextFormat.PlainText
        assert "<img src='/dev/zero'>" in question.text()
        question.reject()

    def test_a_run_that_ships_stays(
        self, service: RunsService, monkeypatch: pytest.MonkeyPatch, own_home: Path
    ) -> None:
        run = make_run(own_home)
        monkeypatch.setattr("app.runs.run_keeping.is_built_in", lambda path: True)
        keeper, problems = service.keeper, list[str]()
        service.problem_found.connect(problems.append)
        keeper.move_to_bin(read_run(run.path))
        assert run.path.exists() and "comes with BERTscope" in problems[0]

    def test_what_is_only_linked_here_stays(
        self, service: RunsService, own_home: Path, tmp_path: Path, qtbot: QtBot
    ) -> None:
        elsewhere = make_run(tmp_path / "elsewhere").path
        (own_home / "runs").mkdir(parents=True)
        (own_home / "runs" / "linked").symlink_to(elsewhere)
        service.refresh()
        (info,) = service.runs
        keeper = service.keeper
        with qtbot.waitSignal(service.problem_found) as said:
            keeper.move_to_bin(info)
        assert "is only a link" in said.args[0] and elsewhere.is_dir()

    def test_a_link_in_a_run_goes_and_what_it_points_to_stays(
        self, service: RunsService, own_home: Path, tmp_path: Path, bin_folder: Path
    ) -> None:
        precious = tmp_path / "precious"
        run = make_run(own_home).path
        (run / "snapshots").rename(precious)
        before = sorted(precious.rglob("*"))
        (run / "snapshots").symlink_to(precious)
        info = read_run(run)
        assert info.status.state == "unknown" and "snapshots is a link to elsewhere" in str(info.status.message)
        service.keeper.move_to_bin(info)
        assert not run.exists() and sorted(precious.rglob("*")) == before
        assert (bin_folder / "files" / "stories" / "snapshots").is_symlink()


class TestExport:
    def test_a_link_at_the_place_of_its_unfinished_file_is_not_followed(self, own_home: Path, tmp_path: Path) -> None:
        run, out = make_run(own_home).path, tmp_path / "out"
        out.mkdir()
        precious = tmp_path / "precious"
        precious.write_text("mine")
        (run / "linked.txt").symlink_to(precious)
        (out / ".run.zip.part").symlink_to(precious)
        write_run(run, out / "run.zip")
        assert precious.read_text() == "mine"
        assert not any(name.endswith("linked.txt") for name in zipfile.ZipFile(out / "run.zip").namelist())

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
    def test_a_name_that_a_zip_cannot_hold_is_said(
        self, service: RunsService, own_home: Path, tmp_path: Path, qtbot: QtBot
    ) -> None:
        run = make_run(own_home).path
        os.mkfifo(run / "pipe")
        Path(os.fsdecode(bytes(run) + b"/\xff")).write_text("x")
        keeper = service.keeper
        with qtbot.waitSignal(service.problem_found, timeout=TIMEOUT_MS) as said:
            keeper.export(read_run(run), tmp_path / "run.zip")
        assert "could not be exported" in said.args[0] and "a file in it is not UTF-8" in said.args[0]
        assert not list(tmp_path.glob("*run.zip*")) and not list(tmp_path.glob(".run.zip*"))

    @pytest.mark.parametrize("name", NAMES)
    def test_any_name_makes_a_file_name(self, name: str) -> None:
        made = export_name(name)
        assert made.endswith(".zip") and len(made) < 70 and Path(made).name == made and "/" not in made
        assert made != ".zip"

    def test_unpacked_it_is_the_run_with_its_newest_snapshot(self, own_home: Path, tmp_path: Path) -> None:
        run = make_run(own_home)
        (run.path / "log.txt").symlink_to("/etc/hostname") if not (run.path / "log.txt").exists() else None
        write_run(run.path, tmp_path / "out.zip")
        with zipfile.ZipFile(tmp_path / "out.zip") as archive:
            assert archive.testzip() is None
            archive.extractall(tmp_path / "unpacked")
        copy = RunFolder(tmp_path / "unpacked" / "stories")
        assert copy.config() == run.config() and copy.status().state == "done"
        assert [step for step, _ in copy.snapshots()] == [20]
        newest, original = copy.newest_snapshot(), run.newest_snapshot()
        assert newest is not None and original is not None
        for name in ("README.md", "model.safetensors"):
            assert (newest / name).read_bytes() == (original / name).read_bytes()
        assert (copy.path / "metrics.jsonl").read_text() == (run.path / "metrics.jsonl").read_text()
        assert not (copy.path / "log.txt").exists() and not (copy.path / "lock").exists()

    def test_it_has_the_snapshot_that_the_run_ends_with(self, own_home: Path, tmp_path: Path) -> None:
        run = make_run(own_home)
        step, best = run.snapshots()[0]
        run.write_status(ends_with=step)
        write_run(run.path, tmp_path / "out.zip")
        with zipfile.ZipFile(tmp_path / "out.zip") as archive:
            archive.extractall(tmp_path / "unpacked")
        copy = RunFolder(tmp_path / "unpacked" / "stories")
        final = copy.final_snapshot()
        assert [each for each, _ in copy.snapshots()] == [step, 20] and final is not None and final.name == best.name

    def test_it_is_said_when_it_is_done_or_cannot_be(
        self, service: RunsService, own_home: Path, tmp_path: Path, qtbot: QtBot
    ) -> None:
        info = read_run(make_run(own_home).path)
        keeper, said = service.keeper, list[str]()
        service.done.connect(said.append)
        service.problem_found.connect(said.append)
        keeper.export(info, tmp_path / "run.zip")
        qtbot.waitUntil(lambda: len(said) == 1, timeout=TIMEOUT_MS)
        assert "run.zip" in said[0] and zipfile.is_zipfile(tmp_path / "run.zip")
        keeper.export(info, tmp_path / "no" / "run.zip")
        qtbot.waitUntil(lambda: len(said) == 2, timeout=TIMEOUT_MS)
        assert "could not be exported" in said[1]


class TestCopy:
    def test_everything_but_what_was_changed_is_the_runs_own(self, own_home: Path, qtbot: QtBot) -> None:
        run = make_run(own_home, steps=300, batch_size=7, learning_rate=9e-4)
        form = CopyForm(RunState())
        qtbot.addWidget(form)
        form.show_run(read_run(run.path), Suggestion("learning_rate", 9e-4, 3e-4))
        assert form.mark.text() == "Try a learning rate of 0.0003 instead of 0.0009."
        form.fields.set_value("name", "slower")
        form.fields.set_value("steps", "50")
        made, own = form.command().options.to_dict(), run.config()
        assert made["training"] == {**own["training"], "steps": 50, "learning_rate": pytest.approx(3e-4)}
        assert made["name"] == "slower" and made["data"] == json.loads(json.dumps(own["data"])) | made["data"]
        form.fields.set_value("learning_rate", "fast")
        form.submit()
        assert "Learning rate: type a number" in form.problem.text()

    def test_of_a_task_too(self, own_home: Path, qtbot: QtBot) -> None:
        options = FinetuneOptions.from_dict({"name": "films", "data": {"task": "sst2"}, "training": {"epochs": 3}})
        run = RunFolder.create(own_home / "runs" / "films", options.to_dict())
        form = CopyForm(RunState())
        qtbot.addWidget(form)
        form.show_run(read_run(run.path))
        form.fields.set_value("epochs", "1.5")
        made = form.command()
        assert made.options.training.learning_rate == options.training.learning_rate
        assert made.kind == "finetune" and made.options.training.epochs == 1.5

    def test_the_command_is_on_the_clipboard(self, room: TrainRoom, own_home: Path) -> None:
        room.run_actions.copy_command(read_run(make_run(own_home).path))
        assert QApplication.clipboard().text().startswith("bertcore pretrain --name stories")


def ended(
    losses: list[float],
    state: str = "done",
    message: str | None = None,
    ends_with: int | None = None,
    **fields: object,
) -> Finding | None:
    metrics = RunMetrics()
    metrics.append({"kind": "held_out", "step": 10 * i, "mlm_loss": loss} for i, loss in enumerate(losses))
    status = RunStatus(state, step=10 * len(losses), elapsed_s=60, message=message, ends_with=ends_with)
    return ending_of(RunInfo(Path("run"), "stories", "", status, **fields), metrics)  # type: ignore[arg-type]


class TestEnding:
    def test_a_run_that_learned(self) -> None:
        made = ended([9.0, 6.0, 4.25])
        assert made is not None and "9.00" in made.sentence and "4.25" in made.sentence
        assert made.actions == (OPEN, COMPARE, CONTINUE, COPY) and not made.advice and not made.is_bad

    def test_it_says_what_guessing_would_get(self) -> None:
        lines: list[dict] = [
            {"kind": "held_out", "step": at, "loss": 0.6, "accuracy": score}
            for at, score in enumerate((0.5, 0.6, 0.55))
        ]
        lines[2] |= {"answers": {"label": "good", "share": 0.6, "right": 0.5, "chance": 0.52}}
        metrics = RunMetrics()
        metrics.append(lines)
        info = RunInfo(Path("run"), "films", "", RunStatus("done"), task_kind="classify", metrics=("accuracy",))
        made = ending_of(info, metrics)
        assert made is not None and "went from 50.0% to 55.0%" in made.sentence
        assert made.advice == "Its best was 60.0%, at step 1. Always giving the most common answer would get 52.0%."
        assert made.actions == (APPLY, OPEN, COMPARE, COPY)
        metrics.append([{"kind": "held_out", "step": 3, "mlm_loss": 4.0, "by_frequency": 6.128}])
        text = ending_of(replace(info, metrics=()), metrics)
        assert text is not None and text.advice == "Guessing by word frequency alone would give a loss of 6.13."

    @pytest.mark.parametrize(("examples", "says_little"), [(5, True), (49, True), (200, False)])
    def test_it_says_what_the_score_rests_on(self, examples: int, says_little: bool) -> None:
        """A file of 54 examples: 6 steps, and 100% of the 5 that were held out."""
        metrics = RunMetrics()
        metrics.append({"kind": "held_out", "step": at, "accuracy": at / 6, "examples": examples} for at in (0, 6))
        status = RunStatus("done", step=6)
        info = RunInfo(Path("run"), "films", "", status, task_kind="classify", metrics=("accuracy",))
        made = ending_of(info, metrics)
        assert made is not None and "went from 0.0% to 100.0% in 6 steps" in made.sentence
        assert f"{examples} held-out examples." in made.sentence
        assert ("That says little" in made.sentence) == says_little

    def test_numbers_that_are_compared_are_of_the_same_examples(self) -> None:
        """The curve is measured on 185 examples; what all 200 say at the end stands apart."""
        lines = [
            {"kind": kind, "step": step, "loss": 0.6, "accuracy": score, "examples": count}
            | {"answers": {"label": "good", "share": 0.6, "right": 0.5, "chance": 0.519}}
            for kind, step, count, score in (
                ("held_out", 10, 185, 0.52),
                ("held_out", 20, 185, 0.7),
                ("evaluation", 30, 200, 0.705),
            )
        ]
        status = RunStatus("done", step=20)
        info = RunInfo(Path("run"), "films", "", status, task_kind="classify", metrics=("accuracy",))
        told = "went from 52.0% to 70.0% in 20 steps, measured on 185 held-out examples."
        for given, on_all in ((lines, " On all 200 held-out examples it is 70.5%."), (lines[:2], "")):
            metrics = RunMetrics()
            metrics.append(given)
            made = ending_of(info, metrics)
            assert made is not None and made.sentence.endswith(f"{told}{on_all}")
            assert made.advice == "Always giving the most common answer would get 51.9% on these 185."

    def test_one_that_ends_with_its_best_says_so_and_compares_with_that(self) -> None:
        made = ended([9.0, 6.0, 4.0, 4.5, 5.0], ends_with=20)
        assert made is not None and BEST not in made.actions and made.best_step is None
        begin = "Done, after 60 s of training. Step 20 was the best of 50 steps; the run ends with it."
        assert " ".join(made.sentence.replace("\u2009", " ").split()).startswith(begin)
        assert "its loss went from 9.00 to 4.00" in made.sentence and not made.advice

    def test_one_that_learned_by_heart_is_opened_where_it_was_best(self) -> None:
        made = ended([9.0, 6.0, 4.0, 4.5, 5.0])
        assert made is not None and made.actions[0] == BEST and made.best_step == 20
        assert made.advice == "Its lowest loss was 4.00, at step 20."
        assert nearest_snapshot([0, 10, 30], 22) == 2 and nearest_snapshot([], 3) is None

    @pytest.mark.parametrize(
        ("message", "first"),
        [
            (as_sentence(MemoryError()), COPY),
            ("The training process was killed; the machine may have run out of memory. Its snapshots remain.", COPY),
            (as_sentence(OSError(errno.ENOSPC, "full"), Path("/memory/run")), COPY),
            ("Cannot write the run folder /workspace/diskette/memory: not permitted; choose another folder.", LOG),
            ("Something else.", LOG),
        ],
    )
    def test_a_failure_says_why_and_what_may_help(self, message: str, first: str) -> None:
        made = ended([9.0], "failed", message)
        assert made is not None and made.is_bad and made.sentence == message
        assert made.actions[0] == first and LOG in made.actions
        assert ("disk" in made.advice) == message.startswith("The disk is full")

    def test_a_run_that_diverged_says_first_what_to_do(self) -> None:
        message = "The loss or its gradient became infinite or undefined at step 3, on the batch that begins with “a”."
        made = ended([9.0], "failed", message)
        assert made is not None and made.is_bad and made.actions == (SLOWER, LOG)
        told = "Training stopped at step 3: the loss became infinite or undefined. Try a lower learning rate."
        assert made.sentence == told and made.details == message and made.advice

    def test_a_stopped_run_goes_on_and_one_at_work_has_no_ending(self) -> None:
        made = ended([9.0, 5.0], "stopped", can_resume=True)
        assert made is not None and made.actions[0] == RESUME
        assert ended([9.0, 5.0], "running") is None and ended([9.0, 5.0], is_built_in=True) is None

    def test_only_what_can_be_done_is_offered(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        run = make_run(own_home)
        service.refresh()
        service.select(run.path)
        room.view.draw()
        assert set(room.view.ending.buttons) == {OPEN, COMPARE, CONTINUE, COPY}
        room.view.buttons[room.view.batch].click()
        assert not room.view.ending.isVisibleTo(room), "the batch needs its room"
        room.view.buttons[room.view.curves].click()
        assert room.view.ending.isVisibleTo(room)
        compared: list[Path] = []
        room.compare_requested.connect(compared.append)
        room.view.ending.buttons[COMPARE].click()
        assert compared == [run.snapshots()[0][1]]
        room.view.ending.buttons[COPY].click()
        assert room.copy_form.isVisibleTo(room)
        room.view.ending.buttons[CONTINUE].click()
        assert room.runs_card.shows_form and room.form.kind.currentData() == "continue"
        assert room.form.model.reference == str(run.snapshots()[-1][1])

    def test_what_is_opened_is_what_the_run_ends_with(
        self, room: TrainRoom, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = make_run(own_home)
        (step, best), *_ = run.snapshots()
        run.write_status(ends_with=step)
        service.refresh()
        service.select(run.path)
        room.view.draw()
        opened: list[str] = []
        room._open_model.requested.connect(opened.append)
        assert chosen_step(room) == step, "to be opened"
        room.view.ending.buttons[OPEN].click()
        room.view.ending.buttons[COMPARE].click()
        room.view.ending.buttons[CONTINUE].click()
        assert opened[:2] == [str(best)] * 2 and room.form.model.reference == str(best)

    def test_a_run_that_comes_to_its_end_moves_the_handle_to_its_best(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        run = make_run(own_home, state="running")
        steps = [step for step, _ in run.snapshots()]
        with run.acquire():
            service.refresh()
            service.select(run.path)
            assert chosen_step(room) == steps[-1]
            run.write_status(state="done", ends_with=steps[0])
        service.refresh()
        service._poll_selected()
        assert chosen_step(room) == steps[0]

    def test_its_row_and_its_page_say_it_once_and_in_the_windows_language(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        run = make_run(own_home)
        run.append_metric({"kind": "held_out", "step": 20, "mlm_loss": 4.0, "mlm_accuracy": 0.2})
        run.append_metric({"kind": "evaluation", "step": 10, "mlm_loss": 3.5, "mlm_accuracy": 0.25})
        sentence = "Stopped early: step 10 was the best of 20 steps; the run ends with it."
        run.write_status(state="done", message=sentence, ends_with=10)
        service.refresh()
        service.select(run.path)
        room.view.draw()
        assert state_line(service.runs[0]) == "Done · step 10 · 25% correct"
        assert not room.view._message.isVisibleTo(room) and room.view.ending.isVisibleTo(room)
        run.write_status(state="failed", message="Something else.")
        service.refresh()
        assert "Something else." in state_line(service.runs[0])

    def test_the_log_of_a_failed_run_is_a_click_away(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        run = make_run(own_home, state="running")
        run.log("the text was read")
        run.write_status(state="failed", message="Something else.")
        service.refresh()
        service.select(run.path)
        room.view.draw()
        ending = room.view.ending
        assert not ending.log.isVisibleTo(room) and ending.sentence.text() == "Something else."
        ending.buttons[LOG].click()
        assert ending.log.isVisibleTo(room) and ending.log.toPlainText().endswith("the text was read")
        room.view.buttons[room.view.batch].click()
        room.view.buttons[room.view.curves].click()
        button = ending.buttons[LOG]
        assert not ending.log.isVisibleTo(room) and (button.text(), button.isChecked()) == ("Show the log", False)
