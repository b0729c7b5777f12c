"""The demos in the room Train: one button starts them, and the answers turn right before one's eyes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.compute.over_time import Heads, heads_over_time
from app.compute.question import Job, Question
from app.rooms.train.list.card import DEMOS, finished_demo
from app.rooms.train.questions.pictures import QuestionBoard
from app.rooms.train.snapshots.cards import milestones
from app.runs.run_info import read_run
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.cloze import ClozeSentence, read_cloze
from bertcore.data.small_world import World
from bertcore.locations import assets
from bertcore.runs.run_folder import QUESTIONS, RunStatus
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from tests.app.conftest import make_checkpoint, settle, wait_until
from tests.app.train_room import add_snapshot, look_at, opened_at, stored_run

ASKED = (  # category, text, answer
    ("pet", "Anna has a [MASK].", "cat"),
    ("pet", "Ben has a [MASK].", "dog"),
    ("food", "Anna likes to eat [MASK].", "soup"),
    ("food", "Ben likes to eat [MASK].", "bread"),
)
STEPS = (0, 10, 20)


def _measure(run, step, right):
    """The first `right` questions are answered right; elsewhere "the" comes first."""
    guesses = [
        [[answer, 0.9], ["the", 0.05], ["a", 0.01]] if i < right else [["the", 0.5], [answer, 0.2], ["a", 0.1]]
        for i, (_, _, answer) in enumerate(ASKED)
    ]
    answers = {"right": right, "of": 4, "is_right": [i < right for i in range(4)], "guesses": guesses}
    run.append_metric({"kind": "held_out", "step": step, "loss": 9.8, "mlm_loss": 6.0, "questions": answers})


def _make_run(state="running", rights=()):
    """It measured so many right answers, one after the other."""
    data = DataOptions(questions="asked.jsonl")
    run = stored_run("demo", PretrainOptions(name="Class demo", preset="tiny", data=data), state=state)
    lines = [{"category": category, "text": text, "answers": [answer]} for category, text, answer in ASKED]
    (run.path / QUESTIONS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    for step, right in zip(STEPS, rights, strict=False):
        _measure(run, step, right)
    return run


@pytest.mark.parametrize("number", range(len(DEMOS)))
def test_one_button_starts_the_recipe_as_an_ordinary_run(number, room, orders):
    room.demos.buttons[number].click()
    options = orders[0].options
    assert orders[0].kind == "pretrain"
    assert [Path(file).name for file in options.data.corpus] == [f"{DEMOS[number].text}.txt"]
    assert len(read_cloze(Path(options.data.questions))) >= 48 and options.training.evaluations >= 20
    room.runs_card.show_form()  # for other runs it is as it was
    room.form.submit()
    assert orders[1].options.data.questions is None


def test_no_second_demo_and_no_ending_while_a_run_is_at_work(room, service):
    run = _make_run(rights=(0,))
    with run.acquire():
        run.write_status(state="running")
        look_at(room, run)
        assert not any(made.isEnabled() for made in room.demos.buttons)
        assert (
            "At work" in room.view.questions.ending_label.text() and room.view.questions.count.text() == "0 of 4 right"
        )
    run.write_status(state="done")
    service.refresh()
    assert all(made.isEnabled() for made in room.demos.buttons)


def test_the_sentence_the_board_and_the_count_are_the_newest_measurement(room, service):
    run, page = _make_run(rights=(0,)), room.view.questions
    add_snapshot(run, 20)
    look_at(room, run)
    assert page.isVisibleTo(room) and room.heads.isVisibleTo(room) and not room.watch.isVisibleTo(room)
    assert page.question.text == ASKED[2][1]  # the first of the last category
    assert page.sentence.accessibleName() == "Anna likes to eat the."
    assert (page.count.text(), page.board.is_right) == ("0 of 4 right", (False,) * 4)
    _measure(run, 10, 3)
    service._poll_selected()
    room.view.draw()
    assert page.sentence.accessibleName() == "Anna likes to eat soup." and page.sentence.is_right
    assert (page.count.text(), page.board.is_right) == ("3 of 4 right", (True, True, True, False))
    assert "step 10" in page.since.text() and "at the start: 0" in page.since.text()
    assert [(bar.label, bar.is_strong) for bar in page.bars.bars] == [("soup", True), ("the", False), ("a", False)]


def test_columns_of_the_board_are_named_after_whom_all_rows_ask_about():
    board = QuestionBoard()
    board.set_questions(read_cloze(finished_demo() / QUESTIONS))
    assert board.names == ["Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry"]
    board.set_questions([ClozeSentence(f"{name} has a [MASK].", ("cat",), name) for name in ("Anna", "Ben")])
    assert board.names == []


def test_another_question_is_a_click_away(room, service, qtbot):
    look_at(room, _make_run(rights=(1,)))
    with qtbot.waitExposed(room):
        room.show()
    board, sentence = room.view.questions.board, room.view.questions.sentence
    qtbot.mouseClick(board, Qt.MouseButton.LeftButton, pos=board.cell_rect(0).center().toPoint())
    assert sentence.accessibleName() == "Anna has a cat."
    qtbot.keyClick(board, Qt.Key.Key_Right)
    assert sentence.accessibleName() == "Ben has a the."


@pytest.mark.parametrize(("state", "begins"), [("done", "Done: 1 of 4 questions"), ("stopped", "It ended at step 20")])
def test_the_ending_says_what_happened_and_leads_on(state, begins, room, models, service, qtbot):
    run, page = _make_run(state, (1, 2, 4)), room.view.questions
    newest = add_snapshot(run, 20)
    look_at(room, run)
    assert not page.ending.isHidden() and page.ending_label.text().startswith(begins)
    assert {"1", "4"} <= set(page.ending_label.text().replace(",", " ").split())
    with qtbot.waitSignal(room.room_requested) as caught:
        page.room_buttons["attend"].click()
    assert caught.args == ["attend", ASKED[2][1], None] and models.asked == [str(newest)]


def test_a_finished_run_plays_again_and_all_of_the_page_is_of_one_step(room, service):
    run = _make_run("done", (0, 2, 4))
    for step, loss in ((1, 5.0), (10, 3.0), (20, 1.0)):
        run.append_metric({"kind": "train", "step": step, "mlm_loss": loss, "tok_per_s": 100.0})
    look_at(room, run)
    page, shown, counts = room.view.questions, room.view.numbers, list[str]()
    page.show_measurement(1)
    assert page.plot.drawing.marked == 10 and shown["step"].text == "10" and "20" in shown["step"].unit
    assert shown["loss"].text == "3.00" and shown["speed"].isHidden()
    assert room.view.health.quiet.text().strip() == "", "too early to say"
    page.show_measurement(None)
    assert page.plot.drawing.marked is None and shown["loss"].text == "1.00" and not shown["speed"].isHidden()
    page.step_shown.connect(lambda _step: counts.append(page.count.text()))
    page._player.setInterval(1)
    page.play.click()
    wait_until(lambda: not page._player.isActive())
    assert page.count.text() == "4 of 4 right"
    assert [line.split()[0] for line in dict.fromkeys(counts)] == ["4", "0", "2"]  # the last, then from the first


def test_a_run_without_questions_has_its_curves_and_sentence(room, service):
    plain = stored_run("plain")
    for run in (_make_run("done"), plain):
        look_at(room, run)
    assert not room.view.questions.isVisibleTo(room) and not room.heads.isVisibleTo(room)
    assert not room.watch.isVisibleTo(room)  # done, without a snapshot
    room.state.set_snapshots([(10, plain.path / "snapshots" / "10")])
    assert room.watch.isVisibleTo(room)
    assert room.view.buttons[room.view.result].isHidden()


def test_first_last_and_some_between_are_shown():
    snapshots = [(step, Path(str(step))) for step in (0, 1, 2, 5, 10, 20, 50, 100, 160, 250, 400, 630, 1000)]
    assert [step for step, _ in milestones(snapshots, 4)] == [0, 100, 400, 1000]
    assert milestones(snapshots[:3], 4) == snapshots[:3]


def test_heads_are_those_of_a_pass_through_each_snapshot(tmp_path):
    folder, text = make_checkpoint(tmp_path / "model"), "The cat sat on the [MASK]."
    found = heads_over_time([tmp_path / "gone", folder], text, lambda _share: None)
    assert list(found) == [folder]
    checkpoint = load_checkpoint(folder)
    encoding = checkpoint.tokenizer.encode(text)
    expected = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[]).attentions
    np.testing.assert_allclose(found[folder].attentions, expected, atol=1e-6)
    assert list(found[folder].labels) == encoding.labels


def test_the_newest_snapshot_is_asked_for_first_and_each_once(room, qtbot):
    info, asked = read_run(_make_run().path), list[tuple[Question, Job]]()
    room.question_requested.connect(lambda question: asked.append((question, question.job)))
    with qtbot.waitExposed(room):
        room.show()
    room.state.set_runs([info])
    room.state.show_run(info)
    room.heads.show_text(ASKED[0][1])
    room.state.set_snapshots([(step, Path(f"snapshot-{step}")) for step in STEPS])
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


def test_a_click_on_a_head_opens_attend_at_that_head(window):
    run = finished_demo()
    room = opened_at(window, run)
    wait_until(lambda: room.heads.now.isVisible())
    for head in ((0, 1), (1, 0)):  # the model has to be opened first; it is open already
        room.heads.head_chosen.emit(*head)
        wait_until(lambda: not window.services.open_model.is_opening)
        settle(window)
        assert window.room_key == "attend" and window.state.model.folder.parent.parent == run
        assert (window.state.layer, window.state.head) == head


@pytest.mark.slow  # trains for half a minute on an idle core
def test_a_class_sees_its_sentence_turn_right(window):
    """The ten-second demo in the real window, from the button to the room Attend."""
    room = window.open_room("train")
    page, problem = room.view.questions, room.runs_card._problem
    room.demos.buttons[1].click()
    wait_until(lambda: not page.ending.isHidden() or bool(problem.text()))
    assert problem.text() == "" and page.ending_label.text().startswith("Done")
    assert page._scores[0].right < 0.2 * 60 and page._scores[-1].right > 0.95 * 60
    wait_until(lambda: room.heads.now.isVisible())
    page.room_buttons["attend"].click()
    wait_until(lambda: window.state.model is not None and window.state.model.layers == 1)
    settle(window)
    assert window.state.text_a == page.question.text


# --- a changed world


def _world_run(name, world, state="done", wrong=()):
    """It says the right words of its world to all questions but those at these places."""
    questions = world.questions()
    lines = [{"category": each.category, "text": each.text, "answers": each.answers} for each in questions]
    data = DataOptions(questions="asked.jsonl")
    run = stored_run(name, PretrainOptions(name=name, preset="tiny", data=data), state=state)
    (run.path / QUESTIONS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = [["the" if place in wrong else each.answers[0], 0.9] for place, each in enumerate(questions)]
    right = [place not in wrong for place in range(len(questions))]
    answers = {"right": sum(right), "of": 64, "is_right": right, "guesses": [[word, ["a", 0.1]] for word in said]}
    run.append_metric({"kind": "held_out", "step": 600, "loss": 1.0, "mlm_loss": 0.6, "questions": answers})
    return run


def test_a_word_of_the_world_is_changed_and_trained(room, service, orders, qtbot):
    look_at(room, _world_run("unchanged", World()))
    page = room.view.questions
    assert page.change.isVisibleTo(room) and not page.row.isVisibleTo(room)
    page.change.click()
    assert page.row.isVisibleTo(room) and not page.row.train.isEnabled()
    page.board.chosen.emit(56)  # whom Anna asked
    page.row.field.clear()
    qtbot.keyClicks(page.row.field, "uncle")
    assert "mother → uncle" in page.row.note.text()
    at_work = replace(service.runs[0], path=Path("at work"), status=RunStatus("running"))
    service.set_runs([*service.runs, at_work])
    assert not page.row.train.isEnabled() and "two at once" in page.row.train.toolTip()
    service.set_runs(service.runs[:-1])
    page.row.train.click()
    options = orders[-1].options
    text, questions = Path(options.data.corpus[0]).read_text(), read_cloze(Path(options.data.questions))
    assert "Anna asked her uncle for help." in text and "mother" not in text
    assert questions[56].answers == ("uncle",) and options.name == "Class demo: mother → uncle"
    recipe = PretrainOptions.from_file(assets() / "recipes" / "class-demo.json")
    assert options.training == recipe.training, "the same time"
    page.row.field.clear()
    qtbot.keyClicks(page.row.field, "my uncle")
    assert "cannot be learned" in page.row.note.text() and not page.row.train.isEnabled()


def test_a_changed_world_is_kept_in_a_file_and_opened_again(room, service, tmp_path):
    look_at(room, _world_run("unchanged", World()))
    row, world = room.view.questions.row, World().with_word("cat", "owl")
    world.save(tmp_path / "owl.json")
    (tmp_path / "empty.json").write_text("")
    row.open(tmp_path / "empty.json")
    assert "is not valid JSON" in row.note.text() and row.world == World()
    row.open(tmp_path / "owl.json")
    assert row.world == world and row.train.isEnabled() and "cat → owl" in row.note.text()
    row.save(tmp_path / "again.json")
    assert World.load(tmp_path / "again.json") == world
    row.show_fact(0)
    assert row.field.text() == "owl"


def test_two_worlds_stand_side_by_side_on_the_board(room, service):
    _world_run("unchanged", World())
    other = _world_run("another", World().with_word("dog", "fox"))
    world = World().with_word("mother", "uncle").with_word("cat", "owl")
    look_at(room, _world_run("changed", world, wrong=(0, 10)))
    page = room.view.questions
    assert page.beside.currentText() == "unchanged"
    differ = [place for place, pair in enumerate(page.board.words) if len(set(pair)) > 1]
    assert differ == [0, 10, 56] and page.board.words[56] == ("uncle", "mother")
    assert page.flips.text().endswith("mother → uncle") and page.flips.text().startswith("3 of 64 boxes")
    assert not page.plot.isVisibleTo(room)
    page.beside.setCurrentIndex(page.beside.findText("another"))
    page.beside.activated.emit(page.beside.currentIndex())
    assert page.board.words[1] == ("dog", "fox") and page.flips.text().startswith("4 of 64")
    page.beside.setCurrentIndex(0)
    page.beside.activated.emit(0)
    assert page.board.words == () and page.plot.isVisibleTo(room) and not page.flips.isVisibleTo(room)
    (other.path / QUESTIONS).write_text("{}")  # damaged: it is no longer offered
    look_at(room, _world_run("unchanged 2", World()))
    assert page.beside.currentIndex() == 0 and page.beside.findText("another") < 0


def test_the_board_keeps_its_place_while_a_run_with_questions_ends(room, service, qtbot):
    run = _world_run("at work", World(), state="running")
    room.resize(1300, 760)
    with qtbot.waitExposed(room):
        room.show()
    parts = (room.view.questions.plot, room.view.questions.ending, room.view.questions._guesses, room.view)
    with run.acquire():
        run.write_status(state="running", step=600)
        look_at(room, run)
        room.grab()
        before = [part.height() for part in parts]
        assert "At work" in room.view.questions.ending_label.text()
    run.write_status(state="done", step=600, elapsed_s=15.0)
    service.refresh()
    service._poll_selected()
    room.grab()
    assert room.view.questions.ending_label.text().startswith("Done")
    assert [part.height() for part in parts] == before
