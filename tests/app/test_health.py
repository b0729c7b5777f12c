"""Is this normal? The window says what the engine finds, and a click makes the run that is suggested."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.rooms.train.room import TrainRoom
from app.rooms.train.run.strips import HealthStrip
from app.runs.finding import TRY
from app.runs.run_info import read_run
from app.shell.window import Window
from bertcore.runs.diagnosis import Diagnosis, Suggestion
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_record import read_record
from bertcore.training.start import start_run
from tests.app.conftest import TIMEOUT_MS
from tests.engine.training_runs import tiny_run, write_text


def _run(folder: Path, rate: float) -> Path:
    run = folder / f"run-{rate}"
    start_run(tiny_run(write_text(folder), learning_rate=rate, steps=40, evaluations=4), run, resume=False)
    return run


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _run(tmp_path_factory.mktemp("well"), 3e-3)


def test_a_click_on_a_warning_makes_the_run_that_is_suggested(
    window: Window, qtbot: QtBot, tmp_path: Path, well: Path
) -> None:
    ill = _run(tmp_path, 0.3)
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    strip, form = room.view.health, room.copy_form
    window.services.runs.select(ill)
    qtbot.waitUntil(lambda: [one.kind for one in strip.shown] == ["too_high"], timeout=TIMEOUT_MS)
    warning = strip.warnings[0]
    assert warning.isVisible() and "learning rate is too high" in warning.sentence.text()
    assert "Try a learning rate of 0.03 instead of 0.3." in warning.advice.text()
    warning.buttons[TRY].click()
    assert form.isVisible() and form.mark.text() == "Try a learning rate of 0.03 instead of 0.3."
    made, own = form.command().options.to_dict(), RunFolder(ill).config()
    assert made["training"] == {**own["training"], "learning_rate": 0.03}
    room.runs_card.show_list()
    window.services.runs.select(well)
    qtbot.waitUntil(lambda: strip.quiet.isVisible(), timeout=TIMEOUT_MS)
    assert strip.quiet.text().startswith("This looks normal") and not warning.isVisible()
    assert room.view.record.held_out_loss[1].tolist() == read_record(well).held_out_loss[1].tolist()
    room.view.buttons[room.view.weights].click()
    assert not strip.isVisible(), "the weights need its room"


@pytest.mark.parametrize(
    ("suggestion", "field", "value"),
    [
        (Suggestion("steps", 40.0, 10), "steps", 10),
        (Suggestion("causal_share", None, 0.5), "causal_share", 0.5),
    ],
)
def test_other_changes_reach_the_run_too(
    window: Window, well: Path, suggestion: Suggestion, field: str, value: float
) -> None:
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    info = read_run(well)
    room.runs_card.show_copy_form(info, suggestion)
    changed = room.copy_form.command().options.to_dict()["training"]
    assert changed == {**RunFolder(info.path).config()["training"], field: value}
    room.runs_card.show_copy_form(info)
    assert room.copy_form.mark.text() == "" and room.copy_form.command().options.training.steps == 40


def test_two_warnings_at_most(qtbot: QtBot) -> None:
    strip = HealthStrip()
    qtbot.addWidget(strip)
    found = [Diagnosis("dead_heads_one", {"count": 2.0, "all": 4.0})] * 3
    strip.show_health(found)
    strip.show()
    assert [warning.isVisible() for warning in strip.warnings] == [True, True]
    assert not strip.warnings[0].buttons, "nothing is suggested"
    strip.show_health([])
    assert not strip.isVisible()
