"""Watch it learn: which word is asked for, and each snapshot's word with how sure it is."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.look import theme
from app.rooms.train.room import SNAPSHOTS_PX
from app.rooms.train.snapshots.cards import SnapshotList, WatchCard
from app.runs.run_state import RunState
from bertcore.analysis.predict import WordGuess

STEPS = (0, 4000, 11_068)
SNAPSHOTS = [(step, Path("run") / "snapshots" / str(step)) for step in STEPS]
SAID = (WordGuess("the", 0, 0.004), WordGuess("mother", 1, 0.1), WordGuess("n" * 40, 2, 0.25))
GUESSES = {path: guess for (_, path), guess in zip(SNAPSHOTS, SAID, strict=True)}


@pytest.fixture
def card(looks: QApplication, qtbot: QtBot) -> WatchCard:
    made = WatchCard(RunState())
    qtbot.addWidget(made)
    made.resize(theme.column_px(SNAPSHOTS_PX), 500)
    made._state.set_snapshots(SNAPSHOTS)
    made.show()
    return made


@pytest.fixture(params=[False, True], ids=["normal", "projector"])
def sized(request: pytest.FixtureRequest, looks: QApplication) -> None:
    theme.apply(looks, "light", theme.PROJECTOR_SCALE if request.param else 1.0)


def painted_words(widget: QWidget) -> list[str]:
    """As a picture of the widget holds them."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    painter = QPainter(generator)
    widget.render(painter, QPoint(0, 0))
    painter.end()
    return re.findall(r"<text[^>]*>([^<]*)</text>", bytes(buffer.data().data()).decode())


@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        ("Anna asked her [MASK] for help.", ""),
        ("Anna asked for help.", "Type [MASK] where"),
        ("Anna asked her [mask] for help.", "Type [MASK] where"),
        ("", "Type [MASK] where"),
        ("Anna [MASK] her [MASK] for help.", "first [MASK]"),
    ],
)
def test_the_card_says_which_word_it_asks_for(card: WatchCard, sentence: str, note: str) -> None:
    card.sentence.setText("Something [MASK] [MASK] else")
    card.sentence.setText(sentence)
    assert note in card.note.text() and card.note.isVisible() == bool(note) == bool(card.note.text())


def test_a_sentence_that_asks_for_a_word_has_no_note_from_the_start(card: WatchCard) -> None:
    assert not card.note.isVisible() and card.note.text() == ""


def test_each_snapshot_says_how_sure_it_is(sized: None, qtbot: QtBot) -> None:
    made = SnapshotList()
    qtbot.addWidget(made)
    made.set_snapshots(SNAPSHOTS)
    made.set_guesses(GUESSES)
    made.resize(theme.column_px(SNAPSHOTS_PX) - theme.px(40), made.sizeHint().height())
    said = painted_words(made)
    assert [word.replace("\u2009", "") for word in said if "0." in word] == ["0.004", "0.10", "0.25"]
    assert "mother" in said and any(word.endswith("…") for word in said)
    assert "4,000" in said and "11,068" in said
