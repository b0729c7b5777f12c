"""The demos in the room Train: one button starts them, and the answers turn right before one's eyes."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.compute.over_time import Heads, heads_over_time
from app.compute.question import Job, Question
from app.rooms.train.list.card import DEMOS, finished_demo
from app.rooms.train.questions.pictures import QuestionBoard
from app.rooms.train.room import TrainRoom
from app.rooms.train.snapshots.cards import milestones
from app.runs.run_info import read_run
from app.runs.service import RunsService
from app.shell.window import Window
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.cloze import ClozeSentence, read_cloze
from bertcore.runs.run_folder import QUESTIONS, RunFolder
from bertcore.runs.run_metrics import RunMetrics
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from tests.app.conftest import TIMEOUT_MS, make_checkpoint, settle
from tests.app.train_room import Models

ASKED = (  # category, text, answer
    ("pet", "Anna has a [MASK].", "cat"),
    ("pet", "Ben has a [MASK].", "dog"),
    ("food", "Anna likes to eat [MASK].", "soup"),
    ("food", "Ben likes to eat [MASK].", "bread"),
)
STEPS = (0, 10, 20)


def _answers(right: int) -> dict[str, object]:
    """The first `right` questions are answered right; elsewhere "the" comes first."""
    guesses = [
        [[answer, 0.9], ["the", 0.05], ["a", 0.01]] if i < right else [["the", 0.5], [answer, 0.2], ["a", 0.1]]
        for i, (_, _, answer) in enumerate(ASKED)
    ]
    is_right = [i < right for i in range(len(ASKED))]
    return {"right": right, "of": len(ASKED), "is_right": is_right, "guesses": guesses}


def _measure(run: RunFolder, step: int, right: int) -> None:
    measured = {"loss": 9.8, "mlm_loss": 6.0, "mlm_accuracy": 0.25, "nsp_accuracy": 0.6}
    run.append_metric({"kind": "held_out", "step": step, **measured, "questions": _answers(right)})


def _make_run(own_home: Path, state: str = "running") -> RunFolder:
    options = PretrainOptions(name="Class demo", preset="tiny", data=DataOptions(questions="asked.jsonl"))
    run = RunFolder.create(own_home / "runs" / "demo", options.to_dict())
    lines = [{"category": category, "text": text, "answers": [answer]} for category, text, answer in ASKED]
    (run.path / QUESTIONS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    run.write_status(state=state, step=STEPS[-1], elapsed_s=34.0)
    return run


def _save(run: RunFolder) -> None:
    """A snapshot, so that there is something to look at beside the page."""
    with run.begin_snapshot(STEPS[-1]) as snapshot:
        for name in ("config.json", "model.safetensors"):
            (snapshot / name).touch()


def _select(service: RunsService, run: RunFolder, room: TrainRoom) -> None:
    service.set_following(True)
    service.select(run.path)
    room.view.draw()


class TestStart:
    @pytest.mark.parametrize("number", range(len(DEMOS)))
    def test_one_button_starts_the_recipe_as_an_ordinary_run(self, number: int, room: TrainRoom, qtbot: QtBot) -> None:
        with qtbot.waitSignal(room.state.start_requested) as caught:
            room.demos.buttons[number].click()
        command, demo = caught.args[0], DEMOS[number]
        options = command.options
        assert command.kind == "pretrain"
        assert [Path(file).name for file in options.data.corpus] == [f"{demo.text}.txt"]
        questions = read_cloze(Path(options.data.questions))
        assert len(questions) >= 48 and options.training.evaluations >= 20

    def test_no_second_demo_while_a_run_is_at_work(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        run = _make_run(own_home)
        with run.acquire():
            run.write_status(state="running")
            service.set_following(True)
            assert not any(made.isEnabled() for made in room.demos.buttons)
        run.write_status(state="done")
        service.refresh()
        assert all(made.isEnabled() for made in room.demos.buttons)

    def test_the_form_of_other_runs_is_as_it_was(self, room: TrainRoom, qtbot: QtBot) -> None:
        room.runs_card.show_form()
        with qtbot.waitSignal(room.state.start_requested) as caught:
            room.form.submit()
        assert caught.args[0].options.data.questions is None


class TestAnswers:
    def test_the_sentence_the_board_and_the_count_are_the_newest_measurement(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        run = _make_run(own_home)
        _save(run)
        _measure(run, 0, 0)
        _select(service, run, room)
        page = room.view.questions
        assert page.isVisibleTo(room) and room.heads.isVisibleTo(room) and not room.watch.isVisibleTo(room)
        assert page.question is not None and page.question.text == ASKED[2][1]  # the first of the last category
        assert page.sentence.accessibleName() == "Anna likes to eat the."
        assert (page.count.text(), page.board.is_right) == ("0 of 4 right", (False,) * 4)
        _measure(run, 10, 3)
        service._poll_selected()
        room.view.draw()
        assert page.sentence.accessibleName() == "Anna likes to eat soup." and page.sentence.is_right
        assert (page.count.text(), page.board.is_right) == ("3 of 4 right", (True, True, True, False))
        assert "step 10" in page.since.text() and "at the start: 0" in page.since.text()
        assert [(bar.label, bar.is_strong) for bar in page.bars.bars] == [("soup", True), ("the", False), ("a", False)]

    def test_played_again_all_of_the_page_is_of_one_step(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        run = _make_run(own_home)
        for step, loss in ((1, 5.0), (10, 3.0), (20, 1.0)):
            run.append_metric({"kind": "train", "step": step, "mlm_loss": loss, "tok_per_s": 100.0})
        for step, right in ((0, 0), (10, 2), (20, 4)):
            _measure(run, step, right)
        _select(service, run, room)
        page, shown = room.view.questions, room.view.numbers
        page.show_measurement(1)
        assert page.plot.drawing.marked == 10 and shown["step"].text == "10" and "20" in shown["step"].unit
        assert shown["loss"].text == "3.00" and shown["speed"].isHidden()
        assert room.view.health.quiet.text().strip() == "", "too early to say"
        page.show_measurement(None)
        assert page.plot.drawing.marked is None and shown["loss"].text == "1.00" and not shown["speed"].isHidden()

    def test_columns_of_the_board_are_named_after_whom_all_rows_ask_about(self) -> None:
        demo, board = finished_demo(), QuestionBoard()
        assert demo is not None
        board.set_questions(read_cloze(demo / QUESTIONS))
        assert board.names == ["Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry"]
        board.set_questions([ClozeSentence(f"{name} has a [MASK].", ("cat",), name) for name in ("Anna", "Ben")])
        assert board.names == []

    def test_another_question_is_a_click_away(
        self, room: TrainRoom, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home)
        _measure(run, 0, 1)
        _select(service, run, room)
        with qtbot.waitExposed(room):
            room.show()
        board = room.view.questions.board
        qtbot.mouseClick(board, Qt.MouseButton.LeftButton, pos=board.cell_rect(0).center().toPoint())
        assert room.view.questions.sentence.accessibleName() == "Anna has a cat."
        qtbot.keyClick(board, Qt.Key.Key_Right)
        assert room.view.questions.sentence.accessibleName() == "Ben has a the."

    def test_while_it_runs_there_is_no_ending(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        run = _make_run(own_home)
        _measure(run, 0, 0)
        with run.acquire():
            run.write_status(state="running")
            _select(service, run, room)
            assert room.view.questions.ending.isHidden()
        assert room.view.questions.count.text() == "0 of 4 right"

    @pytest.mark.parametrize(
        ("state", "begins"), [("done", "Done: of 4 questions"), ("stopped", "It ended at step 20")]
    )
    def test_the_ending_says_what_happened_and_leads_on(
        self,
        state: str,
        begins: str,
        room: TrainRoom,
        models: Models,
        service: RunsService,
        own_home: Path,
        qtbot: QtBot,
    ) -> None:
        run = _make_run(own_home, state)
        for step, right in zip(STEPS, (1, 2, 4), strict=True):
            _measure(run, step, right)
        with run.begin_snapshot(20) as folder:
            for name in ("config.json", "model.safetensors"):
                (folder / name).touch()
        _select(service, run, room)
        page = room.view.questions
        assert not page.ending.isHidden() and page.ending_label.text().startswith(begins)
        assert {"1", "4"} <= set(page.ending_label.text().replace(",", " ").split())
        with qtbot.waitSignal(room.room_requested) as caught:
            page.room_buttons["attend"].click()
        assert caught.args == ["attend", ASKED[2][1], None]
        assert models.asked == [str(run.snapshot_path(20))]

    def test_a_finished_run_plays_again_from_its_first_measurement(
        self, room: TrainRoom, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home, "done")
        for step, right in zip(STEPS, (0, 2, 4), strict=True):
            _measure(run, step, right)
        _select(service, run, room)
        page, counts = room.view.questions, []
        page.step_shown.connect(lambda _step: counts.append(page.count.text()))
        page._player.setInterval(1)
        page.play.click()
        qtbot.waitUntil(lambda: not page._player.isActive(), timeout=TIMEOUT_MS)
        assert page.count.text() == "4 of 4 right"
        assert [line.split()[0] for line in dict.fromkeys(counts)] == ["4", "0", "2"]  # the last, then from the first

    def test_a_run_without_questions_has_its_curves_and_sentence(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        asked = _make_run(own_home, "done")
        plain = RunFolder.create(own_home / "runs" / "plain", PretrainOptions(name="plain").to_dict())
        plain.write_status(state="done")
        _select(service, asked, room)
        _select(service, plain, room)
        assert not room.view.questions.isVisibleTo(room) and not room.heads.isVisibleTo(room)
        assert not room.watch.isVisibleTo(room)  # done, without a snapshot
        room.state.set_snapshots([(10, plain.path / "snapshots" / "10")])
        assert room.watch.isVisibleTo(room)
        assert room.view.buttons[room.view.result].isHidden()

    @pytest.mark.parametrize("damaged", [{}, [], {"is_right": [True]}, {"is_right": [True], "guesses": [[["a"]]]}, 3])
    def test_damaged_lines_do_not_hurt(self, damaged: object) -> None:
        metrics = RunMetrics()
        metrics.append([{"kind": "held_out", "step": 1, "questions": damaged}])
        assert metrics.scores == []


class TestHeads:
    def test_first_last_and_some_between_are_shown(self) -> None:
        snapshots = [(step, Path(str(step))) for step in (0, 1, 2, 5, 10, 20, 50, 100, 160, 250, 400, 630, 1000)]
        shown = [step for step, _ in milestones(snapshots, 4)]
        assert shown == [0, 100, 400, 1000]
        assert milestones(snapshots[:3], 4) == snapshots[:3]

    def test_heads_are_those_of_a_pass_through_each_snapshot(self, tmp_path: Path) -> None:
        folder, text = make_checkpoint(tmp_path / "model"), "The cat sat on the [MASK]."
        found = heads_over_time([tmp_path / "gone", folder], text, lambda _share: None)
        assert list(found) == [folder]
        checkpoint = load_checkpoint(folder)
        encoding = checkpoint.tokenizer.encode(text)
        expected = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[]).attentions
        np.testing.assert_allclose(found[folder].attentions, expected, atol=1e-6)
        assert list(found[folder].labels) == encoding.labels

    def test_the_newest_snapshot_is_asked_for_first_and_each_once(
        self, room: TrainRoom, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home)
        snapshots = [(step, Path(f"snapshot-{step}")) for step in STEPS]
        asked: list[tuple[Question, Job]] = []
        room.question_requested.connect(lambda question: asked.append((question, question.job)))
        with qtbot.waitExposed(room):
            room.show()
        room.state.set_runs([read_run(run.path)])
        room.state.show_run(read_run(run.path))
        room.heads.show_text(ASKED[0][1])
        room.state.set_snapshots(snapshots)
        made = Heads(np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32), ("[CLS]", "a", "[SEP]"))
        for number, step in enumerate(reversed(STEPS)):
            question, job = asked[number]
            assert job.arguments == ((Path(f"snapshot-{step}"),), ASKED[0][1])
            question.deliver(job, {Path(f"snapshot-{step}"): made})
        assert len(asked) == len(STEPS)
        card = room.heads
        assert card.now.isVisible() and "20" in card.now_label.text()
        assert [words.text() for words in card.earlier_labels if words.isVisible()] == ["step 0", "step 10"]
        card.show_step(10)
        assert "10" in card.now_label.text() and len(asked) == len(STEPS)


def test_a_click_on_a_head_opens_attend_at_that_head(
    open_window: Callable[[Path | str], Window], model_folder: Path, qtbot: QtBot
) -> None:
    run = finished_demo()
    if run is None:
        pytest.skip("the finished run of the class demo is not in assets")
    window = open_window(model_folder)
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    window.services.runs.select(run)
    qtbot.waitUntil(lambda: room.heads.now.isVisible(), timeout=TIMEOUT_MS)
    for head in ((0, 1), (1, 0)):  # the model has to be opened first; it is open already
        room.heads.head_chosen.emit(*head)
        qtbot.waitUntil(lambda: not window.services.open_model.is_opening, timeout=TIMEOUT_MS)
        settle(window, qtbot)
        assert window.room_key == "attend" and window.state.model is not None
        assert window.state.model.folder.parent.parent == run
        assert (window.state.layer, window.state.head) == head


@pytest.mark.slow  # trains for half a minute on an idle core
def test_a_class_sees_its_sentence_turn_right(
    open_window: Callable[[Path | str], Window], model_folder: Path, qtbot: QtBot
) -> None:
    """The ten-second demo in the real window, from the button to the room Attend."""
    window = open_window(model_folder)
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    page, rights = room.view.questions, []
    page.step_shown.connect(rights.append)
    room.demos.buttons[1].click()
    qtbot.waitUntil(lambda: not page.ending.isHidden() or bool(room.runs_card._problem.text()), timeout=240_000)
    assert room.runs_card._problem.text() == "" and page.ending_label.text().startswith("Done")
    first, last = page._scores[0].right, page._scores[-1].right
    assert first < 0.2 * 60 and last > 0.95 * 60
    qtbot.waitUntil(lambda: room.heads.now.isVisible(), timeout=TIMEOUT_MS)
    page.room_buttons["attend"].click()
    qtbot.waitUntil(lambda: window.state.model is not None and window.state.model.layers == 1, timeout=TIMEOUT_MS)
    settle(window, qtbot)
    assert page.question is not None and window.state.text_a == page.question.text
