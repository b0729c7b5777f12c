"""The page "The batch" of a fine-tuning run: examples, right answers and a snapshot's, at each token that is asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.compute.batches import ASKED, RIGHT, WRONG, ExampleBatchReader, ShownBatch
from app.rooms.train.batch.page import BatchPage
from app.rooms.train.batch.sentences import about_examples, about_sequence, about_tags, about_token, about_weights
from app.rooms.train.room import TrainRoom
from app.runs.run_info import read_run
from app.shell.window import Window
from bertcore.locations import TINY, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.drawn_examples import example_answers, open_examples
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from tests.app.batch_page import page
from tests.app.conftest import TIMEOUT_MS

__all__ = ["page"]  # a fixture

SAMPLES = {  # task -> its sample file
    "sst2": "sentiment",
    "mnli": "entailment",
    "stsb": "similarity",
    "multilabel": "topics",
    "conll2003": "names",
    "squad2": "questions",
    "swag": "endings",
    "summaries": "summaries",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """One of each kind, made when it is asked for: two steps of the tiny model."""
    folder = tmp_path_factory.mktemp("runs")

    class Made(dict[str, Path]):
        def __missing__(self, task: str) -> Path:
            options = FinetuneOptions(
                name=task,
                model=TINY,
                data=TaskDataOptions(
                    task=task, train=str(assets() / "tasks" / SAMPLES[task]), max_length=40, max_held_out=4
                ),
                training=TuningOptions(steps=2, batch_size=6, threads=1, precision="fp32", evaluations=1),
            )
            self[task] = folder / task
            start_run(options, self[task], resume=False)
            return self[task]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSCOPE_HOME", str(folder / "home"))
        yield Made()


def _read(run: Path, step: int = 2) -> ShownBatch:
    return ExampleBatchReader(run).read(step, None, lambda share: None)


@pytest.mark.parametrize("task", SAMPLES)
def test_what_is_shown_is_what_the_engine_draws(task: str, runs: dict[str, Path], page: BatchPage) -> None:
    batches = open_examples(runs[task])
    drawn = batches.at(2)
    snapshot = (1, RunFolder(runs[task]).snapshot_path(1))
    answers = example_answers(batches.model_at(snapshot), drawn, batches.tokenizer.label)
    page._state.show_run(read_run(runs[task]))
    page._state.set_snapshots([(step, Path(str(step))) for step in (0, 1, 2)])
    page.show()
    shown = page.batch
    assert shown is not None and shown.task is not None and shown.losses is not None and shown.step == 2
    assert np.array_equal(shown.ids, drawn.ids) and np.array_equal(shown.is_padding, drawn.is_padding)
    assert np.array_equal(shown.losses.losses, answers.losses, equal_nan=True) and shown.losses.snapshot == 1
    assert shown.losses.word_loss == answers.loss and np.array_equal(shown.task.cut, drawn.cut)
    for unit in answers.units:
        for place in unit.places:
            assert shown.fates[place.row, place.position] in (ASKED, RIGHT, WRONG)
    assert (np.isfinite(shown.losses.losses) == (shown.fates > 0)).all()
    for row in range(len(shown.ids)):
        page.show_row(row)
        assert page.text.words == [shown.words[n] for n in shown.ids[row, : shown.length(row)].tolist()]
        assert page.sequence_line.text().startswith("Row ")
    assert not page.chance.isHidden() and page.chance.recent.isHidden()
    page.grab()


def test_the_same_batch_by_another_snapshot(runs: dict[str, Path], page: BatchPage) -> None:
    page._state.show_run(read_run(runs["sst2"]))
    page._state.set_snapshots([(step, Path(str(step))) for step in (0, 1, 2)])
    page.show()
    before = page.batch
    assert before is not None and "exactly the weights that read this batch" in page.weights_line.text()
    page.weights.setCurrentIndex(page.weights.findData(2))
    page.weights.activated.emit(page.weights.currentIndex())
    after = page.batch
    assert after is not None and np.array_equal(before.ids, after.ids)
    assert after.losses is not None and before.losses is not None
    assert after.losses.word_loss < before.losses.word_loss  # it has learned from it
    assert "already learned" in page.weights_line.text()


def test_words_of_each_kind(runs: dict[str, Path]) -> None:
    def words(task: str) -> tuple[ShownBatch, Any, str, str]:
        batch = _read(runs[task])
        row, position = np.argwhere(batch.fates > 0)[0].tolist()
        assert batch.task is not None
        return (
            batch,
            batch.task.units[row] if task != "swag" else batch.task.unit(row),
            about_sequence(batch, row),
            about_token(batch, row, position),
        )

    batch, unit, line, token = words("sst2")
    assert f"right: {unit.right}" in line and f"the model: {unit.given}" in line and ("✓" in line) == unit.is_right
    assert "for the whole text, predicted from [CLS]" in token and "Loss" in token
    assert "predicts nothing here" in about_token(batch, 0, 1)
    _, unit, line, token = words("stsb")
    assert f"right: {unit.right:.2f}" in line and "✓" not in line and "Squared error" in token
    assert "mean squared error" in about_weights(_read(runs["stsb"]))
    _, unit, line, token = words("conll2003")
    right = sum(place.is_right for place in unit.places)
    assert f"{right} of {len(unit.places)} words right" in line and "is the right tag here" in token
    _, unit, line, token = words("swag")
    assert "ending" in line and f"right: ending {unit.right}" in line
    _, unit, line, token = words("squad2")
    assert ("no answer in this window" in line) == ("" in (unit.right, unit.given))
    assert "answer" in token.lower()
    _, unit, line, token = words("summaries")
    assert "sentences right" in line and "sentence after this [CLS]" in token
    _, unit, line, token = words("multilabel")
    assert "nats per label" in token


def test_right_answers_of_the_batch_against_all_examples(runs: dict[str, Path], page: BatchPage) -> None:
    for task, shares in (("sst2", 2), ("mnli", 3), ("swag", 4), ("squad2", 2), ("summaries", 2), ("stsb", 0)):
        batch = _read(runs[task])
        assert batch.task is not None and len(batch.task.labels) == shares
        if shares:
            assert sum(label.share for label in batch.task.labels) == pytest.approx(1)
            assert sum(label.share_of_all for label in batch.task.labels) == pytest.approx(1)
        page.chance.show_batch(batch)
        assert len(page.chance.here.bars) == shares
    batch = _read(runs["sst2"])
    assert batch.task is not None
    right = [unit.right for unit in batch.task.units]
    assert {label.name: label.count for label in batch.task.labels} == {
        name: right.count(name) for name in ("negative", "positive")
    }
    assert f"{len(right)} of " in about_examples(batch, batch.task) and "epoch 1." in about_examples(batch, batch.task)


def test_bars_of_what_could_be_answered_with_the_right_one(runs: dict[str, Path], page: BatchPage) -> None:
    page._state.show_run(read_run(runs["conll2003"]))
    page.show()
    batch = page.batch
    assert batch is not None and batch.task is not None
    row, position = np.argwhere(batch.fates == WRONG)[0].tolist()
    page.show_row(row)
    page.text.hovered.emit(position)
    (place,) = batch.task.places(row, position)
    assert page.truth.text() == place.right and len(page.guesses.bars) == 4
    strong = [bar for bar in page.guesses.bars if bar.is_strong]
    assert [bar.label for bar in strong] == [place.right]
    assert page.text.tags[position] == place.right and page.text.tags[0] == ""


def test_in_the_room(window: Window, qtbot: QtBot, runs: dict[str, Path]) -> None:
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    window.services.runs.select(runs["mnli"])
    assert room.view.buttons[room.view.batch].isEnabled()
    room.view.buttons[room.view.batch].click()
    page = room.view.batch
    qtbot.waitUntil(lambda: page.shows(2), timeout=TIMEOUT_MS)
    at = page.map.row_rect(1).center().toPoint()
    qtbot.mouseClick(page.map, Qt.MouseButton.LeftButton, pos=at)
    batch = page.batch
    assert batch is not None and set(batch.segments[1, : batch.length(1)].tolist()) == {0, 1}  # a pair
    page.back.click()
    qtbot.waitUntil(lambda: page.shows(1), timeout=TIMEOUT_MS)


def test_a_file_that_is_gone_is_named(runs: dict[str, Path], page: BatchPage, tmp_path: Path) -> None:
    table = tmp_path / "own.tsv"
    table.write_text("sentence\tlabel\n" + "".join(f"this is {i}\t{i % 2}\n" for i in range(30)))
    options = FinetuneOptions(
        name="own",
        model=TINY,
        data=TaskDataOptions(task="sst2", train=str(table)),
        training=TuningOptions(steps=1, batch_size=4, threads=1, precision="fp32", evaluations=1),
    )
    start_run(options, tmp_path / "run", resume=False)
    table.unlink()
    page._state.show_run(read_run(tmp_path / "run"))
    page.show()
    assert page.batch is None and "own.tsv" in page.progress.text


def test_tags_of_names_are_explained_and_others_are_not() -> None:
    told = about_tags(["O", "B-PER", "I-PER", "B-LOC"])
    assert "PER: person, LOC: place." in told and "ORG" not in told and "B-: a name begins" in told
    assert about_tags(["O", "B-NP", "I-NP"]) == "" and about_tags(["NN", "VB"]) == ""
