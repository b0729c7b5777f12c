"""The page "The batch": what the model read at a step, of a text or a task, asked of the worker and stepped through."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

from app.compute.batches import (
    ASKED,
    HIDDEN,
    KEPT,
    NEXT_WORD,
    REPLACED,
    RIGHT,
    WRONG,
    ExampleBatchReader,
    TextBatchReader,
)
from app.look import theme
from app.rooms.train.batch.page import BatchPage
from app.rooms.train.batch.picture import BatchMap, SequenceText, token_shapes
from app.rooms.train.batch.sentences import about_examples, about_sequence, about_tags, about_token, about_weights
from app.runs.run_info import read_run
from app.runs.run_state import RunState
from app.state.verdicts import _choice
from bertcore.locations import TINY, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.drawn_batches import open_batches
from bertcore.training.drawn_examples import example_answers, open_examples
from bertcore.training.evaluate import batch_losses
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from tests.app.conftest import placed, wait_until
from tests.app.train_room import opened_at

RUN = assets() / "runs" / "class-demo"
MASKED, CAUSAL = 252, 101  # steps
SAMPLES = {  # task -> its sample file, and how many right answers a batch is compared by
    "sst2": ("sentiment", 2),
    "mnli": ("entailment", 3),
    "stsb": ("similarity", 0),
    "multilabel": ("topics", None),
    "conll2003": ("names", None),
    "squad2": ("questions", 2),
    "swag": ("endings", 4),
    "summaries": ("summaries", 2),
}


@pytest.fixture(scope="module")
def reader():
    return TextBatchReader(RUN)


@pytest.fixture(scope="module")
def masked(reader):
    return reader.read(MASKED, None, lambda share: None)


def tuned(folder, task, train, steps=2):
    """A run of the tiny model."""
    data = TaskDataOptions(task=task, train=str(train), max_length=40, max_held_out=4)
    training = TuningOptions(steps=steps, batch_size=6, threads=1, precision="fp32", evaluations=1)
    start_run(FinetuneOptions(name=task, model=TINY, data=data, training=training), folder, resume=False)
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One of each kind, made when it is asked for."""
    folder = tmp_path_factory.mktemp("runs")

    class Made(dict[str, Path]):
        def __missing__(self, task):
            self[task] = tuned(folder / task, task, assets() / "tasks" / SAMPLES[task][0])
            return self[task]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSCOPE_HOME", str(folder / "home"))
        yield Made()


@pytest.fixture
def page(qtbot):
    """The page alone. Its questions are answered at once, as by a worker that has nothing else to do."""
    made = BatchPage(RunState())
    made.resize(1100, 560)
    qtbot.addWidget(made)

    def answer(question):
        job = question.job
        try:
            result, problem = job.function(*job.arguments, lambda share: None), ""
        except Exception as error:
            result, problem = None, str(error)
        question.deliver(job, result, problem)

    made.question_requested.connect(answer)
    yield made
    made.close()


def shown(page, run=RUN, steps=(0, 100, 250, 600)):
    page._state.show_run(read_run(run))
    page._state.set_snapshots([(step, Path(str(step))) for step in steps])
    page.show()
    return page


def read_by(page, snapshot):
    """The same batch."""
    page.weights.setCurrentIndex(page.weights.findData(snapshot))
    page.weights.activated.emit(page.weights.currentIndex())
    return page.batch


def test_what_is_shown_of_a_text_is_what_the_engine_draws(masked):
    batches = open_batches(RUN)
    drawn = batches.at(MASKED)
    assert np.array_equal(masked.ids, drawn.ids) and np.array_equal(masked.fates, drawn.fates)
    assert np.array_equal(masked.documents, drawn.documents) and masked.losses.snapshot == 250
    snapshot = next(one for one in batches.run.snapshots() if one[0] == 250)
    losses = batch_losses(batches.model_at(snapshot, drawn), drawn.batch)
    assert np.allclose(masked.losses.losses, losses.losses, equal_nan=True)
    assert {masked.words[number] for number in masked.ids[0].tolist()} >= {"[CLS]", "[SEP]", "[MASK]"}


@pytest.mark.parametrize("task", SAMPLES)
def test_what_is_shown_of_a_task_is_what_the_engine_draws(task, runs, page):
    batches = open_examples(runs[task])
    drawn, model = batches.at(2), batches.model_at((1, RunFolder(runs[task]).snapshot_path(1)))
    answers = example_answers(model, drawn, batches.tokenizer.label)
    batch = shown(page, runs[task], (0, 1, 2)).batch
    assert batch.step == 2 and batch.losses.snapshot == 1
    assert np.array_equal(batch.ids, drawn.ids) and np.array_equal(batch.is_padding, drawn.is_padding)
    assert np.array_equal(batch.losses.losses, answers.losses, equal_nan=True)
    assert batch.losses.word_loss == answers.loss and np.array_equal(batch.task.cut, drawn.cut)
    places = [place for unit in answers.units for place in unit.places]
    assert {batch.fates[place.row, place.position] for place in places} <= {ASKED, RIGHT, WRONG}
    assert (np.isfinite(batch.losses.losses) == (batch.fates > 0)).all()
    for row in range(len(batch.ids)):
        page.show_row(row)
        assert page.text.words == [batch.words[n] for n in batch.ids[row, : batch.length(row)].tolist()]
        assert page.sequence_line.text().startswith("Row ")
    assert not page.chance.isHidden() and page.chance.recent.isHidden()
    shares = SAMPLES[task][1]
    if shares is not None:  # right answers of the batch against all examples
        assert len(batch.task.labels) == len(page.chance.here.bars) == shares
        sums = [sum(label.share for label in batch.task.labels), sum(label.share_of_all for label in batch.task.labels)]
        assert sums == pytest.approx([1.0 if shares else 0.0] * 2)
    page.grab()


def test_it_opens_at_the_newest_step_and_steps_by_buttons_and_keys(page, qtbot):
    asked = []
    page.question_requested.connect(asked.append)
    page._state.show_run(read_run(RUN))
    assert not asked and page.batch is None, "nobody looks"
    shown(page)
    assert page.batch.step == 600 and not page.on.isEnabled()
    page.back.click()
    assert page.batch.step == 599 and page.number.value() == 599
    page.activateWindow()
    wait_until(page.isActiveWindow)
    page.map.setFocus()
    for key, step in ((Qt.Key.Key_PageUp, 598), (Qt.Key.Key_PageDown, 599)):
        qtbot.keyClick(page.map, key)
        assert page.batch.step == step
    page.number.setValue(1)
    assert page.batch.step == 1 and not page.back.isEnabled()


def test_the_same_batch_by_another_snapshot(page, runs):
    shown(page).show_step(MASKED)
    later = page.batch
    assert later.losses.snapshot == 250
    assert "step 250" in page.weights.itemText(0) and "had learned a little more" in page.weights_line.text()
    earlier = read_by(page, 0)
    assert earlier.losses.snapshot == 0
    assert np.array_equal(earlier.ids, later.ids) and earlier.losses.word_loss > later.losses.word_loss + 1
    read_by(page, 600)
    assert "has already learned from this batch" in page.weights_line.text()
    earlier = shown(page, runs["sst2"], (0, 1, 2)).batch
    assert "exactly the weights that read this batch" in page.weights_line.text()
    later = read_by(page, 2)
    assert np.array_equal(earlier.ids, later.ids)
    assert later.losses.word_loss < earlier.losses.word_loss  # it has learned from it
    assert "already learned" in page.weights_line.text()


def test_choosing_a_sequence_and_a_token(page, runs, qtbot):
    shown(page).show_step(MASKED)
    batch = page.batch

    def truth_at(row, position):
        return batch.words[int(batch.labels[row, position])]

    worst = [int(np.nanargmax(batch.losses.losses[row])) for row in range(5)]
    assert page.truth.text() == truth_at(0, worst[0])  # what one would point at first
    qtbot.mouseClick(page.map, Qt.MouseButton.LeftButton, pos=page.map.row_rect(3).center().toPoint())
    assert page.sequence_line.text().startswith("Sequence 4 · B is a random sentence")
    assert len(page.text.words) == batch.length(3)
    qtbot.keyClick(page.map, Qt.Key.Key_Down)
    assert page.sequence_line.text().startswith("Sequence 5")
    position = int(np.flatnonzero(batch.fates[4] == HIDDEN)[0])
    page.text.hovered.emit(position)
    assert page.truth.text() == truth_at(4, position)
    right = [bar for bar in page.guesses.bars if bar.is_strong]
    assert [bar.label for bar in right] == [page.truth.text()]  # whatever its rank
    loss = float(batch.losses.losses[4, position])
    assert right[0].fraction == pytest.approx(math.exp(-loss), abs=1e-6)
    page.text.hovered.emit(None)
    assert page.truth.text() == truth_at(4, worst[4])
    batch = shown(page, runs["conll2003"], ()).batch  # of a task: bars of what could be answered
    row, position = np.argwhere(batch.fates == WRONG)[0].tolist()
    page.show_row(row)
    page.text.hovered.emit(position)
    (place,) = batch.task.places(row, position)
    assert page.truth.text() == place.right and len(page.guesses.bars) == 4
    assert [bar.label for bar in page.guesses.bars if bar.is_strong] == [place.right]
    assert page.text.tags[position] == place.right and page.text.tags[0] == ""


def test_what_was_drawn_against_what_was_ordered(page, masked):
    shown(page).show_step(MASKED)
    bars = {bar.label: (bar.fraction, bar.before) for bar in page.chance.here.bars}
    chosen = (masked.fates > 0).sum()
    assert bars["to predict"] == (chosen / (masked.documents >= 0).sum(), 0.2)
    assert bars["hidden"] == ((masked.fates == HIDDEN).sum() / chosen, 0.8)
    assert bars["B follows A"] == ((masked.pair_labels == 0).mean(), 0.5)
    assert "20" in page.chance.note.text() and len(page.chance.recent.bars) == 5
    page.show_step(CAUSAL)
    assert page.batch.causal and (page.batch.fates != HIDDEN).all()
    assert page.chance.here.isHidden() and "each token predicts the next one" in page.chance.intro.text()


def test_words_for_every_kind_of_token_and_pair(masked, reader):
    for fate, words in ((HIDDEN, "The model read [MASK]"), (REPLACED, "a random word"), (KEPT, "unchanged")):
        row, position = np.argwhere(masked.fates == fate)[0]
        assert words in about_token(masked, int(row), int(position))
    assert about_token(masked, 0, 0).startswith("a special token")
    rows = masked.pair_labels.tolist()
    assert " · B really follows A (document " in about_sequence(masked, rows.index(0))
    assert " · B is a random sentence (A from document" in about_sequence(masked, rows.index(1))
    causal = reader.read(CAUSAL, None, lambda share: None)
    assert (causal.fates[0, :-1] == NEXT_WORD).all() and "comes after “[CLS]”" in about_token(causal, 0, 0)
    assert "exactly the weights that read this batch" in about_weights(causal)


def test_words_of_each_kind_of_task(runs):
    batches = {task: ExampleBatchReader(runs[task]).read(2, None, lambda share: None) for task in SAMPLES}
    units, lines, tokens = {}, {}, {}
    for task, batch in batches.items():
        row, position = np.argwhere(batch.fates > 0)[0].tolist()
        units[task] = batch.task.units[row] if task != "swag" else batch.task.unit(row)
        lines[task], tokens[task] = about_sequence(batch, row), about_token(batch, row, position)
    unit, line = units["sst2"], lines["sst2"]
    assert f"right: {unit.right}" in line and f"the model: {unit.given}" in line and ("✓" in line) == unit.is_right
    assert "for the whole text, predicted from [CLS]" in tokens["sst2"] and "Loss" in tokens["sst2"]
    assert "predicts nothing here" in about_token(batches["sst2"], 0, 1)
    assert f"right: {units['stsb'].right:.2f}" in lines["stsb"] and "✓" not in lines["stsb"]
    assert "Squared error" in tokens["stsb"] and "mean squared error" in about_weights(batches["stsb"])
    right = sum(place.is_right for place in units["conll2003"].places)
    assert f"{right} of {len(units['conll2003'].places)} words right" in lines["conll2003"]
    assert "is the right tag here" in tokens["conll2003"]
    assert f"right: ending {units['swag'].right}" in lines["swag"]
    unit = units["squad2"]
    assert ("no answer in this window" in lines["squad2"]) == ("" in (unit.right, unit.given))
    assert "answer" in tokens["squad2"].lower()
    assert "sentences right" in lines["summaries"] and "sentence after this [CLS]" in tokens["summaries"]
    assert "per label" in tokens["multilabel"]
    batch = batches["sst2"]
    right = [unit.right for unit in batch.task.units]
    counts = {label.name: label.count for label in batch.task.labels}
    assert counts == {name: right.count(name) for name in ("negative", "positive")}
    assert f"{len(right)} of " in about_examples(batch, batch.task) and "epoch 1." in about_examples(batch, batch.task)
    words = about_tags(["O", "B-PER", "I-PER", "B-LOC"])
    assert "PER: person, LOC: place." in words and "ORG" not in words and "B-: a name begins" in words
    assert about_tags(["O", "B-NP", "I-NP"]) == "" and about_tags(["NN", "VB"]) == ""


def test_the_verdict_on_a_pair_is_that_of_the_room_predict(masked):
    row = masked.pair_labels.tolist().index(0)
    unsure = "58% (unsure: between 35% and 65%)"
    for share, words in ((0.58, unsure), (0.91, "91% (yes) ✓"), (0.04, "4% (no) ✗")):
        second = np.where(np.arange(len(masked.ids)) == row, 1 - share, np.nan)
        judged = replace(masked, losses=replace(masked.losses, second=second))
        assert about_sequence(judged, row).endswith(f"the model: B follows A {words}")
        verdict = _choice("B follows A", share, "")
        assert verdict.short.rstrip(")") in words and verdict.explanation.strip(" .U") in words


def test_a_text_that_does_not_ship_and_a_file_that_is_gone_are_named(page, tmp_path):
    shown(page, assets() / "runs" / TINY)
    assert page.batch is None and "does not ship with BERTscope" in page.progress.text
    assert not page.progress.isHidden() and page.text.isHidden()
    table = tmp_path / "own.tsv"
    table.write_text("sentence\tlabel\n" + "".join(f"this is {i}\t{i % 2}\n" for i in range(30)))
    run = tuned(tmp_path / "run", "sst2", table, steps=1)
    table.unlink()
    shown(page, run, ())
    assert page.batch is None and "own.tsv" in page.progress.text


def test_the_three_fates_differ_by_shape():
    """Also without colour: filled, dashed and outlined are three pictures in grey."""

    def grey(fate):
        image = QImage(QSize(80, 30), QImage.Format.Format_RGB32)
        image.fill(theme.color("card"))
        painter = theme.painter(image)
        for shape in token_shapes(image.rect().toRectF(), "", fate, "segment_a"):
            shape.paint(painter)
        painter.end()
        made = image.convertToFormat(QImage.Format.Format_Grayscale8)
        return np.array([[made.pixelColor(x, y).lightness() for x in range(80)] for y in range(30)], dtype=float)

    hidden, replaced, kept = grey(HIDDEN), grey(REPLACED), grey(KEPT)
    assert hidden[15, 40] < 128 < replaced[15, 40]  # filled, or not
    edges = [(image[1] < 150).mean() for image in (replaced, kept)]
    assert 0.2 < edges[0] < 0.85 * edges[1]  # dashes, or a whole line


def test_many_long_sequences_fit(qtbot, masked):
    """A large batch: every sequence has its line, and its tokens wrap."""
    names = ("ids", "labels", "fates", "segments", "documents", "is_padding")
    many = replace(masked, **{name: np.tile(getattr(masked, name), (8, 4)) for name in names}, losses=None)
    overview, text = placed(BatchMap(), qtbot, 150, 600), placed(SequenceText(), qtbot, 400, 300)
    overview.show_batch(many)
    assert overview.cell_at(overview.row_rect(255).center()) == 255
    text.show_sequence(many, 200)
    assert len(text.boxes) == many.length(200) > 100
    assert max(box.right() for box in text.boxes) <= text.width()
    overview.grab()
    text.grab()
    assert text.cell_at(text.boxes[7].center()) == 7


def test_in_the_room(window, qtbot, runs):
    room = opened_at(window, RUN)
    view, page = room.view, room.view.batch
    view.buttons[view.batch].click()
    assert view.shows_batch and room._watch_fold.isHidden() and view.buttons[view.batch].isChecked()
    wait_until(lambda: page.batch is not None)
    view.buttons[view.curves].click()
    assert not view.shows_batch and not room._watch_fold.isHidden()
    window.services.runs.select(runs["mnli"])
    assert view.buttons[view.batch].isEnabled()
    view.buttons[view.batch].click()
    wait_until(lambda: page.shows(2))
    qtbot.mouseClick(page.map, Qt.MouseButton.LeftButton, pos=page.map.row_rect(1).center().toPoint())
    assert set(page.batch.segments[1, : page.batch.length(1)].tolist()) == {0, 1}  # a pair
    page.back.click()
    wait_until(lambda: page.shows(1))
