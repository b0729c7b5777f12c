"""The page "The batch": what the model read at a step, asked of the worker, and stepped through."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.compute.batches import HIDDEN, KEPT, NEXT_WORD, REPLACED, ShownBatch, TextBatchReader
from app.compute.question import Question
from app.look import theme
from app.rooms.train.batch.page import BatchPage
from app.rooms.train.batch.picture import BatchMap, SequenceText, token_shapes
from app.rooms.train.batch.sentences import about_sequence, about_token, about_weights
from app.rooms.train.list.card import finished_demo
from app.rooms.train.room import TrainRoom
from app.runs.run_info import read_run
from app.shell.window import Window
from app.state.verdicts import _choice
from bertcore.locations import TINY, assets
from bertcore.training.drawn_batches import open_batches
from bertcore.training.evaluate import batch_losses
from tests.app.batch_page import page
from tests.app.conftest import TIMEOUT_MS

__all__ = ["page"]  # a fixture

RUN = assets() / "runs" / "class-demo"
MASKED, CAUSAL = 252, 101  # steps


@pytest.fixture(scope="module")
def reader() -> TextBatchReader:
    return TextBatchReader(RUN)


@pytest.fixture(scope="module")
def masked(reader: TextBatchReader) -> ShownBatch:
    return reader.read(MASKED, None, lambda share: None)


def _shown(page: BatchPage, run: Path = RUN) -> BatchPage:
    page._state.show_run(read_run(run))
    page._state.set_snapshots([(step, Path(str(step))) for step in (0, 100, 250, 600)])
    page.show()
    return page


def test_what_is_shown_is_what_the_engine_draws(masked: ShownBatch) -> None:
    batches = open_batches(RUN)
    drawn = batches.at(MASKED)
    assert np.array_equal(masked.ids, drawn.ids) and np.array_equal(masked.fates, drawn.fates)
    assert np.array_equal(masked.documents, drawn.documents)
    assert masked.losses is not None and masked.losses.snapshot == 250
    snapshot = next(one for one in batches.run.snapshots() if one[0] == 250)
    losses = batch_losses(batches.model_at(snapshot, drawn), drawn.batch)
    assert np.allclose(masked.losses.losses, losses.losses, equal_nan=True)
    assert {masked.words[number] for number in masked.ids[0].tolist()} >= {"[CLS]", "[SEP]", "[MASK]"}


def test_nothing_is_asked_while_nobody_looks(page: BatchPage) -> None:
    asked: list[Question] = []
    page.question_requested.connect(asked.append)
    page._state.show_run(read_run(RUN))
    page.show_step(5)
    assert not asked and page.batch is None
    page.show()
    assert page.batch is not None and page.batch.step == 5


def test_it_opens_at_the_newest_step_and_steps_by_buttons_and_keys(page: BatchPage, qtbot: QtBot) -> None:
    _shown(page)
    assert page.batch is not None and page.batch.step == 600 and not page.on.isEnabled()
    page.back.click()
    assert page.batch.step == 599 and page.number.value() == 599
    with qtbot.waitActive(page):
        page.activateWindow()
    page.map.setFocus()
    qtbot.keyClick(page.map, Qt.Key.Key_PageUp)
    assert page.batch.step == 598
    qtbot.keyClick(page.map, Qt.Key.Key_PageDown)
    assert page.batch.step == 599
    page.number.setValue(1)
    assert page.batch.step == 1 and not page.back.isEnabled()


def test_the_same_batch_by_an_earlier_snapshot(page: BatchPage) -> None:
    _shown(page).show_step(MASKED)
    before = page.batch
    assert before is not None and before.losses is not None and before.losses.snapshot == 250
    assert "step 250" in page.weights.itemText(0) and "had learned a little more" in page.weights_line.text()
    page.weights.setCurrentIndex(page.weights.findData(0))
    page.weights.activated.emit(page.weights.currentIndex())
    after = page.batch
    assert after is not None and after.losses is not None and after.losses.snapshot == 0
    assert np.array_equal(after.ids, before.ids) and after.losses.word_loss > before.losses.word_loss + 1
    page.weights.setCurrentIndex(page.weights.findData(600))
    page.weights.activated.emit(page.weights.currentIndex())
    assert "has already learned from this batch" in page.weights_line.text()


def test_choosing_a_sequence_and_a_token(page: BatchPage, qtbot: QtBot) -> None:
    _shown(page).show_step(MASKED)
    batch = page.batch
    assert batch is not None and batch.losses is not None
    worst = int(np.nanargmax(batch.losses.losses[0]))
    assert page.truth.text() == batch.words[int(batch.labels[0, worst])]  # what one would point at first
    at = page.map.row_rect(3).center().toPoint()
    qtbot.mouseClick(page.map, Qt.MouseButton.LeftButton, pos=at)
    assert page.sequence_line.text().startswith("Sequence 4 · B is a random sentence") and len(
        page.text.words
    ) == batch.length(3)
    qtbot.keyClick(page.map, Qt.Key.Key_Down)
    assert page.sequence_line.text().startswith("Sequence 5")
    position = int(np.flatnonzero(batch.fates[4] == HIDDEN)[0])
    page.text.hovered.emit(position)
    assert page.truth.text() == batch.words[int(batch.labels[4, position])]
    right = [bar for bar in page.guesses.bars if bar.is_strong]
    assert [bar.label for bar in right] == [page.truth.text()]  # whatever its rank
    loss = float(batch.losses.losses[4, position])
    assert right[0].fraction == pytest.approx(math.exp(-loss), abs=1e-6)
    page.text.hovered.emit(None)
    worst = int(np.nanargmax(batch.losses.losses[4]))
    assert page.truth.text() == batch.words[int(batch.labels[4, worst])]


def test_what_was_drawn_against_what_was_ordered(page: BatchPage, masked: ShownBatch) -> None:
    _shown(page).show_step(MASKED)
    bars = {bar.label: bar for bar in page.chance.here.bars}
    chosen = (masked.fates > 0).sum()
    assert bars["to predict"].fraction == chosen / (masked.documents >= 0).sum() and bars["to predict"].before == 0.2
    assert bars["hidden"].fraction == (masked.fates == HIDDEN).sum() / chosen and bars["hidden"].before == 0.8
    assert bars["B follows A"].fraction == (masked.pair_labels == 0).mean() and bars["B follows A"].before == 0.5
    assert "20" in page.chance.note.text() and len(page.chance.recent.bars) == 5
    page.show_step(CAUSAL)
    assert page.batch is not None and page.batch.causal and (page.batch.fates != HIDDEN).all()
    assert page.chance.here.isHidden() and "each token predicts the next one" in page.chance.intro.text()


def test_words_for_every_kind_of_token_and_pair(masked: ShownBatch, reader: TextBatchReader) -> None:
    def said(fate: int) -> str:
        row, position = np.argwhere(masked.fates == fate)[0]
        return about_token(masked, int(row), int(position))

    assert "The model read [MASK]" in said(HIDDEN) and "a random word" in said(REPLACED) and "unchanged" in said(KEPT)
    assert about_token(masked, 0, 0).startswith("a special token")
    rows = masked.pair_labels.tolist()
    assert " · B really follows A (document " in about_sequence(masked, rows.index(0))
    assert " · B is a random sentence (A from document" in about_sequence(masked, rows.index(1))
    causal = reader.read(CAUSAL, None, lambda share: None)
    assert (causal.fates[0, :-1] == NEXT_WORD).all() and "comes after “[CLS]”" in about_token(causal, 0, 0)
    assert "exactly the weights that read this batch" in about_weights(causal)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.58, "the model: B follows A 58% (unsure: between 35% and 65%)"),
        (0.91, "the model: B follows A 91% (yes) ✓"),
        (0.04, "the model: B follows A 4% (no) ✗"),
    ],
)
def test_the_verdict_on_a_pair_is_that_of_the_room_predict(masked: ShownBatch, share: float, said: str) -> None:
    assert masked.losses is not None
    row = masked.pair_labels.tolist().index(0)
    second = np.where(np.arange(len(masked.ids)) == row, 1 - share, np.nan)
    shown = replace(masked, losses=replace(masked.losses, second=second))
    assert about_sequence(shown, row).endswith(said)
    verdict = _choice("B follows A", share, "")
    assert verdict.short.rstrip(")") in said and verdict.explanation.strip(" .U") in said


def test_the_three_fates_differ_by_shape(qtbot: QtBot) -> None:
    """Also without colour: filled, dashed and outlined are three pictures in grey."""

    def grey(fate: int) -> np.ndarray:
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


def test_a_run_whose_text_does_not_ship_says_so(page: BatchPage) -> None:
    _shown(page, assets() / "runs" / TINY)
    assert page.batch is None and "does not ship with BERTscope" in page.progress.text
    assert not page.progress.isHidden() and page.text.isHidden()


def test_in_the_room_it_takes_the_place_beside_it(window: Window, qtbot: QtBot) -> None:
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    demo = finished_demo()
    assert demo is not None
    window.services.runs.select(demo)
    room.view.buttons[room.view.batch].click()
    assert room.view.shows_batch and room._watch_fold.isHidden() and room.view.buttons[room.view.batch].isChecked()
    qtbot.waitUntil(lambda: room.view.batch.batch is not None, timeout=TIMEOUT_MS)
    room.view.buttons[room.view.curves].click()
    assert not room.view.shows_batch and not room._watch_fold.isHidden()


def test_many_long_sequences_fit(qtbot: QtBot, masked: ShownBatch) -> None:
    """A large batch: every sequence has its line, and its tokens wrap."""

    wide = {
        name: np.tile(getattr(masked, name), (8, 4)) for name in ("ids", "labels", "fates", "segments", "documents")
    }
    many = replace(masked, **wide, is_padding=np.tile(masked.is_padding, (8, 4)), losses=None)
    overview, text = BatchMap(), SequenceText()
    for widget in (overview, text):
        qtbot.addWidget(widget)
    overview.resize(150, 600)
    overview.show_batch(many)
    assert overview.cell_at(overview.row_rect(255).center()) == 255
    text.resize(400, 300)
    text.show_sequence(many, 200)
    assert len(text.boxes) == many.length(200) > 100
    assert max(box.right() for box in text.boxes) <= text.width()
    overview.grab()
    text.grab()
    assert text.cell_at(text.boxes[7].center()) == 7
