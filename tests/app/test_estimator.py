"""What is found out about a run before it starts, by a process of its own, and how it is shown."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess

from app.rooms.train.form.data_card import DataCard
from app.runs.estimator import RunEstimator
from app.runs.process import RunCommand
from bertcore.locations import assets, built_in_checkpoint
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.data_facts import Cost, Fault, Lengths, RunEstimate, TaskFacts, task_facts, text_facts
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions
from tests.app.conftest import wait_until

COSTS = {"preparing": Cost(4, 3), "training": Cost(60, 50), "measuring": Cost(2, 2), "saving": Cost(1, 1)}
SIZES = {"steps": 150, "epochs": 3.0, "memory_mib": 500.0, "gpu_memory_mib": None, "parameters": 868_295}
MACHINE = {"device": "CPU", "precision": "bf16", "threads": 1, "load": 0.1, "is_sampled": False}
ESTIMATE = RunEstimate(**COSTS, **SIZES, **MACHINE, vocab_size=2_885)
FAULT = Fault("mine.tsv, line 4: expected 2 columns.", 4, ())


def _table(tmp_path, rows):
    file = tmp_path / "mine.tsv"
    file.write_text("text\tlabel\n" + rows)
    return file


def _command(file):
    return RunCommand(FinetuneOptions(data=TaskDataOptions(task="classify", train=str(file))).with_changes(steps=2))


@pytest.fixture
def estimator(service):
    return service.estimator


def test_the_data_is_told_before_the_estimate(estimator, tmp_path, qtbot):
    file = _table(tmp_path, "One cat.\ta\nTwo cats.\tb\n" * 10)
    with qtbot.waitSignal(estimator.described) as described:
        estimator.ask(_command(file))
    assert (described.args[0].train, described.args[0].held_out) == (18, 2)
    assert estimator.is_running
    estimator.stop()
    assert not estimator.is_running


def test_a_fault_ends_it(estimator, tmp_path, qtbot):
    file = _table(tmp_path, "One.\ta\nTwo.\tb\nThree, without a label.\n")
    with qtbot.assertNotEmitted(estimator.failed), qtbot.waitSignal(estimator.described) as described:
        estimator.ask(_command(file))
        wait_until(lambda: not estimator.is_running)
    assert described.args[0].line == 4
    with qtbot.waitSignal(estimator.described) as again:
        estimator.ask(_command(file))
    assert again.args == described.args
    file.write_text("text\tlabel\nOne.\ta\nTwo.\tb\n" + "Three.\ta\n" * 30)  # repaired, and chosen again
    with qtbot.waitSignal(estimator.described) as repaired:
        estimator.ask(_command(file))
    assert isinstance(repaired.args[0], TaskFacts)


def test_only_the_last_question_is_answered(estimator, tmp_path):
    """While somebody types, no process starts; the one of before is ended."""
    file = _table(tmp_path, "One cat.\ta\nTwo cats.\tb\n" * 10)
    answers = []
    estimator.described.connect(answers.append)

    def ask(length):
        estimator.ask(RunCommand(_command(file).options.with_changes(max_length=length)))

    ask(8)
    estimator._pause.timeout.emit()  # nobody has typed for a while: its process starts
    assert len(estimator.findChildren(QProcess)) == 1
    for length in (16, 32, 64):
        ask(length)
        assert len(estimator.findChildren(QProcess)) == 1
    wait_until(lambda: bool(answers))
    assert [facts.lengths.cut_at for facts in answers if isinstance(facts, TaskFacts)] == [64]


@pytest.fixture
def card(qtbot):
    made = DataCard(RunEstimator())
    qtbot.addWidget(made)
    return made


@pytest.fixture(scope="module")
def facts():
    data = TaskDataOptions(task="sst2", train=str(assets() / "tasks" / "sentiment"), max_length=12)
    return task_facts(FinetuneOptions(data=data), Tokenizer.from_folder(built_in_checkpoint()))


def test_a_task_and_its_estimate(card, facts):
    card.show_described(facts)
    assert f"{facts.lengths.longer} of 64 are longer than 12 tokens and will be cut" in card.lengths_words.text()
    assert card.numbers["train"].text == "64" and "The soup was hot" in card.rows.text()
    assert [bar.number for bar in card.labels.bars] == ["32", "32"]
    assert "sentence" in card.layout_words.text() and "dev.tsv" in card.layout_words.text()
    card.show_estimate(ESTIMATE)
    numbers = {name: number.text for name, number in card.numbers.items()}
    assert numbers == numbers | {"parameters": "868\u2009k", "time": "67\u2009s", "memory": "524\u2009MB"}
    assert "150 steps" in card.time.text() and "busy" in card.time.text()
    card.show_estimate(replace(ESTIMATE, load=0.9))
    assert "busy right now" in card.time.text()


def test_text_and_its_tokens(card, tmp_path):
    file = tmp_path / "story.txt"
    file.write_text("A cat sat. It was glad.\n\n" * 20)
    card.show_described(text_facts(DataOptions(corpus=(str(file),))))
    assert "20 documents" in card.layout_words.text() and not card.lengths.isVisibleTo(card)
    card.show_estimate(replace(ESTIMATE, tokens=(12_345, 678), lengths=Lengths((3, 4), 32, 64, 0, 7, 40)))
    assert card.numbers["train"].text == "12.3\u2009k" and card.lengths.isVisibleTo(card)


def test_a_fault_is_shown_at_its_line(card, facts):
    lines = (1, "text\tlabel"), (3, "Two <b>\tgood"), (4, "Three")
    card.show_described(replace(FAULT, lines=lines))
    shown = card.fault_lines.text()
    assert "line 4" in card.fault.text() and "→" in shown and shown.count("missing") == 1
    assert "Two &lt;b&gt;</span>" in shown and ">good</span>" in shown and not card.rows.isVisibleTo(card)
    card.show_described(facts)
    assert card.fault.isHidden() and card.fault_box.isHidden()


def test_the_room_asks_as_the_form_changes(room, monkeypatch):
    asked = []  # None: nothing is any more
    monkeypatch.setattr(room.state.estimator, "ask", asked.append)
    monkeypatch.setattr(room.state.estimator, "stop", lambda: asked.append(None))
    room.form.set_kind("classify")
    assert not asked, "nobody looks at the form"
    room.runs_card.show_form()
    room.form.length.spin_box.setValue(4.0)
    room.form.advanced.set_value("max_length", "64")
    options = asked[-1].options
    assert options.training.epochs == 4.0 and options.data.max_length == 64
    room.form.advanced.set_value("max_length", "many")
    assert asked[-1] is None and "number" in room.data.fault.text()
    asked.append(RunCommand(options))
    room.runs_card.show_list()
    assert asked[-1] is None


def test_a_fault_in_the_data_leaves_nothing_to_start_until_the_form_changes(room):
    room.runs_card.show_form()
    room.form.set_kind("classify")
    room.state.estimator.described.emit(FAULT)
    assert not room.form.start.isEnabled() and not room.form.rates.isEnabled()
    assert "Before you start" in room.form.start.toolTip()
    room.form.length.spin_box.setValue(4.0)
    assert room.form.start.isEnabled() and room.form.rates.isEnabled() and not room.form.start.toolTip()


def test_nothing_of_it_stays(own_home, tmp_path, monkeypatch, qtbot):
    """The settings that its process reads name their files by whole paths: it works in another folder."""
    _table(tmp_path, "One cat.\ta\nTwo cats.\tb\n" * 10)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.executable", str(tmp_path / "no python"))
    made = RunEstimator()
    with qtbot.waitSignal(made.failed):
        made.ask(_command(Path("mine.tsv")))
    [recipe] = (own_home / "launched").iterdir()
    assert json.loads(recipe.read_text())["data"]["train"] == str(tmp_path / "mine.tsv")
    made.close()
    assert not list((own_home / "launched").iterdir())
