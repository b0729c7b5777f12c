"""Before training, half-trained, trained in every room, and following a run while it trains."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.runs.run_info import RunInfo
from app.runs.stages import steps_of
from app.shell.window import Window
from bertcore.locations import SHIPPED, TINY, assets, shipped_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import TIMEOUT_MS, settle

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
STEPS = (0, 10, 20, 40, 100)
LOSSES = {0: 8.0, 10: 7.8, 20: 5.2, 40: 3.0, 100: 2.0}  # half of the fall: 5.0
Opener = Callable[[Path | str], Window]


@pytest.fixture
def run(own_home: Path, model_folder: Path) -> RunFolder:
    """Its snapshots are all alike; what it measured says how far each has learned."""
    made = RunFolder.create(own_home / "runs" / "stories", PretrainOptions(name="stories", preset="tiny").to_dict())
    for step in STEPS:
        add_snapshot(made, step, model_folder)
    for step, loss in LOSSES.items():
        made.append_metric({"kind": "held_out", "step": step, "mlm_loss": loss})
    made.write_status(state="done", step=STEPS[-1], fraction=1.0)
    return made


def add_snapshot(run: RunFolder, step: int, model: Path) -> Path:
    with run.begin_snapshot(step) as folder:
        shutil.copytree(model, folder, dirs_exist_ok=True)
    return run.snapshot_path(step).resolve()


def folder_of(window: Window) -> Path | None:
    return window.state.model.folder.resolve() if window.state.model is not None else None


def shown(window: Window) -> tuple[list[str], list[str]]:
    """The stages that the switch offers, and the one that is open."""
    stages = window.frame.title_bar.switch.stages
    return [key for key, made in stages.items() if made.isVisible()], [
        k for k, made in stages.items() if made.isChecked()
    ]


# Which steps they are.


def test_half_trained_is_half_of_the_fall_of_the_loss(run: RunFolder) -> None:
    steps = steps_of(run.snapshot_path(10))
    assert steps is not None and [step for step, _ in steps.snapshots] == list(STEPS)
    assert steps.stages == {
        "start": run.snapshot_path(0).resolve(),
        "half_trained": run.snapshot_path(20).resolve(),
        "trained": run.snapshot_path(100).resolve(),
    }
    assert steps.stage_of(run.snapshot_path(20)) == "half_trained" and steps.stage_of(run.snapshot_path(10)) == ""


def test_trained_is_the_step_that_the_run_ends_with(run: RunFolder) -> None:
    run.write_status(ends_with=40)
    steps = steps_of(run.snapshot_path(10))
    assert steps is not None and steps.stages["trained"] == run.snapshot_path(40).resolve()
    assert steps.stage_of(run.snapshot_path(40)) == "trained" and steps.stage_of(run.snapshot_path(100)) == ""
    assert steps.stages["half_trained"] in [run.snapshot_path(step).resolve() for step in (10, 20)]
    run.write_status(ends_with=0)
    steps = steps_of(run.snapshot_path(10))
    assert steps is not None and steps.stage_of(run.snapshot_path(0)) == "trained"


def test_what_was_trained_on_the_next_word_only_is_not_half_trained(run: RunFolder) -> None:
    run.append_metric({"kind": "phase", "step": 25, "phase": "masked", "message": ""})
    run.append_metric({"kind": "phase", "step": 90, "phase": "masked", "message": ""})  # resumed
    steps = steps_of(run.snapshot_path(0))
    assert steps is not None and steps.stages["half_trained"] == run.snapshot_path(40).resolve()


def test_without_measurements_it_is_the_middle_one(run: RunFolder) -> None:
    (run.path / "metrics.jsonl").write_text("")
    steps = steps_of(run.snapshot_path(0))
    assert steps is not None and steps.stages["half_trained"] == run.snapshot_path(20).resolve()


def test_a_checkpoint_of_its_own_has_no_steps(model_folder: Path) -> None:
    assert steps_of(model_folder) is None


@pytest.mark.parametrize("name", SHIPPED)
def test_models_that_ship(name: str) -> None:
    """Where the snapshots of their runs ship, too: the trained one is the model itself."""
    steps = steps_of(shipped_checkpoint(name))
    snapshots = RunFolder(assets() / "runs" / name).snapshots()
    if not snapshots:
        assert steps is None
        return
    assert steps is not None and steps.stages["trained"] == shipped_checkpoint(name).resolve()
    assert set(steps.stages) == {"start", "half_trained", "trained"}
    assert steps_of(snapshots[3][1]) == steps
    assert steps.stage_of(snapshots[-1][1]) == steps.stage_of(shipped_checkpoint(name)) == "trained"


# In the window.


def test_the_switch_changes_the_model_in_any_room(open_window: Opener, run: RunFolder, qtbot: QtBot) -> None:
    window = open_window(run.snapshot_path(100))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text("The cat sat on the mat.", "")
    window.state.set_masks([2])
    window.open_room("attend")
    settle(window, qtbot)
    assert shown(window) == (["start", "half_trained", "trained"], ["trained"])
    for key, step in (("start", 0), ("half_trained", 20), ("trained", 100)):
        QTest.mouseClick(window.frame.title_bar.switch.stages[key], Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda step=step: folder_of(window) == run.snapshot_path(step).resolve(), timeout=TIMEOUT_MS)
        settle(window, qtbot)
        assert shown(window)[1] == [key] and window.room_key == "attend"
        assert window.state.text_a == "The cat sat on the mat." and window.state.masked == {2}
    window.commands["model.start"].trigger()
    qtbot.waitUntil(lambda: folder_of(window) == run.snapshot_path(0).resolve(), timeout=TIMEOUT_MS)


@pytest.mark.parametrize(
    ("config", "name", "command"),
    [
        (
            {"kind": "finetune", "task": "sst2", "model": "somewhere"},
            "Before fine-tuning",
            "The model before fine-tuning",
        ),
        ({"start": "somewhere"}, "Before this run", "The model before this run"),
        ({}, "Untrained", "The untrained model"),
    ],
)
def test_the_first_step_is_called_what_it_is(
    config: dict[str, str], name: str, command: str, open_window: Opener, run: RunFolder, qtbot: QtBot
) -> None:
    file = run.path / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **config}))
    window = open_window(run.snapshot_path(0))
    qtbot.waitUntil(lambda: shown(window)[1] == ["start"], timeout=TIMEOUT_MS)
    assert window.frame.title_bar.switch.stages["start"].text() == name
    assert window.commands["model.start"].text() == command
    window.appearance.set_look(projector=True)
    assert window.frame.title_bar.step.text() == name


def test_another_step_is_none_of_the_three(open_window: Opener, run: RunFolder, qtbot: QtBot) -> None:
    window = open_window(run.snapshot_path(10))
    qtbot.waitUntil(lambda: window.state.model is not None, timeout=TIMEOUT_MS)
    assert shown(window) == (["start", "half_trained", "trained"], [])


def test_a_model_without_a_run_has_no_switch(window: Window) -> None:
    assert not window.frame.title_bar.switch.isVisible()
    assert not window.commands["model.start"].isEnabled()


def test_changes_inside_the_model_stay_from_stage_to_stage(open_window: Opener, run: RunFolder, qtbot: QtBot) -> None:
    window = open_window(run.snapshot_path(100))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_what_if(window.state.what_if.with_head(1, 2, True))
    settle(window, qtbot)
    window.commands["model.half_trained"].trigger()
    qtbot.waitUntil(lambda: folder_of(window) == run.snapshot_path(20).resolve(), timeout=TIMEOUT_MS)
    assert (1, 2) in window.state.what_if.heads_off


@pytest.mark.skipif(steps_of(shipped_checkpoint(TINY)) is None, reason="the run of the tiny model does not ship")
def test_the_tiny_model_that_ships(open_window: Opener, qtbot: QtBot) -> None:
    window = open_window(TINY)
    qtbot.waitUntil(lambda: window.state.model is not None, timeout=TIMEOUT_MS)
    assert shown(window)[1] == ["trained"]
    window.commands["model.start"].trigger()
    qtbot.waitUntil(lambda: shown(window)[1] == ["start"], timeout=TIMEOUT_MS)
    window.commands["model.trained"].trigger()
    qtbot.waitUntil(lambda: window.services.open_model.reference == TINY, timeout=TIMEOUT_MS)


# Following a run.


@pytest.fixture
def training(run: RunFolder, window: Window) -> RunFolder:
    """Looked at in Train while it is at work; the model that is open is another one."""
    run.write_status(state="running", step=100, fraction=0.5)
    window.services.runs.show_run(RunInfo(run.path, "stories", "tiny", run.status()))
    return run


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A status is believed, though no process trains."""
    monkeypatch.setattr(RunFolder, "is_alive", lambda _self: True)


@pytest.mark.usefixtures("at_work")
def test_every_room_shows_the_newest_snapshot_of_a_run(
    training: RunFolder, window: Window, model_folder: Path, qtbot: QtBot
) -> None:
    machine, follow = window.services.time_machine, window.frame.title_bar.switch.follow
    window.open_room("map")
    assert follow.isVisible() and not follow.isChecked() and not machine.is_following
    QTest.mouseClick(follow, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: folder_of(window) == training.snapshot_path(100).resolve(), timeout=TIMEOUT_MS)
    newer = add_snapshot(training, 200, model_folder)
    qtbot.waitUntil(lambda: folder_of(window) == newer, timeout=TIMEOUT_MS)
    assert window.room_key == "map" and machine.is_following
    training.write_status(state="done", step=200, fraction=1.0)
    qtbot.waitUntil(lambda: not machine.is_following, timeout=TIMEOUT_MS)
    assert not follow.isVisible() and folder_of(window) == newer


@pytest.mark.usefixtures("at_work")
def test_what_a_person_opens_ends_the_following(
    training: RunFolder, window: Window, model_folder: Path, headless_folder: Path, qtbot: QtBot
) -> None:
    machine = window.services.time_machine
    machine.set_following(True)
    qtbot.waitUntil(lambda: folder_of(window) == training.snapshot_path(100).resolve(), timeout=TIMEOUT_MS)
    window.open_model(headless_folder)
    assert not machine.is_following
    add_snapshot(training, 200, model_folder)
    qtbot.waitUntil(lambda: folder_of(window) == headless_folder.resolve(), timeout=TIMEOUT_MS)
    machine._timer.timeout.emit()  # it looks at the run again
    assert not window.services.open_model.is_opening
    settle(window, qtbot)
    assert folder_of(window) == headless_folder.resolve()
